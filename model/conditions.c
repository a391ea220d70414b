/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's time at a stated cost, and the loads of wrong paths: conditions.h. */
#include <stdlib.h>

#include "charge.h"
#include "schedule.h"

static void add(struct core *core, enum condition_count which, uint64_t more)
{
	if (core->condition_counts)
		core->condition_counts[which] += more;
}

void core_set_conditions(struct core *core, uint64_t *counts)
{
	core->condition_counts = counts;
}

/* ---- The kernel's time -------------------------------------------------------------------- */

/* The kernel runs for some cycles, and the program waits. Returns when it is done. */
static uint64_t kernel_runs(struct core *core, uint64_t from, uint64_t cycles)
{
	const uint64_t until = later(from, core->cycle) + cycles;

	account_stalled(core, until, BLOCK_SERIALIZED);
	add(core, CONDITION_KERNEL_CYCLES, cycles);
	return until;
}

uint64_t kernel_called(struct core *core, uint64_t from)
{
	const uint32_t cycles = core->params->conditions.system_call_cycles;

	if (!cycles)
		return from;
	add(core, CONDITION_SYSTEM_CALLS, 1);
	return kernel_runs(core, from, cycles);
}

/*
 * A fault is taken once all that is older has retired. The model has executed the rest of the block
 * by then, so a block pays for its faults at its end.
 */
static void take_faults(struct core *core, uint64_t faults)
{
	uint64_t until = core->last_retired;

	if (until > core->cycle)
		account_stalled(core, until, BLOCK_SERIALIZED);
	if (core->exact)
		core->exact->line = core->exact->faulter;
	until = kernel_runs(core, until, faults * core->params->conditions.page_fault_cycles);
	core->exceptions += faults;
	add(core, CONDITION_PAGE_FAULTS, faults);
	flush_pipeline(core, until);
}

/* ---- Loads of wrong paths ----------------------------------------------------------------- */

/*
 * The model knows the code of a wrong path, but not its registers. So a load accesses what would
 * come next for it: as far from its last address as that was from the one before.
 */
#define REMEMBERED 4096 /* loads; a power of two */

struct remembered {
	uint64_t pc, last;
	uint64_t next; /* address on the wrong path `path`, if it has been there */
	uint64_t path;
	int64_t step;
	uint16_t bytes;
};

struct wrong_loads {
	uint64_t path;  /* number of the current wrong path */
	bool held_back; /* its loads wait for an instruction that goes alone */
	struct remembered loads[REMEMBERED];
};

static struct remembered *place_of(struct wrong_loads *wrong, uint64_t pc)
{
	return &wrong->loads[(pc >> 2 ^ pc >> 14) % REMEMBERED];
}

/* Remembers where the loads of a block went: the first access of each. */
static void remember(struct wrong_loads *wrong, const struct block *block,
		     const struct access *accesses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct access *access = &accesses[i];
		const uint64_t pc = block->pc + 4ull * access->insn;
		struct remembered *load = place_of(wrong, pc);

		if (!(block->insns[access->insn].memory & MEM_LOAD) ||
		    (i && accesses[i - 1].insn == access->insn))
			continue;
		load->step = load->pc == pc ? (int64_t)(access->address - load->last) : 0;
		load->pc = pc;
		load->last = access->address;
		load->bytes = access->bytes;
	}
}

void wrong_path_begins(struct core *core)
{
	if (!core->wrong_loads)
		return;
	core->wrong_loads->path++;
	core->wrong_loads->held_back = false;
}

void wrong_path_loads(struct core *core, const struct block *block, unsigned count, uint64_t cycle)
{
	const struct prepared *prepared = block->model;
	struct wrong_loads *wrong = core->wrong_loads;

	for (unsigned i = 0; wrong && i < count && !wrong->held_back; i++) {
		const uint64_t pc = block->pc + 4ull * i;
		struct remembered *load = place_of(wrong, pc);
		struct memory_result result;

		wrong->held_back = core->params->classes[prepared->ops[i].class].serializes;
		if (!(block->insns[i].memory & MEM_LOAD) || load->pc != pc)
			continue;
		load->next = (load->path == wrong->path ? load->next : load->last) +
			     (uint64_t)load->step;
		load->path = wrong->path;
		/* What the program has not touched may not be mapped, and is loaded by nobody. */
		if (!memory_is_touched(core->memory, load->next))
			continue;
		memory_load(core->memory, cycle, pc, load->next, load->bytes, false, &result);
		core->loads++;
		core->load_crossings += result.crosses_line;
		core->load_cycles += later(result.ready, cycle) - cycle;
		add(core, CONDITION_WRONG_LOADS, 1);
		add(core, CONDITION_WRONG_REFILLS, result.level != LEVEL_L1 && !result.pending);
	}
}

/* ---- Both --------------------------------------------------------------------------------- */

bool conditions_set_up(struct core *core)
{
	const struct core_conditions *asked = &core->params->conditions;

	core->conditioned = asked->page_fault_cycles || asked->wrong_path_loads;
	if (asked->wrong_path_loads)
		core->wrong_loads = calloc(1, sizeof(*core->wrong_loads));
	return core->wrong_loads || !asked->wrong_path_loads;
}

void conditions_of_block(struct core *core, const struct block *block,
			 const struct access *accesses, size_t access_count)
{
	const uint64_t faults = memory_page_faults(core->memory) - core->faults_taken;

	if (core->wrong_loads)
		remember(core->wrong_loads, block, accesses, access_count);
	core->faults_taken += faults;
	if (faults)
		take_faults(core, faults);
}

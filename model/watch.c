/* SPDX-License-Identifier: Apache-2.0 */
/* Describes chosen operations to the SPE unit, and checks counters for overflow. */
#include "watch.h"

#include <plumb/spe.h>

#include "schedule.h"

#define MEM_ORDERED    (MEM_ACQUIRE | MEM_RELEASE)
#define EVENT_IS(name) PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_##name)

/* Data sources, as numbered by Arm's cores. */
static const uint8_t sources[] = {
	[LEVEL_L1] = 0x0,  [LEVEL_L2] = 0x8,   [LEVEL_PEER] = 0x9,
	[LEVEL_LLC] = 0xb, [LEVEL_DRAM] = 0xe,
};

static unsigned in_population(const struct spe_unit *unit, const struct op *op)
{
	if (!unit->params->instructions)
		return op->operations;
	/* A compare and the branch behind it that are one operation are both sampled as the branch.
	 */
	return op->flags & OP_FUSED ? 0 : op->flags & OP_FUSES ? 2 : 1;
}

static uint64_t population_of(const struct spe_unit *unit, const struct prepared *prepared,
			      unsigned executed)
{
	uint64_t sum = 0;

	if (unit->params->instructions)
		return executed;
	if (executed == prepared->count)
		return prepared->operations;
	for (unsigned i = 0; i < executed; i++)
		sum += prepared->ops[i].operations;
	return sum;
}

bool watch_block(struct core *core, const struct block *block, unsigned executed)
{
	struct watch *watch = core->watch;
	uint64_t population;

	if (block->pc != watch->follows) {
		watch->previous_target = watch->last_target;
		watch->last_target = block->pc;
	}
	watch->follows = block->pc + 4ull * executed;
	if (watch->overflow)
		return true;
	if (!watch->spe)
		return false;
	population = population_of(watch->spe, block->model, executed);
	if (population >= watch->spe->left)
		return true;
	spe_pass(watch->spe, population);
	return false;
}

void watch_dispatched(struct core *core, const struct op *op)
{
	struct watch *watch = core->watch;
	struct spe_unit *unit = watch->spe;
	uint64_t count;

	watch->tracked = false;
	watch->dispatched = core->cycle;
	if (!unit)
		return;
	for (count = in_population(unit, op); count >= unit->left;) {
		count -= unit->left;
		spe_pass(unit, unit->left - 1);
		watch->tracked |= spe_choose(unit, core->cycle);
	}
	spe_pass(unit, count);
}

/* ---- What an operation is ---------------------------------------------------------------------
 */

static uint8_t vector_length(const struct core *core)
{
	unsigned bits = core->params->vector_bytes * 8u, n = 0;

	while (n < 7 && 32u << n < bits)
		n++;
	return (uint8_t)(n << 4);
}

static bool is_vector(unsigned reg)
{
	return reg >= REG_V0 && reg < REG_P0;
}

static uint8_t load_store_payload(const struct core *core, const struct insn *insn)
{
	const unsigned extended = MEM_ATOMIC | MEM_EXCLUSIVE | MEM_ORDERED;
	bool reads = insn->memory & MEM_LOAD;
	uint8_t payload = reads ? 0 : 1;
	unsigned data = reads ? insn->targets[0] : insn->sources[0];

	if (insn->memory & MEM_ATOMIC && insn->targets[0] == REG_NONE)
		payload = 1; /* returns nothing */
	if (insn->memory & extended) {
		payload |= 0x02;
		payload |= insn->memory & MEM_ATOMIC ? 0x04 : 0;
		payload |= insn->memory & MEM_EXCLUSIVE ? 0x08 : 0;
		payload |= insn->memory & MEM_ORDERED ? 0x10 : 0;
		return payload;
	}
	if (insn->kinds & KIND_SVE) {
		payload |= 0x08 | vector_length(core);
		payload |= insn->kinds & KIND_SVE_PRED ? 0x04 : 0;
		payload |= insn->memory & MEM_GATHER ? 0x80 : 0;
		return payload;
	}
	if (insn->memory & MEM_TAG)
		return payload | 0x14;
	if (insn->memory & MEM_ZERO)
		return payload | 0x10; /* without a register */
	return is_vector(data) ? payload | 0x04 : payload;
}

static uint8_t branch_payload(const struct core *core, const struct insn *insn)
{
	static const uint8_t kinds[] = {
		[BRANCH_CONDITIONAL] = 0x01,   [BRANCH_INDIRECT] = 0x02,
		[BRANCH_INDIRECT_CALL] = 0x02, [BRANCH_RETURN] = 0x02,
		[BRANCH_EXCEPTION] = 0,
	};
	static const uint8_t links[] = {
		[BRANCH_IMMEDIATE] = 0x18,     [BRANCH_CONDITIONAL] = 0x18, [BRANCH_CALL] = 0x08,
		[BRANCH_INDIRECT_CALL] = 0x08, [BRANCH_INDIRECT] = 0x18,    [BRANCH_RETURN] = 0x10,
		[BRANCH_EXCEPTION] = 0,
	};
	uint8_t payload = kinds[insn->branch];

	return core->params->spe.branch_kinds ? payload | links[insn->branch] : payload;
}

static uint8_t other_payload(const struct core *core, const struct insn *insn)
{
	const uint32_t floating = KIND_VFP | KIND_FP_HP | KIND_FP_SP | KIND_FP_DP | KIND_SIMD_FP;
	uint8_t payload = 0;

	if (insn->kinds & KIND_SVE) {
		payload = 0x08 | vector_length(core);
		payload |= insn->kinds & KIND_SIMD_FP ? 0x02 : 0;
		return insn->kinds & KIND_SVE_PRED ? payload | 0x04 : payload;
	}
	if (core->params->spe.fp_kinds) {
		payload |= insn->kinds & floating ? 0x02 : 0;
		payload |= insn->kinds & KIND_ASE_INST ? 0x04 : 0;
	}
	return insn->kinds & KIND_CSEL ? payload | 0x01 : payload;
}

/* `insn` is NULL if unknown. */
static void describe(const struct core *core, const struct insn *insn, struct spe_sample *sample)
{
	sample->op_class = PLUMB_SPE_OTHER;
	if (!insn)
		return;
	if (insn->branch != BRANCH_NONE && insn->branch != BRANCH_EXCEPTION) {
		sample->op_class = PLUMB_SPE_BRANCH;
		sample->operation = branch_payload(core, insn);
	} else if (insn->memory & (MEM_LOAD | MEM_STORE)) {
		sample->op_class = PLUMB_SPE_LOAD_STORE;
		sample->operation = load_store_payload(core, insn);
		sample->store = insn->memory & MEM_STORE;
		sample->load = insn->memory & MEM_LOAD && !(sample->operation & 1);
	} else {
		sample->operation = other_payload(core, insn);
	}
}

/* ---- What it did ------------------------------------------------------------------------------
 */

/* Events of the memory system, as counted by its PMU events: a line in flight is not a refill. */
static uint64_t level_events(const struct core *core, const struct memory_result *result)
{
	uint64_t events = EVENT_IS(L1D_ACCESS);

	if (result->level == LEVEL_L1 || result->pending)
		return events;
	events |= EVENT_IS(L1D_REFILL);
	if (core->params->spe.l2_events)
		events |= EVENT_IS(L2D_ACCESS);
	if (result->level == LEVEL_L2)
		return events;
	events |= EVENT_IS(LLC_ACCESS);
	if (core->params->spe.l2_events)
		events |= EVENT_IS(L2D_MISS);
	return result->level == LEVEL_DRAM ? events | EVENT_IS(LLC_MISS) : events;
}

static void tell_access(const struct core *core, const struct op *op, struct spe_sample *sample)
{
	const struct seen *seen = &core->seen;
	const struct memory_result *result = &seen->result;
	bool loads = op->memory & MEM_LOAD;

	sample->has_address = true;
	sample->virtual_address = seen->address;
	sample->physical_address = result->physical;
	sample->translation = (uint32_t)(result->translated - seen->issue);
	sample->events |= level_events(core, loads ? result : &seen->stored);
	sample->events |= EVENT_IS(TLB_ACCESS);
	if (result->tlb == TLB_WALK)
		sample->events |= EVENT_IS(TLB_WALK);
	if (result->crosses_line)
		sample->events |= EVENT_IS(MISALIGNED);
	if (sample->load) {
		/* Data of an older store, but the refill that the load has caused has a source. */
		bool near = seen->forwarded && result->pending;

		sample->has_source = true;
		sample->data_source = sources[near ? LEVEL_L1 : result->level];
	}
}

static void begin_sample(const struct core *core, const struct block *block, const struct op *op,
			 uint64_t done, struct spe_sample *sample)
{
	*sample = (struct spe_sample){
		.pc = address_of(block, op),
		.previous_target = core->watch->last_target,
		.events = EVENT_IS(RETIRED),
		.dispatched = core->watch->dispatched,
		.issued = op->path <= PATH_RENAMED ? done - op->latency : core->seen.issue,
		.completed = done,
		.retired = core->last_retired,
	};
	describe(core, &block->insns[index_of(block, op)], sample);
}

static void count_instruction(struct core *core, const struct block *block, const struct op *op)
{
	unsigned i = index_of(block, op);

	core->instructions++;
	account_kinds(core, &block->insns[i]);
	account_activity(core, block, i, i + 1, false);
}

void watch_done(struct core *core, const struct block *block, const struct op *op, uint64_t done,
		bool accessed)
{
	struct watch *watch = core->watch;
	struct spe_sample sample;

	if (watch->tracked) {
		begin_sample(core, block, op, done, &sample);
		if (accessed && op->memory & (MEM_LOAD | MEM_STORE))
			tell_access(core, op, &sample);
		spe_complete(watch->spe, &sample);
	}
	count_instruction(core, block, op);
	if (watch->overflow)
		overflow_check(watch->overflow, core, address_of(block, op), accessed);
}

/* Its counters overflow at the branch: until that is dispatched, no operation stands for it. */
void watch_fused(struct core *core, const struct block *block, const struct op *op)
{
	count_instruction(core, block, op);
}

void watch_branch(struct core *core, const struct block *block, uint64_t next_pc, uint64_t done,
		  bool taken, bool mispredicted)
{
	const struct op *op = prepared_last(block);
	struct watch *watch = core->watch;
	struct spe_sample sample;

	if (watch->tracked) {
		begin_sample(core, block, op, done, &sample);
		sample.taken = taken;
		sample.target = next_pc;
		if (sample.op_class != PLUMB_SPE_BRANCH)
			sample.events |= EVENT_IS(EXCEPTION);
		else if (!taken)
			sample.events |= EVENT_IS(NOT_TAKEN);
		if (mispredicted)
			sample.events |= EVENT_IS(MISPREDICTED);
		spe_complete(watch->spe, &sample);
	}
	count_instruction(core, block, op);
}

void watch_counts(struct core *core, const struct block *block, const struct op *op)
{
	if (core->watch->overflow)
		overflow_check(core->watch->overflow, core, address_of(block, op), false);
}

/* ---- The wrong path ---------------------------------------------------------------------------
 */

void watch_wrong_path(struct core *core, unsigned operations)
{
	struct watch *watch = core->watch;
	struct spe_unit *unit = watch->spe;
	uint64_t count = operations;

	if (!unit || unit->params->instructions)
		return;
	while (count >= unit->left) {
		count -= unit->left;
		watch->wrong.passed += unit->left;
		spe_pass(unit, unit->left - 1);
		if (!spe_choose(unit, core->cycle))
			continue;
		watch->wrong.tracked = true;
		watch->wrong.number = watch->wrong.passed - 1;
		watch->wrong.dispatched = core->cycle;
	}
	watch->wrong.passed += count;
	spe_pass(unit, count);
}

void watch_wrong_path_end(struct core *core, uint64_t pc, const struct insn *insn,
			  uint64_t resolved)
{
	struct watch *watch = core->watch;
	struct spe_sample sample = {
		.pc = pc,
		.previous_target = watch->last_target,
		.dispatched = watch->wrong.dispatched,
		.completed = resolved,
		.retired = resolved,
	};

	describe(core, insn, &sample);
	spe_complete(watch->spe, &sample);
	watch->wrong.tracked = false;
}

void watch_finish(struct core *core)
{
	struct watch *watch = core->watch;

	if (watch->overflow)
		overflow_check(watch->overflow, core, watch->overflow->last_pc, false);
}

void watch_pause(struct core *core, struct watch *watch)
{
	if (watch->overflow)
		overflow_pause(watch->overflow, core);
	core_set_watch(core, NULL);
}

void watch_resume(struct core *core, struct watch *watch, uint64_t pc)
{
	if (watch->overflow)
		overflow_resume(watch->overflow, core, pc);
	/* Where it branched meanwhile is not known. */
	watch->follows = pc;
	watch->last_target = watch->previous_target = 0;
	core_set_watch(core, watch);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the core's files: how they charge slots to instructions. exact.h explains. */
#ifndef MODEL_CHARGE_H
#define MODEL_CHARGE_H

#include "exact.h"
#include "memo_charge.h"
#include "pipeline.h"

struct exact {
	uint32_t line;    /* of the current instruction */
	uint32_t first;   /* of the current block's first one */
	uint32_t flusher; /* of the one that flushed the pipeline last */
	uint32_t faulter; /* of the one that accessed a page first, last */
	uint32_t visit;
	struct profile profile;
	struct contexts contexts;

	uint32_t lines[REORDER_RING]; /* by sequence */
	uint32_t stores[STORE_RING];  /* likewise of stores, by number */
	uint64_t stored;              /* their number */

	/* The memory side's counts when they were last charged. */
	uint64_t known[EXACT_MEMORY_COUNT];
	uint64_t data_sum, fetch_sum; /* see data_sum() and fetch_sum() */

	uint64_t next_pc;     /* what follows the last block, unless a signal interrupts */
	uint64_t last_pc;     /* its last instruction */
	struct lines *shared; /* accesses to lines that cores share; NULL: not followed */
	bool interrupted;     /* by a signal, or a fault */
	bool continues;       /* anywhere: the thread begins, or a handler has returned */

	/* memo_charge.h */
	struct notes notes;
	uint64_t usual[USUAL_COUNT]; /* steps of replays that are not in .known yet */
	unsigned shared_until;       /* instruction of the block: those before are counted */
	uint64_t told_at;            /* exact_set_told() */
};

/*
 * Sums of counts that tell whether an access or a fetch did anything out of the ordinary: each
 * miss, prefetch or second line adds more to them than a plain hit.
 */
#define EXACT_DATA_SUM(count)                                                                 \
	(count(L1D_CACHE_RD) + count(L1D_CACHE_WR) + count(L1D_TLB) + count(L1D_TLB_REFILL) + \
	 count(L1D_CACHE_REFILL) + count(L1D_CACHE_HWPRF) + count(L1D_CACHE_INVAL) +          \
	 count(L2D_CACHE_INVAL) + count(L2D_CACHE_WR) + count(BUS_ACCESS_WR))
#define EXACT_FETCH_SUM(count) \
	(count(L1I_CACHE) + count(L1I_TLB) + count(L1I_CACHE_REFILL) + count(L1I_TLB_REFILL))

static inline uint64_t data_sum(const uint64_t *counts)
{
#define COUNT(event) counts[EVENT_##event]
	return EXACT_DATA_SUM(COUNT);
}

static inline uint64_t fetch_sum(const uint64_t *counts)
{
	return EXACT_FETCH_SUM(COUNT);
#undef COUNT
}

static inline uint64_t *known(struct exact *exact, unsigned event)
{
	return &exact->known[event - EXACT_MEMORY_FIRST];
}

/* Notes what the current instruction is charged, if its block is recorded. */
static inline void exact_note(struct exact *exact, unsigned what, uint64_t count)
{
	if (unlikely(exact->notes.on))
		note_charge(exact, CHARGE_OWN, exact->line - exact->first, what, count, 0);
}

/* The current instruction flushes the pipeline. */
static inline void exact_flushed(struct exact *exact)
{
	exact->flusher = exact->line;
	if (exact->notes.on)
		exact->notes.flusher = (int16_t)(exact->line - exact->first);
}

/* Before anything is accounted: there is nothing to rename, or no room, until `until`. */
void exact_starved(struct core *core, uint64_t until);
void exact_width(struct core *core);
void exact_stalled(struct core *core, uint64_t until, unsigned blocker);
/* Operations of the wrong path after the current instruction, a mispredicted branch, take slots. */
void exact_wrong_path(struct core *core, unsigned operations);
void exact_mispredicted(struct core *core);
void exact_wrong_loads(struct core *core);

/* False if there is no memory for this block. */
bool exact_block_begins(struct core *core, const struct block *block, unsigned executed);
void exact_block_ends(struct core *core, const struct block *block, unsigned executed,
		      uint64_t next_pc);
/* What the memory side did for the current instruction: a chunk of code, or its own accesses. */
void exact_fetched(struct core *core);
void exact_accessed(struct core *core, const struct op *op);
/* The accesses of a load or store, if those to shared lines are followed. */
void exact_shares(struct core *core, const struct block *block, const struct op *op,
		  const struct access *first, const struct access *end);
/*
 * Returns a bit for each event of memory that is not known as counted, from EXACT_MEMORY_FIRST on.
 * Then charges these to a line.
 */
uint64_t exact_changes(struct exact *exact, const uint64_t *counts);
void exact_charge_changes(struct exact *exact, uint32_t line, uint64_t changes,
			  const uint64_t *counts);
/* Sets the counts of accesses to what the core has, in the order of enum exact_event. */
void exact_count_accesses(const struct core *core, uint64_t counts[4]);

/* Instruction `index` of the current block comes next. */
static inline void exact_insn_begins(struct core *core, const struct op *op, unsigned index)
{
	struct exact *exact = core->exact;

	exact->line = exact->first + index;
	for (unsigned i = 0; i < op->operations; i++)
		exact->lines[(core->sequence + i) % REORDER_RING] = exact->line;
}

/* The current instruction's stores are about to leave. */
static inline void exact_commits(struct core *core, const struct op *op)
{
	struct exact *exact = core->exact;

	for (unsigned i = 0; i < op->stores; i++)
		exact->stores[exact->stored++ % STORE_RING] = exact->line;
}

/* An operation of the current instruction took a slot: it pays for a cycle that it begins. */
static inline void exact_dispatched(struct core *core)
{
	struct exact *exact = core->exact;

	if (core->used != 1)
		return;
	exact->profile.lines[exact->line].cycles++;
	exact_note(exact, CHARGE_CYCLES, 1);
}

#endif

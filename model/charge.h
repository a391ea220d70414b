/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the core's files: how they charge slots to instructions. exact.h explains. */
#ifndef MODEL_CHARGE_H
#define MODEL_CHARGE_H

#include "exact.h"
#include "pipeline.h"

#define EXACT_MEMORY_FIRST EXACT_MEM_ACCESS_RD
#define EXACT_MEMORY_COUNT (EXACT_COUNT - EXACT_MEMORY_FIRST)

struct exact {
	uint32_t line;    /* of the current instruction */
	uint32_t first;   /* of the current block's first one */
	uint32_t flusher; /* of the one that flushed the pipeline last */
	uint32_t faulter; /* of the one that accessed a page first, last */
	uint32_t visit;
	struct profile profile;
	struct contexts contexts;

	uint32_t lines[REORDER_RING]; /* by sequence */
	uint32_t stores[STORE_RING];  /* likewise of stores, by their own sequence */

	/* The memory side's counts when they were last charged. */
	uint64_t known[EXACT_MEMORY_COUNT];
	uint64_t data_sum, fetch_sum; /* see data_sum() and fetch_sum() */

	uint64_t next_pc;     /* what follows the last block, unless a signal interrupts */
	uint64_t last_pc;     /* its last instruction */
	struct lines *shared; /* accesses to lines that cores share; NULL: not followed */
	bool interrupted;     /* by a signal, or a fault */
	bool continues;       /* anywhere: the thread begins, or a handler has returned */
};

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
/* The accesses of a load or store at `pc`, if those to shared lines are followed. */
void exact_shares(struct core *core, const struct op *op, uint64_t pc, const struct access *first,
		  const struct access *end);

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
		exact->stores[(core->left_sequence + i) % STORE_RING] = exact->line;
}

/* An operation of the current instruction took a slot: it pays for a cycle that it begins. */
static inline void exact_dispatched(struct core *core)
{
	struct exact *exact = core->exact;

	if (core->used == 1)
		exact->profile.lines[exact->line].cycles++;
}

#endif

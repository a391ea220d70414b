/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional warming: executes blocks for what they leave behind in caches, TLBs, prefetchers and
 * predictors, without a pipeline. That takes a fraction of the time of core_execute().
 *
 * While a core is warmed, its time goes on at a given pace. Its counts of what the memory side does
 * go on too, as do retired instructions; all others stand still. So the counts of a stretch that
 * was executed in detail are differences.
 */
#ifndef MODEL_WARM_H
#define MODEL_WARM_H

#include "core.h"

#define WARM_PACE_ONE (1u << 16) /* a cycle per instruction */

#define WARM_STORES 256 /* more than any core's store queue has */
#define WARM_PARTS  8   /* of the reorder buffer */

struct warmer {
	struct core *core;
	uint64_t cycle;           /* when instructions are dispatched */
	uint64_t retired;         /* when those so far have retired */
	uint64_t paced;           /* the same by the pace alone */
	uint32_t fraction, quick; /* parts of a cycle that `paced` and `cycle` lack, in 65536ths */
	uint64_t parts[WARM_PARTS]; /* when the last parts of the reorder buffer have retired */
	unsigned part;              /* the oldest of them ... */
	int room;                   /* ... and how many instructions more do not need it */
	bool mispredicted;          /* the branch that ended the last block was */
	uint64_t line;              /* of instructions that was fetched last, plus one */
	uint64_t left[WARM_STORES]; /* when the last stores left the store queue, by number */
};

/* Begins a stretch, between two blocks. The core has no shadows, and nothing watches it. */
void warm_begin(struct warmer *warmer, struct core *core);

/* Like core_execute(). `pace`: the time that an instruction takes, in units of WARM_PACE_ONE. */
void warm_execute(struct warmer *warmer, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc,
		  uint32_t pace);

/*
 * Ends the stretch: the core goes on at the time that was reached, with what was in flight. Behind
 * a mispredicted branch, nothing has been fetched yet.
 */
void warm_end(struct warmer *warmer);

/* Returns the memory side of a core, for memory_touch(). */
struct memory *warm_memory(const struct core *core);

/*
 * Returns for how many cycles a core's misses in L2, the system cache and the TLBs would have
 * waited so far, one after the other.
 */
uint64_t warm_miss_cycles(const struct core *core);

/* Counts instructions as retired that were executed elsewhere. */
void warm_skip(struct core *core, uint64_t instructions);

/* Brings the count of retired instructions up to date, and nothing else. */
void warm_note_instructions(const struct warmer *warmer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a function through the model's core as samples describe it, to find out what each
 * instruction holds up. Samples tell how often each block is executed, how long loads take, and
 * which branches are mispredicted. Latencies do not add up: they overlap, and operations that wait
 * for others have long ones, too. The core knows what overlaps, given the code.
 */
#ifndef DISASM_REPLAY_H
#define DISASM_REPLAY_H

#include <plumb/cost.h>
#include <plumb/flow.h>

/* Of the samples of an instruction with the same source of data. */
struct replay_source {
	double samples;
	double cycles; /* from issue to completion: the mean */
};
#define REPLAY_SOURCES 4
/* A load that hits L1D takes fewer cycles, if it waits for nothing. */
#define REPLAY_HIT_CYCLES 16

#define REPLAY_PAGE_LOG2 12

/* What samples say about an instruction. Only operations that retired count. */
struct replay_instruction {
	double samples;
	double waited; /* cycles from dispatch to issue: the mean; 0: none, or unknown */
	struct replay_source sources[REPLAY_SOURCES]; /* of loads */
	unsigned source_count;
	double endless; /* loads whose latency is unknown: beyond the counters */
	double misses;  /* stores that missed L1D */
	double held; /* loads that hit L1D, and yet took long: they waited, nobody knows for what */
	double taken, not_taken;
	double mispredicted_taken, mispredicted_not_taken;
	uint64_t
		offsets; /* loads and stores: bit n is set if one began n bytes into a line of 64 */
	uint32_t first_page, pages; /* of REPLAY_PAGE_LOG2: between the lowest access and the
				       highest; 0 pages: none */
	double moves;               /* of its stores: see replay_find_moves() */
	uint32_t line_before;       /* set by replay_share_lines() */
	bool stores;                /* set by replay_pool_loads() */
	/* Of loads, set by replay_pool_loads(): those of the block that are alike, itself included.
	 */
	unsigned alike;       /* how many; 0: it is no load */
	uint32_t next_alike;  /* the index of the next of them, after the last one that of the first
			       */
	double alike_samples; /* with a latency, of all of them */
	double alike_far;     /* those that missed L1D */
	double alike_weight;  /* how many samples more they count as; 0: none */
};

/*
 * Notes which instructions store, and which loads of each block are alike: of one class and size,
 * as in an unrolled loop. Few samples of one count together with those of the others. `core` and
 * `words` as for replay_function().
 */
void replay_pool_loads(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		       const uint32_t *words, struct replay_instruction *instructions);

/*
 * Notes which loads of a block access the same line as an earlier one each time, and likewise
 * stores: by their base registers, and by where in a line accesses began. `line_before` is how many
 * instructions before the first access to the line is; 0: there is none, or nobody knows. Call it
 * before replay_function(). Returns 0 or NO_MEMORY.
 */
int replay_share_lines(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		       const uint32_t *words, struct replay_instruction *instructions);

/*
 * Finds stores whose lines cannot have been in L1D, for they are spread over more memory than that
 * has room for, though no record shows it: such a line takes its turn between L1D and L2, as those
 * do that loads miss. `moves` becomes how many of the store's samples are of one. Call it after the
 * two above. Returns 0 or NO_MEMORY.
 */
int replay_find_moves(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		      struct replay_instruction *instructions);

/* Returns the slots that pass until a load from memory has its data. */
double replay_memory_slots(const struct plumb_cost_core *core);

/* Queues of accesses, by what may find them full. */
enum replay_queue { REPLAY_QUEUE_LOADS, REPLAY_QUEUE_STORES, REPLAY_QUEUE_BOTH, REPLAY_QUEUES };

/* Shares of an instruction's slots. */
struct replay_shares {
	double queued[REPLAY_QUEUES]; /* lost because a queue was full */
	double missed;                /* lost to loads that missed L1D */
};

/*
 * Computes the slots that each instruction costs: those that it uses, and those that are lost
 * because of it, as doc/model.md charges them. The sum over all executions of an instruction is in
 * proportion to slots[i]; they are those of as many operations as there are samples. shares[i] says
 * why. `core` NULL
 * stands for the model's default. `address` is that of the first instruction. Returns 0, NO_MEMORY,
 * or LIMIT if the function is too large or has no samples.
 */
int replay_function(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		    uint64_t address, const uint32_t *words, size_t count,
		    const struct replay_instruction *instructions, double *slots,
		    struct replay_shares *shares);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a replay share: struct memory and struct predictor of the model's core, and its
 * path. */
#ifndef DISASM_REPLAY_CORE_H
#define DISASM_REPLAY_CORE_H

#include "disasm/replay.h"
#include "pipeline.h"
#include "target.h"

/* Each access has a line of its own, so that stores forward to no load. */
#define ACCESS_STEP 64

/* A line on its way, for the instructions of a block that access it. */
struct arrival {
	uint64_t address; /* of the line, the last time */
	uint64_t ready;   /* the cycle when its data is there; 0: not accessed yet */
};

struct replay {
	const struct core_params *params;
	const struct plumb_flow *flow;
	const struct replay_instruction *instructions;
	uint64_t address;
	size_t count;

	struct insn *insns;
	struct block *blocks;
	size_t block_count;
	double *rates;      /* of each block: samples per operation */
	double *cumulative; /* sums of the blocks' samples, for random starts */
	bool *reached;      /* blocks that were executed */
	size_t behind;      /* blocks before it that have samples were */
	struct access *accesses;
	struct arrival *arrivals; /* of each instruction that is the first to access a line */

	uint64_t chance;  /* state of the random numbers */
	uint64_t next;    /* address of the next access */
	bool mispredicts; /* the branch that comes next */
	uint64_t wrong_path;

	/* Of each instruction: slots, those of them that the backend lost, also those for want of
	 * room in a queue of loads and stores, or since L1D missed, and executions. */
	double *slots, *backend, (*queued)[REPLAY_QUEUES], *missed, *executed;
	bool *shows;            /* how long it waits */
	double *waited, *waits; /* cycles from dispatch to issue, and how often that was seen */
};

struct memory_system {
	struct replay replay;
};

struct predictor {
	struct replay *replay; /* set once there is a core */
	struct target_buffer *targets;
};

/* Returns the sizes of a core; NULL stands for the model's default. */
const struct core_params *replay_params(const struct plumb_cost_core *core);

/* Samples with a latency, and those of them that did not hit L1D. */
struct replay_count {
	double all, far;
};

static inline bool replay_is_far(const struct replay_source *source)
{
	return source->cycles > REPLAY_HIT_CYCLES;
}

static inline struct replay_count replay_count_sources(const struct replay_instruction *load)
{
	struct replay_count count = {0};

	for (unsigned i = 0; i < load->source_count; i++) {
		count.all += load->sources[i].samples;
		count.far += replay_is_far(&load->sources[i]) ? load->sources[i].samples : 0;
	}
	return count;
}

/* Returns the line that an instruction accesses. */
static inline struct arrival *replay_arrival(const struct replay *replay, size_t i)
{
	return &replay->arrivals[i - replay->instructions[i].line_before];
}

/* Returns a number from 0 to 1. */
double replay_draw(struct replay *replay);

#endif

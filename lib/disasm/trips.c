/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often branches were taken, from how often instructions were executed: what comes into a block
 * leaves it again. Where all but one of the edges at a block are known, the last one is, too.
 */
#include <stdlib.h>

#include "disasm/flow.h"

struct edges {
	const struct plumb_flow *flow;
	const uint64_t *executions;
	uint64_t (*counts)[2]; /* of each block's successors */
	bool (*known)[2];
	bool *entered; /* from outside, or from nobody knows where */
};

static uint64_t first_count(const struct edges *edges, uint32_t block)
{
	return edges->executions[edges->flow->blocks[block].first];
}

static uint64_t last_count(const struct edges *edges, uint32_t block)
{
	const struct plumb_block *b = &edges->flow->blocks[block];

	return edges->executions[b->first + b->count - 1];
}

/* Sums up what is known of the edges at a block; the last unknown one is `block`'s `which`. */
struct sum {
	uint64_t known;
	unsigned unknown;
	uint32_t block;
	unsigned which;
};

static void add_edge(const struct edges *edges, struct sum *sum, uint32_t block, unsigned which)
{
	if (edges->known[block][which]) {
		sum->known += edges->counts[block][which];
	} else {
		sum->unknown++;
		sum->block = block;
		sum->which = which;
	}
}

static struct sum edges_out(const struct edges *edges, uint32_t block)
{
	struct sum sum = {0};

	for (unsigned s = 0; s < 2; s++)
		if (edges->flow->blocks[block].successors[s] != PLUMB_FLOW_NONE)
			add_edge(edges, &sum, block, s);
	return sum;
}

/* Those from inside `loop`, or from outside it; NONE: all. */
static struct sum edges_in(const struct edges *edges, uint32_t block, uint32_t loop, bool inside)
{
	const struct plumb_flow *flow = edges->flow;
	struct sum sum = {0};

	for (uint32_t p = flow->first_predecessor[block]; p < flow->first_predecessor[block + 1];
	     p++) {
		uint32_t from = flow->predecessors[p];
		unsigned which = flow->blocks[from].successors[0] != block;

		if (loop == PLUMB_FLOW_NONE || plumb_flow_contains(flow, loop, from) == inside)
			add_edge(edges, &sum, from, which);
	}
	return sum;
}

/* Learns the last unknown edge of a sum that is `total`. Returns whether there was one. */
static bool learn(const struct edges *edges, const struct sum *sum, uint64_t total)
{
	if (sum->unknown != 1)
		return false;
	/* Counts of a program that ended in the middle do not add up. */
	edges->counts[sum->block][sum->which] = total > sum->known ? total - sum->known : 0;
	edges->known[sum->block][sum->which] = true;
	return true;
}

static void learn_all(const struct edges *edges)
{
	bool learnt = true;

	while (learnt) {
		learnt = false;
		for (uint32_t i = 0; i < edges->flow->block_count; i++) {
			struct sum out = edges_out(edges, i);
			struct sum in = edges_in(edges, i, PLUMB_FLOW_NONE, true);

			if (!edges->flow->blocks[i].leaves)
				learnt |= learn(edges, &out, last_count(edges, i));
			if (!edges->entered[i])
				learnt |= learn(edges, &in, first_count(edges, i));
		}
	}
}

static struct plumb_trips count_trips(const struct edges *edges, uint32_t loop)
{
	uint32_t header = edges->flow->loops[loop].header;
	struct plumb_trips trips = {.iterations = first_count(edges, header)};
	struct sum back = edges_in(edges, header, loop, true);
	struct sum entries = edges_in(edges, header, loop, false);

	if (back.unknown == 0 && back.known <= trips.iterations) {
		trips.entries = trips.iterations - back.known;
		trips.known = true;
	} else if (entries.unknown == 0 && !edges->entered[header] &&
		   entries.known <= trips.iterations) {
		trips.entries = entries.known;
		trips.known = true;
	}
	return trips;
}

/* An indirect branch may lead to any block. */
static void find_entered(const struct edges *edges)
{
	const struct plumb_flow *flow = edges->flow;

	for (uint32_t i = 0; i < flow->block_count; i++)
		edges->entered[i] = i == 0 || flow->indirect ||
				    flow->first_predecessor[i] == flow->first_predecessor[i + 1];
}

int plumb_flow_trips(const struct plumb_flow *flow, const uint64_t *executions,
		     struct plumb_trips *trips)
{
	struct edges edges = {
		.flow = flow,
		.executions = executions,
		.counts = calloc(flow->block_count + 1, sizeof(*edges.counts)),
		.known = calloc(flow->block_count + 1, sizeof(*edges.known)),
		.entered = calloc(flow->block_count + 1, sizeof(*edges.entered)),
	};
	int error = edges.counts && edges.known && edges.entered ? 0 : PLUMB_ERR_NO_MEMORY;

	if (error == 0) {
		find_entered(&edges);
		learn_all(&edges);
		for (uint32_t i = 0; i < flow->loop_count; i++)
			trips[i] = count_trips(&edges, i);
	}
	free(edges.counts);
	free(edges.known);
	free(edges.entered);
	return error;
}

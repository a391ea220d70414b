/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often branches were taken, from how often instructions were executed: what comes into a block
 * leaves it again. Where all but one of the edges at a block are known, the last one is, too.
 */
#include <stdlib.h>

#include "disasm/flow.h"

/* What is known of the edges into a block, or out of it. */
struct sum {
	uint64_t known;   /* what they add up to */
	uint32_t unknown; /* how many edges are not known yet */
};

enum side { INTO, OUT_OF };

struct edges {
	const struct plumb_flow *flow;
	const uint64_t *executions;
	uint64_t (*counts)[2]; /* of each block's successors */
	bool (*known)[2];
	struct sum (*sums)[2]; /* of each block, by side */
	bool *entered;         /* from outside, or from nobody knows where */
	bool *ends_elsewhere;  /* by loop: it may end after another block than its header */
	/* The blocks, times two, plus the side, where all edges but one are known. Each side comes
	 * up once. */
	uint32_t *ready, ready_count;
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

/* Returns which of the successors of `from` the block `to` is. */
static unsigned which(const struct edges *edges, uint32_t from, uint32_t to)
{
	return edges->flow->blocks[from].successors[0] != to;
}

/* Returns whether all that happens on this side of a block happens on its edges. */
static bool adds_up(const struct edges *edges, uint32_t block, enum side side)
{
	return side == INTO ? !edges->entered[block] : !edges->flow->blocks[block].leaves;
}

static void note_if_ready(struct edges *edges, uint32_t block, enum side side)
{
	if (edges->sums[block][side].unknown == 1 && adds_up(edges, block, side))
		edges->ready[edges->ready_count++] = 2 * block + side;
}

static void learn_side(struct edges *edges, uint32_t block, enum side side, uint64_t count)
{
	edges->sums[block][side].known += count;
	edges->sums[block][side].unknown--;
	note_if_ready(edges, block, side);
}

static void learn(struct edges *edges, uint32_t from, uint32_t to, uint64_t count)
{
	unsigned s = which(edges, from, to);

	edges->counts[from][s] = count;
	edges->known[from][s] = true;
	learn_side(edges, from, OUT_OF, count);
	learn_side(edges, to, INTO, count);
}

/* Learns the last unknown edge of a block's side. */
static void learn_last(struct edges *edges, uint32_t block, enum side side)
{
	const struct plumb_flow *flow = edges->flow;
	uint64_t total = side == INTO ? first_count(edges, block) : last_count(edges, block);
	uint64_t known = edges->sums[block][side].known, rest = total > known ? total - known : 0;

	/* Counts of a program that ended in the middle do not add up: then the rest is none. */
	if (side == OUT_OF) {
		unsigned s = flow->blocks[block].successors[0] == PLUMB_FLOW_NONE ||
			     edges->known[block][0];

		learn(edges, block, flow->blocks[block].successors[s], rest);
		return;
	}
	for (uint32_t p = flow->first_predecessor[block]; p < flow->first_predecessor[block + 1];
	     p++) {
		uint32_t from = flow->predecessors[p];

		if (!edges->known[from][which(edges, from, block)]) {
			learn(edges, from, block, rest);
			return;
		}
	}
}

/* Takes time in proportion to the edges: a side is gone through once, when one of its is left. */
static void learn_all(struct edges *edges)
{
	const struct plumb_flow *flow = edges->flow;

	for (uint32_t i = 0; i < flow->block_count; i++) {
		edges->sums[i][INTO].unknown =
			flow->first_predecessor[i + 1] - flow->first_predecessor[i];
		for (unsigned s = 0; s < 2; s++)
			edges->sums[i][OUT_OF].unknown +=
				flow->blocks[i].successors[s] != PLUMB_FLOW_NONE;
		note_if_ready(edges, i, INTO);
		note_if_ready(edges, i, OUT_OF);
	}
	while (edges->ready_count) {
		uint32_t next = edges->ready[--edges->ready_count];

		/* Its last edge may have been learnt from the other end. */
		if (edges->sums[next / 2][next % 2].unknown == 1)
			learn_last(edges, next / 2, next % 2);
	}
}

/* Sums up the edges into a loop's header: from inside the loop, or from outside it. */
static struct sum edges_in(const struct edges *edges, uint32_t loop, bool inside)
{
	const struct plumb_flow *flow = edges->flow;
	uint32_t header = flow->loops[loop].header;
	struct sum sum = {0};

	for (uint32_t p = flow->first_predecessor[header]; p < flow->first_predecessor[header + 1];
	     p++) {
		uint32_t from = flow->predecessors[p];
		unsigned s = which(edges, from, header);

		if (plumb_flow_contains(flow, loop, from) != inside)
			continue;
		sum.unknown += !edges->known[from][s];
		sum.known += edges->counts[from][s];
	}
	return sum;
}

/* Tells whether a loop's header only tests whether to go on, so that the body follows it. */
static bool tests_first(const struct edges *edges, uint32_t loop)
{
	const struct plumb_flow *flow = edges->flow;
	const uint32_t header = flow->loops[loop].header;
	const uint32_t *next = flow->blocks[header].successors;
	bool ends = false;

	for (unsigned s = 0; s < 2; s++)
		ends |= next[s] != PLUMB_FLOW_NONE && !plumb_flow_contains(flow, loop, next[s]);
	return ends && next[0] != header && next[1] != header && !edges->ends_elsewhere[loop];
}

static struct plumb_trips count_trips(const struct edges *edges, uint32_t loop)
{
	uint32_t header = edges->flow->loops[loop].header;
	struct plumb_trips trips = {.iterations = first_count(edges, header)};
	struct sum back = edges_in(edges, loop, true);
	struct sum entries = edges_in(edges, loop, false);

	if (back.unknown == 0 && back.known <= trips.iterations) {
		trips.entries = trips.iterations - back.known;
		trips.known = true;
	} else if (entries.unknown == 0 && !edges->entered[header] &&
		   entries.known <= trips.iterations) {
		trips.entries = entries.known;
		trips.known = true;
	}
	if (trips.known && tests_first(edges, loop))
		trips.iterations -= trips.entries;
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

static void find_ends(const struct edges *edges)
{
	const struct plumb_flow *flow = edges->flow;

	for (uint32_t i = 0; i < flow->block_count; i++) {
		const struct plumb_block *block = &flow->blocks[i];

		for (uint32_t at = block->loop; at != PLUMB_FLOW_NONE;
		     at = flow->loops[at].parent) {
			bool ends = block->leaves;

			for (unsigned s = 0; s < 2; s++)
				ends |= block->successors[s] != PLUMB_FLOW_NONE &&
					!plumb_flow_contains(flow, at, block->successors[s]);
			edges->ends_elsewhere[at] |=
				block->leaves || (ends && i != flow->loops[at].header);
			/* What stays in a loop stays in those around it. */
			if (!ends)
				break;
		}
	}
}

int plumb_flow_trips(const struct plumb_flow *flow, const uint64_t *executions,
		     struct plumb_trips *trips)
{
	struct edges edges = {
		.flow = flow,
		.executions = executions,
		.counts = calloc(flow->block_count + 1, sizeof(*edges.counts)),
		.known = calloc(flow->block_count + 1, sizeof(*edges.known)),
		.sums = calloc(flow->block_count + 1, sizeof(*edges.sums)),
		.entered = calloc(flow->block_count + 1, sizeof(*edges.entered)),
		.ends_elsewhere = calloc(flow->loop_count + 1, sizeof(*edges.ends_elsewhere)),
		.ready = calloc(2 * (size_t)flow->block_count + 1, sizeof(*edges.ready)),
	};
	int error = edges.counts && edges.known && edges.sums && edges.entered &&
				    edges.ends_elsewhere && edges.ready
			    ? 0
			    : PLUMB_ERR_NO_MEMORY;

	if (error == 0) {
		find_entered(&edges);
		find_ends(&edges);
		learn_all(&edges);
		for (uint32_t i = 0; i < flow->loop_count; i++)
			trips[i] = count_trips(&edges, i);
	}
	free(edges.counts);
	free(edges.known);
	free(edges.sums);
	free(edges.entered);
	free(edges.ends_elsewhere);
	free(edges.ready);
	return error;
}

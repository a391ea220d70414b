/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any words as code, executed any number of times: its blocks cover it, its loops nest, and the
 * counts of how often they ran are consistent. Each instruction takes eight bytes of the input: its
 * word, and how often it was executed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/flow.h>

#define START UINT64_C(0x400000)
#define COUNT 4096

static void require(bool promise)
{
	if (!promise)
		abort();
}

static void check_blocks(const struct plumb_flow *flow, size_t count)
{
	struct plumb_block block;
	uint32_t next = 0;
	size_t blocks = 0;

	while (plumb_flow_block(flow, blocks, &block)) {
		require(block.first == next && block.count > 0);
		for (uint32_t i = 0; i < block.count; i++)
			require(plumb_flow_block_of(flow, next + i) == blocks);
		next += block.count;
		blocks++;
	}
	require(next == count && plumb_flow_block_of(flow, count) == PLUMB_FLOW_NONE);
	for (size_t i = 0; plumb_flow_block(flow, i, &block); i++) {
		for (unsigned s = 0; s < 2; s++)
			require(block.successors[s] == PLUMB_FLOW_NONE ||
				block.successors[s] < blocks);
		require(block.loop == PLUMB_FLOW_NONE ||
			plumb_flow_contains(flow, block.loop, (uint32_t)i));
	}
}

/* Returns how many there are. */
static size_t check_loops(const struct plumb_flow *flow)
{
	struct plumb_loop loop, outer;
	struct plumb_block block;
	size_t count = 0;

	for (; plumb_flow_loop(flow, count, &loop); count++) {
		uint32_t blocks = 0;

		require(plumb_flow_contains(flow, count, loop.header));
		if (loop.parent == PLUMB_FLOW_NONE) {
			require(loop.depth == 1);
		} else {
			require(loop.parent < count && plumb_flow_loop(flow, loop.parent, &outer));
			require(loop.depth == outer.depth + 1);
			require(loop.block_count < outer.block_count);
			require(plumb_flow_contains(flow, loop.parent, loop.header));
		}
		if (count > 16)
			continue;
		for (uint32_t i = 0; plumb_flow_block(flow, i, &block); i++)
			blocks += plumb_flow_contains(flow, count, i);
		require(blocks == loop.block_count);
	}
	return count;
}

/* An entry executes the header; if that tests first, without an iteration. */
static void check_trips(const struct plumb_flow *flow, size_t number,
			const struct plumb_trips *trips, const uint64_t *executions)
{
	struct plumb_loop loop;
	struct plumb_block header;
	uint64_t times;

	require(plumb_flow_loop(flow, number, &loop));
	require(plumb_flow_block(flow, loop.header, &header));
	times = executions[header.first];
	require(trips->iterations <= times);
	require(!trips->known || trips->entries <= trips->iterations ||
		(trips->entries <= times && trips->entries + trips->iterations == times));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint32_t words[COUNT];
	static uint64_t executions[COUNT];
	size_t count = size / 8 < COUNT ? size / 8 : COUNT, loops;
	struct plumb_trips *trips;
	struct plumb_flow *flow;

	if (count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t times;

		memcpy(&words[i], data + 8 * i, 4);
		memcpy(&times, data + 8 * i + 4, 4);
		executions[i] = (uint64_t)times << (times & 63);
	}
	require(plumb_flow_new(START, words, count, &flow) == 0);
	check_blocks(flow, count);
	loops = check_loops(flow);
	trips = calloc(loops + 1, sizeof(*trips));
	require(trips != NULL);
	require(plumb_flow_trips(flow, executions, trips) == 0);
	for (size_t i = 0; i < loops; i++)
		check_trips(flow, i, &trips[i], executions);
	free(trips);
	plumb_flow_free(flow);
	return 0;
}

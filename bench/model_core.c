/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what the core model costs without QEMU: processor time per guest instruction, with the
 * real predictor and memory, on random programs of common instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core.h"

#define BLOCKS       64
#define BLOCK_INSNS  16
#define INSTRUCTIONS 10000000
#define ROUNDS       3
#define CODE         0x400000ull
#define DATA         0x10000000ull

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

struct made_block {
	struct block block;
	struct insn insns[BLOCK_INSNS];
	struct access accesses[BLOCK_INSNS];
	size_t access_count;
};

static struct made_block blocks[BLOCKS];

/* Returns a random instruction word: of a hundred, 25 load, 10 store, 10 compare, 5 multiply, 5 add
 * floats. */
static uint32_t draw_word(bool *loads, bool *stores)
{
	uint32_t d = draw(20), n = draw(20), m = draw(20), base = 20 + draw(4), kind = draw(100);

	*loads = kind < 25;
	*stores = kind >= 25 && kind < 35;
	if (*loads)
		return 0xf9400000 | base << 5 | d; /* ldr xd, [xbase] */
	if (*stores)
		return 0xf9000000 | base << 5 | d; /* str xd, [xbase] */
	if (kind < 45)
		return 0xeb00001f | m << 16 | n << 5; /* cmp xn, xm */
	if (kind < 50)
		return 0x9b007c00 | m << 16 | n << 5 | d; /* mul xd, xn, xm */
	if (kind < 55)
		return 0x1e602800 | m << 16 | n << 5 | d; /* fadd dd, dn, dm */
	return 0x8b000000 | m << 16 | n << 5 | d;         /* add xd, xn, xm */
}

static bool make_blocks(const struct core_params *params)
{
	uint64_t pc = CODE;

	for (struct made_block *made = blocks; made < blocks + BLOCKS; made++) {
		unsigned count = 3 + draw(8);

		*made = (struct made_block){.block = {.pc = pc, .insns = made->insns}};
		for (unsigned i = 0; i < count; i++) {
			bool loads = false, stores = false;
			uint32_t word = 0x54000001 | 64 << 5; /* b.ne */

			if (i + 1 < count)
				word = draw_word(&loads, &stores);
			insn_decode(word, params->vector_bytes, &made->insns[i]);
			if (loads || stores)
				made->accesses[made->access_count++] =
					(struct access){.insn = (uint16_t)i, .bytes = 8};
		}
		made->block.count = (uint16_t)count;
		pc += 4ull * count;
		if (!core_prepare_block(params, &made->block))
			return false;
	}
	return true;
}

/* The behaviour of a program. */
struct behaviour {
	const char *name;
	uint32_t data_bytes; /* bytes that it reads and writes at random */
	bool skips;          /* whether the block behind a branch is chosen at random */
};

/* Returns the processor time in nanoseconds per instruction. */
static double run(struct core *core, const struct behaviour *behaviour)
{
	struct timespec start, end;
	uint64_t executed = 0;
	unsigned at = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	while (executed < INSTRUCTIONS) {
		struct made_block *made = &blocks[at];

		at = (at + 1 + (behaviour->skips ? draw(2) : 0)) % BLOCKS;
		for (size_t i = 0; i < made->access_count; i++)
			made->accesses[i].address = DATA + draw(behaviour->data_bytes / 8) * 8ull;
		core_execute(core, &made->block, made->block.count, made->accesses,
			     made->access_count, blocks[at].block.pc);
		executed += made->block.count;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
	       (double)executed;
}

static bool measure(const struct core_params *params, const struct behaviour *behaviour)
{
	struct memory_system *system = memory_system_new(params);
	uint64_t counts[EVENT_COUNT] = {0};
	struct core *core = system ? core_new(params, system, counts) : NULL;
	double best = 0;

	for (int round = 0; core && round < ROUNDS; round++) {
		double took = run(core, behaviour);

		best = round == 0 || took < best ? took : best;
	}
	if (core) {
		core_finish(core);
		core_counts(core);
		printf("%-12s %-22s %6.1f ns/insn %6.1f M/s   IPC %.2f   %5.1f mispredicted, "
		       "%5.1f L1D refills a thousand\n",
		       params->name, behaviour->name, best, 1e3 / best,
		       (double)counts[EVENT_INST_RETIRED] / (double)counts[EVENT_CPU_CYCLES],
		       1e3 * (double)counts[EVENT_BR_MIS_PRED_RETIRED] /
			       (double)counts[EVENT_INST_RETIRED],
		       1e3 * (double)counts[EVENT_L1D_CACHE_REFILL] /
			       (double)counts[EVENT_INST_RETIRED]);
	}
	core_free(core);
	memory_system_free(system);
	return core;
}

int main(void)
{
	static const struct behaviour behaviours[] = {
		{"in L1, predictable", 16 << 10, false},
		{"in L1, random branches", 16 << 10, true},
		{"in L2", 512 << 10, false},
		{"in DRAM", 256 << 20, false},
	};
	bool done = true;

	for (size_t c = 0; done && model_cores[c]; c++) {
		if (!make_blocks(model_cores[c]))
			return 1;
		for (size_t i = 0; done && i < sizeof(behaviours) / sizeof(*behaviours); i++)
			done = measure(model_cores[c], &behaviours[i]);
		for (size_t i = 0; i < BLOCKS; i++)
			core_release_block(&blocks[i].block);
	}
	return done ? 0 : 1;
}

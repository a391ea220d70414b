/* SPDX-License-Identifier: Apache-2.0 */
/* Programs made at random for the core model: blocks that go anywhere. */
#ifndef TEST_CORE_PROGRAM_H
#define TEST_CORE_PROGRAM_H

#include "core_bench.h"

#define BLOCKS 40

/* A program of blocks that go anywhere, and what an independent count of it comes to. */
static struct program {
	struct bench_block blocks[BLOCKS];
	uint64_t loads[BLOCKS], stores[BLOCKS], floats[BLOCKS];
} program;

static uint32_t seed;

static inline uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static inline uint64_t draw_address(void)
{
	static const uint64_t near[] = {NEAR_L1, NEAR_L1, NEAR_L1,   NEAR_L1,
					NEAR_L2, NEAR_L2, NEAR_DRAM, NEAR_WALK};

	return near[draw(8)] + 4 * draw(1000);
}

static inline void draw_insn(unsigned k)
{
	struct bench_block *b = &program.blocks[k];

	switch (draw(12)) {
	case 0:
	case 1:
	case 2:
		bench_load(b, draw(20), draw(20), draw_address());
		program.loads[k]++;
		break;
	case 3:
		bench_store(b, draw(20), draw(20), draw_address());
		program.stores[k]++;
		break;
	case 4:
		bench_op(b, CLASS_FP_ADD, REG_V0 + draw(8), REG_V0 + draw(8), REG_NONE)->kinds =
			KIND_VFP;
		program.floats[k]++;
		break;
	case 5:
		bench_op(b, CLASS_INT_DIV64, draw(20), draw(20), draw(20));
		break;
	case 6:
		bench_op(b, CLASS_INT_FLAGS, REG_FLAGS, draw(20), draw(20));
		break;
	default:
		bench_op(b, CLASS_INT_ALU, draw(20), draw(20), draw(20));
	}
}

static inline void draw_program(const struct core_params *params, uint32_t start)
{
	static const uint64_t code[] = {NEAR_L1, NEAR_L1, NEAR_L1, NEAR_L2, NEAR_DRAM, NEAR_WALK};
	static const unsigned kinds[] = {BRANCH_CONDITIONAL, BRANCH_CONDITIONAL, BRANCH_IMMEDIATE,
					 BRANCH_CALL,        BRANCH_INDIRECT,    BRANCH_RETURN};

	memset(&program, 0, sizeof(program));
	seed = start;
	for (unsigned k = 0; k < BLOCKS; k++) {
		unsigned count = 1 + draw(12);

		bench_begin(&program.blocks[k], code[draw(6)] + 0x1000 * k + 4 * draw(100));
		while (count--)
			draw_insn(k);
		bench_branch(&program.blocks[k], kinds[draw(6)])->sources[0] = (uint8_t)draw(20);
		bench_end(params, &program.blocks[k]);
	}
}

static inline void release_program(void)
{
	for (unsigned k = 0; k < BLOCKS; k++)
		core_release_block(&program.blocks[k].block);
}

static inline const struct block *find_block(void *user, uint64_t pc)
{
	(void)user;
	for (unsigned k = 0; k < BLOCKS; k++)
		if (program.blocks[k].block.pc == pc)
			return &program.blocks[k].block;
	return NULL;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which accesses of a block are to the same cache line: their base register and offset tell by how
 * much their addresses differ, and the samples' addresses where in a line they begin.
 */
#include <stdlib.h>

#include "disasm/replay_core.h"

#define LINE_LOG2 6 /* of its bytes; offsets in a line are bits of 64 */
/* Lines of a block that are still known when the next access is compared with them. */
#define LINES_MAX 64
#define BASES     32 /* X0 to X30, and the stack pointer */

/* A register's value: that which it had at some point, and what was added since. */
struct value {
	uint32_t origin;
	int64_t added;
};

/* An access at an immediate offset from a base register. */
struct based {
	uint32_t origin; /* of the base, numbered in the block; 0: the address is anything */
	int64_t offset;  /* from the origin */
	bool stores;
};

struct block_lines {
	struct value bases[BASES];
	uint32_t origins;
	struct based *accesses; /* of each instruction in the block */
	double slow, held;      /* samples of loads that took long, and of those that hit L1D */
	uint64_t *offsets;      /* of each origin: bit n is set if it was n bytes into a line */
};

static int64_t sign_extend(uint32_t value, unsigned bits)
{
	const uint32_t sign = 1u << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/*
 * Reads the immediates of a load or store: `*offset` from the base that it accesses, and `*written`
 * by how much the base changes. Returns false if it has another way to form its address.
 */
static bool read_offset(uint32_t word, int64_t *offset, int64_t *written)
{
	const bool vector = word >> 26 & 1;
	const unsigned mode = word >> 10 & 3; /* of an offset of 9 bits, and of a pair: */
	const unsigned pair_mode = word >> 23 & 3;
	enum { POST = 1, PRE = 3 };
	int64_t immediate;

	*offset = *written = 0;
	if ((word >> 27 & 7) == 5 && !(word >> 25 & 1)) { /* pairs */
		const unsigned size = word >> 30;

		if (size == 3 || (!vector && size == 1 && !(word >> 22 & 1)))
			return false; /* unallocated, or with tags */
		immediate = sign_extend(word >> 15 & 0x7f, 7) * (vector      ? 4 << size
								 : size == 2 ? 8
									     : 4);
		*offset = pair_mode == POST ? 0 : immediate;
		*written = pair_mode == POST || pair_mode == PRE ? immediate : 0;
		return true;
	}
	if ((word >> 27 & 7) != 7)
		return false;
	if ((word >> 24 & 3) == 1) { /* an unsigned offset in units of the access */
		const unsigned size = vector && word >> 23 & 1 ? 4 : word >> 30;

		*offset = (int64_t)(word >> 10 & 0xfff) << size;
		return true;
	}
	if ((word >> 24 & 3) != 0 || word >> 21 & 1)
		return false;
	immediate = sign_extend(word >> 12 & 0x1ff, 9);
	*offset = mode == POST ? 0 : immediate;
	*written = mode == POST || mode == PRE ? immediate : 0;
	return true;
}

/* Reads an addition of an immediate to a register, or a subtraction. Returns false for others. */
static bool read_addition(uint32_t word, int64_t *added)
{
	const int64_t immediate = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);

	if ((word & 0xbf800000) != 0x91000000 && (word & 0xbf800000) != 0xb1000000)
		return false;
	if ((word & 31) != (word >> 5 & 31) || (word >> 29 & 1 && (word & 31) == REG_SP))
		return false; /* the second is a comparison */
	*added = word >> 30 & 1 ? -immediate : immediate;
	return true;
}

static uint64_t rotate(uint64_t bits, int64_t by)
{
	const unsigned left = (unsigned)by & 63;

	return bits << left | bits >> (-left & 63);
}

/* Notes what is left in the base registers after an instruction. */
static void follow_bases(struct block_lines *lines, uint32_t word, const struct insn *insn,
			 int64_t written)
{
	const unsigned base = word >> 5 & 31;
	int64_t added;

	if (written || read_addition(word, &added)) {
		lines->bases[base].added += written ? written : added;
		for (unsigned t = 0; t < INSN_TARGETS; t++)
			if (written && insn->targets[t] < BASES && insn->targets[t] != base)
				lines->bases[insn->targets[t]] =
					(struct value){.origin = ++lines->origins};
		return;
	}
	for (unsigned t = 0; t < INSN_TARGETS; t++)
		if (insn->targets[t] < BASES)
			lines->bases[insn->targets[t]] = (struct value){.origin = ++lines->origins};
}

/* Finds where the accesses of a block are, and where in a line their bases were. */
static void find_addresses(struct block_lines *lines, const struct plumb_block *block,
			   const struct core_params *params, const uint32_t *words,
			   const struct replay_instruction *instructions)
{
	lines->origins = 0;
	lines->slow = lines->held = 0;
	for (unsigned r = 0; r < BASES; r++)
		lines->bases[r] = (struct value){.origin = ++lines->origins};
	for (uint32_t n = 0; n < block->count; n++) {
		const uint32_t i = block->first + n, word = words[i];
		const struct value *base = &lines->bases[word >> 5 & 31];
		struct based *access = &lines->accesses[n];
		int64_t offset = 0, written = 0;
		struct insn insn;

		insn_decode(word, params->vector_bytes, &insn);
		if ((insn.memory & (MEM_LOAD | MEM_STORE)) == MEM_LOAD) {
			lines->slow += replay_count_sources(&instructions[i]).far;
			lines->held += instructions[i].held;
		}
		*access = (struct based){0};
		if (insn.memory & (MEM_LOAD | MEM_STORE) && read_offset(word, &offset, &written)) {
			*access = (struct based){
				.origin = base->origin,
				.offset = base->added + offset,
				.stores = insn.memory & MEM_STORE,
			};
			lines->offsets[access->origin] |=
				rotate(instructions[i].offsets, -access->offset);
		}
		follow_bases(lines, word, &insn, written);
	}
}

/* Returns whether two offsets are in the same line wherever their origin was seen to be. */
static bool same_line(int64_t a, int64_t b, uint64_t offsets)
{
	for (; offsets; offsets &= offsets - 1) {
		const int64_t at = __builtin_ctzll(offsets);

		if ((at + a) >> LINE_LOG2 != (at + b) >> LINE_LOG2)
			return false;
	}
	return true;
}

static void find_shared(const struct block_lines *lines, const struct plumb_block *block,
			struct replay_instruction *instructions)
{
	uint32_t first[LINES_MAX]; /* of the last lines: the instruction that accesses it first */
	size_t count = 0;

	for (uint32_t n = 0; n < block->count; n++) {
		const struct based *access = &lines->accesses[n];
		const uint64_t offsets = lines->offsets[access->origin];
		size_t k = count > LINES_MAX ? count - LINES_MAX : 0;

		/* Loads that hit L1D and take long wait for something else, each by itself. */
		if (!access->origin || !offsets ||
		    (!access->stores && 2 * lines->held > lines->slow))
			continue;
		for (; k < count; k++) {
			const struct based *other = &lines->accesses[first[k % LINES_MAX]];

			if (other->origin == access->origin && other->stores == access->stores &&
			    same_line(other->offset, access->offset, offsets))
				break;
		}
		if (k < count)
			instructions[block->first + n].line_before = n - first[k % LINES_MAX];
		else
			first[count++ % LINES_MAX] = n;
	}
}

int replay_share_lines(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		       const uint32_t *words, struct replay_instruction *instructions)
{
	struct block_lines lines = {0};
	struct plumb_block block;
	uint32_t longest = 0;
	bool made;

	for (size_t b = 0; plumb_flow_block(flow, b, &block); b++)
		longest = block.count > longest ? block.count : longest;
	lines.accesses = calloc(longest + 1, sizeof(*lines.accesses));
	/* An instruction begins as many origins as it has targets. */
	lines.offsets = calloc((size_t)longest * INSN_TARGETS + BASES + 1, sizeof(*lines.offsets));
	made = lines.accesses && lines.offsets;
	for (size_t b = 0; made && plumb_flow_block(flow, b, &block); b++) {
		find_addresses(&lines, &block, replay_params(core), words, instructions);
		find_shared(&lines, &block, instructions);
		for (uint32_t o = 0; o <= lines.origins; o++)
			lines.offsets[o] = 0;
	}
	free(lines.accesses);
	free(lines.offsets);
	return made ? 0 : PLUMB_ERR_NO_MEMORY;
}

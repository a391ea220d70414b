/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/assemble.h"

#include <stdlib.h>

#define CONDITION_NE 1u

void code_free(struct code *code)
{
	free(code->words);
	*code = (struct code){0};
}

void code_word(struct code *code, uint32_t word)
{
	if (code->count == code->room) {
		size_t room = code->room ? 2 * code->room : 4096;
		uint32_t *words = realloc(code->words, room * sizeof(*words));

		if (!words) {
			code->failed = true;
			return;
		}
		code->words = words;
		code->room = room;
	}
	code->words[code->count++] = word;
}

void code_align(struct code *code, size_t bytes, uint32_t filler)
{
	while (!code->failed && code->count * sizeof(*code->words) % bytes)
		code_word(code, filler);
}

void code_move(struct code *code, unsigned rd, uint64_t value)
{
	code_word(code, 0xd2800000u | (uint32_t)(value & 0xffff) << 5 | rd);
	for (unsigned part = 1; part < 4; part++) {
		uint32_t bits = value >> 16 * part & 0xffff;

		if (bits)
			code_word(code, 0xf2800000u | part << 21 | bits << 5 | rd);
	}
}

void code_add(struct code *code, unsigned rd, unsigned rn, int immediate)
{
	uint32_t word = immediate < 0 ? 0xd1000000u : 0x91000000u;
	uint32_t amount = (uint32_t)(immediate < 0 ? -immediate : immediate);

	if (amount > 4095)
		code->failed = true;
	code_word(code, word | (amount & 0xfff) << 10 | a64_rn(rn) | a64_rd(rd));
}

void code_subtract_flags(struct code *code, unsigned rd, unsigned rn, unsigned immediate)
{
	code_word(code, 0xf1000000u | (immediate & 0xfff) << 10 | a64_rn(rn) | a64_rd(rd));
}

/* Returns how far `to` is, in words, if that fits `bits` with a sign. */
static uint32_t distance(struct code *code, size_t to, unsigned bits)
{
	long long words = (long long)to - (long long)code->count;

	if (words >= 1ll << (bits - 1) || words < -(1ll << (bits - 1)))
		code->failed = true;
	return (uint32_t)words & ((1u << bits) - 1);
}

void code_branch(struct code *code, size_t to)
{
	code_word(code, 0x14000000u | distance(code, to, 26));
}

void code_branch_not_zero(struct code *code, size_t to)
{
	code_word(code, 0x54000000u | distance(code, to, 19) << 5 | CONDITION_NE);
}

void code_branch_zero(struct code *code, unsigned rn, bool zero, size_t to)
{
	code_word(code, (zero ? 0x34000000u : 0x35000000u) | distance(code, to, 19) << 5 | rn);
}

void code_call(struct code *code, size_t to)
{
	code_word(code, 0x94000000u | distance(code, to, 26));
}

void code_branch_bit(struct code *code, unsigned rn, unsigned bit, unsigned words)
{
	code_word(code, 0x36000000u | (bit >> 5) << 31 | (bit & 31) << 19 | words << 5 | rn);
}

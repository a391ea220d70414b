/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of pipelines, queues and branch prediction. */
#include "calibrate/kernels.h"

#define BIT_WORDS   4096u
#define WINDOW_CALL 40u /* iterations of the longer call */

/* Operands that are neither zero nor special, in general and vector registers. */
static void set_operands(struct code *code)
{
	/* Quotients stay as long as they can be. */
	code_move(code, OPERAND, 0xfedcba9876543211u);
	code_move(code, OPERAND + 1, 1);
	for (unsigned i = 0; i < 4; i++)
		code_word(code, 0x1e6e1000u | i); /* fmov di, #1.0 */
}

bool trial_add_chain(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out)
{
	struct code *code = &program->code;
	const unsigned chained = trial->vector ? 0 : OPERAND;
	size_t loop;

	if (trial->word == A64_LOAD) {
		size_t at = trial_begin_state(program, 0);

		if (at == SIZE_MAX)
			return false;
		trial_put(&program->memory, at, program->memory.address + at);
		code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(7) | a64_rd(chained));
	} else {
		set_operands(code);
	}
	loop = trial_begin_loop(code);
	for (unsigned i = 0; i < KERNEL_UNROLLED; i++)
		code_word(code,
			  trial->word | a64_rn(chained) |
				  a64_rd(trial->kernel == KERNEL_CHAIN ? chained
								       : RESULT + i % RESULTS));
	trial_end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 20;
	out->first = 20;
	out->second = 60;
	return true;
}

bool trial_add_window(struct calibrate_program *program, const struct trial *trial,
		      struct trial_code *out)
{
	struct code *code = &program->code;
	const size_t lines = 8 + 10 + WINDOW_CALL + 8;
	const bool waits = trial->stride != 0;
	size_t state, first, second, loop;

	set_operands(code);
	state = trial_begin_state(program, 2);
	first = trial_link_far(program, lines, out);
	second = trial_link_far(program, lines, out);
	if (state == SIZE_MAX || first == SIZE_MAX || second == SIZE_MAX)
		return false;
	trial_put(&program->memory, state, program->memory.address + first);
	trial_put(&program->memory, state + 8, program->memory.address + second);
	loop = trial_begin_loop(code);
	for (unsigned half = 0; half < 2; half++) {
		unsigned chased = half ? OTHER : POINTER;

		/* Fillers may wait for the miss by v0 or by the pointer. */
		if (trial->vector)
			code_word(code, A64_LOAD_D | a64_offset(1) | a64_rn(chased) | a64_rd(0));
		trial_load(code, chased, chased, 0);
		/* Where rename waits until a group has room, the fillers behind must not be in it.
		 */
		for (uint32_t i = 0; i < trial->gap; i++)
			code_word(code, A64_NOP);
		/* A load that waits must not fetch the next line of the chain. */
		if (waits && trial->word == A64_LOAD)
			code_word(code, A64_AND | a64_rm(ZERO) | a64_rn(chased) | a64_rd(6));
		for (uint32_t i = 0; i < trial->size; i++) {
			uint32_t word = trial->word;

			if (waits && word == A64_LOAD)
				word = A64_LOAD_INDEXED | a64_rm(6) | a64_rn(7);
			else if (waits)
				word |= a64_rn(trial->vector ? 0 : chased);
			else if (word == A64_LOAD || word == A64_STORE)
				word |= a64_rn(7) | a64_offset(16);
			else if (word != A64_NOP)
				word |= a64_rn(trial->vector ? 1 : OPERAND);
			if (word != A64_NOP && (word & 0xff00001fu) != A64_COMPARE)
				word |= a64_rd(RESULT + i % RESULTS);
			code_word(code, word);
		}
	}
	trial_end_loop(code, loop);
	trial_end_state(code, 2);
	code_word(code, A64_RET);
	out->warm = 4;
	out->first = 10;
	out->second = WINDOW_CALL;
	return true;
}

bool trial_add_forward(struct calibrate_program *program, const struct trial *trial,
		       struct trial_code *out)
{
	struct code *code = &program->code;
	size_t state = trial_begin_state(program, 0), loop;

	if (state == SIZE_MAX)
		return false;
	code_move(code, OPERAND, 0);
	loop = trial_begin_loop(code);
	for (unsigned i = 0; i < 16; i++) {
		if (trial->kernel == KERNEL_FORWARD) {
			trial_store(code, OPERAND, 7, 2 * i);
		} else {
			code_word(code, A64_STORE_W | a64_offset(4 * i + 1) | a64_rn(7) |
						a64_rd(OPERAND));
		}
		trial_load(code, OPERAND, 7, 2 * i);
	}
	trial_end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 10;
	out->first = 20;
	out->second = 80;
	return true;
}

bool trial_add_branches(struct calibrate_program *program, const struct trial *trial,
			struct trial_code *out)
{
	struct code *code = &program->code;
	size_t state = trial_begin_state(program, 1), loop;
	size_t bits = trial_take(&program->memory, BIT_WORDS * sizeof(uint64_t));

	if (state == SIZE_MAX || bits == SIZE_MAX)
		return false;
	trial_put(&program->memory, state, program->memory.address + bits);
	for (uint32_t i = 0; i < BIT_WORDS; i++)
		trial_put(&program->memory, bits + i * sizeof(uint64_t),
			  trial->size == BRANCHES_RANDOM  ? trial_random(program)
			  : trial->size == BRANCHES_TAKEN ? 0
							  : UINT64_MAX);
	loop = trial_begin_loop(code);
	trial_load(code, OPERAND, POINTER, 0);
	code_add(code, POINTER, POINTER, sizeof(uint64_t));
	for (unsigned i = 0; i < 64; i++) {
		/* Taken if the bit is 0. */
		code_branch_bit(code, OPERAND, i, 2);
		code_word(code, A64_NOP);
	}
	trial_end_loop(code, loop);
	trial_end_state(code, 1);
	code_word(code, A64_RET);
	out->warm = 50;
	out->first = 50;
	out->second = 250;
	return true;
}

/* Functions that call the next one; the last only returns. */
bool trial_add_calls(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out)
{
	struct code *code = &program->code;
	size_t stack = trial_take(&program->memory, 16 * ((size_t)trial->size + 2)), next = 0, loop;

	if (stack == SIZE_MAX)
		return false;
	for (uint32_t depth = 0; depth < trial->size; depth++) {
		size_t entry = code->count;

		if (depth) {
			trial_store(code, LINK, 9, 2 * depth);
			code_call(code, next);
			trial_load(code, LINK, 9, 2 * depth);
		}
		code_word(code, A64_RET);
		next = entry;
	}
	out->entry = code->count;
	code_move(code, 9, program->memory.address + stack);
	code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(LINK) | a64_rd(10));
	loop = trial_begin_loop(code);
	code_call(code, next);
	trial_end_loop(code, loop);
	code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(10) | a64_rd(LINK));
	code_word(code, A64_RET);
	out->warm = 200;
	out->first = 50;
	out->second = 150;
	return true;
}

bool trial_add_jumps(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out)
{
	struct code *code = &program->code;
	uint32_t many = 4096 / (trial->size + 1) + 4;
	size_t loop = trial_begin_loop(code);

	for (uint32_t i = 0; i < trial->size; i++) {
		const size_t to = code->count + trial->stride / sizeof(*code->words);

		if (trial->word)
			code_word(code, trial->word);
		code_branch(code, to);
		while (!code->failed && code->count < to)
			code_word(code, A64_NOP);
	}
	/* A conditional branch would not reach as far. */
	code_subtract_flags(code, COUNT, COUNT, 1);
	code_word(code, 0x54000040u); /* b.eq: past the next one */
	code_branch(code, loop);
	code_word(code, A64_RET);
	out->warm = 2 * many;
	out->first = many;
	out->second = 3 * many;
	return true;
}

bool trial_add_straight(struct calibrate_program *program, const struct trial *trial,
			struct trial_code *out)
{
	struct code *code = &program->code;
	size_t loop = trial_begin_loop(code);

	for (uint32_t i = 0; i + 4 < trial->size / 4; i++)
		code_word(code, A64_NOP);
	trial_end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 4;
	out->first = 6;
	out->second = 22;
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNROLLED   64u
#define RING_SLOTS (PROGRAM_LINE / sizeof(uint64_t))
#define WAY_STRIDE 65536u /* at least the size of a way of L1D; lines of one set */
#define MISS_LINES 512u   /* loads of KERNEL_MISSES in an iteration: as far as an offset reaches */
#define PEER_LINES ((size_t)1024)
#define BIT_WORDS  4096u
/* A buffer's sets take as many jumps each if these begin at a multiple of its size. */
#define JUMPS_ALIGNED 32768u
#define WINDOW_CALL   40u /* iterations of the longer call */

/* Registers: x0 counts iterations, x1 and x2 point, x3 to x6 and v0 to v3 hold operands. */
enum { COUNT = 0, POINTER = 1, OTHER = 2, OPERAND = 3, RESULT = 8, RESULTS = 6 };

static uint64_t next_random(struct calibrate_program *program)
{
	/* Marsaglia's xorshift64*. */
	program->random ^= program->random >> 12;
	program->random ^= program->random << 25;
	program->random ^= program->random >> 27;
	return program->random * 0x2545f4914f6cdd1dull;
}

/* ---- memory ------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes)
{
	return (bytes + PROGRAM_PAGE - 1) / PROGRAM_PAGE * PROGRAM_PAGE;
}

/* Returns the offset of whole pages of the memory; SIZE_MAX: there is not so much. */
static size_t take(struct program_memory *memory, size_t bytes)
{
	size_t at = memory->used;

	bytes = round_up(bytes);
	if (bytes > memory->size - memory->used)
		return SIZE_MAX;
	memory->used += bytes;
	return at;
}

static void put(const struct program_memory *memory, size_t at, uint64_t value)
{
	memcpy(memory->bytes + at, &value, sizeof(value));
}

/*
 * Returns where a ring of `bytes` begins: rings share memory, each with a word of its own in every
 * line, because trials run one after the other.
 */
static size_t take_ring(struct program_memory *memory, size_t bytes)
{
	bytes = round_up(bytes);
	if (memory->ring_slot == 0 || bytes > memory->ring_bytes) {
		memory->ring = take(memory, bytes);
		memory->ring_bytes = bytes;
		memory->ring_slot = 0;
	}
	if (memory->ring == SIZE_MAX)
		return SIZE_MAX;
	bytes = memory->ring + memory->ring_slot * sizeof(uint64_t);
	memory->ring_slot = (memory->ring_slot + 1) % RING_SLOTS;
	return bytes;
}

static void shuffle(struct calibrate_program *program, uint32_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = next_random(program) % i;
		uint32_t item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

/* Links the lines at `offsets` from `at` in their order, the last to the first. */
static void link_ring(const struct program_memory *memory, size_t at, const uint32_t *offsets,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(memory, at + offsets[i],
		    memory->address + at + offsets[i + 1 < count ? i + 1 : 0]);
}

/* Orders all lines of `bytes`, page by page, and those of a page at random. */
static bool link_lines(struct calibrate_program *program, size_t at, size_t bytes)
{
	const size_t lines = bytes / PROGRAM_LINE, in_page = PROGRAM_PAGE / PROGRAM_LINE;
	uint32_t *offsets = malloc((lines + 1) * sizeof(*offsets));

	if (!offsets)
		return false;
	for (size_t i = 0; i < lines; i++)
		offsets[i] = (uint32_t)(i * PROGRAM_LINE);
	for (size_t i = 0; i < lines; i += in_page)
		shuffle(program, offsets + i, lines - i < in_page ? lines - i : in_page);
	link_ring(&program->memory, at, offsets, lines);
	free(offsets);
	return true;
}

/*
 * Orders `count` lines, each `stride` bytes and some lines from the last, at random. Lines of pages
 * 64 KiB apart differ in their place, so that they take all sets of a cache.
 */
static bool link_scattered(struct calibrate_program *program, size_t at, size_t count,
			   size_t stride, size_t lines)
{
	uint32_t *offsets = malloc((count + 1) * sizeof(*offsets));

	if (!offsets)
		return false;
	for (size_t i = 0; i < count; i++)
		offsets[i] = (uint32_t)(i * stride + (i + i / 16) % lines * PROGRAM_LINE);
	shuffle(program, offsets, count);
	link_ring(&program->memory, at, offsets, count);
	free(offsets);
	return true;
}

/* ---- code --------------------------------------------------------------------------------- */

static void load(struct code *code, unsigned rd, unsigned rn, unsigned units)
{
	code_word(code, A64_LOAD | a64_offset(units) | a64_rn(rn) | a64_rd(rd));
}

static void store(struct code *code, unsigned rd, unsigned rn, unsigned units)
{
	code_word(code, A64_STORE | a64_offset(units) | a64_rn(rn) | a64_rd(rd));
}

/* Where a function's state is kept between its calls: some words of a page. */
static size_t begin_state(struct calibrate_program *program, unsigned registers)
{
	size_t at = take(&program->memory, PROGRAM_PAGE);

	if (at == SIZE_MAX)
		return at;
	code_move(&program->code, 7, program->memory.address + at);
	for (unsigned i = 0; i < registers; i++)
		load(&program->code, POINTER + i, 7, i);
	return at;
}

static void end_state(struct code *code, unsigned registers)
{
	for (unsigned i = 0; i < registers; i++)
		store(code, POINTER + i, 7, i);
}

/* Operands that are neither zero nor special, in general and vector registers. */
static void set_operands(struct code *code)
{
	/* Quotients stay as long as they can be. */
	code_move(code, OPERAND, 0xfedcba9876543211u);
	code_move(code, OPERAND + 1, 1);
	for (unsigned i = 0; i < 4; i++)
		code_word(code, 0x1e6e1000u | i); /* fmov di, #1.0 */
}

static size_t begin_loop(struct code *code)
{
	code_align(code, PROGRAM_LINE, A64_NOP);
	return code->count;
}

static void end_loop(struct code *code, size_t loop)
{
	code_subtract_flags(code, COUNT, COUNT, 1);
	code_branch_not_zero(code, loop);
}

static bool add_chain(struct calibrate_program *program, const struct trial *trial,
		      struct trial_code *out)
{
	struct code *code = &program->code;
	const unsigned chained = trial->vector ? 0 : OPERAND;
	size_t loop;

	if (trial->word == A64_LOAD) {
		size_t at = begin_state(program, 0);

		if (at == SIZE_MAX)
			return false;
		put(&program->memory, at, program->memory.address + at);
		code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(7) | a64_rd(chained));
	} else {
		set_operands(code);
	}
	loop = begin_loop(code);
	for (unsigned i = 0; i < UNROLLED; i++)
		code_word(code,
			  trial->word | a64_rn(chained) |
				  a64_rd(trial->kernel == KERNEL_CHAIN ? chained
								       : RESULT + i % RESULTS));
	end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 20;
	out->first = 20;
	out->second = 60;
	return true;
}

/* A chain of pointers through memory that each call goes on with. */
static size_t link_far(struct calibrate_program *program, size_t lines, struct trial_code *out)
{
	size_t bytes = round_up(lines * PROGRAM_LINE), at = take(&program->memory, bytes);

	if (at == SIZE_MAX || !link_lines(program, at, bytes))
		return SIZE_MAX;
	if (!out->far)
		out->far = program->memory.address + at;
	out->far_bytes = program->memory.address + at + bytes - out->far;
	return at;
}

static bool add_window(struct calibrate_program *program, const struct trial *trial,
		       struct trial_code *out)
{
	struct code *code = &program->code;
	const size_t lines = 8 + 10 + WINDOW_CALL + 8;
	const bool waits = trial->stride != 0;
	size_t state, first, second, loop;

	set_operands(code);
	state = begin_state(program, 2);
	first = link_far(program, lines, out);
	second = link_far(program, lines, out);
	if (state == SIZE_MAX || first == SIZE_MAX || second == SIZE_MAX)
		return false;
	put(&program->memory, state, program->memory.address + first);
	put(&program->memory, state + 8, program->memory.address + second);
	loop = begin_loop(code);
	for (unsigned half = 0; half < 2; half++) {
		unsigned chased = half ? OTHER : POINTER;

		/* Fillers may wait for the miss by v0 or by the pointer. */
		if (trial->vector)
			code_word(code, A64_LOAD_D | a64_offset(1) | a64_rn(chased) | a64_rd(0));
		load(code, chased, chased, 0);
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
	end_loop(code, loop);
	end_state(code, 2);
	code_word(code, A64_RET);
	out->warm = 4;
	out->first = 10;
	out->second = WINDOW_CALL;
	return true;
}

static bool add_forward(struct calibrate_program *program, const struct trial *trial,
			struct trial_code *out)
{
	struct code *code = &program->code;
	size_t state = begin_state(program, 0), loop;

	if (state == SIZE_MAX)
		return false;
	code_move(code, OPERAND, 0);
	loop = begin_loop(code);
	for (unsigned i = 0; i < 16; i++) {
		if (trial->kernel == KERNEL_FORWARD) {
			store(code, OPERAND, 7, 2 * i);
		} else {
			code_word(code, A64_STORE_W | a64_offset(4 * i + 1) | a64_rn(7) |
						a64_rd(OPERAND));
		}
		load(code, OPERAND, 7, 2 * i);
	}
	end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 10;
	out->first = 20;
	out->second = 80;
	return true;
}

static void add_chase_code(struct calibrate_program *program, size_t lines, struct trial_code *out)
{
	struct code *code = &program->code;
	uint32_t round = (uint32_t)((lines + UNROLLED - 1) / UNROLLED);
	size_t loop = begin_loop(code);

	for (unsigned i = 0; i < UNROLLED; i++)
		load(code, POINTER, POINTER, 0);
	end_loop(code, loop);
	end_state(code, 1);
	code_word(code, A64_RET);
	/* Two rounds settle what the replacement keeps; a part of a large ring speaks for it. */
	out->warm = round > 2048 ? round : 2 * round + 4;
	out->first = round > 512 ? 16 : round < 4 ? 4 : round;
	out->second = out->first + (round > 2048 ? round / 4 : round < 16 ? 16 * round : round);
}

static bool add_ring(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out)
{
	size_t state = begin_state(program, 1), lines = trial->size, ring;
	bool linked = false;

	if (trial->kernel == KERNEL_CHASE) {
		lines = trial->size / PROGRAM_LINE;
		ring = take_ring(&program->memory, trial->size);
		linked = ring != SIZE_MAX && link_lines(program, ring, trial->size);
	} else if (trial->kernel == KERNEL_WAYS) {
		ring = take_ring(&program->memory, lines * WAY_STRIDE);
		linked = ring != SIZE_MAX && link_scattered(program, ring, lines, WAY_STRIDE, 1);
	} else {
		ring = take_ring(&program->memory, lines * PROGRAM_PAGE);
		linked = ring != SIZE_MAX &&
			 link_scattered(program, ring, lines, PROGRAM_PAGE, trial->stride);
	}
	if (state == SIZE_MAX || !linked)
		return false;
	put(&program->memory, state, program->memory.address + ring);
	add_chase_code(program, lines, out);
	return true;
}

static bool add_far(struct calibrate_program *program, struct trial_code *out)
{
	const size_t lines = 4096;
	size_t state = begin_state(program, 1), at = link_far(program, lines, out);

	if (state == SIZE_MAX || at == SIZE_MAX)
		return false;
	put(&program->memory, state, program->memory.address + at);
	add_chase_code(program, lines, out);
	out->warm = 2;
	out->first = 10;
	out->second = 40;
	return true;
}

static bool add_peer(struct calibrate_program *program, struct trial_code *out)
{
	const size_t bytes = PEER_LINES * PROGRAM_LINE;
	size_t state = begin_state(program, 1), at = take(&program->memory, bytes);

	if (state == SIZE_MAX || at == SIZE_MAX || !link_lines(program, at, bytes))
		return false;
	put(&program->memory, state, program->memory.address + at);
	out->peer = program->memory.address + at;
	out->peer_bytes = bytes;
	add_chase_code(program, PEER_LINES, out);
	/* Less than a round: each line is read once after it was written. */
	out->warm = 1;
	out->first = 4;
	out->second = 12;
	return true;
}

static bool add_misses(struct calibrate_program *program, struct trial_code *out)
{
	struct code *code = &program->code;
	const size_t area = (size_t)MISS_LINES * PROGRAM_LINE, areas = 16;
	size_t state = begin_state(program, 1), at = take(&program->memory, area * areas), loop;
	uint32_t order[MISS_LINES];

	if (state == SIZE_MAX || at == SIZE_MAX)
		return false;
	out->far = program->memory.address + at;
	out->far_bytes = area * areas;
	put(&program->memory, state, program->memory.address + at);
	for (uint32_t i = 0; i < MISS_LINES; i++)
		order[i] = i;
	/* Page by page, as in link_lines(). */
	for (uint32_t i = 0; i < MISS_LINES; i += PROGRAM_PAGE / PROGRAM_LINE)
		shuffle(program, order + i, PROGRAM_PAGE / PROGRAM_LINE);
	loop = begin_loop(code);
	for (uint32_t i = 0; i < MISS_LINES; i++)
		load(code, RESULT + i % RESULTS, POINTER, order[i] * 8);
	for (size_t i = 0; i < area / 2048; i++)
		code_add(code, POINTER, POINTER, 2048);
	end_loop(code, loop);
	end_state(code, 1);
	code_word(code, A64_RET);
	out->warm = 1;
	out->first = 2;
	out->second = 6;
	return true;
}

static bool add_branches(struct calibrate_program *program, const struct trial *trial,
			 struct trial_code *out)
{
	struct code *code = &program->code;
	size_t state = begin_state(program, 1), loop;
	size_t bits = take(&program->memory, BIT_WORDS * sizeof(uint64_t));

	if (state == SIZE_MAX || bits == SIZE_MAX)
		return false;
	put(&program->memory, state, program->memory.address + bits);
	for (uint32_t i = 0; i < BIT_WORDS; i++)
		put(&program->memory, bits + i * sizeof(uint64_t),
		    trial->size ? next_random(program) : UINT64_MAX);
	loop = begin_loop(code);
	load(code, OPERAND, POINTER, 0);
	code_add(code, POINTER, POINTER, sizeof(uint64_t));
	for (unsigned i = 0; i < 64; i++) {
		code_branch_bit(code, OPERAND, i, 2);
		code_word(code, A64_NOP);
	}
	end_loop(code, loop);
	end_state(code, 1);
	code_word(code, A64_RET);
	out->warm = 50;
	out->first = 50;
	out->second = 250;
	return true;
}

/* Functions that call the next one; the last only returns. */
static bool add_calls(struct calibrate_program *program, const struct trial *trial,
		      struct trial_code *out)
{
	struct code *code = &program->code;
	size_t stack = take(&program->memory, 16 * ((size_t)trial->size + 2)), next = 0, loop;

	if (stack == SIZE_MAX)
		return false;
	for (uint32_t depth = 0; depth < trial->size; depth++) {
		size_t entry = code->count;

		if (depth) {
			store(code, LINK, 9, 2 * depth);
			code_call(code, next);
			load(code, LINK, 9, 2 * depth);
		}
		code_word(code, A64_RET);
		next = entry;
	}
	out->entry = code->count;
	code_move(code, 9, program->memory.address + stack);
	code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(LINK) | a64_rd(10));
	loop = begin_loop(code);
	code_call(code, next);
	end_loop(code, loop);
	code_word(code, A64_ADD | a64_rm(ZERO) | a64_rn(10) | a64_rd(LINK));
	code_word(code, A64_RET);
	out->warm = 200;
	out->first = 50;
	out->second = 150;
	return true;
}

static bool add_jumps(struct calibrate_program *program, const struct trial *trial,
		      struct trial_code *out)
{
	struct code *code = &program->code;
	uint32_t many = 4096 / (trial->size + 1) + 4;
	size_t loop = begin_loop(code);

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

static void add_straight(struct code *code, const struct trial *trial, struct trial_code *out)
{
	size_t loop = begin_loop(code);

	for (uint32_t i = 0; i + 4 < trial->size / 4; i++)
		code_word(code, A64_NOP);
	end_loop(code, loop);
	code_word(code, A64_RET);
	out->warm = 4;
	out->first = 6;
	out->second = 22;
}

bool program_add(struct calibrate_program *program, const struct trial *trial,
		 struct trial_code *out)
{
	bool added = false;

	code_align(&program->code, trial->kernel == KERNEL_JUMPS ? JUMPS_ALIGNED : PROGRAM_LINE,
		   A64_NOP);
	*out = (struct trial_code){.entry = program->code.count};
	switch (trial->kernel) {
	case KERNEL_CHAIN:
	case KERNEL_STREAM:
		added = add_chain(program, trial, out);
		break;
	case KERNEL_WINDOW:
		added = add_window(program, trial, out);
		break;
	case KERNEL_FORWARD:
	case KERNEL_HALVES:
		added = add_forward(program, trial, out);
		break;
	case KERNEL_CHASE:
	case KERNEL_WAYS:
	case KERNEL_PAGES:
		added = add_ring(program, trial, out);
		break;
	case KERNEL_FAR:
		added = add_far(program, out);
		break;
	case KERNEL_PEER:
		added = add_peer(program, out);
		break;
	case KERNEL_MISSES:
		added = add_misses(program, out);
		break;
	case KERNEL_BRANCHES:
		added = add_branches(program, trial, out);
		break;
	case KERNEL_CALLS:
		added = add_calls(program, trial, out);
		break;
	case KERNEL_STRAIGHT:
		add_straight(&program->code, trial, out);
		added = true;
		break;
	case KERNEL_JUMPS:
		added = add_jumps(program, trial, out);
		break;
	}
	return added && !program->code.failed;
}

/* Bytes of a ring; 0: the trial has none. */
static size_t ring_bytes(const struct trial *trial)
{
	switch (trial->kernel) {
	case KERNEL_CHASE:
		return round_up(trial->size);
	case KERNEL_WAYS:
		return (size_t)trial->size * WAY_STRIDE;
	case KERNEL_PAGES:
		return (size_t)trial->size * PROGRAM_PAGE;
	default:
		return 0;
	}
}

size_t program_memory_needed(const struct trial *trials, size_t count)
{
	size_t bytes = 0;

	/* Rings share memory, but not in every order of sizes. */
	for (size_t i = 0; i < count; i++)
		bytes += ring_bytes(&trials[i]) + (512u << 10) +
			 (trials[i].kernel == KERNEL_MISSES ? 1u << 20 : 0);
	return bytes;
}

/* ---- results ------------------------------------------------------------------------------ */

/* How many instructions, loads or branches under test an iteration has. */
static double iteration_size(const struct trial *trial)
{
	switch (trial->kernel) {
	case KERNEL_CHAIN:
	case KERNEL_STREAM:
	case KERNEL_CHASE:
	case KERNEL_WAYS:
	case KERNEL_PAGES:
	case KERNEL_FAR:
	case KERNEL_PEER:
		return UNROLLED;
	case KERNEL_FORWARD:
	case KERNEL_HALVES:
		return 16;
	case KERNEL_MISSES:
		return MISS_LINES;
	case KERNEL_BRANCHES:
		return 64;
	case KERNEL_STRAIGHT:
		return (double)trial->size / PROGRAM_LINE;
	case KERNEL_CALLS:
	case KERNEL_JUMPS:
		return trial->size;
	default:
		return 1;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void trial_set_result(struct trial *trial, const struct trial_code *code, double scale,
		      const uint64_t *first, const uint64_t *second, size_t repeats)
{
	const double items = (code->second - code->first) * iteration_size(trial);
	double *each = malloc((repeats + 1) * sizeof(*each));
	size_t margin;

	trial->cycles = trial->low = trial->high = NAN;
	if (!each || !repeats) {
		free(each);
		return;
	}
	for (size_t i = 0; i < repeats; i++)
		each[i] = scale * ((double)second[i] - (double)first[i]) / items;
	qsort(each, repeats, sizeof(*each), compare);
	trial->cycles =
		repeats % 2 ? each[repeats / 2] : (each[repeats / 2 - 1] + each[repeats / 2]) / 2;
	/* The ranks between which the median lies in 95 of 100 cases, by the normal approximation.
	 */
	margin = (size_t)ceil(0.98 * sqrt((double)repeats));
	trial->low = each[repeats / 2 > margin ? repeats / 2 - margin : 0];
	trial->high = each[repeats / 2 + margin < repeats ? repeats / 2 + margin : repeats - 1];
	free(each);
}

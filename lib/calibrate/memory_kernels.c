/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of caches, TLBs and memory, and the memory that all of them work on. */
#include "calibrate/kernels.h"

#include <stdlib.h>
#include <string.h>

#define RING_SLOTS    (PROGRAM_LINE / sizeof(uint64_t))
#define LINES_IN_PAGE (PROGRAM_PAGE / PROGRAM_LINE)
#define PEER_LINES    ((size_t)1024)

uint64_t trial_random(struct calibrate_program *program)
{
	/* Marsaglia's xorshift64*. */
	program->random ^= program->random >> 12;
	program->random ^= program->random << 25;
	program->random ^= program->random >> 27;
	return program->random * 0x2545f4914f6cdd1dull;
}

/* ---- memory ------------------------------------------------------------------------------- */

size_t trial_pages(size_t bytes)
{
	return (bytes + PROGRAM_PAGE - 1) / PROGRAM_PAGE * PROGRAM_PAGE;
}

/* Returns the offset of whole pages of the memory; SIZE_MAX: there is not so much. */
size_t trial_take(struct program_memory *memory, size_t bytes)
{
	size_t at = memory->used;

	bytes = trial_pages(bytes);
	if (bytes > memory->size - memory->used)
		return SIZE_MAX;
	memory->used += bytes;
	return at;
}

void trial_put(const struct program_memory *memory, size_t at, uint64_t value)
{
	memcpy(memory->bytes + at, &value, sizeof(value));
}

/*
 * Returns where a ring of `bytes` begins: rings share memory, each with a word of its own
 * in every line, because trials run one after the other.
 */
static size_t take_ring(struct program_memory *memory, size_t bytes)
{
	bytes = trial_pages(bytes);
	if (memory->ring_slot == 0 || bytes > memory->ring_bytes) {
		memory->ring = trial_take(memory, bytes);
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
		size_t j = trial_random(program) % i;
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
		trial_put(memory, at + offsets[i],
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
 * Orders `count` lines, each `stride` bytes and some lines from the last, at random. Lines
 * of pages 64 KiB apart differ in their place, so that they take all sets of a cache.
 */
static bool link_scattered(struct calibrate_program *program, size_t at, size_t count,
			   size_t stride, size_t lines)
{
	uint32_t *offsets = malloc((count + 1) * sizeof(*offsets));

	if (!offsets)
		return false;
	for (size_t i = 0; i < count; i++) {
		/* 256 of them take as many sets of L1D where a page has all lines. */
		const size_t line = lines == LINES_IN_PAGE ? i / 4 + i / 256 : i + i / 16;

		offsets[i] = (uint32_t)(i * stride + line % lines * PROGRAM_LINE);
	}
	shuffle(program, offsets, count);
	link_ring(&program->memory, at, offsets, count);
	free(offsets);
	return true;
}
/* ---- code
 * --------------------------------------------------------------------------------- */

void trial_load(struct code *code, unsigned rd, unsigned rn, unsigned units)
{
	code_word(code, A64_LOAD | a64_offset(units) | a64_rn(rn) | a64_rd(rd));
}

void trial_store(struct code *code, unsigned rd, unsigned rn, unsigned units)
{
	code_word(code, A64_STORE | a64_offset(units) | a64_rn(rn) | a64_rd(rd));
}

/* Where a function's state is kept between its calls: some words of a page. */
size_t trial_begin_state(struct calibrate_program *program, unsigned registers)
{
	size_t at = trial_take(&program->memory, PROGRAM_PAGE);

	if (at == SIZE_MAX)
		return at;
	code_move(&program->code, 7, program->memory.address + at);
	for (unsigned i = 0; i < registers; i++)
		trial_load(&program->code, POINTER + i, 7, i);
	return at;
}

void trial_end_state(struct code *code, unsigned registers)
{
	for (unsigned i = 0; i < registers; i++)
		trial_store(code, POINTER + i, 7, i);
}

size_t trial_begin_loop(struct code *code)
{
	code_align(code, PROGRAM_LINE, A64_NOP);
	return code->count;
}

void trial_end_loop(struct code *code, size_t loop)
{
	code_subtract_flags(code, COUNT, COUNT, 1);
	code_branch_not_zero(code, loop);
}

/* A chain of pointers through memory that each call goes on with. */
size_t trial_link_far(struct calibrate_program *program, size_t lines, struct trial_code *out)
{
	size_t bytes = trial_pages(lines * PROGRAM_LINE), at = trial_take(&program->memory, bytes);

	if (at == SIZE_MAX || !link_lines(program, at, bytes))
		return SIZE_MAX;
	if (!out->far)
		out->far = program->memory.address + at;
	out->far_bytes = program->memory.address + at + bytes - out->far;
	return at;
}

static void add_chase_code(struct calibrate_program *program, size_t lines, struct trial_code *out)
{
	struct code *code = &program->code;
	uint32_t round = (uint32_t)((lines + KERNEL_UNROLLED - 1) / KERNEL_UNROLLED);
	size_t loop = trial_begin_loop(code);

	for (unsigned i = 0; i < KERNEL_UNROLLED; i++)
		trial_load(code, POINTER, POINTER, 0);
	trial_end_loop(code, loop);
	trial_end_state(code, 1);
	code_word(code, A64_RET);
	/* Two rounds settle what the replacement keeps; a part of a large ring speaks for
	 * it. */
	out->warm = round > 2048 ? round : 2 * round + 4;
	out->first = round > 512 ? 16 : round < 4 ? 4 : round;
	out->second = out->first + (round > 2048 ? round / 4 : round < 16 ? 16 * round : round);
}

bool trial_add_ring(struct calibrate_program *program, const struct trial *trial,
		    struct trial_code *out)
{
	size_t state = trial_begin_state(program, 1), lines = trial->size, ring;
	bool linked = false;

	if (trial->kernel == KERNEL_CHASE) {
		lines = trial->size / PROGRAM_LINE;
		ring = take_ring(&program->memory, trial->size);
		linked = ring != SIZE_MAX && link_lines(program, ring, trial->size);
	} else if (trial->kernel == KERNEL_WAYS) {
		ring = take_ring(&program->memory, lines * KERNEL_WAY_STRIDE);
		linked = ring != SIZE_MAX &&
			 link_scattered(program, ring, lines, KERNEL_WAY_STRIDE, 1);
	} else {
		ring = take_ring(&program->memory, lines * PROGRAM_PAGE);
		linked = ring != SIZE_MAX &&
			 link_scattered(program, ring, lines, PROGRAM_PAGE, trial->stride);
	}
	if (state == SIZE_MAX || !linked)
		return false;
	trial_put(&program->memory, state, program->memory.address + ring);
	add_chase_code(program, lines, out);
	return true;
}

bool trial_add_far(struct calibrate_program *program, struct trial_code *out)
{
	const size_t lines = 4096;
	size_t state = trial_begin_state(program, 1), at = trial_link_far(program, lines, out);

	if (state == SIZE_MAX || at == SIZE_MAX)
		return false;
	trial_put(&program->memory, state, program->memory.address + at);
	add_chase_code(program, lines, out);
	out->warm = 2;
	out->first = 10;
	out->second = 40;
	return true;
}

bool trial_add_peer(struct calibrate_program *program, struct trial_code *out)
{
	const size_t bytes = PEER_LINES * PROGRAM_LINE;
	size_t state = trial_begin_state(program, 1), at = trial_take(&program->memory, bytes);

	if (state == SIZE_MAX || at == SIZE_MAX || !link_lines(program, at, bytes))
		return false;
	trial_put(&program->memory, state, program->memory.address + at);
	out->peer = program->memory.address + at;
	out->peer_bytes = bytes;
	add_chase_code(program, PEER_LINES, out);
	/* Less than a round: each line is read once after it was written. */
	out->warm = 1;
	out->first = 4;
	out->second = 12;
	return true;
}

bool trial_add_misses(struct calibrate_program *program, struct trial_code *out)
{
	struct code *code = &program->code;
	const size_t area = (size_t)KERNEL_MISS_LINES * PROGRAM_LINE, areas = 16;
	size_t state = trial_begin_state(program, 1),
	       at = trial_take(&program->memory, area * areas), loop;
	uint32_t order[KERNEL_MISS_LINES];

	if (state == SIZE_MAX || at == SIZE_MAX)
		return false;
	out->far = program->memory.address + at;
	out->far_bytes = area * areas;
	trial_put(&program->memory, state, program->memory.address + at);
	for (uint32_t i = 0; i < KERNEL_MISS_LINES; i++)
		order[i] = i;
	/* Page by page, as in link_lines(). */
	for (uint32_t i = 0; i < KERNEL_MISS_LINES; i += PROGRAM_PAGE / PROGRAM_LINE)
		shuffle(program, order + i, PROGRAM_PAGE / PROGRAM_LINE);
	loop = trial_begin_loop(code);
	for (uint32_t i = 0; i < KERNEL_MISS_LINES; i++)
		trial_load(code, RESULT + i % RESULTS, POINTER, order[i] * 8);
	for (size_t i = 0; i < area / 2048; i++)
		code_add(code, POINTER, POINTER, 2048);
	trial_end_loop(code, loop);
	trial_end_state(code, 1);
	code_word(code, A64_RET);
	out->warm = 1;
	out->first = 2;
	out->second = 6;
	return true;
}

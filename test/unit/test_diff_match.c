/* SPDX-License-Identifier: Apache-2.0 */
/* Functions recognized by their instructions. */
#include "check.h"

#include <math.h>

#include "diff/match.h"

#define B(distance)    (0x14000000u | ((uint32_t)(distance)&0x3ffffff))
#define BL(distance)   (0x94000000u | ((uint32_t)(distance)&0x3ffffff))
#define CBZ(distance)  (0x34000000u | ((uint32_t)(distance)&0x7ffff) << 5)
#define ADRP(rd, page) (0x90000000u | ((uint32_t)(page)&0x7ffff) << 5 | (rd))
#define ADD(rd, rn, n) (0x91000000u | (uint32_t)(n) << 10 | (rn) << 5 | (rd))
#define LDR(rt, rn, n) (0xf9400000u | (uint32_t)(n) << 10 | (rn) << 5 | (rt))
#define MUL(rd, rn)    (0x9b007c00u | (rn) << 16 | (rn) << 5 | (rd))
#define EOR(rd, rn)    (0xca000000u | (rn) << 16 | (rn) << 5 | (rd))
#define RET            0xd65f03c0u

static uint32_t masked(const uint32_t *words, size_t count, size_t i)
{
	struct diff_function function = {.words = (uint32_t *)(uintptr_t)words, .count = count};
	uint32_t pages = 0, word = 0;

	for (size_t k = 0; k <= i; k++)
		word = diff_masked_word(&function, k, &pages);
	return word;
}

static void masks_what_the_linker_fills_in(void **state)
{
	const uint32_t a[] = {ADRP(0, 5), ADD(0, 0, 0x120), LDR(1, 0, 3), BL(1000), B(-1), CBZ(9)};
	const uint32_t b[] = {ADRP(0, 9), ADD(0, 0, 0x7f8), LDR(1, 0, 3), BL(-77), B(-1), CBZ(5)};

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(masked(a, 6, i), masked(b, 6, i));
	/* It keeps branches within the function, and offsets into structures. */
	assert_int_equal(masked(a, 6, 4), B(-1));
	assert_int_equal(masked(a, 6, 2), LDR(1, 0, 3));
	/* The load that completes the address of a page. */
	assert_int_equal(masked((const uint32_t[]){ADRP(2, 1), LDR(1, 2, 9)}, 2, 1), LDR(1, 2, 0));
	assert_int_equal(masked((const uint32_t[]){LDR(1, 2, 9)}, 1, 0), LDR(1, 2, 9));
}

static void add(struct diff_side *side, const char *name, const uint32_t *words, size_t count)
{
	struct diff_function *function = diff_side_add_function(side, name);

	assert_non_null(function);
	function->count = count;
	function->words = malloc(count * sizeof(*words));
	memcpy(function->words, words, count * sizeof(*words));
}

static const uint32_t alpha[] = {ADRP(0, 5), ADD(0, 0, 16), LDR(1, 0, 1), MUL(2, 1),
				 EOR(2, 2),  LDR(3, 0, 2),  MUL(3, 3),    ADD(2, 2, 8),
				 BL(500),    CBZ(-6),       RET};
static const uint32_t beta[] = {EOR(1, 0), EOR(2, 1),    ADD(3, 2, 1), ADD(4, 3, 2), ADD(5, 4, 3),
				EOR(0, 5), ADD(6, 0, 7), ADD(7, 6, 1), EOR(8, 7),    RET};

/* The sides begin with the function `both`. */
static void make_sides(struct diff_side *sides[2], const uint32_t *before, size_t before_count,
		       const uint32_t *after, size_t after_count)
{
	for (int s = 0; s < 2; s++) {
		sides[s] = diff_side_new(s ? "after" : "before");
		add(sides[s], "both", s ? after : before, s ? after_count : before_count);
	}
}

static void finish(struct diff_side *sides[2], struct diff_pair **pairs, size_t *count)
{
	for (int s = 0; s < 2; s++)
		assert_int_equal(diff_side_finish(sides[s]), 0);
	assert_int_equal(diff_match(sides[0], sides[1], pairs, count), 0);
}

static void free_sides(struct diff_side *sides[2], struct diff_pair *pairs)
{
	diff_side_free(sides[0]);
	diff_side_free(sides[1]);
	free(pairs);
}

static void finds_a_new_name(void **state)
{
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	uint32_t moved[11];
	size_t count;

	(void)state;
	memcpy(moved, alpha, sizeof(alpha));
	moved[0] = ADRP(0, 77);
	moved[1] = ADD(0, 0, 0x400);
	moved[8] = BL(-12345);
	make_sides(sides, beta, 10, beta, 10);
	add(sides[0], "old", alpha, 11);
	add(sides[1], "new", moved, 11);
	finish(sides, &pairs, &count);
	assert_int_equal(count, 1);
	assert_string_equal(pairs[0].before, "old");
	assert_string_equal(pairs[0].after, "new");
	assert_int_equal(pairs[0].how, DIFF_RENAMED);
	assert_true(pairs[0].alike == 1);
	free_sides(sides, pairs);
}

/* Other registers and one more instruction: most sequences are the same. */
static void finds_what_was_edited(void **state)
{
	const uint32_t edited[] = {ADRP(9, 5),   ADD(9, 9, 16), LDR(8, 9, 1), MUL(7, 8),
				   EOR(7, 7),    LDR(6, 9, 2),  MUL(6, 6),    ADD(7, 7, 24),
				   ADD(7, 7, 1), BL(500),       CBZ(-6),      RET};
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	size_t count;

	(void)state;
	make_sides(sides, beta, 10, beta, 10);
	add(sides[0], "old", alpha, 11);
	add(sides[1], "new", edited, 12);
	finish(sides, &pairs, &count);
	assert_int_equal(count, 1);
	assert_int_equal(pairs[0].how, DIFF_RENAMED);
	assert_true(pairs[0].alike > 0.7 && pairs[0].alike < 1);
	free_sides(sides, pairs);
}

/* The container has its own code, and now that of the other in its middle. */
static void finds_what_was_inlined(void **state)
{
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	uint32_t larger[20];
	size_t count;

	(void)state;
	memcpy(larger, beta, 5 * sizeof(*beta));
	memcpy(larger + 5, alpha, 10 * sizeof(*alpha));
	memcpy(larger + 15, beta + 5, 5 * sizeof(*beta));
	make_sides(sides, beta, 10, larger, 20);
	add(sides[0], "inner", alpha, 11);
	finish(sides, &pairs, &count);
	assert_int_equal(count, 1);
	assert_string_equal(pairs[0].before, "inner");
	assert_string_equal(pairs[0].after, "both");
	assert_int_equal(pairs[0].how, DIFF_INLINED_AFTER);
	free_sides(sides, pairs);
	make_sides(sides, larger, 20, beta, 10);
	add(sides[1], "inner", alpha, 11);
	finish(sides, &pairs, &count);
	assert_int_equal(count, 1);
	assert_string_equal(pairs[0].before, "both");
	assert_string_equal(pairs[0].after, "inner");
	assert_int_equal(pairs[0].how, DIFF_INLINED_BEFORE);
	free_sides(sides, pairs);
}

/* Two that are the same: which is which cannot be told. */
static void does_not_guess(void **state)
{
	const uint32_t small[] = {MUL(0, 0), RET};
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	size_t count;

	(void)state;
	make_sides(sides, beta, 10, beta, 10);
	add(sides[0], "old", alpha, 11);
	add(sides[1], "new1", alpha, 11);
	add(sides[1], "new2", alpha, 11);
	add(sides[0], "other", beta, 10);
	add(sides[1], "short", small, 2);
	finish(sides, &pairs, &count);
	assert_int_equal(count, 0);
	free_sides(sides, pairs);
}

/* Replaces the words of all functions by what a baseline has of them. */
static void keep_hashes(struct diff_side *side)
{
	for (size_t i = 0; i < side->function_count; i++) {
		side->functions[i].hash = diff_code_hash(&side->functions[i]);
		free(side->functions[i].words);
		side->functions[i].words = NULL;
	}
}

/* A baseline recognizes equal code, but none that was edited, is short, or occurs twice. */
static void finds_a_new_name_since_a_baseline(void **state)
{
	static const uint32_t moved[] = {ADRP(0, 7), ADD(0, 0, 32), LDR(1, 0, 1), MUL(2, 1),
					 EOR(2, 2),  LDR(3, 0, 2),  MUL(3, 3),    ADD(2, 2, 8),
					 BL(900),    CBZ(-6),       RET};
	static const uint32_t short_one[] = {EOR(1, 0), EOR(2, 1), RET};
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	size_t count;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		make_sides(sides, beta, 10, beta, 9);
		add(sides[0], "alpha", alpha, 11);
		add(sides[0], "short", short_one, 3);
		if (twice)
			add(sides[0], "twin", alpha, 11);
		add(sides[1], "renamed", moved, 11);
		add(sides[1], "short_too", short_one, 3);
		keep_hashes(sides[0]);
		finish(sides, &pairs, &count);
		assert_int_equal(count, twice ? 0 : 1);
		if (count) {
			assert_string_equal(pairs[0].before, "alpha");
			assert_string_equal(pairs[0].after, "renamed");
			assert_int_equal(pairs[0].how, DIFF_RENAMED);
		}
		free_sides(sides, pairs);
	}
	/* The hash is in files: it must stay the same. */
	assert_int_equal(diff_code_hash(&(struct diff_function){
				 .words = (uint32_t *)(uintptr_t)alpha, .count = 11}),
			 UINT64_C(0x2cc2a40b93692ebb));
}

static void set_place(struct diff_side *side, const char *name, unsigned line)
{
	for (size_t i = 0; i < side->function_count; i++)
		if (strcmp(side->functions[i].name, name) == 0) {
			side->functions[i].file = "a.c";
			side->functions[i].line = line;
		}
}

static void add_lines(struct diff_side *side, const char *in, const char *const *lines,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_non_null(diff_side_add(side,
					      &(struct diff_key){DIFF_LINES, lines[i], "slots", in},
					      &(struct interval){1, NAN, NAN}, true));
}

/* Other code at the same place, as far as what is above it moved, with the same lines. */
static void finds_what_was_compiled_differently(void **state)
{
	static const char *const lines[] = {"+1", "+2", "+3", "+7", "+8"};
	struct diff_side *sides[2];
	struct diff_pair *pairs;
	size_t count;

	(void)state;
	for (unsigned moved = 5; moved <= 6; moved++)
		for (size_t common = 1; common <= 4; common += 3) {
			make_sides(sides, beta, 10, beta, 10);
			add(sides[0], "old", alpha, 11);
			add(sides[1], "new", beta, 9);
			set_place(sides[0], "both", 10);
			set_place(sides[1], "both", 15);
			set_place(sides[0], "old", 40);
			set_place(sides[1], "new", 40 + moved);
			diff_side_begin_run(sides[0]);
			diff_side_begin_run(sides[1]);
			add_lines(sides[0], "old", lines, common);
			add_lines(sides[1], "new", lines, 5);
			finish(sides, &pairs, &count);
			assert_int_equal(count, moved == 5 && common == 4);
			if (count) {
				assert_string_equal(pairs[0].before, "old");
				assert_string_equal(pairs[0].after, "new");
				assert_int_equal(pairs[0].how, DIFF_RENAMED);
				assert_true(pairs[0].alike == 0.8);
			}
			free_sides(sides, pairs);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_what_the_linker_fills_in),
		cmocka_unit_test(finds_a_new_name),
		cmocka_unit_test(finds_a_new_name_since_a_baseline),
		cmocka_unit_test(finds_what_was_edited),
		cmocka_unit_test(finds_what_was_inlined),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(finds_what_was_compiled_differently),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

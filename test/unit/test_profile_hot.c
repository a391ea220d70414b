/* SPDX-License-Identifier: Apache-2.0 */
/* The hot rows, after rows were given up; the hot codes, by instruction and by block; and the
 * tables behind them. */
#include "check.h"

#include "profile/profile.h"
#include "profile/profile_hot.h"

#define ROWS 50000

static struct hot_key key_of(uint32_t i)
{
	return (struct hot_key){.address = UINT64_C(64) * i, .code = i % 997 + 1, .origin = 1};
}

/* Returns how many of the rows are found, all of which must have the right number. */
static size_t find_all(const struct hot *hot, const uint32_t *number_of)
{
	size_t found = 0;

	for (uint32_t i = 0; i < ROWS; i++) {
		const struct hot_key key = key_of(i);
		uint32_t row;

		if (!hot_find_row(hot->rows, hot_row_home(hot->rows, &key), &key, &row))
			continue;
		assert_int_equal(row, number_of[i]);
		found++;
	}
	return found;
}

static void kept_rows_are_found_by_their_new_numbers(void **state)
{
	static uint32_t numbers[ROWS];
	struct hot hot = {0};
	size_t before, kept, wanted = 0;

	(void)state;
	assert_true(hot_begin(&hot, false));
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct hot_key key = key_of(i);

		numbers[i] = i;
		hot_reserve_rows(&hot, 1);
		hot_add_row(&hot, &(struct hot_row){key, i + 1}, true);
	}
	before = find_all(&hot, numbers);
	assert_true(before > ROWS / 2);
	/* Every third row is kept. */
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct hot_key key = key_of(i);
		uint32_t row;

		numbers[i] = i % 3 == 0 ? i / 3 : HOT_ROW_GONE;
		wanted += i % 3 == 0 &&
			  hot_find_row(hot.rows, hot_row_home(hot.rows, &key), &key, &row);
	}
	hot_renumber_rows(&hot, numbers, ROWS);
	kept = find_all(&hot, numbers);
	assert_int_equal(kept, wanted);
	/* Numbers that no row had: of entries that are older than all rows. */
	hot_renumber_rows(&hot, numbers, 0);
	assert_int_equal(find_all(&hot, numbers), 0);
	hot_end(&hot);
}

static void an_unused_table_stays_so(void **state)
{
	struct hot hot = {0};

	(void)state;
	hot_renumber_rows(&hot, NULL, 0);
	assert_null(hot.rows);
}

static void rows_of_an_origin_follow_their_numbers(void **state)
{
	const uint32_t numbers[] = {HOT_ROW_GONE, 0, 1};
	struct hot hot = {0};
	uint32_t *rows, *others;

	(void)state;
	rows = hot_rows_of_origin(&hot, 7);
	assert_non_null(rows);
	assert_ptr_equal(hot_rows_of_origin(&hot, 7), rows);
	others = hot_rows_of_origin(&hot, 9);
	assert_ptr_not_equal(others, rows);
	assert_int_equal(rows[0], 0);
	/* Rows 2, 0, one that is older than all rows, and 1. */
	rows[0] = 3;
	rows[1] = 1;
	rows[2] = 4;
	others[1000] = 2;
	hot_renumber_rows(&hot, numbers, 3);
	assert_int_equal(rows[0], 2);
	assert_int_equal(rows[1], 0);
	assert_int_equal(rows[2], 0);
	assert_int_equal(others[1000], 1);
	for (uint32_t origin = 10; origin < 10 + HOT_ORIGINS - 2; origin++)
		assert_non_null(hot_rows_of_origin(&hot, origin));
	assert_null(hot_rows_of_origin(&hot, 100));
	hot_forget_origins(&hot);
	rows = hot_rows_of_origin(&hot, 100);
	assert_non_null(rows);
	assert_int_equal(rows[0], 0);
	hot_end(&hot);
}

/* Code of functions that begin and end anywhere, the n-th with the code n. */
static uint32_t code_at(uint64_t pc, uint64_t *start, uint64_t *end)
{
	static const uint64_t starts[] = {0, 20, 24, 100, 164, 448, 456, 500, 1024};
	uint32_t n = 0;

	while (pc >= starts[n + 1])
		n++;
	*start = starts[n];
	*end = starts[n + 1];
	return n + 1;
}

static void blocks_have_the_codes_of_their_instructions(void **state)
{
	const uint64_t base = UINT64_C(0x8000000000400000);
	struct hot hot = {0};
	size_t looked_up = 0, all = 0;

	(void)state;
	assert_true(hot_begin(&hot, true));
	/* 5 is prime to 256, so this is each instruction once, in no order. */
	for (uint32_t i = 0; i < 256; i++) {
		const uint64_t at = i * 5 % 256 * 4;
		const uint32_t home = hot_home(hot.codes, true, base + at, 7);
		struct hot_code entry = {base + at, 7, 0};
		uint64_t start, end;
		const uint32_t found = hot_find_code(hot.codes, true, home, base + at, 7);

		entry.code = code_at(at, &start, &end);
		all++;
		if (found) {
			assert_int_equal(found, entry.code);
			continue;
		}
		looked_up++;
		if (!hot_add_blocks(&hot, &entry, at - start, end - at, false))
			hot_add_code(&hot, &entry, false);
	}
	assert_true(looked_up < all / 4);
	for (uint64_t at = 0; at < 1024; at += 4) {
		const uint64_t pc = base + at;
		uint64_t start, end;

		assert_int_equal(
			hot_find_code(hot.codes, true, hot_home(hot.codes, true, pc, 7), pc, 7),
			code_at(at, &start, &end));
		/* Nothing is known of another process. */
		assert_int_equal(
			hot_find_code(hot.codes, true, hot_home(hot.codes, true, pc, 8), pc, 8), 0);
	}
	hot_end(&hot);
}

static void blocks_of_no_use_are_not_looked_for(void **state)
{
	struct hot hot = {0};

	(void)state;
	assert_true(hot_begin(&hot, true));
	for (uint32_t i = 0; i < 2000; i++) {
		const struct hot_code entry = {UINT64_C(4) * i, 1, i + 1};

		assert_false(hot_add_blocks(&hot, &entry, 0, 4, false));
		hot_add_code(&hot, &entry, false);
	}
	assert_false(hot.by_block);
	for (uint32_t i = 0; i < 2000; i++) {
		const uint64_t pc = UINT64_C(4) * i;

		/* A thread may not know that yet. */
		assert_int_equal(
			hot_find_code(hot.codes, true, hot_home(hot.codes, true, pc, 1), pc, 1),
			i + 1);
		assert_int_equal(
			hot_find_code(hot.codes, false, hot_home(hot.codes, false, pc, 1), pc, 1),
			i + 1);
	}
	hot_end(&hot);
}

/* What was found in a small table is found in the large one, and not in the small one any more. */
static void a_large_table_has_what_the_small_one_had(void **state)
{
	const struct hot_codes *small;
	const struct hot_rows *small_rows;
	struct hot hot = {0};

	(void)state;
	assert_true(hot_begin(&hot, true));
	small = hot_codes(&hot);
	small_rows = hot_rows(&hot);
	for (uint32_t i = 0; i < 40000; i++) {
		const struct hot_code entry = {UINT64_C(64) * i, 1, i + 1};
		const struct hot_row row = {key_of(i), i + 1};

		hot_reserve_codes(&hot, 1);
		hot_reserve_rows(&hot, 1);
		/* Blocks, and in every fourth line an instruction. */
		if (i % 4)
			assert_true(hot_add_blocks(&hot, &entry, 0, 16, false));
		else
			hot_add_code(&hot, &entry, false);
		hot_add_row(&hot, &row, false);
		if (i == 0)
			assert_ptr_equal(hot_codes(&hot), small);
	}
	assert_ptr_not_equal(hot_codes(&hot), small);
	assert_ptr_not_equal(hot_rows(&hot), small_rows);
	assert_true(hot.by_block);
	for (uint32_t i = 0; i < 40000; i++) {
		const uint64_t pc = UINT64_C(64) * i;
		const struct hot_key key = key_of(i);
		const uint32_t home = hot_home(hot.codes, true, pc, 1);
		uint32_t row;

		assert_int_equal(hot_find_code(hot.codes, true, home, pc, 1), i + 1);
		if (i < 1000) {
			const uint32_t old = hot_home(small, true, pc, 1);

			assert_int_equal(hot_find_code(small, true, old, pc, 1), 0);
			assert_true(
				hot_find_row(hot.rows, hot_row_home(hot.rows, &key), &key, &row));
			assert_int_equal(row, i);
			assert_false(hot_find_row(small_rows, hot_row_home(small_rows, &key), &key,
						  &row));
		}
	}
	hot_end(&hot);
}

/* ---- Tables of rows and codes ---------------------------------------------------------------- */

static void replaced_rows_are_found(void **state)
{
	enum { COUNT = 3000, KEPT = 1000 };
	struct plumb_profile *profile = calloc(1, sizeof(*profile));

	(void)state;
	assert_non_null(profile);
	profile->words = 3;
	profile->options.rows_max = COUNT;
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint64_t values[] = {0, i, 7};
		uint32_t row;

		assert_int_equal(rows_find(profile, values, &row), 0);
		assert_int_equal(row, i);
	}
	/* The first rows get other values, and the rest is gone. */
	for (uint32_t i = 0; i < KEPT; i++)
		profile->values[3 * i + 1] = UINT64_C(1000000) + i;
	rows_replace(profile, KEPT);
	assert_int_equal(profile->row_count, KEPT);
	rows_truncate(profile, KEPT - 1);
	/* Now they have an index again, which grows with new rows. */
	for (uint32_t i = KEPT; i-- > 0;) {
		const uint64_t values[] = {0, UINT64_C(1000000) + i, 7};
		uint32_t row;

		assert_int_equal(rows_find(profile, values, &row), 0);
		assert_int_equal(row, i);
	}
	for (uint32_t i = KEPT; i < COUNT; i++) {
		const uint64_t values[] = {0, i - KEPT, 7};
		uint32_t row;

		assert_int_equal(rows_find(profile, values, &row), 0);
		assert_int_equal(row, i);
	}
	plumb_profile_free(profile);
}

static void codes_stay_when_room_is_made(void **state)
{
	struct code_table codes = {.words = 2};
	uint32_t code;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		const uint64_t values[] = {i, ~i};

		/* Before the first one, and with as little room as there is already. */
		if (i == 0)
			assert_true(codes_reserve(&codes, 10));
		if (i == 100 || i == 101)
			assert_true(codes_reserve(&codes, 4000));
		assert_int_equal(codes_find(&codes, values, &code), 0);
		assert_int_equal(code, i + 1);
	}
	assert_true(codes_reserve(&codes, 1));
	for (uint64_t i = 0; i < 5000; i++) {
		const uint64_t values[] = {i, ~i};

		assert_int_equal(codes_find(&codes, values, &code), 0);
		assert_int_equal(code, i + 1);
	}
	codes_free(&codes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_rows_are_found_by_their_new_numbers),
		cmocka_unit_test(an_unused_table_stays_so),
		cmocka_unit_test(rows_of_an_origin_follow_their_numbers),
		cmocka_unit_test(blocks_have_the_codes_of_their_instructions),
		cmocka_unit_test(blocks_of_no_use_are_not_looked_for),
		cmocka_unit_test(a_large_table_has_what_the_small_one_had),
		cmocka_unit_test(replaced_rows_are_found),
		cmocka_unit_test(codes_stay_when_room_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The hot rows, after rows were given up. */
#include "check.h"

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

		if (!hot_find_row(hot, hot_row_home(&key), &key, &row))
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
	assert_true(hot_begin(&hot));
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct hot_key key = key_of(i);

		numbers[i] = i;
		hot_add_row(&hot, hot_row_home(&key), &(struct hot_row){key, i + 1}, true);
	}
	before = find_all(&hot, numbers);
	assert_true(before > ROWS / 2);
	/* Every third row is kept. */
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct hot_key key = key_of(i);
		uint32_t row;

		numbers[i] = i % 3 == 0 ? i / 3 : HOT_ROW_GONE;
		wanted += i % 3 == 0 && hot_find_row(&hot, hot_row_home(&key), &key, &row);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_rows_are_found_by_their_new_numbers),
		cmocka_unit_test(an_unused_table_stays_so),
		cmocka_unit_test(rows_of_an_origin_follow_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where between windows of a sampled run detail shows how a program enters a loop. */
#include "check.h"

#include "qemu/entries.h"

#define WINDOW 10000000 /* position of a window */

/* Executes a loop of two blocks for so many instructions. Returns how often one seemed new. */
static unsigned loop(uint64_t pc, uint64_t from, uint64_t instructions)
{
	unsigned entries = 0;

	for (uint64_t i = 0; i < instructions; i += 20) {
		entries += entries_note(pc, from + i);
		entries += entries_note(pc + 40, from + i + 10);
	}
	return entries;
}

static void a_loop_is_entered_once(void **state)
{
	(void)state;
	entries_set_up();
	assert_int_equal(loop(0x400000, 100000, 100000), 2);
	assert_int_equal(loop(0x400100, 200000, ENTRIES_WHILE / 2), 2);
	/* It went on a moment ago. */
	assert_int_equal(loop(0x400000, 200000 + ENTRIES_WHILE / 2, 100000), 0);
	assert_int_equal(loop(0x400100, 400000, 100000), 2);
}

static void only_near_windows(void **state)
{
	(void)state;
	entries_set_up();
	entries_choose(WINDOW);
	assert_false(entries_wanted(WINDOW - ENTRIES_REACH - 1));
	assert_true(entries_wanted(WINDOW - ENTRIES_REACH));
	assert_true(entries_wanted(WINDOW - 1));
}

static void not_before_it_is_known_what_executed(void **state)
{
	(void)state;
	entries_set_up();
	entries_choose(WINDOW);
	entries_begin(WINDOW - 100000);
	assert_false(entries_wanted(WINDOW - 100000));
	assert_false(entries_wanted(WINDOW - 100000 + ENTRIES_WHILE - 1));
	assert_true(entries_wanted(WINDOW - 100000 + ENTRIES_WHILE));
}

static void many_count_just_before_windows_only(void **state)
{
	uint64_t at = WINDOW, reach = ENTRIES_REACH;

	(void)state;
	entries_set_up();
	for (; reach > ENTRIES_NEAR; reach /= 2) {
		entries_choose(at);
		assert_true(entries_wanted(at - reach));
		assert_false(entries_wanted(at - reach - 1));
		entries_spend(ENTRIES_EARNED + 1);
		at += WINDOW;
	}
	entries_spend(ENTRIES_EARNED + 1);
	entries_choose(at);
	assert_true(entries_wanted(at - ENTRIES_NEAR));
	assert_false(entries_wanted(at - ENTRIES_NEAR - 1));
	/* A moderate number leaves it at that, few of them extend it. */
	entries_spend(ENTRIES_EARNED / 2);
	entries_choose(at);
	assert_false(entries_wanted(at - ENTRIES_NEAR - 1));
	entries_choose(at);
	assert_true(entries_wanted(at - 2ull * ENTRIES_NEAR));
}

static void no_more_is_in_detail_than_windows_earn(void **state)
{
	uint64_t sum = 0;

	(void)state;
	entries_set_up();
	for (unsigned i = 0; i < 1000; i++) {
		entries_choose(WINDOW);
		for (unsigned k = 0; k < 100 && entries_wanted(WINDOW - 1); k++) {
			entries_spend(ENTRIES_DETAIL);
			sum += ENTRIES_DETAIL;
		}
	}
	/* The last one may spend a little more than there is. */
	assert_in_range(sum, 1000ull * ENTRIES_EARNED,
			ENTRIES_SAVED + 1000ull * (ENTRIES_EARNED + ENTRIES_DETAIL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_entered_once),
		cmocka_unit_test(only_near_windows),
		cmocka_unit_test(not_before_it_is_known_what_executed),
		cmocka_unit_test(many_count_just_before_windows_only),
		cmocka_unit_test(no_more_is_in_detail_than_windows_earn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

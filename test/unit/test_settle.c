/* SPDX-License-Identifier: Apache-2.0 */
/* Before which windows of a sampled run more is modelled in detail, by how alike windows are. */
#include "check.h"

#include "qemu/settle.h"

#define UNIT 100000 /* instructions from window to window */

/* A window of 5000 instructions. */
static void note(uint64_t cycles, uint64_t frontend, uint64_t backend, uint64_t mispredicted)
{
	settle_note(&(struct settle_counts){5000, cycles, frontend, backend, mispredicted});
}

/* Returns how many instructions are in detail before so many windows that are all alike. */
static uint64_t detail_before(unsigned windows)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < windows; i++) {
		sum += settle_lead(UNIT);
		note(5000, 10000, 10000, 0);
	}
	return sum;
}

static void windows_that_are_alike_need_no_more(void **state)
{
	(void)state;
	settle_set_up();
	assert_int_equal(settle_lead(UNIT), 0);
	note(5000, 10000, 10000, 0);
	assert_int_equal(detail_before(100), 0);
	/* Within a sixteenth of the cycles, and a quarter of a slot for each. */
	note(5300, 11000, 9500, 0);
	assert_int_equal(settle_lead(UNIT), 0);
}

static void others_have_all_in_detail_for_a_while(void **state)
{
	static const uint64_t others[][3] = {
		{7000, 14000, 14000}, {5000, 16000, 10000}, {5000, 10000, 4000}};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		settle_set_up();
		note(others[i][0], others[i][1], others[i][2], 0);
		note(5000, 10000, 10000, 0);
		assert_int_equal(settle_lead(UNIT), UNIT);
		assert_int_equal(settle_lead(UNIT), UNIT);
		assert_int_equal(settle_lead(UNIT), SETTLE_INSTRUCTIONS - 2 * UNIT);
		assert_int_equal(detail_before(100), 0);
	}
	/* No more than there is before the window. */
	settle_set_up();
	note(7000, 0, 0, 0);
	note(5000, 0, 0, 0);
	assert_int_equal(settle_lead(10), 10);
}

static void what_changes_in_detail_goes_on(void **state)
{
	(void)state;
	settle_set_up();
	note(7000, 10000, 10000, 0);
	note(5000, 10000, 10000, 0);
	assert_int_equal(settle_lead(SETTLE_INSTRUCTIONS), SETTLE_INSTRUCTIONS);
	note(5000, 0, 20000, 0);
	assert_int_equal(settle_lead(SETTLE_INSTRUCTIONS), SETTLE_INSTRUCTIONS);
}

static void mispredicted_branches_begin_anew(void **state)
{
	(void)state;
	settle_set_up();
	note(7000, 10000, 10000, 0);
	note(5000, 10000, 10000, 1);
	assert_int_equal(settle_lead(UNIT), 0);
	/* Nor is what a window before had asked for needed behind one. */
	note(7000, 10000, 10000, 0);
	note(7000, 10000, 10000, 1);
	assert_int_equal(settle_lead(UNIT), 0);
}

static void windows_without_instructions_say_nothing(void **state)
{
	(void)state;
	settle_set_up();
	note(5000, 10000, 10000, 0);
	settle_note(&(struct settle_counts){0});
	assert_int_equal(settle_lead(UNIT), 0);
	note(5000, 10000, 10000, 0);
	assert_int_equal(settle_lead(UNIT), 0);
}

static void what_always_changes_costs_little(void **state)
{
	const unsigned windows = 10000;
	uint64_t sum = 0;

	(void)state;
	settle_set_up();
	for (unsigned i = 0; i < windows; i++) {
		note(i % 2 ? 5000 : 7000, 10000, 10000, 0);
		sum += settle_lead(1000000);
	}
	assert_in_range(sum, (uint64_t)windows * SETTLE_EARNED / 2,
			(uint64_t)windows * SETTLE_EARNED + SETTLE_SAVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_that_are_alike_need_no_more),
		cmocka_unit_test(others_have_all_in_detail_for_a_while),
		cmocka_unit_test(what_changes_in_detail_goes_on),
		cmocka_unit_test(mispredicted_branches_begin_anew),
		cmocka_unit_test(windows_without_instructions_say_nothing),
		cmocka_unit_test(what_always_changes_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "contention.h"

#include "check.h"

/* Returns what contention_others() would, whoever comes then. */
static unsigned others(struct contention line, unsigned core)
{
	return contention_others(&line, core);
}

static void counts_those_that_queue(void **state)
{
	struct contention line = {0};

	(void)state;
	assert_int_equal(others(line, 1), 0);
	contention_ask(&line, 1, false);
	assert_int_equal(others(line, 1), 0);
	contention_ask(&line, 2, true);
	contention_ask(&line, 1, true);
	contention_ask(&line, 3, true);
	assert_int_equal(others(line, 1), 2);
	contention_ask(&line, 3, true);
	assert_int_equal(others(line, 4), 3);
	/* Who finds the line unused queues behind nobody. */
	contention_ask(&line, 2, false);
	assert_int_equal(others(line, 1), 1);
	/* Who has not come for a while does not want it. */
	for (unsigned i = 0; i < CONTENTION_QUEUE; i++)
		contention_ask(&line, 1, true);
	assert_int_equal(others(line, 1), 0);
}

static void visits_take_place_once(void **state)
{
	struct contention line = {0};
	uint64_t arrival = 0;

	(void)state;
	contention_ask(&line, 1, true);
	contention_plan(&line, 100);
	contention_plan(&line, 200);
	assert_false(contention_visit(&line, 2, 201, &arrival));
	assert_true(contention_visit(&line, 2, 50, &arrival));
	assert_int_equal(arrival, 100);
	assert_true(contention_visit(&line, 3, 50, &arrival));
	assert_int_equal(arrival, 200);
	assert_false(contention_visit(&line, 2, 50, &arrival));
	assert_int_equal(contention_others(&line, 1), 2);
}

static void old_plans_make_way(void **state)
{
	struct contention line = {0};
	uint64_t arrival = 0;

	(void)state;
	for (unsigned i = 0; i <= CONTENTION_PLANS; i++)
		contention_plan(&line, 100 + i);
	assert_true(contention_visit(&line, 1, 0, &arrival));
	assert_int_equal(arrival, 101);
}

/* A core that is the last one to use a line does not wait for others for ever. */
static void those_that_do_not_come_are_forgotten(void **state)
{
	struct contention line = {0};
	unsigned waited = 0;

	(void)state;
	contention_ask(&line, 1, true);
	contention_ask(&line, 2, true);
	while (contention_others(&line, 1) && waited < 100) {
		contention_plan(&line, 100 + waited);
		waited++;
	}
	assert_in_range(waited, 1, 20);
	assert_int_equal(contention_others(&line, 1), 0);
}

/*
 * Cores that queue but do not come as planned, as for a barrier's counter, are assumed to come less
 * and less often.
 */
static void plans_in_vain_are_made_less_often(void **state)
{
	struct contention line = {0};
	unsigned planned[2] = {0};
	uint64_t arrival;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		contention_ask(&line, 1, true);
		contention_ask(&line, 2, true);
		planned[round / 100] += contention_others(&line, 2) == 1;
	}
	assert_in_range(planned[0], 1, 10);
	assert_in_range(planned[1], 1, 2);
	/* Once one comes as planned, others are expected again. */
	contention_plan(&line, 100);
	assert_true(contention_visit(&line, 1, 0, &arrival));
	assert_int_equal(contention_others(&line, 2), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_those_that_queue),
		cmocka_unit_test(visits_take_place_once),
		cmocka_unit_test(old_plans_make_way),
		cmocka_unit_test(those_that_do_not_come_are_forgotten),
		cmocka_unit_test(plans_in_vain_are_made_less_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

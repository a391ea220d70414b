/* SPDX-License-Identifier: Apache-2.0 */
/* What SPE records weigh for a finding. */
#include "check.h"

#include "profile/weigh.h"

/* Returns the weight of a load that missed L1D, with these latencies. */
static double weight_of(struct weigh_mean *mean, enum weigh weigh, uint16_t total, uint16_t issue)
{
	const struct plumb_spe_record record = {
		.has = PLUMB_SPE_HAS_TOTAL_LATENCY | PLUMB_SPE_HAS_ISSUE_LATENCY |
		       PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION,
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED) |
			  PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL),
		.counters = {[PLUMB_SPE_TOTAL_LATENCY] = total, [PLUMB_SPE_ISSUE_LATENCY] = issue},
	};
	const struct plumb_samples_item item = {.spe = &record};

	return weigh_spe_mean(mean, weigh, &item);
}

static void the_wait_before_issue_does_not_count(void **state)
{
	struct weigh_mean mean = {0};

	(void)state;
	assert_true(weight_of(&mean, WEIGH_MISSES, 300, 20) == 280);
	assert_true(weight_of(&mean, WEIGH_LOADS, 30, 29) == 1);
}

/* In a chain of misses, both counters are full, and their difference says nothing. */
static void full_counters_weigh_as_the_others_do(void **state)
{
	struct weigh_mean mean = {0};

	(void)state;
	assert_true(weight_of(&mean, WEIGH_MISSES, 300, 20) == 280);
	assert_true(weight_of(&mean, WEIGH_MISSES, 4000, 3900) == 100);
	for (int i = 0; i < 3; i++)
		assert_true(weight_of(&mean, WEIGH_MISSES, 4095, 4095) == 190);
	/* They do not change the mean. */
	assert_true(weight_of(&mean, WEIGH_MISSES, 4095, 4075) == 20);
	assert_true(weight_of(&mean, WEIGH_MISSES, 4095, 4095) == 400 / 3.0);
}

static void before_any_is_known_full_counters_weigh_one(void **state)
{
	struct weigh_mean mean = {0};

	(void)state;
	assert_true(weight_of(&mean, WEIGH_MISSES, 4095, 4095) == 1);
	assert_true(weight_of(&mean, WEIGH_MISSES, 200, 0) == 200);
	assert_true(weight_of(&mean, WEIGH_MISSES, 4095, 4095) == 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wait_before_issue_does_not_count),
		cmocka_unit_test(full_counters_weigh_as_the_others_do),
		cmocka_unit_test(before_any_is_known_full_counters_weigh_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

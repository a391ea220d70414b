/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "small_spec.h"

typedef size_t query(const struct plumb_spec *spec, uint16_t index, uint16_t *out, size_t room);

/* Asks with every room up to more than enough; `expected` ends with PLUMB_NONE. */
static void expect(query *ask, uint16_t index, const uint16_t *expected)
{
	size_t count = 0;

	while (expected[count] != PLUMB_NONE)
		count++;
	for (size_t room = 0; room <= count + 1; room++) {
		uint16_t out[16];

		memset(out, 0xee, sizeof(out));
		assert_int_equal(ask(&small_spec, index, out, room), count);
		for (size_t i = 0; i < SMALL_COUNT(out); i++)
			assert_int_equal(out[i], i < room && i < count ? expected[i] : 0xeeee);
	}
	assert_int_equal(ask(&small_spec, index, NULL, 0), count);
}

#define EXPECT(ask, index, ...) expect(ask, index, (const uint16_t[]){__VA_ARGS__})

static void metrics_of_event(void **state)
{
	(void)state;
	EXPECT(plumb_spec_metrics_of_event, SMALL_CPU_CYCLES, SMALL_IPC, SMALL_BACKEND_BOUND,
	       SMALL_FRONTEND_BOUND, SMALL_BACKEND_MEM_BOUND, PLUMB_NONE);
	EXPECT(plumb_spec_metrics_of_event, SMALL_INST_RETIRED, SMALL_IPC, PLUMB_NONE);
	EXPECT(plumb_spec_metrics_of_event, SMALL_CORE_EVENT, PLUMB_NONE);
	EXPECT(plumb_spec_metrics_of_event, PLUMB_NONE, PLUMB_NONE);
}

static void metrics_sampling_event(void **state)
{
	(void)state;
	EXPECT(plumb_spec_metrics_sampling_event, SMALL_L1D_CACHE_REFILL, SMALL_L1D_MISS_RATIO,
	       PLUMB_NONE);
	EXPECT(plumb_spec_metrics_sampling_event, SMALL_CPU_CYCLES, PLUMB_NONE);
}

static void functions_of_event(void **state)
{
	(void)state;
	EXPECT(plumb_spec_functions_of_event, SMALL_CPU_CYCLES, SMALL_FUNCTION_GENERAL,
	       SMALL_FUNCTION_STALL, PLUMB_NONE);
	EXPECT(plumb_spec_functions_of_event, SMALL_CORE_EVENT, PLUMB_NONE);
}

static void groups_of_event(void **state)
{
	(void)state;
	EXPECT(plumb_spec_groups_of_event, SMALL_CPU_CYCLES, SMALL_GENERAL, SMALL_TOPDOWN_L1,
	       SMALL_CACHE, PLUMB_NONE);
	EXPECT(plumb_spec_groups_of_event, SMALL_L1D_CACHE, SMALL_CACHE, PLUMB_NONE);
	EXPECT(plumb_spec_groups_of_event, SMALL_CYCLES_AGAIN, PLUMB_NONE);
}

static void groups_of_metric(void **state)
{
	(void)state;
	EXPECT(plumb_spec_groups_of_metric, SMALL_L1D_MISS_RATIO, SMALL_CACHE, PLUMB_NONE);
	EXPECT(plumb_spec_groups_of_metric, SMALL_EIGHT, PLUMB_NONE);
	EXPECT(plumb_spec_groups_of_metric, PLUMB_NONE, PLUMB_NONE);
}

static void events_of_group(void **state)
{
	(void)state;
	EXPECT(plumb_spec_events_of_group, SMALL_TOPDOWN_L1, SMALL_CPU_CYCLES,
	       SMALL_STALL_SLOT_BACKEND, SMALL_STALL_SLOT_FRONTEND, SMALL_L1D_CACHE_REFILL,
	       PLUMB_NONE);
	EXPECT(plumb_spec_events_of_group, SMALL_GENERAL, SMALL_INST_RETIRED, SMALL_CPU_CYCLES,
	       PLUMB_NONE);
	EXPECT(plumb_spec_events_of_group, 99, PLUMB_NONE);
	EXPECT(plumb_spec_events_of_group, PLUMB_NONE, PLUMB_NONE);
}

static size_t nodes_leading_to_metric(const struct plumb_spec *spec, uint16_t index, uint16_t *out,
				      size_t room)
{
	return plumb_methodology_leading_to(&spec->methodologies[0], PLUMB_ITEM_METRIC, index, out,
					    room);
}

static size_t nodes_leading_to_group(const struct plumb_spec *spec, uint16_t index, uint16_t *out,
				     size_t room)
{
	return plumb_methodology_leading_to(&spec->methodologies[0], PLUMB_ITEM_METRIC_GROUP, index,
					    out, room);
}

static void nodes_leading_to(void **state)
{
	(void)state;
	EXPECT(nodes_leading_to_metric, SMALL_BACKEND_MEM_BOUND, SMALL_NODE_BACKEND, PLUMB_NONE);
	EXPECT(nodes_leading_to_metric, SMALL_BACKEND_BOUND, SMALL_NODE_BACKEND_MEM, PLUMB_NONE);
	EXPECT(nodes_leading_to_metric, SMALL_EIGHT, PLUMB_NONE);
	EXPECT(nodes_leading_to_group, SMALL_CACHE, SMALL_NODE_FRONTEND, SMALL_NODE_BACKEND,
	       PLUMB_NONE);
	EXPECT(nodes_leading_to_group, SMALL_GENERAL, PLUMB_NONE);
	EXPECT(nodes_leading_to_group, PLUMB_NONE, PLUMB_NONE);
}

/*
 * As large as a specification can be, every list naming the same few things over and over, and a
 * thing that is not there: done in a blink, where going through every repeat would take minutes.
 */
static void repeats_cost_nothing(void **state)
{
	static uint16_t same[UINT16_MAX - 1], beyond[UINT16_MAX - 1];
	static struct plumb_metric metrics[4];
	static struct plumb_metric_group groups[200];
	uint16_t out[4];

	(void)state;
	for (size_t i = 0; i < SMALL_COUNT(same); i++) {
		same[i] = (uint16_t)(i % 4);
		beyond[i] = PLUMB_NONE;
	}
	for (size_t i = 0; i < SMALL_COUNT(metrics); i++)
		metrics[i] = (struct plumb_metric){.events = {same, SMALL_COUNT(same)}};
	for (size_t i = 0; i < SMALL_COUNT(groups); i++)
		groups[i].metrics = (struct plumb_indexes){same, SMALL_COUNT(same)};
	groups[0].metrics.at = beyond;

	struct plumb_spec spec = small_spec;

	spec.metrics = metrics;
	spec.metric_count = SMALL_COUNT(metrics);
	spec.metric_groups = groups;
	spec.metric_group_count = SMALL_COUNT(groups);
	for (uint16_t g = 1; g < SMALL_COUNT(groups); g++)
		assert_int_equal(plumb_spec_events_of_group(&spec, g, out, 4), 4);
	assert_int_equal(plumb_spec_events_of_group(&spec, 0, out, 4), 0);
	assert_int_equal(plumb_spec_groups_of_event(&spec, 3, out, 4), SMALL_COUNT(groups) - 1);
	assert_int_equal(plumb_spec_groups_of_event(&spec, 4, out, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_of_event),   cmocka_unit_test(metrics_sampling_event),
		cmocka_unit_test(functions_of_event), cmocka_unit_test(groups_of_event),
		cmocka_unit_test(groups_of_metric),   cmocka_unit_test(events_of_group),
		cmocka_unit_test(nodes_leading_to),   cmocka_unit_test(repeats_cost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Counting while memory runs out: each allocation of the library in turn fails, and all after. */
#include "check.h"

#include <plumb/diagnosis.h>

#include "scarce_memory.h"
#include "small_spec.h"

/* From a request to a diagnosis. Returns 0, or NO_MEMORY with nothing left behind. */
static int go_through(const struct plumb_spec *spec, unsigned counters,
		      enum plumb_collect_by collect_by)
{
	const struct plumb_event_options how = {.size = sizeof(how), .spec = spec};
	struct plumb_request request = {.size = sizeof(request), .stages = 1u << 1 | 1u << 2};
	const struct plumb_plan_options options = {.size = sizeof(options),
						   .counters = counters,
						   .cycle_counter = true,
						   .collect_by = collect_by};
	struct plumb_selection *selection = NULL;
	struct plumb_plan *plan = NULL;
	struct plumb_result *result = NULL;
	struct plumb_diagnosis *diagnosis = NULL;
	struct plumb_event_list *list = NULL;
	int error = plumb_event_list_new(&how, &list);

	assert_int_equal(!list, error != 0);
	if (!error)
		error = plumb_event_list_add(list, "cycles,{r8,r1b}:u,task-clock,ipc", NULL);
	if (!error) {
		request.events = list;
		error = plumb_selection_new(spec, &request, &selection);
		assert_int_equal(!selection, error != 0);
	}
	if (!error) {
		error = plumb_plan_new(selection, &options, &plan, NULL);
		assert_int_equal(!plan, error != 0);
	}
	if (!error) {
		error = plumb_result_new(plan, &result);
		assert_int_equal(!result, error != 0);
	}
	if (!error) {
		error = plumb_diagnose(result, &diagnosis);
		assert_int_equal(!diagnosis, error != 0);
	}
	plumb_diagnosis_free(diagnosis);
	plumb_result_free(result);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	plumb_event_list_free(list);
	return error;
}

/* With every number of allocations until that is enough; returns how many it takes. */
static long with_less(const struct plumb_spec *spec, unsigned counters,
		      enum plumb_collect_by collect_by)
{
	for (long allowed = 0;; allowed++) {
		int error;

		memory_left = allowed;
		error = go_through(spec, counters, collect_by);
		memory_left = -1;
		if (error == 0)
			return allowed;
		assert_int_equal(error, PLUMB_ERR_NO_MEMORY);
	}
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	/* If none failed, none would be needed. */
	assert_true(with_less(&small_spec, 0, PLUMB_COLLECT_BY_METRIC) > 10);
	assert_true(with_less(&small_spec, 2, PLUMB_COLLECT_BY_METRIC) > 10);
	assert_true(with_less(&small_spec, 2, PLUMB_COLLECT_BY_GROUP) > 10);
	assert_true(with_less(&small_spec, 2, PLUMB_COLLECT_BY_NONE) > 10);
}

/* A large one, whose tables grow. */
static void tables_that_grow_may_fail(void **state)
{
	const struct plumb_spec *spec;

	(void)state;
	assert_int_equal(plumb_spec_find("c1-ultra", &spec, NULL), 0);
	assert_true(with_less(spec, 6, PLUMB_COLLECT_BY_GROUP) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(tables_that_grow_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

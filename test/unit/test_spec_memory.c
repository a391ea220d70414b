/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas and comparisons while memory runs out: each allocation fails in turn, with all that
 * follow. Nothing leaks, as the sanitizers confirm, and nothing unfinished is returned.
 */
#include "check.h"

#include "scarce_memory.h"
#include "small_spec.h"
#include "spec/formula.h"

/* Its steps must grow more than once. */
static const char text[] = "ipc + backend_mem_bound * (L1D_CACHE + L1D_CACHE + L1D_CACHE) + "
			   "ipc + ipc + ipc + ipc + ipc + ipc + ipc + ipc + ipc + ipc + ipc";

static void compiling_needs_its_memory(void **state)
{
	struct formula *formula;
	int error, failures = 0;

	(void)state;
	do {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

		formula = (struct formula *)diagnostics;
		memory_left = failures;
		error = formula_compile(text, sizeof(text) - 1, &small_spec, NULL, &formula,
					diagnostics);
		memory_left = -1;
		assert_int_equal(!error, !!formula);
		assert_int_equal(plumb_diagnostics_errors(diagnostics), error ? 1 : 0);
		plumb_diagnostics_free(diagnostics);
		if (error) {
			assert_int_equal(error, PLUMB_ERR_NO_MEMORY);
			failures++;
		}
	} while (error);
	formula_free(formula);
	assert_true(failures > 2);
}

static void evaluating_needs_none(void **state)
{
	static const double counts[SMALL_EVENT_COUNT] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct formula *formula;
	double value;
	bool has_value;

	(void)state;
	assert_int_equal(formula_compile(text, sizeof(text) - 1, &small_spec, NULL, &formula, NULL),
			 0);
	memory_left = 0;
	has_value = formula_evaluate(formula, counts, &value);
	memory_left = -1;
	assert_true(has_value);
	formula_free(formula);
}

static bool count_calls(void *user, const char *path, const char *a, const char *b)
{
	assert_true(path && (a || b));
	++*(int *)user;
	return true;
}

static void comparing_needs_its_memory(void **state)
{
	int all = 0, result, failures = 0;
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].events = copy.metrics[SMALL_BACKEND_BOUND].events;
	copy.methodologies[0].stage_count = 1;
	copy.nodes[0].next_item_count = 0;
	assert_int_equal(plumb_spec_compare(&small_spec, &copy.spec, true, count_calls, &all), 3);
	do {
		int calls = 0;

		memory_left = failures;
		result = plumb_spec_compare(&small_spec, &copy.spec, true, count_calls, &calls);
		memory_left = -1;
		if (result < 0) {
			assert_int_equal(result, PLUMB_ERR_NO_MEMORY);
			assert_true(calls <= all);
			failures++;
		} else {
			assert_int_equal(result, all);
		}
	} while (result < 0);
	/* First the names and pairs of both sides, for five kinds of elements. */
	assert_true(failures > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiling_needs_its_memory),
		cmocka_unit_test(evaluating_needs_none),
		cmocka_unit_test(comparing_needs_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading while memory runs out: each allocation of the library fails in turn, with all that
 * follow. The linker redirects the library's allocations here, but not jansson's: version 2.14
 * ignores failures of its buffer, so it may report malformed text instead.
 */
#include "spec/read_mrs.h"

#include "check.h"

#include <plumb/spec.h>

#include "scarce_memory.h"
#include "small_json.h"

/* Reads with every number of allocations until one suffices; returns that number. */
static long read_with_less(const char *text, int result, struct plumb_diagnostics *diagnostics)
{
	for (long allowed = 0;; allowed++) {
		struct plumb_spec *spec = (struct plumb_spec *)(uintptr_t) "not touched";
		int got;

		memory_left = allowed;
		got = spec_read_memory(text, strlen(text), "name", &spec, diagnostics);
		memory_left = -1;
		if (got == result) {
			plumb_spec_free(spec);
			return allowed;
		}
		assert_int_equal(got, PLUMB_ERR_NO_MEMORY);
		assert_null(spec);
	}
}

static void a_sound_specification_needs_its_memory(void **state)
{
	(void)state;
	/* If none failed, none was needed. */
	assert_true(read_with_less(small_json, 0, NULL) > 10);
}

/* With findings of every sort, including duplicates, whose reports need memory. */
static void a_faulty_specification_needs_its_memory(void **state)
{
	char *one = replace_first(small_json, "\"STALLS\": {", "\"OWN\": 1, \"\\u004fWN\": {");
	char *two = replace_first(one, "\"root_nodes\": [", "\"root_nodes\": [\"own_rate\", ");

	(void)state;
	assert_true(read_with_less(two, PLUMB_ERR_INVALID, NULL) > 10);
	free(one);
	free(two);
}

/* Findings that cannot be kept are counted; reading continues. */
static void findings_do_not_need_memory(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;

	(void)state;
	memory_left = 0;
	assert_int_equal(plumb_spec_read_file("/nowhere", &spec, diagnostics), PLUMB_ERR_IO);
	memory_left = -1;
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 1);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
	plumb_diagnostics_free(diagnostics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_specification_needs_its_memory),
		cmocka_unit_test(a_faulty_specification_needs_its_memory),
		cmocka_unit_test(findings_do_not_need_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

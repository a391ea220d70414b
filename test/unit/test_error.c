/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <plumb/error.h>

#include "base/diagnostics.h"

static void every_error_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int a = PLUMB_ERR_EXEC; a <= PLUMB_OK; a++) {
		assert_string_not_equal(plumb_error_name(a), plumb_error_name(-1000));
		for (int b = a + 1; b <= PLUMB_OK; b++)
			assert_string_not_equal(plumb_error_name(a), plumb_error_name(b));
	}
}

static void findings_keep_their_place(void **state)
{
	struct plumb_diagnostics *list = plumb_diagnostics_new();
	char file[] = "a.json", path[] = "/x";
	struct place where = {.file = file, .line = 3, .column = 7, .path = path};

	(void)state;
	diagnostics_add(list, PLUMB_WARNING, "w", &where, "%d things", 2);
	memset(file, '?', 1);
	memset(path, '?', 1);
	plumb_diagnostics_add(list, PLUMB_ERROR, "e", "f.c", "plain");
	plumb_diagnostics_hint(list, "do %s", "this");
	assert_int_equal(plumb_diagnostics_count(list), 2);
	assert_int_equal(plumb_diagnostics_warnings(list), 1);
	assert_int_equal(plumb_diagnostics_errors(list), 1);

	const struct plumb_diagnostic *d = plumb_diagnostics_get(list, 0);

	assert_string_equal(d->file, "a.json");
	assert_string_equal(d->path, "/x");
	assert_string_equal(d->message, "2 things");
	assert_int_equal(d->line, 3);
	assert_int_equal(d->column, 7);
	assert_null(d->hint);
	d = plumb_diagnostics_get(list, 1);
	assert_string_equal(d->file, "f.c");
	assert_string_equal(d->hint, "do this");
	assert_null(plumb_diagnostics_get(list, 2));
	plumb_diagnostics_free(list);
}

static void past_the_limit_findings_are_counted(void **state)
{
	struct plumb_diagnostics *list = plumb_diagnostics_new();

	(void)state;
	for (int i = 0; i < PLUMB_DIAGNOSTICS_MAX + 5; i++)
		plumb_diagnostics_add(list, PLUMB_ERROR, "e", NULL, "%d", i);
	plumb_diagnostics_hint(list, "belongs to a finding that was not kept");
	assert_int_equal(plumb_diagnostics_count(list), PLUMB_DIAGNOSTICS_MAX);
	assert_int_equal(plumb_diagnostics_errors(list), PLUMB_DIAGNOSTICS_MAX + 5);
	assert_null(plumb_diagnostics_get(list, PLUMB_DIAGNOSTICS_MAX - 1)->hint);
	plumb_diagnostics_free(list);
}

static void no_list_is_fine(void **state)
{
	(void)state;
	plumb_diagnostics_add(NULL, PLUMB_ERROR, "e", NULL, "x");
	plumb_diagnostics_hint(NULL, "x");
	plumb_diagnostics_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_has_a_name_of_its_own),
		cmocka_unit_test(findings_keep_their_place),
		cmocka_unit_test(past_the_limit_findings_are_counted),
		cmocka_unit_test(no_list_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

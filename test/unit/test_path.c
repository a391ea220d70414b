/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "spec/path.h"

static void in_and_out(void **state)
{
	struct path path = {0};
	size_t metrics, ipc;

	(void)state;
	assert_string_equal(path.text, "");
	metrics = path_enter(&path, "metrics");
	ipc = path_enter(&path, "ipc");
	path_enter(&path, "formula");
	assert_string_equal(path.text, "/metrics/ipc/formula");
	path_leave(&path, ipc);
	path_enter(&path, "");
	assert_string_equal(path.text, "/metrics/");
	path_leave(&path, metrics);
	assert_string_equal(path.text, "");
}

/* The examples of RFC 6901, section 5, that names with special characters give. */
static void names_are_escaped(void **state)
{
	static const char *const names[][2] = {{"a/b", "/a~1b"},
					       {"m~n", "/m~0n"},
					       {"~1", "/~01"},
					       {"//~", "/~1~1~0"},
					       {" ", "/ "}};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct path path = {0};

		path_enter(&path, names[i][0]);
		assert_string_equal(path.text, names[i][1]);
	}
}

/* Names of every length around the room, of plain characters and of ones to be escaped. */
static void what_is_too_long_is_cut(void **state)
{
	char name[PATH_ROOM + 10];

	(void)state;
	for (size_t length = PATH_ROOM - 10; length < PATH_ROOM + 9; length++) {
		struct path path = {0};
		size_t mark;

		memset(name, 'n', length);
		name[length] = '\0';
		mark = path_enter(&path, name);
		if (length + 1 <= PATH_ROOM - 4) {
			assert_int_equal(strlen(path.text), length + 1);
		} else {
			assert_true(strlen(path.text) < PATH_ROOM);
			assert_string_equal(path.text + strlen(path.text) - 3, "...");
		}
		size_t inner = path_enter(&path, "more~");

		assert_true(strlen(path.text) < PATH_ROOM);
		assert_string_equal(path.text + strlen(path.text) - 3, "...");
		path_leave(&path, inner);
		path_leave(&path, mark);
		path_enter(&path, "x");
		assert_string_equal(path.text, "/x");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_and_out),
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(what_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

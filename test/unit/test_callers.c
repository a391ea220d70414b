/* SPDX-License-Identifier: Apache-2.0 */
/* Which source is a program's own. */
#include "check.h"

#include "profile/callers.h"

static void knows_the_toolchains_headers(void **state)
{
	static const char *const theirs[] = {
		"/usr/include/string.h",
		"/usr/include/c++/12/bits/stl_tree.h",
		"/usr/aarch64-linux-gnu/include/c++/12/mutex",
		"/usr/lib/gcc-cross/aarch64-linux-gnu/12/include/arm_neon.h",
		"/usr/lib/llvm-14/lib/clang/14.0.6/include/arm_sve.h",
		"/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/slice/sort.rs",
	};
	static const char *const own[] = {
		"/home/me/src/tree.c",     "main.cc", "../include/tree.h",
		"/src/usr/include/tree.h", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++)
		assert_false(callers_is_own(theirs[i]));
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		assert_true(callers_is_own(own[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_toolchains_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

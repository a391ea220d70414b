/* SPDX-License-Identifier: Apache-2.0 */
/* demangle.c: the names, and the table of character classes behind them. */
#include "check.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>

#include <libiberty/safe-ctype.h>

#include "symbol/demangle.h"

/* The same classes as the C library's, in the C locale. Without parentheses the names below are not
 * the macros by which safe-ctype.h forbids them. */
static void as_the_c_library_has_them(void **state)
{
	static const struct {
		int (*is)(int c);
		int bits;
	} classes[] = {
		{isalpha, _sch_isalpha}, {isalnum, _sch_isalnum}, {isblank, _sch_isblank},
		{iscntrl, _sch_iscntrl}, {isdigit, _sch_isdigit}, {isgraph, _sch_isgraph},
		{islower, _sch_islower}, {isprint, _sch_isprint}, {ispunct, _sch_ispunct},
		{isspace, _sch_isspace}, {isupper, _sch_isupper}, {isxdigit, _sch_isxdigit},
	};

	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	for (int c = 0; c < 256; c++) {
		for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
			assert_int_equal(!classes[i].is(c), !_sch_test(c, classes[i].bits));
	}
}

/* Those that C does not have, as safe-ctype.h describes them. */
static void and_those_of_a_preprocessor(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

		assert_int_equal(letter || c == '_', !!ISIDST(c));
		assert_int_equal(c == '\n' || c == '\r', !!IS_VSPACE(c));
		assert_int_equal(c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == 0,
				 !!IS_NVSPACE(c));
	}
}

static void check_name(const char *mangled, const char *plain, const char *full)
{
	char *name = demangle(mangled, false), *signature = demangle(mangled, true);

	assert_non_null(name);
	assert_non_null(signature);
	assert_string_equal(name, plain);
	assert_string_equal(signature, full);
	free(name);
	free(signature);
}

/* From the Itanium C++ ABI's own examples, and from Rust's RFC 2603; digits, both cases and '_'
 * decide how the latter are read. */
static void names(void **state)
{
	(void)state;
	check_name("_Z1fv", "f", "f()");
	check_name("_ZN3FooIA4_iE3barE", "Foo<int [4]>::bar", "Foo<int [4]>::bar");
	check_name("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar");
	check_name("_RNvNtNtC7mycrate3foo3bar1A", "mycrate::foo::bar::A", "mycrate::foo::bar::A");
	check_name("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>",
		   "std::mem::align_of::<f64>");
	assert_null(demangle("main", false));
	assert_null(demangle("_R", false));
	assert_null(demangle("_Z", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_c_library_has_them),
		cmocka_unit_test(names),
		cmocka_unit_test(and_those_of_a_preprocessor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

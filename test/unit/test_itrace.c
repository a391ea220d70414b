/* SPDX-License-Identifier: Apache-2.0 */
/* Expected: what perf 6.1 documents of --itrace, and takes. */
#include "check.h"

#include <plumb/spe_groups.h>

#define BIT(group) PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_##group)

static struct plumb_itrace parsed(const char *text)
{
	struct plumb_itrace itrace;

	assert_int_equal(plumb_itrace_parse(text, &itrace, NULL), 0);
	return itrace;
}

static uint32_t groups_of(const char *text)
{
	struct plumb_itrace itrace = parsed(text);

	return plumb_itrace_groups(&itrace);
}

static void letters_choose_groups(void **state)
{
	(void)state;
	assert_int_equal(groups_of(""), 0);
	assert_int_equal(groups_of("f"), BIT(L1D_MISS) | BIT(L1D_ACCESS));
	assert_int_equal(groups_of("m"), BIT(LLC_MISS) | BIT(LLC_ACCESS));
	assert_int_equal(groups_of("t"), BIT(TLB_MISS) | BIT(TLB_ACCESS));
	assert_int_equal(groups_of("b, a M"), BIT(BRANCH_MISS) | BIT(REMOTE_ACCESS) | BIT(MEMORY));
	assert_int_equal(groups_of("c"), BIT(BRANCH_MISS));
	assert_int_equal(groups_of("r"), BIT(BRANCH_MISS));
	assert_int_equal(groups_of("xwpoIeAZqdgGlL"), 0);
}

static void instructions_need_a_period_in_instructions(void **state)
{
	(void)state;
	assert_int_equal(groups_of("i1i"), BIT(INSTRUCTIONS));
	assert_int_equal(groups_of("i 1000 ib"), BIT(INSTRUCTIONS) | BIT(BRANCH_MISS));
	assert_int_equal(groups_of("i"), 0);
	assert_int_equal(groups_of("i100"), 0);
	assert_int_equal(groups_of("i100us"), 0);
	assert_int_equal(parsed("i").period, 100000);
	assert_int_equal(parsed("i1000i").period, 1000);
	assert_int_equal(parsed("i20us").period, 20000);
	assert_int_equal(parsed("i3ms").period, 3000000);
	assert_int_equal(parsed("i3ms").unit, PLUMB_ITRACE_NANOSECONDS);
	assert_int_equal(parsed("i7t").unit, PLUMB_ITRACE_TICKS);
}

static void the_default_is_every_group_but_instructions(void **state)
{
	struct plumb_itrace itrace;
	uint32_t usual = BIT(L1D_MISS) | BIT(L1D_ACCESS) | BIT(LLC_MISS) | BIT(LLC_ACCESS) |
			 BIT(TLB_MISS) | BIT(TLB_ACCESS) | BIT(BRANCH_MISS) | BIT(REMOTE_ACCESS) |
			 BIT(MEMORY);

	(void)state;
	plumb_itrace_default(&itrace);
	assert_int_equal(plumb_itrace_groups(&itrace), usual);
	plumb_itrace_newer(&itrace);
	assert_int_equal(plumb_itrace_groups(&itrace),
			 usual | BIT(L2D_MISS) | BIT(L2D_ACCESS) | BIT(BRANCH));
}

static void arguments_of_letters_are_read(void **state)
{
	struct plumb_itrace itrace = parsed("g32L8e+o-ld+as12qq");

	(void)state;
	assert_int_equal(itrace.callchain_size, 32);
	assert_int_equal(itrace.last_branch_size, 8);
	assert_int_equal(itrace.error_plus, 1u << ('o' - 'a'));
	assert_int_equal(itrace.error_minus, 1u << ('l' - 'a'));
	assert_int_equal(itrace.log_plus, 1);
	assert_int_equal(itrace.skip, 12);
	assert_int_equal(itrace.quick, 2);
	assert_int_equal(parsed("g").callchain_size, 16);
	assert_int_equal(parsed("l").last_branch_size, 64);
}

static void errors_name_the_letter_and_its_column(void **state)
{
	static const struct {
		const char *text, *part;
		int error;
		unsigned column;
	} cases[] = {
		{"fy", "'y' asks for nothing", PLUMB_ERR_SYNTAX, 2},
		{"i10b", "'b' is no unit", PLUMB_ERR_SYNTAX, 4},
		{"i10mb", "'b' stands where the s", PLUMB_ERR_SYNTAX, 5},
		{"i10m", "ends early", PLUMB_ERR_SYNTAX, 5},
		{"g2000", "2000 is too large: at most 1024", PLUMB_ERR_INVALID, 2},
		{"l0", "size of 0", PLUMB_ERR_INVALID, 2},
		{"e+O", "'O' is no flag", PLUMB_ERR_SYNTAX, 3},
		{"sx", "'x' stands where the number", PLUMB_ERR_SYNTAX, 2},
		{"i18446744073709551616i", "too large", PLUMB_ERR_INVALID, 2},
		{"i18446744073709551615ms", "too large", PLUMB_ERR_INVALID, 22},
		{"\x80", "byte 0x80", PLUMB_ERR_SYNTAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_diagnostics *found = plumb_diagnostics_new();
		const struct plumb_diagnostic *finding;
		struct plumb_itrace itrace;

		assert_int_equal(plumb_itrace_parse(cases[i].text, &itrace, found), cases[i].error);
		finding = plumb_diagnostics_get(found, 0);
		assert_non_null(finding);
		assert_non_null(strstr(finding->message, cases[i].part));
		assert_int_equal(finding->column, cases[i].column);
		assert_non_null(finding->hint);
		plumb_diagnostics_free(found);
	}
}

static size_t warnings_of(const char *text)
{
	struct plumb_diagnostics *found = plumb_diagnostics_new();
	struct plumb_itrace itrace = parsed(text);
	size_t count;

	plumb_itrace_report(&itrace, found);
	count = plumb_diagnostics_warnings(found);
	plumb_diagnostics_free(found);
	return count;
}

static void what_spe_cannot_give_is_said(void **state)
{
	(void)state;
	assert_int_equal(warnings_of("i1ifmtbaM"), 0);
	assert_int_equal(warnings_of("i"), 1);
	assert_int_equal(warnings_of("i100i"), 1);
	assert_int_equal(warnings_of("i1igx"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_choose_groups),
		cmocka_unit_test(instructions_need_a_period_in_instructions),
		cmocka_unit_test(the_default_is_every_group_but_instructions),
		cmocka_unit_test(arguments_of_letters_are_read),
		cmocka_unit_test(errors_name_the_letter_and_its_column),
		cmocka_unit_test(what_spe_cannot_give_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

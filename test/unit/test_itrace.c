/* SPDX-License-Identifier: Apache-2.0 */
/* Expected: what perf documents of --itrace, and takes; newer versions take and make more. */
#include "spe/itrace.h"

#include "check.h"

#include <plumb/spe_groups.h>

#define BIT(group) PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_##group)

static const enum plumb_perf_version versions[] = {PLUMB_PERF_NEWEST, PLUMB_PERF_6_1,
						   PLUMB_PERF_6_12};

static struct plumb_itrace parsed(const char *text)
{
	struct plumb_itrace itrace;

	assert_int_equal(itrace_parse(text, PLUMB_PERF_6_1, &itrace, NULL), 0);
	return itrace;
}

/* The groups of perf 6.1 and 6.12. */
static uint32_t old_groups_of(const char *text)
{
	struct plumb_itrace itrace = parsed(text);
	const uint32_t groups = itrace_groups(&itrace, PLUMB_PERF_6_1);

	assert_int_equal(itrace_groups(&itrace, PLUMB_PERF_6_12), groups);
	return groups;
}

static uint32_t groups_of(const char *text)
{
	struct plumb_itrace itrace;

	assert_int_equal(itrace_parse(text, PLUMB_PERF_NEWEST, &itrace, NULL), 0);
	return itrace_groups(&itrace, PLUMB_PERF_NEWEST);
}

static void letters_choose_groups(void **state)
{
	(void)state;
	assert_int_equal(groups_of(""), 0);
	assert_int_equal(groups_of("f"), BIT(L1D_MISS) | BIT(L1D_ACCESS));
	assert_int_equal(groups_of("m"), BIT(LLC_MISS) | BIT(LLC_ACCESS));
	assert_int_equal(groups_of("t"), BIT(TLB_MISS) | BIT(TLB_ACCESS));
	assert_int_equal(groups_of("b, a M"), BIT(BRANCH) | BIT(REMOTE_ACCESS) | BIT(MEMORY));
	assert_int_equal(old_groups_of("b, a M"),
			 BIT(BRANCH_MISS) | BIT(REMOTE_ACCESS) | BIT(MEMORY));
	assert_int_equal(groups_of("c"), BIT(BRANCH));
	assert_int_equal(old_groups_of("r"), BIT(BRANCH_MISS));
	assert_int_equal(groups_of("xwpoIeAZTqdgGlL"), 0);
}

static void periods_are_in_instructions(void **state)
{
	static const char *const bad[] = {"i", "i100", "i100us", "fi7t", "y", "y3ms"};

	(void)state;
	assert_int_equal(groups_of("i1i"), BIT(INSTRUCTIONS));
	assert_int_equal(old_groups_of("i 1000 ib"), BIT(INSTRUCTIONS) | BIT(BRANCH_MISS));
	/* Older versions ignore other periods, and newer ones refuse them. */
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_itrace itrace;

		assert_int_equal(old_groups_of(bad[i]) & BIT(INSTRUCTIONS), 0);
		assert_int_equal(itrace_parse(bad[i], PLUMB_PERF_NEWEST, &itrace, diagnostics),
				 PLUMB_ERR_INVALID);
		assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, "itrace-unit");
		assert_int_equal(plumb_diagnostics_get(diagnostics, 0)->column,
				 bad[i][0] == 'f' ? 2 : 1);
		plumb_diagnostics_free(diagnostics);
	}
	assert_int_equal(parsed("i").period, 100000);
	assert_int_equal(parsed("i1000i").period, 1000);
	assert_int_equal(parsed("i20us").period, 20000);
	assert_int_equal(parsed("i3ms").period, 3000000);
	assert_int_equal(parsed("i3ms").unit, ITRACE_NANOSECONDS);
	assert_int_equal(parsed("i7t").unit, ITRACE_TICKS);
}

static void the_default_is_every_group(void **state)
{
	const uint32_t both = BIT(L1D_MISS) | BIT(L1D_ACCESS) | BIT(LLC_MISS) | BIT(LLC_ACCESS) |
			      BIT(TLB_MISS) | BIT(TLB_ACCESS) | BIT(REMOTE_ACCESS) | BIT(MEMORY);

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct plumb_itrace itrace;

		itrace_default(&itrace, versions[i]);
		assert_int_equal(
			itrace_groups(&itrace, versions[i]),
			both | (i == 0 ? BIT(BRANCH) | BIT(INSTRUCTIONS) : BIT(BRANCH_MISS)));
		assert_int_equal(itrace.period, 1);
	}
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
		{"fz", "unknown letter 'z'", PLUMB_ERR_SYNTAX, 2},
		{"i10b", "'b': expected a unit", PLUMB_ERR_SYNTAX, 4},
		{"i10mb", "'b': expected the s", PLUMB_ERR_SYNTAX, 5},
		{"i10m", "ends where the s", PLUMB_ERR_SYNTAX, 5},
		{"g2000", "2000 is too large: at most 1024", PLUMB_ERR_INVALID, 2},
		{"l0", "must not be 0", PLUMB_ERR_INVALID, 2},
		{"e+O", "'O': expected a flag", PLUMB_ERR_SYNTAX, 3},
		{"sx", "'x': expected the number", PLUMB_ERR_SYNTAX, 2},
		{"i18446744073709551616i", "too large", PLUMB_ERR_INVALID, 2},
		{"i18446744073709551615ms", "too large", PLUMB_ERR_INVALID, 22},
		{"\x80", "byte 0x80", PLUMB_ERR_SYNTAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		const struct plumb_diagnostic *finding;
		struct plumb_itrace itrace;

		assert_int_equal(itrace_parse(cases[i].text, PLUMB_PERF_6_1, &itrace, diagnostics),
				 cases[i].error);
		finding = plumb_diagnostics_get(diagnostics, 0);
		assert_non_null(finding);
		assert_non_null(strstr(finding->message, cases[i].part));
		assert_int_equal(finding->column, cases[i].column);
		assert_non_null(finding->hint);
		plumb_diagnostics_free(diagnostics);
	}
}

static size_t warnings_of(const char *text, enum plumb_perf_version version)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_itrace itrace = parsed(text);
	size_t count;

	plumb_itrace_report(&itrace, version, diagnostics);
	count = plumb_diagnostics_warnings(diagnostics);
	plumb_diagnostics_free(diagnostics);
	return count;
}

static void what_spe_cannot_give_is_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		assert_int_equal(warnings_of("i1ifmtbaM", versions[i]), 0);
		assert_int_equal(warnings_of("i100i", versions[i]), 1);
		assert_int_equal(warnings_of("i1igx", versions[i]), 2);
		assert_int_equal(warnings_of("l", versions[i]), i > 0);
	}
	assert_int_equal(warnings_of("i", PLUMB_PERF_6_1), 1);
}

static void strings_are_made_and_freed(void **state)
{
	struct plumb_itrace *itrace;

	(void)state;
	assert_int_equal(plumb_itrace_parse("i7i", PLUMB_PERF_NEWEST, &itrace, NULL), 0);
	assert_int_equal(itrace->period, 7);
	plumb_itrace_free(itrace);
	assert_true(plumb_itrace_parse("i7Q", PLUMB_PERF_NEWEST, &itrace, NULL) < 0);
	assert_null(itrace);
	plumb_itrace_free(itrace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_made_and_freed),
		cmocka_unit_test(letters_choose_groups),
		cmocka_unit_test(periods_are_in_instructions),
		cmocka_unit_test(the_default_is_every_group),
		cmocka_unit_test(arguments_of_letters_are_read),
		cmocka_unit_test(errors_name_the_letter_and_its_column),
		cmocka_unit_test(what_spe_cannot_give_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <math.h>

#include "diff/gate.h"

static int parse(const char *text, struct gate_limit *limit)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const int error = gate_limit_parse(text, false, limit, diagnostics);

	assert_int_equal(plumb_diagnostics_errors(diagnostics), error < 0);
	plumb_diagnostics_free(diagnostics);
	return error;
}

static void parses_limits(void **state)
{
	struct gate_limit limit;

	(void)state;
	assert_int_equal(parse("cycles:2%", &limit), 0);
	assert_string_equal(limit.what, "cycles");
	assert_null(limit.function);
	assert_true(limit.relative);
	assert_true(limit.most == 2);
	gate_limit_free(&limit);
	assert_int_equal(parse("slots@std::map<int, char>::find(int):.5", &limit), 0);
	assert_string_equal(limit.what, "slots");
	assert_string_equal(limit.function, "std::map<int, char>::find(int)");
	assert_false(limit.relative);
	assert_true(limit.most == 0.5);
	gate_limit_free(&limit);
}

static void rejects_others(void **state)
{
	static const char *const texts[] = {
		"",           "cycles",     "cycles:",      "cycles:%",   ":2%",   "cycles:nan",
		"cycles:2%%", "cycles:-1%", "cycles:2 %",   "cycles:0x2", "@f:2%", "cycles@:2%",
		"cycles:inf", "cycles:1e3", "cycles:1.2.3", "cycles: 2"};
	struct gate_limit limit;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(parse(texts[i], &limit), PLUMB_ERR_SYNTAX);
}

/* A side of which nothing is known. */
static const struct diff_side no_side;

/* One change that says all of a comparison. */
static struct gate_result judge(const char *text, bool below, const struct diff_change *change)
{
	struct diff_change copy = *change;
	struct diff diff = {
		.before = &no_side, .after = &no_side, .changes = &copy, .change_count = 1};
	static struct gate_limit limit;
	struct gate_result result;

	assert_int_equal(gate_limit_parse(text, below, &limit, NULL), 0);
	result = gate_apply(&limit, &diff);
	gate_limit_free(&limit);
	return result;
}

static struct diff_change change_of(double before, double after)
{
	return (struct diff_change){
		.key = {DIFF_EVENTS, "CPU_CYCLES", "", ""},
		.unit = "events",
		.before = before,
		.after = after,
		.change = after - before,
		.relative = before != 0 ? (after - before) / before : (double)INFINITY,
		.real = true,
	};
}

static void fails_only_beyond_the_limit(void **state)
{
	struct diff_change change = change_of(1000, 1020);

	(void)state;
	assert_int_equal(judge("cycles:2%", false, &change).verdict, GATE_PASSED);
	assert_int_equal(judge("cycles:1.9%", false, &change).verdict, GATE_FAILED);
	assert_int_equal(judge("CPU_CYCLES:19", false, &change).verdict, GATE_FAILED);
	assert_int_equal(judge("cpu_cycles:20", false, &change).verdict, GATE_PASSED);
	assert_int_equal(judge("cycles:0%", true, &change).verdict, GATE_PASSED);
	change = change_of(1000, 970);
	assert_int_equal(judge("cycles:0%", false, &change).verdict, GATE_PASSED);
	assert_int_equal(judge("cycles:2%", true, &change).verdict, GATE_FAILED);
	change = change_of(0, 5);
	assert_int_equal(judge("cycles:1000%", false, &change).verdict, GATE_FAILED);
}

static void passes_noise_but_not_the_unknown(void **state)
{
	struct diff_change change = change_of(1000, 1100);

	(void)state;
	change.real = false;
	change.method = DIFF_RANKS;
	assert_int_equal(judge("cycles:2%", false, &change).verdict, GATE_NOISE);
	change.method = DIFF_UNKNOWN;
	assert_int_equal(judge("cycles:2%", false, &change).verdict, GATE_FAILED);
	assert_int_equal(judge("instructions:2%", false, &change).verdict, GATE_MISSING);
	assert_int_equal(judge("cycles@main:2%", false, &change).verdict, GATE_MISSING);
}

static void finds_the_worst_function(void **state)
{
	struct diff_change changes[3];
	struct diff diff = {
		.before = &no_side, .after = &no_side, .changes = changes, .change_count = 3};
	static const char *const functions[] = {"small", "worst", "noisy"};
	static const double after[] = {1010, 1200, 1900};
	struct gate_result result;
	struct gate_limit limit;

	(void)state;
	for (int i = 0; i < 3; i++) {
		changes[i] = change_of(1000, after[i]);
		changes[i].key = (struct diff_key){DIFF_FUNCTIONS, functions[i], "slots", ""};
	}
	changes[2].real = false;
	changes[2].method = DIFF_INTERVALS;
	assert_int_equal(gate_limit_parse("slots@*:5%", false, &limit, NULL), 0);
	result = gate_apply(&limit, &diff);
	assert_int_equal(result.verdict, GATE_FAILED);
	assert_string_equal(result.change->key.name, "worst");
	gate_limit_free(&limit);
	assert_int_equal(gate_limit_parse("slots@small:5%", false, &limit, NULL), 0);
	assert_int_equal(gate_apply(&limit, &diff).verdict, GATE_PASSED);
	gate_limit_free(&limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_limits),
		cmocka_unit_test(rejects_others),
		cmocka_unit_test(fails_only_beyond_the_limit),
		cmocka_unit_test(passes_noise_but_not_the_unknown),
		cmocka_unit_test(finds_the_worst_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/diagnostics.h"
#include "small_spec.h"
#include "spec/check.h"
#include "spec/formula.h"

/* A count for every event: primes, so that no two formulas agree by chance. */
static const double counts[SMALL_EVENT_COUNT] = {2, 3, 5, 7, 11, 13, NAN, 17};

static int compile(const char *text, const struct plumb_spec *spec, struct formula **formula,
		   struct plumb_diagnostics *diagnostics)
{
	return formula_compile(text, strlen(text), spec, NULL, formula, diagnostics);
}

static void value_is(const char *text, double expected)
{
	struct formula *formula;
	double value = -1;

	assert_int_equal(compile(text, &small_spec, &formula, NULL), 0);
	assert_true(formula_evaluate(formula, counts, &value));
	if (value != expected)
		fail_msg("%s = %.17g, not %.17g", text, value, expected);
	formula_free(formula);
}

static void no_value_of(const char *text)
{
	struct formula *formula;
	double value = -1;

	assert_int_equal(compile(text, &small_spec, &formula, NULL), 0);
	if (formula_evaluate(formula, counts, &value))
		fail_msg("%s = %g, though it has no value", text, value);
	assert_true(value == -1);
	formula_free(formula);
}

/* `column` 0: whatever it is. */
static void error_of(const char *text, size_t length, const struct plumb_spec *spec, int error,
		     unsigned column)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct formula *formula = (void *)&diagnostics;
	const struct plumb_diagnostic *d;

	assert_int_equal(formula_compile(text, length, spec, NULL, &formula, diagnostics), error);
	assert_null(formula);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	d = plumb_diagnostics_get(diagnostics, 0);
	assert_int_equal(d->severity, PLUMB_ERROR);
	if (column && d->column != column)
		fail_msg("%s: column %u, not %u: %s", text, d->column, column, d->message);
	plumb_diagnostics_free(diagnostics);
	assert_int_equal(formula_compile(text, length, spec, NULL, &formula, NULL), error);
}

static void error_is(const char *text, int error, unsigned column)
{
	error_of(text, strlen(text), &small_spec, error, column);
}

static void numbers(void **state)
{
	(void)state;
	value_is("0", 0);
	value_is("007", 7);
	value_is("2.5", 2.5);
	value_is("1e3", 1e3);
	value_is("1.25E-2", 1.25e-2);
	value_is("6e+1", 6e+1);
	value_is("0x1F", 31);
	value_is("0Xff", 255);
	value_is("0.1", 0.1);
	value_is("123456789012345678901234567890", 123456789012345678901234567890.0);
	value_is("5e-324", 5e-324);
	value_is("1e-400", 0);
	error_is("1e400", PLUMB_ERR_LIMIT, 1);
	error_is("2 + 1e400", PLUMB_ERR_LIMIT, 5);
	error_is("0x", PLUMB_ERR_SYNTAX, 2);
	error_is("1.", PLUMB_ERR_SYNTAX, 2);
	error_is(".5", PLUMB_ERR_SYNTAX, 1);
	error_is("1e", PLUMB_ERR_SYNTAX, 2);
	error_is("1e+", PLUMB_ERR_SYNTAX, 2);
	error_is("12ab", PLUMB_ERR_SYNTAX, 3);
	error_is("1.2.3", PLUMB_ERR_SYNTAX, 4);
	error_is("nan", PLUMB_ERR_NOT_FOUND, 1);
	error_is("inf", PLUMB_ERR_NOT_FOUND, 1);
}

/* A program may have set a locale whose decimal point is a comma. */
static void numbers_do_not_depend_on_the_locale(void **state)
{
	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		skip_because("there is no locale with a decimal comma");
	assert_string_equal(localeconv()->decimal_point, ",");
	value_is("2.5 * 2", 5);
	error_is("2,5", PLUMB_ERR_SYNTAX, 2);
	setlocale(LC_ALL, "C");
}

static void operators_bind_as_in_c(void **state)
{
	(void)state;
	value_is("1 + 2 * 3", 7);
	value_is("(1 + 2) * 3", 9);
	value_is("10 - 4 - 3", 3);
	value_is("100 / 5 / 2", 10);
	value_is("100 / 5 * 2", 40);
	value_is("2 - -3", 5);
	value_is("-2 * -3", 6);
	value_is("- + - 2", 2);
	value_is("-(2 + 3) * 2", -10);
	value_is("1 << 3 + 1", 16);
	value_is("1 << 3 << 1", 16);
	value_is("64 >> 2 - 1", 32);
	value_is("1 + 2 >> 1 << 4", 24);
	value_is("\t1\n+\r2 ", 3);
	value_is("1+2*3-4/5", 1 + 2 * 3 - 4. / 5);
}

static void shifts_are_by_powers_of_two(void **state)
{
	(void)state;
	value_is("3 << 2.9", 12);
	value_is("3 << -1", 1.5);
	value_is("3 << -1.9", 1.5);
	value_is("3 >> 1", 1.5);
	value_is("-3 >> 1", -1.5);
	value_is("1 >> 1074", 0x1p-1074);
	value_is("1 >> 1e300", 0);
	value_is("0 << 1e300", 0);
	no_value_of("1 << 1e300");
	no_value_of("1 << 1024");
	no_value_of("0 << 1e308 * 10");
	no_value_of("1 >> 1e308 * 10");
}

static void names(void **state)
{
	(void)state;
	value_is("INST_RETIRED", 2);
	value_is("inst_retired / cpu_cycles", 2. / 3);
	value_is("-CPU_CYCLES", -3);
	value_is("L1D_CACHE+L1D_CACHE_REFILL", 24);
	value_is("ipc", 2. / 3);
	value_is("IPC * 2", 2. / 3 * 2);
	value_is("10 / ipc", 10 / (2. / 3)); /* in its place, as if in parentheses */
	value_is("backend_mem_bound", 5. / (5 * 3.) * 100 * (11. / 13));
	value_is("eight", 8);
	error_is("CPU_CYCLE", PLUMB_ERR_NOT_FOUND, 1);
	error_is("1 + CPU_CYCLES2", PLUMB_ERR_NOT_FOUND, 5);
	error_is("Topdown_L1", PLUMB_ERR_NOT_FOUND, 1);
}

static void no_value(void **state)
{
	(void)state;
	no_value_of("1 / 0");
	no_value_of("1 / -0");
	no_value_of("0 / 0");
	no_value_of("1 / (CPU_CYCLES - 3)");
	no_value_of("0 * (1 / 0)");
	no_value_of("1 / (1 / 0)");
	no_value_of("CORE_EVENT");
	no_value_of("0 * CORE_EVENT");
	no_value_of("1e308 * 10");
	no_value_of("1e308 * 10 - 1e308 * 10");
	no_value_of("-1e308 * 10");
	value_is("1 / (1e308 * 10)", 0);
}

static void what_is_not_a_formula(void **state)
{
	(void)state;
	error_is("", PLUMB_ERR_SYNTAX, 1);
	error_is("  ", PLUMB_ERR_SYNTAX, 3);
	error_is("()", PLUMB_ERR_SYNTAX, 2);
	error_is("(1", PLUMB_ERR_SYNTAX, 3);
	error_is("1)", PLUMB_ERR_SYNTAX, 2);
	error_is("1 2", PLUMB_ERR_SYNTAX, 3);
	error_is("1 +", PLUMB_ERR_SYNTAX, 4);
	error_is("1 + * 2", PLUMB_ERR_SYNTAX, 5);
	error_is("* 2", PLUMB_ERR_SYNTAX, 1);
	error_is("2 ** 3", PLUMB_ERR_SYNTAX, 4);
	error_is("2 % 3", PLUMB_ERR_SYNTAX, 3);
	error_is("2 < 3", PLUMB_ERR_SYNTAX, 3);
	error_is("2 > 3", PLUMB_ERR_SYNTAX, 3);
	error_is("2 <> 3", PLUMB_ERR_SYNTAX, 3);
	error_is("2 <", PLUMB_ERR_SYNTAX, 3);
	error_is("CPU_CYCLES(1)", PLUMB_ERR_SYNTAX, 11);
	error_is("CPU CYCLES", PLUMB_ERR_NOT_FOUND, 1);
	error_is("1 \xc3\x97 2", PLUMB_ERR_SYNTAX, 3);
	error_is("1 \x01", PLUMB_ERR_SYNTAX, 3);
	error_is("((((1 + 2)))", PLUMB_ERR_SYNTAX, 13);
	error_of("1\0+2", 4, &small_spec, PLUMB_ERR_SYNTAX, 2);
	error_of("CPU_CYCLES\0", 11, &small_spec, PLUMB_ERR_SYNTAX, 11);
}

static void findings_have_their_place(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct place where = {.file = "a.json", .line = 4, .path = "/metrics/m/formula"};
	struct formula *formula;
	const struct plumb_diagnostic *d;

	(void)state;
	assert_int_equal(
		formula_compile("ipc + IPD", 9, &small_spec, &where, &formula, diagnostics),
		PLUMB_ERR_NOT_FOUND);
	d = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(d->id, "formula-unknown-name");
	assert_string_equal(d->file, "a.json");
	assert_string_equal(d->path, "/metrics/m/formula");
	assert_string_equal(d->message, "IPD is neither an event nor a metric");
	assert_int_equal(d->line, 4);
	assert_int_equal(d->column, 7);
	plumb_diagnostics_free(diagnostics);
}

/* A fault in the formula of a metric that a metric names, found from a formula that names both. */
static void faults_of_metrics_stand_at_their_name(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct formula *formula;
	const struct plumb_diagnostic *d;
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].formula = "1 + + ?";
	copy.metrics[SMALL_EIGHT].formula = "8 * ipc";
	assert_int_equal(compile("CPU_CYCLES + eight", &copy.spec, &formula, diagnostics),
			 PLUMB_ERR_SYNTAX);
	d = plumb_diagnostics_get(diagnostics, 0);
	assert_int_equal(d->column, 14);
	assert_string_equal(
		d->message,
		"in the formula of metric ipc: expected a number, a name or '(', not '?'");
	plumb_diagnostics_free(diagnostics);
}

static void metrics_of_a_specification(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct formula *formula;
	struct small_copy copy;
	double value;

	(void)state;
	for (uint16_t m = 0; m < small_spec.metric_count; m++) {
		struct plumb_indexes needs = small_spec.metrics[m].events, events;
		uint16_t sum = 0;

		assert_int_equal(formula_compile_metric(&small_spec, m, &formula, diagnostics), 0);
		assert_true(formula_evaluate(formula, counts, &value));
		events = formula_events(formula);
		assert_int_equal(events.count, needs.count);
		for (uint16_t i = 0; i < events.count; i++) {
			sum += (uint16_t)(1 << events.at[i]);
			if (i)
				assert_true(events.at[i - 1] < events.at[i]);
		}
		for (uint16_t i = 0; i < needs.count; i++)
			sum -= (uint16_t)(1 << needs.at[i]);
		assert_int_equal(sum, 0);
		formula_free(formula);
	}
	assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
	assert_int_equal(
		formula_compile_metric(&small_spec, SMALL_METRIC_COUNT, &formula, diagnostics),
		PLUMB_ERR_ARGUMENT);
	assert_null(formula);

	small_spec_copy(&copy);
	copy.spec.file = "small.json";
	copy.metrics[SMALL_IPC].name = "a/b~c";
	copy.metrics[SMALL_IPC].formula = "1 /";
	assert_int_equal(formula_compile_metric(&copy.spec, SMALL_IPC, &formula, diagnostics),
			 PLUMB_ERR_SYNTAX);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->path,
			    "/metrics/a~1b~0c/formula");
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->file, "small.json");
	assert_int_equal(plumb_diagnostics_get(diagnostics, 0)->column, 4);
	plumb_diagnostics_free(diagnostics);
}

static void metrics_that_need_themselves(void **state)
{
	struct formula *formula;
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].formula = "1 + ipc";
	error_of("2 * ipc", 7, &copy.spec, PLUMB_ERR_INVALID, 5);
	assert_int_equal(formula_compile_metric(&copy.spec, SMALL_IPC, &formula, NULL),
			 PLUMB_ERR_INVALID);

	copy.metrics[SMALL_IPC].formula = "backend_mem_bound";
	copy.metrics[SMALL_BACKEND_BOUND].formula = "2 * ipc";
	for (uint16_t m = 0; m < (uint16_t)SMALL_METRIC_COUNT; m++) {
		bool needs_itself =
			m == SMALL_IPC || m == SMALL_BACKEND_BOUND || m == SMALL_BACKEND_MEM_BOUND;

		assert_int_equal(formula_compile_metric(&copy.spec, m, &formula, NULL),
				 needs_itself ? PLUMB_ERR_INVALID : 0);
		formula_free(formula);
	}

	/* A metric without a formula is not one, either. */
	copy.metrics[SMALL_IPC].formula = NULL;
	error_of("2 * ipc", 7, &copy.spec, PLUMB_ERR_SYNTAX, 5);
	assert_int_equal(formula_compile_metric(&copy.spec, SMALL_IPC, &formula, NULL),
			 PLUMB_ERR_SYNTAX);

	/* Twice the same metric is not a circle. */
	value_is("ipc * ipc + ipc", 2. / 3 * (2. / 3) + 2. / 3);
}

/* `count` times `piece`, then `tail`, to be freed. */
static char *repeat(const char *piece, size_t count, const char *tail)
{
	char *text = malloc(strlen(piece) * count + strlen(tail) + 1), *end = text;

	assert_non_null(text);
	while (count-- > 0)
		end = stpcpy(end, piece);
	stpcpy(end, tail);
	return text;
}

static void limit_hit(const char *piece, size_t count, const char *tail)
{
	char *text = repeat(piece, count, tail);

	error_is(text, PLUMB_ERR_LIMIT, 0);
	free(text);
}

#define CLOSE_8  "))))))))"
#define CLOSE_64 CLOSE_8 CLOSE_8 CLOSE_8 CLOSE_8 CLOSE_8 CLOSE_8 CLOSE_8 CLOSE_8

static void limits(void **state)
{
	struct formula *formula;
	char *text;

	(void)state;
	/* 64 deep, with as many values waiting at each depth as can be; then one deeper. */
	text = repeat("8>>3+0*(", 64, "8>>3+0*9" CLOSE_64);
	value_is(text, 1);
	free(text);
	text = repeat("8>>3+0*(", 65, "8>>3+0*9" CLOSE_64 ")");
	error_is(text, PLUMB_ERR_LIMIT, 65 * 8);
	free(text);
	limit_hit("(", 65, "");
	limit_hit("-", 65, "1");
	limit_hit("(", 10000, "");
	limit_hit("(", 1000000, "");
	limit_hit("-", 1000000, "1");
	text = repeat("-", 64, "1");
	value_is(text, 1);
	free(text);

	/* Names and numbers. */
	limit_hit("N", 257, "");
	limit_hit("7", 257, "");
	limit_hit("N", 60000, " + 1");
	text = repeat("N", 256, "");
	error_is(text, PLUMB_ERR_NOT_FOUND, 1);
	free(text);
	text = repeat("0", 255, "9");
	value_is(text, 9);
	free(text);

	/* Steps and length. */
	limit_hit("1+", 1000000, "1");
	limit_hit("CPU_CYCLES+", 1000000, "1");
	limit_hit("1+", 4096, "1");
	text = repeat("1+", 4095, "1");
	value_is(text, 4096);
	free(text);
	limit_hit(" ", FORMULA_MAX_LENGTH, "1");
	text = repeat(" ", FORMULA_MAX_LENGTH - 1, "1");
	value_is(text, 1);
	free(text);
	assert_int_equal(formula_compile("1", SIZE_MAX, &small_spec, NULL, &formula, NULL),
			 PLUMB_ERR_LIMIT);
}

#define MANY ((uint16_t)1000)

/* Metrics that name two of the next would need 2 to the 40 steps; a chain of 100 is too deep. */
static void metrics_that_name_metrics(void **state)
{
	static struct plumb_metric metrics[MANY];
	static char names_of[MANY][8], formulas[MANY][32];
	static uint16_t order[MANY];
	struct plumb_spec spec = {.id = "hostile", .metrics = metrics, .metrics_by_name = order};
	struct formula *compiled;
	char *blanks;

	(void)state;
	for (uint16_t i = 0; i < MANY; i++) {
		snprintf(names_of[i], sizeof(names_of[i]), "m%03u", i);
		metrics[i] = (struct plumb_metric){.name = names_of[i], .formula = formulas[i]};
		order[i] = i;
	}
	spec.metric_count = MANY;

	for (uint16_t i = 0; i < MANY; i++)
		snprintf(formulas[i], sizeof(formulas[i]), "m%03d + m%03d", i + 1, i + 1);
	snprintf(formulas[40], sizeof(formulas[40]), "1");
	error_of("m000", 4, &spec, PLUMB_ERR_LIMIT, 1);
	error_of("m030 + m000", 11, &spec, PLUMB_ERR_LIMIT, 8);
	assert_int_equal(formula_compile_metric(&spec, 30, &compiled, NULL), 0);
	formula_free(compiled);

	for (uint16_t i = 0; i < MANY; i++)
		snprintf(formulas[i], sizeof(formulas[i]), "m%03d", (i + 1) % MANY);
	error_of("m000", 4, &spec, PLUMB_ERR_LIMIT, 1);

	/* Texts that are nearly all blanks are paid for as well. */
	blanks = repeat(" ", 10000, "1");
	metrics[1].formula = blanks;
	error_of("m001+m001+m001+m001+m001+m001+m001", 34, &spec, PLUMB_ERR_LIMIT, 31);
	free(blanks);
	blanks = repeat(" ", 1000000, "1");
	metrics[1].formula = blanks;
	error_of("m001", 4, &spec, PLUMB_ERR_LIMIT, 1);
	assert_int_equal(formula_compile_metric(&spec, 1, &compiled, NULL), PLUMB_ERR_LIMIT);
	free(blanks);
}

/*
 * Every metric at the limit: each is compiled quickly, but all of them together would take long,
 * so that checking a specification gives up on it.
 */
static void a_specification_full_of_them(void **state)
{
	enum { COUNT = 600, CHAIN = 12 };
	static struct plumb_metric metrics[COUNT];
	static char names_of[COUNT][8], formulas[COUNT][32];
	static uint16_t order[COUNT];
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec spec = small_spec;
	size_t told = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(names_of[i], sizeof(names_of[i]), "m%04u", i);
		if (i < CHAIN)
			snprintf(formulas[i], sizeof(formulas[i]), "m%04u + m%04u", i + 1, i + 1);
		else
			snprintf(formulas[i], sizeof(formulas[i]), "%s",
				 i == CHAIN ? "1" : "m0000");
		metrics[i] = (struct plumb_metric){.name = names_of[i],
						   .title = names_of[i],
						   .description = "x",
						   .formula = formulas[i],
						   .units = "x"};
		order[i] = (uint16_t)i;
	}
	spec.metrics = metrics;
	spec.metric_count = COUNT;
	spec.metrics_by_name = order;
	spec.metric_groups = NULL;
	spec.metric_group_count = 0;
	spec.methodology_count = 0;
	assert_true(spec_check(&spec, diagnostics) < 0);
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		told += strcmp(plumb_diagnostics_get(diagnostics, i)->id, "too-many") == 0;
	assert_int_equal(told, 1);
	plumb_diagnostics_free(diagnostics);
}

static void many_events(void **state)
{
	static struct plumb_event events[MANY];
	static char names_of[MANY][8];
	static uint16_t order[MANY];
	static double values[MANY];
	struct plumb_spec spec = {.id = "large", .events = events, .events_by_name = order};
	struct formula *formula;
	double value, sum = 0;
	char text[MANY * 8];
	size_t at = 0;

	(void)state;
	for (uint16_t i = 0; i < MANY; i++) {
		snprintf(names_of[i], sizeof(names_of[i]), "E%03u", i);
		events[i].name = names_of[i];
		order[i] = i;
		values[i] = NAN; /* what is not listed must not be read */
	}
	spec.event_count = MANY;
	for (uint16_t i = 0; i < FORMULA_MAX_OPERANDS; i++) {
		uint16_t event = (uint16_t)(3 * (FORMULA_MAX_OPERANDS - i));

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%sE%03u", i ? "+" : "",
				       event);
		values[event] = i;
		sum += i;
	}
	assert_int_equal(compile(text, &spec, &formula, NULL), 0);
	assert_int_equal(formula_events(formula).count, FORMULA_MAX_OPERANDS);
	for (uint16_t i = 0; i < FORMULA_MAX_OPERANDS; i++)
		assert_int_equal(formula_events(formula).at[i], 3 * (i + 1));
	assert_true(formula_evaluate(formula, values, &value));
	assert_true(value == sum);
	formula_free(formula);

	snprintf(text + at, sizeof(text) - at, "+E003+E001");
	error_of(text, strlen(text), &spec, PLUMB_ERR_LIMIT, (unsigned)at + 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(shifts_are_by_powers_of_two),
		cmocka_unit_test(names),
		cmocka_unit_test(no_value),
		cmocka_unit_test(what_is_not_a_formula),
		cmocka_unit_test(findings_have_their_place),
		cmocka_unit_test(faults_of_metrics_stand_at_their_name),
		cmocka_unit_test(metrics_of_a_specification),
		cmocka_unit_test(metrics_that_need_themselves),
		cmocka_unit_test(limits),
		cmocka_unit_test(metrics_that_name_metrics),
		cmocka_unit_test(a_specification_full_of_them),
		cmocka_unit_test(many_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

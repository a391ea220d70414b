/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formula compiler and the machine that runs its programs. The first line of the input is the
 * formula; those that follow are the formulas of metrics m0, m1, ..., which may name each other,
 * and events E0 to E3. Checks every outcome against what the header promises.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/formula.h"

#define EVENTS  4
#define METRICS 10

static const struct plumb_event events[EVENTS] = {
	{.name = "E0"}, {.name = "E1"}, {.name = "E2"}, {.name = "E3"}};
static const uint16_t order[METRICS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const double counts[EVENTS] = {0, 1e15, NAN, -3.5};

/* Unlike assert(), there in every build. */
static void require(bool promise)
{
	if (!promise)
		abort();
}

static void check_formula(const struct formula *formula)
{
	struct plumb_indexes needs = formula_events(formula);
	double value = NAN;

	require(needs.count <= EVENTS);
	for (uint16_t i = 0; i < needs.count; i++) {
		require(needs.at[i] < EVENTS);
		require(i == 0 || needs.at[i - 1] < needs.at[i]);
	}
	require(formula_evaluate(formula, counts, &value) == (bool)isfinite(value));
}

/* `length`: of the text in which the finding's column is. */
static void check_outcome(int error, struct formula *formula, size_t length,
			  struct plumb_diagnostics *diagnostics)
{
	const struct plumb_diagnostic *finding = plumb_diagnostics_get(diagnostics, 0);

	require(!error == !!formula);
	require(plumb_diagnostics_count(diagnostics) == (error ? 1 : 0));
	if (formula)
		check_formula(formula);
	else
		require(finding->column >= 1 && finding->column <= length + 1);
	formula_free(formula);
	plumb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[METRICS] = {"m0", "m1", "m2", "m3", "m4",
						   "m5", "m6", "m7", "m8", "m9"};
	struct plumb_metric metrics[METRICS];
	struct plumb_spec spec = {.id = "fuzz",
				  .events = events,
				  .events_by_name = order,
				  .event_count = EVENTS,
				  .metrics = metrics,
				  .metrics_by_name = order};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct formula *formula;
	char *text = malloc(size + 1), *rest;
	size_t length;
	int error;

	if (!text || !diagnostics)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rest = memchr(text, '\n', size);
	length = rest ? (size_t)(rest - text) : size;
	while (rest && spec.metric_count < METRICS) {
		*rest++ = '\0';
		metrics[spec.metric_count] =
			(struct plumb_metric){.name = names[spec.metric_count], .formula = rest};
		spec.metric_count++;
		rest = strchr(rest, '\n');
	}

	error = formula_compile(text, length, &spec, NULL, &formula, diagnostics);
	check_outcome(error, formula, length, diagnostics);
	for (uint16_t m = 0; m < spec.metric_count; m++) {
		diagnostics = plumb_diagnostics_new();
		if (!diagnostics)
			abort();
		error = formula_compile_metric(&spec, m, &formula, diagnostics);
		check_outcome(error, formula, strlen(metrics[m].formula), diagnostics);
	}
	free(text);
	return 0;
}

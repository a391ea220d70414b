/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates formulas for a judge that reads the values: formula_values SPECIFICATION, a file's path
 * or the name of a built-in one. Reads commands from stdin, a line each, and answers those that
 * ask with a line each:
 *
 *     count EVENT VALUE   sets the count of an event; NaN before that
 *     formula TEXT        its value, "none", or "error N"
 *     metric NAME         the same of a metric of the specification
 *     events METRIC       the events its formula needs
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/formula.h"

static const struct plumb_spec *spec;
static double counts[PLUMB_NONE];

static void answer(int error, struct formula *formula)
{
	double value;

	if (error)
		printf("error %d\n", error);
	else if (formula_evaluate(formula, counts, &value))
		printf("%.17g\n", value);
	else
		puts("none");
	formula_free(formula);
}

static void answer_events(struct formula *formula)
{
	struct plumb_indexes events = formula_events(formula);

	for (uint16_t i = 0; i < events.count; i++)
		printf("%s%s", i ? " " : "", spec->events[events.at[i]].name);
	putchar('\n');
	formula_free(formula);
}

/* False for what is not a command. */
static bool obey(char *line)
{
	char *argument = strchr(line, ' '), *value;
	struct formula *formula;
	int error;

	if (!argument)
		return false;
	*argument++ = '\0';
	if (strcmp(line, "count") == 0) {
		uint16_t event;

		value = strchr(argument, ' ');
		if (!value)
			return false;
		*value++ = '\0';
		event = plumb_spec_event(spec, argument);
		if (event == PLUMB_NONE)
			return false;
		counts[event] = strtod(value, NULL);
		return true;
	}
	if (strcmp(line, "formula") == 0) {
		error = formula_compile(argument, strlen(argument), spec, NULL, &formula, NULL);
		answer(error, formula);
		return true;
	}
	error = formula_compile_metric(spec, plumb_spec_metric(spec, argument), &formula, NULL);
	if (strcmp(line, "metric") == 0)
		answer(error, formula);
	else if (strcmp(line, "events") == 0 && !error)
		answer_events(formula);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct plumb_spec *read = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int status = 0;

	if (argc != 2)
		return 2;
	if (plumb_spec_find(argv[1], &spec, NULL) != 0) {
		if (plumb_spec_read_file(argv[1], &read, NULL) != 0)
			return 2;
		spec = read;
	}
	for (size_t i = 0; i < PLUMB_NONE; i++)
		counts[i] = NAN;
	while (!status && (length = getline(&line, &room, stdin)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!obey(line)) {
			fprintf(stderr, "not a command: %s\n", line);
			status = 2;
		}
	}
	free(line);
	plumb_spec_free(read);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts events and metrics of a program, as `plumb stat -e` does. Uses this machine's PMU; without
 * one, the model for AArch64 programs, and only software events for all others.
 *
 *     count cycles,instructions,backend_bound ./program
 *     count task-clock,page-faults /bin/true
 *
 *     cc count.c $(pkg-config --cflags --libs plumb)
 *
 * The model's plugins are looked for in the folder PLUMB_PLUGIN_DIR of the environment, or else
 * where Plumb was installed; built with Plumb itself, also in its build folder.
 */
#include <math.h>
#include <plumb/model.h>
#include <plumb/perf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a build has the plugins; NULL: where they were installed. */
#ifndef PLUGIN_DIR
#define PLUGIN_DIR NULL
#endif

static int open_source(const char *program, struct plumb_source **source,
		       struct plumb_diagnostics *diagnostics)
{
	const char *folder = getenv("PLUMB_PLUGIN_DIR");
	const struct plumb_model_options model = {.size = sizeof(model),
						  .plugin_dir = folder ? folder : PLUGIN_DIR};
	struct plumb_perf_options perf = {.size = sizeof(perf)};

	perf.software = !plumb_perf_has_pmu();
	if (strchr(program, '/') && access(program, F_OK) != 0)
		return plumb_model_check_program(program, NULL, diagnostics);
	if (perf.software && plumb_model_check_program(program, NULL, NULL) == 0)
		return plumb_model_open(&model, source, diagnostics);
	return plumb_perf_open(&perf, source, diagnostics);
}

/* Reads the names of events and metrics. */
static int read_events(const struct plumb_source *source, const char *text,
		       struct plumb_event_list **events, struct plumb_diagnostics *diagnostics)
{
	struct plumb_event_options options = {.size = sizeof(options)};

	plumb_source_fill_event_options(source, &options);

	int status = plumb_event_list_new(&options, events);

	return status == 0 ? plumb_event_list_add(*events, text, diagnostics) : status;
}

/* Plans which events are counted together. If they do not all fit, groups take turns. */
static int make_plan(const struct plumb_source *source, const struct plumb_event_list *events,
		     struct plumb_selection **selection, struct plumb_plan **plan,
		     struct plumb_diagnostics *diagnostics)
{
	const struct plumb_request request = {.size = sizeof(request), .events = events};
	struct plumb_plan_options options = {.size = sizeof(options)};
	int status = plumb_selection_new(plumb_source_spec(source), &request, selection);

	if (status < 0)
		return status;
	plumb_source_fill_plan_options(source, &options);
	return plumb_plan_new(*selection, &options, plan, diagnostics);
}

static void print(const struct plumb_result *result)
{
	const struct plumb_selection *selection = result->plan->selection;

	for (unsigned i = 0; i < selection->event_count; i++) {
		const struct plumb_event_count *event = &result->events[i];

		printf("%20.0f  %s\n", event->count.count, event->event->name);
	}
	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_metric *metric =
			&selection->spec->metrics[selection->metrics[i].metric];

		printf("%20.3f  %s (%s)\n", result->values[i].value, metric->name, metric->units);
	}
}

/* Runs the program and prints the counts. Returns the program's exit status, or an error. */
static int count(struct plumb_source *source, const struct plumb_plan *plan, char *const *argv,
		 struct plumb_diagnostics *diagnostics)
{
	const struct plumb_count_job job = {
		.size = sizeof(job), .plan = plan, .program = argv[0], .argv = argv};
	struct plumb_count_run run = {.size = sizeof(run)};
	struct plumb_count *counts = calloc(plan->place_count, sizeof(*counts));
	struct plumb_result *result = NULL;
	int status = plumb_result_new(plan, &result);

	if (status == 0 && !counts)
		status = PLUMB_ERR_NO_MEMORY;
	if (status == 0)
		status = plumb_source_count(source, &job, counts, &run, diagnostics);
	if (status == 0) {
		plumb_result_add(result, counts, true);
		print(result);
		printf("%20.6f  seconds, by %s\n", run.seconds,
		       plumb_source_label(source) ? "the model's clock" : "the clock");
		status = run.exit_status;
	}
	plumb_result_free(result);
	free(counts);
	return status;
}

/* Prints the errors and warnings, each with the file it is about and a hint. */
static void complain(const struct plumb_diagnostics *diagnostics, int status)
{
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		fprintf(stderr, "count: %s%s%s\n", d->file ? d->file : "", d->file ? ": " : "",
			d->message);
		if (d->hint)
			fprintf(stderr, "       %s\n", d->hint);
	}
	if (status < 0 && plumb_diagnostics_errors(diagnostics) == 0)
		fprintf(stderr, "count: %s\n", plumb_error_name(status));
}

int main(int argc, char **argv)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_selection *selection = NULL;
	struct plumb_event_list *events = NULL;
	struct plumb_source *source = NULL;
	struct plumb_plan *plan = NULL;

	if (argc < 3) {
		fprintf(stderr, "usage: count EVENTS PROGRAM [ARGUMENT...]\n");
		return 2;
	}

	int status = open_source(argv[2], &source, diagnostics);

	if (status == 0)
		status = read_events(source, argv[1], &events, diagnostics);
	if (status == 0)
		status = make_plan(source, events, &selection, &plan, diagnostics);
	if (status == 0)
		status = count(source, plan, argv + 2, diagnostics);
	complain(diagnostics, status);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	plumb_event_list_free(events);
	plumb_source_close(source);
	plumb_diagnostics_free(diagnostics);
	return status < 0 ? 1 : status;
}

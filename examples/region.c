/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts parts of this program itself: first sorting numbers in random order, then sorting the same
 * numbers again.
 *
 *     region                        time and page faults, on any machine
 *     region cycles,instructions    requires an Arm PMU
 *
 *     cc region.c $(pkg-config --cflags --libs plumb)
 */
#include <inttypes.h>
#include <plumb/perf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 1000000

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void fill(uint32_t *numbers)
{
	uint32_t state = 1;

	for (size_t i = 0; i < NUMBERS; i++) {
		state = state * 1664525 + 1013904223;
		numbers[i] = state >> 8;
	}
}

/* Prints the counts between begin and end. */
static int print(const struct plumb_plan *plan, const char *title, const struct plumb_count *counts)
{
	struct plumb_result *result = NULL;
	int status = plumb_result_new(plan, &result);

	if (status < 0)
		return status;
	plumb_result_add(result, counts, false);
	printf("%s\n", title);
	for (unsigned i = 0; i < plan->selection->event_count; i++)
		printf("%16.0f  %s\n", result->events[i].count.count,
		       result->events[i].event->name);
	plumb_result_free(result);
	return 0;
}

static int measure(struct plumb_source *source, const struct plumb_plan *plan,
		   struct plumb_diagnostics *diagnostics)
{
	struct plumb_count *counts = calloc(plan->place_count, sizeof(*counts));
	uint32_t *numbers = calloc(NUMBERS, sizeof(*numbers));
	struct plumb_region *region = NULL;
	uint64_t half = 0;
	bool directly = false;
	int status = counts && numbers ? plumb_region_open(source, plan, &region, diagnostics)
				       : PLUMB_ERR_NO_MEMORY;

	if (status == 0) {
		fill(numbers);
		plumb_region_begin(region);
		qsort(numbers, NUMBERS, sizeof(*numbers), by_value);
		plumb_region_end(region, counts);
		status = print(plan, "random order:", counts);
	}
	if (status == 0) {
		plumb_region_begin(region);
		qsort(numbers, NUMBERS / 2, sizeof(*numbers), by_value);
		status = plumb_region_read(region, 0, &half);
		directly = plumb_region_reads_directly(region, 0);
		qsort(numbers, NUMBERS, sizeof(*numbers), by_value);
		plumb_region_end(region, counts);
	}
	if (status == 0)
		status = print(plan, "sorted:", counts);
	if (status == 0)
		printf("%16" PRIu64 "  %s after the first half, read %s a system call\n", half,
		       plan->events[plan->groups[0].events[0]]->name, directly ? "without" : "by");
	plumb_region_close(region);
	free(numbers);
	free(counts);
	return status;
}

/* Returns a hint in this program's words where the library's is not for it, or NULL. */
static const char *hint_of(const struct plumb_diagnostic *d)
{
	/* The model runs programs, but cannot measure this process. */
	if (d->remedy && strncmp(d->remedy, "use-model", strlen("use-model")) == 0)
		return "use software events: region task-clock,page-faults";
	return d->hint;
}

/* Prints the errors and warnings, each with the file it is about and a hint. */
static void complain(const struct plumb_diagnostics *diagnostics, int status)
{
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		fprintf(stderr, "region: %s%s%s\n", d->file ? d->file : "", d->file ? ": " : "",
			d->message);
		if (hint_of(d))
			fprintf(stderr, "       %s\n", hint_of(d));
	}
	if (status < 0 && plumb_diagnostics_errors(diagnostics) == 0)
		fprintf(stderr, "region: %s\n", plumb_error_name(status));
}

int main(int argc, char **argv)
{
	struct plumb_perf_options perf = {.size = sizeof(perf), .software = !plumb_perf_has_pmu()};
	struct plumb_event_options event_options = {.size = sizeof(event_options)};
	struct plumb_plan_options plan_options = {.size = sizeof(plan_options)};
	struct plumb_request request = {.size = sizeof(request)};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_selection *selection = NULL;
	struct plumb_event_list *events = NULL;
	struct plumb_source *source = NULL;
	struct plumb_plan *plan = NULL;
	int status = plumb_perf_open(&perf, &source, diagnostics);

	if (status == 0) {
		plumb_source_fill_event_options(source, &event_options);
		plumb_source_fill_plan_options(source, &plan_options);
		status = plumb_event_list_new(&event_options, &events);
	}
	if (status == 0)
		status = plumb_event_list_add(events, argc > 1 ? argv[1] : "task-clock,page-faults",
					      diagnostics);
	if (status == 0) {
		request.events = events;
		status = plumb_selection_new(plumb_source_spec(source), &request, &selection);
	}
	if (status == 0)
		status = plumb_plan_new(selection, &plan_options, &plan, diagnostics);
	if (status == 0)
		status = measure(source, plan, diagnostics);
	complain(diagnostics, status);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	plumb_event_list_free(events);
	plumb_source_close(source);
	plumb_diagnostics_free(diagnostics);
	return status < 0;
}

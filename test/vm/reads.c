/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts its own instructions with the library, and reads them meanwhile. Prints whether that takes
 * no system call, how many instructions a read takes, how many a loop has besides one that is
 * shorter by 2 * LOOP instructions, and how many there are between the last read and the end.
 */
#include <inttypes.h>
#include <plumb/perf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EVENTS "{INST_RETIRED:u,CPU_CYCLES:u}"
#define LOOP   100000
#define PLACES 2

/* Returns what is counted from a read before a loop of two instructions per turn to one after it.
 */
static uint64_t count_loop(const struct plumb_region *region, uint64_t turns, int *error)
{
	uint64_t before = 0, after = 0;

	*error |= plumb_region_read(region, 0, &before);
	__asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
	*error |= plumb_region_read(region, 0, &after);
	return after - before;
}

static int measure(struct plumb_region *region)
{
	struct plumb_count counts[PLACES];
	uint64_t first = 0, second = 0, brief, longer, last = 0, cycles = 0;
	bool direct;
	int error = 0;

	plumb_region_begin(region);
	/* The first reads touch what is not in memory yet. */
	(void)count_loop(region, 1, &error);
	direct = plumb_region_reads_directly(region, 0) && plumb_region_reads_directly(region, 1);
	error |= plumb_region_read(region, 0, &first);
	error |= plumb_region_read(region, 0, &second);
	brief = count_loop(region, 1, &error);
	longer = count_loop(region, 1 + LOOP, &error);
	error |= plumb_region_read(region, 1, &cycles);
	error |= plumb_region_read(region, 0, &last);
	plumb_region_end(region, counts);
	printf("{\"direct\": %s, \"read\": %" PRIu64 ", \"loop\": %" PRIu64 ", \"cycles\": %" PRIu64
	       ", \"end\": %.0f}\n",
	       direct ? "true" : "false", second - first, longer - brief, cycles,
	       counts[0].count - (double)last);
	return error;
}

int main(void)
{
	struct plumb_perf_options perf = {.size = sizeof(perf)};
	struct plumb_event_options event_options = {.size = sizeof(event_options)};
	struct plumb_plan_options plan_options = {.size = sizeof(plan_options)};
	struct plumb_request request = {.size = sizeof(request)};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_selection *selection = NULL;
	struct plumb_event_list *events = NULL;
	struct plumb_region *region = NULL;
	struct plumb_source *source = NULL;
	struct plumb_plan *plan = NULL;
	int error = plumb_perf_open(&perf, &source, diagnostics);

	if (error == 0) {
		plumb_source_fill_event_options(source, &event_options);
		plumb_source_fill_plan_options(source, &plan_options);
		error = plumb_event_list_new(&event_options, &events);
	}
	if (error == 0)
		error = plumb_event_list_add(events, EVENTS, diagnostics);
	if (error == 0) {
		request.events = events;
		error = plumb_selection_new(plumb_source_spec(source), &request, &selection);
	}
	if (error == 0)
		error = plumb_plan_new(selection, &plan_options, &plan, diagnostics);
	if (error == 0 && plan->place_count != PLACES)
		error = PLUMB_ERR_INVALID;
	if (error == 0)
		error = plumb_region_open(source, plan, &region, diagnostics);
	if (error == 0)
		error = measure(region);
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		fprintf(stderr, "reads: %s\n", plumb_diagnostics_get(diagnostics, i)->message);
	plumb_region_close(region);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	plumb_event_list_free(events);
	plumb_source_close(source);
	plumb_diagnostics_free(diagnostics);
	return error != 0;
}

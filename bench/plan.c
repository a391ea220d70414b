/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the groups needed to count every metric of a CPU, with six counters and the cycle counter
 * and the events of each metric together. Compares with topdown-tool's figures, and with a lower
 * bound: all distinct events, distributed freely.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plumb/count.h>

#define COUNTERS 6
#define RUNS     20

/* The groups that topdown-tool needs; not run here, because it counts only on Arm machines. */
static const struct {
	const char *cpu;
	unsigned groups;
} peer[] = {
	{"neoverse-n1-r4p1", 9},
	{"neoverse-n3-r0p0", 18},
	{"neoverse-v2-r0p0", 14},
	{"c1-ultra-r0p0", 45},
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static struct plumb_selection *select_all(const struct plumb_spec *spec)
{
	uint16_t *metrics = calloc(spec->metric_count, sizeof(*metrics));
	struct plumb_selection *selection = NULL;

	for (uint16_t m = 0; metrics && m < spec->metric_count; m++)
		metrics[m] = m;
	if (metrics)
		plumb_selection_new(
			spec,
			&(struct plumb_request){.size = sizeof(struct plumb_request),
						.metrics = {metrics, spec->metric_count}},
			&selection);
	free(metrics);
	return selection;
}

static const char *peer_groups(const char *cpu, char text[16])
{
	snprintf(text, 16, "-");
	for (size_t i = 0; i < sizeof(peer) / sizeof(*peer); i++)
		if (strcmp(peer[i].cpu, cpu) == 0)
			snprintf(text, 16, "%u", peer[i].groups);
	return text;
}

static int plan_cpu(const struct plumb_spec *spec)
{
	const struct plumb_plan_options options = {
		.size = sizeof(options), .counters = COUNTERS, .cycle_counter = true};
	struct plumb_selection *selection = select_all(spec);
	struct plumb_plan *plan = NULL;
	double best = 1e9;
	unsigned events = 0;
	char text[16];

	for (int i = 0; selection && i < RUNS; i++) {
		double start = now_ms(), took;

		plumb_plan_free(plan);
		if (plumb_plan_new(selection, &options, &plan, NULL) < 0)
			plan = NULL;
		took = now_ms() - start;
		best = took < best ? took : best;
	}
	for (uint16_t i = 0; plan && i < plan->event_count; i++)
		events += plan->events[i]->config != PLUMB_CODE_CYCLES;
	if (plan)
		printf("%-18s %7u %7u %8u %13s %7u %8.2f\n", spec->id, spec->metric_count, events,
		       plan->group_count, peer_groups(spec->id, text),
		       (events + COUNTERS - 1) / COUNTERS, best);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	return plan ? 0 : 1;
}

int main(void)
{
	int failed = 0;

	printf("%-18s %7s %7s %8s %13s %7s %8s\n", "cpu", "metrics", "events", "groups",
	       "topdown-tool", "no less", "ms");
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++)
		failed |= plan_cpu(plumb_spec_builtin(i));
	return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the groups needed to count every metric of a CPU, for machines with few counters and with
 * many, with a cycle counter and without. Columns:
 *
 *     split     metrics with more events than there are counters, so that no group has them all
 *     groups    of the plan
 *     known     the fewest that the proof's own search found
 *     bound     no plan has fewer; equal to `groups`: the plan is minimal
 *     by count  a weaker bound: distinct events by counters
 *     ms        the shortest time that a plan took
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plumb/count.h>

#include "count/plan.h"
#include "fewest.h"

#define RUNS  5
#define NODES 12 /* more prove more and take minutes; see main() */

static size_t nodes = NODES;

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

/* The peer's groups, for the machine that it was measured for. */
static const char *peer_groups(const char *cpu, const struct plumb_plan_options *options,
			       char text[16])
{
	snprintf(text, 16, "-");
	for (size_t i = 0; i < sizeof(peer) / sizeof(*peer); i++)
		if (strcmp(peer[i].cpu, cpu) == 0 && options->counters == 6 &&
		    options->cycle_counter)
			snprintf(text, 16, "%u", peer[i].groups);
	return text;
}

/* Makes a plan several times. Returns the last, and sets `*best_ms` to the shortest time. */
static struct plumb_plan *plan_often(const struct plumb_selection *selection,
				     const struct plumb_plan_options *options, double *best_ms)
{
	struct plumb_plan *plan = NULL;

	for (int i = 0; i < RUNS; i++) {
		double start = now_ms(), took;

		plumb_plan_free(plan);
		if (plumb_plan_new(selection, options, &plan, NULL) < 0)
			return NULL;
		took = now_ms() - start;
		*best_ms = i == 0 || took < *best_ms ? took : *best_ms;
	}
	return plan;
}

static int plan_machine(const struct plumb_selection *selection,
			const struct plumb_plan_options *options)
{
	const char *cpu = selection->spec->id;
	double best_ms = 0, start;
	struct plumb_plan *plan = plan_often(selection, options, &best_ms);
	unsigned events = 0, split = 0;
	struct fewest fewest;
	char text[16];
	int failed = 1;

	if (!plan)
		return 1;
	for (uint16_t i = 0; i < plan->event_count; i++)
		events += plan->events[i]->config != PLUMB_CODE_CYCLES || !options->cycle_counter;
	for (size_t i = 0; i < selection->metric_count; i++)
		split += plan_home(plan, i) == PLUMB_NONE;
	start = now_ms();
	if (fewest_find(plan_of(plan)->items, plan_of(plan)->item_count, options->counters,
			plan->group_count, nodes, &fewest)) {
		printf("%-18s %6u%-7s %6u %6u %6zu %6zu %8u %12s %6.2f %9.0f\n", cpu,
		       options->counters, options->cycle_counter ? "+cycles" : "", split,
		       plan->group_count, fewest.needed, fewest.bound,
		       (events + options->counters - 1) / options->counters,
		       peer_groups(cpu, options, text), best_ms, now_ms() - start);
		failed = 0;
	}
	plumb_plan_free(plan);
	fflush(stdout);
	return failed;
}

static int plan_cpu(const struct plumb_spec *spec)
{
	static const unsigned counters[] = {2, 3, 4, 6};
	struct plumb_selection *selection = select_all(spec);
	int failed = !selection;

	for (size_t k = 0; selection && k < 8; k++)
		failed |= plan_machine(selection, &(struct plumb_plan_options){
							  .size = sizeof(struct plumb_plan_options),
							  .counters = counters[k / 2],
							  .cycle_counter = k % 2 == 0});
	plumb_selection_free(selection);
	return failed;
}

/*
 * Plans for the CPU that is named, or for those that the peer was measured for. A number after it
 * limits the nodes of the search for a proof.
 */
int main(int count, char **arguments)
{
	int failed = 0;

	if (count > 2)
		nodes = strtoul(arguments[2], NULL, 10);
	printf("%-18s %13s %6s %6s %6s %6s %8s %12s %6s %9s\n", "cpu", "counters", "split",
	       "groups", "known", "bound", "by count", "topdown-tool", "ms", "proof ms");
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);
		bool wanted = false;

		for (size_t k = 0; count < 2 && k < sizeof(peer) / sizeof(*peer); k++)
			wanted |= strcmp(spec->id, peer[k].cpu) == 0;
		if (wanted || (count > 1 && strcmp(spec->id, arguments[1]) == 0))
			failed |= plan_cpu(spec);
	}
	return failed;
}

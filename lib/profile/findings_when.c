/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/findings_when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PARTS 4    /* fewer intervals tell nothing of the time */
#define LEAST_TIMES 2    /* a range has at least this many times the share of the rest */
#define LEAST_GAP   10   /* percentage points that it has more */
#define MOST_WEIGHT 0.9  /* of the run: a loss with as much is there throughout */
#define LEAST_KNOWN 0.5  /* of the run: with less, nothing is said */
#define LEAST_ABOVE 1    /* percent of the slots that a node above an unknown one has */
#define CPU_CYCLES  0x11 /* the event's code */

/* ---- dividing ---------------------------------------------------------------------------------
 */

struct means {
	double weight, sum;
};

static void add(struct means *to, const struct when_part *part)
{
	to->weight += part->weight;
	to->sum += part->weight * part->share;
}

static double mean(const struct means *of)
{
	return of->weight > 0 ? of->sum / of->weight : NAN;
}

static int compare_shares(const void *a, const void *b)
{
	const struct when_part *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

/* Sorts by share, and returns how many parts come before the best place to divide them. */
static size_t divide(struct when_part *known, size_t count, const struct means *all)
{
	struct means high = {0};
	double best = -1;
	size_t divided = count;

	qsort(known, count, sizeof(*known), compare_shares);
	for (size_t i = 0; i + 1 < count; i++) {
		struct means low;
		double gap, between;

		add(&high, &known[i]);
		if (known[i].share == known[i + 1].share)
			continue;
		low = (struct means){all->weight - high.weight, all->sum - high.sum};
		gap = mean(&high) - mean(&low);
		/* Otsu's criterion: the variance between two classes. */
		between = high.weight * low.weight * gap * gap;
		if (between > best) {
			best = between;
			divided = i + 1;
		}
	}
	return divided;
}

/* Sets the ranges of neighbours with at least this share. */
static void set_ranges(const struct when_part *parts, size_t count, double least,
		       struct plumb_finding_when *when)
{
	bool open = false;

	for (size_t i = 0; i < count; i++) {
		const bool high = parts[i].share >= least;

		if (high && !open && when->range_count++ < PLUMB_RANGES_MAX)
			when->ranges[when->range_count - 1].from = parts[i].from;
		if (high && when->range_count <= PLUMB_RANGES_MAX)
			when->ranges[when->range_count - 1].to = parts[i].to;
		open = high;
	}
}

int when_divide(const struct when_part *parts, size_t count, struct plumb_finding_when *when)
{
	struct when_part *known = calloc(count + 1, sizeof(*known));
	struct means all = {0}, high = {0}, low = {0};
	size_t known_count = 0, divided;
	double run = 0;

	*when = (struct plumb_finding_when){.slots = NAN, .elsewhere = NAN};
	if (!known)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		run += parts[i].weight;
		if (isnan(parts[i].share) || !(parts[i].weight > 0))
			continue;
		add(&all, &parts[i]);
		known[known_count++] = parts[i];
	}
	when->known = known_count >= LEAST_PARTS && all.weight >= LEAST_KNOWN * run;
	if (when->known) {
		divided = divide(known, known_count, &all);
		for (size_t i = 0; i < known_count; i++)
			add(i < divided ? &high : &low, &known[i]);
		when->throughout = divided == known_count ||
				   high.weight >= MOST_WEIGHT * all.weight ||
				   mean(&high) - mean(&low) < LEAST_GAP ||
				   mean(&high) < LEAST_TIMES * mean(&low);
		when->slots = mean(when->throughout ? &all : &high);
		if (!when->throughout) {
			when->elsewhere = mean(&low);
			set_ranges(parts, count, known[divided - 1].share, when);
		}
	}
	free(known);
	return 0;
}

/* ---- a run ------------------------------------------------------------------------------------
 */

/* Returns the cycles of an interval, or its seconds if they were not counted. */
static double weigh(const struct plumb_result *result,
		    const struct plumb_finding_interval *interval)
{
	const uint16_t event = plumb_plan_event(result->plan, CPU_CYCLES);

	if (event != PLUMB_NONE && result->events[event].count.count > 0)
		return result->events[event].count.count;
	return interval->to - interval->from;
}

/* Returns which selected metric is a node, the first with known slots; SIZE_MAX: none. */
static size_t find(const struct plumb_result *result, const struct plumb_diagnosis *diagnosis,
		   uint16_t metric)
{
	const struct plumb_selection *selection = result->plan->selection;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < selection->metric_count; i++) {
		if (selection->metrics[i].metric != metric)
			continue;
		if (!isnan(diagnosis->slots[i]))
			return i;
		if (found == SIZE_MAX)
			found = i;
	}
	return found;
}

/*
 * Returns the slots of a node, as the diagnosis has them. If the nodes above lose nothing, it is a
 * share of nothing there; but it cannot lose more than they do.
 */
static double slots_of(const struct plumb_result *result, const struct plumb_diagnosis *diagnosis,
		       uint16_t metric)
{
	size_t at = find(result, diagnosis, metric);

	for (unsigned depth = 0; at != SIZE_MAX && depth < PLUMB_PATH_MAX; depth++) {
		const double slots = diagnosis->slots[at];

		if (!isnan(slots))
			return !depth || slots < LEAST_ABOVE ? slots : NAN;
		metric = result->plan->selection->metrics[at].parent;
		at = metric == PLUMB_NONE ? SIZE_MAX : find(result, diagnosis, metric);
	}
	return NAN;
}

/* Fills a row of `parts` for each loss. */
static int fill(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
		const struct plumb_finding_interval *interval, size_t count, size_t i,
		struct when_part *parts)
{
	struct plumb_result *result;
	struct plumb_diagnosis *of = NULL;
	int error = plumb_result_new(counted->plan, &result);

	if (error == 0) {
		plumb_result_add(result, interval->counts, false);
		error = plumb_diagnose(result, &of);
	}
	for (unsigned loss = 0; error == 0 && loss < diagnosis->loss_count; loss++)
		parts[loss * count + i] = (struct when_part){
			.from = interval->from,
			.to = interval->to,
			.weight = weigh(result, interval),
			.share = slots_of(result, of, diagnosis->losses[loss].metric)};
	plumb_diagnosis_free(of);
	plumb_result_free(result);
	return error;
}

/* Returns whether no other loss has the same node, so that the node's slots are its own. */
static bool is_alone(const struct plumb_diagnosis *diagnosis, unsigned loss)
{
	for (unsigned i = 0; i < diagnosis->loss_count; i++)
		if (i != loss && diagnosis->losses[i].metric == diagnosis->losses[loss].metric)
			return false;
	return true;
}

int when_find(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
	      const struct plumb_finding_interval *intervals, size_t count,
	      struct plumb_finding_when when[PLUMB_LOSSES_MAX])
{
	struct when_part *parts = calloc(count * diagnosis->loss_count + 1, sizeof(*parts));
	int error = parts ? 0 : PLUMB_ERR_NO_MEMORY;

	for (size_t i = 0; error == 0 && i < count; i++)
		error = fill(counted, diagnosis, &intervals[i], count, i, parts);
	for (unsigned loss = 0; error == 0 && loss < diagnosis->loss_count; loss++)
		if (is_alone(diagnosis, loss))
			error = when_divide(parts + loss * count, count, &when[loss]);
	free(parts);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the functions of an annotation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/annotation.h"
#include "profile/estimate.h"
#include "profile/function_times.h"
#include "symbol/symbolizer.h"

/* Functions with at least this share of the records are replayed, as many at most. */
#define REPLAYED_LEAST 0.005
#define REPLAYED_MAX   16
/* Others are timed from so many records on. */
#define TIMED_LEAST 8

/*
 * If fewer of the records are in functions with known bounds, the others are too many to be taken
 * to cost as much as these, and latencies weigh instead.
 */
#define BOUNDED_LEAST 0.5

/* What an access beyond L1D is taken to cost if no record tells. */
#define FAR_CYCLES 100

/* Exact counts say most, and SPE records more than samples of an event. */
static void choose_basis(struct plumb_annotation *annotation)
{
	struct plumb_annotation_summary *summary = &annotation->summary;

	for (uint32_t i = 0; i < annotation->series_count; i++) {
		const struct series *series = &annotation->series[i];

		if (summary->basis == PLUMB_BASIS_NONE || series->basis < summary->basis)
			summary->basis = series->basis;
	}
	summary->windows = (uint64_t)annotation->grouping.windows;
	if (summary->basis != PLUMB_BASIS_EVENT)
		return;
	/* The first event of the recording; there are others only if several were sampled. */
	for (uint32_t i = 0; i < annotation->series_count && !summary->event; i++)
		if (annotation->series[i].kind == SERIES_WEIGHT)
			summary->event = annotation->series[i].name;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->file, (uintptr_t)y->file);

	if (order == 0)
		order = compare_numbers((uintptr_t)x->symbol, (uintptr_t)y->symbol);
	if (order == 0)
		order = compare_numbers(x->address, y->address);
	return order ? order : compare_numbers(x->series, y->series);
}

/* The heaviest first; equal ones by name, so that the order does not depend on addresses here. */
static int compare_functions(const void *a, const void *b)
{
	const struct plumb_annotated_function *x = &((const struct ranked *)a)->public;
	const struct plumb_annotated_function *y = &((const struct ranked *)b)->public;
	int order;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	order = strcmp(plumb_symbol_name(x->symbol), plumb_symbol_name(y->symbol));
	return order ? order
		     : compare_numbers(plumb_symbol_start(x->symbol),
				       plumb_symbol_start(y->symbol));
}

static int compare_retired(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->retired != y->retired ? (x->retired > y->retired ? -1 : 1)
					: compare_functions(a, b);
}

/* Returns the share of the records that are in functions with known bounds. */
static double bounded_share(const struct ranked *functions, size_t count, double retired)
{
	double bounded = 0;

	for (size_t i = 0; i < count; i++)
		bounded += functions[i].retired;
	return retired > 0 ? bounded / retired : 0;
}

/*
 * How far costs are usually off: those of short functions that a program goes to and fro between,
 * since each is replayed by itself, and those of code that was not replayed.
 */
#define REPLAY_ERROR  0.5
#define AVERAGE_ERROR 0.6

/*
 * What is replayed; then those that have enough records for a time; and all other functions as one
 * more. Both of these have the average cost of the first.
 */
struct costs {
	struct timed_function functions[FUNCTION_TIMES_MAX];
	bool averaged[FUNCTION_TIMES_MAX]; /* no replay tells the slots */
	size_t count;
	double usual; /* slots of a record on average */
};

/*
 * Multiplies the slots of functions such that they are in proportion to the functions' times. The
 * sum of those that were timed stays.
 */
static void weigh_by_times(struct costs *costs)
{
	double time = 0, sum = 0;

	for (size_t i = 0; i < costs->count; i++) {
		if (!(costs->functions[i].ticks > 0))
			continue;
		time += costs->functions[i].ticks;
		sum += costs->functions[i].slots;
	}
	for (size_t i = 0; i < costs->count; i++)
		if (costs->functions[i].ticks > 0)
			costs->functions[i].slots = costs->functions[i].ticks * sum / time;
}

/*
 * Returns the variance of a function's share in those that it is timed with; `i` is the one that it
 * belongs to, `part` its part of the slots of that one.
 */
static double variance_within(const struct costs *costs, size_t i, double part, double records,
			      double all)
{
	const double share = part * costs->functions[i].slots / all;
	double variance = 0;

	for (size_t j = 0; j < costs->count; j++) {
		const struct timed_function *function = &costs->functions[j];
		const double error = costs->averaged[j] ? AVERAGE_ERROR : REPLAY_ERROR;
		const double weight = function->slots / all, rest = weight - (j == i ? share : 0);

		if (function->together != costs->functions[i].together)
			continue;
		if (j == i)
			variance += pow((1 - share) * share, 2) * (1 / records + error * error);
		if (rest > 0)
			variance += pow(share * rest, 2) *
				    (1 / fmax(1, function->records - (j == i ? records : 0)) +
				     error * error);
	}
	return variance;
}

/* Sets the interval of a function's share, as variance_within() has it. */
static void find_share(const struct plumb_annotation *annotation, const struct costs *costs,
		       struct ranked *function, size_t i, double part)
{
	const double whole = annotation->summary.weight, share = function->public.weight / whole;
	const size_t together = costs->functions[i].together;
	double all[FUNCTION_TIMES_MAX] = {0}, group, variance = 0, records = 0, executed;
	struct estimate estimate;

	if (!(share > 0))
		return;
	for (size_t j = 0; j < costs->count; j++) {
		all[costs->functions[j].together] += costs->functions[j].slots;
		if (costs->functions[j].together == together)
			records += costs->functions[j].records;
	}
	group = all[together] / whole;
	for (size_t j = 0; j < costs->count; j++) {
		const struct timed_function *other = &costs->functions[j];
		double relative = other->variance;

		/* Each group once. */
		if (other->together != j)
			continue;
		if (!(other->ticks > 0))
			relative = 1 / fmax(1, other->records) + REPLAY_ERROR * REPLAY_ERROR;
		variance += pow(((j == together) - group) * all[j] / whole, 2) * relative;
	}
	variance *= pow(share / group, 2);
	variance +=
		group * group * variance_within(costs, i, part, function->records, all[together]);
	estimate = estimate_share_by_variance(share, variance, annotation->summary.samples);
	function->low = estimate.low;
	function->high = estimate.high;
	if (!(records > function->records))
		return;
	/* Work of one function may hide what another waits for: then each takes what it executes.
	 */
	executed = group * function->records / records;
	estimate = estimate_share_by_variance(executed, variance * pow(executed / share, 2),
					      annotation->summary.samples);
	function->low = fmin(function->low, estimate.low);
	function->high = fmax(function->high, estimate.high);
}

/* Replays the functions with most records, and sets what all cost. */
static int replay_functions(struct plumb_annotation *annotation, size_t count, double retired,
			    struct costs *costs)
{
	struct ranked *functions = annotation->functions;
	double sum = 0, records = 0, rest = (double)annotation->summary.samples;
	size_t replayed = 0;

	while (replayed < count && replayed < REPLAYED_MAX &&
	       functions[replayed].retired >= REPLAYED_LEAST * retired) {
		struct timed_function *cost = &costs->functions[replayed];
		double slots = NAN;
		int error = annotation_slots(annotation, &functions[replayed], &slots);

		if (error < 0 && error != PLUMB_ERR_LIMIT)
			return error;
		*cost = (struct timed_function){.symbol = functions[replayed].public.symbol,
						.records = functions[replayed].records,
						.ticks = functions[replayed].ticks};
		rest -= cost->records;
		costs->averaged[replayed] = error < 0 || !(slots > 0);
		if (!costs->averaged[replayed]) {
			cost->slots = slots;
			sum += slots;
			records += functions[replayed].retired;
		}
		replayed++;
	}
	costs->usual = records > 0 ? sum / records : 0;
	costs->count = replayed;
	while (costs->count < count && costs->count < FUNCTION_TIMES_MAX - 1 &&
	       functions[costs->count].retired >= TIMED_LEAST) {
		const struct ranked *function = &functions[costs->count];

		costs->averaged[costs->count] = true;
		costs->functions[costs->count++] =
			(struct timed_function){.symbol = function->public.symbol,
						.records = function->records,
						.slots = function->retired * costs->usual};
		rest -= function->records;
		retired -= function->retired;
	}
	for (size_t i = 0; i < replayed; i++) {
		if (costs->averaged[i])
			costs->functions[i].slots = functions[i].retired * costs->usual;
		retired -= functions[i].retired;
	}
	costs->averaged[costs->count] = true;
	costs->functions[costs->count++] = (struct timed_function){
		.records = fmax(0, rest), .slots = fmax(0, retired) * costs->usual};
	return 0;
}

/*
 * Weighs functions by the slots that they cost instead of their latencies. Those with most records
 * are replayed; records of others, and those without a function, are taken to cost as much as these
 * on average. Timestamps correct both.
 */
static int weigh_by_slots(struct plumb_annotation *annotation, size_t count, double retired)
{
	struct ranked *functions = annotation->functions;
	struct costs costs = {0};
	size_t others;
	int error;

	if (bounded_share(functions, count, retired) < BOUNDED_LEAST)
		return 0;
	qsort(functions, count, sizeof(*functions), compare_retired);
	error = replay_functions(annotation, count, retired, &costs);
	if (error < 0 || !(costs.usual > 0))
		return error;
	error = function_times_find(&annotation->times, costs.functions, costs.count);
	if (error < 0)
		return error;
	weigh_by_times(&costs);
	others = costs.count - 1;
	annotation->summary.weight = 0;
	for (size_t i = 0; i < costs.count; i++)
		annotation->summary.weight += costs.functions[i].slots;
	for (size_t i = 0; i < count; i++) {
		const struct timed_function *cost = &costs.functions[i < others ? i : others];
		const double part = i < others ? 1 : functions[i].records / cost->records;

		functions[i].public.weight = part > 0 ? cost->slots * part : 0;
		find_share(annotation, &costs, &functions[i], i < others ? i : others, part);
	}
	annotation->summary.replayed = true;
	return 0;
}

static int list_functions(struct plumb_annotation *annotation)
{
	struct plumb_annotation_summary *summary = &annotation->summary;
	const struct cell *cells = annotation->cells;
	const struct plumb_event_attr *attr;
	struct ranked *function = NULL;
	double retired = 0, most = 0;
	size_t count = 0;
	int error = 0;

	for (size_t i = 0; i < annotation->cell_count; i++)
		count += i == 0 || cells[i].symbol != cells[i - 1].symbol ||
			 cells[i].file != cells[i - 1].file;
	annotation->functions = calloc(count + 1, sizeof(*annotation->functions));
	if (!annotation->functions)
		return PLUMB_ERR_NO_MEMORY;
	count = 0;
	for (size_t i = 0; i < annotation->cell_count; i++) {
		const struct cell *cell = &cells[i];

		if (series_weighs(&annotation->series[cell->series], summary))
			summary->weight += cell->sum;
		if (annotation->series[cell->series].kind == SERIES_RETIRED)
			retired += cell->sum;
		if (!cell->symbol)
			continue;
		if (!function || function->public.symbol != cell->symbol ||
		    function->public.file != cell->file) {
			function = &annotation->functions[count++];
			function->public.symbol = cell->symbol;
			function->public.file = cell->file;
			function->first = i;
			function->low = function->high = NAN;
		}
		function->count++;
		if (series_weighs(&annotation->series[cell->series], summary))
			function->public.weight += cell->sum;
		if (annotation->series[cell->series].kind == SERIES_RETIRED)
			function->retired += cell->sum;
		if (annotation->series[cell->series].kind == SERIES_TOTAL_LATENCY)
			function->records += cell->samples;
	}
	annotation->functions_in_all = count;
	for (size_t i = 0; i < count; i++)
		most = fmax(most, annotation->functions[i].public.weight);
	annotation_find_unknown(annotation, most);
	attr = profile_spe_attr(annotation->recording); /* known once records were read */
	annotation->filtered =
		annotation->options.filtered || (attr && profile_spe_is_filtered(attr));
	if (summary->basis == PLUMB_BASIS_LATENCY && !annotation->filtered)
		error = weigh_by_slots(annotation, count, retired);
	if (error < 0)
		return error;
	qsort(annotation->functions, count, sizeof(*annotation->functions), compare_functions);
	for (size_t i = 0; i < count; i++)
		annotation->functions[i].public.share =
			annotation->functions[i].public.weight / summary->weight;
	while (count && annotation->functions[count - 1].public.weight == 0)
		count--;
	summary->function_count = count;
	return 0;
}

/* Computes the mean of each series; those of unfinished operations take it from the finished. */
static int find_means(struct plumb_annotation *annotation)
{
	double *sums = calloc(annotation->series_count + 1, sizeof(*sums));

	annotation->usual = sums;
	if (!sums)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < annotation->cell_count; i++) {
		const struct cell *cell = &annotation->cells[i];

		if (annotation->series[cell->series].kind != SERIES_OFFSETS)
			sums[cell->series] += cell->sum;
	}
	for (uint32_t i = 0; i < annotation->series_count; i++)
		sums[i] /= (double)annotation->series[i].samples;
	for (uint32_t i = 0; i < annotation->series_count; i++) {
		if (annotation->series[i].kind != SERIES_ENDLESS)
			continue;
		/* Not one of them has finished: it was none that L1D had. */
		sums[i] = strcmp(annotation->series[i].name, "execution") == 0 ||
					  strcmp(annotation->series[i].name, "L1D") == 0
				  ? 1
				  : FAR_CYCLES;
		for (uint32_t j = 0; j < annotation->series_count; j++)
			if (annotation->series[j].kind == SERIES_CAUSE &&
			    annotation->series[j].basis == PLUMB_BASIS_LATENCY &&
			    strcmp(annotation->series[j].name, annotation->series[i].name) == 0)
				sums[i] = sums[j];
	}
	return 0;
}

int plumb_annotation_finish(struct plumb_annotation *annotation)
{
	struct plumb_annotation_summary *summary = &annotation->summary;

	choose_basis(annotation);
	loop_times_sort(&annotation->times);
	if (find_means(annotation) < 0)
		return PLUMB_ERR_NO_MEMORY;
	summary->without = annotation->without;
	summary->given_up = annotation->given_up;
	for (uint32_t i = 0; i < annotation->series_count; i++) {
		const struct series *series = &annotation->series[i];

		summary->latencies |= series->kind == SERIES_TOTAL_LATENCY;
		if (series_weighs(series, summary) && summary->basis != PLUMB_BASIS_SLOTS)
			summary->samples += series->samples;
	}
	if (annotation->cell_count)
		qsort(annotation->cells, annotation->cell_count, sizeof(*annotation->cells),
		      compare_cells);
	for (size_t i = 0; !annotation->groups_are_missing && i < annotation->cell_count; i++)
		if (!groups_add_all(&annotation->groups, annotation->cells[i].groups))
			return PLUMB_ERR_NO_MEMORY;
	return list_functions(annotation);
}

void plumb_annotation_summary(const struct plumb_annotation *annotation,
			      struct plumb_annotation_summary *summary)
{
	*summary = annotation->summary;
}

/* Sets the interval of a function's share, from what its instructions have by group of windows. */
static void find_interval(const struct plumb_annotation *annotation, const struct ranked *ranked,
			  struct plumb_annotated_function *function)
{
	double sums[GROUPS_ROOM] = {0};
	struct plumb_profile_estimate share;

	function->low = ranked->low;
	function->high = ranked->high;
	if (!annotation->groups)
		return;
	for (size_t i = ranked->first; i < ranked->first + ranked->count; i++)
		for (unsigned g = 0; annotation->cells[i].groups && g < GROUPS_ROOM; g++)
			sums[g] += annotation->cells[i].groups[g];
	share = groups_share(&annotation->grouping, sums, annotation->groups);
	function->low = share.low;
	function->high = share.high;
}

bool plumb_annotation_function(const struct plumb_annotation *annotation, size_t i,
			       struct plumb_annotated_function *function)
{
	if (i >= annotation->summary.function_count)
		return false;
	*function = annotation->functions[i].public;
	find_interval(annotation, &annotation->functions[i], function);
	return true;
}

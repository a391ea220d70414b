/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the functions of an annotation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/annotation.h"
#include "symbol/symbolizer.h"

/* Functions with at least this share of the records are replayed, as many at most. */
#define REPLAYED_LEAST 0.02
#define REPLAYED_MAX   16

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
 * Multiplies the slots of functions such that they are in proportion to the functions' times. The
 * sum of those that were timed stays. Functions that could not be replayed begin with `usual` slots
 * for each record.
 */
static void weigh_by_times(const struct ranked *functions, double *slots, size_t count,
			   double usual)
{
	double time = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(slots[i] > 0))
			slots[i] = functions[i].retired * usual;
		if (!(functions[i].ticks > 0))
			continue;
		time += functions[i].ticks;
		sum += slots[i];
	}
	for (size_t i = 0; i < count; i++)
		if (functions[i].ticks > 0)
			slots[i] = functions[i].ticks * sum / time;
}

/*
 * Weighs functions by the slots that they cost instead of their latencies. Those with most records
 * are replayed; records of others, and those without a function, are taken to cost as much as these
 * on average.
 */
static int weigh_by_slots(struct plumb_annotation *annotation, size_t count, double retired)
{
	struct ranked *functions = annotation->functions;
	double slots[REPLAYED_MAX], sum = 0, records = 0;
	size_t replayed = 0;

	if (bounded_share(functions, count, retired) < BOUNDED_LEAST)
		return 0;
	qsort(functions, count, sizeof(*functions), compare_retired);
	while (replayed < count && replayed < REPLAYED_MAX &&
	       functions[replayed].retired >= REPLAYED_LEAST * retired) {
		int error = annotation_slots(annotation, &functions[replayed], &slots[replayed]);

		if (error < 0 && error != PLUMB_ERR_LIMIT)
			return error;
		if (error == 0 && slots[replayed] > 0) {
			sum += slots[replayed];
			records += functions[replayed].retired;
		} else {
			slots[replayed] = NAN;
		}
		replayed++;
	}
	if (!(records > 0))
		return 0;
	weigh_by_times(functions, slots, replayed, sum / records);
	for (size_t i = 0; i < count; i++)
		functions[i].public.weight =
			i < replayed ? slots[i] : functions[i].retired * sum / records;
	annotation->summary.weight = 0;
	for (size_t i = 0; i < count; i++) {
		annotation->summary.weight += functions[i].public.weight;
		retired -= functions[i].retired;
	}
	annotation->summary.weight += retired * sum / records;
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
		}
		function->count++;
		if (series_weighs(&annotation->series[cell->series], summary))
			function->public.weight += cell->sum;
		if (annotation->series[cell->series].kind == SERIES_RETIRED)
			function->retired += cell->sum;
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

	function->low = function->high = NAN;
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

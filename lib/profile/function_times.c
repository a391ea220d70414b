/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/function_times.h"

#include <stdlib.h>

/* Functions with fewer gaps have no time: their pauses do not show. */
#define GAPS_LEAST 8
/* As for the functions of loop_times.c. */
#define STAYS_LEAST 0.85
#define PAUSE       32

/* From one function's records to the next one's. */
struct changes {
	double counts[FUNCTION_TIMES_MAX][FUNCTION_TIMES_MAX];
};

static size_t find_function(const struct timed_function *functions, size_t count,
			    const struct plumb_symbol *symbol)
{
	size_t others = count;

	for (size_t i = 0; i < count; i++) {
		if (functions[i].symbol == symbol)
			return i;
		if (!functions[i].symbol)
			others = i;
	}
	return others;
}

/*
 * Finds the group that the program leaves most often, of those that it leaves too often for a time,
 * and the one that it comes from or goes to most. Returns false if there is none.
 */
static bool find_pair(const struct changes *changes, size_t count, size_t *left, size_t *other)
{
	double least = STAYS_LEAST;
	bool found = false;

	for (size_t g = 0; g < count; g++) {
		double all = 0, most = 0;
		size_t best = g;

		for (size_t h = 0; h < count; h++) {
			const double both = changes->counts[g][h] + changes->counts[h][g];

			all += changes->counts[g][h];
			if (h == g || both <= most)
				continue;
			most = both;
			best = h;
		}
		if (best == g || changes->counts[g][g] >= least * all)
			continue;
		least = changes->counts[g][g] / all;
		*left = g;
		*other = best;
		found = true;
	}
	return found;
}

/* Times the functions of one group together with another's. */
static void join(struct changes *changes, struct timed_function *functions, size_t count,
		 size_t group, size_t into)
{
	for (size_t i = 0; i < count; i++) {
		changes->counts[into][i] += changes->counts[group][i];
		changes->counts[group][i] = 0;
	}
	for (size_t i = 0; i < count; i++) {
		changes->counts[i][into] += changes->counts[i][group];
		changes->counts[i][group] = 0;
		if (functions[i].together == group)
			functions[i].together = into;
	}
}

static int compare_ticks(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sets the times of a group from its gaps, which are sorted here. */
static void time_group(struct timed_function *functions, size_t count, size_t group, uint64_t *gaps,
		       size_t gap_count)
{
	double sum = 0, squares = 0, slots = 0, records = 0, mean;
	size_t members = 0, counted = 0;

	for (size_t i = 0; i < count; i++) {
		if (functions[i].together != group)
			continue;
		slots += functions[i].slots;
		records += functions[i].records;
		members++;
	}
	qsort(gaps, gap_count, sizeof(*gaps), compare_ticks);
	for (size_t i = 0; i < gap_count && gaps[i] / PAUSE <= gaps[gap_count / 2]; i++) {
		sum += (double)gaps[i];
		squares += (double)gaps[i] * (double)gaps[i];
		counted++;
	}
	if (gap_count < GAPS_LEAST || !(sum > 0) || !(slots > 0))
		return;
	mean = sum / (double)counted;
	for (size_t i = 0; i < count; i++) {
		struct timed_function *function = &functions[i];

		if (function->together != group)
			continue;
		if (members > 1 || !(function->ticks > 0))
			function->ticks = records * mean * function->slots / slots;
		/* How many records there are varies, and how far each is from the next. */
		function->variance = squares / (double)counted / (mean * mean) / records;
	}
}

/* Sets the functions that each gap begins and ends in, and counts them. */
static void count_changes(const struct loop_times *times, const struct timed_function *functions,
			  size_t count, uint8_t (*ends)[2], struct changes *changes)
{
	for (size_t g = 0; g < times->count; g++) {
		const size_t from = find_function(functions, count, times->gaps[g].symbol);
		const size_t to = find_function(functions, count, times->gaps[g].to_symbol);

		ends[g][0] = (uint8_t)from;
		ends[g][1] = (uint8_t)to;
		if (from < count && to < count)
			changes->counts[from][to]++;
	}
}

int function_times_find(const struct loop_times *times, struct timed_function *functions,
			size_t count)
{
	struct changes changes = {0};
	uint8_t(*ends)[2] = calloc(times->count + 1, sizeof(*ends));
	uint64_t *gaps = calloc(times->count + 1, sizeof(*gaps));
	size_t left, other;

	for (size_t i = 0; i < count; i++) {
		functions[i].together = i;
		functions[i].variance = 0;
	}
	if (ends && gaps) {
		count_changes(times, functions, count, ends, &changes);
		while (find_pair(&changes, count, &left, &other))
			join(&changes, functions, count, left, other);
	}
	for (size_t group = 0; ends && gaps && group < count; group++) {
		size_t n = 0;

		for (size_t g = 0; g < times->count; g++)
			if (ends[g][0] < count && ends[g][1] < count &&
			    functions[ends[g][0]].together == group &&
			    functions[ends[g][1]].together == group)
				gaps[n++] = times->gaps[g].ticks;
		time_group(functions, count, group, gaps, n);
	}
	free(gaps);
	free(ends);
	return gaps && ends ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a profile's rows: the largest first, and those of the same size by their texts. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "profile/profile.h"

static uint64_t size_of(const struct plumb_profile *profile, uint32_t row)
{
	return profile->callees ? profile->callees[row].sums.period : profile->rows[row].own.period;
}

/* Compares functions of the same name by their addresses. */
static int compare_starts(const struct plumb_profile *profile, uint32_t a, uint32_t b)
{
	for (size_t k = 0; k < profile->options.key_count; k++) {
		const uint64_t *x = row_values(profile, a) + 1 + 2 * k;
		const uint64_t *y = row_values(profile, b) + 1 + 2 * k;
		uint64_t starts[2];

		if ((profile->keys[k] != PLUMB_KEY_SYMBOL &&
		     profile->keys[k] != PLUMB_KEY_SYMBOL_TO &&
		     profile->keys[k] != PLUMB_KEY_DATA_SYMBOL) ||
		    !x[1] || !y[1] || (x[1] | y[1]) & 1)
			continue;
		starts[0] = plumb_symbol_start((const struct plumb_symbol *)(uintptr_t)x[0]);
		starts[1] = plumb_symbol_start((const struct plumb_symbol *)(uintptr_t)y[0]);
		if (starts[0] != starts[1])
			return starts[0] < starts[1] ? -1 : 1;
	}
	return 0;
}

int compare_row_texts(const struct plumb_profile *profile, uint32_t a, uint32_t b)
{
	const uint64_t *x = row_values(profile, a) + 1, *y = row_values(profile, b) + 1;
	int order = 0;

	for (size_t k = 0; order == 0 && k < profile->options.key_count; k++)
		order = key_compare(profile, profile->keys[k], x + 2 * k, y + 2 * k);
	return order ? order : compare_starts(profile, a, b);
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct plumb_profile *profile = user;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t sizes[] = {size_of(profile, x), size_of(profile, y)};
	const uint64_t own[] = {profile->rows[x].own.period, profile->rows[y].own.period};
	int order;

	if (sizes[0] != sizes[1])
		return sizes[0] > sizes[1] ? -1 : 1;
	if (own[0] != own[1])
		return own[0] > own[1] ? -1 : 1;
	order = compare_row_texts(profile, x, y);
	/* The numbers of rows depend on which thread was first. */
	return order ? order
		     : memcmp(&profile->records[x], &profile->records[y],
			      sizeof(*profile->records));
}

/* ---- Sorting ----------------------------------------------------------------------------------
 */

/* Rows that are worth a thread. */
#define ROWS_FOR_THREAD 4096

struct sorting {
	struct plumb_profile *profile;
	uint32_t *rows, *room; /* `count` of each */
	size_t count;
	unsigned threads; /* that may sort them */
};

/* Merges the sorted halves of the rows, of which the first has `middle`. */
static void merge(struct sorting *sorting, size_t middle)
{
	const uint32_t *from = sorting->room;
	size_t a = 0, b = middle;

	memcpy(sorting->room, sorting->rows, sorting->count * sizeof(*sorting->rows));
	for (size_t i = 0; i < sorting->count; i++) {
		const bool first =
			b == sorting->count ||
			(a < middle && compare_rows(&from[a], &from[b], sorting->profile) <= 0);

		sorting->rows[i] = first ? from[a++] : from[b++];
	}
}

/* Sorts halves in two threads, each of which may have more. */
static void *sort(void *user)
{
	struct sorting *sorting = user;
	const size_t middle = sorting->count / 2;
	struct sorting first = *sorting, second = *sorting;
	pthread_t thread;
	bool started;

	if (sorting->threads < 2 || sorting->count < 2 * (size_t)ROWS_FOR_THREAD) {
		qsort_r(sorting->rows, sorting->count, sizeof(*sorting->rows), compare_rows,
			sorting->profile);
		return NULL;
	}
	first.count = middle;
	first.threads = sorting->threads / 2;
	second.rows += middle;
	second.room += middle;
	second.count -= middle;
	second.threads -= first.threads;
	started = threads_start(&thread, sort, &first);
	sort(&second);
	if (started)
		pthread_join(thread, NULL);
	else
		sort(&first);
	merge(sorting, middle);
	return NULL;
}

void rows_sort(struct plumb_profile *profile, uint32_t *rows, size_t count)
{
	struct sorting sorting = {.profile = profile, .rows = rows, .count = count};

	if (count >= 2 * (size_t)ROWS_FOR_THREAD) {
		sorting.threads = threads_to_use(profile->options.threads);
		sorting.room = malloc(count * sizeof(*rows));
	}
	if (!sorting.room)
		sorting.threads = 1;
	sort(&sorting);
	free(sorting.room);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that several threads use, and that at least one of them writes. */
#include <stdlib.h>

#include "profile/profile.h"

/* The keys that tell accesses apart. */
enum { LINE, PID, TID, OFFSET, ACCESS, PARTS };
static const uint8_t part_keys[PARTS] = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PID, PLUMB_KEY_TID,
					 PLUMB_KEY_OFFSET, PLUMB_KEY_ACCESS};

struct access {
	struct plumb_profile_sharing public;
	uint64_t parts[PARTS];
	uint64_t samples; /* of the access */
};

struct accesses {
	struct access *at;
	size_t count;
};

/* Sets where the keys are among those of the profile. Returns false if one is missing. */
static bool find_parts(const struct plumb_profile *profile, size_t where[PARTS])
{
	for (size_t part = 0; part < PARTS; part++) {
		size_t k = 0;

		while (k < profile->options.key_count && profile->keys[k] != part_keys[part])
			k++;
		if (k == profile->options.key_count)
			return false;
		where[part] = 1 + 2 * k;
	}
	return true;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By event, process, line, offset, thread and kind of access. */
static int compare_places(const void *a, const void *b)
{
	static const uint8_t order[] = {PID, LINE, OFFSET, TID, ACCESS};
	const struct access *x = a, *y = b;
	int result = compare_numbers(x->public.event, y->public.event);

	for (size_t i = 0; result == 0 && i < sizeof(order); i++)
		result = compare_numbers(x->parts[order[i]], y->parts[order[i]]);
	return result ? result : compare_numbers(x->public.row, y->public.row);
}

/* The line with the most samples first. */
static int compare_lines(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	if (x->public.samples != y->public.samples)
		return x->public.samples > y->public.samples ? -1 : 1;
	return compare_places(a, b);
}

static bool is_same_line(const struct access *a, const struct access *b)
{
	return a->public.event == b->public.event && a->parts[PID] == b->parts[PID] &&
	       a->parts[LINE] == b->parts[LINE];
}

static void collect(const struct plumb_profile *profile, const size_t where[PARTS],
		    struct accesses *accesses)
{
	for (size_t e = 0; e < profile->event_count; e++) {
		const struct profiled_event *event = &profile->events[e];

		for (size_t i = 0; i < event->public.row_count; i++) {
			const uint64_t *values = row_values(profile, event->order[i]);
			struct access *access = &accesses->at[accesses->count];

			/* A number's second word is not 0. */
			if (!values[where[LINE] + 1] || !values[where[ACCESS] + 1])
				continue;
			*access = (struct access){
				.public = {.event = e, .row = i, .line = values[where[LINE]]},
				.samples = profile->rows[event->order[i]].own.samples,
			};
			for (size_t part = 0; part < PARTS; part++)
				access->parts[part] = values[where[part]];
			accesses->count++;
		}
	}
}

static int compare_threads(const void *a, const void *b)
{
	return compare_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

static unsigned count_threads(const struct access *accesses, size_t count, uint64_t *threads)
{
	unsigned distinct = 0;

	for (size_t i = 0; i < count; i++)
		threads[i] = accesses[i].parts[TID];
	qsort(threads, count, sizeof(*threads), compare_threads);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || threads[i] != threads[i - 1];
	return distinct;
}

/* Returns whether several threads use an offset that one of them writes. They come by offset, and
 * those of an offset by thread. */
static bool shares_offset(const struct access *accesses, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		bool written = false;

		for (end = i;
		     end < count && accesses[end].parts[OFFSET] == accesses[i].parts[OFFSET]; end++)
			written |= accesses[end].parts[ACCESS] != ACCESS_LOAD;
		if (written && accesses[end - 1].parts[TID] != accesses[i].parts[TID])
			return true;
	}
	return false;
}

/* Describes a line's accesses. Returns whether it is shared. */
static bool describe(struct access *accesses, size_t count, uint64_t *threads)
{
	struct plumb_profile_sharing line = {.threads = count_threads(accesses, count, threads)};
	bool written = false;

	for (size_t i = 0; i < count; i++) {
		line.samples += accesses[i].samples;
		written |= accesses[i].parts[ACCESS] != ACCESS_LOAD;
	}
	if (line.threads < 2 || !written)
		return false;
	line.is_false = !shares_offset(accesses, count);
	for (size_t i = 0; i < count; i++) {
		accesses[i].public.samples = line.samples;
		accesses[i].public.threads = line.threads;
		accesses[i].public.is_false = line.is_false;
	}
	return true;
}

/* Keeps the accesses to shared lines. */
static void keep_shared(struct accesses *accesses, uint64_t *threads)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < accesses->count; i = end) {
		end = i + 1;
		while (end < accesses->count && is_same_line(&accesses->at[i], &accesses->at[end]))
			end++;
		if (!describe(&accesses->at[i], end - i, threads))
			continue;
		for (size_t k = i; k < end; k++)
			accesses->at[kept++] = accesses->at[k];
	}
	accesses->count = kept;
}

int plumb_profile_sharing(const struct plumb_profile *profile,
			  struct plumb_profile_sharing **shared, size_t *count)
{
	const size_t room = profile->row_count + 1;
	struct accesses accesses = {0};
	uint64_t *threads;
	size_t where[PARTS];

	*shared = NULL;
	*count = 0;
	if (!profile->finished || !find_parts(profile, where))
		return PLUMB_ERR_ARGUMENT;
	accesses.at = calloc(room, sizeof(*accesses.at));
	threads = malloc(room * sizeof(*threads));
	*shared = calloc(room, sizeof(**shared));
	if (accesses.at && threads && *shared) {
		collect(profile, where, &accesses);
		qsort(accesses.at, accesses.count, sizeof(*accesses.at), compare_places);
		keep_shared(&accesses, threads);
		qsort(accesses.at, accesses.count, sizeof(*accesses.at), compare_lines);
		for (size_t i = 0; i < accesses.count; i++)
			(*shared)[i] = accesses.at[i].public;
		*count = accesses.count;
	} else {
		free(*shared);
		*shared = NULL;
	}
	free(accesses.at);
	free(threads);
	return *shared ? 0 : PLUMB_ERR_NO_MEMORY;
}

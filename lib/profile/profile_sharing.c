/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that several threads use, and that at least one of them writes. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define LINE_BYTES 64

/* Fewer of a line's moves than this part do not decide which kind of sharing it is. */
#define NOTABLE 0.05

/* The keys that tell accesses apart. */
enum { LINE, PID, TID, OFFSET, ACCESS, PARTS };
static const uint8_t part_keys[PARTS] = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PID, PLUMB_KEY_TID,
					 PLUMB_KEY_OFFSET, PLUMB_KEY_ACCESS};

struct access {
	struct plumb_profile_sharing public;
	uint64_t parts[PARTS];
	unsigned bytes; /* 1 if unknown */
};

struct accesses {
	struct access *at;
	size_t count;
};

/* Returns where a key's value is in a row, or 0 if the profile does not have it. */
static size_t find_key(const struct plumb_profile *profile, uint8_t key)
{
	for (size_t k = 0; k < profile->options.key_count; k++)
		if (profile->keys[k] == key)
			return 1 + 2 * k;
	return 0;
}

/* Sets where the keys are among those of the profile. Returns false if one is missing. */
static bool find_parts(const struct plumb_profile *profile, size_t where[PARTS])
{
	for (size_t part = 0; part < PARTS; part++) {
		where[part] = find_key(profile, part_keys[part]);
		if (!where[part])
			return false;
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

/*
 * The line that moved most, or else has the most samples, first; of its accesses, those that did
 * so most.
 */
static int compare_lines(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	int result;

	if (x->public.moves != y->public.moves)
		return x->public.moves > y->public.moves ? -1 : 1;
	if (x->public.samples != y->public.samples)
		return x->public.samples > y->public.samples ? -1 : 1;
	result = compare_numbers(x->public.event, y->public.event);
	if (result == 0)
		result = compare_numbers(x->parts[PID], y->parts[PID]);
	if (result == 0)
		result = compare_numbers(x->parts[LINE], y->parts[LINE]);
	if (result == 0)
		result = compare_numbers(y->public.own_moves, x->public.own_moves);
	if (result == 0)
		result = compare_numbers(y->public.own, x->public.own);
	return result ? result : compare_places(a, b);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	return compare_numbers(x->parts[TID], y->parts[TID]);
}

static bool is_same_line(const struct access *a, const struct access *b)
{
	return a->public.event == b->public.event && a->parts[PID] == b->parts[PID] &&
	       a->parts[LINE] == b->parts[LINE];
}

/* Returns the event of an exact profile with this name, or else `event_count`. */
static size_t find_event(const struct plumb_profile *profile, const char *name)
{
	size_t e = 0;

	while (e < profile->event_count &&
	       (!profile->events[e].public.exact || !profile->events[e].public.name ||
		strcmp(profile->events[e].public.name, name) != 0))
		e++;
	return e;
}

/* Whether all keys of two rows have the same values. */
static bool same_values(const struct plumb_profile *profile, uint32_t a, uint32_t b)
{
	return memcmp(row_values(profile, a) + 1, row_values(profile, b) + 1,
		      (profile->words - 1) * sizeof(uint64_t)) == 0;
}

/* A hash table of the rows of an event, by the values of their keys. */
struct row_table {
	uint32_t *slots; /* NO_ROW: free */
	size_t mask;
};

static uint64_t hash_keys(const struct plumb_profile *profile, uint32_t row)
{
	return hash_words(row_values(profile, row) + 1, profile->words - 1);
}

static bool fill_table(struct row_table *table, const struct plumb_profile *profile, size_t event)
{
	const struct profiled_event *from =
		event < profile->event_count ? &profile->events[event] : NULL;
	const size_t count = from ? from->public.row_count : 0;
	size_t size = 64;

	while (size < 2 * count)
		size *= 2;
	table->mask = size - 1;
	table->slots = malloc(size * sizeof(*table->slots));
	if (!table->slots)
		return false;
	for (size_t i = 0; i < size; i++)
		table->slots[i] = NO_ROW;
	for (size_t i = 0; i < count; i++) {
		size_t at = hash_keys(profile, from->order[i]) & table->mask;

		while (table->slots[at] != NO_ROW)
			at = (at + 1) & table->mask;
		table->slots[at] = from->order[i];
	}
	return true;
}

/* Returns the period of the row with the same values, or 0 if there is none. */
static uint64_t same_row_period(const struct row_table *table, const struct plumb_profile *profile,
				uint32_t row)
{
	size_t at = hash_keys(profile, row) & table->mask;

	for (; table->slots[at] != NO_ROW; at = (at + 1) & table->mask)
		if (same_values(profile, table->slots[at], row))
			return profile->rows[table->slots[at]].own.period;
	return 0;
}

static void collect_row(const struct plumb_profile *profile, const size_t where[PARTS], size_t e,
			size_t i, struct accesses *accesses)
{
	const struct profiled_event *event = &profile->events[e];
	const struct row *row = &profile->rows[event->order[i]];
	const uint64_t *values = row_values(profile, event->order[i]);
	const size_t bytes = find_key(profile, PLUMB_KEY_BYTES);
	struct access *access = &accesses->at[accesses->count];

	/* A number's second word is not 0. */
	if (!values[where[LINE] + 1] || !values[where[ACCESS] + 1])
		return;
	*access = (struct access){
		.public = {.event = e,
			   .row = i,
			   .line = values[where[LINE]],
			   .exact = event->public.exact,
			   .own = event->public.exact ? row->own.period : row->own.samples},
		.bytes = bytes && values[bytes + 1] ? (unsigned)values[bytes] : 1,
	};
	for (size_t part = 0; part < PARTS; part++)
		access->parts[part] = values[where[part]];
	accesses->count++;
}

/* Collects what may be accesses to shared lines. Returns false if out of memory. */
static bool collect(const struct plumb_profile *profile, const size_t where[PARTS],
		    struct accesses *accesses)
{
	const size_t moves = find_event(profile, "exact/line_moves/");
	struct row_table moved;

	if (!fill_table(&moved, profile, moves))
		return false;
	for (size_t e = 0; e < profile->event_count; e++) {
		const struct profiled_event *event = &profile->events[e];

		for (size_t i = 0; e != moves && i < event->public.row_count; i++) {
			const size_t before = accesses->count;

			collect_row(profile, where, e, i, accesses);
			if (accesses->count > before)
				accesses->at[before].public.own_moves =
					same_row_period(&moved, profile, event->order[i]);
		}
	}
	free(moved.slots);
	return true;
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

/* How threads use a byte of a line. */
struct byte_use {
	uint64_t accesses;
	uint64_t thread, by_thread; /* the thread seen last, and its accesses */
	uint64_t most;              /* accesses by the thread that has most of them */
	bool several, written;
};

/* Adds up how each byte of a line is used. `accesses` are sorted by thread. */
static void find_uses(const struct access *accesses, size_t count, struct byte_use *uses)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t first = accesses[i].parts[OFFSET], thread = accesses[i].parts[TID];

		for (uint64_t b = first; b < first + accesses[i].bytes && b < LINE_BYTES; b++) {
			struct byte_use *use = &uses[b];

			if (use->accesses && use->thread != thread) {
				use->several = true;
				use->by_thread = 0;
			}
			use->thread = thread;
			use->accesses += accesses[i].public.own;
			use->by_thread += accesses[i].public.own;
			use->written |= accesses[i].parts[ACCESS] != ACCESS_LOAD;
			if (use->most < use->by_thread)
				use->most = use->by_thread;
		}
	}
}

/*
 * Returns whether sharing a byte explains a notable part of its line's moves. An access by another
 * thread than the one that uses the byte most explains two: to that thread, and back.
 */
static bool is_common(const struct byte_use *use, uint64_t moves)
{
	return use->several && use->written &&
	       2 * (double)(use->accesses - use->most) >= NOTABLE * (double)moves;
}

/* `accesses` are sorted by thread; `moves` is the sum of theirs. */
static enum plumb_sharing_kind find_kind(const struct access *accesses, size_t count,
					 uint64_t moves)
{
	struct byte_use uses[LINE_BYTES] = {0};
	uint64_t other_moves = 0; /* for accesses to bytes that are not common */
	bool any_common = false;

	find_uses(accesses, count, uses);
	for (size_t i = 0; i < count; i++) {
		const uint64_t first = accesses[i].parts[OFFSET];
		bool common = false;

		for (uint64_t b = first; b < first + accesses[i].bytes && b < LINE_BYTES; b++)
			common |= is_common(&uses[b], moves);
		any_common |= common;
		other_moves += common ? 0 : accesses[i].public.own_moves;
	}
	if (!any_common)
		return PLUMB_SHARING_FALSE;
	return other_moves && (double)other_moves >= NOTABLE * (double)moves ? PLUMB_SHARING_MIXED
									     : PLUMB_SHARING_TRUE;
}

/* Describes a line's accesses, and sorts them by thread. Returns whether the line is shared. */
static bool describe(struct access *accesses, size_t count, uint64_t *threads)
{
	struct plumb_profile_sharing line = {.threads = count_threads(accesses, count, threads)};
	bool written = false;

	for (size_t i = 0; i < count; i++) {
		line.samples += accesses[i].public.own;
		line.moves += accesses[i].public.own_moves;
		written |= accesses[i].parts[ACCESS] != ACCESS_LOAD;
	}
	if (line.threads < 2 || !written)
		return false;
	qsort(accesses, count, sizeof(*accesses), compare_tasks);
	line.kind = find_kind(accesses, count, line.moves);
	for (size_t i = 0; i < count; i++) {
		accesses[i].public.samples = line.samples;
		accesses[i].public.moves = line.moves;
		accesses[i].public.threads = line.threads;
		accesses[i].public.kind = line.kind;
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
	if (accesses.at && threads && *shared && collect(profile, where, &accesses)) {
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

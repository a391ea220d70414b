/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of an exact profile, row by row. */
#include <stdlib.h>
#include <string.h>

#include "profile/joined.h"

struct adding {
	const struct plumb_profile *profile;
	struct plumb_profile_counts *rows;
	size_t count;
	struct joined joined;
};

/* Tells whether `word`, of `length` bytes, names the event "exact/NAME/": "NAME", or its begin and
 * "*". */
static bool word_names(const char *word, size_t length, const char *name, size_t name_length)
{
	if (length && word[length - 1] == '*')
		return length - 1 <= name_length && memcmp(word, name, length - 1) == 0;
	return length == name_length && memcmp(word, name, length) == 0;
}

bool plumb_profile_is_named(const char *names, const char *event)
{
	size_t length, name_length;

	if (!event || strncmp(event, "exact/", 6) != 0)
		return false;
	event += 6;
	name_length = strcspn(event, "/");
	for (; *names; names += length + (names[length] == ' ')) {
		length = strcspn(names, " ");
		if (word_names(names, length, event, name_length))
			return true;
	}
	return false;
}

/* Tells whether the recording has one of the events, which may not have happened. */
static bool is_recorded(const struct plumb_recording *recording, const char *names)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (plumb_profile_is_named(names, event->name))
			return true;
	return false;
}

static bool add_event(struct adding *adding, size_t e, size_t place)
{
	const struct profiled_event *event = &adding->profile->events[e];

	for (size_t i = 0; i < event->public.row_count; i++) {
		const uint32_t at = joined_find(&adding->joined, event->order[i]);
		struct plumb_profile_counts *row;

		if (at == NO_ROW)
			return false;
		row = &adding->rows[at];
		if (at == adding->count) {
			adding->count++;
			row->event = e;
			row->row = i;
		}
		row->counts[place] = add_saturating(
			row->counts[place], adding->profile->rows[event->order[i]].own.period);
	}
	return true;
}

/* Of equal counts, by their values, for an order that is always the same. */
static int compare(const void *a, const void *b, void *user)
{
	const struct plumb_profile_counts *x = a, *y = b;
	const struct plumb_profile *profile = user;

	for (size_t i = 0; i < PLUMB_PROFILE_COUNTS; i++)
		if (x->counts[i] != y->counts[i])
			return x->counts[i] > y->counts[i] ? -1 : 1;
	return compare_row_texts(profile, profile->events[x->event].order[x->row],
				 profile->events[y->event].order[y->row]);
}

int plumb_profile_counts(const struct plumb_profile *profile, const char *const *names,
			 size_t name_count, struct plumb_profile_counted *counted)
{
	struct adding adding = {.profile = profile, .joined.profile = profile};
	bool added = true;

	*counted = (struct plumb_profile_counted){0};
	if (!profile->finished || name_count > PLUMB_PROFILE_COUNTS)
		return PLUMB_ERR_ARGUMENT;
	adding.rows = calloc(profile->row_count + 1, sizeof(*adding.rows));
	if (!adding.rows)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < name_count; i++)
		counted->known[i] = is_recorded(profile->recording, names[i]);
	for (size_t e = 0; added && e < profile->event_count; e++) {
		const struct plumb_profile_event *event = &profile->events[e].public;

		for (size_t i = 0; added && i < name_count; i++) {
			if (!event->exact || !plumb_profile_is_named(names[i], event->name))
				continue;
			counted->total[i] = add_saturating(counted->total[i], event->period);
			counted->left_out[i] =
				add_saturating(counted->left_out[i], event->left_out_period);
			counted->given_up[i] =
				add_saturating(counted->given_up[i], event->given_up);
			added = add_event(&adding, e, i);
		}
	}
	joined_free(&adding.joined);
	if (!added) {
		free(adding.rows);
		*counted = (struct plumb_profile_counted){0};
		return PLUMB_ERR_NO_MEMORY;
	}
	qsort_r(adding.rows, adding.count, sizeof(*adding.rows), compare,
		(void *)(uintptr_t)profile);
	counted->rows = adding.rows;
	counted->row_count = adding.count;
	return 0;
}

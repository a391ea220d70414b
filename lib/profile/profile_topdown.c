/* SPDX-License-Identifier: Apache-2.0 */
/* Top-down shares of the rows of a profile: what became of each one's slots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/counters.h"
#include "profile/topdown.h"

/* A cause with this share of the largest one's slots is as important. */
#define TIE 0.9

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum slots slots_of(const struct plumb_profile_event *event)
{
	const char *name = event->name;

	if (!event->exact || !name || !begins(name, "exact/"))
		return SLOTS_NONE;
	name += strlen("exact/");
	if (strcmp(name, "OP_RETIRED/") == 0)
		return SLOTS_RETIRING;
	if (begins(name, "slots_bad_speculation/") || begins(name, "slots_frontend_flush/"))
		return SLOTS_BAD_SPECULATION;
	if (begins(name, "slots_frontend_"))
		return SLOTS_FRONTEND;
	return begins(name, "slots_backend_") ? SLOTS_BACKEND : SLOTS_NONE;
}

uint64_t plumb_profile_slots_left_out(const struct plumb_profile *profile)
{
	uint64_t slots = 0;

	for (size_t e = 0; e < profile->event_count; e++)
		if (slots_of(&profile->events[e].public) != SLOTS_NONE)
			slots = add_saturating(slots, profile->events[e].public.left_out_period);
	return slots;
}

/* Finds or makes the row with these values. There is room for it. Returns NULL if out of memory. */
static struct topdown_row *find(struct topdown *topdown, uint32_t row)
{
	const uint32_t at = joined_find(&topdown->joined, row);

	if (at == NO_ROW)
		return NULL;
	if (at == topdown->count) {
		topdown->at[at] = (struct topdown_row){.row = row};
		memset(topdown->at[at].counted, 0xff, sizeof(topdown->at[at].counted));
		topdown->count++;
	}
	return &topdown->at[at];
}

/* Keeps the two largest causes; of equal ones, the first comes first. */
static void rank_cause(struct topdown_row *row, const char *cause, uint64_t count)
{
	if (count > row->most) {
		row->next = row->most;
		row->public.other_cause = row->public.cause;
		row->most = count;
		row->public.cause = cause;
	} else if (count > row->next) {
		row->next = count;
		row->public.other_cause = cause;
	}
}

void topdown_add(struct topdown_row *row, const struct plumb_profile_event *event, uint64_t count)
{
	const enum slots slots = slots_of(event);

	row->public.slots = add_saturating(row->public.slots, count);
	row->slots[slots] += count;
	if (slots != SLOTS_RETIRING)
		rank_cause(row, event->name + strlen("exact/"), count);
}

/* Adds the rows of an event. */
static bool add_event(struct topdown *topdown, size_t e)
{
	const struct plumb_profile *profile = topdown->profile;
	const struct profiled_event *event = &profile->events[e];

	for (size_t i = 0; i < event->public.row_count; i++) {
		const uint32_t at = event->order[i];
		const uint64_t own = profile->rows[at].own.period;
		struct topdown_row *row = find(topdown, at);

		if (!row)
			return false;
		if (row->public.slots == 0) {
			row->public.event = e;
			row->public.row = i;
		}
		topdown->total = add_saturating(topdown->total, own);
		topdown_add(row, &event->public,
			    profile->callees ? profile->callees[at].sums.period : own);
	}
	return true;
}

static int compare(const void *a, const void *b, void *user)
{
	const struct topdown_row *x = a, *y = b;

	if (x->public.slots != y->public.slots)
		return x->public.slots > y->public.slots ? -1 : 1;
	return compare_row_texts(user, x->row, y->row);
}

static struct plumb_profile_estimate exact_share(uint64_t part, uint64_t whole)
{
	return (struct plumb_profile_estimate){(double)part / (double)whole, NAN, NAN};
}

void topdown_set_shares(struct topdown_row *row, uint64_t total)
{
	struct plumb_profile_topdown *public = &row->public;
	const uint64_t slots = public->slots;

	public->exact = true;
	public->share = exact_share(slots, total);
	public->retiring = exact_share(row->slots[SLOTS_RETIRING], slots);
	public->bad_speculation = exact_share(row->slots[SLOTS_BAD_SPECULATION], slots);
	public->frontend_bound = exact_share(row->slots[SLOTS_FRONTEND], slots);
	public->backend_bound = exact_share(row->slots[SLOTS_BACKEND], slots);
	public->cause_share = (double)row->most / (double)slots;
	public->other_cause_share = (double)row->next / (double)slots;
	if ((double)row->next < TIE * (double)row->most) {
		public->other_cause = NULL;
		public->other_cause_share = 0;
	}
}

/* Gives the rows to the caller, those with the most slots first. */
static int copy_rows(struct topdown *topdown, struct plumb_profile_topdown **rows, size_t *count)
{
	*rows = calloc(topdown->count, sizeof(**rows));
	if (!*rows)
		return PLUMB_ERR_NO_MEMORY;
	qsort_r(topdown->at, topdown->count, sizeof(*topdown->at), compare,
		(void *)(uintptr_t)topdown->profile);
	for (size_t i = 0; i < topdown->count; i++)
		(*rows)[i] = topdown->at[i].public;
	*count = topdown->count;
	return 0;
}

/* ---- Sampled counters -------------------------------------------------------------------------
 */

/* Collects the rows of each event that counts. Returns false if out of memory. */
static bool collect_counts(struct topdown *topdown, const struct counters *counters)
{
	for (size_t e = 0; e < topdown->profile->event_count; e++) {
		const struct profiled_event *event = &topdown->profile->events[e];
		const size_t use = counters_find(counters, e);

		for (size_t i = 0; use < FIRST_LEVEL_EVENTS && i < event->public.row_count; i++) {
			struct topdown_row *row = find(topdown, event->order[i]);

			if (!row)
				return false;
			row->counted[use] = event->order[i];
			row->public.event = e;
			row->public.row = i;
		}
	}
	return true;
}

/* Estimates a row's shares from its counts. */
static void estimate_shares(struct topdown_row *row, struct counters *counters,
			    const struct plumb_profile *profile)
{
	struct plumb_profile_estimate shares[COUNTERS_SHARES];
	const uint32_t cycles = row->counted[counters->level.cycles];
	struct plumb_profile_topdown *public = &row->public;

	counters_estimate(counters, profile, row->counted, shares);
	if (cycles != NO_ROW)
		row->public.slots =
			profile->rows[cycles].own.period * counters->level.spec->product.slots;
	public->share = shares[0];
	public->retiring = shares[1];
	public->bad_speculation = shares[2];
	public->frontend_bound = shares[3];
	public->backend_bound = shares[4];
	for (size_t m = 1; m < FIRST_LEVEL_METRICS; m++)
		if (shares[1 + m].value > public->cause_share) {
			public->cause = first_level_name(m);
			public->cause_share = shares[1 + m].value;
		}
}

/* Returns 0, NO_MEMORY, or NOT_FOUND if counters were not sampled. */
static int sum_up_counters(struct topdown *topdown)
{
	struct counters counters;
	int status = counters_open(&counters, topdown->profile);

	if (status == 0 && !collect_counts(topdown, &counters))
		status = PLUMB_ERR_NO_MEMORY;
	if (status == 0 && topdown->count == 0)
		status = PLUMB_ERR_NOT_FOUND;
	for (size_t i = 0; status == 0 && i < topdown->count; i++)
		estimate_shares(&topdown->at[i], &counters, topdown->profile);
	counters_close(&counters);
	return status;
}

/* ---- Results ----------------------------------------------------------------------------------
 */

static void end(struct topdown *topdown)
{
	joined_free(&topdown->joined);
	free(topdown->at);
}

/* Adds up the slots of all rows, in no particular order. Call end() in any case. Returns 0,
 * NO_MEMORY or NOT_FOUND. */
static int begin(struct topdown *topdown, const struct plumb_profile *profile)
{
	*topdown = (struct topdown){.profile = profile, .joined.profile = profile};
	if (!profile->finished || !profile->row_count)
		return PLUMB_ERR_NOT_FOUND;
	topdown->at = calloc(profile->row_count, sizeof(*topdown->at));
	if (!topdown->at)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t e = 0; e < profile->event_count; e++)
		if (slots_of(&profile->events[e].public) != SLOTS_NONE && !add_event(topdown, e))
			return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < topdown->count; i++)
		topdown_set_shares(&topdown->at[i], topdown->total);
	return topdown->count ? 0 : sum_up_counters(topdown);
}

int plumb_profile_topdown(const struct plumb_profile *profile, struct plumb_profile_topdown **rows,
			  size_t *count)
{
	struct topdown topdown;
	int status = begin(&topdown, profile);

	*rows = NULL;
	*count = 0;
	if (status == 0)
		status = copy_rows(&topdown, rows, count);
	end(&topdown);
	return status;
}

void topdown_forget(struct plumb_profile *profile)
{
	if (profile->slots)
		end(profile->slots);
	free(profile->slots);
	profile->slots = NULL;
}

int plumb_profile_topdown_of(struct plumb_profile *profile, size_t event, size_t row,
			     struct plumb_profile_topdown *topdown)
{
	uint32_t at;

	if (!profile->finished || event >= profile->event_count ||
	    row >= profile->events[event].public.row_count)
		return PLUMB_ERR_NOT_FOUND;
	if (!profile->slots) {
		profile->slots = calloc(1, sizeof(*profile->slots));
		if (!profile->slots)
			return PLUMB_ERR_NO_MEMORY;
		if (begin(profile->slots, profile) == PLUMB_ERR_NO_MEMORY) {
			topdown_forget(profile);
			return PLUMB_ERR_NO_MEMORY;
		}
	}
	at = joined_find(&profile->slots->joined, profile->events[event].order[row]);
	if (at == NO_ROW)
		return PLUMB_ERR_NO_MEMORY;
	/* Rows of other events, which have no slots, are behind those that have. */
	if (at >= profile->slots->count)
		return PLUMB_ERR_NOT_FOUND;
	*topdown = profile->slots->at[at].public;
	return 0;
}

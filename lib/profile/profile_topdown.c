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
	if (begins(name, "slots_bad_speculation/") || begins(name, "slots_frontend_flush/") ||
	    begins(name, "slots_backend_recovery/"))
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

uint64_t plumb_profile_slots_given_up(const struct plumb_profile *profile)
{
	uint64_t slots = 0;

	for (size_t e = 0; e < profile->event_count; e++)
		if (slots_of(&profile->events[e].public) != SLOTS_NONE)
			slots = add_saturating(slots, profile->events[e].public.given_up);
	return slots;
}

/* Finds or makes the row with these values. There is room for it. Returns NULL if out of memory. */
static struct topdown_row *find(struct topdown_part *topdown, uint32_t row)
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

/* Adds a row's slots by group of windows, if they have some. Returns false if out of memory. */
static bool add_groups(struct topdown_part *topdown, struct topdown_row *row,
		       const struct profiled_event *event, uint32_t at)
{
	const struct plumb_profile *profile = topdown->profile;
	const double *own = profile->rows[at].groups;

	return groups_add_all(&topdown->groups, own) &&
	       groups_add_all(&row->groups[slots_of(&event->public)],
			      profile->callees ? profile->callees[at].groups : own);
}

/* Adds the rows of an event. */
static bool add_event(struct topdown_part *topdown, size_t e)
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
		if (!add_groups(topdown, row, event, at))
			return false;
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

bool topdown_set_intervals(const struct plumb_profile *profile, const double *total,
			   struct topdown_row *row)
{
	const struct grouping *grouping = &profile->grouping;
	struct plumb_profile_topdown *public = &row->public;
	double *slots = NULL;
	bool fits = true;

	for (size_t kind = SLOTS_RETIRING; fits && kind <= SLOTS_BACKEND; kind++)
		fits = groups_add_all(&slots, row->groups[kind]);
	/* Without groups, the shares stay as counted. */
	if (fits && slots) {
		public->share = groups_share(grouping, slots, total);
		public->retiring = groups_share(grouping, row->groups[SLOTS_RETIRING], slots);
		public->bad_speculation =
			groups_share(grouping, row->groups[SLOTS_BAD_SPECULATION], slots);
		public->frontend_bound = groups_share(grouping, row->groups[SLOTS_FRONTEND], slots);
		public->backend_bound = groups_share(grouping, row->groups[SLOTS_BACKEND], slots);
	}
	free(slots);
	return fits;
}

/* Gives the rows to the caller: of each type of cores, those with the most slots first. */
static int copy_rows(struct topdown *topdown, struct plumb_profile_topdown **rows, size_t *count)
{
	size_t all = 0, n = 0;

	for (size_t p = 0; p < topdown->count; p++)
		all += topdown->parts[p].count;
	if (!all)
		return PLUMB_ERR_NOT_FOUND;
	*rows = calloc(all, sizeof(**rows));
	if (!*rows)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t p = 0; p < topdown->count; p++) {
		struct topdown_part *part = &topdown->parts[p];

		if (!part->at)
			continue;
		qsort_r(part->at, part->count, sizeof(*part->at), compare,
			(void *)(uintptr_t)part->profile);
		for (size_t i = 0; i < part->count; i++)
			(*rows)[n++] = part->at[i].public;
	}
	*count = all;
	return 0;
}

/* ---- Sampled counters -------------------------------------------------------------------------
 */

/* Collects the rows of each event that counts. Returns false if out of memory. */
static bool collect_counts(struct topdown_part *topdown, const struct counters *counters)
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

/* Returns 0, NO_MEMORY, or NOT_FOUND if counters of this type of cores were not sampled. */
static int sum_up_counters(struct topdown_part *topdown, uint32_t midr)
{
	struct counters counters;
	int status = counters_open(&counters, topdown->profile, midr);

	if (status == 0 && !collect_counts(topdown, &counters))
		status = PLUMB_ERR_NO_MEMORY;
	if (status == 0 && topdown->count == 0)
		status = PLUMB_ERR_NOT_FOUND;
	for (size_t i = 0; status == 0 && i < topdown->count; i++) {
		topdown->at[i].public.core = topdown->core ? topdown->core->product.name : NULL;
		estimate_shares(&topdown->at[i], &counters, topdown->profile);
	}
	counters_close(&counters);
	return status;
}

/* ---- Results ----------------------------------------------------------------------------------
 */

static void end_part(struct topdown_part *part)
{
	joined_free(&part->joined);
	for (size_t i = 0; i < part->count; i++)
		for (size_t kind = 0; kind <= SLOTS_BACKEND; kind++)
			free(part->at[i].groups[kind]);
	free(part->groups);
	free(part->at);
	*part = (struct topdown_part){.profile = part->profile};
}

static void end(struct topdown *topdown)
{
	for (size_t p = 0; p < topdown->count; p++)
		end_part(&topdown->parts[p]);
}

/* Begins the rows of a type of cores. Returns NULL if out of memory. */
static struct topdown_part *add_part(struct topdown *topdown, const struct plumb_profile *profile,
				     const struct plumb_spec *core)
{
	struct topdown_part *part = &topdown->parts[topdown->count];

	*part = (struct topdown_part){.profile = profile, .core = core, .joined.profile = profile};
	part->at = calloc(profile->row_count, sizeof(*part->at));
	if (!part->at)
		return NULL;
	topdown->count++;
	return part;
}

/* Adds up the slots that an exact recording counts. Returns false if out of memory. */
static bool sum_up_slots(struct topdown_part *part)
{
	const struct plumb_profile *profile = part->profile;

	for (size_t e = 0; e < profile->event_count; e++)
		if (slots_of(&profile->events[e].public) != SLOTS_NONE && !add_event(part, e))
			return false;
	for (size_t i = 0; i < part->count; i++) {
		topdown_set_shares(&part->at[i], part->total);
		if (part->groups && !topdown_set_intervals(profile, part->groups, &part->at[i]))
			return false;
	}
	return true;
}

/* Estimates the slots of each type of cores. Returns 0, NO_MEMORY or NOT_FOUND. */
static int sum_up_cores(struct topdown *topdown, const struct plumb_profile *profile)
{
	uint32_t midrs[TOPDOWN_CORES];
	const size_t cores = counters_cores(profile, midrs, TOPDOWN_CORES);

	for (size_t i = 0; i < cores; i++) {
		struct topdown_part *part = add_part(
			topdown, profile, cores > 1 ? plumb_spec_for_midr(midrs[i]) : NULL);
		const int status = part ? sum_up_counters(part, midrs[i]) : PLUMB_ERR_NO_MEMORY;

		if (status == PLUMB_ERR_NO_MEMORY)
			return status;
		if (status < 0)
			end_part(&topdown->parts[--topdown->count]);
	}
	return topdown->count ? 0 : PLUMB_ERR_NOT_FOUND;
}

/* Adds up the slots of all rows, in no particular order. Call end() in any case. Returns 0,
 * NO_MEMORY or NOT_FOUND. */
static int begin(struct topdown *topdown, const struct plumb_profile *profile)
{
	struct topdown_part *part;

	topdown->count = 0;
	if (!profile->finished || !profile->row_count)
		return PLUMB_ERR_NOT_FOUND;
	part = add_part(topdown, profile, NULL);
	if (!part || !sum_up_slots(part))
		return PLUMB_ERR_NO_MEMORY;
	if (part->count)
		return 0;
	end(topdown);
	topdown->count = 0;
	return sum_up_cores(topdown, profile);
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

/* Returns the rows of the cores that an event is of, or NULL. */
static struct topdown_part *part_of(const struct plumb_profile *profile, size_t event)
{
	struct topdown *slots = profile->slots;

	if (slots->count == 1 && !slots->parts[0].core)
		return &slots->parts[0];
	if (profile->events[event].public.spe)
		return NULL;
	for (size_t p = 0; p < slots->count; p++)
		if (slots->parts[p].core == counters_core_of(profile, event))
			return &slots->parts[p];
	return NULL;
}

int plumb_profile_topdown_of(struct plumb_profile *profile, size_t event, size_t row,
			     struct plumb_profile_topdown *topdown)
{
	struct topdown_part *part;
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
	part = part_of(profile, event);
	if (!part)
		return PLUMB_ERR_NOT_FOUND;
	at = joined_find(&part->joined, profile->events[event].order[row]);
	if (at == NO_ROW)
		return PLUMB_ERR_NO_MEMORY;
	/* Rows of other events, which have no slots, are behind those that have. */
	if (at >= part->count)
		return PLUMB_ERR_NOT_FOUND;
	*topdown = part->at[at].public;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a finished profile, sorted, with their estimates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "profile/profile.h"
#include "profile/row_parts.h"

/* ---- The end -----------------------------------------------------------------------------------
 */

/* Sets the share of the samples that were left out: by the unit, the stream or the caller. */
static void set_filtered(struct profiled_event *event, const struct plumb_samples_totals *totals)
{
	const double kept = (double)event->public.samples;
	double all = kept + (double)event->public.left_out;

	if (event->public.spe && totals && (double)totals->records > all)
		all = (double)totals->records;
	if (all > 0)
		event->sampling.filtered = 1 - (1 - event->sampling.filtered) * kept / all;
}

/* Tells whether a row is one of the results. */
static bool is_shown(const struct plumb_profile *profile, size_t row)
{
	if (!profile->options.shows)
		return true;
	/* Those of records that are not shown were found all the same. */
	return !profile->rows[row].hidden &&
	       (profile->rows[row].own.samples ||
		(profile->callees && profile->callees[row].sums.samples));
}

/* Brings the sums of all rows up to date, and counts the rows of each event, and the latencies at
 * which counters stopped. */
static void settle_rows(struct plumb_profile *profile)
{
	uint64_t beyond = 0;

	batches_flush(profile);
	for (size_t i = 0; i < profile->row_count; i++) {
		struct plumb_profile_event *event =
			&profile->events[row_values(profile, (uint32_t)i)[0]].public;

		batches_settle(profile, i);
		beyond |= profile->records[i].beyond;
		if (is_shown(profile, i)) {
			event->row_count++;
			event->saturated += profile->records[i].at_most;
		}
	}
	profile->wide_counters = beyond != 0;
	for (size_t e = 0; beyond && e < profile->event_count; e++)
		profile->events[e].public.saturated = 0;
}

int plumb_profile_finish(struct plumb_profile *profile, const struct plumb_samples_totals *totals)
{
	settle_rows(profile);
	/* Nothing is looked up from now on. */
	tallies_free(&profile->tallies);
	hot_end(&profile->hot);
	codes_free(&profile->codes);
	for (size_t e = 0; e < profile->event_count; e++) {
		struct profiled_event *event = &profile->events[e];

		event->order = malloc((event->public.row_count + 1) * sizeof(*event->order));
		if (!event->order)
			return PLUMB_ERR_NO_MEMORY;
		event->public.row_count = 0;
		set_filtered(event, totals);
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		struct profiled_event *event =
			&profile->events[row_values(profile, (uint32_t)i)[0]];

		if (is_shown(profile, i))
			event->order[event->public.row_count++] = (uint32_t)i;
	}
	for (size_t e = 0; e < profile->event_count; e++)
		rows_sort(profile, profile->events[e].order, profile->events[e].public.row_count);
	profile->finished = true;
	return 0;
}

/* ---- Estimates --------------------------------------------------------------------------------
 */

struct plumb_profile_estimate profile_share(const struct plumb_profile *profile,
					    const struct profiled_event *event,
					    const struct sums *sums, const double *groups)
{
	const double all = event->periods[0];
	struct tally tally = {
		.samples = event->public.samples,
		.members = event->members,
		.pairs = event->pairs,
		.steps_above = sums->steps_above,
		.steps_both = sums->steps_both,
		.steps_below = event->steps,
	};
	struct estimate estimate;

	if (event->public.windows)
		return groups_share(&profile->grouping, groups, event->groups);
	if (event->public.exact || event->members < 2)
		return (struct plumb_profile_estimate){all > 0 ? sums->above[0] / all : NAN, NAN,
						       NAN};
	/* Above the line stands the period or 0, below it the period. */
	tally.powers[1][0] = sums->above[0];
	tally.powers[2][0] = tally.powers[1][1] = sums->above[1];
	tally.powers[3][0] = tally.powers[2][1] = tally.powers[1][2] = sums->above[2];
	tally.powers[0][1] = event->periods[0];
	tally.powers[0][2] = event->periods[1];
	tally.powers[0][3] = event->periods[2];
	estimate = estimate_share(&tally, &event->sampling);
	return (struct plumb_profile_estimate){estimate.value, estimate.low, estimate.high};
}

/* A mean's sums: above the line the value, below it 1 for each record that has one. */
struct mean_sums {
	uint64_t members, sum;
	double squares, cubes;
	const struct less_sums *less;
};

static struct plumb_profile_estimate
mean_of(const struct profiled_event *event, const struct mean_sums *sums,
	struct estimate (*estimate_it)(const struct tally *tally, const struct sampling *sampling))
{
	const double count = (double)sums->members, sum = (double)sums->sum;
	struct tally tally = {
		.samples = event->public.samples,
		.members = sums->members,
		.pairs = event->pairs,
		.steps_above = 2 * sums->squares - (double)sums->less->above,
		.steps_both = (double)(2 * sums->sum - sums->less->both),
		.steps_below = (double)(2 * sums->members - sums->less->below),
	};
	struct estimate estimate;

	if (sums->members < 2)
		return (struct plumb_profile_estimate){sums->members ? sum : NAN, NAN, NAN};
	tally.powers[1][0] = tally.powers[1][1] = tally.powers[1][2] = sum;
	tally.powers[2][0] = tally.powers[2][1] = sums->squares;
	tally.powers[3][0] = sums->cubes;
	tally.powers[0][1] = tally.powers[0][2] = tally.powers[0][3] = count;
	estimate = estimate_it(&tally, &event->sampling);
	return (struct plumb_profile_estimate){estimate.value, estimate.low, estimate.high};
}

static struct plumb_profile_estimate latency_of(const struct profiled_event *event,
						const struct record_sums *records)
{
	const struct mean_sums sums = {
		.members = records->latencies,
		.sum = records->latency,
		.squares = (double)records->latency_squares,
		.cubes = (double)records->latency_cubes[0] +
			 0x1p64 * (double)records->latency_cubes[1],
		.less = &records->less.latency,
	};

	return mean_of(event, &sums, estimate_mean);
}

/* Estimates how many of the `members` are `hits`: values of 0 and 1, whose powers are the same. */
static struct plumb_profile_estimate rate_of(const struct profiled_event *event, uint64_t hits,
					     uint64_t members, const struct less_sums *less)
{
	const struct mean_sums sums = {members, hits, (double)hits, (double)hits, less};

	return mean_of(event, &sums, estimate_share);
}

/* ---- Results ----------------------------------------------------------------------------------
 */

uint64_t plumb_profile_windows(const struct plumb_profile *profile)
{
	return (uint64_t)profile->grouping.windows;
}

uint64_t plumb_profile_not_shown(const struct plumb_profile *profile, size_t event,
				 uint64_t *period)
{
	if (event >= profile->event_count) {
		*period = 0;
		return 0;
	}
	*period = profile->events[event].not_shown[1];
	return profile->events[event].not_shown[0];
}

bool plumb_profile_event(const struct plumb_profile *profile, size_t i,
			 struct plumb_profile_event *event)
{
	if (i >= profile->event_count)
		return false;
	*event = profile->events[i].public;
	/* Rare events are in some groups of windows only; the intervals are from all. */
	if (event->windows)
		event->windows = plumb_profile_windows(profile);
	return true;
}

/* How many rows before its own one is fetched, since the order of rows is any; and later what its
 * latencies lead to. */
#define ROWS_AHEAD        8
#define LATENCIES_AHEAD   4
#define LATENCIES_FETCHED 512 /* bytes */

/* Fetches a row's latencies, as far as they are in a few lines. */
static void expect_latencies(const struct latencies *latencies, size_t row)
{
	for (unsigned kind = 0; row < latencies->room && kind < latencies->kind_count; kind++) {
		const struct latency_counts *counts =
			&latencies->rows[row * latencies->kind_count + kind];
		const size_t size = latency_room(counts) << (2 + counts->is_wide);

		for (size_t at = 0; at < size && at < LATENCIES_FETCHED; at += 64)
			__builtin_prefetch((const uint8_t *)counts->entries + at);
	}
}

/* Fetches what the rows after the i-th have, which are asked for next as a rule. */
static void expect_rows(const struct plumb_profile *profile, const struct profiled_event *of,
			size_t i)
{
	const struct latencies *latencies = &profile->latencies;

	if (i + ROWS_AHEAD < of->public.row_count) {
		const uint32_t row = of->order[i + ROWS_AHEAD];
		const uint8_t *records = (const uint8_t *)&profile->records[row];

		__builtin_prefetch(&profile->rows[row]);
		__builtin_prefetch(&profile->rows[row].nodes);
		for (size_t at = 0; at < sizeof(struct record_sums); at += 64)
			__builtin_prefetch(records + at);
		__builtin_prefetch(row_values(profile, row));
		if (row < latencies->room)
			latencies_expect_row(latencies, row);
	}
	if (i + LATENCIES_AHEAD < of->public.row_count)
		expect_latencies(latencies, of->order[i + LATENCIES_AHEAD]);
}

/* Returns a row's share, which is `last` if that is of the same sums. Those of groups are not. */
static struct plumb_profile_estimate share_of(const struct plumb_profile *profile,
					      const struct profiled_event *event,
					      const struct row *row, struct row_share *last)
{
	const struct sums *own = &row->own;

	if (!last->known || row->groups || last->steps_above != own->steps_above ||
	    last->steps_both != own->steps_both || last->above[0] != own->above[0] ||
	    last->above[1] != own->above[1] || last->above[2] != own->above[2]) {
		memcpy(last->above, own->above, sizeof(last->above));
		last->steps_above = own->steps_above;
		last->steps_both = own->steps_both;
		last->share = profile_share(profile, event, own, row->groups);
		last->known = !row->groups;
	}
	return last->share;
}

bool profile_row_parts(const struct plumb_profile *profile, size_t event, size_t i, unsigned parts,
		       struct row_share *last, struct plumb_profile_row *row)
{
	static const struct plumb_profile_estimate none = {NAN, NAN, NAN};
	const struct profiled_event *of;
	const struct record_sums *records;
	const struct row *found;

	if (!profile->finished || event >= profile->event_count)
		return false;
	of = &profile->events[event];
	if (i >= of->public.row_count)
		return false;
	expect_rows(profile, of, i);
	found = &profile->rows[of->order[i]];
	records = &profile->records[of->order[i]];
	*row = (struct plumb_profile_row){
		.samples = found->own.samples,
		.period = found->own.period,
		.share = share_of(profile, of, found, last),
		.children = none,
		.latency = parts & ROW_LATENCY ? latency_of(of, records) : none,
		.l1d_misses = parts & ROW_L1D_MISSES
				      ? rate_of(of, records->misses, records->accesses,
						&records->less.misses)
				      : none,
		.mispredictions = parts & ROW_MISPREDICTIONS
					  ? rate_of(of, records->mispredictions, records->branches,
						    &records->less.mispredictions)
					  : none,
	};
	if (profile->branches) {
		const struct row_branches *branches = &profile->branches[of->order[i]];

		row->share = branches_share(of, branches, found->own.samples);
		row->mispredictions = branches_missed(of, branches);
	}
	row->saturated = profile->wide_counters ? 0 : records->at_most;
	row->latency_share = of->latency > 0 ? (double)records->latency / of->latency : NAN;
	if (profile->callees) {
		const struct row_callees *callees = &profile->callees[of->order[i]];

		row->children_samples = callees->sums.samples;
		row->children_period = callees->sums.period;
		row->children = profile_share(profile, of, &callees->sums, callees->groups);
	}
	return true;
}

bool plumb_profile_row(const struct plumb_profile *profile, size_t event, size_t i,
		       struct plumb_profile_row *row)
{
	struct row_share last = {0};

	return profile_row_parts(profile, event, i, ROW_ALL, &last, row);
}

struct plumb_profile_estimate plumb_profile_operations(const struct plumb_profile *profile,
						       size_t event, size_t i)
{
	struct plumb_profile_estimate none = {NAN, NAN, NAN}, share;
	const struct profiled_event *of;
	struct estimate total;
	double drawn;

	if (!profile->finished || event >= profile->event_count)
		return none;
	of = &profile->events[event];
	if (!of->public.spe || i >= of->public.row_count)
		return none;
	share = profile_share(profile, of, &profile->rows[of->order[i]].own, NULL);
	total = (struct estimate){share.value, share.low, share.high, of->members, NAN};
	total = estimate_total(&total, &of->sampling, of->public.samples, 0);
	/* How many samples pass a filter is random, too. */
	drawn = total.value * student_quantile(INFINITY) *
		sqrt(of->sampling.filtered / (double)of->public.samples);
	if (isnan(total.low))
		return (struct plumb_profile_estimate){total.value, NAN, NAN};
	return (struct plumb_profile_estimate){
		total.value, fmax(0, total.value - hypot(total.value - total.low, drawn)),
		total.value + hypot(total.high - total.value, drawn)};
}

const char *plumb_profile_text(const struct plumb_profile *profile, size_t event, size_t row,
			       size_t k, char room[PLUMB_PROFILE_TEXT])
{
	uint32_t index;

	if (!profile->finished || event >= profile->event_count ||
	    row >= profile->events[event].public.row_count || k >= profile->options.key_count)
		return NULL;
	index = profile->events[event].order[row];
	return key_text(profile, profile->keys[k], row_values(profile, index) + 1 + 2 * k, room);
}

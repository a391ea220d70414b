/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a whole stream: SPE records in batches, with little work for each. */
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "profile/profile_batch.h"
#include "profile/sums.h"

/* How many records before its own a latency's count is fetched. */
#define LATENCIES_AHEAD 8

/* ---- Sums -------------------------------------------------------------------------------------
 */

void lane_end(struct plumb_profile *profile, struct lane *lane)
{
	if (lane->open) {
		add_end(&profile->records[lane->row].less, &lane->values);
		profile->records[lane->row].together += lane->in_batches;
	}
	lane->open = lane->begun = false;
}

/* A record of a lane, for the one that follows it. */
struct neighbour {
	uint32_t row, latency;
	unsigned kind;
};

/* Adds the first of the records that were found, beside the last one of its lane. */
static void add_first(struct adding *adding, const struct neighbour *first)
{
	const struct lane *lane = adding->lane;
	const struct record_kind *kind = &adding->kinds[first->kind];

	if (!lane->open)
		tally_end(adding->tallies, first->row, kind, first->latency);
	else if (lane->row == first->row)
		tally_neighbours(adding->tallies, first->row, tally_flags(&lane->values),
				 lane->values.latency, kind->flags, first->latency,
				 lane->values.has_latency && kind->values.has_latency);
	adding->sums.pairs += lane->open;
}

/* Adds the records from the first that was found on up to the i-th to their rows. */
static void add_to_rows(struct adding *adding, size_t i)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	const uint32_t *rows = adding->rows;
	struct tally_row *tally_rows = adding->tallies->rows;
	struct batch_sums *sums = &adding->sums;
	struct neighbour last = {.row = NO_ROW};
	uint64_t latency = 0;

	for (size_t k = adding->added; k < i; k++) {
		/* It is 0 without a packet. */
		const struct neighbour now = {
			.row = rows[k],
			.latency = spe[k].counters[PLUMB_SPE_TOTAL_LATENCY],
			.kind = record_kind(&spe[k]),
		};
		const struct record_kind *kind = &adding->kinds[now.kind];

		tally_record(&tally_rows[now.row], kind, now.latency);
		sums->kinds[now.kind]++;
		latency += now.latency;
		if (now.row == last.row)
			tally_neighbours(adding->tallies, now.row, adding->kinds[last.kind].flags,
					 last.latency, kind->flags, now.latency,
					 last.kind & now.kind & KIND_LATENCY);
		else if (k == adding->added)
			add_first(adding, &now);
		last = now;
	}
	sums->count += i - adding->added;
	sums->pairs += i - adding->added - 1;
	sums->latency += latency;
	adding->tallies->records += i - adding->added;
	adding->lane->open = true;
	adding->lane->row = last.row;
	adding->lane->values = record_values_of(&adding->kinds[last.kind], last.latency);
}

/* Counts the latencies of the records whose rows were found up to the i-th. */
static int add_latencies(const struct adding *adding, size_t i)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	int status = 0;

	for (size_t k = adding->added; k < i && k < adding->added + LATENCIES_AHEAD; k++)
		latencies_expect(adding->latencies, adding->rows[k], &spe[k]);
	for (size_t k = adding->added; status == 0 && k < i; k++) {
		const size_t ahead = k + LATENCIES_AHEAD;

		if (ahead < i)
			latencies_expect(adding->latencies, adding->rows[ahead], &spe[ahead]);
		status = latencies_add(adding->latencies, adding->rows[k], &spe[k]);
	}
	return status;
}

/* Moves the records that are not shown, of those whose rows were found up to the i-th, to the row
 * for these. */
static int hide(const struct adding *adding, size_t i, uint32_t *rows)
{
	uint32_t hidden;
	int status;

	adding_lock(adding);
	status = rows_find_hidden(adding->profile, adding->event, &hidden);
	adding_unlock(adding);
	if (status == 0 &&
	    (!tallies_reserve(adding->tallies, hidden) ||
	     (adding->latencies->kind_count && !latencies_reserve(adding->latencies, hidden))))
		status = PLUMB_ERR_NO_MEMORY;
	for (size_t k = adding->added; status == 0 && k < i; k++)
		if (adding->hidden[k])
			rows[k] = hidden;
	return status;
}

int adding_add_found(struct adding *adding, size_t i)
{
	int status = 0;

	if (i == adding->added)
		return 0;
	if (adding->hidden_count)
		status = hide(adding, i, adding->rows);
	if (status < 0)
		return status;
	if (adding->latencies->kind_count)
		status = add_latencies(adding, i);
	if (status == 0)
		add_to_rows(adding, i);
	adding->added = i;
	return status;
}

/* Adds what all records of the batches change of their event. */
static void add_to_event(struct adding *adding)
{
	const struct batch_sums *sums = &adding->sums;
	struct profiled_event *event;

	if (!adding->has_event)
		return;
	event = &adding->profile->events[adding->event];
	event->public.samples += sums->count;
	event->public.period = add_saturating(event->public.period, sums->count);
	event->public.left_out += sums->left_out;
	event->public.left_out_period =
		add_saturating(event->public.left_out_period, sums->left_out);
	event->not_shown[0] += sums->not_shown;
	event->not_shown[1] = add_saturating(event->not_shown[1], sums->not_shown);
	event->members += sums->count;
	event->pairs += sums->pairs;
	for (unsigned i = 0; i < RECORD_KINDS; i++) {
		const struct record_kind *kind = &adding->kinds[i];

		if (!sums->kinds[i])
			continue;
		event->public.not_retired += kind->not_retired ? sums->kinds[i] : 0;
		event->public.latencies |= kind->values.has_latency;
		event->public.l1d_accesses |= kind->values.accesses;
		event->public.branches |= kind->values.branches;
	}
	event->latency += (double)sums->latency;
	for (size_t i = 0; i < 3; i++)
		event->periods[i] += (double)sums->count;
	adding->sums = (struct batch_sums){0};
}

void batches_flush(struct plumb_profile *profile)
{
	tallies_flush(&profile->tallies, profile);
	for (size_t i = 0; i < profile->lane_count; i++)
		if (profile->lanes[i].open)
			lane_end(profile, &profile->lanes[i]);
}

void batches_settle(struct plumb_profile *profile, size_t row)
{
	const struct record_sums *from = &profile->records[row];
	const double count = (double)from->samples;

	if (!from->samples)
		return;
	profile->rows[row].own = (struct sums){
		.samples = from->samples,
		.period = from->samples,
		.above = {count, count, count},
		.steps_above = (double)(2 * from->samples - from->together),
	};
}

/* ---- Batches ----------------------------------------------------------------------------------
 */

/* Returns a part's lane: a copy of the profile's, which a ring has to itself. */
static struct lane *part_lane(const struct adding *adding, const uint64_t key[2])
{
	struct adding_part *part = adding->part;
	struct lane *copy = part->lane_count ? &part->lanes[part->lane_count - 1] : NULL;
	const struct lane *lane;

	if (copy && copy->key[0] == key[0] && copy->key[1] == key[1])
		return copy;
	if (part->lane_count == part->lane_room) {
		const size_t room = part->lane_room ? 2 * part->lane_room : 16;
		struct lane *grown = reallocarray(part->lanes, room, sizeof(*grown));

		if (!grown)
			return NULL;
		part->lanes = grown;
		part->lane_room = room;
	}
	adding_lock(adding);
	lane = lane_find(adding->profile, key);
	copy = lane ? &part->lanes[part->lane_count++] : NULL;
	if (copy)
		*copy = *lane;
	adding_unlock(adding);
	return copy;
}

/* Finds the thread and the event of a batch. */
static int identify(struct adding *adding)
{
	const struct plumb_samples_batch *batch = adding->batch;
	const struct profiled_event *event;

	adding->task = batch->task ? batch->task : plumb_samples_task(adding->samples, -1, -1);
	if (!adding->task)
		return PLUMB_ERR_NO_MEMORY;
	if (adding->has_event)
		return 0;
	event = profiled_event_find(adding->profile,
				    samples_item(adding->samples, adding->task, 0));
	if (!event)
		return PLUMB_ERR_NO_MEMORY;
	adding->event = (size_t)(event - adding->profile->events);
	adding->has_event = true;
	return 0;
}

static bool wants_item(void *user, const struct plumb_samples_item *item)
{
	struct plumb_profile *profile = user;
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_frame at = {.ip = item->record->sample.ip,
				       .mode = plumb_record_mode(item->record)};
	const struct place *place = NULL;

	if (options->wants_by & PLUMB_WANTS_LOCATION)
		place = place_find(profile, item->task, at);
	return options->wants(options->user, item, place ? &place->location : NULL);
}

/* Leaves out the records of the batch that the caller does not want. Returns how many are left. */
static size_t leave_out(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	const size_t count = adding->batch->count;
	size_t left_out = 0;

	if (!profile->options.wants)
		return count;
	if (profile->options.wants_by != PLUMB_WANTS_THREAD)
		left_out = samples_keep(adding->samples, adding->task, wants_item, profile);
	else if (!wants_item(profile, samples_item(adding->samples, adding->task, 0)))
		left_out = count;
	adding->sums.left_out += left_out;
	return count - left_out;
}

static bool shows_item(struct plumb_profile *profile, const struct plumb_samples_item *item)
{
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_frame at = {.ip = item->record->sample.ip,
				       .mode = plumb_record_mode(item->record)};
	const struct place *place = NULL;

	if (options->shows_by & PLUMB_WANTS_LOCATION)
		place = place_find(profile, item->task, at);
	return options->shows(options->user, item, place ? &place->location : NULL);
}

/*
 * Finds which records of the batch are not shown, and makes their row while there is room for it.
 * Returns 0, NO_MEMORY, or, in a part, LIMIT.
 */
static int find_hidden(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	const size_t count = adding->batch->count;
	uint32_t row;
	int status;

	adding->hidden_count = 0;
	if (!profile->options.shows)
		return 0;
	if (profile->options.shows_by == PLUMB_WANTS_THREAD) {
		const bool hidden =
			!shows_item(profile, samples_item(adding->samples, adding->task, 0));

		memset(adding->hidden, hidden, count);
		adding->hidden_count = hidden ? count : 0;
	} else {
		for (size_t i = 0; i < count; i++) {
			const struct plumb_samples_item *item =
				samples_item(adding->samples, adding->task, i);

			adding->hidden[i] = !shows_item(profile, item);
			adding->hidden_count += adding->hidden[i];
		}
	}
	adding->sums.not_shown += adding->hidden_count;
	if (!adding->hidden_count)
		return 0;
	adding_lock(adding);
	status = rows_find_hidden(profile, adding->event, &row);
	if (status == PLUMB_ERR_LIMIT && !adding->part) {
		status = rows_give_up(profile);
		if (status == 0)
			status = rows_find_hidden(profile, adding->event, &row);
	}
	adding_unlock(adding);
	return status;
}

/* Finds what the records of a batch have in common. */
static int begin_batch(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_batch *batch = adding->batch;
	const uint64_t key[2] = {adding->event, lane_of_ring(batch->ring)};

	adding->lane = adding->part ? part_lane(adding, key) : lane_find(profile, key);
	if (!adding->lane)
		return PLUMB_ERR_NO_MEMORY;
	adding->lane->in_batches = true;
	adding->added = 0;
	if (adding->tallies->records > TALLIES_MAX - SAMPLES_RUN_MAX) {
		if (adding->part)
			return PLUMB_ERR_LIMIT;
		tallies_flush(adding->tallies, profile);
	}
	return adding_find_origin(adding);
}

/* Adds the batch late, of the whole stream and if that is due. Returns 0, NO_MEMORY, or LIMIT, if
 * it is not. */
static int add_late(struct adding *adding)
{
	int status = 0;

	if (adding->late_due && !adding->late && !adding->part && late_is_possible(adding)) {
		adding->late_due = false;
		status = late_begin(adding);
	}
	if (status < 0)
		return status;
	status = adding->late ? late_add_batch(adding) : PLUMB_ERR_LIMIT;
	if (status == PLUMB_ERR_LIMIT && late_end(adding) < 0)
		return PLUMB_ERR_NO_MEMORY;
	return status;
}

int add_batch(struct adding *adding)
{
	int status = identify(adding);

	if (status < 0 || !leave_out(adding))
		return status;
	status = add_late(adding);
	if (status != PLUMB_ERR_LIMIT)
		return status;
	status = find_hidden(adding);
	if (status == 0)
		status = begin_batch(adding);
	if (adding->part)
		__atomic_fetch_add(&adding->part->together->records, adding->batch->count,
				   __ATOMIC_RELAXED);
	if (status == 0)
		status = adding_find_rows(adding);
	return status < 0 ? status : adding_add_found(adding, adding->batch->count);
}

static int add_batches(struct plumb_profile *profile, struct plumb_samples *samples)
{
	struct adding adding = {.profile = profile,
				.samples = samples,
				.tallies = &profile->tallies,
				.latencies = &profile->latencies,
				.threads = threads_to_use(profile->options.threads),
				.parts = parts_of(profile)};
	int status, added = 0;

	record_kinds_begin(adding.kinds);
	if (!profile->hot.codes && !hot_begin(&profile->hot, adding.parts.blocks))
		return PLUMB_ERR_NO_MEMORY;
	if (!profile->origins)
		profile->origins = calloc(ORIGINS, sizeof(*profile->origins));
	if (!profile->origins)
		return PLUMB_ERR_NO_MEMORY;
	if (!adding.parts.groups_mask)
		samples_omit_groups(samples);
	if (adding.parts.sums && !profile->options.wants && !profile->options.shows)
		samples_sum_up(samples, !adding.parts.plain || profile->options.latencies);
	while (added == 0 && (status = plumb_samples_next_batch(samples, &adding.batch)) > 0) {
		if (adding.batch->record) {
			const struct plumb_samples_item item = {.record = adding.batch->record,
								.task = adding.batch->task};

			if (item.record->type == PLUMB_RECORD_SAMPLE && adding.late) {
				adding.never_late = true;
				added = late_end(&adding);
			}
			if (added == 0)
				added = profile_add_item(profile, &item);
			continue;
		}
		added = add_batch(&adding);
		if (added == 0 && !adding.late)
			added = add_in_threads(&adding);
	}
	if (late_end(&adding) < 0)
		added = PLUMB_ERR_NO_MEMORY;
	add_to_event(&adding);
	return added < 0 ? added : status;
}

int plumb_profile_add(struct plumb_profile *profile, struct plumb_samples *samples)
{
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_samples_item *item;
	int status, added;

	if (samples_each_record_once(samples) && (!options->wants || options->wants_by) &&
	    (!options->shows || options->shows_by) && !options->takes && !options->branches &&
	    !options->children && options->paths == PLUMB_PATHS_NONE)
		return add_batches(profile, samples);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		added = profile_add_item(profile, item);
		if (added < 0)
			return added;
	}
	return status;
}

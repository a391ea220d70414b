/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a whole stream: SPE records in batches, with little work for each. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/sums.h"
#include "recording/samples.h"

/* How many records before its own a latency's bucket is looked for. */
#define LATENCIES_AHEAD 12

/* ---- What keys depend on ----------------------------------------------------------------------
 */

/* The parts of a record that decide on its row, beside its instruction and its origin. */
struct parts {
	uint32_t has;          /* members of which it matters whether they are there */
	uint64_t data_mask;    /* of the data's address */
	uint64_t target_mask;  /* of the branch's target */
	uint16_t latency_mask; /* of the total latency */
	uint16_t operation_mask;
	uint32_t source_mask, events_mask, groups_mask;
	/* Whether a hot row has room for all of them. The number of the words is that of the parts
	 * that would take each. */
	unsigned addresses, details;
	bool fit, cpu;
};

static void add_part(struct parts *parts, unsigned key)
{
	switch (key) {
	case PLUMB_KEY_CACHE_LINE:
		parts->data_mask |= ~UINT64_C(63);
		break;
	case PLUMB_KEY_PAGE:
		parts->data_mask |= ~UINT64_C(4095);
		break;
	case PLUMB_KEY_OFFSET:
		parts->data_mask |= 63;
		break;
	case PLUMB_KEY_BRANCH_TARGET:
	case PLUMB_KEY_SYMBOL_TO:
		parts->target_mask = UINT64_MAX;
		break;
	case PLUMB_KEY_LATENCY:
		parts->latency_mask = UINT16_MAX;
		break;
	case PLUMB_KEY_OP:
	case PLUMB_KEY_SUBCLASS:
	case PLUMB_KEY_ACCESS:
		parts->operation_mask = UINT16_MAX;
		break;
	case PLUMB_KEY_DATA_SOURCE:
		parts->source_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_EVENT:
		parts->events_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_GROUP:
		parts->groups_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_CPU:
		parts->cpu = true;
		break;
	case PLUMB_KEY_SYMBOL:
	case PLUMB_KEY_DSO:
	case PLUMB_KEY_COMM:
	case PLUMB_KEY_PID:
	case PLUMB_KEY_TID:
	case PLUMB_KEY_SRCLINE:
	case PLUMB_KEY_SRCFILE:
	case PLUMB_KEY_IP:
	case PLUMB_KEY_INLINE:
		break;
	default:
		parts->fit = false;
	}
}

static struct parts find_parts(const struct plumb_profile *profile)
{
	struct parts parts = {.fit = true};

	for (size_t i = 0; i < profile->options.key_count; i++)
		add_part(&parts, profile->keys[i]);
	if (parts.data_mask)
		parts.has |= PLUMB_SPE_HAS_DATA_VIRTUAL;
	if (parts.target_mask)
		parts.has |= PLUMB_SPE_HAS_BRANCH_TARGET;
	if (parts.latency_mask)
		parts.has |= PLUMB_SPE_HAS_TOTAL_LATENCY;
	if (parts.operation_mask)
		parts.has |= PLUMB_SPE_HAS_OPERATION;
	if (parts.source_mask)
		parts.has |= PLUMB_SPE_HAS_DATA_SOURCE;
	if (parts.events_mask)
		parts.has |= PLUMB_SPE_HAS_EVENTS;
	parts.addresses = !!parts.data_mask + !!parts.target_mask + !!parts.latency_mask;
	parts.details = !!parts.source_mask + !!parts.events_mask + !!parts.groups_mask;
	parts.fit &= parts.addresses <= 1 && parts.details <= 1;
	return parts;
}

/* ---- Rows -------------------------------------------------------------------------------------
 */

/* What the records of a batch have together. */
struct batch_sums {
	uint64_t pairs, latency, not_retired;
	bool latencies, accesses, branches;
};

/* A batch on its way into the rows. */
struct adding {
	struct plumb_samples *samples;
	const struct plumb_samples_batch *batch;
	const struct plumb_task *task;
	struct parts parts;
	bool has_event;
	size_t event; /* of all SPE records */
	uint32_t origin;
	struct lane *lane;
	struct batch_sums sums;
	/* Rows are found for the whole batch first, so that memory is fetched ahead. */
	struct hot_row wanted[SAMPLES_RUN_MAX];
	struct hot_row *ways[SAMPLES_RUN_MAX]; /* NULL: the record's row is never hot */
	uint32_t rows[SAMPLES_RUN_MAX];
	size_t added; /* records of the batch that were added to their rows */
};

/* Finds the row of the i-th record, as of any sample. */
static int look_up(struct plumb_profile *profile, const struct adding *adding, size_t i,
		   uint32_t *row)
{
	const struct plumb_samples_item *item = samples_item(adding->samples, adding->task, i);
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	const struct frame_values frame = {
		item, &profile->events[adding->event],
		place_find(profile, item->task,
			   (struct plumb_frame){.ip = item->record->sample.ip, .mode = mode})};

	return row_find(profile, &frame, row);
}

/* Returns the number of the batch's origin, which is new after each change of what it depends on.
 */
static uint32_t find_origin(struct plumb_profile *profile, const struct adding *adding)
{
	const struct plumb_samples_batch *batch = adding->batch;
	struct origin wanted = {
		.task = adding->task,
		.generation = profile->generation,
		.cpu = adding->parts.cpu ? batch->cpu : -1,
		.midr = adding->parts.details ? batch->midr : 0,
		.event = (uint32_t)adding->event,
	};
	const uint64_t words[] = {(uintptr_t)wanted.task, (uint32_t)wanted.cpu, wanted.midr};
	struct origin *ways =
		&profile->origins[hash_words(words, 3) % (ORIGINS / ORIGIN_WAYS) * ORIGIN_WAYS];

	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (ways[way].number && ways[way].task == wanted.task &&
		    ways[way].generation == wanted.generation && ways[way].cpu == wanted.cpu &&
		    ways[way].midr == wanted.midr && ways[way].event == wanted.event)
			return ways[way].number;
	/* When the numbers have run out, they begin again, and nothing is known of the old ones. */
	if (++profile->origin_count == 0) {
		memset(profile->hot, 0, HOT_ROWS * sizeof(*profile->hot));
		memset(profile->origins, 0, ORIGINS * sizeof(*profile->origins));
		profile->origin_count = 1;
	}
	wanted.number = profile->origin_count;
	memmove(ways + 1, ways, (ORIGIN_WAYS - 1) * sizeof(*ways));
	*ways = wanted;
	return wanted.number;
}

/* Sets what decides on a record's row. Returns false if that is too much for a hot row. */
static inline bool describe(const struct adding *adding, size_t i, struct hot_row *wanted)
{
	const struct plumb_spe_record *spe = &adding->batch->spe[i];
	const struct parts *parts = &adding->parts;

	*wanted = (struct hot_row){.pc = spe->addresses[PLUMB_SPE_PC], .origin = adding->origin};
	if (parts->addresses)
		wanted->address = (spe->addresses[PLUMB_SPE_DATA_VIRTUAL] & parts->data_mask) |
				  (spe->addresses[PLUMB_SPE_BRANCH_TARGET] & parts->target_mask) |
				  (spe->counters[PLUMB_SPE_TOTAL_LATENCY] & parts->latency_mask);
	if (parts->has | parts->details) {
		const uint16_t operation =
			(uint16_t)(spe->op_class << 8 | spe->operation) & parts->operation_mask;
		uint32_t detail = ((uint32_t)spe->data_source & parts->source_mask) |
				  ((uint32_t)spe->events & parts->events_mask);

		if (parts->groups_mask)
			detail = adding->batch->groups[i];
		wanted->detail = (uint64_t)detail << 32 | (uint32_t)operation << 16 |
				 (spe->has & parts->has & UINT16_MAX);
		if ((parts->source_mask && spe->data_source > UINT32_MAX) ||
		    (parts->events_mask && spe->events > UINT32_MAX))
			return false;
	}
	return parts->fit && spe->has & PLUMB_SPE_HAS_PC;
}

/* Returns where records with these parts are among the hot rows. */
static inline struct hot_row *hot_ways(const struct plumb_profile *profile,
				       const struct hot_row *wanted)
{
	const uint64_t hash = (wanted->pc ^ wanted->address * UINT64_C(0xc2b2ae3d27d4eb4f) ^
			       wanted->detail * UINT64_C(0x165667b19e3779f9) ^
			       ((uint64_t)wanted->origin << 40 | wanted->origin)) *
			      UINT64_C(0x9e3779b97f4a7c15);

	return &profile->hot[(hash >> (64 - HOT_BITS)) * HOT_WAYS];
}

static inline bool hot_find(const struct hot_row *ways, const struct hot_row *wanted, uint32_t *row)
{
	for (size_t way = 0; way < HOT_WAYS; way++) {
		if (ways[way].pc == wanted->pc && ways[way].origin == wanted->origin &&
		    ways[way].address == wanted->address && ways[way].detail == wanted->detail) {
			*row = ways[way].row;
			return true;
		}
	}
	return false;
}

/* Makes a row a hot one, in place of the oldest. */
static void hot_add(struct hot_row *ways, const struct hot_row *wanted, uint32_t row)
{
	memmove(ways + 1, ways, (HOT_WAYS - 1) * sizeof(*ways));
	*ways = *wanted;
	ways->row = row;
}

/* ---- Sums -------------------------------------------------------------------------------------
 */

void lane_end(struct plumb_profile *profile, struct lane *lane)
{
	if (lane->open) {
		add_end(&profile->records[lane->row], &lane->values);
		profile->records[lane->row].together += lane->in_batches;
	}
	lane->open = lane->begun = false;
}

static inline void add_to_row(struct plumb_profile *profile, struct lane *lane, uint32_t row,
			      const struct plumb_spe_record *spe, struct batch_sums *batch)
{
	const struct record_values values = record_values(spe);
	struct record_sums *sums = &profile->records[row];

	sums->samples++;
	sums->together += lane->open ? 2 * (lane->row == row) : 1;
	batch->pairs += lane->open;
	add_record(profile, lane, row, &values);
	lane->row = row;
	batch->latency += values.latency;
	batch->not_retired += is_not_retired(spe);
	batch->latencies |= values.has_latency;
	batch->accesses |= values.accesses;
	batch->branches |= values.branches;
}

/* Adds the records whose rows were found up to the i-th. */
static int add_found(struct plumb_profile *profile, struct adding *adding, size_t i)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	int status = 0;

	for (; status == 0 && adding->added < i; adding->added++) {
		const uint32_t row = adding->rows[adding->added];
		const size_t ahead = adding->added + LATENCIES_AHEAD;

		if (profile->options.latencies && ahead < i)
			latencies_expect(profile, adding->rows[ahead], &spe[ahead]);
		if (profile->options.latencies)
			status = latencies_add(profile, row, &spe[adding->added]);
		add_to_row(profile, adding->lane, row, &spe[adding->added], &adding->sums);
	}
	return status;
}

/* What all records of the batch change of their event. */
static void add_to_event(struct profiled_event *event, size_t count, const struct batch_sums *batch)
{
	event->public.samples += count;
	event->public.period = add_saturating(event->public.period, count);
	event->public.not_retired += batch->not_retired;
	event->members += count;
	event->pairs += batch->pairs;
	event->public.latencies |= batch->latencies;
	event->public.l1d_accesses |= batch->accesses;
	event->public.branches |= batch->branches;
	event->latency += (double)batch->latency;
	for (size_t i = 0; i < 3; i++)
		event->periods[i] += (double)count;
}

void batches_settle(struct plumb_profile *profile)
{
	for (size_t i = 0; i < profile->lane_count; i++)
		if (profile->lanes[i].open)
			lane_end(profile, &profile->lanes[i]);
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct record_sums *from = &profile->records[i];
		const double count = (double)from->samples;

		if (!from->samples)
			continue;
		profile->rows[i].own = (struct sums){
			.samples = from->samples,
			.period = from->samples,
			.above = {count, count, count},
			.steps_above = (double)(2 * from->samples - from->together),
		};
	}
}

/* ---- Batches ----------------------------------------------------------------------------------
 */

/* Finds what the records of a batch have in common. */
static int begin_batch(struct plumb_profile *profile, struct adding *adding)
{
	const struct plumb_samples_batch *batch = adding->batch;
	uint64_t key[2] = {0, lane_of_ring(batch->ring)};

	adding->task = batch->task ? batch->task : plumb_samples_task(adding->samples, -1, -1);
	if (!adding->task)
		return PLUMB_ERR_NO_MEMORY;
	if (!adding->has_event) {
		const struct profiled_event *event = profiled_event_find(
			profile, samples_item(adding->samples, adding->task, 0));

		if (!event)
			return PLUMB_ERR_NO_MEMORY;
		adding->event = (size_t)(event - profile->events);
		adding->has_event = true;
	}
	key[0] = adding->event;
	adding->lane = lane_find(profile, key);
	if (!adding->lane)
		return PLUMB_ERR_NO_MEMORY;
	adding->lane->in_batches = true;
	adding->sums = (struct batch_sums){0};
	adding->added = 0;
	return 0;
}

/* Finds where the records' rows are among the hot ones, from the i-th on. */
static void find_ways(const struct plumb_profile *profile, struct adding *adding, size_t i)
{
	for (; i < adding->batch->count; i++) {
		adding->ways[i] = NULL;
		if (!describe(adding, i, &adding->wanted[i]))
			continue;
		adding->ways[i] = hot_ways(profile, &adding->wanted[i]);
		__builtin_prefetch(adding->ways[i]);
	}
}

/* Finds the row of a record that is not among the hot ones, and makes it one. */
static int find_cold(struct plumb_profile *profile, struct adding *adding, size_t i)
{
	int status = 0;

	if (profile->row_count + 1 > profile->options.rows_max) {
		status = add_found(profile, adding, i);
		if (status == 0)
			status = rows_give_up(profile);
		adding->origin = find_origin(profile, adding);
		find_ways(profile, adding, i);
	}
	if (status == 0)
		status = look_up(profile, adding, i, &adding->rows[i]);
	if (status == 0 && adding->ways[i])
		hot_add(adding->ways[i], &adding->wanted[i], adding->rows[i]);
	return status;
}

static int add_batch(struct plumb_profile *profile, struct adding *adding)
{
	const size_t count = adding->batch->count;
	int status = begin_batch(profile, adding);

	if (status < 0)
		return status;
	adding->origin = find_origin(profile, adding);
	find_ways(profile, adding, 0);
	for (size_t i = 0; i < count; i++) {
		if (!adding->ways[i] ||
		    !hot_find(adding->ways[i], &adding->wanted[i], &adding->rows[i]))
			status = find_cold(profile, adding, i);
		if (status < 0)
			return status;
		__builtin_prefetch(&profile->records[adding->rows[i]], 1);
	}
	status = add_found(profile, adding, count);
	add_to_event(&profile->events[adding->event], count, &adding->sums);
	return status;
}

static int add_batches(struct plumb_profile *profile, struct plumb_samples *samples)
{
	struct adding adding = {.samples = samples, .parts = find_parts(profile)};
	int status, added = 0;

	if (!profile->hot)
		profile->hot = calloc(HOT_ROWS, sizeof(*profile->hot));
	if (!profile->origins)
		profile->origins = calloc(ORIGINS, sizeof(*profile->origins));
	if (!profile->hot || !profile->origins)
		return PLUMB_ERR_NO_MEMORY;
	if (!adding.parts.groups_mask)
		samples_omit_groups(samples);
	while ((status = plumb_samples_next_batch(samples, &adding.batch)) > 0) {
		if (adding.batch->record) {
			const struct plumb_samples_item item = {.record = adding.batch->record,
								.task = adding.batch->task};

			added = profile_add_item(profile, &item);
		} else {
			added = add_batch(profile, &adding);
		}
		if (added < 0)
			return added;
	}
	return status;
}

int plumb_profile_add(struct plumb_profile *profile, struct plumb_samples *samples)
{
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_samples_item *item;
	int status, added;

	if (samples_each_record_once(samples) && !options->wants && !options->children &&
	    options->paths == PLUMB_PATHS_NONE)
		return add_batches(profile, samples);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		added = profile_add_item(profile, item);
		if (added < 0)
			return added;
	}
	return status;
}

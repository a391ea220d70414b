/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a whole stream: SPE records in batches, with little work for each. */
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "profile/profile_batch.h"
#include "profile/sums.h"

/* How many records before its own a latency's bucket is looked for, and fetched. */
#define LATENCIES_AHEAD 12
#define LATENCIES_SOON  6

/* ---- What keys depend on ----------------------------------------------------------------------
 */

static bool is_code(unsigned key)
{
	switch (key) {
	case PLUMB_KEY_SYMBOL:
	case PLUMB_KEY_DSO:
	case PLUMB_KEY_SRCLINE:
	case PLUMB_KEY_SRCFILE:
	case PLUMB_KEY_IP:
	case PLUMB_KEY_INLINE:
		return true;
	default:
		return false;
	}
}

static void add_part(struct parts *parts, unsigned key)
{
	switch (key) {
	case PLUMB_KEY_SRCLINE:
	case PLUMB_KEY_SRCFILE:
	case PLUMB_KEY_INLINE:
		parts->lines = true;
		break;
	case PLUMB_KEY_CACHE_LINE:
		parts->data_mask |= ~UINT64_C(63);
		break;
	case PLUMB_KEY_PAGE:
		parts->data_mask |= ~UINT64_C(4095);
		break;
	case PLUMB_KEY_OFFSET:
		parts->data_mask |= 63;
		break;
	case PLUMB_KEY_SYMBOL_TO:
		parts->space = true;
		__attribute__((fallthrough));
	case PLUMB_KEY_BRANCH_TARGET:
		parts->target_mask = UINT64_MAX;
		break;
	case PLUMB_KEY_LATENCY:
	case PLUMB_KEY_LATENCY_RANGE:
		parts->latency_mask = UINT16_MAX;
		break;
	case PLUMB_KEY_OP:
	case PLUMB_KEY_SUBCLASS:
	case PLUMB_KEY_ACCESS: /* BYTES has no value of an SPE record */
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
	case PLUMB_KEY_COMM:
		parts->comm = true;
		break;
	case PLUMB_KEY_PID:
		parts->pid = true;
		break;
	case PLUMB_KEY_TID:
		parts->tid = true;
		break;
	default:
		parts->fit &= is_code(key);
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
	parts.plain = parts.fit && !parts.addresses && !parts.has && !parts.details && !parts.cpu;
	return parts;
}

/* ---- Locks ------------------------------------------------------------------------------------
 */

static void lock(const struct adding *adding)
{
	if (adding->part)
		pthread_mutex_lock(adding->part->lock);
}

static void unlock(const struct adding *adding)
{
	if (adding->part)
		pthread_mutex_unlock(adding->part->lock);
}

/* ---- Codes and origins ------------------------------------------------------------------------
 */

/* Returns the number of an origin, which is new after each change of what it depends on. */
static uint32_t number_origin(struct plumb_profile *profile, struct origin *wanted)
{
	const uint64_t words[] = {(uintptr_t)wanted->owner, wanted->generation,
				  (uint64_t)(uint32_t)wanted->pid << 32 | (uint32_t)wanted->tid,
				  (uint64_t)(uint32_t)wanted->cpu << 32 | wanted->midr,
				  wanted->space};
	struct origin *ways =
		&profile->origins[hash_words(words, 5) % (ORIGINS / ORIGIN_WAYS) * ORIGIN_WAYS];

	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (ways[way].number && ways[way].owner == wanted->owner &&
		    ways[way].generation == wanted->generation && ways[way].pid == wanted->pid &&
		    ways[way].tid == wanted->tid && ways[way].cpu == wanted->cpu &&
		    ways[way].midr == wanted->midr && ways[way].event == wanted->event &&
		    ways[way].space == wanted->space)
			return ways[way].number;
	/* When the numbers have run out, they begin again, and nothing is known of the old ones. */
	if (profile->origin_count == ORIGINS_MAX) {
		hot_forget(&profile->hot);
		memset(profile->origins, 0, ORIGINS * sizeof(*profile->origins));
		profile->numbers_generation++;
		profile->origin_count = 0;
	}
	wanted->number = ++profile->origin_count;
	memmove(ways + 1, ways, (ORIGIN_WAYS - 1) * sizeof(*ways));
	*ways = *wanted;
	return wanted->number;
}

/* Numbers the address space and the origin of a thread's records. */
static int number_task(struct adding *adding, struct known_task *known)
{
	struct plumb_profile *profile = adding->profile;
	const struct parts *parts = &adding->parts;
	const struct plumb_samples_batch *batch = adding->batch;
	struct origin space = {.owner = task_process(adding->task),
			       .generation = profile->generation,
			       .event = UINT32_MAX};
	struct origin origin = {
		.pid = parts->pid ? adding->task->pid : 0,
		.tid = parts->tid ? adding->task->tid : 0,
		.cpu = parts->cpu ? batch->cpu : 0,
		.midr = parts->details ? batch->midr : 0,
		.event = (uint32_t)adding->event,
	};

	if (adding->part && profile->origin_count > ORIGINS_MAX - 2)
		return PLUMB_ERR_LIMIT;
	if (parts->comm) {
		origin.owner = text_table_keep(&profile->texts, adding->task->comm);
		if (!origin.owner)
			return PLUMB_ERR_NO_MEMORY;
	}
	do {
		*known = (struct known_task){
			.task = adding->task,
			.tasks_generation = profile->tasks_generation,
			.numbers_generation = profile->numbers_generation,
			.cpu = batch->cpu,
			.midr = batch->midr,
		};
		space.event = UINT32_MAX;
		known->space = number_origin(profile, &space);
		origin.generation = profile->numbers_generation;
		origin.space = parts->space ? known->space : 0;
		known->origin = number_origin(profile, &origin);
	} while (known->numbers_generation != profile->numbers_generation);
	return 0;
}

/* Finds what the codes and rows of the batch's records depend on. */
static int find_origin(struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_batch *batch = adding->batch;
	const uint64_t word = (uintptr_t)adding->task;
	struct known_task *known = &adding->known[hash_words(&word, 1) % KNOWN_TASKS];
	int status = 0;

	if (known->task != adding->task || known->cpu != batch->cpu || known->midr != batch->midr ||
	    known->tasks_generation != profile->tasks_generation ||
	    known->numbers_generation != profile->numbers_generation) {
		lock(adding);
		status = number_task(adding, known);
		unlock(adding);
	}
	adding->space = known->space;
	adding->origin = known->origin;
	return status;
}

/* Returns the i-th record as any sample, and its place. */
static struct frame_values look_at(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_item *item = samples_item(adding->samples, adding->task, i);
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);

	return (struct frame_values){
		item, &profile->events[adding->event],
		place_find(profile, item->task,
			   (struct plumb_frame){.ip = item->record->sample.ip, .mode = mode})};
}

/* Finds the code of the i-th record, which is `at` there. Returns 0, NO_MEMORY, or LIMIT. */
static int look_up_code(struct adding *adding, size_t i, struct plumb_frame at, uint32_t *code)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_item item = {.task = adding->task};
	struct frame_values frame = {.item = &item};
	uint64_t values[WORDS_MAX] = {0};
	struct place place;
	size_t words = 0;
	int status;

	/* The code will be remembered, so its place need not be. */
	if (adding->parts.lines) {
		frame.place = place_find(profile, adding->task, at);
	} else {
		place_look_up(profile, adding->task, at, &place);
		frame.place = &place;
	}
	for (size_t k = 0; k < profile->options.key_count; k++) {
		if (!is_code(profile->keys[k]))
			continue;
		if (!key_value(profile, profile->keys[k], &frame, &values[words]))
			return PLUMB_ERR_NO_MEMORY;
		words += 2;
	}
	profile->codes.words = words;
	status = codes_find(&profile->codes, values, code);
	if (status == 0)
		hot_add_code(&profile->hot, adding->homes[i],
			     &(struct hot_code){adding->batch->spe[i].addresses[PLUMB_SPE_PC],
						adding->space, *code},
			     !adding->part);
	return status;
}

static int find_cold_code(struct adding *adding, size_t i, uint32_t *code)
{
	const uint64_t pc = adding->batch->spe[i].addresses[PLUMB_SPE_PC];
	enum plumb_cpu_mode mode;
	const uint64_t ip = samples_code(adding->samples, i, &mode);
	const struct plumb_frame at = {.ip = ip, .mode = mode};
	int status = 0;

	lock(adding);
	/* Another thread may have found it. */
	*code = adding->part
			? hot_find_code(&adding->profile->hot, adding->homes[i], pc, adding->space)
			: 0;
	if (!*code)
		status = look_up_code(adding, i, at, code);
	unlock(adding);
	return status;
}

/* Sets what decides on a record's row beside its code. Returns false if that is too much for a hot
 * row. */
static inline bool describe(const struct adding *adding, size_t i, struct hot_key *key)
{
	const struct plumb_spe_record *spe = &adding->batch->spe[i];
	const struct parts *parts = &adding->parts;

	*key = (struct hot_key){.origin = adding->origin};
	if (parts->addresses)
		key->address = (spe->addresses[PLUMB_SPE_DATA_VIRTUAL] & parts->data_mask) |
			       (spe->addresses[PLUMB_SPE_BRANCH_TARGET] & parts->target_mask) |
			       (spe->counters[PLUMB_SPE_TOTAL_LATENCY] & parts->latency_mask);
	if (parts->has | parts->details) {
		const uint16_t operation =
			(uint16_t)(spe->op_class << 8 | spe->operation) & parts->operation_mask;
		uint32_t detail = ((uint32_t)spe->data_source & parts->source_mask) |
				  ((uint32_t)spe->events & parts->events_mask);

		if (parts->groups_mask)
			detail = adding->batch->groups[i];
		key->detail = (uint64_t)detail << 32 | (uint32_t)operation << 16 |
			      (spe->has & parts->has & UINT16_MAX);
		if ((parts->source_mask && spe->data_source > UINT32_MAX) ||
		    (parts->events_mask && spe->events > UINT32_MAX))
			return false;
	}
	return spe->has & PLUMB_SPE_HAS_PC;
}

/* Finds the codes of all records of the batch. Returns 0, NO_MEMORY, or LIMIT. */
static int find_codes(struct adding *adding)
{
	const struct hot *hot = &adding->profile->hot;
	const struct plumb_spe_record *spe = adding->batch->spe;
	const size_t count = adding->batch->count;
	const bool fit = adding->parts.fit;
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		adding->homes[i] = hot_code_home(spe[i].addresses[PLUMB_SPE_PC], adding->space);
		__builtin_prefetch(&hot->codes[adding->homes[i]]);
	}
	for (size_t i = 0; status == 0 && i < count; i++) {
		struct hot_key *key = &adding->keys[i];

		if (!describe(adding, i, key) || !fit)
			continue;
		key->code = hot_find_code(hot, adding->homes[i], spe[i].addresses[PLUMB_SPE_PC],
					  adding->space);
		if (!key->code)
			status = find_cold_code(adding, i, &key->code);
		adding->homes[i] = hot_row_home(key);
		__builtin_prefetch(&hot->rows[adding->homes[i]]);
	}
	return status;
}

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

static inline void add_to_row(struct tallies *tallies, struct lane *lane, uint32_t row,
			      const struct plumb_spe_record *spe, struct batch_sums *batch)
{
	const struct record_values values = record_values(spe);
	struct tally_row *sums = &tallies->rows[row];

	tally_values(sums, &values);
	if (!lane->open) {
		sums->together++;
		add_end(&tallies->less[row], &values);
	} else if (lane->row == row) {
		sums->together += 2;
		add_together(&tallies->less[row], &lane->values, &values);
	}
	batch->pairs += lane->open;
	batch->latency += values.latency;
	batch->not_retired += is_not_retired(spe);
	batch->latencies |= values.has_latency;
	batch->accesses |= values.accesses;
	batch->branches |= values.branches;
	lane->open = true;
	lane->values = values;
	lane->row = row;
}

/* Fetches memory ahead for the latencies of records behind the one at `at`. */
static inline void expect_latency(const struct adding *adding, size_t at, size_t end)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	const size_t ahead = at + LATENCIES_AHEAD, soon = at + LATENCIES_SOON;

	if (ahead < end)
		latencies_expect(adding->latencies, adding->rows[ahead], &spe[ahead], false);
	if (soon < end)
		latencies_expect(adding->latencies, adding->rows[soon], &spe[soon], true);
}

/* Fetches memory for the first records; short batches have no others. */
static void expect_latencies(const struct adding *adding, size_t begin, size_t end)
{
	const struct plumb_spe_record *spe = adding->batch->spe;

	for (size_t i = begin; i < end && i < begin + LATENCIES_AHEAD; i++)
		latencies_expect(adding->latencies, adding->rows[i], &spe[i], false);
	for (size_t i = begin; i < end && i < begin + LATENCIES_SOON; i++)
		latencies_expect(adding->latencies, adding->rows[i], &spe[i], true);
}

/* Adds the records whose rows were found up to the i-th. */
static int add_found(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_spe_record *spe = adding->batch->spe;
	struct tallies *tallies = adding->tallies;
	struct batch_sums sums = adding->sums;
	struct lane lane = *adding->lane;
	size_t added = adding->added;
	int status = 0;

	sums.count += i - added;
	tallies->records += i - added;
	if (profile->options.latencies)
		expect_latencies(adding, added, i);
	for (; status == 0 && added < i; added++) {
		const uint32_t row = adding->rows[added];

		if (profile->options.latencies) {
			expect_latency(adding, added, i);
			status = latencies_add(adding->latencies, row, &spe[added]);
		}
		add_to_row(tallies, &lane, row, &spe[added], &sums);
	}
	adding->added = added;
	adding->sums = sums;
	*adding->lane = lane;
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
	event->public.not_retired += sums->not_retired;
	event->public.left_out += sums->left_out;
	event->public.left_out_period =
		add_saturating(event->public.left_out_period, sums->left_out);
	event->members += sums->count;
	event->pairs += sums->pairs;
	event->public.latencies |= sums->latencies;
	event->public.l1d_accesses |= sums->accesses;
	event->public.branches |= sums->branches;
	event->latency += (double)sums->latency;
	for (size_t i = 0; i < 3; i++)
		event->periods[i] += (double)sums->count;
	adding->sums = (struct batch_sums){0};
}

void batches_settle(struct plumb_profile *profile)
{
	tallies_flush(&profile->tallies, profile);
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
	lock(adding);
	lane = lane_find(adding->profile, key);
	copy = lane ? &part->lanes[part->lane_count++] : NULL;
	if (copy)
		*copy = *lane;
	unlock(adding);
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
	return find_origin(adding);
}

/* Gives up rows, after adding the records whose rows were found up to the i-th. */
static int give_up(struct adding *adding, size_t i)
{
	int status = add_found(adding, i);

	if (status == 0)
		status = rows_give_up(adding->profile);
	if (status == 0)
		status = find_origin(adding);
	for (; i < adding->batch->count; i++) {
		adding->keys[i].origin = adding->origin;
		adding->homes[i] = hot_row_home(&adding->keys[i]);
	}
	return status;
}

/* Finds or makes the row of the i-th record by its code and its thread. */
static int find_plain_row(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const struct code_table *codes = &profile->codes;
	const uint64_t *code = codes->values + (adding->keys[i].code - 1) * codes->words;
	const struct plumb_samples_item item = {.task = adding->task};
	const struct frame_values frame = {.item = &item};
	uint64_t values[WORDS_MAX] = {adding->event};

	for (size_t k = 0; k < profile->options.key_count; k++) {
		uint64_t *value = &values[1 + 2 * k];

		if (!is_code(profile->keys[k])) {
			if (!key_value(profile, profile->keys[k], &frame, value))
				return PLUMB_ERR_NO_MEMORY;
			continue;
		}
		value[0] = *code++;
		value[1] = *code++;
	}
	return rows_find(profile, values, &adding->rows[i]);
}

/* Finds or makes the row of the i-th record: as of any sample, if nothing else is possible. */
static int find_row(struct adding *adding, size_t i)
{
	struct frame_values frame;

	if (adding->parts.plain && adding->keys[i].code)
		return find_plain_row(adding, i);
	frame = look_at(adding, i);
	return row_find(adding->profile, &frame, &adding->rows[i]);
}

static int look_up_row(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const uint32_t *row = &adding->rows[i];
	int status = find_row(adding, i);

	if (status == PLUMB_ERR_LIMIT && !adding->part) {
		status = give_up(adding, i);
		if (status == 0)
			status = find_row(adding, i);
	}
	if (status == 0 && adding->keys[i].code)
		hot_add_row(&profile->hot, adding->homes[i],
			    &(struct hot_row){adding->keys[i], *row + 1}, !adding->part);
	return status;
}

/* Finds the row of a record that is not among the hot ones, and makes it one. */
static int find_cold(struct adding *adding, size_t i)
{
	int status = 0;

	lock(adding);
	/* Another thread may have found it. */
	if (!adding->part || !adding->keys[i].code ||
	    !hot_find_row(&adding->profile->hot, adding->homes[i], &adding->keys[i],
			  &adding->rows[i]))
		status = look_up_row(adding, i);
	unlock(adding);
	return status;
}

int add_batch(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	int status = identify(adding);

	if (status < 0 || !leave_out(adding))
		return status;
	status = begin_batch(adding);
	if (status == 0)
		status = find_codes(adding);
	if (status == PLUMB_ERR_LIMIT && !adding->part) {
		/* A batch has fewer codes than there can be. */
		codes_forget(&profile->codes);
		profile->numbers_generation++;
		hot_forget(&profile->hot);
		status = find_origin(adding);
		if (status == 0)
			status = find_codes(adding);
	}
	for (size_t i = 0; status == 0 && i < adding->batch->count; i++) {
		if (!adding->keys[i].code || !hot_find_row(&profile->hot, adding->homes[i],
							   &adding->keys[i], &adding->rows[i]))
			status = find_cold(adding, i);
		if (status == 0 && !tallies_reserve(adding->tallies, adding->rows[i]))
			status = PLUMB_ERR_NO_MEMORY;
		if (status == 0 && adding->part && profile->options.latencies &&
		    !rows_reserve(adding->latencies, adding->rows[i]))
			status = PLUMB_ERR_NO_MEMORY;
		if (status == 0)
			__builtin_prefetch(&adding->tallies->rows[adding->rows[i]], 1);
	}
	return status < 0 ? status : add_found(adding, adding->batch->count);
}

static int add_batches(struct plumb_profile *profile, struct plumb_samples *samples)
{
	struct adding adding = {.profile = profile,
				.samples = samples,
				.tallies = &profile->tallies,
				.latencies = profile,
				.threads = threads_to_use(profile->options.threads),
				.parts = find_parts(profile)};
	int status, added = 0;

	if (!profile->hot.codes && !hot_begin(&profile->hot))
		return PLUMB_ERR_NO_MEMORY;
	if (!profile->origins)
		profile->origins = calloc(ORIGINS, sizeof(*profile->origins));
	if (!profile->origins)
		return PLUMB_ERR_NO_MEMORY;
	if (!adding.parts.groups_mask)
		samples_omit_groups(samples);
	while (added == 0 && (status = plumb_samples_next_batch(samples, &adding.batch)) > 0) {
		if (adding.batch->record) {
			const struct plumb_samples_item item = {.record = adding.batch->record,
								.task = adding.batch->task};

			added = profile_add_item(profile, &item);
			continue;
		}
		added = add_batch(&adding);
		if (added == 0)
			added = add_in_threads(&adding);
	}
	add_to_event(&adding);
	return added < 0 ? added : status;
}

int plumb_profile_add(struct plumb_profile *profile, struct plumb_samples *samples)
{
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_samples_item *item;
	int status, added;

	if (samples_each_record_once(samples) && (!options->wants || options->wants_by) &&
	    !options->children && options->paths == PLUMB_PATHS_NONE)
		return add_batches(profile, samples);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		added = profile_add_item(profile, item);
		if (added < 0)
			return added;
	}
	return status;
}

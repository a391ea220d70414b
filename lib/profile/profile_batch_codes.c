/* SPDX-License-Identifier: Apache-2.0 */
/* The codes and the origins of a batch's records. */
#include <string.h>

#include "profile/profile_batch.h"
#include "symbol/symbolizer.h"

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
	if (parts->plain)
		known->rows = hot_rows_of_origin(&profile->hot, known->origin);
	return 0;
}

/* Finds what the codes and rows of the batch's records depend on. */
int adding_find_origin(struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_batch *batch = adding->batch;
	const uint64_t word = (uintptr_t)adding->task;
	struct known_task *known = &adding->known[hash_words(&word, 1) % KNOWN_TASKS];
	int status = 0;

	if (known->task != adding->task || known->cpu != batch->cpu || known->midr != batch->midr ||
	    known->tasks_generation != profile->tasks_generation ||
	    known->numbers_generation != profile->numbers_generation) {
		adding_lock(adding);
		status = number_task(adding, known);
		adding_unlock(adding);
	}
	adding->space = known->space;
	adding->origin = known->origin;
	adding->code_rows = known->rows;
	return status;
}

/* Remembers the code of the i-th record, and of instructions around it that have the same. */
static void remember_code(struct adding *adding, size_t i, const struct place *place, uint32_t code)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_location *location = &place->location;
	const struct hot_code entry = {adding->batch->spe[i].addresses[PLUMB_SPE_PC], adding->space,
				       code};
	uint64_t from, to;

	if (!profile->hot.by_block ||
	    !symbolizer_extent(profile->symbolizer, location, &from, &to) ||
	    !hot_add_blocks(&profile->hot, &entry, location->ip - from, to - location->ip,
			    !adding->part))
		hot_add_code(&profile->hot, &entry, !adding->part);
}

/* Sets the values of the code that a record's place is in. Returns 0 or NO_MEMORY. */
static int set_code_values(struct adding *adding, struct place *place, uint64_t *values)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_item item = {.task = adding->task};
	const struct frame_values frame = {.item = &item, .place = place};
	size_t words = 0;

	for (size_t k = 0; k < profile->options.key_count; k++) {
		if (!key_is_code(profile->keys[k]))
			continue;
		if (!key_value(profile, profile->keys[k], &frame, &values[words]))
			return PLUMB_ERR_NO_MEMORY;
		words += 2;
	}
	profile->codes.words = words;
	return 0;
}

/* Finds the code of the i-th record, which is `at` there. Returns 0, NO_MEMORY, or LIMIT. */
static int look_up_code(struct adding *adding, size_t i, struct plumb_frame at, uint32_t *code)
{
	struct plumb_profile *profile = adding->profile;
	uint64_t values[WORDS_MAX] = {0};
	struct place looked_up, *place = &looked_up;
	int status;

	/* The code will be remembered, so its place need not be. */
	if (adding->parts.lines)
		place = place_find(profile, adding->task, at);
	else
		place_look_up(profile, adding->task, at, place);
	status = set_code_values(adding, place, values);
	if (status == 0)
		status = codes_find(&profile->codes, values, code);
	if (status == 0)
		remember_code(adding, i, place, *code);
	return status;
}

static inline uint32_t find_hot_code(const struct adding *adding, size_t i)
{
	return hot_find_code(adding->hot_codes, adding->by_block, adding->homes[i],
			     adding->batch->spe[i].addresses[PLUMB_SPE_PC], adding->space);
}

/* Sets where to look for a record's row by its code, and fetches that. */
static inline void expect_hot_row(struct adding *adding, const struct hot_rows *rows, size_t i)
{
	if (adding->code_rows || adding->late)
		return;
	adding->homes[i] = hot_row_home(rows, &adding->keys[i]);
	__builtin_prefetch(&rows->at[adding->homes[i]]);
}

/* Finds the code of the i-th record if it was looked up by now: another thread may have found it,
 * or it is that of a record before. */
static inline bool is_found(const struct adding *adding, size_t i, uint32_t *code)
{
	if (!*code)
		*code = find_hot_code(adding, i);
	return *code;
}

static inline bool has_pc(const struct adding *adding, size_t i)
{
	return adding->batch->spe[i].has & PLUMB_SPE_HAS_PC;
}

/* Looks up cold codes one after another. */
static int look_up_codes(struct adding *adding)
{
	int status = 0;

	for (size_t k = 0; status == 0 && k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];
		uint32_t *code = &adding->keys[i].code;
		struct plumb_frame at = {0};

		if (!has_pc(adding, i) || is_found(adding, i, code))
			continue;
		at.ip = samples_code(adding->samples, i, &at.mode);
		status = look_up_code(adding, i, at, code);
	}
	return status;
}

/* Likewise many, each of an instruction: the values of all first, so that memory is fetched ahead.
 */
static int look_up_many_codes(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	struct code_table *codes = &profile->codes;
	uint64_t *kept = adding->kept;
	int status = 0;

	for (size_t k = 0; status == 0 && k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];
		uint64_t *values = kept + k * codes->words;
		struct plumb_frame at = {0};
		struct place place;

		/* Only another thread may have found it: nothing is added before the last loop. */
		if (!has_pc(adding, i) || adding->keys[i].code ||
		    (adding->part && is_found(adding, i, &adding->keys[i].code)))
			continue;
		at.ip = samples_code(adding->samples, i, &at.mode);
		place_look_up(profile, adding->task, at, &place);
		memset(values, 0, codes->words * sizeof(*values));
		status = set_code_values(adding, &place, values);
		adding->hashes[i] = codes_hash(codes, values);
		codes_expect_slot(codes, adding->hashes[i]);
	}
	for (size_t k = 0; status == 0 && k < adding->cold_count; k++)
		if (!adding->keys[adding->cold[k]].code)
			codes_expect(codes, adding->hashes[adding->cold[k]]);
	for (size_t k = 0; status == 0 && k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];
		uint32_t *code = &adding->keys[i].code;

		if (!has_pc(adding, i) || is_found(adding, i, code))
			continue;
		status = codes_find_hashed(codes, kept + k * codes->words, adding->hashes[i], code);
		if (status == 0)
			hot_add_code(
				&profile->hot,
				&(struct hot_code){adding->batch->spe[i].addresses[PLUMB_SPE_PC],
						   adding->space, *code},
				!adding->part);
	}
	return status;
}

/* Makes room for the codes of cold records, and goes on with the table that is current then. */
static void reserve_codes(struct adding *adding)
{
	struct hot *hot = &adding->profile->hot;

	hot_reserve_codes(hot, adding->cold_count);
	if (adding->hot_codes == hot->codes)
		return;
	adding->hot_codes = hot->codes;
	for (size_t k = 0; k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];

		adding->homes[i] =
			hot_home(hot->codes, adding->by_block,
				 adding->batch->spe[i].addresses[PLUMB_SPE_PC], adding->space);
	}
}

int adding_find_cold_codes(struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	int status;

	adding_lock(adding);
	reserve_codes(adding);
	if (!profile->hot.by_block && !adding->parts.lines && profile->codes.count &&
	    adding->cold_count * profile->codes.words <= KEPT_WORDS)
		status = look_up_many_codes(adding);
	else
		status = look_up_codes(adding);
	adding_unlock(adding);
	for (size_t k = 0; status == 0 && k < adding->cold_count; k++)
		expect_hot_row(adding, adding->hot_rows, adding->cold[k]);
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

static inline __attribute__((always_inline)) void expect(struct adding *adding, bool by_block)
{
	const struct hot_codes codes = *adding->hot_codes;
	const struct plumb_spe_record *spe = adding->batch->spe;
	const size_t count = adding->batch->count;
	const uint32_t space = adding->space;
	uint32_t *homes = adding->homes;

	for (size_t i = 0; i < count; i++) {
		homes[i] = hot_home(&codes, by_block, spe[i].addresses[PLUMB_SPE_PC], space);
		__builtin_prefetch(&codes.at[homes[i]]);
	}
}

/* Sets where to look for the codes of the batch's records, and fetches that. */
static void expect_codes(struct adding *adding)
{
	adding->hot_codes = hot_codes(&adding->profile->hot);
	adding->hot_rows = hot_rows(&adding->profile->hot);
	adding->by_block = __atomic_load_n(&adding->profile->hot.by_block, __ATOMIC_RELAXED);
	if (adding->by_block)
		expect(adding, true);
	else
		expect(adding, false);
}

void adding_find_known(struct adding *adding)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	struct hot_codes codes;
	struct tally_row *tally_rows = adding->tallies->rows;
	const size_t count = adding->batch->count, room = adding->tallies->room;
	const uint32_t *code_rows = adding->code_rows, *homes = adding->homes;
	const uint32_t space = adding->space;
	struct hot_key *keys = adding->keys;
	uint32_t *rows = adding->rows;
	size_t cold = 0;
	bool by_block;

	expect_codes(adding);
	codes = *adding->hot_codes;
	by_block = adding->by_block;
	/* All that stays the same is in variables of its own: what is written might change it. */
	for (size_t i = 0; i < count; i++) {
		const uint32_t code = hot_find_code(&codes, by_block, homes[i],
						    spe[i].addresses[PLUMB_SPE_PC], space);
		uint32_t row = 0;

		keys[i].code = code;
		if (code)
			row = __atomic_load_n(&code_rows[code - 1], __ATOMIC_RELAXED);
		rows[i] = row - 1;
		if (row && row <= room && spe[i].has & PLUMB_SPE_HAS_PC) {
			__builtin_prefetch(&tally_rows[row - 1], 1);
			continue;
		}
		if (!(spe[i].has & PLUMB_SPE_HAS_PC))
			keys[i].code = 0;
		adding->cold[cold++] = (uint16_t)i;
	}
	adding->cold_count = cold;
}

int adding_find_codes(struct adding *adding)
{
	const struct plumb_spe_record *spe = adding->batch->spe;
	const size_t count = adding->batch->count;
	const bool fit = adding->parts.fit;
	struct hot_codes codes;
	struct hot_rows rows;

	expect_codes(adding);
	/* What is written below might change the tables' own, but not these. */
	codes = *adding->hot_codes;
	rows = *adding->hot_rows;
	adding->cold_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct hot_key *key = &adding->keys[i];

		if (adding->code_rows) {
			key->code = 0;
			if (!(spe[i].has & PLUMB_SPE_HAS_PC))
				continue;
		} else if (!describe(adding, i, key) || !fit) {
			continue;
		}
		key->code = hot_find_code(&codes, adding->by_block, adding->homes[i],
					  spe[i].addresses[PLUMB_SPE_PC], adding->space);
		if (key->code)
			expect_hot_row(adding, &rows, i);
		else
			adding->cold[adding->cold_count++] = (uint16_t)i;
	}
	return adding->cold_count ? adding_find_cold_codes(adding) : 0;
}

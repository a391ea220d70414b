/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a batch's records: those that were looked up before, and then, under one lock for the
 * whole batch, all others.
 */
#include <string.h>

#include "profile/profile_batch.h"

/* New rows before their number at the end is guessed, and how many times as many as can be kept are
 * too many then: fewer where they can be added late, since that takes as long if they can be kept.
 */
#define ROWS_TO_JUDGE  2048
#define ROWS_TOO_MANY  1.25
#define ROWS_FOR_LATER 0.6

/* Returns the i-th record as any sample, and its place. */
static struct frame_values look_at(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_item *item = samples_item(adding->samples, adding->task, i);
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);

	if (!adding->parts.fit)
		samples_set_data_source(adding->samples, i);
	return (struct frame_values){
		.item = item,
		.event = &profile->events[adding->event],
		.place = place_find(
			profile, item->task,
			(struct plumb_frame){.ip = item->record->sample.ip, .mode = mode})};
}

/* Gives up rows, after adding the records whose rows were found up to the i-th. */
static int give_up(struct adding *adding, size_t i)
{
	int status = adding_add_found(adding, i);

	if (status == 0)
		status = rows_give_up(adding->profile);
	adding->late_due = true;
	if (status == 0)
		status = adding_find_origin(adding);
	for (; !adding->code_rows && i < adding->batch->count; i++) {
		adding->keys[i].origin = adding->origin;
		adding->homes[i] = hot_row_home(adding->hot_rows, &adding->keys[i]);
	}
	return status;
}

bool adding_set_values(struct adding *adding, size_t i)
{
	struct plumb_profile *profile = adding->profile;
	const struct plumb_samples_batch *batch = adding->batch;
	const struct plumb_samples_item item = {
		.task = adding->task,
		.spe = &batch->spe[i],
		.groups = batch->groups[i],
		.midr = batch->midr,
	};
	const struct frame_values frame = {.item = &item};

	for (size_t k = 0; k < profile->options.key_count; k++)
		if (!(adding->parts.code_keys >> k & 1) &&
		    !key_value(profile, profile->keys[k], &frame, &adding->values[1 + 2 * k]))
			return false;
	return true;
}

/* Sets the values of the i-th record's row, whose code is known. Returns false if out of memory. */
static bool set_coded_row(struct adding *adding, size_t i)
{
	const struct plumb_profile *profile = adding->profile;
	const struct code_table *codes = &profile->codes;
	const uint64_t *code = codes->values + (adding->keys[i].code - 1) * codes->words;

	for (size_t k = 0; k < profile->options.key_count; k++) {
		if (!(adding->parts.code_keys >> k & 1))
			continue;
		adding->values[1 + 2 * k] = *code++;
		adding->values[2 + 2 * k] = *code++;
	}
	/* Those of plain rows are the same for the whole batch. */
	return adding->parts.plain || adding_set_values(adding, i);
}

/* Returns where the values of the k-th cold record's row are kept, if they are. */
static uint64_t *kept_values(struct adding *adding, size_t k)
{
	return adding->kept + k * adding->profile->words;
}

/* Fetches the cold records' codes, and then where their rows are found. Returns 0 or NO_MEMORY. */
static int expect_coded_rows(struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	const struct code_table *codes = &profile->codes;

	for (size_t k = 0; k < adding->cold_count; k++) {
		const uint32_t code = adding->keys[adding->cold[k]].code;

		if (code)
			__builtin_prefetch(codes->values + (code - 1) * codes->words);
	}
	adding->has_kept = adding->cold_count * profile->words <= KEPT_WORDS;
	adding->values[0] = adding->event;
	if (!adding_set_values(adding, adding->cold[0]))
		return PLUMB_ERR_NO_MEMORY;
	for (size_t k = 0; k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];

		if (!adding->keys[i].code)
			continue;
		if (!set_coded_row(adding, i))
			return PLUMB_ERR_NO_MEMORY;
		adding->hashes[i] = rows_hash(profile, adding->values);
		rows_expect(profile, adding->hashes[i]);
		if (adding->has_kept)
			memcpy(kept_values(adding, k), adding->values,
			       profile->words * sizeof(*adding->values));
	}
	for (size_t k = 0; k < adding->cold_count; k++)
		if (adding->keys[adding->cold[k]].code)
			rows_expect_values(profile, adding->hashes[adding->cold[k]]);
	return 0;
}

/* Finds or makes the row of the k-th cold record: as of any sample, if nothing else is possible. */
static int find_row(struct adding *adding, size_t k)
{
	const size_t i = adding->cold[k];
	const uint64_t *values = adding->values;
	struct frame_values frame;

	if (adding->parts.coded && adding->keys[i].code) {
		if (adding->has_kept)
			values = kept_values(adding, k);
		else if (!set_coded_row(adding, i))
			return PLUMB_ERR_NO_MEMORY;
		return rows_find_hashed(adding->profile, values, adding->hashes[i],
					&adding->rows[i]);
	}
	frame = look_at(adding, i);
	return row_find(adding->profile, &frame, &adding->rows[i]);
}

/* Finds or makes the k-th cold record's row, and makes it hot. Returns 0, 1 if rows were given up
 * for it, so that rows that were found have other numbers, or an error. */
static int look_up_row(struct adding *adding, size_t k)
{
	struct plumb_profile *profile = adding->profile;
	const size_t i = adding->cold[k];
	const uint32_t *row = &adding->rows[i];
	int status = find_row(adding, k), gave_up = 0;

	if (status == PLUMB_ERR_LIMIT && !adding->part) {
		gave_up = 1;
		status = give_up(adding, i);
		if (status == 0)
			status = find_row(adding, k);
	}
	if (status < 0 || !adding->keys[i].code)
		return status < 0 ? status : gave_up;
	if (adding->code_rows)
		__atomic_store_n(&adding->code_rows[adding->keys[i].code - 1], *row + 1,
				 __ATOMIC_RELAXED);
	else
		hot_add_row(&profile->hot, &(struct hot_row){adding->keys[i], *row + 1},
			    !adding->part);
	return gave_up;
}

/* Finds the i-th record's row among those that were looked up before. */
static inline bool find_hot(const struct adding *adding, const struct hot_rows *rows, size_t i,
			    uint32_t *row)
{
	const struct hot_key *key = &adding->keys[i];
	uint32_t found;

	if (!key->code)
		return false;
	if (!adding->code_rows)
		return hot_find_row(rows, adding->homes[i], key, row);
	found = __atomic_load_n(&adding->code_rows[key->code - 1], __ATOMIC_RELAXED);
	*row = found - 1;
	return found;
}

/* Makes room for a row's sums, and fetches them. */
static inline int expect_row(const struct adding *adding, uint32_t row)
{
	if (!tallies_reserve(adding->tallies, row))
		return PLUMB_ERR_NO_MEMORY;
	__builtin_prefetch(&adding->tallies->rows[row], 1);
	if (!adding->latencies->kind_count)
		return 0;
	if (!latencies_reserve(adding->latencies, row))
		return PLUMB_ERR_NO_MEMORY;
	latencies_expect_row(adding->latencies, row);
	return 0;
}

/* Finds the rows of the records from the i-th on; those whose row is not hot are cold. */
static int find_hot_rows(struct adding *adding, size_t i)
{
	const struct hot_rows rows = *adding->hot_rows;
	int status = 0;

	adding->cold_count = 0;
	for (; status == 0 && i < adding->batch->count; i++) {
		if (find_hot(adding, &rows, i, &adding->rows[i]))
			status = expect_row(adding, adding->rows[i]);
		else
			adding->cold[adding->cold_count++] = (uint16_t)i;
	}
	return status;
}

/*
 * Tells whether there will be more rows than can be kept. If records are of each of D rows as
 * often, there are R rows once about D * log(D / (D - R)) records came; this is that of the fewest
 * rows that are too many, as a series. Where some rows have more records than others, D seems to be
 * smaller, and all goes on until there are too many rows.
 */
static bool will_have_too_many_rows(const struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	const struct adding_together *together = adding->part ? adding->part->together : NULL;
	const double rows = (double)(profile->row_count - (together ? together->rows_before : 0));
	const double records =
		(double)(together ? __atomic_load_n(&together->records, __ATOMIC_RELAXED)
				  : adding->sums.count + adding->batch->count);
	const double most = (double)profile->options.rows_max *
			    (late_is_possible(adding) ? ROWS_FOR_LATER : ROWS_TOO_MANY);
	const double part = rows / most;

	return rows >= ROWS_TO_JUDGE &&
	       records - rows < rows * part * (1.0 / 2 + part / 3 + part * part / 4);
}

/* Makes room for the rows of cold records, and goes on with the table that is current then. */
static void reserve_rows(struct adding *adding)
{
	struct hot *hot = &adding->profile->hot;

	hot_reserve_rows(hot, adding->cold_count);
	if (adding->hot_rows == hot->rows)
		return;
	adding->hot_rows = hot->rows;
	for (size_t i = 0; i < adding->batch->count; i++)
		adding->homes[i] = hot_row_home(hot->rows, &adding->keys[i]);
}

/*
 * Finds the rows of cold records, and makes them hot. Returns 0 after the last one; the index of
 * the record behind one for which rows were given up, if that happens; or an error.
 */
static int find_cold_rows(struct adding *adding)
{
	int status = 0;

	adding_lock(adding);
	if (!adding->code_rows)
		reserve_rows(adding);
	if (adding->parts.coded)
		status = expect_coded_rows(adding);
	for (size_t k = 0; status == 0 && k < adding->cold_count; k++) {
		const size_t i = adding->cold[k];

		/* Another thread may have found it, or it is that of a record before. */
		if (!find_hot(adding, adding->hot_rows, i, &adding->rows[i]))
			status = look_up_row(adding, k);
		if (status > 0)
			status = (int)i + 1;
		/* All records before the one for which rows are given up are added first. */
		if (status >= 0 && !adding->part && expect_row(adding, adding->rows[i]) < 0)
			status = PLUMB_ERR_NO_MEMORY;
	}
	if (status == 0 && will_have_too_many_rows(adding)) {
		adding->late_due = true;
		status = adding->part ? PLUMB_ERR_LIMIT : 0;
	}
	adding_unlock(adding);
	for (size_t k = 0; status == 0 && adding->part && k < adding->cold_count; k++)
		status = expect_row(adding, adding->rows[adding->cold[k]]);
	return status;
}

/* Finds the codes of all records of the batch, after there were too many codes. */
static int find_codes_again(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	int status;

	/* A batch has fewer codes than there can be. */
	codes_forget(&profile->codes);
	profile->numbers_generation++;
	hot_forget(&profile->hot);
	status = adding_find_origin(adding);
	return status < 0 ? status : adding_find_codes(adding);
}

int adding_find_rows(struct adding *adding)
{
	bool known = adding->code_rows && !adding->latencies->kind_count;
	int status = 0;

	if (known) {
		adding_find_known(adding);
		if (adding->cold_count == 0)
			return 0;
		status = adding_find_cold_codes(adding);
	} else {
		status = adding_find_codes(adding);
	}
	if (status == PLUMB_ERR_LIMIT && !adding->part) {
		known = false;
		status = find_codes_again(adding);
	}
	if (status == 0 && !known)
		status = find_hot_rows(adding, 0);
	while (status == 0 && adding->cold_count) {
		status = find_cold_rows(adding);
		if (status <= 0)
			break;
		status = find_hot_rows(adding, (size_t)status);
	}
	return status;
}

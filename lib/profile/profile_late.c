/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of which most are given up: see profile_late.h. */
#include "profile/profile_late.h"

#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "profile/sums.h"

/* Records that may be put off, and how often another ring's may begin among them. */
#define RECORDS_MAX ((size_t)128 << 10)
#define TURNS_MAX   ((size_t)16 << 10)

/* How many records before its own memory is fetched: where its row is found, and the row; then
 * where the row is in the profile, its sums, and its latency's count. */
#define SLOTS_AHEAD     24
#define ROWS_AHEAD      12
#define PLACES_AHEAD    24
#define SUMS_AHEAD      16
#define LATENCIES_AHEAD 8

bool late_rows_begin(struct late_rows *rows, struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	const size_t most = profile->options.rows_max;

	*rows = (struct late_rows){.profile = profile,
				   .kinds = adding->kinds,
				   .event = adding->event,
				   .count = profile->row_count,
				   .bits = 1};
	while ((size_t)1 << rows->bits < 2 * most)
		rows->bits++;
	rows->at = large_alloc(most, sizeof(*rows->at));
	rows->slots = large_alloc((size_t)1 << rows->bits, sizeof(*rows->slots));
	rows->unused = reallocarray(NULL, most, sizeof(*rows->unused));
	rows->rows = reallocarray(NULL, RECORDS_MAX, sizeof(*rows->rows));
	rows->latencies = reallocarray(NULL, RECORDS_MAX, sizeof(*rows->latencies));
	rows->record_kinds = malloc(RECORDS_MAX);
	rows->turns = reallocarray(NULL, TURNS_MAX, sizeof(*rows->turns));
	if (!rows->at || !rows->slots || !rows->unused || !rows->rows || !rows->latencies ||
	    !rows->record_kinds || !rows->turns)
		return false;
	memset(rows->slots, 0, ((size_t)1 << rows->bits) * sizeof(*rows->slots));
	for (size_t i = 0; i < rows->count; i++)
		rows->at[i] = (struct late_row){.size = rows_size(profile, i), .at = (uint32_t)i};
	return true;
}

void late_rows_free(struct late_rows *rows)
{
	free(rows->at);
	free(rows->slots);
	free(rows->unused);
	free(rows->rows);
	free(rows->latencies);
	free(rows->record_kinds);
	free(rows->turns);
	*rows = (struct late_rows){0};
}

/* ---- Finding rows ---------------------------------------------------------------------------- */

static inline size_t home_of(const struct late_rows *rows, uint32_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - rows->bits));
}

/* Returns the slot of a key, or the free one where it belongs. */
static inline uint64_t *find_slot(const struct late_rows *rows, uint32_t key)
{
	const size_t mask = ((size_t)1 << rows->bits) - 1;
	size_t at = home_of(rows, key);

	while (rows->slots[at] && rows->slots[at] >> 32 != key)
		at = (at + 1) & mask;
	return &rows->slots[at];
}

void late_rows_know(struct late_rows *rows, size_t row, uint32_t key)
{
	rows->at[row].key = key;
	*find_slot(rows, key) = (uint64_t)key << 32 | row;
}

/* ---- Adding what was put off ----------------------------------------------------------------- */

/* Gives a row a place in the profile. Returns 0 or NO_MEMORY. */
static int place_row(struct late_rows *rows, struct late_row *row)
{
	struct plumb_profile *profile = rows->profile;

	if (rows->unused_count)
		row->at = rows->unused[--rows->unused_count];
	else if (!rows_append(profile, &row->at))
		return PLUMB_ERR_NO_MEMORY;
	return tallies_reserve(&profile->tallies, row->at) &&
			       latencies_reserve(&profile->latencies, row->at)
		       ? 0
		       : PLUMB_ERR_NO_MEMORY;
}

/* A record that was put off; and its row's place in the profile. */
struct late_record {
	uint32_t row, latency;
	unsigned kind;
	uint32_t at;
};

/* Adds what the first record of a turn has in common with the last one of its lane. */
static void add_first(struct late_rows *rows, const struct lane *lane,
		      const struct late_record *first)
{
	struct tallies *tallies = &rows->profile->tallies;
	const struct record_kind *kind = &rows->kinds[first->kind];

	rows->sums.pairs += lane->open;
	if (first->at == NO_ROW)
		return;
	if (!lane->open)
		tally_end(tallies, first->at, kind, first->latency);
	else if (lane->row == first->row)
		tally_neighbours(tallies, first->at, tally_flags(&lane->values),
				 lane->values.latency, kind->flags, first->latency,
				 lane->values.has_latency && kind->values.has_latency);
}

static inline void expect_record(const struct late_rows *rows, size_t i)
{
	const struct plumb_profile *profile = rows->profile;
	uint32_t at;

	if (i + PLACES_AHEAD < rows->record_count)
		__builtin_prefetch(&rows->at[rows->rows[i + PLACES_AHEAD]]);
	if (i + SUMS_AHEAD < rows->record_count) {
		at = rows->at[rows->rows[i + SUMS_AHEAD]].at;
		if (at != NO_ROW) {
			__builtin_prefetch(&profile->tallies.rows[at], 1);
			latencies_expect_row(&profile->latencies, at);
		}
	}
	if (i + LATENCIES_AHEAD < rows->record_count && profile->latencies.kind_count) {
		at = rows->at[rows->rows[i + LATENCIES_AHEAD]].at;
		if (at != NO_ROW)
			latencies_expect_total(&profile->latencies, at,
					       rows->latencies[i + LATENCIES_AHEAD]);
	}
}

/* Adds the records of one ring, from the first of a turn up to the `end`-th. */
static int add_turn(struct late_rows *rows, const struct late_turn *turn, size_t end)
{
	struct plumb_profile *profile = rows->profile;
	struct tallies *tallies = &profile->tallies;
	struct lane *lane = &profile->lanes[turn->ring];
	struct batch_sums *sums = &rows->sums;
	struct late_record last = {.row = NO_ROW};
	int status = 0;

	for (size_t i = turn->first; status == 0 && i < end; i++) {
		const struct late_record now = {
			.row = rows->rows[i],
			.latency = rows->latencies[i],
			.kind = rows->record_kinds[i],
			.at = rows->at[rows->rows[i]].at,
		};
		const struct record_kind *kind = &rows->kinds[now.kind];

		expect_record(rows, i);
		sums->kinds[now.kind]++;
		sums->latency += now.latency;
		if (now.at != NO_ROW) {
			tally_record(&tallies->rows[now.at], kind, now.latency);
			if (profile->latencies.kind_count && now.kind & KIND_LATENCY)
				status = latencies_add_total(&profile->latencies, now.at,
							     now.latency);
			if (now.row == last.row)
				tally_neighbours(tallies, now.at, rows->kinds[last.kind].flags,
						 last.latency, kind->flags, now.latency,
						 last.kind & now.kind & KIND_LATENCY);
		}
		if (i == turn->first)
			add_first(rows, lane, &now);
		last = now;
	}
	sums->count += end - turn->first;
	sums->pairs += end - turn->first - 1;
	tallies->records += end - turn->first;
	lane->open = lane->in_batches = true;
	lane->row = last.row;
	lane->values = record_values_of(&rows->kinds[last.kind], last.latency);
	return status;
}

/* Adds the records that were put off to those of their rows that have a place in the profile. */
static int add_records(struct late_rows *rows)
{
	struct plumb_profile *profile = rows->profile;
	int status = 0;

	if (profile->tallies.records > TALLIES_MAX - rows->record_count)
		tallies_flush(&profile->tallies, profile);
	for (size_t i = 0; status == 0 && i < rows->turn_count; i++) {
		const size_t end =
			i + 1 < rows->turn_count ? rows->turns[i + 1].first : rows->record_count;

		if (end > rows->turns[i].first)
			status = add_turn(rows, &rows->turns[i], end);
	}
	rows->record_count = rows->turn_count = 0;
	return status;
}

/* Likewise after all rows have got a place. */
static int catch_up(struct late_rows *rows)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < rows->count; i++)
		if (rows->at[i].at == NO_ROW)
			status = place_row(rows, &rows->at[i]);
	return status < 0 ? status : add_records(rows);
}

/* ---- Giving rows up -------------------------------------------------------------------------- */

static void give_up_row(struct late_rows *rows, struct late_row *row, uint64_t *largest)
{
	struct plumb_profile *profile = rows->profile;
	const size_t event = row->key ? rows->event : (size_t)row_values(profile, row->at)[0];

	rows_count_given_up(profile, event, row->size, row->size, largest);
	if (row->at == NO_ROW)
		return;
	rows_empty(profile, row->at);
	rows->unused[rows->unused_count++] = row->at;
	row->at = NO_ROW;
}

/* Ends the lanes: the neighbours of the next records may be gone. */
static void end_lanes(struct late_rows *rows)
{
	struct plumb_profile *profile = rows->profile;

	for (size_t i = 0; i < profile->lane_count; i++) {
		struct lane *lane = &profile->lanes[i];

		if (lane->open && rows->at[lane->row].at != NO_ROW) {
			lane->row = rows->at[lane->row].at;
			lane_end(profile, lane);
		}
		lane->open = false;
	}
}

/* Moves the rows that are larger than `middle` to the front, and numbers them anew. */
static void renumber(struct late_rows *rows, uint64_t middle)
{
	size_t kept = 0;

	memset(rows->slots, 0, ((size_t)1 << rows->bits) * sizeof(*rows->slots));
	for (size_t i = 0; i < rows->count; i++) {
		const struct late_row row = rows->at[i];

		if (row.size <= middle)
			continue;
		rows->at[kept] = row;
		if (row.key)
			*find_slot(rows, row.key) = (uint64_t)row.key << 32 | kept;
		kept++;
	}
	rows->count = kept;
}

/* Gives up the smaller half of the rows. Returns 0 or NO_MEMORY. */
static int give_up(struct late_rows *rows)
{
	struct plumb_profile *profile = rows->profile;
	uint64_t *sizes = reallocarray(NULL, rows->count, sizeof(*sizes));
	uint64_t *largest = calloc(profile->event_count, sizeof(*largest));
	int status = sizes && largest ? 0 : PLUMB_ERR_NO_MEMORY;
	uint64_t middle = 0;

	if (status == 0) {
		for (size_t i = 0; i < rows->count; i++)
			sizes[i] = rows->at[i].size;
		/* No more than half of them are larger. */
		middle = number_at_rank(sizes, rows->count, rows->count / 2);
		for (size_t i = 0; i < rows->count; i++)
			if (rows->at[i].size <= middle)
				give_up_row(rows, &rows->at[i], largest);
		for (size_t i = 0; status == 0 && i < rows->count; i++)
			if (rows->at[i].size > middle && rows->at[i].at == NO_ROW)
				status = place_row(rows, &rows->at[i]);
	}
	if (status == 0)
		status = add_records(rows);
	if (status == 0) {
		end_lanes(rows);
		rows_note_given_up(profile, largest);
		renumber(rows, middle);
	}
	free(sizes);
	free(largest);
	return status;
}

/* ---- Records --------------------------------------------------------------------------------- */

static inline void expect_row(const struct late_rows *rows, const struct late_block *block,
			      size_t i)
{
	if (i + SLOTS_AHEAD < block->count)
		__builtin_prefetch(&rows->slots[home_of(rows, block->keys[i + SLOTS_AHEAD])]);
	if (i + ROWS_AHEAD < block->count)
		__builtin_prefetch(
			&rows->at[(uint32_t)
					  rows->slots[home_of(rows, block->keys[i + ROWS_AHEAD])]],
			1);
}

static int begin_turn(struct late_rows *rows, uint32_t ring)
{
	const uint64_t key[2] = {rows->event, lane_of_ring(ring)};
	const struct lane *lane = lane_find(rows->profile, key);

	if (!lane)
		return PLUMB_ERR_NO_MEMORY;
	rows->turns[rows->turn_count++] = (struct late_turn){
		(uint32_t)(lane - rows->profile->lanes), (uint32_t)rows->record_count};
	return 0;
}

/* Adds a row, for which there is room, and returns its index. */
static uint32_t add_row(struct late_rows *rows, uint32_t key)
{
	const size_t row = rows->count++;

	rows->at[row] = (struct late_row){.at = NO_ROW};
	late_rows_know(rows, row, key);
	return (uint32_t)row;
}

int late_rows_add(struct late_rows *rows, const struct late_block *block)
{
	const struct latencies *latencies = &rows->profile->latencies;
	const size_t most = rows->profile->options.rows_max;
	const struct late_turn *turn = block->turns, *turns_end = turn + block->turn_count;
	/* Which latencies are not counted, once there are too many, depends on those of rows that
	 * are given up. */
	const bool counts_all =
		latencies->kind_count &&
		latencies->used + rows->record_count + block->count > LATENCY_COUNTS_MAX;
	uint32_t ring = 0;
	int status = 0;

	if (counts_all || rows->record_count + block->count > RECORDS_MAX ||
	    rows->turn_count + block->turn_count + 1 > TURNS_MAX)
		status = catch_up(rows);
	for (size_t i = 0; status == 0 && i < block->count; i++) {
		const uint32_t key = block->keys[i];
		const uint64_t *slot;
		uint32_t row;

		expect_row(rows, block, i);
		slot = find_slot(rows, key);
		row = (uint32_t)*slot;
		if (turn < turns_end && turn->first == i) {
			ring = turn++->ring;
			status = begin_turn(rows, ring);
		}
		if (!*slot && rows->count >= most) {
			if (status == 0 && counts_all)
				status = catch_up(rows);
			if (status == 0)
				status = give_up(rows);
			if (status == 0)
				status = begin_turn(rows, ring);
			row = status == 0 ? add_row(rows, key) : 0;
		} else if (!*slot) {
			row = add_row(rows, key);
		}
		rows->at[row].size++;
		rows->rows[rows->record_count] = row;
		rows->latencies[rows->record_count] = block->latencies[i];
		rows->record_kinds[rows->record_count++] = block->kinds[i];
	}
	if (status == 0 && counts_all)
		status = catch_up(rows);
	return status;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Moves the profile's last rows to where others were given up. Returns 0 or NO_MEMORY. */
static int fill_holes(struct late_rows *rows)
{
	struct plumb_profile *profile = rows->profile;
	const size_t count = profile->row_count;
	uint32_t *renumbered = reallocarray(NULL, count + 1, sizeof(*renumbered));
	size_t hole = 0;

	if (!renumbered)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		renumbered[i] = NO_ROW;
	for (size_t i = 0; i < rows->count; i++)
		renumbered[rows->at[i].at] = rows->at[i].at;
	for (size_t i = count; i-- > rows->count;) {
		if (renumbered[i] == NO_ROW)
			continue;
		while (renumbered[hole] != NO_ROW)
			hole++;
		renumbered[i] = (uint32_t)hole;
		rows_move(profile, hole++, i);
		profile->rows[i].batches = profile->rows[i].groups = NULL;
	}
	latencies_renumber(&profile->latencies, renumbered, count);
	for (size_t i = 0; i < rows->count; i++)
		rows->at[i].at = renumbered[rows->at[i].at];
	free(renumbered);
	return 0;
}

int late_rows_settle(struct late_rows *rows)
{
	struct plumb_profile *profile = rows->profile;
	int status = catch_up(rows);

	if (status < 0)
		return status;
	tallies_flush(&profile->tallies, profile);
	status = fill_holes(rows);
	for (size_t i = 0; status == 0 && i < profile->lane_count; i++)
		if (profile->lanes[i].open || profile->lanes[i].begun)
			profile->lanes[i].row = rows->at[profile->lanes[i].row].at;
	return status;
}

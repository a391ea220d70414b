/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies of records in batches, by row: see record_sums.h. */
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "profile/profile.h"

/* Rows that are cleared at once. A page that is read before it is written costs two faults, and
 * the second one interrupts all threads. */
#define ROWS_CLEARED 512

/* Takes memory for `space` rows, and moves those that there are. Returns false if there is none. */
static bool move(struct tallies *tallies, size_t space)
{
	struct tally_row *rows;
	struct tally_less *less;

	/* Pages that are never touched take no memory, and few rows have neighbours. */
	less = calloc(space, sizeof(*less));
	rows = large_alloc(space, sizeof(*rows));
	if (!less || !rows) {
		free(less);
		free(rows);
		return false;
	}
	for (size_t i = 0; i < tallies->room; i++) {
		rows[i] = tallies->rows[i];
		if (rows[i].together)
			less[i] = tallies->less[i];
	}
	free(tallies->rows);
	free(tallies->less);
	tallies->less = less;
	tallies->rows = rows;
	tallies->space = space;
	return true;
}

bool tallies_grow(struct tallies *tallies, size_t row)
{
	size_t room = row / ROWS_CLEARED * ROWS_CLEARED + ROWS_CLEARED;
	size_t space = row < ROWS_CLEARED ? room : rows_room(row);

	while (row >= tallies->space && !move(tallies, space)) {
		space = rows_less_room(space, row + 1);
		if (!space)
			return false;
	}
	if (room > tallies->space)
		room = tallies->space;
	memset(tallies->rows + tallies->room, 0, (room - tallies->room) * sizeof(*tallies->rows));
	tallies->room = room;
	return true;
}

static void settle_less(struct row_less *to, const struct tally_less *from)
{
	to->latency.above += from->latency_above;
	to->latency.both += from->latency_both;
	to->latency.below += from->latency_below;
	to->misses.above += from->alike[0];
	to->misses.both += ((uint64_t)from->crossed[0] + from->crossed[1]) / 2;
	to->misses.below += from->alike[1];
	to->mispredictions.above += from->alike[2];
	to->mispredictions.both += ((uint64_t)from->crossed[2] + from->crossed[3]) / 2;
	to->mispredictions.below += from->alike[3];
}

void tallies_forget(struct tallies *tallies, size_t row)
{
	if (row >= tallies->room || !tallies->rows[row].samples)
		return;
	if (tallies->rows[row].together)
		tallies->less[row] = (struct tally_less){0};
	tallies->rows[row] = (struct tally_row){0};
}

void tallies_flush(struct tallies *tallies, struct plumb_profile *profile)
{
	for (size_t i = 0; i < tallies->room && i < profile->row_count; i++) {
		const struct tally_row *row = &tallies->rows[i];
		struct record_sums *sums = &profile->records[i];
		const bool has_neighbours = row->together > 0;

		if (!row->samples)
			continue;
		sums->samples += row->samples;
		sums->together += row->together;
		sums->latencies += row->latencies;
		sums->latency += row->latency;
		sums->latency_squares += row->latency_squares;
		sums->latency_cubes[0] += row->latency_cubes;
		sums->latency_cubes[1] +=
			row->latency_cubes_high + (sums->latency_cubes[0] < row->latency_cubes);
		sums->accesses += row->accesses;
		sums->misses += row->misses;
		sums->branches += row->branches;
		sums->mispredictions += row->mispredictions;
		sums->at_most += row->at_most;
		sums->beyond |= row->beyond;
		tallies->rows[i] = (struct tally_row){0};
		/* Most rows of many have neither an end of a lane nor two neighbours. */
		if (!has_neighbours)
			continue;
		settle_less(&sums->less, &tallies->less[i]);
		tallies->less[i] = (struct tally_less){0};
	}
	tallies->records = 0;
}

void tallies_free(struct tallies *tallies)
{
	free(tallies->rows);
	free(tallies->less);
	*tallies = (struct tallies){0};
}

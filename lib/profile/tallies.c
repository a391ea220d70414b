/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies of records in batches, by row: see record_sums.h. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

bool tallies_grow(struct tallies *tallies, size_t row)
{
	const size_t line = sizeof(struct tally_row);
	const size_t room = row < 512 ? 1024 : 2 * row;
	struct tally_row *rows;
	struct row_less *less;
	uint8_t *memory;

	/* Pages that are never touched take no memory. */
	less = calloc(room, sizeof(*less));
	memory = calloc(room + 1, line);
	if (!less || !memory) {
		free(less);
		free(memory);
		return false;
	}
	rows = (struct tally_row *)(void *)(memory + line - (uintptr_t)memory % line);
	if (tallies->room) {
		memcpy(rows, tallies->rows, tallies->room * sizeof(*rows));
		memcpy(less, tallies->less, tallies->room * sizeof(*less));
	}
	free(tallies->memory);
	free(tallies->less);
	tallies->less = less;
	tallies->memory = memory;
	tallies->rows = rows;
	tallies->room = room;
	return true;
}

static void add_less_sums(struct less_sums *sums, const struct less_sums *less)
{
	sums->above += less->above;
	sums->both += less->both;
	sums->below += less->below;
}

void tallies_flush(struct tallies *tallies, struct plumb_profile *profile)
{
	for (size_t i = 0; i < tallies->room && i < profile->row_count; i++) {
		const struct tally_row *row = &tallies->rows[i];
		const struct row_less *less = &tallies->less[i];
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
		add_less_sums(&sums->less.latency, &less->latency);
		add_less_sums(&sums->less.misses, &less->misses);
		add_less_sums(&sums->less.mispredictions, &less->mispredictions);
		tallies->less[i] = (struct row_less){0};
	}
	tallies->records = 0;
}

void tallies_free(struct tallies *tallies)
{
	free(tallies->memory);
	free(tallies->less);
	*tallies = (struct tallies){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the cells of a profile's rows to a table, and tells whether their order is certain: in
 * threads if there are many rows. Each thread has a part of the rows, and cells of its own, which
 * are put together in the end.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "render/profile_columns.h"
#include "tool/memory.h"

/* Rows that are worth a thread. */
#define ROWS_FOR_THREAD 2048

struct part {
	struct table table;
	struct profile_place place;
	const uint8_t *shown;
	size_t first, end; /* rows */
	size_t *rows;      /* those that are wanted */
	size_t row_count;
	pthread_t thread;
	bool started;
};

/* Returns whether the intervals of two rows overlap, so that either may be the larger. */
static bool overlap(const struct plumb_profile_estimate *a, const struct plumb_profile_estimate *b)
{
	return a->low <= b->high && b->low <= a->high;
}

bool profile_is_uncertain(const struct profile_view *view, size_t event, size_t i)
{
	struct plumb_profile_row row, other;

	plumb_profile_row(view->profile, event, i, &row);
	for (size_t k = i ? i - 1 : i + 1; k <= i + 1; k += 2)
		if (plumb_profile_row(view->profile, event, k, &other) &&
		    overlap(profile_main_share(view, &row), profile_main_share(view, &other)))
			return true;
	return false;
}

/* Adds a part's cells. Each row is estimated once, though it is also compared with its neighbours.
 */
static void *add_part(void *user)
{
	struct part *part = user;
	struct profile_place *place = &part->place;
	const struct profile_view *view = place->view;
	struct plumb_profile_estimate before = {NAN, NAN, NAN};
	struct plumb_profile_row next;
	bool more;

	if (part->first > 0 &&
	    plumb_profile_row(view->profile, place->event_index, part->first - 1, &next))
		before = *profile_main_share(view, &next);
	more = plumb_profile_row(view->profile, place->event_index, part->first, &next);
	for (size_t i = part->first; more && i < part->end; i++) {
		const struct plumb_profile_estimate *share = profile_main_share(view, &place->row);

		place->row = next;
		more = plumb_profile_row(view->profile, place->event_index, i + 1, &next);
		place->uncertain = overlap(&before, share) ||
				   (more && overlap(share, profile_main_share(view, &next)));
		before = *share;
		if (!profile_is_wanted(view, place->event_index, i))
			continue;
		part->rows[part->row_count++] = place->index = i;
		place->has_latencies = 0;
		for (size_t c = 0; c < part->table.column_count; c++)
			profile_column_cell(&part->table, place, part->shown[c]);
	}
	table_measure(&part->table);
	return NULL;
}

/* Returns how many threads may add cells. Shares of slots are worked out for all rows at once. */
static size_t parts_for(const struct table *table, const struct profile_view *view, size_t count,
			const uint8_t *shown)
{
	const size_t threads = threads_to_use(0);

	for (size_t c = 0; c < table->column_count; c++)
		if (profile_is_of_slots(view->columns[shown[c]]))
			return 1;
	return count / ROWS_FOR_THREAD < 2         ? 1
	       : count / ROWS_FOR_THREAD < threads ? count / ROWS_FOR_THREAD
						   : threads;
}

/* Puts a part's cells and rows behind those that are there. */
static void join(struct table *table, struct part *part, size_t *rows, size_t *row_count)
{
	const size_t count = table->cell_count + part->table.cell_count;

	for (size_t c = 0; c < table->column_count; c++)
		if (table->widest[c] < part->table.widest[c])
			table->widest[c] = part->table.widest[c];
	table->measured = true;
	if (part->table.cell_count) {
		table->cells = memory_resize(table->cells, count, sizeof(char *));
		memcpy(table->cells + table->cell_count, part->table.cells,
		       part->table.cell_count * sizeof(char *));
		table->cell_count = table->cell_room = count;
	}
	memmove(rows + *row_count, part->rows, part->row_count * sizeof(*rows));
	*row_count += part->row_count;
	arena_join(&table->texts, &part->table.texts);
	table_free(&part->table);
}

void profile_add_cells(struct table *table, const struct profile_place *place, size_t count,
		       const uint8_t *shown, size_t *rows)
{
	const size_t part_count = parts_for(table, place->view, count, shown);
	struct part *parts = memory_alloc(part_count * sizeof(*parts));
	size_t row_count = 0;

	for (size_t i = 0; i < part_count; i++)
		parts[i] = (struct part){
			.table = {.columns = table->columns, .column_count = table->column_count},
			.place = *place,
			.shown = shown,
			.first = i * count / part_count,
			.end = (i + 1) * count / part_count,
			.rows = rows + i * count / part_count,
		};
	for (size_t i = 1; i < part_count; i++)
		parts[i].started = pthread_create(&parts[i].thread, NULL, add_part, &parts[i]) == 0;
	for (size_t i = 0; i < part_count; i++) {
		if (parts[i].started)
			pthread_join(parts[i].thread, NULL);
		else
			add_part(&parts[i]);
		join(table, &parts[i], rows, &row_count);
	}
	free(parts);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the cells of a profile's rows to a table, and tells whether their order is certain: in
 * threads if there are many rows. Each of them takes one part of the rows after another, which has
 * its place in the table: the first rows have the most to work out.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "base/threads.h"
#include "profile/row_parts.h"
#include "render/profile_columns.h"
#include "tool/memory.h"

/* Rows that are worth a thread, and parts of the rows for each thread. */
#define ROWS_FOR_THREAD  2048
#define PARTS_FOR_THREAD 8

struct part {
	struct table table; /* its cells are within those of the whole, which have room for all */
	struct profile_place place;
	const uint8_t *shown;
	size_t first, end; /* rows */
	size_t *rows;      /* those that are wanted */
	size_t row_count;
};

struct parts {
	struct part *at;
	size_t count, next;
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

/* Returns the estimates that columns show. */
static unsigned estimates_of(const struct part *part)
{
	unsigned parts = 0;

	for (size_t c = 0; c < part->table.column_count; c++) {
		switch (part->place.view->columns[part->shown[c]]) {
		case PROFILE_LATENCY:
		case PROFILE_LATENCY_INTERVAL:
			parts |= ROW_LATENCY;
			break;
		case PROFILE_L1D_MISSES:
		case PROFILE_L1D_INTERVAL:
			parts |= ROW_L1D_MISSES;
			break;
		case PROFILE_MISPREDICTIONS:
		case PROFILE_MISPREDICTION_INTERVAL:
			parts |= ROW_MISPREDICTIONS;
			break;
		default:
			break;
		}
	}
	return parts;
}

/* Adds a part's cells. Each row is estimated once, though it is also compared with its neighbours.
 */
static void add_part(struct part *part)
{
	struct profile_place *place = &part->place;
	const struct profile_view *view = place->view;
	struct plumb_profile_estimate before = {NAN, NAN, NAN};
	const unsigned parts = estimates_of(part);
	struct plumb_profile_row next;
	struct profile_cell cells[TABLE_COLUMNS_MAX] = {0};
	struct row_share last = {0};
	bool more;

	place->last = cells;
	if (part->first > 0 &&
	    profile_row_parts(view->profile, place->event_index, part->first - 1, 0, &last, &next))
		before = *profile_main_share(view, &next);
	more = profile_row_parts(view->profile, place->event_index, part->first, parts, &last,
				 &next);
	for (size_t i = part->first; more && i < part->end; i++) {
		const struct plumb_profile_estimate *share = profile_main_share(view, &place->row);

		place->row = next;
		more = profile_row_parts(view->profile, place->event_index, i + 1, parts, &last,
					 &next);
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
}

/* Adds the cells of parts until all were taken. */
static void *add_parts(void *user)
{
	struct parts *parts = user;
	size_t i;

	while ((i = __atomic_fetch_add(&parts->next, 1, __ATOMIC_RELAXED)) < parts->count)
		add_part(&parts->at[i]);
	return NULL;
}

/* Returns how many threads may add cells. Shares of slots are worked out for all rows at once. */
static size_t threads_for(const struct table *table, const struct profile_view *view, size_t count,
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

/* Puts a part's cells and rows behind those that are there: right there, if all rows are wanted. */
static void join(struct table *table, struct part *part, size_t *rows, size_t *row_count)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (table->widest[c] < part->table.widest[c])
			table->widest[c] = part->table.widest[c];
	table->measured = true;
	if (table->cells + table->cell_count != part->table.cells) {
		memmove(table->cells + table->cell_count, part->table.cells,
			part->table.cell_count * sizeof(*table->cells));
		memmove(table->simple + table->cell_count, part->table.simple,
			part->table.cell_count * sizeof(*table->simple));
	}
	table->cell_count += part->table.cell_count;
	memmove(rows + *row_count, part->rows, part->row_count * sizeof(*rows));
	*row_count += part->row_count;
	arena_join(&table->texts, &part->table.texts);
}

/* Makes room for so many rows, behind those that there are. */
static void reserve_rows(struct table *table, size_t count)
{
	table->cell_room = table->cell_count + count * table->column_count;
	table->cells = memory_given(large_resize(table->cells, table->cell_count,
						 table->cell_room + 1, sizeof(*table->cells)));
	if (!table->simple)
		table->simple = memset(memory_alloc(table->cell_count + 1), 0, table->cell_count);
	table->simple = memory_resize(table->simple, table->cell_room + 1, sizeof(*table->simple));
}

void profile_add_cells(struct table *table, const struct profile_place *place, size_t count,
		       const uint8_t *shown, size_t *rows)
{
	const size_t thread_count = threads_for(table, place->view, count, shown);
	pthread_t threads[THREADS_MAX];
	struct parts parts = {.count = thread_count < 2 ? 1 : thread_count * PARTS_FOR_THREAD};
	size_t row_count = 0, started = 0;
	const char **cells;
	uint8_t *simple;

	reserve_rows(table, count);
	cells = table->cells + table->cell_count;
	simple = table->simple + table->cell_count;
	parts.at = memory_alloc(parts.count * sizeof(*parts.at));
	for (size_t i = 0; i < parts.count; i++) {
		const size_t first = i * count / parts.count;
		const size_t end = (i + 1) * count / parts.count;

		parts.at[i] = (struct part){
			.table = {.columns = table->columns,
				  .column_count = table->column_count,
				  .cells = cells + first * table->column_count,
				  .simple = simple + first * table->column_count,
				  .cell_room = (end - first) * table->column_count},
			.place = *place,
			.shown = shown,
			.first = first,
			.end = end,
			.rows = rows + first,
		};
	}
	while (started + 1 < thread_count && threads_start(&threads[started], add_parts, &parts))
		started++;
	add_parts(&parts);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < parts.count; i++)
		join(table, &parts.at[i], rows, &row_count);
	free(parts.at);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of profiles: their headings, and their cells, for people and for programs. */
#ifndef RENDER_PROFILE_COLUMNS_H
#define RENDER_PROFILE_COLUMNS_H

#include "render/profile.h"

/* What a cell shows. NaN is unknown. */
struct profile_value {
	double value, low, high;
	double shown; /* as perf computes it, if `value` may be rounded otherwise */
	uint64_t count;
	bool or_more;   /* counters were too small for it */
	bool exact;     /* it has no interval */
	bool uncertain; /* the interval overlaps that of a neighbour */
};

/* The last cell of a column that was added to a table, and what it shows. */
struct profile_cell {
	struct profile_value value;
	const char *text;
	size_t length; /* 0: there is none */
};

/* A row whose cells are wanted. */
struct profile_place {
	const struct profile_view *view;
	const struct plumb_profile_event *event;
	size_t event_index, index;
	struct plumb_profile_row row;
	struct plumb_profile_latency latencies[PLUMB_PROFILE_LATENCIES];
	unsigned has_latencies; /* bits of the kinds that were looked up; 0 for another row */
	/* Its order among its neighbours is uncertain, because their intervals overlap. */
	bool uncertain;
	/* Of the columns of the view, if all rows are added to one table; NULL: nothing is known.
	 */
	struct profile_cell *last;
};

/* Returns whether the c-th column of a view has values for this event, or was asked for. */
bool profile_column_has_values(const struct profile_view *view,
			       const struct plumb_profile_event *event, size_t c);
/* Describes the c-th column of a view: how a table of text shows it. */
struct table_column profile_column(const struct profile_view *view, size_t c);
/* Adds the row's cell of the c-th column of a view. */
void profile_column_cell(struct table *table, struct profile_place *place, size_t c);
/* Returns whether `text`, of the row's k-th key, is a line or file of source that is unknown, so
 * that the function stands for it, and another column has that. */
bool profile_repeats_function(const struct profile_view *view, size_t event, size_t row, size_t k,
			      const char *text);
/*
 * Adds the cells of the first `count` rows of the place's event to a table with those columns of
 * the view that are `shown`. Sets the indexes of the rows that were wanted in `rows`, which has
 * room for all.
 */
void profile_add_cells(struct table *table, const struct profile_place *place, size_t count,
		       const uint8_t *shown, size_t *rows);
/* Adds the row's one to three fields of that column, for programs; and the names of the fields. */
void profile_column_fields(struct table *table, struct profile_place *place, size_t c);
void profile_column_names(struct table *table, const struct profile_view *view, size_t c);

/* Returns whether a view has any total, issue or translation latency. */
bool profile_columns_have_latencies(const struct profile_view *view);
/* Returns whether a view has one of the columns from `first` to `last`. */
bool profile_columns_have(const struct profile_view *view, unsigned first, unsigned last);

#endif

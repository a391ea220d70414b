/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles for programs: fields with a separator between them. */
#include "render/profile_columns.h"

void profile_separated(struct output *out, const struct profile_view *view, const char *separator)
{
	struct plumb_profile_event event;
	struct table table = {0};

	table_cell(&table, "event_name");
	table_cell(&table, "exact");
	for (size_t c = 0; c < view->column_count; c++)
		profile_column_names(&table, view, c);
	table.column_count = table.cell_count;
	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		struct profile_place place = {.view = view, .event = &event, .event_index = e};
		const size_t count = profile_rows_shown(view, e);

		if (!profile_prints(view, &event))
			continue;
		for (; place.index < count; place.index++) {
			if (!profile_is_wanted(view, e, place.index))
				continue;
			plumb_profile_row(view->profile, e, place.index, &place.row);
			place.has_latencies = 0;
			table_cell(&table, event.name ? event.name : "");
			table_cell(&table, event.exact ? "1" : "0");
			for (size_t c = 0; c < view->column_count; c++)
				profile_column_fields(&table, &place, c);
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

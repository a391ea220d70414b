/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what was counted separately: of each CPU, core, socket, node, thread or control group. */
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "render/table.h"
#include "tool/memory.h"

struct report report_of_unit(const struct report *report, const struct report_unit *unit)
{
	struct report one = *report;

	one.result = unit->result;
	one.diagnosis = unit->diagnosis;
	one.units = NULL;
	one.unit_count = 0;
	return one;
}

char *report_unit_name(const struct report_unit *unit)
{
	const char *name = unit->given.name, *cgroup = unit->given.cgroup;

	return memory_format("%s%s%s", name ? name : "", name && cgroup ? " " : "",
			     cgroup ? cgroup : "");
}

static const char *heading(const struct report *report)
{
	static const char *const headings[] = {
		[PLUMB_COUNT_BY_NOTHING] = "Control groups",
		[PLUMB_COUNT_BY_CPU] = "CPUs",
		[PLUMB_COUNT_BY_CORE] = "Cores",
		[PLUMB_COUNT_BY_SOCKET] = "Sockets",
		[PLUMB_COUNT_BY_NODE] = "Nodes",
		[PLUMB_COUNT_BY_THREAD] = "Threads",
	};

	return headings[report->units[0].given.by];
}

/* Adds the unit's own events, and those of its metrics that say most: the roots of the tree. */
static void add_unit(struct table *table, const struct report *report, const struct pen *pen,
		     const char *name)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_event_count **events;
	size_t count;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];
		const struct plumb_metric *metric = &report->spec->metrics[m->metric];
		char *text;

		if (m->level > 1 || (m->level == 0 && !report_shows_metric(report, m)))
			continue;
		text = figure_value(pen, report->result->values[i].value, metric->units);
		table_cell(table, name);
		table_cell(table, text);
		table_cell_format(table, "%s, %s", metric->name, metric->units);
		free(text);
	}
	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		char *text = figure_count(pen, events[i]->count.count);

		table_cell(table, name);
		table_cell(table, text);
		table_cell_format(table, "%s%s", events[i]->event->name,
				  report_is_clock(events[i]) ? ", ns" : "");
		free(text);
	}
	free(events);
}

void report_units(struct output *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME, .wraps = true},
		{.right = true},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 3};

	if (!report->unit_count)
		return;
	for (size_t i = 0; i < report->unit_count; i++) {
		const struct report one = report_of_unit(report, &report->units[i]);
		char *name = report_unit_name(&report->units[i]);

		add_unit(&table, &one, pen_for(out), name);
		free(name);
	}
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, heading(report));
	fputc('\n', out->stream);
	table_print(&table, out, 2);
	table_free(&table);
}

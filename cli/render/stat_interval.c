/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one line per interval, or one per requested event or metric in it. */
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "tool/memory.h"

/* Columns of the time, to a microsecond. */
#define TIME_COLUMNS 11

/*
 * Returns a value as text, in a sampled run with half its interval, "11.8±0.3", or with what stands
 * for an unknown one. Free it.
 */
static char *with_interval(const struct pen *pen, char *text, const struct plumb_value *range,
			   char *(*figure)(const struct pen *pen, double value, const char *units),
			   const char *units)
{
	const double half = fmax(range->high - range->value, range->value - range->low);
	char *more = figure(pen, half, units);
	char *both = memory_format("%s%s%s", text, pen->about, more);

	free(more);
	free(text);
	return both;
}

static char *figure_of_count(const struct pen *pen, double value, const char *units)
{
	(void)units;
	return figure_count(pen, value);
}

/* Return the text of a metric's value, and of an event's count. */
static char *value_text(const struct pen *pen, const struct report *report, size_t i)
{
	const uint16_t metric = report->result->plan->selection->metrics[i].metric;
	const char *units = report->spec->metrics[metric].units;
	const struct plumb_value range = report_range(report, i);
	char *text = figure_value(pen, range.value, units);

	if (!report->result->value_intervals || !report->sampled || isnan(range.value))
		return text;
	return with_interval(pen, text, &range, figure_value, units);
}

static char *count_text(const struct pen *pen, const struct report *report,
			const struct plumb_event_count *event)
{
	const struct plumb_value range = report_event_range(report, event);
	char *text = figure_count(pen, event->count.count);

	if (!report->result->event_intervals || !report->sampled || isnan(range.value))
		return text;
	return with_interval(pen, text, &range, figure_of_count, NULL);
}

/* Shortens a root's name to its first word: "frontend", "retiring". */
static void root_heading(char heading[16], const char *name)
{
	snprintf(heading, 16, "%.*s", (int)strcspn(name, "_"), name);
}

/* Prints the roots of the tree, one column each, and the end of the interval's own diagnosis. */
static void print_roots(struct output *out, const struct report *report, bool first)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_diagnosis *d = report->diagnosis;
	const struct pen *pen = pen_for(out);
	const char *leading;
	char *text;
	const char *phase = report_phase_name(report->phase);
	const size_t width = 10;
	size_t column = TIME_COLUMNS;

	if (first) {
		fprintf(out->stream, "%*s", TIME_COLUMNS, "time s");
		if (report->sampled)
			output_text(out, STYLE_HEADING, " ph");
		for (size_t i = 0; i < selection->metric_count; i++) {
			char heading[16];

			if (selection->metrics[i].level != 1)
				continue;
			root_heading(heading, report_metric(report, selection->metrics[i].metric));
			output_format(out, STYLE_HEADING, "%*s", (int)width, heading);
		}
		output_text(out, STYLE_HEADING, "  leading");
		fputc('\n', out->stream);
	}
	fprintf(out->stream, "%*.6f", TIME_COLUMNS, report->time);
	if (report->sampled) {
		output_format(out, STYLE_PLAIN, " %s ", phase ? phase : pen->missing);
		column += 3;
	}
	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		if (m->level != 1)
			continue;
		text = value_text(pen, report, i);
		output_spaces(out, width > report_columns(text) ? width - report_columns(text) : 1);
		output_text(out, STYLE_PLAIN, text);
		column += width;
		free(text);
	}
	leading = d->path_length ? report_metric(report, d->path[d->path_length - 1].metric)
				 : pen->missing;
	text = report->pmu ? memory_format("%s on %s", leading, report->pmu)
			   : memory_copy(leading, strlen(leading));
	if (column + 2 + report_columns(text) > out->width) {
		fputc('\n', out->stream);
		column = TIME_COLUMNS;
		output_spaces(out, column);
	}
	output_spaces(out, 2);
	output_wrapped(out, STYLE_NAME, column + 2, column + 2, text);
	free(text);
}

/* Prints a line: the time, a value, and what it is, followed by its units unless they are NULL. */
static void print_line(struct output *out, const struct report *report, const char *value,
		       const char *what, const char *units)
{
	const size_t columns = report_columns(value), before = columns < 15 ? 16 - columns : 1;
	char *text = units ? memory_format("%s, %s", what, units) : NULL;

	fprintf(out->stream, "%*.6f", TIME_COLUMNS, report->time);
	output_spaces(out, before);
	output_text(out, STYLE_PLAIN, value);
	output_spaces(out, 2);
	output_wrapped(out, STYLE_PLAIN, TIME_COLUMNS + 2 + before + columns, TIME_COLUMNS + 18,
		       text ? text : what);
	free(text);
}

/* Does the same, with the unit before the name unless it is NULL. */
static void print_line_of(struct output *out, const struct report *report, const char *value,
			  const char *unit, const char *what, const char *units)
{
	char *text = unit ? memory_format("%s %s", unit, what) : NULL;

	print_line(out, report, value, text ? text : what, units);
	free(text);
}

/* Prints the requested events and metrics, one line each, as perf does. */
static void print_lines(struct output *out, const struct report *report, bool first,
			const char *unit)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct pen *pen = pen_for(out);
	const struct plumb_event_count **events;
	size_t count;

	if (first) {
		output_format(out, STYLE_HEADING, "%*s %15s  what", TIME_COLUMNS, "time s",
			      "value");
		fputc('\n', out->stream);
	}
	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_metric *metric =
			&report->spec->metrics[selection->metrics[i].metric];
		char *text = value_text(pen, report, i);
		char *name = report_name_on_pmu(report, NULL, metric->name);

		print_line_of(out, report, text, unit, name, metric->units);
		free(name);
		free(text);
	}
	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		char *text = count_text(pen, report, events[i]);

		char *name = report_name_on_pmu(report, events[i]->event, events[i]->event->name);

		print_line_of(out, report, text, unit, name,
			      report_is_clock(events[i]) ? "ns" : NULL);
		free(name);
		free(text);
	}
	free(events);
}

void report_text_interval(struct output *out, const struct report *report, bool first)
{
	const bool roots = report->diagnosis->verdict != PLUMB_VERDICT_UNKNOWN || report->brief;

	for (size_t i = 0; i < report->unit_count; i++) {
		const struct report one = report_of_unit(report, &report->units[i]);
		char *name = report_unit_name(&report->units[i]);

		print_lines(out, &one, first && i == 0, name);
		free(name);
	}
	if (report->unit_count)
		return;
	if (roots)
		print_roots(out, report, first);
	else
		print_lines(out, report, first, NULL);
}

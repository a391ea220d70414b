/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints plumb stat's results for other programs, in long form: one row per metric of each group
 * and per event (--csv), or lines like those of perf stat -x.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "render/report.h"
#include "tool/memory.h"

/* Prints a field, quoted if it contains a separator, a quote or a newline. */
static void field(struct output *out, const char *text, const char *separator)
{
	bool quoted = strstr(text, separator) || text[strcspn(text, "\"\r\n")];

	if (!quoted) {
		output_text(out, STYLE_PLAIN, text);
		return;
	}
	fputc('"', out->stream);
	for (;;) {
		size_t length = strcspn(text, "\"");

		output_bytes(out, STYLE_PLAIN, text, length);
		text += length;
		if (*text++ == '\0')
			break;
		fputs("\"\"", out->stream);
	}
	fputc('"', out->stream);
}

/* ---- --csv -------------------------------------------------------------------------------- */

/* Fields in the order of the headings; NULL, 0 and "" are empty ones. */
struct row {
	double time;
	const char *source, *group;
	unsigned stage, level;
	const char *metric, *value, *units;
};

static void put_row(struct output *out, const struct row *row)
{
	if (!isnan(row->time))
		fprintf(out->stream, "%.9f", row->time);
	fputc(',', out->stream);
	field(out, row->source, ",");
	fputc(',', out->stream);
	field(out, row->group ? row->group : "", ",");
	fputc(',', out->stream);
	if (row->stage)
		fprintf(out->stream, "%u", row->stage);
	fputc(',', out->stream);
	if (row->level)
		fprintf(out->stream, "%u", row->level);
	fputc(',', out->stream);
	field(out, row->metric, ",");
	fputc(',', out->stream);
	fputs(row->value, out->stream);
	fputc(',', out->stream);
	field(out, row->units, ",");
	/* RFC 4180 ends lines with both. */
	fputs("\r\n", out->stream);
}

/* Formats a value with its significant digits; "" if there is none. */
static const char *value_text(char text[32], double value)
{
	text[0] = '\0';
	if (isfinite(value))
		snprintf(text, 32, "%.9g", value);
	return text;
}

/* Formats a count, or a clock in nanoseconds, exactly, with all digits. */
static const char *count_text(char text[32], double count)
{
	text[0] = '\0';
	if (isfinite(count))
		snprintf(text, 32, "%.0f", count);
	return text;
}

void report_csv_headings(struct output *out)
{
	fputs("time,source,group,stage,level,metric,value,units\r\n", out->stream);
}

static void put_what_if(struct output *out, const struct report *report)
{
	char text[32];

	for (size_t i = 0; report->ended && i < report->what_if_count; i++) {
		const struct report_what_if *part = &report->what_if[i];
		struct row row = {.time = report->time,
				  .source = report->source,
				  .group = "what_if",
				  .metric = part->name};

		row.value = value_text(text, report_speedup(report, part));
		row.units = "times faster";
		put_row(out, &row);
		row.value = count_text(text, report->cycles - part->cycles);
		row.units = "cycles saved";
		put_row(out, &row);
	}
}

void report_csv(struct output *out, const struct report *report)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_spec *spec = report->spec;
	const struct plumb_event_count **events;
	char text[32];
	size_t count;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		put_row(out,
			&(struct row){.time = report->time,
				      .source = report->source,
				      .group = m->group == PLUMB_NONE
						       ? NULL
						       : spec->metric_groups[m->group].name,
				      .stage = m->stage,
				      .level = m->stage == 1 ? m->level : 0,
				      .metric = spec->metrics[m->metric].name,
				      .value = value_text(text, report->result->values[i].value),
				      .units = spec->metrics[m->metric].units});
	}
	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		put_row(out, &(struct row){.time = report->time,
					   .source = report->source,
					   .metric = report_event_name(report, events[i]),
					   .value = count_text(text, events[i]->count.count),
					   .units = report_is_clock(events[i]) ? "ns" : "events"});
	}
	free(events);
	put_what_if(out, report);
}

/* ---- -x ----------------------------------------------------------------------------------- */

/* Prints perf's first column with -I. */
static void put_time(struct output *out, const struct report *report, const char *separator)
{
	if (!isnan(report->time))
		fprintf(out->stream, "%16.9f%s", report->time, separator);
}

/* Tells whether perf would print a column with the deviation of the runs. */
static bool has_deviations(const struct report *report)
{
	return report->runs > 1 && !report->intervals;
}

/* Formats nanoseconds in milliseconds, as perf does. */
static const char *clock_text(char text[32], double ns)
{
	const double ms = ns / 1e6;

	snprintf(text, 32, ms == floor(ms) ? "%.0f" : "%.2f", ms);
	return text;
}

/* Prints a metric's value and unit, with the event's fields empty. */
static void put_metric_fields(struct output *out, const struct report *report, const char *value,
			      const char *unit, const char *separator)
{
	put_time(out, report, separator);
	for (unsigned column = 0; column < 5u + has_deviations(report); column++)
		fputs(separator, out->stream);
	fprintf(out->stream, "%s%s", value, separator);
	field(out, unit, separator);
	fputc('\n', out->stream);
}

/* "COUNT,UNIT,EVENT[,DEVIATION%],RUNNING,PERCENT,METRIC,UNIT" */
static void put_event(struct output *out, const struct report *report,
		      const struct plumb_event_count *e, const char *separator)
{
	uint64_t enabled = e->count.enabled_ns, running = e->count.running_ns;
	const bool clock = report_is_clock(e);
	const struct report_shadow shadow = report_shadow(report, e),
				   second = report_stalls_per_instruction(report, e);
	char text[32];

	put_time(out, report, separator);
	fputs(isnan(e->count.count) ? "<not counted>"
	      : clock               ? clock_text(text, e->count.count)
				    : count_text(text, e->count.count),
	      out->stream);
	fprintf(out->stream, "%s%s%s", separator, clock ? "msec" : "", separator);
	field(out, e->event->name, separator);
	if (has_deviations(report) && isfinite(e->deviation))
		fprintf(out->stream, "%s%.2f%%", separator, e->deviation);
	else if (has_deviations(report))
		fputs(separator, out->stream);
	fprintf(out->stream, "%s%.0f%s%.2f%s%s%s", separator,
		(double)running / (report->runs > 1 ? report->runs : 1), separator,
		enabled ? 100.0 * (double)running / (double)enabled : 100.0, separator,
		shadow.value, separator);
	field(out, shadow.unit, separator);
	fputc('\n', out->stream);
	if (*second.value)
		put_metric_fields(out, report, second.value, second.unit, separator);
}

/* Prints a metric with its name after its unit, as perf does. */
static void put_metric(struct output *out, const struct report *report, size_t i,
		       const char *separator)
{
	const struct plumb_metric *metric =
		&report->spec->metrics[report->result->plan->selection->metrics[i].metric];
	char *unit = memory_format("%s  %s", metric->units, metric->name), text[32];

	put_metric_fields(out, report, value_text(text, report->result->values[i].value), unit,
			  separator);
	free(unit);
}

void report_perf_comment(struct output *out, const struct report *report)
{
	if (!report->label)
		return;
	output_format(out, STYLE_PLAIN, "# %s (%s): the model's counts, not measured",
		      report->spec->product.name, report->label);
	fputc('\n', out->stream);
}

void report_perf_lines(struct output *out, const struct report *report, const char *separator)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	struct index_set *printed = memory_alloc(sizeof(*printed));
	const struct plumb_event_count **events;
	size_t count;

	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++)
		put_event(out, report, events[i], separator);
	free(events);
	/* There is no column for the group, so print each metric once. */
	memset(printed, 0, sizeof(*printed));
	for (size_t i = 0; i < selection->metric_count; i++)
		if (index_set_add(printed, selection->metrics[i].metric))
			put_metric(out, report, i, separator);
	free(printed);
	for (size_t i = 0; report->ended && i < report->what_if_count; i++) {
		const struct report_what_if *part = &report->what_if[i];
		char text[32], *unit = memory_format("times faster  what_if_%s", part->name);

		put_metric_fields(out, report, value_text(text, report_speedup(report, part)), unit,
				  separator);
		free(unit);
	}
}

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

/* Formats a value with its significant digits; "" if there is none. */
static const char *value_text(char text[32], double value)
{
	text[0] = '\0';
	if (isfinite(value))
		snprintf(text, 32, "%.9g", value);
	return text;
}

/* ---- --csv -------------------------------------------------------------------------------- */

/* Fields in the order of the headings; NULL, 0 and "" are empty ones. */
struct row {
	double time;
	const char *source, *group;
	unsigned stage, level;
	const char *metric, *value, *units;
	const struct report_unit *unit;  /* NULL: there are none */
	const char *pmu;                 /* likewise */
	const struct plumb_value *range; /* of an estimate; NULL: there are none */
	const char *phase;
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
	if (row->unit) {
		fputc(',', out->stream);
		field(out, row->unit->given.name ? row->unit->given.name : "", ",");
		fputc(',', out->stream);
		field(out, row->unit->given.cgroup ? row->unit->given.cgroup : "", ",");
	}
	if (row->pmu) {
		fputc(',', out->stream);
		field(out, row->pmu, ",");
	}
	if (row->range) {
		char low[32], high[32];

		fprintf(out->stream, ",%s,%s,%s", value_text(low, row->range->low),
			value_text(high, row->range->high), row->phase ? row->phase : "");
	}
	/* RFC 4180 ends lines with both. */
	fputs("\r\n", out->stream);
}

/* Formats a count, or a clock in nanoseconds, exactly, with all digits. */
static const char *count_text(char text[32], double count)
{
	text[0] = '\0';
	if (isfinite(count))
		snprintf(text, 32, "%.0f", count);
	return text;
}

void report_csv_headings(struct output *out, const struct report *report, bool units, bool pmus)
{
	fprintf(out->stream, "time,source,group,stage,level,metric,value,units%s%s%s\r\n",
		units ? ",unit,cgroup" : "", pmus ? ",pmu" : "",
		report->estimates ? ",low,high,phase" : "");
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

/* Returns the range of an estimate; of what was counted, that is the value itself. */
static struct plumb_value estimate(const struct report *report, struct plumb_value range)
{
	if (!report->result->value_intervals)
		range.low = range.high = range.value;
	return range;
}

static void put_rows(struct output *out, const struct report *report,
		     const struct report_unit *unit)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_spec *spec = report->spec;
	const struct plumb_event_count **events;
	const char *phase = report_phase_name(report->phase);
	char text[32];
	size_t count;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];
		const struct plumb_value range = estimate(report, report_range(report, i));

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
				      .units = spec->metrics[m->metric].units,
				      .unit = unit,
				      .pmu = report->pmu,
				      .range = report->estimates ? &range : NULL,
				      .phase = phase});
	}
	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		const struct plumb_value range =
			estimate(report, report_event_range(report, events[i]));

		put_row(out, &(struct row){.time = report->time,
					   .source = report->source,
					   .metric = report_event_name(report, events[i]),
					   .value = count_text(text, events[i]->count.count),
					   .units = report_is_clock(events[i]) ? "ns" : "events",
					   .unit = unit,
					   .pmu = report->pmu,
					   .range = report->estimates ? &range : NULL,
					   .phase = phase});
	}
	free(events);
}

void report_csv(struct output *out, const struct report *report)
{
	for (size_t i = 0; i < report->unit_count; i++) {
		const struct report one = report_of_unit(report, &report->units[i]);

		put_rows(out, &one, &report->units[i]);
	}
	if (!report->unit_count)
		put_rows(out, report, NULL);
	put_what_if(out, report);
}

/* ---- -x ----------------------------------------------------------------------------------- */

/* Prints perf's first columns: the time with -I; the unit, and how many CPUs it combines. */
static void put_time(struct output *out, const struct report *report,
		     const struct report_unit *unit, const char *separator)
{
	if (!isnan(report->time))
		fprintf(out->stream, "%16.9f%s", report->time, separator);
	if (!unit || !unit->given.name)
		return;
	field(out, unit->given.name, separator);
	fputs(separator, out->stream);
	if (unit->given.by != PLUMB_COUNT_BY_CPU && unit->given.by != PLUMB_COUNT_BY_THREAD)
		fprintf(out->stream, "%u%s", unit->given.cpus, separator);
}

/* The columns for a control group, after the event. */
static void put_cgroup(struct output *out, const struct report_unit *unit, const char *separator)
{
	if (!unit || !unit->given.cgroup)
		return;
	fputs(separator, out->stream);
	field(out, unit->given.cgroup, separator);
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
static void put_metric_fields(struct output *out, const struct report *report,
			      const struct report_unit *of, const char *value, const char *unit,
			      const char *separator)
{
	put_time(out, report, of, separator);
	for (unsigned column = 0; column < 5u + has_deviations(report); column++)
		fputs(separator, out->stream);
	fprintf(out->stream, "%s%s", value, separator);
	field(out, unit, separator);
	fputc('\n', out->stream);
}

/* "COUNT,UNIT,EVENT[,CGROUP][,DEVIATION%],RUNNING,PERCENT,METRIC,UNIT" */
static void put_event(struct output *out, const struct report *report,
		      const struct report_unit *unit, const struct plumb_event_count *e,
		      const char *separator)
{
	uint64_t enabled = e->count.enabled_ns, running = e->count.running_ns;
	const bool clock = report_is_clock(e);
	const struct report_shadow shadow = report_shadow(report, e),
				   second = report_stalls_per_instruction(report, e);
	char text[32], *name = report_name_on_pmu(report, e->event, e->event->name);

	put_time(out, report, unit, separator);
	fputs(isnan(e->count.count) ? "<not counted>"
	      : clock               ? clock_text(text, e->count.count)
				    : count_text(text, e->count.count),
	      out->stream);
	fprintf(out->stream, "%s%s%s", separator, clock ? "msec" : "", separator);
	field(out, name, separator);
	free(name);
	put_cgroup(out, unit, separator);
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
		put_metric_fields(out, report, unit, second.value, second.unit, separator);
}

/* Prints a metric with its name after its unit, as perf does. */
static void put_metric(struct output *out, const struct report *report,
		       const struct report_unit *of, size_t i, const char *separator)
{
	const struct plumb_metric *metric =
		&report->spec->metrics[report->result->plan->selection->metrics[i].metric];
	char *name = report_name_on_pmu(report, NULL, metric->name);
	char *unit = memory_format("%s  %s", metric->units, name), text[32];

	put_metric_fields(out, report, of, value_text(text, report->result->values[i].value), unit,
			  separator);
	free(unit);
	free(name);
}

void report_perf_comment(struct output *out, const struct report *report)
{
	if (!report->label)
		return;
	output_format(out, STYLE_PLAIN, "# %s (%s): the model's counts, not measured",
		      report->spec->product.name, report->label);
	fputc('\n', out->stream);
}

/* Prints all events of a unit, or of everything, or only the one with this number. */
static void put_events(struct output *out, const struct report *report,
		       const struct report_unit *unit, size_t only, const char *separator)
{
	const struct plumb_event_count **events;
	size_t count;

	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++)
		if (only == SIZE_MAX || only == i)
			put_event(out, report, unit, events[i], separator);
	free(events);
}

static void put_metrics(struct output *out, const struct report *report,
			const struct report_unit *unit, const char *separator)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	struct index_set *printed = memory_alloc(sizeof(*printed));

	/* There is no column for the group, so print each metric once. */
	memset(printed, 0, sizeof(*printed));
	for (size_t i = 0; i < selection->metric_count; i++)
		if (index_set_add(printed, selection->metrics[i].metric))
			put_metric(out, report, unit, i, separator);
	free(printed);
}

static void put_unit(struct output *out, const struct report *report,
		     const struct report_unit *unit, const char *separator)
{
	const struct report one = report_of_unit(report, unit);

	put_events(out, &one, unit, SIZE_MAX, separator);
	put_metrics(out, &one, unit, separator);
}

/* Tells whether the i-th unit is the first of its control group. */
static bool begins_cgroup(const struct report *report, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (report->units[k].given.cgroup == report->units[i].given.cgroup)
			return false;
	return true;
}

/* Prints the units of a control group, or all, one event after the other. */
static void put_by_event(struct output *out, const struct report *report, const char *cgroup,
			 const char *separator)
{
	size_t count;

	free(report_events(report, &count));
	for (size_t event = 0; event <= count; event++) {
		for (size_t i = 0; i < report->unit_count; i++) {
			const struct report_unit *unit = &report->units[i];
			const struct report one = report_of_unit(report, unit);

			if (unit->given.cgroup != cgroup)
				continue;
			if (event < count)
				put_events(out, &one, unit, event, separator);
			else
				put_metrics(out, &one, unit, separator);
		}
	}
}

/* Prints units in perf's order: by event for CPUs and threads, else one unit after the other. */
static void put_units(struct output *out, const struct report *report, const char *separator)
{
	const enum plumb_count_by by = report->units[0].given.by;
	const bool by_event = by == PLUMB_COUNT_BY_CPU || by == PLUMB_COUNT_BY_THREAD;

	for (size_t i = 0; i < report->unit_count; i++) {
		const char *cgroup = report->units[i].given.cgroup;

		if (!begins_cgroup(report, i))
			continue;
		for (size_t k = i; !by_event && k < report->unit_count; k++)
			if (report->units[k].given.cgroup == cgroup)
				put_unit(out, report, &report->units[k], separator);
		if (by_event)
			put_by_event(out, report, cgroup, separator);
	}
}

void report_perf_lines(struct output *out, const struct report *report, const char *separator)
{
	if (report->unit_count) {
		put_units(out, report, separator);
		return;
	}
	put_events(out, report, NULL, SIZE_MAX, separator);
	put_metrics(out, report, NULL, separator);
	for (size_t i = 0; report->ended && i < report->what_if_count; i++) {
		const struct report_what_if *part = &report->what_if[i];
		char text[32], *unit = memory_format("times faster  what_if_%s", part->name);

		put_metric_fields(out, report, NULL, value_text(text, report_speedup(report, part)),
				  unit, separator);
		free(unit);
	}
}

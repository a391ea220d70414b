/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints plumb stat's text: the program, stage 1 as a tree, stage 2 and events as tables. The
 * summary and the diagnosis come last, where a terminal shows them. The text fits 80 columns.
 */
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "render/table.h"
#include "tool/join.h"
#include "tool/memory.h"

#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */
#define CODE_CYCLES       PLUMB_CODE_CYCLES

#define COMMAND_SHOWN 200 /* bytes, or a little more */

/* ---- the headline ------------------------------------------------------------------------- */

/* Prints the beginning of the command line. */
static void print_command(struct output *out, const struct report *report, size_t column)
{
	char *text = memory_copy("", 0);

	for (char *const *word = report->command; *word; word++) {
		bool enough = strlen(text) > COMMAND_SHOWN;
		char *longer = memory_format("%s%s%.*s", text, *text ? " " : "", COMMAND_SHOWN,
					     enough ? "..." : *word);

		free(text);
		text = longer;
		if (enough)
			break;
	}
	output_wrapped(out, STYLE_PLAIN, column, 2, text);
	free(text);
}

static void print_times(struct output *out, const struct report *report)
{
	char *time = figure_duration(report->seconds),
	     *took = figure_duration(report->host_seconds);
	double slower = report->host_seconds / report->seconds;

	output_format(out, STYLE_PLAIN, "  %s", time);
	if (report->label) {
		fputs(" of model time", out->stream);
		output_format(out, STYLE_DIM, ", simulated in %s", took);
		/* Shorter runs are mostly the start of QEMU. */
		if (report->host_seconds >= 1 && slower >= 1 && isfinite(slower)) {
			char *times = figure_count(pen_for(out), figure_rounded(slower));

			output_format(out, STYLE_DIM, ": %s times slower than the core", times);
			free(times);
		}
	}
	fputc('\n', out->stream);
	free(took);
	free(time);
}

static void print_rate(struct output *out, const struct report *report)
{
	double cycles = report_count(report, CODE_CYCLES);
	double instructions = report_count(report, CODE_INSTRUCTIONS);
	char *text;

	if (isnan(cycles) && isnan(instructions))
		return;
	output_spaces(out, 2);
	if (!isnan(instructions)) {
		text = figure_count(pen_for(out), instructions);
		output_format(out, STYLE_PLAIN, "%s instructions%s", text,
			      isnan(cycles) ? "" : ", ");
		free(text);
	}
	if (!isnan(cycles)) {
		text = figure_count(pen_for(out), cycles);
		output_format(out, STYLE_PLAIN, "%s cycles", text);
		free(text);
	}
	if (cycles > 0 && !isnan(instructions))
		output_format(out, STYLE_PLAIN, ", %.2f instructions per cycle",
			      instructions / cycles);
	fputc('\n', out->stream);
}

static void print_end(struct output *out, const struct report *report)
{
	if (report->signal) {
		output_spaces(out, 2);
		output_format(out, STYLE_BAD, "ended by signal %d (%s); counts up to then",
			      report->signal, strsignal(report->signal));
		fputc('\n', out->stream);
	} else if (report->exit_status) {
		output_spaces(out, 2);
		output_format(out, STYLE_WARNING, "exit status %d", report->exit_status);
		fputc('\n', out->stream);
	}
}

static void print_headline(struct output *out, const struct report *report)
{
	char *name =
		memory_format("%s%s%s%s", report->spec->product.name, report->label ? " (" : "",
			      report->label ? report->label : "", report->label ? ")" : "");

	output_text(out, STYLE_HEADING, name);
	fputs(": ", out->stream);
	print_command(out, report, report_columns(name) + 2);
	free(name);
}

/* ---- the summary -------------------------------------------------------------------------- */

static void print_parts(struct output *out, const struct report *report)
{
	if (report->result->parts < 2)
		return;
	output_format(out, STYLE_PLAIN,
		      report->intervals ? "  whole run, with the lowest and highest of %u intervals"
					: "  mean of %u runs, with the lowest and highest",
		      report->result->parts);
	fputc('\n', out->stream);
}

static void print_summary(struct output *out, const struct report *report)
{
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, "Summary");
	fputc('\n', out->stream);
	print_parts(out, report);
	print_times(out, report);
	print_rate(out, report);
	print_end(out, report);
}

/* ---- tables ------------------------------------------------------------------------------- */

static void add_value(struct table *table, const struct report *report, const struct pen *pen,
		      size_t i)
{
	const struct plumb_metric *metric =
		&report->spec->metrics[report->result->plan->selection->metrics[i].metric];
	char *text = figure_value(pen, report->result->values[i].value, metric->units);

	table_cell_format(table, "  %s", metric->name);
	table_cell(table, text);
	free(text);
	if (report->result->parts > 1) {
		text = figure_range(pen, &report->result->values[i], metric->units);
		table_cell(table, text);
		free(text);
	}
	table_cell(table, metric->units);
}

static void add_group(struct table *table, const struct report *report, const struct pen *pen,
		      size_t first, size_t size)
{
	uint16_t group = report->result->plan->selection->metrics[first].group;

	table_cell(table,
		   group == PLUMB_NONE ? "no group" : report->spec->metric_groups[group].name);
	for (size_t c = 1; c < table->column_count; c++)
		table_cell(table, " ");
	for (size_t i = first; i < first + size; i++)
		add_value(table, report, pen, i);
}

/* `names` are those of `count` groups. */
static void print_folded(struct output *out, const char *names, size_t count)
{
	char *text = memory_format("%zu group%s with nothing to show: %s; -v shows %s", count,
				   count == 1 ? "" : "s", names, count == 1 ? "it" : "them");

	output_spaces(out, 2);
	output_wrapped(out, STYLE_DIM, 2, 2, text);
	free(text);
}

/* Prints stage 2, and groups and metrics requested by name. */
static void print_groups(struct output *out, const struct report *report)
{
	static const struct table_column one[] = {{.style = STYLE_NAME}, {.right = true}, {0}};
	static const struct table_column several[] = {
		{.style = STYLE_NAME}, {.right = true}, {.right = true, .style = STYLE_DIM}, {0}};
	const struct plumb_selection *selection = report->result->plan->selection;
	bool ranges = report->result->parts > 1;
	struct table table = {.columns = ranges ? several : one, .column_count = ranges ? 4 : 3};
	struct join folded = {0};
	size_t folded_count = 0, hidden = 0;
	const char *heading = NULL;
	char *names;

	for (size_t i = 0, size; i < selection->metric_count; i += size) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		size = report_group_size(report, i);
		if (m->stage == 1)
			continue;
		if (!report_shows_metric(report, m)) {
			hidden += size;
			continue;
		}
		if (!heading)
			heading = m->stage ? "Stage 2" : "Metrics";
		if (report_folds_group(report, i)) {
			join_add(&folded, report->spec->metric_groups[m->group].name);
			folded_count++;
		} else {
			add_group(&table, report, pen_for(out), i, size);
		}
	}
	if (heading) {
		fputc('\n', out->stream);
		output_text(out, STYLE_HEADING, heading);
		if (report->brief)
			output_text(out, STYLE_DIM, ": what the diagnosis leads to");
		fputc('\n', out->stream);
	}
	table_print(&table, out, 2);
	table_free(&table);
	names = join_take(&folded);
	if (folded_count)
		print_folded(out, names, folded_count);
	free(names);
	if (report->brief && hidden) {
		output_format(out, STYLE_DIM, "  %zu more metrics with --stages all", hidden);
		fputc('\n', out->stream);
	}
}

static void print_events(struct output *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{.right = true},
		{.style = STYLE_NAME},
		{.style = STYLE_DIM, .drops = true},
	};
	struct table table = {.columns = columns, .column_count = 3};
	const struct plumb_event_count **events;
	size_t count;

	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		char *text = figure_count(pen_for(out), events[i]->count.count);

		table_cell(&table, text);
		table_cell(&table, events[i]->event->name);
		table_cell(&table, report_event_title(report, events[i]));
		free(text);
	}
	free(events);
	if (table.cell_count) {
		fputc('\n', out->stream);
		output_text(out, STYLE_HEADING, "Events");
		fputc('\n', out->stream);
		table_print(&table, out, 2);
	}
	table_free(&table);
}

static void print_warnings(struct output *out, const struct report *report)
{
	if (*report->warnings)
		fputc('\n', out->stream);
	for (const char *const *w = report->warnings; *w; w++) {
		output_text(out, STYLE_WARNING, "Note: ");
		output_wrapped(out, STYLE_PLAIN, 6, 6, *w);
	}
}

void report_text(struct output *out, const struct report *report)
{
	print_headline(out, report);
	report_tree(out, report);
	print_groups(out, report);
	print_events(out, report);
	print_summary(out, report);
	print_warnings(out, report);
	report_diagnosis(out, report);
}

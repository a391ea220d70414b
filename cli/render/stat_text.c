/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plumb stat for people: what ran, stage 1 as a tree, what that means and what comes next, then
 * stage 2 and events as tables. It fits 80 columns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "render/table.h"
#include "tool/memory.h"

#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */
#define CODE_CYCLES       PLUMB_CODE_CYCLES

#define COMMAND_SHOWN 200 /* bytes, or a little more */

/* An event's count; NaN if it was not counted. */
static double count_of(const struct report *report, uint16_t code)
{
	for (uint16_t i = 0; i < report->result->plan->code_count; i++)
		if (report->result->events[i].code == code)
			return report->result->events[i].count.count;
	return NAN;
}

/* ---- the headline ------------------------------------------------------------------------- */

/* Of a long command line its beginning. */
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

static void print_figures(struct output *out, const struct report *report)
{
	double cycles = count_of(report, CODE_CYCLES);
	double instructions = count_of(report, CODE_INSTRUCTIONS);
	char *time = figure_duration(report->seconds),
	     *took = figure_duration(report->host_seconds);
	char *text =
		memory_format("%s%s%s%s", time, report->label ? " of " : "",
			      report->label ? "the model's time" : "", report->label ? ", " : "");

	output_spaces(out, 2);
	output_text(out, STYLE_PLAIN, text);
	if (report->label)
		output_format(out, STYLE_DIM, "%s to run", took);
	fputc('\n', out->stream);
	free(text);
	free(took);
	free(time);
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
		output_format(out, STYLE_PLAIN, ", %.2f instructions a cycle",
			      instructions / cycles);
	fputc('\n', out->stream);
}

static void print_end(struct output *out, const struct report *report)
{
	if (report->signal) {
		output_spaces(out, 2);
		output_format(out, STYLE_BAD, "ended by signal %d (%s): counted until then",
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
	if (report->result->parts > 1 && !report->intervals) {
		output_spaces(out, 2);
		output_format(out, STYLE_PLAIN, "mean of %u runs, with the least and the greatest",
			      report->result->parts);
		fputc('\n', out->stream);
	} else if (report->result->parts > 1) {
		output_spaces(out, 2);
		output_format(out, STYLE_PLAIN,
			      "all of it, with the least and the greatest of %u intervals",
			      report->result->parts);
		fputc('\n', out->stream);
	}
	print_figures(out, report);
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

static void print_groups(struct output *out, const struct report *report)
{
	static const struct table_column one[] = {{.style = STYLE_NAME}, {.right = true}, {0}};
	static const struct table_column several[] = {
		{.style = STYLE_NAME}, {.right = true}, {.right = true, .style = STYLE_DIM}, {0}};
	const struct plumb_selection *selection = report->result->plan->selection;
	bool ranges = report->result->parts > 1;
	struct table table = {.columns = ranges ? several : one, .column_count = ranges ? 4 : 3};
	uint16_t group = PLUMB_NONE;
	size_t hidden = 0;
	bool any = false;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		if (m->stage == 1)
			continue;
		if (!report_shows_metric(report, m)) {
			hidden++;
			continue;
		}
		if (!any) {
			fputc('\n', out->stream);
			output_text(out, STYLE_HEADING, m->stage ? "Stage 2" : "Metrics");
			if (report->brief)
				output_text(out, STYLE_DIM, ": what the diagnosis leads to");
			fputc('\n', out->stream);
		}
		if (!any || m->group != group) {
			table_cell(&table, m->group == PLUMB_NONE
						   ? "no group"
						   : report->spec->metric_groups[m->group].name);
			for (size_t c = 1; c < table.column_count; c++)
				table_cell(&table, " ");
		}
		add_value(&table, report, pen_for(out), i);
		group = m->group;
		any = true;
	}
	table_print(&table, out, 2);
	table_free(&table);
	if (report->brief && hidden) {
		output_format(out, STYLE_DIM, "  and %zu more metrics with --stages all", hidden);
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

	for (uint16_t i = 0; i < report->result->plan->code_count; i++) {
		const struct plumb_event_count *e = &report->result->events[i];
		uint16_t event = plumb_spec_event_by_code(report->spec, e->code);
		char *text;

		if (!report_shows_event(report, e->code))
			continue;
		text = figure_count(pen_for(out), e->count.count);
		table_cell(&table, text);
		free(text);
		if (event == PLUMB_NONE)
			table_cell_format(&table, "r%x", e->code);
		else
			table_cell(&table, report->spec->events[event].name);
		table_cell(&table, event == PLUMB_NONE ? "" : report->spec->events[event].title);
	}
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
	report_diagnosis(out, report);
	print_groups(out, report);
	print_events(out, report);
	print_warnings(out, report);
}

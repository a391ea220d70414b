/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints plumb stat's text: the program, stage 1 as a tree, stage 2 and events as tables. The
 * summary and the diagnosis come last, where a terminal shows them. The text fits 80 columns.
 */
#include <stdlib.h>
#include <string.h>

#include "event/config.h"
#include "render/figures.h"
#include "render/report.h"
#include "render/shell.h"
#include "render/table.h"
#include "tool/join.h"
#include "tool/memory.h"

#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */
#define CODE_CYCLES       PLUMB_CODE_CYCLES

#define COMMAND_SHOWN 200 /* bytes, or a little more */

/* ---- the headline ------------------------------------------------------------------------- */

/* Prints what was counted, and the beginning of the command line. */
static void print_command(struct output *out, const struct report *report, size_t column)
{
	char *text = report->target ? memory_format("%s%s", report->target,
						    *report->command ? ", during" : "")
				    : memory_copy("", 0);

	for (char *const *word = report->command; *word; word++) {
		bool enough = strlen(text) > COMMAND_SHOWN;
		char *quoted = shell_quote(*word);
		char *longer = memory_format("%s%s%.*s", text, *text ? " " : "", COMMAND_SHOWN,
					     enough ? "..." : quoted);

		free(quoted);
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

	if (isnan(report->seconds)) {
		free(took);
		free(time);
		return;
	}
	output_spaces(out, 2);
	if (report->label) {
		char *times = figure_count(pen_for(out), figure_rounded(slower));
		/* Shorter runs are mostly the start of QEMU. */
		bool says = report->host_seconds >= 1 && slower >= 1 && isfinite(slower);
		char *simulated =
			memory_format(", simulated in %s%s%s%s", took, says ? ": " : "",
				      says ? times : "", says ? " times slower than the core" : "");
		size_t column = output_flow(out, STYLE_PLAIN, 2, 2, time);

		column = output_flow(out, STYLE_PLAIN, column, 2, " of model time");
		output_wrapped(out, STYLE_DIM, column, 2, simulated);
		free(simulated);
		free(times);
	} else {
		output_wrapped(out, STYLE_PLAIN, 2, 2, time);
	}
	free(took);
	free(time);
}

/* A count in the summary, and what to call it. */
struct counted {
	double count;
	const char *name;
};

static void print_rate(struct output *out, struct counted instructions, struct counted cycles)
{
	struct join join = {0};
	char *text, *part;

	for (int i = 0; i < 2; i++) {
		const struct counted *one = i ? &cycles : &instructions;

		if (isnan(one->count))
			continue;
		text = figure_count(pen_for(out), one->count);
		part = memory_format("%s %s", text, one->name);
		join_add(&join, part);
		free(text);
		free(part);
	}
	if (cycles.count > 0 && !isnan(instructions.count)) {
		part = memory_format("%.2f instructions per cycle",
				     instructions.count / cycles.count);
		join_add(&join, part);
		free(part);
	}
	text = join_take(&join);
	if (*text) {
		output_spaces(out, 2);
		output_wrapped(out, STYLE_PLAIN, 2, 2, text);
	}
	free(text);
}

/* Tells whether both were counted in the same modes. */
static bool are_alike(const struct plumb_event_config *a, const struct plumb_event_config *b)
{
	struct plumb_event_config other = *b;

	other.config = a->config;
	return event_counts_same(a, &other);
}

/* Returns the cycles counted like an event, preferably those of its group; NULL: none. */
static const struct plumb_event_count *find_cycles(const struct report *report,
						   const struct plumb_event_count *event)
{
	const struct plumb_result *result = report->result;
	const struct plumb_event_count *found = NULL;

	for (uint16_t i = 0; i < result->plan->event_count; i++) {
		const struct plumb_event_count *other = &result->events[i];

		if (other->event->config != CODE_CYCLES || !are_alike(event->event, other->event) ||
		    !report_requests(report, other))
			continue;
		if (!found || other->event->leader == event->event->leader)
			found = other;
	}
	return found;
}

/* Tells whether an earlier event has the same name. */
static bool is_repeated(const struct report *report, uint16_t event)
{
	const struct plumb_event_count *events = report->result->events;

	for (uint16_t i = 0; i < event; i++)
		if (strcmp(events[i].event->name, events[event].event->name) == 0)
			return true;
	return false;
}

/* Prints instructions and cycles: all, then those in groups and with modifiers. */
static void print_rates(struct output *out, const struct report *report)
{
	const struct plumb_result *result = report->result;

	print_rate(out, (struct counted){report_count(report, CODE_INSTRUCTIONS), "instructions"},
		   (struct counted){report_count(report, CODE_CYCLES), "cycles"});
	for (uint16_t i = 0; i < result->plan->event_count; i++) {
		const struct plumb_event_count *event = &result->events[i], *cycles;

		if (event->event->kind != PLUMB_EVENT_PMU ||
		    event->event->config != CODE_INSTRUCTIONS || is_repeated(report, i) ||
		    !report_requests(report, event))
			continue;
		cycles = find_cycles(report, event);
		if (!cycles ||
		    (!isnan(report_count(report, CODE_INSTRUCTIONS)) &&
		     !isnan(report_count(report, CODE_CYCLES)) && event_is_plain(event->event)))
			continue;
		print_rate(out, (struct counted){event->count.count, event->event->name},
			   (struct counted){cycles->count.count, cycles->event->name});
	}
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
	/* Where cores differ, their PMU tells which are meant. */
	const char *which = report->label ? report->label : report->pmu;
	char *name = memory_format("%s%s%s%s", report->spec->product.name, which ? " (" : "",
				   which ? which : "", which ? ")" : "");

	output_text(out, STYLE_HEADING, name);
	fputs(": ", out->stream);
	print_command(out, report, report_columns(name) + 2);
	free(name);
}

/* ---- the summary -------------------------------------------------------------------------- */

/* Returns whether the windows of a sampled run leave the error of some count unknown. */
static bool lacks_intervals(const struct report *report)
{
	const struct plumb_result *result = report->result;

	for (size_t i = 0; report->sampled && i < result->plan->event_count; i++)
		if (isnan(result->event_intervals[i].low))
			return true;
	return false;
}

static void print_parts(struct output *out, const struct report *report)
{
	if (report->result->value_intervals) {
		output_format(out, STYLE_PLAIN, "  estimates, with their 95 %% intervals");
		if (lacks_intervals(report))
			output_format(out, STYLE_PLAIN, " (%s: unknown, varies in too few windows)",
				      pen_for(out)->missing);
		fputc('\n', out->stream);
		return;
	}
	if (report->result->parts < 2)
		return;
	output_format(out, STYLE_PLAIN,
		      report->intervals ? "  whole run, with the lowest and highest of %u intervals"
					: "  mean of %u runs, with the lowest and highest",
		      report->result->parts);
	fputc('\n', out->stream);
}

/* Prints what the kernel cost, and what wrong paths loaded, if that was asked for. */
static void print_conditions(struct output *out, const struct report *report)
{
	const struct machine_conditions *asked = &report->conditions;
	const struct plumb_condition_counts *counts = &report->condition_counts;
	const struct pen *pen = pen_for(out);
	char *faults = figure_count(pen, (double)counts->page_faults);
	char *calls = figure_count(pen, (double)counts->system_calls);
	char *loads = figure_count(pen, (double)counts->wrong_loads);
	char *misses = figure_count(pen, (double)counts->wrong_refills);

	if (asked->page_fault_cost || asked->syscall_cost) {
		output_format(out, STYLE_PLAIN, "  kernel: %s%s%s%s%s, %.1f %% of the cycles",
			      asked->page_fault_cost ? faults : "",
			      asked->page_fault_cost ? " page faults" : "",
			      asked->page_fault_cost && asked->syscall_cost ? ", " : "",
			      asked->syscall_cost ? calls : "",
			      asked->syscall_cost ? " system calls" : "", report->result->kernel);
		fputc('\n', out->stream);
	}
	if (asked->wrong_path_loads) {
		output_format(out, STYLE_PLAIN, "  wrong paths: %s loads, of which %s missed L1D",
			      loads, misses);
		fputc('\n', out->stream);
	}
	free(faults);
	free(calls);
	free(loads);
	free(misses);
}

static void print_summary(struct output *out, const struct report *report)
{
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, "Summary");
	fputc('\n', out->stream);
	print_parts(out, report);
	print_times(out, report);
	print_rates(out, report);
	report_sampled_text(out, report);
	print_conditions(out, report);
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
	if (report_has_ranges(report)) {
		const struct plumb_value range = report_range(report, i);

		text = figure_range(pen, &range, metric->units);
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
	static const struct table_column one[] = {
		{.style = STYLE_NAME, .wraps = true}, {.right = true}, {.wraps = true}};
	static const struct table_column several[] = {{.style = STYLE_NAME, .wraps = true},
						      {.right = true},
						      {.right = true, .style = STYLE_DIM},
						      {.wraps = true}};
	const struct plumb_selection *selection = report->result->plan->selection;
	bool ranges = report_has_ranges(report);
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
		output_format(out, STYLE_DIM, "  %zu more metrics with %s", hidden,
			      report->counted_by ? "-v" : "--stages all");
		fputc('\n', out->stream);
	}
}

/* Adds the lowest and the highest count of an event. */
static void add_range(struct table *table, const struct report *report, const struct pen *pen,
		      const struct plumb_event_count *event)
{
	const struct plumb_value range = report_event_range(report, event);
	char *low = figure_count(pen, range.low), *high = figure_count(pen, range.high);

	table_cell_format(table, isnan(range.low) ? "%s" : "%s..%s", low, high);
	free(low);
	free(high);
}

static void print_events(struct output *out, const struct report *report)
{
	static const struct table_column one[] = {
		{.right = true},
		{.style = STYLE_NAME, .wraps = true},
		{.style = STYLE_DIM, .drops = true},
	};
	static const struct table_column several[] = {
		{.right = true},
		{.right = true, .style = STYLE_DIM},
		{.style = STYLE_NAME, .wraps = true},
		{.style = STYLE_DIM, .drops = true},
	};
	const bool ranges = report_has_ranges(report);
	struct table table = {.columns = ranges ? several : one, .column_count = ranges ? 4 : 3};
	const struct plumb_event_count **events;
	size_t count;

	events = report_events(report, &count);
	for (size_t i = 0; i < count; i++) {
		char *text = figure_count(pen_for(out), events[i]->count.count);

		table_cell(&table, text);
		if (ranges)
			add_range(&table, report, pen_for(out), events[i]);
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

/* Tells whether nothing was counted at any time, for a reason that a warning gives. */
static bool measured_nothing(const struct report *report)
{
	bool nothing = *report->warnings && !report->counted_by;

	for (uint16_t i = 0; i < report->result->plan->event_count; i++)
		nothing = nothing && report->result->events[i].count.enabled_ns == 0;
	return nothing;
}

void report_text(struct output *out, const struct report *report)
{
	print_headline(out, report);
	if (!measured_nothing(report)) {
		report_tree(out, report);
		print_groups(out, report);
		print_events(out, report);
		report_units(out, report);
		report_phases(out, report);
	}
	print_summary(out, report);
	print_warnings(out, report);
	report_diagnosis(out, report);
	report_what_if(out, report);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as text, and as lines with separators. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/diff.h"
#include "render/pen.h"
#include "render/short_names.h"
#include "render/table.h"
#include "tool/join.h"
#include "tool/memory.h"

static void cell(struct table *table, char *text)
{
	table_cell(table, text);
	free(text);
}

/* "Functions, by slots". */
static void print_heading(struct output *out, const struct diff *diff, enum diff_view view)
{
	const struct diff_quantity *main = diff_side_main(diff->after);
	const char *name = diff_view_name(view);

	output_format(out, STYLE_HEADING, "%c%s", toupper((unsigned char)*name), name + 1);
	if (view == DIFF_FUNCTIONS || view == DIFF_LINES)
		output_format(out, STYLE_HEADING, ", by %s", main ? main->name : "count");
	fputc('\n', out->stream);
}

static void print_counts(struct output *out, const struct diff_report *report,
			 const struct diff_rows *rows, enum diff_view view)
{
	static const struct table_column columns[] = {
		{.heading = "CHANGE", .right = true},
		{.heading = "BEFORE", .right = true, .spare = 1},
		{.heading = "AFTER", .right = true, .spare = 1},
		{.heading = "EVIDENCE", .style = STYLE_DIM, .words = true},
		{.heading = "NAME", .style = STYLE_NAME},
		{.heading = "UNIT", .style = STYLE_DIM, .drops = true},
	};
	struct table table = {.columns = columns, .column_count = view == DIFF_METRICS ? 6 : 5};

	for (size_t i = 0; i < rows->count; i++) {
		const struct diff_change *change = rows->at[i];

		cell(&table, diff_change_text(report, change));
		cell(&table, diff_value_text(change, change->before));
		cell(&table, diff_value_text(change, change->after));
		cell(&table, diff_evidence(change));
		cell(&table, diff_name_text(change));
		if (view == DIFF_METRICS)
			table_cell(&table, change->unit);
	}
	table_print(&table, out, 0);
	table_free(&table);
}

static void print_code(struct output *out, const struct diff_report *report,
		       const struct diff_rows *rows)
{
	static const struct table_column columns[] = {
		{.heading = "OF ALL", .right = true},
		{.heading = "ITSELF", .right = true},
		{.heading = "BEFORE", .right = true, .spare = 1},
		{.heading = "AFTER", .right = true, .spare = 1},
		{.heading = "EVIDENCE", .style = STYLE_DIM, .words = true},
		{.heading = "WHERE", .style = STYLE_NAME, .wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 6};
	char **copies = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct diff_change *change = rows->at[i];

		cell(&table, memory_format("%+.2f %%", 100 * change->share));
		cell(&table, diff_change_text(report, change));
		cell(&table, diff_share_text(change, 0));
		cell(&table, diff_share_text(change, 1));
		cell(&table, diff_evidence(change));
		cell(&table, diff_name_text(change));
	}
	if (!report->all && rows->count)
		copies = short_names(table.cells + 5, rows->count, 6, SHORT_NAMES_FROM,
				     pen_for(out)->omitted);
	table_print(&table, out, 0);
	short_names_free(copies);
	table_free(&table);
}

/* Says how many rows are not shown, and why. */
static void print_rest(struct output *out, const struct diff_rows *rows)
{
	const struct {
		size_t count;
		const char *what;
	} parts[] = {
		{rows->same, "unchanged"},
		{rows->noise, "that may be noise"},
		{rows->small, "smaller"},
		{rows->more, "beyond --limit"},
	};
	struct join list = {0};
	char *text, *line;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *part = memory_format("%zu %s", parts[i].count, parts[i].what);

		if (parts[i].count)
			join_add(&list, part);
		free(part);
	}
	text = join_take(&list);
	line = memory_format("Not shown: %s; -v shows all", text);
	if (*text)
		output_wrapped(out, STYLE_DIM, 0, 2, line);
	free(line);
	free(text);
}

static void print_view(struct output *out, const struct diff_report *report,
		       const struct diff *diff, enum diff_view view)
{
	struct diff_rows rows = diff_rows(report, diff, view);

	if (rows.count + rows.small + rows.noise + rows.same) {
		fputc('\n', out->stream);
		print_heading(out, diff, view);
	}
	if (rows.count && (view == DIFF_FUNCTIONS || view == DIFF_LINES))
		print_code(out, report, &rows);
	else if (rows.count)
		print_counts(out, report, &rows, view);
	print_rest(out, &rows);
	free(rows.at);
}

static void print_gates(struct output *out, const struct diff_report *report, size_t r)
{
	if (report->gate_count)
		fputc('\n', out->stream);
	for (size_t g = 0; g < report->gate_count; g++) {
		const struct gate_result *result = &report->results[r].gates[g];
		const bool good = result->verdict == GATE_PASSED || result->verdict == GATE_NOISE;
		char *text = diff_gate_text(result);

		output_wrapped(out, good ? STYLE_GOOD : STYLE_BAD, 0, 2, text);
		free(text);
	}
}

static void print_notes(struct output *out, const struct diff_report *report,
			const struct diff *diff)
{
	char **notes = diff_notes(report, diff);

	if (notes[0])
		fputc('\n', out->stream);
	for (size_t i = 0; notes[i]; i++)
		output_wrapped(out, STYLE_DIM, 0, 2, notes[i]);
	diff_notes_free(notes);
}

void diff_text(struct output *out, const struct diff_report *report)
{
	for (size_t r = 0; r < report->result_count; r++) {
		const struct diff *diff = report->results[r].diff;
		char *headline = diff_headline(diff, report->all ? NULL : pen_for(out)->omitted);
		char *text = report->result_count > 1
				     ? memory_format("%s: %s", diff->after->label, headline)
				     : memory_copy(headline, strlen(headline));

		if (r)
			fputc('\n', out->stream);
		output_wrapped(out, STYLE_HEADING, 0, 2, text);
		free(headline);
		free(text);
		for (enum diff_view view = 0; view < DIFF_VIEWS; view++)
			print_view(out, report, diff, view);
		print_gates(out, report, r);
		print_notes(out, report, diff);
	}
}

/* ---- Separated --------------------------------------------------------------------------------
 */

static void number(struct table *table, double value)
{
	if (isfinite(value))
		table_cell_format(table, "%.10g", value);
	else
		table_cell(table, "");
}

static const char *method_name(enum diff_method method)
{
	static const char *const names[] = {
		[DIFF_EXACT] = "exact",
		[DIFF_RANKS] = "ranks",
		[DIFF_INTERVALS] = "intervals",
		[DIFF_UNKNOWN] = "unknown",
	};

	return names[method];
}

void diff_separated(struct output *out, const struct diff_report *report, const char *separator)
{
	static const char *const headings[] = {
		"compared",      "view",   "name",   "in",       "by",     "unit",
		"before",        "after",  "change", "relative", "method", "p",
		"adjusted_p",    "effect", "low",    "high",     "real",   "before_at_most",
		"after_at_most",
	};
	const size_t count = sizeof(headings) / sizeof(*headings);
	static const struct table_column columns[sizeof(headings) / sizeof(*headings)];
	struct table table = {.columns = columns, .column_count = count};

	for (size_t i = 0; i < count; i++)
		table_cell(&table, headings[i]);
	for (size_t r = 0; r < report->result_count; r++) {
		const struct diff *diff = report->results[r].diff;

		for (size_t i = 0; i < diff->change_count; i++) {
			const struct diff_change *change = &diff->changes[i];

			table_cell(&table, diff->after->label);
			table_cell(&table, diff_view_name(change->key.view));
			if (change->key.view == DIFF_LINES && change->file)
				table_cell_format(&table, "%s:%u", change->file, change->line);
			else
				table_cell(&table, change->key.name);
			table_cell(&table, change->key.in);
			table_cell(&table, change->key.of);
			table_cell(&table, change->unit);
			number(&table, change->before);
			number(&table, change->after);
			number(&table, change->change);
			number(&table, change->relative);
			table_cell(&table, method_name(change->method));
			number(&table, change->p);
			number(&table, change->adjusted);
			number(&table, change->effect);
			number(&table, change->difference.low);
			number(&table, change->difference.high);
			table_cell(&table, change->real                     ? "yes"
					   : change->method == DIFF_UNKNOWN ? ""
									    : "no");
			number(&table, change->unseen[0]);
			number(&table, change->unseen[1]);
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons for CI systems: Markdown, JUnit's XML, and rows for Apache Otava. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/diff.h"
#include "render/table.h"
#include "render/xml.h"
#include "tool/memory.h"

/* ---- Markdown ---------------------------------------------------------------------------------
 */

/* What Markdown would take for its own. */
#define MARKDOWN "|`*_[]\\#~!"

static void put(struct output *out, char *text, const char *end)
{
	xml_text(out->stream, text, MARKDOWN);
	fputs(end, out->stream);
	free(text);
}

static void markdown_row(struct output *out, const struct diff_report *report,
			 const struct diff_change *change)
{
	fputs("| ", out->stream);
	if (change->key.view == DIFF_FUNCTIONS || change->key.view == DIFF_LINES)
		put(out, memory_format("%+.2f %%", 100 * change->share), " | ");
	put(out, diff_change_text(report, change), " | ");
	put(out, diff_side_text(change, 0), " | ");
	put(out, diff_side_text(change, 1), " | ");
	put(out, diff_evidence(change), " | <code>");
	put(out, diff_name_text(change), "</code> |\n");
}

static void markdown_view(struct output *out, const struct diff_report *report,
			  const struct diff *diff, enum diff_view view)
{
	const bool code = view == DIFF_FUNCTIONS || view == DIFF_LINES;
	struct diff_rows rows = diff_rows(report, diff, view);
	const char *name = diff_view_name(view);

	if (rows.count) {
		fprintf(out->stream,
			"\n#### %c%s\n\n| %sChange | Before | After | Evidence | Name |\n",
			toupper((unsigned char)*name), name + 1, code ? "Of all | " : "");
		fprintf(out->stream, "|%s---:|---:|---:|---|---|\n", code ? "---:|" : "");
	}
	for (size_t i = 0; i < rows.count; i++)
		markdown_row(out, report, rows.at[i]);
	free(rows.at);
}

void diff_markdown(struct output *out, const struct diff_report *report)
{
	for (size_t r = 0; r < report->result_count; r++) {
		const struct diff *diff = report->results[r].diff;
		char **notes = diff_notes(report, diff);

		fprintf(out->stream, "%s### ", r ? "\n" : "");
		put(out, diff_headline(diff, "…"), "\n\n");
		put(out,
		    memory_format("%s compared with %s", diff->after->label, diff->before->label),
		    "\n");
		for (size_t g = 0; g < report->gate_count; g++) {
			fputs(g ? "- " : "\n- ", out->stream);
			put(out, diff_gate_text(&report->results[r].gates[g]), "\n");
		}
		for (enum diff_view view = 0; view < DIFF_VIEWS; view++)
			markdown_view(out, report, diff, view);
		for (size_t i = 0; notes[i]; i++) {
			fputs(i ? "- " : "\n- ", out->stream);
			put(out, memory_copy(notes[i], strlen(notes[i])), "\n");
		}
		diff_notes_free(notes);
	}
}

/* ---- JUnit ------------------------------------------------------------------------------------
 */

static void attribute(struct output *out, const char *name, const char *value)
{
	fprintf(out->stream, " %s=\"", name);
	xml_text(out->stream, value, NULL);
	fputc('"', out->stream);
}

static bool fails(const struct gate_result *result)
{
	return result->verdict == GATE_FAILED || result->verdict == GATE_MISSING;
}

static void junit_case(struct output *out, const struct gate_result *result)
{
	char *text = diff_gate_text(result);
	char *name = memory_format("%s %s", result->limit->below ? "below" : "above",
				   result->limit->text);

	fputs("    <testcase classname=\"plumb.diff\"", out->stream);
	attribute(out, "name", name);
	fputs(" time=\"0\"", out->stream);
	if (fails(result)) {
		fputs(">\n      <failure", out->stream);
		attribute(out, "message", text);
		fputs("/>\n    </testcase>\n", out->stream);
	} else {
		fputs("/>\n", out->stream);
	}
	free(name);
	free(text);
}

static void junit_suite(struct output *out, const struct diff_report *report, size_t r)
{
	const struct diff *diff = report->results[r].diff;
	char *headline = diff_headline(diff, "…");
	size_t failed = 0;

	for (size_t g = 0; g < report->gate_count; g++)
		failed += fails(&report->results[r].gates[g]);
	fputs("  <testsuite", out->stream);
	attribute(out, "name", diff->after->label);
	fprintf(out->stream,
		" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n",
		report->gate_count, failed);
	for (size_t g = 0; g < report->gate_count; g++)
		junit_case(out, &report->results[r].gates[g]);
	fputs("    <system-out>", out->stream);
	xml_text(out->stream, headline, NULL);
	fputs("</system-out>\n  </testsuite>\n", out->stream);
	free(headline);
}

void diff_junit(struct output *out, const struct diff_report *report)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out->stream);
	fprintf(out->stream, " name=\"plumb diff\" tests=\"%zu\" failures=\"%zu\">\n",
		report->result_count * report->gate_count, diff_failures(report));
	for (size_t r = 0; r < report->result_count; r++)
		junit_suite(out, report, r);
	fputs("</testsuites>\n", out->stream);
}

/* ---- Otava ------------------------------------------------------------------------------------
 */

static bool is_in(const struct diff_side *side, const struct diff_item *item)
{
	return diff_side_find(side, &item->key) != NULL;
}

/* Tells whether every row has an item, as Otava requires. */
static bool in_all(const struct diff_report *report, const struct diff_item *item)
{
	if (item->key.view != DIFF_METRICS && item->key.view != DIFF_EVENTS)
		return false;
	if (!report->before->baseline && !is_in(report->before, item))
		return false;
	for (size_t r = 0; r < report->result_count; r++)
		if (!is_in(report->results[r].diff->after, item))
			return false;
	return true;
}

static void time_cell(struct table *table, int64_t seconds)
{
	const time_t when = (time_t)seconds;
	struct tm parts;
	char text[64];

	if (!gmtime_r(&when, &parts) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S +0000", &parts))
		snprintf(text, sizeof(text), "1970-01-01 00:00:00 +0000");
	table_cell(table, text);
}

static void otava_row(struct table *table, const struct diff_report *report,
		      const struct diff_side *like, const struct diff_side *side,
		      const char *commit)
{
	time_cell(table, side->time);
	table_cell(table, commit);
	for (size_t i = 0; i < like->item_count; i++) {
		const struct diff_item *item = diff_side_find(side, &like->items[i].key);
		double *values;

		if (!item || !in_all(report, &like->items[i]))
			continue;
		values = memory_resize(NULL, item->count, sizeof(*values));
		for (size_t k = 0; k < item->count; k++)
			values[k] = item->values[k].value;
		table_cell_format(table, "%.10g", median_of(values, item->count));
		free(values);
	}
}

void diff_otava(struct output *out, const struct diff_report *report)
{
	const struct diff_side *like = report->results[0].diff->after;
	struct table_column *columns = memory_resize(NULL, like->item_count + 2, sizeof(*columns));
	struct table table = {.columns = columns, .column_count = 2};

	memset(columns, 0, (like->item_count + 2) * sizeof(*columns));
	table_cell(&table, "time");
	table_cell(&table, "commit");
	for (size_t i = 0; i < like->item_count; i++) {
		if (!in_all(report, &like->items[i]))
			continue;
		table_cell(&table, like->items[i].key.name);
		table.column_count++;
	}
	if (!report->before->baseline)
		otava_row(&table, report, like, report->before, report->before->label);
	for (size_t r = 0; r < report->result_count; r++) {
		const struct diff_side *side = report->results[r].diff->after;
		const bool last = r + 1 == report->result_count;

		otava_row(&table, report, like, side,
			  last && report->commit ? report->commit : side->label);
	}
	table_print_separated(&table, out, ",");
	table_free(&table);
	free(columns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how much faster the program would be with parts of the core perfect, the best first. */
#include <stdlib.h>

#include "render/figures.h"
#include "render/report.h"
#include "render/table.h"
#include "tool/join.h"
#include "tool/memory.h"

#define NOTABLE 1.01 /* times; lower gains are only listed */

double report_speedup(const struct report *report, const struct report_what_if *what_if)
{
	return report->cycles / what_if->cycles;
}

static bool is_notable(double speedup)
{
	return speedup >= NOTABLE || speedup <= 1 / NOTABLE;
}

static void add_row(struct table *table, const struct report *report, const struct pen *pen,
		    const struct report_what_if *what_if)
{
	const double speedup = report_speedup(report, what_if);
	const double saved = report->cycles - what_if->cycles;
	char *cycles = figure_count(pen, fabs(saved));

	table_cell(table, what_if->name);
	table_cell_format(table, "%.2f times %s", speedup < 1 ? 1 / speedup : speedup,
			  speedup < 1 ? "slower" : "faster");
	table_cell_format(table, "%s cycles %s", cycles, saved < 0 ? "lost" : "saved");
	table_cell(table, what_if->text);
	free(cycles);
}

/* Sorts by gain; all parts together come last. */
static int compare(const void *a, const void *b)
{
	const struct report_what_if *one = a, *other = b;

	if (one->together != other->together)
		return one->together ? 1 : -1;
	if (one->cycles != other->cycles)
		return one->cycles < other->cycles ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* Prints the names of the parts that gain little. */
static void print_others(struct output *out, const struct report *report, bool any)
{
	struct join names = {0};
	char *text, *list;

	for (size_t i = 0; i < report->what_if_count; i++)
		if (!report->what_if[i].together &&
		    !is_notable(report_speedup(report, &report->what_if[i])))
			join_add(&names, report->what_if[i].name);
	list = join_take(&names);
	if (*list) {
		text = memory_format("%sess than 1 %% faster with %s",
				     any ? "L" : "No part gains much: l", list);
		output_spaces(out, 2);
		output_wrapped(out, STYLE_PLAIN, 2, 2, text);
		free(text);
	}
	free(list);
}

void report_what_if(struct output *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.right = true},
		{.right = true},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 4};
	const size_t count = report->what_if_count;
	struct report_what_if *sorted;
	size_t rows = 0;

	if (!count)
		return;
	sorted = memory_resize(NULL, count, sizeof(*sorted));
	memcpy(sorted, report->what_if, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, "What if");
	output_text(out, STYLE_DIM, ": how much faster the program would be");
	fputc('\n', out->stream);
	for (size_t i = 0; i < count; i++) {
		if (!is_notable(report_speedup(report, &sorted[i])))
			continue;
		add_row(&table, report, pen_for(out), &sorted[i]);
		rows++;
	}
	free(sorted);
	table_print(&table, out, 2);
	table_free(&table);
	print_others(out, report, rows > 0);
	if (rows > 2) {
		output_spaces(out, 2);
		output_wrapped(out, STYLE_DIM, 2, 2,
			       "These gains overlap, or depend on each other: they do not add up.");
	}
}

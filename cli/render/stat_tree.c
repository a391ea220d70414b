/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints stage 1 as a tree. Each node has a bar, its share of all slots; the leading path is
 * marked. The children of nodes with few slots are left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "tool/memory.h"

/* The width of bars; they are left out if there is room for less than half of it. */
#define BAR_WIDEST 16
#define BRIEF_MAX  24 /* columns for a node's brief explanation */
#define FEW        5 /* percent of all slots: nodes below are dimmed, and their children left out */

struct tree_row {
	size_t selected; /* into the selection's metrics */
	size_t parent;   /* row of its parent; SIZE_MAX: none */
	bool last;       /* the last of its parent's children */
	bool leading;    /* on the diagnosis's path */
	char *drawing;
};

struct tree {
	const struct report *report;
	const struct plumb_selection *selection;
	const struct pen *pen;
	struct tree_row *rows;
	size_t count;
	size_t folded; /* nodes left out */
};

static bool on_path(const struct plumb_diagnosis *d, uint16_t metric)
{
	for (unsigned i = 0; i < d->path_length; i++)
		if (d->path[i].metric == metric)
			return true;
	return false;
}

static size_t find_row(const struct tree *tree, uint16_t metric)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->selection->metrics[tree->rows[i].selected].metric == metric)
			return i;
	return SIZE_MAX;
}

/* Returns the lines drawn before a name: those of the nodes above it, then its own. */
static char *draw(const struct tree *tree, size_t row)
{
	const struct tree_row *r = &tree->rows[row];
	char *text, *longer;

	if (r->parent == SIZE_MAX)
		return memory_copy("", 0);
	text = memory_copy(r->last ? tree->pen->last : tree->pen->branch,
			   strlen(r->last ? tree->pen->last : tree->pen->branch));
	for (size_t up = r->parent; tree->rows[up].parent != SIZE_MAX; up = tree->rows[up].parent) {
		longer = memory_format(
			"%s%s", tree->rows[up].last ? tree->pen->none : tree->pen->through, text);
		free(text);
		text = longer;
	}
	return text;
}

static bool is_few(const struct tree *tree, const struct tree_row *row)
{
	return tree->report->diagnosis->slots[row->selected] < FEW && !row->leading;
}

/* Tells whether to leave a row out: below a node with few slots, or outside the tree with few. */
static bool is_folded(const struct tree *tree, const struct tree_row *row)
{
	if (row->leading)
		return false;
	if (tree->selection->metrics[row->selected].level == 0)
		return is_few(tree, row);
	while (row->parent != SIZE_MAX) {
		row = &tree->rows[row->parent];
		if (is_few(tree, row))
			return true;
	}
	return false;
}

/* Removes the rows to leave out. */
static void fold(struct tree *tree)
{
	size_t *moved = memory_resize(NULL, tree->count + 1, sizeof(*moved)), kept = 0;
	bool *folded = memory_resize(NULL, tree->count + 1, sizeof(*folded));

	for (size_t i = 0; i < tree->count; i++)
		folded[i] = is_folded(tree, &tree->rows[i]);
	for (size_t i = 0; i < tree->count; i++) {
		struct tree_row row = tree->rows[i];

		if (folded[i])
			continue;
		/* The parent of a kept row is kept, too. */
		if (row.parent != SIZE_MAX)
			row.parent = moved[row.parent];
		moved[i] = kept;
		tree->rows[kept++] = row;
	}
	tree->folded = tree->count - kept;
	tree->count = kept;
	free(moved);
	free(folded);
}

/* Adds each node once, in the selection's order, in which a node precedes its children. */
static void build_tree(struct tree *tree)
{
	tree->rows = memory_resize(NULL, tree->selection->metric_count + 1, sizeof(*tree->rows));
	for (size_t i = 0; i < tree->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &tree->selection->metrics[i];
		struct tree_row *row = &tree->rows[tree->count];

		if (m->stage != 1 || find_row(tree, m->metric) != SIZE_MAX)
			continue;
		*row = (struct tree_row){.selected = i, .parent = SIZE_MAX, .last = true};
		row->leading = on_path(tree->report->diagnosis, m->metric);
		if (m->parent != PLUMB_NONE)
			row->parent = find_row(tree, m->parent);
		tree->count++;
	}
	if (!tree->report->verbose)
		fold(tree);
	for (size_t i = 0; i < tree->count; i++)
		for (size_t k = i + 1; k < tree->count && tree->rows[i].last; k++)
			tree->rows[i].last = tree->rows[k].parent != tree->rows[i].parent;
	for (size_t i = 0; i < tree->count; i++)
		tree->rows[i].drawing = draw(tree, i);
}

static void free_tree(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->rows[i].drawing);
	free(tree->rows);
}

/* Returns how much of `width` is left. */
static unsigned print_bar(struct output *out, const struct tree *tree, double percent,
			  unsigned width, enum style style)
{
	/* In eighths of a column. */
	unsigned eighths, used = 0;
	double share = isnan(percent) || percent < 0 ? 0 : percent > 100 ? 1 : percent / 100;
	char bar[4 * BAR_WIDEST + 1] = "";

	eighths = (unsigned)(share * width * 8 + 0.5);
	for (unsigned i = 0; i < eighths / 8; i++)
		used += (unsigned)snprintf(bar + used, sizeof(bar) - used, "%s", tree->pen->bar[7]);
	if (eighths % 8)
		snprintf(bar + used, sizeof(bar) - used, "%s", tree->pen->bar[eighths % 8 - 1]);
	output_text(out, style, bar);
	return width - (unsigned)report_columns(bar);
}

/* The widths of the parts of the tree's lines. */
struct tree_widths {
	size_t names, figures, ranges, brief;
	unsigned bar;
};

static struct tree_widths measure(const struct output *out, const struct tree *tree)
{
	struct tree_widths widths = {.figures = strlen("100.0 %")};
	size_t used;

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_row *row = &tree->rows[i];
		const struct plumb_selected_metric *m = &tree->selection->metrics[row->selected];
		size_t columns = report_columns(row->drawing) +
				 strlen(report_metric(tree->report, m->metric));
		const struct plumb_value range = report_range(tree->report, row->selected);
		char *text = figure_range(tree->pen, &range,
					  tree->report->spec->metrics[m->metric].units);

		if (columns > widths.names)
			widths.names = columns;
		if (report_has_ranges(tree->report) && report_columns(text) > widths.ranges)
			widths.ranges = report_columns(text);
		free(text);
	}
	used = report_columns(tree->pen->marked) + 1 + widths.figures;
	/* On a narrow terminal only the longest names move their figures to the right. */
	if (used + widths.names > out->width && used < out->width)
		widths.names = out->width - used;
	used += widths.names + 1;
	if (widths.ranges)
		used += 1 + widths.ranges;
	else if (used + BAR_WIDEST / 2 + 2 + BRIEF_MAX <= out->width)
		widths.brief = BRIEF_MAX;
	used += widths.brief ? widths.brief + 2 : 0;
	widths.bar = used >= out->width                ? 0
		     : out->width - used >= BAR_WIDEST ? BAR_WIDEST
						       : (unsigned)(out->width - used);
	if (widths.bar < BAR_WIDEST / 2)
		widths.bar = 0;
	return widths;
}

/* Tells whether the tree has its roots, so that shares of all slots are known. */
static bool has_roots(const struct tree *tree)
{
	return tree->count && tree->selection->metrics[tree->rows[0].selected].level == 1;
}

/* Returns a bar's length in percent of all slots, or of the node above if the roots are missing. */
static double bar_of(const struct tree *tree, const struct tree_row *row)
{
	return has_roots(tree) ? tree->report->diagnosis->slots[row->selected]
			       : tree->report->result->values[row->selected].value;
}

static void print_row(struct output *out, const struct tree *tree, const struct tree_row *row,
		      const struct tree_widths *widths)
{
	const struct plumb_selected_metric *m = &tree->selection->metrics[row->selected];
	const struct plumb_value *value = &tree->report->result->values[row->selected];
	const char *name = report_metric(tree->report, m->metric);
	const char *units = tree->report->spec->metrics[m->metric].units;
	const struct plumb_advice *advice = plumb_advice(name);
	enum plumb_verdict verdict = tree->report->diagnosis->verdict;
	bool few = is_few(tree, row);
	enum style style = few                             ? STYLE_DIM
			   : !row->leading                 ? STYLE_PLAIN
			   : verdict == PLUMB_VERDICT_LOSS ? STYLE_BAD
							   : STYLE_GOOD;
	char *text = figure_value(tree->pen, value->value, units);
	const size_t room = widths->names + 1 + widths->figures - 2,
		     taken = report_columns(row->drawing) + strlen(name) + report_columns(text);
	unsigned left = 0;

	if (row->leading)
		output_text(out, style, tree->pen->marked);
	else
		output_spaces(out, report_columns(tree->pen->marked));
	output_text(out, STYLE_DIM, row->drawing);
	output_text(out, few || row->leading ? style : STYLE_NAME, name);
	output_spaces(out, room > taken ? room - taken : 1);
	output_format(out, few ? STYLE_DIM : STYLE_PLAIN, "%s %s", text,
		      isnan(value->value) ? " " : "%");
	free(text);
	if (widths->ranges) {
		const struct plumb_value range = report_range(tree->report, row->selected);

		text = figure_range(tree->pen, &range, units);
		output_spaces(out, 1 + widths->ranges - report_columns(text));
		output_text(out, STYLE_DIM, text);
		free(text);
	}
	if (widths->bar) {
		fputc(' ', out->stream);
		left = print_bar(out, tree, bar_of(tree, row), widths->bar, style);
	}
	if (widths->brief && advice) {
		output_spaces(out, left + 2);
		output_text(out, row->leading ? STYLE_PLAIN : STYLE_DIM, advice->brief);
	}
	fputc('\n', out->stream);
}

/* Prints the heading, which says what the values are percentages of. */
static void print_heading(struct output *out, const struct tree *tree)
{
	const struct plumb_selected_metric *first =
		&tree->selection->metrics[tree->rows[0].selected];
	const char *units = tree->report->spec->metrics[first->metric].units;
	char *text;

	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, "Stage 1");
	if (!has_roots(tree))
		text = memory_format(": percent of the stalls of the node above");
	else
		text = memory_format(": %s; indented, of the stalls above; bars: of all%s", units,
				     strstr(units, "slots") ? " slots" : "");
	output_wrapped(out, STYLE_DIM, strlen("Stage 1"), 2, text);
	free(text);
}

static void print_folded(struct output *out, const struct tree *tree)
{
	char *text;

	if (!tree->folded)
		return;
	text = memory_format("%zu more node%s, each below %d %% of the slots: -v shows %s",
			     tree->folded, tree->folded == 1 ? "" : "s", FEW,
			     tree->folded == 1 ? "it" : "them");
	output_spaces(out, 2);
	output_wrapped(out, STYLE_DIM, 2, 2, text);
	free(text);
}

void report_tree(struct output *out, const struct report *report)
{
	struct tree tree = {.report = report,
			    .selection = report->result->plan->selection,
			    .pen = pen_for(out)};
	struct tree_widths widths;
	bool outside = false;

	build_tree(&tree);
	widths = measure(out, &tree);
	if (tree.count)
		print_heading(out, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		if (tree.selection->metrics[tree.rows[i].selected].level == 0 && !outside) {
			output_spaces(out, 2);
			output_wrapped(out, STYLE_DIM, 2, 2,
				       "outside the tree; share of all frontend or backend stalls");
			outside = true;
		}
		print_row(out, &tree, &tree.rows[i], &widths);
	}
	print_folded(out, &tree);
	free_tree(&tree);
}

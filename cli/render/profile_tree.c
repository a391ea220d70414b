/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees of profiles, as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/fit.h"
#include "render/pen.h"
#include "render/profile.h"
#include "render/short_names.h"
#include "tool/memory.h"
#include "tool/wrap.h"

struct tree {
	struct output *out;
	const struct pen *pen;
	const struct profile_view *view;
	double total;   /* the period that shares are of */
	double least;   /* the least period that is shown */
	bool intervals; /* the shares are estimates */
	bool *unknown;  /* set if some estimate has no interval */
	const struct plumb_profile_node *nodes;
	const char **names; /* of the nodes, for lines without room for them; NULL: all have room */
	/* For each depth, the text before its lines. */
	const char *before[PLUMB_PROFILE_DEPTH + 1];
};

static size_t after(const struct plumb_profile_node *nodes, size_t i, size_t end)
{
	size_t next = i + 1;

	while (next < end && nodes[next].depth > nodes[i].depth)
		next++;
	return next;
}

static bool is_shown(const struct tree *tree, size_t i)
{
	return (double)tree->nodes[i].period >= tree->least;
}

/*
 * Prints what comes before the name on a line of a tree: branches, the last of which is `branch`
 * unless that is NULL. On a terminal, they take at most half of its width: of deeper trees, a
 * mark stands for the outermost ones. Returns the columns.
 */
static size_t print_branches(const struct tree *tree, unsigned level, const char *branch)
{
	const size_t each = strlen(tree->pen->none), room = tree->out->width / 2 / each;
	const size_t count = level + (branch != NULL);
	const size_t lost = output_is_narrow(tree->out) && count > room ? count - room + 1 : 0;

	output_spaces(tree->out, 2);
	if (lost)
		fputs(tree->pen->lost, tree->out->stream);
	for (size_t l = lost; l < level; l++)
		fputs(tree->before[l], tree->out->stream);
	if (branch)
		fputs(branch, tree->out->stream);
	return 2 + each * (count - lost + (lost != 0));
}

/* Prints a node's name: without arguments of templates where those have no room. */
static void print_name(const struct tree *tree, size_t column, size_t i)
{
	const char *name = tree->nodes[i].name;

	if (tree->names && !output_fits(tree->out, column + wrap_columns(name, strlen(name))))
		name = tree->names[i];
	fit_line_name(tree->out, STYLE_NAME, column, name);
}

/*
 * Returns "54.99% ", or "~54.99% ±0.12 ": see profile_half(); only shares of the whole have an
 * interval. Or the period. The caller frees it.
 */
static char *share_text(const struct tree *tree, size_t i)
{
	const struct plumb_profile_node *node = &tree->nodes[i];
	const double share = 100 * (double)node->period / tree->total;

	if (tree->view->tree_periods)
		return memory_format("%" PRIu64 " ", node->period);
	if (!tree->intervals || tree->view->relative_trees)
		return memory_format("%.2f%% ", share);
	*tree->unknown |= isnan(node->share.low);
	if (isnan(node->share.low))
		return memory_format("%.2f%% %s? ", share, tree->pen->about);
	return memory_format("%s%.2f%% %s%.2f ", node->uncertain ? "~" : "", share,
			     tree->pen->about, 100 * profile_half(&node->share));
}

/* Returns what a node's callees have together, or its callers: all that they are shares of. */
static double below_total(const struct tree *tree, size_t i)
{
	const struct plumb_profile_node *node = &tree->nodes[i];

	/* Paths that end at a caller lead on to the row's function, which is not in the tree. */
	return (double)(node->period - (tree->view->callers_first ? 0 : node->own));
}

/* Makes shares those of `total`. */
static void set_total(struct tree *tree, double total)
{
	tree->total = total;
	tree->least = tree->view->tree_limit / 100 * total;
}

/*
 * Prints the siblings from `begin` to `end`, and what is below them. An only child is printed below
 * its parent without a branch. Recurses at most as deep as call chains are long.
 */
static void print_siblings(const struct tree *of, size_t begin, size_t end, unsigned level)
{
	struct tree tree = *of, lower;
	size_t count = 0, left;

	for (size_t i = begin; i < end; i = after(tree.nodes, i, end))
		count += is_shown(&tree, i);
	left = count;
	for (size_t i = begin, next; i < end; i = next) {
		const bool alone = count == 1 && level > 0;
		unsigned below = level;
		size_t column;
		char *share;

		next = after(tree.nodes, i, end);
		if (!is_shown(&tree, i))
			continue;
		left--;
		column = print_branches(&tree, level,
					alone  ? NULL
					: left ? tree.pen->branch
					       : tree.pen->last);
		if (!alone) {
			tree.before[level] = left ? tree.pen->through : tree.pen->none;
			below++;
		}
		if (!alone || tree.nodes[i].period != tree.nodes[i - 1].period) {
			share = share_text(&tree, i);
			output_text(tree.out, STYLE_PLAIN, share);
			column += wrap_columns(share, strlen(share));
			free(share);
		}
		print_name(&tree, column, i);
		lower = tree;
		if (tree.view->relative_trees)
			set_total(&lower, below_total(&tree, i));
		print_siblings(&lower, i + 1, next, below);
	}
}

/* Prints a tree of `count` nodes. */
static void print_tree(struct tree *tree, size_t count)
{
	char **copies = NULL;

	if (output_is_narrow(tree->out)) {
		tree->names = memory_alloc(count * sizeof(*tree->names));
		for (size_t i = 0; i < count; i++)
			tree->names[i] = tree->nodes[i].name;
		copies = short_names(tree->names, count, 1, SHORT_NAMES_FROM, tree->pen->omitted);
	}
	print_siblings(tree, 0, count, 0);
	short_names_free(copies);
	free(tree->names);
	tree->names = NULL;
}

/* Writes a space and a key, on a terminal in lines of their own if there is no room for them. */
static size_t print_key(struct output *out, size_t column, const char *name)
{
	char *text;

	if (!output_is_narrow(out)) {
		fputc(' ', out->stream);
		output_text(out, STYLE_NAME, name);
		return 0;
	}
	text = fit_tall_name(out, name, out->width - 2);
	if (output_fits(out, column + 1 + wrap_columns(text, strlen(text)))) {
		fputc(' ', out->stream);
		column++;
	} else {
		fputc('\n', out->stream);
		column = 0;
	}
	column = output_flow(out, STYLE_NAME, column, 2, text);
	free(text);
	return column;
}

static void print_title(struct output *out, const struct profile_view *view, size_t event, size_t i)
{
	struct plumb_profile_row row;
	char room[PLUMB_PROFILE_TEXT], *share;
	const char *text;
	size_t column;

	plumb_profile_row(view->profile, event, i, &row);
	fputc('\n', out->stream);
	share = memory_format("%.2f%%", 100 * profile_main_share(view, &row)->value);
	output_text(out, STYLE_PLAIN, share);
	column = strlen(share);
	free(share);
	for (size_t k = 0; k < view->key_count; k++) {
		text = plumb_profile_text(view->profile, event, i, k, room);
		column = print_key(out, column, text ? text : "-");
	}
	fputc('\n', out->stream);
}

void profile_unknown(struct output *out, bool windows)
{
	char *text = memory_format("%s?: unknown, %s", pen_for(out)->about,
				   windows ? "varies in too few windows" : "too few samples");

	fit_prose(out, STYLE_DIM, 0, 0, text);
	free(text);
}

void profile_trees(struct output *out, const struct profile_view *view, size_t event, size_t count)
{
	bool unknown = false;
	struct tree tree = {
		.out = out, .pen = pen_for_calls(out), .view = view, .unknown = &unknown};
	struct plumb_profile_event all;

	if (!plumb_profile_event(view->profile, event, &all))
		return;
	set_total(&tree, (double)all.period);
	tree.intervals = !all.exact || all.windows;
	for (size_t i = 0; i < count; i++) {
		size_t nodes;

		if (!profile_is_wanted(view, event, i))
			continue;
		if (view->folded_trees) {
			print_title(out, view, event, i);
			profile_folded_tree(out, view, event, i);
			continue;
		}
		tree.nodes = plumb_profile_tree(view->profile, event, i, &nodes);
		if (view->relative_trees)
			set_total(&tree, (double)profile_tree_period(view, event, i));
		if (!nodes || !is_shown(&tree, 0))
			continue;
		print_title(out, view, event, i);
		print_tree(&tree, nodes);
	}
	if (unknown) {
		fputc('\n', out->stream);
		profile_unknown(out, all.windows > 0);
	}
}

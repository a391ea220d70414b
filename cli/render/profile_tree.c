/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees of profiles, as text. */
#include "render/pen.h"
#include "render/profile.h"

struct tree {
	struct output *out;
	const struct pen *pen;
	double total, least;
	const struct plumb_profile_node *nodes;
	/* For each depth, the text before its lines. */
	const char *before[PLUMB_CALLCHAIN_MAX + 2];
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
 * Prints the siblings from `begin` to `end`, and what is below them. An only child is printed below
 * its parent without a branch. Recurses at most as deep as call chains are long.
 */
static void print_siblings(const struct tree *of, size_t begin, size_t end, unsigned level)
{
	struct tree tree = *of;
	size_t count = 0, left;

	for (size_t i = begin; i < end; i = after(tree.nodes, i, end))
		count += is_shown(&tree, i);
	left = count;
	for (size_t i = begin, next; i < end; i = next) {
		const bool alone = count == 1 && level > 0;
		unsigned below = level;

		next = after(tree.nodes, i, end);
		if (!is_shown(&tree, i))
			continue;
		left--;
		output_spaces(tree.out, 2);
		for (unsigned l = 0; l < level; l++)
			fputs(tree.before[l], tree.out->stream);
		if (!alone) {
			fputs(left ? tree.pen->branch : tree.pen->last, tree.out->stream);
			tree.before[level] = left ? tree.pen->through : tree.pen->none;
			below++;
		}
		if (!alone || tree.nodes[i].period != tree.nodes[i - 1].period)
			output_format(tree.out, STYLE_PLAIN, "%.2f%% ",
				      100 * (double)tree.nodes[i].period / tree.total);
		output_text(tree.out, STYLE_NAME, tree.nodes[i].name);
		fputc('\n', tree.out->stream);
		print_siblings(&tree, i + 1, next, below);
	}
}

static void print_title(struct output *out, const struct profile_view *view, size_t event, size_t i)
{
	struct plumb_profile_row row;
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	plumb_profile_row(view->profile, event, i, &row);
	fputc('\n', out->stream);
	output_format(out, STYLE_PLAIN, "%.2f%%", 100 * profile_main_share(view, &row)->value);
	for (size_t k = 0; k < view->key_count; k++) {
		text = plumb_profile_text(view->profile, event, i, k, room);
		fputc(' ', out->stream);
		output_text(out, STYLE_NAME, text ? text : "-");
	}
	fputc('\n', out->stream);
}

void profile_trees(struct output *out, const struct profile_view *view, size_t event, size_t count)
{
	struct tree tree = {.out = out, .pen = pen_for(out)};
	struct plumb_profile_event all;

	if (!plumb_profile_event(view->profile, event, &all))
		return;
	tree.total = (double)all.period;
	tree.least = view->tree_limit / 100 * (double)all.period;
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
		if (!nodes || !is_shown(&tree, 0))
			continue;
		print_title(out, view, event, i);
		print_siblings(&tree, 0, nodes, 0);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks as lines: "main;work;leaf 12". */
#include <stdlib.h>
#include <string.h>

#include "render/profile.h"
#include "tool/memory.h"

/* A path of a row's tree that samples end on. */
struct path {
	const struct plumb_profile_node *nodes[PLUMB_PROFILE_DEPTH];
	size_t length;
	uint64_t period;
};

struct paths {
	struct path *at;
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	for (size_t i = 0; i < x->length && i < y->length; i++) {
		int order = strcmp(x->nodes[i]->name, y->nodes[i]->name);

		if (order)
			return order;
	}
	return (x->length > y->length) - (x->length < y->length);
}

/* Collects all paths of a row that samples end on, the largest first. */
static struct paths find_paths(const struct profile_view *view, size_t event, size_t row,
			       uint64_t period)
{
	struct paths paths = {0};
	struct path path = {0};
	size_t count;
	const struct plumb_profile_node *nodes =
		plumb_profile_tree(view->profile, event, row, &count);

	for (size_t i = 0; i < count; i++) {
		path.length = nodes[i].depth + 1;
		path.nodes[nodes[i].depth] = &nodes[i];
		path.period = nodes[i].own;
		period -= nodes[i].own < period ? nodes[i].own : period;
		if (!path.period)
			continue;
		paths.at = memory_resize(paths.at, paths.count + 1, sizeof(path));
		paths.at[paths.count++] = path;
	}
	/* Those of the function alone. */
	if (period) {
		paths.at = memory_resize(paths.at, paths.count + 1, sizeof(path));
		paths.at[paths.count++] = (struct path){.period = period};
	}
	if (paths.count)
		qsort(paths.at, paths.count, sizeof(*paths.at), compare);
	return paths;
}

void profile_folded_name(struct output *out, const char *name, bool *first)
{
	char *text = memory_copy(name, strlen(name));

	for (char *c = text; *c; c++)
		if (*c == ';')
			*c = ':';
	if (!*first)
		fputc(';', out->stream);
	*first = false;
	output_text(out, STYLE_PLAIN, text);
	free(text);
}

/* Prints a path, with `function` at the end where it belongs; NULL: there is none. */
static void print_path(struct output *out, const struct path *path, const char *function,
		       bool at_end, bool first)
{
	if (function && !at_end)
		profile_folded_name(out, function, &first);
	for (size_t i = 0; i < path->length; i++)
		profile_folded_name(out, path->nodes[i]->name, &first);
	if (function && at_end)
		profile_folded_name(out, function, &first);
}

uint64_t profile_tree_period(const struct profile_view *view, size_t event, size_t row)
{
	struct plumb_profile_row of;

	plumb_profile_row(view->profile, event, row, &of);
	return view->children ? of.children_period : of.period;
}

void profile_folded_tree(struct output *out, const struct profile_view *view, size_t event,
			 size_t row)
{
	struct paths paths = find_paths(view, event, row, profile_tree_period(view, event, row));
	char room[PLUMB_PROFILE_TEXT];
	const char *function = NULL;
	struct plumb_profile_event of;

	plumb_profile_event(view->profile, event, &of);
	for (size_t k = 0; k < view->key_count; k++)
		if (view->keys[k] == PLUMB_KEY_SYMBOL)
			function = plumb_profile_text(view->profile, event, row, k, room);
	for (size_t i = 0; i < paths.count; i++) {
		double share = 100 * (double)paths.at[i].period / (double)of.period;

		if (share < view->tree_limit)
			break;
		output_format(out, STYLE_PLAIN, "%.2f%% ", share);
		print_path(out, &paths.at[i], function, view->callers_first, true);
		fputc('\n', out->stream);
	}
	free(paths.at);
}

void profile_folded(struct output *out, const struct profile_view *view)
{
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	char rooms[2][PLUMB_PROFILE_TEXT];
	size_t events = 0;

	while (plumb_profile_event(view->profile, events, &event))
		events++;
	for (size_t e = 0; e < events; e++) {
		plumb_profile_event(view->profile, e, &event);
		for (size_t i = 0; plumb_profile_row(view->profile, e, i, &row); i++) {
			const char *comm = plumb_profile_text(view->profile, e, i, 0, rooms[0]);
			const char *function = plumb_profile_text(view->profile, e, i, 1, rooms[1]);
			struct paths paths = find_paths(view, e, i, row.period);

			for (size_t p = 0; p < paths.count; p++) {
				bool first = true;

				if (events > 1)
					profile_folded_name(
						out, event.name ? event.name : "unnamed event",
						&first);
				profile_folded_name(out, comm ? comm : "-", &first);
				print_path(out, &paths.at[p], function, true, first);
				output_format(out, STYLE_PLAIN, " %llu",
					      (unsigned long long)paths.at[p].period);
				fputc('\n', out->stream);
			}
			free(paths.at);
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as lines, for flame graph tools. */
#include <inttypes.h>
#include <stdlib.h>

#include "render/profile.h"
#include "render/stacks.h"
#include "tool/memory.h"

static void print_function(struct output *out, const struct stacks_function *function, bool *first)
{
	char *name;

	if (!function->inlined) {
		profile_folded_name(out, function->name, first);
		return;
	}
	name = memory_format("%s (inlined)", function->name);
	profile_folded_name(out, name, first);
	free(name);
}

/* Prints the path to a node from its root. `path` has room for the tree's depth. */
static void print_path(struct output *out, const struct stacks *stacks, uint32_t node,
		       uint32_t *path)
{
	bool first = false;
	size_t depth = 0;

	for (; node != STACKS_NONE; node = stacks->nodes[node].parent)
		path[depth++] = stacks->nodes[node].item;
	while (depth > 0)
		print_function(out, &stacks->functions[path[--depth]], &first);
}

/* Returns the length of the longest path. */
static size_t deepest(const struct stacks *stacks)
{
	uint32_t *depths = memory_resize(NULL, stacks->node_count + 1, sizeof(*depths)), most = 0;

	for (size_t i = 0; i < stacks->node_count; i++) {
		const uint32_t parent = stacks->nodes[i].parent;

		depths[i] = parent == STACKS_NONE ? 1 : depths[parent] + 1;
		most = depths[i] > most ? depths[i] : most;
	}
	free(depths);
	return most;
}

void stacks_folded(struct output *out, const struct stacks *stacks)
{
	uint32_t *path = memory_resize(NULL, deepest(stacks) + 1, sizeof(*path));
	size_t events = 0;

	for (size_t t = 0; t < stacks->type_count; t++)
		events += stacks->types[t].main;
	for (size_t t = 0; t < stacks->type_count; t++) {
		for (size_t i = 0; stacks->types[t].main && i < stacks->row_count; i++) {
			const struct stacks_row *row = &stacks->rows[i];
			const uint64_t value = stacks_value(stacks, i, t);
			bool first = true;

			if (!value)
				continue;
			if (events > 1)
				profile_folded_name(out, stacks->types[t].name, &first);
			profile_folded_name(out, stacks->threads[row->thread].comm, &first);
			print_path(out, stacks, row->node, path);
			fprintf(out->stream, " %" PRIu64 "\n", value);
		}
	}
	free(path);
}

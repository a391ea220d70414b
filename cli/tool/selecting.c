/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/selecting.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "tool/complain.h"
#include "tool/memory.h"

const char *const selecting_stages[] = {"1", "2", "topdown", "uarch", "all", NULL};

static bool add_index(struct selecting_indexes *list, uint16_t index)
{
	if (list->count == list->room) {
		if (list->room > UINT16_MAX / 2) {
			complain("too many names");
			return false;
		}
		list->room = list->room ? (uint16_t)(2 * list->room) : 16;
		list->at = memory_resize(list->at, list->room, sizeof(*list->at));
	}
	list->at[list->count++] = index;
	return true;
}

struct names {
	const struct plumb_spec *spec;
	struct selecting_found *found;
	unsigned stages;
};

/* Adds what one word names. Prints an error and returns false if the name is unknown. */
typedef bool add_word(struct names *names, const char *word);

/* Calls `add` for each word of each of `words`, the values of an option, separated by ','. */
static bool each_word(struct names *names, const char *option, const struct option_words *words,
		      add_word *add)
{
	bool fine = true;

	for (unsigned i = 0; fine && i < words->count; i++) {
		const char *at = words->at[i];

		while (fine) {
			size_t length = strcspn(at, ",");
			char *word = memory_copy(at, length);

			if (length > 0) {
				fine = add(names, word);
			} else {
				complain("missing name in '%s' for --%s", words->at[i], option);
				fine = false;
			}
			free(word);
			if (!at[length])
				break;
			at += length + 1;
		}
	}
	return fine;
}

static bool add_stage(struct names *names, const char *word)
{
	static const struct {
		const char *name;
		unsigned stages;
	} known[] = {
		{"1", 1u << 1},     {"topdown", 1u << 1},   {"2", 1u << 2},
		{"uarch", 1u << 2}, {"all", SELECTING_ALL},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].name, word) == 0) {
			names->stages |= known[i].stages;
			return true;
		}
	}
	complain("invalid value '%s' for --stages", word);
	if (strcmp(word, "combined") == 0)
		advise("leave out --stages: stage 2 then shows the groups that stage 1 leads to; "
		       "-n NODE selects a part of the tree");
	else
		advise("use 1 (topdown), 2 (uarch) or all");
	return false;
}

static bool add_group(struct names *names, const char *word)
{
	uint16_t group = plumb_spec_metric_group(names->spec, word);
	struct near near = near_to(word);

	if (group != PLUMB_NONE)
		return add_index(&names->found->groups, group);
	for (uint16_t g = 0; g < names->spec->metric_group_count; g++)
		near_offer(&near, names->spec->metric_groups[g].name,
			   names->spec->metric_groups[g].name);
	complain("%s has no metric group '%s'", names->spec->id, word);
	if (!advise_near(&near))
		advise("see plumb spec list groups --cpu %s", names->spec->id);
	return false;
}

/* Returns the metric called `word`, or prints an error that calls it `what` and returns PLUMB_NONE.
 */
static uint16_t find_metric(const struct plumb_spec *spec, const char *word, const char *what,
			    bool nodes)
{
	const struct plumb_methodology *tree =
		spec->methodology_count ? &spec->methodologies[0] : NULL;
	uint16_t metric = plumb_spec_metric(spec, word);
	struct near near = near_to(word);

	if (metric != PLUMB_NONE && !nodes)
		return metric;
	if (metric != PLUMB_NONE && tree && plumb_methodology_node(tree, metric) != PLUMB_NONE)
		return metric;
	for (uint16_t m = 0; m < spec->metric_count; m++)
		if (!nodes || (tree && plumb_methodology_node(tree, m) != PLUMB_NONE))
			near_offer(&near, spec->metrics[m].name, spec->metrics[m].name);
	complain("%s has no %s '%s'", spec->id, what, word);
	if (!advise_near(&near))
		advise(nodes ? "see plumb spec tree --cpu %s"
			     : "see plumb spec list metrics --cpu %s",
		       spec->id);
	return PLUMB_NONE;
}

static bool add_metric(struct names *names, const char *word)
{
	const uint16_t metric = find_metric(names->spec, word, "metric", false);

	return metric != PLUMB_NONE && add_index(&names->found->metrics, metric);
}

/* Returns the lowest level of the tree, or 0 if there is no tree. */
static unsigned tree_depth(const struct plumb_spec *spec)
{
	const struct plumb_request tree = {.size = sizeof(tree), .stages = 1u << 1};
	struct plumb_selection *selection;
	unsigned depth = 0;

	if (plumb_selection_new(spec, &tree, &selection) < 0)
		return 0;
	for (size_t i = 0; i < selection->metric_count; i++)
		if (selection->metrics[i].level > depth)
			depth = selection->metrics[i].level;
	plumb_selection_free(selection);
	return depth;
}

static bool check_level(const struct plumb_spec *spec, unsigned level)
{
	unsigned depth = level ? tree_depth(spec) : 0;

	if (level <= depth)
		return true;
	complain("the tree of %s has no level %u", spec->id, level);
	if (depth == 1)
		advise("its only level is 1");
	else
		advise("its levels are 1 to %u", depth);
	return false;
}

bool selecting_is_given(const struct selecting_options *options)
{
	return options->stages.count || options->groups.count || options->metrics.count ||
	       options->node || options->level;
}

bool selecting_read(const struct selecting_options *options, const struct plumb_spec *spec,
		    struct selecting_found *found, struct plumb_request *request)
{
	struct names names = {.spec = spec, .found = found};

	*found = (struct selecting_found){0};
	if (!each_word(&names, "stages", &options->stages, add_stage) ||
	    !each_word(&names, "metric-group", &options->groups, add_group) ||
	    !each_word(&names, "metric", &options->metrics, add_metric) ||
	    !check_level(spec, options->level))
		return false;
	if (options->node) {
		request->node_given = true;
		request->node = find_metric(spec, options->node, "node", true);
		if (request->node == PLUMB_NONE)
			return false;
	}
	request->stages = names.stages;
	request->level = options->level;
	request->groups = (struct plumb_indexes){found->groups.at, found->groups.count};
	request->metrics = (struct plumb_indexes){found->metrics.at, found->metrics.count};
	return true;
}

void selecting_free(struct selecting_found *found)
{
	free(found->groups.at);
	free(found->metrics.at);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the names on `plumb stat`'s command line into a selection. */
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define STAGES_ALL (~0u & ~1u)

struct indexes {
	uint16_t *at;
	uint16_t count, room;
};

static bool add_index(struct indexes *list, uint16_t index)
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
	const struct machine *machine;
	struct indexes groups, metrics;
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
		{"1", 1u << 1},     {"topdown", 1u << 1}, {"2", 1u << 2},
		{"uarch", 1u << 2}, {"all", STAGES_ALL},
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
		return add_index(&names->groups, group);
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

/* Whether the source counts it; if not, this has been said. */
static bool can_count(const struct machine *machine, const struct plumb_event_config *event)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error = plumb_source_check(machine->source, event, diagnostics);

	if (error < 0)
		machine_complain(diagnostics, event->name, error);
	plumb_diagnostics_free(diagnostics);
	return error == 0;
}

static bool add_metric(struct names *names, const char *word)
{
	const uint16_t metric = find_metric(names->spec, word, "metric", false);

	return metric != PLUMB_NONE && add_index(&names->metrics, metric);
}

/* Checks that the events can be counted, and the metrics. Unlike a group's, they need a value. */
static int check_counted(const struct names *names, const struct plumb_event_list *list)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(list, i)); i++)
		if (!can_count(names->machine, event))
			return EXIT_USAGE;
	for (uint16_t i = 0; i < names->metrics.count; i++) {
		const uint16_t metric = names->metrics.at[i];
		const struct plumb_event_config config = {.kind = PLUMB_EVENT_METRIC,
							  .name = names->spec->metrics[metric].name,
							  .config = metric};

		if (!can_count(names->machine, &config))
			return EXIT_USAGE;
	}
	return EXIT_FINE;
}

static int read_events(const struct stat_options *options, const struct machine *machine,
		       struct plumb_event_list **list)
{
	struct plumb_event_options how = {
		.size = sizeof(how),
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
	};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error, status = EXIT_FINE;

	plumb_source_fill_event_options(machine->source, &how);
	error = plumb_event_list_new(&how, list);
	for (unsigned i = 0; error == 0 && i < options->events.count; i++)
		error = plumb_event_list_add(*list, options->events.at[i], diagnostics);
	if (error < 0)
		status = machine_complain(diagnostics, "-e", error);
	plumb_diagnostics_free(diagnostics);
	return status;
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

static bool find_names(struct names *names, const struct stat_options *options,
		       struct plumb_request *request)
{
	if (!each_word(names, "stages", &options->stages, add_stage) ||
	    !each_word(names, "metric-group", &options->groups, add_group) ||
	    !each_word(names, "metric", &options->metrics, add_metric) ||
	    !check_level(names->spec, options->level))
		return false;
	if (options->node) {
		request->node_given = true;
		request->node = find_metric(names->spec, options->node, "node", true);
		if (request->node == PLUMB_NONE)
			return false;
	}
	request->stages = names->stages;
	request->level = options->level;
	request->groups = (struct plumb_indexes){names->groups.at, names->groups.count};
	request->metrics = (struct plumb_indexes){names->metrics.at, names->metrics.count};
	return true;
}

/* Rejects metrics on a machine without an Arm PMU, which only has software events. */
static bool check_spec(const struct stat_options *options, const struct machine *machine)
{
	if (machine->spec || (!options->stages.count && !options->groups.count &&
			      !options->metrics.count && !options->node && !options->level))
		return true;
	complain("metrics require an Arm PMU, which this machine does not have");
	advise("use --source model, which counts them on any machine");
	return false;
}

/* Metrics' events are counted in all modes; the model's in its only one, user code. */
static int check_modes(const struct stat_options *options, const struct machine *machine,
		       const struct plumb_selection *selection)
{
	if (!selection->metric_count || (machine->core && !options->all_kernel) ||
	    (!options->all_user && !options->all_kernel))
		return EXIT_FINE;
	complain("--%s applies to events, not to metrics",
		 options->all_user ? "all-user" : "all-kernel");
	advise("name the events with -e, and no metrics");
	return EXIT_USAGE;
}

int stat_select(const struct stat_options *options, const struct machine *machine,
		struct stat_selection *selected)
{
	struct names names = {.spec = machine->spec, .machine = machine};
	struct plumb_request request = {.size = sizeof(request)};
	int error, status;

	if (!check_spec(options, machine))
		return EXIT_UNABLE;
	status = read_events(options, machine, &selected->events);
	if (status == EXIT_FINE)
		status = find_names(&names, options, &request) ? EXIT_FINE : EXIT_USAGE;
	if (status == EXIT_FINE)
		status = machine_check_program(machine, options->targets.any);
	if (status == EXIT_FINE)
		status = check_counted(&names, selected->events);
	if (status == EXIT_FINE) {
		request.events = selected->events;
		selected->brief = !request.stages && !request.groups.count &&
				  !request.metrics.count && !request.node_given && !request.level &&
				  !plumb_event_list_count(request.events);
		if (selected->brief)
			request.stages = STAGES_ALL;
		error = plumb_selection_new(machine->spec, &request, &selected->selection);
		status = complain_status(error);
		if (error < 0)
			complain("cannot count that: %s", plumb_error_name(error));
		else
			status = check_modes(options, machine, selected->selection);
	}
	free(names.groups.at);
	free(names.metrics.at);
	return status;
}

void stat_selection_free(struct stat_selection *selected)
{
	plumb_selection_free(selected->selection);
	plumb_event_list_free(selected->events);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What `plumb stat` is asked for: names on the command line become a selection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/near.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

#define STAGES_ALL (~0u & ~1u)

/* At most so many events are named that are counted in place of one that is not. */
#define NEARBY_MAX 6

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
	struct indexes groups, metrics, codes;
	unsigned stages;
};

/* Adds what one word names. Returns false if it names nothing, which has been said. */
typedef bool add_word(struct names *names, const char *word);

/* Calls `add` for each word of each of `words`, parted by ','. */
static bool each_word(struct names *names, const struct option_words *words, add_word *add)
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
				complain("a name is missing in '%s'", words->at[i]);
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
	complain("bad value '%s' of --stages", word);
	if (strcmp(word, "combined") == 0)
		advise("without --stages, stage 2 shows what stage 1 leads to; -n NODE is a part "
		       "of it");
	else
		advise("1 (topdown), 2 (uarch) or all");
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
		advise("plumb spec list groups --cpu %s lists them", names->spec->id);
	return false;
}

/* The metric called `word`, which is `what`; PLUMB_NONE if there is none, which has been said. */
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
		advise(nodes ? "plumb spec tree --cpu %s shows them"
			     : "plumb spec list metrics --cpu %s lists them",
		       spec->id);
	return PLUMB_NONE;
}

static bool is_counted(const struct machine *machine, uint16_t event)
{
	return machine->source->counts(NULL, machine->spec->events[event].code);
}

/* What is counted of the same functional groups: never a count of 0 for what is not counted. */
static void advise_nearby(const struct machine *machine, uint16_t event)
{
	const struct plumb_spec *spec = machine->spec;
	struct join names = {0};
	unsigned count = 0;
	char *text;

	for (uint16_t f = 0; f < spec->functional_group_count; f++) {
		struct plumb_indexes events = spec->functional_groups[f].events;
		bool mine = false;

		for (uint16_t i = 0; i < events.count; i++)
			mine = mine || events.at[i] == event;
		for (uint16_t i = 0; mine && i < events.count && count < NEARBY_MAX; i++) {
			if (!is_counted(machine, events.at[i]))
				continue;
			join_add(&names, spec->events[events.at[i]].name);
			count++;
		}
	}
	text = join_take(&names);
	if (count)
		advise("nearby it counts %s", text);
	else
		advise("plumb list events --source %s lists what it counts", machine->source->name);
	free(text);
}

/* Who counts, for messages: "the model of Neoverse N3". */
static const char *who(const struct machine *machine)
{
	return machine->source->label ? "the model" : "the PMU";
}

static bool add_code(struct names *names, uint16_t code, const char *word)
{
	uint16_t event = plumb_spec_event_by_code(names->spec, code);

	if (names->machine->source->counts(NULL, code))
		return add_index(&names->codes, code);
	if (event == PLUMB_NONE) {
		complain("%s does not count '%s', which %s does not have", who(names->machine),
			 word, names->spec->id);
		return false;
	}
	complain("%s does not count %s", who(names->machine), names->spec->events[event].name);
	advise_nearby(names->machine, event);
	return false;
}

/* "r1b", as perf has it; "0x1b" too. */
static bool parse_code(const char *word, uint16_t *code)
{
	const char *digits = word[0] == 'r' || word[0] == 'R'  ? word + 1
			     : strncasecmp(word, "0x", 2) == 0 ? word + 2
							       : NULL;
	unsigned long value;
	char *end;

	if (!digits || !*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return false;
	errno = 0;
	value = strtoul(digits, &end, 16);
	*code = (uint16_t)value;
	return !errno && value <= UINT16_MAX;
}

static bool add_event(struct names *names, const char *word)
{
	const struct plumb_spec *spec = names->spec;
	uint16_t event = plumb_spec_event(spec, word), code;
	struct near near = near_to(word);

	if (event == PLUMB_NONE && parse_code(word, &code))
		return add_code(names, code, word);
	if (event != PLUMB_NONE && spec->events[event].accesses & PLUMB_ACCESS_PMU)
		return add_code(names, spec->events[event].code, word);
	if (event != PLUMB_NONE) {
		complain("%s is no event of the PMU: only the trace unit sees it",
			 spec->events[event].name);
		return false;
	}
	for (uint16_t e = 0; e < spec->event_count; e++)
		near_offer(&near, spec->events[e].name, spec->events[e].name);
	complain("%s has no event '%s'", spec->id, word);
	if (!advise_near(&near))
		advise("plumb spec list events --cpu %s lists them", spec->id);
	return false;
}

/* A metric asked for by itself must have a value: one of a group may lack it. */
static bool add_metric(struct names *names, const char *word)
{
	uint16_t metric = find_metric(names->spec, word, "metric", false);
	struct plumb_indexes events;

	if (metric == PLUMB_NONE)
		return false;
	events = names->spec->metrics[metric].events;
	for (uint16_t i = 0; i < events.count; i++) {
		if (is_counted(names->machine, events.at[i]))
			continue;
		complain("%s needs %s, which %s does not count", names->spec->metrics[metric].name,
			 names->spec->events[events.at[i]].name, who(names->machine));
		advise_nearby(names->machine, events.at[i]);
		return false;
	}
	return add_index(&names->metrics, metric);
}

/* The lowest level of the tree; 0: none could be found. */
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
	if (!each_word(names, &options->stages, add_stage) ||
	    !each_word(names, &options->groups, add_group) ||
	    !each_word(names, &options->metrics, add_metric) ||
	    !each_word(names, &options->events, add_event) ||
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
	request->codes = names->codes.at;
	request->code_count = names->codes.count;
	return true;
}

int stat_select(const struct stat_options *options, const struct machine *machine,
		struct plumb_selection **selection, bool *brief)
{
	struct names names = {.spec = machine->spec, .machine = machine};
	struct plumb_request request = {.size = sizeof(request)};
	int error, status = EXIT_USAGE;

	if (find_names(&names, options, &request)) {
		*brief = !request.stages && !request.groups.count && !request.metrics.count &&
			 !request.node_given && !request.level && !request.code_count;
		if (*brief)
			request.stages = STAGES_ALL;
		error = plumb_selection_new(machine->spec, &request, selection);
		status = complain_status(error);
		if (error < 0)
			complain("cannot count that: %s", plumb_error_name(error));
	}
	free(names.groups.at);
	free(names.metrics.at);
	free(names.codes.at);
	return status;
}

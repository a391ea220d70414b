/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec show: describe an event, metric, group or CPU, and what refers to it. */
#include "show.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/event.h>

#include "base/near.h"
#include "base/text.h"
#include "commands.h"
#include "render/json.h"
#include "tool/complain.h"
#include "tool/memory.h"

struct things {
	struct thing *at;
	size_t count;
};

static void add(struct things *things, const struct cpus *cpus, enum thing_kind kind, size_t cpu,
		uint16_t index)
{
	const char *name;
	struct thing *thing = NULL;

	if (index == PLUMB_NONE)
		return;
	name = thing_name(cpus->at[cpu], kind, index);
	for (size_t i = 0; i < things->count && !thing; i++)
		if (things->at[i].kind == kind && strcmp(things->at[i].name, name) == 0)
			thing = &things->at[i];
	if (!thing) {
		things->at = memory_resize(things->at, things->count + 1, sizeof(*things->at));
		thing = &things->at[things->count++];
		*thing = (struct thing){.kind = kind, .name = name};
	}
	cpu_set_add(&thing->on, cpu);
	thing->index[cpu] = index;
}

/* Parses an event code: "0x11", or perf's spelling "r11". */
static bool parse_code(const char *text, uint16_t *code)
{
	const char *digits = NULL;
	unsigned long value;
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		digits = text + 2;
	else if (text[0] == 'r' || text[0] == 'R')
		digits = text + 1;
	if (!digits || !isxdigit((unsigned char)*digits))
		return false;
	value = strtoul(digits, &end, 16);
	if (*end || value > UINT16_MAX)
		return false;
	*code = (uint16_t)value;
	return true;
}

static void find_names(struct things *things, const struct cpus *cpus, const char *name)
{
	for (size_t i = 0; i < cpus->count; i++)
		add(things, cpus, THING_EVENT, i, plumb_spec_event(cpus->at[i], name));
	for (size_t i = 0; i < cpus->count; i++)
		add(things, cpus, THING_METRIC, i, plumb_spec_metric(cpus->at[i], name));
	for (size_t i = 0; i < cpus->count; i++)
		add(things, cpus, THING_METRIC_GROUP, i,
		    plumb_spec_metric_group(cpus->at[i], name));
	for (size_t i = 0; i < cpus->count; i++)
		add(things, cpus, THING_FUNCTIONAL_GROUP, i,
		    plumb_spec_functional_group(cpus->at[i], name));
}

/* Keeps only the things spelled exactly like `name`; keeps all if none is. */
static void prefer_exact(struct things *things, const char *name)
{
	size_t exact = 0;

	for (size_t i = 0; i < things->count; i++)
		if (strcmp(things->at[i].name, name) == 0)
			things->at[exact++] = things->at[i];
	if (exact > 0)
		things->count = exact;
}

static void find_codes(struct things *things, const struct cpus *cpus, uint16_t code)
{
	for (size_t i = 0; i < cpus->count; i++)
		for (uint16_t e = 0; e < cpus->at[i]->event_count; e++)
			if (cpus->at[i]->events[e].code == code)
				add(things, cpus, THING_EVENT, i, e);
}

static void find_titles(struct things *things, const struct cpus *cpus, const char *title)
{
	for (size_t i = 0; i < cpus->count; i++) {
		const struct plumb_spec *spec = cpus->at[i];

		add(things, cpus, THING_EVENT, i, plumb_spec_event_by_title(spec, title));
		add(things, cpus, THING_METRIC, i, plumb_spec_metric_by_title(spec, title));
		for (uint16_t g = 0; g < spec->metric_group_count; g++)
			if (text_compare(spec->metric_groups[g].title, title) == 0)
				add(things, cpus, THING_METRIC_GROUP, i, g);
		for (uint16_t g = 0; g < spec->functional_group_count; g++)
			if (text_compare(spec->functional_groups[g].title, title) == 0)
				add(things, cpus, THING_FUNCTIONAL_GROUP, i, g);
	}
}

/* Returns every match of `name` in `cpus`: by name, else by code, else by title. */
static struct things find(const struct cpus *cpus, const char *name)
{
	struct things things = {0};
	uint16_t code;

	find_names(&things, cpus, name);
	prefer_exact(&things, name);
	if (things.count == 0 && parse_code(name, &code))
		find_codes(&things, cpus, code);
	if (things.count == 0)
		find_titles(&things, cpus, name);
	return things;
}

/* Finds a CPU: by id among those --cpu selected, or a built-in one in any spelling. */
static bool find_cpu(struct cpus *cpus, const struct cpus *chosen, const char *name)
{
	*cpus = (struct cpus){.count = 1};
	for (size_t i = 0; i < chosen->count; i++)
		if (text_compare(chosen->at[i]->id, name) == 0) {
			cpus->at[0] = chosen->at[i];
			return true;
		}
	return plumb_spec_find(name, &cpus->at[0], NULL) == 0;
}

static void offer_all(struct near *near, const struct plumb_spec *spec)
{
	for (uint16_t i = 0; i < spec->event_count; i++)
		near_offer(near, spec->events[i].name, spec->events[i].name);
	for (uint16_t i = 0; i < spec->metric_count; i++)
		near_offer(near, spec->metrics[i].name, spec->metrics[i].name);
	for (uint16_t i = 0; i < spec->metric_group_count; i++)
		near_offer(near, spec->metric_groups[i].name, spec->metric_groups[i].name);
	for (uint16_t i = 0; i < spec->functional_group_count; i++)
		near_offer(near, spec->functional_groups[i].name, spec->functional_groups[i].name);
	near_offer(near, spec->id, spec->id);
}

/* Tells whether perf has a generic event, or one of a cache, of this name. */
static bool is_generic(const char *name)
{
	const struct plumb_event_name *event;

	for (size_t i = 0; (event = plumb_event_name(i)); i++)
		if (event->kind == PLUMB_EVENT_PMU &&
		    (text_compare(name, event->name) == 0 ||
		     (event->alias && text_compare(name, event->alias) == 0)))
			return true;
	return false;
}

/* Reports that the chosen CPUs lack `name`; names the CPUs that have it, or a similar name. */
static void complain_unknown(const struct cpus *chosen, const char *name)
{
	struct near near = near_to(name);

	if (!chosen->all) {
		struct cpus others;
		struct things elsewhere;

		cpus_open_all(&others);
		elsewhere = find(&others, name);

		if (elsewhere.count > 0) {
			char *text = cpu_set_text(&others, &elsewhere.at[0].on);

			complain("%s has no '%s'", chosen->at[0]->id, name);
			advise("available on %s", text);
			free(text);
			free(elsewhere.at);
			return;
		}
	}
	if (is_generic(name)) {
		complain("'%s' is perf's name for an event", name);
		advise("see plumb list generic for the CPU's event that it stands for");
		return;
	}
	for (size_t i = 0; i < chosen->count; i++)
		offer_all(&near, chosen->at[i]);
	complain("unknown name '%s': not an event, metric, group or CPU", name);
	if (advise_near(&near))
		return;
	if (strncmp(name, "backend_", strlen("backend_")) == 0)
		advise("causes that only exact profiles have are in plumb-report(1), at --topdown");
	else
		advise("run 'plumb spec list' to list CPUs, or 'plumb spec list events' to list "
		       "events");
}

/* Prints one thing as text, or appends it to `results`. */
static void print(struct output *out, json_t *results, const struct cpus *cpus,
		  const struct thing *thing)
{
	if (!results) {
		spec_show_text(out, cpus, thing);
		return;
	}
	for (size_t i = 0; i < cpus->count; i++)
		if (cpu_set_has(&thing->on, i))
			json_array_append_new(
				results, thing_facts(cpus->at[i], thing->kind, thing->index[i]));
}

static int show(const struct common_options *options, const struct operands *names,
		const struct cpus *cpus)
{
	json_t *results = options->json ? json_array() : NULL;
	struct output out;
	bool opened = false;
	int status = EXIT_FINE;

	for (int n = 0; n < names->count; n++) {
		struct things things = find(cpus, names->at[n]);
		const struct cpus *of = cpus;
		struct cpus one;

		if (things.count == 0 && find_cpu(&one, cpus, names->at[n])) {
			add(&things, &one, THING_CPU, 0, 0);
			of = &one;
		}
		if (things.count == 0) {
			complain_unknown(cpus, names->at[n]);
			status = EXIT_USAGE;
			continue;
		}
		/* Open the output only now: unknown names alone must not create a file. */
		if (!opened) {
			int refused = output_open(&out, options);

			if (refused != EXIT_FINE) {
				free(things.at);
				json_decref(results);
				return refused;
			}
		}
		for (size_t i = 0; i < things.count; i++) {
			if ((opened || i > 0) && !results)
				fputc('\n', out.stream);
			print(&out, results, of, &things.at[i]);
		}
		opened = true;
		free(things.at);
	}
	if (opened && results) {
		json_t *object = render_object();

		json_object_set(object, "results", results);
		render_json(&out, object);
	}
	json_decref(results);
	return opened ? output_close(&out, status) : status;
}

static const struct option options[] = {
	OPTION_ROW_CPU,    OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT, OPTION_ROW_VERBOSE("print warnings about the file given by --cpu"),
	OPTION_ROW_COLOR,  OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,   {0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands names;
	struct cpus cpus;
	int status;

	if (!options_parse(command, count, arguments, &values, &names, &status))
		return status;
	status = cpus_open(&cpus, values.cpu, values.verbose);
	if (status != EXIT_FINE)
		return status;
	status = show(&values, &names, &cpus);
	cpus_close(&cpus);
	return status;
}

const struct command command_spec_show = {
	.path = "plumb spec show",
	.name = "show",
	.summary = "describe an event, metric, group or CPU",
	.operands = "NAME...",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "NAME is the name, the code (0x11, or perf's r11) or the title of an event; the "
		"name or title of a metric, metric group or functional group; or a CPU. Case is "
		"ignored, but an exact match hides matches that differ in case.\n\n"
		"Without --cpu, uses this machine's CPU if Plumb supports it, and all CPUs "
		"otherwise; where CPUs differ, each value is followed by its CPUs in brackets.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spec show INST_RETIRED", "describe an event"},
			{"plumb spec show --cpu neoverse-n3 backend_bound r24",
			 "describe a metric and an event of one CPU"},
			{"plumb spec show neoverse-v2", "describe a CPU"},
			{0},
		},
	.run = run,
};

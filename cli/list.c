/* SPDX-License-Identifier: Apache-2.0 */
/* plumb list: who counts here, and what; of the model also what it is made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/model.h>

#include "base/near.h"
#include "commands.h"
#include "render/json.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/machine.h"
#include "tool/memory.h"
#include "tool/other_options.h"
#include "tool/pattern.h"
#include "tool/perf_options.h"

struct list_options {
	struct common_options common;
	int source;
	const char *root;
};

/* ---- what there is: arrays of objects, for JSON as they are, for text a column a key ----------
 */

static json_t *core_object(const char *name, const struct plumb_spec *spec, uint32_t midr)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(name));
	json_object_set_new(object, "specification", render_string(spec->id));
	json_object_set_new(object, "midr", json_sprintf("0x%08x", midr));
	json_object_set_new(object, "slots", render_known(spec->product.slots));
	return object;
}

/* Returns whether a processor is in the list under its own name. */
static bool is_listed(const char *name)
{
	const struct plumb_model_core *core;
	size_t i = 0;

	while ((core = plumb_model_core(i)) && strcmp(core->name, name) != 0)
		i++;
	return core;
}

/* Adds the names of other processors that stand for this core. */
static void add_aliases(json_t *object, const struct plumb_spec *spec)
{
	const struct plumb_spec *aliased;
	json_t *names = json_array();
	const char *name;

	for (size_t i = 0; (name = plumb_spec_alias(i, &aliased)); i++)
		if (aliased == spec && !is_listed(name))
			json_array_append_new(names, render_string(name));
	json_object_set_new(object, "aliases", names);
}

/* Adds how many figures a core of the model has, and what they rest on. */
static void add_figures(json_t *object, const char *core)
{
	const struct plumb_model_parameter *parameter;
	json_int_t inferred = 0, assumed = 0;
	size_t i = 0;

	for (; (parameter = plumb_model_parameter(core, i)); i++) {
		inferred += strcmp(parameter->basis, "inferred") == 0;
		assumed += strcmp(parameter->basis, "assumed") == 0;
	}
	json_object_set_new(object, "figures", json_integer((json_int_t)i));
	json_object_set_new(object, "inferred", json_integer(inferred));
	json_object_set_new(object, "assumed", json_integer(assumed));
}

/* The model's cores and platforms; or this machine's one. */
static json_t *cores(const struct machine *machine)
{
	json_t *array = json_array();
	const struct plumb_model_core *core;

	if (!machine->core) {
		json_array_append_new(array, core_object(machine->spec->product.name, machine->spec,
							 plumb_source_midr(machine->source)));
		return array;
	}
	for (size_t i = 0; (core = plumb_model_core(i)); i++) {
		const struct plumb_spec *spec;
		json_t *object;

		if (plumb_spec_find(core->spec_id, &spec, NULL) < 0)
			continue;
		object = core_object(core->name, spec, core->midr);
		json_object_set_new(object, "frequency_mhz", json_integer(core->frequency_mhz));
		add_figures(object, core->name);
		if (strncmp(core->name, spec->id, strlen(core->name)) == 0)
			add_aliases(object, spec);
		json_array_append_new(array, object);
	}
	return array;
}

/* Of the model's core: each size, width and latency, and where it comes from. */
static json_t *parameters(const struct machine *machine)
{
	json_t *array = json_array();
	const struct plumb_model_parameter *parameter;

	for (size_t i = 0; machine->core && (parameter = plumb_model_parameter(machine->core, i));
	     i++) {
		json_t *object = json_object();

		json_object_set_new(object, "name", render_string(parameter->name));
		json_object_set_new(object, "value", render_string(parameter->value));
		json_object_set_new(object, "source", render_string(parameter->source));
		json_object_set_new(object, "basis", render_string(parameter->basis));
		json_array_append_new(array, object);
	}
	return array;
}

static bool is_counted(const struct machine *machine, uint16_t event)
{
	const struct plumb_event *e = &machine->spec->events[event];

	return e->accesses & PLUMB_ACCESS_PMU && plumb_source_counts(machine->source, e->code);
}

static json_t *events(const struct machine *machine)
{
	const struct plumb_spec *spec = machine->spec;
	json_t *array = json_array();

	for (uint16_t i = 0; i < spec->event_count; i++) {
		uint16_t event = spec->events_by_code[i];
		json_t *object = json_object();

		json_object_set_new(object, "code",
				    json_sprintf("0x%04x", spec->events[event].code));
		json_object_set_new(object, "name", render_string(spec->events[event].name));
		json_object_set_new(object, "title", render_string(spec->events[event].title));
		json_object_set_new(object, "counted", json_boolean(is_counted(machine, event)));
		json_array_append_new(array, object);
	}
	return array;
}

/* A metric is counted if all that it needs is. */
static bool is_metric_counted(const struct machine *machine, uint16_t metric)
{
	struct plumb_indexes needs = machine->spec->metrics[metric].events;
	bool counted = true;

	for (uint16_t i = 0; i < needs.count; i++)
		counted = counted && is_counted(machine, needs.at[i]);
	return counted;
}

static json_t *metrics(const struct machine *machine)
{
	const struct plumb_spec *spec = machine->spec;
	json_t *array = json_array();

	for (uint16_t m = 0; m < spec->metric_count; m++) {
		json_t *object = json_object();

		json_object_set_new(object, "name", render_string(spec->metrics[m].name));
		json_object_set_new(object, "title", render_string(spec->metrics[m].title));
		json_object_set_new(object, "units", render_string(spec->metrics[m].units));
		json_object_set_new(object, "counted", json_boolean(is_metric_counted(machine, m)));
		json_array_append_new(array, object);
	}
	return array;
}

/* A group counts for something if a metric of it does. */
static json_t *groups(const struct machine *machine)
{
	const struct plumb_spec *spec = machine->spec;
	json_t *array = json_array();

	for (uint16_t g = 0; g < spec->metric_group_count; g++) {
		struct plumb_indexes all = spec->metric_groups[g].metrics;
		json_t *object = json_object();
		uint16_t counted = 0;

		for (uint16_t i = 0; i < all.count; i++)
			counted += is_metric_counted(machine, all.at[i]);
		json_object_set_new(object, "name", render_string(spec->metric_groups[g].name));
		json_object_set_new(object, "title", render_string(spec->metric_groups[g].title));
		json_object_set_new(object, "metrics", json_integer(all.count));
		json_object_set_new(object, "counted_metrics", json_integer(counted));
		json_object_set_new(object, "counted", json_boolean(counted > 0));
		json_array_append_new(array, object);
	}
	return array;
}

/* perf's generic and cache events, and which event of this CPU Linux counts for each. */
static json_t *generic(const struct machine *machine)
{
	struct plumb_event_options options = {.size = sizeof(options)};
	const struct plumb_event_name *name;
	json_t *array = json_array();

	plumb_source_fill_event_options(machine->source, &options);
	for (size_t i = 0; (name = plumb_event_name(i)); i++) {
		int code = plumb_event_name_code(name, &options);
		uint16_t meant = code < 0 ? name->config : (uint16_t)code, event;
		json_t *object;

		if (name->kind != PLUMB_EVENT_PMU)
			continue;
		event = plumb_spec_event_by_code(machine->spec, meant);
		object = json_object();
		json_object_set_new(object, "name", render_string(name->name));
		json_object_set_new(object, "alias", render_string(name->alias));
		json_object_set_new(object, "code", json_sprintf("0x%04x", meant));
		json_object_set_new(object, "event",
				    event == PLUMB_NONE
					    ? json_null()
					    : render_string(machine->spec->events[event].name));
		json_object_set_new(object, "counted", json_boolean(code >= 0));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *software(const struct machine *machine)
{
	const struct plumb_event_name *name;
	json_t *array = json_array();

	for (size_t i = 0; (name = plumb_event_name(i)); i++) {
		const struct plumb_event_config event = {
			.kind = name->kind, .name = name->name, .config = name->config};
		json_t *object;

		if (name->kind != PLUMB_EVENT_SOFTWARE)
			continue;
		object = json_object();
		json_object_set_new(object, "name", render_string(name->name));
		json_object_set_new(object, "alias", render_string(name->alias));
		json_object_set_new(object, "title", render_string(name->title));
		json_object_set_new(
			object, "counted",
			json_boolean(plumb_source_check(machine->source, &event, NULL) == 0));
		json_array_append_new(array, object);
	}
	return array;
}

/* ---- listings ----------------------------------------------------------------------------- */

#define COLUMNS_MAX 7

struct listing {
	const char *name;
	json_t *(*list)(const struct machine *machine);
	struct table_column columns[COLUMNS_MAX];
	const char *keys[COLUMNS_MAX + 1];
	bool notes; /* the last column says the same again and again: in text, as notes below */
};

static const struct listing listings[] = {
	{"cores",
	 cores,
	 {{"CORE", .style = STYLE_NAME},
	  {"SPECIFICATION", .style = STYLE_PLAIN},
	  {"SLOTS", .right = true},
	  {"MHZ", .right = true},
	  {"FIGURES", .right = true, .drops = true},
	  {"INFERRED", .right = true, .drops = true},
	  {"ASSUMED", .right = true}},
	 {"name", "specification", "slots", "frequency_mhz", "figures", "inferred", "assumed"},
	 false},
	{"parameters",
	 parameters,
	 {{"PARAMETER", .style = STYLE_NAME},
	  {"VALUE", .wraps = true},
	  {"FROM", .style = STYLE_DIM}},
	 {"name", "value", "source"},
	 true},
	{"events",
	 events,
	 {{"CODE", .style = STYLE_DIM}, {"EVENT", .style = STYLE_NAME}, {"TITLE", .wraps = true}},
	 {"code", "name", "title"},
	 false},
	{"metrics",
	 metrics,
	 {{"METRIC", .style = STYLE_NAME}, {"TITLE", .wraps = true}, {"UNITS", .drops = true}},
	 {"name", "title", "units"},
	 false},
	{"groups",
	 groups,
	 {{"METRIC GROUP", .style = STYLE_NAME},
	  {"METRICS", .right = true},
	  {"COUNTED", .right = true},
	  {"TITLE", .wraps = true}},
	 {"name", "metrics", "counted_metrics", "title"},
	 false},
	{"generic",
	 generic,
	 {{"PERF'S NAME", .style = STYLE_NAME},
	  {"ALSO", .drops = true},
	  {"CODE", .style = STYLE_DIM},
	  {"COUNTS", .style = STYLE_PLAIN}},
	 {"name", "alias", "code", "event"},
	 false},
	{"software",
	 software,
	 {{"SOFTWARE EVENT", .style = STYLE_NAME},
	  {"ALSO", .style = STYLE_PLAIN},
	  {"TITLE", .wraps = true}},
	 {"name", "alias", "title"},
	 false},
};

/* Those that tell of the source as a whole; with -v, also of perf's names. */
enum { LISTING_PARAMETERS = 1, LISTING_GENERIC = 5, LISTING_SOFTWARE };

static bool is_of_all(size_t i, bool verbose)
{
	return i <= LISTING_PARAMETERS || (verbose && i >= LISTING_GENERIC);
}

#define LISTING_COUNT (sizeof(listings) / sizeof(*listings))

/* What perf list calls them. */
static const struct {
	const char *perfs, *ours;
} perf_kinds[] = {
	{"hw", "generic"},         {"cache", "generic"},       {"hwcache", "generic"},
	{"sw", "software"},        {"pmu", "events"},          {"metric", "metrics"},
	{"metricgroup", "groups"}, {"metricgroups", "groups"},
};

/* Returns the listing with one of its names, or NULL. */
static const struct listing *find_listing(const char *asked)
{
	const char *name = asked;

	for (size_t i = 0; i < sizeof(perf_kinds) / sizeof(*perf_kinds); i++)
		if (strcmp(perf_kinds[i].perfs, asked) == 0)
			name = perf_kinds[i].ours;
	for (size_t i = 0; i < LISTING_COUNT; i++)
		if (strcmp(listings[i].name, name) == 0)
			return &listings[i];
	return NULL;
}

/* Removes what no pattern fits from a listing. */
static void choose(json_t *array, const struct operands *patterns)
{
	static const char *const keys[] = {"name", "alias", "event"};

	for (size_t i = json_array_size(array); i-- > 0;) {
		const json_t *object = json_array_get(array, i);
		const char *title = json_string_value(json_object_get(object, "title"));
		bool wanted = false;

		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			const char *name = json_string_value(json_object_get(object, keys[k]));

			wanted |= name && pattern_wants(patterns, name, title ? title : "");
		}
		if (!wanted)
			json_array_remove(array, i);
	}
}

static int nothing_fits(const struct operands *patterns)
{
	struct near near = near_to(patterns->at[0]);

	for (size_t i = 0; i < LISTING_COUNT; i++)
		near_offer(&near, listings[i].name, listings[i].name);
	complain("nothing to list matches '%s'", patterns->at[0]);
	if (!advise_near(&near))
		advise("use a part of a name, a pattern as in 'l1d*', or one of cores, parameters, "
		       "events, metrics, groups, generic and software");
	return EXIT_USAGE;
}

static void add_cell(struct table *table, const json_t *value)
{
	if (json_is_integer(value))
		table_cell_format(table, "%lld", (long long)json_integer_value(value));
	else
		table_cell(table, json_string_value(value));
}

/* The number of a note, which is added if it is not there yet. */
static size_t note_number(json_t *notes, const json_t *text)
{
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note)
	{
		if (json_equal(note, text))
			return i + 1;
	}
	json_array_append_new(notes, json_copy((json_t *)(uintptr_t)text));
	return json_array_size(notes);
}

static void print_notes(struct output *out, const json_t *notes)
{
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note)
	{
		char number[32];

		if (i == 0)
			fputc('\n', out->stream);
		snprintf(number, sizeof(number), "[%zu] ", i + 1);
		fputs(number, out->stream);
		output_wrapped(out, STYLE_DIM, strlen(number), 4, json_string_value(note));
	}
}

/* Prints the names of processors that stand for cores. */
static void print_aliases(struct output *out, const json_t *cores)
{
	struct join names = {0};
	const json_t *core, *name;
	size_t i, k;
	char *text;

	json_array_foreach(cores, i, core)
	{
		json_array_foreach(json_object_get(core, "aliases"), k, name)
		{
			char *pair =
				memory_format("%s (%s)", json_string_value(name),
					      json_string_value(json_object_get(core, "name")));

			join_add(&names, pair);
			free(pair);
		}
	}
	text = join_take(&names);
	if (text && *text) {
		char *line = memory_format("--cpu also takes %s", text);

		fputc('\n', out->stream);
		output_wrapped(out, STYLE_DIM, 0, 0, line);
		free(line);
	}
	free(text);
}

/* What is not counted is left out, unless all is to be seen. */
static void print_table(struct output *out, const struct listing *listing, const json_t *array,
			const struct list_options *options)
{
	const bool separated = options->common.separator || options->common.csv;
	struct table table = {.columns = listing->columns};
	json_t *notes = json_array();
	const json_t *object;
	size_t i, hidden = 0;

	while (listing->keys[table.column_count])
		table.column_count++;
	json_array_foreach(array, i, object)
	{
		if (json_is_false(json_object_get(object, "counted")) && !options->common.verbose) {
			hidden++;
			continue;
		}
		for (size_t c = 0; c < table.column_count; c++) {
			const json_t *value = json_object_get(object, listing->keys[c]);

			if (listing->notes && c + 1 == table.column_count && !separated)
				table_cell_format(&table, "[%zu]", note_number(notes, value));
			else
				add_cell(&table, value);
		}
	}
	if (options->common.csv) {
		table_print_csv(&table, out, listing->keys);
	} else if (separated) {
		table_print_separated(&table, out, options->common.separator);
	} else {
		if (table.cell_count || !hidden)
			table_print(&table, out, 0);
		if (hidden) {
			output_format(out, STYLE_DIM,
				      hidden == 1 ? "%zu%s is not counted; -v shows it"
						  : "%zu%s are not counted; -v shows them",
				      hidden, table.cell_count ? " more" : "");
			fputc('\n', out->stream);
		}
	}
	if (!separated && listing == &listings[0])
		print_aliases(out, array);
	print_notes(out, notes);
	json_decref(notes);
	table_free(&table);
}

/*
 * Tells whether to print the i-th listing: the one asked for; with patterns those of names to
 * count; otherwise who counts, and what that is made of.
 */
static bool is_wanted(size_t i, const struct listing *one, const struct operands *patterns,
		      bool verbose)
{
	if (one)
		return one == &listings[i];
	return patterns->count ? i > LISTING_PARAMETERS : is_of_all(i, verbose);
}

/* Prints one listing, or several, or what the patterns choose of them. */
static int print(const struct list_options *options, const struct machine *machine,
		 const struct listing *one, const struct operands *patterns)
{
	json_t *object = render_object();
	json_t *arrays[LISTING_COUNT] = {NULL};
	struct output out;
	bool first = true;
	size_t count = 0;
	int status;

	json_object_set_new(object, "source", render_string(plumb_source_name(machine->source)));
	json_object_set_new(object, "cpu",
			    machine->spec ? render_string(machine->spec->id) : json_null());
	for (size_t i = 0; i < LISTING_COUNT; i++) {
		if (!is_wanted(i, one, patterns, options->common.verbose))
			continue;
		arrays[i] = listings[i].list(machine);
		choose(arrays[i], patterns);
		count += json_array_size(arrays[i]);
		json_object_set_new(object, listings[i].name, arrays[i]);
	}
	if (count == 0 && patterns->count) {
		json_decref(object);
		return nothing_fits(patterns);
	}
	status = output_open(&out, &options->common);
	for (size_t i = 0; status == EXIT_FINE && i < LISTING_COUNT; i++) {
		if (!arrays[i] || options->common.json || (!one && !json_array_size(arrays[i])))
			continue;
		if (!first)
			fputc('\n', out.stream);
		print_table(&out, &listings[i], arrays[i], options);
		first = false;
	}
	if (status == EXIT_FINE && options->common.json)
		render_json(&out, json_incref(object));
	json_decref(object);
	return status == EXIT_FINE ? output_close(&out, EXIT_FINE) : status;
}

static const struct option options[] = {
	OPTION_ROW_SOURCE(offsetof(struct list_options, source)),
	OPTION_ROW_CPU_OR_CORE,
	OPTION_ROW_JSON,
	OPTION_ROW_CSV,
	OPTION_ROW_SEPARATOR,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_TEXT(struct list_options, 0, "root", "DIR", root,
			"describe the machine whose /sys and /proc were copied to this folder"),
	OPTION_ROW_VERBOSE("also list what cannot be counted"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct list_options values = {0};
	struct machine machine = {0};
	const struct listing *listing = NULL;
	struct machine_wish wish;
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (!options_separator(command, &values.common) || !options_csv(&values.common))
		return EXIT_USAGE;
	if (operands.count > 0)
		listing = find_listing(operands.at[0]);
	if (listing) {
		operands.at++;
		operands.count--;
	} else if ((values.common.separator || values.common.csv) && operands.count) {
		complain("--%s requires one kind of names: plumb list events '%s'",
			 values.common.csv ? "csv" : "field-separator", operands.at[0]);
		return EXIT_USAGE;
	} else if (values.common.separator || values.common.csv) {
		listing = &listings[0];
	}
	wish = (struct machine_wish){
		.root = values.root,
		.source = values.source,
		.cpu = values.common.cpu,
		.software = values.source == SOURCE_PERF && listing == &listings[LISTING_SOFTWARE],
	};
	status = machine_open(&machine, &wish, NULL);
	if (status == EXIT_FINE)
		status = print(&values, &machine, listing, &operands);
	machine_close(&machine);
	return status;
}

const struct command command_list = {
	.path = "plumb list",
	.name = "list",
	.summary = "list what can be counted here",
	.operands = "[cores|parameters|events|metrics|groups|generic|software] [PATTERN]...",
	.most = OPERANDS_ANY,
	.text = "Lists what plumb stat can count, on this machine's Arm PMU or with the model. A "
		"metric is counted if all its events are.\n\n"
		"Without an argument, lists the cores and, with the model, each size, width and "
		"latency with its source; with -v also perf's names of events, and what they count "
		"on this CPU. With patterns, lists only what they match in a name or title: 'l1d*' "
		"must match all of it, and other words a part.",
	.options = options,
	.perf_twins = perf_options_list,
	.others = other_options_list,
	.examples =
		(const struct example[]){
			{"plumb list --source model", "list the model's cores and parameters"},
			{"plumb list events --source model --cpu neoverse-v2",
			 "list the events that the model of a Neoverse V2 counts"},
			{"plumb list 'l1d*'",
			 "list events, metrics and groups that begin with l1d"},
			{"plumb list generic", "list what cycles, branches and so on count here"},
			{0},
		},
	.run = run,
};

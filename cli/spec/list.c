/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec list: list CPUs, and the events, metrics and groups of one CPU or of all. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/near.h"
#include "base/text.h"
#include "commands.h"
#include "facts.h"
#include "render/json.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/memory.h"
#include "tool/pattern.h"

/* A row: a thing whose data are the same on one or more CPUs. */
struct entry {
	enum thing_kind kind;
	const struct plumb_spec *spec; /* of the first CPU that has it */
	uint16_t index;                /* its index in `spec` */
	unsigned least, most;          /* number of metrics or events in a group, over all CPUs */
	struct cpu_set on;
	size_t number; /* in the order in which they were found */
};

struct entries {
	struct entry *at;
	size_t count, room;
	json_t *positions; /* index into `at`, by the data that must be the same */
};

/* A kind of thing that can be listed. */
struct listing {
	const char *name; /* also the JSON key of the array */
	enum thing_kind kind;
	size_t count_at; /* offset of their count, a uint16_t, in struct plumb_spec */
	const struct table_column columns[TABLE_COLUMNS_MAX];
	size_t column_count; /* without the last column, used only with several CPUs */
	void (*cells)(struct table *table, const struct entry *entry);
	json_t *(*object)(const struct entry *entry);
	/* Returns the data, besides the name, that entries must share to be in one row. */
	char *(*alike)(const struct entry *entry);
	int (*compare)(const void *a,
		       const void *b); /* NULL: keep the order of the specification */
};

static void event_cells(struct table *table, const struct entry *entry)
{
	const struct plumb_event *event = &entry->spec->events[entry->index];

	table_cell_format(table, "0x%04x", event->code);
	table_cell(table, event->name);
	table_cell(table, event->title);
}

static json_t *event_object(const struct entry *entry)
{
	const struct plumb_event *event = &entry->spec->events[entry->index];
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(event->name));
	json_object_set_new(object, "code", json_sprintf("0x%04x", event->code));
	json_object_set_new(object, "title", render_string(event->title));
	return object;
}

static char *event_alike(const struct entry *entry)
{
	const struct plumb_event *event = &entry->spec->events[entry->index];

	return memory_format("%x %s", event->code, event->title);
}

static int event_compare(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;
	const struct plumb_event *first = &one->spec->events[one->index];
	const struct plumb_event *second = &other->spec->events[other->index];

	if (first->code != second->code)
		return first->code < second->code ? -1 : 1;
	return text_compare(first->name, second->name);
}

static void metric_cells(struct table *table, const struct entry *entry)
{
	const struct plumb_metric *metric = &entry->spec->metrics[entry->index];

	table_cell(table, metric->name);
	table_cell(table, metric->title);
	table_cell(table, metric->units);
}

static json_t *metric_object(const struct entry *entry)
{
	const struct plumb_metric *metric = &entry->spec->metrics[entry->index];
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(metric->name));
	json_object_set_new(object, "title", render_string(metric->title));
	json_object_set_new(object, "units", render_string(metric->units));
	return object;
}

static char *metric_alike(const struct entry *entry)
{
	const struct plumb_metric *metric = &entry->spec->metrics[entry->index];

	return memory_format("%s\n%s", metric->title, metric->units);
}

static int metric_compare(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return text_compare(one->spec->metrics[one->index].name,
			    other->spec->metrics[other->index].name);
}

/* Adds a cell such as "7", or "5-7" if CPUs differ. */
static void size_cell(struct table *table, const struct entry *entry)
{
	if (entry->least == entry->most)
		table_cell_format(table, "%u", entry->least);
	else
		table_cell_format(table, "%u-%u", entry->least, entry->most);
}

static void set_size(json_t *object, const char *least, const char *most, const struct entry *entry)
{
	json_object_set_new(object, least, json_integer(entry->least));
	json_object_set_new(object, most, json_integer(entry->most));
}

static void metric_group_cells(struct table *table, const struct entry *entry)
{
	const struct plumb_metric_group *group = &entry->spec->metric_groups[entry->index];
	unsigned stage = facts_stage(entry->spec, entry->index);

	table_cell(table, group->name);
	if (stage)
		table_cell_format(table, "%u", stage);
	else
		table_cell(table, NULL);
	size_cell(table, entry);
	table_cell(table, group->title);
}

static json_t *metric_group_object(const struct entry *entry)
{
	const struct plumb_metric_group *group = &entry->spec->metric_groups[entry->index];
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(group->name));
	json_object_set_new(object, "title", render_string(group->title));
	json_object_set_new(object, "stage", render_known(facts_stage(entry->spec, entry->index)));
	set_size(object, "fewest_metrics", "most_metrics", entry);
	return object;
}

static char *metric_group_alike(const struct entry *entry)
{
	return memory_format("%u %s", facts_stage(entry->spec, entry->index),
			     entry->spec->metric_groups[entry->index].title);
}

/* Orders by stage, then by place in the specification. */
static int metric_group_compare(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;
	unsigned first = facts_stage(one->spec, one->index);
	unsigned second = facts_stage(other->spec, other->index);

	if (first != second)
		return first < second ? -1 : 1;
	if (one->spec != other->spec)
		return strcmp(one->spec->id, other->spec->id);
	return one->index < other->index ? -1 : one->index > other->index;
}

static void functional_group_cells(struct table *table, const struct entry *entry)
{
	const struct plumb_functional_group *group = &entry->spec->functional_groups[entry->index];

	table_cell(table, group->name);
	size_cell(table, entry);
	table_cell(table, group->description);
}

static json_t *functional_group_object(const struct entry *entry)
{
	const struct plumb_functional_group *group = &entry->spec->functional_groups[entry->index];
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(group->name));
	json_object_set_new(object, "title", render_string(group->title));
	json_object_set_new(object, "description", render_string(group->description));
	set_size(object, "fewest_events", "most_events", entry);
	return object;
}

static char *functional_group_alike(const struct entry *entry)
{
	const struct plumb_functional_group *group = &entry->spec->functional_groups[entry->index];

	return memory_format("%s\n%s", group->title, group->description);
}

static void known_cell(struct table *table, unsigned number)
{
	if (number)
		table_cell_format(table, "%u", number);
	else
		table_cell(table, NULL);
}

static void cpu_cells(struct table *table, const struct entry *entry)
{
	const struct plumb_product *product = &entry->spec->product;

	table_cell(table, entry->spec->id);
	table_cell_format(table, "0x%08x", plumb_spec_midr(entry->spec));
	table_cell(table, product->architecture);
	known_cell(table, product->slots);
	known_cell(table, product->counters);
	table_cell_format(table, "%u", entry->spec->event_count);
	table_cell_format(table, "%u", entry->spec->metric_count);
	table_cell_format(table, "%u", entry->spec->metric_group_count);
}

static json_t *cpu_object(const struct entry *entry)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(entry->spec->id));
	facts_cpu(object, entry->spec);
	return object;
}

static const struct listing listings[] = {
	{
		.name = "cpus",
		.kind = THING_CPU,
		.columns = {{"NAME", .style = STYLE_NAME},
			    {.heading = "MIDR"},
			    {.heading = "ARCH"},
			    {"SLOTS", .right = true, .drops = true},
			    {"COUNTERS", .right = true, .drops = true},
			    {"EVENTS", .right = true, .drops = true},
			    {"METRICS", .right = true, .drops = true},
			    {"GROUPS", .right = true, .drops = true}},
		.column_count = 8,
		.cells = cpu_cells,
		.object = cpu_object,
	},
	{
		.name = "events",
		.kind = THING_EVENT,
		.count_at = offsetof(struct plumb_spec, event_count),
		.columns = {{"CODE", .style = STYLE_DIM},
			    {"NAME", .style = STYLE_NAME},
			    {"TITLE", .wraps = true},
			    {"CPUS", .right = true, .style = STYLE_DIM}},
		.column_count = 3,
		.cells = event_cells,
		.object = event_object,
		.alike = event_alike,
		.compare = event_compare,
	},
	{
		.name = "metrics",
		.kind = THING_METRIC,
		.count_at = offsetof(struct plumb_spec, metric_count),
		.columns = {{"NAME", .style = STYLE_NAME},
			    {"TITLE", .drops = true},
			    {"UNITS", .wraps = true, .style = STYLE_DIM},
			    {"CPUS", .right = true, .style = STYLE_DIM}},
		.column_count = 3,
		.cells = metric_cells,
		.object = metric_object,
		.alike = metric_alike,
		.compare = metric_compare,
	},
	{
		.name = "groups",
		.kind = THING_METRIC_GROUP,
		.count_at = offsetof(struct plumb_spec, metric_group_count),
		.columns = {{"NAME", .style = STYLE_NAME},
			    {"STAGE", .right = true},
			    {"METRICS", .right = true},
			    {"TITLE", .wraps = true},
			    {"CPUS", .right = true, .style = STYLE_DIM}},
		.column_count = 4,
		.cells = metric_group_cells,
		.object = metric_group_object,
		.alike = metric_group_alike,
		.compare = metric_group_compare,
	},
	{
		.name = "functions",
		.kind = THING_FUNCTIONAL_GROUP,
		.count_at = offsetof(struct plumb_spec, functional_group_count),
		.columns = {{"NAME", .style = STYLE_NAME},
			    {"EVENTS", .right = true},
			    {"DESCRIPTION", .wraps = true},
			    {"CPUS", .right = true, .style = STYLE_DIM}},
		.column_count = 3,
		.cells = functional_group_cells,
		.object = functional_group_object,
		.alike = functional_group_alike,
	},
};

#define LISTING_COUNT (sizeof(listings) / sizeof(*listings))

static unsigned size_of(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index)
{
	if (kind == THING_METRIC_GROUP)
		return spec->metric_groups[index].metrics.count;
	if (kind == THING_FUNCTIONAL_GROUP)
		return spec->functional_groups[index].events.count;
	return 0;
}

static const char *title_of(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index)
{
	switch (kind) {
	case THING_EVENT:
		return spec->events[index].title;
	case THING_METRIC:
		return spec->metrics[index].title;
	case THING_METRIC_GROUP:
		return spec->metric_groups[index].title;
	case THING_FUNCTIONAL_GROUP:
		return spec->functional_groups[index].title;
	case THING_CPU:
		break;
	}
	return spec->product.name;
}

static void add(struct entries *entries, const struct listing *listing, size_t cpu,
		struct entry entry)
{
	unsigned size = size_of(entry.spec, entry.kind, entry.index);
	char *alike = listing->alike ? listing->alike(&entry) : memory_copy("", 0);
	char *key = memory_format("%s\n%s", thing_name(entry.spec, entry.kind, entry.index), alike);
	json_t *position = json_object_get(entries->positions, key);
	struct entry *at;

	if (!position) {
		if (entries->count == entries->room) {
			entries->room *= 2;
			entries->at = memory_resize(entries->at, entries->room, sizeof(entry));
		}
		entries->at[entries->count] = entry;
		entries->at[entries->count].least = size;
		entries->at[entries->count].number = entries->count;
		position = json_integer((json_int_t)entries->count++);
		json_object_set_new_nocheck(entries->positions, key, position);
	}
	at = &entries->at[json_integer_value(position)];
	at->least = size < at->least ? size : at->least;
	at->most = size > at->most ? size : at->most;
	cpu_set_add(&at->on, cpu);
	free(alike);
	free(key);
}

/* qsort() keeps the order of equal entries only while it has the memory to. */
static int compare_entries(const void *a, const void *b, void *listing)
{
	const struct entry *first = a, *second = b;
	int order = ((const struct listing *)listing)->compare(a, b);

	return order                             ? order
	       : first->number == second->number ? 0
	       : first->number < second->number  ? -1
						 : 1;
}

static struct entries collect(const struct listing *listing, const struct cpus *cpus,
			      const struct operands *patterns)
{
	struct entries entries = {
		.at = memory_resize(NULL, 256, sizeof(struct entry)),
		.room = 256,
		.positions = json_object(),
	};

	for (size_t c = 0; c < cpus->count; c++) {
		const struct plumb_spec *spec = cpus->at[c];
		uint16_t count = 1;

		if (listing->kind != THING_CPU)
			memcpy(&count, (const char *)spec + listing->count_at, sizeof(count));
		for (uint16_t i = 0; i < count; i++)
			if (pattern_wants(patterns, thing_name(spec, listing->kind, i),
					  title_of(spec, listing->kind, i)))
				add(&entries, listing, c,
				    (struct entry){listing->kind, spec, i, 0, 0, {{0}}, 0});
	}
	json_decref(entries.positions);
	if (listing->compare)
		qsort_r(entries.at, entries.count, sizeof(*entries.at), compare_entries,
			(void *)(uintptr_t)listing);
	return entries;
}

static void print_json(struct output *out, const struct listing *listing, const struct cpus *cpus,
		       const struct entries *entries)
{
	json_t *object = render_object(), *array = json_array();

	for (size_t i = 0; i < entries->count; i++) {
		json_t *element = listing->object(&entries->at[i]), *on = json_array();

		for (size_t c = 0; c < cpus->count; c++)
			if (cpu_set_has(&entries->at[i].on, c))
				json_array_append_new(on, render_string(cpus->at[c]->id));
		if (listing->kind != THING_CPU)
			json_object_set(element, "cpus", on);
		json_decref(on);
		json_array_append_new(array, element);
	}
	json_object_set_new(object, listing->name, array);
	render_json(out, object);
}

static void print_table(struct output *out, const struct listing *listing, const struct cpus *cpus,
			const struct entries *entries, const struct common_options *options)
{
	bool several = cpus->count > 1 && listing->kind != THING_CPU;
	struct table table = {.columns = listing->columns,
			      .column_count = listing->column_count + several};

	for (size_t i = 0; i < entries->count; i++) {
		listing->cells(&table, &entries->at[i]);
		if (several)
			table_cell_format(&table, "%zu", cpu_set_count(&entries->at[i].on));
	}
	if (options->csv)
		table_print_csv(&table, out, NULL);
	else if (options->separator)
		table_print_separated(&table, out, options->separator);
	else
		table_print(&table, out, 0);
	table_free(&table);
}

static const struct listing *find_listing(const char *name)
{
	struct near near = near_to(name);

	for (size_t i = 0; i < LISTING_COUNT; i++) {
		if (strcmp(listings[i].name, name) == 0)
			return &listings[i];
		near_offer(&near, listings[i].name, listings[i].name);
	}
	complain("cannot list '%s'", name);
	if (!advise_near(&near))
		advise("supported: cpus, events, metrics, groups, functions");
	return NULL;
}

static int list(const struct common_options *options, const struct listing *listing,
		const struct operands *patterns, const struct cpus *cpus)
{
	struct entries entries = collect(listing, cpus, patterns);
	struct output out;
	int status;

	if (entries.count == 0 && patterns->count > 0) {
		complain("no %s match '%s'", listing->name, patterns->at[0]);
		advise("run 'plumb spec list %s' to list them all", listing->name);
		free(entries.at);
		return EXIT_USAGE;
	}
	status = output_open(&out, options);
	if (status == EXIT_FINE) {
		if (options->json)
			print_json(&out, listing, cpus, &entries);
		else
			print_table(&out, listing, cpus, &entries, options);
		status = output_close(&out, EXIT_FINE);
	}
	free(entries.at);
	return status;
}

static const struct option options[] = {
	OPTION_ROW_CPU,    OPTION_ROW_JSON,
	OPTION_ROW_CSV,    OPTION_ROW_SEPARATOR,
	OPTION_ROW_OUTPUT, OPTION_ROW_VERBOSE("print warnings about the file given by --cpu"),
	OPTION_ROW_COLOR,  OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,   {0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands patterns;
	const struct listing *listing = &listings[0];
	struct cpus cpus;
	int status;

	if (!options_parse(command, count, arguments, &values, &patterns, &status))
		return status;
	if (!options_separator(command, &values) || !options_csv(&values))
		return EXIT_USAGE;
	if (patterns.count > 0) {
		listing = find_listing(patterns.at[0]);
		if (!listing)
			return EXIT_USAGE;
		patterns.at++;
		patterns.count--;
	}
	/* Listing CPUs lists all of them, not only this machine's. */
	if (listing->kind == THING_CPU && !values.cpu)
		status = cpus_open_all(&cpus);
	else
		status = cpus_open(&cpus, values.cpu, values.verbose);
	if (status != EXIT_FINE)
		return status;
	status = list(&values, listing, &patterns, &cpus);
	cpus_close(&cpus);
	return status;
}

const struct command command_spec_list = {
	.path = "plumb spec list",
	.name = "list",
	.summary = "list CPUs, events, metrics, metric groups or functional groups",
	.operands = "[cpus|events|metrics|groups|functions] [PATTERN]...",
	.most = OPERANDS_ANY,
	.text = "Lists CPUs by default. A PATTERN selects rows whose name or title contains each "
		"of its words, ignoring case; a PATTERN with *, ? or [ must match the whole name "
		"or title.\n\n"
		"Without --cpu, lists what this machine's CPU has if Plumb supports it. "
		"Otherwise lists what all CPUs have, and the last column shows how many CPUs "
		"have each row.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spec list", "list all supported CPUs"},
			{"plumb spec list events --cpu neoverse-n3 L1D",
			 "list its events about the L1 data cache"},
			{"plumb spec list events 'page walk'",
			 "list events with both words in their name or title"},
			{"plumb spec list metrics -x,", "list all metrics, separated by commas, "
							"for a script"},
			{0},
		},
	.run = run,
};

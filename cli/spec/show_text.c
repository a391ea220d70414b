/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "render/table.h"
#include "tool/join.h"
#include "tool/memory.h"

/* A row of the text: which fact it shows, and how. */
struct row {
	const char *label; /* NULL for a paragraph */
	const char *key;
	const char *within; /* key of an array of objects that have `key`, or NULL */
	enum style style;
	/* Makes the text from several facts; NULL if there is none. The caller frees it. */
	char *(*say)(const json_t *facts);
	/* Prints details under the label when only one CPU is shown. */
	void (*detail)(struct output *out, const struct plumb_spec *spec, uint16_t index);
};

/* A value, and the CPUs that have it. */
struct item {
	char *text;
	struct cpu_set by;
};

struct items {
	struct item *at;
	size_t count, room;
	bool alone; /* there is only one CPU, so no value occurs twice */
};

static void add_item(struct items *items, const char *text, size_t cpu)
{
	struct item *item = NULL;

	for (size_t i = 0; i < items->count && !item && !items->alone; i++)
		if (strcmp(items->at[i].text, text) == 0)
			item = &items->at[i];
	if (!item) {
		if (items->count == items->room) {
			items->room = items->room ? 2 * items->room : 16;
			items->at = memory_resize(items->at, items->room, sizeof(*items->at));
		}
		item = &items->at[items->count++];
		*item = (struct item){.text = memory_copy(text, strlen(text))};
	}
	cpu_set_add(&item->by, cpu);
}

/* Adds each element of an array, the name of an object, or nothing for null. */
static void add_value(struct items *items, const json_t *value, size_t cpu)
{
	if (json_is_array(value)) {
		for (size_t i = 0; i < json_array_size(value); i++)
			add_value(items, json_array_get(value, i), cpu);
	} else if (json_is_object(value)) {
		add_value(items, json_object_get(value, "name"), cpu);
	} else if (json_is_string(value)) {
		add_item(items, json_string_value(value), cpu);
	} else if (json_is_integer(value)) {
		char *text = memory_format("%lld", (long long)json_integer_value(value));

		add_item(items, text, cpu);
		free(text);
	}
}

static void add_row(struct items *items, const struct row *row, const json_t *facts, size_t cpu)
{
	const json_t *objects = row->within ? json_object_get(facts, row->within) : NULL;

	if (row->say) {
		char *text = row->say(facts);

		if (text)
			add_item(items, text, cpu);
		free(text);
	}
	for (size_t i = 0; i < json_array_size(objects); i++)
		add_value(items, json_object_get(json_array_get(objects, i), row->key), cpu);
	if (row->key && !row->within)
		add_value(items, json_object_get(facts, row->key), cpu);
}

static const char *text_of(const json_t *facts, const char *key)
{
	const char *text = json_string_value(json_object_get(facts, key));

	return text ? text : "";
}

static bool is_true(const json_t *facts, const char *key)
{
	return json_is_true(json_object_get(facts, key));
}

static char *say_code(const json_t *facts)
{
	const char *code = text_of(facts, "code");

	return memory_format("%s (perf: r%lx)", code, strtoul(code, NULL, 16));
}

static char *say_origin(const json_t *facts)
{
	return memory_format(
		"%s%s%s%s", is_true(facts, "architecture_defined") ? "the Arm architecture" : "",
		is_true(facts, "architecture_defined") && is_true(facts, "product_defined")
			? " and "
			: "",
		is_true(facts, "product_defined") ? "the product" : "",
		is_true(facts, "debug") ? ", for performance debugging" : "");
}

static char *say_product(const json_t *facts)
{
	return memory_format("%s %s", text_of(facts, "product"), text_of(facts, "revision"));
}

static void print_metrics(struct output *out, const struct plumb_spec *spec, uint16_t index)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true, .style = STYLE_DIM},
		{.wraps = true},
	};
	const struct plumb_indexes metrics = spec->metric_groups[index].metrics;
	struct index_set seen = {0};
	struct table table = {.columns = columns, .column_count = 3};

	for (uint16_t i = 0; i < metrics.count; i++) {
		const struct plumb_metric *metric = &spec->metrics[metrics.at[i]];

		if (!index_set_add(&seen, metrics.at[i]))
			continue;
		table_cell(&table, metric->name);
		table_cell(&table, metric->units);
		table_cell(&table, metric->formula);
	}
	table_print(&table, out, 4);
	table_free(&table);
}

static void print_events(struct output *out, const struct plumb_spec *spec, uint16_t index)
{
	static const struct table_column columns[] = {
		{.style = STYLE_DIM},
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	const struct plumb_indexes events = spec->functional_groups[index].events;
	struct index_set seen = {0};
	struct table table = {.columns = columns, .column_count = 3};

	for (uint16_t i = 0; i < events.count; i++) {
		const struct plumb_event *event = &spec->events[events.at[i]];

		if (!index_set_add(&seen, events.at[i]))
			continue;
		table_cell_format(&table, "0x%04x", event->code);
		table_cell(&table, event->name);
		table_cell(&table, event->title);
	}
	table_print(&table, out, 4);
	table_free(&table);
}

static void print_metric_groups(struct output *out, const struct plumb_spec *spec, uint16_t index)
{
	static const struct table_column columns[] = {
		{"METRIC GROUP", .style = STYLE_NAME},
		{"STAGE", .right = true},
		{"METRICS", .right = true},
		{"TITLE", .wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 4};

	(void)index;
	for (uint16_t g = 0; g < spec->metric_group_count; g++) {
		unsigned stage = facts_stage(spec, g);

		table_cell(&table, spec->metric_groups[g].name);
		if (stage)
			table_cell_format(&table, "%u", stage);
		else
			table_cell(&table, NULL);
		table_cell_format(&table, "%u", spec->metric_groups[g].metrics.count);
		table_cell(&table, spec->metric_groups[g].title);
	}
	table_print(&table, out, 2);
	table_free(&table);
}

static const struct row event_rows[] = {
	{.key = "title"},
	{.key = "description"},
	{.label = "Code", .say = say_code},
	{.label = "Defined by", .say = say_origin},
	{.label = "Seen by", .key = "accesses"},
	{.label = "Functional groups", .key = "functional_groups", .style = STYLE_NAME},
	{.label = "Metrics", .key = "metrics", .style = STYLE_NAME},
	{.label = "Metric groups", .key = "metric_groups", .style = STYLE_NAME},
	{.label = "Sampled for", .key = "sampled_for", .style = STYLE_NAME},
	{0},
};

static const struct row metric_rows[] = {
	{.key = "title"},
	{.key = "description"},
	{.label = "Formula", .key = "formula"},
	{.label = "Units", .key = "units"},
	{.label = "Events", .key = "events", .style = STYLE_NAME},
	{.label = "Sample", .key = "sample_events", .style = STYLE_NAME},
	{.label = "Metric groups", .key = "metric_groups", .style = STYLE_NAME},
	{.label = "Stage", .key = "stage"},
	{.label = "Level in the tree", .key = "level", .within = "nodes"},
	{.label = "Reached from", .key = "reached_from", .within = "nodes", .style = STYLE_NAME},
	{.label = "Leads to", .key = "next_items", .within = "nodes", .style = STYLE_NAME},
	{.label = "Sample at node", .key = "sample_events", .within = "nodes", .style = STYLE_NAME},
	{0},
};

static const struct row metric_group_rows[] = {
	{.key = "title"},
	{.key = "description"},
	{.label = "Stage", .key = "stage"},
	{.label = "Reached from", .key = "reached_from", .style = STYLE_NAME},
	{.label = "Events", .key = "events", .style = STYLE_NAME},
	{.label = "Metrics", .key = "metrics", .style = STYLE_NAME, .detail = print_metrics},
	{0},
};

static const struct row functional_group_rows[] = {
	{.key = "title"},
	{.key = "description"},
	{.label = "Events", .key = "events", .style = STYLE_NAME, .detail = print_events},
	{0},
};

static const struct row cpu_rows[] = {
	{.say = say_product},
	{.label = "MIDR", .key = "midr"},
	{.label = "Architecture", .key = "architecture"},
	{.label = "PMU", .key = "pmu_architecture"},
	{.label = "Slots", .key = "slots"},
	{.label = "Counters", .key = "counters"},
	{.label = "Events", .key = "event_count"},
	{.label = "Metrics", .key = "metric_count"},
	{.label = "Methodologies", .key = "methodologies"},
	{.label = "File", .key = "file"},
	{.label = "Functions", .key = "functional_groups", .style = STYLE_NAME},
	{.label = "", .detail = print_metric_groups},
	{0},
};

static const struct row *rows_of(enum thing_kind kind)
{
	static const struct row *const rows[] = {
		[THING_EVENT] = event_rows,
		[THING_METRIC] = metric_rows,
		[THING_METRIC_GROUP] = metric_group_rows,
		[THING_FUNCTIONAL_GROUP] = functional_group_rows,
		[THING_CPU] = cpu_rows,
	};

	return rows[kind];
}

/* Joins the items that have the same CPUs as item `first`, and marks them in `done`. */
static char *join_said_by_same(const struct items *items, size_t first, bool *done)
{
	struct join texts = {0};

	for (size_t i = first; i < items->count; i++) {
		if (done[i] || !cpu_set_equal(&items->at[i].by, &items->at[first].by))
			continue;
		join_add(&texts, items->at[i].text);
		done[i] = true;
	}
	return join_take(&texts);
}

/* Prints the CPUs that have a value: after it, or on a line of its own if they do not fit. */
static void print_saying(struct output *out, const struct cpus *cpus, const struct thing *thing,
			 const struct cpu_set *by, size_t column, size_t indent)
{
	char *who = cpu_set_text(cpus, by);
	char *text = cpu_set_equal(by, &thing->on) ? memory_copy("[all]", 5)
						   : memory_format("[%s]", who);

	if (output_fits(out, column + 2 + strlen(text))) {
		output_spaces(out, 2);
	} else {
		fputc('\n', out->stream);
		output_spaces(out, indent + 2);
		column = indent;
	}
	output_flow(out, STYLE_DIM, column + 2, indent + 3, text);
	free(text);
	free(who);
}

/*
 * Prints the values, those of the same CPUs together. Unless all CPUs agree, each is followed by
 * its CPUs. Lines begin at `indent`; the cursor is at `column`.
 */
static void print_items(struct output *out, const struct cpus *cpus, const struct thing *thing,
			const struct row *row, const struct items *items, size_t column,
			size_t indent)
{
	bool *done = memory_alloc(items->count * sizeof(*done));
	bool agreed = true;

	for (size_t i = 0; i < items->count; i++)
		agreed = agreed && cpu_set_equal(&items->at[i].by, &thing->on);
	for (size_t i = 0; i < items->count; i++) {
		char *text;

		if (done[i])
			continue;
		text = join_said_by_same(items, i, done);
		column = output_flow(out, row->style, column, indent, text);
		free(text);
		if (!agreed)
			print_saying(out, cpus, thing, &items->at[i].by, column, indent);
		fputc('\n', out->stream);
		column = 0;
	}
	free(done);
}

static void free_items(struct items *items)
{
	for (size_t i = 0; i < items->count; i++)
		free(items->at[i].text);
	free(items->at);
}

static size_t label_width(const struct row *rows)
{
	size_t widest = 0;

	for (; rows->label || rows->key || rows->say; rows++) {
		size_t width = rows->label && !rows->detail ? strlen(rows->label) : 0;

		widest = width > widest ? width : widest;
	}
	return widest;
}

static void print_row(struct output *out, const struct cpus *cpus, const struct thing *thing,
		      const struct row *row, json_t *const *facts, size_t indent)
{
	bool alone = cpu_set_count(&thing->on) == 1;
	struct items items = {.alone = alone};

	if (row->detail && alone) {
		fputc('\n', out->stream);
		if (*row->label) {
			output_format(out, STYLE_HEADING, "  %s", row->label);
			fputc('\n', out->stream);
		}
		for (size_t i = 0; i < cpus->count; i++)
			if (cpu_set_has(&thing->on, i))
				row->detail(out, cpus->at[i], thing->index[i]);
		return;
	}
	for (size_t i = 0; i < cpus->count; i++)
		if (cpu_set_has(&thing->on, i))
			add_row(&items, row, facts[i], i);
	if (items.count > 0 && row->label) {
		output_spaces(out, 2);
		output_text(out, STYLE_HEADING, row->label);
		print_items(out, cpus, thing, row, &items, 2 + strlen(row->label), indent);
	} else if (items.count > 0) {
		print_items(out, cpus, thing, row, &items, 0, 2);
	}
	free_items(&items);
}

static void print_heading(struct output *out, const struct cpus *cpus, const struct thing *thing)
{
	static const char *const kinds[] = {
		[THING_EVENT] = "event",
		[THING_METRIC] = "metric",
		[THING_METRIC_GROUP] = "metric group",
		[THING_FUNCTIONAL_GROUP] = "functional group",
		[THING_CPU] = "CPU",
	};
	size_t column = strlen(thing->name) + strlen(kinds[thing->kind]) + 3;
	char *on = cpu_set_text(cpus, &thing->on);

	output_text(out, STYLE_HEADING, thing->name);
	output_format(out, STYLE_DIM, ", %s", kinds[thing->kind]);
	if (thing->kind == THING_CPU) {
		fputc('\n', out->stream);
	} else {
		output_text(out, STYLE_DIM, " of ");
		output_wrapped(out, STYLE_DIM, column + 3, 4, on);
	}
	free(on);
}

void spec_show_text(struct output *out, const struct cpus *cpus, const struct thing *thing)
{
	const struct row *rows = rows_of(thing->kind);
	size_t indent = 2 + label_width(rows) + 2;
	json_t *facts[CPUS_MAX] = {0};

	for (size_t i = 0; i < cpus->count; i++)
		if (cpu_set_has(&thing->on, i))
			facts[i] = thing_facts(cpus->at[i], thing->kind, thing->index[i]);
	print_heading(out, cpus, thing);
	for (const struct row *row = rows; row->label || row->key || row->say; row++) {
		print_row(out, cpus, thing, row, facts, indent);
		if (!row->label)
			fputc('\n', out->stream);
	}
	for (size_t i = 0; i < cpus->count; i++)
		json_decref(facts[i]);
}

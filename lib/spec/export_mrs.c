/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arm's machine-readable telemetry specification, schema v1.0. The order of members and the format
 * of codes are those of Arm's files for the Neoverse cores, so that reading and writing such a file
 * reproduces it byte for byte. Arm's other files differ in some details.
 */
#include "spec/exporter.h"

#include "base/json_write.h"

/* Formats a number as the files do: "0x41". */
static bool put_hex(json_t *object, const char *key, unsigned number, int digits)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%0*x", digits, number);
	return json_put_text(object, key, text);
}

/* Most of those files write codes in capitals. */
static bool put_code(json_t *json, uint16_t code)
{
	char text[8];

	snprintf(text, sizeof(text), "0x%04X", code);
	return json_put_text(json, "code", text);
}

static bool put_decimal(json_t *object, const char *key, unsigned number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return json_put_text(object, key, text);
}

static json_t *document_json(const struct plumb_document *document)
{
	json_t *json = json_object();
	bool ok = json != NULL;

	ok &= json_put_text(json, "timestamp", document->timestamp);
	ok &= json_put_text(json, "copyright", document->copyright);
	ok &= json_put(json, "confidential", json_boolean(document->confidential));
	ok &= json_put_text(json, "quality", document->quality);
	ok &= json_put_text(json, "license", document->license);
	ok &= json_put_text(json, "description", document->description);
	if (document->revision)
		ok &= json_put_text(json, "revision", document->revision);
	if (document->sha1)
		ok &= json_put_text(json, "sha1", document->sha1);
	return json_if(ok, json);
}

static json_t *product_json(const struct plumb_product *product)
{
	json_t *json = json_object();
	bool ok = json != NULL;

	ok &= json_put_text(json, "product_name", product->name);
	ok &= put_hex(json, "part_num", product->part, 3);
	ok &= put_decimal(json, "major_revision", product->major_revision);
	ok &= put_decimal(json, "minor_revision", product->minor_revision);
	ok &= put_hex(json, "implementer", product->implementer, 2);
	ok &= json_put_text(json, "architecture", product->architecture);
	ok &= json_put_text(json, "pmu_architecture", product->pmu_architecture);
	ok &= json_put(json, "num_slots", json_integer(product->slots));
	ok &= json_put(json, "num_bus_slots", json_integer(product->bus_slots));
	if (product->counters) /* not in Arm's files, but the schema allows it */
		ok &= json_put(json, "num_counters", json_integer(product->counters));
	return json_if(ok, json);
}

static json_t *event_json(const struct plumb_event *event)
{
	json_t *json = json_object();
	json_t *accesses = json_array();
	bool ok = json && accesses;

	if (event->accesses & PLUMB_ACCESS_PMU)
		ok &= json_add_text(accesses, "PMU");
	if (event->accesses & PLUMB_ACCESS_ETE)
		ok &= json_add_text(accesses, "ETE");
	ok &= put_code(json, event->code);
	ok &= json_put_text(json, "title", event->title);
	ok &= json_put_text(json, "description", event->description);
	ok &= json_put(json, "accesses", accesses);
	ok &= json_put(json, "architecture_defined", json_boolean(event->architecture_defined));
	ok &= json_put(json, "product_defined", json_boolean(event->product_defined));
	if (event->has_attributes)
		ok &= json_put(json, "product_defined_attributes",
			       json_pack("{s:b}", "debug", event->debug));
	return json_if(ok, json);
}

/* Writes a list of indexes as names. */
static json_t *names_json(const struct plumb_spec *spec, export_name_of *name_of,
			  struct plumb_indexes list)
{
	json_t *json = json_array();
	bool ok = json != NULL;

	for (uint16_t i = 0; i < list.count; i++)
		ok &= json_add_text(json, name_of(spec, list.at[i]));
	return json_if(ok, json);
}

static json_t *metric_json(const struct plumb_spec *spec, const struct plumb_metric *metric)
{
	json_t *json = json_object();
	bool ok = json != NULL;

	ok &= json_put_text(json, "title", metric->title);
	ok &= json_put_text(json, "formula", metric->formula);
	ok &= json_put_text(json, "description", metric->description);
	ok &= json_put_text(json, "units", metric->units);
	ok &= json_put(json, "events", names_json(spec, export_event, metric->events));
	ok &= json_put(json, "sample_events",
		       names_json(spec, export_event, metric->sample_events));
	return json_if(ok, json);
}

static json_t *group_json(const char *title, const char *description, const char *key,
			  json_t *members)
{
	json_t *json = json_object();
	bool ok = json != NULL;

	ok &= json_put_text(json, "title", title);
	ok &= json_put_text(json, "description", description);
	ok &= json_put(json, key, members);
	return json_if(ok, json);
}

static json_t *groups_json(const struct plumb_spec *spec)
{
	json_t *json = json_object();
	json_t *functions = json_object();
	json_t *metrics = json_object();
	bool ok = json && functions && metrics;

	for (uint16_t i = 0; i < spec->functional_group_count; i++) {
		const struct plumb_functional_group *group = &spec->functional_groups[i];

		ok &= json_put(functions, group->name,
			       group_json(group->title, group->description, "events",
					  names_json(spec, export_event, group->events)));
	}
	for (uint16_t i = 0; i < spec->metric_group_count; i++) {
		const struct plumb_metric_group *group = &spec->metric_groups[i];

		ok &= json_put(metrics, group->name,
			       group_json(group->title, group->description, "metrics",
					  names_json(spec, export_metric, group->metrics)));
	}
	ok &= json_put(json, "function", functions);
	ok &= json_put(json, "metrics", metrics);
	return json_if(ok, json);
}

static json_t *node_json(const struct plumb_spec *spec, const struct plumb_node *node)
{
	json_t *json = json_object();
	json_t *next = json_array();
	bool ok = json && next;

	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];

		ok &= json_add_text(next, item->kind == PLUMB_ITEM_METRIC
						  ? spec->metrics[item->index].name
						  : spec->metric_groups[item->index].name);
	}
	ok &= json_put_text(json, "name", spec->metrics[node->metric].name);
	ok &= json_put_text(json, "group", spec->metric_groups[node->group].name);
	ok &= json_put(json, "next_items", next);
	ok &= json_put(json, "sample_events", names_json(spec, export_event, node->sample_events));
	return json_if(ok, json);
}

static json_t *tree_json(const struct plumb_spec *spec, const struct plumb_methodology *methodology)
{
	json_t *json = json_object();
	json_t *roots = json_array();
	json_t *nodes = json_array();
	bool ok = json && roots && nodes;

	for (uint16_t i = 0; i < methodology->roots.count; i++) {
		uint16_t metric = methodology->nodes[methodology->roots.at[i]].metric;

		ok &= json_add_text(roots, spec->metrics[metric].name);
	}
	for (uint16_t i = 0; i < methodology->node_count; i++)
		ok &= json_add(nodes, node_json(spec, &methodology->nodes[i]));
	ok &= json_put(json, "root_nodes", roots);
	ok &= json_put(json, "metrics", nodes);
	return json_if(ok, json);
}

static json_t *methodology_json(const struct plumb_spec *spec,
				const struct plumb_methodology *methodology)
{
	json_t *json = json_object();
	json_t *stages = json_object();
	bool ok = json && stages;

	for (uint16_t i = 0; i < methodology->stage_count; i++) {
		const struct plumb_stage *stage = &methodology->stages[i];

		ok &= json_put(stages, stage->name,
			       names_json(spec, export_metric_group, stage->groups));
	}
	ok &= json_put_text(json, "title", methodology->title);
	ok &= json_put_text(json, "description", methodology->description);
	ok &= json_put(json, "metric_grouping", stages);
	ok &= json_put(json, "decision_tree", tree_json(spec, methodology));
	return json_if(ok, json);
}

static json_t *spec_json(const struct plumb_spec *spec)
{
	json_t *json = json_object();
	json_t *events = json_object();
	json_t *metrics = json_object();
	json_t *methodologies = json_object();
	bool ok = json && events && metrics && methodologies;

	for (uint16_t i = 0; i < spec->event_count; i++)
		ok &= json_put(events, spec->events[i].name, event_json(&spec->events[i]));
	for (uint16_t i = 0; i < spec->metric_count; i++)
		ok &= json_put(metrics, spec->metrics[i].name,
			       metric_json(spec, &spec->metrics[i]));
	for (uint16_t i = 0; i < spec->methodology_count; i++)
		ok &= json_put(methodologies, spec->methodologies[i].name,
			       methodology_json(spec, &spec->methodologies[i]));
	ok &= json_put_text(json, "$schema", "v1.0.schema.json");
	ok &= json_put(json, "document", document_json(&spec->document));
	ok &= json_put(json, "product_configuration", product_json(&spec->product));
	ok &= json_put(json, "events", events);
	ok &= json_put(json, "metrics", metrics);
	ok &= json_put(json, "groups", groups_json(spec));
	ok &= json_put(json, "methodologies", methodologies);
	return json_if(ok, json);
}

static int mrs_part(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX])
{
	return export_single_part(spec, ".json", i, name);
}

static int mrs_write(const struct plumb_spec *spec, size_t part, FILE *out,
		     struct plumb_diagnostics *diagnostics)
{
	json_t *json = spec_json(spec);
	int result;

	(void)part;
	(void)diagnostics;
	if (!json)
		return PLUMB_ERR_NO_MEMORY;
	result = json_write(json, out);
	json_decref(json);
	return result;
}

const struct exporter export_mrs = {
	{"mrs", "Arm's machine-readable specification (JSON)"},
	mrs_part,
	mrs_write,
};

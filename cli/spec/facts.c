/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/index_set.h"
#include "render/json.h"
#include "tool/memory.h"

const char *thing_kind_name(enum thing_kind kind)
{
	static const char *const names[] = {
		[THING_EVENT] = "event",
		[THING_METRIC] = "metric",
		[THING_METRIC_GROUP] = "metric_group",
		[THING_FUNCTIONAL_GROUP] = "functional_group",
		[THING_CPU] = "cpu",
	};

	return names[kind];
}

const char *thing_name(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index)
{
	switch (kind) {
	case THING_EVENT:
		return spec->events[index].name;
	case THING_METRIC:
		return spec->metrics[index].name;
	case THING_METRIC_GROUP:
		return spec->metric_groups[index].name;
	case THING_FUNCTIONAL_GROUP:
		return spec->functional_groups[index].name;
	case THING_CPU:
		break;
	}
	return spec->id;
}

unsigned facts_stage(const struct plumb_spec *spec, uint16_t metric_group)
{
	unsigned lowest = 0;

	for (uint16_t m = 0; m < spec->methodology_count; m++) {
		unsigned stage = plumb_methodology_stage(&spec->methodologies[m], metric_group);

		if (stage && (!lowest || stage < lowest))
			lowest = stage;
	}
	return lowest;
}

const char *facts_revision(const struct plumb_spec *spec, char text[REVISION_SIZE])
{
	snprintf(text, REVISION_SIZE, "r%up%u", spec->product.major_revision,
		 spec->product.minor_revision);
	return text;
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, render_string(text));
}

static json_t *code_text(unsigned code)
{
	return json_sprintf("0x%04x", code);
}

/* Returns the names of the things of `kind` in `indexes`: each once, in that order. */
static json_t *names(const struct plumb_spec *spec, enum thing_kind kind,
		     struct plumb_indexes indexes)
{
	struct index_set seen = {0};
	json_t *array = json_array();

	for (uint16_t i = 0; i < indexes.count; i++)
		if (index_set_add(&seen, indexes.at[i]))
			json_array_append_new(array,
					      render_string(thing_name(spec, kind, indexes.at[i])));
	return array;
}

/* Any of the library's cross-reference functions. */
typedef size_t cross_reference(const struct plumb_spec *spec, uint16_t index, uint16_t *out,
			       size_t room);

static json_t *referring(const struct plumb_spec *spec, uint16_t index, cross_reference *query,
			 enum thing_kind kind)
{
	size_t count = query(spec, index, NULL, 0);
	uint16_t *found = memory_resize(NULL, count, sizeof(*found));
	struct plumb_indexes indexes = {found, (uint16_t)query(spec, index, found, count)};
	json_t *array = names(spec, kind, indexes);

	free(found);
	return array;
}

/* Returns the metrics whose nodes lead to a metric or metric group. */
static json_t *leading_to(const struct plumb_spec *spec, const struct plumb_methodology *m,
			  enum plumb_item_kind kind, uint16_t index)
{
	size_t count = plumb_methodology_leading_to(m, kind, index, NULL, 0);
	uint16_t *found = memory_resize(NULL, count, sizeof(*found));
	struct plumb_indexes indexes = {found, (uint16_t)count};
	json_t *array;

	plumb_methodology_leading_to(m, kind, index, found, count);
	for (size_t i = 0; i < count; i++)
		found[i] = m->nodes[found[i]].metric;
	array = names(spec, THING_METRIC, indexes);
	free(found);
	return array;
}

static json_t *next_items(const struct plumb_spec *spec, const struct plumb_node *node)
{
	json_t *array = json_array();

	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];
		enum thing_kind kind =
			item->kind == PLUMB_ITEM_METRIC ? THING_METRIC : THING_METRIC_GROUP;
		json_t *object = json_object();

		set_text(object, "kind", thing_kind_name(kind));
		set_text(object, "name", thing_name(spec, kind, item->index));
		json_array_append_new(array, object);
	}
	return array;
}

uint16_t *facts_levels(const struct plumb_methodology *methodology)
{
	uint16_t *levels = memory_resize(NULL, methodology->node_count, sizeof(*levels));

	plumb_methodology_levels(methodology, levels);
	return levels;
}

json_t *facts_node(const struct plumb_spec *spec, const struct plumb_methodology *methodology,
		   uint16_t node_index, unsigned level)
{
	const struct plumb_node *node = &methodology->nodes[node_index];
	json_t *object = json_object();

	set_text(object, "methodology", methodology->name);
	set_text(object, "metric", spec->metrics[node->metric].name);
	set_text(object, "group", spec->metric_groups[node->group].name);
	set(object, "level", render_known(level));
	set(object, "reached_from", leading_to(spec, methodology, PLUMB_ITEM_METRIC, node->metric));
	set(object, "next_items", next_items(spec, node));
	set(object, "sample_events", names(spec, THING_EVENT, node->sample_events));
	return object;
}

static void event_facts(json_t *object, const struct plumb_spec *spec, uint16_t index)
{
	const struct plumb_event *event = &spec->events[index];
	json_t *accesses = json_array();

	if (event->accesses & PLUMB_ACCESS_PMU)
		json_array_append_new(accesses, json_string("PMU"));
	if (event->accesses & PLUMB_ACCESS_ETE)
		json_array_append_new(accesses, json_string("ETE"));
	set(object, "code", code_text(event->code));
	set_text(object, "title", event->title);
	set_text(object, "description", event->description);
	set(object, "accesses", accesses);
	set(object, "architecture_defined", json_boolean(event->architecture_defined));
	set(object, "product_defined", json_boolean(event->product_defined));
	set(object, "debug", event->has_attributes ? json_boolean(event->debug) : json_null());
	set(object, "functional_groups",
	    referring(spec, index, plumb_spec_functions_of_event, THING_FUNCTIONAL_GROUP));
	set(object, "metrics", referring(spec, index, plumb_spec_metrics_of_event, THING_METRIC));
	set(object, "metric_groups",
	    referring(spec, index, plumb_spec_groups_of_event, THING_METRIC_GROUP));
	set(object, "sampled_for",
	    referring(spec, index, plumb_spec_metrics_sampling_event, THING_METRIC));
}

/* Returns the lowest stage of a metric's groups, or 0 if none has a stage. */
static unsigned metric_stage(const struct plumb_spec *spec, uint16_t metric)
{
	size_t count = plumb_spec_groups_of_metric(spec, metric, NULL, 0);
	uint16_t *groups = memory_resize(NULL, count, sizeof(*groups));
	unsigned lowest = 0;

	plumb_spec_groups_of_metric(spec, metric, groups, count);
	for (size_t i = 0; i < count; i++) {
		unsigned stage = facts_stage(spec, groups[i]);

		if (stage && (!lowest || stage < lowest))
			lowest = stage;
	}
	free(groups);
	return lowest;
}

static void metric_facts(json_t *object, const struct plumb_spec *spec, uint16_t index)
{
	const struct plumb_metric *metric = &spec->metrics[index];
	json_t *nodes = json_array();

	for (uint16_t m = 0; m < spec->methodology_count; m++) {
		const struct plumb_methodology *methodology = &spec->methodologies[m];
		uint16_t node = plumb_methodology_node(methodology, index);

		if (node != PLUMB_NONE)
			json_array_append_new(
				nodes, facts_node(spec, methodology, node,
						  plumb_methodology_level(methodology, node)));
	}
	set_text(object, "title", metric->title);
	set_text(object, "description", metric->description);
	set(object, "stage", render_known(metric_stage(spec, index)));
	set_text(object, "formula", metric->formula);
	set_text(object, "units", metric->units);
	set(object, "events", names(spec, THING_EVENT, metric->events));
	set(object, "sample_events", names(spec, THING_EVENT, metric->sample_events));
	set(object, "metric_groups",
	    referring(spec, index, plumb_spec_groups_of_metric, THING_METRIC_GROUP));
	set(object, "nodes", nodes);
}

static void metric_group_facts(json_t *object, const struct plumb_spec *spec, uint16_t index)
{
	const struct plumb_metric_group *group = &spec->metric_groups[index];
	json_t *reached_from = json_array();

	for (uint16_t m = 0; m < spec->methodology_count; m++) {
		json_t *some =
			leading_to(spec, &spec->methodologies[m], PLUMB_ITEM_METRIC_GROUP, index);

		json_array_extend(reached_from, some);
		json_decref(some);
	}
	set_text(object, "title", group->title);
	set_text(object, "description", group->description);
	set(object, "stage", render_known(facts_stage(spec, index)));
	set(object, "metrics", names(spec, THING_METRIC, group->metrics));
	set(object, "events", referring(spec, index, plumb_spec_events_of_group, THING_EVENT));
	set(object, "reached_from", reached_from);
}

static void functional_group_facts(json_t *object, const struct plumb_spec *spec, uint16_t index)
{
	const struct plumb_functional_group *group = &spec->functional_groups[index];

	set_text(object, "title", group->title);
	set_text(object, "description", group->description);
	set(object, "events", names(spec, THING_EVENT, group->events));
}

static json_t *document_facts(const struct plumb_document *document)
{
	json_t *object = json_object();

	set_text(object, "description", document->description);
	set_text(object, "timestamp", document->timestamp);
	set_text(object, "quality", document->quality);
	set_text(object, "license", document->license);
	set_text(object, "copyright", document->copyright);
	set_text(object, "revision", document->revision);
	set_text(object, "sha1", document->sha1);
	set(object, "confidential", json_boolean(document->confidential));
	return object;
}

void facts_cpu(json_t *object, const struct plumb_spec *spec)
{
	const struct plumb_product *product = &spec->product;
	char revision[REVISION_SIZE];

	set_text(object, "product", product->name);
	set_text(object, "revision", facts_revision(spec, revision));
	set(object, "midr", json_sprintf("0x%08x", plumb_spec_midr(spec)));
	set_text(object, "architecture", product->architecture);
	set_text(object, "pmu_architecture", product->pmu_architecture);
	set(object, "slots", render_known(product->slots));
	set(object, "bus_slots", render_known(product->bus_slots));
	set(object, "counters", render_known(product->counters));
	set(object, "event_count", json_integer(spec->event_count));
	set(object, "metric_count", json_integer(spec->metric_count));
	set(object, "metric_group_count", json_integer(spec->metric_group_count));
	set(object, "functional_group_count", json_integer(spec->functional_group_count));
}

static void cpu_facts(json_t *object, const struct plumb_spec *spec)
{
	json_t *groups = json_array(), *functions = json_array(), *methodologies = json_array();

	for (uint16_t g = 0; g < spec->metric_group_count; g++)
		json_array_append_new(groups, render_string(spec->metric_groups[g].name));
	for (uint16_t g = 0; g < spec->functional_group_count; g++)
		json_array_append_new(functions, render_string(spec->functional_groups[g].name));
	for (uint16_t m = 0; m < spec->methodology_count; m++)
		json_array_append_new(methodologies, render_string(spec->methodologies[m].name));
	facts_cpu(object, spec);
	set(object, "metric_groups", groups);
	set(object, "functional_groups", functions);
	set(object, "methodologies", methodologies);
	set_text(object, "file", spec->file);
	set(object, "document", document_facts(&spec->document));
}

json_t *thing_facts(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index)
{
	json_t *object = json_object();

	set_text(object, "kind", thing_kind_name(kind));
	set_text(object, "name", thing_name(spec, kind, index));
	set_text(object, "cpu", spec->id);
	switch (kind) {
	case THING_EVENT:
		event_facts(object, spec, index);
		break;
	case THING_METRIC:
		metric_facts(object, spec, index);
		break;
	case THING_METRIC_GROUP:
		metric_group_facts(object, spec, index);
		break;
	case THING_FUNCTIONAL_GROUP:
		functional_group_facts(object, spec, index);
		break;
	case THING_CPU:
		cpu_facts(object, spec);
		break;
	}
	return object;
}

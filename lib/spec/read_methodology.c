/* SPDX-License-Identifier: Apache-2.0 */
/* Reads methodologies: stages and decision trees. */
#include "base/quote.h"
#include "spec/read_mrs.h"

static const struct member methodology_members[] = {
	{"title", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"metric_grouping", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"decision_tree", MEMBER_OBJECT | MEMBER_REQUIRED},
};

static const struct member tree_members[] = {
	{"root_nodes", MEMBER_ARRAY | MEMBER_REQUIRED},
	{"metrics", MEMBER_ARRAY | MEMBER_REQUIRED},
};

static const struct member node_members[] = {
	{"name", MEMBER_STRING | MEMBER_REQUIRED},
	{"group", MEMBER_STRING | MEMBER_REQUIRED},
	{"next_items", MEMBER_ARRAY | MEMBER_REQUIRED},
	{"sample_events", MEMBER_ARRAY | MEMBER_REQUIRED},
};

static int read_stage(struct reader *reader, const json_t *json, void *element, uint8_t *known)
{
	struct plumb_stage *stage = element;

	(void)known;
	if (!json_is_array(json)) {
		read_wrong_type(reader, json, MEMBER_ARRAY);
		return 0;
	}
	return read_references(reader, json, &reader->metric_groups, finding_unknown_group,
			       &stage->groups);
}

/* Reads a next item: a metric or a metric group. */
static void read_next_item(struct reader *reader, const json_t *json, struct plumb_next_item *item)
{
	const struct section *metrics = &reader->metrics, *groups = &reader->metric_groups;
	const char *name = json_string_value(json);
	char quoted[QUOTE_ROOM];

	*item = (struct plumb_next_item){PLUMB_ITEM_METRIC, PLUMB_NONE};
	if (!name) {
		read_wrong_type(reader, json, MEMBER_STRING);
		return;
	}
	item->index = named_find(&metrics->named, metrics->order, name);
	if (item->index != PLUMB_NONE)
		return;
	item->index = named_find(&groups->named, groups->order, name);
	if (item->index != PLUMB_NONE)
		item->kind = PLUMB_ITEM_METRIC_GROUP;
	else if (!metrics->unknown && !groups->unknown)
		report_add(&reader->report, finding_unknown_item,
			   "\"%s\" is neither a metric nor a metric group", quote(quoted, name));
}

static int read_next_items(struct reader *reader, const json_t *json, struct plumb_node *node)
{
	const json_t *array = json_object_get(json, "next_items");
	struct plumb_next_item *items;

	if (!json_is_array(array))
		return 0;
	report_enter(&reader->report, "next_items");
	node->next_item_count = read_count(reader, array);
	items = arena_alloc_array(reader->arena, node->next_item_count, sizeof(*items));
	if (!items)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		report_enter_element(&reader->report, i);
		read_next_item(reader, json_array_get(array, i), &items[i]);
		report_leave(&reader->report, 1);
	}
	node->next_items = items;
	report_leave(&reader->report, 1);
	return 0;
}

/* Reads a member that names one thing. */
static uint16_t read_member_reference(struct reader *reader, const json_t *json, const char *name,
				      const struct section *target, enum finding_kind unknown)
{
	const json_t *value = json_object_get(json, name);
	uint16_t index;

	if (!json_is_string(value))
		return PLUMB_NONE;
	report_enter(&reader->report, name);
	index = read_reference(reader, value, target, unknown);
	report_leave(&reader->report, 1);
	return index;
}

static int read_node(struct reader *reader, const json_t *json, struct plumb_node *node)
{
	int err;

	node->metric = node->group = PLUMB_NONE;
	if (!read_members(reader, json, node_members, COUNT(node_members)))
		return 0;
	node->metric = read_member_reference(reader, json, "name", &reader->metrics,
					     finding_unknown_metric);
	node->group = read_member_reference(reader, json, "group", &reader->metric_groups,
					    finding_unknown_group);
	err = read_next_items(reader, json, node);
	return err ? err
		   : read_list(reader, json, "sample_events", &reader->events,
			       finding_unknown_event, &node->sample_events);
}

static int read_nodes(struct reader *reader, const json_t *tree,
		      struct plumb_methodology *methodology)
{
	const json_t *array = json_object_get(tree, "metrics");
	struct plumb_node *nodes;
	int err = 0;

	if (!json_is_array(array))
		return 0;
	report_enter(&reader->report, "metrics");
	methodology->node_count = read_count(reader, array);
	methodology->nodes = nodes =
		arena_alloc_array(reader->arena, methodology->node_count, sizeof(*nodes));
	if (!nodes)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; !err && i < methodology->node_count; i++) {
		report_enter_element(&reader->report, i);
		err = read_node(reader, json_array_get(array, i), &nodes[i]);
		report_leave(&reader->report, 1);
	}
	report_leave(&reader->report, 1);
	return err;
}

/*
 * Reads the roots. A file names them by metric; in memory they are nodes. `reader->nodes` maps each
 * metric to its node in this tree; all are PLUMB_NONE between trees.
 */
static int read_roots(struct reader *reader, const json_t *tree,
		      struct plumb_methodology *methodology)
{
	struct plumb_indexes *roots = &methodology->roots;
	int err = read_list(reader, tree, "root_nodes", &reader->metrics, finding_unknown_metric,
			    roots);
	uint16_t *at = (uint16_t *)(uintptr_t)roots->at;
	char quoted[QUOTE_ROOM];

	if (err)
		return err;
	for (uint16_t n = methodology->node_count; n-- > 0;)
		if (methodology->nodes[n].metric != PLUMB_NONE)
			reader->nodes[methodology->nodes[n].metric] = n;
	report_enter(&reader->report, "root_nodes");
	for (uint16_t i = 0; i < roots->count; i++) {
		uint16_t metric = at[i];

		if (metric == PLUMB_NONE)
			continue;
		at[i] = reader->nodes[metric];
		if (at[i] != PLUMB_NONE)
			continue;
		report_enter_element(&reader->report, i);
		report_add(&reader->report, finding_unknown_node, "the tree has no node for %s",
			   quote(quoted, named_at(&reader->metrics.named, metric)));
		report_leave(&reader->report, 1);
	}
	report_leave(&reader->report, 1);
	for (uint16_t n = 0; n < methodology->node_count; n++)
		if (methodology->nodes[n].metric != PLUMB_NONE)
			reader->nodes[methodology->nodes[n].metric] = PLUMB_NONE;
	return 0;
}

static int read_tree(struct reader *reader, const json_t *tree,
		     struct plumb_methodology *methodology)
{
	int err;

	if (!json_is_object(tree))
		return 0;
	read_members(reader, tree, tree_members, COUNT(tree_members));
	err = read_nodes(reader, tree, methodology);
	return err ? err : read_roots(reader, tree, methodology);
}

static int read_methodology(struct reader *reader, const json_t *json, void *element,
			    uint8_t *known)
{
	struct plumb_methodology *methodology = element;
	struct section stages;
	int err;

	(void)known;
	read_members(reader, json, methodology_members, COUNT(methodology_members));
	err = read_prose(reader, json, &methodology->title, &methodology->description);
	if (err)
		return err;
	report_enter(&reader->report, "metric_grouping");
	err = read_section(reader, json_object_get(json, "metric_grouping"),
			   sizeof(struct plumb_stage), read_stage, &stages);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	methodology->stages = stages.named.elements;
	methodology->stage_count = stages.named.count;
	report_enter(&reader->report, "decision_tree");
	err = read_tree(reader, json_object_get(json, "decision_tree"), methodology);
	report_leave(&reader->report, 1);
	return err;
}

int read_methodologies(struct reader *reader, const json_t *root)
{
	uint16_t metrics = reader->metrics.named.count;
	struct section methodologies;
	int err;

	reader->nodes = arena_alloc_array(&reader->scratch, metrics, sizeof(*reader->nodes));
	if (!reader->nodes)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < metrics; i++)
		reader->nodes[i] = PLUMB_NONE;
	report_enter(&reader->report, "methodologies");
	err = read_section(reader, json_object_get(root, "methodologies"),
			   sizeof(struct plumb_methodology), read_methodology, &methodologies);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	reader->spec->methodologies = methodologies.named.elements;
	reader->spec->methodology_count = methodologies.named.count;
	return 0;
}

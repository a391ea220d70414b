/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a methodology: its stages, and that its decision tree is a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "spec/check.h"

/* Checks a stage's metric groups as check_list() does, and that no earlier stage has them. */
static void check_stage(struct check *check, const struct plumb_stage *stage, uint32_t first_list)
{
	char name[QUOTE_ROOM];

	check->list++;
	for (uint16_t i = 0; i < stage->groups.count; i++) {
		uint16_t group = stage->groups.at[i];

		report_enter_element(check->report, i);
		if (group < check->metric_groups.count && check->group_seen[group] >= first_list &&
		    check->group_seen[group] < check->list)
			report_add(check->report, finding_two_stages,
				   "%s is already in an earlier stage",
				   quote(name, named_at(&check->metric_groups, group)));
		check_item(check, group, &check->metric_groups, check->group_seen);
		report_leave(check->report, 1);
	}
}

static int check_stages(struct check *check, const struct plumb_methodology *methodology)
{
	struct named stages = NAMED(methodology->stages, methodology->stage_count);
	uint32_t first_list = check->list + 1;
	int err;

	report_enter(check->report, "metric_grouping");
	err = check_names(check, &stages);
	for (uint16_t i = 0; !err && i < methodology->stage_count; i++) {
		report_enter(check->report, methodology->stages[i].name);
		check_stage(check, &methodology->stages[i], first_list);
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
	return err;
}

/* A decision tree being walked. Nodes are numbered by their place in `nodes`. */
struct tree {
	struct check *check;
	const struct plumb_node *nodes;
	uint16_t count;
	uint32_t number; /* number of the methodology, from 1 */
	bool whole;      /* everything it refers to exists */
	struct walk {
		enum {
			NEW,
			OPEN,
			DONE
		} state;       /* OPEN: on the path from the root to the current node */
		uint16_t from; /* the previous node on the path */
		uint16_t item; /* the next item to visit */
	} * walks;             /* indexed by node */
};

static const char *node_name(const struct tree *tree, uint16_t node)
{
	uint16_t metric = tree->nodes[node].metric;

	return metric < tree->check->metrics.count ? named_at(&tree->check->metrics, metric) : "?";
}

/* Returns the node of a metric, or PLUMB_NONE if it has none and so ends a path. */
static uint16_t node_of(const struct tree *tree, uint16_t metric)
{
	const struct check *check = tree->check;

	if (metric >= check->metrics.count || check->node_methodology[metric] != tree->number)
		return PLUMB_NONE;
	return check->node[metric];
}

static void check_node_group(struct tree *tree, const struct plumb_node *node)
{
	struct check *check = tree->check;
	struct plumb_indexes metrics;
	char name[QUOTE_ROOM];

	report_enter(check->report, "group");
	if (check_index(check, node->group, &check->metric_groups) &&
	    node->metric < check->metrics.count) {
		metrics = check->group_sorted[node->group];
		if (!bsearch(&node->metric, metrics.at, metrics.count, sizeof(*metrics.at),
			     compare_indexes))
			report_add(check->report, finding_node_outside_group,
				   "metric group %s does not contain the node's metric",
				   quote(name, named_at(&check->metric_groups, node->group)));
	}
	report_leave(check->report, 1);
}

static void check_next_items(struct tree *tree, const struct plumb_node *node)
{
	struct check *check = tree->check;

	report_enter(check->report, "next_items");
	check->list++;
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];
		bool metric = item->kind == PLUMB_ITEM_METRIC;

		report_enter_element(check->report, i);
		if (!check_item(check, item->index,
				metric ? &check->metrics : &check->metric_groups,
				metric ? check->metric_seen : check->group_seen))
			tree->whole = false;
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
}

static void check_node(struct tree *tree, uint16_t n)
{
	const struct plumb_node *node = &tree->nodes[n];
	struct check *check = tree->check;
	char name[QUOTE_ROOM];

	report_enter(check->report, "name");
	if (!check_index(check, node->metric, &check->metrics)) {
		tree->whole = false;
	} else if (node_of(tree, node->metric) != PLUMB_NONE) {
		report_add(check->report, finding_duplicate_node, "metric %s already has node /%u",
			   quote(name, node_name(tree, n)), node_of(tree, node->metric));
		report_hint(check->report, "merge the two nodes");
	} else {
		check->node_methodology[node->metric] = tree->number;
		check->node[node->metric] = n;
	}
	report_leave(check->report, 1);
	check_node_group(tree, node);
	check_next_items(tree, node);
	report_enter(check->report, "sample_events");
	check_list(check, node->sample_events, &check->events, check->event_seen);
	report_leave(check->report, 1);
}

/* Writes the nodes of a cycle as "a > b > c > a"; a long cycle shows only the last ones. */
static void describe_cycle(const struct tree *tree, uint16_t last, uint16_t first, char *text,
			   size_t room)
{
	uint16_t chain[6];
	unsigned count = 0;
	char name[QUOTE_ROOM];
	size_t length;

	for (uint16_t n = last; n != first && count < 6; n = tree->walks[n].from)
		chain[count++] = n;
	length = (size_t)snprintf(text, room, "%s", quote(name, node_name(tree, first)));
	if (count && tree->walks[chain[count - 1]].from != first)
		length += (size_t)snprintf(text + length, room - length, " > ...");
	while (count)
		length += (size_t)snprintf(text + length, room - length, " > %s",
					   quote(name, node_name(tree, chain[--count])));
	snprintf(text + length, room - length, " > %s", quote(name, node_name(tree, first)));
}

static void report_cycle(const struct tree *tree, uint16_t node, uint16_t item, uint16_t first)
{
	char text[8 * (QUOTE_ROOM + 8)];

	describe_cycle(tree, node, first, text, sizeof(text));
	report_enter_element(tree->check->report, node);
	report_enter(tree->check->report, "next_items");
	report_enter_element(tree->check->report, item);
	report_add(tree->check->report, finding_tree_cycle, "cycle: %s", text);
	report_hint(tree->check->report, "remove one of these next items to break the cycle");
	report_leave(tree->check->report, 3);
}

/* Visits everything `start` leads to, each node once. The nodes hold the state of the walk. */
static void walk_from(struct tree *tree, uint16_t start)
{
	uint16_t at = start;

	if (tree->walks[at].state != NEW)
		return;
	tree->walks[at] = (struct walk){.state = OPEN, .from = PLUMB_NONE};
	while (at != PLUMB_NONE) {
		struct walk *walk = &tree->walks[at];
		const struct plumb_next_item *item;
		uint16_t next;

		if (walk->item == tree->nodes[at].next_item_count) {
			walk->state = DONE;
			at = walk->from;
			continue;
		}
		item = &tree->nodes[at].next_items[walk->item++];
		next = item->kind == PLUMB_ITEM_METRIC ? node_of(tree, item->index) : PLUMB_NONE;
		if (next == PLUMB_NONE)
			continue;
		if (tree->walks[next].state == OPEN)
			report_cycle(tree, at, (uint16_t)(walk->item - 1), next);
		if (tree->walks[next].state == NEW) {
			tree->walks[next] = (struct walk){.state = OPEN, .from = at};
			at = next;
		}
	}
}

/* Walks the tree from its roots, and reports cycles and unreachable nodes. */
static void check_ways(struct tree *tree, struct plumb_indexes roots)
{
	struct report *report = tree->check->report;

	report_enter(report, "metrics");
	for (uint16_t i = 0; i < roots.count; i++)
		if (roots.at[i] < tree->count)
			walk_from(tree, roots.at[i]);
	for (uint16_t n = 0; tree->whole && n < tree->count; n++) {
		char name[QUOTE_ROOM];

		/* A second node of the same metric is reported as a duplicate instead. */
		if (tree->walks[n].state != NEW || node_of(tree, tree->nodes[n].metric) != n)
			continue;
		report_enter_element(report, n);
		report_add(report, finding_unreachable_node, "no root leads to %s",
			   quote(name, node_name(tree, n)));
		report_leave(report, 1);
	}
	for (uint16_t n = 0; n < tree->count; n++)
		walk_from(tree, n);
	report_leave(report, 1);
}

static int check_roots(struct tree *tree, struct plumb_indexes roots)
{
	struct check *check = tree->check;
	bool *seen = arena_alloc_array(&check->arena, tree->count, sizeof(*seen));
	struct named nodes = {.count = tree->count}; /* only for its count */
	char name[QUOTE_ROOM];

	if (!seen)
		return PLUMB_ERR_NO_MEMORY;
	report_enter(check->report, "root_nodes");
	for (uint16_t i = 0; i < roots.count; i++) {
		report_enter_element(check->report, i);
		if (!check_index(check, roots.at[i], &nodes)) {
			tree->whole = false;
		} else {
			if (seen[roots.at[i]])
				report_add(check->report, finding_duplicate_item,
					   "duplicate item %s",
					   quote(name, node_name(tree, roots.at[i])));
			seen[roots.at[i]] = true;
		}
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
	return 0;
}

int check_methodology(struct check *check, uint16_t i)
{
	const struct plumb_methodology *methodology = &check->spec->methodologies[i];
	struct tree tree = {
		.check = check,
		.nodes = methodology->nodes,
		.count = methodology->node_count,
		.number = i + 1u,
		.whole = true,
		.walks = arena_alloc_array(&check->arena, methodology->node_count,
					   sizeof(*tree.walks)),
	};
	int err;

	if (!tree.walks)
		return PLUMB_ERR_NO_MEMORY;
	check_text(check, "title", methodology->title);
	check_text(check, "description", methodology->description);
	err = check_stages(check, methodology);
	if (err)
		return err;
	report_enter(check->report, "decision_tree");
	report_enter(check->report, "metrics");
	for (uint16_t n = 0; n < tree.count; n++) {
		report_enter_element(check->report, n);
		check_node(&tree, n);
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
	err = check_roots(&tree, methodology->roots);
	if (!err)
		check_ways(&tree, methodology->roots);
	report_leave(check->report, 1);
	return err;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "small_spec.h"

static const struct plumb_methodology *const tree = &small_methodologies[0];

static void stages_have_the_number_of_their_name(void **state)
{
	struct small_copy copy;

	(void)state;
	assert_int_equal(plumb_methodology_stage(tree, SMALL_TOPDOWN_L1), 1);
	assert_int_equal(plumb_methodology_stage(tree, SMALL_GENERAL), 2);
	assert_int_equal(plumb_methodology_stage(tree, SMALL_CACHE), 2);
	assert_int_equal(plumb_methodology_stage(tree, 77), 0);

	small_spec_copy(&copy);
	copy.stages[0].name = "stage_12";
	assert_int_equal(plumb_methodology_stage(copy.methodologies, SMALL_TOPDOWN_L1), 12);
}

static void stages_called_otherwise_have_the_number_of_their_place(void **state)
{
	static const char *const names[] = {"stage_",    "stage_0",  "second",
					    "stage_2nd", "stage_-2", "stage_99999999999999999999"};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	for (size_t i = 0; i < SMALL_COUNT(names); i++) {
		copy.stages[1].name = names[i];
		assert_int_equal(plumb_methodology_stage(copy.methodologies, SMALL_CACHE), 2);
	}
}

static void nodes_of_metrics(void **state)
{
	(void)state;
	for (uint16_t n = 0; n < (uint16_t)SMALL_NODE_COUNT; n++)
		assert_int_equal(plumb_methodology_node(tree, small_nodes[n].metric), n);
	assert_int_equal(plumb_methodology_node(tree, SMALL_IPC), PLUMB_NONE);
}

static void expect_level(const struct plumb_methodology *m, uint16_t node, unsigned level)
{
	assert_int_equal(plumb_methodology_level(m, node), level);
}

/* All at once and one by one, it is the same. */
static void expect_levels(const struct plumb_methodology *m)
{
	static uint16_t levels[UINT16_MAX];

	memset(levels, 0xee, sizeof(levels));
	plumb_methodology_levels(m, levels);
	for (uint16_t n = 0; n < m->node_count; n++)
		assert_int_equal(levels[n], plumb_methodology_level(m, n));
	assert_int_equal(levels[m->node_count], 0xeeee);
}

static void levels_of_nodes(void **state)
{
	(void)state;
	expect_level(tree, SMALL_NODE_FRONTEND, 1);
	/* A root, although a node below leads back to it. */
	expect_level(tree, SMALL_NODE_BACKEND, 1);
	expect_level(tree, SMALL_NODE_BACKEND_MEM, 2);
	expect_level(tree, SMALL_NODE_L1D, 3);
	expect_level(tree, SMALL_NODE_ORPHAN, 0);
	expect_level(tree, SMALL_NODE_COUNT, 0);
	expect_level(tree, PLUMB_NONE, 0);
	expect_levels(tree);
}

/* Two ways lead to the node, the longer one listed first: its level is that of the shorter. */
static void the_shortest_way_counts(void **state)
{
	static const struct plumb_next_item detour[] = {{PLUMB_ITEM_METRIC, SMALL_L1D_MISS_RATIO},
							{PLUMB_ITEM_METRIC, SMALL_EIGHT}};
	static const struct plumb_next_item end[] = {{PLUMB_ITEM_METRIC, SMALL_BACKEND_MEM_BOUND}};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.nodes[SMALL_NODE_FRONTEND].next_items = detour;
	copy.nodes[SMALL_NODE_FRONTEND].next_item_count = 2;
	copy.nodes[SMALL_NODE_L1D].next_items = end;
	copy.nodes[SMALL_NODE_L1D].next_item_count = 1;
	expect_level(copy.methodologies, SMALL_NODE_BACKEND_MEM, 2);
	expect_level(copy.methodologies, SMALL_NODE_L1D, 2);
	expect_level(copy.methodologies, SMALL_NODE_ORPHAN, 2);
	expect_levels(copy.methodologies);
}

static void a_tree_without_good_roots(void **state)
{
	static const uint16_t nowhere[] = {SMALL_NODE_COUNT, PLUMB_NONE};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.methodologies[0].roots = (struct plumb_indexes){nowhere, 2};
	for (uint16_t n = 0; n < (uint16_t)SMALL_NODE_COUNT; n++)
		expect_level(copy.methodologies, n, 0);
	expect_levels(copy.methodologies);
}

/*
 * As many nodes as can be, in one chain from a root that ends in a circle: levels are right up to
 * the limit, and the far end is given up on quickly.
 */
static void a_very_deep_tree(void **state)
{
	enum { COUNT = UINT16_MAX - 1 };
	static struct plumb_node nodes[COUNT];
	static struct plumb_next_item items[COUNT];
	static const uint16_t root = 0;
	static uint16_t levels[COUNT];
	const struct plumb_methodology deep = {
		.nodes = nodes, .node_count = COUNT, .roots = {&root, 1}};

	(void)state;
	for (unsigned n = 0; n < COUNT; n++) {
		items[n] = (struct plumb_next_item){PLUMB_ITEM_METRIC, (uint16_t)((n + 1) % COUNT)};
		nodes[n] = (struct plumb_node){
			.metric = (uint16_t)n, .next_items = &items[n], .next_item_count = 1};
	}
	expect_level(&deep, 0, 1);
	expect_level(&deep, 5, 6);
	expect_level(&deep, PLUMB_TREE_MAX_LEVELS - 1, PLUMB_TREE_MAX_LEVELS);
	expect_level(&deep, PLUMB_TREE_MAX_LEVELS, 0);
	expect_level(&deep, COUNT - 1, 0);
	plumb_methodology_levels(&deep, levels);
	for (unsigned n = 0; n < COUNT; n++)
		assert_int_equal(levels[n], n < PLUMB_TREE_MAX_LEVELS ? n + 1 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_have_the_number_of_their_name),
		cmocka_unit_test(stages_called_otherwise_have_the_number_of_their_place),
		cmocka_unit_test(nodes_of_metrics),
		cmocka_unit_test(levels_of_nodes),
		cmocka_unit_test(the_shortest_way_counts),
		cmocka_unit_test(a_tree_without_good_roots),
		cmocka_unit_test(a_very_deep_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checking specifications in memory; what the check finds in files is in test_findings.c. */
#include "spec/check.h"

#include "check.h"

#include <stdio.h>

#include <plumb/spec.h>

#include "small_spec.h"

#define TREE "/methodologies/topdown_methodology/decision_tree"

struct expected {
	const char *id;
	const char *path;
};

/* The errors of the small specification as it is. */
static const struct expected as_it_is[] = {
	{"duplicate-code", "/events/CYCLES_AGAIN/code"},
	{"duplicate-item", "/groups/metrics/Cache/metrics/2"},
	{"node-outside-group", TREE "/metrics/4/group"},
	{"tree-cycle", TREE "/metrics/2/next_items/1"},
	{"unreachable-node", TREE "/metrics/4"},
};

#define AS_IT_IS (sizeof(as_it_is) / sizeof(as_it_is[0]))

static bool is_among(const struct plumb_diagnostics *diagnostics, const struct expected *expected)
{
	const struct plumb_diagnostic *d;

	for (size_t i = 0; (d = plumb_diagnostics_get(diagnostics, i)); i++)
		if (strcmp(d->id, expected->id) == 0 && d->path &&
		    strcmp(d->path, expected->path) == 0)
			return true;
	return false;
}

static void print_findings(const struct plumb_diagnostics *diagnostics)
{
	const struct plumb_diagnostic *d;

	for (size_t i = 0; (d = plumb_diagnostics_get(diagnostics, i)); i++)
		print_message("# %s: %s: %s\n", d->path ? d->path : "-", d->id, d->message);
}

/* The check must find what is wrong as it is, `count` things more, and nothing else. */
static void expect(const struct plumb_spec *spec, const struct expected *more, size_t count)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	bool right = true;

	assert_int_equal(spec_check(spec, diagnostics), PLUMB_ERR_INVALID);
	for (size_t i = 0; i < AS_IT_IS; i++)
		right &= is_among(diagnostics, &as_it_is[i]);
	for (size_t i = 0; i < count; i++)
		right &= is_among(diagnostics, &more[i]);
	if (!right || plumb_diagnostics_count(diagnostics) != AS_IT_IS + count) {
		print_findings(diagnostics);
		fail();
	}
	plumb_diagnostics_free(diagnostics);
}

#define EXPECT(spec, ...)                                           \
	do {                                                        \
		const struct expected more[] = {__VA_ARGS__};       \
                                                                    \
		expect(spec, more, sizeof(more) / sizeof(more[0])); \
	} while (0)

static const uint16_t *indexes_999(void)
{
	static const uint16_t at[] = {999};

	return at;
}

static void what_is_wrong_is_found(void **state)
{
	(void)state;
	expect(&small_spec, NULL, 0);
	/* Without a list the answer is the same. */
	assert_int_equal(spec_check(&small_spec, NULL), PLUMB_ERR_INVALID);
}

static void indexes_past_the_end_are_found(void **state)
{
	static const uint16_t metrics[] = {SMALL_IPC, SMALL_METRIC_COUNT};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].sample_events.at = indexes_999();
	EXPECT(&copy.spec, {"bad-index", "/metrics/ipc/sample_events/0"});

	small_spec_copy(&copy);
	copy.metrics[SMALL_EIGHT].events = (struct plumb_indexes){indexes_999(), 1};
	EXPECT(&copy.spec, {"bad-index", "/metrics/eight/events/0"});

	small_spec_copy(&copy);
	copy.metric_groups[SMALL_GENERAL].metrics = (struct plumb_indexes){metrics, 2};
	EXPECT(&copy.spec, {"bad-index", "/groups/metrics/General/metrics/1"});

	small_spec_copy(&copy);
	copy.functional_groups[SMALL_FUNCTION_L1D].events =
		(struct plumb_indexes){indexes_999(), 1};
	EXPECT(&copy.spec, {"bad-index", "/groups/function/L1D_Cache/events/0"});

	small_spec_copy(&copy);
	copy.stages[0].groups = (struct plumb_indexes){indexes_999(), 1};
	EXPECT(&copy.spec,
	       {"bad-index", "/methodologies/topdown_methodology/metric_grouping/stage_1/0"});

	small_spec_copy(&copy);
	copy.nodes[SMALL_NODE_FRONTEND].sample_events = (struct plumb_indexes){indexes_999(), 1};
	EXPECT(&copy.spec, {"bad-index", TREE "/metrics/0/sample_events/0"});

	small_spec_copy(&copy);
	copy.nodes[SMALL_NODE_FRONTEND].group = PLUMB_NONE;
	EXPECT(&copy.spec, {"bad-index", TREE "/metrics/0/group"});
}

/* What is missing may be what would lead to a node: then none is said to be out of reach. */
static void a_tree_with_loose_ends_is_not_searched_for_orphans(void **state)
{
	static const struct plumb_next_item items[] = {{PLUMB_ITEM_METRIC, 999},
						       {PLUMB_ITEM_METRIC_GROUP, PLUMB_NONE}};
	static const uint16_t roots[] = {SMALL_NODE_FRONTEND, SMALL_NODE_BACKEND, SMALL_NODE_COUNT};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct expected bad[] = {
		{"bad-index", TREE "/metrics/3/name"},
		{"bad-index", TREE "/metrics/0/next_items/0"},
		{"bad-index", TREE "/metrics/0/next_items/1"},
		{"bad-index", TREE "/root_nodes/2"},
	};
	const struct expected orphan = {"unreachable-node", TREE "/metrics/4"};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.nodes[SMALL_NODE_L1D].metric = SMALL_METRIC_COUNT;
	copy.nodes[SMALL_NODE_FRONTEND].next_items = items;
	copy.nodes[SMALL_NODE_FRONTEND].next_item_count = 2;
	copy.methodologies[0].roots = (struct plumb_indexes){roots, 3};
	assert_int_equal(spec_check(&copy.spec, diagnostics), PLUMB_ERR_INVALID);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!is_among(diagnostics, &bad[i]))
			fail_msg("%s", bad[i].path);
	assert_false(is_among(diagnostics, &orphan));
	plumb_diagnostics_free(diagnostics);
}

/* A wrong order is reported, and misleads nothing else. */
static void wrong_orders_are_found(void **state)
{
	static const uint16_t backwards[] = {7, 6, 5, 4, 3, 2, 1, 0};
	static const uint16_t outside[] = {60000, 60000, 60000, 60000, 60000, 60000, 60000, 60000};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.spec.events_by_name = backwards;
	copy.spec.events_by_code = outside;
	copy.spec.metrics_by_name = outside;
	EXPECT(&copy.spec, {"bad-order", "/events_by_name"}, {"bad-order", "/events_by_code"},
	       {"bad-order", "/metrics_by_name"});
}

static void text_that_is_missing_is_found(void **state)
{
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.spec.product.name = NULL;
	copy.events[0].title = NULL;
	copy.metrics[0].units = NULL;
	copy.metrics[1].formula = NULL;
	copy.metrics[4].formula = "1";
	copy.metrics[4].events.count = 0;
	copy.methodologies[0].description = NULL;
	EXPECT(&copy.spec, {"missing-member", "/product_configuration/product_name"},
	       {"missing-member", "/events/INST_RETIRED/title"},
	       {"missing-member", "/metrics/ipc/units"},
	       {"missing-member", "/metrics/backend_bound/formula"},
	       {"missing-member", "/methodologies/topdown_methodology/description"});
}

static void names_must_differ_in_more_than_case(void **state)
{
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metric_groups[SMALL_GENERAL].name = "cache";
	copy.functional_groups[SMALL_FUNCTION_GENERAL].name = "L1D_Cache";
	copy.stages[1].name = "stage_1";
	EXPECT(&copy.spec, {"duplicate-name", "/groups/metrics/Cache"},
	       {"duplicate-name", "/groups/function/L1D_Cache"},
	       {"duplicate-name", "/methodologies/topdown_methodology/metric_grouping/stage_1"});
}

/* While it is uncertain what names mean, the meaning of formulas is uncertain, too. */
static void ambiguous_formulas_are_left_alone(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct expected syntax = {"formula-syntax", "/metrics/ipc/formula"};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].formula = "?";
	spec_check(&copy.spec, diagnostics);
	assert_true(is_among(diagnostics, &syntax));
	plumb_diagnostics_free(diagnostics);

	diagnostics = plumb_diagnostics_new();
	copy.metrics[SMALL_EIGHT].name = "IPC";
	spec_check(&copy.spec, diagnostics);
	assert_false(is_among(diagnostics, &syntax));
	plumb_diagnostics_free(diagnostics);
}

static void numbers_fit_a_midr(void **state)
{
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.spec.product.part = 0x1000;
	copy.spec.product.major_revision = 16;
	copy.spec.product.minor_revision = 255;
	EXPECT(&copy.spec, {"number-range", "/product_configuration/part_num"},
	       {"number-range", "/product_configuration/major_revision"},
	       {"number-range", "/product_configuration/minor_revision"});
}

/* A chain of 40 nodes of which each leads to the next, and the last to the first and itself. */
static void circles_are_spelt_out(void **state)
{
	enum { LENGTH = 40 };
	static char names[LENGTH][8];
	static struct plumb_metric metrics[LENGTH];
	static struct plumb_node nodes[LENGTH];
	static struct plumb_next_item items[LENGTH][2];
	static uint16_t order[LENGTH], all[LENGTH];
	struct plumb_metric_group group = {
		.name = "All", .title = "All", .description = "All.", .metrics = {all, LENGTH}};
	struct plumb_methodology methodology = {.name = "m",
						.title = "M",
						.description = "M.",
						.nodes = nodes,
						.node_count = LENGTH};
	struct plumb_spec spec = {
		.product.name = "Long",
		.metrics = metrics,
		.metric_count = LENGTH,
		.metrics_by_name = order,
		.metric_groups = &group,
		.metric_group_count = 1,
		.methodologies = &methodology,
		.methodology_count = 1,
	};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_diagnostic *d;

	(void)state;
	for (int n = 0; n < LENGTH; n++) {
		uint16_t i = (uint16_t)n;

		snprintf(names[i], sizeof(names[i]), "n%02u", i);
		metrics[i] = (struct plumb_metric){.name = names[i],
						   .title = names[i],
						   .description = "x",
						   .formula = "1",
						   .units = "x"};
		items[i][0] =
			(struct plumb_next_item){PLUMB_ITEM_METRIC, (uint16_t)((i + 1) % LENGTH)};
		items[i][1] = (struct plumb_next_item){PLUMB_ITEM_METRIC, i};
		nodes[i] = (struct plumb_node){.metric = i,
					       .next_items = items[i],
					       .next_item_count = i == LENGTH - 1 ? 2 : 1};
		order[i] = all[i] = i;
	}
	methodology.roots = (struct plumb_indexes){order, 1};
	assert_int_equal(spec_check(&spec, diagnostics), PLUMB_ERR_INVALID);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 2);
	d = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(d->id, "tree-cycle");
	assert_string_equal(d->path, "/methodologies/m/decision_tree/metrics/39/next_items/0");
	assert_string_equal(d->message, "cycle: n00 > ... > n34 > n35 > n36 > n37 > n38 > n39 > "
					"n00");
	d = plumb_diagnostics_get(diagnostics, 1);
	assert_string_equal(d->path, "/methodologies/m/decision_tree/metrics/39/next_items/1");
	assert_string_equal(d->message, "cycle: n39 > n39");
	plumb_diagnostics_free(diagnostics);
}

/* Several nodes may lead to one, as in C1-Nano: that is no circle. */
static void ways_may_meet(void **state)
{
	static const struct plumb_next_item items[] = {
		{PLUMB_ITEM_METRIC, SMALL_BACKEND_MEM_BOUND},
		{PLUMB_ITEM_METRIC, SMALL_L1D_MISS_RATIO},
		{PLUMB_ITEM_METRIC, SMALL_EIGHT},
	};
	static const uint16_t general[] = {SMALL_IPC, SMALL_EIGHT};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	for (int n = SMALL_NODE_FRONTEND; n <= SMALL_NODE_BACKEND; n++) {
		copy.nodes[n].next_items = items;
		copy.nodes[n].next_item_count = 3;
	}
	copy.nodes[SMALL_NODE_BACKEND_MEM].next_item_count = 1;
	copy.metric_groups[SMALL_GENERAL].metrics = (struct plumb_indexes){general, 2};
	assert_int_equal(spec_check(&copy.spec, diagnostics), 0);
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 0);
	assert_true(is_among(diagnostics, &as_it_is[0]));
	assert_true(is_among(diagnostics, &as_it_is[1]));
	assert_int_equal(plumb_diagnostics_warnings(diagnostics), 2);
	plumb_diagnostics_free(diagnostics);
}

static void an_empty_specification_is_sound(void **state)
{
	const struct plumb_spec spec = {.product.name = "Nothing"};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

	(void)state;
	assert_int_equal(spec_check(&spec, diagnostics), 0);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
	plumb_diagnostics_free(diagnostics);
}

/*
 * Those that are built in have what Arm's have: repeats, an orphan; and what the Neoverse N3
 * document has, in which (section 6.12) two events have one title.
 */
static void what_is_built_in_is_sound(void **state)
{
	const struct expected n3_title = {"duplicate-title", "/events/ASE_INST_SPEC/title"};

	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		const struct plumb_diagnostic *d;

		assert_int_equal(spec_check(plumb_spec_builtin(i), diagnostics), 0);
		for (size_t k = 0; (d = plumb_diagnostics_get(diagnostics, k)); k++)
			if (strcmp(d->id, "duplicate-item") != 0 &&
			    strcmp(d->id, "unreachable-node") != 0 &&
			    (strcmp(d->id, n3_title.id) != 0 ||
			     strcmp(d->path, n3_title.path) != 0))
				fail_msg("%s: %s", plumb_spec_builtin(i)->id, d->id);
		plumb_diagnostics_free(diagnostics);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_found),
		cmocka_unit_test(indexes_past_the_end_are_found),
		cmocka_unit_test(a_tree_with_loose_ends_is_not_searched_for_orphans),
		cmocka_unit_test(wrong_orders_are_found),
		cmocka_unit_test(text_that_is_missing_is_found),
		cmocka_unit_test(names_must_differ_in_more_than_case),
		cmocka_unit_test(ambiguous_formulas_are_left_alone),
		cmocka_unit_test(numbers_fit_a_midr),
		cmocka_unit_test(circles_are_spelt_out),
		cmocka_unit_test(ways_may_meet),
		cmocka_unit_test(an_empty_specification_is_sound),
		cmocka_unit_test(what_is_built_in_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

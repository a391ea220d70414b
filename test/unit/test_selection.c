/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What requests select, and in which order; levels and parents follow the methodology's look-ups.
 */
#include "check.h"

#include "counting.h"
#include "listed.h"
#include "small_spec.h"

static struct plumb_selection *choose(const struct plumb_spec *spec, struct plumb_request request)
{
	struct plumb_selection *selection = NULL;

	assert_int_equal(plumb_selection_new(spec, &request, &selection), 0);
	assert_non_null(selection);
	return selection;
}

static void check_metric(const struct plumb_selection *selection, size_t i, uint16_t metric,
			 uint16_t group, uint16_t parent, unsigned level, unsigned stage)
{
	assert_true(i < selection->metric_count);
	assert_int_equal(selection->metrics[i].metric, metric);
	assert_int_equal(selection->metrics[i].group, group);
	assert_int_equal(selection->metrics[i].parent, parent);
	assert_int_equal(selection->metrics[i].level, level);
	assert_int_equal(selection->metrics[i].stage, stage);
}

static void nothing_is_nothing(void **state)
{
	struct plumb_selection *selection = choose(&small_spec, REQUEST());

	(void)state;
	assert_int_equal(selection->metric_count, 0);
	assert_int_equal(selection->event_count, 0);
	plumb_selection_free(selection);
	plumb_selection_free(NULL);
}

/* The tree comes first, whichever groups show its nodes; then the rest of the stage. */
static void stage_1_is_the_tree(void **state)
{
	struct plumb_selection *s = choose(&small_spec, REQUEST(.stages = 1u << 1));

	(void)state;
	assert_int_equal(s->metric_count, 4);
	check_metric(s, 0, SMALL_FRONTEND_BOUND, SMALL_TOPDOWN_L1, PLUMB_NONE, 1, 1);
	check_metric(s, 1, SMALL_BACKEND_BOUND, SMALL_TOPDOWN_L1, PLUMB_NONE, 1, 1);
	check_metric(s, 2, SMALL_BACKEND_MEM_BOUND, SMALL_CACHE, SMALL_BACKEND_BOUND, 2, 2);
	check_metric(s, 3, SMALL_L1D_MISS_RATIO, SMALL_CACHE, SMALL_BACKEND_MEM_BOUND, 3, 2);
	plumb_selection_free(s);
}

static void stage_2_is_its_groups(void **state)
{
	struct plumb_selection *s = choose(&small_spec, REQUEST(.stages = 1u << 2));

	(void)state;
	/* "Cache" lists one of its metrics twice. */
	assert_int_equal(s->metric_count, 3);
	check_metric(s, 0, SMALL_L1D_MISS_RATIO, SMALL_CACHE, SMALL_BACKEND_MEM_BOUND, 3, 2);
	check_metric(s, 1, SMALL_BACKEND_MEM_BOUND, SMALL_CACHE, SMALL_BACKEND_BOUND, 2, 2);
	check_metric(s, 2, SMALL_IPC, SMALL_GENERAL, PLUMB_NONE, 0, 2);
	plumb_selection_free(s);
}

static void groups_and_metrics_by_name(void **state)
{
	static const char *const names[] = {"r1b", "cycles", "r1b", "r1b", "cs", "r11"};
	static const uint16_t groups[] = {SMALL_GENERAL}, metrics[] = {SMALL_EIGHT, SMALL_IPC};
	struct plumb_event_list *list =
		listed(&small_spec, "r1b,cycles,backend_bound,r1b,{r1b,cs},r11");
	struct plumb_selection *s =
		choose(&small_spec,
		       REQUEST(.groups = {groups, 1}, .metrics = {metrics, 2}, .events = list));

	(void)state;
	assert_int_equal(s->metric_count, 3);
	check_metric(s, 0, SMALL_IPC, SMALL_GENERAL, PLUMB_NONE, 0, 2);
	check_metric(s, 1, SMALL_EIGHT, PLUMB_NONE, PLUMB_NONE, 0, 0);
	check_metric(s, 2, SMALL_BACKEND_BOUND, SMALL_TOPDOWN_L1, PLUMB_NONE, 1, 1);
	/* Each metric as often as it is listed. */
	assert_int_equal(s->event_count, 6);
	for (uint16_t i = 0; i < 6; i++) {
		assert_string_equal(s->events[i].event->name, names[i]);
		assert_int_equal(s->events[i].leader, i == 4 ? 3 : i);
	}
	plumb_selection_free(s);
	plumb_event_list_free(list);
}

static void a_node_brings_what_is_below(void **state)
{
	struct plumb_selection *s =
		choose(&small_spec, REQUEST(.node_given = true, .node = SMALL_BACKEND_BOUND));

	(void)state;
	/* Its two descendants are also in "Cache", which it leads to. */
	assert_int_equal(s->metric_count, 3);
	check_metric(s, 0, SMALL_BACKEND_BOUND, SMALL_TOPDOWN_L1, PLUMB_NONE, 1, 1);
	check_metric(s, 1, SMALL_BACKEND_MEM_BOUND, SMALL_CACHE, SMALL_BACKEND_BOUND, 2, 2);
	check_metric(s, 2, SMALL_L1D_MISS_RATIO, SMALL_CACHE, SMALL_BACKEND_MEM_BOUND, 3, 2);
	plumb_selection_free(s);
}

static void a_level_cuts_the_tree(void **state)
{
	struct plumb_selection *s = choose(&small_spec, REQUEST(.level = 2));

	(void)state;
	assert_int_equal(s->metric_count, 3);
	assert_int_equal(s->metrics[2].metric, SMALL_BACKEND_MEM_BOUND);
	plumb_selection_free(s);

	s = choose(&small_spec, REQUEST(.stages = 1u << 1, .level = 1));
	assert_int_equal(s->metric_count, 2);
	plumb_selection_free(s);
}

static void bad_indexes_are_refused(void **state)
{
	static const uint16_t far[] = {SMALL_METRIC_COUNT};
	const struct plumb_request bad[] = {
		REQUEST(.groups = {far, 1}),
		REQUEST(.metrics = {far, 1}),
		REQUEST(.node_given = true, .node = SMALL_IPC), /* a metric, but not a node */
		REQUEST(.node_given = true, .node = SMALL_METRIC_COUNT),
		{.stages = 1}, /* without its size */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct plumb_selection *selection = (void *)(uintptr_t)&bad;

		assert_int_equal(plumb_selection_new(&small_spec, &bad[i], &selection),
				 PLUMB_ERR_ARGUMENT);
		assert_null(selection);
	}
}

static void a_specification_may_have_no_methodology(void **state)
{
	static const uint16_t metrics[] = {SMALL_IPC};
	struct small_copy copy;
	struct plumb_selection *s;

	(void)state;
	small_spec_copy(&copy);
	copy.spec.methodology_count = 0;
	s = choose(&copy.spec, REQUEST(.stages = ~0u, .metrics = {metrics, 1}));
	assert_null(s->methodology);
	assert_int_equal(s->metric_count, 1);
	check_metric(s, 0, SMALL_IPC, SMALL_GENERAL, PLUMB_NONE, 0, 0);
	plumb_selection_free(s);
}

/* Returns the metric of the first node, one level above, that leads to `node`. */
static uint16_t parent_of(const struct plumb_methodology *methodology, uint16_t node)
{
	const unsigned level = plumb_methodology_level(methodology, node);

	for (uint16_t n = 0; level > 1 && n < methodology->node_count; n++) {
		const struct plumb_node *above = &methodology->nodes[n];

		if (plumb_methodology_level(methodology, n) != level - 1)
			continue;
		for (uint16_t i = 0; i < above->next_item_count; i++)
			if (above->next_items[i].kind == PLUMB_ITEM_METRIC &&
			    above->next_items[i].index == methodology->nodes[node].metric)
				return above->metric;
	}
	return PLUMB_NONE;
}

/*
 * Selects everything of every built-in CPU: each pair of a stage's group and metric occurs once,
 * parents precede their children, and levels and parents are right.
 */
static void all_of_every_cpu(void **state)
{
	(void)state;
	for (size_t c = 0; c < plumb_spec_builtin_count(); c++) {
		const struct plumb_spec *spec = plumb_spec_builtin(c);
		const struct plumb_methodology *methodology = &spec->methodologies[0];
		struct plumb_selection *s = choose(spec, REQUEST(.stages = 1u << 1 | 1u << 2));

		for (size_t i = 0; i < s->metric_count; i++) {
			const struct plumb_selected_metric *m = &s->metrics[i];
			uint16_t node = plumb_methodology_node(methodology, m->metric);
			bool parent_first = m->parent == PLUMB_NONE;

			for (size_t k = 0; k < i; k++) {
				assert_false(s->metrics[k].metric == m->metric &&
					     s->metrics[k].group == m->group);
				parent_first = parent_first || s->metrics[k].metric == m->parent;
			}
			assert_true(parent_first);
			if (node == PLUMB_NONE) {
				assert_int_equal(m->level, 0);
				continue;
			}
			assert_int_equal(m->level, plumb_methodology_level(methodology, node));
			assert_int_equal(m->parent, parent_of(methodology, node));
		}
		for (uint16_t g = 0; g < spec->metric_group_count; g++) {
			struct plumb_indexes metrics = spec->metric_groups[g].metrics;

			if (plumb_methodology_stage(methodology, g) == 0)
				continue;
			for (uint16_t m = 0; m < metrics.count; m++) {
				size_t times = 0;

				for (size_t i = 0; i < s->metric_count; i++)
					times += s->metrics[i].metric == metrics.at[m] &&
						 s->metrics[i].group == g;
				assert_int_equal(times, 1);
			}
		}
		plumb_selection_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(stage_1_is_the_tree),
		cmocka_unit_test(stage_2_is_its_groups),
		cmocka_unit_test(groups_and_metrics_by_name),
		cmocka_unit_test(a_node_brings_what_is_below),
		cmocka_unit_test(a_level_cuts_the_tree),
		cmocka_unit_test(bad_indexes_are_refused),
		cmocka_unit_test(a_specification_may_have_no_methodology),
		cmocka_unit_test(all_of_every_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

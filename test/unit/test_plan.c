/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for the built-in CPUs: every event there, those of a metric together, no group larger
 * than the counters; and as few groups as the project holds itself to.
 */
#include "check.h"

#include "count/plan.h"
#include "counting.h"
#include "listed.h"
#include "small_spec.h"
#include "spec/formula.h"
#include "thorough.h"

static struct plumb_selection *select_all(const struct plumb_spec *spec)
{
	uint16_t *metrics = calloc(spec->metric_count + 1u, sizeof(*metrics));
	struct plumb_selection *selection;

	assert_non_null(metrics);
	for (uint16_t m = 0; m < spec->metric_count; m++)
		metrics[m] = m;
	assert_int_equal(plumb_selection_new(spec,
					     &REQUEST(.metrics = {metrics, spec->metric_count}),
					     &selection),
			 0);
	assert_int_equal(selection->metric_count, spec->metric_count);
	free(metrics);
	return selection;
}

static struct plumb_plan *make_plan(const struct plumb_selection *selection,
				    const struct plumb_plan_options *options)
{
	struct plumb_plan *plan;

	assert_int_equal(plumb_plan_new(selection, options, &plan, NULL), 0);
	return plan;
}

static bool has_code(const struct plumb_plan *plan, const struct plumb_plan_group *group,
		     uint16_t code)
{
	for (uint16_t i = 0; i < group->count; i++)
		if (group_code(plan, group, i) == code)
			return true;
	return false;
}

/* By what the specification says a metric needs, not by the formula the plan is made from. */
static bool has_metric(const struct plumb_plan *plan, const struct plumb_plan_group *group,
		       uint16_t metric)
{
	const struct plumb_spec *spec = plan->selection->spec;
	struct plumb_indexes events = spec->metrics[metric].events;

	for (uint16_t i = 0; i < events.count; i++)
		if (!has_code(plan, group, spec->events[events.at[i]].code))
			return false;
	return true;
}

/* Checks the rules for any plan of all of a CPU's metrics. */
static void check_plan(const struct plumb_plan *plan, unsigned counters, bool cycle_counter)
{
	const struct plumb_spec *spec = plan->selection->spec;
	size_t places = 0;

	for (uint16_t g = 0; g < plan->group_count; g++) {
		const struct plumb_plan_group *group = &plan->groups[g];
		unsigned taken = 0;

		assert_int_equal(group->first, places);
		places += group->count;
		assert_true(group->pass < plan->pass_count);
		for (uint16_t i = 0; i < group->count; i++) {
			taken += !(cycle_counter && group_code(plan, group, i) == 0x11);
			assert_true(i == 0 || group_code(plan, group, (uint16_t)(i - 1)) <
						      group_code(plan, group, i));
		}
		assert_true(taken <= counters);
	}
	assert_int_equal(plan->place_count, places);
	for (uint16_t m = 0; m < spec->metric_count; m++) {
		struct plumb_indexes events = spec->metrics[m].events;

		for (uint16_t i = 0; i < events.count; i++) {
			bool found = false;

			for (uint16_t g = 0; g < plan->group_count; g++)
				found = found || has_code(plan, &plan->groups[g],
							  spec->events[events.at[i]].code);
			assert_true(found);
		}
	}
}

/* The figures the project holds itself to, with six counters and the cycle counter. */
static void groups_are_few(void **state)
{
	static const struct {
		const char *cpu;
		unsigned most;
	} held[] = {{"neoverse-n3", 13}, {"neoverse-n1", 6}, {"neoverse-v2", 10}, {"c1-ultra", 31}};

	(void)state;
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		const struct plumb_spec *spec;
		struct plumb_selection *selection;
		struct plumb_plan *plan;

		assert_int_equal(plumb_spec_find(held[i].cpu, &spec, NULL), 0);
		selection = select_all(spec);
		plan = make_plan(selection, &PLAN_OPTIONS(.counters = 6, .cycle_counter = true));
		check_plan(plan, 6, true);
		for (uint16_t m = 0; m < spec->metric_count; m++) {
			uint16_t home = plan_home(plan, m);

			assert_true(home < plan->group_count);
			assert_true(has_metric(plan, &plan->groups[home], m));
		}
		print_message("# %s: %u groups\n", held[i].cpu, plan->group_count);
		assert_in_range(plan->group_count, 1, held[i].most);
		assert_int_equal(plan->pass_count, plan->group_count);
		plumb_plan_free(plan);
		plumb_selection_free(selection);
	}
}

/* As few as bench/fewest.c knows, where orders of packing alone need more. */
static void few_counters_need_few_groups(void **state)
{
	static const struct {
		const char *cpu;
		unsigned counters;
		bool cycle_counter;
		unsigned most;
	} held[] = {
		{"neoverse-n1", 4, true, 10},  {"neoverse-v2", 4, true, 16},
		{"neoverse-n3", 4, false, 23}, {"neoverse-n3", 6, false, 14},
		{"c1-ultra", 4, true, 52},     {"c1-ultra", 4, false, 55},
		{"c1-ultra", 6, false, 33},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		const struct plumb_plan_options options =
			PLAN_OPTIONS(.counters = held[i].counters,
				     .cycle_counter = held[i].cycle_counter);
		const struct plumb_spec *spec;
		struct plumb_selection *selection;
		struct plumb_plan *plan;

		assert_int_equal(plumb_spec_find(held[i].cpu, &spec, NULL), 0);
		selection = select_all(spec);
		plan = make_plan(selection, &options);
		check_plan(plan, held[i].counters, held[i].cycle_counter);
		assert_in_range(plan->group_count, 1, held[i].most);
		plumb_plan_free(plan);
		plumb_selection_free(selection);
	}
}

static void a_metrics_events_are_together(void **state)
{
	static const unsigned counters[] = {6, 7, 10, 31};

	(void)state;
	for (size_t s = 0; s < plumb_spec_builtin_count(); s += ONE_IN(4)) {
		const struct plumb_spec *spec = plumb_spec_builtin(s);
		struct plumb_selection *selection = select_all(spec);

		for (size_t c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
			struct plumb_plan *plan =
				make_plan(selection, &PLAN_OPTIONS(.counters = counters[c]));

			check_plan(plan, counters[c], false);
			for (uint16_t m = 0; m < spec->metric_count; m++) {
				uint16_t home = plan_home(plan, m);

				assert_true(home < plan->group_count);
				assert_true(has_metric(plan, &plan->groups[home], m));
				assert_true(plumb_plan_computes(plan, m, NULL));
			}
			plumb_plan_free(plan);
		}
		plumb_selection_free(selection);
	}
}

/* With one counter hardly a metric can be whole; its events are counted all the same. */
static void what_does_not_fit_is_parted(void **state)
{
	struct plumb_selection *selection = select_all(plumb_spec_builtin(0));
	struct plumb_plan *plan = make_plan(selection, &PLAN_OPTIONS(.counters = 1));
	size_t parted = 0;

	(void)state;
	check_plan(plan, 1, false);
	for (size_t i = 0; i < selection->metric_count; i++) {
		parted += plan_home(plan, i) == PLUMB_NONE;
		assert_true(plumb_plan_computes(plan, i, NULL));
	}
	assert_in_range(parted, selection->metric_count / 2, selection->metric_count);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
}

static void each_alone(void **state)
{
	struct plumb_selection *selection = select_all(&small_spec);
	struct plumb_plan *plan =
		make_plan(selection, &PLAN_OPTIONS(.counters = 2, .cycle_counter = true,
						   .collect_by = PLUMB_COLLECT_BY_NONE));

	(void)state;
	/* L1D_CACHE_REFILL and L1D_CACHE, INST_RETIRED with CPU_CYCLES free, then the stalls. */
	assert_int_equal(plan->group_count, 6);
	assert_int_equal(plan->event_count, 6);
	for (uint16_t g = 0; g < 6; g++)
		assert_int_equal(plan->groups[g].count, 1);
	assert_int_equal(plan->pass_count, 3);
	assert_int_equal(group_code(plan, &plan->groups[0], 0), 0x03);
	assert_int_equal(plan->groups[0].pass, 0);
	assert_int_equal(plan->groups[1].pass, 0);
	assert_int_equal(group_code(plan, &plan->groups[2], 0), 0x08);
	assert_int_equal(plan->groups[2].pass, 1);
	assert_int_equal(group_code(plan, &plan->groups[3], 0), 0x11);
	assert_int_equal(plan->groups[3].pass, 1);
	assert_int_equal(plan->groups[4].pass, 1);
	assert_int_equal(plan->groups[5].pass, 2);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
}

/* The metrics of N3's branch group need eight events: together with eight counters, not with six.
 */
static void by_group(void **state)
{
	const struct plumb_spec *spec;
	uint16_t group;
	struct plumb_selection *selection;

	(void)state;
	assert_int_equal(plumb_spec_find("neoverse-n3", &spec, NULL), 0);
	group = plumb_spec_metric_group(spec, "DTLB_Effectiveness");
	assert_int_equal(plumb_selection_new(spec, &REQUEST(.groups = {&group, 1}), &selection), 0);
	for (unsigned counters = 5; counters <= 8; counters++) {
		struct plumb_plan *plan =
			make_plan(selection, &PLAN_OPTIONS(.counters = counters,
							   .collect_by = PLUMB_COLLECT_BY_GROUP));

		/* DTLB_WALK, INST_RETIRED, L1D_TLB, L1D_TLB_REFILL, L2D_TLB, L2D_TLB_REFILL */
		assert_int_equal(plan->event_count, 6);
		assert_int_equal(plan->group_count, counters >= 6 ? 1 : 2);
		plumb_plan_free(plan);
	}
	plumb_selection_free(selection);
}

static void without_a_limit_one_group_does(void **state)
{
	struct plumb_selection *selection = select_all(plumb_spec_builtin(0));
	struct plumb_plan *plan = make_plan(selection, &PLAN_OPTIONS());

	(void)state;
	assert_int_equal(plan->group_count, 1);
	assert_int_equal(plan->pass_count, 1);
	assert_int_equal(plan->groups[0].count, plan->event_count);
	check_plan(plan, UINT16_MAX, false);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
}

static bool counts_no_refills(const void *user, uint16_t code)
{
	assert_string_equal(user, "me");
	return code != 0x03;
}

static void what_the_source_lacks_is_left_out(void **state)
{
	struct plumb_selection *selection = select_all(&small_spec);
	struct plumb_plan *plan = make_plan(
		selection, &PLAN_OPTIONS(.counters = 6, .counts = counts_no_refills, .user = "me"));
	uint16_t missing = PLUMB_NONE;

	(void)state;
	assert_int_equal(plan->group_count, 1);
	assert_false(has_code(plan, &plan->groups[0], 0x03));
	assert_true(has_code(plan, &plan->groups[0], 0x04));
	assert_true(plumb_plan_computes(plan, SMALL_IPC, &missing));
	assert_int_equal(missing, PLUMB_NONE);
	assert_false(plumb_plan_computes(plan, SMALL_L1D_MISS_RATIO, &missing));
	assert_int_equal(missing, SMALL_L1D_CACHE_REFILL);
	assert_int_equal(plan_home(plan, SMALL_L1D_MISS_RATIO), PLUMB_NONE);
	plumb_plan_free(plan);
	plumb_selection_free(selection);
}

struct requested {
	struct plumb_event_list *list;
	struct plumb_selection *selection;
	struct plumb_plan *plan;
};

/* A plan for events alone; returns the error of plumb_plan_new(). */
static int request(struct requested *r, const char *text, const struct plumb_plan_options *options,
		   struct plumb_diagnostics *diagnostics)
{
	r->list = listed(&small_spec, text);
	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.events = r->list), &r->selection), 0);
	return plumb_plan_new(r->selection, options, &r->plan, diagnostics);
}

static void release(struct requested *r)
{
	plumb_plan_free(r->plan);
	plumb_selection_free(r->selection);
	plumb_event_list_free(r->list);
}

/*
 * The plan as text: each group's events by the names they were asked for, the groups of a pass
 * parted by ' ', the passes by " | ".
 */
static const char *plan_text(const struct plumb_plan *plan)
{
	static char text[1024];
	char *at = text;

	*at = '\0';
	for (uint16_t pass = 0; pass < plan->pass_count; pass++) {
		at += sprintf(at, "%s", pass ? " |" : "");
		for (uint16_t g = 0; g < plan->group_count; g++) {
			const struct plumb_plan_group *group = &plan->groups[g];

			for (uint16_t i = 0; group->pass == pass && i < group->count; i++)
				at += sprintf(at, "%s%s",
					      i           ? "+"
					      : at > text ? " "
							  : "",
					      plan->events[group->events[i]]->name);
		}
	}
	return text;
}

static void what_is_requested_is_planned(void **state)
{
	static const struct {
		const char *text;
		unsigned counters;
		bool cycle_counter;
		enum plumb_collect_by collect_by;
		const char *plan;
	} cases[] = {
		/* Counted once each; the cycle counter takes no room. */
		{"r11,r1234,r11", 1, true, PLUMB_COLLECT_BY_METRIC, "r11+r1234"},
		{"r11", 1, true, PLUMB_COLLECT_BY_METRIC, "r11"},
		/* Packed as they fit, and shown in their order; in a group by code. */
		{"r4,r3", 2, false, PLUMB_COLLECT_BY_METRIC, "r3+r4"},
		/* A group stays as it is, even if it repeats an event. */
		{"{r4,r3},r4", 3, false, PLUMB_COLLECT_BY_METRIC, "r4 r4+r3"},
		{"{r4,r3},r4", 2, false, PLUMB_COLLECT_BY_METRIC, "r4 | r4+r3"},
		{"{r4,r11},{r11,r3}", 2, true, PLUMB_COLLECT_BY_METRIC, "r4+r11 | r11+r3"},
		{"{r4,r11},{r11,r3}", 3, true, PLUMB_COLLECT_BY_METRIC, "r4+r11 r11+r3"},
		{"{r4}", 1, true, PLUMB_COLLECT_BY_METRIC, "r4"},
		{"{r4},{r4}", 1, true, PLUMB_COLLECT_BY_METRIC, "r4"},
		{"{r4,r3},{r4,r3}", 4, false, PLUMB_COLLECT_BY_METRIC, "r4+r3 r4+r3"},
		/* Modifiers make another event of it. */
		{"r4,r4:u,{r4:u},r4:u", 2, false, PLUMB_COLLECT_BY_METRIC, "r4 r4:u"},
		{"r11:u,r11", 1, true, PLUMB_COLLECT_BY_METRIC, "r11 r11:u"},
		/* Software takes no counter. */
		{"cs,r4,task-clock:u,cs", 1, false, PLUMB_COLLECT_BY_METRIC, "r4 cs task-clock:u"},
		{"{cs,r4,r3}", 2, false, PLUMB_COLLECT_BY_METRIC, "cs+r4+r3"},
		{"cs", 1, false, PLUMB_COLLECT_BY_METRIC, "cs"},
		/* A weak group is split up where it does not fit. */
		{"{r3,r4,r8}:W", 2, false, PLUMB_COLLECT_BY_METRIC, "r3 r4 | r8"},
		{"{r3,r4}:W", 2, false, PLUMB_COLLECT_BY_METRIC, "r3+r4"},
		/* Each alone, but for groups; without a limit all at once. */
		{"r3,r4,{r8,r9}", 2, false, PLUMB_COLLECT_BY_NONE, "r3 r4 | r8+r9"},
		{"r3,{r4,r8},cs,r9:u", 0, false, PLUMB_COLLECT_BY_METRIC, "r3 r4+r8 cs r9:u"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct plumb_plan_options options = {
			.size = sizeof(options),
			.counters = cases[i].counters,
			.cycle_counter = cases[i].cycle_counter,
			.collect_by = cases[i].collect_by,
		};
		struct requested r;
		size_t places = 0;

		assert_int_equal(request(&r, cases[i].text, &options, NULL), 0);
		if (strcmp(plan_text(r.plan), cases[i].plan) != 0)
			fail_msg("%s: %s", cases[i].text, plan_text(r.plan));
		for (uint16_t g = 0; g < r.plan->group_count; g++) {
			assert_int_equal(r.plan->groups[g].first, places);
			places += r.plan->groups[g].count;
		}
		assert_int_equal(r.plan->place_count, places);
		/* As many as were requested, in their order, also if one was counted for two. */
		assert_int_equal(r.plan->event_count, plumb_event_list_count(r.list));
		for (uint16_t k = 0; k < r.plan->event_count; k++)
			assert_ptr_equal(r.plan->events[k], plumb_event_list_get(r.list, k));
		release(&r);
	}
}

static void a_group_that_is_too_large_is_refused(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_plan_options options =
		PLAN_OPTIONS(.counters = 2, .cycle_counter = true);
	struct requested r;

	(void)state;
	assert_int_equal(request(&r, "r1,{r3,r4,r11,r8}", &options, diagnostics), PLUMB_ERR_LIMIT);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->message,
			    "the group of r3 requires 3 counters, but there are only 2");
	assert_null(r.plan);
	release(&r);
	plumb_diagnostics_free(diagnostics);
}

/* A metric's events are those requested, as long as nothing makes them others. */
static void metrics_share_plain_events(void **state)
{
	static const uint16_t ipc[] = {SMALL_IPC};
	struct requested r;

	(void)state;
	r.list = listed(&small_spec, "instructions,cycles:u,{cycles,r1234}");
	assert_int_equal(plumb_selection_new(&small_spec,
					     &REQUEST(.metrics = {ipc, 1}, .events = r.list),
					     &r.selection),
			 0);
	r.plan = make_plan(r.selection, &PLAN_OPTIONS(.counters = 6, .cycle_counter = true));
	assert_string_equal(plan_text(r.plan), "instructions+CPU_CYCLES cycles:u cycles+r1234");
	assert_int_equal(plumb_plan_event(r.plan, 0x08), 0);
	assert_int_equal(plumb_plan_event(r.plan, 0x11), 4);
	assert_int_equal(plumb_plan_event(r.plan, 0x1234), PLUMB_NONE);
	assert_int_equal(plan_home(r.plan, 0), 0);
	release(&r);
}

static void bad_input_is_refused(void **state)
{
	struct small_copy copy;
	struct plumb_selection *selection = select_all(&small_spec);
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_plan *plan;

	(void)state;
	assert_int_equal(plumb_plan_new(selection, &PLAN_OPTIONS(.counters = 32), &plan, NULL),
			 PLUMB_ERR_ARGUMENT);
	assert_null(plan);
	plumb_selection_free(selection);

	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].formula = "INST_RETIRED /";
	selection = select_all(&copy.spec);
	assert_int_equal(plumb_plan_new(selection, &PLAN_OPTIONS(), &plan, diagnostics),
			 PLUMB_ERR_SYNTAX);
	assert_null(plan);
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 1);
	plumb_diagnostics_free(diagnostics);
	plumb_selection_free(selection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_few),
		cmocka_unit_test(few_counters_need_few_groups),
		cmocka_unit_test(a_metrics_events_are_together),
		cmocka_unit_test(what_does_not_fit_is_parted),
		cmocka_unit_test(each_alone),
		cmocka_unit_test(by_group),
		cmocka_unit_test(without_a_limit_one_group_does),
		cmocka_unit_test(what_the_source_lacks_is_left_out),
		cmocka_unit_test(what_is_requested_is_planned),
		cmocka_unit_test(a_group_that_is_too_large_is_refused),
		cmocka_unit_test(metrics_share_plain_events),
		cmocka_unit_test(bad_input_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

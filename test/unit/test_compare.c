/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "small_spec.h"

/* What plumb_spec_compare() reported, a line "path: a | b" each, "-" for what is lacking. */
struct seen {
	int calls;
	int stop_after; /* calls; 0: never */
	char text[2000];
};

static bool see(void *user, const char *path, const char *a, const char *b)
{
	struct seen *seen = user;
	size_t length = strlen(seen->text);

	assert_true(a || b);
	seen->calls++;
	snprintf(seen->text + length, sizeof(seen->text) - length, "%s: %s | %s\n", path,
		 a ? a : "-", b ? b : "-");
	return seen->calls != seen->stop_after;
}

static struct seen compare(const struct plumb_spec *a, const struct plumb_spec *b, bool prose)
{
	struct seen seen = {0};
	int count = plumb_spec_compare(a, b, prose, see, &seen);

	assert_int_equal(count, seen.calls);
	return seen;
}

static void expect(const struct plumb_spec *a, const struct plumb_spec *b, const char *text)
{
	struct seen seen = compare(a, b, true);

	if (strcmp(seen.text, text) != 0)
		fail_msg("%d differences:\n%sinstead of\n%s", seen.calls, seen.text, text);
}

/* One difference between the small specification and its changed copy, from either side. */
static void expect_one(const struct plumb_spec *changed, const char *path, const char *a,
		       const char *b)
{
	char text[500];

	a = a ? a : "-";
	b = b ? b : "-";
	snprintf(text, sizeof(text), "%s: %s | %s\n", path, a, b);
	expect(&small_spec, changed, text);
	snprintf(text, sizeof(text), "%s: %s | %s\n", path, b, a);
	expect(changed, &small_spec, text);
}

/* What a test changes, made anew for each change. */
static struct small_copy copy;

/* Changes `member` of a fresh copy, and expects that and nothing else to be noticed. */
#define CHANGE(member, value, path, a, b)           \
	do {                                        \
		small_spec_copy(&copy);             \
		copy.member = value;                \
		expect_one(&copy.spec, path, a, b); \
	} while (0)

#define LIST(...) ((struct plumb_indexes)SMALL_LIST(__VA_ARGS__))

static void alike(void **state)
{

	(void)state;
	small_spec_copy(&copy);
	copy.spec.file = "elsewhere.json"; /* where it came from is not what it says */
	assert_int_equal(compare(&small_spec, &small_spec, true).calls, 0);
	assert_int_equal(compare(&small_spec, &copy.spec, true).calls, 0);
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++)
		assert_int_equal(compare(plumb_spec_builtin(i), plumb_spec_builtin(i), true).calls,
				 0);
}

static void product_and_document(void **state)
{
	(void)state;
	CHANGE(spec.id, "x", "/id", "small-one-r1p2", "x");
#define PRODUCT(member, value, key, a, b) \
	CHANGE(spec.product.member, value, "/product_configuration/" key, a, b)
	PRODUCT(name, "Small Two", "product_name", "Small One", "Small Two");
	PRODUCT(architecture, "armv9.3", "architecture", "armv9.2", "armv9.3");
	PRODUCT(pmu_architecture, NULL, "pmu_architecture", "pmu_v3", NULL);
	PRODUCT(implementer, 0x6d, "implementer", "0x41", "0x6d");
	PRODUCT(part, 0x0bc, "part_num", "0xabc", "0xbc");
	PRODUCT(major_revision, 0, "major_revision", "1", "0");
	PRODUCT(minor_revision, 15, "minor_revision", "2", "15");
	PRODUCT(slots, 65535, "num_slots", "5", "65535");
	PRODUCT(bus_slots, 0, "num_bus_slots", "7", "0");
	PRODUCT(counters, 255, "counters", "6", "255");
	CHANGE(spec.document.timestamp, "never", "/document/timestamp", "01 Jan 00:00:00 2025",
	       "never");
	CHANGE(spec.document.copyright, "", "/document/copyright", "Copyright of nobody", "");
	CHANGE(spec.document.quality, "Alpha", "/document/quality", "Release", "Alpha");
	CHANGE(spec.document.license, "None", "/document/license", "Apache-2.0", "None");
	CHANGE(spec.document.description, "Else", "/document/description",
	       "A specification for tests", "Else");
	CHANGE(spec.document.revision, NULL, "/document/revision", "3", NULL);
	CHANGE(spec.document.sha1, "", "/document/sha1", NULL, "");
	CHANGE(spec.document.confidential, true, "/document/confidential", "false", "true");
}

static void events(void **state)
{
	(void)state;
#define CORE_EVENT(member, value, key, a, b) \
	CHANGE(events[SMALL_CORE_EVENT].member, value, "/events/CORE_EVENT/" key, a, b)
	CORE_EVENT(title, "x", "title", "Something of this core", "x");
	CORE_EVENT(description, "x", "description",
		   "Counts something.\n\nOnly this core knows what.", "x");
	CORE_EVENT(code, 0x4005, "code", "0x0120", "0x4005");
	CORE_EVENT(accesses, PLUMB_ACCESS_ETE, "accesses", "PMU", "ETE");
	CORE_EVENT(accesses, 3, "accesses", "PMU", "PMU, ETE");
	CORE_EVENT(accesses, 0, "accesses", "PMU", "");
	CORE_EVENT(accesses, 0x81, "accesses", "PMU", "0x81");
	CORE_EVENT(architecture_defined, true, "architecture_defined", "false", "true");
	CORE_EVENT(product_defined, false, "product_defined", "true", "false");
	CORE_EVENT(has_attributes, false, "product_defined_attributes", "true", "false");
	CORE_EVENT(debug, false, "product_defined_attributes/debug", "true", "false");
}

static void metrics(void **state)
{
	(void)state;
#define IPC(member, value, key, a, b) \
	CHANGE(metrics[SMALL_IPC].member, value, "/metrics/ipc/" key, a, b)
	IPC(title, "IPC", "title", "Instructions per cycle", "IPC");
	IPC(description, "", "description", "How many instructions retire in a cycle.", "");
	IPC(formula, "INST_RETIRED /CPU_CYCLES", "formula", "INST_RETIRED / CPU_CYCLES",
	    "INST_RETIRED /CPU_CYCLES");
	IPC(units, "", "units", "per cycle", "");
	IPC(events, LIST(SMALL_CPU_CYCLES, SMALL_INST_RETIRED), "events",
	    "INST_RETIRED, CPU_CYCLES", "CPU_CYCLES, INST_RETIRED");
	IPC(events, LIST(SMALL_INST_RETIRED), "events", "INST_RETIRED, CPU_CYCLES", "INST_RETIRED");
	IPC(events, LIST(SMALL_INST_RETIRED, PLUMB_NONE), "events", "INST_RETIRED, CPU_CYCLES",
	    "INST_RETIRED, ?");
	IPC(sample_events, (struct plumb_indexes){0}, "sample_events", "INST_RETIRED", "");
	IPC(sample_events, LIST(SMALL_CYCLES_AGAIN), "sample_events", "INST_RETIRED",
	    "CYCLES_AGAIN");
}

static void groups(void **state)
{
	(void)state;
	CHANGE(metric_groups[SMALL_CACHE].title, "x", "/groups/metrics/Cache/title", "Caches", "x");
	CHANGE(metric_groups[SMALL_CACHE].description, "x", "/groups/metrics/Cache/description",
	       "How well the caches work.", "x");
	CHANGE(metric_groups[SMALL_CACHE].metrics,
	       LIST(SMALL_L1D_MISS_RATIO, SMALL_BACKEND_MEM_BOUND), "/groups/metrics/Cache/metrics",
	       "l1d_miss_ratio, backend_mem_bound, l1d_miss_ratio",
	       "l1d_miss_ratio, backend_mem_bound");
	CHANGE(functional_groups[0].title, "x", "/groups/function/L1D_Cache/title", "L1D CACHE",
	       "x");
	CHANGE(functional_groups[0].description, "x", "/groups/function/L1D_Cache/description",
	       "The L1 data cache.", "x");
	CHANGE(functional_groups[0].events, LIST(SMALL_L1D_CACHE),
	       "/groups/function/L1D_Cache/events", "L1D_CACHE, L1D_CACHE_REFILL", "L1D_CACHE");
}

#define METHODOLOGY "/methodologies/topdown_methodology/"
#define NODE        METHODOLOGY "decision_tree/metrics/backend_bound/"

static void methodologies(void **state)
{
	static const struct plumb_next_item turned[] = {
		{PLUMB_ITEM_METRIC_GROUP, SMALL_CACHE},
		{PLUMB_ITEM_METRIC, SMALL_BACKEND_MEM_BOUND}};
	static const struct plumb_next_item other_kind[] = {
		{PLUMB_ITEM_METRIC_GROUP, SMALL_BACKEND_MEM_BOUND},
		{PLUMB_ITEM_METRIC_GROUP, SMALL_CACHE}};

	(void)state;
	CHANGE(methodologies[0].title, "x", METHODOLOGY "title", "Topdown Methodology", "x");
	CHANGE(methodologies[0].description, "x", METHODOLOGY "description", "From the top down.",
	       "x");
	CHANGE(methodologies[0].roots, LIST(SMALL_NODE_BACKEND, SMALL_NODE_FRONTEND),
	       METHODOLOGY "decision_tree/root_nodes", "frontend_bound, backend_bound",
	       "backend_bound, frontend_bound");
	CHANGE(stages[1].groups, LIST(SMALL_GENERAL, SMALL_CACHE),
	       METHODOLOGY "metric_grouping/stage_2", "Cache, General", "General, Cache");
	CHANGE(nodes[SMALL_NODE_BACKEND].group, SMALL_GENERAL, NODE "group", "Topdown_L1",
	       "General");
	CHANGE(nodes[SMALL_NODE_BACKEND].sample_events, (struct plumb_indexes){0},
	       NODE "sample_events", "STALL_SLOT_BACKEND", "");
	CHANGE(nodes[SMALL_NODE_BACKEND].next_item_count, 1, NODE "next_items",
	       "backend_mem_bound, Cache", "backend_mem_bound");
	CHANGE(nodes[SMALL_NODE_BACKEND].next_items, turned, NODE "next_items",
	       "backend_mem_bound, Cache", "Cache, backend_mem_bound");
	CHANGE(nodes[SMALL_NODE_BACKEND].next_items, other_kind, NODE "next_items",
	       "backend_mem_bound, Cache", "?, Cache");
}

static void sorted_orders(void **state)
{
	static const uint16_t wrong[] = {7, 6, 5, 4, 3, 2, 1, 0};

	(void)state;
	CHANGE(spec.events_by_name, wrong, "/events_by_name",
	       "CORE_EVENT, CPU_CYCLES, CYCLES_AGAIN, INST_RETIRED, L1D_CACHE, L1D_CACHE_REFILL, "
	       "STALL_SLOT_BACKEND, STALL_SLOT_FRONTEND",
	       "CYCLES_AGAIN, CORE_EVENT, L1D_CACHE, L1D_CACHE_REFILL, STALL_SLOT_FRONTEND, "
	       "STALL_SLOT_BACKEND, CPU_CYCLES, INST_RETIRED");
	CHANGE(spec.metrics_by_name, wrong + 2, "/metrics_by_name",
	       "backend_bound, backend_mem_bound, eight, frontend_bound, ipc, l1d_miss_ratio",
	       "eight, backend_mem_bound, l1d_miss_ratio, frontend_bound, backend_bound, ipc");
	CHANGE(spec.events_by_code, NULL, "/events_by_code", "sorted", NULL);

	/* Where the codes differ, their order must, and says nothing new. */
	small_spec_copy(&copy);
	copy.events[SMALL_INST_RETIRED].code = 0xffff;
	copy.spec.events_by_code = wrong;
	expect_one(&copy.spec, "/events/INST_RETIRED/code", "0x0008", "0xffff");
}

/* Removes the last of a kind, and everything that refers to it. */
static void something_lacking(void **state)
{

	(void)state;
	small_spec_copy(&copy);
	copy.spec.event_count--;
	expect(&small_spec, &copy.spec,
	       "/events/CYCLES_AGAIN: CYCLES_AGAIN | -\n"
	       "/groups/function/General/events: CPU_CYCLES, INST_RETIRED, CYCLES_AGAIN | "
	       "CPU_CYCLES, INST_RETIRED, ?\n");
	expect(&copy.spec, &small_spec,
	       "/events/CYCLES_AGAIN: - | CYCLES_AGAIN\n"
	       "/groups/function/General/events: CPU_CYCLES, INST_RETIRED, ? | "
	       "CPU_CYCLES, INST_RETIRED, CYCLES_AGAIN\n");
	small_spec_copy(&copy);
	copy.spec.metric_count--;
	expect(&small_spec, &copy.spec,
	       "/metrics/eight: eight | -\n" METHODOLOGY
	       "decision_tree/metrics/eight: eight | -\n" METHODOLOGY
	       "decision_tree/metrics/: - | \n");
	CHANGE(spec.methodology_count, 0, "/methodologies/topdown_methodology",
	       "topdown_methodology", NULL);
	CHANGE(methodologies[0].stage_count, 1, METHODOLOGY "metric_grouping/stage_2", "stage_2",
	       NULL);
	CHANGE(methodologies[0].node_count, SMALL_NODE_ORPHAN,
	       METHODOLOGY "decision_tree/metrics/eight", "eight", NULL);
	CHANGE(metric_groups[SMALL_CACHE].metrics, (struct plumb_indexes){0},
	       "/groups/metrics/Cache/metrics", "l1d_miss_ratio, backend_mem_bound, l1d_miss_ratio",
	       "");
}

static void another_name_is_another_thing(void **state)
{

	(void)state;
	small_spec_copy(&copy);
	copy.events[SMALL_CORE_EVENT].name = "core_event";
	expect(&small_spec, &copy.spec,
	       "/events/CORE_EVENT: CORE_EVENT | -\n"
	       "/events/core_event: - | core_event\n");
	small_spec_copy(&copy);
	copy.functional_groups[SMALL_FUNCTION_STALL].name = "a/b";
	expect(&small_spec, &copy.spec,
	       "/groups/function/Stall: Stall | -\n"
	       "/groups/function/a~1b: - | a/b\n");
	small_spec_copy(&copy);
	copy.nodes[SMALL_NODE_ORPHAN].metric = SMALL_IPC;
	expect(&small_spec, &copy.spec,
	       METHODOLOGY "decision_tree/metrics/eight: eight | -\n" METHODOLOGY
			   "decision_tree/metrics/ipc: - | ipc\n");
}

/* The same list with the events in reverse order. */
static struct plumb_indexes turn_list(struct plumb_indexes list)
{
	static uint16_t pool[100];
	static size_t used;
	uint16_t *at = pool + used;

	used += list.count;
	assert_true(used <= SMALL_COUNT(pool));
	for (uint16_t i = 0; i < list.count; i++)
		at[i] = (uint16_t)(SMALL_EVENT_COUNT - 1 - list.at[i]);
	return (struct plumb_indexes){at, list.count};
}

/* The same things in another order: one difference a kind, however much has moved. */
static void order_of_elements(void **state)
{

	(void)state;
	small_spec_copy(&copy);
	copy.functional_groups[2] = small_functional_groups[0];
	copy.functional_groups[0] = small_functional_groups[1];
	copy.functional_groups[1] = small_functional_groups[2];
	expect(&small_spec, &copy.spec,
	       "/groups/function: L1D_Cache, General | General, L1D_Cache\n");
	expect(&copy.spec, &small_spec, "/groups/function: Stall, L1D_Cache | L1D_Cache, Stall\n");

	small_spec_copy(&copy);
	for (size_t i = 0; i < SMALL_EVENT_COUNT; i++)
		copy.events[i] = small_events[SMALL_EVENT_COUNT - 1 - i];
	for (size_t i = 0; i < SMALL_METRIC_COUNT; i++) {
		copy.metrics[i].events = turn_list(small_metrics[i].events);
		copy.metrics[i].sample_events = turn_list(small_metrics[i].sample_events);
	}
	for (size_t i = 0; i < SMALL_COUNT(small_functional_groups); i++)
		copy.functional_groups[i].events = turn_list(small_functional_groups[i].events);
	for (size_t i = 0; i < SMALL_NODE_COUNT; i++)
		copy.nodes[i].sample_events = turn_list(small_nodes[i].sample_events);
	expect(&small_spec, &copy.spec,
	       "/events: INST_RETIRED, CPU_CYCLES | CPU_CYCLES, INST_RETIRED\n");
	expect(&copy.spec, &small_spec,
	       "/events: CYCLES_AGAIN, CORE_EVENT | CORE_EVENT, CYCLES_AGAIN\n");
}

/* Two elements of one name, which no good file has: still compared one by one. */
static void names_that_repeat(void **state)
{
	static struct small_copy one, other;

	(void)state;
	small_spec_copy(&one);
	one.metrics[SMALL_EIGHT].name = "ipc";
	one.nodes[SMALL_NODE_ORPHAN].metric = SMALL_IPC;
	small_spec_copy(&other);
	other.metrics[SMALL_EIGHT].name = "ipc";
	other.nodes[SMALL_NODE_ORPHAN].metric = SMALL_IPC;
	expect(&one.spec, &other.spec, "");
	other.metrics[SMALL_EIGHT].units = "x";
	expect(&one.spec, &other.spec, "/metrics/ipc/units: one | x\n");
	other.metrics[SMALL_EIGHT].units = one.metrics[SMALL_EIGHT].units;
	other.nodes[SMALL_NODE_ORPHAN].metric = SMALL_EIGHT;
	expect(&one.spec, &other.spec, METHODOLOGY "decision_tree/metrics/ipc/name: ipc | ipc\n");
}

static void without_prose(void **state)
{

	(void)state;
	small_spec_copy(&copy);
	copy.spec.document = (struct plumb_document){0};
	copy.events[0].description = "x";
	copy.metrics[0].description = "x";
	copy.metric_groups[0].description = "x";
	copy.functional_groups[0].description = "x";
	copy.methodologies[0].description = "x";
	assert_int_equal(compare(&small_spec, &copy.spec, false).calls, 0);
	/* Of the document, `confidential` and `sha1` are as they were. */
	assert_int_equal(compare(&small_spec, &copy.spec, true).calls, 5 + 6);
	copy.events[0].title = "x";
	assert_int_equal(compare(&small_spec, &copy.spec, false).calls, 1);
}

static void ends_when_told(void **state)
{
	static const struct plumb_spec nothing = {.id = "nothing"};
	int all = compare(&small_spec, &nothing, true).calls;

	(void)state;
	assert_true(all > SMALL_EVENT_COUNT + SMALL_METRIC_COUNT);
	for (int stop_after = 1; stop_after <= all; stop_after++) {
		struct seen seen = {.stop_after = stop_after};

		assert_int_equal(plumb_spec_compare(&small_spec, &nothing, true, see, &seen),
				 stop_after);
		assert_int_equal(seen.calls, stop_after);
	}
}

/* Whatever two CPUs differ in, it differs as often the other way round. */
static void built_in_ones_both_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		for (size_t j = 0; j < i; j++) {
			const struct plumb_spec *a = plumb_spec_builtin(i),
						*b = plumb_spec_builtin(j);
			int there = compare(a, b, true).calls;

			assert_true(there > 0);
			assert_int_equal(there, compare(b, a, true).calls);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike),
		cmocka_unit_test(product_and_document),
		cmocka_unit_test(events),
		cmocka_unit_test(metrics),
		cmocka_unit_test(groups),
		cmocka_unit_test(methodologies),
		cmocka_unit_test(sorted_orders),
		cmocka_unit_test(something_lacking),
		cmocka_unit_test(another_name_is_another_thing),
		cmocka_unit_test(order_of_elements),
		cmocka_unit_test(names_that_repeat),
		cmocka_unit_test(without_prose),
		cmocka_unit_test(ends_when_told),
		cmocka_unit_test(built_in_ones_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

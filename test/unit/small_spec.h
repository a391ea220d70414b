/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small specification, made by hand, that has one of everything a real one has and some things
 * it should not have: two events with one code, a group that repeats a metric, a metric that names
 * other metrics, a circle in the decision tree and a node that nothing leads to.
 *
 * `small_spec` is constant. A test that wants to change something calls small_spec_copy().
 */
#ifndef TEST_SMALL_SPEC_H
#define TEST_SMALL_SPEC_H

#include <string.h>

#include <plumb/spec.h>

#define SMALL_LIST(...)                                                             \
	{                                                                           \
		.at = (const uint16_t[]){__VA_ARGS__},                              \
		.count = sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t) \
	}
#define SMALL_COUNT(array) ((uint16_t)(sizeof(array) / sizeof(*(array))))

enum small_event {
	SMALL_INST_RETIRED,
	SMALL_CPU_CYCLES,
	SMALL_STALL_SLOT_BACKEND,
	SMALL_STALL_SLOT_FRONTEND,
	SMALL_L1D_CACHE_REFILL,
	SMALL_L1D_CACHE,
	SMALL_CORE_EVENT,
	SMALL_CYCLES_AGAIN,
	SMALL_EVENT_COUNT
};

static const struct plumb_event small_events[] = {
	[SMALL_INST_RETIRED] = {.name = "INST_RETIRED",
				.title = "Instructions retired",
				.description = "Counts instructions that retired.",
				.code = 0x0008,
				.accesses = PLUMB_ACCESS_PMU | PLUMB_ACCESS_ETE,
				.architecture_defined = true},
	[SMALL_CPU_CYCLES] = {.name = "CPU_CYCLES",
			      .title = "Cycles",
			      .description = "Counts the core's clock.",
			      .code = 0x0011,
			      .accesses = PLUMB_ACCESS_PMU | PLUMB_ACCESS_ETE,
			      .architecture_defined = true},
	[SMALL_STALL_SLOT_BACKEND] = {.name = "STALL_SLOT_BACKEND",
				      .title = "Slots the backend stalled",
				      .description = "Counts slots lost to the backend.",
				      .code = 0x003d,
				      .accesses = PLUMB_ACCESS_PMU,
				      .architecture_defined = true},
	[SMALL_STALL_SLOT_FRONTEND] = {.name = "STALL_SLOT_FRONTEND",
				       .title = "Slots the frontend stalled",
				       .description = "Counts slots lost to the frontend.",
				       .code = 0x003e,
				       .accesses = PLUMB_ACCESS_PMU,
				       .architecture_defined = true},
	[SMALL_L1D_CACHE_REFILL] = {.name = "L1D_CACHE_REFILL",
				    .title = "L1 data cache refills",
				    .description = "Counts lines brought in.",
				    .code = 0x0003,
				    .accesses = PLUMB_ACCESS_PMU,
				    .architecture_defined = true},
	[SMALL_L1D_CACHE] = {.name = "L1D_CACHE",
			     .title = "L1 data cache accesses",
			     .description = "Counts accesses.",
			     .code = 0x0004,
			     .accesses = PLUMB_ACCESS_PMU,
			     .architecture_defined = true},
	[SMALL_CORE_EVENT] = {.name = "CORE_EVENT",
			      .title = "Something of this core",
			      .description = "Counts something.\n\nOnly this core knows what.",
			      .code = 0x0120,
			      .accesses = PLUMB_ACCESS_PMU,
			      .product_defined = true,
			      .has_attributes = true,
			      .debug = true},
	[SMALL_CYCLES_AGAIN] = {.name = "CYCLES_AGAIN",
				.title = "Cycles, by another name",
				.description = "Counts what CPU_CYCLES counts.",
				.code = 0x0011,
				.accesses = PLUMB_ACCESS_ETE,
				.architecture_defined = true},
};

enum small_metric {
	SMALL_IPC,
	SMALL_BACKEND_BOUND,
	SMALL_FRONTEND_BOUND,
	SMALL_L1D_MISS_RATIO,
	SMALL_BACKEND_MEM_BOUND,
	SMALL_EIGHT,
	SMALL_METRIC_COUNT
};

static const struct plumb_metric small_metrics[] = {
	[SMALL_IPC] = {.name = "ipc",
		       .title = "Instructions per cycle",
		       .description = "How many instructions retire in a cycle.",
		       .formula = "INST_RETIRED / CPU_CYCLES",
		       .units = "per cycle",
		       .events = SMALL_LIST(SMALL_INST_RETIRED, SMALL_CPU_CYCLES),
		       .sample_events = SMALL_LIST(SMALL_INST_RETIRED)},
	[SMALL_BACKEND_BOUND] = {.name = "backend_bound",
				 .title = "Backend bound",
				 .description = "Slots lost to the backend.",
				 .formula = "STALL_SLOT_BACKEND / (5 * CPU_CYCLES) * 100",
				 .units = "percent of slots",
				 .events = SMALL_LIST(SMALL_CPU_CYCLES, SMALL_STALL_SLOT_BACKEND),
				 .sample_events = SMALL_LIST(SMALL_STALL_SLOT_BACKEND)},
	[SMALL_FRONTEND_BOUND] = {.name = "frontend_bound",
				  .title = "Frontend bound",
				  .description = "Slots lost to the frontend.",
				  .formula = "100 * (STALL_SLOT_FRONTEND / (CPU_CYCLES * 5) - "
					     "L1D_CACHE_REFILL / CPU_CYCLES)",
				  .units = "percent of slots",
				  .events = SMALL_LIST(SMALL_STALL_SLOT_FRONTEND, SMALL_CPU_CYCLES,
						       SMALL_L1D_CACHE_REFILL),
				  .sample_events = SMALL_LIST(SMALL_STALL_SLOT_FRONTEND)},
	[SMALL_L1D_MISS_RATIO] = {.name = "l1d_miss_ratio",
				  .title = "L1 data cache miss ratio",
				  .description = "Refills an access.",
				  .formula = "L1D_CACHE_REFILL / L1D_CACHE",
				  .units = "per cache access",
				  .events = SMALL_LIST(SMALL_L1D_CACHE_REFILL, SMALL_L1D_CACHE),
				  .sample_events = SMALL_LIST(SMALL_L1D_CACHE_REFILL)},
	[SMALL_BACKEND_MEM_BOUND] = {.name = "backend_mem_bound",
				     .title = "Backend memory bound",
				     .description = "Slots lost to memory.",
				     .formula = "backend_bound * l1d_miss_ratio",
				     .units = "percent of slots",
				     .events =
					     SMALL_LIST(SMALL_STALL_SLOT_BACKEND, SMALL_CPU_CYCLES,
							SMALL_L1D_CACHE_REFILL, SMALL_L1D_CACHE)},
	[SMALL_EIGHT] = {.name = "eight",
			 .title = "Eight",
			 .description = "Needs no event.",
			 .formula = "1 << 3",
			 .units = "one"},
};

enum small_group { SMALL_GENERAL, SMALL_TOPDOWN_L1, SMALL_CACHE };

static const struct plumb_metric_group small_metric_groups[] = {
	[SMALL_GENERAL] = {.name = "General",
			   .title = "General",
			   .description = "What fits nowhere else.",
			   .metrics = SMALL_LIST(SMALL_IPC)},
	[SMALL_TOPDOWN_L1] = {.name = "Topdown_L1",
			      .title = "Topdown level 1",
			      .description = "Where the slots go.",
			      .metrics = SMALL_LIST(SMALL_FRONTEND_BOUND, SMALL_BACKEND_BOUND)},
	[SMALL_CACHE] = {.name = "Cache",
			 .title = "Caches",
			 .description = "How well the caches work.",
			 .metrics = SMALL_LIST(SMALL_L1D_MISS_RATIO, SMALL_BACKEND_MEM_BOUND,
					       SMALL_L1D_MISS_RATIO)},
};

enum small_function { SMALL_FUNCTION_L1D, SMALL_FUNCTION_GENERAL, SMALL_FUNCTION_STALL };

static const struct plumb_functional_group small_functional_groups[] = {
	[SMALL_FUNCTION_L1D] = {.name = "L1D_Cache",
				.title = "L1D CACHE",
				.description = "The L1 data cache.",
				.events = SMALL_LIST(SMALL_L1D_CACHE, SMALL_L1D_CACHE_REFILL)},
	[SMALL_FUNCTION_GENERAL] = {.name = "General",
				    .title = "GENERAL",
				    .description = "Cycles and instructions.",
				    .events = SMALL_LIST(SMALL_CPU_CYCLES, SMALL_INST_RETIRED,
							 SMALL_CYCLES_AGAIN)},
	[SMALL_FUNCTION_STALL] = {.name = "Stall",
				  .title = "STALL",
				  .description = "Stalls.",
				  .events =
					  SMALL_LIST(SMALL_STALL_SLOT_BACKEND,
						     SMALL_STALL_SLOT_FRONTEND, SMALL_CPU_CYCLES)},
};

enum small_node {
	SMALL_NODE_FRONTEND,
	SMALL_NODE_BACKEND,
	SMALL_NODE_BACKEND_MEM,
	SMALL_NODE_L1D,
	SMALL_NODE_ORPHAN,
	SMALL_NODE_COUNT
};

static const struct plumb_node small_nodes[] = {
	[SMALL_NODE_FRONTEND] = {.metric = SMALL_FRONTEND_BOUND,
				 .group = SMALL_TOPDOWN_L1,
				 .next_items =
					 (const struct plumb_next_item[]){
						 {PLUMB_ITEM_METRIC_GROUP, SMALL_CACHE}},
				 .next_item_count = 1},
	[SMALL_NODE_BACKEND] = {.metric = SMALL_BACKEND_BOUND,
				.group = SMALL_TOPDOWN_L1,
				.next_items =
					(const struct plumb_next_item[]){
						{PLUMB_ITEM_METRIC, SMALL_BACKEND_MEM_BOUND},
						{PLUMB_ITEM_METRIC_GROUP, SMALL_CACHE}},
				.next_item_count = 2,
				.sample_events = SMALL_LIST(SMALL_STALL_SLOT_BACKEND)},
	[SMALL_NODE_BACKEND_MEM] = {.metric = SMALL_BACKEND_MEM_BOUND,
				    .group = SMALL_CACHE,
				    .next_items =
					    (const struct plumb_next_item[]){
						    {PLUMB_ITEM_METRIC, SMALL_L1D_MISS_RATIO},
						    {PLUMB_ITEM_METRIC, SMALL_BACKEND_BOUND}},
				    .next_item_count = 2},
	[SMALL_NODE_L1D] = {.metric = SMALL_L1D_MISS_RATIO,
			    .group = SMALL_CACHE,
			    .sample_events = SMALL_LIST(SMALL_L1D_CACHE_REFILL)},
	[SMALL_NODE_ORPHAN] = {.metric = SMALL_EIGHT, .group = SMALL_GENERAL},
};

static const struct plumb_stage small_stages[] = {
	{.name = "stage_1", .groups = SMALL_LIST(SMALL_TOPDOWN_L1)},
	{.name = "stage_2", .groups = SMALL_LIST(SMALL_CACHE, SMALL_GENERAL)},
};

static const struct plumb_methodology small_methodologies[] = {
	{.name = "topdown_methodology",
	 .title = "Topdown Methodology",
	 .description = "From the top down.",
	 .stages = small_stages,
	 .stage_count = SMALL_COUNT(small_stages),
	 .nodes = small_nodes,
	 .node_count = SMALL_NODE_COUNT,
	 .roots = SMALL_LIST(SMALL_NODE_FRONTEND, SMALL_NODE_BACKEND)},
};

static const struct plumb_spec small_spec = {
	.id = "small-one-r1p2",
	.product = {.name = "Small One",
		    .architecture = "armv9.2",
		    .pmu_architecture = "pmu_v3",
		    .implementer = 0x41,
		    .part = 0xabc,
		    .major_revision = 1,
		    .minor_revision = 2,
		    .slots = 5,
		    .bus_slots = 7,
		    .counters = 6},
	.document = {.timestamp = "01 Jan 00:00:00 2025",
		     .copyright = "Copyright of nobody",
		     .quality = "Release",
		     .license = "Apache-2.0",
		     .description = "A specification for tests",
		     .revision = "3",
		     .sha1 = NULL,
		     .confidential = false},
	.events = small_events,
	.metrics = small_metrics,
	.metric_groups = small_metric_groups,
	.functional_groups = small_functional_groups,
	.methodologies = small_methodologies,
	.event_count = SMALL_EVENT_COUNT,
	.metric_count = SMALL_METRIC_COUNT,
	.metric_group_count = SMALL_COUNT(small_metric_groups),
	.functional_group_count = SMALL_COUNT(small_functional_groups),
	.methodology_count = SMALL_COUNT(small_methodologies),
	.events_by_name =
		(const uint16_t[]){SMALL_CORE_EVENT, SMALL_CPU_CYCLES, SMALL_CYCLES_AGAIN,
				   SMALL_INST_RETIRED, SMALL_L1D_CACHE, SMALL_L1D_CACHE_REFILL,
				   SMALL_STALL_SLOT_BACKEND, SMALL_STALL_SLOT_FRONTEND},
	.events_by_code =
		(const uint16_t[]){SMALL_L1D_CACHE_REFILL, SMALL_L1D_CACHE, SMALL_INST_RETIRED,
				   SMALL_CPU_CYCLES, SMALL_CYCLES_AGAIN, SMALL_STALL_SLOT_BACKEND,
				   SMALL_STALL_SLOT_FRONTEND, SMALL_CORE_EVENT},
	.metrics_by_name =
		(const uint16_t[]){SMALL_BACKEND_BOUND, SMALL_BACKEND_MEM_BOUND, SMALL_EIGHT,
				   SMALL_FRONTEND_BOUND, SMALL_IPC, SMALL_L1D_MISS_RATIO},
};

/*
 * The same with every structure writable and in one place; what they point to beyond (strings,
 * lists of indexes, next items) is still constant, to be replaced, not written to.
 */
struct small_copy {
	struct plumb_spec spec;
	struct plumb_event events[SMALL_EVENT_COUNT];
	struct plumb_metric metrics[SMALL_METRIC_COUNT];
	struct plumb_metric_group metric_groups[SMALL_COUNT(small_metric_groups)];
	struct plumb_functional_group functional_groups[SMALL_COUNT(small_functional_groups)];
	struct plumb_methodology methodologies[SMALL_COUNT(small_methodologies)];
	struct plumb_stage stages[SMALL_COUNT(small_stages)];
	struct plumb_node nodes[SMALL_NODE_COUNT];
};

/* `copy` must then stay where it is. */
static inline void small_spec_copy(struct small_copy *copy)
{
	copy->spec = small_spec;
	memcpy(copy->events, small_events, sizeof(small_events));
	memcpy(copy->metrics, small_metrics, sizeof(small_metrics));
	memcpy(copy->metric_groups, small_metric_groups, sizeof(small_metric_groups));
	memcpy(copy->functional_groups, small_functional_groups, sizeof(small_functional_groups));
	memcpy(copy->methodologies, small_methodologies, sizeof(small_methodologies));
	memcpy(copy->stages, small_stages, sizeof(small_stages));
	memcpy(copy->nodes, small_nodes, sizeof(small_nodes));
	copy->methodologies[0].stages = copy->stages;
	copy->methodologies[0].nodes = copy->nodes;
	copy->spec.events = copy->events;
	copy->spec.metrics = copy->metrics;
	copy->spec.metric_groups = copy->metric_groups;
	copy->spec.functional_groups = copy->functional_groups;
	copy->spec.methodologies = copy->methodologies;
}

#endif

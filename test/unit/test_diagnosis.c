/* SPDX-License-Identifier: Apache-2.0 */
/* Walks down the trees of built-in CPUs, with values made up so that the answer is plain. */
#include "check.h"

#include <math.h>

#include <plumb/diagnosis.h>

#include "counting.h"

#define VALUES_MAX 1024

struct fixture {
	const struct plumb_spec *spec;
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_value values[VALUES_MAX];
	struct plumb_event_count events[VALUES_MAX];
	struct plumb_result result;
	struct plumb_diagnosis *diagnosis;
};

static void set_up(struct fixture *f, const char *cpu, struct plumb_request request)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(plumb_spec_find(cpu, &f->spec, NULL), 0);
	assert_int_equal(plumb_selection_new(f->spec, &request, &f->selection), 0);
	assert_true(f->selection->metric_count <= VALUES_MAX);
	for (size_t i = 0; i < f->selection->metric_count; i++)
		f->values[i] = (struct plumb_value){NAN, NAN, NAN};
	assert_int_equal(plumb_plan_new(f->selection, &PLAN_OPTIONS(), &f->plan, NULL), 0);
	assert_true(f->plan->event_count <= VALUES_MAX);
	for (uint16_t i = 0; i < f->plan->event_count; i++)
		f->events[i] =
			(struct plumb_event_count){f->plan->events[i], {NAN, 0, 0}, NAN, NAN, NAN};
	f->result = (struct plumb_result){.plan = f->plan,
					  .parts = 1,
					  .values = f->values,
					  .events = f->events,
					  .moving = NAN,
					  .unforwarded = NAN,
					  .chained = NAN,
					  .kernel = NAN};
}

static void tear_down(struct fixture *f)
{
	plumb_diagnosis_free(f->diagnosis);
	plumb_plan_free(f->plan);
	plumb_selection_free(f->selection);
}

static void set_count(struct fixture *f, const char *event, double count)
{
	const uint16_t code = f->spec->events[plumb_spec_event(f->spec, event)].code;
	const uint16_t i = plumb_plan_event(f->plan, code);

	assert_true(i < f->plan->event_count);
	f->events[i].count.count = count;
}

static void set(struct fixture *f, const char *metric, double value)
{
	bool found = false;

	for (size_t i = 0; i < f->selection->metric_count; i++) {
		if (strcmp(f->spec->metrics[f->selection->metrics[i].metric].name, metric) != 0)
			continue;
		f->values[i].value = value;
		found = true;
	}
	if (!found)
		fail_msg("%s is not selected", metric);
}

static void set_roots(struct fixture *f, double frontend, double backend, double retiring,
		      double bad_speculation)
{
	set(f, "frontend_bound", frontend);
	set(f, "backend_bound", backend);
	set(f, "retiring", retiring);
	set(f, "bad_speculation", bad_speculation);
}

static const struct plumb_diagnosis *diagnose(struct fixture *f)
{
	plumb_diagnosis_free(f->diagnosis);
	assert_int_equal(plumb_diagnose(&f->result, &f->diagnosis), 0);
	assert_non_null(f->diagnosis);
	return f->diagnosis;
}

#define TEXT_MAX 1024

/* Appends a word, after a blank if it is not the first. */
static void append(char text[TEXT_MAX], const char *word)
{
	size_t length = strlen(text);

	snprintf(text + length, TEXT_MAX - length, "%s%s", length ? " " : "", word);
}

/* `path` is the names of metrics, by blanks. */
static void check_path(struct fixture *f, enum plumb_verdict verdict, const char *path)
{
	const struct plumb_diagnosis *d = diagnose(f);
	char text[TEXT_MAX] = "";

	for (unsigned i = 0; i < d->path_length; i++) {
		append(text, f->spec->metrics[d->path[i].metric].name);
	}
	assert_string_equal(text, path);
	assert_int_equal(d->verdict, verdict);
}

static void check_next(const struct fixture *f, const char *groups, const char *samples)
{
	char text[TEXT_MAX] = "";

	for (size_t i = 0; i < f->diagnosis->next_group_count; i++) {
		append(text, f->spec->metric_groups[f->diagnosis->next_groups[i]].name);
	}
	assert_string_equal(text, groups);
	text[0] = '\0';
	for (size_t i = 0; i < f->diagnosis->sample_event_count; i++) {
		append(text, f->spec->events[f->diagnosis->sample_events[i]].name);
	}
	assert_string_equal(text, samples);
}

#define STAGE_1 REQUEST(.stages = 1u << 1)

static void memory_all_the_way_down(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 78.9, 15, 3.1);
	set(&f, "backend_core_bound", 8);
	set(&f, "backend_mem_bound", 92);
	set(&f, "backend_mem_cache_bound", 90);
	set(&f, "backend_mem_tlb_bound", 6);
	set(&f, "backend_mem_store_bound", 4);
	set(&f, "backend_cache_l1d_bound", 97);
	set(&f, "backend_cache_l2d_bound", 3);
	check_path(&f, PLUMB_VERDICT_LOSS,
		   "backend_bound backend_mem_bound backend_mem_cache_bound "
		   "backend_cache_l1d_bound");
	check_next(&f, "L1D_Cache_Effectiveness", "STALL_BACKEND_L1D L1D_CACHE_REFILL");
	assert_true(f.diagnosis->childless);
	assert_float_equal(f.diagnosis->path[1].share, 92, 1e-9);
	assert_float_equal(f.diagnosis->work, 15, 1e-9);
	assert_string_equal(f.spec->metrics[f.diagnosis->rival.metric].name,
			    "backend_cache_l2d_bound");

	set(&f, "backend_cache_l1d_bound", 30);
	set(&f, "backend_cache_l2d_bound", 70);
	check_path(&f, PLUMB_VERDICT_LOSS,
		   "backend_bound backend_mem_bound backend_mem_cache_bound "
		   "backend_cache_l2d_bound");
	check_next(&f, "L2_Cache_Effectiveness LL_Cache_Effectiveness",
		   "STALL_BACKEND_MEM L2D_CACHE_REFILL LL_CACHE_MISS_RD");
	tear_down(&f);
}

/* Where two children are about as large, neither explains its parent: the walk ends there. */
static void no_child_dominates(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 78.9, 15, 3.1);
	set(&f, "backend_core_bound", 8);
	set(&f, "backend_mem_bound", 92);
	set(&f, "backend_mem_cache_bound", 48); /* the greatest, but not half */
	set(&f, "backend_mem_tlb_bound", 37);
	set(&f, "backend_mem_store_bound", 15);
	set(&f, "backend_cache_l1d_bound", 100);
	set(&f, "backend_cache_l2d_bound", 0);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_mem_bound");
	assert_false(f.diagnosis->childless);
	assert_float_equal(f.diagnosis->below[0].share, 48, 1e-9);
	assert_float_equal(f.diagnosis->below[1].share, 37, 1e-9);
	/* Those of the children that matter: not L2's, since none of it comes from there. */
	check_next(&f, "L1D_Cache_Effectiveness DTLB_Effectiveness",
		   "STALL_BACKEND_MEMBOUND L1D_CACHE_REFILL DTLB_WALK L1D_TLB_REFILL "
		   "L2D_TLB_REFILL");

	set(&f, "backend_mem_cache_bound", 54); /* half, but no more than 9 ahead */
	set(&f, "backend_mem_tlb_bound", 45);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_mem_bound");
	set(&f, "backend_mem_cache_bound", 55);
	check_path(&f, PLUMB_VERDICT_LOSS,
		   "backend_bound backend_mem_bound backend_mem_cache_bound "
		   "backend_cache_l1d_bound");
	tear_down(&f);
}

/* Half as much lost as done is where the walk begins to be worth it. */
static void work_or_loss(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 2, 5, 91, 2);
	check_path(&f, PLUMB_VERDICT_WORK, "retiring");
	check_next(&f, "Operation_Mix FP_Arithmetic_Intensity FP_Precision_Mix SVE_Effectiveness",
		   "OP_RETIRED");
	assert_float_equal(f.diagnosis->loss.value, 5, 1e-9);

	set_roots(&f, 20, 20, 50, 10);
	check_path(&f, PLUMB_VERDICT_SPREAD, "retiring");
	set_roots(&f, 0, 33, 67, 0);
	check_path(&f, PLUMB_VERDICT_SPREAD, "retiring");
	set_roots(&f, 0, 25, 75, 0);
	check_path(&f, PLUMB_VERDICT_WORK, "retiring");
	set_roots(&f, 0, 34, 66, 0);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound");
	set_roots(&f, 25, 20, 29, 26);
	check_path(&f, PLUMB_VERDICT_LOSS, "bad_speculation");
	assert_string_equal(f.spec->metrics[f.diagnosis->rival.metric].name, "frontend_bound");
	/* The groups of the other losses come after it, and none of their events are sampled. */
	check_next(&f,
		   "Branch_Effectiveness ITLB_Effectiveness L1I_Cache_Effectiveness "
		   "L1D_Cache_Effectiveness DTLB_Effectiveness Operation_Mix",
		   "STALL_FRONTEND_FLUSH BR_MIS_PRED_RETIRED");
	tear_down(&f);
}

static const char *name_of(const struct fixture *f, uint16_t metric)
{
	return f->spec->metrics[metric].name;
}

/* Losses off the path from 10 % of the slots on: each with where its own walk ends. */
static void runners_up(void **state)
{
	const struct plumb_diagnosis *d;
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 9.9, 17, 55, 18.1);
	set(&f, "backend_core_bound", 5);
	set(&f, "backend_mem_bound", 95);
	set(&f, "backend_mem_tlb_bound", 80);
	check_path(&f, PLUMB_VERDICT_SPREAD, "retiring");
	d = f.diagnosis;
	assert_int_equal(d->runner_up_count, 2);
	assert_string_equal(name_of(&f, d->runners_up[0].root.metric), "bad_speculation");
	assert_string_equal(name_of(&f, d->runners_up[0].end.metric), "bad_speculation");
	assert_float_equal(d->runners_up[0].root.value, 18.1, 1e-9);
	assert_string_equal(name_of(&f, d->runners_up[1].root.metric), "backend_bound");
	assert_string_equal(name_of(&f, d->runners_up[1].end.metric), "backend_mem_tlb_bound");
	assert_ptr_equal(d->runners_up[1].advice, plumb_advice("backend_mem_tlb_bound"));
	check_next(&f,
		   "Operation_Mix FP_Arithmetic_Intensity FP_Precision_Mix SVE_Effectiveness "
		   "Branch_Effectiveness DTLB_Effectiveness",
		   "OP_RETIRED");

	/* Slots lost a few per cycle: the tree below says nothing about them. */
	set_count(&f, "CPU_CYCLES", 1e6);
	set_count(&f, "STALL_BACKEND", 1e4);
	diagnose(&f);
	assert_string_equal(name_of(&f, f.diagnosis->runners_up[1].end.metric), "backend_bound");
	assert_string_equal(f.diagnosis->runners_up[1].advice->brief, "few operations per cycle");

	set_roots(&f, 3, 78.9, 15, 3.1);
	assert_int_equal(diagnose(&f)->runner_up_count, 0);
	set_roots(&f, 30, 30, 10, 30);
	assert_int_equal(diagnose(&f)->runner_up_count, 2);
	tear_down(&f);
}

/* Which of "system cache, memory or another core" it is, as far as the counts tell. */
static void where_reads_beyond_l2_end(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", REQUEST(.stages = 1u << 1 | 1u << 2));
	set_roots(&f, 3, 78.9, 15, 3.1);
	set(&f, "backend_mem_bound", 95);
	set(&f, "backend_mem_cache_bound", 90);
	set(&f, "backend_cache_l2d_bound", 90);
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_cache_l2d_bound"));
	assert_true(isnan(f.diagnosis->last_level_hits));
	set_count(&f, "LL_CACHE_RD", 1000);
	set_count(&f, "LL_CACHE_MISS_RD", 30);
	assert_string_equal(diagnose(&f)->advice->brief, "data in last-level cache");
	assert_float_equal(f.diagnosis->last_level_hits, 97, 1e-9);
	set_count(&f, "LL_CACHE_MISS_RD", 970);
	assert_string_equal(diagnose(&f)->advice->brief, "data from memory");
	set_count(&f, "LL_CACHE_MISS_RD", 500);
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_cache_l2d_bound"));
	assert_float_equal(f.diagnosis->last_level_hits, 50, 1e-9);
	/* Multiplexed counts may contradict each other: that is ignored. */
	set_count(&f, "LL_CACHE_MISS_RD", 1100);
	assert_true(isnan(diagnose(&f)->last_level_hits));
	set_count(&f, "LL_CACHE_MISS_RD", 970);
	set(&f, "backend_cache_l2d_bound", 5);
	set(&f, "backend_cache_l1d_bound", 95);
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_cache_l1d_bound"));
	assert_true(isnan(f.diagnosis->last_level_hits));

	set_roots(&f, 78.9, 3, 15, 3.1);
	set(&f, "frontend_mem_bound", 95);
	set(&f, "frontend_mem_cache_bound", 90);
	set(&f, "frontend_cache_l2i_bound", 90);
	assert_string_equal(diagnose(&f)->advice->brief, "code from memory");
	tear_down(&f);
}

static void lines_that_move_between_cores(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	set(&f, "backend_core_bound", 95);
	assert_false(diagnose(&f)->sharing);
	f.result.moving = 40;
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_core_bound");
	assert_true(f.diagnosis->sharing);
	assert_float_equal(f.diagnosis->moving, 40, 1e-12);
	assert_ptr_equal(f.diagnosis->advice, plumb_advice("sharing"));
	f.result.moving = 39.9; /* less than half of the loss, but to be named */
	assert_false(diagnose(&f)->sharing);
	assert_float_equal(f.diagnosis->moving, 39.9, 1e-12);
	assert_ptr_equal(f.diagnosis->advice, plumb_advice("backend_core_bound"));
	f.result.moving = 19.9; /* few cycles */
	assert_false(diagnose(&f)->sharing);
	assert_true(isnan(f.diagnosis->moving));

	/* Lines may move behind the back of a core that waits for something else, or for nothing.
	 */
	f.result.moving = 90;
	set_roots(&f, 80, 3, 15, 2);
	assert_false(diagnose(&f)->sharing);
	assert_float_equal(f.diagnosis->moving, 90, 1e-12);
	set_roots(&f, 3, 15, 80, 2);
	assert_false(diagnose(&f)->sharing);
	assert_float_equal(f.diagnosis->moving, 90, 1e-12);

	/* What the backend loses besides is blamed on the moves, not on where the reads went. */
	set_roots(&f, 50, 30, 15, 5);
	f.result.moving = 15;
	assert_false(diagnose(&f)->sharing);
	assert_int_equal(f.diagnosis->runner_up_count, 1);
	assert_ptr_equal(f.diagnosis->runners_up[0].advice, plumb_advice("sharing"));
	assert_float_equal(f.diagnosis->moving, 15, 1e-12);
	f.result.moving = 14.9;
	assert_ptr_not_equal(diagnose(&f)->runners_up[0].advice, plumb_advice("sharing"));
	assert_true(isnan(f.diagnosis->moving));
	tear_down(&f);
}

static void time_in_the_kernel(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	set(&f, "backend_core_bound", 95);
	f.result.chained = 90;
	f.result.kernel = 40;
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("kernel"));
	f.result.kernel = 39; /* less than half of the loss, but half of the core's 76 % */
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("kernel"));
	f.result.kernel = 37;
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("dependency_chain"));
	f.result.kernel = 90;
	set_roots(&f, 80, 3, 15, 2);
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("frontend_bound"));
	tear_down(&f);
}

/* V2's tree ends at its roots. The model tells what the backend waits for. */
static void waits_where_the_tree_ends(void **state)
{
	struct fixture f;
	const struct plumb_diagnosis *d;

	(void)state;
	set_up(&f, "neoverse-v2", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	d = diagnose(&f);
	assert_int_equal(d->wait_count, 0);
	assert_ptr_equal(d->advice, plumb_advice("backend_bound"));

	f.result.waits = (struct plumb_core_waits){
		.cycles = 1000, .core = 100, .l1d = 20, .beyond_l2 = 620, .tlb = 60};
	d = diagnose(&f);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound");
	assert_ptr_equal(f.diagnosis->advice, plumb_advice("backend_cache_l2d_bound"));
	d = f.diagnosis;
	assert_int_equal(d->wait_count, 3); /* 20 of 800 are below 5 % */
	assert_string_equal(d->waits[0].advice->metric, "backend_cache_l2d_bound");
	assert_string_equal(d->waits[1].advice->metric, "backend_core_bound");
	assert_string_equal(d->waits[2].advice->metric, "backend_mem_tlb_bound");
	assert_float_equal(d->waits[0].share, 77.5, 1e-12);
	assert_float_equal(d->waits[1].share, 12.5, 1e-12);
	assert_float_equal(d->waits[2].share, 7.5, 1e-12);

	/* Half and half: no single cause, but both are named. */
	f.result.waits = (struct plumb_core_waits){.cycles = 1000, .core = 390, .beyond_l2 = 410};
	d = diagnose(&f);
	assert_ptr_equal(d->advice, plumb_advice("backend_bound"));
	assert_int_equal(d->wait_count, 2);

	/* Few cycles are stalled as a whole: their causes say little. */
	f.result.waits = (struct plumb_core_waits){.cycles = 1000, .beyond_l2 = 390};
	d = diagnose(&f);
	assert_int_equal(d->wait_count, 0);
	assert_string_equal(d->advice->brief, "few operations per cycle");
	tear_down(&f);

	/* The frontend's root has nothing below it, either. */
	set_up(&f, "neoverse-v2", STAGE_1);
	set_roots(&f, 80, 3, 15, 2);
	f.result.waits = (struct plumb_core_waits){
		.cycles = 1000, .beyond_l2 = 500, .flush = 700, .flow = 20, .code_l1i = 80};
	d = diagnose(&f);
	assert_int_equal(d->wait_count, 2);
	assert_string_equal(d->waits[1].advice->metric, "frontend_cache_l1i_bound");
	assert_float_equal(d->waits[0].share, 87.5, 1e-12);
	assert_ptr_equal(d->advice, plumb_advice("frontend_core_flush_bound"));
	f.result.waits.mispredictions = 4;
	f.result.waits.barriers = 5;
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("barriers"));
	f.result.waits.flush = 100;
	f.result.waits.code_l1i = 700; /* most flushes are of barriers, but hold up little */
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("frontend_cache_l1i_bound"));
	tear_down(&f);

	/* N3's own tree goes on. */
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	f.result.waits = (struct plumb_core_waits){.cycles = 1000, .beyond_l2 = 800};
	assert_int_equal(diagnose(&f)->wait_count, 0);
	tear_down(&f);
}

static void flushes_without_branches(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 5, 15, 77);
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("bad_speculation"));
	f.result.waits = (struct plumb_core_waits){.mispredictions = 40, .exceptions = 60};
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("exceptions"));
	f.result.waits = (struct plumb_core_waits){.mispredictions = 40, .barriers = 60};
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("barriers"));
	f.result.waits = (struct plumb_core_waits){.mispredictions = 60, .barriers = 40};
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("bad_speculation"));
	tear_down(&f);
}

static void chains_set_the_pace(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	set(&f, "backend_core_bound", 95);
	f.result.chained = 50;
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("dependency_chain"));
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_core_bound");
	f.result.chained = 49; /* of the cycles */
	assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_core_bound"));
	set(&f, "backend_core_bound", 5);
	set(&f, "backend_mem_bound", 95);
	f.result.chained = 100; /* a chain of loads that miss */
	assert_ptr_not_equal(diagnose(&f)->advice, plumb_advice("dependency_chain"));
	tear_down(&f);
}

/* V2's and N1's trees end at their roots: what the model says of waits leads to the same leaves. */
static void chains_and_failed_forwarding_where_the_tree_ends(void **state)
{
	static const struct {
		const char *cpu, *path;
	} cases[] = {{"neoverse-v2", "backend_bound"}, {"neoverse-n1", "backend_stalled_cycles"}};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_up(&f, cases[i].cpu, STAGE_1);
		if (i == 0) {
			set_roots(&f, 3, 80, 15, 2);
		} else {
			set(&f, "frontend_stalled_cycles", 3);
			set(&f, "backend_stalled_cycles", 80);
		}
		f.result.chained = 60;
		f.result.waits = (struct plumb_core_waits){.cycles = 1000, .core = 800};
		assert_ptr_equal(diagnose(&f)->advice, plumb_advice("dependency_chain"));
		check_path(&f, PLUMB_VERDICT_LOSS, cases[i].path);
		/* a chain of loads that miss */
		f.result.waits = (struct plumb_core_waits){.cycles = 1000, .beyond_l2 = 800};
		assert_ptr_not_equal(diagnose(&f)->advice, plumb_advice("dependency_chain"));
		f.result.chained = NAN;
		f.result.waits = (struct plumb_core_waits){.cycles = 1000, .core = 800};
		assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_core_bound"));
		f.result.waits = (struct plumb_core_waits){.cycles = 1000, .store = 800};
		f.result.unforwarded = 40;
		assert_ptr_equal(diagnose(&f)->advice, plumb_advice("failed_forwarding"));
		f.result.unforwarded = 39; /* less than half of the waits */
		assert_ptr_equal(diagnose(&f)->advice, plumb_advice("backend_mem_store_bound"));
		tear_down(&f);
	}
}

static double slots_of(const struct fixture *f, const char *metric)
{
	for (size_t i = 0; i < f->selection->metric_count; i++)
		if (strcmp(name_of(f, f->selection->metrics[i].metric), metric) == 0)
			return f->diagnosis->slots[i];
	fail_msg("%s is not selected", metric);
	return NAN;
}

/* Of 80 % of the slots that the backend lost, 60 were lost in cycles that stalled altogether. */
static void shares_of_all_slots(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 2, 80, 15, 3);
	set(&f, "backend_mem_bound", 90);
	set(&f, "backend_core_bound", 10);
	set(&f, "backend_mem_cache_bound", 50);
	set(&f, "backend_cache_l2d_bound", 20);
	set(&f, "backend_busy_bound", 15);
	set(&f, "frontend_mem_bound", 50);
	set_count(&f, "CPU_CYCLES", 1e6);
	set_count(&f, "STALL_BACKEND", 6e5);
	set_count(&f, "STALL_FRONTEND", 5e5);
	diagnose(&f);
	assert_float_equal(slots_of(&f, "backend_bound"), 80, 1e-9);
	assert_float_equal(slots_of(&f, "backend_mem_bound"), 54, 1e-9);
	assert_float_equal(slots_of(&f, "backend_core_bound"), 6, 1e-9);
	assert_float_equal(slots_of(&f, "backend_mem_cache_bound"), 27, 1e-9);
	assert_float_equal(slots_of(&f, "backend_cache_l2d_bound"), 5.4, 1e-9);
	assert_true(isnan(slots_of(&f, "backend_mem_store_bound"))); /* it has no value */
	/* Not part of N3's tree: a share of the backend's stalled cycles all the same. */
	assert_float_equal(slots_of(&f, "backend_busy_bound"), 9, 1e-9);
	/* The frontend stalled after flushes, which are bad speculation: 2 % is all it lost. */
	assert_float_equal(slots_of(&f, "frontend_mem_bound"), 1, 1e-9);
	tear_down(&f);

	/* C1-Ultra's backend_busy_bound is 80 % of what is above it: of the same stalled cycles. */
	set_up(&f, "c1-ultra", STAGE_1);
	set_roots(&f, 0, 80, 15, 5);
	set(&f, "backend_core_bound", 50);
	set(&f, "backend_busy_bound", 40);
	set_count(&f, "CPU_CYCLES", 1e6);
	set_count(&f, "STALL_BACKEND", 6e5);
	diagnose(&f);
	assert_float_equal(slots_of(&f, "backend_core_bound"), 30, 1e-9);
	assert_float_equal(slots_of(&f, "backend_busy_bound"), 24, 1e-9);
	tear_down(&f);

	/* Stage 2 has no shares of slots. */
	set_up(&f, "neoverse-n3", REQUEST(.stages = 1u << 1 | 1u << 2));
	set_roots(&f, 2, 80, 15, 3);
	set(&f, "ipc", 2);
	diagnose(&f);
	assert_true(isnan(slots_of(&f, "ipc")));
	tear_down(&f);
}

/*
 * A core of five slots that executes one operation a cycle loses 80 % of its slots, but hardly a
 * cycle: what the tree says of the few stalled ones, from when the program began, is beside the
 * point.
 */
static void slots_lost_a_few_in_a_cycle(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 0, 80, 20, 0);
	set(&f, "backend_mem_bound", 95);
	set(&f, "backend_core_bound", 5);
	set_count(&f, "CPU_CYCLES", 1e6);
	set_count(&f, "STALL_BACKEND", 1e4);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound");
	assert_true(f.diagnosis->partly);
	assert_float_equal(f.diagnosis->stalled, 1, 1e-9);
	check_next(&f, "Operation_Mix", "STALL_SLOT_BACKEND");

	/* One in two cycles stalls: 90 % of the slots, of which the stalled ones are 50. */
	set_roots(&f, 0, 90, 10, 0);
	set_count(&f, "STALL_BACKEND", 5e5);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_mem_bound");
	assert_false(f.diagnosis->partly);

	set_roots(&f, 60, 0, 40, 0);
	set(&f, "frontend_mem_bound", 100);
	set_count(&f, "STALL_FRONTEND", 2.9e5);
	check_path(&f, PLUMB_VERDICT_LOSS, "frontend_bound");
	check_next(&f, "Branch_Effectiveness", "STALL_SLOT_FRONTEND BR_MIS_PRED_RETIRED");
	set_count(&f, "STALL_FRONTEND", 3.1e5);
	check_path(&f, PLUMB_VERDICT_LOSS, "frontend_bound frontend_mem_bound");
	tear_down(&f);
}

static void what_is_missing_is_not_guessed(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	check_path(&f, PLUMB_VERDICT_UNKNOWN, "");
	check_next(&f, "", "");
	assert_true(isnan(f.diagnosis->work));
	set_roots(&f, 3, NAN, 30, 3);
	check_path(&f, PLUMB_VERDICT_UNKNOWN, "");
	/* Of children, those with a value are seen. */
	set_roots(&f, 3, 64, 30, 3);
	set(&f, "backend_mem_bound", 80);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_mem_bound");
	tear_down(&f);

	/* A part of the tree is no tree. */
	set_up(&f, "neoverse-n3", REQUEST());
	check_path(&f, PLUMB_VERDICT_UNKNOWN, "");
	tear_down(&f);
}

/* If a tree names no metric groups at a node, the advice on the node names the next ones. */
static void advised_groups_stand_in(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 78.9, 15, 3.1);
	set(&f, "backend_core_bound", 5);
	set(&f, "backend_mem_bound", 95);
	set(&f, "backend_mem_cache_bound", 5);
	set(&f, "backend_mem_store_bound", 90);
	check_path(&f, PLUMB_VERDICT_LOSS,
		   "backend_bound backend_mem_bound backend_mem_store_bound");
	check_next(&f, "Operation_Mix L1D_Cache_Effectiveness",
		   "STALL_BACKEND_ST L1D_CACHE_REFILL");
	tear_down(&f);
}

/* N1 counts cycles, not slots, and its tree has no root for work. */
static void a_tree_without_work(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n1", STAGE_1);
	set(&f, "frontend_stalled_cycles", 4);
	set(&f, "backend_stalled_cycles", 60);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_stalled_cycles");
	assert_float_equal(f.diagnosis->work, 36, 1e-9);
	set(&f, "backend_stalled_cycles", 6);
	check_path(&f, PLUMB_VERDICT_WORK, "");
	check_next(&f, "Operation_Mix", "");
	tear_down(&f);
}

/*
 * C1-Ultra's backend_busy_bound is a share of STALL_BACKEND, as is backend_core_bound above it;
 * its neighbours are shares of what backend_core_bound counts. Compared as they stand, 40 would be
 * the lesser; of the 50 that are the core's it is 80 percent.
 */
static void shares_of_the_same_whole(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "c1-ultra", STAGE_1);
	set_roots(&f, 3, 78.9, 15, 3.1);
	set(&f, "backend_core_bound", 50);
	set(&f, "backend_mem_bound", 39);
	set(&f, "backend_busy_bound", 40);
	set(&f, "backend_core_rename_bound", 45);
	check_path(&f, PLUMB_VERDICT_LOSS, "backend_bound backend_core_bound backend_busy_bound");
	assert_float_equal(f.diagnosis->path[2].share, 80, 1e-9);
	assert_float_equal(f.diagnosis->path[2].value, 40, 1e-9);
	assert_float_equal(f.diagnosis->rival.share, 45, 1e-9);
	tear_down(&f);
}

static void paths_in_common(void **state)
{
	static const struct plumb_diagnosis a = {.path = {{.metric = 1}, {.metric = 2}},
						 .path_length = 2},
					    b = {.path = {{.metric = 1}, {.metric = 3}},
						 .path_length = 2},
					    c = {.path_length = 0};

	(void)state;
	assert_int_equal(plumb_diagnosis_common(&a, &a), 2);
	assert_int_equal(plumb_diagnosis_common(&a, &b), 1);
	assert_int_equal(plumb_diagnosis_common(&a, &c), 0);
}

/* All that is said of nodes. */
static const struct plumb_advice all_advice[] = {
#define ROW(name, brief, means, hint, groups) {#name, brief, means, hint, groups},
#define NODE                                  ROW
#define PARTLY                                ROW
#define HITS                                  ROW
#define MISSES                                ROW
#include "profile/nodes.def"
};

static void check_sentences(const struct plumb_advice *advice)
{
	assert_in_range(strlen(advice->brief), 1, 24);
	assert_true(strlen(advice->means) > 20);
	assert_true(strlen(advice->hint) > 20);
	assert_int_equal(advice->means[strlen(advice->means) - 1], '.');
	assert_int_equal(advice->hint[strlen(advice->hint) - 1], '.');
}

/* Each group that is advised is one of some built-in CPU that has the node. */
static void check_advised_groups(const struct plumb_advice *advice)
{
	char groups[256];

	assert_true(strlen(advice->groups) < sizeof(groups));
	snprintf(groups, sizeof(groups), "%s", advice->groups);
	for (char *group = strtok(groups, ","); group; group = strtok(NULL, ",")) {
		size_t found = 0;

		for (size_t c = 0; c < plumb_spec_builtin_count(); c++) {
			const struct plumb_spec *spec = plumb_spec_builtin(c);
			uint16_t metric = plumb_spec_metric(spec, advice->metric);

			found += metric != PLUMB_NONE &&
				 plumb_spec_metric_group(spec, group) != PLUMB_NONE;
		}
		if (!found)
			fail_msg("%s: no CPU with it has %s", advice->metric, group);
	}
}

/* Every node of every built-in tree is explained, and what is advised is there on some CPU. */
static void advice_is_complete(void **state)
{
	(void)state;
	for (size_t c = 0; c < plumb_spec_builtin_count(); c++) {
		const struct plumb_spec *spec = plumb_spec_builtin(c);

		for (uint16_t m = 0; m < spec->methodology_count; m++) {
			for (uint16_t n = 0; n < spec->methodologies[m].node_count; n++) {
				const char *name =
					spec->metrics[spec->methodologies[m].nodes[n].metric].name;
				const struct plumb_advice *advice = plumb_advice(name);

				if (!advice) {
					fail_msg("%s: nothing is said of %s", spec->id, name);
					return;
				}
				assert_string_equal(advice->metric, name);
			}
		}
	}
	assert_null(plumb_advice("no_such_node"));
	for (size_t i = 0; i < sizeof(all_advice) / sizeof(*all_advice); i++) {
		check_sentences(&all_advice[i]);
		check_advised_groups(&all_advice[i]);
	}
}

/* At each node of each CPU, made the leaf, there is a next step: a group, and an event. */
static void every_leaf_leads_somewhere(void **state)
{
	(void)state;
	for (size_t c = 0; c < plumb_spec_builtin_count(); c++) {
		const struct plumb_spec *spec = plumb_spec_builtin(c);
		struct fixture f;

		set_up(&f, spec->id, REQUEST(.stages = 1u << 1 | 1u << 2));
		for (size_t i = 0; i < f.selection->metric_count; i++) {
			const struct plumb_selected_metric *m = &f.selection->metrics[i];
			uint16_t at = m->metric;

			if (m->level == 0)
				continue;
			/* It and all above it hold everything; all else holds nothing. */
			for (size_t k = 0; k < f.selection->metric_count; k++)
				f.values[k].value = 0;
			while (at != PLUMB_NONE) {
				uint16_t parent = PLUMB_NONE;

				set(&f, spec->metrics[at].name, 100);
				for (size_t k = 0; k < f.selection->metric_count; k++)
					if (f.selection->metrics[k].metric == at &&
					    f.selection->metrics[k].level)
						parent = f.selection->metrics[k].parent;
				at = parent;
			}
			diagnose(&f);
			assert_int_equal(f.diagnosis->path_length, m->level);
			assert_int_equal(f.diagnosis->path[m->level - 1].metric, m->metric);
			/* Arm's files name no events to sample for this unit. */
			assert_true(f.diagnosis->sample_event_count > 0 ||
				    strncmp(spec->id, "c1-sme2", 7) == 0);
			assert_true(f.diagnosis->next_group_count > 0);
		}
		tear_down(&f);
	}
}

/* `expected` is "cause slots" of each loss, rounded, by blanks. */
static void check_losses(struct fixture *f, const char *expected)
{
	const struct plumb_diagnosis *d = diagnose(f);
	char text[TEXT_MAX] = "", word[128];

	for (unsigned i = 0; i < d->loss_count; i++) {
		snprintf(word, sizeof(word), "%s %.0f", d->losses[i].cause, d->losses[i].slots);
		append(text, word);
	}
	assert_string_equal(text, expected);
}

static void losses_by_what_can_be_won(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 3, 80, 15, 2);
	set_count(&f, "CPU_CYCLES", 1000);
	set_count(&f, "STALL_BACKEND", 800);
	set(&f, "backend_core_bound", 30);
	set(&f, "backend_core_rename_bound", 0);
	set(&f, "backend_mem_bound", 70);
	/* Shares of 56 % of the slots; a cache's children are parts of it. */
	set(&f, "backend_mem_tlb_bound", 40);
	set(&f, "backend_mem_store_bound", 5);
	set(&f, "backend_mem_cache_bound", 55);
	set(&f, "backend_cache_l1d_bound", 100);
	set(&f, "backend_cache_l2d_bound", 0);
	/* 80 x 0.7 x 0.55; 80 x 0.3; 80 x 0.7 x 0.4. The stores hold 2.8 %, too few. */
	check_losses(&f, "backend_cache_l1d_bound 31 backend_core_bound 24 "
			 "backend_mem_tlb_bound 22");

	/* A chain is another cause of the same node. */
	f.result.chained = 60;
	check_losses(&f, "backend_cache_l1d_bound 31 dependency_chain 24 backend_mem_tlb_bound 22");

	/* Lines that move are one loss: all that the backend loses. */
	f.result.moving = 50;
	check_losses(&f, "sharing 80");
	f.result.moving = NAN;
	f.result.kernel = 50;
	check_losses(&f, "kernel 80");
	/* Less than half of it, but half of the core's own stalls. */
	f.result.kernel = 12;
	check_losses(&f, "backend_cache_l1d_bound 31 kernel 24 backend_mem_tlb_bound 22");
	f.result.kernel = 11;
	check_losses(&f, "backend_cache_l1d_bound 31 dependency_chain 24 backend_mem_tlb_bound 22");
	f.result.kernel = NAN;

	/* Children that explain little do not replace their node. */
	set(&f, "backend_core_bound", 5);
	set(&f, "backend_mem_bound", 30);
	check_losses(&f, "backend_bound 80");
	tear_down(&f);
}

static void losses_of_flushes(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 30, 2, 28, 40);
	set_count(&f, "CPU_CYCLES", 1000);
	set_count(&f, "STALL_FRONTEND", 300);
	set(&f, "frontend_core_bound", 70);
	set(&f, "frontend_core_flush_bound", 100);
	set(&f, "frontend_core_flow_bound", 0);
	set(&f, "frontend_mem_bound", 30);
	set(&f, "frontend_mem_cache_bound", 0);
	set(&f, "frontend_mem_tlb_bound", 100);
	/* What flushes cost the frontend, 21 %, is bad speculation's. */
	check_losses(&f, "bad_speculation 61 frontend_mem_tlb_bound 9");
	tear_down(&f);
}

static void no_losses_where_slots_do_work(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "neoverse-n3", STAGE_1);
	set_roots(&f, 4, 3, 92, 1);
	check_losses(&f, "");
	/* If 70 % do work, a loss is worth looking at from 10 % on; else from 5 %. */
	set_roots(&f, 9, 5, 85, 1);
	check_losses(&f, "");
	set_roots(&f, 12, 5, 82, 1);
	check_losses(&f, "frontend_bound 12");
	set_roots(&f, 9, 33, 55, 3);
	check_losses(&f, "backend_bound 33 frontend_bound 9");
	/* What is unknown is not guessed. */
	set_roots(&f, 9, NAN, 55, 3);
	check_losses(&f, "");
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_all_the_way_down),
		cmocka_unit_test(no_child_dominates),
		cmocka_unit_test(work_or_loss),
		cmocka_unit_test(runners_up),
		cmocka_unit_test(where_reads_beyond_l2_end),
		cmocka_unit_test(lines_that_move_between_cores),
		cmocka_unit_test(time_in_the_kernel),
		cmocka_unit_test(waits_where_the_tree_ends),
		cmocka_unit_test(flushes_without_branches),
		cmocka_unit_test(chains_set_the_pace),
		cmocka_unit_test(chains_and_failed_forwarding_where_the_tree_ends),
		cmocka_unit_test(shares_of_all_slots),
		cmocka_unit_test(slots_lost_a_few_in_a_cycle),
		cmocka_unit_test(what_is_missing_is_not_guessed),
		cmocka_unit_test(advised_groups_stand_in),
		cmocka_unit_test(a_tree_without_work),
		cmocka_unit_test(shares_of_the_same_whole),
		cmocka_unit_test(paths_in_common),
		cmocka_unit_test(advice_is_complete),
		cmocka_unit_test(every_leaf_leads_somewhere),
		cmocka_unit_test(losses_by_what_can_be_won),
		cmocka_unit_test(losses_of_flushes),
		cmocka_unit_test(no_losses_where_slots_do_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From counts to values; the figures were worked out by hand. */
#include "check.h"

#include <math.h>

#include "count/plan.h"
#include "count/scaled.h"
#include "counting.h"
#include "listed.h"
#include "small_spec.h"

static const uint16_t metrics[] = {SMALL_IPC, SMALL_BACKEND_BOUND, SMALL_L1D_MISS_RATIO};

struct fixture {
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_result *result;
	struct plumb_count *counts;
};

static void set_up(struct fixture *f, const struct plumb_plan_options *options)
{
	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.metrics = {metrics, 3}), &f->selection),
		0);
	assert_int_equal(plumb_plan_new(f->selection, options, &f->plan, NULL), 0);
	assert_int_equal(plumb_result_new(f->plan, &f->result), 0);
	f->counts = calloc(f->plan->place_count, sizeof(*f->counts));
	assert_non_null(f->counts);
}

static void tear_down(struct fixture *f)
{
	free(f->counts);
	plumb_result_free(f->result);
	plumb_plan_free(f->plan);
	plumb_selection_free(f->selection);
}

/* Sets the count of an event in one group (or in all that have it: PLUMB_NONE). */
static void set(struct fixture *f, uint16_t only, uint16_t code, double count)
{
	for (uint16_t g = 0; g < f->plan->group_count; g++)
		for (uint16_t i = 0; i < f->plan->groups[g].count; i++)
			if (group_code(f->plan, &f->plan->groups[g], i) == code &&
			    (only == g || only == PLUMB_NONE))
				f->counts[f->plan->groups[g].first + i] =
					(struct plumb_count){count, 10, 5};
}

static struct plumb_count event(const struct fixture *f, uint16_t code)
{
	const uint16_t i = plumb_plan_event(f->plan, code);

	assert_true(i < f->plan->event_count);
	return f->result->events[i].count;
}

static void one_part(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	assert_true(isnan(f.result->values[0].value));
	set(&f, PLUMB_NONE, 0x08, 300);
	set(&f, PLUMB_NONE, 0x11, 200);
	set(&f, PLUMB_NONE, 0x3d, 250);
	set(&f, PLUMB_NONE, 0x03, 1);
	set(&f, PLUMB_NONE, 0x04, 4);
	plumb_result_add(f.result, f.counts, true);
	assert_int_equal(f.result->parts, 1);
	assert_float_equal(f.result->values[0].value, 1.5, 1e-12);
	assert_float_equal(f.result->values[1].value, 25, 1e-12); /* 250 of 5 * 200 slots */
	assert_float_equal(f.result->values[2].value, 0.25, 1e-12);
	assert_float_equal(f.result->values[2].low, 0.25, 1e-12);
	assert_float_equal(f.result->values[2].high, 0.25, 1e-12);
	assert_float_equal(event(&f, 0x08).count, 300, 1e-12);
	assert_int_equal(event(&f, 0x08).enabled_ns, 10);
	assert_int_equal(event(&f, 0x08).running_ns, 5);
	tear_down(&f);
}

static void moving_lines_by_cycles(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	assert_true(isnan(f.result->moving));
	plumb_result_add_moving(f.result, 0, 0); /* of another source */
	assert_true(isnan(f.result->moving));
	plumb_result_add_moving(f.result, 30, 100);
	assert_float_equal(f.result->moving, 30, 1e-12);
	plumb_result_add_moving(f.result, 0, 900);
	assert_float_equal(f.result->moving, 3, 1e-12);
	tear_down(&f);
}

static void waits_by_cycles(void **state)
{
	const uint64_t none[PLUMB_LIMIT_SETS] = {0};
	const uint64_t some[PLUMB_LIMIT_SETS] = {[0] = 100,
						 [PLUMB_LIMIT_CHAIN] = 200,
						 [PLUMB_LIMIT_CHAIN | PLUMB_LIMIT_PORTS] = 100};
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	assert_true(isnan(f.result->unforwarded));
	plumb_result_add_waits(f.result, 0, 0, none); /* of another source */
	assert_true(isnan(f.result->unforwarded));
	plumb_result_add_waits(f.result, 30, 100, none); /* too short to examine */
	assert_float_equal(f.result->unforwarded, 30, 1e-12);
	assert_true(isnan(f.result->chained));
	plumb_result_add_waits(f.result, 0, 900, some);
	assert_float_equal(f.result->unforwarded, 3, 1e-12);
	assert_float_equal(f.result->chained, 75, 1e-12);
	tear_down(&f);
}

static void kernel_by_cycles(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	plumb_result_add_kernel(f.result, 0, 0); /* of another source */
	assert_true(isnan(f.result->kernel));
	plumb_result_add_kernel(f.result, 30, 100);
	assert_float_equal(f.result->kernel, 30, 1e-12);
	plumb_result_add_kernel(f.result, 0, 900);
	assert_float_equal(f.result->kernel, 3, 1e-12);
	tear_down(&f);
}

static void core_waits_add_up(void **state)
{
	const struct plumb_core_waits one = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	const struct plumb_core_waits twice = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28};
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	plumb_result_add_core_waits(f.result, &one);
	plumb_result_add_core_waits(f.result, &one);
	assert_memory_equal(&f.result->waits, &twice, sizeof(twice));
	tear_down(&f);
}

static void no_count_is_no_value(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	set(&f, PLUMB_NONE, 0x08, 300);
	set(&f, PLUMB_NONE, 0x11, NAN);
	set(&f, PLUMB_NONE, 0x03, 0);
	set(&f, PLUMB_NONE, 0x04, 0); /* nothing by nothing */
	plumb_result_add(f.result, f.counts, true);
	for (size_t i = 0; i < 3; i++) {
		assert_true(isnan(f.result->values[i].value));
		assert_true(isnan(f.result->values[i].low));
		assert_true(isnan(f.result->values[i].high));
	}
	assert_true(isnan(event(&f, 0x11).count));
	tear_down(&f);
}

/* Two intervals, the second three times as long: 1 and 2 per cycle average to 1.75. */
static void intervals_weigh_what_they_last(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	set(&f, PLUMB_NONE, 0x08, 100);
	set(&f, PLUMB_NONE, 0x11, 100);
	plumb_result_add(f.result, f.counts, false);
	set(&f, PLUMB_NONE, 0x08, 600);
	set(&f, PLUMB_NONE, 0x11, 300);
	plumb_result_add(f.result, f.counts, false);
	assert_int_equal(f.result->parts, 2);
	assert_float_equal(f.result->values[0].value, 1.75, 1e-12);
	assert_float_equal(f.result->values[0].low, 1, 1e-12);
	assert_float_equal(f.result->values[0].high, 2, 1e-12);
	assert_float_equal(event(&f, 0x08).count, 700, 1e-12);
	tear_down(&f);
}

/*
 * Counts of 90, 100 and 110: the standard deviation is 10, so the mean's error is 10 / sqrt(3).
 * `perf stat -r` prints 5.77% for such runs.
 */
static void runs_differ(void **state)
{
	struct fixture f;
	uint16_t i = 0;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	while (f.result->events[i].event->config != 0x08)
		i++;
	set(&f, PLUMB_NONE, 0x08, 90);
	plumb_result_add(f.result, f.counts, true);
	assert_true(isnan(f.result->events[i].deviation));
	set(&f, PLUMB_NONE, 0x08, 110);
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->events[i].deviation, 10, 1e-9); /* 14.14 / sqrt(2) */
	set(&f, PLUMB_NONE, 0x08, NAN); /* A run that did not count it has no influence. */
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->events[i].deviation, 10, 1e-9);
	set(&f, PLUMB_NONE, 0x08, 100);
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->events[i].deviation, 5.7735026919, 1e-9);
	tear_down(&f);

	/* Intervals are not repetitions of one measurement. */
	set_up(&f, &PLAN_OPTIONS());
	for (int n = 0; n < 2; n++) {
		set(&f, PLUMB_NONE, 0x08, 90 + n);
		plumb_result_add(f.result, f.counts, false);
	}
	assert_true(isnan(f.result->events[i].deviation));
	tear_down(&f);
}

/* Two requests for one counter get two answers; a group has its own counter. */
static void repeated_events_have_the_same_count(void **state)
{
	struct plumb_event_list *list = listed(&small_spec, "r11,cs:u,cycles,r08,{r11,r08},cs:u");
	const double counts[] = {7, 5, 7, 3, 70, 30, 5};
	struct fixture f;

	(void)state;
	assert_int_equal(plumb_selection_new(&small_spec, &REQUEST(.events = list), &f.selection),
			 0);
	assert_int_equal(plumb_plan_new(f.selection, &PLAN_OPTIONS(.counters = 6), &f.plan, NULL),
			 0);
	assert_int_equal(plumb_result_new(f.plan, &f.result), 0);
	f.counts = calloc(f.plan->place_count, sizeof(*f.counts));
	assert_int_equal(f.plan->event_count, 7);
	assert_int_equal(f.plan->place_count, 5);
	for (int run = 1; run <= 2; run++) {
		for (uint16_t g = 0; g < f.plan->group_count; g++)
			for (uint16_t i = 0; i < f.plan->groups[g].count; i++)
				f.counts[f.plan->groups[g].first + i] = (struct plumb_count){
					counts[f.plan->groups[g].events[i]] * run, 10, 5};
		plumb_result_add(f.result, f.counts, true);
	}
	for (uint16_t i = 0; i < 7; i++) {
		const struct plumb_event_count *event = &f.result->events[i];

		assert_ptr_equal(event->event, plumb_event_list_get(list, i));
		assert_float_equal(event->count.count, counts[i] * 1.5, 1e-12);
		assert_float_equal(event->low, counts[i], 1e-12);
		assert_float_equal(event->high, counts[i] * 2, 1e-12);
		/* Half the difference, relative to 1.5. */
		assert_float_equal(event->deviation, 100.0 / 3, 1e-9);
		assert_int_equal(event->count.enabled_ns, 20);
		assert_int_equal(event->count.running_ns, 10);
	}
	tear_down(&f);
	plumb_event_list_free(list);
}

/* A run in which an event was never counted does not affect the others. */
static void runs_are_averaged(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	set(&f, PLUMB_NONE, 0x08, 100);
	set(&f, PLUMB_NONE, 0x11, 50);
	plumb_result_add(f.result, f.counts, true);
	set(&f, PLUMB_NONE, 0x08, 200);
	set(&f, PLUMB_NONE, 0x11, 150);
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->values[0].value, 1.5, 1e-12);
	assert_float_equal(event(&f, 0x08).count, 150, 1e-12);
	assert_int_equal(event(&f, 0x08).enabled_ns, 20);
	tear_down(&f);
}

/* Each metric uses the counts of its own group, even if other groups count the same events. */
static void groups_do_not_mix(void **state)
{
	struct fixture f;
	uint16_t ipc, backend;

	(void)state;
	set_up(&f, &PLAN_OPTIONS(.counters = 1, .cycle_counter = true));
	ipc = plan_home(f.plan, 0);
	backend = plan_home(f.plan, 1);
	assert_int_not_equal(ipc, PLUMB_NONE);
	assert_int_not_equal(backend, PLUMB_NONE);
	assert_int_not_equal(ipc, backend);
	set(&f, PLUMB_NONE, 0x11, 1);
	set(&f, ipc, 0x08, 400);
	set(&f, ipc, 0x11, 100);
	set(&f, backend, 0x3d, 100);
	set(&f, backend, 0x11, 200);
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->values[0].value, 4, 1e-12);
	assert_float_equal(f.result->values[1].value, 10, 1e-12);
	tear_down(&f);
}

/* With one counter, a ratio of two events takes them from two groups. */
static void parted_metrics_take_what_there_is(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS(.counters = 1));
	assert_int_equal(plan_home(f.plan, 2), PLUMB_NONE);
	set(&f, PLUMB_NONE, 0x03, 30);
	set(&f, PLUMB_NONE, 0x04, 40);
	plumb_result_add(f.result, f.counts, true);
	assert_float_equal(f.result->values[2].value, 0.75, 1e-12);
	tear_down(&f);
}

static void scaling(void **state)
{
	(void)state;
	assert_float_equal(count_scaled(100, 50, 50), 100, 0);
	assert_float_equal(count_scaled(100, 50, 25), 200, 1e-9);
	assert_float_equal(count_scaled(100, 0, 0), 100, 0);
	assert_true(isnan(count_scaled(100, 50, 0)));
	assert_float_equal(count_scaled(7, 50, 60), 7, 0);
}

/* Rates that alternate between two values; the interval is worked out below. */
static void intervals_of_slices(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, &PLAN_OPTIONS());
	set(&f, PLUMB_NONE, 0x08, 0);
	/* Eight slices of 20 ns, in each of which half was counted. */
	for (int i = 0; i < 8; i++) {
		for (size_t k = 0; k < f.plan->place_count; k++)
			f.counts[k] = (struct plumb_count){i % 2 ? 220 : 180, 20, 10};
		assert_int_equal(plumb_result_add_slice(f.result, f.counts), 0);
	}
	for (size_t k = 0; k < f.plan->place_count; k++)
		f.counts[k] = (struct plumb_count){1600, 160, 80};
	plumb_result_add(f.result, f.counts, true);
	assert_int_equal(plumb_result_estimate(f.result), 0);
	/*
	 * Rates of 9 and 11 per ns, of which sqrt(1/2) is uncertain: differences of sqrt(2), whose
	 * squares, 2, are divided by 1/20 + 1/20. So each of 7 is 20, and so is their mean; times
	 * 160 ns that is 3200. Student's quantile for 14/3 degrees is 2.6268.
	 */
	{
		const uint16_t i = plumb_plan_event(f.plan, 0x08);
		const struct plumb_interval *interval = &f.result->event_intervals[i];

		assert_float_equal(interval->low, 1600 - 2.6268 * sqrt(3200), 0.05);
		assert_float_equal(interval->high, 1600 + 2.6268 * sqrt(3200), 0.05);
	}
	/* Instructions per cycle: both vary together, so their quotient does not. */
	assert_float_equal(f.result->values[0].value, 1, 1e-12);
	assert_float_equal(f.result->value_intervals[0].low, 1, 1e-6);
	assert_float_equal(f.result->value_intervals[0].high, 1, 1e-6);
	tear_down(&f);
}

/* What was counted all the time is no estimate; four slices are too few. */
static void no_intervals(void **state)
{
	(void)state;
	for (int slices = 4; slices <= 5; slices++) {
		for (uint64_t running = 10; running <= 20; running += 10) {
			struct fixture f;

			set_up(&f, &PLAN_OPTIONS());
			for (int i = 0; i < slices; i++) {
				for (size_t k = 0; k < f.plan->place_count; k++)
					f.counts[k] = (struct plumb_count){100 + i, 20, running};
				plumb_result_add_slice(f.result, f.counts);
			}
			for (size_t k = 0; k < f.plan->place_count; k++)
				f.counts[k] = (struct plumb_count){500, 100, 5 * running};
			plumb_result_add(f.result, f.counts, false);
			assert_int_equal(plumb_result_estimate(f.result), 0);
			assert_int_equal(f.result->event_intervals == NULL,
					 slices < 5 || running == 20);
			tear_down(&f);
		}
	}
}

/* Many slices are kept as fewer, longer ones: the interval stays about the same. */
static void many_slices(void **state)
{
	double halves[2];

	(void)state;
	for (int many = 0; many < 2; many++) {
		struct fixture f;
		const int slices = many ? 5000 : 500;

		set_up(&f, &PLAN_OPTIONS());
		srand(7);
		for (int i = 0; i < slices; i++) {
			for (size_t k = 0; k < f.plan->place_count; k++)
				f.counts[k] = (struct plumb_count){(double)(rand() % 100), 20, 5};
			plumb_result_add_slice(f.result, f.counts);
		}
		for (size_t k = 0; k < f.plan->place_count; k++)
			f.counts[k] = (struct plumb_count){50.0 * slices, 20ull * (unsigned)slices,
							   5ull * (unsigned)slices};
		plumb_result_add(f.result, f.counts, false);
		assert_int_equal(plumb_result_estimate(f.result), 0);
		halves[many] =
			(f.result->event_intervals[0].high - f.result->event_intervals[0].low) /
			sqrt(slices);
		tear_down(&f);
	}
	assert_true(halves[1] > 0.85 * halves[0] && halves[1] < 1.15 * halves[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_part),
		cmocka_unit_test(moving_lines_by_cycles),
		cmocka_unit_test(waits_by_cycles),
		cmocka_unit_test(kernel_by_cycles),
		cmocka_unit_test(core_waits_add_up),
		cmocka_unit_test(no_count_is_no_value),
		cmocka_unit_test(intervals_weigh_what_they_last),
		cmocka_unit_test(runs_differ),
		cmocka_unit_test(repeated_events_have_the_same_count),
		cmocka_unit_test(runs_are_averaged),
		cmocka_unit_test(groups_do_not_mix),
		cmocka_unit_test(parted_metrics_take_what_there_is),
		cmocka_unit_test(scaling),
		cmocka_unit_test(intervals_of_slices),
		cmocka_unit_test(no_intervals),
		cmocka_unit_test(many_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

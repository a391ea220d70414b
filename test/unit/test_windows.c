/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates from windows; the figures were worked out by hand, the quantiles are from tables. */
#include "check.h"

#include <math.h>

#include "count/result.h"
#include "count/windows.h"
#include "counting.h"
#include "listed.h"
#include "small_spec.h"

#define WINDOWS 6
#define PLACES  8

static const uint16_t metrics[] = {SMALL_IPC, SMALL_BACKEND_BOUND, SMALL_L1D_MISS_RATIO,
				   SMALL_FRONTEND_BOUND};

struct fixture {
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_result *result;
	double sizes[WINDOWS], cycles[WINDOWS], counts[WINDOWS * PLACES], first[PLACES];
	struct plumb_windows windows;
};

static size_t place_of(const struct fixture *f, uint16_t code)
{
	const struct plumb_plan_group *group = &f->plan->groups[0];

	for (uint16_t i = 0; i < group->count; i++)
		if (group_code(f->plan, group, i) == code)
			return group->first + i;
	fail_msg("the plan lacks event 0x%x", code);
	return 0;
}

static void set(struct fixture *f, uint16_t code, double first, const double counts[WINDOWS])
{
	const size_t place = place_of(f, code);

	f->first[place] = first;
	for (size_t i = 0; i < WINDOWS; i++)
		f->counts[i * f->plan->place_count + place] = counts[i];
}

/* Six windows of 100 instructions stand for 10,000; 1000 more were counted in 500 cycles. */
static void set_up(struct fixture *f)
{
	static const double hundred[] = {100, 100, 100, 100, 100, 100};
	static const double uneven[] = {90, 110, 90, 110, 90, 110};
	static const double rare[] = {0, 0, 0, 6, 0, 0};

	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.metrics = {metrics, 4}), &f->selection),
		0);
	assert_int_equal(plumb_plan_new(f->selection, &PLAN_OPTIONS(), &f->plan, NULL), 0);
	assert_int_equal(plumb_result_new(f->plan, &f->result), 0);
	assert_int_equal(f->plan->group_count, 1);
	assert_true(f->plan->place_count <= PLACES);
	set(f, 0x08, 1000, hundred);
	set(f, 0x11, 500, uneven);
	set(f, 0x3d, 0, hundred);
	set(f, 0x3e, 0, hundred);
	set(f, 0x03, 0, rare);
	set(f, 0x04, 0, hundred);
	memcpy(f->sizes, hundred, sizeof(hundred));
	memcpy(f->cycles, uneven, sizeof(uneven));
	f->windows = (struct plumb_windows){
		.count = WINDOWS,
		.place_count = f->plan->place_count,
		.sizes = f->sizes,
		.cycles = f->cycles,
		.counts = f->counts,
		.first = f->first,
		.first_cycles = 500,
		.instructions = 11000,
		.rest = 10000,
	};
}

static void tear_down(struct fixture *f)
{
	plumb_result_free(f->result);
	plumb_plan_free(f->plan);
	plumb_selection_free(f->selection);
}

static void quantiles_are_those_of_tables(void **state)
{
	(void)state;
	assert_float_equal(windows_quantile(3), 3.182, 0.06);
	assert_float_equal(windows_quantile(5), 2.571, 0.006);
	assert_float_equal(windows_quantile(10), 2.228, 0.001);
	assert_float_equal(windows_quantile(30), 2.042, 0.001);
	assert_float_equal(windows_quantile(1e9), 1.960, 0.001);
}

/*
 * Residuals of -10 and 10, times 10000 / 600. Their five differences are 1000 / 3, so the variance
 * of a window is (1000 / 3)^2 / 2, that of the sum of six 6 times that, and 6 % of it is known.
 */
static const double deviation = 559.76185412;

static void differences_of_neighbours_give_the_error(void **state)
{
	const double large[] = {-500. / 3, 500. / 3, -500. / 3, 500. / 3, -500. / 3, 500. / 3};
	const double half = windows_quantile(10. / 3) * deviation;
	/* A trend is not random: 1000 from window to window, where a spread would be 1870. */
	const double trend[] = {-2500, -1500, -500, 500, 1500, 2500};

	(void)state;
	assert_float_equal(windows_half_width(large, 6, 0.06), half, 1e-6 * half);
	assert_float_equal(windows_half_width(trend, 6, 0),
			   windows_quantile(10. / 3) * 1000 * sqrt(3), 1e-6);
	assert_float_equal(windows_half_width(large, 6, 1), 0, 1e-12);
	assert_true(isnan(windows_half_width(large, 4, 0.06)));
}

static void counts_and_metrics_have_intervals(void **state)
{
	const double chosen = windows_quantile(10. / 3) * deviation;
	/* With an allowance of a quarter of a percent of 10,000. */
	const double half = sqrt(chosen * chosen + 25 * 25);
	const struct plumb_interval *events, *values;
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	events = f.result->event_intervals;
	values = f.result->value_intervals;
	assert_non_null(events);
	/* 500 + 10000 cycles; every window has as many instructions. */
	assert_float_equal(events[plumb_plan_event(f.plan, 0x11)].low, 10500 - half, 1e-3);
	assert_float_equal(events[plumb_plan_event(f.plan, 0x11)].high, 10500 + half, 1e-3);
	assert_float_equal(events[plumb_plan_event(f.plan, 0x08)].low, 11000, 1e-6);
	assert_float_equal(events[plumb_plan_event(f.plan, 0x08)].high, 11000, 1e-6);
	/* Instructions per cycle change by 11000 / 10500^2 per cycle. */
	assert_float_equal(values[0].high - values[0].low, 2 * half * 11000 / (10500. * 10500),
			   1e-6);
	assert_float_equal((values[0].high + values[0].low) / 2, 11000. / 10500, 1e-9);
	/* 10000 of 52500 slots: the share falls as the cycles rise. */
	assert_float_equal((values[1].high + values[1].low) / 2, 100 * 10000. / 52500, 1e-6);
	assert_float_equal((values[1].high - values[1].low) / 2,
			   hypot(100 * 10000. / 52500 / 10500 * half, 100. / 52500 * 25), 1e-6);
	tear_down(&f);
}

static void what_few_windows_have_has_no_interval(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	assert_true(isnan(f.result->event_intervals[plumb_plan_event(f.plan, 0x03)].low));
	assert_true(isnan(f.result->value_intervals[2].high));
	f.windows.count = 4;
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	assert_true(isnan(f.result->event_intervals[plumb_plan_event(f.plan, 0x11)].low));
	assert_true(isnan(windows_error(&f.windows)));
	f.windows.place_count--;
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), PLUMB_ERR_ARGUMENT);
	tear_down(&f);
}

/* Windows of 100 cycles that differ much in how many of the slots the backend holds up. */
static void no_share_ends_beyond_its_limits(void **state)
{
	static const double uneven[WINDOWS] = {500, 470, 500, 500, 410, 500};
	static const double hardly[WINDOWS] = {3, 0, 0, 60, 2, 1};
	struct plumb_interval much, little;
	struct fixture f;

	(void)state;
	set_up(&f);
	set(&f, 0x3d, 2500, uneven);
	set(&f, 0x3e, 0, hardly);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	much = f.result->value_intervals[1];
	little = f.result->value_intervals[3];
	assert_true(much.low > 50 && much.high <= 100);
	assert_true(isnan(little.low) || little.low >= 0);
	/* What is not a share has no limit above, and a value beyond one stays in its interval. */
	much = result_interval((struct result *)(void *)f.result, 0, 1.9, 200);
	assert_float_equal(much.low, 0, 0);
	assert_float_equal(much.high, 201.9, 1e-9);
	much = result_interval((struct result *)(void *)f.result, 1, 99, 3);
	assert_float_equal(much.low, 96, 0);
	assert_float_equal(much.high, 100, 0);
	much = result_interval((struct result *)(void *)f.result, 1, 101, 3);
	assert_float_equal(much.low, 98, 0);
	assert_float_equal(much.high, 101, 0);
	much = result_interval((struct result *)(void *)f.result, 1, -2, 3);
	assert_float_equal(much.low, -2, 0);
	assert_float_equal(much.high, 1, 0);
	assert_true(isnan(result_interval((struct result *)(void *)f.result, 1, 5, NAN).high));
	tear_down(&f);
}

static void no_part_ends_beyond_the_whole(void **state)
{
	static const double nearly[WINDOWS] = {100, 100, 100, 100, 100, 99};
	static const double more[WINDOWS] = {100, 100, 100, 100, 103, 97};
	static const double none[WINDOWS] = {100, 100, 100, 100, 100, 100};
	const struct plumb_interval *ratio;
	struct fixture f;

	(void)state;
	set_up(&f);
	set(&f, 0x03, 0, nearly);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	ratio = &f.result->value_intervals[2];
	assert_true(ratio->low > 0.98 && ratio->low < 0.998);
	assert_float_equal(ratio->high, 1, 0);
	/* All of them, in each window. */
	set(&f, 0x03, 0, none);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	assert_float_equal(f.result->value_intervals[2].high, 1, 0);
	assert_true(f.result->value_intervals[2].low < 1);
	/* Where a window has more of the one, it is no part of the other. */
	set(&f, 0x03, 0, more);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	assert_true(f.result->value_intervals[2].high > 1.001);
	set(&f, 0x03, 1, none);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	assert_true(f.result->value_intervals[2].high > 1.001);
	/* Nor is what is per cycle limited. */
	assert_true(f.result->value_intervals[0].high > 1.05);
	tear_down(&f);
}

/* Windows that lose 500 slots each to the frontend, less 5 for each refill: there are none. */
static void what_never_occurs_may_occur_fifty_times(void **state)
{
	static const double none[WINDOWS] = {0}, many[] = {500, 500, 500, 500, 500, 500};
	const double value = 100 * 50000 / 52500.;
	const double chosen = value / 10500 * windows_quantile(10. / 3) * deviation;
	const double allowed = hypot(value / 10500 * 25, 100 / 52500. * 125);
	const struct plumb_interval *interval;
	struct fixture f;

	(void)state;
	set_up(&f);
	set(&f, 0x03, 0, none);
	set(&f, 0x3e, 0, many);
	assert_int_equal(plumb_result_add_windows(f.result, &f.windows), 0);
	interval = &f.result->value_intervals[3];
	assert_float_equal(value - interval->low,
			   hypot(hypot(chosen, allowed), 50 * 5 * 100 / 52500.), 1e-4);
	/* As far above would be more than all slots. */
	assert_float_equal(interval->high, 100, 0);
	/* The count itself has no interval, nor has a metric that is 0 without it. */
	assert_true(isnan(f.result->event_intervals[plumb_plan_event(f.plan, 0x03)].low));
	assert_true(isnan(f.result->value_intervals[2].low));
	tear_down(&f);
}

/* (1 + 2 + 3)^2 / (1 + 4 + 9) */
static void effective_windows(void **state)
{
	const double counts[] = {1, 7, 2, 7, 3, 7};

	(void)state;
	assert_float_equal(windows_effective(counts, 3, 2), 36. / 14, 1e-12);
	assert_float_equal(windows_effective(counts + 1, 3, 2), 3, 1e-12);
	assert_float_equal(windows_effective((const double[]){0, 0}, 2, 1), 0, 0);
}

static void the_error_is_that_of_the_cycles(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_float_equal(windows_error(&f.windows),
			   hypot(windows_quantile(10. / 3) * deviation, 25) / 10500, 1e-9);
	f.windows.count = 0;
	f.windows.rest = 0;
	assert_float_equal(windows_error(&f.windows), 0, 0);
	tear_down(&f);
}

/* Windows 90 and 110 alternate, so the mean of six that are drawn is one of seven values. */
static void draws_stay_among_neighbours(void **state)
{
	struct plumb_count counts[PLACES];
	unsigned at_mean = 0, draws = 4000;
	uint64_t random = 1;
	double all = 0;
	struct fixture f;

	(void)state;
	set_up(&f);
	for (unsigned i = 0; i < draws; i++) {
		double cycles;

		plumb_windows_redraw(&f.windows, &random, counts);
		cycles = counts[place_of(&f, 0x11)].count;
		assert_true(cycles >= 500 + 9000 - 1e-6 && cycles <= 500 + 11000 + 1e-6);
		assert_float_equal(counts[place_of(&f, 0x08)].count, 11000, 1e-6);
		at_mean += fabs(cycles - 10500) < 1e-6;
		all += cycles;
	}
	/* 20 of 64 draws have three of each: 1250 of 4000, give or take 29. */
	assert_in_range(at_mean, 1250 - 150, 1250 + 150);
	assert_float_equal(all / draws, 10500, 30);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_tables),
		cmocka_unit_test(differences_of_neighbours_give_the_error),
		cmocka_unit_test(counts_and_metrics_have_intervals),
		cmocka_unit_test(what_few_windows_have_has_no_interval),
		cmocka_unit_test(no_share_ends_beyond_its_limits),
		cmocka_unit_test(no_part_ends_beyond_the_whole),
		cmocka_unit_test(what_never_occurs_may_occur_fifty_times),
		cmocka_unit_test(effective_windows),
		cmocka_unit_test(the_error_is_that_of_the_cycles),
		cmocka_unit_test(draws_stay_among_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

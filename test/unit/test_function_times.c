/* SPDX-License-Identifier: Apache-2.0 */
/* Times of functions that a program goes to and fro between. */
#include "check.h"

#include <math.h>

#include "profile/function_times.h"

#define RECORDS 100

/* Only the addresses of these matter. */
static int names[4], task, other_task;

struct fixture {
	struct loop_times times;
	struct plumb_spe_record spe;
	struct plumb_samples_item item;
	struct timed_function functions[4];
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.spe.has = PLUMB_SPE_HAS_TIMESTAMP, .item.task = (void *)&task};
	for (size_t i = 0; i < 3; i++)
		f->functions[i] = (struct timed_function){.symbol = (void *)&names[i], .slots = 1};
}

/* Adds a record of a function, so many ticks after the one before. */
static void add(struct fixture *f, size_t function, uint64_t ticks)
{
	const struct plumb_location location = {.symbol = (void *)&names[function]};

	f->spe.timestamp += ticks;
	f->spe.offset += 64;
	f->item.spe = &f->spe;
	assert_int_equal(loop_times_add(&f->times, &f->item, &location), 0);
	f->functions[function < 3 ? function : 3].records++;
}

static void find(struct fixture *f)
{
	loop_times_sort(&f->times);
	assert_int_equal(function_times_find(&f->times, f->functions, 4), 0);
	loop_times_free(&f->times);
}

static void check_ticks(const struct fixture *f, size_t function, double ticks)
{
	assert_true(fabs(f->functions[function].ticks - ticks) < 0.01);
}

/* Two that alternate are timed together, and share that by their slots; a thread's is its own. */
static void joins_those_that_alternate(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.functions[1].slots = 3;
	for (size_t i = 0; i < RECORDS; i++)
		add(&f, i % 2, i == 50 ? 1000000 : 10);
	f.item.task = (void *)&other_task;
	for (size_t i = 0; i < RECORDS / 4; i++)
		add(&f, 2, 400);
	find(&f);
	check_ticks(&f, 0, RECORDS * 10 / 4.0);
	check_ticks(&f, 1, RECORDS * 30 / 4.0);
	check_ticks(&f, 2, RECORDS * 100);
	assert_true(f.functions[0].together == f.functions[1].together);
	assert_true(f.functions[2].together != f.functions[0].together);
	/* The times are all equal: only the number of records varies. */
	assert_true(fabs(f.functions[0].variance - 1.0 / RECORDS) < 1e-9);
	assert_true(fabs(f.functions[2].variance - 4.0 / RECORDS) < 1e-9);
}

/* A time that is known stays, unless others are timed with it; too few records have none. */
static void keeps_what_is_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.functions[0].ticks = 77;
	for (size_t i = 0; i < RECORDS; i++)
		add(&f, 0, 10);
	f.item.task = (void *)&other_task;
	for (size_t i = 0; i < 5; i++)
		add(&f, 1, 10);
	find(&f);
	check_ticks(&f, 0, 77);
	check_ticks(&f, 1, 0);
	check_ticks(&f, 2, 0);
}

/* All without a name of their own count as one. */
static void times_the_others(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.functions[3].slots = 1;
	for (size_t i = 0; i < RECORDS; i++)
		add(&f, 3, 20);
	find(&f);
	check_ticks(&f, 3, RECORDS * 20);
	check_ticks(&f, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_those_that_alternate),
		cmocka_unit_test(keeps_what_is_known),
		cmocka_unit_test(times_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

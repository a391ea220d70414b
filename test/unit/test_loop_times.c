/* SPDX-License-Identifier: Apache-2.0 */
/* Times of loops and functions, from the timestamps of records. */
#include "check.h"

#include <math.h>

#include "profile/loop_times.h"

#define START   UINT64_C(0x1000)
#define SAMPLES 60

/* Two loops of three instructions, and a return. */
static uint32_t words[] = {
	0x8b030042, /* add x2, x2, x3 */
	0xd1000400, /* sub x0, x0, #1 */
	0xb5ffffc0, /* cbnz x0, -8 */
	0x8b030042, /* add x2, x2, x3 */
	0xd1000421, /* sub x1, x1, #1 */
	0xb5ffffc1, /* cbnz x1, -8 */
	0xd65f03c0, /* ret */
};
#define COUNT (sizeof(words) / sizeof(*words))

static struct plumb_annotated_instruction instructions[COUNT];
static double slots[COUNT], timed[COUNT], ticks_of_all;
/* Only the addresses of these matter. */
static int function, other_function, task, other_task;

struct fixture {
	struct loop_times times;
	struct plumb_spe_record spe;
	struct plumb_samples_item item;
	struct plumb_location location;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.spe.has = PLUMB_SPE_HAS_TIMESTAMP, .item.task = (void *)&task};
	f->location.symbol = (void *)&function;
	memset(instructions, 0, sizeof(instructions));
	for (size_t i = 0; i < COUNT; i++) {
		instructions[i].address = START + 4 * i;
		slots[i] = 10;
	}
}

/* Adds a record at an instruction, so many ticks after the one before. */
static void add(struct fixture *f, size_t instruction, uint64_t ticks)
{
	f->spe.timestamp += ticks;
	f->spe.offset += 64;
	f->item.spe = &f->spe;
	f->location.address = START + 4 * instruction;
	assert_int_equal(loop_times_add(&f->times, &f->item, &f->location), 0);
	instructions[instruction].samples++;
}

static void apply(struct fixture *f)
{
	struct plumb_annotated_code code = {.instructions = instructions, .count = COUNT};
	struct plumb_flow *flow;

	code.function.symbol = (void *)&function;
	loop_times_sort(&f->times);
	assert_int_equal(plumb_flow_new(START, words, COUNT, &flow), 0);
	assert_int_equal(loop_times_apply(&f->times, &code, flow, slots, timed, &ticks_of_all), 0);
	plumb_flow_free(flow);
	loop_times_free(&f->times);
}

static void check_loops(double first, double second)
{
	for (size_t i = 0; i < 3; i++) {
		assert_true(fabs(slots[i] - first) < 0.01);
		assert_true(fabs(slots[3 + i] - second) < 0.01);
	}
	assert_true(fabs(slots[6] - 10) < 0.01);
	assert_true(fabs(timed[6] - 0) < 0.01);
}

static void shares_by_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < SAMPLES; i++)
		add(&f, i % 3, 100);
	for (size_t i = 0; i < SAMPLES; i++)
		add(&f, 3 + i % 3, 300);
	apply(&f);
	/* 60 slots, one to three. */
	check_loops(5, 15);
	assert_true(fabs(timed[0] - 15) < 0.01);
	assert_true(fabs(timed[5] - 45) < 0.01);
	assert_true(fabs(ticks_of_all - 60 * (100 + 300)) < 0.01);
}

/* Straight code counts for its function, and so do loops of which it has few records. */
static void times_functions(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < SAMPLES; i++)
		add(&f, 6, i == 7 ? 1000000 : 100);
	for (size_t i = 0; i < 5; i++)
		add(&f, i % 3, 900);
	apply(&f);
	assert_true(fabs(ticks_of_all - (SAMPLES * 100 + 5 * 900)) < 0.01);
	for (size_t i = 0; i < COUNT; i++)
		assert_true(fabs(slots[i] - 10) < 0.01);
	/* Passes of ten records are long enough, those of five are not. */
	for (size_t pass = 10; pass >= 5; pass -= 5) {
		begin(&f);
		for (size_t i = 0; i < pass * SAMPLES; i++) {
			f.location.symbol = (void *)&function;
			add(&f, 0, 100);
			f.location.symbol = (void *)&other_function;
			if (i % pass == pass - 1)
				add(&f, 0, 100);
		}
		for (size_t i = 0; i < COUNT; i++)
			instructions[i].samples = i == 0 ? pass * SAMPLES : 0;
		apply(&f);
		assert_true(fabs(ticks_of_all - (pass == 10 ? 10 * SAMPLES * 100 : 0)) < 0.01);
	}
}

/* Neither the thread's pauses nor other threads, functions and samples of a record are in a loop.
 */
static void leaves_out(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t k = 0; k < 60; k++)
			add(&f, k % 3, k == 20 ? 1000000 : 100);
		f.item.ring = 1;
		add(&f, 4, 5000);
		f.item.ring = 0;
		add(&f, 1, 5000);
		f.item.task = (void *)&other_task;
		add(&f, 4, 5000);
		f.item.task = (void *)&task;
		f.location.symbol = (void *)&other_function;
		add(&f, 4, 5000);
		f.location.symbol = (void *)&function;
		add(&f, 1, 5000);
		/* From one loop to the other. */
		add(&f, 4, 5000);
		for (size_t k = 0; k < 60; k++)
			add(&f, 3 + k % 3, 100);
		f.spe.offset -= 64;
		add(&f, 4, 0);
		f.spe.has = 0;
		add(&f, 4, 5000);
		f.spe.has = PLUMB_SPE_HAS_TIMESTAMP;
		add(&f, 1, 5000);
	}
	for (size_t i = 0; i < COUNT; i++)
		instructions[i].samples = 100;
	apply(&f);
	check_loops(10, 10);
	assert_true(fabs(timed[0] - 30) < 0.01);
}

/* Loops that alternate: what is between two records is not known. */
static void needs_long_runs(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < 10 * SAMPLES; i++)
		add(&f, i / 4 % 2 ? 3 : 0, i / 4 % 2 ? 300 : 100);
	apply(&f);
	check_loops(10, 10);
	assert_true(fabs(timed[0]) < 0.01);
	assert_true(fabs(ticks_of_all - 5 * SAMPLES * (100 + 300)) < 0.01);
	/* The same through another function. */
	begin(&f);
	for (size_t i = 0; i < 10 * SAMPLES; i++) {
		f.location.symbol = i % 5 ? (void *)&function : (void *)&other_function;
		add(&f, i < 5 * SAMPLES ? 0 : 3, i < 5 * SAMPLES ? 100 : 300);
	}
	apply(&f);
	check_loops(10, 10);
	assert_true(fabs(ticks_of_all) < 0.01);
}

static void needs_records(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < SAMPLES; i++)
		add(&f, i % 3, 100);
	for (size_t i = 0; i < 20; i++)
		add(&f, 3 + i % 3, 300);
	apply(&f);
	check_loops(10, 10);
	assert_true(fabs(timed[3] - 0) < 0.01);
	begin(&f);
	apply(&f);
	check_loops(10, 10);
	assert_true(fabs(ticks_of_all) < 0.01);
}

/* Memory is bounded, and later loops count as much as earlier ones. */
static void thins_out(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < 300000; i++)
		add(&f, i % 3, 100);
	for (size_t i = 0; i < 300000; i++)
		add(&f, 3 + i % 3, 300);
	assert_true(f.times.count <= 1 << 17);
	apply(&f);
	check_loops(5, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_by_time), cmocka_unit_test(times_functions),
		cmocka_unit_test(leaves_out),     cmocka_unit_test(needs_long_runs),
		cmocka_unit_test(needs_records),  cmocka_unit_test(thins_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

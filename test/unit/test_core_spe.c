/* SPDX-License-Identifier: Apache-2.0 */
/* The SPE unit: what it samples, what its records say, what it leaves out. */
#include "spe/stream.h"

#include "core_bench.h"

#include <plumb/spe.h>

#include "watch.h"

#define RECORDS 4096

static const struct spe_params arm = {
	.data_source = true, .min_interval = 256, .count_bits = 12, .record_bytes = 64};

static uint8_t bytes[64 * RECORDS];
static struct plumb_spe_record records[RECORDS];
static size_t record_count;

static void read_records(const struct spe_unit *unit)
{
	struct plumb_spe_stream stream;

	record_count = 0;
	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, bytes, (size_t)(unit->at - bytes));
	while (spe_stream_next(&stream, &records[record_count]))
		record_count++;
	plumb_spe_stream_end(&stream);
	assert_int_equal(stream.lost.skipped, 0);
}

static bool event(const struct plumb_spe_record *record, unsigned bit)
{
	return record->events >> bit & 1;
}

/* ---- The unit by itself -----------------------------------------------------------------------
 */

/* Feeds `count` operations of one cycle each that are busy for `busy` cycles. */
static void feed(struct spe_unit *unit, uint64_t count, unsigned busy)
{
	for (uint64_t at = 0; at < count; at++) {
		struct spe_sample sample = {.pc = 4 * at,
					    .dispatched = at,
					    .issued = at + 1,
					    .completed = at + busy,
					    .retired = at + busy};

		if (unit->left > 1)
			spe_pass(unit, 1);
		else if (spe_choose(unit, at))
			spe_complete(unit, &sample);
	}
}

static void fixed_interval_is_kept(void **state)
{
	struct spe_control control = {.interval = 1024 + 255, .frequency_mhz = 1000};
	struct spe_unit unit;

	(void)state;
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	feed(&unit, 102400, 5);
	read_records(&unit);
	assert_int_equal(record_count, 100);
	for (size_t i = 0; i < record_count; i++) /* the 1024th operation has number 1023 */
		assert_int_equal(plumb_spe_code_address(records[i].addresses[0]),
				 4 * (1024 * (i + 1) - 1));
	assert_int_equal(unit.counts.population, 102400);
	assert_int_equal(unit.counts.taken, 100);
	assert_int_equal(unit.counts.recorded, 100);
	assert_int_equal(unit.counts.collisions, 0);
	assert_float_equal(spe_mean_interval(&arm, &control), 1024, 0);
}

/* The intervals between samples: least, most, and their mean. */
static void intervals(const struct spe_params *params, uint64_t seed, uint64_t *least,
		      uint64_t *most, double *mean)
{
	struct spe_control control = {.interval = 512, .random = true, .seed = seed};
	uint64_t before, sum = 0;
	struct spe_unit unit;

	control.frequency_mhz = 1000;
	spe_begin(&unit, params, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	feed(&unit, 2000000, 1);
	read_records(&unit);
	*least = UINT64_MAX;
	*most = 0;
	before = records[0].addresses[0];
	for (size_t i = 1; i < record_count; i++) {
		uint64_t interval = (records[i].addresses[0] - before) / 4;

		*least = interval < *least ? interval : *least;
		*most = interval > *most ? interval : *most;
		sum += interval;
		before = records[i].addresses[0];
	}
	*mean = (double)sum / (double)(record_count - 1);
}

static void random_interval_is_uniform(void **state)
{
	struct spe_params moved = arm;
	uint64_t least, most;
	double mean;

	(void)state;
	/* 512 + 0..255: some 3100 intervals whose mean has a deviation of 1.3 */
	intervals(&arm, 1, &least, &most, &mean);
	assert_int_equal(least, 512);
	assert_int_equal(most, 512 + 255);
	assert_float_equal(mean, 512 + 127.5, 6);
	/* ERnd: a grid of 512, each sample moved by 0..255 */
	moved.random_at_end = true;
	intervals(&moved, 1, &least, &most, &mean);
	assert_in_range(least, 512 - 255, 512 - 230);
	assert_in_range(most, 512 + 230, 512 + 255);
	assert_float_equal(mean, 512, 0.2);
}

/* feed() begins with cycle 0, so some collide. */
static uint64_t chosen_by(const struct spe_unit *unit)
{
	return unit->counts.taken + unit->counts.collisions;
}

/* Stretches with one interval among stretches with another: each has its share of the samples. */
static void interval_changes_between_samples(void **state)
{
	struct spe_control control = {.interval = 16384, .frequency_mhz = 1000};
	uint64_t often = 0, seldom = 0;
	struct spe_unit unit;

	(void)state;
	control.discard = true;
	spe_begin(&unit, &arm, &control);
	for (unsigned round = 0; round < 20000; round++) {
		const uint64_t before = chosen_by(&unit);

		feed(&unit, 1000, 0);
		seldom += chosen_by(&unit) - before;
		spe_set_interval(&unit, 512);
		feed(&unit, 100, 0);
		spe_set_interval(&unit, 16384);
		often += chosen_by(&unit) - before;
	}
	often -= seldom;
	assert_in_range(seldom, 20000 * 1000 / 16384 - 40, 20000 * 1000 / 16384 + 40);
	assert_in_range(often, 20000 * 100 / 512 - 80, 20000 * 100 / 512 + 80);
	assert_int_equal(unit.counts.population, 20000 * 1100);
}

static void seed_decides(void **state)
{
	static uint8_t other[sizeof(bytes)];
	struct spe_control control = {.interval = 512, .random = true, .seed = 7};
	struct spe_unit unit;
	size_t size;

	(void)state;
	control.frequency_mhz = 1000;
	for (int run = 0; run < 3; run++) {
		control.seed = run == 2 ? 8 : 7;
		memset(bytes, 0, sizeof(bytes));
		spe_begin(&unit, &arm, &control);
		spe_set_buffer(&unit, bytes, sizeof(bytes));
		feed(&unit, 300000, 20);
		size = (size_t)(unit.at - bytes);
		if (run == 0)
			memcpy(other, bytes, sizeof(bytes));
		else
			assert_int_equal(memcmp(other, bytes, size) == 0, run == 1);
	}
}

static void an_interval_of_one_leaves_nothing_out(void **state)
{
	struct spe_params moved = arm;
	struct spe_control control = {
		.interval = 1, .random = true, .seed = 7, .frequency_mhz = 1000};
	struct spe_unit unit;

	(void)state;
	moved.random_at_end = true;
	for (int run = 0; run < 2; run++) {
		spe_begin(&unit, run ? &moved : &arm, &control);
		spe_set_buffer(&unit, bytes, sizeof(bytes));
		feed(&unit, 1000, 20);
		read_records(&unit);
		assert_int_equal(record_count, 1000);
		for (size_t i = 0; i < record_count; i++)
			assert_int_equal(plumb_spe_code_address(records[i].addresses[0]), 4 * i);
		assert_int_equal(unit.counts.collisions, 0);
		assert_float_equal(spe_mean_interval(run ? &moved : &arm, &control), 1, 0);
	}
}

static void collision_drops_the_new_one(void **state)
{
	struct spe_control control = {.interval = 256, .frequency_mhz = 1000};
	struct spe_unit unit;

	(void)state;
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	/* busy for 600 cycles: of three samples, 256 cycles apart, two collide */
	feed(&unit, 256 * 300, 600);
	read_records(&unit);
	assert_int_equal(unit.counts.collisions, 200);
	assert_int_equal(unit.counts.taken, 100);
	assert_int_equal(record_count, 100);
	assert_true(unit.collided);
	assert_int_equal(records[1].addresses[0] - records[0].addresses[0], 4 * 256 * 3);
	/* one that ends just as the next is chosen does not */
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	feed(&unit, 256 * 300, 256);
	assert_int_equal(unit.counts.collisions, 0);
}

static void latency_saturates(void **state)
{
	struct spe_control control = {.interval = 256, .frequency_mhz = 1000};
	struct spe_unit unit;

	(void)state;
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	feed(&unit, 256, 5000);
	read_records(&unit);
	assert_int_equal(record_count, 1);
	assert_int_equal(records[0].counters[PLUMB_SPE_TOTAL_LATENCY], 4095);
	assert_int_equal(records[0].counters[PLUMB_SPE_ISSUE_LATENCY], 1);
}

struct interrupts {
	unsigned count;
	bool renew;
};

static void buffer_full(void *user, struct spe_unit *unit)
{
	struct interrupts *interrupts = user;

	interrupts->count++;
	if (interrupts->renew)
		spe_set_buffer(unit, bytes, 640);
}

static void full_buffer_interrupts(void **state)
{
	struct interrupts interrupts = {.renew = true};
	struct spe_control control = {
		.interval = 256, .frequency_mhz = 1000, .full = buffer_full, .user = &interrupts};
	struct spe_unit unit;

	(void)state;
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, 640);
	feed(&unit, 256 * 100, 1);
	assert_int_equal(interrupts.count, 10);
	assert_int_equal(unit.counts.recorded, 100);

	/* without another buffer it stops, and counts nothing until there is one */
	interrupts = (struct interrupts){.renew = false};
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, 640 + 63);
	feed(&unit, 256 * 100, 1);
	assert_int_equal(interrupts.count, 1);
	assert_int_equal(unit.counts.recorded, 10);
	assert_int_equal(unit.counts.population, 256 * 10);
	assert_true(unit.stopped);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	assert_false(unit.stopped);
	unit.busy = 0; /* cycles begin anew */
	feed(&unit, 256, 1);
	assert_int_equal(unit.counts.recorded, 11);
}

static void discarded_records_are_counted(void **state)
{
	struct spe_control control = {.interval = 256, .frequency_mhz = 1000, .discard = true};
	struct spe_unit unit;

	(void)state;
	spe_begin(&unit, &arm, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	feed(&unit, 2560, 1);
	assert_int_equal(unit.counts.recorded, 10);
	assert_ptr_equal(unit.at, bytes);
}

/* ---- In the core ------------------------------------------------------------------------------
 */

static struct bench_block b;
static uint64_t counts[EVENT_COUNT];
static struct spe_unit unit;

/* Runs `b` over and over under an SPE unit, and reads what it wrote. */
static void sample(const struct core_params *params, struct spe_control control, unsigned times,
		   uint64_t next_pc)
{
	struct watch watch = {.spe = &unit};
	struct core *core;

	memset(counts, 0, sizeof(counts));
	control.frequency_mhz = params->frequency_mhz;
	spe_begin(&unit, &params->spe, &control);
	spe_set_buffer(&unit, bytes, sizeof(bytes));
	bench_end(params, &b);
	core = core_new(params, NULL, counts);
	assert_non_null(core);
	core_set_watch(core, &watch);
	for (unsigned i = 0; i < times; i++)
		bench_run(core, &b, next_pc);
	core_finish(core);
	core_counts(core);
	core_free(core);
	core_release_block(&b.block);
	read_records(&unit);
	assert_int_equal(counts[EVENT_SAMPLE_POP], unit.counts.population);
}

static struct core_params spe_core(void)
{
	struct core_params params = bench_core();

	params.spe = arm;
	return params;
}

/* The records of the instruction at `index`; fails without any. */
static const struct plumb_spe_record *of_instruction(unsigned index)
{
	for (size_t i = record_count; i-- > 0;)
		if (plumb_spe_code_address(records[i].addresses[0]) == 0x1000 + 4ull * index)
			return &records[i];
	fail_msg("no record of instruction %u", index);
	return &records[0];
}

static void records_tell_what_loads_did(void **state)
{
	static const struct {
		uint64_t address;
		unsigned latency, translation, source;
		bool refill, llc, llc_miss, walk;
	} expected[] = {
		{NEAR_L1 + 8, 5, 0, 0x0, false, false, false, false},
		{NEAR_L2, 5 + L2_CYCLES, 0, 0x8, true, false, false, false},
		{NEAR_DRAM, 5 + DRAM_CYCLES, 0, 0xe, true, true, true, false},
		{NEAR_WALK, 5 + WALK_CYCLES, WALK_CYCLES, 0x0, false, false, false, true},
	};
	struct core_params params = spe_core();

	(void)state;
	/* a barrier behind each, so that none waits: dispatched, issued a cycle later, and done */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 4; i++) {
		bench_load(&b, REG_X0 + (unsigned)i, REG_X0 + 10, expected[i].address);
		bench_insn(&b, CLASS_BARRIER_ISB, KIND_ISB);
	}
	bench_op(&b, CLASS_INT_ALU, REG_X0 + 9, REG_NONE, REG_NONE);
	sample(&params, (struct spe_control){.interval = 256, .physical_addresses = true}, 20000,
	       0x1000);
	assert_int_equal(unit.counts.population, 9 * 20000);
	assert_int_equal(unit.counts.population, counts[EVENT_OP_SPEC]);
	for (unsigned i = 0; i < 4; i++) {
		const struct plumb_spe_record *r = of_instruction(2 * i);

		assert_int_equal(r->op_class, PLUMB_SPE_LOAD_STORE);
		assert_int_equal(r->operation, 0);
		assert_int_equal(r->addresses[PLUMB_SPE_DATA_VIRTUAL], expected[i].address);
		assert_int_equal(plumb_spe_physical_address(r->addresses[PLUMB_SPE_DATA_PHYSICAL]),
				 expected[i].address);
		assert_int_equal(r->counters[PLUMB_SPE_ISSUE_LATENCY], 1);
		assert_int_equal(r->counters[PLUMB_SPE_TOTAL_LATENCY], expected[i].latency);
		assert_int_equal(r->counters[PLUMB_SPE_TRANSLATION_LATENCY],
				 expected[i].translation);
		assert_true(r->has & PLUMB_SPE_HAS_DATA_SOURCE);
		assert_int_equal(r->data_source, expected[i].source);
		assert_true(event(r, PLUMB_SPE_EV_RETIRED));
		assert_true(event(r, PLUMB_SPE_EV_L1D_ACCESS));
		assert_true(event(r, PLUMB_SPE_EV_TLB_ACCESS));
		assert_int_equal(event(r, PLUMB_SPE_EV_L1D_REFILL), expected[i].refill);
		assert_int_equal(event(r, PLUMB_SPE_EV_LLC_ACCESS), expected[i].llc);
		assert_int_equal(event(r, PLUMB_SPE_EV_LLC_MISS), expected[i].llc_miss);
		assert_int_equal(event(r, PLUMB_SPE_EV_TLB_WALK), expected[i].walk);
		assert_false(event(r, PLUMB_SPE_EV_MISALIGNED));
	}
	/* the addition, and no address of it */
	assert_int_equal(of_instruction(8)->op_class, PLUMB_SPE_OTHER);
	assert_int_equal(of_instruction(8)->counters[PLUMB_SPE_TOTAL_LATENCY], 2);
	assert_false(of_instruction(8)->has & PLUMB_SPE_HAS_DATA_VIRTUAL);
	assert_false(of_instruction(8)->has & PLUMB_SPE_HAS_DATA_SOURCE);
}

static void issue_latency_is_the_wait_for_operands(void **state)
{
	struct core_params params = spe_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_insn(&b, CLASS_BARRIER_ISB, KIND_ISB);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	bench_op(&b, CLASS_INT_MUL, REG_X0 + 1, REG_X0, REG_NONE);
	sample(&params, (struct spe_control){.interval = 256}, 3000, 0x1000);
	assert_int_equal(of_instruction(1)->counters[PLUMB_SPE_ISSUE_LATENCY], 1);
	assert_int_equal(of_instruction(1)->counters[PLUMB_SPE_TOTAL_LATENCY], 13);
	/* dispatched with the division, it issues when that is done */
	assert_int_equal(of_instruction(2)->counters[PLUMB_SPE_ISSUE_LATENCY], 13);
	assert_int_equal(of_instruction(2)->counters[PLUMB_SPE_TOTAL_LATENCY], 15);
}

static void stores_tell_their_line(void **state)
{
	struct core_params params = spe_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_store(&b, REG_X0, REG_X0 + 1, NEAR_L2 + 60); /* across a line */
	bench_store(&b, REG_X0, REG_X0 + 1, NEAR_L1);
	bench_op(&b, CLASS_INT_ALU, REG_X0 + 9, REG_NONE, REG_NONE);
	sample(&params, (struct spe_control){.interval = 256}, 3000, 0x1000);
	assert_int_equal(of_instruction(0)->operation, 1);
	assert_true(event(of_instruction(0), PLUMB_SPE_EV_L1D_REFILL));
	assert_true(event(of_instruction(0), PLUMB_SPE_EV_MISALIGNED));
	assert_false(event(of_instruction(1), PLUMB_SPE_EV_L1D_REFILL));
	assert_false(event(of_instruction(1), PLUMB_SPE_EV_MISALIGNED));
	assert_false(of_instruction(0)->has & PLUMB_SPE_HAS_DATA_SOURCE);
}

static void branches_tell_where_they_went(void **state)
{
	struct core_params params = spe_core();

	(void)state;
	params.spe.previous_target = true;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_ALU, REG_X0, REG_NONE, REG_NONE);
	bench_branch(&b, BRANCH_CONDITIONAL);
	bench_op(&b, CLASS_INT_ALU, REG_X0, REG_NONE, REG_NONE);
	b.block.count = 2;
	sample(&params, (struct spe_control){.interval = 256}, 3001, 0x1000);
	assert_int_equal(unit.counts.population, 6002);
	/* even intervals meet only branches */
	assert_int_equal(unit.counts.branches, unit.counts.taken);
	assert_int_equal(of_instruction(1)->op_class, PLUMB_SPE_BRANCH);
	assert_int_equal(of_instruction(1)->operation, 1);
	assert_int_equal(
		plumb_spe_code_address(of_instruction(1)->addresses[PLUMB_SPE_BRANCH_TARGET]),
		0x1000);
	assert_int_equal(
		plumb_spe_code_address(of_instruction(1)->addresses[PLUMB_SPE_PREVIOUS_TARGET]),
		0x1000);
	assert_false(event(of_instruction(1), PLUMB_SPE_EV_NOT_TAKEN));
	assert_false(event(of_instruction(1), PLUMB_SPE_EV_MISPREDICTED));

	/* not taken: no target */
	sample(&params, (struct spe_control){.interval = 256}, 3000, 0x1008);
	assert_true(event(of_instruction(1), PLUMB_SPE_EV_NOT_TAKEN));
	assert_false(of_instruction(1)->has & PLUMB_SPE_HAS_BRANCH_TARGET);
}

static void wrong_path_does_not_retire(void **state)
{
	struct core_params params = spe_core();
	unsigned wrong = 0, mispredicted = 0;

	(void)state;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	bench_op(&b, CLASS_INT_ALU, REG_X0, REG_X0, REG_NONE);
	bench_branch(&b, BRANCH_CONDITIONAL)->sources[0] = REG_X0;
	bench_end(&params, &b);
	core_release_block(&b.block);
	{
		struct watch watch = {.spe = &unit};
		struct spe_control control = {.interval = 256, .frequency_mhz = 1000};
		struct core *core;

		memset(counts, 0, sizeof(counts));
		bench_end(&params, &b);
		core = core_new(&params, NULL, counts);
		bench_predictor.next = PREDICT_WRONG;
		bench_predictor.wrong_path = 0x5000;
		spe_begin(&unit, &params.spe, &control);
		spe_set_buffer(&unit, bytes, sizeof(bytes));
		core_set_watch(core, &watch);
		for (unsigned i = 0; i < 3000; i++)
			bench_run(core, &b, 0x1000);
		core_finish(core);
		core_counts(core);
		core_free(core);
		core_release_block(&b.block);
	}
	read_records(&unit);
	assert_int_equal(unit.counts.population, counts[EVENT_OP_SPEC]);
	assert_true(counts[EVENT_OP_SPEC] > 2 * counts[EVENT_OP_RETIRED]);
	for (size_t i = 0; i < record_count; i++) {
		uint64_t pc = plumb_spe_code_address(records[i].addresses[0]);

		assert_int_equal(event(&records[i], PLUMB_SPE_EV_RETIRED), pc < 0x5000);
		wrong += pc >= 0x5000;
		mispredicted += event(&records[i], PLUMB_SPE_EV_MISPREDICTED);
		if (pc < 0x5000)
			continue;
		assert_false(records[i].has & PLUMB_SPE_HAS_ISSUE_LATENCY);
		assert_true(records[i].counters[PLUMB_SPE_TOTAL_LATENCY] <= 20);
	}
	/* in proportion */
	assert_true(wrong > record_count / 2 && wrong < record_count);
	assert_true(mispredicted > 0);
}

/* Filters remove samples, and change nothing else. */
static void filters_leave_out_records(void **state)
{
	static const struct spe_control controls[] = {
		{.interval = 256},
		{.interval = 256, .loads = true},
		{.interval = 256, .stores = true},
		{.interval = 256, .branches = true},
		{.interval = 256, .loads = true, .branches = true},
		{.interval = 256, .min_latency = 20},
		{.interval = 256, .events_all = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL)},
		{.interval = 256, .events_none = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_ACCESS)},
		{.interval = 256, .loads = true, .min_latency = 25},
	};
	struct core_params params = spe_core();
	uint64_t taken = 0;

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L1);
	bench_store(&b, REG_X0 + 1, REG_NONE, NEAR_L1);
	bench_op(&b, CLASS_INT_ALU, REG_X0, REG_NONE, REG_NONE);
	bench_branch(&b, BRANCH_IMMEDIATE);
	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++) {
		sample(&params, controls[i], 50000, 0x1000);
		if (!i)
			taken = unit.counts.taken;
		assert_int_equal(unit.counts.taken, taken);
		assert_int_equal(unit.counts.recorded, record_count);
		if (!i) {
			assert_int_equal(unit.counts.recorded, taken);
			continue;
		}
		assert_true(record_count > 0 && record_count < taken);
		for (size_t r = 0; r < record_count; r++) {
			const struct plumb_spe_record *at = &records[r];
			bool load = at->op_class == PLUMB_SPE_LOAD_STORE && !(at->operation & 1);
			bool store = at->op_class == PLUMB_SPE_LOAD_STORE && at->operation & 1;
			bool branch = at->op_class == PLUMB_SPE_BRANCH;
			bool any = controls[i].loads | controls[i].stores | controls[i].branches;

			assert_true(!any || (controls[i].loads && load) ||
				    (controls[i].stores && store) ||
				    (controls[i].branches && branch));
			assert_true(at->counters[PLUMB_SPE_TOTAL_LATENCY] >=
				    controls[i].min_latency);
			assert_true((at->events & controls[i].events_all) ==
				    controls[i].events_all);
			assert_false(at->events & controls[i].events_none);
		}
	}
}

/* Being watched changes no count. */
static void watching_changes_nothing(void **state)
{
	static uint64_t alone[EVENT_COUNT];
	struct core_params params = spe_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_X0 + 1, NEAR_L2);
	bench_op(&b, CLASS_INT_MUL, REG_X0 + 1, REG_X0, REG_NONE);
	bench_store(&b, REG_X0 + 1, REG_NONE, NEAR_L1);
	bench_insn(&b, CLASS_LOAD_WB, KIND_LD);
	bench_branch(&b, BRANCH_CONDITIONAL);
	bench_end(&params, &b);
	bench_counts(&params, &b, 30000, alone);
	core_release_block(&b.block);
	sample(&params, (struct spe_control){.interval = 256, .random = true}, 30000, 0x1000);
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		if (strncmp(model_event_names[e], "SAMPLE_", 7) != 0)
			assert_int_equal(alone[e], counts[e]);
	/* an instruction of two operations is met twice as often */
	assert_int_equal(unit.counts.population, 6 * 30000);
	params.spe.instructions = true;
	sample(&params, (struct spe_control){.interval = 256}, 30000, 0x1000);
	assert_int_equal(unit.counts.population, 5 * 30000);
}

static void contexts_and_timestamps_are_given(void **state)
{
	struct core_params params = spe_core();
	struct spe_control control = {.interval = 256,
				      .timestamps = true,
				      .timer_zero = 1000,
				      .contexts = true,
				      .context = 77};

	(void)state;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_ALU, REG_X0, REG_X0, REG_NONE);
	sample(&params, control, 10000, 0x1000);
	assert_int_equal(record_count, 39);
	for (size_t i = 0; i < record_count; i++) {
		assert_int_equal(records[i].contexts[0], 77);
		/* an addition a cycle of half a nanosecond */
		assert_true(records[i].timestamp >= 1000 + 128 * i);
		assert_true(records[i].timestamp <= 1000 + 128 * (i + 2));
		assert_int_equal(records[i].size, 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_interval_is_kept),
		cmocka_unit_test(random_interval_is_uniform),
		cmocka_unit_test(interval_changes_between_samples),
		cmocka_unit_test(seed_decides),
		cmocka_unit_test(an_interval_of_one_leaves_nothing_out),
		cmocka_unit_test(collision_drops_the_new_one),
		cmocka_unit_test(latency_saturates),
		cmocka_unit_test(full_buffer_interrupts),
		cmocka_unit_test(discarded_records_are_counted),
		cmocka_unit_test(records_tell_what_loads_did),
		cmocka_unit_test(issue_latency_is_the_wait_for_operands),
		cmocka_unit_test(stores_tell_their_line),
		cmocka_unit_test(branches_tell_where_they_went),
		cmocka_unit_test(wrong_path_does_not_retire),
		cmocka_unit_test(filters_leave_out_records),
		cmocka_unit_test(watching_changes_nothing),
		cmocka_unit_test(contexts_and_timestamps_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

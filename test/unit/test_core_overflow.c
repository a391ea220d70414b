/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that overflow: how often, where, and that nothing else changes. */
#include "core_bench.h"

#include "watch.h"

#define SAMPLES 200000

static struct bench_block b;
static uint64_t counts[EVENT_COUNT];
static struct overflow overflow;
static struct overflow_sample samples[SAMPLES];
static size_t sample_count;
static uint64_t periods; /* their sum */

static void overflowed(void *user, const struct overflow_sample *sample)
{
	assert_ptr_equal(user, samples);
	assert_in_range(sample_count, 0, SAMPLES - 1);
	samples[sample_count++] = *sample;
	periods += sample->period;
}

/* Runs `b` over and over, with one counter; EVENT_COUNT: with none, unwatched. */
static void sample(const struct core_params *params, unsigned event, uint64_t period,
		   unsigned frequency, unsigned times)
{
	struct watch watch = {.overflow = &overflow};
	struct core *core;

	memset(counts, 0, sizeof(counts));
	memset(&overflow, 0, sizeof(overflow));
	overflow.count = 1;
	overflow.counters[0] =
		(struct overflow_counter){.event = event, .period = period, .frequency = frequency};
	overflow.overflowed = overflowed;
	overflow.user = samples;
	sample_count = 0;
	periods = 0;
	bench_end(params, &b);
	core = core_new(params, NULL, counts);
	assert_non_null(core);
	if (event != EVENT_COUNT)
		core_set_watch(core, &watch);
	bench_predictor.every = 7;
	bench_predictor.sometimes = PREDICT_WRONG;
	bench_predictor.wrong_path = 0x1000;
	for (unsigned i = 0; i < times; i++)
		bench_run(core, &b, 0x1000);
	core_finish(core);
	core_counts(core);
	core_free(core);
	core_release_block(&b.block);
}

/* The share of samples at the instruction with this index. */
static double share_of(unsigned index)
{
	size_t there = 0;

	for (size_t i = 0; i < sample_count; i++)
		there += samples[i].pc == 0x1000 + 4ull * index;
	return (double)there / (double)sample_count;
}

static void mixture(void)
{
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_X0 + 1, NEAR_L2 + 60);
	bench_op(&b, CLASS_INT_MUL, REG_X0 + 1, REG_X0, REG_NONE);
	bench_store(&b, REG_X0 + 1, REG_NONE, NEAR_L1 + 60);
	bench_load(&b, REG_X0 + 2, REG_X0 + 1, NEAR_WALK);
	bench_op(&b, CLASS_INT_DIV64, REG_X0 + 3, REG_X0 + 2, REG_NONE);
	bench_op(&b, CLASS_FP_ADD, REG_V0, REG_V0, REG_NONE)->kinds = KIND_VFP | KIND_FP_DP;
	bench_branch(&b, BRANCH_CONDITIONAL);
}

static void counts_are_sampled_whole(void **state)
{
	struct core_params params = bench_core();
	unsigned sampled = 0;

	(void)state;
	mixture();
	for (unsigned event = 0; event < EVENT_COUNT; event++) {
		sample(&params, event, 13, 0, 300);
		assert_int_equal(counts[event] / 13, sample_count);
		sampled += sample_count > 0;
	}
	assert_true(sampled > 40);
}

static void periods_are_kept(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	mixture();
	/* instructions 5, 10, 15 ... of blocks of seven */
	sample(&params, EVENT_INST_RETIRED, 5, 0, 700);
	assert_int_equal(sample_count, 980);
	for (size_t i = 0; i < sample_count; i++)
		assert_int_equal(samples[i].pc, 0x1000 + 4 * ((5 * (i + 1) - 1) % 7));
}

static void events_go_to_their_instruction(void **state)
{
	static const struct {
		unsigned event, index;
	} expected[] = {
		{EVENT_LD_ALIGN_LAT, 0}, {EVENT_ST_ALIGN_LAT, 2},
		{EVENT_ST_SPEC, 2},      {EVENT_VFP_SPEC, 5},
		{EVENT_BR_RETIRED, 6},   {EVENT_BR_MIS_PRED_RETIRED, 6},
		{EVENT_FP_DP_SPEC, 5},   {EVENT_BR_IMMED_RETIRED, 6},
	};
	struct core_params params = bench_core();

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		mixture();
		/* what the wrong path counts is the branch's */
		sample(&params, expected[i].event, 3, 0, 2100);
		assert_true(sample_count > 90);
		assert_float_equal(share_of(expected[i].index) +
					   (expected[i].index != 6 ? share_of(6) : 0),
				   1, 1e-9);
	}
}

static void addresses_are_those_of_accesses(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	mixture();
	sample(&params, EVENT_MEM_ACCESS_RD, 1, 0, 100);
	for (size_t i = 0; i < sample_count; i++) {
		bool first = samples[i].pc == 0x1000;

		assert_true(first || samples[i].pc == 0x100c);
		assert_true(samples[i].has_address);
		assert_int_equal(samples[i].address, first ? NEAR_L2 + 60 : NEAR_WALK);
		assert_int_equal(samples[i].physical, samples[i].address);
	}
	sample(&params, EVENT_BR_RETIRED, 1, 0, 100);
	for (size_t i = 0; i < sample_count; i++)
		assert_false(samples[i].has_address);
}

/* Cycles belong to what the core waits for: the oldest instruction that has not retired. */
static void cycles_go_to_the_oldest(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 40; i++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_NONE, REG_NONE);
	bench_load(&b, REG_X0 + 1, REG_X0 + 1, NEAR_DRAM); /* waits for the one before */
	for (int i = 0; i < 40; i++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_NONE, REG_NONE);
	sample(&params, EVENT_CPU_CYCLES, 7, 0, 300);
	/* DRAM_CYCLES of some DRAM_CYCLES + 40 */
	assert_true(share_of(40) > 0.85);
	sample(&params, EVENT_STALL_BACKEND_MEM, 7, 0, 300);
	assert_true(share_of(40) > 0.99);
	sample(&params, EVENT_STALL_SLOT_BACKEND, 70, 0, 300);
	assert_true(share_of(40) > 0.9);
	for (size_t i = 1; i < sample_count; i++)
		assert_true(samples[i].cycle >= samples[i - 1].cycle);
}

static void frequency_is_approached(void **state)
{
	struct core_params params = bench_core();
	double seconds, first;
	size_t half;

	(void)state;
	mixture();
	sample(&params, EVENT_CPU_CYCLES, 1, 100000, 100000);
	assert_in_range(counts[EVENT_CPU_CYCLES] - periods, 0, 1000000);
	/* over the second half, when the period has settled */
	half = sample_count / 2;
	first = (double)samples[half].cycle;
	seconds = ((double)samples[sample_count - 1].cycle - first) / (1e6 * params.frequency_mhz);
	assert_float_equal((double)(sample_count - 1 - half) / seconds, 100000, 2000);
}

static void watching_changes_nothing(void **state)
{
	static uint64_t alone[EVENT_COUNT];
	struct core_params params = bench_core();

	(void)state;
	mixture();
	sample(&params, EVENT_COUNT, 1, 0, 1000);
	memcpy(alone, counts, sizeof(alone));
	assert_int_equal(sample_count, 0);
	sample(&params, EVENT_CPU_CYCLES, 1, 0, 1000);
	assert_memory_equal(alone, counts, sizeof(alone));
	assert_int_equal(sample_count, counts[EVENT_CPU_CYCLES]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_sampled_whole),
		cmocka_unit_test(periods_are_kept),
		cmocka_unit_test(events_go_to_their_instruction),
		cmocka_unit_test(addresses_are_those_of_accesses),
		cmocka_unit_test(cycles_go_to_the_oldest),
		cmocka_unit_test(frequency_is_approached),
		cmocka_unit_test(watching_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

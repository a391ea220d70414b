/* SPDX-License-Identifier: Apache-2.0 */
/* What a predictor of this class must predict, and what it cannot, whatever its sizes. */
#include "check.h"

#include "predict.h"

#define PC 0x400000ull

static struct predictor *predictor;
static const struct predictor_params *params;

static int set_up(void **state)
{
	(void)state;
	params = &model_cores[0]->predictor;
	predictor = predictor_new(params);
	return predictor ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	predictor_free(predictor);
	return 0;
}

/* A conditional branch at `pc` to pc + 64. Was it mispredicted? */
static bool misses(uint64_t pc, bool taken)
{
	struct predict_outcome outcome;

	predictor_branch(predictor, pc, BRANCH_CONDITIONAL, taken, taken ? pc + 64 : pc + 4,
			 &outcome);
	return outcome.result == PREDICT_WRONG;
}

static uint32_t random_bits(void)
{
	static uint32_t x = 1;

	x = x * 1664525u + 1013904223u;
	return x >> 16;
}

static void one_sided_branches_are_learnt(void **state)
{
	unsigned missed = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		for (unsigned b = 0; b < 16; b++)
			missed += misses(PC + 16 * b, b & 1) && i >= 20;
	assert_int_equal(missed, 0);
}

static void a_repeated_pattern_is_learnt(void **state)
{
	static const bool pattern[] = {1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1};
	unsigned missed = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		missed += misses(PC, pattern[i % 14]) && i >= 10000;
	assert_in_range(missed, 0, 10); /* of 10000 */
}

static void a_loop_of_thirty_is_left_without_a_miss(void **state)
{
	unsigned missed = 0;

	(void)state;
	for (int i = 0; i < 3000; i++)
		for (int k = 0; k < 30; k++)
			missed += misses(PC, k != 29) && i >= 1500;
	assert_in_range(missed, 0, 30); /* of 1500 loops */
}

/*
 * The share of mispredictions, in per cent, of `branches` branches with random patterns of `length`
 * outcomes in a loop, after they have been seen often.
 */
static unsigned pattern_misses(const char *core, unsigned branches, unsigned length)
{
	const struct predictor_params *sizes = &model_core_find(core)->predictor;
	struct predictor *own = predictor_new(sizes);
	const unsigned rounds = 80, count = branches * length;
	unsigned char *taken = malloc(count);
	unsigned missed = 0;

	assert_non_null(own);
	assert_non_null(taken);
	for (unsigned i = 0; i < count; i++)
		taken[i] = random_bits() & 1;
	for (unsigned i = 0; i < rounds * count; i++) {
		unsigned b = i % branches;
		uint64_t pc = PC + 16 * b;
		struct predict_outcome outcome;

		predictor_branch(own, pc, BRANCH_CONDITIONAL, taken[i % count], pc + 8, &outcome);
		missed += outcome.result == PREDICT_WRONG && i >= rounds / 4 * 3 * count;
		if (b == branches - 1)
			predictor_branch(own, pc + 32, BRANCH_CONDITIONAL, true, PC, &outcome);
	}
	free(taken);
	predictor_free(own);
	return missed * 100 / (rounds / 4 * count);
}

/* The lengths that were measured on real cores, and twice those. */
static void patterns_are_learnt_up_to_the_length_measured(void **state)
{
	(void)state;
	assert_in_range(pattern_misses("neoverse-n3", 1, 2048), 0, 1);
	assert_in_range(pattern_misses("neoverse-n3", 1, 4096), 10, 50);
	assert_in_range(pattern_misses("neoverse-n3", 512, 32), 0, 1);
	assert_in_range(pattern_misses("neoverse-n3", 512, 64), 3, 50);
	assert_in_range(pattern_misses("neoverse-v1", 512, 16), 0, 1);
	assert_in_range(pattern_misses("neoverse-v1", 512, 32), 10, 50);
}

static void one_branch_follows_another(void **state)
{
	unsigned missed = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		bool coin = random_bits() & 1;

		misses(PC, coin);
		missed += misses(PC + 256, coin) && i >= 10000;
	}
	assert_in_range(missed, 0, 200); /* 2 %; without history it would be 50 % */
}

static void a_fair_coin_is_missed_half_the_time(void **state)
{
	unsigned missed = 0, n = 40000;

	(void)state;
	for (unsigned i = 0; i < n; i++)
		missed += misses(PC, random_bits() & 1);
	assert_in_range(missed, n * 47 / 100, n * 53 / 100);
}

static unsigned call_and_return(unsigned depth)
{
	struct predict_outcome outcome;
	unsigned missed = 0;

	for (unsigned d = 0; d < depth; d++)
		predictor_branch(predictor, PC + 0x1000 * d, BRANCH_CALL, true,
				 PC + 0x1000 * (d + 1), &outcome);
	for (unsigned d = depth; d-- > 0;) {
		predictor_branch(predictor, PC + 0x1000 * (d + 1) + 64, BRANCH_RETURN, true,
				 PC + 0x1000 * d + 4, &outcome);
		missed += outcome.result == PREDICT_WRONG;
	}
	return missed;
}

static void returns_are_right_as_deep_as_the_stack(void **state)
{
	(void)state;
	assert_int_equal(call_and_return(params->return_entries), 0);
	assert_int_equal(call_and_return(params->return_entries + 5u), 5);
	assert_int_equal(call_and_return(1), 0);
}

static unsigned indirect_misses(unsigned targets, bool shuffled)
{
	struct predict_outcome outcome;
	unsigned missed = 0;

	for (int i = 0; i < 20000; i++) {
		unsigned t = shuffled ? random_bits() % targets : (unsigned)i % targets;

		predictor_branch(predictor, PC, BRANCH_INDIRECT, true, PC + 0x1000 + 0x248 * t,
				 &outcome);
		missed += outcome.result == PREDICT_WRONG && i >= 10000;
	}
	return missed;
}

static void indirect_targets_are_learnt_with_their_order(void **state)
{
	(void)state;
	assert_in_range(indirect_misses(1, false), 0, 0);
	assert_in_range(indirect_misses(4, false), 0, 100);
}

static void shuffled_targets_are_missed_three_times_in_four(void **state)
{
	(void)state;
	assert_in_range(indirect_misses(4, true), 7000, 8000); /* of 10000 */
}

static void the_fast_buffer_has_few_targets(void **state)
{
	struct predict_outcome outcome;
	unsigned right = 0, bubbles = 0, decoded = 0;

	(void)state;
	for (int round = 0; round < 3; round++)
		for (unsigned b = 0; b < 1024; b++) {
			predictor_branch(predictor, PC + 64 * b, BRANCH_IMMEDIATE, true,
					 PC + 64 * b + 64, &outcome);
			right += outcome.result == PREDICT_RIGHT;
			bubbles += outcome.result == PREDICT_TAKEN_BUBBLE;
			decoded += outcome.result == PREDICT_DECODE;
		}
	assert_int_equal(decoded, 1024); /* the first time */
	assert_int_equal(right, 0);      /* 1024 branches flush 64 entries */
	assert_int_equal(bubbles, 2048);
}

/* Of 8 branches that take turns, and of 200, in a smallest buffer of 64 targets; and without one.
 */
static void branches_pair_while_few_take_turns(void **state)
{
	static const unsigned many[] = {8, 200};

	(void)state;
	for (unsigned entries = 0; entries <= 64; entries += 64) {
		struct predictor_params changed = *params;

		changed.pair_target_entries = (uint16_t)entries;
		for (unsigned i = 0; i < 2; i++) {
			struct predictor *own = predictor_new(&changed);
			struct predict_outcome outcome;
			unsigned pairs = 0;

			assert_non_null(own);
			for (unsigned k = 0; k < 10 * many[i]; k++) {
				uint64_t pc = PC + k % many[i] * 4;

				predictor_branch(own, pc, BRANCH_IMMEDIATE, true, pc + 4, &outcome);
				pairs += outcome.pairs;
			}
			assert_int_equal(pairs, entries && many[i] == 8 ? 9 * 8 : 0);
			for (unsigned k = 0; k < 3; k++) {
				predictor_branch(own, PC, BRANCH_CALL, true, PC + 64, &outcome);
				assert_false(outcome.pairs);
			}
			predictor_free(own);
		}
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(one_sided_branches_are_learnt),
		TEST(a_repeated_pattern_is_learnt),
		TEST(a_loop_of_thirty_is_left_without_a_miss),
		TEST(patterns_are_learnt_up_to_the_length_measured),
		TEST(one_branch_follows_another),
		TEST(a_fair_coin_is_missed_half_the_time),
		TEST(returns_are_right_as_deep_as_the_stack),
		TEST(indirect_targets_are_learnt_with_their_order),
		TEST(shuffled_targets_are_missed_three_times_in_four),
		TEST(the_fast_buffer_has_few_targets),
		TEST(branches_pair_while_few_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

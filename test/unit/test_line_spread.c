/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of the shares of lines: what nobody saw is in doubt. */
#include "check.h"

#include "profile/line_spread.h"

#define COUNT 3
#define WORST 1000.0

/* A loop of a computation, a load and a branch, each a line of its own. */
static struct replay_instruction samples[COUNT];
static struct plumb_annotated_instruction instructions[COUNT];
static double slots[COUNT], timed[COUNT];
static struct replay_shares shares[COUNT];
static uint32_t group_of[COUNT];

static void begin(double records)
{
	memset(samples, 0, sizeof(samples));
	memset(timed, 0, sizeof(timed));
	memset(shares, 0, sizeof(shares));
	memset(group_of, 0, sizeof(group_of));
	for (size_t i = 0; i < COUNT; i++)
		samples[i].samples = records;
	samples[1].alike = 1;
	slots[0] = 20 * records;
	slots[1] = slots[2] = records;
}

/* Returns the estimate of the share of the line that is instruction `i`. */
static struct estimate share_of(size_t i)
{
	static uint32_t order[COUNT] = {0, 1, 2};
	const struct plumb_annotated_code code = {
		.instructions = instructions, .count = COUNT, .order = order};
	const struct plumb_annotated_line line = {
		.weight = slots[i], .first = (uint32_t)i, .count = 1};
	struct line_spread spread = {0};
	struct estimate share;

	assert_true(line_spread_new(&spread, COUNT));
	for (size_t n = 0; n < COUNT; n++) {
		instructions[n].weight = slots[n];
		line_spread_note(&spread, n, group_of[n], &samples[n]);
		line_spread_note_load(&spread, n, samples);
		line_spread_doubt(&spread, n, &samples[n], 1, &shares[n]);
	}
	line_spread_doubt_unseen(&spread, samples, slots, timed, WORST);
	line_spread_sum(&spread, &code);
	share = line_spread_share(&spread, &code, &line);
	line_spread_free(&spread);
	return share;
}

static void a_load_without_a_record_may_be_the_first(void **state)
{
	(void)state;
	begin(10);
	assert_true(share_of(1).high > share_of(0).low);
	assert_true(share_of(1).high > 0.9 && share_of(0).low < 0.3);
	/* The branch is as fast as it was replayed. */
	assert_true(share_of(2).high < 0.3);
}

/* Without a replay, weights are samples: what a replay does not know is no error of theirs. */
static void many_samples_leave_little_doubt(void **state)
{
	static uint32_t order[COUNT] = {0, 1, 2};
	const struct plumb_annotated_code code = {
		.instructions = instructions, .count = COUNT, .order = order};
	const struct plumb_annotated_line line = {.weight = 1000000, .first = 1, .count = 1};
	const struct replay_instruction many = {.samples = 1000000};
	struct line_spread spread = {0};
	struct estimate share;

	(void)state;
	assert_true(line_spread_new(&spread, COUNT));
	for (size_t n = 0; n < COUNT; n++) {
		instructions[n].weight = 1000000;
		line_spread_note(&spread, n, (uint32_t)n, &many);
	}
	line_spread_sum(&spread, &code);
	share = line_spread_share(&spread, &code, &line);
	line_spread_free(&spread);
	assert_true(share.high - share.low < 0.005 && share.high > share.low);
}

static void a_load_with_records_is_known(void **state)
{
	(void)state;
	begin(10);
	samples[1].sources[0] = (struct replay_source){10, 4};
	samples[1].source_count = 1;
	samples[1].alike_samples = 10;
	assert_true(share_of(1).high < 0.3 && share_of(0).low > 0.6);
}

/* Nor is it in doubt if others of the block tell. */
static void loads_that_are_alike_tell(void **state)
{
	(void)state;
	begin(10);
	samples[1].alike_samples = 20;
	assert_true(share_of(1).high < 0.3);
}

/* Loads elsewhere tell how often one misses. */
static void other_loads_tell_a_little(void **state)
{
	double alone, among_others;

	(void)state;
	begin(1000);
	slots[0] = 10000 * 1000;
	alone = share_of(1).high;
	samples[0].alike = 1;
	samples[0].source_count = 1;
	samples[0].sources[0] = (struct replay_source){99, 4};
	samples[0].alike_samples = 99;
	among_others = share_of(1).high;
	/* A tenth: one of 100 loads may miss. */
	assert_true(among_others > alone / 15 && among_others < alone / 5);
}

/* A load cannot take longer than its loop. */
static void a_loop_s_time_is_a_limit(void **state)
{
	double unlimited;

	(void)state;
	begin(10);
	slots[0] = 4000 * 10;
	unlimited = share_of(1).high;
	for (size_t i = 0; i < COUNT; i++)
		timed[i] = 100;
	assert_true(share_of(1).high < unlimited / 2);
}

/*
 * A load with 60 % that waited for the store, which has 20 %, as the computation. The load's
 * deviation is 0.6 / sqrt(3): of 40 % of that for itself, and 80 % for the store. 1.96 times as
 * much is beside the estimate, or more.
 */
static void a_load_that_waited_may_be_the_store_s(void **state)
{
	double computation;

	(void)state;
	begin(100);
	samples[1].sources[0] = (struct replay_source){100, 50};
	samples[1].source_count = 1;
	samples[1].alike_samples = 100;
	samples[2].stores = true;
	slots[0] = slots[2] = 2000;
	slots[1] = 6000;
	assert_true(share_of(2).high < 0.35 && share_of(1).low > 0.4);
	computation = share_of(0).high;
	samples[1].held = 100;
	assert_true(share_of(2).high > 0.2 + 0.54 && share_of(2).high < 0.2 + 0.65);
	assert_true(share_of(1).low < 0.6 - 0.27 && share_of(1).low > 0.6 - 0.38);
	/* The computation has a smaller share if the others have more, but did not hold up the
	 * load. */
	assert_true(share_of(0).high > computation && share_of(0).high < 0.45);
	/* Half of the records waited. */
	samples[1].held = 50;
	assert_true(share_of(2).high > 0.2 + 0.27 && share_of(2).high < 0.2 + 0.4);
}

/* Half of the store's 60 % is for want of room, and may be the load's: 0.3 / sqrt(3) is in doubt.
 */
static void a_full_queue_may_be_any_access_s(void **state)
{
	double load, computation, store;

	(void)state;
	begin(10000);
	samples[1].sources[0] = (struct replay_source){10000, 4};
	samples[1].source_count = 1;
	samples[1].alike_samples = 10000;
	samples[2].stores = true;
	slots[0] = slots[1] = 20000;
	slots[2] = 60000;
	load = share_of(1).high;
	computation = share_of(0).high;
	store = share_of(2).low;
	assert_true(load < 0.27 && store > 0.5);
	shares[2].queued[REPLAY_QUEUE_BOTH] = 0.5;
	assert_true(share_of(1).high > 0.2 + 1.96 * 0.17 && share_of(1).high < 0.6);
	assert_true(share_of(2).low < 0.6 - 1.96 * 0.17 && share_of(2).low > 0.2);
	assert_true(share_of(0).high == computation);
	/* In a queue of stores, it is this store's, as there is no other. */
	shares[2].queued[REPLAY_QUEUE_BOTH] = 0;
	shares[2].queued[REPLAY_QUEUE_STORES] = 0.5;
	assert_true(share_of(1).high == load && share_of(2).low == store);
	samples[0].stores = true;
	assert_true(share_of(2).low < 0.6 - 1.96 * 0.17 && share_of(1).high == load);
	samples[0].stores = false;
	shares[2].queued[REPLAY_QUEUE_STORES] = 0;
	shares[2].queued[REPLAY_QUEUE_BOTH] = 0.5;
	/* If nothing else uses the queue, it is the store's. */
	samples[1].alike = 0;
	assert_true(share_of(2).low > store - 0.01);
}

/* The queue is full in a loop that the other user of the queue is not in. */
static void a_full_queue_is_not_a_rare_access_s(void **state)
{
	double store;

	(void)state;
	begin(10000);
	group_of[1] = 1;
	samples[1].samples = 10;
	samples[1].sources[0] = (struct replay_source){10, 4};
	samples[1].source_count = 1;
	samples[1].alike_samples = 10;
	samples[2].stores = true;
	slots[0] = 20000;
	slots[1] = 20;
	slots[2] = 60000;
	store = share_of(2).low;
	shares[2].queued[REPLAY_QUEUE_BOTH] = 0.9;
	assert_true(share_of(2).low > store - 0.01);
	assert_true(share_of(1).high < 0.01);
	samples[1].samples = 10000;
	assert_true(share_of(2).low < store - 0.2);
}

/*
 * A single miss among a hundred records has 60 % of all slots; without it, the computation would
 * have 2.5 times its 30 %, for 0.3 / (1 - 0.6).
 */
static void a_single_miss_may_be_too_many(void **state)
{
	(void)state;
	begin(1000);
	samples[1].sources[0] = (struct replay_source){999, 4};
	samples[1].sources[1] = (struct replay_source){1, 1000};
	samples[1].source_count = 2;
	samples[1].alike_samples = 1000;
	samples[1].alike_far = 1;
	slots[0] = 3000;
	slots[1] = 6000;
	slots[2] = 1000;
	shares[1].missed = 1;
	assert_true(share_of(0).high > 0.7 && share_of(0).high < 0.85);
	/* A hundred misses are neither twice as many nor half. */
	samples[1].sources[1].samples = samples[1].alike_far = 100;
	assert_true(share_of(0).high < 0.45);
}

/* 10 % of each line's cost: with half of all, 1.96 * sqrt(2) * 0.1 * 0.5 * 0.5 to each side. */
static void a_replay_errs_alike_for_a_line(void **state)
{
	struct estimate share;

	(void)state;
	begin(1e9);
	slots[0] = slots[1] + slots[2];
	samples[1].alike = 0;
	share = share_of(0);
	assert_true(share.high > 0.56 && share.high < 0.58 && share.low > 0.42 && share.low < 0.44);
}

/* A load with 50 %, and a deviation of 1 / sqrt(misses): by half of that to each side. */
static void few_misses_tell_little(void **state)
{
	double many;

	(void)state;
	begin(10000);
	samples[1].sources[0] = (struct replay_source){10000, 4};
	samples[1].sources[1] = (struct replay_source){400, 100};
	samples[1].source_count = 2;
	samples[1].alike_samples = 10400;
	samples[1].alike_far = 400;
	slots[1] = slots[0];
	slots[2] = 0;
	many = share_of(1).high - share_of(1).low;
	shares[1].missed = 1;
	assert_true(share_of(1).high - share_of(1).low < many + 0.02);
	samples[1].sources[1].samples = samples[1].alike_far = 4;
	samples[1].alike_samples = 10004;
	/* 1.96 * 0.5 * 0.5 * 0.5, a little less by Wilson's formula. */
	assert_true(share_of(1).high - 0.5 > 0.18 && share_of(1).high - 0.5 < 0.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_without_a_record_may_be_the_first),
		cmocka_unit_test(many_samples_leave_little_doubt),
		cmocka_unit_test(a_load_with_records_is_known),
		cmocka_unit_test(loads_that_are_alike_tell),
		cmocka_unit_test(other_loads_tell_a_little),
		cmocka_unit_test(a_loop_s_time_is_a_limit),
		cmocka_unit_test(a_load_that_waited_may_be_the_store_s),
		cmocka_unit_test(a_full_queue_may_be_any_access_s),
		cmocka_unit_test(a_full_queue_is_not_a_rare_access_s),
		cmocka_unit_test(a_single_miss_may_be_too_many),
		cmocka_unit_test(a_replay_errs_alike_for_a_line),
		cmocka_unit_test(few_misses_tell_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

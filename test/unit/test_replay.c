/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replayed functions: the slots go to the instruction that holds up the others. Costs are those of
 * the model's neoverse-n3.
 */
#include "check.h"

#include "disasm/replay.h"

#define ADDRESS UINT64_C(0x400000)
#define RATE    200.0

static struct replay_instruction samples[16];
static double slots[16];
static size_t count;

static int replay(const uint32_t *words)
{
	struct plumb_flow *flow;
	int status;

	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	status = replay_function(NULL, flow, ADDRESS, words, count, samples, slots);
	plumb_flow_free(flow);
	return status;
}

/* All instructions were sampled equally often; the last is a branch to the first. */
static void begin(size_t instructions)
{
	memset(samples, 0, sizeof(samples));
	count = instructions;
	for (size_t i = 0; i < count; i++)
		samples[i].samples = RATE;
	samples[count - 1].taken = RATE;
}

static double share(size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < count; k++)
		sum += slots[k];
	return slots[i] / sum;
}

static void chain_of_divisions(void **state)
{
	static const uint32_t words[] = {
		0x9ac10c00, /* sdiv x0, x0, x1 */
		0x8b030042, /* add x2, x2, x3 */
		0x8b030064, /* add x4, x3, x3 */
		0xb5ffffa0, /* cbnz x0, -12 */
	};

	(void)state;
	begin(4);
	assert_int_equal(replay(words), 0);
	/* Each division takes several cycles of five slots; the others use one slot each. */
	assert_true(share(0) > 0.75);
	assert_true(share(1) < 0.1 && share(2) < 0.1 && share(3) < 0.1);
}

static void loads_that_overlap(void **state)
{
	static const uint32_t words[] = {
		0xf9400020, /* ldr x0, [x1] */
		0xf9400042, /* ldr x2, [x2]: a chain */
		0xb5ffffc0, /* cbnz x0, -8 */
	};

	(void)state;
	begin(3);
	/* Both take equally long, but only the second waits for itself. */
	for (size_t i = 0; i < 2; i++) {
		samples[i].sources[0] = (struct replay_source){RATE, 100};
		samples[i].source_count = 1;
	}
	assert_int_equal(replay(words), 0);
	assert_true(share(1) > 0.8);
	/* A load that is slow only sometimes costs less. */
	samples[1].sources[0] = (struct replay_source){RATE * 0.99, 4};
	samples[1].sources[1] = (struct replay_source){RATE * 0.01, 100};
	samples[1].source_count = 2;
	samples[0] = samples[1];
	assert_int_equal(replay(words), 0);
	assert_true(share(1) > share(0));
}

static void waits_tell_the_pace(void **state)
{
	static const uint32_t words[] = {
		0xfc408420, /* ldr d0, [x1], #8 */
		0x1e602821, /* fadd d1, d1, d0: a chain */
		0x8b030042, /* add x2, x2, x3 */
		0xb5ffffa0, /* cbnz x0, -12 */
	};
	double first;

	(void)state;
	begin(4);
	samples[0].sources[0] = (struct replay_source){RATE / 2, 6};
	samples[0].sources[1] = (struct replay_source){RATE / 2, 300};
	samples[0].source_count = 2;
	assert_int_equal(replay(words), 0);
	first = share(2);
	/* Additions waited less than if late loads came one by one, so the rest costs less. */
	samples[1].waited = 60;
	assert_int_equal(replay(words), 0);
	assert_true(share(2) > 1.5 * first);
	/* Loads can gain no more than what was lost: each instruction takes its slot. */
	samples[1].waited = 1;
	assert_int_equal(replay(words), 0);
	assert_true(share(2) > 0.15 && share(2) < 0.25);
}

static void short_waits_do_not_count(void **state)
{
	static const uint32_t words[] = {
		0xfc408420, /* ldr d0, [x1], #8 */
		0x1e602841, /* fadd d1, d2, d0 */
		0xb5ffffc0, /* cbnz x0, -8 */
	};
	double first;

	(void)state;
	begin(3);
	assert_int_equal(replay(words), 0);
	first = share(2);
	samples[1].waited = 1;
	assert_int_equal(replay(words), 0);
	assert_true(share(2) == first);
}

static void mispredicted_branch(void **state)
{
	static const uint32_t words[] = {
		0x37f00040, /* tbnz w0, #30, +8 */
		0x91000421, /* add x1, x1, #1 */
		0x91000442, /* add x2, x2, #1 */
		0x17fffffd, /* b -12 */
	};

	(void)state;
	begin(4);
	samples[1].samples = RATE / 2;
	samples[0].taken = samples[0].not_taken = RATE / 2;
	assert_int_equal(replay(words), 0);
	assert_true(share(0) < 0.5);
	samples[0].mispredicted_taken = RATE / 4;
	samples[0].mispredicted_not_taken = RATE / 4;
	assert_int_equal(replay(words), 0);
	/* Half of the iterations lose more than ten cycles. */
	assert_true(share(0) > 0.7);
}

static void equal_samples_give_equal_slots(void **state)
{
	static const uint32_t words[] = {
		0xb40000a0, /* cbz x0, +20: leaves the function */
		0x940003e8, /* bl +4000 */
		0xf9000020, /* str x0, [x1] */
		0xd65f03c0, /* ret */
	};
	double first[4];

	(void)state;
	begin(4);
	samples[2].misses = RATE / 2;
	assert_int_equal(replay(words), 0);
	memcpy(first, slots, sizeof(first));
	for (size_t i = 0; i < 4; i++)
		assert_true(first[i] > 0);
	assert_int_equal(replay(words), 0);
	assert_memory_equal(first, slots, sizeof(first));
}

static void loads_that_are_alike_share_their_latencies(void **state)
{
	static const uint32_t words[] = {
		0xf9400042, /* ldr x2, [x2]: a chain */
		0xf9400442, /* ldr x2, [x2, #8] */
		0xb9400023, /* ldr w3, [x1]: of another size */
		0xb5ffffa0, /* cbnz x0, -12 */
	};
	struct plumb_flow *flow;

	(void)state;
	begin(4);
	samples[0].sources[0] = (struct replay_source){4, 100};
	samples[0].source_count = 1;
	samples[2].sources[0] = (struct replay_source){RATE, 4};
	samples[2].source_count = 1;
	/* A load without a latency is as fast as one that hits L1D. */
	assert_int_equal(replay(words), 0);
	assert_true(share(0) > 0.8 && share(1) < 0.1);
	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	replay_pool_loads(NULL, flow, words, samples);
	plumb_flow_free(flow);
	assert_int_equal(samples[0].alike, 2);
	assert_int_equal(samples[1].alike, 2);
	assert_int_equal(samples[0].next_alike, 1);
	assert_int_equal(samples[1].next_alike, 0);
	assert_true(samples[1].alike_samples == 4);
	assert_int_equal(samples[2].alike, 1);
	assert_int_equal(samples[2].next_alike, 2);
	assert_int_equal(samples[3].alike, 0);
	assert_int_equal(replay(words), 0);
	assert_true(share(0) > 0.4 && share(0) < 0.55);
	assert_true(share(1) > 0.4 && share(1) < 0.55);
}

static void limits(void **state)
{
	static const uint32_t words[] = {0xd65f03c0};

	(void)state;
	begin(1);
	samples[0].samples = 0;
	assert_int_equal(replay(words), PLUMB_ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_of_divisions),
		cmocka_unit_test(loads_that_overlap),
		cmocka_unit_test(waits_tell_the_pace),
		cmocka_unit_test(short_waits_do_not_count),
		cmocka_unit_test(mispredicted_branch),
		cmocka_unit_test(equal_samples_give_equal_slots),
		cmocka_unit_test(loads_that_are_alike_share_their_latencies),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

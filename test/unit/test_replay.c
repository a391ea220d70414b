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
static struct replay_shares shares[16];
static size_t count;

static int replay(const uint32_t *words)
{
	struct plumb_flow *flow;
	int status;

	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	status = replay_function(NULL, flow, ADDRESS, words, count, samples, slots, shares);
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

/* Code with one sample in ten thousand is executed, too. */
static void rare_code(void **state)
{
	static const uint32_t words[] = {
		0x8b030042, /* add x2, x2, x3 */
		0xb5ffffe0, /* cbnz x0, -4 */
		0x9ac10c00, /* sdiv x0, x0, x1 */
		0xb5ffffe0, /* cbnz x0, -4 */
	};

	(void)state;
	begin(4);
	samples[0].samples = samples[1].samples = 20000;
	samples[1].taken = 20000;
	samples[2].samples = samples[3].samples = 2;
	samples[3].taken = 2;
	assert_int_equal(replay(words), 0);
	/* A division takes several cycles of five slots. */
	assert_true(slots[2] > 10 * samples[2].samples);
	assert_true(slots[0] < 5 * samples[0].samples);
}

/* ... but does not tell how fast the core was. */
static void rare_waits_do_not_count(void **state)
{
	static const uint32_t words[] = {
		0x8b030042, /* add x2, x2, x3 */
		0xb5ffffe0, /* cbnz x0, -4 */
		0xf94000a4, /* ldr x4, [x5] */
		0x8b040086, /* add x6, x4, x4 */
		0xb5ffffc0, /* cbnz x0, -8 */
	};

	(void)state;
	begin(5);
	samples[0].samples = samples[1].samples = 20000;
	samples[1].taken = 20000;
	for (size_t i = 2; i < 5; i++)
		samples[i].samples = 2;
	samples[4].taken = 2;
	samples[2].sources[0] = (struct replay_source){2, 300};
	samples[2].source_count = 1;
	samples[3].waited = 2; /* by chance, when the line was there */
	assert_int_equal(replay(words), 0);
	/* Loads overlap, but the reorder buffer has no room for 300 cycles. */
	assert_true(slots[2] > 10 * samples[2].samples);
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

/* Two loads of a line: the first waits for it, whichever of them has the records. */
static void loads_of_a_line_share_it(void **state)
{
	static const uint32_t words[] = {
		0xad400400, /* ldp q0, q1, [x0] */
		0xad410c02, /* ldp q2, q3, [x0, #32] */
		0x91010000, /* add x0, x0, #64 */
		0xb5ffffa1, /* cbnz x1, -12 */
	};
	struct plumb_flow *flow;

	(void)state;
	begin(4);
	for (size_t i = 0; i < 2; i++) {
		samples[i].sources[0] = (struct replay_source){RATE, 200};
		samples[i].source_count = 1;
		samples[i].offsets = UINT64_C(1) << (32 * i);
	}
	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	assert_int_equal(samples[0].line_before, 0);
	assert_int_equal(samples[1].line_before, 1);
	assert_int_equal(replay(words), 0);
	assert_true(share(0) > 0.8 && share(1) < 0.1);
	/* Each waits by itself for stores to forward. */
	samples[1].line_before = 0;
	samples[0].held = samples[1].held = RATE;
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	assert_int_equal(samples[1].line_before, 0);
	samples[0].held = samples[1].held = 0;
	/* What else takes long does not matter, as stores that wait for their data. */
	samples[2].held = samples[3].held = 2 * RATE;
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	/* Nobody knows how long the first one takes: the second brings the line. */
	samples[0].source_count = 0;
	assert_int_equal(replay(words), 0);
	assert_true(share(0) < 0.1 && share(1) > 0.8);
	/* If it sometimes begins in the middle, the second may be in the next line. */
	samples[0].source_count = 1;
	samples[0].offsets |= UINT64_C(1) << 32;
	samples[1].line_before = 0;
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	assert_int_equal(samples[1].line_before, 0);
	plumb_flow_free(flow);
}

static void bases_are_followed(void **state)
{
	static const uint32_t words[] = {
		0xf8408401, /* ldr x1, [x0], #8 */
		0x91004000, /* add x0, x0, #16 */
		0xf9000402, /* str x2, [x0, #8]: at 32, but no load */
		0xf85f8003, /* ldur x3, [x0, #-8]: at 16 */
		0xb9402804, /* ldr w4, [x0, #40]: at 64, the next line */
		0xa9411805, /* ldp x5, x6, [x0, #16]: at 40 */
		0x8b070000, /* add x0, x0, x7: anywhere */
		0xf9400008, /* ldr x8, [x0] */
		0xd1002000, /* sub x0, x0, #8 */
		0xf9400409, /* ldr x9, [x0, #8]: the same again */
		0xb5fffec1, /* cbnz x1, -40 */
	};
	static const uint32_t expected[] = {0, 0, 0, 3, 0, 5, 0, 0, 0, 2, 0};
	struct plumb_flow *flow;

	(void)state;
	begin(11);
	samples[0].offsets = 1;
	samples[9].offsets = 1;
	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	plumb_flow_free(flow);
	for (size_t i = 0; i < 11; i++)
		assert_int_equal(samples[i].line_before, expected[i]);
}

/* As many samples of each tell that one of a hundred misses, not one of eight of the first. */
static void loads_that_miss_alike_share_how_often(void **state)
{
	static const uint32_t words[] = {
		0xf9400022, /* ldr x2, [x1] */
		0xf9404023, /* ldr x3, [x1, #128] */
		0xf9408024, /* ldr x4, [x1, #256] */
		0xb5ffffa0, /* cbnz x0, -12 */
	};
	struct plumb_flow *flow;

	(void)state;
	begin(4);
	for (size_t i = 0; i < 3; i++) {
		samples[i].sources[0] = (struct replay_source){100, 4};
		samples[i].source_count = 1;
	}
	samples[0].sources[1] = (struct replay_source){1, 100};
	samples[0].source_count = 2;
	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	replay_pool_loads(NULL, flow, words, samples);
	assert_true(samples[0].alike_far == 1 && samples[2].alike_samples == 301);
	assert_true(samples[0].alike_weight > 100);
	/* Here one misses always, and the others never. */
	samples[0].sources[1].samples = 100;
	samples[0].sources[0].samples = 1;
	replay_pool_loads(NULL, flow, words, samples);
	assert_true(samples[0].alike_weight < 4);
	plumb_flow_free(flow);
}

/* Stores spread over more memory than L1D has room for take the time of their lines. */
static void lines_that_no_record_shows(void **state)
{
	static const uint32_t words[] = {
		0xad000400, /* stp q0, q1, [x0] */
		0xad010400, /* stp q0, q1, [x0, #32] */
		0x91010000, /* add x0, x0, #64 */
		0xf9400023, /* ldr x3, [x1] */
		0xb5ffff84, /* cbnz x4, -16 */
	};
	struct plumb_flow *flow;
	double few;

	(void)state;
	begin(5);
	for (size_t i = 0; i < 2; i++) {
		samples[i].offsets = UINT64_C(1) << 32 * i;
		samples[i].first_page = 100;
		samples[i].pages = 16; /* as much as L1D has */
	}
	samples[3].offsets = 1;
	samples[3].first_page = 500;
	samples[3].pages = 100;
	assert_int_equal(plumb_flow_new(ADDRESS, words, count, &flow), 0);
	replay_pool_loads(NULL, flow, words, samples);
	assert_int_equal(replay_share_lines(NULL, flow, words, samples), 0);
	assert_int_equal(replay_find_moves(NULL, flow, samples), 0);
	assert_true(samples[0].moves == 0 && samples[1].moves == 0);
	assert_int_equal(replay(words), 0);
	few = slots[0] + slots[1];

	/* One line for each two stores. */
	samples[0].pages = samples[1].pages = 17;
	assert_int_equal(replay_find_moves(NULL, flow, samples), 0);
	assert_true(samples[0].moves == RATE && samples[1].moves == 0);
	assert_int_equal(replay(words), 0);
	/* L2 gives a line in two cycles of five slots; the loop has as many instructions. */
	assert_true(slots[0] + slots[1] > few + 4 * RATE);

	/* Records show some of them. */
	samples[0].misses = RATE / 4;
	assert_int_equal(replay_find_moves(NULL, flow, samples), 0);
	assert_true(samples[0].moves == RATE * 3 / 4);
	/* Eight stores to a line, by where they begin. */
	samples[0].misses = 0;
	samples[0].offsets = UINT64_C(0x0101010101010101);
	assert_int_equal(replay_find_moves(NULL, flow, samples), 0);
	assert_true(samples[0].moves == RATE / 8);
	/* Loads of the loop bring the lines. */
	samples[3].first_page = 108;
	assert_int_equal(replay_find_moves(NULL, flow, samples), 0);
	assert_true(samples[0].moves == 0);
	plumb_flow_free(flow);
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
		cmocka_unit_test(rare_code),
		cmocka_unit_test(rare_waits_do_not_count),
		cmocka_unit_test(mispredicted_branch),
		cmocka_unit_test(equal_samples_give_equal_slots),
		cmocka_unit_test(loads_that_are_alike_share_their_latencies),
		cmocka_unit_test(loads_of_a_line_share_it),
		cmocka_unit_test(bases_are_followed),
		cmocka_unit_test(loads_that_miss_alike_share_how_often),
		cmocka_unit_test(lines_that_no_record_shows),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

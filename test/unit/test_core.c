/* SPDX-License-Identifier: Apache-2.0 */
/* The core's backend: latencies, ports, and what fills up. */
#include "core_bench.h"

static struct bench_block b;

/* ten links of a chain of `class`, its result feeding itself */
static double chain(const struct core_params *params, unsigned class, unsigned reg)
{
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++)
		bench_op(&b, class, reg, reg, REG_NONE);
	return bench_cycles(params, &b) / 10;
}

static void chain_costs_latency(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	assert_float_equal(chain(&params, CLASS_INT_ALU, REG_X0), 1, 1e-6);
	assert_float_equal(chain(&params, CLASS_INT_MUL, REG_X0), 2, 1e-6);
	assert_float_equal(chain(&params, CLASS_INT_DIV64, REG_X0), 12, 1e-6);
	assert_float_equal(chain(&params, CLASS_FP_ADD, REG_V0), 2, 1e-6);
	assert_float_equal(chain(&params, CLASS_FP_FMA, REG_V0), 4, 1e-6);
}

/* The latency of an instruction of several parts counts from the first one. */
static void latency_begins_with_the_first_part(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	params.classes[CLASS_INT_MUL] =
		(struct class_params){1, 5, 0, 1, 1, {{M0, 1, 3}}, false, CLASS_INT_MUL};
	assert_float_equal(chain(&params, CLASS_INT_MUL, REG_X0), 5, 1e-6);
	/* two chains: their six parts a round take one port for six cycles */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 20; i++)
		bench_op(&b, CLASS_INT_MUL, REG_X0 + i % 2, REG_X0 + i % 2, REG_NONE);
	assert_float_equal(bench_cycles(&params, &b) / 10, 6, 1e-6);

	params.classes[CLASS_FP_ADD] =
		(struct class_params){1, 4, 0, 3, 2, {{V0, 1, 1}, {V0, 1, 1}}, false, CLASS_FP_ADD};
	assert_float_equal(chain(&params, CLASS_FP_ADD, REG_V0), 4, 1e-6);

	/* the second read of a load from one port */
	params.classes[CLASS_LOAD].pieces[0] = (struct piece_params){L0, 1, 2};
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++)
		bench_load(&b, REG_X0, REG_X0, NEAR_L1);
	assert_float_equal(bench_cycles(&params, &b) / 10, 4, 1e-6);
}

static void accumulator_is_forwarded_late(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	/* fmla v0, v1, v2: only the accumulator is the chain */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_op(&b, CLASS_FP_FMA, REG_V0, REG_V0 + 1, REG_V0 + 2);

		insn->sources[2] = REG_V0;
		insn->accumulator = 2;
	}
	assert_float_equal(bench_cycles(&params, &b) / 10, 2, 1e-6);

	/* an addition between them breaks the forwarding: 4 + 2 cycles a pair */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_op(&b, CLASS_FP_FMA, REG_V0, REG_V0 + 1, REG_V0 + 2);

		insn->sources[2] = REG_V0;
		insn->accumulator = 2;
		bench_op(&b, CLASS_FP_ADD, REG_V0, REG_V0, REG_NONE);
	}
	assert_float_equal(bench_cycles(&params, &b) / 10, 6, 1e-6);

	/* nor is it for another class: 4 cycles from the one, 3 from the other */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_op(&b, i % 2 ? CLASS_FP_FMA : CLASS_INT_MADD, REG_V0,
					     REG_NONE, REG_NONE);

		insn->sources[0] = REG_V0;
		insn->accumulator = 0;
	}
	assert_float_equal(bench_cycles(&params, &b) / 5, 7, 1e-6);
}

static double stream(const struct core_params *params, unsigned class)
{
	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 24; i++)
		bench_op(&b, class, REG_X0 + i, REG_NONE, REG_NONE);
	return 24 / bench_cycles(params, &b);
}

static void stream_costs_ports(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	assert_float_equal(stream(&params, CLASS_INT_ALU), 2, 1e-6);
	assert_float_equal(stream(&params, CLASS_INT_MUL), 1, 1e-6);
	assert_float_equal(stream(&params, CLASS_INT_DIV64), 1 / 12., 1e-6);
	assert_float_equal(stream(&params, CLASS_NOP), params.slots, 1e-6);
	params.rename_width = 3; /* the fourth slot stays empty */
	assert_float_equal(stream(&params, CLASS_NOP), 3, 1e-6);
	params.rename_width = 1;
	assert_float_equal(stream(&params, CLASS_INT_ALU), 1, 1e-6);
	params = bench_core();
	params.retire_width = 1;
	assert_float_equal(stream(&params, CLASS_INT_ALU), 1, 1e-6);
}

/* A younger operation takes the cycle in which the port waits for an older one's operand. */
static void issue_is_out_of_order(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_X0, REG_NONE);
	params.classes[CLASS_INT_DIV64].pieces[0].busy = 1;
	bench_op(&b, CLASS_INT_MUL, REG_X0, REG_X0, REG_NONE);
	for (unsigned i = 0; i < 12; i++)
		bench_op(&b, CLASS_INT_MUL, REG_X0 + 1 + i, REG_NONE, REG_NONE);
	/* 14 uses of the one port, 14 cycles of chain: both hold without a gap */
	assert_float_equal(bench_cycles(&params, &b), 14, 1e-6);
}

/* So does it on a port that is not pipelined: the next pair's first fits between these two. */
static void busy_port_has_gaps(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	params.classes[CLASS_INT_DIV64].latency = 8;
	params.classes[CLASS_INT_DIV64].pieces[0].busy = 4;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_X0, REG_NONE);
	/* two of 4 cycles each, though the second waits 8 for the first */
	assert_float_equal(bench_cycles(&params, &b), 8, 1e-6);
}

static void counts_of(const struct core_params *params, unsigned times, uint64_t *counts)
{
	bench_end(params, &b);
	bench_counts(params, &b, times, counts);
	core_release_block(&b.block);
}

/* A missing load holds up the reorder buffer: later operations dispatch until it is full. */
static void reorder_buffer_fills(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM);
	for (unsigned i = 0; i < 127; i++)
		bench_insn(&b, CLASS_NOP, 0);
	counts_of(&params, 1, counts);
	/*
	 * The load issues in the cycle after its dispatch and takes 300 + 4 - 0 cycles (class less
	 * L1D latency, and the memory's); it retires with 63 others behind it, dispatched in its
	 * own and 15 more cycles. The rest, 289 cycles, stall.
	 */
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEM], 1 + DRAM_CYCLES + 4 - 16);
	assert_int_equal(counts[EVENT_STALL_BACKEND], counts[EVENT_STALL_BACKEND_MEM]);
	assert_int_equal(counts[EVENT_STALL_SLOT_BACKEND],
			 counts[EVENT_STALL_BACKEND] * params.slots);
	assert_int_equal(counts[EVENT_STALL_BACKEND_BUSY], 0);
}

/* Sixteen entries, each taken for a load's 24 cycles and the one between dispatch and issue. */
static void reorder_buffer_limits_what_is_under_way(void **state)
{
	struct core_params params = bench_core();
	uint64_t few[EVENT_COUNT], many[EVENT_COUNT];

	(void)state;
	params.reorder_entries = 16;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 16; i++)
		bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
	assert_float_equal(bench_cycles(&params, &b), 4 + L2_CYCLES + 1, 1e-6);

	/* They retire one a cycle, so that one dispatches in each of 16 cycles of the 25. */
	params.retire_width = 1;
	counts_of(&params, 200, few);
	counts_of(&params, 400, many);
	assert_int_equal(many[EVENT_CPU_CYCLES] - few[EVENT_CPU_CYCLES], 200 * 25);
	assert_int_equal(many[EVENT_STALL_BACKEND] - few[EVENT_STALL_BACKEND], 200 * 9);
}

/* Stalled cycles of `cycles` in which a stream for one port runs, its queue being full. */
static uint64_t stalls_of_stream(const struct core_params *params, unsigned cycles)
{
	uint64_t few[EVENT_COUNT], many[EVENT_COUNT];

	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 24; i++)
		bench_op(&b, CLASS_FP_ADD, REG_V0 + i, REG_NONE, REG_NONE);
	counts_of(params, 50, few);
	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 24; i++)
		bench_op(&b, CLASS_FP_ADD, REG_V0 + i, REG_NONE, REG_NONE);
	counts_of(params, 50 + cycles / 24, many);
	assert_int_equal(many[EVENT_CPU_CYCLES] - few[EVENT_CPU_CYCLES], cycles);
	return many[EVENT_STALL_BACKEND] - few[EVENT_STALL_BACKEND];
}

/* One leaves the queue per cycle: it makes room for one, or in every fourth cycle for a group. */
static void groups_wait_for_room(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	params.queue_entries[3] = 16;
	assert_int_equal(stalls_of_stream(&params, 2400), 0);
	params.rename_group = 4;
	assert_int_equal(stalls_of_stream(&params, 2400), 2400 * 3 / 4);
	params.rename_group = 2;
	assert_int_equal(stalls_of_stream(&params, 2400), 2400 / 2);

	/* No more wait for each other than an empty queue has room for. */
	params.rename_group = 4;
	params.queue_entries[3] = 3;
	assert_int_equal(stalls_of_stream(&params, 2400), 2400 * 2 / 3);
}

/* The load queue holds eight until they retire, which they do not before the division. */
static void load_queue_fills(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.load_entries = 8;
	params.classes[CLASS_INT_DIV64].latency = 100;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	for (unsigned k = 0; k < 12; k++)
		bench_load(&b, REG_X0 + 1 + k, REG_NONE, NEAR_L1);
	counts_of(&params, 1, counts);
	/* 1 + 8 dispatch in 3 cycles; the division retires 101 cycles after the first of these */
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 101 - 3);
	assert_int_equal(counts[EVENT_STALL_BACKEND], 101 - 3);
	assert_int_equal(counts[EVENT_STALL_BACKEND_RENAME], 0);
	assert_int_equal(counts[EVENT_IMP_STALL_BACKEND_MCQ], 0);
}

/* The same with fewer of each resource: the scarce resource is reported, the cause is still the
 * load. */
static void registers_run_out(void **state)
{
	static const struct {
		unsigned class, reg;
		size_t field;
		unsigned event;
	} cases[] = {
		{CLASS_INT_ALU, REG_X0, offsetof(struct core_params, int_registers),
		 EVENT_IMP_STALL_BACKEND_RENAME_GRF},
		{CLASS_FP_ADD, REG_V0, offsetof(struct core_params, vector_registers),
		 EVENT_IMP_STALL_BACKEND_RENAME_VRF},
		{CLASS_INT_FLAGS, REG_FLAGS, offsetof(struct core_params, flag_registers),
		 EVENT_IMP_STALL_BACKEND_RENAME_FRF},
		{CLASS_INT_ALU, REG_P0, offsetof(struct core_params, predicate_registers), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct core_params params = bench_core();
		uint16_t *field = (uint16_t *)(void *)((char *)&params + cases[i].field);
		uint64_t counts[EVENT_COUNT];

		*field = 8;
		/* The oldest is a division: the core's cause. */
		bench_begin(&b, 0x1000);
		bench_op(&b, CLASS_INT_DIV64, REG_X0 + 9, REG_NONE, REG_NONE);
		params.classes[CLASS_INT_DIV64].latency = 100;
		b.insns[0].targets[0] = REG_NONE;
		for (unsigned k = 0; k < 16; k++)
			bench_op(&b, cases[i].class, cases[i].reg, REG_NONE, REG_NONE);
		counts_of(&params, 1, counts);
		/* dispatched in its cycle 0 and 1, 2: 1 + 8 operations in 3 cycles; 101 in all */
		assert_int_equal(counts[EVENT_STALL_BACKEND_RENAME], 101 - 3);
		assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], counts[EVENT_STALL_BACKEND]);
		if (cases[i].event)
			assert_int_equal(counts[cases[i].event], 101 - 3);

		/* The oldest is a load that misses: the memory's, and RENAME is of CPUBOUND. */
		bench_begin(&b, 0x1000);
		bench_load(&b, REG_NONE, REG_NONE, NEAR_L2);
		for (unsigned k = 0; k < 16; k++)
			bench_op(&b, cases[i].class, cases[i].reg, REG_NONE, REG_NONE);
		counts_of(&params, 1, counts);
		assert_int_equal(counts[EVENT_STALL_BACKEND_RENAME], 0);
		assert_int_equal(counts[EVENT_STALL_BACKEND_L1D], 1 + L2_CYCLES + 4 - 3);
	}
}

static void queues_fill(void **state)
{
	static const struct {
		unsigned class, queue, event;
	} cases[] = {
		{CLASS_INT_ALU, 0, EVENT_IMP_STALL_BACKEND_IQ_SX},
		{CLASS_INT_MUL, 1, EVENT_IMP_STALL_BACKEND_IQ_MX},
		{CLASS_FP_ADD, 3, EVENT_IMP_STALL_BACKEND_IQ_VX},
	};
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct core_params params = bench_core();

		params.queue_entries[cases[i].queue] = 6;
		/* all wait for the load; six of them fit */
		bench_begin(&b, 0x1000);
		bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
		for (unsigned k = 0; k < 12; k++)
			bench_op(&b, cases[i].class, REG_X0 + 1, REG_X0, REG_NONE);
		counts_of(&params, 1, counts);
		/* 1 + 6 dispatch in 2 cycles; the first leaves when the load is done, at 25 */
		assert_int_equal(counts[EVENT_STALL_BACKEND_L1D], 1 + L2_CYCLES + 4 - 2);
		assert_true(counts[EVENT_STALL_BACKEND_BUSY] >= 1 + L2_CYCLES + 4 - 2);
		assert_int_equal(counts[cases[i].event], counts[EVENT_STALL_BACKEND_BUSY]);
	}
}

/* A full queue alone does not hold up the others: entries leave out of order. */
static void queues_free_out_of_order(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.queue_entries[0] = 6;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
	for (unsigned k = 0; k < 4; k++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 1, REG_X0, REG_NONE);
	for (unsigned k = 0; k < 40; k++) /* these pass through the two entries left */
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_NONE, REG_NONE);
	counts_of(&params, 1, counts);
	/* 45 operations; the load done at 25, 4 additions need 2 cycles, retirement follows */
	assert_true(counts[EVENT_CPU_CYCLES] < 45);
	assert_int_equal(counts[EVENT_OP_RETIRED], 45);
}

/* An unlimited reorder buffer has room for all of these, but the queue does not. */
static void queues_fill_behind_more_than_a_reorder_buffer_holds(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.ideal = IDEAL_ROB;
	params.queue_entries[0] = 6;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM);
	for (unsigned k = 0; k < 99; k++)
		bench_insn(&b, CLASS_NOP, 0);
	for (unsigned k = 0; k < 12; k++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 1, REG_X0, REG_NONE);
	counts_of(&params, 1, counts);
	/* 100 + 6 dispatch in 27 cycles; the first addition leaves when the load is done */
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEM], 1 + DRAM_CYCLES + 4 - 27);
	assert_true(counts[EVENT_IMP_STALL_BACKEND_IQ_SX] >= 1 + DRAM_CYCLES + 4 - 27);
}

/* A queue for each integer port: additions can use both, multiplications that of M0. */
static struct core_params core_with_port_queues(void)
{
	static const uint32_t ports[] = {A0, M0, L0 | L1, V0, B0};
	static const char *const names[] = {"SX", "MX", "LS", "VX", "SX"};
	struct core_params params = bench_core();

	params.queue_count = sizeof(ports) / sizeof(*ports);
	for (unsigned i = 0; i < params.queue_count; i++) {
		params.queue_entries[i] = 60;
		params.queue_names[i] = names[i];
		params.queue_ports[i] = ports[i];
	}
	return params;
}

/* Operations of two queues of six: all wait for a load, and the thirteenth for a queue. */
static void queues_of_ports_fill(void **state)
{
	static const struct {
		unsigned class, operations, queue;
		bool full;
	} cases[] = {
		{CLASS_INT_ALU, 12, 0, false}, /* six in each */
		{CLASS_INT_ALU, 13, 0, true},  {CLASS_INT_MUL, 6, 1, false},
		{CLASS_INT_MUL, 7, 1, true},   {CLASS_FP_ADD, 6, 3, false},
		{CLASS_FP_ADD, 7, 3, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct core_params params = core_with_port_queues();
		uint64_t counts[EVENT_COUNT];

		params.queue_entries[0] = params.queue_entries[1] = params.queue_entries[3] = 6;
		bench_begin(&b, 0x1000);
		bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
		for (unsigned k = 0; k < cases[i].operations; k++)
			bench_op(&b, cases[i].class, REG_X0 + 1, REG_X0, REG_NONE);
		counts_of(&params, 1, counts);
		assert_int_equal(counts[EVENT_STALL_BACKEND_BUSY] > 0, cases[i].full);
		assert_int_equal(counts[EVENT_IMP_STALL_BACKEND_IQ_SX] > 0,
				 cases[i].full && cases[i].queue == 0);
		assert_int_equal(counts[EVENT_IMP_STALL_BACKEND_IQ_MX] > 0,
				 cases[i].full && cases[i].queue == 1);
	}
}

/* Returns the cycles of a load, multiplications that wait for it, additions, and divisions. */
static uint64_t cycles_behind_multiplications(const struct core_params *params)
{
	uint64_t counts[EVENT_COUNT];

	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L2);
	for (unsigned k = 0; k < 15; k++)
		bench_op(&b, CLASS_INT_MUL, REG_X0 + 1, REG_X0, REG_NONE);
	for (unsigned k = 0; k < 8; k++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_NONE, REG_NONE);
	for (unsigned k = 0; k < 8; k++)
		bench_op(&b, CLASS_FP_ADD, REG_V0, k ? REG_V0 : REG_X0 + 2, REG_NONE);
	counts_of(params, 1, counts);
	return counts[EVENT_CPU_CYCLES];
}

/*
 * Eight additions take four cycles on two ports. If each is bound to the emptier of their queues,
 * all wait in that of the one port, since fifteen multiplications fill the other: eight cycles.
 */
static void operations_keep_their_queues(void **state)
{
	struct core_params shared = bench_core(), bound = core_with_port_queues();

	(void)state;
	/* a chain behind the additions, longer than the load */
	shared.classes[CLASS_FP_ADD].latency = bound.classes[CLASS_FP_ADD].latency = 40;
	assert_int_equal(cycles_behind_multiplications(&bound),
			 cycles_behind_multiplications(&shared) + 4);
}

/* Pieces wait in queues of their own, and a group for all that it needs. */
static void groups_wait_for_queues_of_ports(void **state)
{
	struct core_params params = core_with_port_queues();

	(void)state;
	params.queue_entries[3] = 16;
	assert_int_equal(stalls_of_stream(&params, 2400), 0);
	params.rename_group = 4;
	assert_int_equal(stalls_of_stream(&params, 2400), 2400 * 3 / 4);
	params.queue_entries[3] = 3;
	assert_int_equal(stalls_of_stream(&params, 2400), 2400 * 2 / 3);
}

/* Chains that reach far beyond the calendar give every queue entry back. */
static void long_chains_keep_their_entries(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.queue_entries[2] = 16;
	bench_begin(&b, 0x1000);
	for (unsigned k = 0; k < 20; k++)
		bench_load(&b, REG_X0, REG_X0, NEAR_DRAM + 64 * k);
	bench_end(&params, &b);
	bench_counts(&params, &b, 50, counts);
	core_release_block(&b.block);
	/* 1000 links of 304 cycles, and the start */
	assert_in_range(counts[EVENT_CPU_CYCLES], 304000, 304000 + 20);
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEM] + counts[EVENT_STALL_BACKEND_CPUBOUND],
			 counts[EVENT_STALL_BACKEND]);
	assert_true(counts[EVENT_STALL_BACKEND_MEM] > 300000 - 16 * 304);
}

static void serialising_waits_for_all(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.classes[CLASS_INT_FLAGS].serializes = true;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	bench_op(&b, CLASS_INT_FLAGS, REG_FLAGS, REG_NONE, REG_NONE);
	bench_op(&b, CLASS_INT_DIV64, REG_X0, REG_NONE, REG_NONE);
	params.classes[CLASS_INT_DIV64].pieces[0].busy = 1;
	counts_of(&params, 1, counts);
	/* available at 6 (an L1I hit and five), 7 issue, 19, 20, 32 done */
	assert_int_equal(counts[EVENT_CPU_CYCLES], 32);
}

/* How many cycles a block of an AES round and what follows it takes, again and again. */
static double round_cycles(const char *core, uint32_t round, uint32_t mix)
{
	const uint32_t words[] = {round, mix};

	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_op(&b, CLASS_NOP, REG_NONE, REG_NONE, REG_NONE);

		assert_true(insn_decode(words[i % 2], 16, insn));
	}
	return bench_cycles(model_core_find(core), &b) / 5;
}

/*
 * A chain of AES rounds, on the core whose pairs are fused and on another one, where each of the
 * two takes 2 cycles.
 */
static void aes_rounds_are_fused(void **state)
{
	const uint32_t aese = 0x4e284820, aesd = 0x4e285820;    /* v0, v1 */
	const uint32_t aesmc = 0x4e286800, aesimc = 0x4e287800; /* v0, v0 */

	(void)state;
	assert_float_equal(round_cycles("neoverse-n1", aese, aesmc), 2, 1e-6);
	assert_float_equal(round_cycles("neoverse-n1", aesd, aesimc), 2, 1e-6);
	assert_float_equal(round_cycles("neoverse-n1", aese, aesimc), 4, 1e-6);
	assert_float_equal(round_cycles("neoverse-n1", aesd, aesmc), 4, 1e-6);
	/* the first one of a block has nothing before it: 2 + 5 x 2 cycles */
	assert_float_equal(round_cycles("neoverse-n1", aesmc, aese), 12. / 5, 1e-6);
	assert_float_equal(round_cycles("neoverse-n2", aese, aesmc), 2, 1e-6);
	assert_float_equal(round_cycles("neoverse-n2", aesd, aesmc), 4, 1e-6);
}

/* Counts a multiplication, a compare and a branch; `apart`: with the compare first. */
static void compare_counts(enum fused_compares fused, uint32_t compare, uint32_t branch, bool apart,
			   uint64_t *counts)
{
	struct core_params params = bench_core();
	struct insn *insn;

	params.fused_compares = (uint8_t)fused;
	bench_begin(&b, 0x1000);
	if (!apart)
		bench_op(&b, CLASS_INT_MUL, REG_X0, REG_X0, REG_NONE);
	bench_op(&b, CLASS_INT_FLAGS, REG_FLAGS, REG_X0, REG_NONE)->opcode = compare;
	if (apart)
		bench_op(&b, CLASS_INT_MUL, REG_X0, REG_X0, REG_NONE);
	insn = bench_branch(&b, BRANCH_CONDITIONAL);
	insn->opcode = branch;
	insn->sources[0] = REG_FLAGS;
	bench_end(&params, &b);
	bench_counts(&params, &b, 100, counts);
	core_release_block(&b.block);
}

/* Returns how many of the three instructions are no operation of their own. */
static uint64_t saved(enum fused_compares fused, uint32_t compare, uint32_t branch, bool apart)
{
	uint64_t counts[EVENT_COUNT];

	compare_counts(fused, compare, branch, apart, counts);
	assert_int_equal(counts[EVENT_INST_RETIRED], 300);
	assert_int_equal(counts[EVENT_OP_RETIRED] % 100, 0);
	assert_int_equal(counts[EVENT_BR_RETIRED], 100);
	return 3 - counts[EVENT_OP_RETIRED] / 100;
}

/* Encoded by LLVM's assembler. */
static void compares_and_branches_are_fused(void **state)
{
	static const struct {
		uint32_t word;
		enum fused_compares from;
	} compares[] = {
		{0xf100041f, FUSED_COMPARES}, /* cmp x0, #1 */
		{0x3100041f, FUSED_COMPARES}, /* cmn w0, #1 */
		{0xeb02001f, FUSED_COMPARES}, /* cmp x0, x2 */
		{0xeb020c1f, FUSED_COMPARES}, /* cmp x0, x2, lsl #3 */
		{0x2b22801f, FUSED_COMPARES}, /* cmn w0, w2, sxtb */
		{0xf2400c1f, FUSED_TESTS},    /* tst x0, #15 */
		{0x6a02001f, FUSED_TESTS},    /* tst w0, w2 */
		{0xea22001f, FUSED_TESTS},    /* bics xzr, x0, x2 */
		{0xeb0203ff, FUSED_NONE},     /* cmp xzr, x2 */
		{0xf1000400, FUSED_NONE},     /* subs x0, x0, #1 */
		{0xba02001f, FUSED_NONE},     /* adcs xzr, x0, x2 */
	};
	const uint32_t beq = 0x54000000, consistent = 0x54000010, cbz = 0xb4000000;

	(void)state;
	for (size_t i = 0; i < sizeof(compares) / sizeof(compares[0]); i++) {
		const uint32_t word = compares[i].word;
		const enum fused_compares from = compares[i].from;

		for (enum fused_compares f = FUSED_NONE; f <= FUSED_TESTS; f++) {
			assert_int_equal(saved(f, word, beq, false), from && f >= from);
			assert_int_equal(saved(f, word, beq, true), 0);
			assert_int_equal(saved(f, word, cbz, false), 0);
			assert_int_equal(saved(f, word, consistent, false), 0);
		}
	}
}

/* A branch that compares as well takes its own port alone. */
static void fused_branches_take_no_integer_port(void **state)
{
	struct core_params params = bench_core();
	double cycles[2];

	(void)state;
	for (unsigned fused = 0; fused < 2; fused++) {
		params.fused_compares = fused ? FUSED_COMPARES : FUSED_NONE;
		bench_begin(&b, 0x1000);
		for (unsigned i = 0; i < 4; i++)
			bench_op(&b, CLASS_INT_ALU, REG_X0 + 1 + i, REG_NONE, REG_NONE);
		bench_op(&b, CLASS_INT_FLAGS, REG_FLAGS, REG_NONE, REG_NONE)->opcode = 0xf100041f;
		bench_branch(&b, BRANCH_CONDITIONAL)->opcode = 0x54000000;
		cycles[fused] = bench_cycles(&params, &b);
	}
	/* five operations on two integer ports, or four */
	assert_float_equal(cycles[0] - cycles[1], 0.5, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aes_rounds_are_fused),
		cmocka_unit_test(compares_and_branches_are_fused),
		cmocka_unit_test(fused_branches_take_no_integer_port),
		cmocka_unit_test(chain_costs_latency),
		cmocka_unit_test(latency_begins_with_the_first_part),
		cmocka_unit_test(accumulator_is_forwarded_late),
		cmocka_unit_test(stream_costs_ports),
		cmocka_unit_test(issue_is_out_of_order),
		cmocka_unit_test(busy_port_has_gaps),
		cmocka_unit_test(reorder_buffer_fills),
		cmocka_unit_test(reorder_buffer_limits_what_is_under_way),
		cmocka_unit_test(groups_wait_for_room),
		cmocka_unit_test(load_queue_fills),
		cmocka_unit_test(registers_run_out),
		cmocka_unit_test(queues_fill),
		cmocka_unit_test(queues_free_out_of_order),
		cmocka_unit_test(queues_fill_behind_more_than_a_reorder_buffer_holds),
		cmocka_unit_test(queues_of_ports_fill),
		cmocka_unit_test(operations_keep_their_queues),
		cmocka_unit_test(groups_wait_for_queues_of_ports),
		cmocka_unit_test(long_chains_keep_their_entries),
		cmocka_unit_test(serialising_waits_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

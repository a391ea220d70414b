/* SPDX-License-Identifier: Apache-2.0 */
/* The core's loads and stores: forwarding, the store buffer, order, what is counted. */
#include "core_bench.h"

static struct bench_block b;

static void counts_of(const struct core_params *params, unsigned times, uint64_t *counts)
{
	bench_end(params, &b);
	bench_counts(params, &b, times, counts);
	core_release_block(&b.block);
}

static void load_to_use(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++)
		bench_load(&b, REG_X0, REG_X0, NEAR_L1);
	assert_float_equal(bench_cycles(&params, &b) / 10, 4, 1e-6);

	/* to a vector register, and through an addition back to the address: 6 + 1 */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		bench_load(&b, REG_V0, REG_X0, NEAR_L1)->class = CLASS_VLOAD;
		bench_op(&b, CLASS_INT_ALU, REG_X0, REG_V0, REG_NONE);
	}
	assert_float_equal(bench_cycles(&params, &b) / 10, 7, 1e-6);

	/* L2: 20 cycles more */
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++)
		bench_load(&b, REG_X0, REG_X0, NEAR_L2);
	assert_float_equal(bench_cycles(&params, &b) / 10, 4 + L2_CYCLES, 1e-6);
}

/* ldr x1, [x0], #8: the address is a chain of additions, not of loads */
static void written_back_base_is_early(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_load(&b, REG_X0 + 1, REG_X0, NEAR_L1);

		insn->class = CLASS_LOAD_WB;
		insn->targets[1] = REG_X0;
		insn->writes_base = 1;
	}
	/* two integer registers, a load queue entry and two slots each: nothing is in the way */
	assert_float_equal(bench_cycles(&params, &b) / 10, 1, 1e-6);

	/* str x1, [x0], #8 whose data is slow: the base does not wait for it */
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_DIV64, REG_X0 + 1, REG_NONE, REG_NONE);
	for (int i = 0; i < 4; i++) {
		struct insn *insn = bench_store(&b, REG_X0 + 1, REG_X0, NEAR_L1 + 8u * i);

		insn->class = CLASS_STORE_WB;
		insn->targets[0] = REG_X0;
		insn->writes_base = 0;
	}
	assert_float_equal(bench_cycles(&params, &b), 12, 1e-6);
}

/* str x0, [a]; ldr x0, [a]: a cycle for the store's data and the forwarding's four */
static void stores_forward(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		bench_store(&b, REG_X0, REG_NONE, NEAR_L1);
		bench_load(&b, REG_X0, REG_NONE, NEAR_L1);
	}
	assert_float_equal(bench_cycles(&params, &b) / 10, 5, 1e-6);

	/* a part of what was stored */
	b.accesses[1].address += 4;
	b.accesses[1].bytes = 4;
	assert_float_equal(bench_cycles(&params, &b) / 10, 5, 1e-6);

	/* another place: no chain; the one store port takes a cycle each */
	for (unsigned i = 1; i < 20; i += 2)
		b.accesses[i].address = NEAR_L1 + 4096;
	assert_float_equal(bench_cycles(&params, &b) / 10, 1, 1e-6);

	/*
	 * More than was stored: the load waits until the store is in L1D. Store and load dispatch
	 * at 6, issue at 7; the store's data is there at 8, it retires then and is in L1D 40 cycles
	 * on; the load takes its 4.
	 */
	bench_begin(&b, 0x1000);
	bench_store(&b, REG_NONE, REG_NONE, NEAR_L1 + 4);
	b.accesses[0].bytes = 4;
	bench_load(&b, REG_X0, REG_NONE, NEAR_L1);
	for (unsigned i = 0; i < 100; i++)
		bench_insn(&b, CLASS_NOP, 0);
	bench_end(&params, &b);
	memset(counts, 0, sizeof(counts));
	{
		struct core *core = core_new(&params, NULL, counts);

		assert_non_null(core);
		bench_memory.store_cycles = 40;
		bench_run(core, &b, 0);
		core_finish(core);
		core_counts(core);
		core_free(core);
	}
	core_release_block(&b.block);
	assert_int_equal(bench_memory.last_load_cycle, 8 + 40);
	/* the store at 6, then 63 more in 15 more cycles; one is free at 8: 65 in 6 to 22 */
	assert_int_equal(counts[EVENT_STALL_BACKEND_ST], 52 - 23);
	assert_int_equal(counts[EVENT_STALL_BACKEND], 52 - 23);
}

/* Cycles from stored data, and the store's own, to a load of `bytes` at `offset` after the stores.
 */
static double forwarding(const struct access *stores, unsigned count, unsigned offset,
			 unsigned bytes)
{
	struct core_params params = bench_core();

	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		for (unsigned s = 0; s < count; s++) {
			bench_store(&b, REG_X0, REG_NONE, NEAR_L1 + stores[s].address);
			b.accesses[b.access_count - 1].bytes = stores[s].bytes;
		}
		bench_load(&b, REG_X0, REG_NONE, NEAR_L1 + offset);
		b.accesses[b.access_count - 1].bytes = (uint16_t)bytes;
	}
	return bench_cycles(&params, &b) / 10;
}

static void stores_forward_from_start_and_middle(void **state)
{
	static const struct access whole[] = {{0, 0, 8}}, pair[] = {{0, 0, 16}};
	static const struct access split[] = {{4092, 0, 8}}, behind[] = {{4096, 0, 8}};

	(void)state;
	assert_float_equal(forwarding(whole, 1, 0, 8), 5, 1e-6);
	assert_float_equal(forwarding(whole, 1, 0, 1), 5, 1e-6);
	assert_float_equal(forwarding(whole, 1, 4, 4), 5, 1e-6);
	assert_float_equal(forwarding(pair, 1, 8, 8), 5, 1e-6);
	assert_float_equal(forwarding(pair, 1, 8, 2), 5, 1e-6);
	/* from elsewhere, or over its end: 10 from the data on */
	assert_float_equal(forwarding(whole, 1, 2, 2), 11, 1e-6);
	assert_float_equal(forwarding(whole, 1, 1, 1), 11, 1e-6);
	assert_float_equal(forwarding(pair, 1, 4, 8), 11, 1e-6);
	assert_float_equal(forwarding(pair, 1, 12, 4), 11, 1e-6);
	assert_float_equal(forwarding(whole, 1, 4, 8), 11, 1e-6);
	/* across two pages, to a load across them */
	assert_float_equal(forwarding(split, 1, 4092, 8), 13, 1e-6);
	assert_float_equal(forwarding(behind, 1, 4096, 8), 5, 1e-6);
}

/* Across two lines of a page a store forwards as elsewhere; one that fails takes 2 cycles more. */
static void stores_forward_across_lines(void **state)
{
	static const struct access split[] = {{60, 0, 8}}, before[] = {{56, 0, 8}};

	(void)state;
	assert_float_equal(forwarding(split, 1, 60, 8), 5, 1e-6);
	assert_float_equal(forwarding(split, 1, 61, 8), 13, 1e-6);
	assert_float_equal(forwarding(split, 1, 56, 8), 11, 1e-6);
	assert_float_equal(forwarding(before, 1, 60, 8), 13, 1e-6);
}

/* Returns the cycles of a chain of loads at `address`, for each. */
static double chained(const struct core_params *params, uint64_t address)
{
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++)
		bench_load(&b, REG_X0, REG_X0, address);
	return bench_cycles(params, &b) / 10;
}

static void loads_across_lines_take_longer(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	params.load_line_cycles = 7;
	params.load_page_cycles = 2;
	assert_float_equal(chained(&params, NEAR_L1), 4, 1e-6);
	assert_float_equal(chained(&params, NEAR_L1 + 56), 4, 1e-6);
	assert_float_equal(chained(&params, NEAR_L1 + 57), 11, 1e-6);
	assert_float_equal(chained(&params, NEAR_L1 + 4092), 6, 1e-6);
}

/* The one store port takes a cycle for each store: the last one's data is there that much later. */
static void two_stores_forward_half_each(void **state)
{
	static const struct access halves[] = {{0, 0, 4}, {4, 0, 4}},
				   swapped[] = {{4, 0, 4}, {0, 0, 4}};
	static const struct access large[] = {{0, 0, 8}, {8, 0, 8}},
				   small[] = {{0, 0, 2}, {2, 0, 2}};
	static const struct access uneven[] = {{0, 0, 2}, {2, 0, 8}};
	static const struct access over[] = {{0, 0, 8}, {3, 0, 1}},
				   under[] = {{3, 0, 1}, {0, 0, 8}};
	static const struct access three[] = {{0, 0, 8}, {8, 0, 4}, {12, 0, 4}};

	(void)state;
	assert_float_equal(forwarding(halves, 2, 0, 8), 6, 1e-6);
	assert_float_equal(forwarding(swapped, 2, 0, 8), 6, 1e-6);
	assert_float_equal(forwarding(large, 2, 0, 16), 6, 1e-6);
	/* the upper half of one and the lower half of the other */
	assert_float_equal(forwarding(large, 2, 4, 8), 6, 1e-6);
	/* too small a load, halves of which one is not whole, three stores */
	assert_float_equal(forwarding(small, 2, 0, 4), 12, 1e-6);
	assert_float_equal(forwarding(uneven, 2, 0, 8), 12, 1e-6);
	assert_float_equal(forwarding(three, 3, 0, 16), 13, 1e-6);
	/* a byte of the load is younger than the rest, or older and stored over */
	assert_float_equal(forwarding(over, 2, 0, 8), 12, 1e-6);
	assert_float_equal(forwarding(under, 2, 0, 8), 6, 1e-6);
	/* the older of two stores, beside the younger one's byte */
	assert_float_equal(forwarding(over, 2, 4, 4), 5, 1e-6);
}

/* Where a store is does not matter to the forwarding from another, however far apart they are. */
static void stores_elsewhere_do_not_hinder(void **state)
{
	(void)state;
	for (unsigned distance = 64; distance <= 65536; distance *= 2)
		for (unsigned half = 0; half < 16; half += 8) {
			const struct access stores[] = {{0, 0, 16}, {distance + half, 0, 8}};

			assert_float_equal(forwarding(stores, 2, 0, 16), 5, 1e-6);
		}
}

/* A store that is long in L1D is no longer looked at. */
static void old_stores_do_not_forward(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	bench_store(&b, REG_X0, REG_NONE, NEAR_L1);
	for (int i = 0; i < 3; i++)
		bench_op(&b, CLASS_INT_DIV64, REG_X0 + 1, REG_X0 + 1, REG_NONE);
	bench_load(&b, REG_X0, REG_X0 + 1, NEAR_L1 - 4);
	counts_of(&params, 1, counts);
	assert_int_equal(bench_memory.last_load_cycle, 7 + 36);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD_PERCYC], 5); /* it is across a line */
}

/* Stores that miss: the buffer's eight leave as their lines come, 50 cycles each, side by side. */
static void store_buffer_fills(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core;

	(void)state;
	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 80; i++)
		bench_store(&b, REG_NONE, REG_NONE, NEAR_L1 + 64 * i);
	bench_end(&params, &b);
	memset(counts, 0, sizeof(counts));
	core = core_new(&params, NULL, counts);
	assert_non_null(core);
	bench_memory.store_cycles = 50;
	for (int i = 0; i < 10; i++)
		bench_run(core, &b, 0x1000);
	core_finish(core);
	core_counts(core);
	core_free(core);
	core_release_block(&b.block);
	assert_in_range(counts[EVENT_CPU_CYCLES], 100 * 50 - 300, 100 * 50);
	assert_true(counts[EVENT_STALL_BACKEND_ST] > 3500);
	assert_int_equal(counts[EVENT_STALL_BACKEND_ST], counts[EVENT_STALL_BACKEND]);
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEMBOUND], counts[EVENT_STALL_BACKEND]);
	assert_int_equal(counts[EVENT_MEM_ACCESS_WR], 800);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 0);
}

static void translations_stall(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int store = 0; store < 2; store++) {
		bench_begin(&b, 0x1000);
		if (store)
			bench_store(&b, REG_NONE, REG_NONE, NEAR_WALK);
		else
			bench_load(&b, REG_X0, REG_NONE, NEAR_WALK);
		for (unsigned i = 0; i < 127; i++)
			bench_insn(&b, CLASS_NOP, 0);
		counts_of(&params, 1, counts);
		/*
		 * Dispatch in 6 to 21 hides the beginning of the wait from 7 on: the walk takes
		 * 100 cycles, and a load's hit of L1D 4.
		 */
		assert_int_equal(counts[EVENT_STALL_BACKEND_TLB],
				 7 + WALK_CYCLES - 22 + (store ? 0 : 4));
		assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 0);
		assert_int_equal(counts[EVENT_IMP_STALL_BACKEND_MCQ], 0);
	}
}

/* A load that misses the TLB and the caches: neither wait is blamed for all. */
static void translation_and_data_share_a_wait(void **state)
{
	/* As above: of 404 cycles, dispatch hides 15. */
	const uint64_t waits = WALK_CYCLES + DRAM_CYCLES + 4, stalled = waits - 15;
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_BOTH);
	for (unsigned i = 0; i < 127; i++)
		bench_insn(&b, CLASS_NOP, 0);
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_STALL_BACKEND_TLB] + counts[EVENT_STALL_BACKEND_MEM],
			 stalled);
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEMBOUND], stalled);
	/* The share is in steps of 1/128. */
	assert_in_range(counts[EVENT_STALL_BACKEND_TLB],
			stalled * WALK_CYCLES / waits - stalled / 128,
			stalled * WALK_CYCLES / waits);
}

static struct insn *barrier(uint32_t kind, unsigned crm)
{
	struct insn *insn =
		bench_insn(&b, kind == KIND_DMB ? CLASS_BARRIER_DMB : CLASS_BARRIER_DSB, kind);

	insn->opcode = crm << 8;
	return insn;
}

/* dmb: of all, of stores, of loads; dsb */
static void barriers_order(void **state)
{
	static const struct {
		uint32_t kind;
		unsigned crm;
		bool waits_for_store, waits_for_load;
	} cases[] = {
		{KIND_DMB, 0xb, true, true},   /* ish */
		{KIND_DMB, 0xa, false, false}, /* ishst */
		{KIND_DMB, 0x9, false, true},  /* ishld */
		{KIND_DSB, 0xb, true, true},
	};
	struct core_params params = bench_core();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int store = 0; store < 2; store++) {
			bool waits = store ? cases[i].waits_for_store : cases[i].waits_for_load;
			uint64_t counts[EVENT_COUNT];

			uint64_t start = 7;

			bench_begin(&b, 0x1000);
			if (store)
				bench_store(&b, REG_NONE, REG_NONE, NEAR_DRAM);
			else
				bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM);
			barrier(cases[i].kind, cases[i].crm);
			bench_load(&b, REG_X0 + 1, REG_NONE, NEAR_L1);
			counts_of(&params, 1, counts);
			/* a load is done at 311, when dsb can begin, and takes its cycle; a store
			 * retires at 8 and is in L1D at 309 */
			if (waits)
				start = store ? 309 : cases[i].kind == KIND_DSB ? 312 : 311;
			assert_int_equal(bench_memory.last_load_cycle, start);
			assert_int_equal(
				counts[cases[i].kind == KIND_DMB ? EVENT_DMB_SPEC : EVENT_DSB_SPEC],
				1);
		}
	}
}

/* Only dsb keeps other instructions from executing. */
static void dsb_holds_up_all(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int dsb = 0; dsb < 2; dsb++) {
		bench_begin(&b, 0x1000);
		bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM);
		barrier(dsb ? KIND_DSB : KIND_DMB, 0xb);
		for (int i = 0; i < 5; i++)
			bench_op(&b, CLASS_INT_DIV64, REG_X0 + 1, REG_X0 + 1, REG_NONE);
		counts_of(&params, 1, counts);
		/* the divisions are done at 7 + 60, or begin at 312 */
		assert_int_equal(counts[EVENT_CPU_CYCLES], dsb ? 312 + 60 : 311);
	}
}

static void acquire_and_release(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	/* ldar: younger accesses wait for it */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM)->memory |= MEM_ACQUIRE;
	bench_load(&b, REG_X0 + 1, REG_NONE, NEAR_L1);
	counts_of(&params, 1, counts);
	assert_int_equal(bench_memory.last_load_cycle, 311);

	/* stlr: leaves when the older store is in L1D; a younger ldar waits for that, not an ldr or
	 * ldapr */
	for (int acquire = 0; acquire < 3; acquire++) {
		bench_begin(&b, 0x1000);
		bench_store(&b, REG_NONE, REG_NONE, NEAR_DRAM);
		bench_store(&b, REG_NONE, REG_NONE, NEAR_L1)->memory |= MEM_RELEASE;
		bench_load(&b, REG_X0, REG_NONE, NEAR_L1 + 64)->memory |=
			acquire == 0 ? 0 : MEM_ACQUIRE | (acquire == 2 ? MEM_PASSES : 0);
		counts_of(&params, 1, counts);
		assert_int_equal(bench_memory.last_store_cycle, 309);
		assert_int_equal(bench_memory.last_load_cycle, acquire == 1 ? 310 : 7);
	}
}

/* A load or an atomic that waits for older stores because of its order is charged to them. */
static void order_waits_for_stores(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int atomic = 0; atomic < 2; atomic++) {
		struct insn *insn;

		bench_begin(&b, 0x1000);
		bench_store(&b, REG_NONE, REG_NONE, NEAR_DRAM);
		if (!atomic)
			bench_store(&b, REG_NONE, REG_NONE, NEAR_L1)->memory |= MEM_RELEASE;
		insn = bench_load(&b, REG_X0, REG_NONE, NEAR_L1 + 64);
		insn->memory |= atomic ? MEM_STORE | MEM_ATOMIC | MEM_RELEASE : MEM_ACQUIRE;
		for (unsigned i = 0; i < 100; i++)
			bench_insn(&b, CLASS_NOP, 0);
		counts_of(&params, 1, counts);
		assert_in_range(counts[EVENT_STALL_BACKEND_ST], DRAM_CYCLES - 40, DRAM_CYCLES);
		assert_in_range(counts[EVENT_STALL_BACKEND_CPUBOUND], 0, 10);
	}
}

/*
 * Atomics on one address take no forwarded data: each waits until the last one is in L1D. Its load
 * takes 5 cycles; then it retires, and is there a cycle later.
 */
static void atomics_wait_for_each_other(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 10; i++) {
		struct insn *insn = bench_load(&b, REG_X0 + 1, REG_NONE, NEAR_L1);

		insn->class = CLASS_ATOMIC;
		insn->memory = MEM_LOAD | MEM_STORE | MEM_ATOMIC;
	}
	assert_float_equal(bench_cycles(&params, &b) / 10, 6, 1e-6);
	bench_end(&params, &b);
	bench_counts(&params, &b, 10, counts);
	core_release_block(&b.block);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 100);
	assert_int_equal(counts[EVENT_MEM_ACCESS_WR], 100);
	assert_int_equal(counts[EVENT_OP_RETIRED], 200);
}

/* An atomic begins when older operations are done; one that releases, when their stores are in L1D.
 */
static void atomics_begin_last(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int release = 0; release < 2; release++) {
		struct insn *insn;

		bench_begin(&b, 0x1000);
		if (release)
			bench_store(&b, REG_NONE, REG_NONE, NEAR_DRAM);
		else
			for (int i = 0; i < 5; i++)
				bench_op(&b, CLASS_INT_DIV64, REG_X0 + 1, REG_X0 + 1, REG_NONE);
		insn = bench_load(&b, REG_X0 + 2, REG_NONE, NEAR_L1);
		insn->class = CLASS_ATOMIC;
		insn->memory = MEM_LOAD | MEM_STORE | MEM_ATOMIC | (release ? MEM_RELEASE : 0);
		counts_of(&params, 1, counts);
		/* the divisions are done at 7 + 60, the store is in L1D at 309 */
		assert_int_equal(counts[EVENT_CPU_CYCLES], (release ? 309 : 67) + 5);
	}
}

static void accesses_are_counted_as_made(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct insn *insn;

	(void)state;
	/* a pair of which QEMU tells two accesses: one */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L1);
	bench_access(&b, NEAR_L1 + 8, 8);
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 1);
	assert_int_equal(bench_memory.last_bytes, 16);

	/* the same downwards, which is told by the general way */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L1 + 8);
	bench_access(&b, NEAR_L1, 8);
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 1);
	assert_int_equal(bench_memory.last_bytes, 16);

	/* a pair of 128 bits each: its class makes two */
	bench_begin(&b, 0x1000);
	insn = bench_load(&b, REG_V0, REG_NONE, NEAR_L1);
	insn->class = CLASS_VLOAD_PAIR_Q;
	insn->targets[1] = REG_V0 + 1;
	b.accesses[0].bytes = 32;
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 2);
	assert_int_equal(bench_memory.last_bytes, 16);

	/* what fits in one, even if its address issues twice */
	b.accesses[0].bytes = 16;
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 1);
	assert_int_equal(bench_memory.last_bytes, 16);

	/* a gather: each element, wherever it is */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_V0, REG_NONE, NEAR_L1)->memory |= MEM_GATHER;
	for (int i = 1; i < 4; i++)
		bench_access(&b, NEAR_L1 + 8u * i, 8);
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 4);

	/* no access: all lanes are off */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_V0, REG_NONE, NEAR_L1);
	b.access_count = 0;
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 0);
	assert_int_equal(counts[EVENT_LD_SPEC], 1);

	/* across two lines: one more each */
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_L1 + 60);
	bench_store(&b, REG_X0, REG_NONE, NEAR_L1 + 124);
	bench_store(&b, REG_X0, REG_NONE, NEAR_L1 + 128);
	counts_of(&params, 1, counts);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 2);
	assert_int_equal(counts[EVENT_MEM_ACCESS_WR], 3);
	assert_int_equal(counts[EVENT_LD_ALIGN_LAT], 1);
	assert_int_equal(counts[EVENT_ST_ALIGN_LAT], 1);
	assert_int_equal(counts[EVENT_LDST_ALIGN_LAT], 2);

	/* dc zva: a whole line */
	bench_begin(&b, 0x1000);
	bench_store(&b, REG_NONE, REG_NONE, NEAR_L1)->memory |= MEM_ZERO;
	b.accesses[0].bytes = 64;
	counts_of(&params, 1, counts);
	assert_true(bench_memory.full_line);
	assert_int_equal(counts[EVENT_MEM_ACCESS_WR], 1);

	/* a prefetch, whose address is known: not a load */
	bench_begin(&b, 0x1000);
	insn = bench_load(&b, REG_NONE, REG_NONE, NEAR_DRAM);
	insn->class = CLASS_PREFETCH;
	insn->memory = MEM_PREFETCH;
	counts_of(&params, 1, counts);
	assert_int_equal(bench_memory.prefetches, 1);
	assert_int_equal(counts[EVENT_MEM_ACCESS], 0);
	assert_true(counts[EVENT_CPU_CYCLES] < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_to_use),
		cmocka_unit_test(written_back_base_is_early),
		cmocka_unit_test(stores_forward),
		cmocka_unit_test(stores_forward_from_start_and_middle),
		cmocka_unit_test(stores_forward_across_lines),
		cmocka_unit_test(loads_across_lines_take_longer),
		cmocka_unit_test(two_stores_forward_half_each),
		cmocka_unit_test(stores_elsewhere_do_not_hinder),
		cmocka_unit_test(old_stores_do_not_forward),
		cmocka_unit_test(store_buffer_fills),
		cmocka_unit_test(translations_stall),
		cmocka_unit_test(translation_and_data_share_a_wait),
		cmocka_unit_test(barriers_order),
		cmocka_unit_test(dsb_holds_up_all),
		cmocka_unit_test(acquire_and_release),
		cmocka_unit_test(order_waits_for_stores),
		cmocka_unit_test(atomics_begin_last),
		cmocka_unit_test(atomics_wait_for_each_other),
		cmocka_unit_test(accesses_are_counted_as_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

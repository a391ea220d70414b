/* SPDX-License-Identifier: Apache-2.0 */
/* The core's frontend: fetch, branches, the wrong path, flushes. */
#include "core_bench.h"

static struct bench_block b, other;

static struct core *start(const struct core_params *params, uint64_t *counts)
{
	struct core *core;

	memset(counts, 0, EVENT_COUNT * sizeof(*counts));
	core = core_new(params, NULL, counts);
	assert_non_null(core);
	return core;
}

static void nops(struct bench_block *bench, uint64_t pc, unsigned count)
{
	bench_begin(bench, pc);
	for (unsigned i = 0; i < count; i++)
		bench_insn(bench, CLASS_NOP, KIND_DP);
}

/* Before the first operation: a hit in L1I and the cycles from fetch to rename. */
static void first_operation_takes_the_frontend(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	nops(&b, 0x1000, 1);
	bench_end(&params, &b);
	bench_counts(&params, &b, 1, counts);
	core_release_block(&b.block);
	/* available at 1 + 5, done at 8: dispatch, issue, result */
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLOW], 6 + 1);
	assert_int_equal(counts[EVENT_CPU_CYCLES], 8);
	assert_int_equal(counts[EVENT_STALL_SLOT_FRONTEND], 8 * 4 - 1);
}

/* One chunk per cycle: 8 instructions at most, and fewer after a taken branch. */
static void taken_branches_cut_chunks(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	params.slots = params.rename_width = 16;
	params.fetch_queue = 64;
	params.retire_width = 32;
	nops(&b, 0x1000, 64);
	assert_float_equal(64 / bench_cycles(&params, &b), 8, 1e-6);
	assert_int_equal(bench_memory.fetches, 400 * 8);

	nops(&b, 0x1000, 2); /* a loop of three instructions */
	bench_branch(&b, BRANCH_IMMEDIATE);
	assert_float_equal(bench_cycles(&params, &b), 1, 1e-6);
	nops(&b, 0x1018, 2); /* anywhere in a line */
	bench_branch(&b, BRANCH_IMMEDIATE);
	assert_float_equal(bench_cycles(&params, &b), 1, 1e-6);
	nops(&b, 0x1038, 2); /* across two lines */
	bench_branch(&b, BRANCH_IMMEDIATE);
	assert_float_equal(bench_cycles(&params, &b), 2, 1e-6);
}

/* Sixteen instructions a line from L2, which L1I takes one in 10 cycles. */
static void missing_lines_come_at_their_pace(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int paced = 0; paced < 2; paced++) {
		params.l1i.cycles_per_line = paced ? 1000 : 0;
		nops(&b, NEAR_L2, 160);
		bench_end(&params, &b);
		bench_counts(&params, &b, 1, counts);
		core_release_block(&b.block);
		/* the first line's second chunk misses as well here: no cache is between */
		assert_int_equal(counts[EVENT_L1I_CACHE_REFILL], 20);
		if (paced)
			assert_in_range(counts[EVENT_CPU_CYCLES], 20 * 10, 20 * 10 + 40);
		else
			assert_in_range(counts[EVENT_CPU_CYCLES], 40, 100);
	}
}

/* A block that continues where the last one ended, in mid-chunk, needs no fetch of its own. */
static void blocks_go_on_in_a_chunk(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core = start(&params, counts);

	(void)state;
	nops(&b, 0x1004, 3);
	nops(&other, bench_follows(&b), 2);
	bench_end(&params, &b);
	bench_end(&params, &other);
	bench_run(core, &b, other.block.pc);
	assert_int_equal(bench_memory.fetches, 1);
	bench_run(core, &other, 0);
	assert_int_equal(bench_memory.fetches, 1);
	bench_run(core, &other, 0); /* not where it ended */
	assert_int_equal(bench_memory.fetches, 2);
	core_finish(core);
	assert_int_equal(core_counts(core)[EVENT_INST_RETIRED], 7);
	core_release_block(&b.block);

	/* behind a branch, even to there */
	nops(&b, 0x1004, 2);
	bench_branch(&b, BRANCH_IMMEDIATE);
	bench_end(&params, &b);
	bench_run(core, &b, other.block.pc);
	assert_int_equal(bench_memory.fetches, 3);
	bench_run(core, &other, 0);
	assert_int_equal(bench_memory.fetches, 4);
	core_free(core);
	core_release_block(&b.block);
	core_release_block(&other.block);
}

static double loop_cycles(struct core_params *params, unsigned result, uint64_t *counts)
{
	double cycles = 0;

	nops(&b, 0x1000, 3);
	bench_branch(&b, BRANCH_IMMEDIATE);
	bench_end(params, &b);
	for (int many = 0; many < 2; many++) {
		struct core *core = start(params, counts);

		bench_predictor.next = (uint8_t)result;
		for (int i = 0; i < (many ? 400 : 200); i++)
			bench_run(core, &b, 0x1000);
		core_finish(core);
		core_counts(core);
		cycles = (double)counts[EVENT_CPU_CYCLES] - cycles;
		core_free(core);
	}
	core_release_block(&b.block);
	return cycles / 200;
}

static void bubbles_are_the_flow(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	assert_float_equal(loop_cycles(&params, PREDICT_RIGHT, counts), 1, 1e-6);
	assert_float_equal(loop_cycles(&params, PREDICT_TAKEN_BUBBLE, counts), 1 + 3, 1e-6);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLOW], counts[EVENT_STALL_FRONTEND]);
	assert_in_range(counts[EVENT_STALL_FRONTEND_FLOW], 3 * 399, 3 * 399 + 8);
	assert_int_equal(counts[EVENT_BR_MIS_PRED_RETIRED], 0);
	/* redirected when the branch is fetched, which is a cycle after its prediction */
	assert_float_equal(loop_cycles(&params, PREDICT_DECODE, counts), 1 + 4, 1e-6);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 0);
}

/*
 * Three chunks and a bubble of 3 cycles, of which the predictor makes up for what it has predicted
 * sooner: 3 + 3 cycles with a chunk per cycle, 2 + 3 with two, 1 + 3 with three or more.
 */
static void predictor_makes_up_for_bubbles(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.slots = params.rename_width = 16;
	params.fetch_queue = 64;
	params.retire_width = 32;
	for (unsigned chunks = 1; chunks <= 4; chunks++) {
		params.predict_chunks = (uint8_t)chunks;
		for (int bubble = 0; bubble < 2; bubble++) {
			struct core *core = start(&params, counts);
			uint64_t expected = bubble ? 3 + (3 + chunks - 1) / chunks : 3;

			nops(&b, 0x1000, 20);
			bench_branch(&b, BRANCH_IMMEDIATE);
			bench_end(&params, &b);
			bench_predictor.next = bubble ? PREDICT_TAKEN_BUBBLE : PREDICT_RIGHT;
			for (int i = 0; i < 400; i++)
				bench_run(core, &b, 0x1000);
			core_finish(core);
			/* the first round's chunks have nothing before them; the last one's end */
			assert_in_range(core_counts(core)[EVENT_CPU_CYCLES], 399 * expected,
					400 * expected + 12);
			assert_int_equal(bench_memory.fetches, 400 * 3);
			core_free(core);
			core_release_block(&b.block);
		}
	}
}

/*
 * Two operations an iteration: four slots take two iterations per cycle, if fetch does. Never
 * more: the second of two branches pairs with no third one, however small the loop is.
 */
static void two_chunks_a_cycle_if_branches_pair(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.classes[CLASS_BRANCH].pieces[0].ports = B0 | V0 | M0 | A0;
	for (unsigned size = 1; size <= 2; size++) {
		nops(&b, 0x1000, size - 1);
		bench_branch(&b, BRANCH_IMMEDIATE);
		bench_end(&params, &b);
		for (int pairs = 0; pairs < 2; pairs++) {
			struct core *core = start(&params, counts);

			bench_predictor.pairs = pairs;
			for (int i = 0; i < 4000; i++)
				bench_run(core, &b, 0x1000);
			core_finish(core);
			assert_in_range(core_counts(core)[EVENT_CPU_CYCLES], pairs ? 2000 : 4000,
					pairs ? 2030 : 4030);
			assert_int_equal(bench_memory.fetches, 4000);
			core_free(core);
		}
		core_release_block(&b.block);
	}
}

/*
 * The branch dispatches with the three before it, issues one cycle later and resolves the next;
 * 10 cycles on comes what follows: 12 cycles an iteration. The wrong path has one cycle, from
 * that in which the next chunk arrives to the resolution.
 */
static void misprediction_costs_its_penalty(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core;

	(void)state;
	assert_float_equal(loop_cycles(&params, PREDICT_WRONG, counts), 12, 1e-6);
	/* nowhere known: nothing was fetched until the branch resolved */
	assert_int_equal(counts[EVENT_OP_SPEC], counts[EVENT_OP_RETIRED]);
	assert_int_equal(counts[EVENT_BR_MIS_PRED_RETIRED], 400);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 399 * 10);
	assert_int_equal(counts[EVENT_IMP_CT_FLUSH], 400);

	/* Where the backend recovers in the first three of these, they are its own. */
	params.recovery_cycles = 3;
	assert_float_equal(loop_cycles(&params, PREDICT_WRONG, counts), 12, 1e-6);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 399 * 7);
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 399 * 3);
	assert_int_equal(counts[EVENT_STALL_SLOT_BACKEND], 399 * 3 * params.slots);
	params.recovery_cycles = 11; /* more than a flush takes */
	assert_float_equal(loop_cycles(&params, PREDICT_WRONG, counts), 12, 1e-6);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 0);
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 399 * 10);
	params.recovery_cycles = 0;

	nops(&b, 0x1000, 3);
	bench_branch(&b, BRANCH_IMMEDIATE);
	bench_end(&params, &b);
	core = start(&params, counts);
	bench_predictor.next = PREDICT_WRONG;
	bench_predictor.wrong_path = 0x5000;
	for (int i = 0; i < 400; i++)
		bench_run(core, &b, 0x1000);
	core_finish(core);
	core_counts(core);
	assert_int_equal(counts[EVENT_OP_SPEC], 400 * 8);
	assert_int_equal(counts[EVENT_OP_RETIRED], 400 * 4);
	assert_int_equal(counts[EVENT_INST_SPEC], 400 * 8);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 399 * 10);
	assert_int_equal(counts[EVENT_STALL_BACKEND], 0);
	core_free(core);
	core_release_block(&b.block);
}

/*
 * A branch alone: behind one that is wrongly not taken, the wrong path takes the slots of the same
 * cycle; behind one that is wrongly taken it comes a cycle later. Two cycles on it is resolved.
 */
static void wrong_path_arrives(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (int taken = 0; taken < 2; taken++) {
		struct core *core = start(&params, counts);

		bench_begin(&b, 0x1000);
		bench_branch(&b, BRANCH_CONDITIONAL);
		bench_end(&params, &b);
		bench_predictor.next = PREDICT_WRONG;
		bench_predictor.wrong_path = taken ? 0x5000 : 0x1004;
		bench_run(core, &b, taken ? 0x1004 : 0x5000);
		core_finish(core);
		core_counts(core);
		assert_int_equal(counts[EVENT_OP_SPEC], taken ? 1 + 4 : 1 + 3 + 4);
		assert_int_equal(counts[EVENT_OP_RETIRED], 1);
		core_free(core);
		core_release_block(&b.block);
	}
}

static const struct block *find_other(void *user, uint64_t pc)
{
	unsigned *asked = user;

	++*asked;
	return pc == other.block.pc ? &other.block : NULL;
}

/*
 * A branch on a load that misses: the wrong path fills the reorder buffer, then the backend
 * stalls for the load. What the wrong path holds is counted as what it is.
 */
static void wrong_path_fills_the_core(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core = start(&params, counts);
	unsigned asked = 0;

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, REG_X0, REG_NONE, NEAR_DRAM);
	bench_branch(&b, BRANCH_CONDITIONAL)->sources[0] = REG_X0;
	bench_end(&params, &b);
	/* 20 instructions, then an indirect branch: from there on nothing is known */
	bench_begin(&other, 0x1008);
	for (int i = 0; i < 4; i++)
		bench_load(&other, REG_X0, REG_NONE, NEAR_L1);
	for (int i = 0; i < 15; i++)
		bench_insn(&other, CLASS_FP_ADD, KIND_VFP | KIND_FP_DP)->fp_ops = 1;
	bench_branch(&other, BRANCH_INDIRECT);
	bench_end(&params, &other);

	core_set_block_finder(core, find_other, &asked, NULL);
	bench_predictor.next = PREDICT_WRONG;
	bench_predictor.wrong_path = 0x1008;
	bench_run(core, &b, 0x2000);
	core_finish(core);
	core_counts(core);
	/* 64 entries, two of them the load's and the branch's; when the load retires, one more */
	assert_int_equal(counts[EVENT_OP_SPEC], 65);
	assert_int_equal(counts[EVENT_OP_RETIRED], 2);
	assert_int_equal(counts[EVENT_INST_RETIRED], 2);
	assert_int_equal(counts[EVENT_INST_SPEC], 65);
	assert_int_equal(counts[EVENT_LD_SPEC], 1 + 4);
	assert_int_equal(counts[EVENT_VFP_SPEC], 15);
	assert_int_equal(counts[EVENT_FP_DP_SPEC], 15);
	assert_int_equal(counts[EVENT_FP_FIXED_OPS_SPEC], 15);
	assert_int_equal(counts[EVENT_DP_SPEC], 63 - 20);
	assert_int_equal(counts[EVENT_BR_PRED], 2);
	assert_int_equal(counts[EVENT_BR_RETIRED], 1);
	assert_int_equal(counts[EVENT_PC_WRITE_SPEC], 2);
	assert_int_equal(asked, 1);
	/* the load is there 305 cycles after its dispatch, in which and 15 more cycles 64 fit */
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEM], 305 - 16);
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 0);
	core_free(core);
	core_release_block(&b.block);
	core_release_block(&other.block);
}

/* Lines that are late: each cause has its event, and running ahead hides part of it. */
static void fetch_misses_starve(void **state)
{
	static const struct {
		uint64_t pc;
		unsigned event, cycles, times;
	} cases[] = {
		{NEAR_L2, EVENT_STALL_FRONTEND_L1I, L2_CYCLES, 1},
		{NEAR_DRAM, EVENT_STALL_FRONTEND_MEM, DRAM_CYCLES, 1},
		/* nothing is asked for before a translation is there: once for each chunk */
		{NEAR_WALK, EVENT_STALL_FRONTEND_TLB, WALK_CYCLES - 2, 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct core_params params = bench_core();
		uint64_t counts[EVENT_COUNT];

		/* ten chunks at a time: the predictor asks for the first eight, one a cycle */
		nops(&b, cases[i].pc, 80);
		bench_end(&params, &b);
		bench_counts(&params, &b, 1, counts);
		core_release_block(&b.block);
		assert_int_equal(counts[EVENT_STALL_FRONTEND_MEMBOUND], counts[cases[i].event]);
		/* once for the first; the ninth waits for room, and comes as late again but for
		 * the 16 operations that are there when the first chunk has arrived */
		assert_in_range(counts[cases[i].event], cases[i].times * cases[i].cycles,
				(cases[i].times + 1) * cases[i].cycles);
		assert_int_equal(counts[EVENT_STALL_FRONTEND],
				 counts[cases[i].event] + counts[EVENT_STALL_FRONTEND_FLOW]);
	}
}

static void exceptions_flush(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core = start(&params, counts);

	(void)state;
	nops(&b, 0x1000, 3);
	bench_insn(&b, CLASS_EXCEPTION, 0)->branch = BRANCH_EXCEPTION;
	b.insns[3].opcode = 0xd4000001; /* svc #0 */
	bench_end(&params, &b);
	for (int i = 0; i < 100; i++)
		bench_run(core, &b, 0x1010);
	core_finish(core);
	core_counts(core);
	assert_int_equal(counts[EVENT_EXC_SVC], 100);
	assert_int_equal(counts[EVENT_EXC_TAKEN], 100);
	assert_int_equal(counts[EVENT_IMP_CT_FLUSH], 100);
	assert_int_equal(counts[EVENT_BR_RETIRED], 0);
	assert_int_equal(counts[EVENT_BR_PRED], 0);
	/* svc waits for the three, done after two cycles, and takes another itself; what follows
	 * recovers from the flush, but for the end, where nothing follows */
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND], 100 * 2);
	assert_int_equal(counts[EVENT_STALL_FRONTEND_FLUSH], 99 * 10);
	assert_int_equal(counts[EVENT_CPU_CYCLES], 99 * 13 + 6 + 3);

	core_exception(core);
	core_counts(core);
	assert_int_equal(counts[EVENT_EXC_TAKEN], 101);
	assert_int_equal(counts[EVENT_EXC_SVC], 100);
	core_free(core);
	core_release_block(&b.block);
}

/* isb: later instructions are fetched when it has retired */
static void isb_flushes(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	bench_insn(&b, CLASS_BARRIER_ISB, KIND_ISB);
	bench_insn(&b, CLASS_NOP, 0);
	bench_end(&params, &b);
	bench_counts(&params, &b, 100, counts);
	core_release_block(&b.block);
	assert_int_equal(counts[EVENT_ISB_SPEC], 100);
	assert_int_equal(counts[EVENT_IMP_CT_FLUSH], 100);
	assert_in_range(counts[EVENT_STALL_FRONTEND_FLUSH], 100 * 10, 100 * 13);
}

static void branches_are_counted_by_kind(void **state)
{
	static const struct {
		unsigned kind;
		bool taken, wrong;
		unsigned times;
	} cases[] = {
		{BRANCH_IMMEDIATE, true, false, 2},    {BRANCH_CONDITIONAL, true, false, 3},
		{BRANCH_CONDITIONAL, false, false, 5}, {BRANCH_CONDITIONAL, false, true, 7},
		{BRANCH_CALL, true, false, 11},        {BRANCH_INDIRECT, true, false, 13},
		{BRANCH_INDIRECT, true, true, 17},     {BRANCH_INDIRECT_CALL, true, false, 19},
		{BRANCH_RETURN, true, false, 23},      {BRANCH_RETURN, true, true, 29},
		{BRANCH_CONDITIONAL, true, true, 31},
	};
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT];
	struct core *core = start(&params, counts);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		nops(&b, 0x1000, 2);
		bench_branch(&b, cases[i].kind);
		bench_end(&params, &b);
		bench_predictor.next = cases[i].wrong ? PREDICT_WRONG : PREDICT_RIGHT;
		for (unsigned k = 0; k < cases[i].times; k++) {
			bench_run(core, &b, cases[i].taken ? 0x2000 : 0x100c);
			assert_int_equal(bench_predictor.last_taken, cases[i].taken);
			assert_int_equal(bench_predictor.last_target,
					 cases[i].taken ? 0x2000 : 0x100c);
		}
		core_release_block(&b.block);
	}
	core_counts(core);
	assert_int_equal(counts[EVENT_BR_RETIRED], 160);
	assert_int_equal(counts[EVENT_BR_MIS_PRED_RETIRED], 7 + 17 + 29 + 31);
	assert_int_equal(counts[EVENT_BR_PRED_RETIRED], 160 - 84);
	assert_int_equal(counts[EVENT_BR_IMMED_RETIRED], 2 + 3 + 5 + 7 + 11 + 31);
	assert_int_equal(counts[EVENT_BR_IMMED_TAKEN_RETIRED], 2 + 3 + 11 + 31);
	assert_int_equal(counts[EVENT_BR_IMMED_PRED_RETIRED], 2 + 3 + 5 + 11);
	assert_int_equal(counts[EVENT_BR_IMMED_MIS_PRED_RETIRED], 7 + 31);
	assert_int_equal(counts[EVENT_BR_IND_RETIRED], 13 + 17 + 19 + 23 + 29);
	assert_int_equal(counts[EVENT_BR_IND_PRED_RETIRED], 13 + 19 + 23);
	assert_int_equal(counts[EVENT_BR_IND_MIS_PRED_RETIRED], 17 + 29);
	assert_int_equal(counts[EVENT_BR_INDNR_TAKEN_RETIRED], 13 + 17 + 19);
	assert_int_equal(counts[EVENT_BR_INDNR_PRED_RETIRED], 13 + 19);
	assert_int_equal(counts[EVENT_BR_INDNR_MIS_PRED_RETIRED], 17);
	assert_int_equal(counts[EVENT_BR_RETURN_RETIRED], 23 + 29);
	assert_int_equal(counts[EVENT_BR_RETURN_PRED_RETIRED], 23);
	assert_int_equal(counts[EVENT_BR_RETURN_MIS_PRED_RETIRED], 29);
	assert_int_equal(counts[EVENT_PC_WRITE_RETIRED], 160 - 12);
	assert_int_equal(counts[EVENT_BR_PRED], 160);
	core_free(core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_operation_takes_the_frontend),
		cmocka_unit_test(taken_branches_cut_chunks),
		cmocka_unit_test(missing_lines_come_at_their_pace),
		cmocka_unit_test(blocks_go_on_in_a_chunk),
		cmocka_unit_test(bubbles_are_the_flow),
		cmocka_unit_test(predictor_makes_up_for_bubbles),
		cmocka_unit_test(two_chunks_a_cycle_if_branches_pair),
		cmocka_unit_test(misprediction_costs_its_penalty),
		cmocka_unit_test(wrong_path_arrives),
		cmocka_unit_test(wrong_path_fills_the_core),
		cmocka_unit_test(fetch_misses_starve),
		cmocka_unit_test(exceptions_flush),
		cmocka_unit_test(isb_flushes),
		cmocka_unit_test(branches_are_counted_by_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

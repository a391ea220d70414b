/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the document says of events in terms of others, over programs made at random, on every
 * core; and that counts are exact, whole at any time, and the same on every run.
 */
#include "change.h"
#include "core_program.h"

/* "sum = a + b + ..." of events, 0-terminated by EVENT_COUNT. */
static uint64_t sum(const uint64_t *counts, const unsigned *events)
{
	uint64_t total = 0;

	for (; *events != EVENT_COUNT; events++)
		total += counts[*events];
	return total;
}

#define SUM(...) sum(counts, (const unsigned[]){__VA_ARGS__, EVENT_COUNT})

static void check_identities(const struct core_params *params, const uint64_t *counts)
{
	/* 6.14 */
	assert_int_equal(counts[EVENT_STALL], SUM(EVENT_STALL_FRONTEND, EVENT_STALL_BACKEND));
	assert_int_equal(counts[EVENT_STALL_SLOT],
			 SUM(EVENT_STALL_SLOT_FRONTEND, EVENT_STALL_SLOT_BACKEND));
	assert_int_equal(counts[EVENT_OP_SPEC] + counts[EVENT_STALL_SLOT],
			 params->slots * counts[EVENT_CPU_CYCLES]);
	assert_int_equal(counts[EVENT_STALL_FRONTEND],
			 SUM(EVENT_STALL_FRONTEND_MEMBOUND, EVENT_STALL_FRONTEND_CPUBOUND));
	assert_int_equal(
		counts[EVENT_STALL_FRONTEND_MEMBOUND],
		SUM(EVENT_STALL_FRONTEND_L1I, EVENT_STALL_FRONTEND_MEM, EVENT_STALL_FRONTEND_TLB));
	assert_int_equal(counts[EVENT_STALL_FRONTEND_CPUBOUND],
			 SUM(EVENT_STALL_FRONTEND_FLOW, EVENT_STALL_FRONTEND_FLUSH));
	assert_int_equal(counts[EVENT_STALL_BACKEND],
			 SUM(EVENT_STALL_BACKEND_MEMBOUND, EVENT_STALL_BACKEND_CPUBOUND));
	assert_int_equal(counts[EVENT_STALL_BACKEND_MEMBOUND],
			 SUM(EVENT_STALL_BACKEND_L1D, EVENT_STALL_BACKEND_MEM,
			     EVENT_STALL_BACKEND_TLB, EVENT_STALL_BACKEND_ST));
	assert_true(counts[EVENT_STALL_BACKEND_BUSY] <= counts[EVENT_STALL_BACKEND]);
	assert_int_equal(counts[EVENT_STALL_BACKEND_BUSY],
			 SUM(EVENT_IMP_STALL_BACKEND_IQ_SX, EVENT_IMP_STALL_BACKEND_IQ_MX,
			     EVENT_IMP_STALL_BACKEND_IQ_LS, EVENT_IMP_STALL_BACKEND_IQ_VX));
	assert_true(SUM(EVENT_STALL_BACKEND_RENAME, EVENT_IMP_STALL_BACKEND_MCQ) <=
		    counts[EVENT_STALL_BACKEND_CPUBOUND]);
	assert_true(SUM(EVENT_IMP_STALL_BACKEND_RENAME_FRF, EVENT_IMP_STALL_BACKEND_RENAME_GRF,
			EVENT_IMP_STALL_BACKEND_RENAME_VRF) <= counts[EVENT_STALL_BACKEND_RENAME]);
	/* a stalled cycle has no operation, and all its slots are the same side's */
	assert_true(counts[EVENT_STALL_FRONTEND] * params->slots <=
		    counts[EVENT_STALL_SLOT_FRONTEND]);
	assert_true(counts[EVENT_STALL_BACKEND] * params->slots <=
		    counts[EVENT_STALL_SLOT_BACKEND]);
	assert_true(counts[EVENT_STALL] <= counts[EVENT_CPU_CYCLES]);

	/* 6.10, 6.12, 6.9, 6.1 */
	assert_true(counts[EVENT_OP_RETIRED] <= counts[EVENT_OP_SPEC]);
	assert_true(counts[EVENT_INST_RETIRED] <= counts[EVENT_INST_SPEC]);
	assert_int_equal(counts[EVENT_BR_RETIRED],
			 SUM(EVENT_BR_PRED_RETIRED, EVENT_BR_MIS_PRED_RETIRED));
	assert_int_equal(counts[EVENT_BR_RETIRED],
			 SUM(EVENT_BR_IMMED_RETIRED, EVENT_BR_IND_RETIRED));
	assert_int_equal(counts[EVENT_BR_IMMED_RETIRED],
			 SUM(EVENT_BR_IMMED_PRED_RETIRED, EVENT_BR_IMMED_MIS_PRED_RETIRED));
	assert_int_equal(counts[EVENT_BR_IND_RETIRED],
			 SUM(EVENT_BR_INDNR_TAKEN_RETIRED, EVENT_BR_RETURN_RETIRED));
	assert_int_equal(counts[EVENT_BR_IND_RETIRED],
			 SUM(EVENT_BR_IND_PRED_RETIRED, EVENT_BR_IND_MIS_PRED_RETIRED));
	assert_int_equal(counts[EVENT_BR_RETURN_RETIRED],
			 SUM(EVENT_BR_RETURN_PRED_RETIRED, EVENT_BR_RETURN_MIS_PRED_RETIRED));
	assert_int_equal(counts[EVENT_PC_WRITE_RETIRED],
			 SUM(EVENT_BR_IMMED_TAKEN_RETIRED, EVENT_BR_IND_RETIRED));
	assert_true(counts[EVENT_BR_RETIRED] <= counts[EVENT_BR_PRED]);
	assert_true(counts[EVENT_PC_WRITE_RETIRED] <= counts[EVENT_PC_WRITE_SPEC]);
	assert_int_equal(counts[EVENT_MEM_ACCESS], SUM(EVENT_MEM_ACCESS_RD, EVENT_MEM_ACCESS_WR));
	assert_int_equal(counts[EVENT_LDST_ALIGN_LAT], SUM(EVENT_LD_ALIGN_LAT, EVENT_ST_ALIGN_LAT));
	assert_int_equal(counts[EVENT_BUS_CYCLES], counts[EVENT_CPU_CYCLES]);
}

/* Walks the program at random for some thousand blocks; checks it here and there. */
static void walk(const struct core_params *params, struct core *core, unsigned steps,
		 uint64_t *counts, uint64_t *executions)
{
	uint64_t before[EVENT_COUNT] = {0};
	unsigned k = 0;

	bench_predictor.every = 9;
	bench_predictor.sometimes = PREDICT_WRONG;
	for (unsigned i = 0; i < steps; i++) {
		const struct bench_block *b = &program.blocks[k];
		const struct insn *last = &b->insns[b->block.count - 1];
		unsigned next = draw(BLOCKS);
		uint64_t next_pc = program.blocks[next].block.pc;

		bench_predictor.wrong_path =
			draw(3) ? program.blocks[draw(BLOCKS)].block.pc : draw(2) * 0x7000;
		if (last->branch == BRANCH_CONDITIONAL && draw(2))
			next_pc = bench_follows(b);
		executions[k]++;
		bench_run(core, b, next_pc);
		k = next;
		if (draw(500) == 0)
			core_exception(core);
		if (draw(100) == 0) {
			core_counts(core);
			check_identities(params, counts);
			for (unsigned e = 0; e < EVENT_COUNT; e++)
				assert_true(before[e] <= counts[e]);
			memcpy(before, counts, sizeof(before));
		}
	}
}

static void check_core(const struct core_params *params)
{
	for (uint32_t start = 1; start <= 4; start++) {
		uint64_t executions[BLOCKS] = {0}, counts[EVENT_COUNT] = {0};
		uint64_t insns = 0, loads = 0, stores = 0, floats = 0;
		struct core *core;

		draw_program(params, start);
		core = core_new(params, NULL, counts);
		assert_non_null(core);
		core_set_block_finder(core, find_block, NULL, NULL);
		walk(params, core, 5000, counts, executions);
		core_finish(core);
		core_counts(core);
		check_identities(params, counts);
		core_free(core);
		for (unsigned k = 0; k < BLOCKS; k++) {
			insns += executions[k] * program.blocks[k].block.count;
			loads += executions[k] * program.loads[k];
			stores += executions[k] * program.stores[k];
			floats += executions[k] * program.floats[k];
		}
		assert_int_equal(counts[EVENT_INST_RETIRED], insns);
		assert_int_equal(counts[EVENT_MEM_ACCESS_RD] - counts[EVENT_LD_ALIGN_LAT], loads);
		assert_int_equal(counts[EVENT_MEM_ACCESS_WR] - counts[EVENT_ST_ALIGN_LAT], stores);
		assert_true(counts[EVENT_LD_SPEC] > loads);
		assert_true(counts[EVENT_VFP_SPEC] > floats);
		release_program();
	}
}

static void identities_hold(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	check_core(&params);
	/* few of everything: all kinds of stall */
	params.reorder_entries = 24;
	params.int_registers = 10;
	params.flag_registers = 8;
	params.load_entries = 8;
	params.store_entries = 8;
	params.store_buffer_entries = 2;
	params.queue_entries[0] = params.queue_entries[1] = params.queue_entries[2] = 4;
	params.fetch_queue = 8;
	params.slots = 6;
	params.rename_width = 5;
	check_core(&params);
	for (size_t i = 0; model_cores[i]; i++)
		check_core(model_cores[i]);
}

/* Without a misprediction, what is executed is what is retired, whole blocks or parts. */
static void kinds_are_exact(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT] = {0}, loads = 0, stores = 0, floats = 0, insns = 0;
	struct core *core;

	(void)state;
	draw_program(&params, 7);
	core = core_new(&params, NULL, counts);
	assert_non_null(core);
	/* far more than the narrow counters hold */
	for (unsigned i = 0; i < 30000; i++) {
		unsigned k = draw(BLOCKS);

		loads += program.loads[k];
		stores += program.stores[k];
		floats += program.floats[k];
		insns += program.blocks[k].block.count;
		bench_run(core, &program.blocks[k], 0x1000);
	}
	/* a block cut short by a fault */
	for (unsigned k = 0; k < BLOCKS; k++) {
		const struct bench_block *b = &program.blocks[k];
		unsigned part = b->block.count / 2u;

		for (unsigned i = 0; i < part; i++) {
			loads += b->insns[i].kinds & KIND_LD ? 1 : 0;
			stores += b->insns[i].kinds & KIND_ST ? 1 : 0;
			floats += b->insns[i].kinds & KIND_VFP ? 1 : 0;
		}
		insns += part;
		core_execute(core, &b->block, part, b->accesses, b->access_count, 0x1000);
		core_exception(core);
	}
	core_finish(core);
	core_counts(core);
	assert_int_equal(counts[EVENT_INST_RETIRED], insns);
	assert_int_equal(counts[EVENT_INST_SPEC], insns);
	assert_int_equal(counts[EVENT_OP_SPEC], counts[EVENT_OP_RETIRED]);
	assert_int_equal(counts[EVENT_LD_SPEC], loads);
	assert_int_equal(counts[EVENT_ST_SPEC], stores);
	assert_int_equal(counts[EVENT_VFP_SPEC], floats);
	assert_int_equal(counts[EVENT_BR_RETIRED], 30000);
	assert_int_equal(counts[EVENT_EXC_TAKEN], BLOCKS);
	core_free(core);
	release_program();
}

/* Every bit of insn.kinds that has an event counts it, once an instruction. */
static void each_kind_has_its_event(void **state)
{
	static const struct {
		uint32_t kind;
		unsigned event;
	} kinds[] = {
		{KIND_LD, EVENT_LD_SPEC},
		{KIND_ST, EVENT_ST_SPEC},
		{KIND_DP, EVENT_DP_SPEC},
		{KIND_ASE, EVENT_ASE_SPEC},
		{KIND_VFP, EVENT_VFP_SPEC},
		{KIND_CRYPTO, EVENT_CRYPTO_SPEC},
		{KIND_ISB, EVENT_ISB_SPEC},
		{KIND_DSB, EVENT_DSB_SPEC},
		{KIND_DMB, EVENT_DMB_SPEC},
		{KIND_RC_LD, EVENT_RC_LD_SPEC},
		{KIND_RC_ST, EVENT_RC_ST_SPEC},
		{KIND_STREX, EVENT_STREX_SPEC},
		{KIND_CAS, EVENT_CAS_NEAR_SPEC},
		{KIND_SVE, EVENT_SVE_INST_SPEC},
		{KIND_ASE_INST, EVENT_ASE_INST_SPEC},
		{KIND_SVE_PRED, EVENT_SVE_PRED_SPEC},
		{KIND_FP_HP, EVENT_FP_HP_SPEC},
		{KIND_FP_SP, EVENT_FP_SP_SPEC},
		{KIND_FP_DP, EVENT_FP_DP_SPEC},
		{KIND_INT8, EVENT_ASE_SVE_INT8_SPEC},
		{KIND_INT16, EVENT_ASE_SVE_INT16_SPEC},
		{KIND_INT32, EVENT_ASE_SVE_INT32_SPEC},
		{KIND_INT64, EVENT_ASE_SVE_INT64_SPEC},
		{KIND_LDFF, EVENT_SVE_LDFF_SPEC},
	};
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT];

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		bench_begin(&b, 0x1000);
		bench_insn(&b, CLASS_NOP, kinds[i].kind);
		bench_insn(&b, CLASS_NOP, 0);
		bench_end(&params, &b);
		bench_counts(&params, &b, 3, counts);
		core_release_block(&b.block);
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			assert_int_equal(counts[kinds[k].event], k == i ? 3 : 0);
	}
	/* floating-point operations, of fixed width and scalable; many in one block */
	for (int scale = 0; scale < 2; scale++) {
		bench_begin(&b, 0x1000);
		for (int i = 0; i < 200; i++) {
			struct insn *insn = bench_insn(&b, CLASS_NOP, KIND_VFP);

			insn->fp_ops = 128;
			insn->fp_ops_scale = scale;
		}
		bench_end(&params, &b);
		bench_counts(&params, &b, 3, counts);
		core_release_block(&b.block);
		assert_int_equal(counts[EVENT_FP_FIXED_OPS_SPEC], scale ? 0 : 3 * 200 * 128);
		assert_int_equal(counts[EVENT_FP_SCALE_OPS_SPEC], scale ? 3 * 200 * 128 : 0);
	}
}

static bool hides; /* the code is not known yet */

static const struct block *find_if_known(void *user, uint64_t pc)
{
	return hides ? NULL : find_block(user, pc);
}

static void same_program_same_counts(void **state)
{
	struct core_params params = bench_core();
	uint64_t runs[3][EVENT_COUNT] = {{0}}, executions[BLOCKS] = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		_Atomic uint32_t made = 1;
		struct core *core;

		draw_program(&params, 3);
		core = core_new(&params, NULL, runs[i]);
		assert_non_null(core);
		/* Remembering what wrong paths are changes nothing, also when code becomes known.
		 */
		core_set_block_finder(core, find_if_known, NULL, i < 2 ? NULL : &made);
		hides = true;
		walk(&params, core, 1500, runs[i], executions);
		hides = false;
		made++;
		walk(&params, core, 1500, runs[i], executions);
		core_finish(core);
		core_counts(core);
		core_free(core);
		release_program();
	}
	assert_memory_equal(runs[0], runs[1], sizeof(runs[0]));
	assert_memory_equal(runs[0], runs[2], sizeof(runs[0]));
}

/* The caller's counts are kept without asking, some ten thousand blocks behind at most. */
static void counts_are_never_far_behind(void **state)
{
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT] = {0};
	struct core *core = core_new(&params, NULL, counts);

	(void)state;
	assert_non_null(core);
	bench_begin(&b, 0x1000);
	for (int i = 0; i < 7; i++)
		bench_op(&b, CLASS_INT_ALU, REG_X0, REG_X0, REG_NONE);
	bench_end(&params, &b);
	for (unsigned i = 0; i < 100000; i++)
		bench_run(core, &b, 0x1000);
	assert_in_range(counts[EVENT_INST_RETIRED], 600000, 700000);
	check_identities(&params, counts);
	core_free(core);
	core_release_block(&b.block);
}

static void run_predicated(struct core *core, struct bench_block *b, const uint8_t *activity,
			   unsigned times)
{
	core_set_activity(core, activity);
	while (times--)
		bench_run(core, b, b->block.pc);
	core_counts(core);
}

/* What predicates switch on is counted by instruction, of those that have one. */
static void predicates_are_counted(void **state)
{
	const uint8_t mixed[] = {ACTIVITY_FULL, ACTIVITY_EMPTY, ACTIVITY_PARTIAL, ACTIVITY_PARTIAL};
	const uint8_t empty[] = {ACTIVITY_EMPTY, ACTIVITY_EMPTY, ACTIVITY_EMPTY, ACTIVITY_EMPTY};
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT] = {0};
	struct core *core = core_new(&params, NULL, counts);

	(void)state;
	assert_non_null(core);
	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 4; i++) {
		struct insn *insn = bench_op(&b, CLASS_INT_ALU, REG_X0, REG_X0, REG_NONE);

		insn->kinds = i == 1 ? KIND_SVE : KIND_SVE | KIND_SVE_PRED;
		insn->predicate = (uint8_t)(REG_P0 + i);
	}
	bench_end(&params, &b);
	run_predicated(core, &b, NULL, 5);
	assert_int_equal(counts[EVENT_SVE_PRED_SPEC], 15);
	assert_int_equal(counts[EVENT_SVE_PRED_FULL_SPEC] + counts[EVENT_SVE_PRED_PARTIAL_SPEC] +
				 counts[EVENT_SVE_PRED_EMPTY_SPEC],
			 0);
	run_predicated(core, &b, mixed, 10);
	assert_int_equal(counts[EVENT_SVE_PRED_FULL_SPEC], 10);
	assert_int_equal(counts[EVENT_SVE_PRED_PARTIAL_SPEC], 20);
	assert_int_equal(counts[EVENT_SVE_PRED_EMPTY_SPEC], 0);
	run_predicated(core, &b, empty, 7);
	assert_int_equal(counts[EVENT_SVE_PRED_EMPTY_SPEC], 21);
	/* Of a block that a fault cuts short, what was executed. */
	core_set_activity(core, mixed);
	core_execute(core, &b.block, 3, NULL, 0, 0x2000);
	core_counts(core);
	assert_int_equal(counts[EVENT_SVE_PRED_FULL_SPEC], 11);
	assert_int_equal(counts[EVENT_SVE_PRED_PARTIAL_SPEC], 21);
	core_free(core);
	core_release_block(&b.block);
}

/* A core that the model's words have no room for is refused. */
static void impossible_cores_are_refused(void **state)
{
	struct core_params params = bench_core();
	uint64_t counts[EVENT_COUNT] = {0};

	(void)state;
	params.int_registers = 4000;
	assert_null(core_new(&params, NULL, counts));
	params = bench_core();
	params.fetch_bytes = 24;
	assert_null(core_new(&params, NULL, counts));
	params = bench_core();
	params.reorder_entries = 5000;
	assert_null(core_new(&params, NULL, counts));
	params = bench_core();
	params.queue_entries[1] = 200;
	assert_null(core_new(&params, NULL, counts));
	params = bench_core();
	params.queue_ports[0] = A0; /* the others belong to no port */
	assert_null(core_new(&params, NULL, counts));
	params = bench_core();
	for (unsigned i = 0; i < params.queue_count; i++)
		params.queue_ports[i] = 1u << i;
	params.queue_entries[2] = 1;
	params.classes[CLASS_VLOAD_PAIR_Q].pieces[0].ports = L0; /* two parts */
	assert_null(core_new(&params, NULL, counts));
	core_free(NULL);
}

/* A core file gives a queue's size once, however many of its kind the core has. */
static void changes_reach_each_queue(void **state)
{
	const struct core_params *core = model_core_find("neoverse-n1");
	struct core_change changes[CORE_CHANGE_PARTS];
	struct core_params params;
	struct core_range range;
	unsigned count;

	(void)state;
	assert_non_null(core);
	params = *core;
	assert_int_equal(core_change_find(core, "queues.SX.entries", 11, changes, &count, &range),
			 CORE_CHANGE_OK);
	assert_true(core_change_apply(&params, changes, count));
	for (unsigned i = 0; i < core->queue_count; i++) {
		const bool changed = strcmp(core->queue_names[i], "SX") == 0;

		assert_int_equal(params.queue_entries[i], changed ? 11 : core->queue_entries[i]);
		params.queue_entries[i] = core->queue_entries[i];
	}
	assert_memory_equal(&params, core, sizeof(params));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_reach_each_queue),
		cmocka_unit_test(identities_hold),
		cmocka_unit_test(kinds_are_exact),
		cmocka_unit_test(each_kind_has_its_event),
		cmocka_unit_test(same_program_same_counts),
		cmocka_unit_test(counts_are_never_far_behind),
		cmocka_unit_test(predicates_are_counted),
		cmocka_unit_test(impossible_cores_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

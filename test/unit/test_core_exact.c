/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact profiles: whatever runs, the sums over all instructions equal the core's counts, which are
 * the same as without a profile; and what is lost is charged to the instruction that is to blame.
 */
#include "core_program.h"

#include "exact.h"
#include "thorough.h"

#define ROWS_MAX 20000

/* What has been told. */
static struct told {
	uint64_t sums[EXACT_COUNT];
	struct row {
		uint32_t context;
		uint64_t pc;
		uint64_t counts[EXACT_COUNT];
	} rows[ROWS_MAX];
	size_t count;
} told;

static void tell(void *user, uint32_t context, uint64_t pc, const struct profile_counts *counted)
{
	const uint64_t *counts = counted->of;
	size_t i = 0;

	(void)user;
	while (i < told.count && (told.rows[i].context != context || told.rows[i].pc != pc))
		i++;
	assert_true(i < ROWS_MAX);
	if (i == told.count)
		told.rows[told.count++] = (struct row){.context = context, .pc = pc};
	for (unsigned e = 0; e < EXACT_COUNT; e++) {
		assert_true(!counts[e] || counted->counted[e / 64] >> e % 64 & 1);
		assert_true((int64_t)counts[e] >= 0 || told.rows[i].counts[e] >= -counts[e]);
		told.rows[i].counts[e] += counts[e];
		told.sums[e] += counts[e];
	}
}

/* Returns what an instruction counted, in all contexts. */
static uint64_t at(uint64_t pc, unsigned event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < told.count; i++)
		if (told.rows[i].pc == pc)
			sum += told.rows[i].counts[event];
	return sum;
}

static struct core *begin(const struct core_params *params, uint64_t *counts, struct exact **exact)
{
	struct core *core;

	memset(counts, 0, EVENT_COUNT * sizeof(*counts));
	memset(&told, 0, sizeof(told));
	core = core_new(params, NULL, counts);
	*exact = exact_new();
	assert_non_null(core);
	assert_non_null(*exact);
	core_set_exact(core, *exact);
	return core;
}

static void end(struct core *core, struct exact *exact)
{
	assert_false(exact_failed(exact));
	core_free(core);
	exact_free(exact);
}

static uint64_t slots_between(unsigned first, unsigned last)
{
	uint64_t sum = 0;

	for (unsigned e = first; e <= last; e++)
		sum += told.sums[e];
	return sum;
}

static void check_sums(const struct core_params *params, const uint64_t *counts)
{
	for (unsigned e = 0; e < EXACT_COUNT; e++)
		if (exact_events[e] != EVENT_COUNT && told.sums[e] != counts[exact_events[e]])
			fail_msg("%s: %llu in all, but %llu counted", exact_names[e],
				 (unsigned long long)told.sums[e],
				 (unsigned long long)counts[exact_events[e]]);
	assert_int_equal(slots_between(EXACT_SLOTS_FRONTEND_FLOW, EXACT_SLOTS_FRONTEND_WIDTH),
			 counts[EVENT_STALL_SLOT_FRONTEND]);
	assert_int_equal(slots_between(EXACT_SLOTS_BACKEND_L1D, EXACT_SLOTS_BACKEND_RECOVERY),
			 counts[EVENT_STALL_SLOT_BACKEND]);
	assert_int_equal(told.sums[EXACT_SLOTS_BAD_SPECULATION],
			 counts[EVENT_OP_SPEC] - counts[EVENT_OP_RETIRED]);
	assert_int_equal(told.sums[EXACT_OP_RETIRED] + slots_between(EXACT_SLOTS_BAD_SPECULATION,
								     EXACT_SLOTS_BACKEND_RECOVERY),
			 params->slots * counts[EVENT_CPU_CYCLES]);
}

/* ---- Programs made at random ------------------------------------------------------------------
 */

/* Some blocks get instructions that flush, of several operations, or with several accesses. */
static void draw_program_with_others(const struct core_params *params, uint32_t start)
{
	draw_program(params, start);
	for (unsigned k = 0; k < BLOCKS; k += 3) {
		struct bench_block *b = &program.blocks[k];
		struct insn *insn;

		core_release_block(&b->block);
		bench_begin(b, b->block.pc);
		bench_store(b, 1, 2, draw_address())->class = CLASS_STORE_WB;
		insn = bench_load(b, 3, 4, draw_address() + 60);
		insn->memory |= MEM_STORE | MEM_ATOMIC;
		insn->class = CLASS_ATOMIC;
		bench_insn(b, CLASS_BARRIER_ISB, KIND_ISB);
		bench_load(b, 5, 3, draw_address());
		bench_insn(b, CLASS_BARRIER_DMB, KIND_DMB)->opcode = 3 << 8;
		bench_branch(b, BRANCH_CONDITIONAL);
		bench_end(params, b);
	}
}

static void walk_exactly(const struct core_params *params, uint32_t start, struct exact *exact,
			 struct core *core, uint64_t *counts, uint64_t *executions)
{
	unsigned k = 0;

	seed = start;
	bench_predictor.every = 7;
	bench_predictor.sometimes = PREDICT_WRONG;
	for (unsigned i = 0; i < 3000; i++) {
		const struct bench_block *b = &program.blocks[k];
		const struct insn *last = &b->insns[b->block.count - 1];
		unsigned next = draw(BLOCKS), executed = b->block.count;
		uint64_t next_pc = program.blocks[next].block.pc;

		bench_predictor.wrong_path =
			draw(3) ? program.blocks[draw(BLOCKS)].block.pc : draw(2) * 0x7000;
		if (last->branch == BRANCH_CONDITIONAL && draw(2))
			next_pc = bench_follows(b);
		if (draw(50) == 0)
			executed = draw(executed + 1);
		for (unsigned j = 0; executions && j < executed; j++)
			executions[k * BENCH_INSNS + j]++;
		core_execute(core, &b->block, executed, b->accesses, b->access_count, next_pc);
		if (executed != b->block.count || draw(200) == 0)
			core_exception(core);
		k = next;
		if (draw(300) != 0)
			continue;
		core_counts(core);
		if (exact) {
			if (i % 3)
				exact_tell_changes(core, tell, NULL);
			else
				exact_tell(core, tell, NULL);
			check_sums(params, counts);
		}
	}
}

static void check_exact(const struct core_params *params, uint32_t start)
{
	static uint64_t executions[BLOCKS * BENCH_INSNS];
	uint64_t counts[EVENT_COUNT], plain[EVENT_COUNT] = {0};
	struct exact *exact;
	struct core *core;

	draw_program_with_others(params, start);
	memset(executions, 0, sizeof(executions));
	core = begin(params, counts, &exact);
	core_set_block_finder(core, find_block, NULL, NULL);
	walk_exactly(params, start, exact, core, counts, executions);
	core_finish(core);
	core_counts(core);
	exact_tell(core, tell, NULL);
	check_sums(params, counts);
	for (unsigned k = 0; k < BLOCKS; k++)
		for (unsigned i = 0; i < program.blocks[k].block.count; i++)
			assert_int_equal(at(program.blocks[k].block.pc + 4 * i, EXACT_INST_RETIRED),
					 executions[k * BENCH_INSNS + i]);
	end(core, exact);

	/* The profile changes nothing. */
	core = core_new(params, NULL, plain);
	assert_non_null(core);
	core_set_block_finder(core, find_block, NULL, NULL);
	walk_exactly(params, start, NULL, core, plain, NULL);
	core_finish(core);
	core_counts(core);
	core_free(core);
	release_program();
	assert_memory_equal(counts, plain, sizeof(plain));
}

static void sums_equal_counts(void **state)
{
	struct core_params params = bench_core();

	(void)state;
	check_exact(&params, 1);
	check_exact(&params, 2);
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
	check_exact(&params, 3);
	for (size_t i = 0; model_cores[i]; i++)
		if (i % ONE_IN(3) == 0)
			check_exact(model_cores[i], 4);
}

/* ---- Who is to blame --------------------------------------------------------------------------
 */

/* Runs a block `times` times, each time as if it followed itself, and reports. */
static void run_times(const struct core_params *params, struct bench_block *b, unsigned times,
		      uint64_t *counts)
{
	struct exact *exact;
	struct core *core = begin(params, counts, &exact);

	bench_end(params, b);
	for (unsigned i = 0; i < times; i++)
		bench_run(core, b, b->block.pc);
	core_finish(core);
	core_counts(core);
	exact_tell(core, tell, NULL);
	check_sums(params, counts);
	end(core, exact);
	core_release_block(&b->block);
}

/* A chain of loads from DRAM among additions: the loads are waited for. */
static void loads_are_waited_for(void **state)
{
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	for (unsigned i = 0; i < 30; i++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 5, REG_X0 + 6, REG_NONE);
	bench_load(&b, 1, 1, NEAR_DRAM);
	bench_op(&b, CLASS_INT_ALU, REG_X0 + 1, REG_X0 + 1, REG_NONE);
	run_times(&params, &b, 100, counts);
	assert_int_equal(at(0x1000 + 4 * 30, EXACT_INST_RETIRED), 100);
	assert_int_equal(at(0x1000 + 4 * 30, EXACT_L1D_CACHE_REFILL), 100);
	assert_int_equal(at(0x1000 + 4 * 30, EXACT_STALL_BACKEND_MEM),
			 counts[EVENT_STALL_BACKEND_MEM]);
	assert_true(counts[EVENT_STALL_BACKEND_MEM] > 95 * 250);
}

/* Stores that miss fill the store queue: they are to blame, not the addition that is executing. */
static void stores_are_waited_for(void **state)
{
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, 0x1000);
	bench_store(&b, 1, 2, NEAR_DRAM);
	bench_op(&b, CLASS_INT_ALU, REG_X0 + 5, REG_X0 + 5, REG_NONE);
	bench_op(&b, CLASS_INT_DIV64, REG_X0 + 6, REG_X0 + 6, REG_NONE);
	run_times(&params, &b, 300, counts);
	assert_true(counts[EVENT_STALL_BACKEND_ST] > 250 * 300 / 8);
	assert_int_equal(at(0x1000, EXACT_STALL_BACKEND_ST), counts[EVENT_STALL_BACKEND_ST]);
	assert_int_equal(at(0x1000, EXACT_SLOTS_BACKEND_STORE_QUEUE),
			 told.sums[EXACT_SLOTS_BACKEND_STORE_QUEUE]);
}

/*
 * A mispredicted branch pays for the wrong path and the flush, and for the backend's part of it;
 * isb for its own.
 */
static void pay_for_flushes(unsigned recovery_cycles)
{
	struct core_params params = bench_core();
	static struct bench_block first, second;
	uint64_t counts[EVENT_COUNT];
	struct exact *exact;
	struct core *core;

	params.recovery_cycles = (uint8_t)recovery_cycles;
	core = begin(&params, counts, &exact);
	bench_begin(&first, 0x1000);
	bench_op(&first, CLASS_INT_MADD, REG_X0 + 1, REG_X0 + 1, REG_NONE);
	bench_branch(&first, BRANCH_CONDITIONAL)->sources[0] = 1;
	bench_end(&params, &first);
	bench_begin(&second, 0x1008);
	bench_op(&second, CLASS_INT_ALU, REG_X0 + 2, REG_X0 + 2, REG_NONE);
	bench_insn(&second, CLASS_BARRIER_ISB, KIND_ISB);
	bench_op(&second, CLASS_INT_ALU, REG_X0 + 2, REG_X0 + 2, REG_NONE);
	bench_branch(&second, BRANCH_IMMEDIATE);
	bench_end(&params, &second);
	bench_predictor.wrong_path = 0x5000;
	for (unsigned i = 0; i < 100; i++) {
		bench_predictor.next = PREDICT_WRONG;
		bench_run(core, &first, 0x1008);
		bench_predictor.next = PREDICT_RIGHT;
		bench_run(core, &second, 0x1000);
	}
	core_finish(core);
	core_counts(core);
	exact_tell(core, tell, NULL);
	check_sums(&params, counts);
	end(core, exact);
	core_release_block(&first.block);
	core_release_block(&second.block);

	assert_int_equal(at(0x1004, EXACT_BR_RETIRED), 100);
	assert_int_equal(at(0x1004, EXACT_BR_MIS_PRED_RETIRED), 100);
	assert_true(at(0x1004, EXACT_SLOTS_BAD_SPECULATION) > 0);
	assert_int_equal(at(0x1004, EXACT_SLOTS_BAD_SPECULATION),
			 told.sums[EXACT_SLOTS_BAD_SPECULATION]);
	assert_true(at(0x100c, EXACT_STALL_FRONTEND_FLUSH) > 300);
	assert_true(at(0x1004, EXACT_STALL_FRONTEND_FLUSH) > 300);
	assert_int_equal(at(0x1004, EXACT_STALL_FRONTEND_FLUSH) +
				 at(0x100c, EXACT_STALL_FRONTEND_FLUSH),
			 counts[EVENT_STALL_FRONTEND_FLUSH]);
	assert_int_equal(at(0x1004, EXACT_SLOTS_BACKEND_RECOVERY),
			 100 * recovery_cycles * params.slots);
	assert_int_equal(at(0x1004, EXACT_SLOTS_BACKEND_RECOVERY) +
				 at(0x100c, EXACT_SLOTS_BACKEND_RECOVERY),
			 told.sums[EXACT_SLOTS_BACKEND_RECOVERY]);
}

static void branches_pay_for_flushes(void **state)
{
	(void)state;
	pay_for_flushes(0);
	pay_for_flushes(3);
}

/* Code beyond L2 is late: each chunk's first instruction pays. */
static void late_code_pays(void **state)
{
	const struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT];

	(void)state;
	bench_begin(&b, NEAR_DRAM);
	for (unsigned i = 0; i < 16; i++)
		bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_X0 + 3, REG_NONE);
	run_times(&params, &b, 100, counts);
	assert_true(counts[EVENT_STALL_FRONTEND_MEM] > 1000);
	assert_int_equal(at(NEAR_DRAM, EXACT_STALL_FRONTEND_MEM) +
				 at(NEAR_DRAM + 32, EXACT_STALL_FRONTEND_MEM),
			 counts[EVENT_STALL_FRONTEND_MEM]);
	assert_int_equal(at(NEAR_DRAM, EXACT_L1I_CACHE_REFILL), 100);
}

/* A divider is waited for through its issue queue. */
static void full_queues_are_named(void **state)
{
	struct core_params params = bench_core();
	static struct bench_block b;
	uint64_t counts[EVENT_COUNT];

	(void)state;
	params.queue_entries[1] = 6;
	bench_begin(&b, 0x1000);
	bench_op(&b, CLASS_INT_ALU, REG_X0 + 2, REG_X0 + 3, REG_NONE);
	bench_op(&b, CLASS_INT_DIV64, REG_X0 + 6, REG_X0 + 6, REG_NONE);
	run_times(&params, &b, 300, counts);
	assert_true(counts[EVENT_IMP_STALL_BACKEND_IQ_MX] > 1000);
	assert_int_equal(at(0x1004, EXACT_IMP_STALL_BACKEND_IQ_MX),
			 counts[EVENT_IMP_STALL_BACKEND_IQ_MX]);
	assert_true(at(0x1004, EXACT_SLOTS_BACKEND_QUEUE_MX) > 4 * 1000);
}

/* ---- Contexts ---------------------------------------------------------------------------------
 */

/* The same function, called from two places: each call's misses are its caller's. */
static void callers_are_told_apart(void **state)
{
	const struct core_params params = bench_core();
	static struct bench_block one, two, back, function;
	uint64_t counts[EVENT_COUNT], sites[8], loads[2] = {0};
	struct exact *exact;
	struct core *core = begin(&params, counts, &exact);

	(void)state;
	bench_begin(&one, 0x1000);
	bench_branch(&one, BRANCH_CALL);
	bench_end(&params, &one);
	bench_begin(&two, 0x1004);
	bench_op(&two, CLASS_INT_ALU, REG_X0 + 2, REG_X0 + 3, REG_NONE);
	bench_branch(&two, BRANCH_CALL);
	bench_end(&params, &two);
	bench_begin(&back, 0x100c);
	bench_branch(&back, BRANCH_IMMEDIATE);
	bench_end(&params, &back);
	bench_begin(&function, 0x8000);
	bench_load(&function, 1, 2, NEAR_L1);
	bench_branch(&function, BRANCH_RETURN);
	bench_end(&params, &function);
	for (unsigned i = 0; i < 50; i++) {
		bench_run(core, &one, 0x8000);
		function.accesses[0].address = NEAR_L1;
		bench_run(core, &function, 0x1004);
		bench_run(core, &two, 0x8000);
		function.accesses[0].address = NEAR_L2;
		bench_run(core, &function, 0x100c);
		bench_run(core, &back, 0x1000);
		/* A signal, whose handler is somewhere else. */
		if (i == 20) {
			core_exception(core);
			bench_run(core, &function, 0x9000);
			exact_signal_returns(exact);
		}
	}
	core_finish(core);
	core_counts(core);
	exact_tell(core, tell, NULL);
	check_sums(&params, counts);
	for (size_t i = 0; i < told.count; i++) {
		const struct row *row = &told.rows[i];
		size_t depth = contexts_sites(exact_contexts(exact), row->context, sites, 8);

		if (row->pc < 0x8000) {
			assert_int_equal(depth, 0);
			continue;
		}
		assert_int_equal(depth, 1);
		if (sites[0] == 0x1000 && row->pc == 0x8000)
			loads[0] += row->counts[EXACT_L1D_CACHE_REFILL];
		if (sites[0] == 0x1008 && row->pc == 0x8000)
			loads[1] += row->counts[EXACT_L1D_CACHE_REFILL];
	}
	assert_int_equal(loads[0], 0);
	assert_int_equal(loads[1], 50);
	end(core, exact);
	core_release_block(&one.block);
	core_release_block(&two.block);
	core_release_block(&back.block);
	core_release_block(&function.block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_equal_counts),
		cmocka_unit_test(loads_are_waited_for),
		cmocka_unit_test(stores_are_waited_for),
		cmocka_unit_test(branches_pay_for_flushes),
		cmocka_unit_test(late_code_pays),
		cmocka_unit_test(full_queues_are_named),
		cmocka_unit_test(callers_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a run adds to the core if asked: the kernel's time, and the loads of wrong paths. */
#include "core_bench.h"

#define CALL_CYCLES  500
#define FAULT_CYCLES 1000
#define TIMES        100

static struct bench_block b, other;

static struct core *start(const struct core_params *params, uint64_t *counts, uint64_t *conditions)
{
	struct core *core;

	memset(counts, 0, EVENT_COUNT * sizeof(*counts));
	memset(conditions, 0, CONDITION_COUNTS * sizeof(*conditions));
	core = core_new(params, NULL, counts);
	assert_non_null(core);
	core_set_conditions(core, conditions);
	return core;
}

static void end(struct core *core)
{
	core_finish(core);
	core_counts(core);
	core_free(core);
}

/* Executes a block again and again, each time as if it followed itself. */
static void repeat(const struct core_params *params, unsigned times, uint64_t *counts,
		   uint64_t *conditions)
{
	struct core *core = start(params, counts, conditions);

	for (unsigned i = 0; i < times; i++)
		bench_run(core, &b, b.block.pc);
	end(core);
}

static void system_calls_cost_what_they_are_said_to(void **state)
{
	uint64_t free_of_charge[EVENT_COUNT], counts[EVENT_COUNT], conditions[CONDITION_COUNTS];
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_insn(&b, CLASS_NOP, KIND_DP);
	bench_insn(&b, CLASS_EXCEPTION, 0)->branch = BRANCH_EXCEPTION;
	b.insns[1].opcode = 0xd4000001; /* svc #0 */
	bench_end(&params, &b);
	repeat(&params, TIMES, free_of_charge, conditions);
	assert_int_equal(conditions[CONDITION_SYSTEM_CALLS], 0);
	assert_int_equal(conditions[CONDITION_KERNEL_CYCLES], 0);

	params.conditions.system_call_cycles = CALL_CYCLES;
	repeat(&params, TIMES, counts, conditions);
	assert_int_equal(conditions[CONDITION_SYSTEM_CALLS], TIMES);
	assert_int_equal(conditions[CONDITION_KERNEL_CYCLES], TIMES * CALL_CYCLES);
	assert_int_equal(counts[EVENT_CPU_CYCLES],
			 free_of_charge[EVENT_CPU_CYCLES] + TIMES * CALL_CYCLES);
	assert_int_equal(counts[EVENT_STALL_BACKEND_CPUBOUND],
			 free_of_charge[EVENT_STALL_BACKEND_CPUBOUND] + TIMES * CALL_CYCLES);
	assert_int_equal(counts[EVENT_STALL_FRONTEND], free_of_charge[EVENT_STALL_FRONTEND]);
	assert_int_equal(counts[EVENT_OP_SPEC] + counts[EVENT_STALL_SLOT],
			 4 * counts[EVENT_CPU_CYCLES]);
	core_release_block(&b.block);
}

/* brk and similar have no cost of their own. */
static void other_exceptions_are_no_calls(void **state)
{
	uint64_t counts[EVENT_COUNT], conditions[CONDITION_COUNTS];
	struct core_params params = bench_core();

	(void)state;
	params.conditions.system_call_cycles = CALL_CYCLES;
	bench_begin(&b, 0x1000);
	bench_insn(&b, CLASS_EXCEPTION, 0)->branch = BRANCH_EXCEPTION;
	b.insns[0].opcode = 0xd4200000; /* brk #0 */
	bench_end(&params, &b);
	repeat(&params, TIMES, counts, conditions);
	assert_int_equal(conditions[CONDITION_SYSTEM_CALLS], 0);
	assert_int_equal(conditions[CONDITION_KERNEL_CYCLES], 0);
	core_release_block(&b.block);
}

static void first_accesses_fault(void **state)
{
	uint64_t counts[EVENT_COUNT], conditions[CONDITION_COUNTS], few[EVENT_COUNT];
	struct core_params params = bench_core();

	(void)state;
	bench_begin(&b, 0x1000);
	bench_load(&b, 1, 2, NEAR_WALK);
	bench_end(&params, &b);
	repeat(&params, TIMES, counts, conditions);
	assert_int_equal(conditions[CONDITION_PAGE_FAULTS], 0);
	assert_int_equal(counts[EVENT_EXC_TAKEN], 0);

	params.conditions.page_fault_cycles = FAULT_CYCLES;
	repeat(&params, TIMES, few, conditions);
	repeat(&params, 2 * TIMES, counts, conditions);
	assert_int_equal(conditions[CONDITION_PAGE_FAULTS], 2 * TIMES);
	assert_int_equal(conditions[CONDITION_KERNEL_CYCLES], 2 * TIMES * FAULT_CYCLES);
	assert_int_equal(counts[EVENT_EXC_TAKEN], 2 * TIMES);
	assert_int_equal(counts[EVENT_EXC_SVC], 0);
	/* Each recovers from the flush, issues, walks, takes the 4 cycles of a load, and faults. */
	assert_int_equal(counts[EVENT_CPU_CYCLES] - few[EVENT_CPU_CYCLES],
			 TIMES * (params.mispredict_cycles + 1 + WALK_CYCLES + 4 + FAULT_CYCLES));
	assert_int_equal(counts[EVENT_STALL_BACKEND_TLB] - few[EVENT_STALL_BACKEND_TLB],
			 TIMES * WALK_CYCLES);
	assert_int_equal(counts[EVENT_OP_SPEC] + counts[EVENT_STALL_SLOT],
			 4 * counts[EVENT_CPU_CYCLES]);
	core_release_block(&b.block);
}

static const struct block *find_other(void *user, uint64_t pc)
{
	(void)user;
	return pc == other.block.pc ? &other.block : NULL;
}

/* A branch that is mispredicted, and on whose wrong path is `other`: two loads and a barrier. */
static void set_up_wrong_path(const struct core_params *params)
{
	bench_begin(&b, 0x1000);
	bench_load(&b, 1, 2, NEAR_DRAM);
	bench_branch(&b, BRANCH_CONDITIONAL)->sources[0] = 1;
	bench_end(params, &b);
	bench_begin(&other, 0x1008);
	bench_load(&other, 3, 4, NEAR_L2);
	bench_insn(&other, CLASS_BARRIER_DSB, KIND_DSB);
	bench_load(&other, 5, 6, NEAR_L1);
	bench_end(params, &other);
}

/* Executes `other` twice, the second time `step` bytes further on, and then the wrong path. */
static void mispredict(const struct core_params *params, uint64_t step, uint64_t *counts,
		       uint64_t *conditions)
{
	struct core *core = start(params, counts, conditions);

	core_set_block_finder(core, find_other, NULL, NULL);
	bench_run(core, &other, 0x1008);
	other.accesses[0].address += step;
	bench_run(core, &other, 0x1000);
	other.accesses[0].address -= step;
	assert_int_equal(bench_memory.loads, 4);
	bench_predictor.next = PREDICT_WRONG;
	bench_predictor.wrong_path = 0x1008;
	bench_run(core, &b, 0x2000);
	end(core);
}

static void wrong_paths_load_what_comes_next(void **state)
{
	uint64_t counts[EVENT_COUNT], conditions[CONDITION_COUNTS];
	struct core_params params = bench_core();

	(void)state;
	set_up_wrong_path(&params);
	mispredict(&params, 256, counts, conditions);
	assert_int_equal(bench_memory.loads, 5);
	assert_int_equal(conditions[CONDITION_WRONG_LOADS], 0);

	/* One load more: what is behind the barrier waits for it, and never executes. */
	params.conditions.wrong_path_loads = true;
	mispredict(&params, 256, counts, conditions);
	assert_int_equal(bench_memory.loads, 6);
	assert_int_equal(bench_memory.last_load_address, NEAR_L2 + 2 * 256);
	assert_int_equal(conditions[CONDITION_WRONG_LOADS], 1);
	assert_int_equal(conditions[CONDITION_WRONG_REFILLS], 1);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], 6);
	assert_int_equal(counts[EVENT_MEM_ACCESS_RD], counts[EVENT_L1D_CACHE_RD]);

	/* What the program has not touched has no page: nothing is loaded. */
	mispredict(&params, NEAR_WALK - NEAR_L2 - 64, counts, conditions);
	assert_int_equal(conditions[CONDITION_WRONG_LOADS], 0);
	core_release_block(&b.block);
	core_release_block(&other.block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_cost_what_they_are_said_to),
		cmocka_unit_test(other_exceptions_are_no_calls),
		cmocka_unit_test(first_accesses_fault),
		cmocka_unit_test(wrong_paths_load_what_comes_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

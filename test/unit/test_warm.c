/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional warming, beside the detailed pass over the same program: what both leave behind in
 * caches, TLBs and predictors. With prefetchers off, neither depends on time, so it is the same,
 * entry by entry and in the order of use.
 */
#include <string.h>

#include "check.h"

#include "memo.h"
#include "memory_side.h"
#include "pipeline.h"
#include "thorough.h"
#include "warm.h"

#define BLOCKS 48
#define INSNS  12
#define CODE   0x400000ull
#define DATA   0x10000000ull

#define DETAILED 4000  /* blocks that both execute in detail first, so all code is in L1I */
#define WARMED   50000 /* blocks after them */
#define PROBES   5000
#define STREAM   (1u << 22) /* bytes */

#define NO_RESUME 1 /* never the address of an instruction */

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* ---- A program of one loop, in which each block may be skipped ------------------------------- */

static struct made_block {
	struct block block;
	struct insn insns[INSNS];
	struct access accesses[INSNS];
	size_t access_count;
} blocks[BLOCKS];

static struct core_params params;

enum { WORD_LOAD = 0xf9400000, WORD_STORE = 0xf9000000, WORD_ADD = 0x8b000000 };
enum { WORD_BRANCH = 0x54000001 | 64 << 5 };

static void add_insn(struct made_block *made, uint32_t word)
{
	const uint16_t at = made->block.count++;

	insn_decode(word, params.vector_bytes, &made->insns[at]);
	if (made->insns[at].memory & (MEM_LOAD | MEM_STORE))
		made->accesses[made->access_count++] = (struct access){.insn = at, .bytes = 8};
}

static void make_program(void)
{
	static const uint32_t words[] = {WORD_LOAD, WORD_STORE, WORD_ADD};
	uint64_t pc = CODE;

	for (struct made_block *made = blocks; made < blocks + BLOCKS; made++) {
		const unsigned count = 1 + draw(INSNS - 1);

		memset(made, 0, sizeof(*made));
		made->block.pc = pc;
		made->block.insns = made->insns;
		for (unsigned i = 0; i < count; i++)
			add_insn(made, words[draw(3)] | draw(30) << 5 | draw(30));
		add_insn(made, WORD_BRANCH);
		pc += 4ull * made->block.count;
		assert_true(core_prepare_block(&params, &made->block));
	}
}

static void release_program(void)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		core_release_block(&blocks[i].block);
}

/* ---- Two cores that execute it --------------------------------------------------------- */

struct side {
	struct memory_system *system;
	struct core *core;
	uint64_t counts[EVENT_COUNT];
};

static void side_set_up(struct side *side)
{
	memset(side, 0, sizeof(*side));
	side->system = memory_system_new(&params);
	assert_non_null(side->system);
	side->core = core_new(&params, side->system, side->counts);
	assert_non_null(side->core);
}

static void side_clean_up(struct side *side)
{
	core_free(side->core);
	memory_system_free(side->system);
}

/* Of some blocks, the first access reads or writes on where it was the last time. */
#define STREAMS 4
static bool streams;

/* Draws where the accesses of a block go: half of them to what is used often. */
static void draw_accesses(struct made_block *made)
{
	const size_t number = (size_t)(made - blocks);

	for (size_t i = 0; i < made->access_count; i++) {
		const bool near = streams || draw(2);
		const uint32_t bytes = near ? params.l1d.bytes / 2 : 4 * params.l2.bytes;

		if (!streams || number >= STREAMS)
			made->accesses[i].address = DATA + 4ull * draw(bytes / 4);
		else if (made->accesses[i].address)
			made->accesses[i].address += 16;
		else
			made->accesses[i].address = 2 * DATA + number * STREAM + i * STREAM / INSNS;
	}
}

/* The next block: every third branch goes as it likes, the others have a pattern. */
static unsigned draw_next(unsigned at, unsigned step)
{
	const unsigned skips = at % 3 ? step / (1 + at) % 2 : draw(2);

	return (at + 1 + skips) % BLOCKS;
}

/* Executes `count` blocks: on `warmed` with the warmer, if there is one. */
static unsigned execute(struct side *detailed, struct side *warmed, struct warmer *warmer,
			uint32_t pace, unsigned at, unsigned count)
{
	for (unsigned step = 0; step < count; step++) {
		struct made_block *made = &blocks[at];
		uint64_t next_pc;

		draw_accesses(made);
		at = draw_next(at, step);
		next_pc = blocks[at].block.pc;
		core_execute(detailed->core, &made->block, made->block.count, made->accesses,
			     made->access_count, next_pc);
		if (warmer)
			warm_execute(warmer, &made->block, made->block.count, made->accesses,
				     made->access_count, next_pc, pace);
		else
			core_execute(warmed->core, &made->block, made->block.count, made->accesses,
				     made->access_count, next_pc);
	}
	return at;
}

/* ---- What they leave behind ------------------------------------------------------------ */

/* Returns how many lines of two caches differ, in any place; `*used`: how many there are. */
static unsigned lines_that_differ(const struct cache *a, const struct cache *b, unsigned *used)
{
	const uint64_t flags = CACHE_VALID | CACHE_DIRTY;
	unsigned differ = 0;

	*used = 0;
	assert_int_equal(a->sets, b->sets);
	for (size_t i = 0; i < (size_t)a->sets * a->ways; i++) {
		*used += a->lines[i].key != 0;
		differ += a->lines[i].key >> 8 != b->lines[i].key >> 8 ||
			  (a->lines[i].key & flags) != (b->lines[i].key & flags);
	}
	return differ;
}

static void expect_same_lines(const struct cache *a, const struct cache *b, unsigned least)
{
	unsigned used;

	assert_int_equal(lines_that_differ(a, b, &used), 0);
	assert_true(used >= least);
}

/* Pages, and which of two was used later. */
static void expect_same_first(const struct tlb_first *a, const struct tlb_first *b)
{
	for (unsigned i = 0; i < a->entries; i++) {
		assert_int_equal(a->pages[i], b->pages[i]);
		assert_int_equal(a->frames[i], b->frames[i]);
		for (unsigned k = 0; k < i; k++)
			assert_int_equal(a->used[i] > a->used[k], b->used[i] > b->used[k]);
	}
}

static void expect_same_second(const struct tlb_second *a, const struct tlb_second *b)
{
	assert_memory_equal(a->pairs, b->pairs,
			    ((size_t)a->set_mask + 1) * a->ways * sizeof(*a->pairs));
}

/* Both predict whatever comes next alike. */
static void expect_same_predictions(struct core *a, struct core *b)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < PROBES; i++) {
		const struct made_block *made = &blocks[draw(BLOCKS)];
		const uint64_t end = made->block.pc + 4ull * made->block.count;
		const bool taken = draw(2);
		const uint64_t target = taken ? end + 4 * draw(8) : end;
		struct predict_outcome of_a, of_b;

		predictor_branch(a->predictor, end - 4, BRANCH_CONDITIONAL, taken, target, &of_a);
		predictor_branch(b->predictor, end - 4, BRANCH_CONDITIONAL, taken, target, &of_b);
		assert_int_equal(of_a.result, of_b.result);
		assert_int_equal(of_a.pairs, of_b.pairs);
		assert_int_equal(of_a.wrong_path, of_b.wrong_path);
		wrong += of_a.result == PREDICT_WRONG;
	}
	assert_in_range(wrong, PROBES / 10, PROBES - PROBES / 10);
}

/* Events that say where accesses found what they wanted. */
static const uint16_t places[] = {
	EVENT_L1D_CACHE_RD,     EVENT_L1D_CACHE_WR,   EVENT_L1D_CACHE_REFILL,
	EVENT_L1D_CACHE_WB,     EVENT_L2D_CACHE_RD,   EVENT_L2D_CACHE_WR,
	EVENT_L2D_CACHE_WB,     EVENT_L1D_TLB,        EVENT_L2D_CACHE_REFILL_RD,
	EVENT_L2D_TLB,          EVENT_L1D_TLB_REFILL, EVENT_LL_CACHE_RD,
	EVENT_LL_CACHE_MISS_RD, EVENT_DTLB_WALK,      EVENT_DTLB_STEP,
	EVENT_L1I_CACHE_REFILL,
};

static void expect_same_places(const struct side *detailed, const struct side *warmed)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (detailed->counts[places[i]] != warmed->counts[places[i]])
			print_error("event %u of %s\n", (unsigned)places[i], params.name);
		assert_int_equal(detailed->counts[places[i]], warmed->counts[places[i]]);
	}
	assert_true(detailed->counts[EVENT_L1D_TLB_REFILL] > WARMED / 10);
	assert_true(detailed->counts[EVENT_L2D_CACHE_REFILL_RD] > WARMED / 10);
}

static void begin(const struct core_params *core, bool prefetches, struct side *a, struct side *b)
{
	params = *core;
	if (!prefetches)
		params.prefetch_streams = params.l2_prefetch_lines = 0;
	seed = 1;
	make_program();
	side_set_up(a);
	side_set_up(b);
}

static void end(struct side *a, struct side *b)
{
	side_clean_up(a);
	side_clean_up(b);
	release_program();
}

static void warming_leaves_what_the_pass_leaves(void **state)
{
	static struct side detailed, warmed;

	(void)state;
	for (size_t c = 0; model_cores[c]; c++) {
		struct warmer warmer;
		struct memory *a, *b;
		unsigned at;

		if (c % ONE_IN(3))
			continue;
		begin(model_cores[c], false, &detailed, &warmed);
		at = execute(&detailed, &warmed, NULL, 0, 0, DETAILED);
		warm_begin(&warmer, warmed.core);
		execute(&detailed, &warmed, &warmer, WARM_PACE_ONE / 2, at, WARMED);
		warm_end(&warmer);
		a = detailed.core->memory;
		b = warmed.core->memory;
		expect_same_lines(&a->l1d, &b->l1d, params.l1d.bytes / params.l1d.line_bytes);
		expect_same_lines(&a->l1i, &b->l1i, BLOCKS * 4 / params.l1i.line_bytes);
		expect_same_lines(&a->l2, &b->l2, params.l2.bytes / params.l2.line_bytes / 2);
		expect_same_first(&a->dtlb, &b->dtlb);
		expect_same_first(&a->itlb, &b->itlb);
		expect_same_second(&a->tlb2, &b->tlb2);
		expect_same_second(&a->walk_cache, &b->walk_cache);
		assert_memory_equal(detailed.system->llc.entries, warmed.system->llc.entries,
				    (size_t)detailed.system->llc.sets * detailed.system->llc.ways *
					    sizeof(uint32_t));
		expect_same_places(&detailed, &warmed);
		assert_int_equal(detailed.core->instructions, warmed.core->instructions);
		expect_same_predictions(detailed.core, warmed.core);
		end(&detailed, &warmed);
	}
}

/* Returns the time of an instruction of the detailed pass, which both make. */
static uint32_t measure_pace(struct side *a, struct side *b, unsigned *at)
{
	const uint64_t cycles = core_cycle(a->core), instructions = a->core->instructions;

	*at = execute(a, b, NULL, 0, *at, DETAILED);
	return (uint32_t)((core_cycle(a->core) - cycles) * WARM_PACE_ONE /
			  (a->core->instructions - instructions));
}

static void expect_nearly_same_lines(const struct cache *a, const struct cache *b)
{
	unsigned used, differ = lines_that_differ(a, b, &used);

	assert_in_range(differ, 0, used / 20);
}

/*
 * Prefetchers wait for free buffers, so what they fetch depends on time. At the pace of the
 * detailed pass, warming leaves nearly the same.
 */
static void prefetchers_leave_nearly_the_same(void **state)
{
	static struct side detailed, warmed;

	(void)state;
	streams = true;
	for (size_t c = 0; model_cores[c]; c++) {
		struct warmer warmer;
		unsigned at;
		uint32_t pace;

		if (c % ONE_IN(3))
			continue;
		begin(model_cores[c], true, &detailed, &warmed);
		at = execute(&detailed, &warmed, NULL, 0, 0, DETAILED);
		pace = measure_pace(&detailed, &warmed, &at);
		warm_begin(&warmer, warmed.core);
		execute(&detailed, &warmed, &warmer, pace, at, WARMED / 4);
		warm_end(&warmer);
		expect_nearly_same_lines(&detailed.core->memory->l1d, &warmed.core->memory->l1d);
		expect_nearly_same_lines(&detailed.core->memory->l2, &warmed.core->memory->l2);
		assert_true(warmed.counts[EVENT_L1D_CACHE_HWPRF] > 300);
		assert_true(warmed.counts[EVENT_L2D_CACHE_PRF] > 1000);
		end(&detailed, &warmed);
	}
	streams = false;
}

/* ---- Time, counts, blocks that end early --------------------------------------------------- */

/* Warms with a block of additions, then one load, and ends; returns the cycles that passed. */
static uint64_t warm_additions(struct side *side, uint32_t pace, unsigned times)
{
	struct made_block made = {.block = {.pc = CODE, .insns = made.insns}};
	const uint64_t before = core_cycle(side->core);
	struct warmer warmer;

	for (unsigned i = 0; i < INSNS; i++)
		add_insn(&made, WORD_ADD);
	assert_true(core_prepare_block(&params, &made.block));
	warm_begin(&warmer, side->core);
	for (unsigned i = 0; i < times; i++)
		warm_execute(&warmer, &made.block, INSNS, NULL, 0, CODE, pace);
	warm_end(&warmer);
	core_release_block(&made.block);
	return core_cycle(side->core) - before;
}

static void time_passes_at_the_pace(void **state)
{
	static struct side side;
	static const uint32_t paces[] = {1, WARM_PACE_ONE / 3, WARM_PACE_ONE, 5 * WARM_PACE_ONE};
	const uint64_t count = 1000ull * INSNS;

	(void)state;
	params = *model_cores[0];
	for (size_t i = 0; i < sizeof(paces) / sizeof(*paces); i++) {
		const uint64_t fastest = WARM_PACE_ONE / params.rename_width;
		const uint64_t pace = paces[i] > fastest ? paces[i] : fastest;
		uint64_t passed;

		side_set_up(&side);
		/* The first fetch misses, but time waits only for what is far ahead. */
		assert_in_range(warm_additions(&side, 0, 1), 0, INSNS);
		/* Fractions of cycles add up over blocks. The last instructions are in the reorder
		 * buffer, in whose parts there is room for another block. */
		passed = warm_additions(&side, paces[i], 1000);
		assert_in_range(passed,
				(count - params.reorder_entries - 3 * INSNS) * pace / WARM_PACE_ONE,
				count * pace / WARM_PACE_ONE + 1);
		assert_int_equal(core_counts(side.core)[EVENT_INST_RETIRED], 1001 * INSNS);
		side_clean_up(&side);
	}
}

/* A chain of misses takes longer than the pace says, and time goes with it. */
static void time_waits_for_memory(void **state)
{
	static struct side side;
	struct made_block made = {.block = {.pc = CODE, .insns = made.insns}};
	struct warmer warmer;

	(void)state;
	params = *model_cores[0];
	params.prefetch_streams = params.l2_prefetch_lines = 0;
	side_set_up(&side);
	add_insn(&made, WORD_LOAD);
	assert_true(core_prepare_block(&params, &made.block));
	warm_begin(&warmer, side.core);
	for (unsigned i = 0; i < 10000; i++) {
		made.accesses[0].address = DATA + 4096ull * i;
		warm_execute(&warmer, &made.block, 1, made.accesses, 1, CODE, 1);
	}
	warm_end(&warmer);
	/* Lines come from DRAM one after the other, however many are asked for at a time. */
	assert_true(core_cycle(side.core) + 2048 + params.dram_latency >=
		    10000ull * params.dram_cycles_per_line / 100);
	assert_int_equal(core_counts(side.core)[EVENT_L1D_CACHE_REFILL], 10000);
	core_release_block(&made.block);
	side_clean_up(&side);
}

/*
 * Stores that miss, a few lines apart, as in a sieve: how many lines are prefetched depends on how
 * many stores are on their way.
 */
static uint64_t count_prefetches(bool warms, uint32_t *pace)
{
	static struct side side;
	struct made_block made = {.block = {.pc = CODE, .insns = made.insns}};
	const unsigned stores = 20000, first = stores / 4;
	struct warmer warmer;
	uint64_t count = 0, cycles = 0;

	side_set_up(&side);
	add_insn(&made, WORD_STORE);
	add_insn(&made, WORD_ADD);
	add_insn(&made, WORD_BRANCH);
	assert_true(core_prepare_block(&params, &made.block));
	for (unsigned i = 0; i < stores; i++) {
		made.accesses[0].address = DATA + 7ull * params.l1d.line_bytes * i % STREAM;
		if (i == first) {
			cycles = core_cycle(side.core);
			count = side.counts[EVENT_L1D_CACHE_HWPRF];
			if (warms)
				warm_begin(&warmer, side.core);
		}
		if (i >= first && warms)
			warm_execute(&warmer, &made.block, 3, made.accesses, 1, CODE, *pace);
		else
			core_execute(side.core, &made.block, 3, made.accesses, 1, CODE);
	}
	if (warms)
		warm_end(&warmer);
	count = core_counts(side.core)[EVENT_L1D_CACHE_HWPRF] - count;
	if (!warms)
		*pace = (uint32_t)((core_cycle(side.core) - cycles) * WARM_PACE_ONE /
				   (3ull * (stores - first)));
	core_release_block(&made.block);
	side_clean_up(&side);
	return count;
}

static void stores_wait_for_the_store_buffer(void **state)
{
	(void)state;
	for (size_t c = 0; model_cores[c]; c++) {
		uint64_t detailed, warmed;
		uint32_t pace;

		if (c % ONE_IN(3))
			continue;
		params = *model_cores[c];
		detailed = count_prefetches(false, &pace);
		warmed = count_prefetches(true, &pace);
		assert_true(detailed > 1000);
		assert_in_range(warmed, detailed - detailed / 10, detailed + detailed / 10);
	}
}

/* A fault ends a block: what is behind it has not been executed. */
static void the_rest_of_a_block_leaves_nothing(void **state)
{
	static struct side side;
	struct made_block made = {.block = {.pc = CODE, .insns = made.insns}};
	struct predict_outcome outcome;
	struct warmer warmer;

	(void)state;
	params = *model_cores[0];
	side_set_up(&side);
	add_insn(&made, WORD_LOAD);
	add_insn(&made, WORD_ADD);
	add_insn(&made, WORD_LOAD);
	add_insn(&made, WORD_BRANCH);
	made.accesses[0].address = DATA;
	made.accesses[1].address = DATA + 4096;
	assert_true(core_prepare_block(&params, &made.block));
	warm_begin(&warmer, side.core);
	for (unsigned i = 0; i < 8; i++)
		warm_execute(&warmer, &made.block, 2, made.accesses, 2, CODE + 0x1000, 1);
	warm_execute(&warmer, &made.block, 0, made.accesses, 2, CODE, 1);
	warm_end(&warmer);
	assert_int_equal(core_counts(side.core)[EVENT_INST_RETIRED], 16);
	assert_int_equal(side.counts[EVENT_L1D_CACHE_RD], 8);
	assert_int_equal(side.counts[EVENT_DTLB_WALK], 1);
	/* Nothing has learned that the branch is taken; had it been, this would be right. */
	predictor_branch(side.core->predictor, CODE + 12, BRANCH_CONDITIONAL, true, CODE + 0x1000,
			 &outcome);
	assert_int_equal(outcome.result, PREDICT_WRONG);
	core_release_block(&made.block);
	side_clean_up(&side);
}

/* What the pipeline counts stands still, what memory counts goes on. */
static void only_memory_counts(void **state)
{
	static struct side detailed, warmed;
	static uint64_t before[EVENT_COUNT];
	struct warmer warmer;
	unsigned at;

	(void)state;
	begin(model_cores[0], true, &detailed, &warmed);
	at = execute(&detailed, &warmed, NULL, 0, 0, DETAILED);
	memcpy(before, core_counts(warmed.core), sizeof(before));
	warm_begin(&warmer, warmed.core);
	execute(&detailed, &warmed, &warmer, 0, at, DETAILED);
	warm_note_instructions(&warmer);
	assert_int_equal(warmed.counts[EVENT_INST_RETIRED], detailed.core->instructions);
	warm_end(&warmer);
	core_counts(warmed.core);
	assert_int_equal(warmed.counts[EVENT_BR_RETIRED], before[EVENT_BR_RETIRED]);
	assert_int_equal(warmed.counts[EVENT_LD_SPEC], before[EVENT_LD_SPEC]);
	/* Those of the last cycle before it are counted only now. */
	assert_in_range(warmed.counts[EVENT_OP_SPEC] - before[EVENT_OP_SPEC], 0, params.slots);
	assert_true(warmed.counts[EVENT_L1D_CACHE_RD] > before[EVENT_L1D_CACHE_RD] + DETAILED);
	end(&detailed, &warmed);
}

/*
 * A chain of additions fills the reorder buffer and the queues. After warming, all of that is as
 * far ahead of the cycle as before.
 */
static void what_is_in_flight_goes_on(void **state)
{
	static struct side side;
	static struct state before, after;

	(void)state;
	for (size_t c = 0; model_cores[c]; c++) {
		struct made_block made = {.block = {.pc = CODE, .insns = made.insns}};
		struct warmer warmer;
		uint64_t cycle;

		params = *model_cores[c];
		side_set_up(&side);
		for (unsigned i = 0; i < INSNS; i++)
			add_insn(&made, WORD_ADD);
		assert_true(core_prepare_block(&params, &made.block));
		for (unsigned i = 0; i < 200; i++)
			core_execute(side.core, &made.block, INSNS, NULL, 0, CODE);
		cycle = core_cycle(side.core);
		side.core->resume = NO_RESUME;
		assert_true(state_read(side.core, &before));
		warm_begin(&warmer, side.core);
		for (unsigned i = 0; i < 1000; i++)
			warm_execute(&warmer, &made.block, INSNS, NULL, 0, CODE, WARM_PACE_ONE / 3);
		warm_end(&warmer);
		assert_true(core_cycle(side.core) > cycle + 3000);
		assert_true((core_cycle(side.core) - cycle) % CALENDAR_CYCLES != 0);
		assert_true(state_read(side.core, &after));
		assert_int_equal(before.count, after.count);
		assert_true(before.count > params.queue_entries[0]);
		assert_memory_equal(before.words, after.words,
				    before.count * sizeof(*before.words));
		core_release_block(&made.block);
		side_clean_up(&side);
	}
}

/* Behind a mispredicted branch nothing has been fetched, and behind any other one all goes on. */
static void a_mispredicted_branch_empties_the_frontend(void **state)
{
	static struct side detailed, warmed;
	unsigned at, seen[2] = {0};

	(void)state;
	begin(model_cores[0], false, &detailed, &warmed);
	at = execute(&detailed, &warmed, NULL, 0, 0, DETAILED);
	while (!seen[0] || !seen[1]) {
		const struct core *core = warmed.core;
		const uint64_t ahead = core->predict - core->cycle, flushes = core->flushes;
		struct warmer warmer;

		warm_begin(&warmer, warmed.core);
		at = execute(&detailed, &warmed, &warmer, 0, at, 1);
		warm_end(&warmer);
		assert_int_equal(core->flushes, flushes + warmer.mispredicted);
		if (warmer.mispredicted)
			assert_true(core->predict >= core->last_retired);
		else
			assert_int_equal(core->predict - core->cycle, ahead);
		seen[warmer.mispredicted]++;
	}
	end(&detailed, &warmed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warming_leaves_what_the_pass_leaves),
		cmocka_unit_test(prefetchers_leave_nearly_the_same),
		cmocka_unit_test(time_passes_at_the_pace),
		cmocka_unit_test(time_waits_for_memory),
		cmocka_unit_test(stores_wait_for_the_store_buffer),
		cmocka_unit_test(the_rest_of_a_block_leaves_nothing),
		cmocka_unit_test(only_memory_counts),
		cmocka_unit_test(what_is_in_flight_goes_on),
		cmocka_unit_test(a_mispredicted_branch_empties_the_frontend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

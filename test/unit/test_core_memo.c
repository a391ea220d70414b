/* SPDX-License-Identifier: Apache-2.0 */
/* What the core replays (model/memo.h) against its plain pass, on programs made at random. */

#include "check.h"

#include "core.h"
#include "exact.h"
#include "period.h"
#include "thorough.h"
#include "ties.h"

#define BLOCKS      24
#define BLOCK_INSNS 60
#define EXECUTIONS  12000
#define CODE        0x400000ull
#define DATA        0x10000000ull

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

struct made_block {
	struct block block;
	struct insn insns[BLOCK_INSNS];
	struct access accesses[2 * BLOCK_INSNS];
	size_t access_count;
};

static struct made_block blocks[BLOCKS];

/* Instructions with registers to be added at 0 and 5, how often each is drawn, and its accesses. */
static const struct kind {
	uint32_t word, weight;
	uint16_t bytes, accesses;
} kinds[] = {
	{0xf9000000, 8, 8, 1},  /* str x, [x] */
	{0x8b0a0000, 30, 0, 0}, /* add x, x, x10 */
	{0xeb0b0000, 6, 0, 0},  /* subs x, x, x11 */
	{0x9b037c00, 4, 0, 0},  /* mul x, x, x3 */
	{0x9b011400, 4, 0, 0},  /* madd x, x, x1, x5 */
	{0x9ac20800, 1, 0, 0},  /* udiv x, x, x2 */
	{0x1f420c00, 4, 0, 0},  /* fmadd d, d, d2, d3 */
	{0x1e621800, 1, 0, 0},  /* fdiv d, d, d2 */
	{0x4e209400, 3, 0, 0},  /* mla v.16b, v.16b, v0.16b */
	{0xf9400000, 20, 8, 1}, /* ldr x, [x] */
	{0x39400000, 4, 1, 1},  /* ldrb w, [x] */
	{0xf8408400, 4, 8, 1},  /* ldr x, [x], 8 */
	{0xa9400400, 4, 8, 2},  /* ldp x, x1, [x] */
	{0x3dc00000, 3, 16, 1}, /* ldr q, [x] */
	{0xb9000000, 4, 4, 1},  /* str w, [x] */
	{0xa9000400, 4, 8, 2},  /* stp x, x1, [x] */
	{0xf9800000, 1, 0, 0},  /* prfm pldl1keep, [x] */
	{0xd5033bbf, 1, 0, 0},  /* dmb ish */
	{0xd50339bf, 1, 0, 0},  /* dmb ishld */
	{0xd5033a9f, 1, 0, 0},  /* dsb ishst */
	{0xd5033fdf, 1, 0, 0},  /* isb */
	{0xc85ffc00, 1, 8, 1},  /* ldaxr x, [x] */
	{0xc8027c00, 1, 8, 1},  /* stxr w2, x, [x] */
	{0xf8220000, 2, 8, 2},  /* ldadd x2, x, [x] */
	{0xf8e20000, 1, 8, 2},  /* ldaddal x2, x, [x] */
	{0xc8a37c00, 1, 8, 2},  /* cas x3, x, [x] */
	{0xd51b4402, 1, 0, 0},  /* msr fpcr, x2 */
	{0xc8dffc00, 3, 8, 1},  /* ldar x, [x] */
	{0xf8bfc000, 1, 8, 1},  /* ldapr x, [x] */
	{0xc89ffc00, 3, 8, 1},  /* stlr x, [x] */
	{0x6e40ec00, 25, 0, 0}, /* bfmmla v.4s: counts soon have to be settled */
};

static const struct kind *draw_kind(void)
{
	uint32_t weights = 0, drawn;
	const struct kind *kind = kinds;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		weights += kinds[k].weight;
	for (drawn = draw(weights); drawn >= kind->weight; kind++)
		drawn -= kind->weight;
	return kind;
}

/* Some blocks are bursts of stores. */
static void draw_insn(const struct core_params *params, struct made_block *made, unsigned i,
		      bool bursts)
{
	const struct kind *kind = bursts && draw(4) ? &kinds[0] : draw_kind();
	const uint32_t registers = draw(16) + (draw(16) << 5);
	const bool is_system = kind->word >> 24 == 0xd5; /* has none, or one that does not matter */

	insn_decode(kind->word + (is_system ? 0 : registers), params->vector_bytes,
		    &made->insns[i]);
	for (unsigned a = 0; a < kind->accesses; a++)
		made->accesses[made->access_count++] =
			(struct access){.insn = (uint16_t)i, .bytes = kind->bytes};
}

static void draw_blocks(const struct core_params *params)
{
	static const uint32_t branches[] = {0x54000801, 0x54000801, 0x14000040, 0x94000040,
					    0xd61f0000, 0xd65f03c0, 0xd503201f};
	uint64_t pc = CODE;

	for (struct made_block *made = blocks; made < blocks + BLOCKS; made++) {
		const unsigned count = 1 + draw(draw(8) ? 12 : BLOCK_INSNS - 1);
		const bool bursts = draw(8) == 0;

		*made = (struct made_block){.block = {.pc = pc, .insns = made->insns}};
		for (unsigned i = 0; i + 1 < count; i++)
			draw_insn(params, made, i, bursts);
		insn_decode(branches[draw(7)], params->vector_bytes, &made->insns[count - 1]);
		made->block.count = (uint16_t)count;
		pc += 4ull * count + (draw(4) ? 0 : 64 * draw(64));
		assert_true(core_prepare_block(params, &made->block));
	}
}

/* An atomic stores where it has loaded. */
static bool is_atomic(const struct made_block *made, const struct access *access)
{
	return made->insns[access->insn].memory & MEM_STORE &&
	       made->insns[access->insn].memory & MEM_LOAD;
}

static bool at_ends;   /* many accesses are at the ends of lines and pages */
static bool same_sets; /* all are in a few lines of blocks of 64 KiB: more than their sets hold */

/* Returns a place in `bytes` of data, or at the end of a line or a page. */
static uint64_t draw_place(uint32_t bytes)
{
	const uint64_t size = at_ends && draw(2) ? 4096 : 64;

	if (same_sets)
		return 65536ull * draw(bytes / 65536) + 64 * draw(4) + 8 * draw(8);
	if (at_ends && draw(4))
		return size * (1 + draw((uint32_t)(bytes / size))) - 1 - draw(8);
	switch (draw(16)) {
	case 0:
		return (draw(2) ? 4096 : 64) - 1 - draw(8);
	case 1:
	case 2:
	case 3:
		return draw(bytes);
	default:
		return draw(bytes / 8) * 8ull;
	}
}

/* Sets addresses near one another, so that stores forward, cross lines, or hinder loads. */
static void draw_addresses(struct made_block *made, uint32_t bytes, bool anew)
{
	uint64_t address = 0;

	for (size_t i = 0; i < made->access_count; i++) {
		struct access *access = &made->accesses[i];

		if (i > 0 && access->insn == access[-1].insn)
			address += is_atomic(made, access) ? 0 : access->bytes;
		else if (anew || !access->address)
			address = DATA + draw_place(bytes);
		else
			address = access->address;
		access->address = address;
	}
}

struct run {
	struct memory_system *system;
	struct core *core;
	uint64_t counts[EVENT_COUNT], limits[LIMIT_SETS], unforwarded;
	struct exact *exact;
	uint64_t told[EXACT_COUNT]; /* sums of counts, each times a number for its instruction */
};

static void tell(void *user, uint32_t context, uint64_t pc, const struct profile_counts *counts)
{
	struct run *run = user;
	uint64_t number = ((uint64_t)context << 40 ^ pc) * 0x9e3779b97f4a7c15ull;

	number ^= number >> 29;
	for (unsigned e = 0; e < EXACT_COUNT; e++)
		if (counts->counted[e / 64] >> e % 64 & 1)
			run->told[e] += counts->of[e] * (number | 1);
}

static void tell_line(void *user, const struct lines_count *count)
{
	struct run *run = user;

	run->told[count->access] += (count->pc ^ count->address << 20) * 0x9e3779b97f4a7c15ull *
				    (count->accesses + count->moves);
}

static void begin(struct run *run, const struct core_params *params, bool remembers, bool profiled)
{
	*run = (struct run){.system = memory_system_new(params)};
	assert_non_null(run->system);
	run->core = core_new(params, run->system, run->counts);
	assert_non_null(run->core);
	core_set_unforwarded(run->core, &run->unforwarded);
	if (profiled) {
		run->exact = exact_new();
		assert_non_null(run->exact);
		core_set_exact(run->core, run->exact);
		assert_true(exact_follow_lines(run->core));
	} else {
		assert_true(core_set_limits(run->core, run->limits));
	}
	if (remembers)
		core_remember(run->core, 8u << 20);
}

static void end(struct run *run)
{
	core_free(run->core);
	exact_free(run->exact);
	memory_system_free(run->system);
}

static void assert_same_profile(struct run *a, struct run *b, bool last)
{
	for (struct run *run = a;; run = b) {
		assert_false(exact_failed(run->exact));
		(last ? exact_tell : exact_tell_changes)(run->core, tell, run);
		exact_tell_lines(run->core, last, tell_line, run);
		if (run == b)
			break;
	}
	for (unsigned e = 0; e < EXACT_COUNT; e++)
		if (a->told[e] != b->told[e])
			fail_msg("%s is charged to others when replayed", exact_names[e]);
}

static void assert_same(const struct run *a, const struct run *b)
{
	core_counts(a->core);
	core_counts(b->core);
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		if (a->counts[e] != b->counts[e])
			fail_msg("event %u is %llu, and %llu when replayed", e,
				 (unsigned long long)a->counts[e],
				 (unsigned long long)b->counts[e]);
	assert_memory_equal(a->limits, b->limits, sizeof(a->limits));
	assert_int_equal(a->unforwarded, b->unforwarded);
}

/* What else happens to a core between two blocks, rarely. */
static void disturb(struct core *core, unsigned how)
{
	if (how == 0)
		core_exception(core);
	else if (how == 1)
		core_wait_until(core, core_time(core) + 100, 5);
	else if (how == 2)
		core_unmap(core, DATA, 4096);
	else if (how == 3)
		core_counts(core);
}

/* Executes a program both ways, whose blocks have equal addresses again and again. */
static void run_program(const struct core_params *params, uint32_t start, uint32_t bytes,
			unsigned anew, unsigned jumps, bool profiled)
{
	struct run plain, replayed;
	unsigned at = 0;

	seed = start;
	draw_blocks(params);
	begin(&plain, params, false, profiled);
	begin(&replayed, params, true, profiled);
	for (unsigned i = 0; i < EXECUTIONS; i++) {
		struct made_block *made = &blocks[at];
		const unsigned how = draw(4000);
		unsigned executed = made->block.count;
		uint64_t next_pc;

		draw_addresses(made, bytes, draw(anew) == 0);
		at = draw(jumps) ? (at + 1) % BLOCKS : draw(BLOCKS);
		next_pc = blocks[at].block.pc;
		if (how == 4 && executed > 1)
			executed--;
		for (struct run *run = &plain;; run = &replayed) {
			core_execute(run->core, &made->block, executed, made->accesses,
				     made->access_count, next_pc);
			disturb(run->core, how);
			if (run == &replayed)
				break;
		}
		assert_int_equal(core_cycle(plain.core), core_cycle(replayed.core));
		assert_int_equal(core_time(plain.core), core_time(replayed.core));
		/* Seldom: reading counts settles them. */
		if (i % 10000 == 0)
			assert_same(&plain, &replayed);
		if (profiled && i % 5000 == 4999)
			assert_same_profile(&plain, &replayed, false);
	}
	core_finish(plain.core);
	core_finish(replayed.core);
	assert_same(&plain, &replayed);
	if (profiled)
		assert_same_profile(&plain, &replayed, true);
	assert_int_equal(core_replays(plain.core), 0);
	if (anew > 100)
		assert_true(core_replays(replayed.core) > 500);
	end(&plain);
	end(&replayed);
	for (unsigned k = 0; k < BLOCKS; k++)
		core_release_block(&blocks[k].block);
}

static size_t count_cores(void)
{
	size_t count = 0;

	while (model_cores[count])
		count++;
	return count;
}

static void test_same_addresses(void **state)
{
	(void)state;
	for (size_t i = 0; i < count_cores(); i += ONE_IN(3))
		run_program(model_cores[i], 1 + (uint32_t)i, 2048, 1000, 1000, false);
}

static void test_other_addresses(void **state)
{
	(void)state;
	for (size_t i = 0; i < count_cores(); i += 3)
		run_program(model_cores[i], 100 + (uint32_t)i, 512, 4, 40, false);
}

static void test_misses(void **state)
{
	(void)state;
	for (size_t i = 0; i < count_cores(); i += 3)
		run_program(model_cores[i], 200 + (uint32_t)i, 8u << 20, 50, 100, false);
}

/* Accesses of two lines and of two pages, one after the other in the same blocks. */
static void test_ends(void **state)
{
	(void)state;
	at_ends = true;
	for (size_t i = 0; i < count_cores(); i += ONE_IN(3)) {
		run_program(model_cores[i], 600 + (uint32_t)i, 4096, 1000, 1000, false);
		run_program(model_cores[i], 700 + (uint32_t)i, 24 * 4096, 100, 1000, false);
	}
	run_program(model_cores[0], 800, 24 * 4096, 100, 1000, true);
	at_ends = false;
}

static void test_profiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < count_cores(); i += 3) {
		run_program(model_cores[i], 300 + (uint32_t)i, 2048, 1000, 1000, true);
		run_program(model_cores[i], 400 + (uint32_t)i, 512, 4, 40, true);
		run_program(model_cores[i], 500 + (uint32_t)i, 8u << 20, 50, 100, true);
	}
}

/* ---- Periods -------------------------------------------------------------------------------- */

#define SETTLES 4096 /* cycles */

/* A run, whose predictions are made ahead, and which skips what repeats. */
struct skipper {
	struct run run;
	struct period *period;
	struct predict_outcome outcome, outcomes[BLOCKS];
	uint64_t settled, skipped;
};

static void execute_one(struct run *run, const struct made_block *made, uint64_t next_pc,
			uint64_t *settled)
{
	core_execute(run->core, &made->block, made->block.count, made->accesses, made->access_count,
		     next_pc);
	if (core_cycle(run->core) - *settled < SETTLES)
		return;
	*settled = core_cycle(run->core);
	core_counts(run->core);
}

/* Blocks from `first` on, as in a loop of so many; each is predicted. */
static void execute_predicted(struct skipper *skipper, unsigned first, unsigned count,
			      unsigned length)
{
	struct core *core = skipper->run.core;

	core_set_foreseen(core, &skipper->outcome);
	for (unsigned i = 0; i < count; i++) {
		const struct made_block *made = &blocks[first + i % length];
		const uint64_t next_pc = blocks[first + (i + 1) % length].block.pc;

		core_foresee(core, &made->block, made->block.count, next_pc, &skipper->outcome);
		skipper->outcomes[i % length] = skipper->outcome;
		execute_one(&skipper->run, made, next_pc, &skipper->settled);
	}
}

/* So many periods, as predicted in the last one. */
static void skip_predicted(struct skipper *skipper, unsigned first, unsigned length, uint64_t times)
{
	period_begin(skipper->period);
	while (times) {
		const uint64_t skipped =
			period_skip(skipper->period, times, &skipper->settled, SETTLES);

		skipper->skipped += skipped;
		times -= skipped;
		if (skipped || !times)
			continue;
		for (unsigned i = 0; i < length; i++) {
			const struct made_block *made = &blocks[first + i];

			skipper->outcome = skipper->outcomes[i];
			execute_one(&skipper->run, made, blocks[first + (i + 1) % length].block.pc,
				    &skipper->settled);
			period_executed(skipper->period, &made->block);
		}
		period_ended(skipper->period);
		times--;
	}
}

/* Returns how many conditional branches there are in each of these blocks' executions. */
static unsigned conditional(unsigned first, unsigned length)
{
	unsigned count = 0;

	for (unsigned i = first; i < first + length; i++)
		count += blocks[i].insns[blocks[i].block.count - 1].branch == BRANCH_CONDITIONAL;
	return count;
}

/* A loop that goes on until the predictors have learnt it, and then as often as drawn. */
static void run_loop(struct run *plain, struct skipper *skipper, uint64_t *settled)
{
	const unsigned length = 1 + draw(draw(2) ? 4 : BLOCKS), first = draw(BLOCKS - length + 1);
	const uint64_t times = draw(2000);
	const unsigned branches = conditional(first, length), left = draw(length);
	struct predictor_mark before, after = {0};
	uint64_t learnt = 0;

	for (unsigned same = 0; same < 4 && learnt < 300; learnt++) {
		before = after;
		execute_predicted(skipper, first, length, length);
		core_foresee_state(skipper->run.core, &after);
		same = memcmp(&before, &after, sizeof(before)) ? 0 : same + 1;
	}
	if (learnt < 300 && core_foresee_room(skipper->run.core) >= times * branches) {
		skip_predicted(skipper, first, length, times);
		core_foresee_skip(skipper->run.core, (uint32_t)times * branches);
	} else {
		execute_predicted(skipper, first, (unsigned)times * length, length);
	}
	execute_predicted(skipper, first, left, length);
	for (uint64_t i = 0; i < (learnt + times) * length + left; i++)
		execute_one(plain, &blocks[first + i % length],
			    blocks[first + (i + 1) % length].block.pc, settled);
}

static uint64_t run_loops(const struct core_params *params, uint32_t start, uint32_t bytes,
			  unsigned accesses)
{
	struct skipper skipper = {0};
	uint64_t settled = 0, skipped;
	struct run plain;

	seed = start;
	draw_blocks(params);
	for (unsigned k = 0; k < BLOCKS; k++) {
		if (draw(100) >= accesses)
			blocks[k].access_count = 0;
		draw_addresses(&blocks[k], bytes, true);
	}
	begin(&plain, params, false, false);
	begin(&skipper.run, params, true, false);
	skipper.period = period_new(skipper.run.core);
	assert_non_null(skipper.period);
	for (unsigned i = 0; i < 20; i++) {
		const unsigned how = draw(16);

		run_loop(&plain, &skipper, &settled);
		assert_int_equal(core_cycle(plain.core), core_cycle(skipper.run.core));
		assert_int_equal(core_time(plain.core), core_time(skipper.run.core));
		assert_int_equal(settled, skipper.settled);
		if (i % 5 == 4)
			assert_same(&plain, &skipper.run);
		disturb(plain.core, how);
		disturb(skipper.run.core, how);
		if (draw(2))
			draw_addresses(&blocks[draw(BLOCKS)], bytes, true);
	}
	core_finish(plain.core);
	core_finish(skipper.run.core);
	assert_same(&plain, &skipper.run);
	skipped = skipper.skipped;
	period_free(skipper.period);
	end(&plain);
	end(&skipper.run);
	for (unsigned k = 0; k < BLOCKS; k++)
		core_release_block(&blocks[k].block);
	return skipped;
}

static void test_periods(void **state)
{
	uint64_t skipped = 0, few = 0;

	(void)state;
	for (size_t i = 0; i < count_cores(); i += ONE_IN(3)) {
		skipped += run_loops(model_cores[i], 900 + (uint32_t)i, 2048, 0);
		few += run_loops(model_cores[i], 1000 + (uint32_t)i, 2048, 40);
		run_loops(model_cores[i], 1100 + (uint32_t)i, 64u << 10, 100);
	}
	assert_true(skipped > 10000 / ONE_IN(3));
	assert_true(few > 1000 / ONE_IN(3));
}

/* Loops whose accesses miss: caches and TLBs of some levels, or all. */
static void test_periods_that_miss(void **state)
{
	uint64_t skipped = 0;

	(void)state;
	for (size_t i = 0; i < count_cores(); i += 4) {
		struct core_params small = *model_cores[i];

		small.l2.bytes = small.l2.ways * 8192;
		small.llc.bytes = small.llc.ways * 16384;
		small.l2_tlb.entries = small.l2_tlb.ways * 4;
		small.walk_cache.entries = small.walk_cache.ways;
		skipped += run_loops(model_cores[i], 1200 + (uint32_t)i, 8u << 20, 100);
		for (unsigned k = 0; k < 4; k++) {
			const uint32_t start = 1300 + 100 * k + (uint32_t)i;

			same_sets = k % 2 == 0;
			skipped += run_loops(k < 2 ? model_cores[i] : &small, start, 8u << 20, 100);
		}
		same_sets = false;
	}
	assert_true(skipped > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_addresses),
		cmocka_unit_test(test_other_addresses),
		cmocka_unit_test(test_misses),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_periods_that_miss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of the memory side that are told to be the same (memory_mark.h), on passes of accesses
 * drawn at random: what is skipped from there leaves it as if all had been made, and any other
 * access makes a difference.
 */
#include "check.h"

#include "events.h"
#include "memory.h"
#include "memory_mark.h"
#include "thorough.h"

#define ACCESSES_MAX 400
#define PASSES_MAX   200
#define WHOLE        (32 * 3 * 25) /* cycles: whole stretches of all paths */
#define DATA         0x10000000ull
#define CODE         0x400000ull

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

enum kind { LOAD, OWN, STORE, STORE_LINE, TRANSLATE, PREFETCH, FETCH, KINDS };

struct made {
	enum kind kind;
	uint64_t address;
	uint32_t after; /* cycles since the one before */
	uint16_t bytes;
};

static struct made pass[ACCESSES_MAX];
static unsigned pass_count;

struct side {
	struct memory_system *system;
	struct memory *memory;
	uint64_t counts[EVENT_COUNT];
	uint64_t cycle;
	uint64_t lag; /* cycles by which accesses of a pass may be behind its beginning */
};

/* Makes an access, and returns all that is answered, in a number. */
static uint64_t make(struct side *side, const struct made *made)
{
	const uint64_t cycle = side->cycle, pc = CODE + made->address % 64 * 4;
	struct memory *m = side->memory;
	struct memory_result result = {.ready = cycle, .translated = cycle};

	if (made->kind == LOAD || made->kind == OWN)
		memory_load(m, cycle, pc, made->address, made->bytes, made->kind == OWN, &result);
	else if (made->kind == STORE || made->kind == STORE_LINE)
		memory_store(m, cycle, pc, made->address, made->bytes, made->kind == STORE_LINE,
			     &result);
	else if (made->kind == TRANSLATE)
		memory_translate(m, cycle, made->address, made->bytes, &result);
	else if (made->kind == PREFETCH)
		memory_prefetch(m, cycle, made->address, false);
	else
		memory_fetch(m, cycle, CODE + made->address % (1u << 24), &result);
	return (result.ready - cycle) << 32 ^ (result.translated - cycle) << 8 ^ result.level ^
	       (uint64_t)result.tlb << 4;
}

static void make_pass(struct side *side)
{
	uint64_t end = side->cycle;

	side->cycle -= side->lag;
	for (unsigned i = 0; i < pass_count; i++) {
		side->cycle += pass[i].after;
		make(side, &pass[i]);
	}
	while (end <= side->cycle)
		end += WHOLE;
	side->cycle = end;
}

static struct made draw_access(unsigned blocks, bool misses)
{
	struct made made = {.kind = draw(8) ? draw(3) ? LOAD : STORE : draw(KINDS),
			    .after = draw(2) ? draw(4) : draw(60),
			    .bytes = (uint16_t)(1u << draw(5))};

	made.address = DATA + 65536ull * draw(blocks) + (misses ? 64 * draw(6) : 8 * draw(8192));
	made.address &= ~(uint64_t)(made.bytes - 1);
	return made;
}

/* Some passes have loops over lines in order, for prefetchers. */
static void draw_pass(void)
{
	const unsigned blocks = 1 + draw(60);
	const bool misses = draw(2), in_order = draw(3) == 0;

	pass_count = 1 + draw(ACCESSES_MAX);
	for (unsigned i = 0; i < pass_count; i++) {
		pass[i] = draw_access(blocks, misses);
		if (in_order && i % 4)
			pass[i].address = DATA + 64ull * i;
	}
}

static void begin(struct side *side, const struct core_params *params, uint64_t lag)
{
	memset(side, 0, sizeof(*side));
	side->system = memory_system_new(params);
	assert_non_null(side->system);
	side->memory = memory_new(side->system, params, side->counts);
	assert_non_null(side->memory);
	side->cycle = WHOLE;
	side->lag = lag;
}

static void end(struct side *side)
{
	memory_free(side->memory);
	memory_system_free(side->system);
}

/* Makes passes until a state is there again. Returns how many it has taken; 0: it never is. */
static unsigned find_same(struct side *side, struct memory_mark *mark, unsigned *all)
{
	unsigned since = 0, next = 1;

	memory_mark_begin(mark);
	for (*all = 0; *all < PASSES_MAX;) {
		make_pass(side);
		since++;
		++*all;
		if (memory_mark_may_be_back(mark, side->cycle) &&
		    memory_mark_is_back(mark, side->cycle, side->cycle - side->lag))
			return since;
		if (since != next)
			continue;
		assert_true(memory_mark_set(mark, side->cycle, side->cycle - side->lag));
		since = 0;
		next *= 2;
	}
	return 0;
}

static void assert_same(struct side *a, struct side *b)
{
	struct memory_busy busy[2];

	memory_settle(a->memory, a->counts);
	memory_settle(b->memory, b->counts);
	assert_memory_equal(a->counts, b->counts, sizeof(a->counts));
	memory_busy(a->memory, &busy[0]);
	memory_busy(b->memory, &busy[1]);
	assert_memory_equal(&busy[0], &busy[1], sizeof(busy[0]));
}

/* Skips on one side, and makes all passes on another, then the same accesses on both. */
static void skip_passes(const struct core_params *params, struct side *side,
			struct memory_mark *mark, unsigned length, unsigned all)
{
	const uint64_t times = 1 + draw(8);
	const uint64_t passes = all + times * length;
	struct side plain;

	begin(&plain, params, side->lag);
	for (uint64_t i = 0; i < passes; i++)
		make_pass(&plain);
	memory_mark_know(mark);
	memory_mark_skip(mark, times, plain.cycle - side->cycle, side->cycle - side->lag);
	side->cycle = plain.cycle;
	assert_same(side, &plain);
	side->cycle = plain.cycle -= side->lag;
	for (unsigned i = 0; i < 300; i++) {
		const struct made made = draw_access(64, draw(2));

		side->cycle = plain.cycle += made.after;
		assert_int_equal(make(side, &made), make(&plain, &made));
	}
	assert_same(side, &plain);
	end(&plain);
}

static struct core_params params_of(unsigned number)
{
	struct core_params params;
	unsigned count = 0;

	while (model_cores[count])
		count++;
	params = *model_cores[number % count];
	if (number & 1) {
		params.l2.bytes = params.l2.ways * 8192;
		params.llc.bytes = params.llc.ways * 16384;
		params.l2_tlb.entries = params.l2_tlb.ways * 4;
		params.walk_cache.entries = params.walk_cache.ways;
	}
	return params;
}

/* Makes passes that a number stands for, until a state is there again. Returns likewise. */
static unsigned begin_same(struct side *side, const struct core_params *params, uint32_t from,
			   struct memory_mark **mark, unsigned *all)
{
	seed = from;
	draw_pass();
	begin(side, params, draw(2) ? draw(40) : 0);
	*mark = memory_mark_new(side->memory);
	assert_non_null(*mark);
	return find_same(side, *mark, all);
}

static void what_is_skipped_is_as_if_made(void **state)
{
	unsigned found = 0;

	(void)state;
	for (unsigned number = 0; number < 60; number += ONE_IN(3)) {
		const struct core_params params = params_of(number);
		struct memory_mark *mark;
		struct side side;
		unsigned length, all;

		length = begin_same(&side, &params, 1 + number, &mark, &all);
		if (length)
			skip_passes(&params, &side, mark, length, all);
		found += length != 0;
		memory_mark_free(mark);
		end(&side);
	}
	assert_true(found > 25 / ONE_IN(3));
}

/* One access more, of an address that no pass has, is seen, wherever it leaves its trace. */
static void another_access_is_seen(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (unsigned number = 0; number < 42; number += ONE_IN(3)) {
		const struct core_params params = params_of(number);
		struct made more = {.kind = number % 7, .bytes = 8};
		struct memory_mark *mark;
		struct side side;
		unsigned length, all;

		length = begin_same(&side, &params, 1000 + number, &mark, &all);
		if (length) {
			const uint64_t floor = side.cycle - side.lag;

			assert_false(memory_mark_is_back(mark, side.cycle, floor - 1));
			more.address = DATA + 65536ull * 100 + 64 * draw(64);
			make(&side, &more);
			assert_false(memory_mark_is_back(mark, side.cycle, floor));
			seen++;
		}
		memory_mark_free(mark);
		end(&side);
	}
	assert_true(seen > 20 / ONE_IN(3));
}

/* The same lines in another order of use are another state. */
static void the_order_of_use_is_seen(void **state)
{
	const struct core_params params = *model_cores[0];
	const struct made first = {LOAD, DATA, 32, 8};
	const struct made second = {LOAD, DATA + 65536, 32, 8};
	const struct made third = {LOAD, DATA + 2 * 65536, 32, 8};
	const struct made *const orders[2][3] = {{&first, &second, &third},
						 {&second, &first, &third}};
	struct memory_mark *mark;
	struct side side;

	(void)state;
	begin(&side, &params, 0);
	mark = memory_mark_new(side.memory);
	assert_non_null(mark);
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned k = 0; k < 3; k++) {
			make(&side, orders[i == 11][k]);
			side.cycle += WHOLE;
		}
		if (i == 9)
			assert_true(memory_mark_set(mark, side.cycle, side.cycle));
		if (i > 9)
			assert_int_equal(memory_mark_is_back(mark, side.cycle, side.cycle),
					 i == 10);
	}
	memory_mark_free(mark);
	end(&side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_skipped_is_as_if_made),
		cmocka_unit_test(another_access_is_seen),
		cmocka_unit_test(the_order_of_use_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

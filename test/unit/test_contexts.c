/* SPDX-License-Identifier: Apache-2.0 */
/* Calling contexts from calls and returns. */
#include "check.h"

#include "contexts.h"
#include "thorough.h"

static struct contexts contexts;

static void assert_sites(const uint64_t *expected, size_t count)
{
	uint64_t sites[CONTEXT_DEPTH_MAX];

	assert_int_equal(contexts_sites(&contexts, contexts.current, sites, CONTEXT_DEPTH_MAX),
			 count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(sites[i], expected[i]);
}

/* The call sites of the current context, the innermost first. */
#define ASSERT_SITES(...)                             \
	assert_sites((const uint64_t[]){__VA_ARGS__}, \
		     sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void call(uint64_t site, uint64_t callee)
{
	contexts_call(&contexts, site, callee, site + 4);
}

static int set_up(void **state)
{
	(void)state;
	return contexts_set_up(&contexts) ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	contexts_clean_up(&contexts);
	return 0;
}

static void calls_and_returns(void **state)
{
	uint32_t inner;

	(void)state;
	assert_int_equal(contexts.current, 0);
	call(0x100, 0x1000);
	call(0x1010, 0x2000);
	ASSERT_SITES(0x1010, 0x100);
	inner = contexts.current;
	contexts_return(&contexts, 0x1014);
	ASSERT_SITES(0x100);
	call(0x1020, 0x2000);
	ASSERT_SITES(0x1020, 0x100);
	assert_int_not_equal(contexts.current, inner);
	contexts_return(&contexts, 0x1024);
	call(0x1010, 0x2000);
	assert_int_equal(contexts.current, inner);
	contexts_return(&contexts, 0x1014);
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.current, 0);
	/* Nothing to return to. */
	contexts_return(&contexts, 0x5000);
	assert_int_equal(contexts.current, 0);
}

/* A function that is left by a jump returns for its caller; a return may skip frames. */
static void tail_calls_and_unwinding(void **state)
{
	(void)state;
	call(0x100, 0x1000);
	call(0x1010, 0x2000);
	contexts_jump(&contexts, 0x2100, 0x3000);
	ASSERT_SITES(0x1010, 0x100);
	contexts_return(&contexts, 0x1014);
	ASSERT_SITES(0x100);
	call(0x1010, 0x2000);
	call(0x2010, 0x3000);
	call(0x3010, 0x4000);
	contexts_return(&contexts, 0x1014);
	ASSERT_SITES(0x100);
}

/* setjmp returns, and returns again from further down. */
static void longjmp_returns_again(void **state)
{
	(void)state;
	call(0x100, 0x1000);
	call(0x1010, 0x9000); /* setjmp */
	contexts_return(&contexts, 0x1014);
	for (unsigned i = 0; i < 3; i++) {
		call(0x1020, 0x2000);
		call(0x2010, 0x3000);
		call(0x3010, 0xa000); /* longjmp */
		if (i == 1)
			contexts_return(&contexts, 0x1014);
		else
			contexts_jump(&contexts, 0xa100, 0x1014);
		ASSERT_SITES(0x100);
	}
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.current, 0);
}

/* The unwinder, which calls others, leaves its frames and those up to the function of `pad`. */
static void throw_to(uint64_t site, uint64_t pad)
{
	call(site, 0x9000);
	call(0x9010, 0x9800);
	call(0x9810, 0x9c00);
	contexts_return(&contexts, 0x9814);
	contexts_return(&contexts, pad);
}

static void exceptions_are_caught(void **state)
{
	(void)state;
	call(0x100, 0x1000);
	/* Behind what the function called. */
	call(0x1010, 0x2000);
	throw_to(0x2010, 0x1040);
	ASSERT_SITES(0x100);
	call(0x1050, 0x3000);
	ASSERT_SITES(0x1050, 0x100);
	contexts_return(&contexts, 0x1054);
	/* In the innermost function, and in the one between. */
	throw_to(0x1014, 0x1040);
	ASSERT_SITES(0x100);
	call(0x1010, 0x2000);
	call(0x2010, 0x3000);
	throw_to(0x3010, 0x2080);
	ASSERT_SITES(0x1010, 0x100);
	contexts_return(&contexts, 0x1014);
	ASSERT_SITES(0x100);
	/* Apart from the function, until it calls something. */
	call(0x1010, 0x2000);
	throw_to(0x2010, 0x500);
	call(0x520, 0xa000);
	contexts_return(&contexts, 0x524);
	call(0x1060, 0x3000);
	ASSERT_SITES(0x1060, 0x100);
	contexts_return(&contexts, 0x1064);
	/* In a function that a stub leads to. */
	call(0x1070, 0x700);
	contexts_jump(&contexts, 0x70c, 0x40000);
	throw_to(0x40010, 0x40040);
	ASSERT_SITES(0x1070, 0x100);
	contexts_return(&contexts, 0x1074);
	/* Likewise, but that is a branch. */
	call(0x1070, 0x800);
	contexts_branch(&contexts, 0x804, 0x50000);
	contexts_branch(&contexts, 0x50010, 0x50020);
	throw_to(0x50010, 0x50018);
	ASSERT_SITES(0x1070, 0x100);
	contexts_return(&contexts, 0x1074);
	ASSERT_SITES(0x100);
}

/* What switches to another stack calls nothing, and is returned to later. */
static void stacks_are_switched(void **state)
{
	(void)state;
	call(0x100, 0x1000);
	call(0x1010, 0x6000);
	contexts_return(&contexts, 0x30000);
	ASSERT_SITES(0x1010, 0x100);
	contexts_return(&contexts, 0x1014);
	ASSERT_SITES(0x100);
}

#define DEEP (300000 / ONE_IN(10))

static void go_deep(void)
{
	call(0x100, 0x1000);
	call(0x1010, 0x9000); /* setjmp */
	contexts_return(&contexts, 0x1014);
	call(0x1020, 0x2000);
	for (unsigned i = 0; i < DEEP; i++)
		call(0x2010, 0x2000);
	call(0x2020, 0xa000); /* longjmp */
}

/* However many frames they leave, a longjmp and a return lead to the right one. */
static void long_ways_back(void **state)
{
	const uint64_t targets[] = {0x1014, 0x1024};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		go_deep();
		if (i / 2)
			contexts_return(&contexts, targets[i % 2]);
		else
			contexts_jump(&contexts, 0xa100, targets[i % 2]);
		ASSERT_SITES(0x100);
		assert_int_equal(contexts.depth, 1);
		contexts_return(&contexts, 0x104);
		assert_int_equal(contexts.current, 0);
	}
	go_deep();
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.depth, 0);
}

/* One that leads to no frame takes the same time, however many there are. */
static void ways_to_nowhere(void **state)
{
	uint32_t depth;

	(void)state;
	call(0x3000, 0x4000);
	call(0x4010, 0x5000);
	contexts_return(&contexts, 0x4014);
	contexts_return(&contexts, 0x3004);
	go_deep();
	depth = contexts.depth;
	for (unsigned i = 0; i < DEEP; i++) {
		contexts_return(&contexts, 0x4014); /* called by nothing that is active */
		contexts_return(&contexts, 0x700000 + 4 * i);
		call(0xa010, 0xb000);
		contexts_jump(&contexts, 0xa100, 0x4014);
		contexts_return(&contexts, 0xa014);
	}
	assert_int_equal(contexts.depth, depth);
}

/* What has a context to itself: function `f` is called by `f - 1` only. */
static uint64_t function(unsigned f)
{
	return 0x10000 * (1 + (uint64_t)f);
}

/* Beside a stack of what is active: random calls, and ways back over any number of frames. */
static void ways_back_at_random(void **state)
{
	unsigned depth = 0, marked = 0;
	uint64_t sites[CONTEXT_DEPTH_MAX];
	bool returns_again[2000] = {false};

	(void)state;
	srand(1);
	for (unsigned step = 0; step < 200000 / ONE_IN(5); step++) {
		const int what = rand() % 40;

		if (what < 30 && depth < 1999) {
			call(function(depth) + 0x20, function(depth + 1));
			returns_again[++depth] = false;
		} else if (what < 32) {
			call(function(depth) + 0x10, 0x9000); /* setjmp */
			contexts_return(&contexts, function(depth) + 0x14);
			returns_again[depth] = true;
		} else if (depth && what < 39) {
			depth--;
			contexts_return(&contexts, function(depth) + 0x24);
		} else if (depth && rand() % 8 == 0) {
			const unsigned to = (unsigned)rand() % depth;

			/* Deeper functions have no context to themselves. */
			if (to < CONTEXT_DEPTH_MAX && returns_again[to])
				contexts_jump(&contexts, 0, function(to) + 0x14);
			else
				contexts_return(&contexts, function(to) + 0x24);
			marked += depth - to > 300;
			depth = to;
		}
		assert_int_equal(contexts.depth, depth);
		if (depth > CONTEXT_DEPTH_MAX)
			continue;
		assert_int_equal(
			contexts_sites(&contexts, contexts.current, sites, CONTEXT_DEPTH_MAX),
			depth);
		for (unsigned i = 0; i < depth; i++)
			assert_int_equal(sites[i], function(depth - 1 - i) + 0x20);
	}
	assert_true(marked > 20 / ONE_IN(5));
}

static void recursion_leads_back(void **state)
{
	uint32_t once, count;

	(void)state;
	call(0x100, 0x1000);
	call(0x1010, 0x2000);
	once = contexts.current;
	count = contexts.count;
	for (unsigned i = 0; i < 5000; i++) {
		call(0x2010, 0x1000); /* by way of another function, which stays on the path */
		ASSERT_SITES(0x2010, 0x1010, 0x100);
		call(0x1010, 0x2000);
		assert_int_equal(contexts.current, once);
	}
	assert_int_equal(contexts.count, count + 1);
	assert_true(contexts.recursive > 0);
	for (unsigned i = 0; i < 5000; i++) {
		contexts_return(&contexts, 0x1014);
		contexts_return(&contexts, 0x2014);
	}
	ASSERT_SITES(0x1010, 0x100);
	contexts_return(&contexts, 0x1014);
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.current, 0);
}

static void handlers_interrupt(void **state)
{
	(void)state;
	call(0x100, 0x1000);
	contexts_signal(&contexts, 0x1008, 0x7000);
	ASSERT_SITES(0x1008, 0x100);
	call(0x7010, 0x2000);
	contexts_return(&contexts, 0x7014);
	contexts_return(&contexts, 0xf000); /* the trampoline */
	ASSERT_SITES(0x1008, 0x100);
	contexts_signal_returns(&contexts);
	ASSERT_SITES(0x100);
	/* One that returns where there is none. */
	contexts_signal_returns(&contexts);
	ASSERT_SITES(0x100);
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.current, 0);
}

static void deep_calls_stay_with_their_caller(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2 * CONTEXT_DEPTH_MAX; i++)
		call(0x1000 * i + 0x10, 0x1000 * (i + 1));
	assert_int_equal(contexts.count, CONTEXT_DEPTH_MAX + 1);
	assert_int_equal(contexts.too_deep, CONTEXT_DEPTH_MAX);
	for (uint64_t i = 2 * CONTEXT_DEPTH_MAX; i-- > 0;)
		contexts_return(&contexts, 0x1000 * i + 0x14);
	assert_int_equal(contexts.current, 0);
}

static void many_calls_stay_with_their_caller(void **state)
{
	(void)state;
	contexts.limit = 100;
	call(0x100, 0x1000);
	for (uint64_t i = 0; i < 1000; i++) {
		call(0x1000 + 4 * i, 0x100000 + 0x1000 * i);
		contexts_return(&contexts, 0x1004 + 4 * i);
		ASSERT_SITES(0x100);
	}
	assert_int_equal(contexts.count, 100);
	assert_int_equal(contexts.too_many, 1000 - 98);
}

/* Whether the same calls and returns, from the mark to here, would lead here again. */
static void marks_are_reached_again(void **state)
{
	struct contexts_mark mark;

	(void)state;
	call(0x100, 0x1000);
	call(0x1010, 0x2000);
	contexts_set_mark(&contexts, &mark);
	assert_true(contexts_are_back(&contexts, &mark));
	call(0x2010, 0x3000);
	assert_false(contexts_are_back(&contexts, &mark));
	contexts_return(&contexts, 0x2014);
	assert_false(contexts_are_back(&contexts, &mark)); /* a call was new */
	contexts_set_mark(&contexts, &mark);
	call(0x2010, 0x3000);
	contexts_return(&contexts, 0x2014);
	assert_true(contexts_are_back(&contexts, &mark));
	/* Up and down again, by the call that it was and by another one of the same depth. */
	contexts_return(&contexts, 0x1014);
	call(0x1010, 0x2000);
	assert_true(contexts_are_back(&contexts, &mark));
	contexts_return(&contexts, 0x1014);
	contexts_return(&contexts, 0x104);
	call(0x200, 0x1000);
	call(0x1010, 0x2000);
	assert_false(contexts_are_back(&contexts, &mark));
	/* Recursion comes to the same context, but not to the same depth. */
	call(0x2020, 0x2000);
	call(0x2020, 0x2000);
	contexts_set_mark(&contexts, &mark);
	call(0x2020, 0x2000);
	assert_int_equal(contexts.current, mark.current);
	assert_false(contexts_are_back(&contexts, &mark));
	/* Where an exception was caught is another matter each time. */
	contexts_set_mark(&contexts, &mark);
	contexts_return(&contexts, 0xdead0);
	call(0x2020, 0x2000);
	contexts_return(&contexts, 0x2024);
	assert_false(contexts_are_back(&contexts, &mark));
}

/* What is deeper than a mark remembers must not have changed. */
static void marks_remember_some_frames(void **state)
{
	struct contexts_mark mark;

	(void)state;
	for (uint64_t i = 0; i < CONTEXTS_MARKED + 2; i++)
		call(0x1000 * i + 0x10, 0x1000 * (i + 1));
	contexts_set_mark(&contexts, &mark);
	for (uint64_t i = CONTEXTS_MARKED + 2; i-- > 2;)
		contexts_return(&contexts, 0x1000 * i + 0x14);
	for (uint64_t i = 2; i < CONTEXTS_MARKED + 2; i++)
		call(0x1000 * i + 0x10, 0x1000 * (i + 1));
	assert_true(contexts_are_back(&contexts, &mark));
	contexts_set_mark(&contexts, &mark);
	for (uint64_t i = CONTEXTS_MARKED + 2; i-- > 1;)
		contexts_return(&contexts, 0x1000 * i + 0x14);
	for (uint64_t i = 1; i < CONTEXTS_MARKED + 2; i++)
		call(0x1000 * i + 0x10, 0x1000 * (i + 1));
	assert_false(contexts_are_back(&contexts, &mark));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(calls_and_returns),
		TEST(tail_calls_and_unwinding),
		TEST(longjmp_returns_again),
		TEST(exceptions_are_caught),
		TEST(stacks_are_switched),
		TEST(long_ways_back),
		TEST(ways_to_nowhere),
		TEST(ways_back_at_random),
		TEST(recursion_leads_back),
		TEST(handlers_interrupt),
		TEST(deep_calls_stay_with_their_caller),
		TEST(many_calls_stay_with_their_caller),
		TEST(marks_are_reached_again),
		TEST(marks_remember_some_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calling contexts from calls and returns. */
#include "check.h"

#include "contexts.h"

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
	contexts_jump(&contexts, 0x3000);
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
			contexts_jump(&contexts, 0x1014);
		ASSERT_SITES(0x100);
	}
	contexts_return(&contexts, 0x104);
	assert_int_equal(contexts.current, 0);
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
		call(0x2010, 0x1000); /* by way of another function */
		call(0x1010, 0x2000);
		assert_int_equal(contexts.current, once);
	}
	assert_int_equal(contexts.count, count);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(calls_and_returns),
		TEST(tail_calls_and_unwinding),
		TEST(longjmp_returns_again),
		TEST(recursion_leads_back),
		TEST(handlers_interrupt),
		TEST(deep_calls_stay_with_their_caller),
		TEST(many_calls_stay_with_their_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

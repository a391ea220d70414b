/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/arena.h"

static void zeroed_and_aligned(void **state)
{
	struct arena arena = {0};

	(void)state;
	for (size_t size = 1; size < 3000; size += 37) {
		unsigned char *at = arena_alloc(&arena, size);

		assert_non_null(at);
		assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(at[i], 0);
		memset(at, 0xff, size);
	}
	arena_free(&arena);
	assert_null(arena.newest);
}

static void larger_than_a_block(void **state)
{
	struct arena arena = {0};
	size_t size = 1u << 20;
	char *big = arena_alloc(&arena, size);
	char *small = arena_strdup(&arena, "small");

	(void)state;
	assert_non_null(big);
	big[size - 1] = 1;
	assert_string_equal(small, "small");
	arena_free(&arena);
}

static void overflow_is_refused(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_null(arena_alloc_array(&arena, SIZE_MAX / 2, 3));
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_copy(&arena, "", SIZE_MAX));
	arena_free(&arena);
}

static void copy_takes_what_it_is_told(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(arena_copy(&arena, "abcdef", 3), "abc");
	assert_string_equal(arena_copy(&arena, NULL, 0), "");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned),
		cmocka_unit_test(larger_than_a_block),
		cmocka_unit_test(overflow_is_refused),
		cmocka_unit_test(copy_takes_what_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

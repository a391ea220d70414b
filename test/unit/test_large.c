/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/large.h"

static void an_array_keeps_what_is_used(void **state)
{
	uint32_t *array = NULL;
	size_t used = 0;

	(void)state;
	/* From what malloc() gives up to several huge pages, and back. */
	for (size_t count = 100; count < 2000000; count *= 7) {
		array = large_resize(array, used, count, sizeof(*array));
		assert_non_null(array);
		for (size_t i = 0; i < used; i++)
			assert_int_equal(array[i], i * 3);
		for (size_t i = used; i < count; i++)
			array[i] = (uint32_t)i * 3;
		used = count;
	}
	assert_true(used * sizeof(*array) > (size_t)2 << 20);
	array = large_resize(array, 10, 10, sizeof(*array));
	assert_non_null(array);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(array[i], i * 3);
	free(array);
}

static void lines_are_aligned(void **state)
{
	(void)state;
	for (size_t count = 1; count < 100000; count = count * 5 + 1) {
		char(*lines)[64] = large_alloc(count, sizeof(*lines));

		assert_non_null(lines);
		assert_int_equal((uintptr_t)lines % sizeof(*lines), 0);
		memset(lines, 0xff, count * sizeof(*lines));
		free(lines);
	}
	assert_null(large_alloc(SIZE_MAX / 4, 8));
	assert_null(large_alloc(SIZE_MAX, 1));
}

static void what_is_too_large_leaves_the_array(void **state)
{
	char *array = large_resize(NULL, 0, 8, 1);

	(void)state;
	assert_non_null(array);
	array[7] = 'x';
	assert_null(large_resize(array, 8, SIZE_MAX / 2, 4));
	assert_null(large_resize(array, 8, SIZE_MAX, 1));
	assert_int_equal(array[7], 'x');
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_keeps_what_is_used),
		cmocka_unit_test(lines_are_aligned),
		cmocka_unit_test(what_is_too_large_leaves_the_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

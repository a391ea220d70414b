/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/large.h"
#include "thorough.h"

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

/* Returns the bytes of memory that RLIMIT_DATA limits. */
static size_t data_size(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	size_t size = 0;
	char line[256];

	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmData:", 7))
			size = strtoul(line + 7, NULL, 10);
	assert_int_equal(fclose(status), 0);
	assert_true(size > 0);
	return size << 10;
}

/* A limit leaves room for an array, but not for the place of a huge page beside it. */
static void a_limit_leaves_small_pages(void **state)
{
	const size_t size = (size_t)3 << 20;
	struct rlimit before, limit;
	char *array;

	(void)state;
	/* Sanitizers take memory of their own, and emulators know no limit. */
	if (ONE_IN(2) != 1)
		skip();
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	limit = before;
	limit.rlim_cur = data_size() + size + (1u << 20);
	if (limit.rlim_cur > limit.rlim_max)
		skip();
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	array = large_alloc(size, 1);
	assert_null(large_alloc(2 * size, 1));
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	assert_non_null(array);
	assert_int_equal((uintptr_t)array % 64, 0);
	memset(array, 0xff, size);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_keeps_what_is_used),
		cmocka_unit_test(lines_are_aligned),
		cmocka_unit_test(what_is_too_large_leaves_the_array),
		cmocka_unit_test(a_limit_leaves_small_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all formats: their names, their parts, and streams that fail. */
#include "check.h"

#include <jansson.h>

#include "exported.h"
#include "small_spec.h"

static const char *const formats[] = {"mrs", "perf-json", "markdown", "csv"};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

static void formats_are_listed(void **state)
{
	(void)state;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		assert_string_equal(plumb_export_format(i)->name, formats[i]);
		assert_true(strlen(plumb_export_format(i)->title) > 0);
	}
	assert_null(plumb_export_format(FORMAT_COUNT));
	assert_null(plumb_export_format(SIZE_MAX));
}

static void parts_are_listed(void **state)
{
	static const char *const expected[][8] = {
		{"small-one-r1p2.json"},
		{"arm/small-one-r1p2/l1d_cache.json", "arm/small-one-r1p2/general.json",
		 "arm/small-one-r1p2/stall.json", "arm/small-one-r1p2/other.json",
		 "arm/small-one-r1p2/metrics.json", "arm/small-one-r1p2/mapfile.csv"},
		{"small-one-r1p2.md"},
		{"events.csv", "metrics.csv"},
	};
	char name[PLUMB_EXPORT_PART_MAX];

	(void)state;
	for (size_t f = 0; f < FORMAT_COUNT; f++) {
		size_t i = 0;

		for (; expected[f][i]; i++) {
			assert_int_equal(plumb_export_part(&small_spec, formats[f], i, name), 0);
			assert_string_equal(name, expected[f][i]);
		}
		assert_int_equal(plumb_export_part(&small_spec, formats[f], i, name),
				 PLUMB_ERR_NOT_FOUND);
	}
	assert_int_equal(plumb_export_part(&small_spec, "xml", 0, name), PLUMB_ERR_NOT_FOUND);
}

/* Exports and throws away. */
static int try_export(const struct plumb_spec *spec, const char *format, const char *part)
{
	FILE *out = fopen("/dev/null", "w");
	int result;

	assert_non_null(out);
	result = plumb_export(spec, format, part, out, NULL);
	assert_int_equal(fclose(out), 0);
	return result;
}

static void part_may_be_named_in_short(void **state)
{
	static const char *const names[] = {
		"arm/small-one-r1p2/l1d_cache.json",
		"arm/small-one-r1p2/l1d_cache",
		"l1d_cache.json",
		"l1d_cache",
	};
	char *expected = exported(&small_spec, "perf-json", names[0], NULL);

	(void)state;
	assert_non_null(strstr(expected, "L1D_CACHE_REFILL"));
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = exported(&small_spec, "perf-json", names[i], NULL);

		assert_string_equal(text, expected);
		free(text);
	}
	free(expected);
}

static void unknown_names_are_not_found(void **state)
{
	static const char *const parts[] = {"",
					    "cache",
					    "l1d_cach",
					    "1d_cache",
					    "json",
					    ".json",
					    "l1d_cache.csv",
					    "arm/l1d_cache.json",
					    "small-one-r1p2/l1d_cache"};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_int_equal(try_export(&small_spec, "perf-json", parts[i]),
				 PLUMB_ERR_NOT_FOUND);
	assert_int_equal(try_export(&small_spec, "csv", "groups"), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(try_export(&small_spec, "MRS", NULL), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(try_export(&small_spec, "", NULL), PLUMB_ERR_NOT_FOUND);
}

/* Names of files are made from what a file says: none may lead elsewhere or fail to be one. */
static void names_of_parts_are_harmless(void **state)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-./";
	char long_name[2000];
	const char *const names[] = {"../../etc/passwd",  "/",      "", ".", "a b\nc",
				     "\xc3\xa9t\xc3\xa9", long_name};
	struct small_copy copy;

	(void)state;
	memset(long_name, 'L', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		small_spec_copy(&copy);
		copy.spec.id = names[n];
		for (uint16_t i = 0; i < copy.spec.functional_group_count; i++)
			copy.functional_groups[i].name = names[n];
		for (size_t f = 0; f < FORMAT_COUNT; f++) {
			char name[PLUMB_EXPORT_PART_MAX] = "";

			for (size_t i = 0; plumb_export_part(&copy.spec, formats[f], i, name) == 0;
			     i++) {
				assert_int_equal(strspn(name, allowed), strlen(name));
				assert_null(strstr(name, ".."));
				assert_null(strstr(name, "//"));
				assert_int_not_equal(name[0], '/');
				assert_int_equal(try_export(&copy.spec, formats[f], name), 0);
			}
		}
	}
	copy.spec.id = NULL;
	assert_int_equal(plumb_export_part(&copy.spec, "mrs", 0, long_name), 0);
	assert_string_equal(long_name, "_.json");
}

/* A disk that is full, which shows as late as when the stream is flushed. */
static void full_stream_is_an_error(void **state)
{
	(void)state;
	for (size_t f = 0; f < FORMAT_COUNT; f++) {
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		assert_int_equal(plumb_export(&small_spec, formats[f], NULL, out, NULL),
				 PLUMB_ERR_IO);
		fclose(out);
	}
}

/* The same, unbuffered: the first byte already fails. */
static void failing_stream_is_an_error(void **state)
{
	(void)state;
	for (size_t f = 0; f < FORMAT_COUNT; f++) {
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		setvbuf(out, NULL, _IONBF, 0);
		assert_int_equal(plumb_export(&small_spec, formats[f], NULL, out, NULL),
				 PLUMB_ERR_IO);
		fclose(out);
	}
}

static size_t allocations_left;

static void *scarce_malloc(size_t size)
{
	if (allocations_left == 0)
		return NULL;
	allocations_left--;
	return malloc(size);
}

/* Every allocation of JSON fails once: an error each time, and, under ASan, nothing leaks. */
static void short_memory_is_an_error(void **state)
{
	(void)state;
	for (size_t f = 0; f < FORMAT_COUNT; f++) {
		int result = PLUMB_ERR_NO_MEMORY;
		size_t tried = 0;

		for (; result != 0; tried++) {
			json_set_alloc_funcs(scarce_malloc, free);
			allocations_left = tried;
			result = try_export(&small_spec, formats[f], NULL);
			json_set_alloc_funcs(malloc, free);
			if (result)
				assert_int_equal(result, PLUMB_ERR_NO_MEMORY);
		}
		if (f < 2) /* those that build JSON */
			assert_true(tried > 50);
	}
}

static void empty_specification_is_written(void **state)
{
	static const struct plumb_spec empty = {.id = "empty"};
	char *text;

	(void)state;
	for (size_t f = 0; f < FORMAT_COUNT; f++)
		assert_int_equal(try_export(&empty, formats[f], NULL), 0);
	text = exported(&empty, "perf-json", NULL, NULL);
	assert_string_equal(text, "[]\n");
	free(text);
	text = exported(&empty, "csv", "metrics", NULL);
	assert_string_equal(text, "name,title,units,formula,events,sample_events,groups\r\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_listed),
		cmocka_unit_test(parts_are_listed),
		cmocka_unit_test(part_may_be_named_in_short),
		cmocka_unit_test(unknown_names_are_not_found),
		cmocka_unit_test(names_of_parts_are_harmless),
		cmocka_unit_test(full_stream_is_an_error),
		cmocka_unit_test(failing_stream_is_an_error),
		cmocka_unit_test(short_memory_is_an_error),
		cmocka_unit_test(empty_specification_is_written),
	};

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <ctype.h>

#include "small_spec.h"
#include "spec/lookup.h"

static const struct plumb_spec *const spec = &small_spec;

/* `text` with its letters small, capital, or as they are, in memory of its own. */
static const char *in_case(const char *text, int how)
{
	static char copy[256];
	size_t i;

	for (i = 0; i < sizeof(copy) - 1 && text[i]; i++)
		copy[i] = (char)(how < 0   ? tolower((unsigned char)text[i])
				 : how > 0 ? toupper((unsigned char)text[i])
					   : text[i]);
	copy[i] = 0;
	return copy;
}

static void every_element_by_name_in_any_case(void **state)
{
	(void)state;
	for (int how = -1; how <= 1; how++) {
		for (uint16_t i = 0; i < spec->event_count; i++) {
			const struct plumb_event *e = &spec->events[i];

			assert_int_equal(plumb_spec_event(spec, in_case(e->name, how)), i);
			assert_int_equal(plumb_spec_event_by_title(spec, in_case(e->title, how)),
					 i);
		}
		for (uint16_t i = 0; i < spec->metric_count; i++) {
			const struct plumb_metric *m = &spec->metrics[i];

			assert_int_equal(plumb_spec_metric(spec, in_case(m->name, how)), i);
			assert_int_equal(plumb_spec_metric_by_title(spec, in_case(m->title, how)),
					 i);
		}
		for (uint16_t i = 0; i < spec->metric_group_count; i++)
			assert_int_equal(plumb_spec_metric_group(
						 spec, in_case(spec->metric_groups[i].name, how)),
					 i);
		for (uint16_t i = 0; i < spec->functional_group_count; i++) {
			const char *name = in_case(spec->functional_groups[i].name, how);

			assert_int_equal(plumb_spec_functional_group(spec, name), i);
		}
	}
}

static void what_is_not_there_is_none(void **state)
{
	static const char *const names[] = {"",    "CPU_CYCLE", "CPU_CYCLES2",
					    "zzz", "\xff",      "CPU CYCLES"};

	(void)state;
	for (size_t i = 0; i < SMALL_COUNT(names); i++) {
		assert_int_equal(plumb_spec_event(spec, names[i]), PLUMB_NONE);
		assert_int_equal(plumb_spec_event_by_title(spec, names[i]), PLUMB_NONE);
		assert_int_equal(plumb_spec_metric(spec, names[i]), PLUMB_NONE);
		assert_int_equal(plumb_spec_metric_by_title(spec, names[i]), PLUMB_NONE);
		assert_int_equal(plumb_spec_metric_group(spec, names[i]), PLUMB_NONE);
		assert_int_equal(plumb_spec_functional_group(spec, names[i]), PLUMB_NONE);
	}
}

static void an_empty_specification_has_nothing(void **state)
{
	const struct plumb_spec empty = {.id = "empty"};

	(void)state;
	assert_int_equal(plumb_spec_event(&empty, "CPU_CYCLES"), PLUMB_NONE);
	assert_int_equal(plumb_spec_event_by_title(&empty, ""), PLUMB_NONE);
	assert_int_equal(plumb_spec_event_by_code(&empty, 0), PLUMB_NONE);
	assert_int_equal(plumb_spec_metric(&empty, ""), PLUMB_NONE);
	assert_int_equal(plumb_spec_metric_by_title(&empty, ""), PLUMB_NONE);
	assert_int_equal(plumb_spec_metric_group(&empty, ""), PLUMB_NONE);
	assert_int_equal(plumb_spec_functional_group(&empty, ""), PLUMB_NONE);
}

/* Every code there is; the first in events_by_code where two events share one. */
static void by_code(void **state)
{
	(void)state;
	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		uint16_t expected = PLUMB_NONE;

		for (uint16_t i = spec->event_count; i-- > 0;)
			if (spec->events[spec->events_by_code[i]].code == code)
				expected = spec->events_by_code[i];
		assert_int_equal(plumb_spec_event_by_code(spec, (uint16_t)code), expected);
	}
	assert_int_equal(plumb_spec_event_by_code(spec, 0x0011), SMALL_CPU_CYCLES);
}

/* Names that differ in case alone are an error in a file, but not one to crash or guess at. */
static void exact_spelling_wins(void **state)
{
	static const struct plumb_event events[] = {
		{.name = "b", .title = "T"},
		{.name = "Ab", .title = "t"},
		{.name = "aB", .title = "t"},
		{.name = "ab", .title = "tT"},
	};
	static const uint16_t order[] = {1, 2, 3, 0};
	const struct plumb_spec twins = {
		.id = "twins", .events = events, .event_count = 4, .events_by_name = order};

	(void)state;
	assert_int_equal(plumb_spec_event(&twins, "Ab"), 1);
	assert_int_equal(plumb_spec_event(&twins, "aB"), 2);
	assert_int_equal(plumb_spec_event(&twins, "ab"), 3);
	assert_int_equal(plumb_spec_event(&twins, "AB"), 1);
	assert_int_equal(plumb_spec_event(&twins, "B"), 0);
	assert_int_equal(plumb_spec_event_by_title(&twins, "t"), 1);
	assert_int_equal(plumb_spec_event_by_title(&twins, "TT"), 3);
	assert_int_equal(plumb_spec_event_by_title(&twins, "T"), 0);
}

static void part_of_a_text(void **state)
{
	(void)state;
	assert_int_equal(spec_event_bytes(spec, "cpu_cycles/2", 10), SMALL_CPU_CYCLES);
	assert_int_equal(spec_event_bytes(spec, "cpu_cycles/2", 11), PLUMB_NONE);
	assert_int_equal(spec_event_bytes(spec, "L1D_CACHE_REFILL", 9), SMALL_L1D_CACHE);
	assert_int_equal(spec_metric_bytes(spec, "ipc*100", 3), SMALL_IPC);
	assert_int_equal(spec_metric_bytes(spec, "ipc", 0), PLUMB_NONE);
}

static void midr(void **state)
{
	struct plumb_spec cobalt = {.product = {.implementer = 0x6d, .part = 0xd49}};

	(void)state;
	assert_int_equal(plumb_spec_midr(spec), 0x411fabc2);
	assert_int_equal(plumb_spec_midr(&cobalt), 0x6d0fd490);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_element_by_name_in_any_case),
		cmocka_unit_test(what_is_not_there_is_none),
		cmocka_unit_test(an_empty_specification_has_nothing),
		cmocka_unit_test(by_code),
		cmocka_unit_test(exact_spelling_wins),
		cmocka_unit_test(part_of_a_text),
		cmocka_unit_test(midr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

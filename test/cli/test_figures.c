/* SPDX-License-Identifier: Apache-2.0 */
/* Figures for people: times in fitting units, counts in groups, and progress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/figures.h"
#include "tool/memory.h"

/* Stand-ins for those that complain when memory is short. */
void *memory_alloc(size_t size)
{
	void *memory = calloc(1, size);

	assert_non_null(memory);
	return memory;
}

char *memory_copy(const char *text, size_t length)
{
	char *copy = memory_alloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *memory_format(const char *format, ...)
{
	va_list arguments;
	char text[128];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return memory_copy(text, strlen(text));
}

/* Compares the text, and frees it. */
static void expect(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

static void times_have_fitting_units(void **state)
{
	(void)state;
	expect(figure_duration(0), "0 ns");
	expect(figure_duration(25e-9), "25 ns");
	expect(figure_duration(2.58e-5), "25.8 us");
	expect(figure_duration(0.01234), "12.3 ms");
	expect(figure_duration(1.25), "1.25 s");
	expect(figure_duration(119), "119 s");
	expect(figure_duration(120), "2.0 minutes");
	expect(figure_duration(590), "9.8 minutes");
	expect(figure_duration(599), "10 minutes");
	expect(figure_duration(7199), "120 minutes");
	expect(figure_duration(7200), "2.0 hours");
	expect(figure_duration(5e4), "14 hours");
	expect(figure_duration(3 * 86400.0), "3.0 days");
	expect(figure_duration(1e9), "11574 days");
}

static void times_round_to_the_next_unit(void **state)
{
	(void)state;
	expect(figure_duration(0.9994), "999 ms");
	expect(figure_duration(0.9996), "1 s");
	expect(figure_duration(0.9996e-3), "1 ms");
	expect(figure_duration(0.9996e-6), "1 us");
}

static void counts_are_grouped(void **state)
{
	(void)state;
	expect(figure_count(NULL, 0), "0");
	expect(figure_count(NULL, 999), "999");
	expect(figure_count(NULL, 47000), "47,000");
	expect(figure_count(NULL, 1324375), "1,324,375");
}

static void progress_leaves_out_zeros(void **state)
{
	(void)state;
	expect(figure_work(6, 92e6), "6 s: 92 million instructions, 15.3 million per second");
	expect(figure_work(2, 6e5), "2 s: 1 million instructions, 0.3 million per second");
	expect(figure_work(2, 4e5), "2 s");
	expect(figure_work(100, 3e6), "100 s");
	expect(figure_work(3, NAN), "3 s");
}

static void progress_says_when_it_ends(void **state)
{
	(void)state;
	expect(figure_work_of(6, 92e6, 500e6),
	       "6 s of about 33 s; 15.3 million instructions per second");
	expect(figure_work_of(10, 50e6, 50e9),
	       "10 s of about 2.8 hours; 5.0 million instructions per second");
	/* nothing is known yet; more than is asked for, as in a block at the end */
	expect(figure_work_of(2, 4e5, 1e9), "2 s");
	expect(figure_work_of(3, NAN, 1e9), "3 s");
	expect(figure_work_of(6, 92e6, 91e6),
	       "6 s: 92 million instructions, 15.3 million per second");
}

static void percentages_have_two_digits_or_are_whole(void **state)
{
	static const struct {
		double percent;
		const char *text;
	} all[] = {{0.004, "0.004"}, {0.6149, "0.61"}, {2, "2"},     {31.4, "31"},
		   {99.4, "99"},     {99.6, "100"},    {100, "100"}, {1234.4, "1234"}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char *text = figure_percentage(all[i].percent);

		assert_string_equal(text, all[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_fitting_units),
		cmocka_unit_test(times_round_to_the_next_unit),
		cmocka_unit_test(counts_are_grouped),
		cmocka_unit_test(percentages_have_two_digits_or_are_whole),
		cmocka_unit_test(progress_leaves_out_zeros),
		cmocka_unit_test(progress_says_when_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

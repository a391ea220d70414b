/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of sequences whose phases are known. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "count/phases.h"

#define SIZE 16
#define MOST 64

/* The code of the pieces of which intervals are made. */
static const double pieces[4][SIZE] = {
	{100, 50, 50},
	{[3] = 10, [4] = 20, [5] = 70},
	{[6] = 1000, [0] = 100},
	{[9] = 5, [10] = 5, [11] = 5, [12] = 5},
};

static uint32_t seed;

/* Returns a number from 0.9 to 1.1. */
static double noise(void)
{
	seed = seed * 1664525 + 1013904223;
	return 0.9 + 0.2 * (double)seed / UINT32_MAX;
}

/* Adds `part` of a piece to an interval, with noise; pieces have any number of instructions. */
static void add(double *values, unsigned piece, double part)
{
	double all = 0;

	for (unsigned i = 0; i < SIZE; i++)
		all += pieces[piece][i];
	for (unsigned i = 0; i < SIZE; i++)
		values[i] += 1e6 * part * noise() * pieces[piece][i] / all;
}

/*
 * Expects the phases of a sequence: in `parts`, a digit for an interval of one piece, 'x' for half
 * of the piece before and half of the next one's, ' ' for one without code.
 */
static void expect(const char *parts, const char *expected)
{
	double values[MOST * SIZE];
	int phase[MOST];
	const size_t count = strlen(parts);
	unsigned phases = 99, most = 0;

	memset(values, 0, sizeof(values));
	seed = 1;
	for (size_t i = 0; i < count; i++) {
		if (parts[i] == 'x') {
			add(values + i * SIZE, (unsigned)(parts[i - 1] - '0'), 0.5);
			add(values + i * SIZE, (unsigned)(parts[i + 1] - '0'), 0.5);
		} else if (parts[i] != ' ') {
			add(values + i * SIZE, (unsigned)(parts[i] - '0'), 1);
		}
	}
	assert_true(phases_find(values, count, SIZE, phase, &phases));
	for (size_t i = 0; i < count; i++) {
		const char found = phase[i] == PHASE_NONE ? '-' : (char)('A' + phase[i]);

		if (found != expected[i])
			print_error("interval %zu of \"%s\"\n", i, parts);
		assert_int_equal(found, expected[i]);
		if (phase[i] >= 0 && (unsigned)phase[i] + 1 > most)
			most = (unsigned)phase[i] + 1;
	}
	assert_int_equal(phases, most);
}

static void names_what_repeats(void **state)
{
	(void)state;
	expect("", "");
	expect("0", "-");
	expect("00", "AA");
	expect("000111222", "AAABBBCCC");
	expect("210012210", "ABCCBAABC");
	expect("01010101", "ABABABAB");
	expect("0001000", "AAA-AAA");
	expect("00 00", "AA-AA");
	expect("  ", "--");
}

static void leaves_out_what_is_between_phases(void **state)
{
	(void)state;
	expect("00x11x22x00", "AA-BB-CC-AA");
	expect("00x11x00x11", "AA-BB-AA-BB");
}

/* More kinds than there are letters: all intervals have one, or none. */
static void has_at_most_26(void **state)
{
	static double values[2 * MOST * MOST];
	int phase[2 * MOST];
	unsigned phases;

	(void)state;
	for (unsigned i = 0; i < 2 * MOST; i++)
		values[i * MOST + i / 2] = 1;
	assert_true(phases_find(values, 2 * MOST, MOST, phase, &phases));
	assert_in_range(phases, 25, PHASES_MAX);
	for (unsigned i = 0; i < 2 * MOST; i++)
		assert_true(phase[i] >= PHASE_NONE && phase[i] < (int)phases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_repeats),
		cmocka_unit_test(leaves_out_what_is_between_phases),
		cmocka_unit_test(has_at_most_26),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

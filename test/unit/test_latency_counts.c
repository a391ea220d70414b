/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of latencies and sources by row, compared with plain arrays. */
#include "profile/latency_counts.h"

#include "check.h"

#include <stdlib.h>

#define ROWS    40
#define NUMBERS 65536

static uint64_t state = 7;

static unsigned chance(unsigned limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % limit;
}

static struct plumb_spe_record record(unsigned latency, unsigned source)
{
	struct plumb_spe_record spe = {.has = PLUMB_SPE_HAS_TOTAL_LATENCY |
					      PLUMB_SPE_HAS_DATA_SOURCE,
				       .data_source = (uint16_t)source};

	spe.counters[PLUMB_SPE_TOTAL_LATENCY] = (uint16_t)latency;
	return spe;
}

/* Returns how often a row has a number; fails if the table has it twice. */
static uint64_t count_of(const struct latencies *latencies, size_t row, unsigned kind,
			 unsigned number)
{
	const struct latency_counts *counts = latencies_of(latencies, row, kind);
	uint64_t count = 0;

	assert_non_null(counts);
	for (size_t i = 0; i < latency_room(counts); i++) {
		const uint64_t entry = latency_entry(counts, i);

		if (entry && latency_number(entry) == number) {
			assert_int_equal(count, 0);
			count = latency_count(entry);
		}
	}
	return count;
}

static const unsigned both = 1u << PLUMB_SPE_TOTAL_LATENCY | 1u << PLUMB_PROFILE_SOURCES;

static void add(struct latencies *latencies, size_t row, unsigned latency, unsigned source)
{
	const struct plumb_spe_record spe = record(latency, source);

	assert_true(latencies_reserve(latencies, row));
	assert_int_equal(latencies_add(latencies, row, &spe), 0);
}

/* Adds the rows of another one in two parts, each with memory of its own, as threads do. */
static void join_in_parts(struct latencies *latencies, const struct latencies *other)
{
	const size_t parts[] = {0, ROWS / 3, SIZE_MAX};
	struct latencies memory[2] = {0};

	assert_true(latencies_reserve(latencies, other->room - 1));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			latencies_join_rows(latencies, &memory[i], other, parts[i], parts[i + 1]),
			0);
	for (size_t i = 0; i < 2; i++)
		latencies_take(latencies, &memory[i]);
}

static size_t used_by_rows(const struct latencies *latencies)
{
	size_t used = 0;

	for (size_t row = 0; row < ROWS; row++)
		used += latencies_of(latencies, row, PLUMB_SPE_TOTAL_LATENCY)->used +
			latencies_of(latencies, row, PLUMB_PROFILE_SOURCES)->used;
	return used;
}

/* Latencies below 128 have a bucket each, so that two halves joined have what was added to them. */
static void check_halves(bool in_parts)
{
	uint64_t(*wanted)[128] = calloc(ROWS, sizeof(*wanted)), sums[ROWS] = {0};
	struct latencies halves[2];

	assert_non_null(wanted);
	for (size_t i = 0; i < 2; i++)
		latencies_begin(&halves[i], both);
	for (size_t i = 0; i < 20000; i++) {
		const unsigned row = chance(ROWS), latency = chance(1 + 3 * row);

		wanted[row][latency]++;
		sums[row] += latency;
		add(&halves[chance(2)], row, latency, latency / 8);
	}
	if (in_parts)
		join_in_parts(&halves[0], &halves[1]);
	else
		assert_int_equal(latencies_join(&halves[0], &halves[1]), 0);
	assert_int_equal(halves[0].used, used_by_rows(&halves[0]));
	for (size_t row = 0; row < ROWS; row++) {
		uint64_t sources[16] = {0};

		for (unsigned latency = 0; latency < 128; latency++) {
			assert_int_equal(
				count_of(&halves[0], row, PLUMB_SPE_TOTAL_LATENCY, latency),
				wanted[row][latency]);
			sources[latency / 8] += wanted[row][latency];
		}
		for (unsigned source = 0; source < 16; source++)
			assert_int_equal(count_of(&halves[0], row, PLUMB_PROFILE_SOURCES, source),
					 sources[source]);
		assert_int_equal(latencies_of(&halves[0], row, PLUMB_SPE_TOTAL_LATENCY)->sum,
				 sums[row]);
		assert_false(latencies_are_incomplete(&halves[0], row));
	}
	for (size_t i = 0; i < 2; i++)
		latencies_end(&halves[i]);
	free(wanted);
}

static void halves_join(void **unused)
{
	(void)unused;
	check_halves(false);
}

static void halves_join_in_parts(void **unused)
{
	(void)unused;
	check_halves(true);
}

/* A table may be full of all numbers that there are. */
static void every_number_fits(void **unused)
{
	struct latencies latencies;

	(void)unused;
	latencies_begin(&latencies, 1u << PLUMB_PROFILE_SOURCES);
	for (unsigned times = 0; times < 2; times++)
		for (unsigned source = 0; source < NUMBERS; source++)
			add(&latencies, 3, 0, source);
	assert_int_equal(latencies_of(&latencies, 3, PLUMB_PROFILE_SOURCES)->used, NUMBERS);
	for (unsigned source = 0; source < NUMBERS; source += 4999)
		assert_int_equal(count_of(&latencies, 3, PLUMB_PROFILE_SOURCES, source), 2);
	assert_null(latencies_of(&latencies, 3, PLUMB_SPE_TOTAL_LATENCY));
	latencies_end(&latencies);
}

/* Counts of more than 16 bits, of one record after another and of two halves, leave the others as
 * they are. */
static void counts_become_large(void **unused)
{
	const unsigned times[] = {65535, 65536, 150000, 3};
	struct latencies halves[2], third;

	(void)unused;
	latencies_begin(&third, both);
	for (size_t half = 0; half < 2; half++) {
		latencies_begin(&halves[half], both);
		for (unsigned row = 0; row < 4; row++) {
			add(&halves[half], row, 7, 14);
			for (unsigned i = 0; i < times[row]; i++)
				add(&halves[half], row, 9, 8);
		}
	}
	/* To tables that are there, and to those that are not yet. */
	assert_int_equal(latencies_join(&halves[0], &halves[1]), 0);
	assert_int_equal(latencies_join(&third, &halves[0]), 0);
	for (unsigned row = 0; row < 4; row++) {
		assert_int_equal(count_of(&third, row, PLUMB_SPE_TOTAL_LATENCY, 7), 2);
		assert_int_equal(count_of(&third, row, PLUMB_SPE_TOTAL_LATENCY, 9), 2 * times[row]);
		assert_int_equal(count_of(&third, row, PLUMB_PROFILE_SOURCES, 14), 2);
		assert_int_equal(count_of(&halves[1], row, PLUMB_PROFILE_SOURCES, 8), times[row]);
	}
	for (size_t half = 0; half < 2; half++)
		latencies_end(&halves[half]);
	latencies_end(&third);
}

/* Beyond the limit new numbers are left out and said to be; those that are known still count. */
static void limit_marks_rows(void **unused)
{
	const unsigned full = (unsigned)(LATENCY_COUNTS_MAX / NUMBERS);
	struct latencies latencies;

	(void)unused;
	latencies_begin(&latencies, 1u << PLUMB_PROFILE_SOURCES);
	for (unsigned row = 0; row < full; row++)
		for (unsigned source = 0; source < NUMBERS; source++)
			add(&latencies, row, 0, source);
	assert_false(latencies_are_incomplete(&latencies, 0));
	add(&latencies, full, 0, 1);
	add(&latencies, 0, 0, 1);
	assert_true(latencies_are_incomplete(&latencies, full));
	assert_false(latencies_are_incomplete(&latencies, 0));
	assert_int_equal(count_of(&latencies, full, PLUMB_PROFILE_SOURCES, 1), 0);
	assert_int_equal(count_of(&latencies, 0, PLUMB_PROFILE_SOURCES, 1), 2);
	latencies_end(&latencies);
}

/* Rows move down; those that are gone make room. */
static void rows_get_new_numbers(void **unused)
{
	const uint32_t rows[] = {UINT32_MAX, 0, UINT32_MAX, 1, 2};
	struct latencies latencies;

	(void)unused;
	latencies_begin(&latencies, both);
	for (unsigned row = 0; row < 5; row++)
		for (unsigned i = 0; i <= row; i++)
			add(&latencies, row, 10 * row, 100 + row);
	latencies_renumber(&latencies, rows, 5);
	assert_int_equal(latencies.used, 6);
	for (unsigned row = 0; row < 3; row++) {
		const unsigned old = row == 0 ? 1 : row + 2;

		assert_int_equal(count_of(&latencies, row, PLUMB_SPE_TOTAL_LATENCY, 10 * old),
				 old + 1);
		assert_int_equal(count_of(&latencies, row, PLUMB_PROFILE_SOURCES, 100 + old),
				 old + 1);
	}
	for (unsigned row = 3; row < 5; row++)
		assert_int_equal(latencies_of(&latencies, row, PLUMB_SPE_TOTAL_LATENCY)->used, 0);
	latencies_end(&latencies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_join),       cmocka_unit_test(halves_join_in_parts),
		cmocka_unit_test(every_number_fits), cmocka_unit_test(counts_become_large),
		cmocka_unit_test(limit_marks_rows),  cmocka_unit_test(rows_get_new_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

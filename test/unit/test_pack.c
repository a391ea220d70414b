/* SPDX-License-Identifier: Apache-2.0 */
/* Packing sets that overlap: each whole in one bin, no bin too full, and few bins. */
#include "check.h"

#include <plumb/error.h>

#include "count/pack.h"

#define CODES(...)                                                                              \
	{                                                                                       \
		(const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / 2, 0 \
	}

/* Fails unless each bin's distinct codes, gathered anew, fit; and no bin is empty. */
static void check_bins(const struct pack_item *items, size_t count, int bins, unsigned capacity)
{
	for (int b = 0; b < bins; b++) {
		bool in[65536] = {false};
		unsigned distinct = 0;

		for (size_t i = 0; i < count; i++) {
			for (unsigned k = 0; items[i].bin == b && k < items[i].count; k++) {
				distinct += !in[items[i].codes[k]];
				in[items[i].codes[k]] = true;
			}
		}
		assert_in_range(distinct, 1, capacity);
	}
	for (size_t i = 0; i < count; i++)
		assert_true(items[i].bin < bins);
}

static void nothing_needs_no_bin(void **state)
{
	(void)state;
	assert_int_equal(pack_items(NULL, 0, 6), 0);
}

static void shared_codes_take_room_once(void **state)
{
	struct pack_item items[] = {CODES(1, 2, 3), CODES(2, 3, 4), CODES(3, 4, 5), CODES(1, 5)};

	(void)state;
	assert_int_equal(pack_items(items, 4, 5), 1);
	check_bins(items, 4, 1, 5);
}

static void what_does_not_fit_gets_another(void **state)
{
	struct pack_item items[] = {CODES(1, 2), CODES(3, 4), CODES(5, 6), CODES(7)};

	(void)state;
	assert_int_equal(pack_items(items, 4, 4), 2);
	check_bins(items, 4, 2, 4);
	assert_int_equal(pack_items(items, 4, 2), 4);
	check_bins(items, 4, 4, 2);
}

/*
 * Eight sixes of codes, each as five triples that overlap, dealt out in turn: eight bins do, though
 * a triple of one six and a triple of another fill a bin as well.
 */
static void a_known_partition_is_found(void **state)
{
	enum { BINS = 8, PER_BIN = 5 };
	static const unsigned pick[PER_BIN][3] = {
		{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {0, 4, 5}};
	struct pack_item items[BINS * PER_BIN];
	uint16_t codes[BINS * PER_BIN][3];
	int bins;

	(void)state;
	for (size_t i = 0; i < (size_t)BINS * PER_BIN; i++) {
		size_t bin = (i * 7) % BINS, which = i / BINS;

		for (unsigned k = 0; k < 3; k++)
			codes[i][k] = (uint16_t)(bin * 6 + pick[which][k]);
		items[i] = (struct pack_item){codes[i], 3, 0};
	}
	bins = pack_items(items, (size_t)BINS * PER_BIN, 6);
	assert_int_equal(bins, BINS);
	check_bins(items, (size_t)BINS * PER_BIN, bins, 6);
}

static void the_same_comes_out_again(void **state)
{
	struct pack_item a[200], b[200];
	uint16_t codes[200][3];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		codes[i][0] = (uint16_t)(i * 37 % 50);
		codes[i][1] = (uint16_t)(50 + i * 11 % 60);
		codes[i][2] = (uint16_t)(110 + i * 5 % 40);
		a[i] = b[i] = (struct pack_item){codes[i], 3, 0};
	}
	assert_int_equal(pack_items(a, 200, 6), pack_items(b, 200, 6));
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(a[i].bin, b[i].bin);
}

/* As many as a hostile specification could bring, in a time that can be waited for. */
static void very_many_are_packed(void **state)
{
	enum { COUNT = 40000 };
	struct pack_item *items = calloc(COUNT, sizeof(*items));
	uint16_t *codes = calloc(2 * (size_t)COUNT, sizeof(*codes));
	int bins;

	(void)state;
	assert_non_null(items);
	assert_non_null(codes);
	for (size_t i = 0; i < COUNT; i++) {
		codes[2 * i] = (uint16_t)(i % 30000);
		codes[2 * i + 1] = (uint16_t)(30000 + i * 17 % 30000);
		items[i] = (struct pack_item){&codes[2 * i], 2, 0};
	}
	bins = pack_items(items, COUNT, 2);
	assert_int_equal(bins, 30000 + 10000); /* no two pairs are alike, none share a bin */
	free(items);
	free(codes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_needs_no_bin),
		cmocka_unit_test(shared_codes_take_room_once),
		cmocka_unit_test(what_does_not_fit_gets_another),
		cmocka_unit_test(a_known_partition_is_found),
		cmocka_unit_test(the_same_comes_out_again),
		cmocka_unit_test(very_many_are_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

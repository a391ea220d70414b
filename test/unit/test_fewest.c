/* SPDX-License-Identifier: Apache-2.0 */
/* Small packings, beside all of them: the proof finds the fewest bins, and plans come close. */
#include "check.h"
#include "thorough.h"

#include <string.h>

#include "../../bench/fewest.h"

#define ITEMS_MAX 9

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

/* Puts item `i` and those after it in every bin that has room, and in a new one. */
static size_t try_all(const uint32_t *items, size_t count, size_t i, uint32_t *bins, size_t used,
		      unsigned capacity, size_t fewest)
{
	if (used >= fewest)
		return fewest;
	if (i == count)
		return used;
	for (size_t b = 0; b <= used; b++) {
		const uint32_t before = b < used ? bins[b] : 0;

		if ((unsigned)__builtin_popcount(before | items[i]) > capacity)
			continue;
		bins[b] = before | items[i];
		fewest = try_all(items, count, i + 1, bins, b < used ? used : used + 1, capacity,
				 fewest);
		bins[b] = before;
	}
	return fewest;
}

/* Makes items of `codes` codes; returns how many. */
static size_t make_items(uint32_t *random, unsigned capacity, unsigned codes, uint32_t *bits,
			 uint16_t lists[][8], struct pack_item *items)
{
	const size_t count = 3 + next_random(random) % (ITEMS_MAX - 2);

	for (size_t i = 0; i < count; i++) {
		const unsigned size = 1 + next_random(random) % capacity;
		unsigned kept = 0;

		bits[i] = 0;
		for (unsigned k = 0; k < size; k++)
			bits[i] |= UINT32_C(1) << next_random(random) % codes;
		for (unsigned c = 0; c < codes; c++)
			if (bits[i] >> c & 1)
				lists[i][kept++] = (uint16_t)(1000 * c);
		items[i] = (struct pack_item){lists[i], (uint16_t)kept, 0};
	}
	return count;
}

static void the_fewest_bins_are_proven(void **state)
{
	size_t searched = 0, above = 0;
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 2000 / ONE_IN(5); round++) {
		const unsigned capacity = 2 + round % 4, codes = 5 + round / 4 % 8;
		uint32_t bits[ITEMS_MAX], bins[ITEMS_MAX + 1] = {0}, all = 0;
		uint16_t lists[ITEMS_MAX][8];
		struct pack_item items[ITEMS_MAX];
		const size_t count = make_items(&random, capacity, codes, bits, lists, items);
		const size_t truth = try_all(bits, count, 0, bins, 0, capacity, count + 1);
		struct fewest fewest;

		for (size_t i = 0; i < count; i++)
			all |= bits[i];
		/* From the worst packing, so that all better ones are found, too. */
		assert_true(fewest_find(items, count, capacity, count, 10000, &fewest));
		assert_int_equal(fewest.needed, truth);
		assert_int_equal(fewest.bound, truth);
		assert_in_range(pack_items(items, count, capacity), truth, truth + 1);
		searched += fewest.nodes > 1;
		above += truth > ((unsigned)__builtin_popcount(all) + capacity - 1) / capacity;
	}
	/* It is worth more than counting codes, and the search took part. */
	assert_true(searched > 100 / ONE_IN(5));
	assert_true(above > 100 / ONE_IN(5));
}

/* Five pairs around a ring: half of each of five bins covers them; whole bins must be three. */
static void halves_of_bins_do_not_count(void **state)
{
	static const uint16_t ring[5][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 5}};
	struct pack_item items[5];
	struct fewest fewest;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		items[i] = (struct pack_item){ring[i], 2, 0};
	assert_true(fewest_find(items, 5, 3, 5, 1000, &fewest));
	assert_int_equal(fewest.bound, 3);
	assert_int_equal(fewest.needed, 3);
	assert_int_equal(pack_items(items, 5, 3), 3);
}

static void a_search_cut_short_still_bounds(void **state)
{
	static const uint16_t pairs[6][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {1, 3}, {5, 7}};
	struct pack_item items[6];
	struct fewest fewest;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		items[i] = (struct pack_item){pairs[i], 2, 0};
	assert_true(fewest_find(items, 6, 2, 6, 1, &fewest));
	assert_int_equal(fewest.bound, 6); /* counting codes says 4 */
	assert_true(fewest_find(items, 6, 2, 6, 0, &fewest));
	assert_int_equal(fewest.bound, 0);
	assert_int_equal(fewest.needed, 6);
}

/* Larger items contain smaller ones, which then take no bin of their own. */
static void items_within_others_go_with_them(void **state)
{
	static const uint16_t codes[] = {1, 2, 3, 4};
	struct pack_item items[] = {{codes, 1, 0},     {codes + 1, 2, 0}, {codes, 2, 0},
				    {codes + 2, 2, 0}, {codes, 4, 0},     {codes, 4, 0}};

	(void)state;
	assert_int_equal(pack_items(items, 6, 4), 1);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(items[i].bin, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fewest_bins_are_proven),
		cmocka_unit_test(halves_of_bins_do_not_count),
		cmocka_unit_test(a_search_cut_short_still_bounds),
		cmocka_unit_test(items_within_others_go_with_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of an exact profile: each count is added to that of its place and event, and no other.
 */
#include "check.h"

#include "source/model/exact_sums.h"

#define PLACES   60000 /* tables and arrays grow into those with huge pages */
#define EVENTS   5
#define CONTEXTS 3

/* What was added, by place and event. */
static uint64_t expected[PLACES][EVENTS];
static uint64_t state_of_random = 1;

static uint32_t any(uint32_t below)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state_of_random >> 33) % below);
}

/*
 * A third of the places is code without a gap, a third is scattered or in other contexts, and a
 * third is one instruction's accesses to lines.
 */
static struct exact_key key_of(uint32_t place)
{
	const uint32_t within = place / CONTEXTS;
	struct exact_key key = {.ip = 0x400000 + 4 * within, .profile = 1};

	if (place % CONTEXTS == 1) {
		key.ip = 0x400000 + 4 * (within % 100) + 0x100000 * (within % 7);
		key.context = within;
	} else if (place % CONTEXTS == 2) {
		key.ip = 0x400010;
		key.address = 64 * within;
	}
	return key;
}

static void add(struct exact_sums *sums, uint32_t chain, uint32_t place)
{
	const struct exact_key key = key_of(place);

	assert_true(exact_sums_enter(sums, &key, chain));
	for (unsigned event = 0; event < EVENTS; event++) {
		const uint32_t count = any(4);

		if (!count)
			continue;
		assert_true(exact_sums_add(sums, event, count));
		expected[place][event] += count;
	}
}

/* Returns the number of the place with a key, whose inverse that is. */
static uint32_t place_of(const struct exact_key *key)
{
	if (key->address || key->context)
		return key->address ? (uint32_t)(key->address / 64) * CONTEXTS + 2
				    : key->context * CONTEXTS + 1;
	return (uint32_t)(key->ip - 0x400000) / 4 * CONTEXTS;
}

static void test_sums(void **state)
{
	struct exact_sums sums = {0};
	const struct exact_chain chain = {.profile = 1};
	const uint32_t index = exact_sums_chain(&sums, &chain, NULL);
	size_t found = 0, wanted = 0;

	(void)state;
	assert_int_not_equal(index, UINT32_MAX);
	/* The first of each kind would have the key of another. */
	for (uint32_t place = CONTEXTS; place < PLACES; place++)
		add(&sums, index, place);
	for (uint32_t i = 0; i < 3 * PLACES; i++)
		add(&sums, index, CONTEXTS + any(PLACES - CONTEXTS));
	exact_sums_told(&sums, 1);
	for (size_t i = 0; (i = exact_sums_next_told(&sums, i)) != SIZE_MAX; i++, found++) {
		const struct exact_sum *sum = &sums.at[i];
		const uint32_t place = place_of(&sums.places[sum->place].key);

		assert_in_range(place, CONTEXTS, PLACES - 1);
		assert_int_equal(sum->told, expected[place][sum->event]);
	}
	for (uint32_t place = 0; place < PLACES; place++)
		for (unsigned event = 0; event < EVENTS; event++)
			wanted += expected[place][event] > 0;
	assert_int_equal(found, wanted);
	assert_int_equal(found, sums.count);
	exact_sums_clean_up(&sums);
}

/*
 * A context that is told for the last time makes room for the next one, unless there is a sum in
 * it; one that is known stays known.
 */
static void test_contexts_that_pass(void **state)
{
	static const uint64_t sites[] = {0x1000, 0x2000, 0x3000};
	struct exact_chain chain = {.profile = 1, .context = 1, .depth = 1};
	const struct exact_key key = {.ip = 0x400000, .profile = 1, .context = 3};
	struct exact_sums sums = {.in_place = false};
	uint32_t known, passing;

	(void)state;
	known = exact_sums_chain(&sums, &chain, sites);
	chain.last = true;
	assert_int_equal(exact_sums_pass(&sums, &chain, sites, UINT32_MAX), known);
	chain.context = 2;
	passing = exact_sums_pass(&sums, &chain, sites, known);
	assert_int_not_equal(passing, known);
	chain.context = 3;
	chain.depth = 3;
	assert_int_equal(exact_sums_pass(&sums, &chain, sites, passing), passing);
	assert_int_equal(sums.chains[passing].context, 3);
	assert_memory_equal(sums.addresses + sums.chains[passing].addresses, sites, sizeof(sites));
	assert_true(exact_sums_enter(&sums, &key, passing));
	/* What it had room for beyond its own addresses is given back. */
	assert_int_equal(sums.address_count, sums.chains[passing].addresses + chain.depth);
	chain.context = 4;
	assert_int_equal(exact_sums_pass(&sums, &chain, sites, passing), 2);
	assert_int_equal(sums.chain_count, 3);
	assert_int_equal(sums.chains[passing].context, 3);
	for (chain.context = 10; chain.context < 5000; chain.context++)
		assert_int_not_equal(exact_sums_chain(&sums, &chain, sites), UINT32_MAX);
	chain.context = 3;
	assert_int_equal(exact_sums_chain(&sums, &chain, sites), passing);
	exact_sums_clean_up(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_contexts_that_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

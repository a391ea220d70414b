/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touching, beside loads and stores: what both leave in caches and TLBs. Without prefetchers, and
 * one access after the other, it is the same, in the order of use.
 */
#include <string.h>

#include "check.h"

#include "memory_side.h"

#define ACCESSES 200000
#define DATA     0x10000000ull
#define APART    100000 /* cycles */

struct side {
	struct memory_system *system;
	struct memory *memory;
	uint64_t counts[EVENT_COUNT];
};

static struct core_params params;
static struct side detailed, touched;
static uint64_t cycle;
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

static void set_up(struct side *side)
{
	memset(side, 0, sizeof(*side));
	side->system = memory_system_new(&params);
	assert_non_null(side->system);
	side->memory = memory_new(side->system, &params, side->counts);
	assert_non_null(side->memory);
}

static void clean_up(struct side *side)
{
	memory_free(side->memory);
	memory_system_free(side->system);
}

static void begin(unsigned page_bytes)
{
	params = *model_cores[0];
	params.prefetch_streams = params.l2_prefetch_lines = 0;
	params.page_bytes = page_bytes;
	params.l2.bytes = 1u << 18;
	seed = 1;
	set_up(&detailed);
	set_up(&touched);
}

static void end(void)
{
	clean_up(&detailed);
	clean_up(&touched);
}

/* Accesses 8 bytes in both. */
static void make_access(uint64_t address, bool store)
{
	struct memory_result result;

	cycle += APART;
	if (store) {
		memory_translate(detailed.memory, cycle, address, 8, &result);
		memory_store(detailed.memory, result.translated, 0x1000, address, 8, false,
			     &result);
	} else {
		memory_load(detailed.memory, cycle, 0x1000, address, 8, false, &result);
	}
	memory_touch(touched.memory, address, store ? 8 : 0);
}

static unsigned used_of(const struct cache *cache)
{
	unsigned used = 0;

	for (size_t i = 0; i < (size_t)cache->sets * cache->ways; i++)
		used += cache->lines[i].key != 0;
	return used;
}

static void expect_same_lines(const struct cache *a, const struct cache *b)
{
	const uint64_t level = CACHE_LEVEL_MASK;

	for (size_t i = 0; i < (size_t)a->sets * a->ways; i++)
		assert_int_equal(a->lines[i].key & ~level, b->lines[i].key & ~level);
}

static void expect_same_tags(const struct tags *a, const struct tags *b)
{
	assert_memory_equal(a->entries, b->entries,
			    (size_t)a->sets * a->ways * sizeof(*a->entries));
}

static void caches_have_the_same_lines(void **state)
{
	(void)state;
	/* Few enough pages that no TLB misses twice. */
	begin(65536);
	for (unsigned i = 0; i < ACCESSES; i++) {
		const uint32_t bytes = draw(2) ? params.l1d.bytes / 2 : 8 * params.l2.bytes;

		make_access(DATA + 8ull * draw(bytes / 8), draw(3) == 0);
	}
	memory_touch_end(touched.memory);
	finish_eviction(detailed.memory);
	finish_eviction(touched.memory);
	assert_true(touched.memory->l1d.sets * touched.memory->l1d.ways ==
		    used_of(&touched.memory->l1d));
	expect_same_lines(&detailed.memory->l1d, &touched.memory->l1d);
	expect_same_lines(&detailed.memory->l2, &touched.memory->l2);
	expect_same_tags(&detailed.system->llc, &touched.system->llc);
	assert_true(detailed.counts[EVENT_L2D_CACHE_WB] > ACCESSES / 20);
	end();
}

static void long_runs_of_stores_go_past_the_caches(void **state)
{
	(void)state;
	begin(65536);
	for (unsigned i = 0; i < 8 * params.l2.bytes; i += 8)
		make_access(DATA + i, true);
	memory_touch_end(touched.memory);
	expect_same_lines(&detailed.memory->l1d, &touched.memory->l1d);
	expect_same_lines(&detailed.memory->l2, &touched.memory->l2);
	expect_same_tags(&detailed.system->llc, &touched.system->llc);
	assert_true(used_of(&touched.memory->l2) <
		    touched.memory->l2.sets * touched.memory->l2.ways / 2);
	end();
}

static void tlbs_have_the_same_pages(void **state)
{
	const struct tlb_second *second;

	(void)state;
	begin(4096);
	/* Each line once, in four times as many pages as the second TLB has. */
	second = &touched.memory->tlb2;
	for (unsigned i = 0; i < ACCESSES; i++) {
		const uint32_t pages = 4 * (second->set_mask + 1) * second->ways;

		make_access(DATA + 4096ull * draw(draw(2) ? 32 : pages) + 64ull * (i % 64),
			    draw(3) == 0);
	}
	memory_touch_end(touched.memory);
	assert_true(detailed.counts[EVENT_DTLB_WALK] > ACCESSES / 4);
	for (size_t i = 0, same = 0; i <= second->set_mask; i++) {
		for (unsigned way = 0; way < second->ways; way++)
			same += second->pairs[i * second->ways + way].page ==
				detailed.memory->tlb2.pairs[i * second->ways + way].page;
		if (i == second->set_mask)
			assert_true(same > 0.97 * (double)(i + 1) * second->ways);
	}
	end();
}

static void nothing_is_counted(void **state)
{
	static const uint64_t none[EVENT_COUNT];

	(void)state;
	begin(4096);
	for (unsigned i = 0; i < ACCESSES / 10; i++)
		make_access(DATA + 8ull * draw(params.l2.bytes), draw(3) == 0);
	memory_touch_end(touched.memory);
	assert_memory_equal(touched.counts, none, sizeof(none));
	assert_true(detailed.counts[EVENT_L1D_CACHE_REFILL] > ACCESSES / 100);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_have_the_same_lines),
		cmocka_unit_test(long_runs_of_stores_go_past_the_caches),
		cmocka_unit_test(tlbs_have_the_same_pages),
		cmocka_unit_test(nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

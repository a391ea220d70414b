/* SPDX-License-Identifier: Apache-2.0 */
/* The memory side, compared with results on paper or of a simpler method. */
#include "check.h"

#include "bandwidth.h"
#include "events.h"
#include "lines.h"
#include "memory.h"

#define LINE  64u
#define PAGE  4096u
#define BLOCK 65536u

static struct core_params params;
static struct memory_system *memory_system;
static struct memory *memory;
static uint64_t counts[EVENT_COUNT];

static void begin(void)
{
	memset(counts, 0, sizeof(counts));
	memory_system = memory_system_new(&params);
	memory = memory_new(memory_system, &params, counts);
	assert_non_null(memory);
}

static void start(bool prefetch)
{
	params = *model_cores[0];
	if (!prefetch)
		params.prefetch_streams = params.l2_prefetch_lines = 0;
	begin();
}

static void stop(void)
{
	memory_settle(memory, counts);
	assert_in_range(counts[EVENT_L1D_CACHE_REFILL], 0, counts[EVENT_L1D_CACHE]);
	assert_in_range(counts[EVENT_L2D_CACHE_REFILL], 0, counts[EVENT_L2D_CACHE]);
	assert_in_range(counts[EVENT_L2D_TLB_REFILL], 0, counts[EVENT_L2D_TLB]);
	assert_in_range(counts[EVENT_L1D_TLB_REFILL], 0, counts[EVENT_L1D_TLB]);
	assert_in_range(counts[EVENT_LL_CACHE_MISS_RD], 0, counts[EVENT_LL_CACHE_RD]);
	memory_free(memory);
	memory_system_free(memory_system);
}

/* A load long after all that came before it; its latency. */
static uint64_t load(uint64_t address, struct memory_result *result)
{
	static uint64_t cycle;

	cycle += 10000;
	memory_load(memory, cycle, 0x1000, address, 8, false, result);
	return result->ready - cycle;
}

static uint32_t random_state = 7;

static uint32_t random_bits(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

static void each_level_has_its_latency(void **state)
{
	struct memory_result r;
	uint64_t l1, l2, llc, dram;

	(void)state;
	start(false);
	load(0x10000, &r); /* walks, and brings the page's first line */
	assert_int_equal(r.tlb, TLB_WALK);
	/* Touched in order, blocks lie in order: virtual distances are physical ones. */
	for (unsigned page = 1; page <= 2 * params.l1d.bytes / PAGE; page++)
		load(0x10000 + (uint64_t)page * PAGE, &r);
	load(0x10000, &r);
	dram = load(0x10000 + LINE, &r);
	assert_int_equal(r.level, LEVEL_DRAM);
	l1 = load(0x10000 + LINE, &r);
	assert_int_equal(r.level, LEVEL_L1);
	assert_int_equal(l1, params.l1d.latency);
	/* Out of L1D, but not out of L2, by lines of the same L1D set. */
	for (unsigned way = 1; way <= params.l1d.ways; way++)
		load(0x10000 + LINE + way * params.l1d.bytes / params.l1d.ways, &r);
	load(0x10000, &r); /* its page back into the TLB */
	l2 = load(0x10000 + LINE, &r);
	assert_int_equal(r.level, LEVEL_L2);
	assert_int_equal(l2, params.l2.latency);
	/* And out of L2, but not out of the system cache. */
	for (unsigned line = 0; line < 4 * params.l2.bytes / LINE; line++)
		load(0x4000000 + (uint64_t)line * LINE, &r);
	load(0x10000, &r);
	llc = load(0x10000 + LINE, &r);
	assert_int_equal(r.level, LEVEL_LLC);
	assert_int_equal(llc, params.l2.latency + params.llc.latency);
	assert_int_equal(dram, params.l2.latency + params.llc.latency + params.dram_latency);
	stop();
}

/*
 * 32 misses of one page, all at once: whatever they queue for, each needs a buffer of L1D for the
 * latency of DRAM, one of L2 from L2 on, and the paths for a line. A first one has walked.
 */
static void parts_are_busy_for_what_each_needs(void **state)
{
	struct memory_busy from, to;
	struct memory_result r;
	uint64_t beyond;

	(void)state;
	start(false);
	load(0x10000, &r);
	memory_busy(memory, &from);
	for (unsigned line = 1; line <= 32; line++)
		memory_load(memory, 1000000, 0x1000, 0x10000 + line * LINE, 8, false, &r);
	memory_busy(memory, &to);
	beyond = 32 * (params.llc.latency + params.dram_latency);
	assert_int_equal(to.walkers, from.walkers);
	assert_in_range(to.misses[0] - from.misses[0],
			100 * (beyond + 32 * params.l2.latency) / params.l1d.misses - 100,
			100 * (beyond + 32 * params.l2.latency) / params.l1d.misses + 100);
	assert_in_range(to.misses[1] - from.misses[1], 100 * beyond / params.l2.misses - 100,
			100 * beyond / params.l2.misses + 100);
	assert_int_equal(to.paths[0] - from.paths[0], 32 * params.l2.cycles_per_line);
	assert_int_equal(to.paths[1] - from.paths[1], 32 * params.llc.cycles_per_line);
	assert_int_equal(to.paths[2] - from.paths[2], 32 * params.dram_cycles_per_line);
	/* Another page: four steps, or fewer if tables are known, each of which reads L2. */
	load(0x10000 + PAGE, &r);
	memory_busy(memory, &from);
	assert_in_range(from.walkers - to.walkers,
			100 * (params.walk_latency + params.l2.latency) / params.walkers,
			400 * (params.walk_latency + params.l2.latency) / params.walkers);
	stop();
}

/*
 * Misses of an LRU cache follow from stack distances: an access misses exactly when more than
 * `ways` - 1 other lines of its set were accessed since the last access to its line.
 */
static void misses_follow_from_stack_distances(void **state)
{
	enum { LINES = 3000, ACCESSES = 30000 };
	static uint32_t stream[ACCESSES];
	static uint64_t physical[LINES];
	struct memory_result r;
	unsigned expected = 0, sets;

	(void)state;
	start(false);
	sets = params.l1d.bytes / LINE / params.l1d.ways;
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint32_t a = random_bits() % LINES, b = random_bits() % LINES;

		stream[i] = a < b ? a : b; /* some lines more often than others */
		load((uint64_t)stream[i] * LINE, &r);
		physical[stream[i]] = r.physical / LINE;
	}
	for (int i = 0; i < ACCESSES; i++) {
		static unsigned seen[LINES];
		unsigned distance = 0;
		int k = i - 1;

		for (; k >= 0 && stream[k] != stream[i]; k--) {
			bool same_set = physical[stream[k]] % sets == physical[stream[i]] % sets;

			if (same_set && seen[stream[k]] != (unsigned)i + 1) {
				seen[stream[k]] = (unsigned)i + 1;
				distance++;
			}
		}
		expected += k < 0 || distance >= params.l1d.ways;
	}
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], expected);
	assert_int_equal(counts[EVENT_L1D_CACHE_RD], ACCESSES);
	stop();
}

static void pages_beyond_a_tlb_miss_it(void **state)
{
	struct memory_result r;
	unsigned first = model_cores[0]->l1d_tlb.entries;

	(void)state;
	start(false);
	/* Round after round over one page more than there are entries: LRU misses each time. */
	for (unsigned round = 0; round < 4; round++)
		for (unsigned page = 0; page <= first; page++)
			load((uint64_t)page * PAGE, &r);
	assert_int_equal(counts[EVENT_L1D_TLB], 4 * (first + 1));
	assert_int_equal(counts[EVENT_L1D_TLB_REFILL], 4 * (first + 1));
	assert_int_equal(counts[EVENT_DTLB_WALK], first + 1); /* the L2 TLB has them all */
	stop();
	start(false);
	for (unsigned round = 0; round < 4; round++)
		for (unsigned page = 0; page < first; page++)
			load((uint64_t)page * PAGE, &r);
	assert_int_equal(counts[EVENT_L1D_TLB_REFILL], first);
	stop();
}

/* Pages of each size: the number of table levels, the upper ones of which the walk cache saves. */
static void walks_take_the_steps_of_their_pages(void **state)
{
	static const struct {
		uint32_t bytes;
		unsigned levels;
	} pages[] = {{4096, 4}, {16384, 3}, {65536, 3}};
	struct memory_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		uint64_t table = (uint64_t)pages[i].bytes * (pages[i].bytes / 8);

		params = *model_cores[0];
		params.prefetch_streams = params.l2_prefetch_lines = 0;
		params.page_bytes = pages[i].bytes;
		begin();
		load(0x5500000000, &r);
		assert_int_equal(counts[EVENT_DTLB_STEP], pages[i].levels);
		load(0x5500000000 + pages[i].bytes, &r); /* of the same table */
		assert_int_equal(counts[EVENT_DTLB_STEP], pages[i].levels + 1);
		load(0x5500000000 + table, &r); /* of the next one */
		assert_int_equal(counts[EVENT_DTLB_STEP], pages[i].levels + 3);
		load(0x5500000000 + pages[i].bytes - 8, &r); /* of the first page */
		assert_int_equal(counts[EVENT_DTLB_WALK], 3);
		stop();
	}
}

static bool above_file(uint64_t address, uint64_t bytes)
{
	return address >= 0x5500000000 && bytes == 2 << 20;
}

/* A huge page takes one entry of the TLBs, one step less, and one piece of physical memory. */
static void huge_pages_hold_anonymous_memory(void **state)
{
	const uint64_t huge = 2 << 20, anonymous = 0x5500000000;
	struct memory_result r;
	uint64_t physical;

	(void)state;
	params = *model_cores[0];
	params.prefetch_streams = params.l2_prefetch_lines = 0;
	params.is_anonymous = above_file;
	begin();
	load(anonymous + 0x12345, &r);
	physical = r.physical - 0x12345;
	assert_int_equal(physical % huge, 0);
	assert_int_equal(counts[EVENT_DTLB_STEP], 3);
	assert_int_equal(counts[EVENT_DTLB_WALK_LARGE], 1);
	for (uint64_t offset = 0; offset < huge; offset += PAGE) {
		load(anonymous + offset, &r);
		assert_int_equal(r.tlb, TLB_L1_HIT);
		assert_int_equal(r.physical, physical + offset);
	}
	memory_store(memory, 1u << 20, 0, anonymous + PAGE, 8, false, &r);
	assert_int_equal(r.physical, physical + PAGE);
	load(anonymous + huge, &r);
	assert_int_equal(r.tlb, TLB_WALK);
	assert_int_not_equal(r.physical / huge, physical / huge);
	assert_int_equal(counts[EVENT_DTLB_STEP], 4);
	load(0x400000, &r); /* of a file: the tables of the first level are known already */
	assert_int_equal(counts[EVENT_DTLB_WALK], 3);
	assert_int_equal(counts[EVENT_DTLB_WALK_LARGE], 2);
	assert_int_equal(counts[EVENT_DTLB_WALK_SMALL], 1);
	load(0x400000 + PAGE, &r);
	assert_int_equal(r.tlb, TLB_WALK);
	stop();
}

/*
 * Upper tables come from DRAM once. The kernel has just written the entry of a page that is touched
 * first: its line is in L2, also where it is not the line of the page before.
 */
static void walks_go_through_the_caches(void **state)
{
	uint64_t first, next, step, dram;
	struct memory_result r;

	(void)state;
	start(false);
	step = params.walk_latency + params.l2.latency;
	dram = params.llc.latency + params.dram_latency;
	first = load(0x5500000000, &r);
	assert_int_equal(first, params.l2_tlb.latency + 3 * (step + dram) + step +
					params.l2.latency + dram);
	next = load(0x5500001000, &r);
	assert_int_equal(next, params.l2_tlb.latency + step + params.l2.latency + dram);
	for (unsigned page = 2; page < 8; page++)
		load(0x5500000000 + page * PAGE, &r);
	next = load(0x5500008000, &r);
	assert_int_equal(next, params.l2_tlb.latency + step + params.l2.latency + dram);
	stop();
}

static void a_line_on_its_way_is_waited_for_not_asked_for_again(void **state)
{
	struct memory_result first, second;

	(void)state;
	start(false);
	load(0x20000, &first);
	memory_load(memory, 1000000, 0x1000, 0x20000 + LINE, 8, false, &first);
	memory_load(memory, 1000010, 0x1000, 0x20008 + LINE, 8, false, &second);
	assert_true(second.pending);
	assert_int_equal(second.level, LEVEL_DRAM);
	assert_int_equal(second.ready, first.ready);
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], 2);
	stop();
}

static void a_load_tells_whether_all_of_it_was_at_hand(void **state)
{
	struct memory_result r;

	(void)state;
	start(false);
	assert_false(memory_load(memory, 1000, 0x1000, 0x20000, 8, false, &r)); /* misses */
	assert_false(memory_load(memory, 1001, 0x1000, 0x20008, 8, false, &r)); /* pending */
	assert_true(memory_load(memory, 20000, 0x1000, 0x20008, 8, false, &r));
	assert_int_equal(r.ready, 20000 + params.l1d.latency);
	assert_true(memory_load(memory, 30000, 0x1000, 0x20010, 8, true, &r));
	assert_false(memory_load(memory, 40000, 0x1000, 0x20000 + LINE, 8, false, &r));
	assert_false(memory_load(memory, 60000, 0x1000, 0x20000 + LINE - 4, 8, false, &r));
	assert_true(r.crosses_line);
	assert_int_equal(r.level, LEVEL_L1);
	assert_int_equal(counts[EVENT_L1D_CACHE_RD], 7);
	assert_int_equal(counts[EVENT_L1D_TLB], 7);
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], 2);
	stop();
}

static void a_stream_is_prefetched(void **state)
{
	struct memory_result r;
	unsigned from_afar = 0, lines = 4000;

	(void)state;
	start(true);
	for (unsigned i = 0; i < lines * LINE / 8; i++) {
		memory_load(memory, 1000 + 20ull * i, 0x1000, 0x100000 + 8ull * i, 8, false, &r);
		from_afar += r.level != LEVEL_L1;
	}
	assert_in_range(counts[EVENT_L1D_CACHE_REFILL], 0, lines / 20);
	assert_in_range(counts[EVENT_L1D_CACHE_REFILL] + counts[EVENT_L1D_CACHE_REFILL_HWPRF],
			lines, lines + lines / 20);
	/* Pages begin unprefetched: 62 of them, up to two lines of 8 loads each late. */
	assert_in_range(from_afar, 0, 62 * 2 * 8 + 62 * 8);
	stop();
}

/* Lines of `step`, by as many instructions in turn, each with its own stride; how many DRAM loads.
 */
static unsigned read_by_turns(int step, unsigned instructions, unsigned lines)
{
	struct memory_result r;
	unsigned from_dram = 0;

	for (unsigned i = 0; i < lines; i++) {
		memory_load(memory, 1000 + 100ull * i, 0x1000 + 4 * (i % instructions),
			    0x10000000 + (uint64_t)((int64_t)i * step * (int64_t)LINE), 8, false,
			    &r);
		from_dram += r.level == LEVEL_DRAM && !r.pending;
	}
	return from_dram;
}

static void streams_are_followed_across_pages(void **state)
{
	static const struct {
		int step;
		unsigned instructions;
	} streams[] = {{1, 1}, {1, 4}, {-1, 1}, {3, 1}, {-2, 2}, {5, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		start(true);
		assert_in_range(read_by_turns(streams[i].step, streams[i].instructions, 2000), 1,
				12);
		/* Only the first page is translated for a load; the prefetcher walks for the
		 * others. */
		assert_in_range(counts[EVENT_DTLB_WALK], 1, 2);
		stop();
	}
}

static void a_stream_runs_ahead_by_its_distance(void **state)
{
	struct memory_result r;

	(void)state;
	params = *model_cores[0];
	params.prefetch_streams = 0;
	begin();
	for (unsigned i = 0; i < 200; i++)
		memory_load(memory, 1000 + 1000ull * i, 0x1000, 0x10000000 + (uint64_t)i * LINE, 8,
			    false, &r);
	/* Not more than it is ahead has been fetched in vain. The last step of a walk hits L2. */
	assert_int_equal(counts[EVENT_L2D_CACHE_REFILL_PRF] + counts[EVENT_L2D_CACHE_REFILL_RD] -
				 (counts[EVENT_DTLB_STEP] - 1),
			 200 + params.l2_prefetch_distance);
	stop();
}

static void a_random_walk_is_not_prefetched(void **state)
{
	struct memory_result r;

	(void)state;
	start(true);
	for (unsigned i = 0; i < 20000; i++)
		load((uint64_t)(random_bits() % 100000) * LINE, &r);
	assert_in_range(counts[EVENT_L1D_CACHE_REFILL_HWPRF], 0, 200);
	assert_in_range(counts[EVENT_L2D_CACHE_REFILL_PRF], 0, 200);
	stop();
}

static void a_long_run_of_stores_stops_allocating(void **state)
{
	struct memory_result r;
	unsigned lines = 1000;

	(void)state;
	start(true);
	for (unsigned i = 0; i < lines * LINE / 16; i++)
		memory_store(memory, 1000 + i, 0x1000, 0x100000 + 16ull * i, 16, false, &r);
	assert_in_range(counts[EVENT_L1D_CACHE_REFILL], 1, params.write_stream_lines + 1u);
	assert_int_equal(counts[EVENT_L1D_CACHE_WR], lines * LINE / 16);
	assert_in_range(counts[EVENT_L3D_CACHE_ALLOCATE] + counts[EVENT_L2D_CACHE_WR], lines - 20,
			lines);
	stop();
}

static void dirty_lines_are_written_back_once(void **state)
{
	struct memory_result r;
	unsigned lines = 4096; /* 256 KiB: four times L1D, within L2 */

	(void)state;
	start(false);
	for (unsigned i = 0; i < lines; i++) /* backwards: no streaming */
		memory_store(memory, 1000 + 400ull * i, 0x1000, 0x200000 - (uint64_t)i * LINE, 8,
			     false, &r);
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], lines);
	assert_int_equal(counts[EVENT_L1D_CACHE_WB], lines - params.l1d.bytes / LINE);
	assert_int_equal(counts[EVENT_L2D_CACHE_WB], 0);
	stop();
}

static void a_line_written_elsewhere_is_fetched_from_there(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	struct memory_result r;
	struct memory *other;
	uint64_t now;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	load(0x30000, &r);
	load(0x30000, &r);
	assert_int_equal(r.level, LEVEL_L1);
	memory_store(other, 1000, 0x1000, 0x30000, 8, false, &r);
	load(0x30000, &r);
	assert_int_equal(r.level, LEVEL_PEER);
	assert_int_equal(counts[EVENT_L1D_CACHE_INVAL], 1);
	load(0x30000, &r);
	assert_int_equal(r.level, LEVEL_L1);
	/* The writer has it still, but must tell the reader before it writes again. */
	now = r.ready + 1000;
	memory_store(other, now, 0x1000, 0x30008, 8, false, &r);
	assert_int_equal(r.level, LEVEL_PEER);
	assert_int_equal(r.ready, now + params.peer_latency);
	memory_store(other, now + 1000, 0x1000, 0x30008, 8, false, &r);
	assert_int_equal(r.ready, now + 1001);
	load(0x30000, &r);
	assert_int_equal(r.level, LEVEL_PEER);
	memory_free(other);
	stop();
}

/* Copies that another core has ended do not keep the prefetchers from fetching the lines again. */
static void a_stream_written_elsewhere_is_prefetched_again(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	const unsigned lines = 256;
	struct memory_result r;
	struct memory *other;
	uint64_t now = 1000;

	(void)state;
	start(true);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	for (unsigned round = 0; round < 4; round++) {
		uint64_t demanded = counts[EVENT_L1D_CACHE_REFILL];

		for (unsigned i = 0; i < lines; i++, now += 200)
			memory_load(memory, now, 0x1000, 0x100000 + (uint64_t)i * LINE, 8, false,
				    &r);
		assert_in_range(counts[EVENT_L1D_CACHE_REFILL] - demanded, 0, lines / 10);
		for (unsigned i = 0; i < lines; i++, now += 200)
			memory_store(other, now, 0x2000, 0x100000 + (uint64_t)i * LINE, 8, false,
				     &r);
	}
	assert_true(counts[EVENT_L1D_CACHE_INVAL] > lines);
	memory_free(other);
	stop();
}

/* Nobody reads a line before it is where it last went, and the time on its way is counted once. */
static void lines_on_their_way_are_waited_for(void **state)
{
	static uint64_t other_counts[2][EVENT_COUNT];
	const unsigned peer = params.peer_latency, hold = params.line_hold, l2 = params.l2.latency;
	struct memory *others[2];
	struct memory_result r;
	uint64_t moving = 0, first, now;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	for (int i = 0; i < 2; i++)
		others[i] = memory_new(memory_system, &params, other_counts[i]);
	memory_count_moving(memory, &moving);
	load(0x30000, &r);
	load(0x40000, &r);
	now = r.ready;
	memory_store(memory, now, 0x1000, 0x30000, 8, false, &r);
	for (int i = 0; i < 2; i++)
		memory_load(others[i], now + 1000, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(moving, 0);
	/* A store ends the copies of both others, which read again. */
	now = r.ready + 10000;
	memory_store(memory, now, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(r.ready, now + peer);
	assert_int_equal(moving, peer);
	memory_load(others[0], now + 1, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(r.level, LEVEL_PEER);
	first = r.ready;
	assert_int_equal(first, now + peer + hold + peer);
	memory_load(others[1], now + 2, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(r.level, LEVEL_LLC);
	assert_int_equal(r.ready, first);
	memory_load(others[1], first + 1000, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(r.level, LEVEL_L1);
	/* Two lines at the same time count once, and not while the core sleeps. */
	memory_store(others[0], now + 10000, 0x1000, 0x30000, 8, false, &r);
	memory_store(others[0], now + 10000, 0x1000, 0x40000, 8, false, &r);
	moving = 0;
	now += 20000;
	memory_load(memory, now, 0x1000, 0x30000, 8, false, &r);
	memory_load(memory, now, 0x1000, 0x40000, 8, false, &r);
	assert_in_range(r.ready - now, l2 + peer, l2 + peer + 10);
	assert_int_equal(moving, r.ready - now - l2);
	memory_wait_until(memory, now + 50, memory_time(memory, r.ready) + 1000);
	assert_int_equal(moving, 50 - l2);
	for (int i = 0; i < 2; i++)
		memory_free(others[i]);
	stop();
}

static void moves_of_lines_are_noted(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	struct memory_result r;
	uint64_t lines[8], line;
	struct memory *other;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	load(0x30008, &r);
	line = memory_line_of(memory, 0x30008);
	assert_int_equal(line, r.physical / LINE);
	assert_int_equal(line, memory_line_of(other, 0xff00000000030030));
	assert_int_equal(memory_take_moves(memory, lines, 8), 0);
	assert_false(memory_has_moved(memory, line));
	/* The first writer has it from DRAM; then the reader has it from the writer. */
	memory_store(other, 1000, 0x1000, 0x30000, 8, false, &r);
	assert_int_equal(memory_take_moves(other, lines, 8), 0);
	load(0x30000, &r);
	assert_int_equal(memory_take_moves(memory, lines, 8), 1);
	assert_int_equal(lines[0], line);
	assert_true(memory_has_moved(other, line));
	assert_false(memory_has_moved(other, line + 1));
	assert_int_equal(memory_take_moves(memory, lines, 8), 0);
	memory_free(other);
	stop();
}

/* Adds up what is told. */
static void add_told(void *user, const struct lines_count *count)
{
	struct lines_count *sum = user;

	sum->pc = count->pc;
	sum->address = count->address;
	sum->bytes = count->bytes;
	sum->access = count->access;
	sum->accesses += count->accesses;
	sum->moves += count->moves;
}

static void accesses_to_shared_lines_are_counted(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	const struct access pair[] = {{.address = 0x30010, .bytes = 8},
				      {.address = 0x30018, .bytes = 8}};
	struct access crossing = {.address = 0x3003c, .bytes = 8}, far = {.bytes = 8};
	struct lines_count sum = {0};
	struct memory_result r;
	struct memory *other;
	struct lines *lines;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	lines = lines_new(memory, LINE);
	assert_non_null(lines);
	memory_store(other, 1000, 0x1000, 0x30000, 8, false, &r);
	/* Before the line moves, for the access that moves it, and after. */
	lines_accessed(lines, 0x4000, LINES_LOAD, pair, pair + 2);
	load(0x30010, &r);
	lines_accessed(lines, 0x4000, LINES_LOAD, pair, pair + 2);
	lines_accessed(lines, 0x4000, LINES_LOAD, pair, pair + 2);
	/* Many lines that never move make way for each other, and for none that has. */
	for (far.address = 0x1000000; far.address < 0x1000000 + 40000 * LINE; far.address += LINE)
		lines_accessed(lines, 0x5000, LINES_STORE, &far, &far + 1);
	assert_false(lines_incomplete(lines));
	lines_tell(lines, add_told, &sum);
	assert_int_equal(sum.pc, 0x4000);
	assert_int_equal(sum.address, 0x30010);
	assert_int_equal(sum.bytes, 16);
	assert_int_equal(sum.access, LINES_LOAD);
	assert_int_equal(sum.accesses, 3);
	assert_int_equal(sum.moves, 1);
	/* Reported once. The part in the next line, which has not moved, is not reported. */
	lines_accessed(lines, 0x6000, LINES_ATOMIC, &crossing, &crossing + 1);
	sum = (struct lines_count){0};
	lines_tell(lines, add_told, &sum);
	assert_int_equal(sum.address, 0x3003c);
	assert_int_equal(sum.bytes, 4);
	assert_int_equal(sum.accesses, 1);
	assert_int_equal(sum.moves, 0);
	lines_free(lines);
	memory_free(other);
	stop();
}

/* A page that was unmapped is translated anew, and has a frame that nothing used before. */
static void unmapped_pages_have_new_frames(void **state)
{
	const uint64_t place = 0x40000000;
	struct memory_result before, after, neighbour, other;

	(void)state;
	start(false);
	load(place + 2 * PAGE, &before);
	load(place + 3 * PAGE, &neighbour);
	assert_true(memory_unmap(memory, place + 2 * PAGE, PAGE));
	assert_false(memory_unmap(memory, place + 2 * PAGE, PAGE));
	load(place + 3 * PAGE, &other);
	assert_int_equal(other.tlb, TLB_L1_HIT);
	assert_int_equal(other.physical, neighbour.physical);
	load(place + 2 * PAGE, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.level, LEVEL_DRAM);
	/* It is where the set of L1D is the same. */
	assert_int_equal(after.physical % BLOCK, before.physical % BLOCK);
	assert_int_not_equal(after.physical, before.physical);
	load(place + 2 * PAGE, &other);
	assert_int_equal(other.tlb, TLB_L1_HIT);
	assert_int_equal(other.physical, after.physical);
	/* The tables stay while they map other pages: a walk has one step. */
	assert_int_equal(counts[EVENT_DTLB_STEP], 4 + 1 + 1);
	/* All of the last table's pages, and ranges beyond all that was ever mapped. */
	assert_true(memory_unmap(memory, place, 2 << 20));
	load(place + 3 * PAGE, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_not_equal(after.physical, neighbour.physical);
	assert_int_equal(counts[EVENT_DTLB_STEP], 4 + 1 + 1 + 2);
	assert_true(memory_unmap(memory, 0, 1ull << 46));
	assert_false(memory_unmap(memory, 0, 1ull << 46));
	assert_false(memory_unmap(memory, place, 0));
	load(place + 3 * PAGE, &other);
	assert_int_equal(other.level, LEVEL_DRAM);
	assert_int_equal(counts[EVENT_DTLB_STEP], 4 + 1 + 1 + 2 + 4);
	stop();
}

/* Every frame is given once, in whatever order pages come and go, and stays with its page. */
static void frames_are_never_given_twice(void **state)
{
	enum { PAGES = 40, ROUNDS = 2000 };
	static uint64_t given[ROUNDS];
	uint64_t frames[PAGES] = {0};
	struct memory_result r;
	unsigned count = 0;

	(void)state;
	start(false);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned page = random_bits() % PAGES, pages = 1 + random_bits() % 3;

		if (i % 2) {
			memory_unmap(memory, (uint64_t)page * PAGE, (uint64_t)pages * PAGE);
			for (unsigned k = page; k < page + pages && k < PAGES; k++)
				frames[k] = 0;
			continue;
		}
		load((uint64_t)page * PAGE, &r);
		if (frames[page]) {
			assert_int_equal(r.physical, frames[page]);
			continue;
		}
		for (unsigned k = 0; k < count; k++)
			assert_int_not_equal(given[k], r.physical);
		given[count++] = frames[page] = r.physical;
		assert_int_equal(r.tlb, TLB_WALK);
		assert_int_equal(r.physical / PAGE % 16, page % 16);
	}
	assert_in_range(count, ROUNDS / 10, ROUNDS);
	stop();
}

static void protected_pages_keep_their_frames(void **state)
{
	struct memory_result before, after;

	(void)state;
	start(false);
	load(0x12345678, &before);
	memory_protect(memory, 0x12345000, PAGE);
	memory_protect(memory, 0x12345000, 0);
	load(0x12345678, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.level, LEVEL_L1);
	assert_int_equal(after.physical, before.physical);
	stop();
}

/* The frames of moved pages are those of their new addresses, also in other places of a block. */
static void moved_pages_take_their_frames_with_them(void **state)
{
	struct memory_result before[3], after;

	(void)state;
	start(false);
	for (unsigned i = 0; i < 3; i++)
		load(0x30000 + i * PAGE, &before[i]);
	load(0x75000, &after); /* what is there goes */
	memory_move(memory, 0x30000, 0x75000, 4 * PAGE);
	memory_move(memory, 0x30000, 0x75000, 0);
	for (unsigned i = 0; i < 3; i++) {
		load(0x75000 + i * PAGE, &after);
		assert_int_equal(after.tlb, TLB_WALK);
		assert_int_equal(after.level, LEVEL_L1);
		assert_int_equal(after.physical, before[i].physical);
	}
	load(0x78000, &after); /* was never touched */
	assert_int_equal(after.level, LEVEL_DRAM);
	load(0x30000, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.level, LEVEL_DRAM);
	stop();
}

/* A page of the model that is larger than the program's keeps its frame while it has neighbours. */
static void parts_of_larger_pages_are_not_unmapped(void **state)
{
	struct memory_result before, after;

	(void)state;
	params = *model_cores[0];
	params.page_bytes = 65536;
	begin();
	load(0x30000, &before);
	assert_false(memory_unmap(memory, 0x31000, PAGE));
	load(0x30000, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.physical, before.physical);
	assert_true(memory_unmap(memory, 0x2f000, 0x12000));
	load(0x30000, &after);
	assert_int_equal(after.level, LEVEL_DRAM);
	stop();
}

/* A huge page that is unmapped as a whole is a new one, or small ones; a part of it stays. */
static void huge_pages_are_unmapped_as_a_whole(void **state)
{
	const uint64_t huge = 2 << 20, anonymous = 0x5500000000;
	struct memory_result before, after;

	(void)state;
	params = *model_cores[0];
	params.prefetch_streams = params.l2_prefetch_lines = 0;
	params.is_anonymous = above_file;
	begin();
	load(anonymous, &before);
	assert_false(memory_unmap(memory, anonymous, PAGE));
	load(anonymous, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.physical, before.physical);
	assert_true(memory_unmap(memory, anonymous - huge, 2 * huge));
	load(anonymous, &after);
	assert_int_equal(after.tlb, TLB_WALK);
	assert_int_equal(after.level, LEVEL_DRAM);
	assert_int_equal(after.physical % huge, 0);
	assert_int_not_equal(after.physical, before.physical);
	assert_int_equal(counts[EVENT_DTLB_WALK_LARGE], 3);
	stop();
}

/* Other cores lose their translations when they catch up, however late. */
static void all_cores_lose_translations(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	struct memory_result mine, r;
	struct memory *other;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	for (unsigned times = 1; times < 1000; times *= 10) {
		memory_load(other, 1000, 0x1000, 0x30000, 8, false, &r);
		memory_load(other, 2000, 0x1000, 0x60000, 8, false, &r);
		for (unsigned i = 0; i < times; i++)
			assert_int_equal(memory_unmap(memory, 0x30000, PAGE), i == 0);
		load(0x30000, &mine);
		memory_catch_up(other);
		memory_catch_up(memory);
		memory_load(other, 3000, 0x1000, 0x30000, 8, false, &r);
		assert_int_equal(r.tlb, TLB_WALK);
		assert_int_equal(r.physical, mine.physical);
		/* Of more than a core can remember, it loses all. */
		memory_load(other, 4000, 0x1000, 0x60000, 8, false, &r);
		assert_int_equal(r.tlb, times < 100 ? TLB_L1_HIT : TLB_WALK);
	}
	memory_free(other);
	memory_unmap(memory, 0x30000, PAGE); /* tells nobody who is gone */
	stop();
}

/* What has moved between cores is reported, also if its page was unmapped and is another one. */
static void lines_of_unmapped_pages_are_counted(void **state)
{
	static uint64_t other_counts[EVENT_COUNT];
	const struct access access = {.address = 0x30010, .bytes = 8};
	struct lines_count sum = {0};
	struct memory_result r;
	struct memory *other;
	struct lines *lines;

	(void)state;
	start(false);
	memset(other_counts, 0, sizeof(other_counts));
	other = memory_new(memory_system, &params, other_counts);
	lines = lines_new(memory, LINE);
	assert_non_null(lines);
	for (unsigned i = 0; i < 2; i++) {
		memory_store(other, 1000, 0x1000, 0x30000, 8, false, &r);
		load(0x30010, &r);
		lines_accessed(lines, 0x4000, LINES_LOAD, &access, &access + 1);
		assert_true(memory_unmap(memory, 0x30000, PAGE));
		memory_catch_up(other);
	}
	lines_accessed(lines, 0x4000, LINES_LOAD, &access, &access + 1);
	lines_tell(lines, add_told, &sum);
	assert_int_equal(sum.accesses, 3);
	assert_int_equal(sum.moves, 2);
	lines_free(lines);
	memory_free(other);
	stop();
}

static void physical_blocks_are_given_in_order_of_first_touch(void **state)
{
	struct memory_result a, b, again, middle;

	(void)state;
	start(false);
	load(0x7fff0000, &a);
	load(0x12340, &b);
	load(0x7fff0008, &again);
	assert_int_equal(b.physical - (a.physical + BLOCK), 0x2340);
	assert_int_equal(again.physical, a.physical + 8);
	/* A block's pages are adjacent, whichever is touched first. */
	load(0x7fff5678, &middle);
	assert_int_equal(middle.physical, a.physical + 0x5678);
	stop();
}

static void the_set_of_l1_follows_from_the_virtual_address(void **state)
{
	(void)state;
	for (size_t i = 0; model_cores[i]; i++) {
		const struct core_params *core = model_cores[i];

		assert_in_range(core->l1d.bytes / core->l1d.ways, LINE, BLOCK);
		assert_in_range(core->l1i.bytes / core->l1i.ways, LINE, BLOCK);
	}
}

/* Lines that are 64 KiB apart are all of one set. */
static void lines_of_one_set_evict_each_other(void **state)
{
	struct memory_result r;

	(void)state;
	start(false);
	for (unsigned i = 0; i < 3 * params.l1i.ways; i++) {
		memory_fetch(memory, 100000 + 1000 * i, 0x400000 + i % params.l1i.ways * BLOCK, &r);
		memory_load(memory, 100000 + 1000 * i, 0x1000,
			    0x4000000 + i % params.l1d.ways * BLOCK, 8, false, &r);
	}
	assert_int_equal(counts[EVENT_L1I_CACHE_REFILL], params.l1i.ways);
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], params.l1d.ways);
	stop();
	start(false);
	for (unsigned i = 0; i < 3 * 13; i++) {
		memory_fetch(memory, 100000 + 1000 * i, 0x400000 + i % 13 * BLOCK, &r);
		memory_load(memory, 100000 + 1000 * i, 0x1000, 0x4000000 + i % 13 * BLOCK, 8, false,
			    &r);
	}
	assert_int_equal(counts[EVENT_L1I_CACHE_REFILL], 3 * 13);
	assert_int_equal(counts[EVENT_L1D_CACHE_REFILL], 3 * 13);
	stop();
}

static void a_crossing_access_reads_both_lines(void **state)
{
	struct memory_result r;

	(void)state;
	start(false);
	load(0x40000 + PAGE - 4, &r); /* 8 bytes over a page's end */
	assert_true(r.crosses_line);
	assert_int_equal(counts[EVENT_L1D_CACHE_RD], 2);
	assert_int_equal(counts[EVENT_L1D_TLB], 2);
	assert_int_equal(counts[EVENT_DTLB_WALK], 2);
	assert_true(r.crosses_page);
	load(0x40000 + LINE - 4, &r);
	assert_true(r.crosses_line);
	assert_false(r.crosses_page);
	stop();
}

/* Those across a line alone do not. */
static void stores_across_pages_follow_one_another_slowly(void **state)
{
	struct memory_result r;

	(void)state;
	start(false);
	memory_store(memory, 1000, 0x1000, 0x40000 + LINE - 4, 8, false, &r);
	memory_store(memory, 2000, 0x1000, 0x40000 + PAGE - 4, 8, false, &r);
	for (unsigned i = 1; i <= 3; i++) {
		memory_store(memory, 90000, 0x1000, 0x40000 + LINE - 4, 8, false, &r);
		assert_true(r.crosses_line);
		assert_int_equal(r.ready, 90001);
		memory_store(memory, 90000, 0x1000, 0x40000 + PAGE - 4, 8, false, &r);
		assert_true(r.crosses_line);
		assert_int_equal(r.ready, 90001 + (i - 1) * params.store_page_cycles);
	}
	assert_int_equal(params.store_page_cycles, 11);
	stop();
}

static void fetch_counts_on_the_instruction_side(void **state)
{
	struct memory_result r;

	(void)state;
	start(true);
	assert_false(memory_fetch(memory, 1000, 0x400000, &r));
	assert_true(memory_fetch(memory, 90000, 0x400000, &r));
	assert_int_equal(r.level, LEVEL_L1);
	assert_int_equal(r.ready, 90000);
	assert_int_equal(counts[EVENT_L1I_CACHE], 2);
	assert_int_equal(counts[EVENT_L1I_CACHE_REFILL], 1);
	assert_int_equal(counts[EVENT_L2I_CACHE_RD], 1);
	assert_int_equal(counts[EVENT_ITLB_WALK], 1);
	assert_int_equal(counts[EVENT_L1D_CACHE_RD], 0);
	assert_int_equal(counts[EVENT_DTLB_WALK], 0);
	stop();
}

/* A path may carry a line in a fraction of a cycle, or in whole cycles and a fraction. */
static void paths_carry_fractions_of_a_line(void **state)
{
	static const unsigned costs[] = {29, 100, 250, 766};

	(void)state;
	for (unsigned i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		struct bandwidth *path = calloc(1, sizeof(*path));
		uint64_t last = 0, end = 1000ull * costs[i] / 100;

		assert_non_null(path);
		bandwidth_set_up(path, costs[i]);
		for (unsigned line = 0; line < 1000; line++)
			last = bandwidth_take(path, 0);
		/* The last one begins within the last stretch of cycles. */
		assert_in_range(last, end - (2 << STRETCH_LOG2), end);
		free(path);
	}
}

/* Makes 20000 accesses to twice the pages that a core knows by heart, and unmaps some of them. */
static void access_at_random(bool expect, uint64_t *results)
{
	start(true);
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t address = 0x10000 + random_bits() % (8192 * PAGE);
		struct memory_result r;

		if (expect)
			memory_expect(memory, address);
		memory_load(memory, 40ull * i, 0x1000, address, 8, false, &r);
		results[i] = r.ready ^ r.physical << 20 ^ r.level;
		/* Nothing has touched this page, and expecting it does not. */
		if (expect)
			memory_expect(memory, address + (1ull << 32));
		assert_false(memory_is_touched(memory, address + (1ull << 32)));
		if (i % 50 == 0)
			memory_unmap(memory, address & ~(uint64_t)(PAGE - 1), PAGE << i % 3);
		assert_int_equal(memory_is_touched(memory, address), i % 50 != 0);
		if (i % 50 == 0)
			memory_expect(memory, address);
	}
}

static void expecting_an_access_changes_nothing(void **state)
{
	static uint64_t plain[20000], expected[20000], counted[EVENT_COUNT];

	(void)state;
	random_state = 7;
	access_at_random(false, plain);
	memcpy(counted, counts, sizeof(counted));
	stop();
	assert_true(counted[EVENT_DTLB_WALK] > 10000);
	random_state = 7;
	access_at_random(true, expected);
	assert_memory_equal(expected, plain, sizeof(plain));
	assert_memory_equal(counts, counted, sizeof(counted));
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_carry_fractions_of_a_line),
		cmocka_unit_test(each_level_has_its_latency),
		cmocka_unit_test(misses_follow_from_stack_distances),
		cmocka_unit_test(pages_beyond_a_tlb_miss_it),
		cmocka_unit_test(walks_take_the_steps_of_their_pages),
		cmocka_unit_test(huge_pages_hold_anonymous_memory),
		cmocka_unit_test(walks_go_through_the_caches),
		cmocka_unit_test(unmapped_pages_have_new_frames),
		cmocka_unit_test(frames_are_never_given_twice),
		cmocka_unit_test(protected_pages_keep_their_frames),
		cmocka_unit_test(moved_pages_take_their_frames_with_them),
		cmocka_unit_test(parts_of_larger_pages_are_not_unmapped),
		cmocka_unit_test(huge_pages_are_unmapped_as_a_whole),
		cmocka_unit_test(all_cores_lose_translations),
		cmocka_unit_test(lines_of_unmapped_pages_are_counted),
		cmocka_unit_test(a_line_on_its_way_is_waited_for_not_asked_for_again),
		cmocka_unit_test(a_load_tells_whether_all_of_it_was_at_hand),
		cmocka_unit_test(a_stream_is_prefetched),
		cmocka_unit_test(streams_are_followed_across_pages),
		cmocka_unit_test(a_stream_runs_ahead_by_its_distance),
		cmocka_unit_test(a_random_walk_is_not_prefetched),
		cmocka_unit_test(a_long_run_of_stores_stops_allocating),
		cmocka_unit_test(dirty_lines_are_written_back_once),
		cmocka_unit_test(a_line_written_elsewhere_is_fetched_from_there),
		cmocka_unit_test(a_stream_written_elsewhere_is_prefetched_again),
		cmocka_unit_test(lines_on_their_way_are_waited_for),
		cmocka_unit_test(moves_of_lines_are_noted),
		cmocka_unit_test(accesses_to_shared_lines_are_counted),
		cmocka_unit_test(physical_blocks_are_given_in_order_of_first_touch),
		cmocka_unit_test(the_set_of_l1_follows_from_the_virtual_address),
		cmocka_unit_test(lines_of_one_set_evict_each_other),
		cmocka_unit_test(parts_are_busy_for_what_each_needs),
		cmocka_unit_test(a_crossing_access_reads_both_lines),
		cmocka_unit_test(stores_across_pages_follow_one_another_slowly),
		cmocka_unit_test(fetch_counts_on_the_instruction_side),
		cmocka_unit_test(expecting_an_access_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of a core's memory side: translation.c (TLBs and walks), beyond.c (L2, the
 * levels beyond it, and coherence), memory.c (L1 and the interface, memory.h).
 */
#ifndef MODEL_MEMORY_SIDE_H
#define MODEL_MEMORY_SIDE_H

#include "bandwidth.h"
#include "cache.h"
#include "events.h"
#include "prefetch.h"
#include "system.h"
#include "tlb.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

#define MISSES_MAX   128
#define WALKERS_MAX  8
#define MOVES_NOTED  8
#define BEATS_A_LINE 2 /* 32 bytes per beat */

/*
 * Buffers, each held by one request for some time, in a ring: the first one is free first, the last
 * one last. Most requests end after all others, or nearly.
 */
struct buffers {
	uint64_t free_at[MISSES_MAX];
	unsigned first, mask; /* of the ring's places */
	uint64_t needed;      /* cycles so far, of all buffers, for which requests need them if they
				 never queue for anything else */
	unsigned count;
};

/* Cycles for which L2's miss buffers were needed, and lines that paths carried. */
struct line_use {
	uint64_t l2_misses, l2_lines, llc_lines, dram_lines;
};

/* Whether a block of the size of a huge page is one: a copy of what the system knows. */
#define HUGE_KNOWN 64
struct huge_known {
	uint64_t block; /* plus one */
	bool huge;
};

/*
 * Frames of pages that this core has accessed, by page: as valid as what its TLBs have, and faster
 * than the system's answer, for which cores queue.
 */
#define FRAMES_KNOWN 4096
struct known_frame {
	uint64_t page; /* plus one */
	uint64_t frame;
};

/* Accesses for memory_touch() that have not been made yet. */
#define TOUCHES_MAX 16
struct touches {
	struct {
		uint64_t address;
		unsigned stored;
	} made[TOUCHES_MAX];
	unsigned count;
};

/* What other cores have done to translations since this core last had a look. */
#define PENDING_MAX 64
struct invalidation {
	uint64_t first, end; /* pages */
	bool tables;         /* also the tables that only map these pages */
};

struct memory {
	struct memory_system *system;
	struct memory *next; /* of the system's */
	const struct core_params *params;
	uint64_t *counts;
	unsigned line_log2, page_log2, lines_a_page;
	uint64_t page_inside, huge_inside; /* masks of an address's bits inside a page */
	unsigned number;                   /* the core's number as owner of lines, from 1 */
	uint64_t origin;                   /* model time of the core's cycle 0, modulo 2^64 */
	uint64_t stored;                   /* cycle at which the last store was in L1D */
	uint64_t page_stored;              /* likewise, of those that cross a page */
	uint64_t
		arrival; /* cycle at which the last line that it took from another core was there */

	/* Lines, plus one: that others are assumed to have had; that came for a planned visit, and
	 * is another core's already; that an atomic has come for, and stores to. */
	uint64_t returning, visited, kept;
	uint64_t visit;  /* when .visited is here, in model time */
	unsigned others; /* that are assumed to have had .returning */

	uint64_t *moving;                  /* memory_count_moving(), or NULL */
	uint64_t moving_until;             /* cycle to which it has counted */
	uint64_t moved_lines[MOVES_NOTED]; /* that came from other cores since anyone asked */
	unsigned moved_count;

	unsigned huge_log2;                  /* bytes of a huge page; 0: there are none */
	struct huge_known known[HUGE_KNOWN]; /* by block */

	struct known_frame frames[FRAMES_KNOWN]; /* by page */

	uint64_t page_faults; /* memory_page_faults() */
	uint64_t latency;     /* of the last read beyond L1, if it had queued for nothing */

	struct tlb_first dtlb, itlb;
	struct tlb_second tlb2;
	struct buffers walkers;
	struct tlb_second walk_cache; /* addresses of tables: see translation.c */
	struct line_use walk_use;     /* what walks have used of the paths below */
	unsigned walk_levels;

	struct invalidation pending[PENDING_MAX]; /* under the system's lock */
	_Atomic unsigned pending_count;           /* more than fit: all translations end */

	struct cache l1d, l1i, l2;
	struct buffers data_misses, fetch_misses, l2_misses;
	struct bandwidth l2_path, llc_path, dram_path;
	struct stride_prefetcher stride;
	struct stream_prefetcher data_stream, code_stream; /* L2's */

	/* A line that L2 has evicted, plus one, and when: write_evicted(). */
	uint64_t evicted, evicted_at;

	/* Write streaming: the current run of consecutive stores. */
	uint64_t store_next;    /* address after the last store */
	uint64_t store_run;     /* bytes stored in a row */
	uint64_t streamed_line; /* the line being gathered, plus one */

	struct touches touches;
};

/* Returns whether a part of this core is perfect: what_if.h. Only asked where time is lost. */
static inline bool is_ideal(const struct memory *m, enum ideal part)
{
	return m->params->ideal & part;
}

static inline void buffers_set_up(struct buffers *buffers, unsigned count, unsigned most)
{
	buffers->count = count < most ? count : most;
	while (buffers->mask + 1 < buffers->count)
		buffers->mask = 2 * buffers->mask + 1;
}

/* Returns when a buffer is free. */
static inline uint64_t buffers_free(const struct buffers *buffers)
{
	return buffers->free_at[buffers->first & buffers->mask];
}

/* Holds the buffer that is free first until a cycle, for a request that needs it for `needs`. */
static inline void buffers_hold(struct buffers *buffers, uint64_t until, uint64_t needs)
{
	uint64_t *ring = buffers->free_at;
	const unsigned mask = buffers->mask, first = ++buffers->first;
	unsigned at = first + buffers->count - 1;

	buffers->needed += needs;
	for (; at != first && ring[(at - 1) & mask] > until; at--)
		ring[at & mask] = ring[(at - 1) & mask];
	ring[at & mask] = until;
}

/* ---- beyond.c ----------------------------------------------------------------------------- */

/* Kinds of requests to L2, which count different events. */
enum request { REQUEST_DATA, REQUEST_FETCH, REQUEST_PREFETCH, REQUEST_WALK };

/*
 * Finds a line in L1D or L2, unless another core has written it since it was filled. A line that
 * was fetched stays for as long as a load takes, however soon others want it.
 */
struct cache_line *find_invalidated(struct memory *m, struct cache *cache, struct cache_line *found,
				    uint64_t cycle, enum model_event invalidated);

static inline bool memory_alone(const struct memory *m)
{
	return atomic_load_explicit(&m->system->cores, memory_order_relaxed) == 1;
}

static inline struct cache_line *find_valid(struct memory *m, struct cache *cache, uint64_t cycle,
					    uint64_t line, enum model_event invalidated)
{
	struct cache_line *found = cache_find(cache, line);

	if (!found || memory_alone(m))
		return found;
	return find_invalidated(m, cache, found, cycle, invalidated);
}

/*
 * For a prefetch: whether a cache has a line, and no other core has ended this copy. If one has,
 * the copy is gone.
 */
static inline bool has_valid(struct memory *m, struct cache *cache, uint64_t cycle, uint64_t line,
			     enum model_event invalidated)
{
	struct cache_line *found = cache_peek(cache, line);

	return found && (memory_alone(m) || find_invalidated(m, cache, found, cycle, invalidated));
}

/* Returns the version of a line that this core may keep using. */
static inline uint32_t line_version(const struct memory *m, uint64_t line)
{
	if (memory_alone(m))
		return 0; /* the current one while no other core used it */
	return ownership_version(
		atomic_load_explicit(system_ownership(m->system, line), memory_order_relaxed));
}

/* Returns the version of a line that is filled: an old one of a line that is gone already. */
static inline uint32_t fill_version(const struct memory *m, uint64_t line)
{
	return line_version(m, line) - (m->visited == line + 1);
}

/* Whether the line that L1D holds is this core's to use, and not only until others get it. */
static inline bool is_current(const struct memory *m, const struct cache_line *found)
{
	return *cache_version(&m->l1d, found) == line_version(m, found->key >> 8);
}

/*
 * Whether others, which queue for a line that came from another core, have had it since then, if it
 * is written at `cycle`. Then this core does not have it any more.
 */
bool lose_to_others(struct memory *m, struct cache_line *found, uint64_t cycle);

static inline bool lost_to_others(struct memory *m, struct cache_line *found, uint64_t cycle)
{
	return cache_level(found) == LEVEL_PEER && cycle >= found->ready + m->params->line_hold &&
	       is_current(m, found) && lose_to_others(m, found, cycle);
}

/*
 * Makes this core the only owner of a line before a store, from `cycle` on. Returns whether others
 * had to be notified, and sets `*ready` to when they have been.
 */
bool take_ownership(struct memory *m, uint64_t cycle, uint64_t line, uint64_t *ready);

/*
 * Reads a line at L2 for `request`, from `cycle` on; `own`: and takes it from all other cores.
 * Returns when L1 has it; sets its source.
 */
uint64_t read_l2(struct memory *m, uint64_t cycle, uint64_t line, enum request request, bool own,
		 unsigned *level);

/*
 * L2's prefetcher: learns that L1 requested a line at `cycle`, and fetches those into L2 that will
 * come next of its stream.
 */
void prefetch_l2(struct memory *m, struct stream_prefetcher *stream, uint64_t cycle,
		 uint64_t virtual_line, uint64_t line);

/* L2 has a line that the kernel has just written: no time, and no event. */
void put_in_l2(struct memory *m, uint64_t cycle, uint64_t line);

/*
 * A dirty line that L2 evicts goes to the system cache only just before that, or a path to it or to
 * DRAM, is used again: by then, the host has fetched what it needs to know. So this comes before
 * anything that uses them, or looks at them.
 */
void write_evicted(struct memory *m);

static inline void finish_eviction(struct memory *m)
{
	if (m->evicted)
		write_evicted(m);
}

/* Writes back a dirty line evicted from L1D. */
void write_back(struct memory *m, uint64_t cycle, uint64_t line);

/*
 * Performs a streaming store to a line absent in L1D. Such stores are gathered, then sent to L2 if
 * it has the line, else to the system cache. Returns when the buffer entry is free.
 */
uint64_t store_streamed(struct memory *m, uint64_t cycle, uint64_t line);

/* ---- translation.c ------------------------------------------------------------------------ */

/*
 * What the TLBs call the page that a virtual address is in, and its size. Page numbers are those of
 * small pages, also where they stand for a huge one: of the first of its small pages.
 */
struct page {
	uint64_t key;
	uint64_t number;
	uint64_t inside; /* mask of an address's bits inside the page */
};

#define ADDRESS_MASK 0x00ffffffffffffffull /* without a tag */

struct page huge_page(struct memory *m, uint64_t number);

static inline struct page page_of(struct memory *m, uint64_t address)
{
	uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;

	if (__builtin_expect(m->huge_log2 != 0, 0))
		return huge_page(m, number);
	return (struct page){number, number, m->page_inside};
}

/* Returns the physical address in a page that begins with `frame`. */
static inline uint64_t physical_in(const struct memory *m, const struct page *page, uint64_t frame,
				   uint64_t address)
{
	return frame << m->page_log2 | (address & page->inside);
}

/* Returns the frame of a page, which the kernel maps if it has not yet. */
static inline uint64_t frame_of(struct memory *m, uint64_t number)
{
	struct known_frame *known = &m->frames[number % FRAMES_KNOWN];

	if (known->page != number + 1)
		*known = (struct known_frame){number + 1, system_translate(m->system, number)};
	return known->frame;
}

/*
 * Whether an access would change nothing in L1D: its set used the line last, and it was not just
 * prefetched. If L1D may lack the line, lets the host fetch what the model needs to know of it.
 */
static inline bool expect_access(const struct memory *m, uint64_t address)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	const struct known_frame *known = &m->frames[number % FRAMES_KNOWN];
	const struct cache_line *used_last;
	uint64_t line;

	if (known->page != number + 1)
		return false;
	line = (known->frame << m->page_log2 | (address & m->page_inside)) >> m->line_log2;
	used_last = cache_set_of(&m->l1d, line);
	if (used_last->key >> 8 == line)
		return (used_last->key & (CACHE_VALID | CACHE_PREFETCHED)) == CACHE_VALID;
	system_expect(m->system, line);
	__builtin_prefetch(system_ownership(m->system, line), 1);
	__builtin_prefetch(cache_set_of(&m->l2, line), 1);
	return false;
}

/* Translates after a miss in the first-level TLB; returns the frame. */
uint64_t translate_slow(struct memory *m, struct tlb_first *first, uint64_t cycle,
			const struct page *page, bool for_fetch, struct memory_result *result);

/*
 * Walks without time and events: notes the addresses of tables, and writes the lines of the entries
 * that it would read. Returns how many.
 */
#define WALK_LEVELS_MAX 8
unsigned walk_touched(struct memory *m, const struct page *page, uint64_t lines[WALK_LEVELS_MAX]);

/* Translates for a prefetch, without events or a walk; false if no TLB has the translation. */
bool translate_quietly(struct memory *m, uint64_t virtual_line, uint64_t *line);

/*
 * Translates for L2's prefetcher, whose streams go on in the next page: walks from `*cycle` on, if
 * there is a walker that has nothing to do; false if not. Sets `*cycle` to when it is done.
 */
bool translate_ahead(struct memory *m, uint64_t *cycle, uint64_t virtual_line, uint64_t *line);

static inline uint64_t translate(struct memory *m, struct tlb_first *first, uint64_t cycle,
				 uint64_t address, bool for_fetch, struct memory_result *result)
{
	const struct page page = page_of(m, address);
	uint64_t frame;

	m->counts[for_fetch ? EVENT_L1I_TLB : EVENT_L1D_TLB]++;
	result->translated = cycle;
	result->tlb = TLB_L1_HIT;
	if (!tlb_first_find(first, page.key, &frame))
		frame = translate_slow(m, first, cycle, &page, for_fetch, result);
	result->physical = physical_in(m, &page, frame, address);
	return result->physical;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that only leave lines in caches, and translations in TLBs. */
#include "hits.h"

#define NO_TIME 0 /* when the data of lines is there: always */

/* How L2 comes to have a line that it lacks. */
enum origin { FROM_SYSTEM, FROM_L1D, FROM_KERNEL };

static void use_l2(struct memory *m, uint64_t line, enum origin origin)
{
	struct cache_line *found = cache_find(&m->l2, line), victim;
	bool evicted;

	if (!found) {
		if (origin == FROM_SYSTEM)
			system_read(m->system, line, &evicted);
		found = cache_insert(&m->l2, line, LEVEL_L2 << CACHE_LEVEL_SHIFT, NO_TIME, &victim);
		if (victim.key & CACHE_DIRTY)
			system_write(m->system, victim.key >> 8, &evicted);
	}
	cache_set_version(&m->l2, found, line_version(m, line));
	found->key &= ~(uint64_t)CACHE_PREFETCHED;
	found->key |= origin == FROM_L1D ? CACHE_DIRTY : 0;
}

/* The TLBs have a page, which the program had accessed before unless it `is_new`. */
static void use_page(struct memory *m, const struct page *page, uint64_t frame, bool is_new)
{
	uint64_t lines[WALK_LEVELS_MAX], known;
	unsigned count;

	if (tlb_first_find(&m->dtlb, page->key, &known))
		return;
	if (!tlb_second_find(&m->tlb2, page->key, &known)) {
		count = walk_touched(m, page, lines);
		/* The kernel has just written the entry. */
		if (is_new)
			use_l2(m, lines[count - 1], FROM_KERNEL);
		for (unsigned i = 0; i < count; i++)
			use_l2(m, lines[i], FROM_SYSTEM);
		tlb_second_insert(&m->tlb2, page->key, frame);
	}
	tlb_first_insert(&m->dtlb, page->key, frame);
}

static struct cache_line *fill(struct memory *m, uint64_t line)
{
	struct cache_line *filled, victim;

	use_l2(m, line, FROM_SYSTEM);
	filled = cache_insert(&m->l1d, line, LEVEL_L2 << CACHE_LEVEL_SHIFT, NO_TIME, &victim);
	cache_set_version(&m->l1d, filled, line_version(m, line));
	if (victim.key & CACHE_DIRTY)
		use_l2(m, victim.key >> 8, FROM_L1D);
	return filled;
}

/* Stores to a line that L1D lacks, in a run of stores that goes past the caches. */
static void store_past(struct memory *m, uint64_t line)
{
	struct cache_line *found;
	bool evicted;

	if (m->streamed_line == line + 1)
		return;
	m->streamed_line = line + 1;
	found = cache_find(&m->l2, line);
	if (found)
		found->key |= CACHE_DIRTY;
	else
		system_write(m->system, line, &evicted);
}

static void touch(struct memory *m, uint64_t address, unsigned stored)
{
	const struct page page = page_of(m, address);
	const bool is_new = m->frames[page.number % FRAMES_KNOWN].page != page.number + 1 &&
			    !system_is_touched(m->system, page.number);
	const uint64_t frame = frame_of(m, page.number);
	const uint64_t line = physical_in(m, &page, frame, address) >> m->line_log2;
	struct cache_line *found = cache_find(&m->l1d, line);
	const bool past = stored && is_streaming(m, address, stored);

	if (unlikely(!found)) {
		finish_eviction(m);
		use_page(m, &page, frame, is_new);
		if (past) {
			store_past(m, line);
			return;
		}
		found = fill(m, line);
	}
	found->key &= ~(uint64_t)CACHE_PREFETCHED;
	found->key |= stored ? CACHE_DIRTY : 0;
}

void memory_touch_end(struct memory *m)
{
	struct touches *touches = &m->touches;

	for (unsigned i = 0; i < touches->count; i++)
		touch(m, touches->made[i].address, touches->made[i].stored);
	touches->count = 0;
}

/* A load from the line that its set used last changes nothing. */
static bool changes_nothing(struct memory *m, uint64_t address, unsigned stored)
{
	return expect_access(m, address) && !m->touches.count && !stored && !m->huge_log2 &&
	       memory_alone(m);
}

/*
 * What the model knows of a line beyond L1D is seldom in the host's caches. So accesses that may
 * miss wait for a few others, while the host fetches that for all of them.
 */
void memory_touch(struct memory *m, uint64_t address, unsigned stored)
{
	struct touches *touches = &m->touches;

	if (changes_nothing(m, address, stored))
		return;
	touches->made[touches->count].address = address;
	touches->made[touches->count].stored = stored;
	if (++touches->count == TOUCHES_MAX)
		memory_touch_end(m);
}

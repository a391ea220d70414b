/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation after misses in the first-level TLBs, and page table walks. */
#include <string.h>

#include "memory_side.h"

/*
 * What the walk cache calls the table whose entries each map `level` times `bits` of the page's
 * number: 1 is a table of the last level.
 */
static uint64_t table_key(uint64_t page, unsigned bits, unsigned level)
{
	return page >> bits * level | (uint64_t)level << 60;
}

/* Set in the keys of huge pages. */
#define KEY_HUGE (1ull << 62)

struct page huge_page(struct memory *m, uint64_t number)
{
	const unsigned log2_pages = m->huge_log2 - m->page_log2;
	uint64_t block = number >> log2_pages;
	struct huge_known *known = &m->known[block % HUGE_KNOWN];

	if (known->block != block + 1)
		*known = (struct huge_known){block + 1, system_is_huge(m->system, number)};
	if (!known->huge)
		return (struct page){number, number, m->page_inside};
	return (struct page){block | KEY_HUGE, block << log2_pages, m->huge_inside};
}

/* Returns the line of the entry for a page in its table of a level, 0 being the last. */
static uint64_t entry_line(const struct memory *m, uint64_t page, unsigned level)
{
	/* Tables are above all allocated memory; they fill a page with entries of 8 bytes. */
	const uint64_t tables = 1ull << (52 - m->line_log2);
	uint64_t entry = (page >> (m->page_log2 - 3) * level) * 8;

	return tables * (level + 1) + (entry >> m->line_log2);
}

/* Whether the program has accessed a page since it was mapped. */
static bool is_touched(const struct memory *m, uint64_t number)
{
	return m->frames[number % FRAMES_KNOWN].page == number + 1 ||
	       system_is_touched(m->system, number);
}

/*
 * Returns the levels of tables from the last one, `last`, to that whose address is cached, or to
 * the top.
 */
static unsigned tables_to_read(struct memory *m, const struct page *page, unsigned last)
{
	const unsigned bits = m->page_log2 - 3;
	unsigned count = 1 + last;
	uint64_t cached;

	while (count < m->walk_levels &&
	       !tlb_second_find(&m->walk_cache, table_key(page->number, bits, count), &cached))
		count++;
	return count;
}

/* Returns what reads of lines have used so far. */
static struct line_use use_so_far(struct memory *m)
{
	finish_eviction(m);
	return (struct line_use){m->l2_misses.needed, m->l2_path.lines, m->llc_path.lines,
				 m->dram_path.lines};
}

/* Adds what a walk has used since `before`. */
static void add_walk_use(struct memory *m, const struct line_use *before)
{
	const struct line_use now = use_so_far(m);

	m->walk_use.l2_misses += now.l2_misses - before->l2_misses;
	m->walk_use.l2_lines += now.l2_lines - before->l2_lines;
	m->walk_use.llc_lines += now.llc_lines - before->llc_lines;
	m->walk_use.dram_lines += now.dram_lines - before->dram_lines;
}

/*
 * Walks the page tables, from the last one whose address is cached, or from the top. Each step
 * reads an entry at L2; that of a huge page is a level above those of small pages. The kernel
 * writes a page's entry when the page is first touched. Returns when the walk is done.
 */
static uint64_t walk(struct memory *m, uint64_t cycle, const struct page *page, unsigned *steps,
		     uint64_t *begin)
{
	const unsigned last = page->inside != m->page_inside;
	const unsigned bits = m->page_log2 - 3;
	const struct line_use before = use_so_far(m);
	uint64_t free = buffers_free(&m->walkers), needs = 0, ready;
	unsigned level, count;

	*begin = ready = free > cycle ? free : cycle;
	count = tables_to_read(m, page, last);
	if (!is_touched(m, page->number))
		put_in_l2(m, cycle, entry_line(m, page->number, last));
	for (unsigned i = count; i-- > last;) {
		ready = read_l2(m, ready + m->params->walk_latency, entry_line(m, page->number, i),
				REQUEST_WALK, false, &level);
		needs += m->params->walk_latency + m->latency;
		if (i > last)
			tlb_second_insert(&m->walk_cache, table_key(page->number, bits, i), 0);
	}
	buffers_hold(&m->walkers, ready, needs);
	add_walk_use(m, &before);
	*steps = count - last;
	return ready;
}

unsigned walk_touched(struct memory *m, const struct page *page, uint64_t lines[WALK_LEVELS_MAX])
{
	const unsigned last = page->inside != m->page_inside;
	unsigned count = tables_to_read(m, page, last), read = 0;

	for (unsigned i = count; i-- > last;) {
		lines[read++] = entry_line(m, page->number, i);
		if (i > last)
			tlb_second_insert(&m->walk_cache,
					  table_key(page->number, m->page_log2 - 3, i), 0);
	}
	return read;
}

/* Walks for an access, and counts that. */
static uint64_t walk_for_access(struct memory *m, uint64_t cycle, const struct page *page,
				bool for_fetch)
{
	const bool huge = page->inside != m->page_inside;
	unsigned steps;
	uint64_t begin, ready = walk(m, cycle, page, &steps, &begin);

	m->counts[EVENT_L2D_TLB_REFILL]++;
	if (for_fetch) {
		m->counts[EVENT_ITLB_WALK]++;
		m->counts[huge ? EVENT_ITLB_WALK_LARGE : EVENT_ITLB_WALK_SMALL]++;
		m->counts[EVENT_ITLB_STEP] += steps;
		m->counts[EVENT_ITLB_WALK_PERCYC] += ready - begin;
	} else {
		m->counts[EVENT_DTLB_WALK]++;
		m->counts[huge ? EVENT_DTLB_WALK_LARGE : EVENT_DTLB_WALK_SMALL]++;
		m->counts[EVENT_DTLB_STEP] += steps;
		m->counts[EVENT_DTLB_WALK_PERCYC] += ready - begin;
	}
	return ready;
}

/* Whether the program has yet to access a page, and the kernel to map it, at a cost. */
static bool would_fault(struct memory *m, const struct page *page)
{
	return m->params->conditions.page_fault_cycles && !is_touched(m, page->number);
}

uint64_t translate_slow(struct memory *m, struct tlb_first *first, uint64_t cycle,
			const struct page *page, bool for_fetch, struct memory_result *result)
{
	uint64_t frame;

	if (is_ideal(m, IDEAL_TLB)) { /* as if it had been there */
		m->page_faults += would_fault(m, page);
		frame = frame_of(m, page->number);
		tlb_first_insert(first, page->key, frame);
		return frame;
	}
	m->counts[for_fetch ? EVENT_L1I_TLB_REFILL : EVENT_L1D_TLB_REFILL]++;
	m->counts[EVENT_L2D_TLB]++;
	result->translated = cycle + m->params->l2_tlb.latency;
	result->tlb = TLB_L2_HIT;
	if (!tlb_second_find(&m->tlb2, page->key, &frame)) {
		result->tlb = TLB_WALK;
		result->translated = walk_for_access(m, result->translated, page, for_fetch);
		m->page_faults += would_fault(m, page);
		frame = frame_of(m, page->number);
		tlb_second_insert(&m->tlb2, page->key, frame);
	}
	tlb_first_insert(first, page->key, frame);
	return frame;
}

bool translate_quietly(struct memory *m, uint64_t virtual_line, uint64_t *line)
{
	const uint64_t address = virtual_line << m->line_log2;
	const struct page page = page_of(m, address);
	uint64_t frame;

	if (!tlb_first_find(&m->dtlb, page.key, &frame) &&
	    !tlb_second_find(&m->tlb2, page.key, &frame)) {
		if (!is_ideal(m, IDEAL_TLB) || would_fault(m, &page))
			return false;
		frame = frame_of(m, page.number);
	}
	*line = physical_in(m, &page, frame, address) >> m->line_log2;
	return true;
}

bool translate_ahead(struct memory *m, uint64_t *cycle, uint64_t virtual_line, uint64_t *line)
{
	const uint64_t address = virtual_line << m->line_log2;
	uint64_t begin, frame;
	unsigned steps;
	struct page page;

	if (translate_quietly(m, virtual_line, line))
		return true;
	if (buffers_free(&m->walkers) > *cycle)
		return false;
	page = page_of(m, address);
	if (would_fault(m, &page))
		return false;
	*cycle = walk(m, *cycle, &page, &steps, &begin);
	frame = frame_of(m, page.number);
	tlb_second_insert(&m->tlb2, page.key, frame);
	*line = physical_in(m, &page, frame, address) >> m->line_log2;
	return true;
}

/* ---- Changes of the page tables ------------------------------------------------------------ */

/* Forgets the frames of the pages in a range, and, with huge ones, all. */
static void forget_frames(struct memory *m, uint64_t first, uint64_t end)
{
	if (m->huge_log2 || end - first >= FRAMES_KNOWN) {
		memset(m->frames, 0, sizeof(m->frames));
		return;
	}
	for (uint64_t page = first; page < end; page++)
		if (m->frames[page % FRAMES_KNOWN].page == page + 1)
			m->frames[page % FRAMES_KNOWN].page = 0;
}

/* Ends the translations of pages on this core, as TLBI by address does. */
static void invalidate(struct memory *m, const struct invalidation *ended)
{
	const uint64_t first = ended->first, end = ended->end;
	const unsigned bits = m->page_log2 - 3;

	forget_frames(m, first, end);
	tlb_first_remove(&m->dtlb, first, end);
	tlb_first_remove(&m->itlb, first, end);
	tlb_second_remove(&m->tlb2, first, end);
	if (m->huge_log2) {
		const unsigned log2_pages = m->huge_log2 - m->page_log2;
		const uint64_t from = first >> log2_pages, to = ((end - 1) >> log2_pages) + 1;

		tlb_first_remove(&m->dtlb, from | KEY_HUGE, to | KEY_HUGE);
		tlb_first_remove(&m->itlb, from | KEY_HUGE, to | KEY_HUGE);
		tlb_second_remove(&m->tlb2, from | KEY_HUGE, to | KEY_HUGE);
		memset(m->known, 0, sizeof(m->known));
	}
	/* Linux frees tables that map nothing any more, and ends what is cached of them. */
	for (unsigned level = 1; ended->tables && level < m->walk_levels; level++) {
		const uint64_t pages = 1ull << bits * level;
		const uint64_t from = (first + pages - 1) / pages, to = end / pages;

		if (from < to)
			tlb_second_remove(&m->walk_cache, table_key(from * pages, bits, level),
					  table_key((to - 1) * pages, bits, level) + 1);
	}
}

static void invalidate_all(struct memory *m)
{
	tlb_first_set_up(&m->dtlb, m->params->l1d_tlb.entries);
	tlb_first_set_up(&m->itlb, m->params->l1i_tlb.entries);
	tlb_second_clear(&m->tlb2);
	tlb_second_clear(&m->walk_cache);
	memset(m->known, 0, sizeof(m->known));
	memset(m->frames, 0, sizeof(m->frames));
}

/* Returns the pages that are at least partly in a range of addresses. */
static struct invalidation pages_in(const struct memory *m, uint64_t from, uint64_t bytes)
{
	const uint64_t address = from & ADDRESS_MASK;

	return (struct invalidation){.first = address >> m->page_log2,
				     .end = ((address + bytes - 1) >> m->page_log2) + 1};
}

/* Ends translations on all cores. With the system's lock. */
static void broadcast(struct memory *m, const struct invalidation *ended)
{
	invalidate(m, ended);
	for (struct memory *other = m->system->memories; other; other = other->next) {
		unsigned count = atomic_load_explicit(&other->pending_count, memory_order_relaxed);

		if (other == m || count > PENDING_MAX)
			continue;
		if (count < PENDING_MAX)
			other->pending[count] = *ended;
		atomic_store(&other->pending_count, count + 1);
	}
}

bool memory_unmap(struct memory *m, uint64_t from, uint64_t bytes)
{
	struct invalidation ended = pages_in(m, from, bytes);
	/* Larger pages than the program's have neighbours of what it unmapped. */
	const uint64_t whole = (1ull << m->page_log2) - 1, address = from & ADDRESS_MASK;
	bool had;

	if (!bytes)
		return false;
	ended.tables = true;
	pthread_mutex_lock(&m->system->lock);
	broadcast(m, &ended);
	had = frames_drop(m->system->frames, (address + whole) >> m->page_log2,
			  (address + bytes) >> m->page_log2);
	if (had)
		atomic_fetch_add(&m->system->remapped, 1);
	pthread_mutex_unlock(&m->system->lock);
	return had;
}

void memory_protect(struct memory *m, uint64_t from, uint64_t bytes)
{
	const struct invalidation ended = pages_in(m, from, bytes);

	if (!bytes)
		return;
	pthread_mutex_lock(&m->system->lock);
	broadcast(m, &ended);
	pthread_mutex_unlock(&m->system->lock);
}

void memory_move(struct memory *m, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct invalidation source = pages_in(m, from, bytes), target = pages_in(m, to, bytes);

	if (!bytes)
		return;
	source.tables = target.tables = true;
	pthread_mutex_lock(&m->system->lock);
	broadcast(m, &source);
	broadcast(m, &target);
	frames_move(m->system->frames, source.first, target.first, source.end - source.first);
	atomic_fetch_add(&m->system->remapped, 1);
	pthread_mutex_unlock(&m->system->lock);
}

void memory_catch_up(struct memory *m)
{
	unsigned count = atomic_load_explicit(&m->pending_count, memory_order_relaxed);

	if (!count)
		return;
	pthread_mutex_lock(&m->system->lock);
	count = atomic_exchange(&m->pending_count, 0);
	for (unsigned i = 0; i < count && count <= PENDING_MAX; i++)
		invalidate(m, &m->pending[i]);
	if (count > PENDING_MAX)
		invalidate_all(m);
	pthread_mutex_unlock(&m->system->lock);
}

uint32_t memory_remapped(const struct memory *m)
{
	return atomic_load_explicit(&m->system->remapped, memory_order_relaxed);
}

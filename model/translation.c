/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation after misses in the first-level TLBs, and page table walks. */
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
		return (struct page){number, number, m->page_log2};
	return (struct page){block | KEY_HUGE, block << log2_pages, m->huge_log2};
}

/*
 * Walks the page tables, from the last one whose address is cached, or from the top. Each step
 * reads an entry at L2; that of a huge page is a level above those of small pages. Returns when the
 * walk is done.
 */
static uint64_t walk(struct memory *m, uint64_t cycle, const struct page *page, unsigned *steps,
		     uint64_t *begin)
{
	const unsigned last = page->log2 > m->page_log2;
	/* Tables are above all allocated memory; they fill a page with entries of 8 bytes. */
	const uint64_t tables = 1ull << (52 - m->line_log2);
	const unsigned bits = m->page_log2 - 3;
	uint64_t *walker = buffers_first(&m->walkers), ready, cached;
	unsigned level, count = 1 + last;

	*begin = ready = *walker > cycle ? *walker : cycle;
	while (count < m->walk_levels &&
	       !tlb_second_find(&m->walk_cache, table_key(page->number, bits, count), &cached))
		count++;
	for (unsigned i = count; i-- > last;) {
		uint64_t entry = (page->number >> bits * i) * 8;

		ready = read_l2(m, ready + m->params->walk_latency,
				tables * (i + 1) + (entry >> m->line_log2), REQUEST_WALK, false,
				&level);
		if (i > last)
			tlb_second_insert(&m->walk_cache, table_key(page->number, bits, i), 0);
	}
	*walker = ready;
	*steps = count - last;
	return ready;
}

/* Walks for an access, and counts that. */
static uint64_t walk_for_access(struct memory *m, uint64_t cycle, const struct page *page,
				bool for_fetch)
{
	const bool huge = page->log2 > m->page_log2;
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

uint64_t translate_slow(struct memory *m, struct tlb_first *first, uint64_t cycle,
			const struct page *page, bool for_fetch, struct memory_result *result)
{
	uint64_t frame;

	if (is_ideal(m, IDEAL_TLB)) { /* as if it had been there */
		frame = system_translate(m->system, page->number);
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
		frame = system_translate(m->system, page->number);
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
		if (!is_ideal(m, IDEAL_TLB))
			return false;
		frame = system_translate(m->system, page.number);
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
	if (*buffers_first(&m->walkers) > *cycle)
		return false;
	page = page_of(m, address);
	*cycle = walk(m, *cycle, &page, &steps, &begin);
	frame = system_translate(m->system, page.number);
	tlb_second_insert(&m->tlb2, page.key, frame);
	*line = physical_in(m, &page, frame, address) >> m->line_log2;
	return true;
}

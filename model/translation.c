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

/*
 * Walks the page tables, from the last one whose address is cached, or from the top. Each step
 * reads an entry at L2. Returns when the walk is done.
 */
static uint64_t walk(struct memory *m, uint64_t cycle, uint64_t page, unsigned *steps,
		     uint64_t *begin)
{
	/* Tables are above all allocated memory; they fill a page with entries of 8 bytes. */
	const uint64_t tables = 1ull << (52 - m->line_log2);
	const unsigned bits = m->page_log2 - 3;
	uint64_t *walker = buffers_first(&m->walkers), ready, cached;
	unsigned level, count = 1;

	*begin = ready = *walker > cycle ? *walker : cycle;
	while (count < m->walk_levels &&
	       !tlb_second_find(&m->walk_cache, table_key(page, bits, count), &cached))
		count++;
	for (unsigned i = count; i-- > 0;) {
		uint64_t entry = (page >> bits * i) * 8;

		ready = read_l2(m, ready + m->params->walk_latency,
				tables * (i + 1) + (entry >> m->line_log2), REQUEST_WALK, false,
				&level);
		if (i)
			tlb_second_insert(&m->walk_cache, table_key(page, bits, i), 0);
	}
	*walker = ready;
	*steps = count;
	return ready;
}

/* Walks for an access, and counts that. */
static uint64_t walk_for_access(struct memory *m, uint64_t cycle, uint64_t page, bool for_fetch)
{
	unsigned steps;
	uint64_t begin, ready = walk(m, cycle, page, &steps, &begin);

	m->counts[EVENT_L2D_TLB_REFILL]++;
	if (for_fetch) {
		m->counts[EVENT_ITLB_WALK]++;
		m->counts[EVENT_ITLB_WALK_SMALL]++;
		m->counts[EVENT_ITLB_STEP] += steps;
		m->counts[EVENT_ITLB_WALK_PERCYC] += ready - begin;
	} else {
		m->counts[EVENT_DTLB_WALK]++;
		m->counts[EVENT_DTLB_WALK_SMALL]++;
		m->counts[EVENT_DTLB_STEP] += steps;
		m->counts[EVENT_DTLB_WALK_PERCYC] += ready - begin;
	}
	return ready;
}

uint64_t translate_slow(struct memory *m, struct tlb_first *first, uint64_t cycle, uint64_t page,
			bool for_fetch, struct memory_result *result)
{
	uint64_t frame;

	if (is_ideal(m, IDEAL_TLB)) { /* as if it had been there */
		frame = system_translate(m->system, page);
		tlb_first_insert(first, page, frame);
		return frame;
	}
	m->counts[for_fetch ? EVENT_L1I_TLB_REFILL : EVENT_L1D_TLB_REFILL]++;
	m->counts[EVENT_L2D_TLB]++;
	result->translated = cycle + m->params->l2_tlb.latency;
	result->tlb = TLB_L2_HIT;
	if (!tlb_second_find(&m->tlb2, page, &frame)) {
		result->tlb = TLB_WALK;
		result->translated = walk_for_access(m, result->translated, page, for_fetch);
		frame = system_translate(m->system, page);
		tlb_second_insert(&m->tlb2, page, frame);
	}
	tlb_first_insert(first, page, frame);
	return frame;
}

bool translate_quietly(struct memory *m, uint64_t virtual_line, uint64_t *line)
{
	unsigned shift = m->page_log2 - m->line_log2;
	uint64_t page = virtual_line >> shift, frame;

	if (!tlb_first_find(&m->dtlb, page, &frame) && !tlb_second_find(&m->tlb2, page, &frame)) {
		if (!is_ideal(m, IDEAL_TLB))
			return false;
		frame = system_translate(m->system, page);
	}
	*line = frame << shift | (virtual_line & (m->lines_a_page - 1u));
	return true;
}

bool translate_ahead(struct memory *m, uint64_t *cycle, uint64_t virtual_line, uint64_t *line)
{
	unsigned shift = m->page_log2 - m->line_log2, steps;
	uint64_t page = virtual_line >> shift, begin, frame;

	if (translate_quietly(m, virtual_line, line))
		return true;
	if (*buffers_first(&m->walkers) > *cycle)
		return false;
	*cycle = walk(m, *cycle, page, &steps, &begin);
	frame = system_translate(m->system, page);
	tlb_second_insert(&m->tlb2, page, frame);
	*line = frame << shift | (virtual_line & (m->lines_a_page - 1u));
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What most accesses are: hits of lines that their sets used last. Each function counts one and
 * sets its physical address; or returns false and changes nothing, if it is not one.
 */
#ifndef MODEL_HITS_H
#define MODEL_HITS_H

#include "memory_side.h"

/* A load from one such line, in a page that was used before. */
static inline bool load_hits(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
			     uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	const uint64_t last = address + bytes - 1;
	unsigned entry = m->dtlb.last;

	if (unlikely(m->huge_log2 || (address ^ last) >> m->line_log2 || !memory_alone(m)))
		return false;
	if (m->dtlb.pages[entry] != number + 1) {
		entry = *tlb_first_hint(&m->dtlb, number);
		if (unlikely(m->dtlb.pages[entry] != number + 1))
			return false;
	}
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	if (unlikely(!cache_just_used(&m->l1d, *physical >> m->line_log2, cycle)))
		return false;
	tlb_first_use(&m->dtlb, entry);
	m->counts[EVENT_L1D_TLB]++;
	m->counts[EVENT_L1D_CACHE_RD]++;
	return true;
}

/* A store's address, in one line of the page that was used last. */
static inline bool translation_hits(struct memory *m, uint64_t address, unsigned bytes,
				    uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	const unsigned entry = m->dtlb.last;

	if (unlikely(m->dtlb.pages[entry] != number + 1 || m->huge_log2 ||
		     (address ^ (address + bytes - 1)) >> m->line_log2))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	m->counts[EVENT_L1D_TLB]++;
	/* The store needs the line when it leaves. */
	__builtin_prefetch(system_ownership(m->system, *physical >> m->line_log2), 1);
	return true;
}

/* After a long run of whole lines stored in sequence, lines need not be read first. */
static inline bool is_streaming(struct memory *m, uint64_t address, unsigned bytes)
{
	if (address == m->store_next)
		m->store_run += bytes;
	else
		m->store_run = bytes;
	m->store_next = address + bytes;
	return m->params->write_stream_lines &&
	       m->store_run >= (uint64_t)m->params->write_stream_lines << m->line_log2;
}

/* A store to such a line in the page that was used last, while no other core is there. */
static inline bool store_hits(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
			      uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	const unsigned entry = m->dtlb.last;
	struct cache_line *found;
	uint64_t line;

	if (unlikely(m->dtlb.pages[entry] != number + 1 || m->huge_log2 || m->params->ideal ||
		     (address ^ (address + bytes - 1)) >> m->line_log2 || !memory_alone(m)))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	line = *physical >> m->line_log2;
	if (unlikely(!cache_just_used(&m->l1d, line, cycle)))
		return false;
	/* As no line has changed its owner, this need not wait for the host to fetch the word. */
	atomic_store_explicit(system_ownership(m->system, line), m->number, memory_order_relaxed);
	found = cache_set_of(&m->l1d, line);
	is_streaming(m, address, bytes);
	m->counts[EVENT_L1D_CACHE_WR]++;
	m->kept = m->visited = 0;
	found->key |= CACHE_DIRTY;
	*cache_version(&m->l1d, found) = line_version(m, line);
	m->stored = cycle + 1;
	return true;
}

/* A fetch, from such a line in the page that was used last. */
static inline bool fetch_hits(struct memory *m, uint64_t cycle, uint64_t address,
			      uint64_t *physical)
{
	const unsigned entry = m->itlb.last;
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;

	*physical = m->itlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	if (m->itlb.pages[entry] != number + 1 || m->huge_log2 ||
	    !cache_just_used(&m->l1i, *physical >> m->line_log2, cycle))
		return false;
	m->counts[EVENT_L1I_TLB]++;
	m->counts[EVENT_L1I_CACHE]++;
	return true;
}

#endif

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

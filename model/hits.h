/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What most accesses are: hits of lines that have their data, were not just prefetched, and are one
 * of the two that their sets used last. Each function counts one and sets its physical address; or
 * returns false and changes nothing, if it is not one.
 */
#ifndef MODEL_HITS_H
#define MODEL_HITS_H

#include "memory_side.h"

/*
 * Finds the entry of a small page in a TLB, if the page is the last one or the one whose hint this
 * is. The caller then makes it the last one, if it goes on.
 */
static inline bool find_entry(struct tlb_first *tlb, uint64_t number, unsigned *entry)
{
	*entry = tlb->last;
	if (likely(tlb->pages[*entry] == number + 1))
		return true;
	*entry = *tlb_first_hint(tlb, number);
	return tlb->pages[*entry] == number + 1;
}

/* Whether an access is one that these functions may know: of small pages, and of one line. */
static inline bool in_small_line(const struct memory *m, uint64_t address, unsigned bytes)
{
	return likely(!m->huge_log2 && !((address ^ (address + bytes - 1)) >> m->line_log2));
}

/* A load from one such line, in a page that was used before. */
static inline bool load_hits(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
			     uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	unsigned entry;

	if (unlikely(!in_small_line(m, address, bytes) || !memory_alone(m) ||
		     !find_entry(&m->dtlb, number, &entry)))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	if (unlikely(!cache_use(&m->l1d, *physical >> m->line_log2, cycle)))
		return false;
	tlb_first_use(&m->dtlb, entry);
	m->counts[EVENT_L1D_TLB]++;
	m->counts[EVENT_L1D_CACHE_RD]++;
	return true;
}

/*
 * Finds what such a load of one line would, if there are small pages only and no other core, and
 * makes it the last that was used, but counts nothing. Sets the cycle at which the data was there.
 */
static inline bool load_finds(struct memory *m, uint64_t cycle, uint64_t address, uint64_t *ready)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	unsigned entry;
	uint64_t line;

	if (unlikely(!find_entry(&m->dtlb, number, &entry)))
		return false;
	line = (m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside)) >> m->line_log2;
	if (unlikely(!cache_use(&m->l1d, line, cycle)))
		return false;
	*ready = cache_set_of(&m->l1d, line)->ready;
	tlb_first_use(&m->dtlb, entry);
	return true;
}

/* Likewise a load from a line that will be written, as those of atomics and exclusives are. */
static inline bool own_load_hits(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
				 uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	struct cache_line *found;
	unsigned entry;
	uint64_t line;

	if (unlikely(!in_small_line(m, address, bytes) || !memory_alone(m) ||
		     !find_entry(&m->dtlb, number, &entry)))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	line = *physical >> m->line_log2;
	found = cache_set_of(&m->l1d, line);
	/* What others had, or have had, takes more than this. */
	if (unlikely(!cache_is_plain(found, line) || cache_level(found) == LEVEL_PEER ||
		     found->ready > cycle || !is_current(m, found)))
		return false;
	/* As no other core is there, nobody has to be told of the new owner. */
	atomic_store_explicit(
		system_ownership(m->system, line),
		(atomic_load_explicit(system_ownership(m->system, line), memory_order_relaxed) &
		 ~(OWNERSHIP_VERSION - 1)) |
			m->number,
		memory_order_relaxed);
	tlb_first_use(&m->dtlb, entry);
	m->counts[EVENT_L1D_TLB]++;
	m->counts[EVENT_L1D_CACHE_RD]++;
	m->kept = line + 1;
	m->visited = 0;
	return true;
}

/* An access of two lines, each in a page that was used before. */
struct two_lines {
	unsigned entries[2]; /* of the TLB */
	uint64_t lines[2];
	bool pages; /* these are two as well */
};

/*
 * Finds those of an access of small pages, while no other core is there; false if it is not of two
 * such lines. Changes nothing.
 */
static inline bool find_two_lines(struct memory *m, uint64_t address, unsigned bytes,
				  struct two_lines *two)
{
	const uint64_t last = address + bytes - 1;
	const uint64_t first_number = (address & ADDRESS_MASK) >> m->page_log2;
	const uint64_t second_number = (last & ADDRESS_MASK) >> m->page_log2;

	if (unlikely(m->huge_log2 || (address >> m->line_log2) + 1 != last >> m->line_log2 ||
		     !memory_alone(m) || !find_entry(&m->dtlb, first_number, &two->entries[0]) ||
		     !find_entry(&m->dtlb, second_number, &two->entries[1])))
		return false;
	two->pages = first_number != second_number;
	two->lines[0] =
		(m->dtlb.frames[two->entries[0]] << m->page_log2 | (address & m->page_inside)) >>
		m->line_log2;
	two->lines[1] =
		(m->dtlb.frames[two->entries[1]] << m->page_log2 | (last & m->page_inside)) >>
		m->line_log2;
	return true;
}

/* Uses both lines as cache_use() does one, in their order; or returns false and changes nothing. */
static inline bool use_two_lines(struct memory *m, const struct two_lines *two, uint64_t cycle)
{
	const struct cache *l1d = &m->l1d;

	/* In different sets, to use one line does not change whether the other can be. */
	if (unlikely(cache_set_of(l1d, two->lines[0]) == cache_set_of(l1d, two->lines[1]) ||
		     !cache_may_use(l1d, two->lines[1], cycle) ||
		     !cache_use(l1d, two->lines[0], cycle)))
		return false;
	cache_use(l1d, two->lines[1], cycle);
	return true;
}

/* A load from two such lines, of two pages if `pages` is set, else of one. */
static inline bool crossing_load_hits(struct memory *m, uint64_t cycle, uint64_t address,
				      unsigned bytes, bool pages)
{
	struct two_lines two;

	if (unlikely(!find_two_lines(m, address, bytes, &two) || two.pages != pages ||
		     !use_two_lines(m, &two, cycle)))
		return false;
	tlb_first_use(&m->dtlb, two.entries[0]);
	tlb_first_use(&m->dtlb, two.entries[1]);
	m->counts[EVENT_L1D_TLB] += 2;
	m->counts[EVENT_L1D_CACHE_RD] += 2;
	return true;
}

/* A store's address, in two lines. */
static inline bool crossing_translation_hits(struct memory *m, uint64_t address, unsigned bytes)
{
	struct two_lines two;

	if (unlikely(!find_two_lines(m, address, bytes, &two)))
		return false;
	tlb_first_use(&m->dtlb, two.entries[0]);
	tlb_first_use(&m->dtlb, two.entries[1]);
	m->counts[EVENT_L1D_TLB] += 2;
	return true;
}

/* A store's address, in one line of a page that was used before. */
static inline bool translation_hits(struct memory *m, uint64_t address, unsigned bytes,
				    uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	unsigned entry;

	if (unlikely(!in_small_line(m, address, bytes) || !find_entry(&m->dtlb, number, &entry)))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	tlb_first_use(&m->dtlb, entry);
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

/* Writes a line that L1D has used just now, while no other core is there. */
static inline void write_used(struct memory *m, uint64_t line)
{
	struct cache_line *found = cache_set_of(&m->l1d, line);

	/* As no line has changed its owner, this need not wait for the host to fetch the word. */
	atomic_store_explicit(system_ownership(m->system, line), m->number, memory_order_relaxed);
	m->counts[EVENT_L1D_CACHE_WR]++;
	m->kept = m->visited = 0;
	found->key |= CACHE_DIRTY;
	cache_set_version(&m->l1d, found, line_version(m, line));
}

/* A store to such a line in a page that was used before, while no other core is there. */
static inline bool store_hits(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
			      uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	unsigned entry;
	uint64_t line;

	if (unlikely(!in_small_line(m, address, bytes) || m->params->ideal || !memory_alone(m) ||
		     !find_entry(&m->dtlb, number, &entry)))
		return false;
	*physical = m->dtlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	line = *physical >> m->line_log2;
	if (unlikely(!cache_use(&m->l1d, line, cycle)))
		return false;
	tlb_first_use(&m->dtlb, entry);
	is_streaming(m, address, bytes);
	write_used(m, line);
	m->stored = cycle + 1;
	return true;
}

/* A store to two such lines of a page: those of two pages follow one another slowly. */
static inline bool crossing_store_hits(struct memory *m, uint64_t cycle, uint64_t address,
				       unsigned bytes)
{
	struct two_lines two;

	if (unlikely(m->params->ideal || !find_two_lines(m, address, bytes, &two) || two.pages ||
		     !use_two_lines(m, &two, cycle)))
		return false;
	tlb_first_use(&m->dtlb, two.entries[0]);
	is_streaming(m, address, bytes);
	write_used(m, two.lines[0]);
	write_used(m, two.lines[1]);
	m->stored = cycle + 1;
	return true;
}

/* A fetch from such a line, in a page that was used before. */
static inline bool fetch_hits(struct memory *m, uint64_t cycle, uint64_t address,
			      uint64_t *physical)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	unsigned entry;

	if (m->huge_log2 || !find_entry(&m->itlb, number, &entry))
		return false;
	*physical = m->itlb.frames[entry] << m->page_log2 | (address & m->page_inside);
	if (!cache_use(&m->l1i, *physical >> m->line_log2, cycle))
		return false;
	tlb_first_use(&m->itlb, entry);
	m->counts[EVENT_L1I_TLB]++;
	m->counts[EVENT_L1I_CACHE]++;
	return true;
}

#endif

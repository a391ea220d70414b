/* SPDX-License-Identifier: Apache-2.0 */
/* The loads, stores and fetches of a core, at L1. */
#include <stdlib.h>
#include <string.h>

#include "hits.h"

/* Virtual addresses of a program, as Linux has them: 47 bits with 16K pages, 48 with others. */
#define ADDRESS_BITS 47

static unsigned log2_of(unsigned value)
{
	return value ? 31u - (unsigned)__builtin_clz(value) : 0;
}

struct memory *memory_new(struct memory_system *system, const struct core_params *params,
			  uint64_t *counts)
{
	struct memory *m = calloc(1, sizeof(*m)), *other;

	if (!m)
		return NULL;
	m->system = system;
	m->params = params;
	m->counts = counts;
	m->line_log2 = log2_of(params->l1d.line_bytes);
	m->page_log2 = log2_of(params->page_bytes);
	m->page_inside = (1ull << m->page_log2) - 1;
	/* Each level of the page tables takes as many bits as a page of 8-byte entries does. */
	m->walk_levels = (ADDRESS_BITS - 3 - 1) / (m->page_log2 - 3);
	m->lines_a_page = 1u << (m->page_log2 - m->line_log2);
	if (frames_log2_huge(system->frames))
		m->huge_log2 = m->page_log2 + frames_log2_huge(system->frames);
	m->huge_inside = (1ull << m->huge_log2) - 1;
	if (is_ideal(m, IDEAL_SHARING))
		atomic_store(&system->cores, 1); /* each core is alone: memory_alone() */
	else
		m->number = (atomic_fetch_add(&system->cores, 1) + 1) & ((1u << OWNER_BITS) - 1);
	if (!m->number)
		m->number = 1;
	tlb_first_set_up(&m->dtlb, params->l1d_tlb.entries);
	tlb_first_set_up(&m->itlb, params->l1i_tlb.entries);
	buffers_set_up(&m->walkers, params->walkers, WALKERS_MAX);
	buffers_set_up(&m->data_misses, params->l1d.misses, MISSES_MAX);
	buffers_set_up(&m->fetch_misses, params->l1i.misses, MISSES_MAX);
	buffers_set_up(&m->l2_misses, params->l2.misses, MISSES_MAX);
	bandwidth_set_up(&m->l2_path, params->l2.cycles_per_line);
	bandwidth_set_up(&m->llc_path, params->llc.cycles_per_line);
	bandwidth_set_up(&m->dram_path, params->dram_cycles_per_line);
	stride_set_up(&m->stride, params->prefetch_streams, params->prefetch_distance);
	stream_set_up(&m->data_stream, params->l2_prefetch_lines, params->l2_prefetch_distance);
	stream_set_up(&m->code_stream, params->l2_prefetch_lines, params->l2_prefetch_lines);
	if (!tlb_second_set_up(&m->tlb2, params->l2_tlb.entries, params->l2_tlb.ways) ||
	    !tlb_second_set_up(&m->walk_cache, params->walk_cache.entries,
			       params->walk_cache.ways) ||
	    !cache_set_up(&m->l1d, params->l1d.bytes, params->l1d.ways, params->l1d.line_bytes,
			  true) ||
	    !cache_set_up(&m->l1i, params->l1i.bytes, params->l1i.ways, params->l1i.line_bytes,
			  false) ||
	    !cache_set_up(&m->l2, params->l2.bytes, params->l2.ways, params->l2.line_bytes, true)) {
		memory_free(m);
		return NULL;
	}
	pthread_mutex_lock(&system->lock);
	other = m->next = system->memories;
	system->memories = m;
	pthread_mutex_unlock(&system->lock);
	/* The only core until now is between two blocks. */
	if (other && atomic_load(&system->cores) == 2)
		finish_eviction(other);
	return m;
}

void memory_free(struct memory *m)
{
	struct memory **at;

	if (!m)
		return;
	pthread_mutex_lock(&m->system->lock);
	for (at = &m->system->memories; *at && *at != m;)
		at = &(*at)->next;
	if (*at)
		*at = m->next;
	pthread_mutex_unlock(&m->system->lock);
	tlb_second_clean_up(&m->tlb2);
	tlb_second_clean_up(&m->walk_cache);
	cache_clean_up(&m->l1d);
	cache_clean_up(&m->l1i);
	cache_clean_up(&m->l2);
	free(m);
}

static struct cache_line *fill_l1d(struct memory *m, uint64_t cycle, uint64_t line, unsigned flags,
				   uint64_t ready)
{
	struct cache_line victim, *filled;

	filled = cache_insert(&m->l1d, line, flags, ready, &victim);
	cache_set_version(&m->l1d, filled, fill_version(m, line));
	if (victim.key & CACHE_DIRTY)
		write_back(m, cycle, victim.key >> 8);
	return filled;
}

/* Brings the line of `address` into L1D, for a demand access; `own`: to write it. */
static uint64_t miss_l1d(struct memory *m, uint64_t cycle, uint64_t address, uint64_t line,
			 bool own, unsigned *level, struct cache_line **filled)
{
	uint64_t free = buffers_free(&m->data_misses), begin = free > cycle ? free : cycle, ready;
	uint64_t latency;

	m->counts[EVENT_L1D_CACHE_REFILL]++;
	ready = read_l2(m, begin, line, REQUEST_DATA, own, level);
	latency = m->latency;
	prefetch_l2(m, &m->data_stream, begin, address >> m->line_log2, line);
	m->counts[*level == LEVEL_L2 ? EVENT_L1D_CACHE_REFILL_INNER
				     : EVENT_L1D_CACHE_REFILL_OUTER]++;
	*filled = fill_l1d(m, begin, line, *level << CACHE_LEVEL_SHIFT, ready);
	buffers_hold(&m->data_misses, ready, latency);
	return ready;
}

/* Fetches what the stride prefetcher requests after `pc` accessed line `virtual_line`. */
static void prefetch_stride(struct memory *m, uint64_t cycle, uint64_t pc, uint64_t virtual_line)
{
	struct prefetch_wish wish = stride_train(&m->stride, pc, virtual_line);
	uint64_t page = virtual_line / m->lines_a_page;

	for (unsigned i = 0; i < wish.count; i++, wish.first += (uint64_t)wish.step) {
		uint64_t line, ready;
		unsigned level;

		/* Small strides continue into the next page; large ones do not. */
		if (wish.first / m->lines_a_page != page &&
		    (wish.step > 8 || wish.step < -8 ||
		     wish.first / m->lines_a_page - page + 1 > 2))
			break;
		if (!translate_quietly(m, wish.first, &line))
			break;
		if (buffers_free(&m->data_misses) > cycle)
			break; /* demand accesses have priority */
		*wish.ahead = wish.first;
		if (has_valid(m, &m->l1d, cycle, line, EVENT_L1D_CACHE_INVAL))
			continue;
		m->counts[EVENT_L1D_CACHE_HWPRF]++;
		m->counts[EVENT_L1D_CACHE_REFILL_HWPRF]++;
		ready = read_l2(m, cycle, line, REQUEST_PREFETCH, false, &level);
		prefetch_l2(m, &m->data_stream, cycle, wish.first, line);
		fill_l1d(m, cycle, line, CACHE_PREFETCHED | level << CACHE_LEVEL_SHIFT, ready);
		/* If L2 has to fetch it, that is L2's to remember. */
		buffers_hold(&m->data_misses, cycle + m->params->l2.latency, m->params->l2.latency);
	}
}

/* Takes a line that L1D has from the other cores that have it too, to write it. */
static void own_line(struct memory *m, uint64_t cycle, struct cache_line *found)
{
	uint64_t line = found->key >> 8, ready;

	m->visited = 0;
	if (!take_ownership(m, cycle, line, &ready))
		return;
	cache_set_version(&m->l1d, found, fill_version(m, line));
	found->key &= ~(uint64_t)CACHE_LEVEL_MASK;
	found->key |= LEVEL_PEER << CACHE_LEVEL_SHIFT;
	if (found->ready < ready)
		found->ready = ready;
}

/* Loads one line, from the cycle at which its address is translated; `own`: and will write it. */
static inline void load_line(struct memory *m, uint64_t cycle, uint64_t pc, uint64_t address,
			     uint64_t physical, bool own, struct memory_result *result)
{
	uint64_t line = physical >> m->line_log2;
	struct cache_line *found;
	unsigned level;

	m->counts[EVENT_L1D_CACHE_RD]++;
	found = find_valid(m, &m->l1d, cycle, line, EVENT_L1D_CACHE_INVAL);
	if (own) {
		m->kept = line + 1;
		if (found && lost_to_others(m, found, cycle))
			found = NULL;
		else if (found && is_current(m, found))
			own_line(m, cycle, found);
	}
	if (found && !(found->key & CACHE_PREFETCHED) && found->ready <= cycle) {
		result->level = LEVEL_L1;
		result->ready = cycle + m->params->l1d.latency;
		return;
	}
	if (found) {
		result->ready = cycle + m->params->l1d.latency;
		result->level = LEVEL_L1;
		if (found->ready > cycle) {
			result->pending = true;
			result->level = (uint8_t)cache_level(found);
			if (found->ready > result->ready)
				result->ready = found->ready;
		}
		if (found->key & CACHE_PREFETCHED) {
			found->key &= ~(uint64_t)CACHE_PREFETCHED;
			prefetch_stride(m, cycle, pc, address >> m->line_log2);
		}
		return;
	}
	if (is_ideal(m, IDEAL_L1D)) {
		result->level = LEVEL_L1;
		result->ready = cycle + m->params->l1d.latency;
		return;
	}
	m->counts[EVENT_L1D_CACHE_LMISS_RD]++;
	result->ready = miss_l1d(m, cycle, address, line, own, &level, &found);
	result->level = (uint8_t)level;
	prefetch_stride(m, cycle, pc, address >> m->line_log2);
}

/* Accesses the second line of an access that crosses a line. */
static __attribute__((noinline)) void load_second(struct memory *m, uint64_t cycle, uint64_t pc,
						  uint64_t address, bool own,
						  struct memory_result *result)
{
	struct memory_result second = {0};
	uint64_t physical = translate(m, &m->dtlb, cycle, address, false, &second);

	load_line(m, second.translated, pc, address, physical, own, &second);
	result->crosses_line = true;
	if (second.translated > result->translated) {
		result->translated = second.translated;
		result->tlb = second.tlb;
	}
	if (second.ready > result->ready) {
		result->ready = second.ready;
		result->level = second.level;
		result->pending = second.pending;
	}
}

/* Loads in any way. Returns as memory_load(). */
static __attribute__((noinline)) bool load_slowly(struct memory *m, uint64_t cycle, uint64_t pc,
						  uint64_t address, unsigned bytes, bool own,
						  struct memory_result *result)
{
	uint64_t physical = translate(m, &m->dtlb, cycle, address, false, result);
	uint64_t first = address >> m->line_log2, last = (address + bytes - 1) >> m->line_log2;

	result->pending = false;
	result->crosses_line = false;
	result->crosses_page = ((address ^ (address + bytes - 1)) & ~m->page_inside) != 0;
	load_line(m, result->translated, pc, address, physical, own, result);
	for (uint64_t line = first + 1; line <= last; line++)
		load_second(m, cycle, pc, line << m->line_log2, own, result);
	return !(result->level | result->tlb | result->crosses_line);
}

bool memory_load(struct memory *m, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
		 bool own, struct memory_result *result)
{
	uint64_t physical;

	if (unlikely(!(own ? own_load_hits(m, cycle, address, bytes, &physical)
			   : load_hits(m, cycle, address, bytes, &physical))))
		return load_slowly(m, cycle, pc, address, bytes, own, result);
	*result = (struct memory_result){
		.ready = cycle + m->params->l1d.latency,
		.translated = cycle,
		.physical = physical,
		.level = LEVEL_L1,
		.tlb = TLB_L1_HIT,
	};
	return true;
}

static __attribute__((noinline)) void translate_lines(struct memory *m, uint64_t cycle,
						      uint64_t address, unsigned bytes,
						      struct memory_result *result)
{
	uint64_t first = address >> m->line_log2, last = (address + bytes - 1) >> m->line_log2;

	translate(m, &m->dtlb, cycle, address, false, result);
	/* The store needs the line when it leaves. */
	__builtin_prefetch(system_ownership(m->system, result->physical >> m->line_log2), 1);
	result->crosses_line = first != last;
	for (uint64_t line = first + 1; line <= last; line++) {
		struct memory_result second;

		translate(m, &m->dtlb, cycle, line << m->line_log2, false, &second);
		if (second.translated > result->translated) {
			result->translated = second.translated;
			result->tlb = second.tlb;
		}
	}
	result->ready = result->translated;
	result->level = LEVEL_L1;
	result->pending = false;
}

void memory_translate(struct memory *m, uint64_t cycle, uint64_t address, unsigned bytes,
		      struct memory_result *result)
{
	uint64_t physical;

	if (unlikely(!translation_hits(m, address, bytes, &physical))) {
		translate_lines(m, cycle, address, bytes, result);
		return;
	}
	*result = (struct memory_result){
		.ready = cycle,
		.translated = cycle,
		.physical = physical,
		.level = LEVEL_L1,
		.tlb = TLB_L1_HIT,
	};
}

void memory_expect(const struct memory *m, uint64_t address)
{
	expect_access(m, address);
}

void memory_expect_fetch(const struct memory *m, uint64_t address)
{
	const uint64_t number = (address & ADDRESS_MASK) >> m->page_log2;
	const struct known_frame *known = &m->frames[number % FRAMES_KNOWN];
	uint64_t line;

	if (known->page != number + 1)
		return;
	line = (known->frame << m->page_log2 | (address & m->page_inside)) >> m->line_log2;
	if (cache_set_of(&m->l1i, line)->key >> 8 == line)
		return;
	system_expect(m->system, line);
	__builtin_prefetch(cache_set_of(&m->l2, line), 1);
}

/*
 * Stores to one line without any cost: the line is where the store would have brought it, but
 * nobody waits for it, no path carries it, and no other core loses it.
 */
static void store_free(struct memory *m, uint64_t cycle, uint64_t line, bool allocates)
{
	struct cache_line victim, *filled;
	bool evicted;

	if (cache_has(&m->l1d, line) || cache_has(&m->l2, line)) {
		if (allocates && !cache_has(&m->l1d, line) && !is_ideal(m, IDEAL_L1D))
			fill_l1d(m, cycle, line, 0, cycle);
		return;
	}
	finish_eviction(m);
	system_read(m->system, line, &evicted);
	if (!allocates)
		return;
	filled = cache_insert(&m->l2, line, LEVEL_L2 << CACHE_LEVEL_SHIFT, cycle, &victim);
	cache_set_version(&m->l2, filled, line_version(m, line));
	if (!is_ideal(m, IDEAL_L1D))
		fill_l1d(m, cycle, line, 0, cycle);
}

/* Stores to one line. */
static void store_line(struct memory *m, uint64_t cycle, uint64_t pc, uint64_t address,
		       unsigned bytes, bool full_line, struct memory_result *result)
{
	const struct page page = page_of(m, address);
	uint64_t frame, line;
	bool streaming = is_streaming(m, address, bytes);
	struct cache_line *found;
	unsigned level;
	uint64_t ready;

	/* The address was translated, and counted, when it was generated. */
	if (!tlb_first_find(&m->dtlb, page.key, &frame) &&
	    !tlb_second_find(&m->tlb2, page.key, &frame))
		frame = frame_of(m, page.number);
	result->physical = physical_in(m, &page, frame, address);
	line = result->physical >> m->line_log2;
	result->translated = cycle;
	result->pending = false;
	result->crosses_line = false;
	result->tlb = TLB_L1_HIT;
	m->counts[EVENT_L1D_CACHE_WR]++;
	if (is_ideal(m, IDEAL_STORE)) {
		store_free(m, cycle, line, !streaming && !full_line);
		result->level = LEVEL_L1;
		result->ready = cycle;
		return;
	}
	found = find_valid(m, &m->l1d, cycle, line, EVENT_L1D_CACHE_INVAL);
	if (found && m->kept != line + 1 && !streaming && !full_line &&
	    lost_to_others(m, found, cycle > m->stored ? cycle : m->stored + 1))
		found = NULL;
	m->kept = m->visited = 0;
	if (found && !is_current(m, found) && !memory_alone(m)) {
		/* Others want the line: one store a cycle is written until they get it. */
		ready = m->stored >= found->ready ? m->stored + 1 : found->ready;
		if (ready < found->ready + m->params->line_hold) {
			m->stored = result->ready = ready;
			result->pending = ready > cycle;
			result->level = (uint8_t)cache_level(found);
			return;
		}
		cache_remove(&m->l1d, line);
		m->counts[EVENT_L1D_CACHE_INVAL]++;
		found = NULL;
	}
	if (found) {
		result->level = LEVEL_L1;
		result->ready = cycle + 1;
		if (found->ready > cycle) {
			result->pending = true;
			result->level = (uint8_t)cache_level(found);
			result->ready = found->ready;
			/* While others may want the line, how many stores are written matters. */
			if (result->level == LEVEL_PEER && m->stored >= found->ready)
				result->ready = m->stored + 1;
		}
		/* Data that streams past the caches must not be prefetched into them. */
		if (found->key & CACHE_PREFETCHED && !streaming)
			prefetch_stride(m, cycle, pc, address >> m->line_log2);
		found->key &= ~(uint64_t)CACHE_PREFETCHED;
	} else if (is_ideal(m, IDEAL_L1D)) {
		result->level = LEVEL_L1;
		m->stored = result->ready = cycle + 1;
		return;
	} else if (streaming || full_line) {
		result->level = LEVEL_L1;
		result->ready = store_streamed(m, cycle, line) + 1;
		return;
	} else {
		result->ready = miss_l1d(m, cycle, address, line, true, &level, &found);
		result->level = (uint8_t)level;
		prefetch_stride(m, cycle, pc, address >> m->line_log2);
	}
	found->key |= CACHE_DIRTY;
	if (take_ownership(m, cycle, line, &ready)) {
		/* Other cores had copies, which are invalidated meanwhile. */
		if (result->ready < ready)
			result->ready = ready;
		if (result->level != LEVEL_DRAM)
			result->level = LEVEL_PEER;
		found->ready = result->ready;
		found->key &= ~(uint64_t)CACHE_LEVEL_MASK;
		found->key |= (uint64_t)result->level << CACHE_LEVEL_SHIFT;
	}
	cache_set_version(&m->l1d, found, fill_version(m, line));
	m->stored = result->ready;
}

/* A store has written two pages: not sooner than some cycles after the last one that did so. */
static void store_pages(struct memory *m, struct memory_result *result)
{
	const uint64_t next = m->page_stored ? m->page_stored + m->params->store_page_cycles : 0;

	if (is_ideal(m, IDEAL_STORE))
		return;
	result->ready = result->ready > next ? result->ready : next;
	m->page_stored = result->ready;
}

void memory_store(struct memory *m, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
		  bool full_line, struct memory_result *result)
{
	uint64_t end = address + bytes, next = ((address >> m->line_log2) + 1) << m->line_log2;
	struct memory_result second;
	uint64_t physical;

	if (likely(!full_line && store_hits(m, cycle, address, bytes, &physical))) {
		*result = (struct memory_result){
			.ready = cycle + 1,
			.translated = cycle,
			.physical = physical,
			.level = LEVEL_L1,
			.tlb = TLB_L1_HIT,
		};
		return;
	}
	if (end <= next) {
		store_line(m, cycle, pc, address, bytes, full_line, result);
		return;
	}
	store_line(m, cycle, pc, address, (unsigned)(next - address), full_line, result);
	result->crosses_line = true;
	for (; next < end; next += 1ull << m->line_log2) {
		unsigned rest = (unsigned)(end - next);

		rest = rest < 1u << m->line_log2 ? rest : 1u << m->line_log2;
		store_line(m, cycle, pc, next, rest, full_line, &second);
		if (second.ready > result->ready) {
			result->ready = second.ready;
			result->level = second.level;
		}
	}
	if (((end - 1) ^ address) & ~m->page_inside)
		store_pages(m, result);
}

void memory_prefetch(struct memory *m, uint64_t cycle, uint64_t address, bool for_store)
{
	struct memory_result result;
	struct cache_line *found;
	unsigned level;
	uint64_t line;

	line = translate(m, &m->dtlb, cycle, address, false, &result) >> m->line_log2;
	if (!find_valid(m, &m->l1d, cycle, line, EVENT_L1D_CACHE_INVAL) && !is_ideal(m, IDEAL_L1D))
		miss_l1d(m, result.translated, address, line, for_store, &level, &found);
}

static __attribute__((noinline)) void fetch_slowly(struct memory *m, uint64_t cycle,
						   uint64_t address, struct memory_result *result)
{
	uint64_t line = translate(m, &m->itlb, cycle, address, true, result) >> m->line_log2;
	uint64_t begin = result->translated, free;
	struct cache_line *found, victim;
	unsigned level;

	m->counts[EVENT_L1I_CACHE]++;
	result->crosses_line = false;
	result->pending = false;
	found = cache_find(&m->l1i, line);
	if (found) {
		result->ready = begin;
		result->level = LEVEL_L1;
		if (found->ready > begin) {
			result->pending = true;
			result->level = (uint8_t)cache_level(found);
			result->ready = found->ready;
		}
		return;
	}
	if (is_ideal(m, IDEAL_L1I)) {
		result->ready = begin;
		result->level = LEVEL_L1;
		return;
	}
	m->counts[EVENT_L1I_CACHE_REFILL]++;
	m->counts[EVENT_L1I_CACHE_LMISS]++;
	m->counts[EVENT_L2I_CACHE]++;
	free = buffers_free(&m->fetch_misses);
	begin = free > begin ? free : begin;
	result->ready = read_l2(m, begin, line, REQUEST_FETCH, false, &level);
	prefetch_l2(m, &m->code_stream, begin, address >> m->line_log2, line);
	result->level = (uint8_t)level;
	buffers_hold(&m->fetch_misses, result->ready, 0);
	cache_insert(&m->l1i, line, level << CACHE_LEVEL_SHIFT, result->ready, &victim);
}

bool memory_fetch(struct memory *m, uint64_t cycle, uint64_t address, struct memory_result *result)
{
	uint64_t physical;

	if (fetch_hits(m, cycle, address, &physical)) {
		*result = (struct memory_result){
			.ready = cycle,
			.translated = cycle,
			.physical = physical,
			.level = LEVEL_L1,
			.tlb = TLB_L1_HIT,
		};
		return true;
	}
	fetch_slowly(m, cycle, address, result);
	return false;
}

uint64_t memory_time(const struct memory *m, uint64_t cycle)
{
	return (m->arrival > cycle ? m->arrival : cycle) + m->origin;
}

void memory_wait_until(struct memory *m, uint64_t cycle, uint64_t time)
{
	const uint64_t slept = time - memory_time(m, cycle);

	finish_eviction(m); /* at the time that it began */
	/* While the core sleeps, nobody waits for the line that is on its way. */
	if (m->moving && m->moving_until > cycle) {
		const uint64_t rest = m->moving_until - cycle;

		*m->moving -= rest < slept ? rest : slept;
		m->moving_until -= rest < slept ? rest : slept;
	}
	m->origin = time - cycle;
	m->arrival = 0;
}

void memory_count_moving(struct memory *m, uint64_t *cycles)
{
	m->moving = cycles;
}

uint64_t memory_lines_moved(const struct memory *m)
{
	return atomic_load_explicit(&m->system->moved, memory_order_relaxed);
}

unsigned memory_take_moves(struct memory *m, uint64_t *lines, unsigned room)
{
	const unsigned count = m->moved_count < room ? m->moved_count : room;

	for (unsigned i = 0; i < count; i++)
		lines[i] = m->moved_lines[i];
	m->moved_count = 0;
	return count;
}

uint64_t memory_line_of(const struct memory *m, uint64_t address)
{
	const uint64_t page = (address & ADDRESS_MASK) >> m->page_log2;
	const uint64_t offset = address & ((1ull << m->page_log2) - 1);

	return (system_translate(m->system, page) << m->page_log2 | offset) >> m->line_log2;
}

uint64_t memory_page_faults(const struct memory *m)
{
	return m->page_faults;
}

bool memory_is_touched(const struct memory *m, uint64_t address)
{
	return system_is_touched(m->system, (address & ADDRESS_MASK) >> m->page_log2);
}

bool memory_has_moved(const struct memory *m, uint64_t line)
{
	return atomic_load_explicit(system_moved_byte(m->system, line), memory_order_relaxed) >>
		       line % 8 &
	       1;
}

/* Return for how long buffers and a path were busy, but for walks. */
static uint64_t buffers_busy(const struct buffers *buffers, uint64_t by_walks)
{
	return 100 * (buffers->needed - by_walks) / buffers->count;
}

static uint64_t path_busy(const struct bandwidth *path, uint64_t by_walks)
{
	return (path->lines - by_walks) * path->hundredths;
}

void memory_busy(struct memory *m, struct memory_busy *busy)
{
	const struct line_use *walks = &m->walk_use;

	finish_eviction(m);
	*busy = (struct memory_busy){
		buffers_busy(&m->walkers, 0),
		{buffers_busy(&m->data_misses, 0), buffers_busy(&m->l2_misses, walks->l2_misses)},
		{path_busy(&m->l2_path, walks->l2_lines), path_busy(&m->llc_path, walks->llc_lines),
		 path_busy(&m->dram_path, walks->dram_lines)}};
}

void memory_settle(const struct memory *m, uint64_t *counts)
{
	const uint64_t *own = m->counts;

	counts[EVENT_L1D_CACHE_RW] = own[EVENT_L1D_CACHE_RD] + own[EVENT_L1D_CACHE_WR];
	counts[EVENT_L1D_CACHE] = counts[EVENT_L1D_CACHE_RW];
	counts[EVENT_L2D_CACHE_RW] = own[EVENT_L2D_CACHE_RD] + own[EVENT_L2D_CACHE_WR];
	counts[EVENT_L2D_CACHE] = counts[EVENT_L2D_CACHE_RW] + own[EVENT_L2D_CACHE_PRF];
	counts[EVENT_L2I_CACHE_LMISS] = own[EVENT_L2I_CACHE_REFILL];
	counts[EVENT_L2D_CACHE_LMISS_RD] = own[EVENT_L2D_CACHE_REFILL_RD];
	counts[EVENT_L2D_CACHE_REFILL] =
		own[EVENT_L2D_CACHE_REFILL_RD] + own[EVENT_L2D_CACHE_REFILL_PRF];
	counts[EVENT_BUS_CYCLES] = counts[EVENT_CPU_CYCLES]; /* the same event twice, 6.1 */
}

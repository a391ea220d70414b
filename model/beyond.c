/* SPDX-License-Identifier: Apache-2.0 */
/* The memory beyond L1: L2 and its prefetcher, other cores, the system cache and DRAM. */
#include "memory_side.h"

#define CONTENTION_AFTER 4096 /* cycles after a move in which others may still queue */

struct cache_line *find_invalidated(struct memory *m, struct cache *cache, struct cache_line *found,
				    uint64_t cycle, enum model_event invalidated)
{
	uint64_t line = found->key >> 8;

	if (*cache_version(cache, found) == line_version(m, line) ||
	    cycle < found->ready + m->params->line_hold)
		return found;
	cache_remove(cache, line);
	m->counts[invalidated]++;
	return NULL;
}

bool lose_to_others(struct memory *m, struct cache_line *found, uint64_t cycle)
{
	const uint64_t line = found->key >> 8, time = cycle + m->origin;
	struct contention *contention = system_contention(m->system, line);
	const uint32_t word =
		atomic_load_explicit(system_ownership(m->system, line), memory_order_relaxed);

	bool wanted;

	if (memory_alone(m) || is_ideal(m, IDEAL_L1D) ||
	    (word & (OWNERSHIP_VERSION - 1)) != m->number)
		return false;
	wanted = contention->line == line + 1 &&
		 time <= *system_arrival(m->system, line) + CONTENTION_AFTER &&
		 (m->others = contention_others(contention, m->number));
	if (!wanted) {
		found->key &= ~(uint64_t)CACHE_LEVEL_MASK; /* it is this core's alone */
		return false;
	}
	m->returning = line + 1;
	m->counts[EVENT_L1D_CACHE_INVAL]++;
	m->counts[EVENT_L2D_CACHE_INVAL] += cache_remove(&m->l2, line);
	cache_remove(&m->l1d, line);
	return true;
}

/* A line is on its way between two cycles. */
static void count_moving(struct memory *m, uint64_t from, uint64_t until)
{
	if (!m->moving || until <= m->moving_until)
		return;
	*m->moving += until - (from > m->moving_until ? from : m->moving_until);
	m->moving_until = until;
}

/*
 * Whether another core has planned that this one, which asks at `cycle`, gets a line before it gets
 * it again itself: the line is this core's for a while, but not in the end.
 */
static bool visits(struct memory *m, uint64_t cycle, uint64_t line)
{
	struct contention *contention = system_contention(m->system, line);
	const uint64_t earliest = cycle + m->origin + m->params->peer_latency;

	if (contention->line == line + 1 &&
	    contention_visit(contention, m->number, earliest, &m->visit))
		m->visited = line + 1;
	return m->visited == line + 1;
}

/*
 * Returns when a line is here that moves to this core, and is asked for at `time`: after its last
 * move, and not before it has been for a while where it went; or in between, as planned.
 */
static uint64_t arrival_of(struct memory *m, uint64_t time, uint64_t line)
{
	const uint64_t hold = m->params->line_hold, latency = m->params->peer_latency;
	struct contention *contention = system_contention(m->system, line);
	uint64_t *last = system_arrival(m->system, line);
	const bool returns = m->returning == line + 1;

	if (m->visited == line + 1)
		return m->visit;
	m->returning = 0;
	if (contention->line != line + 1)
		*contention = (struct contention){.line = line + 1};
	if (returns) {
		/* All others that queue for it have had it meanwhile. */
		for (; m->others; m->others--) {
			*last += hold + latency;
			contention_plan(contention, *last);
		}
	} else {
		/* Whoever asks soon after the line could leave asks each time. */
		contention_ask(contention, m->number, time < *last + hold + latency / 2);
	}
	if (time < *last + hold)
		time = *last + hold;
	*last = time + latency;
	return time + latency;
}

/*
 * A line comes from another core, or others' copies of it end, from `cycle` on, so that the next
 * core waits for this. Returns when it is here.
 */
static uint64_t move_line(struct memory *m, uint64_t cycle, uint64_t line)
{
	const uint64_t time = arrival_of(m, cycle + m->origin, line);

	if (time > atomic_load_explicit(&m->system->moved, memory_order_relaxed))
		atomic_store_explicit(&m->system->moved, time, memory_order_relaxed);
	m->arrival = time - m->origin;
	count_moving(m, cycle, m->arrival);
	system_note_moved(m->system, line);
	if (m->moved_count < MOVES_NOTED)
		m->moved_lines[m->moved_count++] = line;
	return m->arrival;
}

/*
 * A line that the system cache has is here at `ready`, or when the last core that it went to has
 * it: nobody has it earlier. Returns when that is.
 */
static uint64_t after_last_move(struct memory *m, uint64_t cycle, uint64_t line, uint64_t ready)
{
	uint64_t arrival;

	if (memory_alone(m))
		return ready;
	arrival = *system_arrival(m->system, line);
	if (arrival <= ready + m->origin)
		return ready;
	count_moving(m, cycle, arrival - m->origin);
	return arrival - m->origin;
}

/*
 * After a miss in both private caches: whether another core that wrote the line provides it. With
 * `own`, it does not keep it.
 */
static bool fetch_from_peer(struct memory *m, uint64_t cycle, uint64_t line, bool own)
{
	_Atomic uint32_t *word = system_ownership(m->system, line);
	uint32_t now, owner, next;

	if (memory_alone(m))
		return false;
	if (m->returning == line + 1)
		return true; /* from those that are assumed to have had it */
	now = atomic_load_explicit(word, memory_order_relaxed);
	owner = now & (OWNERSHIP_SHARED - 1);
	if (owner == OWNER_NONE || owner == m->number)
		return false;
	if (visits(m, cycle, line))
		return true;
	if (now & OWNERSHIP_SHARED)
		return false; /* the first reader also put it into the system cache */
	next = own ? ((now & ~(OWNERSHIP_VERSION - 1)) + OWNERSHIP_VERSION) | m->number
		   : now | OWNERSHIP_SHARED;
	atomic_store_explicit(word, next, memory_order_relaxed);
	return true;
}

bool take_ownership(struct memory *m, uint64_t cycle, uint64_t line, uint64_t *ready)
{
	_Atomic uint32_t *word = system_ownership(m->system, line);
	uint32_t now = atomic_load_explicit(word, memory_order_relaxed), next;

	if (m->visited == line + 1)
		return false; /* and the next owner has taken it */
	if ((now & (OWNERSHIP_VERSION - 1)) == m->number)
		return false;
	if (memory_alone(m)) {
		/* No other core to notify, but later ones must see the owner. */
		atomic_store_explicit(word, (now & ~(OWNERSHIP_VERSION - 1)) | m->number,
				      memory_order_relaxed);
		return false;
	}
	if (now & (OWNERSHIP_SHARED - 1) && visits(m, cycle, line)) {
		*ready = move_line(m, cycle, line);
		return true;
	}
	next = ((now & ~(OWNERSHIP_VERSION - 1)) + OWNERSHIP_VERSION) | m->number;
	atomic_store_explicit(word, next, memory_order_relaxed);
	if ((now & (OWNERSHIP_SHARED - 1)) == OWNER_NONE)
		return false;
	*ready = move_line(m, cycle, line);
	return true;
}

/* Reserves the core's and the socket's next time for a line from or to DRAM; returns it. */
static uint64_t take_dram(struct memory *m, uint64_t cycle)
{
	cycle = bandwidth_take(&m->dram_path, cycle);
	return system_dram_take(m->system, cycle + m->origin) - m->origin;
}

void write_evicted(struct memory *m)
{
	const uint64_t line = m->evicted - 1, cycle = m->evicted_at;
	bool evicted;

	m->evicted = 0;
	bandwidth_take(&m->llc_path, cycle);
	system_write(m->system, line, &evicted);
	if (evicted)
		take_dram(m, cycle);
}

/* L2 has evicted a dirty line. */
static void evict(struct memory *m, uint64_t cycle, uint64_t line)
{
	finish_eviction(m);
	m->counts[EVENT_BUS_ACCESS] += BEATS_A_LINE;
	m->counts[EVENT_BUS_ACCESS_WR] += BEATS_A_LINE;
	m->evicted = line + 1;
	m->evicted_at = cycle;
	if (system_has_one_core(m->system))
		system_expect(m->system, line);
	else
		write_evicted(m); /* others could use the system cache before */
}

static struct cache_line *fill_l2(struct memory *m, uint64_t cycle, uint64_t line, unsigned flags,
				  uint64_t ready)
{
	struct cache_line victim, *filled;

	filled = cache_insert(&m->l2, line, flags, ready, &victim);
	cache_set_version(&m->l2, filled, fill_version(m, line));
	if (victim.key & CACHE_DIRTY) {
		m->counts[EVENT_L2D_CACHE_WB]++;
		m->counts[EVENT_L2D_CACHE_WB_VICTIM]++;
		evict(m, cycle, victim.key >> 8);
	}
	return filled;
}

void put_in_l2(struct memory *m, uint64_t cycle, uint64_t line)
{
	if (!cache_has(&m->l2, line))
		fill_l2(m, cycle, line, LEVEL_L2 << CACHE_LEVEL_SHIFT, cycle);
}

/* Fetches a line missing in L1 and L2 from another core, the system cache or DRAM. */
static uint64_t read_beyond(struct memory *m, uint64_t cycle, uint64_t line, bool own,
			    unsigned *level)
{
	uint64_t free = buffers_free(&m->l2_misses), begin = free > cycle ? free : cycle, ready;
	const uint64_t from = begin;
	bool peer = fetch_from_peer(m, begin, line, own), hit, evicted;

	finish_eviction(m);
	if (!peer && is_ideal(m, IDEAL_L2)) {
		*level = LEVEL_L2;
		m->latency = 0;
		return cycle;
	}
	begin = bandwidth_take(&m->llc_path, begin);
	begin = system_llc_take(m->system, begin + m->origin) - m->origin;
	hit = system_read(m->system, line, &evicted);
	if (evicted)
		take_dram(m, begin);
	m->counts[EVENT_BUS_ACCESS] += BEATS_A_LINE;
	m->counts[EVENT_BUS_ACCESS_RD] += BEATS_A_LINE;
	m->counts[EVENT_L3D_CACHE]++;
	m->counts[EVENT_L3D_CACHE_RD]++;
	m->counts[EVENT_LL_CACHE]++;
	m->counts[EVENT_LL_CACHE_RD]++;
	if (peer) {
		*level = LEVEL_PEER;
		ready = move_line(m, begin, line);
		m->latency = ready - from;
	} else if (hit) {
		*level = LEVEL_LLC;
		m->latency = m->params->llc.latency;
		ready = after_last_move(m, begin, line, begin + m->params->llc.latency);
	} else {
		*level = LEVEL_DRAM;
		m->latency = m->params->llc.latency + m->params->dram_latency;
		begin += m->params->llc.latency;
		ready = take_dram(m, begin) + m->params->dram_latency;
		m->counts[EVENT_L3D_CACHE_MISS]++;
		m->counts[EVENT_L3D_CACHE_REFILL]++;
		m->counts[EVENT_L3D_CACHE_LMISS_RD]++;
		m->counts[EVENT_LL_CACHE_MISS]++;
		m->counts[EVENT_LL_CACHE_MISS_RD]++;
		m->counts[EVENT_LL_CACHE_REFILL]++;
	}
	buffers_hold(&m->l2_misses, ready, m->latency);
	return ready;
}

uint64_t read_l2(struct memory *m, uint64_t cycle, uint64_t line, enum request request, bool own,
		 unsigned *level)
{
	uint64_t begin = bandwidth_take(&m->l2_path, cycle), ready;
	struct cache_line *found;

	static const uint16_t access_events[] = {EVENT_L2D_CACHE_RD, EVENT_L2I_CACHE_RD,
						 EVENT_L2D_CACHE_PRF, EVENT_L2D_CACHE_RD};
	static const uint16_t refill_events[] = {EVENT_L2D_CACHE_REFILL_RD, EVENT_L2I_CACHE_REFILL,
						 EVENT_L2D_CACHE_REFILL_PRF,
						 EVENT_L2D_CACHE_REFILL_RD};

	m->visited = 0;
	m->counts[access_events[request]]++;
	system_expect(m->system, line);
	found = find_valid(m, &m->l2, cycle, line, EVENT_L2D_CACHE_INVAL);
	if (found) {
		*level = LEVEL_L2;
		ready = begin + m->params->l2.latency;
		m->latency = m->params->l2.latency;
		if (found->ready > begin) {
			/* Still in flight: waiting for it means waiting for its source. */
			*level = cache_level(found);
			if (found->ready > ready)
				ready = found->ready;
		}
		found->key &= ~(uint64_t)CACHE_PREFETCHED;
	} else {
		m->counts[refill_events[request]]++;
		ready = read_beyond(m, begin + m->params->l2.latency, line, own, level);
		m->latency += m->params->l2.latency;
		fill_l2(m, begin, line, *level << CACHE_LEVEL_SHIFT, ready);
	}
	return ready;
}

/* Fetches what a stream wishes that has requested a line. */
static __attribute__((noinline)) void fetch_wished(struct memory *m, struct prefetch_wish wish,
						   uint64_t cycle, uint64_t virtual_line,
						   uint64_t line)
{
	uint64_t page = virtual_line / m->lines_a_page, distance = line - virtual_line;
	const uint64_t visited = m->visited;

	for (; wish.count && wish.most; wish.count--, wish.first += (uint64_t)wish.step) {
		uint64_t ready = cycle, to;
		unsigned level;

		if (wish.first / m->lines_a_page != page) {
			page = wish.first / m->lines_a_page;
			if (!translate_ahead(m, &ready, wish.first, &to))
				break;
			distance = to - wish.first;
		}
		to = wish.first + distance;
		if (!has_valid(m, &m->l2, cycle, to, EVENT_L2D_CACHE_INVAL)) {
			if (buffers_free(&m->l2_misses) > ready)
				break; /* what L1 waits for has priority */
			m->counts[EVENT_L2D_CACHE_PRF]++;
			m->counts[EVENT_L2D_CACHE_REFILL_PRF]++;
			system_expect(m->system, to);
			ready = read_beyond(m, ready + m->params->l2.latency, to, false, &level);
			fill_l2(m, cycle, to, CACHE_PREFETCHED | level << CACHE_LEVEL_SHIFT, ready);
			wish.most--;
		}
		*wish.ahead = wish.first;
	}
	m->visited = visited;
}

void prefetch_l2(struct memory *m, struct stream_prefetcher *stream, uint64_t cycle,
		 uint64_t virtual_line, uint64_t line)
{
	struct prefetch_wish wish;

	if (stream_train(stream, virtual_line, &wish) && wish.count)
		fetch_wished(m, wish, cycle, virtual_line, line);
}

void write_back(struct memory *m, uint64_t cycle, uint64_t line)
{
	struct cache_line *found;

	m->counts[EVENT_L1D_CACHE_WB]++;
	m->counts[EVENT_L2D_CACHE_WR]++;
	bandwidth_take(&m->l2_path, cycle);
	found = cache_find(&m->l2, line);
	if (!found) {
		m->counts[EVENT_L2D_CACHE_ALLOCATE]++;
		found = fill_l2(m, cycle, line, LEVEL_L2 << CACHE_LEVEL_SHIFT, cycle);
	}
	found->key |= CACHE_DIRTY;
	cache_set_version(&m->l2, found, line_version(m, line));
}

uint64_t store_streamed(struct memory *m, uint64_t cycle, uint64_t line)
{
	struct cache_line *found;
	uint64_t begin, ready;
	bool evicted;

	if (m->streamed_line == line + 1)
		return cycle;
	m->streamed_line = line + 1;
	found = find_valid(m, &m->l2, cycle, line, EVENT_L2D_CACHE_INVAL);
	if (take_ownership(m, cycle, line, &ready))
		cycle = ready;
	if (found) {
		m->counts[EVENT_L2D_CACHE_WR]++;
		found->key |= CACHE_DIRTY;
		cache_set_version(&m->l2, found, fill_version(m, line));
		return bandwidth_take(&m->l2_path, cycle);
	}
	if (is_ideal(m, IDEAL_L2))
		return bandwidth_take(&m->l2_path, cycle);
	finish_eviction(m);
	m->counts[EVENT_BUS_ACCESS] += BEATS_A_LINE;
	m->counts[EVENT_BUS_ACCESS_WR] += BEATS_A_LINE;
	m->counts[EVENT_L3D_CACHE]++;
	m->counts[EVENT_L3D_CACHE_ALLOCATE]++;
	begin = bandwidth_take(&m->llc_path, cycle);
	system_write(m->system, line, &evicted);
	return evicted ? take_dram(m, begin) : begin;
}

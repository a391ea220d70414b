/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_mark.h"

#include <stdlib.h>
#include <string.h>

#include "memory_side.h"

/* What the memory side counts itself; memory_settle() computes the others. */
static const uint16_t events[] = {
	EVENT_BUS_ACCESS,
	EVENT_BUS_ACCESS_RD,
	EVENT_BUS_ACCESS_WR,
	EVENT_DTLB_STEP,
	EVENT_DTLB_WALK,
	EVENT_DTLB_WALK_LARGE,
	EVENT_DTLB_WALK_PERCYC,
	EVENT_DTLB_WALK_SMALL,
	EVENT_ITLB_STEP,
	EVENT_ITLB_WALK,
	EVENT_ITLB_WALK_LARGE,
	EVENT_ITLB_WALK_PERCYC,
	EVENT_ITLB_WALK_SMALL,
	EVENT_L1D_CACHE_HWPRF,
	EVENT_L1D_CACHE_LMISS_RD,
	EVENT_L1D_CACHE_RD,
	EVENT_L1D_CACHE_REFILL,
	EVENT_L1D_CACHE_REFILL_HWPRF,
	EVENT_L1D_CACHE_REFILL_INNER,
	EVENT_L1D_CACHE_REFILL_OUTER,
	EVENT_L1D_CACHE_WB,
	EVENT_L1D_CACHE_WR,
	EVENT_L1D_TLB,
	EVENT_L1D_TLB_REFILL,
	EVENT_L1I_CACHE,
	EVENT_L1I_CACHE_LMISS,
	EVENT_L1I_CACHE_REFILL,
	EVENT_L1I_TLB,
	EVENT_L1I_TLB_REFILL,
	EVENT_L2D_CACHE_ALLOCATE,
	EVENT_L2D_CACHE_PRF,
	EVENT_L2D_CACHE_RD,
	EVENT_L2D_CACHE_REFILL_PRF,
	EVENT_L2D_CACHE_REFILL_RD,
	EVENT_L2D_CACHE_WB,
	EVENT_L2D_CACHE_WB_VICTIM,
	EVENT_L2D_CACHE_WR,
	EVENT_L2D_TLB,
	EVENT_L2D_TLB_REFILL,
	EVENT_L2I_CACHE,
	EVENT_L2I_CACHE_RD,
	EVENT_L2I_CACHE_REFILL,
	EVENT_L3D_CACHE,
	EVENT_L3D_CACHE_ALLOCATE,
	EVENT_L3D_CACHE_LMISS_RD,
	EVENT_L3D_CACHE_MISS,
	EVENT_L3D_CACHE_RD,
	EVENT_L3D_CACHE_REFILL,
	EVENT_LL_CACHE,
	EVENT_LL_CACHE_MISS,
	EVENT_LL_CACHE_MISS_RD,
	EVENT_LL_CACHE_RD,
	EVENT_LL_CACHE_REFILL,
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

/* The paths: the core's, then those of all cores. */
enum { L2_PATH, LLC_PATH, DRAM_PATH, PATHS_SHARED, PATHS = PATHS_SHARED + 2 };

/* The other counters: first, how many lines each path has carried. */
#define USES (PATHS + 9)
static uint64_t *use(struct memory *m, unsigned i)
{
	uint64_t *const uses[USES] = {
		&m->l2_path.lines,           &m->llc_path.lines,
		&m->dram_path.lines,         &m->system->llc_path.lines,
		&m->system->dram_path.lines, &m->walkers.needed,
		&m->data_misses.needed,      &m->fetch_misses.needed,
		&m->l2_misses.needed,        &m->walk_use.l2_misses,
		&m->walk_use.l2_lines,       &m->walk_use.llc_lines,
		&m->walk_use.dram_lines,     &m->page_faults,
	};

	return uses[i];
}

static struct bandwidth *path_of(struct memory *m, unsigned i)
{
	struct bandwidth *const paths[PATHS] = {&m->l2_path, &m->llc_path, &m->dram_path,
						&m->system->llc_path, &m->system->dram_path};

	return paths[i];
}

/* What is added to a core's cycle to get that of a path. */
static uint64_t origin_of(const struct memory *m, unsigned path)
{
	return path < PATHS_SHARED ? 0 : m->origin;
}

#define BUFFERS 4
static const struct buffers *buffers_of(const struct memory *m, unsigned i)
{
	const struct buffers *const all[BUFFERS] = {&m->walkers, &m->data_misses, &m->fetch_misses,
						    &m->l2_misses};

	return all[i];
}

/* A TLB of the first level: its entries in the order in which they were used. */
struct tlb_mark {
	unsigned count;
	uint64_t pages[TLB_FIRST_MAX], frames[TLB_FIRST_MAX];
};

#define TIMED 3
struct memory_mark {
	struct memory *memory;
	uint64_t cycle, floor;
	uint32_t remapped;
	uint64_t touches;
	uint64_t origin, page_stored, store_next, store_run, streamed_line, kept;
	uint64_t counts[EVENTS], uses[USES]; /* after memory_mark_know(), what one more time adds */
	struct buffers buffers[BUFFERS];
	struct tlb_mark dtlb, itlb;
	struct stride_prefetcher stride;
	struct stream_prefetcher streams[2];
	uint64_t slots[PATHS][CALENDAR_SLOTS];
	struct cache_line *lines[TIMED]; /* of L1D, L1I and L2 */
	struct tlb_pair *pairs, *tables;
	uint32_t *tags;
	bool is_set;
	bool has_l2, has_llc; /* .lines[2] and .tags are those of the mark */
	/* Known: */
	uint32_t *filled[TIMED]; /* lines with another time than at the mark */
	uint32_t filled_count[TIMED];
	bool used[PATHS], page_stores;
};

static struct cache *cache_of(struct memory *m, unsigned i)
{
	struct cache *const caches[TIMED] = {&m->l1d, &m->l1i, &m->l2};

	return caches[i];
}

static size_t lines_of(struct memory *m, unsigned i)
{
	return (size_t)cache_of(m, i)->sets * cache_of(m, i)->ways;
}

static size_t pair_bytes(const struct tlb_second *tlb)
{
	return ((size_t)tlb->set_mask + 1) * tlb->ways * sizeof(struct tlb_pair);
}

static size_t tag_bytes(const struct memory *m)
{
	const struct tags *llc = &m->system->llc;

	return (size_t)llc->sets * llc->ways * sizeof(*llc->entries);
}

void memory_mark_free(struct memory_mark *mark)
{
	if (!mark)
		return;
	for (unsigned i = 0; i < TIMED; i++) {
		free(mark->lines[i]);
		free(mark->filled[i]);
	}
	free(mark->pairs);
	free(mark->tables);
	free(mark->tags);
	free(mark);
}

struct memory_mark *memory_mark_new(struct memory *memory)
{
	struct memory_mark *mark = calloc(1, sizeof(*mark));
	bool fails = false;

	if (!mark)
		return NULL;
	mark->memory = memory;
	for (unsigned i = 0; i < TIMED; i++) {
		mark->lines[i] = malloc(lines_of(memory, i) * sizeof(*mark->lines[i]));
		mark->filled[i] = malloc(lines_of(memory, i) * sizeof(*mark->filled[i]));
		fails |= !mark->lines[i] || !mark->filled[i];
	}
	mark->pairs = malloc(pair_bytes(&memory->tlb2));
	mark->tables = malloc(pair_bytes(&memory->walk_cache));
	mark->tags = malloc(tag_bytes(memory));
	if (fails || !mark->pairs || !mark->tables || !mark->tags) {
		memory_mark_free(mark);
		return NULL;
	}
	return mark;
}

/* ---- Setting a mark ------------------------------------------------------------------------- */

static void read_tlb(const struct tlb_first *tlb, struct tlb_mark *mark)
{
	uint64_t used[TLB_FIRST_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < tlb->entries; i++) {
		unsigned at = count;

		if (!tlb->pages[i])
			continue;
		for (; at > 0 && used[at - 1] > tlb->used[i]; at--)
			used[at] = used[at - 1];
		used[at] = tlb->used[i];
		count++;
	}
	mark->count = count;
	for (unsigned i = 0; i < count; i++) {
		mark->pages[i] = tlb->pages[used[i] % TLB_FIRST_MAX];
		mark->frames[i] = tlb->frames[used[i] % TLB_FIRST_MAX];
	}
}

/* Whether a path has carried a line since the mark; L2 and the system cache are used only then. */
static bool is_used(const struct memory_mark *mark, unsigned path)
{
	return *use(mark->memory, path) != mark->uses[path];
}

void memory_mark_begin(struct memory_mark *mark)
{
	struct memory *m = mark->memory;

	finish_eviction(m);
	mark->is_set = false;
	for (unsigned i = 0; i < USES; i++)
		mark->uses[i] = *use(m, i);
}

/* L2 and the system cache are large: they are noted if they were in use since the last mark. */
static void set_large(struct memory_mark *mark)
{
	struct memory *m = mark->memory;

	mark->has_l2 = is_used(mark, L2_PATH);
	mark->has_llc = is_used(mark, LLC_PATH);
	if (mark->has_l2)
		memcpy(mark->lines[2], m->l2.lines, lines_of(m, 2) * sizeof(*m->l2.lines));
	if (mark->has_llc)
		memcpy(mark->tags, m->system->llc.entries, tag_bytes(m));
}

bool memory_mark_set(struct memory_mark *mark, uint64_t cycle, uint64_t floor)
{
	struct memory *m = mark->memory;

	if (!system_has_one_core(m->system) || !memory_alone(m) || m->touches.count)
		return false;
	finish_eviction(m);
	mark->is_set = true;
	mark->cycle = cycle;
	mark->floor = floor;
	mark->remapped = memory_remapped(m);
	mark->touches = frames_touches(m->system->frames);
	mark->origin = m->origin;
	mark->page_stored = m->page_stored;
	mark->store_next = m->store_next;
	mark->store_run = m->store_run;
	mark->streamed_line = m->streamed_line;
	mark->kept = m->kept;
	set_large(mark);
	for (unsigned i = 0; i < EVENTS; i++)
		mark->counts[i] = m->counts[events[i]];
	for (unsigned i = 0; i < USES; i++)
		mark->uses[i] = *use(m, i);
	for (unsigned i = 0; i < BUFFERS; i++)
		mark->buffers[i] = *buffers_of(m, i);
	read_tlb(&m->dtlb, &mark->dtlb);
	read_tlb(&m->itlb, &mark->itlb);
	mark->stride = m->stride;
	mark->streams[0] = m->data_stream;
	mark->streams[1] = m->code_stream;
	for (unsigned i = 0; i < PATHS; i++)
		memcpy(mark->slots[i], path_of(m, i)->slots, sizeof(mark->slots[i]));
	for (unsigned i = 0; i < 2; i++)
		memcpy(mark->lines[i], cache_of(m, i)->lines,
		       lines_of(m, i) * sizeof(*mark->lines[i]));
	memcpy(mark->pairs, m->tlb2.pairs, pair_bytes(&m->tlb2));
	memcpy(mark->tables, m->walk_cache.pairs, pair_bytes(&m->walk_cache));
	return true;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Of two states: the cycles between them, and their floors. */
struct times {
	uint64_t cycles, then, now;
};

/* Whether two times are alike; those that are over by `margin` cycles before the floor are. */
static inline bool alike(const struct times *times, uint64_t then, uint64_t now, uint64_t margin)
{
	return then + times->cycles == now ||
	       (then + margin <= times->then && now + margin <= times->now);
}

static bool same_buffers(const struct times *times, const struct buffers *then,
			 const struct buffers *now)
{
	for (unsigned i = 0; i < now->count; i++)
		if (!alike(times, then->free_at[(then->first + i) & then->mask],
			   now->free_at[(now->first + i) & now->mask], 0))
			return false;
	return true;
}

static bool same_tlb(const struct tlb_mark *then, const struct tlb_first *tlb)
{
	const size_t bytes = then->count * sizeof(then->pages[0]);
	struct tlb_mark now;

	if (then->count && tlb->pages[tlb->last] != then->pages[then->count - 1])
		return false;
	read_tlb(tlb, &now);
	return now.count == then->count && !memcmp(now.pages, then->pages, bytes) &&
	       !memcmp(now.frames, then->frames, bytes);
}

static bool same_strides(const struct stride_prefetcher *then, const struct stride_prefetcher *now)
{
	for (unsigned i = 0; i < now->count; i++) {
		const struct stride_entry *a = &then->entries[i], *b = &now->entries[i];

		if (a->pc != b->pc || a->last != b->last || a->ahead != b->ahead ||
		    a->stride != b->stride || a->confidence != b->confidence)
			return false;
	}
	return true;
}

static bool same_streams(const struct stream_prefetcher *then, const struct stream_prefetcher *now)
{
	for (unsigned i = 0; i < STREAM_ENTRIES; i++) {
		const struct stream_entry *a = &then->entries[i], *b = &now->entries[i];

		if (a->last != b->last || a->ahead != b->ahead || a->step != b->step ||
		    a->confidence != b->confidence)
			return false;
	}
	return then->order == now->order && then->used == now->used;
}

static bool same_lines(const struct times *times, const struct cache_line *then,
		       const struct cache_line *now, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (then[i].key != now[i].key || !alike(times, then[i].ready, now[i].ready, 0))
			return false;
	return true;
}

/* Whether a path is at the same place of a stretch, and stretches have room for as many lines. */
static bool same_phase(const struct bandwidth *path, uint64_t then, uint64_t now)
{
	const uint64_t mask = (1u << STRETCH_LOG2) - 1;

	if ((then ^ now) & mask)
		return false;
	return !path->part || bandwidth_rest(path, 100 * (then & ~mask)) ==
				      bandwidth_rest(path, 100 * (now & ~mask));
}

/* Whether stretches that are not over have room for as many lines: slots of others are free. */
static bool same_slots(const uint64_t *then, const uint64_t *now, uint64_t from, uint64_t to)
{
	const uint64_t stretches = (to >> STRETCH_LOG2) - (from >> STRETCH_LOG2);
	unsigned live_then = 0, live_now = 0;

	for (unsigned i = 0; i < CALENDAR_SLOTS; i++) {
		const uint64_t tag = now[i] >> LEFT_BITS;

		live_then += then[i] >> LEFT_BITS > from >> STRETCH_LOG2;
		if (tag <= to >> STRETCH_LOG2)
			continue;
		live_now++;
		if (then[(i - stretches) & (CALENDAR_SLOTS - 1)] + (stretches << LEFT_BITS) !=
		    now[i])
			return false;
	}
	return live_then == live_now;
}

static bool same_paths(const struct memory_mark *mark, const struct times *times)
{
	struct memory *m = mark->memory;

	for (unsigned i = 0; i < PATHS; i++) {
		const uint64_t from = times->then + origin_of(m, i);

		/* The floors are equally far behind the cycles. */
		if (is_used(mark, i) &&
		    !same_slots(mark->slots[i], path_of(m, i)->slots, from, from + times->cycles))
			return false;
	}
	return true;
}

static bool same_stores(const struct memory_mark *mark, const struct times *times)
{
	const struct memory *m = mark->memory;
	const uint64_t streams = (uint64_t)m->params->write_stream_lines << m->line_log2;
	const bool same_run = m->store_run == mark->store_run ||
			      (m->store_run >= streams && mark->store_run >= streams);

	return m->store_next == mark->store_next && same_run &&
	       m->streamed_line == mark->streamed_line && m->kept == mark->kept &&
	       (m->page_stored == mark->page_stored ||
		alike(times, mark->page_stored, m->page_stored, m->params->store_page_cycles));
}

static bool same_phases(const struct memory_mark *mark, const struct times *times)
{
	struct memory *m = mark->memory;

	for (unsigned i = 0; i < PATHS; i++) {
		const uint64_t from = mark->cycle + origin_of(m, i);

		if (is_used(mark, i) && !same_phase(path_of(m, i), from, from + times->cycles))
			return false;
	}
	return true;
}

bool memory_mark_may_be_back(const struct memory_mark *mark, uint64_t cycle)
{
	const struct times times = {cycle - mark->cycle, 0, 0};

	finish_eviction(mark->memory);
	return mark->is_set && same_phases(mark, &times);
}

/* What is quickly compared, or soon differs, comes first. */
bool memory_mark_is_back(const struct memory_mark *mark, uint64_t cycle, uint64_t floor)
{
	struct memory *m = mark->memory;
	const struct times times = {cycle - mark->cycle, mark->floor, floor};

	finish_eviction(m);
	if (!mark->is_set || times.cycles != floor - mark->floor || !same_phases(mark, &times) ||
	    (is_used(mark, L2_PATH) && !mark->has_l2) ||
	    (is_used(mark, LLC_PATH) && !mark->has_llc) || m->origin != mark->origin ||
	    memory_remapped(m) != mark->remapped ||
	    frames_touches(m->system->frames) != mark->touches || !memory_alone(m) ||
	    !same_stores(mark, &times))
		return false;
	for (unsigned i = 0; i < BUFFERS; i++)
		if (!same_buffers(&times, &mark->buffers[i], buffers_of(m, i)))
			return false;
	if (!same_strides(&mark->stride, &m->stride) ||
	    !same_streams(&mark->streams[0], &m->data_stream) ||
	    !same_streams(&mark->streams[1], &m->code_stream) || !same_tlb(&mark->dtlb, &m->dtlb) ||
	    !same_tlb(&mark->itlb, &m->itlb))
		return false;
	for (unsigned i = 0; i < (is_used(mark, L2_PATH) ? 3u : 2u); i++)
		if (!same_lines(&times, mark->lines[i], cache_of(m, i)->lines, lines_of(m, i)))
			return false;
	return !memcmp(mark->tables, m->walk_cache.pairs, pair_bytes(&m->walk_cache)) &&
	       !memcmp(mark->pairs, m->tlb2.pairs, pair_bytes(&m->tlb2)) &&
	       same_paths(mark, &times) &&
	       (!is_used(mark, LLC_PATH) ||
		!memcmp(mark->tags, m->system->llc.entries, tag_bytes(m)));
}

/* ---- Skipping ------------------------------------------------------------------------------- */

void memory_mark_know(struct memory_mark *mark)
{
	struct memory *m = mark->memory;

	for (unsigned i = 0; i < PATHS; i++)
		mark->used[i] = is_used(mark, i);
	mark->page_stores = m->page_stored != mark->page_stored;
	for (unsigned i = 0; i < TIMED; i++) {
		const struct cache_line *lines = cache_of(m, i)->lines;
		const size_t count = i < 2 || mark->used[L2_PATH] ? lines_of(m, i) : 0;

		mark->filled_count[i] = 0;
		for (uint32_t k = 0; k < count; k++)
			if (lines[k].ready != mark->lines[i][k].ready)
				mark->filled[i][mark->filled_count[i]++] = k;
	}
	for (unsigned i = 0; i < EVENTS; i++)
		mark->counts[i] = m->counts[events[i]] - mark->counts[i];
	for (unsigned i = 0; i < USES; i++)
		mark->uses[i] = *use(m, i) - mark->uses[i];
}

/* What a path carries from a cycle on is carried later. */
static void move_slots(struct bandwidth *path, uint64_t floor, uint64_t cycles)
{
	const uint64_t stretches = cycles >> STRETCH_LOG2;
	uint64_t before[CALENDAR_SLOTS];

	memcpy(before, path->slots, sizeof(before));
	memset(path->slots, 0, sizeof(path->slots));
	for (unsigned i = 0; i < CALENDAR_SLOTS; i++)
		if (before[i] >> LEFT_BITS > floor >> STRETCH_LOG2)
			path->slots[(i + stretches) & (CALENDAR_SLOTS - 1)] =
				before[i] + (stretches << LEFT_BITS);
}

/* Times that are over move as well: nothing differs from when all had been executed. */
static void move_buffers(struct buffers *buffers, uint64_t cycles)
{
	for (unsigned i = 0; i < buffers->count; i++)
		buffers->free_at[(buffers->first + i) & buffers->mask] += cycles;
}

void memory_mark_skip(struct memory_mark *mark, uint64_t times, uint64_t cycles, uint64_t floor)
{
	struct memory *m = mark->memory;

	finish_eviction(m);
	for (unsigned i = 0; i < PATHS; i++)
		if (mark->used[i])
			move_slots(path_of(m, i), floor + origin_of(m, i), cycles);
	for (unsigned i = 0; i < EVENTS; i++)
		m->counts[events[i]] += times * mark->counts[i];
	for (unsigned i = 0; i < USES; i++)
		*use(m, i) += times * mark->uses[i];
	move_buffers(&m->walkers, cycles);
	move_buffers(&m->data_misses, cycles);
	move_buffers(&m->fetch_misses, cycles);
	move_buffers(&m->l2_misses, cycles);
	if (mark->page_stores)
		m->page_stored += cycles;
	for (unsigned i = 0; i < TIMED; i++)
		for (uint32_t k = 0; k < mark->filled_count[i]; k++)
			cache_of(m, i)->lines[mark->filled[i][k]].ready += cycles;
}

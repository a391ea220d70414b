/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores, atomics and barriers: the start of each access, forwarding from older stores, the
 * store buffer, and the order required by barriers, acquire and release.
 */
#include "forward.h"
#include "memo.h"
#include "schedule.h"

/* Accesses of an instruction that are further apart are not merged. */
#define MERGE_BYTES 256
/* What one access reaches: the width of the data path. */
#define ACCESS_BYTES 16

/* ---- What memory is asked, unless its answers are told ------------------------------------ */

static inline bool ask_load(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
			    unsigned bytes, bool own, struct memory_result *result)
{
	if (likely(!core->told))
		return memory_load(core->memory, cycle, pc, address, bytes, own, result);
	return told_load(core, cycle, pc, address, bytes, own, result);
}

static inline void ask_translate(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
				 unsigned bytes, struct memory_result *result)
{
	if (likely(!core->told))
		memory_translate(core->memory, cycle, address, bytes, result);
	else
		told_translate(core, cycle, pc, address, bytes, result);
}

static inline void ask_store(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
			     unsigned bytes, bool full_line, struct memory_result *result)
{
	if (likely(!core->told))
		memory_store(core->memory, cycle, pc, address, bytes, full_line, result);
	else
		told_store(core, cycle, pc, address, bytes, full_line, result);
}

static inline void ask_prefetch(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
				bool for_store)
{
	if (likely(!core->told))
		memory_prefetch(core->memory, cycle, address, for_store);
	else
		told_prefetch(core, cycle, pc, address, for_store);
}

/* ---- Forwarding ---------------------------------------------------------------------------- */

/* What older stores that are not yet in L1D have of a load's bytes. */
struct supply {
	const struct recent_store *stores[FORWARD_STORES]; /* at most; there may be more */
	unsigned bytes[FORWARD_STORES];                    /* that the load gets from each */
	unsigned count;
	bool missing;   /* some bytes are in no store */
	uint64_t ready; /* cycle at which the stores have their data */
	uint64_t gone;  /* cycle at which the last of them is in L1D */
};

static void add_supply(struct supply *supply, const struct recent_store *store, unsigned bytes)
{
	supply->ready = later(supply->ready, store->ready);
	supply->gone = later(supply->gone, store->gone);
	for (unsigned i = 0; i < supply->count && i < FORWARD_STORES; i++)
		if (supply->stores[i] == store) {
			supply->bytes[i] += bytes;
			return;
		}
	if (supply->count < FORWARD_STORES) {
		supply->stores[supply->count] = store;
		supply->bytes[supply->count] = bytes;
	}
	supply->count++;
}

static bool has_all(const struct recent_store *store, uint64_t address, uint64_t end)
{
	return address >= store->address && end <= store->address + store->bytes;
}

/* Finds the bytes of [address, end) in stores that are not yet in L1D at `cycle`. */
static void find_supply(const struct core *core, uint64_t cycle, uint64_t address, uint64_t end,
			struct supply *supply)
{
	for (uint64_t granule = address / 8; granule * 8 < end; granule++) {
		const struct forward *entry = &core->forwards[granule % FORWARD_ENTRIES];
		unsigned wanted = granule_bytes(granule, address, end);

		for (unsigned i = 0; i < FORWARD_STORES && entry->granule == granule; i++) {
			const struct recent_store *store =
				&core->recent_stores[entry->stores[i] % RECENT_STORES];
			unsigned have = wanted & entry->bytes[i];

			if (!have || store->number != entry->stores[i] || store->gone <= cycle)
				continue;
			add_supply(supply, store, (unsigned)__builtin_popcount(have));
			wanted &= ~have;
		}
		supply->missing |= wanted != 0;
	}
	/* A store of another address may have displaced a part of the only one. */
	if (supply->missing && supply->count == 1 && has_all(supply->stores[0], address, end)) {
		supply->bytes[0] = (unsigned)(end - address);
		supply->missing = false;
	}
}

/* Whether a store can send `bytes` at `address`: it has them from its start or its middle on. */
static bool can_send(const struct recent_store *store, uint64_t address, unsigned bytes)
{
	uint64_t offset = address - store->address;

	return (offset == 0 || 2 * offset == store->bytes) && offset + bytes <= store->bytes;
}

/*
 * Whether the stores forward a load of `bytes` at `address`: one store all of it, or, to a load of
 * at least 8 bytes, two stores a half each.
 */
static bool can_forward(const struct supply *supply, uint64_t address, unsigned bytes)
{
	const unsigned half = bytes / 2;
	const struct recent_store *const *stores = supply->stores;

	if (supply->missing || supply->count > FORWARD_STORES)
		return false;
	if (supply->count == 1)
		return can_send(stores[0], address, bytes);
	if (bytes < 8 || supply->bytes[0] != half || supply->bytes[1] != half)
		return false;
	return (can_send(stores[0], address, half) && can_send(stores[1], address + half, half)) ||
	       (can_send(stores[1], address, half) && can_send(stores[0], address + half, half));
}

/* Whether one of the stores lies across two pages: such a store does not forward. */
static bool crosses_page(const struct core *core, const struct supply *supply)
{
	const uint64_t page = core->params->page_bytes;

	for (unsigned i = 0; i < supply->count && i < FORWARD_STORES; i++) {
		const struct recent_store *store = supply->stores[i];

		if ((store->address ^ (store->address + store->bytes - 1)) & ~(page - 1))
			return true;
	}
	return false;
}

/* A quick check whether find_supply() may find anything. */
static inline bool may_forward(const struct core *core, uint64_t cycle, uint64_t address,
			       uint64_t end)
{
	uint64_t first = address / 8, last = (end - 1) / 8;

	if (core->stores_gone <= cycle)
		return false;
	return last > first + 1 || core->forwards[first % FORWARD_ENTRIES].granule == first ||
	       core->forwards[last % FORWARD_ENTRIES].granule == last;
}

static uint8_t level_blame(unsigned level)
{
	if (level == LEVEL_L1)
		return BLAME_CORE;
	return level == LEVEL_L2 ? BLAME_L1D : BLAME_MEM;
}

/* Remembers what the current operation waits for: `first` until a cycle, and `then` after it. */
static void keep_wait(struct core *core, unsigned first, uint64_t until, unsigned then)
{
	core->last_wait = core->sequence;
	core->waits[core->sequence & core->reorder_mask] = (struct wait){
		.sequence = core->sequence,
		.until = until,
		.first = (uint8_t)first,
		.then = (uint8_t)then,
	};
}

/*
 * Remembers what a load waits for that missed in L1D or its TLB. What other work hides of a wait is
 * its beginning, so what a hit would take counts first. Of two misses, each counts as much of what
 * is left as it takes of the whole: it would be wrong to say that the longer one is all.
 */
static __attribute__((noinline)) void keep_miss(struct core *core, uint64_t issue, uint64_t done)
{
	const struct memory_result *result = &core->seen.result;
	uint64_t translation = result->translated - issue, data = done - result->translated;
	unsigned blame = level_blame(result->level);

	if (!result->tlb)
		keep_wait(core, blame, done, blame);
	else if (result->level == LEVEL_L1)
		keep_wait(core, blame, issue + data, BLAME_TLB);
	else {
		keep_wait(core, BLAME_TLB, done, blame);
		core->waits[core->sequence & core->reorder_mask].mixed =
			(uint8_t)(WAIT_PARTS * translation / (translation + data));
	}
}

/* How long at least a load takes that has to wait for stores that cannot forward. */
static unsigned failed_cycles(const struct core *core, uint64_t address, unsigned bytes)
{
	const uint64_t line = core->params->l1d.line_bytes;

	if ((address ^ (address + bytes - 1)) & ~(line - 1))
		return core->params->forward_failed_lines;
	return core->params->forward_failed;
}

/* How much longer a load takes that crosses lines. */
static unsigned crossing_cycles(const struct core *core)
{
	return core->seen.result.crosses_page ? core->params->load_page_cycles
					      : core->params->load_line_cycles;
}

/*
 * Whether older stores forward a whole load, and when. If they cannot, or have only a part of it,
 * it starts when they are in L1D, and takes until `*failed` at least.
 */
static bool forward(const struct core *core, const struct op *op, uint64_t issue, uint64_t address,
		    unsigned bytes, uint64_t *start, uint64_t *failed, uint64_t *done)
{
	struct supply supply = {.count = 0};

	find_supply(core, issue, address, address + bytes, &supply);
	if (!supply.count)
		return false;
	/* Exclusives and atomics use L1D. */
	if (op->memory & (MEM_EXCLUSIVE | MEM_ATOMIC)) {
		*start = supply.gone;
		return false;
	}
	if (crosses_page(core, &supply) || !can_forward(&supply, address, bytes)) {
		*start = supply.gone;
		*failed = later(supply.ready, issue) + failed_cycles(core, address, bytes);
		return false;
	}
	*done = later(supply.ready, issue) + forward_takes(core, op);
	return true;
}

/* Counts an access of a load, and notes it for watchers. */
static inline void note_load(struct core *core, uint64_t issue, uint64_t address, bool forwarded,
			     uint64_t done)
{
	core->loads++;
	core->seen.issue = issue;
	core->seen.address = address;
	core->seen.forwarded = forwarded;
	core->load_cycles += done - issue;
	core->loads_done = later(core->loads_done, done);
}

/* A load that older stores may forward. */
static __attribute__((noinline)) uint64_t load_near_stores(struct core *core, const struct op *op,
							   uint64_t pc, uint64_t issue,
							   uint64_t address, unsigned bytes)
{
	struct memory_result *result = &core->seen.result;
	uint64_t start = issue, failed = 0, done = 0;
	bool forwarded = forward(core, op, issue, address, bytes, &start, &failed, &done);

	ask_load(core, start, pc, address, bytes, op->memory & (MEM_ATOMIC | MEM_EXCLUSIVE),
		 result);
	if (result->crosses_line)
		issue_at(core, issue, op->ports, 0); /* the second line needs another read */
	core->load_crossings += result->crosses_line;
	if (likely(!forwarded)) {
		done = result->ready + op->load_extra;
		if (result->crosses_line) /* to have waited for stores takes some of it */
			done += failed ? 1 : crossing_cycles(core);
		done = later(done, failed);
		if (unlikely(failed && result->level == LEVEL_L1))
			keep_wait(core, BLAME_STORE, done, BLAME_CORE);
		else if (unlikely(start > issue))
			keep_wait(core, BLAME_STORE, start, level_blame(result->level));
		else if (unlikely(result->level | result->tlb))
			keep_miss(core, issue, done);
		if (unlikely(failed))
			core->waits[core->sequence & core->reorder_mask].unforwarded = true;
	}
	note_load(core, issue, address, forwarded, done);
	return done;
}

/* A load that crosses lines, or misses. Returns when its data is available. */
static __attribute__((noinline)) uint64_t finish_slow_load(struct core *core, const struct op *op,
							   uint64_t issue)
{
	const struct memory_result *result = &core->seen.result;
	uint64_t done = result->ready + op->load_extra;

	if (result->crosses_line) {
		issue_at(core, issue, op->ports, 0); /* the second line is read later */
		done += crossing_cycles(core);
		core->load_crossings++;
	}
	if (result->level | result->tlb)
		keep_miss(core, issue, done);
	return done;
}

/* Performs one access of a load that issues at `issue`; returns when its data is available. */
static inline uint64_t load(struct core *core, const struct op *op, uint64_t pc, uint64_t issue,
			    uint64_t address, unsigned bytes)
{
	uint64_t done;

	if (unlikely(core->told != NULL))
		told_issue(core, issue, address, bytes);
	if (unlikely(may_forward(core, issue, address, address + bytes)))
		return load_near_stores(core, op, pc, issue, address, bytes);
	if (likely(ask_load(core, issue, pc, address, bytes,
			    op->memory & (MEM_ATOMIC | MEM_EXCLUSIVE), &core->seen.result)))
		done = core->seen.result.ready + op->load_extra;
	else
		done = finish_slow_load(core, op, issue);
	note_load(core, issue, address, false, done);
	return done;
}

/* Returns the access of an instruction that made one, or several adjacent ones, merged. */
static inline bool single_access(struct cursor *cursor, unsigned index, uint64_t *address,
				 unsigned *bytes)
{
	const struct access *next = cursor->next;

	if (unlikely(next == cursor->end || next->insn != index))
		return false;
	*address = next->address;
	*bytes = next->bytes;
	while (++next != cursor->end && next->insn == index) {
		if (next->address != *address + *bytes)
			return false;
		*bytes += next->bytes;
	}
	cursor->next = next;
	return true;
}

/* Executes a plain load with one access. */
uint64_t execute_load(struct core *core, const struct op *op, struct cursor *cursor)
{
	uint64_t base = later(core->ready[op->sources[0]], core->ready[op->sources[1]]);
	uint64_t issue, done, address;
	unsigned bytes;

	if (unlikely(!single_access(cursor, index_of(cursor->block, op), &address, &bytes)))
		return execute_memory(core, op, cursor);
	base = later(base, core->cycle + 1);
	issue = issue_at(core, later(base, core->memory_floor), op->ports, core->queued);
	done = load(core, op, address_of(cursor->block, op), issue, address, bytes);
	if (op->extra_ports)
		core->ready[op->base] = issue_at(core, base, op->extra_ports, 0) + 1;
	core->ready[op->targets[0]] = done;
	core->ready[op->targets[1]] = done;
	return done;
}

/* Executes a plain store with one access; address and data issue separately. */
uint64_t execute_store(struct core *core, const struct op *op, struct cursor *cursor)
{
	uint64_t base = later(core->ready[op->sources[0]], core->ready[op->sources[1]]);
	uint64_t data = later(core->ready[op->sources[2]], core->ready[op->sources[3]]);
	struct memory_result *result = &core->seen.result;
	uint64_t issue, done, address;
	unsigned bytes;

	if (unlikely(!single_access(cursor, index_of(cursor->block, op), &address, &bytes)))
		return execute_memory(core, op, cursor);
	base = later(base, core->cycle + 1);
	data = later(data, core->cycle + 1);
	issue = issue_at(core, later(base, core->memory_floor), op->ports, 0);
	done = later(issue, issue_at(core, data, op->data_ports, 0));
	depart(core, done, core->queued);
	done += op->latency;
	if (op->extra_ports)
		core->ready[op->base] = issue_at(core, base, op->extra_ports, 0) + 1;
	ask_translate(core, issue, address_of(cursor->block, op), address, bytes, result);
	if (unlikely(result->tlb != TLB_L1_HIT)) {
		keep_wait(core, BLAME_TLB, result->translated, BLAME_CORE);
		done = later(done, result->translated);
	}
	core->seen.issue = issue;
	core->seen.address = address;
	core->commits[0] = (struct commit){address, bytes};
	core->commit_count = 1;
	core->commit_ready = done;
	return done;
}

/* Takes the next access of instruction `index`, merged with adjacent ones. */
static bool next_access(struct cursor *cursor, unsigned index, bool merge, uint64_t *address,
			uint64_t *end)
{
	const struct access *next = cursor->next;

	if (next == cursor->end || next->insn != index)
		return false;
	*address = next->address;
	*end = next->address + (next->bytes ? next->bytes : 1);
	while (++next != cursor->end && next->insn == index && merge) {
		uint64_t from = next->address, to = from + next->bytes;

		if (from > *end + MERGE_BYTES || *address > to + MERGE_BYTES)
			break;
		*address = from < *address ? from : *address;
		*end = later(*end, to);
	}
	cursor->next = next;
	return true;
}

/* Combined timing of the accesses of one instruction. */
struct accesses {
	uint64_t ready;  /* cycle at which they can issue */
	uint64_t issued; /* cycle at which the last one issued */
	uint64_t done;   /* loaded, translated */
	unsigned count;
};

/* Of several accesses of an operation, watchers see the slowest. */
static void keep_slower(struct seen *seen, const struct seen *before)
{
	bool crosses = seen->result.crosses_line || before->result.crosses_line;
	uint64_t issue = before->issue;

	if (seen->result.ready < before->result.ready)
		*seen = *before;
	seen->issue = issue;
	seen->result.crosses_line = crosses;
}

static void make_access(struct core *core, const struct op *op, uint64_t pc, uint64_t address,
			unsigned bytes, struct accesses *all)
{
	uint64_t issue = issue_at(core, all->ready, op->ports, 0), done = issue;
	struct seen before;

	if (all->count)
		before = core->seen;
	if (op->memory & MEM_LOAD)
		done = load(core, op, pc, issue, address, bytes);
	if (op->memory & MEM_STORE) {
		struct memory_result result;

		ask_translate(core, issue, pc, address, bytes, &result);
		if (result.tlb != TLB_L1_HIT) {
			done = later(done, result.translated);
			keep_wait(core, BLAME_TLB, result.translated, BLAME_CORE);
		}
		if (!(op->memory & MEM_LOAD)) {
			core->seen.result = result;
			core->seen.issue = issue;
			core->seen.address = address;
		}
	}
	if (op->memory & (MEM_LOAD | MEM_STORE) && all->count)
		keep_slower(&core->seen, &before);
	if (!(op->memory & (MEM_LOAD | MEM_STORE)))
		ask_prefetch(core, issue, pc, address, op->flags & OP_FOR_STORE);
	if (op->memory & MEM_STORE && core->commit_count < COMMITS_MAX)
		core->commits[core->commit_count++] = (struct commit){address, bytes};
	all->done = later(all->done, done);
	all->issued = later(all->issued, issue);
	all->count++;
}

/*
 * What the core accesses in several parts, such as four vector registers; but at once what fits in
 * one of them, such as a pair of 64-bit registers, even if its address issues as often.
 */
static void make_parts(struct core *core, const struct op *op, uint64_t pc, uint64_t address,
		       uint64_t end, struct accesses *all)
{
	unsigned bytes = end - address < UINT16_MAX ? (unsigned)(end - address) : UINT16_MAX;
	unsigned parts = op->memory & MEM_GATHER ? 1 : op->accesses;
	unsigned needed = (bytes + ACCESS_BYTES - 1) / ACCESS_BYTES, part;

	for (; parts > needed && parts > 1; parts--)
		all->issued = later(all->issued, issue_at(core, all->ready, op->ports, 0));
	part = bytes / parts;
	for (unsigned i = 1; part && i < parts; i++, address += part)
		make_access(core, op, pc, address, part, all);
	make_access(core, op, pc, address, (unsigned)(end - address), all);
}

/*
 * The current operation waits for older stores, because of its order, and then for what its load
 * does. A load that missed its TLB as well keeps that.
 */
static __attribute__((noinline)) void keep_order(struct core *core, uint64_t until)
{
	if (!core->seen.result.tlb)
		keep_wait(core, BLAME_STORE, until, level_blame(core->seen.result.level));
}

/* Makes all accesses of an operation. Their address sources are ready at `base`, others at `data`.
 */
static struct accesses make_accesses(struct core *core, const struct op *op, struct cursor *cursor,
				     uint64_t base, uint64_t data)
{
	struct accesses all = {.ready = later(base, core->memory_floor)};
	uint64_t pc = address_of(cursor->block, op), address, end, ordered = 0;
	unsigned index = index_of(cursor->block, op);

	if (op->memory & MEM_LOAD) /* predicates, merged lanes, an atomic's operand */
		all.ready = later(all.ready, data);
	if ((op->memory & (MEM_ACQUIRE | MEM_PASSES)) == MEM_ACQUIRE)
		ordered = core->release_gone;
	all.ready = later(all.ready, ordered);
	while (next_access(cursor, index, !(op->memory & MEM_GATHER), &address, &end))
		make_parts(core, op, pc, address, end, &all);
	if (unlikely(all.count && all.ready == ordered))
		keep_order(core, ordered);
	if (!all.count) /* skipped, or its address is unknown */
		all.issued = all.done = core->seen.issue = issue_at(core, all.ready, op->ports, 0);
	return all;
}

/* Returns when a store is done, whose other pieces wait for its data alone. */
static uint64_t finish_store(struct core *core, const struct op *op, uint64_t data,
			     struct accesses *all)
{
	all->issued = later(all->issued, issue_pieces(core, op, 1, data));
	return later(latency_from(op, 0, all->issued) + op->latency, all->done);
}

/*
 * Returns when an atomic may act on its line, which is here at `here`: its store cannot be undone,
 * so it waits for all older operations, and one that releases for their stores as well.
 */
static uint64_t atomic_begins(struct core *core, const struct op *op, uint64_t here)
{
	uint64_t begins = core->last_retired;

	if (!(op->memory & MEM_RELEASE))
		return begins;
	if (core->stores_gone > later(begins, here))
		keep_order(core, core->stores_gone);
	return later(begins, core->stores_gone);
}

/* Returns when a load, an atomic or a prefetch is done. */
static uint64_t finish_load(struct core *core, const struct op *op, struct accesses *all)
{
	uint64_t last = issue_pieces(core, op, 1, all->ready);
	uint64_t done = all->done;

	if (!all->count || !(op->memory & MEM_LOAD))
		done += op->latency;
	all->issued = later(all->issued, last);
	if ((op->memory & MEM_ATOMIC) && (op->memory & MEM_LOAD))
		done = later(done, atomic_begins(core, op, done) + op->latency);
	return later(done, latency_from(op, all->ready, last) + op->latency);
}

/* Executes loads, stores, atomics and prefetches. The first two sources form the address. */
uint64_t execute_memory(struct core *core, const struct op *op, struct cursor *cursor)
{
	uint64_t next_cycle = core->cycle + 1;
	uint64_t base = later(sources_ready(core, op, 0, OP_ADDRESS_SOURCES), next_cycle);
	uint64_t data = later(sources_ready(core, op, OP_ADDRESS_SOURCES, OP_SOURCES), next_cycle);
	bool stores_only = (op->memory & (MEM_LOAD | MEM_STORE)) == MEM_STORE;
	struct accesses all;
	uint64_t done;

	core->commit_count = 0;
	all = make_accesses(core, op, cursor, base, data);
	done = stores_only ? finish_store(core, op, data, &all) : finish_load(core, op, &all);
	core->commit_ready = done;
	if (op->extra_ports)
		base = issue_at(core, base, op->extra_ports, 0);
	depart(core, all.issued, core->queued);
	for (int i = 0; i < OP_TARGETS; i++)
		core->ready[op->targets[i]] = done;
	core->ready[op->base] = base + 1;
	if ((op->memory & MEM_LOAD) && (op->memory & MEM_ACQUIRE))
		core->memory_floor = later(core->memory_floor, done);
	return done;
}

/* A store has written two lines, for which its address has taken a port twice. */
static void note_crossing(struct core *core, const struct op *op)
{
	core->store_crossings++;
	issue_at(core, core->seen.issue, op->ports, 0);
}

/*
 * The one store of an operation leaves, which releases nothing: like those of commit_stores(), but
 * without what most stores need not.
 */
static inline void commit_store(struct core *core, const struct op *op, uint64_t pc)
{
	const uint64_t address = core->commits[0].address, slot = core->buffer_sequence++;
	const unsigned bytes = core->commits[0].bytes;
	struct memory_result *result = &core->seen.stored;
	uint64_t start = core->buffered[(slot - core->buffer_entries) & core->buffer_mask];

	start = later(later(start, core->store_left), core->last_retired);
	ask_store(core, start, pc, address, bytes, false, result);
	core->stores++;
	if (unlikely(result->crosses_line))
		note_crossing(core, op);
	core->store_left = start;
	core->stores_gone = later(core->stores_gone, result->ready);
	core->buffered[slot & core->buffer_mask] = core->stores_gone;
	remember_store(core, slot + 1, address, bytes, core->commit_ready, core->stores_gone);
	core->left[core->left_sequence++ % STORE_RING] = start;
}

/* Retired stores leave in order; each holds a store buffer entry until L1D has the line. */
void commit_stores(struct core *core, const struct op *op, uint64_t pc)
{
	const bool free_of_charge = core->params->ideal & IDEAL_STORE;
	unsigned entries = 0;

	if (likely(core->commit_count == 1 && op->stores == 1 && !free_of_charge &&
		   !(op->memory & (MEM_RELEASE | MEM_ZERO)))) {
		commit_store(core, op, pc);
		return;
	}
	core->seen.stored.ready = 0;
	for (unsigned i = 0; i < core->commit_count; i++) {
		const struct commit *commit = &core->commits[i];
		uint64_t slot = core->buffer_sequence++, start;
		struct memory_result written, *result = &written;

		start = core->buffered[(slot - core->buffer_entries) & core->buffer_mask];
		start = later(later(start, core->store_left), core->last_retired);
		if (free_of_charge)
			start = core->last_retired;
		if (op->memory & MEM_RELEASE)
			start = later(start, core->stores_gone);
		ask_store(core, start, pc, commit->address, commit->bytes, op->memory & MEM_ZERO,
			  result);
		core->stores++;
		if (result->crosses_line)
			note_crossing(core, op);
		core->store_left = start;
		core->stores_gone = later(core->stores_gone, result->ready);
		core->buffered[slot & core->buffer_mask] = core->stores_gone;
		remember_store(core, core->buffer_sequence, commit->address, commit->bytes,
			       core->commit_ready, core->stores_gone);
		if (result->ready > core->seen.stored.ready)
			core->seen.stored = *result;
		if (entries < op->stores) {
			core->left[core->left_sequence++ % STORE_RING] = start;
			entries++;
		}
	}
	for (; entries < op->stores; entries++)
		core->left[core->left_sequence++ % STORE_RING] =
			later(core->store_left, core->last_retired);
	if (op->memory & MEM_RELEASE)
		core->release_gone = core->stores_gone;
}

/* Returns when a DMB or DSB lets younger accesses continue. Its CRm selects what it waits for. */
uint64_t barrier_done(struct core *core, const struct insn *insn)
{
	enum { LOADS = 1, STORES = 2 };
	unsigned type = insn->kinds & KIND_DSB ? LOADS | STORES : insn->opcode >> 8 & 3;
	uint64_t done = 0;

	if (type & LOADS)
		done = core->loads_done;
	if (type & LOADS && unlikely(core->told != NULL))
		done = later(done, told_loads_done(core));
	/* Stores leave in order, so a barrier for stores only delays nothing. */
	if (type == (LOADS | STORES) && core->stores_gone > done) {
		done = core->stores_gone;
		keep_wait(core, BLAME_STORE, done, BLAME_CORE);
	}
	if (type & LOADS)
		core->memory_floor = later(core->memory_floor, done);
	return done;
}

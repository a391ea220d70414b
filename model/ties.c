/* SPDX-License-Identifier: Apache-2.0 */
#include "ties.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "schedule.h"

/* Operations whose chains are followed before those that count: a single long wait is no chain. */
#define OPERATIONS_BEFORE 512
#define OPERATIONS        2048
#define CYCLES_BETWEEN    50000
/* Also where operations take long: these are executed one by one, and others replayed. */
#define OPERATIONS_BETWEEN 65536

bool core_set_limits(struct core *core, uint64_t *cycles)
{
	core->bounds = calloc(1, sizeof(*core->bounds));
	if (core->bounds)
		core->bounds->cycles = cycles;
	return core->bounds;
}

void core_end_limits(struct core *core)
{
	if (!core->bounds)
		return;
	free(core->bounds);
	core->bounds = NULL;
	core->observed = core->exact || core->watch;
}

void bounds_begin(struct core *core)
{
	struct bounds *bounds = core->bounds;

	if (bounds->stage != BOUNDS_IDLE ||
	    (bounds->end && (core->cycle < bounds->end + CYCLES_BETWEEN ||
			     core->sequence < bounds->sequence + OPERATIONS_BETWEEN)))
		return;
	bounds->stage = BOUNDS_BEFORE;
	bounds->sequence = core->sequence;
	memset(bounds->chains, 0, sizeof(bounds->chains));
	memset(bounds->early, 0, sizeof(bounds->early));
	memset(bounds->stored, 0, sizeof(bounds->stored));
	memset(&bounds->buffer, 0, sizeof(bounds->buffer));
	bounds->longest = (struct chain){0};
	core->observed = true;
}

uint64_t bounds_room(const struct core *core, uint64_t cycles, uint64_t operations)
{
	const struct bounds *bounds = core->bounds;
	uint64_t cycle, sequence, by_cycle = 0, by_sequence = 0;

	if (!bounds)
		return UINT64_MAX;
	cycle = bounds->end + CYCLES_BETWEEN;
	sequence = bounds->sequence + OPERATIONS_BETWEEN;
	if (bounds->stage != BOUNDS_IDLE || !bounds->end)
		return 0;
	if (cycle > core->cycle)
		by_cycle = (cycle - 1 - core->cycle) / cycles;
	if (sequence > core->sequence)
		by_sequence = (sequence - 1 - core->sequence) / operations;
	return later(by_cycle, by_sequence);
}

/* Uses `ports` for `cycles`. If there are too many kinds of them, some count for none. */
static void use_ports(struct bounds *bounds, uint32_t ports, unsigned cycles)
{
	for (unsigned i = 0; ports && i < BOUNDS_PORTS; i++) {
		if (!bounds->ports[i].mask)
			bounds->ports[i].mask = ports;
		if (bounds->ports[i].mask != ports)
			continue;
		bounds->ports[i].cycles += cycles;
		return;
	}
}

static void use_all_ports(struct core *core, const struct op *op)
{
	const struct class_params *class = &core->params->classes[op->class];
	struct bounds *bounds = core->bounds;

	use_ports(bounds, op->extra_ports, 1);
	if (op->path == PATH_RENAMED)
		return;
	if (op->path != PATH_OTHER) {
		use_ports(bounds, op->ports, 1);
		if (op->path == PATH_LOAD && core->seen.result.crosses_line)
			use_ports(bounds, op->ports, 1);
		if (op->path == PATH_STORE)
			use_ports(bounds, op->data_ports, 1);
		return;
	}
	for (unsigned i = 0; i < op->pieces; i++)
		use_ports(bounds, class->pieces[i].ports,
			  class->pieces[i].busy * (unsigned)class->pieces[i].count);
}

static struct chain longer(struct chain a, struct chain b)
{
	return b.ready > a.ready ? b : a;
}

/* Returns the last store to a granule of 8 bytes, or NULL. */
static const struct stored *find_stored(const struct bounds *bounds, uint64_t granule)
{
	const struct stored *stored = &bounds->stored[granule % BOUNDS_STORES];

	return stored->granule == granule + 1 ? stored : NULL;
}

/* The last operation, a store, has its data at `done`, by this chain. */
static void note_stored(struct core *core, struct chain chain, uint64_t done)
{
	struct bounds *bounds = core->bounds;

	for (unsigned i = 0; i < core->commit_count; i++) {
		const struct commit *commit = &core->commits[i];
		const uint64_t first = commit->address / 8;
		uint64_t last = (commit->address + commit->bytes - 1) / 8;

		last = last < first + BOUNDS_STORES ? last : first + BOUNDS_STORES;
		for (uint64_t granule = first; granule <= last; granule++)
			bounds->stored[granule % BOUNDS_STORES] =
				(struct stored){granule + 1, done, chain};
	}
}

/* Returns the store that the last operation, a load, waited for since it could not forward, or
 * NULL. */
static const struct stored *unforwarded(const struct core *core)
{
	const uint64_t sequence = core->sequence - 1, address = core->seen.address;
	const struct wait *wait = &core->waits[sequence & core->reorder_mask];
	const struct stored *stored = find_stored(core->bounds, address / 8);

	if (wait->sequence != sequence || !wait->unforwarded)
		return NULL;
	return stored || address % 8 == 0 ? stored : find_stored(core->bounds, address / 8 + 1);
}

/* Returns the longest chain to the operands; a forwarded load's is the store's. */
static struct chain chain_start(struct core *core, const struct op *op)
{
	const struct bounds *bounds = core->bounds;
	const struct bound_early *early = &bounds->early[op->accumulator];
	const unsigned sources =
		op->path == PATH_PLAIN || op->path == PATH_RENAMED ? 3 : OP_SOURCES;
	struct chain start = {0}, accumulated;

	for (unsigned i = 0; i < sources; i++)
		start = longer(start, bounds->chains[op->sources[i]]);
	if (op->path != PATH_OTHER)
		return start;
	accumulated = bounds->chains[op->accumulator];
	if (early->class == op->class + 1u && early->ready == accumulated.ready)
		accumulated.ready = early->early;
	return longer(start, accumulated);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns how many cycles the last operation, a load, waits for a cause until it is done. */
static uint64_t waits_for(const struct core *core, unsigned blame, uint64_t done)
{
	const uint64_t sequence = core->sequence - 1, issue = core->seen.issue;
	const struct wait *wait = &core->waits[sequence & core->reorder_mask];
	uint64_t until, cycles = 0;

	if (wait->sequence != sequence || done <= issue)
		return 0;
	if (wait->mixed)
		return wait->first == blame && wait->until == done
			       ? wait_for_first(wait, issue, done)
			       : 0;
	until = least(wait->until, done);
	if (wait->first == blame && until > issue)
		cycles = until - issue;
	if (wait->then == blame && done > wait->until)
		cycles += done - later(until, issue);
	return cycles;
}

/* Returns the chain to the last operation's result. */
static struct chain chain_end(const struct core *core, const struct op *op, struct chain start,
			      uint64_t latency, uint64_t done)
{
	struct chain end = start;

	end.ready += latency;
	if (op->memory & MEM_LOAD && !core->seen.forwarded && op->path != PATH_PLAIN) {
		end.translation += waits_for(core, BLAME_TLB, done);
		end.store += least(waits_for(core, BLAME_STORE, done), latency);
	}
	return end;
}

void bounds_operation(struct core *core, const struct op *op, uint64_t done)
{
	const struct class_params *class = &core->params->classes[op->class];
	struct bounds *bounds = core->bounds;
	const bool plain = op->path == PATH_PLAIN || op->path == PATH_RENAMED;
	struct chain start = chain_start(core, op), result;
	uint64_t latency = plain ? op->latency : done - core->seen.issue;

	if (bounds->stage == BOUNDS_COUNTED)
		use_all_ports(core, op);
	if (op->memory & MEM_LOAD && !plain) {
		const struct stored *stored = core->seen.forwarded
						      ? find_stored(bounds, core->seen.address / 8)
						      : unforwarded(core);

		if (core->seen.forwarded)
			latency = forward_takes(core, op);
		else if (stored)
			latency = done - later(least(stored->done, done), core->seen.issue);
		if (stored)
			start = longer(start, stored->chain);
	}
	if (op->memory & MEM_STORE) {
		struct chain chain = start;

		chain.ready += op->memory & MEM_LOAD ? latency : op->latency;
		note_stored(core, chain, done);
		if (!(op->memory & MEM_LOAD))
			latency = 0;
	}
	result = chain_end(core, op, start, latency, done);
	if (op->base != READY_NOWHERE) {
		bounds->chains[op->base] =
			longer(bounds->chains[op->sources[0]], bounds->chains[op->sources[1]]);
		bounds->chains[op->base].ready++;
	}
	for (int i = 0; i < OP_TARGETS && !(plain && i == 2); i++) {
		struct bound_early *early = &bounds->early[op->targets[i]];

		if (op->targets[i] == READY_NOWHERE)
			continue;
		bounds->chains[op->targets[i]] = result;
		if (class->accumulator_latency && !plain)
			*early = (struct bound_early){result.ready,
						      start.ready + class->accumulator_latency,
						      class->accumulates + 1u};
	}
	bounds->longest = longer(bounds->longest, result);
}

/* Returns for how long a store's line takes to come, if it queues for nothing. */
static uint64_t line_takes(const struct core *core, const struct memory_result *written,
			   uint64_t took)
{
	const struct core_params *params = core->params;
	uint64_t cycles = params->l2.latency;

	if (written->level == LEVEL_L1 || written->pending)
		return 1;
	if (written->level == LEVEL_LLC || written->level == LEVEL_DRAM)
		cycles += params->llc.latency;
	if (written->level == LEVEL_DRAM)
		cycles += params->dram_latency;
	return written->level == LEVEL_PEER ? took : least(took, cycles);
}

void bounds_stored(struct core *core, const struct op *op)
{
	const struct memory_result *written = &core->seen.stored;
	struct bound_buffer *buffer = &core->bounds->buffer;
	const uint64_t took = line_takes(core, written, written->ready - written->translated);
	const unsigned entries = (unsigned)least(core->buffer_entries, BOUNDS_BUFFER);

	if (core->bounds->stage == BOUNDS_COUNTED && written->crosses_line)
		use_ports(core->bounds, op->ports, 1);
	/* Of several writes by one operation, those that leave last have to wait for its lines. */
	for (unsigned i = 0; i < core->commit_count; i++) {
		const uint64_t number = buffer->number++;
		const uint64_t before = buffer->gone[(number - 1) % BOUNDS_BUFFER];

		buffer->last =
			later(buffer->last, buffer->gone[(number - entries) % BOUNDS_BUFFER]);
		buffer->gone[number % BOUNDS_BUFFER] = later(before, buffer->last + took);
	}
}

/* Returns when the last store leaves the store buffer. */
static uint64_t buffer_left(const struct bounds *bounds)
{
	return bounds->buffer.gone[(bounds->buffer.number - 1) % BOUNDS_BUFFER];
}

/* Tells whether a part of a chain is about half of it: neither part is even twice the other. */
static bool is_half(uint64_t part, uint64_t all)
{
	return 8 * part >= 3 * all && 8 * part <= 5 * all;
}

/* Returns which part of the longest chain is half of it, as a bit, if one is. */
static unsigned halves_of(const struct bounds *bounds)
{
	const struct chain *to = &bounds->longest, *from = &bounds->longest_before;
	const uint64_t all = to->ready - from->ready;

	return (unsigned)is_half(to->translation - from->translation, all) << LIMIT_TRANSLATION |
	       (unsigned)is_half(to->store - from->store, all) << LIMIT_STORE;
}

/* Returns how long the busiest ports take. */
static uint64_t ports_take(const struct core *core)
{
	const struct bounds *bounds = core->bounds;
	uint64_t most = 0;

	for (unsigned i = 0; i < BOUNDS_PORTS && bounds->ports[i].mask; i++) {
		const uint32_t own = bounds->ports[i].mask;
		const uint32_t sets[] = {own, core->family[__builtin_ctz(own)]};

		for (int s = 0; s < 2; s++) {
			uint64_t cycles = 0;

			for (unsigned k = 0; k < BOUNDS_PORTS; k++)
				if (!(bounds->ports[k].mask & ~sets[s]))
					cycles += bounds->ports[k].cycles;
			most = later(most, cycles / (unsigned)__builtin_popcount(sets[s]));
		}
	}
	return most;
}

/* Return how long the memory side takes: the walks, the misses, and the lines that move. */
static uint64_t walks_take(const struct memory_busy *from, const struct memory_busy *to)
{
	return (to->walkers - from->walkers) / 100;
}

static uint64_t misses_take(const struct memory_busy *from, const struct memory_busy *to)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < MEMORY_MISSES; i++)
		most = later(most, to->misses[i] - from->misses[i]);
	return most / 100;
}

static uint64_t lines_take(const struct memory_busy *from, const struct memory_busy *to)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < MEMORY_PATHS; i++)
		most = later(most, to->paths[i] - from->paths[i]);
	return most / 100;
}

/* Returns how long fetch has taken if nothing was ever missing: a cycle per chunk or pair of them.
 */
static uint64_t fetch_cycles(const struct core *core)
{
	return core->chunk_sequence - core->paired + core->bubbles;
}

static void end(struct core *core)
{
	struct bounds *bounds = core->bounds;
	const uint64_t cycles = core->cycle - bounds->cycle;
	uint64_t takes[LIMIT_COUNT] = {
		[LIMIT_FETCH] = fetch_cycles(core) - bounds->fetch,
		[LIMIT_SLOTS] = (core->sequence - bounds->sequence) / core->width,
		[LIMIT_CHAIN] = bounds->longest.ready - bounds->longest_before.ready,
		[LIMIT_PORTS] = ports_take(core),
	};
	struct memory_busy busy;
	unsigned at_work = 0;

	memory_busy(core->memory, &busy);
	takes[LIMIT_WALKS] = walks_take(&bounds->busy, &busy);
	takes[LIMIT_MISSES] = misses_take(&bounds->busy, &busy);
	takes[LIMIT_BANDWIDTH] = lines_take(&bounds->busy, &busy);
	takes[LIMIT_STORE_BUFFER] = buffer_left(bounds) - bounds->buffer_before;
	/* At least 95 %: chunks and slots are whole, and something else is always there, too. */
	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		at_work |= (unsigned)(20 * takes[i] >= 19 * cycles) << i;
	if (at_work >> LIMIT_CHAIN & 1)
		at_work |= halves_of(bounds);
	bounds->cycles[at_work] += core->cycle - bounds->end;
	bounds->stage = BOUNDS_IDLE;
	bounds->end = core->cycle;
	bounds->sequence = core->sequence;
	core->observed = core->exact || core->watch;
}

void bounds_block_ends(struct core *core)
{
	struct bounds *bounds = core->bounds;
	const uint64_t operations = core->sequence - bounds->sequence;

	if (bounds->stage == BOUNDS_COUNTED && operations >= OPERATIONS)
		end(core);
	if (bounds->stage != BOUNDS_BEFORE || operations < OPERATIONS_BEFORE)
		return;
	bounds->stage = BOUNDS_COUNTED;
	bounds->sequence = core->sequence;
	bounds->cycle = core->cycle;
	bounds->fetch = fetch_cycles(core);
	bounds->longest_before = bounds->longest;
	bounds->buffer_before = buffer_left(bounds);
	memory_busy(core->memory, &bounds->busy);
	memset(bounds->ports, 0, sizeof(bounds->ports));
}

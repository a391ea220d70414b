/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar: which ports are taken in each cycle, and when issue queue entries become free. */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include "pipeline.h"

/* Notes that something is in a cycle of the calendar. */
static inline void mark_cycle(struct core *core, uint64_t cycle)
{
	core->marked |= 1ull << cycle % CALENDAR_CYCLES / CALENDAR_GROUP;
}

/* Returns core.marked from the group of a cycle on: that group's bit lowest. */
static inline uint64_t marked_from(const struct core *core, uint64_t cycle)
{
	const unsigned group = cycle % CALENDAR_CYCLES / CALENDAR_GROUP;

	return core->marked >> group | core->marked << (-group & 63);
}

static inline uint32_t extra_taken(const struct extra_ports *extra, uint64_t cycle)
{
	unsigned at = cycle % CALENDAR_CYCLES;

	return extra->cycle[at] == cycle + 1 ? extra->taken[at] : 0;
}

/* Takes a second one of `ports` in a cycle in which all first ones are taken. */
static inline bool take_extra(struct core *core, uint64_t cycle, uint32_t ports)
{
	struct extra_ports *extra = core->extra_ports;
	unsigned at = cycle % CALENDAR_CYCLES;
	uint32_t open = ports & ~extra_taken(extra, cycle);

	if (!open)
		return false;
	extra->taken[at] = extra_taken(extra, cycle) | (open & -open);
	extra->cycle[at] = cycle + 1;
	return true;
}

/*
 * Of the `open` ports that an operation can use, chooses one. Operations that can use all ports of
 * a family leave free those that others have no choice but to use.
 */
static inline uint32_t choose_port(struct core *core, uint32_t open, uint32_t ports)
{
	uint32_t family = core->family[__builtin_ctz(ports)];
	uint32_t spare = open & ~core->scarce;

	if (ports != family)
		core->scarce = (core->scarce & ~family) | ports;
	else if (spare)
		open = spare;
	return open & -open;
}

#define ISSUE_TRIES 4 /* cycles in a row, before those with no open port are looked for */

/*
 * Takes one of `ports` (not 0) in the first cycle from `cycle` on in which one is free, and returns
 * that cycle. `departed` issue queue entries become free in it. Beyond the calendar, ports are
 * always free.
 */
static inline uint64_t issue_at(struct core *core, uint64_t cycle, uint32_t ports,
				uint64_t departed)
{
	ports &= core->bound;
	for (uint64_t end = cycle + ISSUE_TRIES; cycle != end; cycle++) {
		const unsigned at = cycle % CALENDAR_CYCLES;
		uint32_t open = ports & ~core->taken[at];

		if (unlikely(cycle - core->cycle >= CALENDAR_CYCLES))
			break;
		if (likely(open)) {
			core->taken[at] |= choose_port(core, open, ports);
			core->departures[at] += departed;
			mark_cycle(core, at);
			return cycle;
		}
		if (unlikely(core->extra_ports != NULL) && take_extra(core, cycle, ports)) {
			core->departures[at] += departed;
			mark_cycle(core, at);
			return cycle;
		}
	}
	return issue_later(core, cycle, ports, departed);
}

/* Returns the first cycle from `cycle` on in which `port`, or with `extra` its second, is free. */
static inline uint64_t free_at(const struct core *core, uint64_t cycle, unsigned port, bool extra)
{
	while (cycle - core->cycle < CALENDAR_CYCLES &&
	       ((extra ? extra_taken(core->extra_ports, cycle)
		       : core->taken[cycle % CALENDAR_CYCLES]) >>
			port &
		1))
		cycle = (extra || cycle % 8 != 7 ? cycle : skip_taken(core, cycle, 1u << port)) + 1;
	return cycle;
}

/* Frees `departed` issue queue entries at `cycle`. */
static inline void depart(struct core *core, uint64_t cycle, uint64_t departed)
{
	if (unlikely(cycle - core->cycle >= CALENDAR_CYCLES)) {
		late_departure(core, cycle, departed);
		return;
	}
	core->departures[cycle % CALENDAR_CYCLES] += departed;
	mark_cycle(core, cycle);
}

/* Finds which queue entries `op` takes, and tells whether there are as many. */
static inline bool find_queues(struct core *core, const struct op *op)
{
	if (unlikely(core->binds))
		return queues_bind(core, op);
	core->queued = op->queued;
	return !((core->occupied + op->queued) & QUEUES_FULL);
}

/* Likewise tells whether there is room for all that `op` takes. */
static inline bool find_room(struct core *core, const struct op *op)
{
	return likely(!((core->held + op->holds) & HOLDS_FULL)) && find_queues(core, op);
}

/* Returns when the last of the sources [from, to) is ready. */
static inline uint64_t sources_ready(const struct core *core, const struct op *op, int from, int to)
{
	uint64_t ready = 0;

	for (int i = from; i < to; i++)
		ready = later(ready, core->ready[op->sources[i]]);
	return ready;
}

/* Return the index of the instruction of `op` in its block, and its address. */
static inline unsigned index_of(const struct block *block, const struct op *op)
{
	const struct prepared *prepared = block->model;

	return (unsigned)(op - prepared->ops);
}

static inline uint64_t address_of(const struct block *block, const struct op *op)
{
	return block->pc + 4ull * index_of(block, op);
}

static inline const struct op *prepared_last(const struct block *block)
{
	const struct prepared *prepared = block->model;

	return &prepared->ops[prepared->count - 1];
}

/*
 * Returns from when the latency of an operation counts, which was ready at `ready` and whose last
 * piece issued at `issue`: from its first piece, unless others took the ports in between.
 */
static inline uint64_t latency_from(const struct op *op, uint64_t ready, uint64_t issue)
{
	return later(ready, issue - (op->spread < issue ? op->spread : 0));
}

/* Returns how long a load takes from older stores; to a vector register longer, as it does from
 * L1D. */
static inline uint64_t forward_takes(const struct core *core, const struct op *op)
{
	const unsigned more =
		op->latency > core->load_latency ? op->latency - core->load_latency : 0;

	return core->params->forward_latency + more;
}

/* Begins the next cycle, when this one has as many operations as rename takes. */
static inline void next_cycle(struct core *core)
{
	unsigned at;

	if (unlikely(core->slots != core->width))
		account_width(core);
	at = ++core->cycle % CALENDAR_CYCLES;
	core->used = 0;
	core->occupied -= core->departures[at];
	core->departures[at] = 0;
	core->taken[at] = 0;
	if (unlikely(core->cycle >= core->late_sweep))
		sweep_late(core);
}

#endif

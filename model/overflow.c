/* SPDX-License-Identifier: Apache-2.0 */
#include "overflow.h"

#include <string.h>

#include "schedule.h"

_Static_assert(OVERFLOW_RECENT == REORDER_RING, "one address for each operation in flight");

/* Returns how much an event can count in one cycle if it counts cycles or slots, else 0. */
static uint8_t counted_in_a_cycle(const struct core *core, enum model_event event)
{
	const char *name = model_event_names[event];

	if (strstr(name, "PERCYC"))
		return 0;
	if (strstr(name, "STALL_SLOT"))
		return (uint8_t)core->slots;
	return strstr(name, "STALL") || strstr(name, "_CYCLES");
}

static uint64_t read_count(struct core *core, const struct overflow_counter *counter)
{
	/* Include this cycle's operations, which have been dispatched. */
	if (counter->event == EVENT_OP_SPEC)
		return core->sequence + core->wrong_operations;
	if (counter->event == EVENT_OP_RETIRED)
		return core->sequence;
	return core->counts[counter->event];
}

static void set_up(struct overflow *overflow, struct core *core)
{
	for (unsigned i = 0; i < overflow->count; i++) {
		struct overflow_counter *counter = &overflow->counters[i];

		counter->parts = account_parts_of(core, counter->event);
		counter->a_cycle = counted_in_a_cycle(core, counter->event);
		counter->next = counter->period + counter->later;
		overflow->parts |= counter->parts;
	}
	overflow->ready = true;
}

/* Moves a sample to the oldest operation not retired in its cycle. If all have, it stays. */
static void move_to_oldest(const struct overflow *overflow, const struct core *core,
			   struct overflow_sample *sample)
{
	uint64_t s = core->sequence,
		 first = s > core->reorder_entries ? s - core->reorder_entries : 0;

	while (s > first && core->retired[(s - 1) & core->reorder_mask] > sample->cycle) {
		sample->pc = overflow->pcs[--s & core->reorder_mask];
		sample->sequence = s;
	}
}

static uint64_t time_of(const struct core *core, uint64_t cycle)
{
	return cycle * 1000 / core->params->frequency_mhz;
}

/*
 * Adjusts the period like Linux (kernel/events/core.c, perf_adjust_period): each time, moves an
 * eighth of the way to the period that would have given the requested frequency since the last
 * sample.
 */
static void adjust_period(struct overflow_counter *counter, uint64_t now)
{
	uint64_t passed = now - counter->last;
	double wanted;

	counter->last = now;
	if (!counter->frequency || !passed)
		return;
	wanted = (double)counter->period * 1e9 / ((double)passed * counter->frequency);
	wanted = (double)counter->period + (wanted - (double)counter->period) / 8;
	counter->period = wanted < 1 ? 1 : wanted > 1e18 ? (uint64_t)1e18 : (uint64_t)wanted;
	if (wanted > (double)counter->period)
		counter->period++; /* otherwise it would never grow from 1 */
}

/* Takes a sample for each period that ended while a count went from `before` to `now`. */
static void overflow_one(struct overflow *overflow, struct core *core, unsigned i, uint64_t now,
			 uint64_t pc, bool accessed)
{
	struct overflow_counter *counter = &overflow->counters[i];

	while (now >= counter->next) {
		struct overflow_sample sample = {
			.counter = i,
			.period = counter->period,
			.pc = pc,
			.sequence = core->sequence ? core->sequence - 1 : 0,
			.cycle = core->cycle,
		};

		if (counter->a_cycle) {
			uint64_t ago = (now - counter->next) / counter->a_cycle;

			sample.cycle = core->cycle - overflow->since > ago ? core->cycle - ago
									   : overflow->since;
			move_to_oldest(overflow, core, &sample);
		}
		if (accessed && sample.pc == pc) {
			sample.has_address = true;
			sample.address = core->seen.address;
			sample.physical = core->seen.result.physical;
		}
		overflow->overflowed(overflow->user, &sample);
		adjust_period(counter, time_of(core, sample.cycle));
		counter->next += counter->period;
	}
}

void overflow_check(struct overflow *overflow, struct core *core, uint64_t pc, bool accessed)
{
	if (unlikely(!overflow->ready))
		set_up(overflow, core);
	while (overflow->sequence != core->sequence)
		overflow->pcs[overflow->sequence++ & core->reorder_mask] = pc;
	account_settle(core, overflow->parts);
	for (unsigned i = 0; i < overflow->count; i++) {
		uint64_t now = read_count(core, &overflow->counters[i]);

		if (unlikely(overflow->counters[i].period && now >= overflow->counters[i].next))
			overflow_one(overflow, core, i, now, pc, accessed);
	}
	overflow->since = core->cycle;
	overflow->last_pc = pc;
}

void overflow_pause(struct overflow *overflow, struct core *core)
{
	if (!overflow->ready)
		set_up(overflow, core);
	account_settle(core, overflow->parts);
	for (unsigned i = 0; i < overflow->count; i++)
		overflow->counters[i].paused = read_count(core, &overflow->counters[i]);
	overflow->paused = core->cycle;
}

void overflow_resume(struct overflow *overflow, struct core *core, uint64_t pc)
{
	account_settle(core, overflow->parts);
	for (unsigned i = 0; i < overflow->count; i++) {
		struct overflow_counter *counter = &overflow->counters[i];

		counter->next += read_count(core, counter) - counter->paused;
		counter->last += time_of(core, core->cycle) - time_of(core, overflow->paused);
	}
	/* Older operations may be in flight: the first one here stands for them. */
	for (unsigned i = 0; i < OVERFLOW_RECENT; i++)
		overflow->pcs[i] = pc;
	overflow->sequence = core->sequence;
	overflow->since = core->cycle;
	overflow->last_pc = pc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Issue queues that belong to ports, as on cores with a queue for each of their pipelines. Where
 * each piece of an operation waits is decided when it dispatches, and so is the port to which it
 * issues: it takes the queue with the most free entries, and other ports may be idle meanwhile.
 */
#include <limits.h>

#include "schedule.h"

unsigned queues_of(const struct core_params *params, const struct piece_params *piece)
{
	unsigned queues = 0;

	for (unsigned i = 0; i < params->queue_count; i++)
		if (params->queue_ports[i] & piece->ports)
			queues |= 1u << i;
	return queues;
}

/* Takes an entry of the one of `queues` that has the most free ones; returns it. */
static unsigned take_entry(unsigned queues, uint64_t *occupied)
{
	unsigned best = 0, least = UINT_MAX;

	for (; queues; queues &= queues - 1) {
		const unsigned queue = (unsigned)__builtin_ctz(queues);
		const unsigned entries = *occupied >> QUEUE_SHIFT(queue) & 0xff;

		if (entries < least) {
			best = queue;
			least = entries;
		}
	}
	*occupied += QUEUE_ENTRY(best);
	return best;
}

bool queues_take(const struct core_params *params, const struct op *op, uint64_t *occupied,
		 uint32_t *ports)
{
	const struct class_params *class = &params->classes[op->class];

	for (unsigned i = 0; i < class->piece_count; i++) {
		if (!op->queues[i])
			continue;
		for (unsigned k = 0; k < class->pieces[i].count; k++) {
			*ports |= params->queue_ports[take_entry(op->queues[i], occupied)];
			if (*occupied & QUEUES_FULL)
				return false;
		}
	}
	return true;
}

/* Chooses where an operation waits, if there is room for it. */
bool queues_bind(struct core *core, const struct op *op)
{
	uint64_t occupied = core->occupied;

	core->bound = core->unqueued;
	if (!queues_take(core->params, op, &occupied, &core->bound))
		return false;
	core->queued = occupied - core->occupied;
	return true;
}

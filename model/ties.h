/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which limits of a core coincide. From time to time, looks at some thousand operations, and works
 * out how long fetch, dispatch, the longest chain of operations, the busiest ports, page table
 * walks, misses as many at a time as there are buffers, the busiest path of lines, and the store
 * buffer would take for them by themselves. A limit is at work if that is nearly as long as the
 * core took. If two are at work, making one of them faster gains nothing. doc/model.md has the
 * rules.
 */
#ifndef MODEL_TIES_H
#define MODEL_TIES_H

#include <stdbool.h>
#include <stdint.h>

enum limit {
	LIMIT_FETCH,
	LIMIT_SLOTS,
	LIMIT_CHAIN,
	LIMIT_PORTS,
	LIMIT_WALKS,
	LIMIT_MISSES,
	LIMIT_BANDWIDTH,
	/* With LIMIT_CHAIN: what half of the chain is, waits for the TLB or for stores. */
	LIMIT_TRANSLATION,
	LIMIT_STORE,
	/* The entries of the store buffer, if stores wait for nothing else. */
	LIMIT_STORE_BUFFER,
	LIMIT_COUNT
};

#define LIMIT_SETS (1 << LIMIT_COUNT)

struct core;

/*
 * From now on, adds the core's cycles to `cycles`, LIMIT_SETS of them, by the set of limits at work
 * in them: bits by enum limit. The operations that it looks at stand for all since the last time.
 * The counts must outlive the core. False if out of memory. Not for a core that is watched, unless
 * it has exact counts.
 */
bool core_set_limits(struct core *core, uint64_t *cycles);

/* From now on, leaves `cycles` as it is. Call it between blocks. */
void core_end_limits(struct core *core);

#endif

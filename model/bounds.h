/* SPDX-License-Identifier: Apache-2.0 */
/* What core.c tells ties.c. */
#ifndef MODEL_BOUNDS_H
#define MODEL_BOUNDS_H

#include "memory.h"
#include "pipeline.h"
#include "ties.h"

#define BOUNDS_PORTS  24
#define BOUNDS_STORES 64

enum bounds_stage { BOUNDS_IDLE, BOUNDS_BEFORE, BOUNDS_COUNTED };

/* How long the longest chain of operations to a result takes, and what parts of that it waits for.
 */
struct chain {
	uint64_t ready;       /* all of it */
	uint64_t translation; /* misses of the TLB */
	uint64_t store;       /* stores that could not forward */
};

/* A result that is an accumulator early, as struct early_result. */
struct bound_early {
	uint64_t ready, early;
	unsigned class; /* plus one */
};

/* Stores to 8 aligned bytes: the last one. */
struct stored {
	uint64_t granule; /* address / 8, plus one */
	uint64_t done;    /* cycle at which the store had its data */
	struct chain chain;
};

/* A store buffer that stores enter as soon as there is an entry, and in which they wait for nothing
 * but their own lines. */
#define BOUNDS_BUFFER 1024 /* entries, at most */
struct bound_buffer {
	uint64_t gone[BOUNDS_BUFFER]; /* cycle at which a store leaves it: ring by number */
	uint64_t number;              /* of the next store */
	uint64_t last;                /* cycle at which the last store entered */
};

struct bounds {
	uint64_t *cycles; /* by set of limits */
	enum bounds_stage stage;
	uint64_t end; /* cycle at which it last ended; 0: never */
	/* When the operations that count began. */
	uint64_t cycle, sequence, fetch;
	struct chain longest_before;
	uint64_t buffer_before;
	struct memory_busy busy;
	/* Of results, if only the operations that they depend on take time. */
	struct chain chains[READY_COUNT];
	struct bound_early early[READY_COUNT];
	struct stored stored[BOUNDS_STORES];
	struct chain longest; /* the latest of them */
	struct bound_buffer buffer;
	struct {
		uint32_t mask;
		uint64_t cycles;
	} ports[BOUNDS_PORTS];
};

/* Counts are read: begins to look at operations, unless it does, or has just done so. */
void bounds_begin(struct core *core);
/*
 * Returns how many times in a row something may happen that takes so many cycles and operations, if
 * it is sure that no read of the counts meanwhile begins that.
 */
uint64_t bounds_room(const struct core *core, uint64_t cycles, uint64_t operations);
/* While it does: an operation was executed; the last one, a store, was sent to the store buffer; a
 * block ends. */
void bounds_operation(struct core *core, const struct op *op, uint64_t done);
void bounds_stored(struct core *core, const struct op *op);
void bounds_block_ends(struct core *core);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call chains of recent blocks. A sample may belong to an operation that is still in flight
 * while later blocks have executed, whose functions have already written over its frame records. So
 * what the innermost ones were is kept for each block.
 */
#ifndef QEMU_CHAINS_H
#define QEMU_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "overflow.h"

/* The innermost frame records of a chain, which the function that runs may soon write over. */
#define CHAINS_KEPT 6

struct chain_start {
	uint64_t sequence;      /* of the first operation that it is for */
	uint64_t pc;            /* of that one */
	uint64_t frame_pointer; /* x29; 0: unknown */
	uint64_t link;          /* x30; 0: unknown */
	unsigned count;         /* of the records */
	uint64_t records[CHAINS_KEPT][2];
};

struct chains {
	struct chain_start at[OVERFLOW_RECENT]; /* a ring */
	uint64_t count;                         /* ever added */
};

/* Notes that a block begins at `pc` with the operation `sequence`, with this x29 and this x30. */
void chains_note(struct chains *chains, uint64_t sequence, uint64_t pc, uint64_t frame_pointer,
		 uint64_t link);

/*
 * Writes the return addresses of the operation `sequence`, which is at `pc`, the innermost first,
 * along the frame records from the x29 at the start of its block, and from the one that its
 * function has made since. Returns how many: at most `most`.
 */
size_t chains_walk(const struct chains *chains, uint64_t sequence, uint64_t pc, uint64_t *addresses,
		   size_t most);

/*
 * Returns x30 at the operation `sequence`, which is at `pc`: where a function without a frame
 * record returns to. 0: unknown.
 */
uint64_t chains_link(const struct chains *chains, uint64_t sequence, uint64_t pc);

#endif

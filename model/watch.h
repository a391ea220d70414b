/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who watches a core execute: an SPE unit, and counters that overflow. A block goes through the
 * watched variant of the core's loop only when an operation of it is to be looked at.
 */
#ifndef MODEL_WATCH_H
#define MODEL_WATCH_H

#include "overflow.h"
#include "spe.h"

struct watch {
	struct spe_unit *spe;      /* NULL: none */
	struct overflow *overflow; /* NULL: none */

	/* The rest is the core's; zero at the beginning. */
	bool tracked;             /* the operation at hand */
	uint64_t dispatched;      /* its cycle */
	uint64_t follows;         /* address behind the last block */
	uint64_t last_target;     /* of the last taken branch */
	uint64_t previous_target; /* and of the one before the block at hand */
	struct {
		bool tracked;
		uint64_t number; /* of the tracked operation of the wrong path, from 0 */
		uint64_t dispatched;
		uint64_t passed; /* operations of the path so far */
	} wrong;
};

/* What the core's files call. */
struct op;

/* Before a block: must it be watched? */
bool watch_block(struct core *core, const struct block *block, unsigned executed);
/* `op` was dispatched in the cycle that it is; is done at `done`, and made accesses or none. */
void watch_dispatched(struct core *core, const struct op *op);
void watch_done(struct core *core, const struct block *block, const struct op *op, uint64_t done,
		bool accessed);
/* The same for the branch at a block's end, before anything follows from it. */
void watch_branch(struct core *core, const struct block *block, uint64_t next_pc, uint64_t done,
		  bool taken, bool mispredicted);
/* Counts may have changed by `op`. */
void watch_counts(struct core *core, const struct block *block, const struct op *op);
/* Operations of a wrong path are dispatched; it ends, and the tracked one was `insn` at `pc`. */
void watch_wrong_path(struct core *core, unsigned operations);
void watch_wrong_path_end(struct core *core, uint64_t pc, const struct insn *insn,
			  uint64_t resolved);
void watch_finish(struct core *core);

#endif

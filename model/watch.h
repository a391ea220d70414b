/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches a core execute, for an SPE unit and counters that overflow. A block uses the watched
 * variant of the core's loop only if one of its operations must be examined.
 */
#ifndef MODEL_WATCH_H
#define MODEL_WATCH_H

#include "overflow.h"
#include "spe.h"

struct watch {
	struct spe_unit *spe;      /* NULL: none */
	struct overflow *overflow; /* NULL: none */

	/* The rest is private to the core; zero-initialize it. */
	bool tracked;             /* the current operation is tracked */
	uint64_t dispatched;      /* its cycle */
	uint64_t follows;         /* address after the last block */
	uint64_t last_target;     /* of the last taken branch */
	uint64_t previous_target; /* and of the one before the current block */
	struct {
		bool tracked;
		uint64_t number; /* number of the tracked operation of the wrong path, from 0 */
		uint64_t dispatched;
		uint64_t passed; /* operations of the wrong path so far */
	} wrong;
};

/*
 * Between blocks: core_set_watch() once more, for a while in which nothing is sampled. The thread
 * goes on at `pc`.
 */
void watch_pause(struct core *core, struct watch *watch);
void watch_resume(struct core *core, struct watch *watch, uint64_t pc);

/* Called by the core's files. */
struct op;

/* Call before each block; returns whether it must be watched. */
bool watch_block(struct core *core, const struct block *block, unsigned executed);
/* `op` was dispatched in the current cycle; it is done at `done`. */
void watch_dispatched(struct core *core, const struct op *op);
void watch_done(struct core *core, const struct block *block, const struct op *op, uint64_t done,
		bool accessed);
/* `op` is a compare that is fused with the branch behind it. */
void watch_fused(struct core *core, const struct block *block, const struct op *op);
/* Likewise for the branch at the end of a block, before it takes effect. */
void watch_branch(struct core *core, const struct block *block, uint64_t next_pc, uint64_t done,
		  bool taken, bool mispredicted);
/* Checks counters after `op`. */
void watch_counts(struct core *core, const struct block *block, const struct op *op);
/* Operations of a wrong path are dispatched; the path ends: the tracked one was `insn` at `pc`. */
void watch_wrong_path(struct core *core, unsigned operations);
void watch_wrong_path_end(struct core *core, uint64_t pc, const struct insn *insn,
			  uint64_t resolved);
void watch_finish(struct core *core);

#endif

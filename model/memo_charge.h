/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What replays charge in an exact profile: memo.h and exact.h. While a block is recorded, what it
 * charges is noted: to which of its own instructions, or to which older operation or store, how
 * far back. A replay charges the same. What its own instructions are charged is counted, and added
 * up when counts are read or the block executes in another context; older ones may be others each
 * time.
 *
 * What memory counts is charged by the step that causes it. A step that hits counts the usual,
 * which is the same each time; whatever else it does is charged at once.
 */
#ifndef MODEL_MEMO_CHARGE_H
#define MODEL_MEMO_CHARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access;
struct block;
struct core;
struct exact;
struct op;

/* What steps that hit count. */
enum usual { USUAL_FETCH, USUAL_READ, USUAL_TRANSLATE, USUAL_WRITE, USUAL_COUNT };

/* To whom something is charged. */
enum charge_target {
	CHARGE_OWN,       /* instruction .where of the block */
	CHARGE_OPERATION, /* the operation that is .where from the block's first one: negative */
	CHARGE_STORE,     /* likewise a store */
	CHARGE_FLUSHER    /* what flushed the pipeline last, or else instruction .where */
};

/* What is charged, besides enum exact_event and, from EXACT_COUNT on, kinds of losses. */
enum { CHARGE_CYCLES = 253, CHARGE_FETCHES, CHARGE_NARROW };

struct charge {
	int16_t where;
	uint8_t target, what;
	int32_t count;  /* of a loss: slots */
	int32_t cycles; /* of a loss */
	/* Unless it is the block's own: which line it was last, and its cell, or 0. */
	uint32_t line, cell;
};

/* What a transition charges. Behind its charges are the instructions of its operations and stores.
 */
struct charged {
	uint32_t visit;      /* of which */
	uint32_t executions; /* are not charged yet, as far as the block's own are concerned */
	uint64_t usual[USUAL_COUNT];
	uint16_t own, others; /* charges */
	uint16_t operations, stores;
	int16_t flusher; /* the instruction that flushed the pipeline, or -1 */
	uint16_t last;   /* instruction */
	struct charge charges[];
};

#define CHARGES_MAX 2048
struct notes {
	bool on, fails;
	int16_t flusher;
	uint16_t count;
	uint64_t sequence, stored;   /* numbers of the first operation and store */
	uint64_t usual[USUAL_COUNT]; /* of the last instruction's steps, and those before */
	uint64_t accesses[4];        /* likewise loads, stores, and those across lines */
	struct charge charges[CHARGES_MAX];
};

/* ---- For memo.c --------------------------------------------------------------------------- */

/* Whether all that memory has counted is charged, so that replays may go on. */
bool charges_complete(const struct core *core);

/* Charges what a replay does that begins now, but for what its steps have charged. */
void charges_replay(struct core *core, struct charged *charged);

/*
 * Likewise a visit, and all that its replay charges if its steps hit, `times` as often. For
 * period_charges.c.
 */
void charges_replay_often(struct core *core, struct charged *charged, uint32_t visit,
			  uint32_t times);

/* Charges its executions so far. */
void charges_settle(struct core *core, struct charged *charged);

/* The plain pass goes on. Everything must be settled. */
void charges_leave(struct core *core);

/* ---- For memo_record.c -------------------------------------------------------------------- */

/* A block executes to be recorded, from now on. */
void notes_begin(struct core *core);
/* It has executed. Returns false if what it charges cannot be kept. */
bool notes_end(struct core *core);
/* Returns how many bytes charges_keep() needs: a multiple of 8. */
size_t notes_bytes(const struct core *core, const struct block *block);
void notes_keep(const struct core *core, const struct block *block, struct charged *charged);

/* ---- Steps -------------------------------------------------------------------------------- */

/* Adds what a step counts if it hits; of two lines if `both`. */
void usual_add(uint64_t *usual, unsigned step_kind, bool both);

/*
 * Before and after memory is asked at a step of instruction `index`. `usual`: the steps before it
 * in the block. Without a profile, these do nothing.
 */
uint64_t charges_step_begins(const struct core *core, unsigned step_kind);
void charges_step_ends(struct core *core, unsigned step_kind, bool both, unsigned index,
		       const uint64_t *usual, uint64_t begun);

/*
 * If accesses to shared lines are followed: counts those of the instructions before `index` of the
 * current block that are not counted yet.
 */
void charges_share(struct core *core, const struct block *block, unsigned index,
		   const struct access *accesses, size_t count);

/* ---- For exact.c -------------------------------------------------------------------------- */

void note_charge(struct exact *exact, enum charge_target target, int64_t where, unsigned what,
		 uint64_t count, uint64_t cycles);
/* The accesses of an instruction, but for what their steps charge. */
void note_accesses(struct core *core, const struct op *op);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers what blocks do to the core. Whenever one executes from a state in which it has executed
 * before, and memory and predictor answer alike, what it did then is replayed: another state, so
 * many cycles later, and counts. doc/model.md tells how.
 *
 * While that goes on, struct core is out of date, but for what these members say: the cycle, the
 * sequence, the last retirement, what accesses wait for after acquires and releases, stores by
 * number, and what no block changes that is remembered.
 * So whoever reads or changes others calls memo_leave() first.
 */
#ifndef MODEL_MEMO_H
#define MODEL_MEMO_H

#include "memo_charge.h"
#include "pipeline.h"

/* What a block asks of memory and predictor, in this order for each. */
enum step_kind {
	STEP_FETCH,
	STEP_LOAD,
	STEP_NEAR, /* a load that may get its data from older stores */
	STEP_OWN,  /* likewise, loads of lines that the instruction will write */
	STEP_OWN_NEAR,
	STEP_TRANSLATE,
	STEP_STORE,
	STEP_PREFETCH,
	STEP_LOADS_DONE, /* how long the loads of older blocks take */
	STEP_BRANCH,
	STEP_END,
};

static inline bool is_near(unsigned kind)
{
	return kind == STEP_NEAR || kind == STEP_OWN_NEAR;
}

/* Cycles are relative to the one in which the block began. */
struct step {
	uint8_t kind;
	uint8_t access; /* from which of the block's accesses its address is */
	uint16_t bytes;
	int32_t offset; /* of its address from that access, or of a fetch from the block */
	int32_t cycle;
	int32_t ready;   /* of a store: when its data is there */
	uint64_t answer; /* all that matters of it */
	int32_t gone;    /* of a store: when it is in L1D */
	uint32_t near;   /* if is_near(): which one it is of them */
};

/* Of a load: when it issues, and the stores of which it may get its data then. */
struct near {
	int64_t issue;
	uint64_t stores[2];
};

/*
 * While a block executes plainly to be remembered: what it asks, and is answered. The first answers
 * are given, by an attempt to replay it.
 */
#define STEPS_MAX 512
#define NEAR_MAX  128
struct told {
	const struct block *block;
	const struct access *accesses;
	size_t access_count;
	uint64_t begun;      /* cycle */
	uint64_t loads_done; /* core.loads_done of older blocks */
	unsigned count, near_count;
	bool fails;     /* this cannot be remembered */
	bool is_near;   /* the next load is: the last of .near */
	unsigned given; /* how many answers are: these, but for that at .last_at */
	const struct step *answers;
	unsigned last_at;
	struct memory_result last;
	bool at_hand; /* what memory_fetch() returned with it */
	struct predict_outcome outcome;
	uint64_t resolved;   /* cycle in which the branch dispatched */
	uint64_t operations; /* of the wrong path, */
	uint64_t wrong;      /* which began in this cycle */
	uint64_t usual[USUAL_COUNT];
	struct step steps[STEPS_MAX];
	struct near near[NEAR_MAX];
};

/* Like memory_load() and so on, while core.told is set. */
bool told_load(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
	       bool own, struct memory_result *result);
void told_translate(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
		    unsigned bytes, struct memory_result *result);
void told_store(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
		bool full_line, struct memory_result *result);
void told_prefetch(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
		   bool for_store);
bool told_fetch(struct core *core, uint64_t cycle, uint64_t pc, struct memory_result *result);
void told_branch(struct core *core, uint64_t pc, unsigned kind, bool taken, uint64_t target,
		 struct predict_outcome *outcome);
/* Before a load: when it issues, and which bytes it loads. */
void told_issue(struct core *core, uint64_t issue, uint64_t address, unsigned bytes);
/* Returns when the loads of older blocks are done, or the current cycle if they are. */
uint64_t told_loads_done(struct core *core);
/* After a mispredicted branch: the wrong path's operations, and the cycle in which it began. */
void told_wrong_path(struct core *core, uint64_t operations, uint64_t begun);

/* Fetches a line; those that miss follow one another at the pace at which L1I takes them. */
static inline bool fetch_line(struct core *core, uint64_t cycle, uint64_t pc,
			      struct memory_result *result)
{
	const bool at_hand = memory_fetch(core->memory, cycle, pc, result);

	if (unlikely(!at_hand) && result->level != LEVEL_L1 && !result->pending) {
		result->ready = later(result->ready, core->line_filled + core->line_cycles);
		core->line_filled = result->ready;
	}
	return at_hand;
}

/* Executes a block as core_execute() does, by what is remembered if that is possible. */
void memo_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc);

/* core.c: likewise without it; struct core is as up to date as if nothing were remembered. */
void execute_anew(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc);

/* Brings struct core up to date, but for its counts. Without a memo, this does nothing. */
void memo_leave(struct core *core);

/* Brings the core's counts up to date, and what is charged. */
void memo_settle(struct core *core);

/* Likewise all, and forgets what was remembered. */
void memo_forget(struct core *core);

void memo_free(struct memo *memo);

/* ---- memo_state.c ------------------------------------------------------------------------- */

/*
 * A state of the core, as far as it matters to what follows: cycles are relative to the current
 * one, and those that are over are alike.
 */
#define STATE_WORDS 4096
struct state {
	uint32_t count;
	uint32_t words[STATE_WORDS];
};

/* Returns false if the core is in a state that cannot be described. */
bool state_read(struct core *core, struct state *state);

/* Brings the core into a state that was read, at the current cycle. */
void state_write(struct core *core, const uint32_t *words);

/* Returns core.used of a state. */
unsigned state_used(const uint32_t *words);

/* Returns for how many cycles before the current one an access may still be made from a state. */
uint64_t state_lag(const uint32_t *words);

#endif

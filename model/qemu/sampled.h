/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which blocks of a sampled run are modelled, and which only warm the core: sampled.h. */
#ifndef QEMU_SAMPLED_H
#define QEMU_SAMPLED_H

#include "core.h"
#include "qemu/qemu_plugin.h"
#include "shared.h"

/* What is sampled of what executes. */
enum sampled_watch {
	SAMPLED_WATCH_NOTHING,
	SAMPLED_WATCH_WINDOW, /* for the whole unit */
	SAMPLED_WATCH_ALL,    /* for itself */
};

struct sampled_request {
	uint32_t error; /* of the cycles, relative, in SAMPLED_ERROR_PARTS; 0: nothing is sampled */
	uint64_t after; /* instructions that are modelled in full; 0: SAMPLED_FIRST */
	uint64_t most;  /* instructions that count; 0: no limit */
	uint64_t seed;
	bool page_faults;  /* they have a cost */
	uint64_t interval; /* of a timeline, in cycles; 0: none */
	bool in_order;     /* calls are followed, so nothing executes without the model */
	/*
	 * What the core was charged for since the last call counts `weight` times, and belongs to
	 * this group of windows, or to group 0; with weight 0, it is dropped. NULL: nobody asks.
	 */
	void (*charged)(struct core *core, unsigned group, uint64_t weight);
	/*
	 * Called between blocks when something else is watched from `pc` on. Units are then of
	 * `unit` instructions, and are not joined. NULL: nobody samples.
	 */
	void (*watch)(struct core *core, enum sampled_watch what, uint64_t pc);
	uint64_t unit;
	/*
	 * Has QEMU drop its translated code soon, and then calls sampled_begins_anew(). NULL: the
	 * engine cannot do that, and calls back at each block of stretches without the model, too.
	 */
	void (*translate_anew)(void);
};

/* `sum` adds up the counts of all threads. Continues with what became another program. */
void sampled_set_up(struct model_shared *shared, const struct sampled_request *request,
		    void (*sum)(uint64_t counts[MODEL_COUNTS]));

/* Whether this run is sampled, sooner or later. */
bool sampled_asked(void);

/*
 * Returns how many instructions execute in full before anything changes: until then, core_execute()
 * and timeline_note() do what sampled_execute() does, in whatever thread, if sampled_pass() is
 * told of all that executed before anything else is asked.
 */
uint64_t sampled_room(void);
void sampled_pass(uint64_t executed);

/*
 * Whether a thread that begins is to tell which limits coincide (ties.h): what is told of a short
 * first stretch would say little of the run.
 */
bool sampled_leaves_limits(void);

/*
 * Has QEMU call block_executes() at the beginning of a block, except in stretches that execute
 * without the model. Call it from the translation callback. Returns false, and does nothing, if
 * that is to be called at each block, as in a run that is not sampled.
 */
bool sampled_on_block(struct qemu_plugin_tb *tb, const struct block *block);

/* QEMU has no translated code. */
void sampled_begins_anew(void);

/*
 * The first thread of the process begins. Call sampled_returns() at the beginning of a block in it,
 * and sampled_is_bare() when what was before has executed: if so, this block is not the model's.
 */
void sampled_begin(unsigned index);
void sampled_returns(struct core *core, const struct block *block);
bool sampled_is_bare(const struct block *block);

/* Returns whether what executes now is counted in full: group 0, whether or not this is sampled. */
bool sampled_counts_all(void);

/*
 * Returns whether the sums grow by all that executes: at first, and with threads. There, intervals
 * are counted; what is between is the timeline's.
 */
bool sampled_sums_are_whole(void);

/* A block has been translated for the first time, and is about to execute. */
void sampled_translated(void);

/*
 * The instructions that are left of a stretch without the model, unless the engine counts them.
 * Elsewhere SAMPLED_IDLE: far below 0, however many the engine subtracts.
 */
#define SAMPLED_IDLE (INT64_MIN / 2)
extern int64_t sampled_left;

/* Call it when a block begins: returns whether the model has nothing to do with it. */
static inline bool sampled_skips(const struct block *block)
{
	return sampled_left != SAMPLED_IDLE && (sampled_left -= block->count) >= 0;
}

/* What wants to be told of each access, by memory_touch(), in a stretch without the core; or NULL.
 */
extern struct memory *sampled_touches;

/*
 * Counts accesses that QEMU does not report, such as SVE's, while registers tell the core of them.
 * memory_touch() is not told: where there are many, the core is warmed instead.
 */
extern uint64_t sampled_unreported;

/* Counts what has executed without the model, if this is in such a stretch. */
void sampled_settle(struct core *core);

/* Executes a block as core_execute() does, or warms the core by it. */
void sampled_execute(struct core *core, const struct block *block, unsigned executed,
		     const struct access *accesses, size_t access_count, uint64_t next_pc);

/* What executes from here on does not count: the core's counts stand still. */
void sampled_end(struct core *core);

/* A child was forked, which is not sampled. */
void sampled_forked(void);

/* The only thread is about to start another: from now on everything is modelled. */
void sampled_leave(struct core *core);

#endif

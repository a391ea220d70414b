/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The out-of-order core: one pass over the executed instructions, with timestamps.
 * doc/model.md has the rules and their sources.
 */
#ifndef MODEL_CORE_H
#define MODEL_CORE_H

#include <stdatomic.h>

#include "events.h"
#include "memory.h"
#include "predict.h"

/* A translated block: straight-line code that ends at a branch or where the translator stops. */
struct block {
	uint64_t pc;
	uint32_t id;
	uint16_t count; /* instructions */
	bool writes_memory;
	bool goes_anywhere; /* ends with an indirect branch or a return */
	bool shown;         /* blocks_find() finds it */
	struct insn *insns; /* at pc, 4 bytes each */
	void *model;        /* precomputed by the core model; see core_prepare_block() */
	uint64_t next[2];   /* otherwise, the addresses that may follow; maybe the same */
};

/* A memory access of a block; accesses are in program order. */
struct access {
	uint64_t address;
	uint16_t insn; /* index in the block */
	uint16_t bytes;
};

struct core;

/*
 * Creates a core; NULL if out of memory. The caller owns `counts`, an array of EVENT_COUNT zeros
 * that must outlive the core. It is never far behind: core_execute() updates it like core_counts(),
 * about once in ten thousand blocks. Blocks that are skipped (period.h) may be more than that.
 */
struct core *core_new(const struct core_params *params, struct memory_system *system,
		      uint64_t *counts);
void core_free(struct core *core);

/* Call once for each block, before its first execution, on any thread. False if out of memory. */
bool core_prepare_block(const struct core_params *params, struct block *block);
void core_release_block(struct block *block);

/*
 * Sets where the caller tells what governing predicates were: by number, the enum insn_activity of
 * each instruction with KIND_SVE_PRED of the block passed to core_execute(). Without it the events
 * SVE_PRED_EMPTY_SPEC, _FULL_SPEC and _PARTIAL_SPEC are not counted. It must outlive the core.
 */
void core_set_activity(struct core *core, const uint8_t *activity);

/* Sets where to count the cycles in which a line is on its way to the core from another one. */
void core_set_moving(struct core *core, uint64_t *cycles);

/* Sets where to count the stalled cycles in which a load waits for a store that cannot forward. */
void core_set_unforwarded(struct core *core, uint64_t *cycles);

/*
 * Sets where to count what the conditions of the core's parameters lead to: CONDITION_COUNTS
 * counts, by enum condition_count. Shadows count nothing.
 */
void core_set_conditions(struct core *core, uint64_t *counts);

/*
 * Sets what samples the core as it executes: see watch.h. It must outlive the core. A watch that
 * samples nothing now is none.
 */
struct watch;
void core_set_watch(struct core *core, struct watch *watch);

/*
 * Remembers what blocks do to the core, and replays it when they execute alike: all counts are as
 * without. Call this after what else is set, but for watchers and profiles. A core with shadows or
 * conditions does without, and so does one for which there is no memory. `bytes`: of memory to use
 * at most, a multiple of 2 MiB.
 */
void core_remember(struct core *core, size_t bytes);

/* How many blocks were replayed so far. */
uint64_t core_replays(const struct core *core);

/*
 * Finds a translated block by address, for the wrong path. May return NULL. The answers may change
 * only when `*made` does, just after it does or before; it must outlive the core. If `made` is
 * NULL, they may change at any time.
 */
typedef const struct block *core_find_block(void *user, uint64_t pc);
void core_set_block_finder(struct core *core, core_find_block *find, void *user,
			   const _Atomic uint32_t *made);

/*
 * Executes `executed` instructions of `block`: all of them, or fewer after a fault. They made
 * `access_count` accesses, and the instruction at `next_pc` followed.
 */
void core_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc);

/*
 * Predicts the branch at the end of what core_execute() will execute next but for blocks for which
 * this was called before. Returns false if there is none. Another thread may call it while this one
 * executes. core_set_foreseen(): while `outcome` is not NULL, core_execute() takes its predictions
 * from there, and shadows make their own.
 */
bool core_foresee(struct core *core, const struct block *block, unsigned executed, uint64_t next_pc,
		  struct predict_outcome *outcome);
void core_set_foreseen(struct core *core, const struct predict_outcome *outcome);

/* Likewise in that thread: see predictor_read(). */
bool core_foresee_state(const struct core *core, struct predictor_mark *mark);
uint32_t core_foresee_room(const struct core *core);
void core_foresee_skip(struct core *core, uint32_t branches);

/*
 * Interrupts the program between two instructions, for a signal or a fault: drains the pipeline and
 * fetches again. The svc of a system call does that by itself.
 */
void core_exception(struct core *core);

/*
 * What a system call of the core's thread does to pages: see memory.h. Another core catches up
 * before it executes again.
 */
void core_unmap(struct core *core, uint64_t from, uint64_t bytes);
void core_protect(struct core *core, uint64_t from, uint64_t bytes);
void core_move(struct core *core, uint64_t from, uint64_t to, uint64_t bytes);
void core_catch_up(struct core *core);

/*
 * A shadow executes what its core does, and nothing else uses it. core_new_shadow(): its counts are
 * its own. core_add_shadow(): `core` owns it; `*cycles` is updated like the core's counts.
 * `*latest` is shared by the shadows of a memory system, and 0 at first.
 */
struct core *core_new_shadow(const struct core_params *params, struct memory_system *system);
void core_add_shadow(struct core *core, struct core *shadow, uint64_t *cycles, uint64_t *latest);

/* Ends the thread: finishes operations in flight and counts their cycles. */
void core_finish(struct core *core);

/*
 * Updates the counts and returns them, the array given to core_new(). They are valid until the core
 * executes again. They cover the cycles up to the current dispatch cycle, core_cycle(); only
 * core_finish() adds the cycles from there to the last retirement.
 */
const uint64_t *core_counts(struct core *core);
uint64_t core_cycle(const struct core *core);

/*
 * The model's time, in cycles, which the cores of a memory system share: where this core is, or, if
 * it takes a line from another core, when the line will be there. core_wait_until(): the core does
 * nothing until `time`, and `delay` cycles more; `time` is that of the core with which
 * core_note_latest() was called last, and its shadows wait for that core's. core_lines_moved():
 * when a line last moved between any two cores, or will.
 */
uint64_t core_time(const struct core *core);
bool core_has_shadows(const struct core *core); /* else core_note_latest() does nothing */
void core_note_latest(struct core *core);
void core_wait_until(struct core *core, uint64_t time, uint64_t delay);
uint64_t core_lines_moved(const struct core *core);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charges each slot, cycle and miss of a core to the instruction that caused it, in its calling
 * context: an exact profile. doc/model.md has the rules. The core uses a variant of its loop while
 * it has one, so that it costs nothing otherwise.
 */
#ifndef MODEL_EXACT_H
#define MODEL_EXACT_H

#include "lines.h"
#include "profile.h"

struct exact;

/* Returns NULL if out of memory. It must outlive the core, and blocks must outlive it. */
struct exact *exact_new(void);
void exact_free(struct exact *exact);
/* Before the core executes anything; NULL for none. */
void core_set_exact(struct core *core, struct exact *exact);

/*
 * From now on, follows the accesses to lines that move between cores. False if out of memory.
 * Follows them only once if called again.
 */
bool exact_follow_lines(struct core *core);

/* A block executes, but not on the core: only its calls and returns count. */
void exact_passes(struct core *core, const struct block *block, unsigned executed,
		  uint64_t next_pc);

/* A system call returns from a signal's handler. */
void exact_signal_returns(struct exact *exact);

/*
 * Tells everything since the last time, and clears it. The sums over all instructions equal
 * core_counts().
 */
void exact_tell(struct core *core, profile_told *told, void *user);
/*
 * Tells the same up to now, of what executed since the last time, with each instruction once or
 * more.
 */
void exact_tell_changes(struct core *core, profile_told *told, void *user);
/*
 * That will not be called while the core's cycle is before `cycle`: so far, what repeats may be
 * charged at once (period.h).
 */
void exact_set_told(struct exact *exact, uint64_t cycle);
/* Returns how many instructions that looks at now. */
size_t exact_changed(const struct exact *exact);
/* Drops what has been charged since the last time, and what was counted while the core was warmed.
 */
void exact_drop(struct core *core);
/*
 * Likewise tells the accesses to lines that have moved between cores; `last`: nothing is told after
 * it.
 */
void exact_tell_lines(struct core *core, bool last, lines_told *told, void *user);
const struct contexts *exact_contexts(const struct exact *exact);
/* Returns whether memory ran out, so that counts are missing. */
bool exact_failed(const struct exact *exact);
/* Returns whether accesses to shared lines are missing. */
bool exact_lines_incomplete(const struct exact *exact);

#endif

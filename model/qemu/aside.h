/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes blocks on the core in a host thread of its own, while QEMU goes on with the program.
 * That thread gets what each block did, in order, and does what the program's own thread would do,
 * so that all counts are the same. What needs the core, such as a system call, first waits until it
 * is there: aside_stop().
 *
 * Only the first thread of a process has its core there, and only until it starts another one.
 */
#ifndef QEMU_ASIDE_H
#define QEMU_ASIDE_H

#include "core.h"
#include "qemu/hooks.h"

#define ASIDE_APART 128 /* bytes between what two host threads write, at least */

/* What a block did. */
struct aside_block {
	const struct block *block;
	unsigned executed; /* instructions, as for core_execute() */
	const struct access *accesses;
	size_t access_count;
	uint64_t next_pc;
	bool follows; /* the block at next_pc does; else something has interrupted the program */
};

/* Executes a block on a core. */
typedef void aside_execute(void *user, const struct aside_block *done);

/*
 * At the plugin's start. `threads`: how many host threads to use: 1, 2, or 0 for 2 if this process
 * may use several processors.
 */
void aside_set_up(unsigned threads, aside_execute *execute);

/*
 * The first thread of the process begins, with a core; `user` is for aside_execute. `notes` are
 * those of its blocks; the core reads predicates there if `predicates`. `*settled` is the cycle in
 * which aside_execute last read the counts, each ASIDE_SETTLES cycles. Unless `repeats`, periods
 * are not looked for: repeats.h.
 */
#define ASIDE_SETTLES 4096
void aside_begin(struct core *core, void *user, struct insn_notes *notes, bool predicates,
		 uint64_t *settled, bool repeats);

/* Blocks were made: call it with the lock held under which they are. */
void aside_translated(void);

/* Only the program's only thread may ask. */
struct aside_state {
	bool runs;          /* blocks are executed there now */
	uint32_t countdown; /* blocks until the next try; 0: there is none */
};
extern struct aside_state aside;

/* Whether it is time for aside_start(): call it at each block. */
static inline bool aside_is_due(void)
{
	return !aside.runs && aside.countdown && !--aside.countdown;
}

/*
 * Executes blocks there from now on, until so many instructions have executed; if these are few, it
 * looks again later.
 */
void aside_start(uint64_t instructions);

/* Hands over what a block did. Returns false, and stops, if it has to be executed here. */
bool aside_pass(const struct aside_block *done);

/*
 * For repeats.c: hands over a block, of which aside_pass() is not to be told, and what was
 * predicted of its branch, or NULL if nothing was yet; and tells of so many periods. That returns
 * the number of its record, which aside_wait_for() waits for: the other thread is done with it.
 * aside_left(): how many instructions may be handed over, at least.
 */
struct repeat;
void aside_hand_over(const struct aside_block *done, const struct predict_outcome *outcome);
uint64_t aside_pass_periods(const struct repeat *repeat, uint64_t periods);
void aside_wait_for(uint64_t record);
uint64_t aside_left(void);

/* Returns when all blocks have been executed. More are executed here, for a while. */
void aside_stop(void);

/* From now on, all blocks are executed here. */
void aside_end(void);

/* A child was forked, in which nothing has begun. */
void aside_forked(void);

#endif

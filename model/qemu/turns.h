/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take turns, in the order of the model's time: one at a time executes, and none gets ahead
 * of the others by more than a fraction of the time in which a line moves between cores. So what
 * threads see of each other, and what the model counts, do not depend on the host: its load, its
 * number of processors, or its scheduler.
 *
 * Where possible, all of them execute on the same host thread in turn (carriers.h), except in
 * system calls.
 *
 * A thread that sleeps in a system call has no turn. Whoever executes a system call has its turn
 * until the call returns or sleeps. If the call has woken other threads, it puts them back into the
 * order if it is known which they are, as for most futexes; otherwise it waits for them. So the
 * order stays the same.
 */
#ifndef QEMU_TURNS_H
#define QEMU_TURNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core.h"

struct turn {
	_Atomic uint64_t
		until; /* model time up to which the thread may execute; UINT64_MAX: it is alone */
	bool away;     /* it may have lost its turn: call turn_back() before anything else */
	/* The result of its system call can be replaced; it is to be, by `result`. */
	bool replaceable, replaced;
	int64_t returned, result; /* what QEMU says, and what to say instead */
};

/*
 * At the plugin's start. `cycles`: by how many a thread may get ahead of others while lines move
 * between cores. `order`: the seed of the order, within that.
 */
void turns_set_up(unsigned cycles, uint64_t order);

/*
 * Thread number `index`, which calls this, begins on `core`. Returns once it is its turn, or NULL
 * if out of memory. The result is valid until the thread has ended.
 */
struct turn *turn_begin(unsigned index, struct core *core);

/* Between blocks, when core_time() is `until` or later: returns when it is the thread's turn. */
void turn_take(struct turn *turn);

static inline void turn_check(struct turn *turn, const struct core *core)
{
	const uint64_t until = atomic_load_explicit(&turn->until, memory_order_relaxed);

	/* Alone, it need not ask for the time at each block. */
	if (until != UINT64_MAX && __builtin_expect(core_time(core) >= until, 0))
		turn_take(turn);
}

/*
 * The thread makes a system call, and is back from it. In between, its core does not exist for
 * others; a thread that was woken goes on at the time of the one that woke it. `outside`: of
 * QEMU's loop of execution, about to make the next call.
 */
void turn_call(struct turn *turn, int64_t number, const uint64_t arguments[6]);
void turn_returned(struct turn *turn, int64_t result); /* what QEMU says, before the next block */
void turn_back(struct turn *turn, bool outside);

/*
 * Before a system call, whether it is counted or not: the thread goes on where the kernel knows it
 * (carriers.h). Not needed before one that may be made elsewhere and is told to turn_call().
 */
void turn_go_home(struct turn *turn);
bool turn_may_stay(int64_t number, const uint64_t arguments[6]);

/* Nobody waits for a turn any more: the process ends, or counts nothing. */
void turns_over(void);

/* In a forked child, which has no other threads. */
void turns_forked(void);

/* Calls `visit` for each thread that waits for its turn. Only for the thread that has it. */
void turns_visit_waiting(void (*visit)(unsigned index));

/* The same for any thread of the host's, and for the thread that it executes if that has the turn.
 */
void turns_visit_quiet(void (*visit)(unsigned index));

#endif

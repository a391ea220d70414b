/* SPDX-License-Identifier: Apache-2.0 */
/* What Linux's system calls on AArch64 mean for the order of threads. */
#ifndef QEMU_CALLS_H
#define QEMU_CALLS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CALL_EXIT = 93, /* of a thread */
	CALL_EXIT_GROUP = 94,
	CALL_FUTEX = 98,
	CALL_SCHED_YIELD = 124,
	CALL_TKILL = 130,
	CALL_TGKILL = 131,
	CALL_RT_SIGACTION = 134,
	CALL_RT_SIGPROCMASK = 135,
	CALL_SHMAT = 196,
	CALL_BRK = 214,
	CALL_MUNMAP = 215,
	CALL_MREMAP = 216,
	CALL_CLONE = 220,
	CALL_EXECVE = 221,
	CALL_MMAP = 222,
	CALL_MPROTECT = 226,
	CALL_MADVISE = 233,
	CALL_EXECVEAT = 281,
	CALL_PKEY_MPROTECT = 288,
	CALL_CLONE3 = 435,
};

/* `arguments` are the first six. */
bool calls_may_sleep(int64_t number, const uint64_t arguments[6]);
/* Whether it may wake a thread of the process that sleeps in a call; `result` is what it returned.
 */
bool calls_may_wake(int64_t number, const uint64_t arguments[6], int64_t result);
/* Whether it is to make a thread of this process; whether it has. */
bool calls_clones_thread(int64_t number, const uint64_t arguments[6]);
bool calls_made_thread(int64_t number, const uint64_t arguments[6], int64_t result);
/* Returns the address of the word on which a futex's call sleeps, or wakes others; 0: another call.
 */
uint64_t calls_sleep_on(int64_t number, const uint64_t arguments[6]);
uint64_t calls_wake_on(int64_t number, const uint64_t arguments[6]);
/* Returns the address of the word whose sleepers a call has sleep on another one; 0: none. */
uint64_t calls_move_from(int64_t number, const uint64_t arguments[6]);
/* Whether a futex's call that sleeps or wakes keeps to the order in which threads came to sleep. */
bool calls_keep_order(const uint64_t arguments[6]);
/* Whether a call wakes nobody who sleeps on a private futex. */
bool calls_leave_futexes(int64_t number);
/*
 * Whether a call may have the program handle signals from now on. The C library has handlers of its
 * own, but hardly ever sends such a signal.
 */
bool calls_handle_signals(int64_t number, const uint64_t arguments[6]);
/* Returns enum model_outside, or'ed. */
unsigned calls_outside(int64_t number, const uint64_t arguments[6]);

#endif

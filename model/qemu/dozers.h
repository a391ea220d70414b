/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep on a private futex without the host's kernel: only threads of this process can
 * wake them, and those take turns, so that whoever wakes one puts it into the order of turns. The
 * host's threads need not change, which takes a hundred times as long.
 *
 * QEMU makes the call in any case, when the thread is awake again or has woken others; it neither
 * sleeps nor wakes there. What the kernel says of it is replaced (results.h).
 *
 * That is so for calls without a timeout that wait or wake. A call that moves sleepers, and
 * handlers for signals, end it for good: those who doze wake, as any sleep on a futex may end
 * without a reason, and sleep in the kernel the next time.
 *
 * Everything here is called with the lock of order.h held, unless it says otherwise.
 */
#ifndef QEMU_DOZERS_H
#define QEMU_DOZERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/order.h"

/*
 * Whether a call is one of those that may be made without the kernel, so that it does not matter on
 * which host thread it is made. Without the lock.
 */
bool dozers_may_serve(int64_t number, const uint64_t arguments[6]);

/* The thread that has the turn, about to sleep on a futex, dozes instead. False: it must not. */
bool dozers_take(struct thread *thread);

/*
 * A thread that dozed has its turn. Returns whether somebody has woken it; then its call will
 * return at once. Otherwise a signal has, and the call is the kernel's.
 */
bool dozers_awake(struct thread *thread);

/* A thread makes a call: wakes whom it wakes, or ends all this if it must. */
void dozers_call(struct thread *caller);

/* A thread is back from its call, at once. Without the lock. */
void dozers_returned(struct thread *thread);

/* Handlers for signals may come: wakes all, for good. */
void dozers_stop(void);

/* For the thread that looks: wakes those for whom a signal has come. Takes the lock. */
void dozers_look_for_signals(void);

/*
 * Turns are over, and the thread, which dozed, may sleep in the kernel although it was woken: wakes
 * it there. Returns whether there was one. For the thread that looks, without the lock.
 */
bool dozers_wake_in_kernel(void);

#endif

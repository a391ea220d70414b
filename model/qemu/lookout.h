/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads do on the host, as /proc says: one that has the turn may sleep in a system call, be
 * gone, or wait in QEMU until the others have stopped.
 */
#ifndef QEMU_LOOKOUT_H
#define QEMU_LOOKOUT_H

#include "qemu/order.h"

/* How often the one that has the turn was seen to do nothing. */
struct watching {
	uint64_t moves;
	unsigned looks;
};

/*
 * Starts a thread of its own that looks after the one that has the turn while the first of those
 * who wait is suspended (carriers.h), unless there is one. Returns false if that is impossible.
 * Without the lock.
 */
bool lookout_start(void);
void lookout_forked(void); /* in the child, which has no other threads */

/*
 * The first of those who wait looks after the one that has the turn, now and then. Returns how long
 * to wait until the next look, `pause` at most if there is reason to look again soon. `self`: NULL
 * for a thread of its own, for which 0 is until it is called. Without the lock.
 */
long lookout_look(struct thread *self, struct watching *watching, long pause);

/*
 * Waits until each thread that sleeps in a call either still does, or is back: what the call of
 * this one has woken is under way, and so is what those have woken in turn. Without the lock.
 */
void lookout_await_woken(const struct thread *caller);

#endif

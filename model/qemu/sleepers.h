/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most sleeps are on futexes. Nobody else executes while a thread looks at a word, so that what it
 * reads there is what the kernel will find: it need not be watched to know that it sleeps. And it
 * is known who is woken, since the kernel wakes those first that slept first.
 */
#ifndef QEMU_SLEEPERS_H
#define QEMU_SLEEPERS_H

#include <stdbool.h>

#include "qemu/order.h"

/* Whether a thread that makes a call is about to sleep on a futex. With the lock held. */
bool sleepers_falls_asleep(struct thread *thread);

/*
 * Before the next thread executes, which could change the word, the kernel has to have the one that
 * was about to sleep among those that sleep there. So they also sleep in their order. Without the
 * lock.
 */
void sleepers_await_entered(void);

/* The thread that has the turn makes a call that does not sleep. With the lock held. */
void sleepers_call(const struct thread *caller);

/*
 * Puts the threads that a call has woken back into the order of turns. So nobody waits until the
 * host has run them; they find their place when they come. Returns false if it is not known who was
 * woken. With the lock held.
 */
bool sleepers_put_back(const struct thread *caller);

/*
 * Waits until as many threads are back as a call has woken. Returns false if that is not known, or
 * they do not come. Without the lock.
 */
bool sleepers_await_counted(const struct thread *caller);

/* Whether the call of a thread leaves the futex alone on which another one sleeps, for certain.
 * With the lock held. */
bool sleepers_left_alone(const struct thread *sleeper, const struct thread *caller);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_QEMU_ORPHANS_H
#define MODEL_QEMU_ORPHANS_H

#include <pthread.h>

/*
 * What threads that a fork left behind have left behind. Of a program with threads, only the one
 * that forks lives on in the child; what the others held at that moment stays locked there, and
 * QEMU waits for it: when the child ends, it locks what every thread of the parent had. And what
 * QEMU notes of them is in the way of new threads.
 */

/* In a child that was forked: from now on, QEMU's own program takes such locks and notes over. */
void orphans_forked(void);

/*
 * Locks `mutex` as pthread_mutex_lock() does, and returns what that returns; but takes it over from
 * a thread that is none of this process. What the mutex guards may be half-changed then.
 */
int orphans_lock(pthread_mutex_t *mutex);

#endif

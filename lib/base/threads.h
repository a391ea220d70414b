/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* The maximum that threads_to_use() returns. */
#define THREADS_MAX 64

/* Returns how many threads may share work: `wanted`, or one for each CPU that this process may use
 * if that is 0; 1 to THREADS_MAX. */
unsigned threads_to_use(unsigned wanted);

/*
 * Starts a thread that is to share work with this one: on another CPU, if there is one. Otherwise a
 * busy machine may let it wait here for longer than all the work takes. From then on it may run
 * anywhere. Returns whether it was started.
 */
bool threads_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Locks a mutex that others hold for some ten microseconds at most: waits that long before it
 * sleeps, since waking takes longer. */
void threads_lock(pthread_mutex_t *lock);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>

/* The maximum that threads_to_use() returns. */
#define THREADS_MAX 64

/* Returns how many threads may share work: `wanted`, or one for each CPU that this process may use
 * if that is 0; 1 to THREADS_MAX. */
unsigned threads_to_use(unsigned wanted);

/* Locks a mutex that others hold for some ten microseconds at most: waits that long before it
 * sleeps, since waking takes longer. */
void threads_lock(pthread_mutex_t *lock);

#endif

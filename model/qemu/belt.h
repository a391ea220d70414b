/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands records from one thread to another one, in order, through a bounded ring: whoever puts
 * waits while there is no room, and the other thread, which the belt starts, takes each record
 * where it lies. Only one thread at a time may put and drain.
 *
 * A record is some words, of which the first is not 0. It is worth while to have few: on some
 * hosts, a line of a cache takes a quarter of a microsecond from one processor to another.
 */
#ifndef QEMU_BELT_H
#define QEMU_BELT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BELT_RECORD_MAX 4096 /* words */

/* Processes a record, which is valid until this returns. Returns the number of its words. */
typedef size_t belt_take(const uint64_t *record);

/* The processors that the other thread may use; else it has those of the thread that starts it. */
void belt_allow(const cpu_set_t *set);

/* Starts the other thread, which receives no signals. Returns false if that is impossible. */
bool belt_start(belt_take *take);

/*
 * Returns where the next record is to be written; waits until there is room for `words`, at most
 * BELT_RECORD_MAX. belt_put() hands it over, with the number of words that it has, at most so many.
 */
uint64_t *belt_room(size_t words);
void belt_put(size_t words);

/* Returns when all that was put has been processed; what that did is visible here. */
void belt_drain(void);

/* In a forked child, where the other thread is missing. Nothing may have been left in the parent.
 */
void belt_forked(void);

#endif

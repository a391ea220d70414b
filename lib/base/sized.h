/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public structs whose first member says how large the caller's is, so that they can grow without
 * breaking programs that were built before.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies the struct at `from`, whose first member is its size_t size, into `to` of `room` bytes:
 * members that it lacks become zero. Returns false if it has members that are not zero and that
 * `to` lacks (the caller is newer, and requests something unsupported), or no size.
 */
bool sized_read(void *to, size_t room, const void *from);

/*
 * The other way: copies into the struct at `to`, as much of it as its first member says, all but
 * that member of the `room` bytes at `from`. What `from` lacks becomes zero.
 */
void sized_write(void *to, const void *from, size_t room);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stddef.h>

/*
 * Memory for arrays that may become large. From 2 MiB on it is in huge pages, where the kernel has
 * some: a fault for each page of 4 KiB takes longer than most work on what is in it, and threads
 * wait for each other's. That takes up to 4 MiB of address space more, unless a limit forbids it.
 * It is free()d.
 */

/* Returns an array of any contents, aligned to a line of the cache; NULL: there is no memory. */
void *large_alloc(size_t count, size_t size);

/*
 * Returns an array of `count` elements of `size` bytes with the first `used` ones of `old`, which
 * is then free; the others have any contents. NULL: `old` stays as it is, as there is no memory.
 */
void *large_resize(void *old, size_t used, size_t count, size_t size);

#endif

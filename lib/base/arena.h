/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region of memory that is freed all at once: for the many small strings and arrays that live as
 * long as the object they belong to. Not thread-safe.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *newest;
};

/* Returns `size` zeroed bytes, aligned for any type; NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t size);

/* Likewise for `count` elements of `size` bytes; NULL also if the product overflows. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* Return a NUL-terminated copy of `length` bytes or of a string; NULL if out of memory. */
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);

/* Gives all of `from` to `to`, and empties `from`. What is in them stays where it is. */
void arena_join(struct arena *to, struct arena *from);

/* Frees everything and empties `arena`. */
void arena_free(struct arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/large.h"

/* The first block's, and the largest's with what is before its bytes. */
#define BLOCK_SIZE ((size_t)64 << 10)
#define BLOCK_MAX  ((size_t)2 << 20)

struct arena_block {
	struct arena_block *older;
	size_t size;
	size_t used;
	alignas(max_align_t) unsigned char bytes[];
};

/* Returns how much the next block has room for: twice as much as the last one. */
static size_t next_room(const struct arena *arena)
{
	const size_t most = BLOCK_MAX - sizeof(struct arena_block);

	if (!arena->newest)
		return BLOCK_SIZE;
	return arena->newest->size < most / 2 ? 2 * arena->newest->size : most;
}

/* Returns memory that has any contents. */
static void *take(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->newest;
	size_t align = alignof(max_align_t);

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) & ~(align - 1);
	if (!block || block->size - block->used < size) {
		size_t room = next_room(arena);

		if (size > room)
			room = size;
		block = large_resize(NULL, 0, sizeof(*block) + room, 1);
		if (!block)
			return NULL;
		block->size = room;
		block->used = 0;
		block->older = arena->newest;
		arena->newest = block;
	}
	void *at = block->bytes + block->used;

	block->used += size;
	return at;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *at = take(arena, size);

	return at ? memset(at, 0, size) : NULL;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	return arena_alloc(arena, total);
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	if (length == SIZE_MAX)
		return NULL;
	char *copy = take(arena, length + 1);

	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_copy(arena, text, strlen(text));
}

void arena_join(struct arena *to, struct arena *from)
{
	struct arena_block **end = &to->newest;

	/* The newest block of `to` stays the one with room. */
	while (*end)
		end = &(*end)->older;
	*end = from->newest;
	from->newest = NULL;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->newest;

	while (block) {
		struct arena_block *older = block->older;

		free(block);
		block = older;
	}
	arena->newest = NULL;
}

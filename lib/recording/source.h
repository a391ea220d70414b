/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of a recording, from a file or a pipe, through a sliding window. */
#ifndef RECORDING_SOURCE_H
#define RECORDING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of the window: several times the largest record. */
#define SOURCE_WINDOW (256u << 10)

struct source {
	int fd;
	bool seekable;
	bool dry;          /* reached the end, or `end` */
	uint64_t position; /* offset in the file of the window's first byte */
	uint64_t end;      /* do not read beyond this */
	uint8_t *window;
	size_t start, filled;
	size_t ahead; /* bytes to read at once */
};

/* Begins. Returns 0 or NO_MEMORY. The caller keeps the descriptor. */
int source_open(struct source *source, int fd);
void source_close(struct source *source);

/* Continues reading at `position`, up to `end`. Only for files. */
void source_seek(struct source *source, uint64_t position, uint64_t end);

/*
 * Brings `wanted` bytes into the window, at most SOURCE_WINDOW. Returns 0 and how many there are,
 * which are fewer only at the end; or IO. `*bytes` is aligned if all bytes skipped so far were.
 */
int source_reach(struct source *source, size_t wanted, const uint8_t **bytes, size_t *have);

/* Moves past bytes in the window. */
static inline void source_pass(struct source *source, size_t size)
{
	source->start += size;
	source->position += size;
}

/* Takes skipped bytes. Returns 0, or an error that source_skip() returns. */
typedef int source_sink(void *user, const uint8_t *bytes, size_t size);

/* Skips any number of bytes, and passes them to `sink` unless it is NULL. `*skipped` are fewer only
 * at the end. */
int source_skip(struct source *source, uint64_t size, source_sink *sink, void *user,
		uint64_t *skipped);

/* Reads at any place of a file. `*got` are fewer only at the end. Any thread may call it. */
int source_read_at(int fd, uint64_t offset, void *bytes, size_t size, size_t *got);

#endif

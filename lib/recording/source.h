/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a recording, from a file or a pipe, through a window that slides over them. */
#ifndef RECORDING_SOURCE_H
#define RECORDING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that can be at hand at once: several times the largest record. */
#define SOURCE_WINDOW (256u << 10)

struct source {
	int fd;
	bool seekable;
	bool dry;          /* the end, or `end`, has been reached */
	uint64_t position; /* in the file, of the first byte at hand */
	uint64_t end;      /* nothing from here on is read */
	uint8_t *window;
	size_t start, filled;
	size_t ahead; /* how much is read at once */
};

/* Returns 0 or NO_MEMORY. The descriptor remains the caller's. */
int source_open(struct source *source, int fd);
void source_close(struct source *source);

/* Goes on reading at `position`, up to `end`. Of files only. */
void source_seek(struct source *source, uint64_t position, uint64_t end);

/*
 * Brings `wanted` bytes to hand, SOURCE_WINDOW at most. Returns 0, with how many there are: fewer
 * only at the end; or IO. `*bytes` is aligned if everything that was passed so far was.
 */
int source_reach(struct source *source, size_t wanted, const uint8_t **bytes, size_t *have);

/* Leaves bytes at hand behind. */
static inline void source_pass(struct source *source, size_t size)
{
	source->start += size;
	source->position += size;
}

/* Takes what is passed over; returns 0 or an error, which source_skip() returns then. */
typedef int source_sink(void *user, const uint8_t *bytes, size_t size);

/* Passes over any number of bytes, which `sink` gets unless it is NULL. `*skipped` are fewer only
 * at the end. */
int source_skip(struct source *source, uint64_t size, source_sink *sink, void *user,
		uint64_t *skipped);

/* Reads from any place of a file; `*got` are fewer only at the end. Any thread. */
int source_read_at(int fd, uint64_t offset, void *bytes, size_t size, size_t *got);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the prefetchers have learnt. They only propose lines; memory.c fetches them. The stride
 * prefetcher is taught by L1D's misses and first uses of prefetched lines, by instruction; the
 * stream prefetcher by L2's accesses, by page.
 */
#ifndef MODEL_PREFETCH_H
#define MODEL_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#define STRIDE_ENTRIES_MAX 64
#define STREAM_ENTRIES     16

struct stride_prefetcher {
	struct stride_entry {
		uint64_t pc;
		uint64_t last;  /* line of the last access */
		uint64_t ahead; /* the furthest line asked for */
		int64_t stride; /* lines */
		uint8_t confidence;
	} entries[STRIDE_ENTRIES_MAX];
	unsigned count;
	unsigned distance; /* accesses ahead */
};

/* Some lines to fetch: first, first + step, ... `count` of them. */
struct prefetch_wish {
	uint64_t first;
	int64_t step;
	unsigned count;
	uint64_t *ahead; /* to be set to each line that is fetched or there; may be NULL */
};

void stride_set_up(struct stride_prefetcher *prefetcher, unsigned entries, unsigned distance);

/* The instruction at `pc` missed, or used a prefetched line for the first time: virtual `line`. */
struct prefetch_wish stride_train(struct stride_prefetcher *prefetcher, uint64_t pc, uint64_t line);

struct stream_prefetcher {
	struct stream_entry {
		uint64_t page; /* physical, plus one */
		uint32_t used;
		int8_t direction;
		uint8_t last;    /* line in the page */
		uint8_t matches; /* steps in the same direction */
	} entries[STREAM_ENTRIES];
	uint32_t clock;
	unsigned lines; /* to fetch ahead */
};

void stream_set_up(struct stream_prefetcher *prefetcher, unsigned lines);

/* A line that L1 asked L2 for; `lines_a_page` is a power of two. Physical lines. */
struct prefetch_wish stream_train(struct stream_prefetcher *prefetcher, uint64_t line,
				  unsigned lines_a_page);

#endif

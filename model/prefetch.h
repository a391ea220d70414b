/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the prefetchers. They only propose lines; memory.c fetches them. The stride
 * prefetcher learns from L1D misses and first uses of prefetched lines, by instruction. The stream
 * prefetcher learns from accesses to L2, by page.
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
		uint64_t ahead; /* the furthest line requested */
		int64_t stride; /* lines */
		uint8_t confidence;
	} entries[STRIDE_ENTRIES_MAX];
	unsigned count;
	unsigned distance; /* number of accesses to run ahead */
};

/* `count` lines to fetch: first, first + step, ... */
struct prefetch_wish {
	uint64_t first;
	int64_t step;
	unsigned count;
	uint64_t *ahead; /* set it to each line fetched or present; may be NULL */
};

void stride_set_up(struct stride_prefetcher *prefetcher, unsigned entries, unsigned distance);

/* Learns that `pc` missed virtual line `line`, or used it first after a prefetch. */
struct prefetch_wish stride_train(struct stride_prefetcher *prefetcher, uint64_t pc, uint64_t line);

struct stream_prefetcher {
	struct stream_entry {
		uint64_t page; /* physical, plus one */
		uint32_t used;
		int8_t direction;
		uint8_t last;    /* line in the page */
		uint8_t matches; /* consecutive steps in the same direction */
	} entries[STREAM_ENTRIES];
	uint32_t clock;
	unsigned lines; /* number of lines to fetch ahead */
};

void stream_set_up(struct stream_prefetcher *prefetcher, unsigned lines);

/* Learns that L1 requested physical line `line` from L2. `lines_a_page` is a power of two. */
struct prefetch_wish stream_train(struct stream_prefetcher *prefetcher, uint64_t line,
				  unsigned lines_a_page);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the prefetchers. They only propose lines; memory.c and beyond.c fetch them. Lines
 * are virtual. L1D's prefetcher learns from misses and first uses of prefetched lines, by
 * instruction. L2's learns from the lines that L1 requests, whether a load or L1's prefetcher wants
 * them.
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

/* `count` lines: first, first + step, ... Fetch those that are absent, `most` at most. */
struct prefetch_wish {
	uint64_t first;
	int64_t step;
	unsigned count, most;
	uint64_t *ahead; /* set it to each line fetched or present */
};

void stride_set_up(struct stride_prefetcher *prefetcher, unsigned entries, unsigned distance);

/* Learns that `pc` missed virtual line `line`, or used it first after a prefetch. */
struct prefetch_wish stride_train(struct stride_prefetcher *prefetcher, uint64_t pc, uint64_t line);

struct stream_prefetcher {
	struct stream_entry {
		uint64_t last;  /* line of the last request */
		uint64_t ahead; /* the furthest line fetched */
		int64_t step;   /* lines */
		uint8_t confidence;
	} entries[STREAM_ENTRIES];
	/* Of each, the low bits of its last line, and of what comes next if it is confident. */
	uint16_t last[STREAM_ENTRIES], next[STREAM_ENTRIES];
	/* The entries by use, four bits each: the lowest are those of the last one. */
	uint64_t order;
	uint32_t used;     /* a bit for each entry that has a stream */
	unsigned lines;    /* fetched for each request */
	unsigned distance; /* lines to run ahead */
};

void stream_set_up(struct stream_prefetcher *prefetcher, unsigned lines, unsigned distance);

/* Learns that L1 requested `line` from L2. Returns whether its stream goes on, with `*wish`. */
bool stream_train(struct stream_prefetcher *prefetcher, uint64_t line, struct prefetch_wish *wish);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accesses of one core to lines that move between cores: which instruction reads or writes
 * which bytes of them, how often, and how often the line came from another core for that.
 *
 * A line is known as shared only when it first moves. So the last lines that the core used, some
 * thousands, are all counted; those that have not moved by the time that they make way for others
 * are forgotten. Memory is bounded.
 */
#ifndef MODEL_LINES_H
#define MODEL_LINES_H

#include "core.h"

struct lines;
struct memory;

enum lines_access { LINES_LOAD, LINES_STORE, LINES_ATOMIC };

/* The accesses of an instruction to some bytes of a line. */
struct lines_count {
	uint64_t pc, address;
	uint64_t accesses;
	uint64_t moves; /* accesses for which the line came from another core */
	uint32_t bytes;
	uint32_t access; /* enum lines_access */
};

/* `line_bytes` is a power of two, at most 128. Returns NULL if out of memory. */
struct lines *lines_new(struct memory *memory, unsigned line_bytes);
void lines_free(struct lines *lines);

/* The instruction at `pc` made these accesses, and has just executed. */
void lines_accessed(struct lines *lines, uint64_t pc, enum lines_access access,
		    const struct access *first, const struct access *end);

typedef void lines_told(void *user, const struct lines_count *count);
/* Tells of the lines that have moved between any cores, and clears all counts. */
void lines_tell(struct lines *lines, lines_told *told, void *user);
/* Likewise, but goes on counting for those that have not moved yet. */
void lines_tell_changes(struct lines *lines, lines_told *told, void *user);

/* Returns whether accesses are missing: more lines were shared than fit, or memory ran out. */
bool lines_incomplete(const struct lines *lines);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a process made itself, as its run-time system describes it in a file jit-PID.dump
 * (tools/perf/Documentation/jitdump-specification.txt): names, lines of source, and the code. A
 * place is where in the file a byte of code is. Code that was moved keeps its place.
 */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdio.h>

#include "symbol/table.h"

struct jitdump;

/* Returns whether a mapped file has the name of a jitdump: "/tmp/jit-1234.dump". */
bool jitdump_is_named(const char *path);

/* What is known of the recording's clock. */
struct jitdump_clock {
	bool monotonic;                           /* it is CLOCK_MONOTONIC, as dumps' clock is */
	const struct plumb_time_conv *conversion; /* of ticks, which some dumps have; or NULL */
};

/*
 * Reads a dump. Where code replaced older code, times tell which one is there; if they cannot be
 * compared with the recording's, it is the newest. Stops at damage, and keeps what was read.
 * Returns 0, SYNTAX (it is no jitdump) or NO_MEMORY.
 */
int jitdump_read(FILE *in, const struct jitdump_clock *clock, struct jitdump **dump);

/* Returns the time in ns when code is replaced next, or UINT64_MAX: never again. */
uint64_t jitdump_next_change(const struct jitdump *dump);
/* Replaces code up to a time. */
void jitdump_advance(struct jitdump *dump, uint64_t time);
/* Goes back to the code of an earlier time. */
void jitdump_return(struct jitdump *dump, uint64_t time);
/* Tells whether code was replaced, but it is unknown when. */
bool jitdump_lacks_times(const struct jitdump *dump);

/* Adds its functions, by their places. Returns 0 or NO_MEMORY. */
int jitdump_symbols(const struct jitdump *dump, struct symbol_table *table);

struct jitdump_place {
	uint64_t place;
	uint64_t from, to; /* addresses around, up to `to`, whose code is of the same function */
};
/* Finds the code that is at an address in memory now. Returns false if it is unknown. */
bool jitdump_locate(const struct jitdump *dump, uint64_t address, struct jitdump_place *place);

/* Finds the address that the code at a place had first, and how many bytes of its function follow.
 * Returns false if there is no code. */
bool jitdump_address(const struct jitdump *dump, uint64_t place, uint64_t *address, uint64_t *size);
/* Tells whether code is that of AArch64. */
bool jitdump_is_a64(const struct jitdump *dump);

/* Finds the line of the code at a place. Returns false if it is unknown. */
bool jitdump_source(const struct jitdump *dump, uint64_t place, struct plumb_source_frame *frame);

void jitdump_free(struct jitdump *dump); /* accepts NULL */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a process made itself, as its run-time system describes it in a file jit-PID.dump
 * (tools/perf/Documentation/jitdump-specification.txt): names and lines of source.
 */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdio.h>

#include "symbol/table.h"

struct jitdump;

/* Returns whether a mapped file has the name of a jitdump: "/tmp/jit-1234.dump". */
bool jitdump_is_named(const char *path);

/*
 * Reads a dump. Where code replaced older code, the newer one wins. Stops at damage, and keeps what
 * was read. Returns 0, SYNTAX (it is no jitdump) or NO_MEMORY.
 */
int jitdump_read(FILE *in, struct jitdump **dump);

/* Adds its functions, with their addresses in memory. Returns 0 or NO_MEMORY. */
int jitdump_symbols(const struct jitdump *dump, struct symbol_table *table);

/* Finds the line of an address in memory. Returns false if it is unknown. */
bool jitdump_source(const struct jitdump *dump, uint64_t address, struct plumb_source_frame *frame);

void jitdump_free(struct jitdump *dump); /* accepts NULL */

#endif

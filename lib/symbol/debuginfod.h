/* SPDX-License-Identifier: Apache-2.0 */
/* Files of debug information from the servers that the user's DEBUGINFOD_URLS names. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod;

enum debuginfod_kind { DEBUGINFOD_DEBUG, DEBUGINFOD_PROGRAM };

/* Loads libdebuginfod. Returns NULL if out of memory. */
struct debuginfod *debuginfod_new(void);
/* Returns whether libdebuginfod could be loaded. */
bool debuginfod_is_there(const struct debuginfod *debuginfod);

/*
 * Asks for the file with a build-id. Returns its path in libdebuginfod's cache, which the caller
 * frees, or NULL: no server has it. After a time-out, which takes 90 s by default, no server is
 * asked again.
 */
char *debuginfod_find(struct debuginfod *debuginfod, const uint8_t *build_id, size_t size,
		      enum debuginfod_kind kind);

/* Returns whether the servers did not answer in time. */
bool debuginfod_timed_out(const struct debuginfod *debuginfod);

void debuginfod_free(struct debuginfod *debuginfod); /* accepts NULL */

#endif

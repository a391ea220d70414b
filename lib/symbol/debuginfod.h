/* SPDX-License-Identifier: Apache-2.0 */
/* Files of debug information from the servers that the user's DEBUGINFOD_URLS names. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include "symbol/files.h"

enum debuginfod_kind { DEBUGINFOD_DEBUG, DEBUGINFOD_PROGRAM };

/*
 * Asks for the file with a build-id. Returns its path in libdebuginfod's cache, which the caller
 * frees, or NULL: no server has it, or nobody is to be asked (plumb_symbol_paths.debuginfod).
 */
char *debuginfod_find(struct files *files, const uint8_t *build_id, size_t size,
		      enum debuginfod_kind kind);

void debuginfod_free(struct files *files);

#endif

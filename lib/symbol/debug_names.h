/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in debug information, demangled once. */
#ifndef SYMBOL_DEBUG_NAMES_H
#define SYMBOL_DEBUG_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct debug_name;

/* A hash table, at first zeroed. */
struct debug_names {
	struct debug_name *at;
	size_t count, room;
	struct arena *strings; /* the owner of what is demangled */
};

/*
 * Demangles `linkage`, which must live as long as the table; with `signature`, with its parameters.
 * Returns it unchanged if it is too long, or memory is short.
 */
const char *debug_names_plain(struct debug_names *names, const char *linkage, bool signature);
void debug_names_free(struct debug_names *names);

#endif

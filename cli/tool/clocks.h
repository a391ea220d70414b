/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks that samples can be timed by, with the names that perf has for them. */
#ifndef TOOL_CLOCKS_H
#define TOOL_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* The names that --clockid lists; NULL ends them. */
extern const char *const clock_names[];

/* Returns the name of CLOCK_MONOTONIC and so on, or "unknown". */
const char *clock_name(uint32_t clock);

/*
 * Reads "monotonic", "mono", "CLOCK_MONOTONIC", in any case, or the clock's number. Returns false
 * for anything else.
 */
bool clock_read(const char *text, int *clock);

#endif

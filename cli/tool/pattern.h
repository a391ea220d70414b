/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what to list by patterns, as `perf list` does. */
#ifndef CLI_PATTERN_H
#define CLI_PATTERN_H

#include "tool/options.h"

/*
 * Tells whether one of `patterns` fits, ignoring case; true if there are none. A pattern with
 * wildcards must match the whole name or title. Otherwise each of its words must be in one of them.
 */
bool pattern_wants(const struct operands *patterns, const char *name, const char *title);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The error that a sampled run of the model is to reach. */
#ifndef CLI_TOOL_PERCENT_H
#define CLI_TOOL_PERCENT_H

#include <stdbool.h>

/*
 * Reads --sampled's value into `error`, relative: "" is the default. `other` is what else it may
 * be, for the hint; or "". Prints an error and returns false if it is invalid.
 */
bool percent_read_sampled(const char *text, const char *other, double *error);

#endif

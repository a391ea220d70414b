/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of numbers as perf spells them: CPUs, processes, threads. */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include <stdbool.h>
#include <stddef.h>

struct number_list {
	int *at; /* to be freed */
	size_t count;
};

/*
 * Reads the value of an option (NULL: not given), such as "4,7", and "0-2,4" if `ranges`. Prints an
 * error and returns false if it is invalid.
 */
bool list_read(const char *option, const char *text, bool ranges, struct number_list *list);

#endif

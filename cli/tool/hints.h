/* SPDX-License-Identifier: Apache-2.0 */
/* The hints of the library's findings, in the words of this program: options and commands. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include <plumb/error.h>

/*
 * Returns the hint of `finding`, which names this program's options where the library, which does
 * not know them, has other words; NULL: none. It is valid as long as `finding` and `room`, of
 * `size` bytes, into which it is cut if need be.
 */
const char *hint_of(const struct plumb_diagnostic *finding, char *room, size_t size);

#endif

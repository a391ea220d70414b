/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in memory. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

/*
 * Reads all of `path`: a file, a pipe or a device. Returns 0 and its bytes, to be freed with
 * free(), or a negative enum plumb_error: IO (see errno), LIMIT (more than `limit` bytes, of
 * which at most one past the limit is read), NO_MEMORY.
 */
int file_read(const char *path, size_t limit, char **bytes, size_t *size);

#endif

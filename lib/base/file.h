/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files into memory. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

/*
 * Reads all of `path`: a file, a pipe or a device. Returns 0 and its bytes, which the caller frees,
 * or a negative enum plumb_error: IO (see errno), LIMIT (more than `limit` bytes; reads at most one
 * byte past the limit) or NO_MEMORY.
 */
int file_read(const char *path, size_t limit, char **bytes, size_t *size);

#endif

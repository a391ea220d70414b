/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files into memory; renames and removes files, and nothing else. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads all of `path`: a file, a pipe or a device. Returns 0 and its bytes, which the caller frees,
 * or a negative enum plumb_error: IO (see errno), LIMIT (more than `limit` bytes; reads at most one
 * byte past the limit) or NO_MEMORY.
 */
int file_read(const char *path, size_t limit, char **bytes, size_t *size);

/*
 * Every rename and removal of an output is one of these, so that devices, pipes, links and sockets
 * stay: run as root, an output named /dev/null would replace it for everyone.
 *
 * file_is_replaceable() returns whether there is nothing at `path`, or a regular file: no link to
 * one. file_rename() and file_remove() return 0, or -1 with errno: EEXIST if that is not so of
 * either path, and EISDIR if it is a folder.
 */
bool file_is_replaceable(const char *path);
int file_rename(const char *from, const char *to);
int file_remove(const char *path);

/*
 * Returns where `path` leads to, link by link, also where nothing is there yet; the caller frees
 * it. NULL with errno: there is no way, or no memory.
 */
char *file_follow(const char *path);

/*
 * Returns whether `path` is a link of the system's to an open file, such as /dev/stdout, or is one
 * of /proc: what it leads to is written in place, and the link stays.
 */
bool file_is_descriptor(const char *path);

/*
 * Puts into `why` the reason for which a file at `path` could not be created or opened to be
 * written: `number` is errno's. A folder that is missing is named.
 */
void file_why_not_written(const char *path, int number, char *why, size_t size);

#endif

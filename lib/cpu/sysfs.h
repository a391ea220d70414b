/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the one-line files of sysfs and /proc. */
#ifndef CPU_SYSFS_H
#define CPU_SYSFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Open files and folders, as fopen(3), opendir(3) and scandir(3) do. That there was no memory or no
 * descriptor for one is noted, so that it is not taken for missing.
 */
FILE *sysfs_open(const char *path);
DIR *sysfs_open_folder(const char *path);
int sysfs_scan_folder(const char *path, struct dirent ***entries);
/* Returns the errno of such a lack in this thread since the last call; 0: there was none. */
int sysfs_take_lack(void);

/* Reads the first line of a file, without its newline; false if there is none. */
bool sysfs_read_line(char *line, size_t size, const char *path);
/* Reads a number up to `most` from a file that holds nothing else. */
bool sysfs_read_number(const char *path, int base, unsigned long long most,
		       unsigned long long *number);

/*
 * Calls `each` with the name and the first line of each file in a folder, in any order, until it
 * returns false. Skips files that cannot be read and names that begin with a dot. Returns false if
 * there is no such folder.
 */
bool sysfs_read_folder(const char *folder,
		       bool (*each)(void *user, const char *name, const char *line), void *user);

/* No machine has more CPUs than this; larger numbers in a list are invalid. */
#define SYSFS_CPUS_MAX 65536

/*
 * Parses a list of CPUs such as "0-3,5" into `*cpus`, which the caller frees, in the order of the
 * list. Returns their number, or a negative enum plumb_error: INVALID (not a list) or NO_MEMORY.
 */
int sysfs_parse_cpus(const char *list, int **cpus);

#endif

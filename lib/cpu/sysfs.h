/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line files of sysfs and /proc. */
#ifndef CPU_SYSFS_H
#define CPU_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/* The first line of a file, without its end; false if there is none. */
bool sysfs_read_line(char *line, size_t size, const char *path);
/* A number, alone in its file, at most `most`. */
bool sysfs_read_number(const char *path, int base, unsigned long long most,
		       unsigned long long *number);

/*
 * Calls `each` with the name and the first line of each file in a folder, in no order, but of those
 * whose names begin with a dot or that cannot be read. It goes on while `each` returns true.
 * Returns false if there is no such folder.
 */
bool sysfs_read_folder(const char *folder,
		       bool (*each)(void *user, const char *name, const char *line), void *user);

/* No machine has more CPUs than this; what a list says beyond it is wrong. */
#define SYSFS_CPUS_MAX 65536

/*
 * The CPUs of a list like "0-3,5": `*cpus`, to be freed, in the order of the list. Returns how many
 * there are, or a negative enum plumb_error: INVALID (it is no such list), NO_MEMORY.
 */
int sysfs_parse_cpus(const char *list, int **cpus);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <plumb/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int lack;

static void note_lack(void)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		lack = errno;
}

int sysfs_take_lack(void)
{
	int taken = lack;

	lack = 0;
	return taken;
}

FILE *sysfs_open(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		note_lack();
	return file;
}

DIR *sysfs_open_folder(const char *path)
{
	DIR *folder = opendir(path);

	if (!folder)
		note_lack();
	return folder;
}

int sysfs_scan_folder(const char *path, struct dirent ***entries)
{
	int count = scandir(path, entries, NULL, alphasort);

	if (count < 0)
		note_lack();
	return count;
}

bool sysfs_read_line(char *line, size_t size, const char *path)
{
	FILE *file = sysfs_open(path);
	bool fine;

	if (!file)
		return false;
	errno = 0;
	fine = fgets(line, (int)size, file);
	if (!fine)
		note_lack();
	fclose(file);
	if (fine)
		line[strcspn(line, "\n")] = '\0';
	return fine;
}

bool sysfs_read_number(const char *path, int base, unsigned long long most,
		       unsigned long long *number)
{
	char line[64], *end;

	if (!sysfs_read_line(line, sizeof(line), path))
		return false;
	errno = 0;
	*number = strtoull(line, &end, base);
	return end != line && *end == '\0' && !errno && *number <= most;
}

bool sysfs_read_folder(const char *folder,
		       bool (*each)(void *user, const char *name, const char *line), void *user)
{
	char path[PATH_MAX + NAME_MAX + 1], line[64];
	DIR *entries = sysfs_open_folder(folder);
	struct dirent *entry;
	bool more = true;

	if (!entries)
		return false;
	while (more && (entry = readdir(entries))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && sysfs_read_line(line, sizeof(line), path))
			more = each(user, entry->d_name, line);
	}
	closedir(entries);
	return true;
}

/* Reads "3" or "3-5" at `*list`, and moves `*list` past it and a comma. */
static bool parse_range(const char **list, unsigned long *first, unsigned long *last)
{
	char *end;

	if (!isdigit((unsigned char)**list))
		return false;
	*first = *last = strtoul(*list, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*last = strtoul(end + 1, &end, 10);
	}
	if (*end == ',' && end[1] == '\0')
		return false;
	*list = end + (*end == ',');
	return *first <= *last && *last < SYSFS_CPUS_MAX && (*end == ',' || *end == '\0');
}

int sysfs_parse_cpus(const char *list, int **cpus)
{
	const char *at = list;
	unsigned long first, last;
	size_t count = 0, n = 0;

	while (*at) {
		if (!parse_range(&at, &first, &last))
			return PLUMB_ERR_INVALID;
		count += last - first + 1;
		if (count > SYSFS_CPUS_MAX)
			return PLUMB_ERR_INVALID;
	}
	*cpus = reallocarray(NULL, count + 1, sizeof(**cpus));
	if (!*cpus)
		return PLUMB_ERR_NO_MEMORY;
	for (at = list; *at && parse_range(&at, &first, &last);)
		for (unsigned long cpu = first; cpu <= last; cpu++)
			(*cpus)[n++] = (int)cpu;
	return (int)count;
}

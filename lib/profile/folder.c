/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of results. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <plumb/findings.h>

/* Files that belong there. */
static const char *const known[] = {PLUMB_FOLDER_FINDINGS, PLUMB_FOLDER_COUNTS,
				    PLUMB_FOLDER_INTERVALS, PLUMB_FOLDER_RECORDING};
/* What an interrupted run leaves of the recording before. */
static const char old_recording[] = PLUMB_FOLDER_RECORDING ".old";

static bool is_known(int folder, const char *name)
{
	bool is = strcmp(name, old_recording) == 0;
	struct stat status;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		is = is || strcmp(name, known[i]) == 0;
	return is && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode);
}

static int look_into(DIR *folder, char **other)
{
	const int descriptor = dirfd(folder);
	const struct dirent *entry;
	int found = PLUMB_FOLDER_EMPTY;
	bool findings = false;

	while ((errno = 0, entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (descriptor < 0 || !is_known(descriptor, entry->d_name)) {
			if (other) {
				free(*other);
				*other = strdup(entry->d_name);
			}
			return PLUMB_FOLDER_OTHER;
		}
		found = PLUMB_FOLDER_OTHER;
		findings = findings || strcmp(entry->d_name, PLUMB_FOLDER_FINDINGS) == 0;
		if (!findings && other && !*other)
			*other = strdup(entry->d_name);
	}
	if (errno)
		return PLUMB_ERR_IO;
	if (findings && other) {
		free(*other);
		*other = NULL;
	}
	return findings ? PLUMB_FOLDER_RESULTS : found;
}

int plumb_folder_look(const char *path, char **other)
{
	DIR *folder;
	int found, error;

	if (other)
		*other = NULL;
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT    ? PLUMB_FOLDER_ABSENT
		       : errno == ENOTDIR ? PLUMB_FOLDER_NO_FOLDER
					  : PLUMB_ERR_IO;
	found = look_into(folder, other);
	error = errno;
	closedir(folder);
	errno = error;
	return found;
}

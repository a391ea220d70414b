/* SPDX-License-Identifier: Apache-2.0 */
/* Describes why a write failed, and on which disk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "recording/writer.h"

/* Where a mount point or source begins, "\040" for blanks as in proc(5) made what they mean. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
			unsigned high = (unsigned char)from[1] & 3u,
				 middle = (unsigned char)from[2] & 7u;

			*to++ = (char)(high << 6 | middle << 3 | ((unsigned char)from[3] & 7u));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static bool below(const char *path, const char *mount)
{
	size_t length = strlen(mount);

	return length == 1 ||
	       (strncmp(path, mount, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

/* Writes "tmpfs, mounted at /mnt". Returns false if that is unknown. */
static bool disk_name(const char *path, char *text, size_t size)
{
	char line[8192], root[4096], mount[4096], source[4096];
	char *real = realpath(path, NULL);
	FILE *file = real ? fopen("/proc/self/mountinfo", "re") : NULL;
	size_t best = 0;

	/* The last of the longest ones: a mount hides older mounts at its place. */
	while (file && fgets(line, sizeof(line), file)) {
		const char *dash = strstr(line, " - ");

		if (!dash || sscanf(line, "%*d %*d %*s %4095s %4095s", root, mount) != 2 ||
		    sscanf(dash, " - %*s %4095s", source) != 1)
			continue;
		unescape(mount);
		unescape(source);
		if (!below(real, mount) || strlen(mount) < best)
			continue;
		best = strlen(mount);
		snprintf(text, size, "%.200s, mounted at %.200s", source, mount);
	}
	if (file)
		fclose(file);
	free(real);
	return best > 0;
}

void disk_failure(int fd, const char *path, int number, char *text, size_t size)
{
	char reason[128], disk[448];
	struct stat status;

	/* Pipes and devices keep their names. If opening failed, there is no descriptor. */
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		snprintf(text, size, "%s", strerror_r(number, reason, sizeof(reason)));
		return;
	}
	/* In a chroot the mount that holds the file may be out of sight. */
	if (!disk_name(path, disk, sizeof(disk)))
		snprintf(disk, sizeof(disk), "its disk");
	if (number == ENOSPC)
		snprintf(text, size, "no space left on %s", disk);
	else if (number == EDQUOT)
		snprintf(text, size, "your quota is used up on %s", disk);
	else if (number == EFBIG)
		snprintf(
			text, size,
			"larger than a file may become (ulimit -f, or the file system's own limit) "
			"on %s",
			disk);
	else
		snprintf(text, size, "%s on %s", strerror_r(number, reason, sizeof(reason)), disk);
}

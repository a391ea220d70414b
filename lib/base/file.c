/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/error.h>

#define FIRST_ROOM (64u << 10)

/* Grows *bytes, up to one byte past `limit`. */
static int grow(char **bytes, size_t *room, size_t limit)
{
	size_t wanted = *room < (limit + 1) / 2 ? 2 * *room : limit + 1;
	char *grown = realloc(*bytes, wanted);

	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	*bytes = grown;
	*room = wanted;
	return 0;
}

static int read_all(int fd, size_t limit, char **bytes, size_t *size)
{
	struct stat status;
	size_t room = FIRST_ROOM < limit + 1 ? FIRST_ROOM : limit + 1;

	if (fstat(fd, &status) < 0)
		return PLUMB_ERR_IO;
	if (S_ISREG(status.st_mode)) {
		if (status.st_size > (off_t)limit)
			return PLUMB_ERR_LIMIT;
		/* The extra byte lets a single read() detect the end of the file. */
		room = (size_t)status.st_size + 1;
	}
	*size = 0;
	*bytes = malloc(room);
	if (!*bytes)
		return PLUMB_ERR_NO_MEMORY;
	for (;;) {
		ssize_t got = read(fd, *bytes + *size, room - *size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return PLUMB_ERR_IO;
		if (got == 0)
			return 0;
		*size += (size_t)got;
		if (*size > limit)
			return PLUMB_ERR_LIMIT;
		if (*size == room) {
			int err = grow(bytes, &room, limit);

			if (err)
				return err;
		}
	}
}

int file_read(const char *path, size_t limit, char **bytes, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err, why;

	*bytes = NULL;
	if (fd < 0)
		return PLUMB_ERR_IO;
	err = read_all(fd, limit, bytes, size);
	why = errno;
	close(fd);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	errno = why;
	return err;
}

/* Returns 0 if `path` may be replaced, or an errno. */
static int replaceable(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		return errno == ENOENT ? 0 : errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	return S_ISREG(status.st_mode) ? 0 : EEXIST;
}

bool file_is_replaceable(const char *path)
{
	return replaceable(path) == 0;
}

int file_rename(const char *from, const char *to)
{
	int error = replaceable(from);

	if (!error)
		error = replaceable(to);
	if (!error)
		return rename(from, to);
	errno = error;
	return -1;
}

int file_remove(const char *path)
{
	int error = replaceable(path);

	if (!error)
		return unlink(path);
	errno = error;
	return -1;
}

/* Returns the path that the link at `path` names. */
static char *read_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX], *joined;
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return NULL;
	target[length] = '\0';
	if (*target == '/' || !slash)
		return strdup(target);
	return asprintf(&joined, "%.*s%s", (int)(slash - path + 1), path, target) < 0 ? NULL
										      : joined;
}

char *file_follow(const char *path)
{
	char *at = strdup(path);
	struct stat status;

	/* As many links as the kernel follows. */
	for (unsigned i = 0; at && i < 40; i++) {
		char *next;

		if (lstat(at, &status) != 0 || !S_ISLNK(status.st_mode))
			return at;
		next = read_link(at);
		free(at);
		at = next;
	}
	if (at)
		errno = ELOOP;
	free(at);
	return NULL;
}

bool file_is_descriptor(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX], real[PATH_MAX];
	struct stat status;

	if (lstat(path, &status) < 0 || !S_ISLNK(status.st_mode))
		return false;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	if (!realpath(folder, real))
		return false;
	return strcmp(real, "/dev") == 0 || strncmp(real, "/proc/", strlen("/proc/")) == 0;
}

/* Puts the first part of `path` that is no folder into `part`. Returns false if all are. */
static bool find_no_folder(const char *path, char *part, size_t size)
{
	struct stat status;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (slash[-1] == '/')
			continue;
		if ((size_t)snprintf(part, size, "%.*s", (int)(slash - path), path) >= size)
			return false;
		if (stat(part, &status) < 0 || !S_ISDIR(status.st_mode))
			return true;
	}
	return false;
}

void file_why_not_written(const char *path, int number, char *why, size_t size)
{
	char *real = file_follow(path), part[PATH_MAX], text[128];

	/* A link may lead to where a folder is missing. */
	if ((number == ENOENT || number == ENOTDIR) && real && *real &&
	    find_no_folder(real, part, sizeof(part)))
		snprintf(why, size,
			 number == ENOENT ? "folder %s does not exist" : "%s is no folder", part);
	else
		snprintf(why, size, "%s", strerror_r(number, text, sizeof(text)));
	free(real);
}

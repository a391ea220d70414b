/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is read through a copy which the program makes itself, page by page, as the kernel
 * does for read(): for programs.py.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define COPIED_PAGE 4096

struct copied {
	const char *at, *end;
};

static ssize_t copied_read(void *cookie, char *to, size_t size)
{
	struct copied *copied = cookie;
	size_t left = (size_t)(copied->end - copied->at);

	if (size > left)
		size = left;
	memcpy(to, copied->at, size);
	copied->at += size;
	return (ssize_t)size;
}

static FILE *copied_open(const char *path)
{
	static struct copied copied;
	static const char *memory;
	static char buffer[COPIED_PAGE];
	static size_t bytes;
	FILE *file;

	if (!memory) {
		struct stat status;
		int fd = open(path, O_RDONLY);

		if (fd < 0 || fstat(fd, &status) < 0)
			return NULL;
		bytes = (size_t)status.st_size;
		memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (memory == MAP_FAILED)
			return NULL;
	}
	copied.at = memory;
	copied.end = memory + bytes;
	file = fopencookie(&copied, "r", (cookie_io_functions_t){.read = copied_read});
	if (file)
		setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	return file;
}

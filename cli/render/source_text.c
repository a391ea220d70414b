/* SPDX-License-Identifier: Apache-2.0 */
#include "render/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/memory.h"

#define FILE_MAX (16u << 20)

/* The file of the last line. */
struct source_text {
	char *path;
	char *bytes;
	size_t size;
	size_t *starts; /* of each line */
	size_t line_count;
};

struct source_text *source_text_new(void)
{
	return memory_given(calloc(1, sizeof(struct source_text)));
}

static void forget(struct source_text *texts)
{
	free(texts->path);
	free(texts->bytes);
	free(texts->starts);
	texts->path = texts->bytes = NULL;
	texts->starts = NULL;
	texts->size = texts->line_count = 0;
}

void source_text_free(struct source_text *texts)
{
	if (!texts)
		return;
	forget(texts);
	free(texts);
}

/* Reads a regular file as far as it goes. A name in debug information may lead anywhere. */
static void read_file(struct source_text *texts, const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t got = 1;

	if (descriptor < 0)
		return;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    status.st_size <= FILE_MAX) {
		texts->bytes = memory_resize(NULL, (size_t)status.st_size, 1);
		while ((got > 0 || (got < 0 && errno == EINTR)) &&
		       texts->size < (size_t)status.st_size) {
			got = read(descriptor, texts->bytes + texts->size,
				   (size_t)status.st_size - texts->size);
			texts->size += got > 0 ? (size_t)got : 0;
		}
	}
	close(descriptor);
}

static void find_lines(struct source_text *texts)
{
	size_t count = 1;

	for (size_t i = 0; texts->bytes && i < texts->size; i++)
		count += texts->bytes[i] == '\n';
	texts->starts = memory_resize(NULL, count + 1, sizeof(*texts->starts));
	texts->starts[0] = 0;
	texts->line_count = 1;
	for (size_t i = 0; texts->bytes && i < texts->size; i++)
		if (texts->bytes[i] == '\n')
			texts->starts[texts->line_count++] = i + 1;
	texts->starts[texts->line_count] = texts->size + 1;
}

const char *source_text_line(struct source_text *texts, const char *path, unsigned line,
			     size_t *length)
{
	if (!texts->path || strcmp(texts->path, path) != 0) {
		forget(texts);
		texts->path = memory_copy(path, strlen(path));
		read_file(texts, path);
		find_lines(texts);
	}
	if (line == 0 || line > texts->line_count || texts->starts[line - 1] >= texts->size)
		return NULL;
	*length = texts->starts[line] - 1 - texts->starts[line - 1];
	/* Lines may end as on Windows. */
	if (*length && texts->bytes[texts->starts[line - 1] + *length - 1] == '\r')
		--*length;
	return texts->bytes + texts->starts[line - 1];
}

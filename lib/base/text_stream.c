/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

struct kept {
	char **text;
	size_t *length;
	char *bytes;
	size_t used, room; /* `room` includes the NUL's */
	bool lost;
};

static bool make_room(struct kept *kept, size_t more)
{
	size_t room = kept->room;
	char *bytes;

	if (more >= SIZE_MAX / 4 - kept->used)
		return false;
	while (room <= kept->used + more)
		room *= 2;
	if (room == kept->room)
		return true;
	bytes = realloc(kept->bytes, room);
	if (!bytes)
		return false;
	kept->bytes = bytes;
	kept->room = room;
	return true;
}

/* Returns 0 for an error, as fopencookie(3) has it. */
static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
	struct kept *kept = cookie;

	kept->lost = kept->lost || !make_room(kept, size);
	if (kept->lost) {
		errno = ENOMEM;
		return 0;
	}
	memcpy(kept->bytes + kept->used, bytes, size);
	kept->used += size;
	return (ssize_t)size;
}

static int give(void *cookie)
{
	struct kept *kept = cookie;
	const bool lost = kept->lost;

	*kept->text = NULL;
	if (lost) {
		free(kept->bytes);
	} else {
		kept->bytes[kept->used] = '\0';
		*kept->text = kept->bytes;
		*kept->length = kept->used;
	}
	free(kept);
	return lost ? -1 : 0;
}

FILE *text_stream(char **text, size_t *length)
{
	const cookie_io_functions_t functions = {.write = keep, .close = give};
	struct kept *kept = calloc(1, sizeof(*kept));
	FILE *stream = NULL;

	*text = NULL;
	*length = 0;
	if (kept) {
		kept->text = text;
		kept->length = length;
		kept->room = ROOM_FIRST;
		kept->bytes = malloc(kept->room);
		if (kept->bytes)
			stream = fopencookie(kept, "w", functions);
	}
	if (stream) {
		/* If the process ends before fclose(): leak checkers do not look into streams. */
		*text = (char *)kept;
	} else if (kept) {
		free(kept->bytes);
		free(kept);
	}
	return stream;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/path.h"

#include <string.h>

static const char cut[] = "...";

/* There is always room for `cut` and its NUL. */
static void append(struct path *path, const char *text, size_t length)
{
	if (path->length == PATH_ROOM)
		return;
	if (length > PATH_ROOM - sizeof(cut) - path->length) {
		memcpy(path->text + path->length, cut, sizeof(cut));
		path->length = PATH_ROOM;
		return;
	}
	memcpy(path->text + path->length, text, length);
	path->length += length;
	path->text[path->length] = '\0';
}

size_t path_enter(struct path *path, const char *name)
{
	size_t mark = path->length;

	append(path, "/", 1);
	while (*name) {
		size_t plain = strcspn(name, "~/");

		append(path, name, plain);
		name += plain;
		if (*name)
			append(path, *name++ == '~' ? "~0" : "~1", 2);
	}
	return mark;
}

void path_leave(struct path *path, size_t mark)
{
	path->length = mark;
	if (mark < PATH_ROOM)
		path->text[mark] = '\0';
}

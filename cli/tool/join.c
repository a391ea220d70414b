/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/join.h"

#include <string.h>

#include "tool/memory.h"

void join_add_bytes(struct join *join, const char *name, size_t length)
{
	static const char between[] = ", ";
	size_t need = join->length + sizeof(between) + length;

	if (need > join->room) {
		join->room = 2 * need;
		join->text = memory_resize(join->text, join->room, 1);
	}
	if (join->length > 0) {
		memcpy(join->text + join->length, between, sizeof(between) - 1);
		join->length += sizeof(between) - 1;
	}
	memcpy(join->text + join->length, name, length);
	join->length += length;
	join->text[join->length] = '\0';
}

void join_add(struct join *join, const char *name)
{
	join_add_bytes(join, name, strlen(name));
}

char *join_take(struct join *join)
{
	char *text = memory_resize(join->text, join->length + 1, 1);

	text[join->length] = '\0';
	*join = (struct join){0};
	return text;
}

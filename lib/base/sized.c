/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <string.h>

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

bool sized_read(void *to, size_t room, const void *from)
{
	const char *bytes = from;
	size_t size = size_of(from);

	if (size < sizeof(size))
		return false;
	for (size_t i = room; i < size; i++)
		if (bytes[i])
			return false;
	memset(to, 0, room);
	memcpy(to, from, size < room ? size : room);
	return true;
}

void sized_write(void *to, const void *from, size_t room)
{
	size_t size = size_of(to), shared = size < room ? size : room;

	if (size < sizeof(size))
		return;
	memset((char *)to + sizeof(size), 0, size - sizeof(size));
	memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size), shared - sizeof(size));
}

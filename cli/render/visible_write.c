/* SPDX-License-Identifier: Apache-2.0 */
#include "render/visible_write.h"

#include <string.h>

#include "base/visible.h"

void visible_write(FILE *stream, const char *text, size_t length, const char *not_these)
{
	while (length) {
		uint32_t code;
		size_t size = visible_character(text, length, &code);

		if (visible_length(text, size) < size)
			fputc('?', stream);
		else if (size == 1 && strchr(not_these, *text))
			fputc('_', stream);
		else
			fwrite(text, 1, size, stream);
		text += size;
		length -= size;
	}
}

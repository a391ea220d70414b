/* SPDX-License-Identifier: Apache-2.0 */
#include "render/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/visible.h"

/* Char of XML 1.0, section 2.2, without those that a terminal must not get. */
static bool is_allowed(const char *text, size_t size, uint32_t code)
{
	return code != VISIBLE_INVALID && visible_length(text, size) == size &&
	       !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff;
}

void xml_text(FILE *out, const char *text, const char *also)
{
	size_t left = strlen(text);

	while (left) {
		uint32_t code;
		const size_t size = visible_character(text, left, &code);

		if (!is_allowed(text, size, code))
			fputs("\xef\xbf\xbd", out);
		else if (size == 1 && (strchr("&<>\"'", *text) || (also && strchr(also, *text))))
			fprintf(out, "&#%u;", (unsigned)code);
		else
			fwrite(text, 1, size, out);
		text += size;
		left -= size;
	}
}

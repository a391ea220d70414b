/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

int text_compare(const char *a, const char *b)
{
	return text_compare_bytes(a, strlen(a), b);
}

int text_compare_bytes(const char *a, size_t length, const char *b)
{
	size_t i = 0;

	while (i < length && b[i] && text_lower(a[i]) == text_lower(b[i]))
		i++;

	unsigned char x = i < length ? (unsigned char)text_lower(a[i]) : 0;

	return x - (unsigned char)text_lower(b[i]);
}

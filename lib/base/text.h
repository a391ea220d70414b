/* SPDX-License-Identifier: Apache-2.0 */
/* Compares names ignoring the case of ASCII letters, independent of the locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* Converts 'A' to 'Z' to lower case; returns any other byte unchanged. */
static inline char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Compares two strings by bytes, ignoring the case of ASCII letters, like strcasecmp() in the C
 * locale. Returns a value less than, equal to or greater than zero.
 */
int text_compare(const char *a, const char *b);

/* Likewise for `length` bytes without a NUL and a string. */
int text_compare_bytes(const char *a, size_t length, const char *b);

#endif

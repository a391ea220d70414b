/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing names without regard to case, and to nothing else: the locale has no say in it. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* 'A' to 'Z' made small; every other byte as it is. */
static inline char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * The order of two strings by their bytes, letters of ASCII made small first; as strcasecmp() in
 * the C locale. Less than, equal to or greater than zero.
 */
int text_compare(const char *a, const char *b);

/* The same of `length` bytes, no NUL among them, and a string. */
int text_compare_bytes(const char *a, size_t length, const char *b);

#endif

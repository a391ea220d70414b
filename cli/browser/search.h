/* SPDX-License-Identifier: Apache-2.0 */
/* Finds text on a page. */
#ifndef BROWSER_SEARCH_H
#define BROWSER_SEARCH_H

#include "browser/page.h"

/*
 * Finds `wanted` in a line without its colours. Letters match in both cases, unless `wanted` has a
 * capital. Returns the column, and sets `*length` to the number of columns; -1: it is not there.
 */
long search_find(const char *text, size_t length, size_t from, const char *wanted, size_t *columns);

bool page_line_matches(const struct page_line *line, const char *wanted);
/*
 * Counts the rows of a group that match, and adds up their shares; on a page without rows, the
 * lines.
 */
size_t page_matches(const struct page *page, const char *wanted, uint32_t group, double *share);

#endif

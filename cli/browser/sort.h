/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the rows of a page. */
#ifndef BROWSER_SORT_H
#define BROWSER_SORT_H

#include "browser/page.h"

/* Sorts the rows of each table by a column: numbers from large to small, names from A to Z. */
void page_sort(struct page *page, size_t column, bool reversed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

struct order {
	struct mark_column column;
	bool reversed;
};

/* A row with what belongs to it, and how many lines these have. */
struct block {
	const struct page_line *line;
	size_t count;
};

/* Numbers from large to small, names from A to Z, missing values last. */
static int compare(const void *a, const void *b, void *user)
{
	const struct page_line *lines[2] = {((const struct block *)a)->line,
					    ((const struct block *)b)->line};
	const struct order *order = user;
	char text[2][256];
	char *after[2];
	double number[2];
	int result;

	for (int i = 0; i < 2; i++) {
		page_cell(lines[i], order->column, text[i], sizeof(text[i]));
		number[i] = strtod(text[i], &after[i]);
		if (strcmp(text[i], "-") == 0)
			number[i] = -INFINITY;
	}
	if (isinf(number[0]) || isinf(number[1]))
		return (number[0] < number[1]) - (number[0] > number[1]);
	if (after[0] != text[0] && after[1] != text[1] && number[0] != number[1])
		result = (number[0] < number[1]) - (number[0] > number[1]);
	else
		result = strcmp(text[0], text[1]);
	/* Rows that are equal stay in their order. */
	if (result == 0)
		return (lines[0]->text > lines[1]->text) - (lines[0]->text < lines[1]->text);
	return order->reversed ? -result : result;
}

/* Sorts the rows of one table: `count` lines. */
static void sort_rows(struct page_line *lines, size_t count, struct order *order)
{
	struct page_line *copy = memory_alloc(count * sizeof(*copy));
	struct block *blocks = memory_alloc(count * sizeof(*blocks));
	size_t block_count = 0, at = 0;

	memcpy(copy, lines, count * sizeof(*copy));
	for (size_t i = 0; i < count; i++) {
		const bool below = copy[i].mark && copy[i].mark->record.kind == MARK_BELOW;

		if ((page_is_row(&copy[i]) && !below) || block_count == 0)
			blocks[block_count++].line = &copy[i];
		blocks[block_count - 1].count++;
	}
	qsort_r(blocks, block_count, sizeof(*blocks), compare, order);
	for (size_t b = 0; b < block_count; b++) {
		memcpy(lines + at, blocks[b].line, blocks[b].count * sizeof(*lines));
		at += blocks[b].count;
	}
	free(copy);
	free(blocks);
}

void page_sort(struct page *page, size_t column, bool reversed)
{
	for (size_t at = 0, end; at < page->line_count; at = end) {
		const size_t heading = page->lines[at].heading;
		struct order order = {.reversed = reversed};

		end = at + 1;
		if (!heading)
			continue;
		while (end < page->line_count && page->lines[end].heading == heading)
			end++;
		if (!page_column(page->lines[heading - 1].mark, column, &order.column))
			continue;
		if (column + 1 == page_columns(page->lines[heading - 1].mark))
			order.column.end = 0;
		sort_rows(page->lines + at, end - at, &order);
	}
}

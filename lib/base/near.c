/* SPDX-License-Identifier: Apache-2.0 */
#include "base/near.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define MAX_EDITS 4

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * The algorithm of Lowrance and Wagner, with all four edits at cost 1. Row and column i + 1 stand
 * for the first i bytes; row and column 0 are a border too expensive to cross.
 */
unsigned near_distance(const char *a, const char *b)
{
	uint8_t table[NEAR_MAX_LENGTH + 2][NEAR_MAX_LENGTH + 2];
	uint8_t row_of[UINT8_MAX + 1] = {0}; /* the last row with this byte of `a` */
	size_t rows = strlen(a), columns = strlen(b);

	if (rows > NEAR_MAX_LENGTH || columns > NEAR_MAX_LENGTH)
		return UINT_MAX;
	for (size_t i = 0; i <= rows; i++) {
		table[i + 1][0] = (uint8_t)(rows + columns);
		table[i + 1][1] = (uint8_t)i;
	}
	for (size_t j = 0; j <= columns; j++) {
		table[0][j + 1] = (uint8_t)(rows + columns);
		table[1][j + 1] = (uint8_t)j;
	}
	table[0][0] = (uint8_t)(rows + columns);

	for (size_t i = 1; i <= rows; i++) {
		uint8_t from = (uint8_t)text_lower(a[i - 1]);
		size_t match = 0; /* the last column of this row where the byte of `b` is `from` */

		for (size_t j = 1; j <= columns; j++) {
			uint8_t to = (uint8_t)text_lower(b[j - 1]);
			size_t row = row_of[to];
			unsigned swapped = table[row][match] + (unsigned)(i - row - 1) + 1 +
					   (unsigned)(j - match - 1);
			unsigned replaced = table[i][j] + (from != to);
			unsigned other = least(table[i][j + 1], table[i + 1][j]) + 1u;

			table[i + 1][j + 1] = (uint8_t)least(least(swapped, replaced), other);
			if (from == to)
				match = j;
		}
		row_of[from] = (uint8_t)i;
	}
	return table[rows + 1][columns + 1];
}

struct near near_to(const char *word)
{
	size_t edits = (strlen(word) + 2) / 3;

	return (struct near){.word = word,
			     .distance = (edits < MAX_EDITS ? (unsigned)edits : MAX_EDITS) + 1};
}

void near_offer(struct near *near, const char *candidate, const char *meaning)
{
	unsigned distance = near_distance(near->word, candidate);

	/* If every byte changed, it is a different word. */
	if (distance < near->distance && distance < strlen(candidate)) {
		near->distance = distance;
		near->best = meaning;
	}
}

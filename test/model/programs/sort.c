/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and searching through pointers to functions; branches that depend on data. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 4000

static uint32_t values[COUNT];

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	uint32_t state = 1;
	unsigned found = 0;

	for (int i = 0; i < COUNT; i++) {
		state = state * 1103515245 + 12345;
		values[i] = state >> 16;
	}
	qsort(values, COUNT, sizeof(*values), compare);
	for (uint32_t key = 0; key < 1000; key++)
		found += bsearch(&key, values, COUNT, sizeof(*values), compare) != NULL;
	printf("%u %u %u\n", values[0], values[COUNT / 2], found);
	return 0;
}

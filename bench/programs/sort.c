/* SPDX-License-Identifier: Apache-2.0 */
/* Merge-sorts a million numbers: unpredictable branches, memory in order. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef COUNT
#define COUNT (1u << 20)
#endif

static uint32_t values[COUNT], spare[COUNT];

static void merge(const uint32_t *from, uint32_t *to, size_t middle, size_t end)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < end; i++)
		to[i] = left < middle && (right == end || from[left] <= from[right])
				? from[left++]
				: from[right++];
}

int main(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < COUNT; i++) {
		state = state * 1664525 + 1013904223;
		values[i] = state;
	}
	for (size_t length = 1; length < COUNT; length *= 2) {
		for (size_t i = 0; i < COUNT; i += 2 * length)
			merge(values + i, spare + i, length, 2 * length);
		memcpy(values, spare, sizeof(values));
	}
	for (size_t i = 1; i < COUNT; i++)
		if (values[i - 1] > values[i])
			return 1;
	printf("%u %u %u\n", values[0], values[COUNT / 2], values[COUNT - 1]);
	return 0;
}

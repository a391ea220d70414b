/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a text of words, compresses it by finding repeated strings, and decompresses it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT     (1u << 21)
#define LONGEST  255
#define SHORTEST 4
#define FARTHEST 65535
#define HEADS    (1u << 15)

static uint8_t text[TEXT], squeezed[2 * TEXT], again[TEXT];
static uint32_t heads[HEADS]; /* where three bytes last occurred, plus 1 */

static void write_text(void)
{
	char words[512][12];
	uint32_t state = 7;
	size_t at = 0;

	for (int i = 0; i < 512; i++) {
		int length = 2 + i % 9;

		for (int j = 0; j < length; j++) {
			state = state * 1664525 + 1013904223;
			words[i][j] = (char)('a' + (state >> 24) % 26);
		}
		words[i][length] = ' ';
		words[i][length + 1] = 0;
	}
	while (at < TEXT) {
		const char *word;
		size_t length;

		state = state * 1664525 + 1013904223;
		word = words[(state >> 23) * (state >> 8 & 511) >> 9];
		length = strlen(word);
		if (length > TEXT - at)
			length = TEXT - at;
		memcpy(text + at, word, length);
		at += length;
	}
}

static unsigned match(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
	unsigned length = 0;

	while (b + length < end && length < LONGEST && a[length] == b[length])
		length++;
	return length;
}

/* Each flag byte covers eight items: 0 is a byte; 1 is a distance of two bytes, and a length. */
static size_t squeeze(void)
{
	size_t out = 0, flags = 0, at = 0;

	for (unsigned items = 0; at < TEXT; items++) {
		unsigned length = 0, distance = 0;

		if (items % 8 == 0) {
			flags = out++;
			squeezed[flags] = 0;
		}
		if (at + 2 < TEXT) {
			uint32_t three = text[at] | text[at + 1] << 8 | text[at + 2] << 16;
			uint32_t *head = &heads[three * 2654435761u >> 17];

			distance = *head && at + 1 - *head <= FARTHEST ? (unsigned)(at + 1 - *head)
								       : 0;
			*head = (uint32_t)at + 1;
			if (distance)
				length = match(text + at - distance, text + at, text + TEXT);
		}
		if (length < SHORTEST) {
			squeezed[out++] = text[at++];
			continue;
		}
		squeezed[flags] |= (uint8_t)(1 << items % 8);
		squeezed[out++] = (uint8_t)distance;
		squeezed[out++] = (uint8_t)(distance >> 8);
		squeezed[out++] = (uint8_t)length;
		at += length;
	}
	return out;
}

static void expand(void)
{
	const uint8_t *in = squeezed;
	uint8_t flags = 0;
	size_t at = 0;

	for (unsigned items = 0; at < TEXT; items++) {
		if (items % 8 == 0)
			flags = *in++;
		if (flags >> items % 8 & 1) {
			unsigned distance = in[0] | (unsigned)in[1] << 8, length = in[2];

			for (in += 3; length; length--, at++)
				again[at] = again[at - distance];
		} else {
			again[at++] = *in++;
		}
	}
}

int main(void)
{
	size_t size;

	write_text();
	size = squeeze();
	expand();
	printf("%zu\n", size);
	return memcmp(text, again, TEXT) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPE data as tests write it: "b0 d0 c2 ... 71 2e", hexadecimal bytes with blanks between. */
#ifndef TEST_SPE_BYTES_H
#define TEST_SPE_BYTES_H

#include "check.h"

#define SPE_BYTES_MAX 1024

static size_t spe_bytes(const char *text, uint8_t bytes[SPE_BYTES_MAX])
{
	size_t size = 0;
	char *end;

	for (; *text; text = end) {
		unsigned long byte = strtoul(text, &end, 16);

		assert_true(end > text && byte < 256 && size < SPE_BYTES_MAX);
		bytes[size++] = (uint8_t)byte;
		end += strspn(end, " ");
	}
	return size;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>

bool number_read(const char *text, uint64_t most, uint64_t *number)
{
	static const struct {
		char letter;
		uint64_t factor;
	} units[] = {{'k', 1000}, {'K', 1000}, {'M', 1000000}, {'G', 1000000000}};
	const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	uint64_t value;
	char *end;

	/* strtoull() takes signs and blanks, too. */
	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	for (unsigned i = 0; base == 10 && i < sizeof(units) / sizeof(*units); i++) {
		if (*end != units[i].letter)
			continue;
		if (__builtin_mul_overflow(value, units[i].factor, &value))
			return false;
		end++;
		break;
	}
	/* "0x" alone ends at its x. */
	if (*end || errno || value > most)
		return false;
	*number = value;
	return true;
}

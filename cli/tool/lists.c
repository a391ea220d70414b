/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/lists.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/number.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define LIST_MAX       4096
#define CPU_NUMBER_MAX 65535

bool list_read(const char *option, const char *text, bool ranges, struct number_list *list)
{
	const uint64_t most = ranges ? CPU_NUMBER_MAX : INT_MAX;
	const char *at = text, *allowed = ranges ? "list CPUs as in 0-2,4"
						 : "list numbers, separated by commas";

	if (!text)
		return true;
	list->at = memory_resize(NULL, LIST_MAX, sizeof(*list->at));
	do {
		uint64_t first, last;

		if (!number_read_digits(at, most, &first, &at))
			return complain_value(option, text, most, allowed);
		last = first;
		if (ranges && *at == '-' && !number_read_digits(at + 1, most, &last, &at))
			return complain_value(option, text, most, allowed);
		if (last < first || (*at && *at != ','))
			return complain_value(option, text, most, allowed);
		if (last - first >= LIST_MAX - list->count)
			return complain_value(option, text, most, "list at most 4096");
		for (uint64_t i = first; i <= last; i++)
			list->at[list->count++] = (int)i;
	} while (*at++ == ',');
	return true;
}

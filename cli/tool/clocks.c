/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/clocks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CLOCKS 5

const char *const clock_names[CLOCKS + 1] = {
	"monotonic", "monotonic_raw", "realtime", "boottime", "tai", NULL,
};

/* In the order of their names. */
static const struct {
	uint32_t clock;
	const char *short_name;
} clocks[CLOCKS] = {
	{CLOCK_MONOTONIC, "mono"}, {CLOCK_MONOTONIC_RAW, "raw"}, {CLOCK_REALTIME, "real"},
	{CLOCK_BOOTTIME, "boot"},  {CLOCK_TAI, "tai"},
};

const char *clock_name(uint32_t clock)
{
	for (size_t i = 0; i < CLOCKS; i++)
		if (clocks[i].clock == clock)
			return clock_names[i];
	return "unknown";
}

bool clock_read(const char *text, int *clock)
{
	const char *word = strncasecmp(text, "CLOCK_", 6) == 0 ? text + 6 : text;
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	const bool is_number = *text >= '0' && *text <= '9' && *end == '\0';

	for (size_t i = 0; i < CLOCKS; i++) {
		if (strcasecmp(word, clock_names[i]) != 0 &&
		    strcasecmp(word, clocks[i].short_name) != 0 &&
		    !(is_number && number == clocks[i].clock))
			continue;
		*clock = (int)clocks[i].clock;
		return true;
	}
	return false;
}

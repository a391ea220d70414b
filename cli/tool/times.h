/* SPDX-License-Identifier: Apache-2.0 */
/* perf script's --time: "START,STOP", several of them, or parts of the whole in percent. */
#ifndef TOOL_TIMES_H
#define TOOL_TIMES_H

#include <plumb/error.h>

#define TIMES_MAX 64

struct time_ranges {
	size_t count; /* 0: all of it */
	struct {
		uint64_t start, end; /* ns; 0: open */
	} at[TIMES_MAX];
};

/* Whether `text` needs to know when the samples begin and end. */
bool times_need_bounds(const char *text);

/*
 * Parses it; `first` and `last` are the times of the first and last sample, which percentages are
 * of. Returns 0 or PLUMB_ERR_SYNTAX with a finding.
 */
int times_parse(struct time_ranges *times, const char *text, uint64_t first, uint64_t last,
		struct plumb_diagnostics *diagnostics);

bool times_match(const struct time_ranges *times, uint64_t time);

#endif

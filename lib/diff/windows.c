/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS "exact/INST_RETIRED/"

/* Adds the slots of an event's rows to those of the same rows of other events. */
static bool add_slots(struct diff_windows *windows, const struct profiled_event *event)
{
	for (size_t i = 0; i < event->public.row_count; i++) {
		const uint32_t row = event->order[i], at = joined_find(&windows->joined, row);

		if (at == NO_ROW ||
		    !groups_add_all(&windows->slots[at], windows->profile->rows[row].groups))
			return false;
	}
	return true;
}

bool diff_windows_begin(struct diff_windows *windows, const struct plumb_profile *profile)
{
	bool fits;

	*windows = (struct diff_windows){.profile = profile, .joined.profile = profile};
	windows->slots = calloc(profile->row_count + 1, sizeof(*windows->slots));
	windows->taken = calloc(profile->row_count + 1, sizeof(*windows->taken));
	fits = windows->slots && windows->taken;
	for (size_t e = 0; fits && e < profile->event_count; e++) {
		const struct profiled_event *event = &profile->events[e];

		if (event->public.name && strcmp(event->public.name, INSTRUCTIONS) == 0 &&
		    !event->public.left_out)
			windows->sizes = event->groups;
		if (slots_of(&event->public) != SLOTS_NONE)
			fits = add_slots(windows, event);
	}
	return fits;
}

void diff_windows_end(struct diff_windows *windows)
{
	for (size_t i = 0; windows->slots && i < windows->joined.count; i++)
		free(windows->slots[i]);
	free(windows->slots);
	free(windows->taken);
	joined_free(&windows->joined);
	*windows = (struct diff_windows){0};
}

static struct interval estimate(const struct diff_windows *windows, const double *groups)
{
	const struct plumb_profile_estimate sum =
		groups_sum(&windows->profile->grouping, groups, windows->sizes);

	return (struct interval){sum.value, sum.low, sum.high};
}

struct interval diff_windows_count(const struct diff_windows *windows, size_t event, size_t i)
{
	const struct profiled_event *of = &windows->profile->events[event];

	return estimate(windows, windows->profile->rows[of->order[i]].groups);
}

bool diff_windows_slots(struct diff_windows *windows, size_t event, size_t i,
			struct interval *slots)
{
	const uint32_t row = windows->profile->events[event].order[i];
	const uint32_t at = joined_find(&windows->joined, row);

	if (at == NO_ROW || windows->taken[at])
		return false;
	windows->taken[at] = true;
	*slots = estimate(windows, windows->slots[at]);
	return true;
}

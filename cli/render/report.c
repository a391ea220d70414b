/* SPDX-License-Identifier: Apache-2.0 */
#include "render/report.h"

#include <stdlib.h>

#include "tool/memory.h"

static const struct plumb_event_count *find(const struct report *report, uint16_t code)
{
	for (uint16_t i = 0; i < report->result->plan->code_count; i++)
		if (report->result->events[i].code == code)
			return &report->result->events[i];
	return NULL;
}

double report_count(const struct report *report, uint16_t code)
{
	const struct plumb_event_count *e = find(report, code);

	return e ? e->count.count : NAN;
}

static bool is_asked_for(const struct report *report, uint16_t code)
{
	const struct plumb_selection *selection = report->result->plan->selection;

	for (uint16_t i = 0; i < selection->code_count; i++)
		if (selection->codes[i] == code)
			return true;
	return false;
}

const struct plumb_event_count **report_events(const struct report *report, size_t *count)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	uint16_t all = report->result->plan->code_count;
	const struct plumb_event_count **events =
		memory_resize(NULL, (size_t)selection->code_count + all + 1, sizeof(void *));
	size_t used = 0;

	for (uint16_t i = 0; i < selection->code_count; i++) {
		events[used] = find(report, selection->codes[i]);
		used += events[used] != NULL;
	}
	for (uint16_t i = 0; report->verbose && i < all; i++)
		if (!is_asked_for(report, report->result->events[i].code))
			events[used++] = &report->result->events[i];
	*count = used;
	return events;
}

char *report_event(const struct report *report, uint16_t code)
{
	uint16_t event = plumb_spec_event_by_code(report->spec, code);

	if (event == PLUMB_NONE)
		return memory_format("r%x", code);
	return memory_format("%s", report->spec->events[event].name);
}

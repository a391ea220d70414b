/* SPDX-License-Identifier: Apache-2.0 */
#include "render/report.h"

#include <stdlib.h>

#include "tool/memory.h"

double report_count(const struct report *report, uint16_t code)
{
	uint16_t event = plumb_plan_event(report->result->plan, code);

	return event == PLUMB_NONE ? (double)NAN : report->result->events[event].count.count;
}

static bool is_asked_for(const struct report *report, const struct plumb_event_count *event)
{
	const struct plumb_selection *selection = report->result->plan->selection;

	for (uint16_t i = 0; i < selection->event_count; i++)
		if (selection->events[i].event == event->event)
			return true;
	return false;
}

/* A plan has those asked for first. */
const struct plumb_event_count **report_events(const struct report *report, size_t *count)
{
	const uint16_t all = report->result->plan->event_count;
	const struct plumb_event_count **events = memory_resize(NULL, all + 1u, sizeof(void *));

	*count = 0;
	for (uint16_t i = 0; i < all; i++)
		if (report->verbose || is_asked_for(report, &report->result->events[i]))
			events[(*count)++] = &report->result->events[i];
	return events;
}

/* The CPU's event that it is, into plumb_spec.events; PLUMB_NONE: it has none. */
static uint16_t find(const struct report *report, const struct plumb_event_config *event)
{
	return event->kind == PLUMB_EVENT_PMU
		       ? plumb_spec_event_by_code(report->spec, (uint16_t)event->config)
		       : PLUMB_NONE;
}

const char *report_event_name(const struct report *report, const struct plumb_event_count *event)
{
	const struct plumb_plan *plan = report->result->plan;
	const uint16_t index = find(report, event->event);

	if (index == PLUMB_NONE || plumb_plan_event(plan, (uint16_t)event->event->config) !=
					   (uint16_t)(event - report->result->events))
		return event->event->name;
	return report->spec->events[index].name;
}

const char *report_event_title(const struct report *report, const struct plumb_event_count *event)
{
	const uint16_t index = find(report, event->event);
	const struct plumb_event_name *name;

	if (index != PLUMB_NONE)
		return report->spec->events[index].title;
	for (size_t i = 0; (name = plumb_event_name(i)); i++)
		if (name->kind == PLUMB_EVENT_SOFTWARE && name->kind == event->event->kind &&
		    name->config == event->event->config)
			return name->title;
	return "";
}

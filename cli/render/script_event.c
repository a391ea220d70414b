/* SPDX-License-Identifier: Apache-2.0 */
/* What perf calls the events of a recording. */
#include <plumb/event.h>
#include <stdio.h>

#include "render/script.h"

#define GENERIC_EVENTS 9 /* of plumb_event_name(): as enum perf_hw_id numbers them */

/* PERF_COUNT_* */
#define SOFTWARE_DUMMY    9
#define HARDWARE_BRANCHES 4

bool script_is_dummy(const struct plumb_event_attr *attr)
{
	return attr->type == PLUMB_TYPE_SOFTWARE && attr->config == SOFTWARE_DUMMY;
}

/* perf's test for events whose every branch is a sample, which it prints as "from => to". */
bool script_is_branch_trace(const struct plumb_event_attr *attr)
{
	return attr->type == PLUMB_TYPE_HARDWARE && attr->config & HARDWARE_BRANCHES &&
	       attr->sample_period == 1;
}

static const char *software_name(uint64_t config)
{
	const struct plumb_event_name *name;

	for (size_t i = 0; (name = plumb_event_name(i)); i++) {
		if (name->kind == PLUMB_EVENT_SOFTWARE && name->config == config)
			return name->name;
	}
	return NULL;
}

const char *script_event_name(const struct plumb_recorded_event *event, char room[EVENT_NAME_ROOM])
{
	const struct plumb_event_attr *attr = &event->attr;
	const char *name = event->name;

	if (!name && attr->type == PLUMB_TYPE_HARDWARE && attr->config < GENERIC_EVENTS)
		name = plumb_event_name((size_t)attr->config)->name;
	if (!name && attr->type == PLUMB_TYPE_SOFTWARE)
		name = software_name(attr->config);
	if (name)
		return name;
	if (attr->type == PLUMB_TYPE_RAW)
		snprintf(room, EVENT_NAME_ROOM, "raw 0x%llx", (unsigned long long)attr->config);
	else
		snprintf(room, EVENT_NAME_ROOM, "unknown attr type: %u", attr->type);
	return room;
}

enum event_type script_event_type(const struct plumb_event_attr *attr)
{
	if (attr->type == PLUMB_TYPE_SYNTHETIC)
		return TYPE_SYNTH;
	return attr->type <= PLUMB_TYPE_BREAKPOINT ? (enum event_type)attr->type : TYPE_OTHER;
}

uint64_t script_period(const struct script_sample *sample)
{
	const struct plumb_event_attr *attr = &sample->event->attr;

	if (sample->spe || attr->sample_type & (PLUMB_SAMPLE_PERIOD | PLUMB_SAMPLE_READ))
		return sample->record->sample.period;
	return attr->sample_period;
}

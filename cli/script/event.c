/* SPDX-License-Identifier: Apache-2.0 */
/* Names of events that a recording has no names of: those in pipes of old perfs. */
#include <linux/perf_event.h>
#include <stdio.h>

#include "script.h"

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

bool script_is_dummy(const struct plumb_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

const char *script_event_name(const struct plumb_recorded_event *event, char room[EVENT_NAME_ROOM])
{
	const struct plumb_event_attr *attr = &event->attr;

	if (event->name)
		return event->name;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof(software) / sizeof(*software))
		return software[attr->config];
	if (attr->type == PERF_TYPE_RAW)
		snprintf(room, EVENT_NAME_ROOM, "raw 0x%llx", (unsigned long long)attr->config);
	else
		snprintf(room, EVENT_NAME_ROOM, "unknown attr type: %u", attr->type);
	return room;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What perf calls the events of a recording. */
#include <plumb/event.h>
#include <stdio.h>
#include <string.h>

#include "render/script.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define GENERIC_EVENTS 9 /* of plumb_event_name(): as enum perf_hw_id numbers them */

#define HARDWARE_BRANCHES 4 /* PERF_COUNT_HW_BRANCH_INSTRUCTIONS */

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
	return "unknown-software";
}

/* perf's name for a cache event: which cache, how it was accessed, and whether that missed. */
static void name_cache_event(uint64_t config, char room[EVENT_NAME_ROOM])
{
	static const char *const what[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					   "iTLB",      "branch",    "node"};
	static const char *const one[] = {"load", "store", "prefetch"};
	static const char *const many[] = {"loads", "stores", "prefetches"};
	const uint64_t cache = config & 0xff, access = config >> 8 & 0xff, misses = config >> 16;

	if (cache >= COUNT(what))
		snprintf(room, EVENT_NAME_ROOM, "unknown-ext-hardware-cache-type");
	else if (access >= COUNT(one))
		snprintf(room, EVENT_NAME_ROOM, "unknown-ext-hardware-cache-op");
	else if ((misses & 0xff) > 1)
		snprintf(room, EVENT_NAME_ROOM, "unknown-ext-hardware-cache-result");
	else if (misses & 0xff)
		snprintf(room, EVENT_NAME_ROOM, "%s-%s-misses", what[cache], one[access]);
	else
		snprintf(room, EVENT_NAME_ROOM, "%s-%s", what[cache], many[access]);
}

static bool has(const struct plumb_event_attr *attr, enum plumb_attr_flag flag)
{
	return attr->flags & PLUMB_ATTR_BIT(flag);
}

/* Appends what perf would: ":u" and so on, where the attribute differs from perf's default. */
static void add_modifiers(const struct plumb_event_attr *attr, char room[EVENT_NAME_ROOM])
{
	const unsigned precise = attr->flags >> PLUMB_ATTR_PRECISE_IP & 3;
	const bool user = has(attr, PLUMB_ATTR_EXCLUDE_USER);
	const bool kernel = has(attr, PLUMB_ATTR_EXCLUDE_KERNEL);
	const bool hypervisor = has(attr, PLUMB_ATTR_EXCLUDE_HV);
	const bool some = user || kernel || hypervisor;
	const bool host = has(attr, PLUMB_ATTR_EXCLUDE_HOST);
	const bool guest = has(attr, PLUMB_ATTR_EXCLUDE_GUEST);
	/* Guests are left out by default where anything else is asked for, too. */
	const bool which = host || guest == (some || precise);
	const size_t used = strlen(room);
	char modifiers[16];

	snprintf(modifiers, sizeof(modifiers), "%s%s%s%.*s%s%s", some && !kernel ? "k" : "",
		 some && !user ? "u" : "", some && !hypervisor ? "h" : "", (int)precise, "ppp",
		 which && !host ? "H" : "", which && !guest ? "G" : "");
	if (*modifiers)
		snprintf(room + used, EVENT_NAME_ROOM - used, ":%s", modifiers);
}

const char *script_event_name(const struct plumb_recorded_event *event, char room[EVENT_NAME_ROOM])
{
	const struct plumb_event_attr *attr = &event->attr;
	const char *name = NULL;

	if (event->name)
		return event->name;
	if (attr->type == PLUMB_TYPE_HARDWARE)
		name = attr->config < GENERIC_EVENTS ? plumb_event_name((size_t)attr->config)->name
						     : "unknown-hardware";
	if (attr->type == PLUMB_TYPE_SOFTWARE)
		name = software_name(attr->config);
	if (name)
		snprintf(room, EVENT_NAME_ROOM, "%s", name);
	else if (attr->type == PLUMB_TYPE_HW_CACHE)
		name_cache_event(attr->config, room);
	else if (attr->type == PLUMB_TYPE_RAW)
		snprintf(room, EVENT_NAME_ROOM, "raw 0x%llx", (unsigned long long)attr->config);
	else
		snprintf(room, EVENT_NAME_ROOM, "unknown attr type: %u", attr->type);
	if (name || attr->type == PLUMB_TYPE_RAW || attr->type == PLUMB_TYPE_HW_CACHE)
		add_modifiers(attr, room);
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

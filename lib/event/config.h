/* SPDX-License-Identifier: Apache-2.0 */
/* Compares events. */
#ifndef EVENT_CONFIG_H
#define EVENT_CONFIG_H

#include <string.h>

#include <plumb/event.h>

/* Tells whether it is a PMU event without restrictions, as metrics need. */
static inline bool event_is_plain(const struct plumb_event_config *event)
{
	return event->kind == PLUMB_EVENT_PMU && !event->config1 && !event->exclude_user &&
	       !event->exclude_kernel && !event->exclude_hv && !event->host && !event->guest &&
	       !event->exclude_idle && !event->pinned && !event->exclusive;
}

/* Tells whether both count the same, whatever their names, periods and groups. */
static inline bool event_counts_same(const struct plumb_event_config *a,
				     const struct plumb_event_config *b)
{
	if (a->kind == PLUMB_EVENT_OTHER && b->kind == PLUMB_EVENT_OTHER &&
	    strcmp(a->pmu, b->pmu) != 0)
		return false;
	return a->kind == b->kind && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
	       a->host == b->host && a->guest == b->guest && a->exclude_idle == b->exclude_idle &&
	       a->pinned == b->pinned && a->exclusive == b->exclusive;
}

/*
 * Returns the name of an event of a core's PMU as perf writes it where the types of cores have
 * PMUs of their own, "armv9_c1_pro/L1D_CACHE/u"; that of another event, or one that names its PMU,
 * as it is. Free it; NULL: out of memory.
 */
char *event_name_on_pmu(const struct plumb_event_config *event, const char *pmu);

#endif

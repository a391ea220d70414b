/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording, on each type of cores that is sampled. */
#ifndef SOURCE_TYPES_EVENTS_H
#define SOURCE_TYPES_EVENTS_H

#include "source/source.h"

struct types_events {
	struct plumb_event_config *all;
	const struct cpu_pmu *pmus[PLUMB_EVENTS_MAX]; /* NULL for what is no event of a core */
	char *names[PLUMB_EVENTS_MAX];                /* with their PMUs; or NULL */
	size_t count;
};

/*
 * Lists the events of `own`, then those of each of `besides`, named by their PMUs if there are any:
 * "armv9_c1_pro/cycles/u". What is no event of a core's PMU, and not in a group with one, is listed
 * once. Returns 0, LIMIT or NO_MEMORY. In all cases call types_events_free().
 */
int types_events_list(struct types_events *events, const struct plumb_source *source,
		      const struct plumb_event_list *own,
		      const struct plumb_recording_beside *besides, size_t beside_count);
void types_events_free(struct types_events *events);

#endif

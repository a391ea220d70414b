/* SPDX-License-Identifier: Apache-2.0 */
#include "source/types_events.h"

#include <stdlib.h>
#include <string.h>

#include "event/config.h"

/* Tells whether a group, or an event in none, has events of a core's PMU. */
static bool is_of_cores(const struct plumb_event_list *list, unsigned leader)
{
	const struct plumb_event_config *event;

	for (size_t i = leader; (event = plumb_event_list_get(list, i)); i++)
		if (event->leader == leader && event->kind == PLUMB_EVENT_PMU)
			return true;
	return false;
}

static int add_list(struct types_events *events, const struct plumb_source *source,
		    const struct plumb_event_list *list, bool own, bool several)
{
	const struct plumb_event_config *event;
	unsigned leader = 0; /* of the group, among all */

	for (size_t i = 0; (event = plumb_event_list_get(list, i)); i++) {
		const struct cpu_pmu *pmu = several ? source_pmu(source) : NULL;
		const bool of_cores = is_of_cores(list, event->leader);
		struct plumb_event_config *added;

		if (!own && !of_cores)
			continue;
		if (events->count == PLUMB_EVENTS_MAX)
			return PLUMB_ERR_LIMIT;
		if (event->leader == i)
			leader = (unsigned)events->count;
		added = &events->all[events->count];
		*added = *event;
		added->leader = leader;
		if (pmu && of_cores) {
			events->pmus[events->count] = pmu;
			added->name = events->names[events->count] =
				event_name_on_pmu(event, pmu->name);
			if (!added->name)
				return PLUMB_ERR_NO_MEMORY;
		}
		events->count++;
	}
	return PLUMB_OK;
}

int types_events_list(struct types_events *events, const struct plumb_source *source,
		      const struct plumb_event_list *own,
		      const struct plumb_recording_beside *besides, size_t beside_count)
{
	int error;

	*events = (struct types_events){.all = calloc(PLUMB_EVENTS_MAX, sizeof(*events->all))};
	if (!events->all)
		return PLUMB_ERR_NO_MEMORY;
	error = add_list(events, source, own, true, beside_count > 0);
	for (size_t i = 0; i < beside_count && error == PLUMB_OK; i++)
		error = add_list(events, besides[i].source, besides[i].events, false, true);
	return error;
}

void types_events_free(struct types_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->names[i]);
	free(events->all);
}

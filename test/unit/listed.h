/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of events by their texts, and what plans say about them. */
#ifndef TEST_LISTED_H
#define TEST_LISTED_H

#include <plumb/count.h>

static inline struct plumb_event_list *listed(const struct plumb_spec *spec, const char *text)
{
	const struct plumb_event_options options = {.size = sizeof(options), .spec = spec};
	struct plumb_event_list *list;

	assert_int_equal(plumb_event_list_new(&options, &list), 0);
	assert_int_equal(plumb_event_list_add(list, text, NULL), 0);
	return list;
}

/* The code, or the software event's number, of the i-th event of a group. */
static inline uint16_t group_code(const struct plumb_plan *plan,
				  const struct plumb_plan_group *group, uint16_t i)
{
	return (uint16_t)plan->events[group->events[i]]->config;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross-references, as in the cheat sheets and lookup tables of Arm's telemetry documents. Every
 * function takes time linear in the references it visits, even if they repeat.
 */
#include <plumb/spec.h>

#include <stddef.h>
#include <string.h>

#include "base/index_set.h"

static bool has(struct plumb_indexes list, uint16_t index)
{
	for (uint16_t i = 0; i < list.count; i++)
		if (list.at[i] == index)
			return true;
	return false;
}

/* The result being collected: the caller's array, its size, and the number of results found. */
struct answer {
	uint16_t *out;
	size_t room;
	size_t count;
};

static void give(struct answer *answer, uint16_t index)
{
	if (answer->count < answer->room)
		answer->out[answer->count] = index;
	answer->count++;
}

/* Collects which of `count` elements, of `size` bytes, have `index` in the list at offset `at`. */
static size_t find_holders(const void *elements, uint16_t count, size_t size, size_t at,
			   uint16_t index, uint16_t *out, size_t room)
{
	struct answer answer = {out, room, 0};

	for (uint16_t i = 0; i < count; i++) {
		struct plumb_indexes list;

		memcpy(&list, (const char *)elements + i * size + at, sizeof(list));
		if (has(list, index))
			give(&answer, i);
	}
	return answer.count;
}

#define FIND_HOLDERS(elements, count, list, index, out, room) \
	find_holders(elements, count, sizeof(*(elements)),    \
		     offsetof(__typeof__(*(elements)), list), index, out, room)

size_t plumb_spec_metrics_of_event(const struct plumb_spec *spec, uint16_t event, uint16_t *out,
				   size_t room)
{
	return FIND_HOLDERS(spec->metrics, spec->metric_count, events, event, out, room);
}

size_t plumb_spec_metrics_sampling_event(const struct plumb_spec *spec, uint16_t event,
					 uint16_t *out, size_t room)
{
	return FIND_HOLDERS(spec->metrics, spec->metric_count, sample_events, event, out, room);
}

size_t plumb_spec_functions_of_event(const struct plumb_spec *spec, uint16_t event, uint16_t *out,
				     size_t room)
{
	return FIND_HOLDERS(spec->functional_groups, spec->functional_group_count, events, event,
			    out, room);
}

size_t plumb_spec_groups_of_metric(const struct plumb_spec *spec, uint16_t metric, uint16_t *out,
				   size_t room)
{
	return FIND_HOLDERS(spec->metric_groups, spec->metric_group_count, metrics, metric, out,
			    room);
}

size_t plumb_spec_groups_of_event(const struct plumb_spec *spec, uint16_t event, uint16_t *out,
				  size_t room)
{
	struct answer answer = {out, room, 0};
	struct index_set metrics = {0};

	for (uint16_t m = 0; m < spec->metric_count; m++)
		if (has(spec->metrics[m].events, event))
			index_set_add(&metrics, m);
	for (uint16_t g = 0; g < spec->metric_group_count; g++) {
		struct plumb_indexes in = spec->metric_groups[g].metrics;
		uint16_t i = 0;

		while (i < in.count && !index_set_has(&metrics, in.at[i]))
			i++;
		if (i < in.count)
			give(&answer, g);
	}
	return answer.count;
}

size_t plumb_spec_events_of_group(const struct plumb_spec *spec, uint16_t metric_group,
				  uint16_t *out, size_t room)
{
	struct answer answer = {out, room, 0};
	struct index_set metrics = {0}, events = {0};

	if (metric_group >= spec->metric_group_count)
		return 0;

	struct plumb_indexes in = spec->metric_groups[metric_group].metrics;

	for (uint16_t i = 0; i < in.count; i++) {
		if (in.at[i] >= spec->metric_count || !index_set_add(&metrics, in.at[i]))
			continue;

		struct plumb_indexes needs = spec->metrics[in.at[i]].events;

		for (uint16_t e = 0; e < needs.count; e++)
			index_set_add(&events, needs.at[e]);
	}
	for (uint16_t e = 0; e < spec->event_count; e++)
		if (index_set_has(&events, e))
			give(&answer, e);
	return answer.count;
}

size_t plumb_methodology_leading_to(const struct plumb_methodology *methodology,
				    enum plumb_item_kind kind, uint16_t index, uint16_t *out,
				    size_t room)
{
	struct answer answer = {out, room, 0};

	for (uint16_t n = 0; n < methodology->node_count; n++) {
		const struct plumb_node *node = &methodology->nodes[n];

		for (uint16_t i = 0; i < node->next_item_count; i++)
			if (node->next_items[i].kind == kind &&
			    node->next_items[i].index == index) {
				give(&answer, n);
				break;
			}
	}
	return answer.count;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *named_at(const struct named *named, uint16_t i)
{
	return *(const char *const *)((const char *)named->elements + i * named->size);
}

static int by_index(uint16_t a, uint16_t b)
{
	return (a > b) - (a < b);
}

int compare_indexes(const void *left, const void *right)
{
	return by_index(*(const uint16_t *)left, *(const uint16_t *)right);
}

static int compare_names(const void *left, const void *right, void *named)
{
	uint16_t a = *(const uint16_t *)left, b = *(const uint16_t *)right;
	int order = text_compare(named_at(named, a), named_at(named, b));

	return order ? order : by_index(a, b);
}

static int compare_bytes(const void *left, const void *right, void *named)
{
	uint16_t a = *(const uint16_t *)left, b = *(const uint16_t *)right;
	int order = strcmp(named_at(named, a), named_at(named, b));

	return order ? order : by_index(a, b);
}

static int compare_codes(const void *left, const void *right, void *events)
{
	uint16_t a = *(const uint16_t *)left, b = *(const uint16_t *)right;
	const struct plumb_event *at = events;

	return at[a].code != at[b].code ? by_index(at[a].code, at[b].code) : by_index(a, b);
}

static uint16_t *sort(struct arena *arena, uint16_t count,
		      int compare(const void *, const void *, void *), const void *elements)
{
	uint16_t *order = arena_alloc_array(arena, count, sizeof(*order));

	if (!order)
		return NULL;
	for (uint16_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare, (void *)(uintptr_t)elements);
	return order;
}

uint16_t *named_sort(const struct named *named, struct arena *arena, bool ignore_case)
{
	return sort(arena, named->count, ignore_case ? compare_names : compare_bytes, named);
}

uint16_t named_find(const struct named *named, const uint16_t *order, const char *name)
{
	uint16_t low = 0, high = named->count;

	while (low < high) {
		uint16_t middle = (uint16_t)(low + (high - low) / 2);

		if (strcmp(named_at(named, order[middle]), name) < 0)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	if (low == named->count || strcmp(named_at(named, order[low]), name) != 0)
		return PLUMB_NONE;
	return order[low];
}

int spec_index(struct plumb_spec *spec, struct arena *arena)
{
	struct named events = NAMED(spec->events, spec->event_count);
	struct named metrics = NAMED(spec->metrics, spec->metric_count);

	spec->events_by_name = named_sort(&events, arena, true);
	spec->events_by_code = sort(arena, spec->event_count, compare_codes, spec->events);
	spec->metrics_by_name = named_sort(&metrics, arena, true);
	return spec->events_by_name && spec->events_by_code && spec->metrics_by_name
		       ? 0
		       : PLUMB_ERR_NO_MEMORY;
}

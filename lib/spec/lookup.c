/* SPDX-License-Identifier: Apache-2.0 */
/* Finds elements of a specification by name, title or code. */
#include <plumb/spec.h>

#include <string.h>

#include "base/text.h"
#include "spec/lookup.h"

uint32_t plumb_spec_midr(const struct plumb_spec *spec)
{
	const struct plumb_product *p = &spec->product;

	return (uint32_t)p->implementer << 24 | (p->major_revision & 0xfu) << 20 | 0xfu << 16 |
	       (p->part & 0xfffu) << 4 | (p->minor_revision & 0xfu);
}

/* Returns the name of element `i`, of any kind. */
typedef const char *name_of(const struct plumb_spec *spec, uint16_t i);

static const char *event_name(const struct plumb_spec *spec, uint16_t i)
{
	return spec->events[i].name;
}

static const char *event_title(const struct plumb_spec *spec, uint16_t i)
{
	return spec->events[i].title;
}

static const char *metric_name(const struct plumb_spec *spec, uint16_t i)
{
	return spec->metrics[i].name;
}

static const char *metric_title(const struct plumb_spec *spec, uint16_t i)
{
	return spec->metrics[i].title;
}

static const char *metric_group_name(const struct plumb_spec *spec, uint16_t i)
{
	return spec->metric_groups[i].name;
}

static const char *functional_group_name(const struct plumb_spec *spec, uint16_t i)
{
	return spec->functional_groups[i].name;
}

/*
 * Searches `order`, which holds every index below `count` once, by bisection. If names differ only
 * in case, prefers an exact match, else returns the first.
 */
static uint16_t find_sorted(const struct plumb_spec *spec, const uint16_t *order, uint16_t count,
			    name_of *name_at, const char *name, size_t length)
{
	uint16_t low = 0, high = count;

	while (low < high) {
		uint16_t middle = (uint16_t)(low + (high - low) / 2);

		if (text_compare_bytes(name, length, name_at(spec, order[middle])) > 0)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	for (uint16_t i = low; i < count; i++) {
		const char *at = name_at(spec, order[i]);

		if (text_compare_bytes(name, length, at) != 0)
			break;
		if (strncmp(name, at, length) == 0)
			return order[i];
	}
	if (low < count && text_compare_bytes(name, length, name_at(spec, order[low])) == 0)
		return order[low];
	return PLUMB_NONE;
}

static uint16_t find_unsorted(const struct plumb_spec *spec, uint16_t count, name_of *name_at,
			      const char *name)
{
	uint16_t found = PLUMB_NONE;

	for (uint16_t i = 0; i < count; i++) {
		const char *at = name_at(spec, i);

		if (text_compare(name, at) != 0)
			continue;
		if (strcmp(name, at) == 0)
			return i;
		if (found == PLUMB_NONE)
			found = i;
	}
	return found;
}

uint16_t spec_event_bytes(const struct plumb_spec *spec, const char *name, size_t length)
{
	return find_sorted(spec, spec->events_by_name, spec->event_count, event_name, name, length);
}

uint16_t spec_metric_bytes(const struct plumb_spec *spec, const char *name, size_t length)
{
	return find_sorted(spec, spec->metrics_by_name, spec->metric_count, metric_name, name,
			   length);
}

uint16_t plumb_spec_event(const struct plumb_spec *spec, const char *name)
{
	return spec_event_bytes(spec, name, strlen(name));
}

uint16_t plumb_spec_event_by_title(const struct plumb_spec *spec, const char *title)
{
	return find_unsorted(spec, spec->event_count, event_title, title);
}

uint16_t plumb_spec_metric(const struct plumb_spec *spec, const char *name)
{
	return spec_metric_bytes(spec, name, strlen(name));
}

uint16_t plumb_spec_metric_by_title(const struct plumb_spec *spec, const char *title)
{
	return find_unsorted(spec, spec->metric_count, metric_title, title);
}

uint16_t plumb_spec_metric_group(const struct plumb_spec *spec, const char *name)
{
	return find_unsorted(spec, spec->metric_group_count, metric_group_name, name);
}

uint16_t plumb_spec_functional_group(const struct plumb_spec *spec, const char *name)
{
	return find_unsorted(spec, spec->functional_group_count, functional_group_name, name);
}

uint16_t plumb_spec_event_by_code(const struct plumb_spec *spec, uint16_t code)
{
	uint16_t low = 0, high = spec->event_count;

	while (low < high) {
		uint16_t middle = (uint16_t)(low + (high - low) / 2);

		if (spec->events[spec->events_by_code[middle]].code < code)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	if (low == spec->event_count || spec->events[spec->events_by_code[low]].code != code)
		return PLUMB_NONE;
	return spec->events_by_code[low];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The values of stacks: which types there are, and what samples add to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/stacks_parts.h"

/* The events of SPE records that are values of their own, with perf's names. */
static const struct {
	enum plumb_spe_event event;
	enum plumb_spe_group group;
} spe_events[] = {
	{PLUMB_SPE_EV_L1D_REFILL, PLUMB_SPE_GROUP_L1D_MISS},
	{PLUMB_SPE_EV_L2D_MISS, PLUMB_SPE_GROUP_L2D_MISS},
	{PLUMB_SPE_EV_LLC_MISS, PLUMB_SPE_GROUP_LLC_MISS},
	{PLUMB_SPE_EV_REMOTE_ACCESS, PLUMB_SPE_GROUP_REMOTE_ACCESS},
	{PLUMB_SPE_EV_TLB_WALK, PLUMB_SPE_GROUP_TLB_MISS},
	{PLUMB_SPE_EV_MISPREDICTED, PLUMB_SPE_GROUP_BRANCH_MISS},
};
#define SPE_EVENTS (sizeof(spe_events) / sizeof(*spe_events))

/* ---- Types ------------------------------------------------------------------------------------
 */

static int add_type(struct stacks *s, const struct stacks_type *type)
{
	if (!stacks_reserve(&s->types, s->type_count, &s->type_room, sizeof(*s->types)))
		return PLUMB_ERR_NO_MEMORY;
	s->types[s->type_count++] = *type;
	return 0;
}

static int add_spe_types(struct stacks *s, struct stacks_type type)
{
	int status;

	type.kind = STACKS_SAMPLES;
	status = add_type(s, &type);
	type.main = false;
	type.kind = STACKS_LATENCY;
	type.name = "latency";
	type.unit = "cycles";
	if (status == 0)
		status = add_type(s, &type);
	type.kind = STACKS_EVENT;
	type.unit = "count";
	for (size_t i = 0; status == 0 && i < SPE_EVENTS; i++) {
		type.name = plumb_spe_group_name(spe_events[i].group);
		status = add_type(s, &type);
	}
	return status;
}

/* Adds the types of an event that has not been seen before. */
static int add_types(struct stacks *s, const struct plumb_profile_event *event)
{
	struct stacks_type type = {.name = event->name ? event->name : "unnamed event",
				   .unit = "count",
				   .event = event->event,
				   .main = true,
				   .exact = event->exact,
				   .slots = slots_of(event)};
	int status;

	if (event->spe)
		return add_spe_types(s, type);
	if (type.slots != SLOTS_NONE)
		type.unit = "slots";
	status = add_type(s, &type);
	if (status < 0 || event->exact)
		return status;
	type.main = false;
	type.kind = STACKS_SAMPLES;
	return add_type(s, &type);
}

int stacks_find_types(struct stacks *s, const struct profiled_event *event, uint32_t *first)
{
	const size_t index = (size_t)(event - s->profile->events);
	uint32_t *grown;

	if (index >= s->first_count) {
		grown = reallocarray(s->first, index + 1, sizeof(*grown));
		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		s->first = grown;
		s->first[index] = (uint32_t)s->type_count;
		s->first_count = index + 1;
		if (add_types(s, &event->public) < 0)
			return PLUMB_ERR_NO_MEMORY;
	}
	*first = s->first[index];
	return 0;
}

/* "exact/CPU_CYCLES/" is CPU_CYCLES. */
static const char *short_name(struct stacks *s, const char *name)
{
	const size_t length = strlen(name);
	char *text;

	if (strncmp(name, "exact/", 6) != 0 || length < 8 || name[length - 1] != '/')
		return name;
	text = strndup(name + 6, length - 7);
	name = text ? text_table_keep(&s->profile->texts, text) : NULL;
	free(text);
	return name;
}

/* The event's name is part of the name of its samples if several have them. */
static int name_type(struct stacks *s, struct stacks_type *type, size_t sampled)
{
	char *text;

	if (type->kind == STACKS_PERIOD) {
		type->name = short_name(s, type->name);
	} else if (type->kind == STACKS_SAMPLES && sampled == 1) {
		type->name = "samples";
	} else if (type->kind == STACKS_SAMPLES) {
		if (asprintf(&text, "%s samples", type->name) < 0)
			return PLUMB_ERR_NO_MEMORY;
		type->name = text_table_keep(&s->profile->texts, text);
		free(text);
	}
	return type->name ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* Numbers the types that have the same name: "cycles", "cycles#2". */
static int tell_apart(struct stacks *s, struct code_table *names, size_t *times)
{
	for (size_t i = 0; i < s->type_count; i++) {
		struct stacks_type *type = &s->types[i];
		const char *kept = text_table_keep(&s->profile->texts, type->name);
		const uint64_t word = (uintptr_t)kept;
		uint32_t number;
		bool fresh;
		char *text;

		if (!kept || stacks_number(names, &word, &number, &fresh) < 0)
			return PLUMB_ERR_NO_MEMORY;
		if (++times[number] == 1)
			continue;
		if (asprintf(&text, "%s#%zu", kept, times[number]) < 0)
			return PLUMB_ERR_NO_MEMORY;
		type->name = text_table_keep(&s->profile->texts, text);
		free(text);
		if (!type->name)
			return PLUMB_ERR_NO_MEMORY;
	}
	return 0;
}

static int name_types(struct stacks *s)
{
	struct code_table names = {.words = 1, .most = UINT32_MAX - 1};
	size_t *times = calloc(s->type_count + 1, sizeof(*times)), sampled = 0;
	int status = times ? 0 : PLUMB_ERR_NO_MEMORY;

	for (size_t i = 0; i < s->type_count; i++)
		sampled += s->types[i].kind == STACKS_SAMPLES;
	for (size_t i = 0; status == 0 && i < s->type_count; i++)
		status = name_type(s, &s->types[i], sampled);
	if (status == 0)
		status = tell_apart(s, &names, times);
	codes_free(&names);
	free(times);
	return status;
}

/* ---- Values -----------------------------------------------------------------------------------
 */

static int add_value(struct stacks *s, uint32_t row, uint32_t type, uint64_t value)
{
	const uint64_t word = (uint64_t)row << 32 | type;
	uint64_t *sum;
	uint32_t cell;
	bool fresh;

	if (!value)
		return 0;
	if (!stacks_reserve(&s->cells, s->cell_count, &s->cell_room, sizeof(*s->cells)) ||
	    stacks_number(&s->by_cell, &word, &cell, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (fresh)
		s->cells[s->cell_count++] = (struct stacks_cell){.row = row, .type = type};
	sum = &s->cells[cell].value;
	*sum = add_saturating(*sum, value);
	s->types[type].total = add_saturating(s->types[type].total, value);
	if (!(s->by & STACKS_TIMES) || s->types[type].exact)
		return 0;
	if (!stacks_reserve(&s->moments, s->moment_count, &s->moment_room, sizeof(*s->moments)))
		return PLUMB_ERR_NO_MEMORY;
	s->moments[s->moment_count++] =
		(struct stacks_moment){.time = s->time, .value = value, .row = row, .type = type};
	return 0;
}

static int add_spe_values(struct stacks *s, uint32_t row, uint32_t type,
			  const struct plumb_samples_item *item)
{
	const struct plumb_spe_record *spe = item->spe;
	int status = add_value(s, row, type++, profile_period(item));

	if (status == 0 && spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY)
		status = add_value(s, row, type, spe->counters[PLUMB_SPE_TOTAL_LATENCY]);
	for (size_t i = 0; status == 0 && i < SPE_EVENTS; i++)
		if (spe->has & PLUMB_SPE_HAS_EVENTS &&
		    spe->events & PLUMB_SPE_EVENT_BIT(spe_events[i].event))
			status = add_value(s, row, type + 1 + (uint32_t)i, 1);
	return status;
}

int stacks_add_values(struct stacks *s, uint32_t row, uint32_t first,
		      const struct plumb_samples_item *item)
{
	struct groups_stream stream;
	int status;

	if (item->spe)
		return add_spe_values(s, row, first, item);
	if (s->types[first].exact &&
	    item->record->event->attr.sample_type & PLUMB_SAMPLE_STREAM_ID &&
	    groups_read(item->record->stream_id, &stream))
		groups_know(&s->grouping, &stream);
	status = add_value(s, row, first, profile_period(item));
	if (status == 0 && !s->types[first].exact)
		status = add_value(s, row, first + 1, 1);
	return status;
}

static int compare_cells(const void *a, const void *b)
{
	const struct stacks_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

int stacks_finish(struct stacks *s)
{
	size_t cell = 0;

	codes_free(&s->by_cell); /* soon its numbers are wrong */
	if (s->cell_count)
		qsort(s->cells, s->cell_count, sizeof(*s->cells), compare_cells);
	for (size_t i = 0; i < s->row_count; i++) {
		s->rows[i].first = cell;
		while (cell < s->cell_count && s->cells[cell].row == i)
			cell++;
		s->rows[i].cells = cell - s->rows[i].first;
	}
	return name_types(s);
}

uint64_t stacks_value(const struct stacks *s, size_t row, size_t type)
{
	const struct stacks_cell wanted = {.row = (uint32_t)row, .type = (uint32_t)type};
	const struct stacks_row *of = &s->rows[row];
	const struct stacks_cell *cell = NULL;

	if (of->cells)
		cell = bsearch(&wanted, &s->cells[of->first], of->cells, sizeof(*s->cells),
			       compare_cells);
	return cell ? cell->value : 0;
}

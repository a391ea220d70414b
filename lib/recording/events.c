/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording, and which of them a record is of. */
#include "recording/reader.h"

#include <stdlib.h>

static size_t bits(uint64_t type, uint64_t mask)
{
	return (size_t)__builtin_popcountll(type & mask);
}

/* Where the members stand that order and sort records, as <linux/perf_event.h> lays them out. */
static void lay_out(struct known_event *known)
{
	const uint64_t type = known->event.attr.sample_type;
	const uint64_t before_time = PLUMB_SAMPLE_IDENTIFIER | PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID;
	const uint64_t after_id =
		PLUMB_SAMPLE_STREAM_ID | PLUMB_SAMPLE_CPU | PLUMB_SAMPLE_IDENTIFIER;

	known->has_time = type & PLUMB_SAMPLE_TIME;
	known->has_id = type & (PLUMB_SAMPLE_IDENTIFIER | PLUMB_SAMPLE_ID);
	known->sample_time = RECORD_HEADER + 8 * bits(type, before_time);
	known->sample_id = RECORD_HEADER;
	known->trailer_id = 8;
	if (!(type & PLUMB_SAMPLE_IDENTIFIER)) {
		known->sample_id +=
			8 * bits(type, before_time | PLUMB_SAMPLE_TIME | PLUMB_SAMPLE_ADDR);
		known->trailer_id += 8 * bits(type, after_id);
	}
	known->trailer_time = 8 + 8 * bits(type, after_id | PLUMB_SAMPLE_ID);
	if (known->event.attr.flags & PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL))
		known->trailer = 8 * bits(type, after_id | PLUMB_SAMPLE_ID | PLUMB_SAMPLE_TID |
							PLUMB_SAMPLE_TIME);
}

static bool laid_out_alike(const struct plumb_event_attr *a, const struct plumb_event_attr *b)
{
	const uint64_t id_all = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL);

	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       (a->flags & id_all) == (b->flags & id_all) &&
	       a->sample_regs_user == b->sample_regs_user &&
	       a->sample_regs_intr == b->sample_regs_intr &&
	       a->branch_sample_type == b->branch_sample_type;
}

/* ---- Ids ------------------------------------------------------------------------------------- */

static size_t slot_of(const struct id_table *table, uint64_t id)
{
	size_t mask = table->room - 1;
	size_t i = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;

	while (table->slots[i].event && table->slots[i].id != id)
		i = (i + 1) & mask;
	return i;
}

static int table_grow(struct id_table *table)
{
	struct id_table grown = {.room = table->room ? 2 * table->room : 64};

	grown.slots = calloc(grown.room, sizeof(*grown.slots));
	if (!grown.slots)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < table->room; i++) {
		if (table->slots[i].event)
			grown.slots[slot_of(&grown, table->slots[i].id)] = table->slots[i];
	}
	grown.count = table->count;
	free(table->slots);
	*table = grown;
	return 0;
}

/* The first event that has an id keeps it. */
static int table_add(struct id_table *table, uint64_t id, const struct known_event *event)
{
	size_t i;

	if (2 * table->count >= table->room && table_grow(table) < 0)
		return PLUMB_ERR_NO_MEMORY;
	i = slot_of(table, id);
	if (!table->slots[i].event) {
		table->slots[i].id = id;
		table->slots[i].event = event;
		table->count++;
	}
	return 0;
}

/* More threads than any recording has; a damaged one must not take all memory. */
#define INHERITED_MAX (1 << 18)

static size_t inherited_slot(const struct inherited *table, uint64_t id, int32_t tid)
{
	const size_t mask = table->room - 1;
	const uint64_t key = id ^ (uint64_t)(uint32_t)tid << 32;
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (table->slots[i].used && (table->slots[i].id != id || table->slots[i].tid != tid))
		i = (i + 1) & mask;
	return i;
}

static bool inherited_grow(struct inherited *table)
{
	struct inherited grown = {.room = table->room ? 2 * table->room : 64,
				  .count = table->count};

	grown.slots = calloc(grown.room, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < table->room; i++)
		if (table->slots[i].used)
			grown.slots[inherited_slot(&grown, table->slots[i].id,
						   table->slots[i].tid)] = table->slots[i];
	free(table->slots);
	*table = grown;
	return true;
}

/* Returns where the thread's last count is, or NULL if there are too many threads. */
static uint64_t *inherited_count(struct inherited *table, uint64_t id, int32_t tid)
{
	size_t i;

	if (2 * table->count >= table->room &&
	    (table->count >= INHERITED_MAX || !inherited_grow(table)))
		return NULL;
	i = inherited_slot(table, id, tid);
	if (!table->slots[i].used) {
		table->slots[i].used = true;
		table->slots[i].id = id;
		table->slots[i].tid = tid;
		table->count++;
	}
	return &table->slots[i].count;
}

uint64_t events_count(struct plumb_recording *r, uint64_t id, int32_t tid, uint64_t count,
		      uint64_t offset, const struct plumb_recorded_event **event)
{
	const size_t slot = r->ids.room ? slot_of(&r->ids, id) : 0;
	uint64_t *last, before;

	if (!r->ids.room || !r->ids.slots[slot].event)
		return 0;
	*event = &r->ids.slots[slot].event->event;
	last = &r->ids.slots[slot].count;
	if ((*event)->attr.flags & PLUMB_ATTR_BIT(PLUMB_ATTR_INHERIT))
		last = inherited_count(&r->inherited, id, tid);
	if (!last)
		return 0;
	before = *last;
	*last = count;
	if (count >= before)
		return count - before;
	reader_complain(
		r, COMPLAINT_DAMAGED, offset,
		"a count of event %s is less than the one before it: no sample is made of it",
		(*event)->name ? (*event)->name : "without a name");
	return 0;
}

const struct known_event *events_find(const struct plumb_recording *r, uint64_t id)
{
	return r->ids.room ? r->ids.slots[slot_of(&r->ids, id)].event : NULL;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static int reserve(struct plumb_recording *r)
{
	size_t room = r->event_room ? 2 * r->event_room : 8;
	struct known_event **grown;

	if (r->event_count < r->event_room)
		return 0;
	grown = reallocarray(r->events, room, sizeof(struct known_event *));
	if (!grown)
		return out_of_memory(r);
	r->events = grown;
	r->event_room = room;
	return 0;
}

static int add_ids(struct plumb_recording *r, struct known_event *known, const uint8_t *ids,
		   size_t count)
{
	uint64_t *copy = arena_alloc_array(&r->arena, count, sizeof(*copy));

	if (!copy)
		return out_of_memory(r);
	for (size_t i = 0; i < count; i++) {
		copy[i] = read64(r, ids + 8 * i);
		if (table_add(&r->ids, copy[i], known) < 0)
			return out_of_memory(r);
	}
	known->event.ids = copy;
	known->event.id_count = count;
	r->id_count += count;
	return 0;
}

int events_add(struct plumb_recording *r, const struct plumb_event_attr *attr, const uint8_t *ids,
	       size_t count)
{
	struct known_event *known;

	if (r->event_count >= EVENTS_LIMIT || count > IDS_LIMIT - r->id_count)
		return refuse(r, PLUMB_ERR_LIMIT, "too-many-events",
			      "more than %u events, or %u ids of events", EVENTS_LIMIT, IDS_LIMIT);
	if (reserve(r) < 0)
		return PLUMB_ERR_NO_MEMORY;
	known = arena_alloc(&r->arena, sizeof(*known));
	if (!known)
		return out_of_memory(r);
	known->event.attr = *attr;
	lay_out(known);
	r->uniform = r->event_count == 0 ||
		     (r->uniform && laid_out_alike(attr, &r->events[0]->event.attr));
	r->events[r->event_count++] = known;
	return count > 0 ? add_ids(r, known, ids, count) : 0;
}

void events_name(struct plumb_recording *r, const struct known_event *event, const char *name,
		 size_t length)
{
	/* Of the recording's own memory, as is what `event` leads to. The first name stays. */
	struct known_event *known = (struct known_event *)(uintptr_t)event;

	if (!known->event.name && length > 0)
		known->event.name = arena_copy(&r->arena, name, length);
}

void events_free(struct plumb_recording *r)
{
	free(r->events);
	free(r->ids.slots);
	free(r->inherited.slots);
}

/* ---- Which event a record is of ------------------------------------------------------------- */

static const struct known_event *find_by_id(struct plumb_recording *r, const struct raw_record *raw)
{
	const struct known_event *first = r->events[0];
	size_t place = first->sample_id;

	if (!first->has_id)
		return NULL;
	if (raw->type != PLUMB_RECORD_SAMPLE) {
		if (first->trailer == 0 || raw->size < RECORD_HEADER + first->trailer)
			return NULL;
		place = raw->size - first->trailer_id;
	}
	if (place + 8 > raw->size)
		return NULL;
	return events_find(r, read64(r, raw->bytes + place));
}

/* The time, or 0: none. Those that perf made up for what was there before have 0 too. */
static uint64_t time_of(const struct plumb_recording *r, const struct raw_record *raw)
{
	const struct known_event *layout = raw->layout;
	size_t place = layout->sample_time;
	uint64_t time;

	if (!layout->has_time)
		return 0;
	if (raw->type != PLUMB_RECORD_SAMPLE) {
		if (raw->size < RECORD_HEADER + layout->trailer || layout->trailer == 0)
			return 0;
		place = raw->size - layout->trailer_time;
	}
	if (place + 8 > raw->size)
		return 0;
	time = read64(r, raw->bytes + place);
	return time == UINT64_MAX ? 0 : time;
}

void events_locate(struct plumb_recording *r, struct raw_record *raw)
{
	raw->layout = NULL;
	raw->identified = false;
	raw->time = 0;
	if (r->event_count == 0 || raw->type >= PLUMB_RECORD_HEADER_ATTR)
		return;
	raw->layout = r->events[0];
	raw->identified = r->event_count == 1;
	if (r->event_count > 1) {
		const struct known_event *found = find_by_id(r, raw);

		raw->identified = found;
		if (found)
			raw->layout = found;
		else if (raw->type == PLUMB_RECORD_SAMPLE && !r->uniform)
			raw->layout = NULL;
	}
	if (raw->layout)
		raw->time = time_of(r, raw);
}

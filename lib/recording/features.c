/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header's features. The bytes of each are kept: what is decoded points into them. Names of
 * events and build-ids are decoded here, what the recording says about its machine in info.c.
 */
#include "recording/access.h"
#include "recording/reader.h"

#include <stdlib.h>

#define BUILD_ID_RECORD  36u /* struct perf_record_header_build_id up to the path */
#define BUILD_ID_MAX     20u
#define BUILD_IDS_LIMIT  (256u << 10)
#define BUILD_PATH_LIMIT 4096u

struct build_id_entry {
	uint8_t id[BUILD_ID_MAX];
	size_t size;
	char path[];
};

/* ---- EVENT_DESC: names ----------------------------------------------------------------------- */

/* Finds an event by its first id, or by its place if it has none. */
static const struct known_event *described(const struct plumb_recording *r, size_t i,
					   const uint8_t *ids, uint32_t id_count)
{
	if (id_count > 0)
		return events_find(r, read64(r, ids));
	return i < r->event_count && r->events[i]->event.id_count == 0 ? r->events[i] : NULL;
}

static bool take_event_names(struct plumb_recording *r)
{
	struct cursor in = cursor_over_feature(r, PLUMB_FEATURE_EVENT_DESC);
	const uint32_t count = take32(&in), attr_size = take32(&in);

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *attr = take_bytes(&in, attr_size), *ids;
		const uint32_t id_count = take32(&in);
		const char *name = take_counted_string(&in);
		const struct known_event *event;

		ids = take_bytes(&in, 8 * (uint64_t)id_count);
		if (!attr || !name || !ids)
			return false;
		event = described(r, i, ids, id_count);
		if (event)
			events_name(r, event, name, strlen(name));
	}
	return !in.short_of;
}

/* ---- Build-ids ------------------------------------------------------------------------------- */

static size_t build_id_slot(const struct build_ids *ids, const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (const char *c = path; *c; c++)
		hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	i = (size_t)(hash ^ hash >> 32) & (ids->room - 1);
	while (ids->slots[i] && strcmp(ids->slots[i]->path, path) != 0)
		i = (i + 1) & (ids->room - 1);
	return i;
}

static int build_ids_grow(struct build_ids *ids)
{
	struct build_ids grown = {.room = ids->room ? 2 * ids->room : 64, .count = ids->count};

	grown.slots = calloc(grown.room, sizeof(struct build_id_entry *));
	if (!grown.slots)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < ids->room; i++) {
		if (ids->slots[i])
			grown.slots[build_id_slot(&grown, ids->slots[i]->path)] = ids->slots[i];
	}
	free(ids->slots);
	*ids = grown;
	return 0;
}

static int build_id_add(struct plumb_recording *r, const uint8_t *id, size_t size, const char *path,
			size_t length)
{
	struct build_ids *ids = &r->build_ids;
	struct build_id_entry *entry;
	size_t slot;

	if (ids->count >= BUILD_IDS_LIMIT || length >= BUILD_PATH_LIMIT)
		return 0;
	if (2 * ids->count >= ids->room && build_ids_grow(ids) < 0)
		return out_of_memory(r);
	slot = build_id_slot(ids, path);
	if (ids->slots[slot])
		return 0;
	entry = arena_alloc(&r->arena, sizeof(*entry) + length + 1);
	if (!entry)
		return out_of_memory(r);
	memcpy(entry->id, id, size);
	entry->size = size;
	memcpy(entry->path, path, length);
	ids->slots[slot] = entry;
	ids->count++;
	return 0;
}

int build_id_keep(struct plumb_recording *r, const uint8_t *record, size_t size)
{
	const char *path = (const char *)record + BUILD_ID_RECORD;
	size_t id_size = BUILD_ID_MAX, length;

	if (size <= BUILD_ID_RECORD)
		return 0;
	length = strnlen(path, size - BUILD_ID_RECORD);
	if (length == size - BUILD_ID_RECORD)
		return 0;
	if (read16(r, record + 4) & PLUMB_MISC_BUILD_ID_SIZE && record[32] < BUILD_ID_MAX)
		id_size = record[32];
	return build_id_add(r, record + 12, id_size, path, length);
}

static int take_build_ids(struct plumb_recording *r, bool *whole)
{
	struct cursor in = cursor_over_feature(r, PLUMB_FEATURE_BUILD_ID);

	*whole = true;
	while (cursor_left(&in) >= 8) {
		const size_t size = read16(r, in.at + 6);
		const uint8_t *record = size >= 8 ? take_bytes(&in, size) : NULL;
		int err = record ? build_id_keep(r, record, size) : 0;

		*whole = record;
		if (err || !record)
			return err;
	}
	return 0;
}

const uint8_t *recording_build_id(const struct plumb_recording *r, const char *path, size_t *size)
{
	const struct build_id_entry *entry = NULL;

	if (r->build_ids.room)
		entry = r->build_ids.slots[build_id_slot(&r->build_ids, path)];
	*size = entry ? entry->size : 0;
	return entry ? entry->id : NULL;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int decode(struct plumb_recording *r, unsigned number, bool *whole)
{
	*whole = true;
	switch (number) {
	case PLUMB_FEATURE_EVENT_DESC:
		*whole = take_event_names(r);
		return 0;
	case PLUMB_FEATURE_BUILD_ID:
		return take_build_ids(r, whole);
	default:
		return info_decode(r, number, whole);
	}
}

int feature_keep(struct plumb_recording *r, unsigned number, const uint8_t *bytes, size_t size)
{
	struct kept_feature *feature = &r->features[number];
	uint8_t *copy;
	bool whole;
	int err;

	/* Callers may hold pointers into the first one, so it stays. */
	if (feature->bytes || size > FEATURES_LIMIT - r->features_size)
		return 0;
	copy = malloc(size + 1);
	if (!copy)
		return out_of_memory(r);
	memcpy(copy, bytes, size);
	feature->bytes = copy;
	feature->size = size;
	r->features_size += size;
	err = decode(r, number, &whole);
	if (!whole)
		reader_complain(r, COMPLAINT_FEATURE, 0, "feature %u is malformed", number);
	return err;
}

void features_free(struct plumb_recording *r)
{
	for (unsigned number = 0; number < FEATURE_COUNT; number++)
		free(r->features[number].bytes);
	free(r->build_ids.slots);
}

bool plumb_recording_has_feature(const struct plumb_recording *r, unsigned number)
{
	return number < FEATURE_COUNT && r->features[number].bytes;
}

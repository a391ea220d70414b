/* SPDX-License-Identifier: Apache-2.0 */
/* What each sample of stacks says, so that any range of time can be added up by any of its keys. */
#include <stdlib.h>

#include "profile/stacks_parts.h"

static const uint8_t keys[STACKS_PARTS][STACKS_PART_KEYS + 1] = {
	[STACKS_CODE] = {PLUMB_KEY_SYMBOL, PLUMB_KEY_DSO, PLUMB_KEY_COMM, PLUMB_KEY_PID,
			 PLUMB_KEY_TID, PLUMB_KEY_IP, PLUMB_KEY_SRCLINE, PLUMB_PROFILE_KEYS},
	[STACKS_OPERATION] = {PLUMB_KEY_OP, PLUMB_KEY_SUBCLASS, PLUMB_KEY_ACCESS,
			      PLUMB_KEY_DATA_SOURCE, PLUMB_PROFILE_KEYS},
	[STACKS_DATA] = {PLUMB_KEY_PAGE, PLUMB_KEY_CACHE_LINE, PLUMB_KEY_OFFSET,
			 PLUMB_PROFILE_KEYS},
};

int stacks_part_key(enum stacks_part part, size_t i)
{
	return keys[part][i] < PLUMB_PROFILE_KEYS ? keys[part][i] : -1;
}

static size_t key_count(enum stacks_part part)
{
	size_t count = 0;

	while (stacks_part_key(part, count) >= 0)
		count++;
	return count;
}

/* Keeps the texts of values that are new. */
static int keep_texts(struct stacks *s, enum stacks_part part, const uint64_t (*values)[2],
		      const struct plumb_location *location)
{
	struct stacks_values *to = &s->values[part];
	const size_t count = key_count(part);
	char room[PLUMB_PROFILE_TEXT];
	uint64_t linked = location->file ? location->address : location->ip;

	for (size_t i = 0; i < count; i++) {
		const char *text = key_text(s->profile, keys[part][i], values[i], room);

		if (!stacks_reserve(&to->texts, to->count * count + i, &s->text_room[part],
				    sizeof(*to->texts)))
			return PLUMB_ERR_NO_MEMORY;
		if (text && !(text = text_table_keep(&s->profile->texts, text)))
			return PLUMB_ERR_NO_MEMORY;
		to->texts[to->count * count + i] = text;
	}
	if (!stacks_reserve(&to->linked, to->count, &s->linked_room[part], sizeof(*to->linked)))
		return PLUMB_ERR_NO_MEMORY;
	if (location->file)
		plumb_symbolizer_link_address(s->profile->symbolizer, location, &linked);
	to->linked[to->count++] = linked;
	return 0;
}

static int find_part(struct stacks *s, enum stacks_part part, const struct frame_values *frame,
		     uint32_t *number)
{
	/* Looking up a key may look up other places. */
	const struct plumb_location location = frame->place->location;
	uint64_t values[STACKS_PART_KEYS][2] = {{0}};
	bool fresh;

	for (size_t i = 0; i < key_count(part); i++)
		if (!key_value(s->profile, keys[part][i], frame, values[i]))
			return PLUMB_ERR_NO_MEMORY;
	s->by_part[part].words = 2 * key_count(part);
	s->by_part[part].most = UINT32_MAX - 1;
	if (stacks_number(&s->by_part[part], values[0], number, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	return fresh ? keep_texts(s, part, (const uint64_t(*)[2])values, &location) : 0;
}

static void set_record(struct stacks_detail *detail, const struct plumb_spe_record *spe)
{
	const uint64_t events = spe->has & PLUMB_SPE_HAS_EVENTS ? spe->events : 0;
	const bool missed = events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL);

	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
		if (spe->has & (unsigned)PLUMB_SPE_HAS_TOTAL_LATENCY << kind)
			detail->latencies[kind] = spe->counters[kind];
	if (missed || events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_ACCESS))
		detail->flags |= STACKS_ACCESS;
	if (missed)
		detail->flags |= STACKS_MISS;
	if (events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_MISPREDICTED))
		detail->flags |= STACKS_MISPREDICTED;
	if (events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED))
		detail->flags |= STACKS_RETIRED;
}

int stacks_add_detail(struct stacks *s, const struct stacks_detail *detail,
		      const struct frame_values *frame)
{
	struct stacks_detail made = *detail;
	int status = 0;

	if (s->crowded || s->detail_count == s->details_most) {
		if (!s->crowded)
			stacks_free_details(s);
		s->crowded = true;
		return 0;
	}
	if (!stacks_reserve(&s->details, s->detail_count, &s->detail_room, sizeof(*s->details)))
		return PLUMB_ERR_NO_MEMORY;
	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
		made.latencies[kind] = STACKS_NO_LATENCY;
	if (frame->item->spe)
		set_record(&made, frame->item->spe);
	for (enum stacks_part part = 0; status == 0 && part < STACKS_PARTS; part++)
		status = find_part(s, part, frame, &made.parts[part]);
	if (status == 0)
		s->details[s->detail_count++] = made;
	return status;
}

void stacks_free_details(struct stacks *s)
{
	free(s->details);
	s->details = NULL;
	s->detail_count = 0;
	for (enum stacks_part part = 0; part < STACKS_PARTS; part++) {
		free(s->values[part].texts);
		free(s->values[part].linked);
		codes_free(&s->by_part[part]);
		s->values[part] = (struct stacks_values){0};
	}
}

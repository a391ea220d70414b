/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make stacks share; others need stacks.h alone. */
#ifndef PROFILE_STACKS_PARTS_H
#define PROFILE_STACKS_PARTS_H

#include "profile/stacks.h"

/* A place in the code of a sample, which is looked up. */
struct stacks_lookup {
	struct stacks *stacks;
	const struct plumb_samples_item *item;
	const struct profiled_event *event;
	struct place *place;
};

/*
 * stacks.c: makes room for another element of the array at `array`, which `*room` elements of
 * `size` bytes fit in. Returns false if out of memory.
 */
bool stacks_reserve(void *array, size_t count, size_t *room, size_t size);
/*
 * Finds or makes the number of some words, and tells whether it is new. Returns 0, or NO_MEMORY,
 * also if there are as many as the table allows.
 */
int stacks_number(struct code_table *table, const uint64_t *words, uint32_t *number, bool *fresh);

/* Adds an item of the stream. Returns 0 or NO_MEMORY. */
int stacks_add_item(struct stacks *stacks, const struct plumb_samples_item *item);

/* stacks_code.c: finds or makes the code at the place, with its lines. Returns 0 or NO_MEMORY. */
int stacks_find_code(const struct stacks_lookup *at, uint32_t *number);

/*
 * stacks_values.c: finds the first type of an event that the profile knows, or makes its types.
 * Returns 0 or NO_MEMORY.
 */
int stacks_find_types(struct stacks *stacks, const struct profiled_event *event, uint32_t *first);
/* Adds the values of a sample to a row, from the event's first type on. Returns 0 or NO_MEMORY. */
int stacks_add_values(struct stacks *stacks, uint32_t row, uint32_t first,
		      const struct plumb_samples_item *item);
/* stacks_details.c: keeps what a sample says. Returns 0 or NO_MEMORY. */
int stacks_add_detail(struct stacks *stacks, const struct stacks_detail *detail,
		      const struct frame_values *frame);
void stacks_free_details(struct stacks *stacks);
/* stacks_values.c: names the types and sorts the values, after the last sample. Returns 0 or
 * NO_MEMORY. */
int stacks_finish(struct stacks *stacks);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact profile of one core: counts by calling context and instruction. A visit is a block in a
 * context; its instructions have adjacent lines. What every execution of an instruction counts is
 * counted per visit, and the rest, such as lost slots, in a list of cells per line, and misses in
 * an array: memory is in proportion to the code executed, and these only exist where something was
 * lost or missed.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include "contexts.h"
#include "core.h"
#include "exact_events.h"

/* The events that the memory side counts. */
#define EXACT_MEMORY_FIRST EXACT_MEM_ACCESS_RD
#define EXACT_MEMORY_COUNT (EXACT_COUNT - EXACT_MEMORY_FIRST)

/* If it is of a kind of loss, its count is of slots, and that of the next cell of cycles. */
struct profile_cell {
	int64_t count;
	uint32_t next;  /* of the same line; 0: none */
	uint32_t event; /* enum exact_event; from EXACT_COUNT on, a kind of loss */
};

/* Which events count the slots and the cycles of a loss; EXACT_COUNT: none. */
#define PROFILE_KINDS 96
struct profile_kind {
	uint8_t slots, cycles[3];
};

struct profile_line {
	uint64_t cycles;  /* whose first operation it was */
	uint64_t fetches; /* of a chunk of code that begins with it */
	uint64_t narrow;  /* slots lost because rename is narrower than dispatch */
	uint32_t cells;   /* index of the first; 0: none */
	uint32_t memory;  /* index of what it counts at the memory side, from PROFILE_OFTEN on; */
			  /* before that, how often it has missed, which is counted in cells */
};
#define PROFILE_OFTEN 1024

/* Of an instruction that has missed, or did anything else out of the ordinary. */
struct profile_memory {
	uint64_t counted; /* bits: those that may not be 0 */
	int64_t counts[EXACT_MEMORY_COUNT];
};

struct profile_visit {
	const struct block *block;
	uint64_t executions; /* of the whole block */
	uint32_t context;
	uint32_t lines; /* index of the first instruction's */
	uint32_t next;  /* the visit that followed last time */
	bool changed;   /* it is in the profile's list */
};

/* A visit whose counts have changed since they were told. */
struct profile_change {
	uint32_t context, visit;
};

struct profile {
	struct profile_line *lines;
	struct profile_cell *cells;
	struct profile_memory *memories;
	struct profile_visit *visits;
	size_t line_count, line_room;
	size_t cell_count, cell_room;
	size_t memory_count, memory_room;
	size_t visit_count, visit_room;
	struct profile_change *changes;
	size_t change_count, change_room;
	size_t changed; /* instructions of those visits */
	struct profile_kind kinds[PROFILE_KINDS];
	uint32_t *table; /* hash table of visits, by context and block */
	size_t table_mask;
	bool failed; /* out of memory: the profile is incomplete */
};

/* False if out of memory. Blocks must outlive the profile. */
bool profile_set_up(struct profile *profile);
void profile_clean_up(struct profile *profile);

/*
 * Returns the visit of `block` in `context`, after that of number `before` (or any number).
 * UINT32_MAX if out of memory.
 */
uint32_t profile_visit(struct profile *profile, uint32_t before, uint32_t context,
		       const struct block *block);

void profile_add_new(struct profile *profile, uint32_t line, unsigned event, int64_t count);
void profile_lose_new(struct profile *profile, uint32_t line, unsigned kind, int64_t slots,
		      int64_t cycles);
/* Returns the first of the two cells of a kind, of a line. 0 if out of memory. */
uint32_t profile_loss(struct profile *profile, uint32_t line, unsigned kind);
void profile_note_new(struct profile *profile, uint32_t visit);

/* Notes that counts of a visit change from now on. */
static inline void profile_note(struct profile *profile, uint32_t visit)
{
	if (!profile->visits[visit].changed)
		profile_note_new(profile, visit);
}

/* Likewise of the visit that a line belongs to, if there is one. */
void profile_note_line(struct profile *profile, uint32_t line);

/*
 * Returns the cell of an event or a kind, or 0. It becomes the line's first: the same few counts
 * follow one another.
 */
static inline uint32_t profile_cell(struct profile *profile, uint32_t line, unsigned event)
{
	uint32_t *first = &profile->lines[line].cells, at = *first, before = 0;
	struct profile_cell *cells = profile->cells;

	while (at && cells[at].event != event) {
		before = at;
		at = cells[at].next;
	}
	if (at && before) {
		cells[before].next = cells[at].next;
		cells[at].next = *first;
		*first = at;
	}
	return at;
}

/* Adds to a count of a line. */
static inline void profile_add(struct profile *profile, uint32_t line, unsigned event,
			       int64_t count)
{
	const uint32_t at = profile_cell(profile, line, event);

	if (at)
		profile->cells[at].count += count;
	else
		profile_add_new(profile, line, event, count);
}

/* Adds lost slots and cycles to a line; of a kind, which is at most PROFILE_KINDS - 1. */
static inline void profile_lose(struct profile *profile, uint32_t line, unsigned kind,
				uint64_t slots, uint64_t cycles)
{
	const uint32_t at = profile_cell(profile, line, EXACT_COUNT + kind);

	profile->lines[line].cycles += cycles;
	if (at) {
		profile->cells[at].count += (int64_t)slots;
		profile->cells[at + 1].count += (int64_t)cycles;
	} else {
		profile_lose_new(profile, line, kind, (int64_t)slots, (int64_t)cycles);
	}
}

/*
 * Likewise, of several events of one line in ascending order: `*from` begins as 0. A line has its
 * events in much the same order, so that each is looked for after the one before.
 */
static inline void profile_add_after(struct profile *profile, uint32_t line, uint32_t *from,
				     unsigned event, int64_t count)
{
	uint32_t at = *from ? profile->cells[*from].next : 0;

	while (at && profile->cells[at].event != event)
		at = profile->cells[at].next;
	if (!at)
		at = profile->lines[line].cells;
	while (at && profile->cells[at].event != event)
		at = profile->cells[at].next;
	if (at) {
		profile->cells[at].count += count;
		*from = at;
	} else {
		profile_add_new(profile, line, event, count);
	}
}

void profile_memory_new(struct profile *profile, uint32_t line);

/*
 * Returns where to add what a line counts at the memory side, or NULL if that has cells: an array
 * is quicker, but larger, so it is for lines that often miss.
 */
static inline struct profile_memory *profile_memory(struct profile *profile, uint32_t line)
{
	struct profile_line *missing = &profile->lines[line];

	if (missing->memory < PROFILE_OFTEN && ++missing->memory == PROFILE_OFTEN)
		profile_memory_new(profile, line);
	return missing->memory < PROFILE_OFTEN
		       ? NULL
		       : &profile->memories[missing->memory - PROFILE_OFTEN];
}

/* The counts of an instruction. */
struct profile_counts {
	uint64_t of[EXACT_COUNT];                  /* events: enum exact_event */
	uint64_t counted[(EXACT_COUNT + 63) / 64]; /* bits: those that may not be 0 */
};

/* Called with the counts of an instruction in a context; never with all zeros. */
typedef void profile_told(void *user, uint32_t context, uint64_t pc,
			  const struct profile_counts *counts);

/*
 * Tells all counts since the last time, by context and address in ascending order, and clears them.
 */
void profile_tell(struct profile *profile, profile_told *told, void *user);

/*
 * Likewise those of the visits that were noted since then, by context; an instruction that several
 * blocks have may be told several times. Takes time in proportion to what changed.
 */
void profile_tell_changes(struct profile *profile, profile_told *told, void *user);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of an exact profile. The plugin tells them bit by bit; each is added to a sum, which
 * is a sample's period. If the recording can be changed, each sum has one sample, whose period
 * grows; otherwise what has been added since is a sample of its own, now and then.
 *
 * The sums of a thread are written only between two moments at which its counts add up: a killed
 * recorder leaves sums that belong together. Only what a thread tells at its end, of places that
 * are new, is written as it comes: whoever is killed meanwhile leaves a part of it.
 *
 * In a sampled run, a sum is of a group of windows, or of what was counted in full: sampled.h. How
 * often windows count is known at the end only, so all sums are written then. If the recording can
 * be changed, they are also written now and then, as if the run ended there; a recorder
 * that is killed while it does so leaves some sums by the estimate from before.
 */
#ifndef SOURCE_MODEL_EXACT_SUMS_H
#define SOURCE_MODEL_EXACT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <plumb/recording.h>

#include "exact_events.h"
#include "sampling.h"
#include "source/model/replaced.h"
#include "source/model/sampled.h"

#define EXACT_NONE UINT32_MAX /* an index of nothing */

/* What the counts of a place belong to. */
struct exact_key {
	uint64_t ip;
	uint64_t address; /* of the data, for accesses to lines; else 0 */
	uint64_t code;    /* which code of those that were at `ip`, and its callers': replaced.h */
	uint32_t profile;
	uint32_t context; /* for accesses to lines: their kind and how many bytes */
	uint32_t group;   /* of windows */
};

struct exact_place {
	struct exact_key key;
	uint32_t chain;     /* index of its calling context */
	uint32_t last;      /* index of its last sum, or EXACT_NONE */
	uint32_t following; /* index of the place that was told after it */
};

/* A slot of a hash table: a place's hash, and its index plus 1; 0: none. */
struct exact_slot {
	uint32_t hash, index;
};

/* The sum of one event's counts at a place. There are many, so each is small. */
struct exact_sum {
	uint64_t added;    /* since its thread's counts last added up */
	uint64_t told;     /* before that, and not written yet */
	uint64_t sum;      /* in the file; without its scale */
	uint64_t time;     /* of its sample: when something was added last before it was told */
	uint64_t position; /* of its period, in the file; 0: none, or it cannot be changed */
	uint32_t place;    /* index of its place */
	uint32_t next;     /* index of the place's next sum; the last one's is the first */
	uint16_t event;
	bool is_current; /* what was told is in the file, except that exact_sums_written() is due */
	bool is_added;
};

/* What a sample of a sum in a sampled run has. */
struct exact_values {
	uint64_t stream, period;
};

/* A calling context, and the thread that was in it. */
struct exact_chain {
	uint32_t profile, context; /* their numbers */
	uint32_t slot, depth;
	struct model_frame frame; /* the last time that it was told */
	uint64_t code;            /* which code is at the callers' addresses: replaced.h */
	size_t addresses;         /* index of the first */
	bool last;                /* each of its places is told once more at most */
	bool passing;             /* no sum is in it: another may take its place */
};

struct exact_sums {
	/* As in struct plumb_recording_job. */
	uint64_t (*position)(void *user);
	int (*change)(void *user, const struct plumb_recording_change *changes, size_t count);
	void *user;
	bool in_place; /* new samples can be changed, by those; otherwise there are more and more */
	bool scaled;   /* groups of windows have a scale: nothing is written until it is known */
	struct sampled_groups groups;
	struct replaced replaced;

	struct exact_place *places;
	size_t place_count, place_room;
	struct exact_slot *table; /* hash table of places */
	size_t table_room;
	uint32_t place; /* index of the place at hand */
	uint32_t last;  /* of that: index of the sum added to last, or of its last sum */
	uint64_t time;  /* of what is added to it */

	struct exact_sum *at;
	size_t count, room;
	uint32_t *added; /* indices of the sums to which something was */
	uint64_t *told;  /* bits: of which sums something was told and not written */
	struct plumb_recording_change *changes; /* as many: being written */
	size_t added_count, told_count;

	uint64_t together[EXACT_COUNT]; /* what samples have that bring several counts, in all */
	uint32_t together_tid;          /* the thread that they are of; 0: none yet */

	struct exact_chain *chains;
	size_t chain_count, chain_room;
	uint32_t *chain_table;
	size_t chain_table_room;
	uint64_t *addresses;
	size_t address_count, address_room;
};

/*
 * Makes a calling context known, or the thread's time in one that is known. Returns its index, or
 * UINT32_MAX if out of memory.
 */
uint32_t exact_sums_chain(struct exact_sums *sums, const struct exact_chain *chain,
			  const uint64_t *addresses);
/*
 * Likewise one that is told for the last time. Without sums of its own it is forgotten with the
 * next one that has index `before`, which takes its place.
 */
uint32_t exact_sums_pass(struct exact_sums *sums, const struct exact_chain *chain,
			 const uint64_t *addresses, uint32_t before);
/*
 * Has exact_sums_add() add to the sums of a place, in a calling context that is known. Returns
 * false if out of memory.
 */
bool exact_sums_enter(struct exact_sums *sums, const struct exact_key *key, uint32_t chain);
/* Returns whether a place has been entered before. */
bool exact_sums_know(const struct exact_sums *sums, const struct exact_key *key);
/* Likewise adds to the sum of an event; soonest if events come in ascending order. */
bool exact_sums_add(struct exact_sums *sums, unsigned event, uint64_t count);
/* The counts of a profile add up: what was added may be written. */
void exact_sums_told(struct exact_sums *sums, uint32_t profile);
/*
 * Returns the index of the next sum, from `index` on, of which something was told and not written;
 * SIZE_MAX if there is none.
 */
size_t exact_sums_next_told(const struct exact_sums *sums, size_t index);
/*
 * Everything told was written, with samples for those sums that had no position: changes the
 * periods that have one. Returns 0 or an error of `change`.
 */
int exact_sums_written(struct exact_sums *sums);
/*
 * Likewise in a sampled run: changes all periods, and all streams, which are `before` bytes before
 * them. `values` computes both.
 */
int exact_sums_written_scaled(struct exact_sums *sums, unsigned before,
			      struct exact_values (*values)(const struct exact_sums *sums,
							    const struct exact_sum *sum));
/* There is another file, without any sample. */
void exact_sums_restart(struct exact_sums *sums);
void exact_sums_clean_up(struct exact_sums *sums);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of an exact profile that were written so far. The plugin tells them bit by bit; each
 * has one sample, whose period becomes their sum.
 *
 * Samples of a thread change only between two moments at which its counts add up, all at once: a
 * killed recorder leaves sums that belong together.
 */
#ifndef SOURCE_MODEL_EXACT_SUMS_H
#define SOURCE_MODEL_EXACT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <plumb/recording.h>

/* What a count belongs to. Without padding: compared by its bytes. */
struct exact_key {
	uint64_t ip;
	uint32_t profile, context;
	uint64_t event;
};

struct exact_sum {
	struct exact_key key;
	uint64_t sum;
	uint64_t position; /* of its period, in the file */
	bool changed;      /* the file has another period */
};

struct exact_sums {
	/* As in struct plumb_recording_job. */
	uint64_t (*position)(void *user);
	int (*change)(void *user, const struct plumb_recording_change *changes, size_t count);
	void *user;

	struct exact_sum *at;
	size_t count, room;
	uint32_t *table; /* hash table of indices plus 1; 0: none */
	size_t table_room;
	uint32_t *changed;                      /* indices */
	struct plumb_recording_change *changes; /* as many: being written */
	size_t changed_count;
};

/*
 * Adds to a sum. Returns it, or NULL if out of memory. If its position is 0 it is new, and the
 * caller has to write its sample.
 */
struct exact_sum *exact_sums_add(struct exact_sums *sums, const struct exact_key *key,
				 uint64_t count);
/*
 * Writes the sums of a profile that have changed, all of whose samples were handed over. Returns 0
 * or an error of `change`.
 */
int exact_sums_write(struct exact_sums *sums, uint32_t profile);
void exact_sums_clean_up(struct exact_sums *sums);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the thread of an SPE record: its context packet's, or else the one that runs on its ring's
 * CPU, or else the ring's own. Differences to perf are marked.
 */
#ifndef RECORDING_ATTRIBUTION_H
#define RECORDING_ATTRIBUTION_H

#include <string.h>

#include <plumb/spe.h>

#include "recording/rings.h"
#include "recording/tasks.h"

/* A thread that was looked up before. */
struct known_thread {
	bool known;
	int32_t tid, pid; /* pid -1: unknown */
};
#define KNOWN_THREADS 16

struct attribution {
	struct tasks *tasks;
	int32_t *running; /* thread by CPU; -1: unknown */
	size_t cpus;
	bool contexts;  /* context packets were seen: use only them */
	bool timeless;  /* rings come at the end, so context switches tell nothing */
	bool like_perf; /* the version of perf to follow, with its errors */
	/* Whether threads stay what they are, so that they can be remembered: by thread. */
	bool remembers;
	struct known_thread known[KNOWN_THREADS];
};

void attribution_free(struct attribution *attribution);

/* Takes in a record of the file at its place in the stream. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int attribution_follow(struct attribution *attribution, const struct plumb_record *record);

/* Which thread a CPU runs after a context switch. */
struct attribution_switch {
	int32_t cpu, pid, tid; /* pid -1: unknown */
};
/* Finds what a record of a context switch changes. Returns false if that is nothing. */
bool attribution_find_switch(const struct attribution *attribution,
			     const struct plumb_record *record, struct attribution_switch *found);
/* Notes that `cpu` now runs a thread that is known. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int attribution_run(struct attribution *attribution, int32_t cpu, int32_t tid);
/* Returns the thread that `cpu` runs, or -1. */
int32_t attribution_running(const struct attribution *attribution, int32_t cpu);

/* Sets the ring's thread to that of its CPU, unless there are context packets. */
void attribution_of_ring(struct attribution *attribution, struct ring *ring);
/* Tells whether that needs no look at the table of threads. */
bool attribution_knows_ring(const struct attribution *attribution, const struct ring *ring);

/* Returns the thread that the record's context packet names. */
static inline int32_t attribution_named(const struct plumb_spe_record *record)
{
	return (int32_t)record->contexts[!!(record->has & PLUMB_SPE_HAS_CONTEXT_EL2)];
}

/* Tells whether the record's context packet names another thread than the ring's. Inlined, because
 * every record is asked. */
static inline bool attribution_changes(const struct attribution *attribution,
				       const struct ring *ring,
				       const struct plumb_spe_record *record)
{
	if (!(record->has & (PLUMB_SPE_HAS_CONTEXT_EL1 | PLUMB_SPE_HAS_CONTEXT_EL2)))
		return false;
	/* In a timeless recording perf uses the ring's thread, which may be unknown. */
	if (attribution->timeless && (ring->ring_tid != -1 || attribution->like_perf))
		return false;
	return attribution_named(record) != -1 &&
	       (attribution_named(record) != ring->tid || !attribution->contexts);
}

/* Tells whether two records have the same context packets. */
static inline bool attribution_is_alike(const struct plumb_spe_record *a,
					const struct plumb_spe_record *b)
{
	const uint32_t contexts = PLUMB_SPE_HAS_CONTEXT_EL1 | PLUMB_SPE_HAS_CONTEXT_EL2;

	return !((a->has ^ b->has) & contexts) &&
	       memcmp(a->contexts, b->contexts, sizeof(a->contexts)) == 0;
}

/* Tells whether a thread is remembered, so that nobody else's table needs to be looked at. */
static inline bool attribution_knows(const struct attribution *attribution, int32_t tid)
{
	const struct known_thread *known = &attribution->known[(uint32_t)tid % KNOWN_THREADS];

	return known->known && known->tid == tid;
}

/* Sets the ring's thread to that of the context packet. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int attribution_change(struct attribution *attribution, struct ring *ring,
		       const struct plumb_spe_record *record);

#endif

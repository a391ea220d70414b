/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose an SPE record is: its context packet's thread, else the one that its ring's CPU runs, else
 * the ring's own. What perf does otherwise is marked.
 */
#ifndef RECORDING_ATTRIBUTION_H
#define RECORDING_ATTRIBUTION_H

#include <plumb/spe.h>

#include "recording/rings.h"
#include "recording/tasks.h"

struct attribution {
	struct tasks *tasks;
	int32_t *running; /* thread by CPU; -1: not known */
	size_t cpus;
	bool contexts;  /* context packets were seen: they alone tell the threads */
	bool timeless;  /* rings come at the end: by then context switches tell nothing */
	bool like_perf; /* with what it gets wrong */
};

void attribution_free(struct attribution *attribution);

/* Takes in a record of the file, when its turn has come. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int attribution_follow(struct attribution *attribution, const struct plumb_record *record);

/* Sets the ring's thread to what is known of its CPU, unless context packets tell. */
void attribution_of_ring(const struct attribution *attribution, struct ring *ring);

/* Whether the record's context packet names a thread that is not the ring's already. */
bool attribution_changes(const struct attribution *attribution, const struct ring *ring,
			 const struct plumb_spe_record *record);
/* Takes in the thread that it names. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int attribution_change(struct attribution *attribution, struct ring *ring,
		       const struct plumb_spe_record *record);

#endif

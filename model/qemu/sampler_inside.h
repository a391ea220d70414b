/* SPDX-License-Identifier: Apache-2.0 */
/* What sampler.c shares with rings.c, unit.c and profiles.c. */
#ifndef MODEL_QEMU_SAMPLER_INSIDE_H
#define MODEL_QEMU_SAMPLER_INSIDE_H

#include <stdatomic.h>

#include "exact.h"
#include "qemu/chains.h"
#include "qemu/mappings.h"
#include "sampling.h"
#include "watch.h"

struct sampler {
	struct core *core;
	struct model_sampling *sampling;
	struct model_shared *shared; /* tells whether the reader is there */
	const struct core_params *params;
	struct model_ring *ring;
	uint8_t *frames, *aux;
	uint64_t window;      /* aux position of the unit's buffer */
	uint64_t reported;    /* cycle when its records were last reported */
	uint64_t start_ns;    /* at its cycle 0 */
	uint64_t next_time;   /* cycle when the time is told again */
	struct chains chains; /* for samples of counters */
	uint32_t pid, tid;
	uint32_t snapshots;      /* told so far */
	const uint64_t *skipped; /* parts of the counts that samples do not have; NULL: none */
	bool ended;
	struct watch watch;
	struct spe_unit unit;
	struct overflow overflow;
	struct known_mappings known;
	struct exact *exact;                /* NULL: none */
	uint32_t profile;                   /* its number */
	uint64_t told_cycle, told_sequence; /* of the core, when what had changed was told last */
	uint64_t next_told;                 /* cycle when it is looked whether that is due again */
	atomic_flag busy;     /* with a profile: held while its core executes, or it is told */
	struct sampler *next; /* of those with a profile */
};

/* ---- rings: rings.c ------------------------------------------------------------------------- */

/* Waits a little for the reader. Returns false if it is gone. */
bool sampler_wait_for_reader(const struct sampler *sampler, unsigned *waits);
/* Writes a frame, `body` and then `more`, completely or not at all. */
void sampler_send(struct sampler *sampler, unsigned type, uint64_t time, const void *body,
		  size_t body_size, const void *more, size_t more_size);
/* Return the time at a cycle of its core, or now, in ns. */
uint64_t sampler_time_at(const struct sampler *sampler, uint64_t cycle);
uint64_t sampler_now(const struct sampler *sampler);

/* ---- the SPE unit's buffer: unit.c ---------------------------------------------------------- */

void unit_begin(struct sampler *sampler);
/* A block has executed: reports what the unit wrote from time to time, and when asked to. */
void unit_block_done(struct sampler *sampler);
/* Reports what the unit has written since the last report; in a snapshot, everything there is. */
void unit_report(struct sampler *sampler);
/* Returns what a ring has that is not reported. */
struct model_frame_aux unit_held(const struct model_sampling *sampling, struct model_ring *ring);

/* ---- exact profiles: profiles.c ------------------------------------------------------------- */

void profiles_begin(struct sampler *sampler);
void profiles_end(struct sampler *sampler);
/* Lines can move between cores from now on. */
void profiles_follow_lines(struct sampler *sampler);
/* Reports a profile up to now, together with the counts that it adds up to; `last`: the thread
 * ends. */
void profiles_tell(struct sampler *sampler, bool last);
/*
 * Reports from time to time what has changed, so that a reader that is killed has nearly all of it.
 * It goes by the model's time, so that the same program gives the same recording.
 */
void profiles_tell_changes(struct sampler *sampler);
/* Reports what has changed by now: other code may be at the same addresses from now on. */
void profiles_tell_before_mapping(struct sampler *sampler);
/* In a forked child: there are no threads with profiles yet. */
void profiles_forked(void);

#endif

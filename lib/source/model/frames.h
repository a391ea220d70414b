/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings that the model's plugin fills (model/sampling.h), read: what its frames tell becomes
 * the records that a kernel would have written.
 *
 * The sampled program can write to the rings and to all that stands beside them, at any moment.
 * Whatever it does there ends in wrong samples at the worst.
 */
#ifndef SOURCE_MODEL_FRAMES_H
#define SOURCE_MODEL_FRAMES_H

#include "source/model/record_setup.h"

struct exact_chain;

struct model_frames {
	const struct source_record_job *job;
	const struct record_setup *setup;
	const struct model_sampling *asked; /* what the plugin was asked for: ours alone */
	struct model_sampling *sampling;    /* shared */
	struct record_writer out;
	uint64_t reference;          /* of AUX chunks */
	uint64_t samples;            /* so far */
	bool several;                /* there have been several threads: no rounds until the end */
	uint64_t latest;             /* time of the last record written: nothing ends before */
	int error;                   /* of the caller's, or of `out`; nothing is read any more */
	struct exact_chain *chains;  /* of each core; NULL: no exact profile was asked for */
	char frame[MODEL_FRAME_MAX]; /* at hand */
};

/* Takes what is there. Returns whether there was anything. */
bool model_frames_drain(struct model_frames *frames);
/* Nothing comes any more: takes what units held when their programs ended, or were killed. */
void model_frames_finish(struct model_frames *frames);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the rings that the model's plugin fills (model/sampling.h), and turns frames into the
 * records that a kernel would have written.
 *
 * The sampled program can write to the rings and to everything beside them at any time. The worst
 * that this may cause is wrong samples.
 */
#ifndef SOURCE_MODEL_FRAMES_H
#define SOURCE_MODEL_FRAMES_H

#include "source/model/record_setup.h"

struct exact_sums;
struct model_tasks;

struct model_frames {
	const struct source_record_job *job;
	const struct record_setup *setup;
	const struct model_sampling
		*asked; /* what the plugin was asked for: this process's own copy */
	struct model_sampling *sampling; /* shared */
	struct record_writer out;
	uint64_t reference; /* of AUX chunks */
	uint64_t samples;   /* so far */
	uint64_t overflows; /* those of them that are counters' */
	uint64_t taken;     /* by the plugin, of the latter, until nothing more was read */
	bool damaged;       /* a ring had what is no frame; what was behind it is lost */
	bool several;       /* there were several threads: no rounds until the end */
	uint64_t latest;    /* time of the last record written: nothing ends earlier */
	int error;          /* an error of the caller's, or in `out`; nothing is read after it */
	struct exact_sums *sums;                /* NULL: no exact profile was requested */
	uint32_t chains[MODEL_SHARED_THREADS];  /* of that, for each core: the context at hand */
	uint32_t passing[MODEL_SHARED_THREADS]; /* its last one that passes: exact_sums_pass() */
	struct model_tasks *tasks;              /* what runs; NULL: nobody wants to know */
	char frame[MODEL_FRAME_MAX];            /* at hand */
};

/* Reads what is there. Returns whether there was anything. */
bool model_frames_drain(struct model_frames *frames);
/* Writes what was told of an exact profile, up to where its counts add up. */
void model_frames_write_sums(struct model_frames *frames);
/* There is a new file: delivers names and mappings again, and begins new sums. */
void model_frames_repeat(struct model_frames *frames);
/* Nothing more will come: reads what units held when their programs ended or were killed. */
void model_frames_finish(struct model_frames *frames);

#endif

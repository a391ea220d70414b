/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact profiles as recordings: an event for each count that the model charges to instructions, and
 * for each instruction, calling context and event one sample, whose period is the count.
 */
#ifndef SOURCE_MODEL_EXACT_H
#define SOURCE_MODEL_EXACT_H

#include "source/model/frames.h"

/* The calling context of the costs that come next in a core's ring. */
struct exact_chain {
	uint32_t depth;
	uint64_t addresses[MODEL_CHAIN_MAX];
};

/* The recording's events. */
void exact_set_up(struct record_setup *setup, const struct source_record_job *job);
/* Read FRAME_CONTEXT and FRAME_COST, whose body is `size` bytes long: no less than the struct. */
void exact_read_context(struct model_frames *frames, unsigned slot, const char *body, size_t size);
void exact_read_cost(struct model_frames *frames, const struct model_frame *frame, unsigned slot,
		     const char *body, size_t size);
/* Warns if the profile is coarser than the program, or incomplete. */
void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *found);

#endif

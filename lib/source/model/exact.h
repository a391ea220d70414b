/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact profiles as recordings. Each count that the model charges to instructions is an event. Each
 * instruction, calling context and event has one sample, whose period is the count.
 */
#ifndef SOURCE_MODEL_EXACT_H
#define SOURCE_MODEL_EXACT_H

#include "source/model/exact_sums.h"
#include "source/model/record_setup.h"

/* The calling context of the costs that follow in a core's ring. */
struct exact_chain {
	uint32_t profile, context; /* their numbers */
	uint32_t depth;
	uint64_t addresses[MODEL_CHAIN_MAX];
};

/* Reads the body of a FRAME_CONTEXT, of `size` bytes: at least the struct's size. */
void exact_read_context(struct exact_chain *chain, const char *body, size_t size);
/*
 * Reads the body of a FRAME_COST, and writes its samples. Returns how many. If there are `sums`,
 * those that are new are written with a period of 0, which exact_sums_write() sets.
 */
uint64_t exact_read_cost(struct record_writer *out, const struct record_setup *setup,
			 struct exact_sums *sums, const struct exact_chain *chain,
			 const struct model_frame *frame, unsigned slot, const char *body,
			 size_t size);
/*
 * Reads the body of a FRAME_LINE, and writes a sample with the address for its accesses, and one
 * for the moves of the line, if there were any. Their raw data is the number of bytes, 32 bits.
 */
uint64_t exact_read_line(struct record_writer *out, const struct record_setup *setup,
			 const struct model_frame *frame, unsigned slot, const char *body);
/* Warns if the profile is coarser than the program, or incomplete. */
void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *diagnostics);

#endif

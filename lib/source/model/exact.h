/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact profiles as recordings. Each count that the model charges to instructions is an event. Each
 * instruction, calling context and event has a sample whose period is the count, or several whose
 * periods add up to it.
 */
#ifndef SOURCE_MODEL_EXACT_H
#define SOURCE_MODEL_EXACT_H

#include "source/model/exact_sums.h"
#include "source/model/record_setup.h"

/* No calling context was told yet. */
#define EXACT_NO_CHAIN UINT32_MAX

/*
 * Reads the body of a FRAME_CONTEXT, of `size` bytes: at least the struct's size. Returns the index
 * of the calling context of the costs that follow in the core's ring, after the one of index
 * `before`, which may be gone then. If memory runs out, `*error` becomes PLUMB_ERR_NO_MEMORY.
 */
uint32_t exact_read_context(struct exact_sums *sums, const struct model_frame *frame, unsigned slot,
			    uint32_t before, const char *body, size_t size, int *error);
/*
 * Reads the body of a FRAME_MMAP, of `size` bytes: at least the struct's size. What the thread
 * counts at these addresses from now on is apart from what other code there counted.
 */
void exact_read_mmap(struct exact_sums *sums, const struct model_frame *frame, const char *body,
		     size_t size, int *error);
/*
 * Reads the body of a FRAME_COST, of `size` bytes: at least the struct's size. Adds to the sums of
 * a calling context, or writes samples if nothing will ever be added to them: returns how many.
 */
uint64_t exact_read_cost(struct record_writer *out, const struct record_setup *setup,
			 struct exact_sums *sums, uint32_t chain, const char *body, size_t size,
			 int *error);
/* Reads the body of a FRAME_LINE, and adds to the sums of the thread of a calling context. */
void exact_read_line(struct exact_sums *sums, uint32_t chain, const char *body, int *error);
/*
 * Writes the sums that were told: a sample for each that has none to be changed. Samples of
 * accesses to lines have an address, and the number of bytes as raw data, 32 bits. Returns how many
 * samples those are.
 */
uint64_t exact_write(struct record_writer *out, const struct record_setup *setup,
		     struct exact_sums *sums);
/* Warns if the profile is coarser than the program, or incomplete. */
void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *diagnostics);

#endif

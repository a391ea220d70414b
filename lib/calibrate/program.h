/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of microbenchmarks: A64 code, one function for each trial, and the memory that it
 * works on. The same code runs on a core and in the model.
 *
 * A trial's function takes the number of iterations in x0, keeps to registers that the procedure
 * call standard lets it change, and goes on in memory where its last call ended. What start-up and
 * ending cost is the same for each call: two calls of different lengths tell an iteration's cycles.
 */
#ifndef CALIBRATE_PROGRAM_H
#define CALIBRATE_PROGRAM_H

#include "calibrate/assemble.h"
#include "calibrate/trial.h"

/* The function of a trial, and how often to call it: `warm` iterations, `first`, then `second`. */
struct trial_code {
	size_t entry; /* word of the code */
	uint32_t warm, first, second;
	uint64_t far, far_bytes; /* memory that no cache may have before each call; or 0 */
	/* Memory that another core has to write before each call, the second word of each line; or
	 * 0 */
	uint64_t peer, peer_bytes;
};

struct program_memory {
	unsigned char *bytes; /* the caller's; at `address` when the program runs */
	uint64_t address;
	size_t size;
	size_t used;             /* of it, from the start */
	size_t ring, ring_bytes; /* where rings are laid over each other, and the largest of them */
	unsigned ring_slot;      /* the next one's word in each line */
};

struct calibrate_program {
	struct code code;
	struct program_memory memory;
	uint64_t random;
};

#define PROGRAM_PAGE 4096u
#define PROGRAM_LINE 64u

/* Bytes of memory that the trials need at most. */
size_t program_memory_needed(const struct trial *trials, size_t count);

/* Adds a trial. `memory` of the program has to be set. Returns false if out of memory. */
bool program_add(struct calibrate_program *program, const struct trial *trial,
		 struct trial_code *code);

/*
 * Sets a trial's result from its calls: the cycles of `first` and of `second` iterations in each of
 * `repeats`, of which it takes the median and an interval by order statistics. `scale` turns units
 * of time into cycles.
 */
void trial_set_result(struct trial *trial, const struct trial_code *code, double scale,
		      const uint64_t *first, const uint64_t *second, size_t repeats);

#endif

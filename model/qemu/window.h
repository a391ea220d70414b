/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a run that counts: from when the program reaches one place in its code until it
 * reaches another, after a delay, for a time or a number of instructions. The whole process is in
 * the window or out of it; each thread notices at its next block. Out of it the core executes as
 * well, so that caches and predictors are as they would be.
 */
#ifndef MODEL_QEMU_WINDOW_H
#define MODEL_QEMU_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "core.h"
#include "shared.h"

/* A place in code: an address, or an offset in the program's file, wherever that is mapped. */
struct window_place {
	uint64_t value; /* 0: none */
	bool in_file;
};

struct window_request {
	struct window_place from, to;
	uint64_t delay, timeout; /* cycles; 0: none */
	uint64_t instructions;   /* maximum number of instructions; 0: unlimited */
	uint64_t inode;          /* of the program's file */
};

void window_set_up(struct model_shared *shared, const struct window_request *request);

/* Returns whether there is one; otherwise nothing below need be called. */
bool window_asked(void);

/*
 * Returns how many of `count` instructions from `pc` on, which are being translated, belong to one
 * block: each end of the window begins one.
 */
size_t window_piece(uint64_t pc, size_t count);

/* A thread begins. Returns whether it begins in the window. */
bool window_thread_begins(struct model_thread_counts *counts);

/*
 * The thread of `core` reaches `pc` at `cycle` of the model's time: opens or closes the window, and
 * notes for this thread's counts which it is. Returns whether that has changed.
 */
bool window_reached(struct core *core, struct model_thread_counts *counts, uint64_t pc,
		    uint64_t cycle);

/* Whether nothing changes any more but that window_take() ends it, in whatever process. */
bool window_only_ends(void);

/* Instructions were executed without a look at any of their blocks. They are counted. */
void window_pass(uint64_t executed);

/* Returns how many of the `executed` instructions may still be counted. */
unsigned window_take(const struct model_thread_counts *counts, unsigned executed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much more than usual is modelled in detail before a window. The pipeline goes on with what
 * was in flight when the last window ended. Where the program has got to another part since, a loop
 * may begin at another pace than it has: one that can be fetched just as quickly as it executes may
 * wait for fetch or for registers, and takes a hundred thousand instructions to get from one to the
 * other, which windows and the little before them do not have. So behind a window that is unlike
 * the one before, everything is in detail for a while, until windows are alike. Where branches are
 * mispredicted, the pipeline begins anew all the time, and that is not needed.
 */
#ifndef QEMU_SETTLE_H
#define QEMU_SETTLE_H

#include <stdint.h>

#define SETTLE_INSTRUCTIONS 262144 /* in detail behind a window that is unlike the one before */
#define SETTLE_EARNED       16384  /* at most so many for each window ... */
#define SETTLE_SAVED        (4ull * SETTLE_INSTRUCTIONS) /* ... and these where few were needed */

/* What a window counted. */
struct settle_counts {
	uint64_t instructions, cycles;
	uint64_t frontend, backend; /* slots lost to them */
	uint64_t mispredicted;      /* branches */
};

void settle_set_up(void);

/* Tells what a window has counted. One without instructions says nothing. */
void settle_note(const struct settle_counts *window);

/*
 * Returns how many more instructions before the next window are to be in detail, of those that are
 * left before it.
 */
uint64_t settle_lead(uint64_t before);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the model's plugin, inside QEMU, shares with the process that started it: a memory file
 * that both map. Counts are always up to date there, so that they outlive a program that is
 * killed. Only the plugin writes, but for `stop`.
 */
#ifndef MODEL_SHARED_H
#define MODEL_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "events.h"

#define MODEL_SHARED_MAGIC   0x426d756c504c444dull
#define MODEL_SHARED_THREADS 512 /* live at once */

/* What one guest thread's core has counted. */
struct model_thread_counts {
	uint64_t counts[EVENT_COUNT];
};

struct model_shared {
	_Atomic uint64_t magic; /* written last, when the plugin is ready */
	uint32_t struct_size;   /* of this, as the plugin knows it: must be the reader's */
	uint32_t event_count;
	_Atomic uint32_t processes;       /* that counted: 1, or more with children and execve */
	_Atomic uint32_t threads_started; /* in all */
	_Atomic uint32_t gave_up;         /* memory or slots ran out: counts are incomplete */
	_Atomic uint64_t longest_cycles;  /* the model's time: of the core that ran longest */
	_Atomic uint64_t begun_cycle;     /* the model's time when the program's own code began */
	_Atomic uint32_t begun;           /* it has, and the cycle is there */
	_Atomic uint64_t unknown_words; /* translated instructions that the decoder does not know */
	_Atomic uint64_t hidden_accesses;       /* whose addresses could not be had */
	_Atomic uint64_t dropped_accesses;      /* more in one block than there is room for */
	_Atomic uint64_t finished[EVENT_COUNT]; /* the sum over threads that are gone */
	_Atomic uint32_t slot_taken[MODEL_SHARED_THREADS];
	struct model_thread_counts threads[MODEL_SHARED_THREADS];
};

/* With an interval, the plugin writes one of these to a pipe each time it passes. */
struct model_snapshot {
	uint64_t cycle; /* model time, cycles */
	uint64_t counts[EVENT_COUNT];
};

#endif

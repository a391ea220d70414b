/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: one microbenchmark with one size, and the cycles that an iteration of it takes. Who
 * measures trials is a bench: this machine's core (hardware.h) or the model (modelled.h).
 */
#ifndef CALIBRATE_TRIAL_H
#define CALIBRATE_TRIAL_H

#include <plumb/error.h>

enum kernel {
	KERNEL_CHAIN,   /* `word`, each of which waits for the last */
	KERNEL_STREAM,  /* `word`, none of which waits */
	KERNEL_WINDOW,  /* two chains of far misses, `size` of `word` between misses; if `stride` is
			 * not 0, these wait for the miss */
	KERNEL_FORWARD, /* a store and a load of the same 8 bytes, each waiting for the other */
	KERNEL_HALVES,  /* the same, with two stores of 4 bytes */
	KERNEL_CHASE,   /* pointers through `size` bytes, page by page */
	KERNEL_WAYS,    /* pointers through `size` lines, 64 KiB apart */
	KERNEL_PAGES,   /* pointers through `size` pages, one line in each, of `stride` lines */
	KERNEL_FAR,     /* pointers through lines that no cache has */
	KERNEL_PEER,    /* pointers through lines that another core has written */
	KERNEL_MISSES,  /* independent loads of lines that no cache has */
	KERNEL_BRANCHES, /* branches that depend on bits, which are as `size`, an enum, says */
	KERNEL_CALLS,    /* `size` calls, nested, and their returns */
	KERNEL_STRAIGHT, /* `size` bytes of instructions that do nothing */
	KERNEL_JUMPS, /* `size` jumps, `stride` bytes apart, each after `word` if that is not 0 */
};

enum { BRANCHES_PASSED, BRANCHES_RANDOM, BRANCHES_TAKEN };

struct trial {
	enum kernel kernel;
	uint32_t word; /* an instruction, without rd and rn */
	uint32_t size, stride;
	uint32_t gap; /* KERNEL_WINDOW: instructions that do nothing behind each miss */
	bool vector;  /* `word` has vector registers */

	/* The result: cycles per iteration, and a 95 % interval. NaN: not measured. */
	double cycles, low, high;
};

struct bench {
	/*
	 * Measures all trials. Returns 0 or an error with a finding; INTERRUPTED if it was
	 * cancelled, with the results of those trials that were measured.
	 */
	int (*measure)(struct bench *bench, struct trial *trials, size_t count,
		       struct plumb_diagnostics *diagnostics);
	/* Called as trials are measured; may be NULL. */
	void (*progress)(void *user, size_t done, size_t count);
	void *user;
};

#endif

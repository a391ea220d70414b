/* SPDX-License-Identifier: Apache-2.0 */
/* Measures trials on this machine's core: on one CPU, by its cycle counter. */
#ifndef CALIBRATE_HARDWARE_H
#define CALIBRATE_HARDWARE_H

#include <stdint.h>

#include "calibrate/trial.h"

struct hardware_bench {
	struct bench bench;
	bool (*stopped)(void *user); /* with bench.user; returns whether to stop */
	int counter;                 /* descriptor of the cycle counter; -1: the generic timer */
	double scale;                /* cycles in a unit of the clock */
	const char *clock;           /* what counts, for readers */
	int other_cpu;               /* another one that this process may use; -1: none */
};

/*
 * Stays on one CPU and finds a clock. Returns 0, or MACHINE with a finding: this is not an Arm
 * machine, or the generic timer is all there is and it is too slow.
 */
int hardware_bench_open(struct hardware_bench *bench, struct plumb_diagnostics *diagnostics);
void hardware_bench_close(struct hardware_bench *bench);

/* Returns MIDR_EL1 of this CPU, or 0. */
uint32_t hardware_midr(void);

#endif

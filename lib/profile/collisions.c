/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes collisions to the latencies that caused them: doc/statistics.md. */
#include <math.h>

#include "profile/estimate.h"

#define LATENCIES 4096
/*
 * Each sample takes 1 / HEIRS of the losses, until nothing is left. With fewer heirs, weights and
 * so the estimate vary more; with more, they reach beyond the phase.
 */
#define HEIRS 2

/* Returns the samples lost if a latency of `reach` loses one, twice that two, and so on. */
static double lost_at(const uint64_t latencies[LATENCIES], double reach)
{
	double lost = 0;

	for (unsigned i = 1; i < LATENCIES; i++) {
		if (latencies[i] > 0)
			lost += (double)latencies[i] * floor(i / reach);
	}
	return lost;
}

struct collisions collisions_fit(const uint64_t latencies[LATENCIES], uint64_t lost, double passed)
{
	struct collisions fit = {INFINITY, 1, 0};
	double few = LATENCIES, many = 0.5; /* bounds: `few` loses too few samples, `many` enough */

	if (lost == 0 || lost_at(latencies, 1) <= 0)
		return fit;
	if (lost_at(latencies, many) >= (double)lost) {
		for (int i = 0; i < 60; i++) {
			double middle = (few + many) / 2;

			if (lost_at(latencies, middle) >= (double)lost)
				many = middle;
			else
				few = middle;
		}
	}
	fit.reach = many;
	fit.scale = (double)lost / lost_at(latencies, many) * passed;
	return fit;
}

double collisions_weigh(struct collisions *collisions, unsigned latency)
{
	double paid = collisions->owed / HEIRS;

	collisions->owed += collisions->scale * floor(latency / collisions->reach) - paid;
	return 1 + paid;
}

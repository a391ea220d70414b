/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/program.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/kernels.h"

/* A buffer's sets take as many jumps each if these begin at a multiple of its size. */
#define JUMPS_ALIGNED 32768u

bool program_add(struct calibrate_program *program, const struct trial *trial,
		 struct trial_code *out)
{
	bool added = false;

	code_align(&program->code, trial->kernel == KERNEL_JUMPS ? JUMPS_ALIGNED : PROGRAM_LINE,
		   A64_NOP);
	*out = (struct trial_code){.entry = program->code.count};
	switch (trial->kernel) {
	case KERNEL_CHAIN:
	case KERNEL_STREAM:
		added = trial_add_chain(program, trial, out);
		break;
	case KERNEL_WINDOW:
		added = trial_add_window(program, trial, out);
		break;
	case KERNEL_FORWARD:
	case KERNEL_HALVES:
		added = trial_add_forward(program, trial, out);
		break;
	case KERNEL_CHASE:
	case KERNEL_WAYS:
	case KERNEL_PAGES:
		added = trial_add_ring(program, trial, out);
		break;
	case KERNEL_FAR:
		added = trial_add_far(program, out);
		break;
	case KERNEL_PEER:
		added = trial_add_peer(program, out);
		break;
	case KERNEL_MISSES:
		added = trial_add_misses(program, out);
		break;
	case KERNEL_BRANCHES:
		added = trial_add_branches(program, trial, out);
		break;
	case KERNEL_CALLS:
		added = trial_add_calls(program, trial, out);
		break;
	case KERNEL_STRAIGHT:
		added = trial_add_straight(program, trial, out);
		break;
	case KERNEL_JUMPS:
		added = trial_add_jumps(program, trial, out);
		break;
	}
	return added && !program->code.failed;
}

/* Bytes of a ring; 0: the trial has none. */
static size_t ring_bytes(const struct trial *trial)
{
	switch (trial->kernel) {
	case KERNEL_CHASE:
		return trial_pages(trial->size);
	case KERNEL_WAYS:
		return (size_t)trial->size * KERNEL_WAY_STRIDE;
	case KERNEL_PAGES:
		return (size_t)trial->size * PROGRAM_PAGE;
	default:
		return 0;
	}
}

size_t program_memory_needed(const struct trial *trials, size_t count)
{
	size_t bytes = 0;

	/* Rings share memory, but not in every order of sizes. */
	for (size_t i = 0; i < count; i++)
		bytes += ring_bytes(&trials[i]) + (512u << 10) +
			 (trials[i].kernel == KERNEL_MISSES ? 1u << 20 : 0);
	return bytes;
}

/* ---- results ------------------------------------------------------------------------------ */

/* How many instructions, loads or branches under test an iteration has. */
static double iteration_size(const struct trial *trial)
{
	switch (trial->kernel) {
	case KERNEL_CHAIN:
	case KERNEL_STREAM:
	case KERNEL_CHASE:
	case KERNEL_WAYS:
	case KERNEL_PAGES:
	case KERNEL_FAR:
	case KERNEL_PEER:
		return KERNEL_UNROLLED;
	case KERNEL_FORWARD:
	case KERNEL_HALVES:
		return 16;
	case KERNEL_MISSES:
		return KERNEL_MISS_LINES;
	case KERNEL_BRANCHES:
		return 64;
	case KERNEL_STRAIGHT:
		return (double)trial->size / PROGRAM_LINE;
	case KERNEL_CALLS:
	case KERNEL_JUMPS:
		return trial->size;
	default:
		return 1;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void trial_set_result(struct trial *trial, const struct trial_code *code, double scale,
		      const uint64_t *first, const uint64_t *second, size_t repeats)
{
	const double items = (code->second - code->first) * iteration_size(trial);
	double *each = malloc((repeats + 1) * sizeof(*each));
	size_t margin;

	trial->cycles = trial->low = trial->high = NAN;
	if (!each || !repeats) {
		free(each);
		return;
	}
	for (size_t i = 0; i < repeats; i++)
		each[i] = scale * ((double)second[i] - (double)first[i]) / items;
	qsort(each, repeats, sizeof(*each), compare);
	trial->cycles =
		repeats % 2 ? each[repeats / 2] : (each[repeats / 2 - 1] + each[repeats / 2]) / 2;
	/* The ranks between which the median lies in 95 of 100 cases, by the normal approximation.
	 */
	margin = (size_t)ceil(0.98 * sqrt((double)repeats));
	trial->low = each[repeats / 2 > margin ? repeats / 2 - margin : 0];
	trial->high = each[repeats / 2 + margin < repeats ? repeats / 2 + margin : repeats - 1];
	free(each);
}

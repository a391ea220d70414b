/* SPDX-License-Identifier: Apache-2.0 */
#include "source/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "count/windows.h"
#include "source/model/sampled.h"

bool sampled_is_partial(const struct model_sampled *shared)
{
	return atomic_load(&shared->state) != SAMPLED_ALL;
}

static uint32_t window_count(const struct model_sampled *sampled)
{
	const uint32_t count = atomic_load(&sampled->count);

	/* The program can write to this memory, if it tries to. */
	return count < SAMPLED_MAX ? count : SAMPLED_MAX;
}

struct model_sampled *sampled_copy(const struct model_sampled *shared)
{
	const uint32_t count = window_count(shared);
	const size_t size =
		offsetof(struct model_sampled, windows) + (count + 1u) * sizeof(shared->windows[0]);
	struct model_sampled *copy;

	if (!sampled_is_partial(shared))
		return NULL;
	copy = malloc(size < sizeof(*copy) ? size : sizeof(*copy));
	if (!copy)
		return NULL;
	memcpy(copy, shared, offsetof(struct model_sampled, windows));
	memcpy(copy->windows, shared->windows, count * sizeof(copy->windows[0]));
	atomic_store(&copy->count, count);
	return copy;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t sampled_rest(const struct model_sampled *sampled, const struct model_counts *sums)
{
	const uint64_t until = atomic_load(&sampled->left) ? sampled->before[EVENT_INST_RETIRED]
							   : sums->counts[EVENT_INST_RETIRED];

	return minus(until, sampled->first[EVENT_INST_RETIRED]);
}

/* Returns what was counted in full: in the first stretch, and since there are threads. */
static uint64_t counted(const struct model_sampled *sampled, const struct model_counts *sums,
			size_t event)
{
	return sampled->first[event] + (atomic_load(&sampled->left)
						? minus(sums->counts[event], sampled->before[event])
						: 0);
}

/* Returns how often an event occurred per instruction of the windows, or else of the first part. */
static double rate(const struct model_sampled *sampled, size_t event)
{
	const uint32_t count = window_count(sampled);
	double events = 0, instructions = 0;

	for (uint32_t i = 0; i < count; i++) {
		events += sampled->windows[i][event];
		instructions += sampled->windows[i][EVENT_INST_RETIRED];
	}
	if (!count) {
		events = (double)sampled->first[event];
		instructions = (double)sampled->first[EVENT_INST_RETIRED];
	}
	return instructions > 0 ? events / instructions : 0;
}

uint64_t sampled_estimate(const struct model_sampled *sampled, const struct model_counts *sums,
			  struct model_counts *counts)
{
	const double rest = (double)sampled_rest(sampled, sums);

	for (size_t e = 0; e < MODEL_COUNTS; e++) {
		if (e == EVENT_INST_RETIRED || sums->counts[e] == MODEL_NOT_COUNTED)
			counts->counts[e] = sums->counts[e];
		else
			counts->counts[e] = counted(sampled, sums, e) +
					    (uint64_t)llround(rest * rate(sampled, e));
	}
	return sampled->first[EVENT_CPU_CYCLES] +
	       (uint64_t)llround(rest * rate(sampled, EVENT_CPU_CYCLES));
}

void sampled_describe(const struct model_sampled *sampled, const struct model_counts *sums,
		      struct sampled_groups *groups)
{
	double instructions = 0, windows = 0, rest;

	*groups = (struct sampled_groups){.scale = 1};
	if (!sampled)
		return;
	for (unsigned group = 1; group <= SAMPLED_GROUPS; group++) {
		groups->windows[group] = sampled->group_windows[group];
		windows += (double)sampled->group_windows[group];
		instructions += (double)sampled->group_instructions[group];
	}
	rest = (double)sampled_rest(sampled, sums);
	if (instructions > 0)
		groups->scale = rest / instructions;
	if (rest > 0)
		/* Windows of code that is new are cut short, or empty. */
		groups->modelled = fmin(fmin(windows * SAMPLED_WINDOW, instructions) / rest, 1);
}

bool sampled_is_counted(const struct model_counts *sums, size_t index)
{
	return index < EVENT_COUNT && sums->counts[index] != MODEL_NOT_COUNTED;
}

static void fill(const struct sampled_arrays *a, const struct plumb_plan *plan,
		 const size_t *indexes, const struct model_sampled *sampled,
		 const struct model_counts *sums)
{
	const uint32_t count = window_count(sampled);

	for (uint32_t i = 0; i < count; i++) {
		a->sizes[i] = sampled->windows[i][EVENT_INST_RETIRED];
		a->cycles[i] = sampled->windows[i][EVENT_CPU_CYCLES];
		for (size_t p = 0; p < plan->place_count; p++)
			a->counts[i * plan->place_count + p] =
				sampled_is_counted(sums, indexes[p])
					? (double)sampled->windows[i][indexes[p]]
					: (double)NAN;
	}
	for (size_t p = 0; p < plan->place_count; p++)
		a->first[p] = sampled_is_counted(sums, indexes[p])
				      ? (double)counted(sampled, sums, indexes[p])
				      : (double)NAN;
}

static void tell(const struct source_job *job, const struct model_sampled *sampled,
		 const struct model_counts *sums, const struct sampled_arrays *a,
		 struct plumb_diagnostics *diagnostics)
{
	const uint64_t all = sums->counts[EVENT_INST_RETIRED];
	struct plumb_windows windows = {
		.place_count = job->plan->place_count,
		.sizes = a->sizes,
		.cycles = a->cycles,
		.counts = a->counts,
		.first = a->first,
		.instructions = all,
		.modelled = all,
		.error_asked = job->sampled_error,
	};

	if (sampled) {
		windows.count = window_count(sampled);
		windows.first_cycles = (double)counted(sampled, sums, EVENT_CPU_CYCLES);
		windows.rest = sampled_rest(sampled, sums);
		windows.modelled = all - windows.rest + sampled->modelled;
		windows.bare = sampled->bare;
		windows.unit = sampled->unit;
		windows.left = atomic_load(&sampled->left) != 0;
	}
	windows.error = windows_error(&windows);
	if (isnan(windows.error))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "few-windows", NULL,
				      "the run is too short to be sampled: it has %zu windows, too "
				      "few to tell the error of its figures",
				      windows.count);
	job->windows(job->user, &windows);
}

bool sampled_arrays_make(struct sampled_arrays *arrays, const struct plumb_plan *plan,
			 const size_t *indexes, const struct model_sampled *sampled,
			 const struct model_counts *sums)
{
	const size_t places = plan->place_count;
	const size_t count = sampled ? window_count(sampled) : 0;

	*arrays = (struct sampled_arrays){
		.sizes = calloc(count + 1, sizeof(double)),
		.cycles = calloc(count + 1, sizeof(double)),
		.counts = calloc(count * places + 1, sizeof(double)),
		.first = calloc(places + 1, sizeof(double)),
	};
	if (!arrays->sizes || !arrays->cycles || !arrays->counts || !arrays->first)
		return false;
	if (sampled)
		fill(arrays, plan, indexes, sampled, sums);
	return true;
}

void sampled_arrays_free(struct sampled_arrays *arrays)
{
	free(arrays->sizes);
	free(arrays->cycles);
	free(arrays->counts);
	free(arrays->first);
}

size_t sampled_window_count(const struct model_sampled *sampled)
{
	return window_count(sampled);
}

int sampled_tell(const struct source_job *job, const size_t *indexes,
		 const struct model_sampled *sampled, const struct model_counts *sums,
		 struct plumb_diagnostics *diagnostics)
{
	struct sampled_arrays arrays;
	const bool made = sampled_arrays_make(&arrays, job->plan, indexes, sampled, sums);

	if (made)
		tell(job, sampled, sums, &arrays, diagnostics);
	sampled_arrays_free(&arrays);
	return made ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/phases.h"
#include "count/windows.h"
#include "source/model/sampled.h"

void timeline_add(struct timeline_counted *counted, const struct model_counts *counts,
		  const uint32_t *code)
{
	struct timeline_interval *more;

	if (counted->count == counted->room) {
		counted->room = counted->room ? 2 * counted->room : 16;
		more = realloc(counted->at, counted->room * sizeof(*more));
		if (!more) {
			counted->room = counted->count;
			counted->failed = true;
			return;
		}
		counted->at = more;
	}
	more = &counted->at[counted->count++];
	more->counts = *counts;
	memcpy(more->code, code, sizeof(more->code));
}

/* ---- intervals ---------------------------------------------------------------------------- */

struct interval {
	double seconds;             /* at its end */
	double counts[EVENT_COUNT]; /* counted in full */
	double rest;                /* instructions that its windows stand for */
	size_t from, to;            /* those windows */
	double code[SAMPLED_CODE];
	int phase;
};

struct building {
	const struct model_result *run;
	const struct timeline_counted *counted;
	const struct sampled_arrays *windows;
	struct interval *at; /* the last one is being filled */
	size_t count, room;  /* without the last one */
	double length;       /* seconds */
	double seconds;      /* so far */
	double rate;  /* cycles per instruction of a window that has none, and then of the last */
	double scale; /* of the cycles of units, so that they add up to those of the run */
};

/* Ends the last interval, and begins another. Returns false if out of memory. */
static bool end_interval(struct building *b)
{
	const size_t to = b->at[b->count].to;
	struct interval *more;

	b->at[b->count++].seconds = b->seconds;
	if (b->count == b->room) {
		more = realloc(b->at, 2 * b->room * sizeof(*more));
		if (!more)
			return false;
		b->at = more;
		b->room *= 2;
	}
	b->at[b->count] = (struct interval){.from = to, .to = to, .phase = PHASE_NONE};
	return true;
}

static void add_counted(struct interval *interval, const uint64_t *to, const uint64_t *from)
{
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		if (to[e] > from[e])
			interval->counts[e] += (double)(to[e] - from[e]);
}

static void add_code(struct interval *interval, const uint32_t *code)
{
	for (unsigned k = 0; k < SAMPLED_CODE; k++)
		interval->code[k] += code[k];
}

static bool is_empty(const struct interval *interval)
{
	return interval->rest <= 0 && interval->counts[EVENT_INST_RETIRED] <= 0;
}

/* Returns how many instructions the windows of an interval have. */
static double windows_size(const struct building *b, const struct interval *interval)
{
	double size = 0;

	for (size_t i = interval->from; i < interval->to; i++)
		size += b->windows->sizes[i];
	return size;
}

/* Adds intervals that were counted in full, from `*next` on, up to a number of instructions. */
static bool add_intervals(struct building *b, size_t *next, uint64_t until, double begins,
			  uint64_t before[EVENT_COUNT])
{
	for (; *next < b->counted->count; ++*next) {
		const struct timeline_interval *kept = &b->counted->at[*next];

		if (kept->counts.counts[EVENT_INST_RETIRED] > until)
			break;
		add_counted(&b->at[b->count], kept->counts.counts, before);
		add_code(&b->at[b->count], kept->code);
		memcpy(before, kept->counts.counts, EVENT_COUNT * sizeof(*before));
		/* When sampling ends, one is due that began long before. */
		if (kept->counts.seconds + begins <= b->seconds)
			continue;
		b->seconds = kept->counts.seconds + begins;
		if (!end_interval(b))
			return false;
	}
	return true;
}

/* A unit of a sampled run. */
struct unit {
	double counted; /* instructions in full */
	double rest;
	double cycles; /* of both, as its window says */
};

static struct unit measure_unit(struct building *b, uint32_t number, double instructions)
{
	const struct model_units *units = b->run->units;
	const struct sampled_arrays *w = b->windows;
	const bool known = number < units->count;
	struct unit unit = {0};

	if (known)
		unit.counted =
			fmin((double)units->counts[number][EVENT_INST_RETIRED], instructions);
	unit.rest = instructions - unit.counted;
	if (number < sampled_window_count(b->run->sampled) && w->sizes[number] > 0)
		b->rate = w->cycles[number] / w->sizes[number];
	unit.cycles = unit.rest * b->rate;
	if (known)
		unit.cycles += (double)units->counts[number][EVENT_CPU_CYCLES];
	return unit;
}

/* Returns the instructions of a unit; 0: the run has ended. */
static double unit_size(const struct building *b, uint32_t number, double until)
{
	const struct model_sampled *sampled = b->run->sampled;
	const double from = (double)sampled->begins + (double)number * (double)sampled->unit;

	/* What is left belongs to the last one. */
	if (number + 1 >= b->run->units->count)
		return fmax(until - from, 0);
	return fmax(fmin(until - from, (double)sampled->unit), 0);
}

/* Returns the cycles per instruction of all windows. */
static double mean_rate(const struct building *b)
{
	const size_t count = sampled_window_count(b->run->sampled);
	double cycles = 0, size = 0;

	for (size_t i = 0; i < count; i++) {
		cycles += b->windows->cycles[i];
		size += b->windows->sizes[i];
	}
	return size > 0 ? cycles / size : 1;
}

/* Adds a unit to the last interval, and ends it when its time is over. */
static bool add_unit(struct building *b, uint32_t number, double instructions, double *due)
{
	const struct model_units *units = b->run->units;
	static const uint64_t none[EVENT_COUNT];
	struct interval *interval = &b->at[b->count];
	const struct unit unit = measure_unit(b, number, instructions);

	if (number < units->count) {
		add_counted(interval, units->counts[number], none);
		add_code(interval, units->code[number]);
	}
	interval->rest += unit.rest;
	if (number < sampled_window_count(b->run->sampled))
		interval->to = number + 1u;
	b->seconds += unit.cycles * b->scale / b->run->frequency;
	if (b->seconds < *due || (interval->rest > 0 && !(windows_size(b, interval) > 0)))
		return true;
	*due = (floor(b->seconds / b->length) + 1) * b->length;
	return end_interval(b);
}

/* Merges the last interval into the one before it if no window tells of it. */
static void merge_last(struct building *b)
{
	struct interval *last = &b->at[b->count], *before;

	if (!b->count || last->rest <= 0 || windows_size(b, last) > 0)
		return;
	before = last - 1;
	if (before->rest <= 0)
		return;
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		before->counts[e] += last->counts[e];
	for (unsigned k = 0; k < SAMPLED_CODE; k++)
		before->code[k] += last->code[k];
	before->rest += last->rest;
	before->to = last->to;
	before->seconds = b->seconds;
	*last = (struct interval){.from = last->to, .to = last->to, .phase = PHASE_NONE};
}

/* Adds what was sampled; `before`: what was counted in the first stretch's intervals. */
static bool add_units(struct building *b, double until, const uint64_t before[EVENT_COUNT])
{
	const struct model_sampled *sampled = b->run->sampled;
	const struct model_units *units = b->run->units;
	uint64_t first[EVENT_COUNT];
	double due, size, cycles = 0, estimated;

	for (unsigned e = 0; e < EVENT_COUNT; e++) {
		uint64_t all = 0;

		for (uint32_t i = 0; i < units->count; i++)
			all += units->counts[i][e];
		first[e] = sampled->first[e] > all ? sampled->first[e] - all : 0;
	}
	add_counted(&b->at[b->count], first, before);
	add_code(&b->at[b->count], units->first_code);
	b->seconds = (double)first[EVENT_CPU_CYCLES] / b->run->frequency;
	due = (floor(b->seconds / b->length) + 1) * b->length;
	b->rate = mean_rate(b);
	estimated = (double)sampled_rest(sampled, &b->run->sums) * b->rate;
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit unit = measure_unit(b, i, unit_size(b, i, until));

		cycles += unit.cycles - (double)units->counts[i][EVENT_CPU_CYCLES];
	}
	b->scale = cycles > 0 ? estimated / cycles : 1;
	for (uint32_t i = 0; i < units->count && (size = unit_size(b, i, until)) > 0; i++)
		if (!add_unit(b, i, size, &due))
			return false;
	merge_last(b);
	return is_empty(&b->at[b->count]) || end_interval(b);
}

static bool build(struct building *b)
{
	const struct model_sampled *sampled = b->run->sampled;
	const struct model_counts *sums = &b->run->sums;
	const bool left = sampled && atomic_load(&sampled->left);
	uint64_t before[EVENT_COUNT] = {0};
	size_t next = 0;

	b->room = 16;
	b->at = calloc(b->room, sizeof(*b->at));
	if (!b->at || !add_intervals(b, &next, sampled ? sampled->begins : UINT64_MAX, 0, before))
		return false;
	if (sampled &&
	    !add_units(b, (double)(left ? sampled->before : sums->counts)[EVENT_INST_RETIRED],
		       before))
		return false;
	if (sampled && !left)
		return true;
	if (left) {
		double begins;

		memcpy(before, sampled->before, sizeof(before));
		begins = b->seconds - (double)before[EVENT_CPU_CYCLES] / b->run->frequency;
		if (!add_intervals(b, &next, UINT64_MAX, begins, before))
			return false;
	}
	add_counted(&b->at[b->count], sums->counts, before);
	if (!left)
		add_code(&b->at[b->count], b->run->units->first_code);
	b->seconds = b->run->counts.seconds;
	return is_empty(&b->at[b->count]) || end_interval(b);
}

/* ---- phases ------------------------------------------------------------------------------- */

static bool find_phases(struct building *b, unsigned *count)
{
	double *code = calloc(b->count * SAMPLED_CODE + 1, sizeof(*code));
	int *phases = calloc(b->count + 1, sizeof(*phases));
	bool found = code && phases;

	for (size_t i = 0; found && i < b->count; i++)
		memcpy(code + i * SAMPLED_CODE, b->at[i].code, sizeof(b->at[i].code));
	found = found && phases_find(code, b->count, SAMPLED_CODE, phases, count);
	for (size_t i = 0; found && i < b->count; i++)
		b->at[i].phase = phases[i];
	free(code);
	free(phases);
	return found;
}

/* ---- telling ------------------------------------------------------------------------------ */

/* Room for one stretch. */
struct telling {
	const struct source_job *job;
	const size_t *indexes;
	struct plumb_count *counts;
	struct sampled_arrays own; /* of a phase, or of an interval */
	struct plumb_windows windows;
	struct plumb_stretch stretch;
};

static void begin_stretch(struct telling *t, const struct building *b)
{
	t->windows = (struct plumb_windows){
		.place_count = t->job->plan->place_count,
		.sizes = t->own.sizes,
		.cycles = t->own.cycles,
		.counts = t->own.counts,
		.first = t->own.first,
		.unit = b->run->sampled ? b->run->sampled->unit : 0,
		.error_asked = t->job->sampled_error,
	};
	t->stretch = (struct plumb_stretch){
		.phase = PHASE_NONE, .counts = t->counts, .own = &t->windows};
	for (size_t p = 0; p < t->windows.place_count; p++)
		t->own.first[p] =
			sampled_is_counted(&b->run->sums, t->indexes[p]) ? 0 : (double)NAN;
}

/* Adds an interval to the stretch. */
static void add_interval(struct telling *t, const struct building *b, const struct interval *more)
{
	const size_t places = t->windows.place_count,
		     count = more->rest > 0 ? more->to - more->from : 0;
	const double counted = more->counts[EVENT_INST_RETIRED];
	struct plumb_windows *w = &t->windows;

	for (size_t p = 0; p < places; p++)
		if (t->indexes[p] < EVENT_COUNT)
			t->own.first[p] += more->counts[t->indexes[p]];
	memcpy(t->own.sizes + w->count, b->windows->sizes + more->from, count * sizeof(double));
	memcpy(t->own.cycles + w->count, b->windows->cycles + more->from, count * sizeof(double));
	memcpy(t->own.counts + w->count * places, b->windows->counts + more->from * places,
	       count * places * sizeof(double));
	w->count += count;
	w->first_cycles += more->counts[EVENT_CPU_CYCLES];
	w->rest += (uint64_t)llround(more->rest);
	w->instructions += (uint64_t)llround(more->rest + counted);
	w->modelled += (uint64_t)llround(counted + windows_size(b, more));
	t->stretch.intervals++;
}

static void end_stretch(struct telling *t, double length)
{
	const uint64_t ns = length > 0 ? (uint64_t)llround(length * 1e9) : 0;

	t->windows.error = windows_error(&t->windows);
	windows_estimate(&t->windows, t->counts);
	for (size_t p = 0; p < t->windows.place_count; p++)
		t->counts[p] = (struct plumb_count){t->counts[p].count, ns, ns};
}

static void tell_intervals(struct telling *t, const struct building *b)
{
	double before = 0;

	for (size_t i = 0; t->job->stretch && i < b->count; i++) {
		begin_stretch(t, b);
		add_interval(t, b, &b->at[i]);
		end_stretch(t, b->at[i].seconds - before);
		before = t->stretch.seconds = b->at[i].seconds;
		t->stretch.phase = b->at[i].phase;
		t->job->stretch(t->job->user, &t->stretch);
	}
}

static void tell_phase(struct telling *t, const struct building *b, unsigned phase)
{
	double before = 0, seconds = 0;

	begin_stretch(t, b);
	for (size_t i = 0; i < b->count; i++) {
		if (b->at[i].phase == (int)phase) {
			add_interval(t, b, &b->at[i]);
			seconds += b->at[i].seconds - before;
		}
		before = b->at[i].seconds;
	}
	end_stretch(t, seconds);
	t->stretch.seconds = seconds;
	t->stretch.phase = (int)phase;
	t->job->phase(t->job->user, &t->stretch);
}

static bool tell_all(const struct source_job *job, const size_t *indexes, struct building *b)
{
	struct telling t = {.job = job, .indexes = indexes};
	unsigned phases = 0;
	bool done = find_phases(b, &phases);

	t.counts = calloc(job->plan->place_count + 1, sizeof(*t.counts));
	done = done && t.counts &&
	       sampled_arrays_make(&t.own, job->plan, indexes, b->run->sampled, &b->run->sums);
	if (done)
		tell_intervals(&t, b);
	for (unsigned phase = 0; done && job->phase && phase < phases; phase++)
		tell_phase(&t, b, phase);
	sampled_arrays_free(&t.own);
	free(t.counts);
	return done;
}

int timeline_tell(const struct source_job *job, const size_t *indexes,
		  const struct timeline_counted *counted, const struct model_result *run)
{
	struct sampled_arrays windows = {0};
	struct building b = {
		.run = run,
		.counted = counted,
		.windows = &windows,
		.length = 1e-3 * job->interval_ms,
	};
	const bool done =
		run->units && !counted->failed &&
		sampled_arrays_make(&windows, job->plan, indexes, run->sampled, &run->sums) &&
		build(&b) && tell_all(job, indexes, &b);

	sampled_arrays_free(&windows);
	free(b.at);
	return done ? 0 : PLUMB_ERR_NO_MEMORY;
}

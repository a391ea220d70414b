/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Top-down shares from sampled groups of counters: what the counts since the sample before say of
 * the function that was sampled. The core's own formulas make metrics of a row's sums; leaving out
 * one batch of samples after another tells how far sampling may put them off. How far windows that
 * cross into other functions may, their own counts tell.
 */
#include <math.h>
#include <string.h>

#include "base/student.h"
#include "profile/counters.h"
#include "recording/spe_auxtrace.h"

#define PERF_TYPE_HARDWARE 0
#define PERF_TYPE_RAW      4
#define CODE_INST_RETIRED  0x08
#define CODE_CPU_CYCLES    0x11
#define CODE_OP_RETIRED    0x3a
#define CODE_OP_SPEC       0x3b
#define CODE_STALL_SLOT    0x3f
#define CODE_STALL_BACKEND 0x3d /* of slots; together with those of the frontend, all */
#define CODE_STALL_FRONT   0x3e

#define NEVER SIZE_MAX /* an event without samples */

/* With samples in fewer batches than this, there is no interval. */
#define BATCHES_LEAST 4

/*
 * Windows after which a function went on tell its metrics if they have this share of the cycles of
 * those within it: with fewer, sampling would be more than twice as far off.
 */
#define STAYED_LEAST 0.25

/* Returns the code of an event of a core's PMU, or -1 for other events. */
static int code_of(const struct plumb_profile *profile, const struct plumb_event_attr *attr)
{
	const struct plumb_recording_info *info = plumb_recording_info(profile->recording);

	if (attr->type == PERF_TYPE_HARDWARE)
		return attr->config == 0   ? CODE_CPU_CYCLES
		       : attr->config == 1 ? CODE_INST_RETIRED
					   : -1;
	if (attr->type == PERF_TYPE_RAW)
		return (int)(attr->config & 0xffff);
	for (size_t i = 0; i < info->pmu_count; i++)
		if (info->pmus[i].type == attr->type && strncmp(info->pmus[i].name, "armv", 4) == 0)
			return (int)(attr->config & 0xffff);
	return -1;
}

/* Returns whether an event's counts come with the samples of its group. */
static bool is_read(const struct plumb_event_attr *attr)
{
	return attr->sample_type & PLUMB_SAMPLE_READ && attr->read_format & PLUMB_FORMAT_GROUP;
}

/* Tells whether the event is of another type of cores than `midr`. */
static bool is_of_other(const struct plumb_profile *profile, const struct plumb_event_attr *attr,
			uint32_t midr)
{
	const uint32_t own = recording_pmu_midr(profile->recording, attr->type);

	return own && plumb_spec_for_midr(own) != plumb_spec_for_midr(midr);
}

/* Tells whether the event counts what the formulas take. */
static bool counts(const struct plumb_profile *profile, const struct plumb_event_attr *attr,
		   const struct plumb_event *wanted, uint32_t midr)
{
	return is_read(attr) && code_of(profile, attr) == wanted->code &&
	       !is_of_other(profile, attr, midr);
}

/*
 * Finds the first event that counts what the formulas take; NEVER: it is recorded, but always
 * counted 0. Returns false if it is not recorded.
 */
static bool find_event(const struct plumb_profile *profile, const struct plumb_event *wanted,
		       uint32_t midr, size_t *found)
{
	const struct plumb_recorded_event *event;

	for (size_t e = 0; e < profile->event_count; e++) {
		*found = e;
		/* Events of SPE's groups end with the samples; counters are not among them. */
		if (!profile->events[e].public.spe &&
		    counts(profile, &profile->events[e].public.event->attr, wanted, midr))
			return true;
	}
	*found = NEVER;
	for (size_t e = 0; (event = plumb_recording_event(profile->recording, e)); e++)
		if (counts(profile, &event->attr, wanted, midr))
			return true;
	return false;
}

const struct plumb_spec *counters_core_of(const struct plumb_profile *profile, size_t event)
{
	const struct plumb_event_attr *attr = &profile->events[event].public.event->attr;
	const uint32_t midr = recording_pmu_midr(profile->recording, attr->type);

	return midr ? plumb_spec_for_midr(midr) : NULL;
}

size_t counters_cores(const struct plumb_profile *profile, uint32_t *midrs, size_t max)
{
	size_t count = 0;

	for (size_t e = 0; !profile->options.midr && e < profile->event_count; e++) {
		const struct plumb_spec *core;
		const struct plumb_event_attr *attr;
		bool known;

		/* As in find_event(). */
		if (profile->events[e].public.spe)
			continue;
		core = counters_core_of(profile, e);
		attr = &profile->events[e].public.event->attr;
		known = !core || !is_read(attr) || count == max;
		for (size_t i = 0; i < count; i++)
			known |= plumb_spec_for_midr(midrs[i]) == core;
		if (!known)
			midrs[count++] = recording_pmu_midr(profile->recording, attr->type);
	}
	if (count == 0)
		midrs[count++] = profile->options.midr
					 ? profile->options.midr
					 : plumb_recording_midr(profile->recording, -1);
	return count;
}

/*
 * Adds up a row's batches from `first` on without one of them; PROFILE_BATCHES: all. `batches` may
 * be NULL.
 */
static double count_without(const double *batches, size_t first, size_t batch)
{
	double count = 0;

	for (size_t b = 0; batches && b < PROFILE_BATCHES; b++)
		count += b == batch ? 0 : batches[first + b];
	return count;
}

static const double *batches_at(const struct plumb_profile *profile, uint32_t row)
{
	return row == NO_ROW ? NULL : profile->rows[row].batches;
}

/* Returns which of the formulas' events has the code, or FIRST_LEVEL_EVENTS. */
static size_t find_code(const struct first_level *level, uint16_t code)
{
	for (size_t i = 0; i < level->event_count; i++)
		if (level->spec->events[level->events[i]].code == code)
			return i;
	return FIRST_LEVEL_EVENTS;
}

/*
 * Finds out whether an event that was not recorded is the sum of two others, as stalled slots are:
 * where counters are few, they are left out. Each slot without an operation is the frontend's or
 * the backend's.
 */
static bool may_add_up(struct counters *counters, size_t missing)
{
	const struct first_level *level = &counters->level;

	counters->sum = missing;
	counters->parts[0] = find_code(level, CODE_STALL_BACKEND);
	counters->parts[1] = find_code(level, CODE_STALL_FRONT);
	counters->adds_up = level->spec->events[level->events[missing]].code == CODE_STALL_SLOT &&
			    counters->parts[0] < FIRST_LEVEL_EVENTS &&
			    counters->parts[1] < FIRST_LEVEL_EVENTS;
	return counters->adds_up;
}

/* Computes the metrics as shares. */
static void compute(struct counters *counters, double counts[FIRST_LEVEL_EVENTS], double *shares)
{
	if (counters->adds_up)
		counts[counters->sum] = counts[counters->parts[0]] + counts[counters->parts[1]];
	first_level_evaluate(&counters->level, counts, shares);
}

int counters_open(struct counters *counters, const struct plumb_profile *profile, uint32_t midr)
{
	struct first_level *level = &counters->level;
	const struct profiled_event *cycles;
	int status;

	*counters = (struct counters){0};
	status = first_level_open(level, midr);
	for (size_t i = 0; status == 0 && i < level->event_count; i++)
		if (!find_event(profile, &level->spec->events[level->events[i]], midr,
				&counters->events[i]) &&
		    !may_add_up(counters, i))
			status = PLUMB_ERR_NOT_FOUND;
	if (status == 0 && counters->events[level->cycles] == NEVER)
		status = PLUMB_ERR_NOT_FOUND;
	if (status < 0)
		return status;
	cycles = &profile->events[counters->events[level->cycles]];
	/* Of all samples, also those that are not shown. */
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct row *row = &profile->rows[i];

		if (&profile->events[row_values(profile, (uint32_t)i)[0]] != cycles)
			continue;
		for (size_t b = 0; row->batches && b < PROFILE_BATCHES; b++)
			counters->cycles_of_batch[b] += row->batches[b];
		for (size_t kind = 0; kind < WINDOW_KINDS; kind++)
			counters->cycles_of_kind[kind] +=
				count_without(row->batches, ROW_WITHIN(kind), PROFILE_BATCHES) +
				(row->batches ? row->batches[ROW_ENTERED(kind)] : 0);
		counters->all_cycles += (double)row->own.period;
	}
	return 0;
}

void counters_close(struct counters *counters)
{
	first_level_close(&counters->level);
}

size_t counters_find(const struct counters *counters, size_t event)
{
	for (size_t i = 0; i < counters->level.event_count; i++)
		if (counters->events[i] == event)
			return i;
	return FIRST_LEVEL_EVENTS;
}

/* Computes the shares without one batch, the metrics from the batches that begin at `first`. NaN:
 * unknown. */
static void evaluate(struct counters *counters, const struct plumb_profile *profile,
		     const uint32_t rows[FIRST_LEVEL_EVENTS], size_t first, size_t batch,
		     double shares[COUNTERS_SHARES])
{
	const double all = counters->all_cycles -
			   (batch < PROFILE_BATCHES ? counters->cycles_of_batch[batch] : 0);
	const double own =
		count_without(batches_at(profile, rows[counters->level.cycles]), 0, batch);
	double counts[FIRST_LEVEL_EVENTS] = {0};

	for (size_t i = 0; i < counters->level.event_count; i++)
		counts[i] = count_without(batches_at(profile, rows[i]), first, batch);
	shares[0] = all > 0 ? own / all : (double)NAN;
	compute(counters, counts, shares + 1);
}

static double within_bounds(double share)
{
	return isnan(share) ? share : fmin(1, fmax(0, share));
}

/* Counts the batches from `first` on that have samples of a row. */
static unsigned batches_of(const struct plumb_profile *profile, uint32_t row, size_t first)
{
	const double *batches = batches_at(profile, row);
	unsigned count = 0;

	for (size_t b = 0; batches && b < PROFILE_BATCHES; b++)
		count += batches[first + b] > 0;
	return count;
}

/*
 * Where all batches agree, as on a share of 0, the others that were not sampled may still differ:
 * Wilson's interval for a share of 0 in this many samples.
 */
static double least_half(double samples)
{
	const double z2 = student_quantile(INFINITY) * student_quantile(INFINITY);

	return z2 / (samples + z2);
}

/* The jackknife: how far the values spread that leave out one batch each. */
static double half_width(const double values[PROFILE_BATCHES], unsigned filled, double samples)
{
	double sum = 0, squares = 0;

	for (size_t b = 0; b < PROFILE_BATCHES; b++)
		sum += values[b];
	for (size_t b = 0; b < PROFILE_BATCHES; b++)
		squares +=
			(values[b] - sum / PROFILE_BATCHES) * (values[b] - sum / PROFILE_BATCHES);
	if (filled < BATCHES_LEAST)
		return NAN;
	return squares > 0 ? student_quantile(filled - 1) *
				     sqrt(squares * (PROFILE_BATCHES - 1) / PROFILE_BATCHES)
			   : least_half(samples);
}

/*
 * Which windows that crossed into the function or out of it may be its own as well. A core works on
 * several calls at a time: it sends the operations of one while it retires those of another. The
 * counters tell neither where in such a window a call ended nor whose operations were in flight, so
 * what is counted when operations are sent may be of another function than what is counted when
 * they retire.
 */
enum { RETIRED_IN = 1, RETIRED_OUT = 2, SENT_IN = 4, SENT_OUT = 8, CROSSINGS = 16 };

/* Tells whether an event counts at the end of the pipeline, where samples tell the function. */
static bool counts_at_end(const struct counters *counters, size_t event)
{
	const char *name = counters->level.spec->events[counters->level.events[event]].name;

	return event == counters->level.cycles || strstr(name, "_RETIRED");
}

/*
 * Adds up the counts of the windows that began in the row's function and ended elsewhere. The
 * group's leader has them; it is one of these rows.
 */
static double count_left(const struct counters *counters, const struct plumb_profile *profile,
			 const uint32_t rows[FIRST_LEVEL_EVENTS], enum window_kind kind, size_t i)
{
	double count = 0;

	for (size_t r = 0; counters->events[i] < LEFT_MAX && r < counters->level.event_count; r++) {
		const double *batches = batches_at(profile, rows[r]);

		count += batches ? batches[ROW_LEFT(kind) + counters->events[i]] : 0;
	}
	return count;
}

/* What was counted in windows that crossed, by event. */
struct crossed {
	double in[FIRST_LEVEL_EVENTS], out[FIRST_LEVEL_EVENTS];
};

static void find_crossed(const struct counters *counters, const struct plumb_profile *profile,
			 const uint32_t rows[FIRST_LEVEL_EVENTS], enum window_kind kind,
			 struct crossed *crossed)
{
	for (size_t i = 0; i < counters->level.event_count; i++) {
		const double *batches = batches_at(profile, rows[i]);

		crossed->in[i] = batches ? batches[ROW_ENTERED(kind)] : 0;
		crossed->out[i] = count_left(counters, profile, rows, kind, i);
	}
}

/*
 * Short windows are few, and may have missed the ends of calls. Nearly every long one shows those
 * that are in it: as many more as it is longer, and with as many more counts each. So the square of
 * their ratio tells what to expect in short windows; but where several calls end in a long window,
 * they tell more themselves.
 */
static void expect_crossed(const struct counters *counters, const struct crossed *far,
			   struct crossed *near)
{
	const double ratio = counters->cycles_of_kind[WINDOW_FAR] > 0
				     ? counters->cycles_of_kind[WINDOW_NEAR] /
					       counters->cycles_of_kind[WINDOW_FAR]
				     : 0;

	for (size_t i = 0; i < counters->level.event_count; i++) {
		near->in[i] = fmax(near->in[i], far->in[i] * ratio * ratio);
		near->out[i] = fmax(near->out[i], far->out[i] * ratio * ratio);
	}
}

/*
 * Finds what was counted in windows that crossed. Returns the error of the share of cycles that
 * they make, which more samples do not make smaller: half of each such window.
 */
static double find_all_crossed(const struct counters *counters, const struct plumb_profile *profile,
			       const uint32_t rows[FIRST_LEVEL_EVENTS], enum window_kind kind,
			       struct crossed *crossed)
{
	const size_t cycles = counters->level.cycles;
	struct crossed far;
	double in;

	find_crossed(counters, profile, rows, WINDOW_FAR, &far);
	find_crossed(counters, profile, rows, kind, crossed);
	in = far.in[cycles];
	if (kind == WINDOW_NEAR) {
		in += crossed->in[cycles];
		expect_crossed(counters, &far, crossed);
	}
	return in / counters->all_cycles / 2;
}

/*
 * Windows that metrics can be computed from: the row's batches that begin at `first`. Their counts
 * are `part` of those of all windows within the function.
 */
struct basis {
	size_t first;
	double part, samples;
	double shares[COUNTERS_SHARES], halves[COUNTERS_SHARES]; /* by the jackknife */
};

static void find_shares(struct basis *basis, struct counters *counters,
			const struct plumb_profile *profile,
			const uint32_t rows[FIRST_LEVEL_EVENTS])
{
	const uint32_t cycles = rows[counters->level.cycles];
	const unsigned all = batches_of(profile, cycles, 0);
	const unsigned own = batches_of(profile, cycles, basis->first);
	const double samples = cycles == NO_ROW ? 0 : (double)profile->rows[cycles].own.samples;
	double without[PROFILE_BATCHES][COUNTERS_SHARES];

	evaluate(counters, profile, rows, basis->first, PROFILE_BATCHES, basis->shares);
	for (size_t b = 0; b < PROFILE_BATCHES; b++)
		evaluate(counters, profile, rows, basis->first, b, without[b]);
	for (size_t s = 0; s < COUNTERS_SHARES; s++) {
		double values[PROFILE_BATCHES];

		for (size_t b = 0; b < PROFILE_BATCHES; b++)
			values[b] = without[b][s];
		basis->halves[s] = s == 0 ? half_width(values, all, samples)
					  : half_width(values, own, basis->samples);
	}
}

/*
 * Charges windows that crossed, in one of the ways, beside those of a basis. An operation is sent
 * before it retires, so none of the ways makes more retire than were sent.
 */
static void charge(const struct basis *basis, const struct counters *counters,
		   const struct plumb_profile *profile, const uint32_t rows[FIRST_LEVEL_EVENTS],
		   const struct crossed *crossed, unsigned ways, double counts[FIRST_LEVEL_EVENTS])
{
	const size_t retired = find_code(&counters->level, CODE_OP_RETIRED);
	const size_t sent = find_code(&counters->level, CODE_OP_SPEC);

	for (size_t i = 0; i < counters->level.event_count; i++) {
		const bool end = counts_at_end(counters, i);
		double more = 0;

		more += ways & (end ? RETIRED_IN : SENT_IN) ? crossed->in[i] : 0;
		more += ways & (end ? RETIRED_OUT : SENT_OUT) ? crossed->out[i] : 0;
		counts[i] =
			count_without(batches_at(profile, rows[i]), basis->first, PROFILE_BATCHES) +
			basis->part * more;
	}
	if (retired < FIRST_LEVEL_EVENTS && sent < FIRST_LEVEL_EVENTS)
		counts[retired] = fmin(counts[retired], counts[sent]);
}

/*
 * Widens the bounds of the metrics to those that the windows of a basis have with each way to
 * charge windows that crossed. NaN bounds are unknown so far.
 */
static void widen(const struct basis *basis, struct counters *counters,
		  const struct plumb_profile *profile, const uint32_t rows[FIRST_LEVEL_EVENTS],
		  const struct crossed *crossed, double low[COUNTERS_SHARES],
		  double high[COUNTERS_SHARES])
{
	for (unsigned ways = 0; ways < CROSSINGS; ways++) {
		double counts[FIRST_LEVEL_EVENTS] = {0}, shares[FIRST_LEVEL_METRICS];

		charge(basis, counters, profile, rows, crossed, ways, counts);
		compute(counters, counts, shares);
		for (size_t m = 0; m < FIRST_LEVEL_METRICS; m++) {
			const double share = within_bounds(shares[m]);

			low[1 + m] = fmin(low[1 + m], share - basis->halves[1 + m]);
			high[1 + m] = fmax(high[1 + m], share + basis->halves[1 + m]);
		}
	}
}

/*
 * Chooses the windows that metrics are computed from, the best ones last: those within the
 * function, as far as its samples tell; and those of them after which it went on, if they are no
 * small part, since a core sends operations of the next function before this one's last retire.
 * Returns how many choices there are.
 */
static size_t choose_bases(const struct plumb_profile *profile, uint32_t cycles,
			   enum window_kind kind, struct basis bases[2])
{
	const double *of_cycles = batches_at(profile, cycles);
	const double within = count_without(of_cycles, ROW_WITHIN(kind), PROFILE_BATCHES);
	const double stayed = count_without(of_cycles, ROW_STAYED(kind), PROFILE_BATCHES);
	const double all = count_without(of_cycles, 0, PROFILE_BATCHES);
	const double samples = cycles == NO_ROW ? 0 : (double)profile->rows[cycles].own.samples;

	bases[0] = (struct basis){
		.first = within > 0 ? ROW_WITHIN(kind) : 0,
		.part = 1,
		/* Every other sample ends a strobed window. */
		.samples = kind == WINDOW_NEAR
				   ? samples / 2 * within /
					     (within + of_cycles[ROW_ENTERED(WINDOW_NEAR)])
				   : samples * within / all,
	};
	if (stayed < STAYED_LEAST * within ||
	    batches_of(profile, cycles, ROW_STAYED(kind)) < BATCHES_LEAST)
		return 1;
	bases[1] = (struct basis){
		.first = ROW_STAYED(kind),
		.part = stayed / within,
		.samples = bases[0].samples * stayed / within,
	};
	return 2;
}

/*
 * The metrics are of windows that lie within one function: of strobed ones if there are enough.
 * Windows that began elsewhere count what their neighbours did, too; they count as samples only.
 * Where there are no others, they are better than nothing, but not even their error is known. The
 * bounds are those of all ways to charge what may be of another function, and sampling's beyond.
 */
void counters_estimate(struct counters *counters, const struct plumb_profile *profile,
		       const uint32_t rows[FIRST_LEVEL_EVENTS],
		       struct plumb_profile_estimate shares[COUNTERS_SHARES])
{
	const uint32_t cycles = rows[counters->level.cycles];
	const enum window_kind kind =
		batches_of(profile, cycles, ROW_WITHIN(WINDOW_NEAR)) >= BATCHES_LEAST ? WINDOW_NEAR
										      : WINDOW_FAR;
	struct basis bases[2];
	const size_t count = choose_bases(profile, cycles, kind, bases);
	const struct basis *best = &bases[count - 1];
	double low[COUNTERS_SHARES], high[COUNTERS_SHARES], half;
	struct crossed crossed;

	for (size_t s = 0; s < COUNTERS_SHARES; s++)
		low[s] = high[s] = NAN;
	half = find_all_crossed(counters, profile, rows, kind, &crossed);
	for (size_t i = 0; i < count; i++) {
		find_shares(&bases[i], counters, profile, rows);
		widen(&bases[i], counters, profile, rows, &crossed, low, high);
	}
	half += best->halves[0];
	low[0] = best->shares[0] - half;
	high[0] = best->shares[0] + half;
	for (size_t s = 0; s < COUNTERS_SHARES; s++)
		/* Bounds assume that no more retires than was sent, which noise may contradict. */
		shares[s] = (struct plumb_profile_estimate){
			within_bounds(best->shares[s]),
			within_bounds(isnan(low[s]) ? low[s] : fmin(low[s], best->shares[s])),
			within_bounds(isnan(high[s]) ? high[s] : fmax(high[s], best->shares[s]))};
}

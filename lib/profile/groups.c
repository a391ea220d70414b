/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/student.h"
#include "count/windows.h"

/* The stream of a sample: its group, the group's windows, and the part that is modelled. */
#define GROUP_BITS     8
#define WINDOWS_BITS   40
#define MODELLED_PARTS 65536.0

/*
 * If at least this many of the places for windows had something, of all there are windows, the
 * chance that no window had it were 2.5 %: its logarithm. An interval must not be wider for that
 * reason than this part of the share.
 */
#define ABSENT_WINDOWS 3.7
#define ABSENT_PART    0.05

bool groups_read(uint64_t stream_id, struct groups_stream *stream)
{
	const uint64_t group = stream_id & ((UINT64_C(1) << GROUP_BITS) - 1);

	*stream = (struct groups_stream){
		.group = (unsigned)group,
		.windows = stream_id >> GROUP_BITS & ((UINT64_C(1) << WINDOWS_BITS) - 1),
		.modelled = (double)(stream_id >> (GROUP_BITS + WINDOWS_BITS)) / MODELLED_PARTS,
	};
	return group < GROUPS_ROOM;
}

void groups_know(struct grouping *grouping, const struct groups_stream *stream)
{
	if (!stream->group || grouping->present & 1u << stream->group)
		return;
	grouping->present |= 1u << stream->group;
	grouping->windows += (double)stream->windows;
	grouping->modelled = stream->modelled;
}

bool groups_add(double **sums, unsigned group, double period)
{
	if (!*sums)
		*sums = calloc(GROUPS_ROOM, sizeof(**sums));
	if (!*sums)
		return false;
	(*sums)[group] += period;
	return true;
}

bool groups_add_all(double **sums, const double *more)
{
	for (unsigned group = 0; more && group < GROUPS_ROOM; group++)
		if (more[group] > 0 && !groups_add(sums, group, more[group]))
			return false;
	return true;
}

/* A part of a whole, in the groups of windows and in what was counted in full. */
struct divided {
	double part[GROUPS_ROOM],
		rest[GROUPS_ROOM]; /* by group of windows; the rest of the whole */
	unsigned count;            /* groups of windows */
	double parts, rests;       /* sums of the above */
	double share;              /* of everything */
	double whole;              /* everything */
};

static void divide(struct divided *d, const struct grouping *grouping, const double *part,
		   const double *whole)
{
	double parts = part ? part[0] : 0;

	*d = (struct divided){.whole = whole ? whole[0] : 0};
	for (unsigned group = 1; group < GROUPS_ROOM; group++) {
		const double here = part ? part[group] : 0, all = whole ? whole[group] : 0;

		if (!(grouping->present & 1u << group))
			continue;
		d->part[d->count] = here;
		d->rest[d->count++] = all - here;
		d->parts += here;
		d->rests += all - here;
	}
	parts += d->parts;
	d->whole += d->parts + d->rests;
	d->share = d->whole > 0 ? parts / d->whole : (double)NAN;
}

/* Returns the square of half the interval that follows from how much the groups differ. */
static double spread(const struct divided *d, double modelled)
{
	/* How far a group is from the share, were it as much of everything as the others. */
	const double mean = ((1 - d->share) * d->parts - d->share * d->rests) / d->count;
	const double quantile = student_quantile(d->count - 1.0);
	double squares = 0, half;

	for (unsigned i = 0; i < d->count; i++) {
		const double residual = (1 - d->share) * d->part[i] - d->share * d->rest[i] - mean;

		squares += residual * residual;
	}
	squares *= d->count / (d->count - 1.0) * (modelled < 1 ? 1 - modelled : 0);
	half = quantile * sqrt(squares) / d->whole;
	return half * half;
}

/*
 * Returns the square of what an estimated sum may be off for other reasons than `spread`, as a
 * change of the share; `weight` is the derivative of the share, times everything. NaN: that is
 * unknown, since too few windows have some of it.
 */
static double allowance(const struct divided *d, const struct grouping *grouping,
			const double *sums, double sum, double weight)
{
	/* So many windows, dealt into groups at random, are as many groups by the same number. */
	const double most = WINDOWS_FREQUENT * (double)d->count / (WINDOWS_FREQUENT + d->count);
	double times = WINDOWS_ALLOWANCE, part = INFINITY, off = sum;

	if (sum <= 0) {
		/* If it were in more windows, some of them would have been chosen. */
		times = ABSENT_WINDOWS / grouping->windows;
		off = d->parts + d->rests;
		part = ABSENT_PART;
	} else if (windows_effective(sums, d->count, 1) < most) {
		times = WINDOWS_RARE_TIMES;
		part = WINDOWS_RARE_PART;
	}
	off *= times * weight / d->whole;
	return off <= part * d->share ? off * off : (double)NAN;
}

struct plumb_profile_estimate groups_share(const struct grouping *grouping, const double *part,
					   const double *whole)
{
	struct plumb_profile_estimate estimate = {NAN, NAN, NAN};
	struct divided d;
	double half;

	divide(&d, grouping, part, whole);
	estimate.value = d.share;
	if (d.count < GROUPS_LEAST || !(d.share >= 0 && d.share <= 1))
		return estimate;
	half = sqrt(spread(&d, grouping->modelled) +
		    allowance(&d, grouping, d.part, d.parts, 1 - d.share) +
		    allowance(&d, grouping, d.rest, d.rests, d.share));
	if (isnan(half))
		return estimate;
	estimate.low = fmax(d.share - half, 0);
	estimate.high = fmin(d.share + half, 1);
	return estimate;
}

struct plumb_profile_estimate groups_sum(const struct grouping *grouping, const double *part,
					 const double *sizes)
{
	double sums[GROUPS_ROOM], all = 0, size = 0, squares = 0, most, half;
	struct plumb_profile_estimate estimate = {part ? part[0] : 0, NAN, NAN};
	unsigned count = 0;

	for (unsigned group = 1; group < GROUPS_ROOM; group++) {
		if (!(grouping->present & 1u << group))
			continue;
		sums[count] = part ? part[group] : 0;
		all += sums[count++];
		size += sizes ? sizes[group] : 1;
	}
	estimate.value += all;
	most = WINDOWS_FREQUENT * (double)count / (WINDOWS_FREQUENT + count);
	if (count < GROUPS_LEAST || !(all > 0) || !(size > 0) ||
	    windows_effective(sums, count, 1) < most)
		return estimate;
	count = 0;
	for (unsigned group = 1; group < GROUPS_ROOM; group++) {
		double residual;

		if (!(grouping->present & 1u << group))
			continue;
		residual = sums[count++] - all * (sizes ? sizes[group] : 1) / size;
		squares += residual * residual;
	}
	squares *= count / (count - 1.0) * (grouping->modelled < 1 ? 1 - grouping->modelled : 0);
	half = hypot(student_quantile(count - 1.0) * sqrt(squares), WINDOWS_ALLOWANCE * all);
	estimate.low = fmax(estimate.value - half, 0);
	estimate.high = estimate.value + half;
	return estimate;
}

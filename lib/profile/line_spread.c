/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/line_spread.h"

#include <math.h>
#include <stdlib.h>

/*
 * Relative standard deviations of what an execution costs in a replay: usual ones, and those of
 * latencies that no record has. doc/statistics.md has the comparison with exact profiles.
 */
#define REPLAY_ERROR  0.1
#define UNKNOWN_ERROR 0.5
/*
 * A load that hits L1D and takes long waits for an older store, or for its turn. Its cost may be
 * that of the store: anything from nothing to all of it, whose deviation is 1 / sqrt(3).
 */
#define HELD_ERROR 0.57735
/*
 * Likewise, when a queue of loads or stores is full, whichever comes next is charged: which one
 * that is may be any of those that use the queue.
 */
#define QUEUED_ERROR HELD_ERROR
/* Of the normal distribution, for 95 %. */
#define QUANTILE 1.959964

bool line_spread_new(struct line_spread *spread, size_t count)
{
	spread->count = count;
	spread->group_of = calloc(count + 1, sizeof(*spread->group_of));
	spread->groups = calloc(count + 1, sizeof(*spread->groups));
	spread->relative = calloc(count + 1, sizeof(*spread->relative));
	spread->unseen = calloc(count + 1, sizeof(*spread->unseen));
	spread->held = calloc(count + 1, sizeof(*spread->held));
	spread->queued = calloc(count + 1, sizeof(*spread->queued));
	spread->stores = calloc(count + 1, sizeof(*spread->stores));
	spread->missed = calloc(count + 1, sizeof(*spread->missed));
	spread->missed_variance = calloc(count + 1, sizeof(*spread->missed_variance));
	spread->loads = calloc(count + 1, sizeof(*spread->loads));
	spread->windows = calloc(count + 1, sizeof(*spread->windows));
	return spread->group_of && spread->groups && spread->relative && spread->unseen &&
	       spread->held && spread->queued && spread->missed && spread->missed_variance &&
	       spread->stores && spread->loads && spread->windows;
}

void line_spread_free(struct line_spread *spread)
{
	free(spread->group_of);
	free(spread->groups);
	free(spread->relative);
	free(spread->unseen);
	free(spread->held);
	free(spread->queued);
	free(spread->missed);
	free(spread->missed_variance);
	free(spread->loads);
	free(spread->stores);
	free(spread->windows);
}

/* Latencies: how many, their sum and that of their squares. */
struct moments {
	double count, sum, squares;
};

static void add_latencies(struct moments *moments, const struct replay_instruction *samples)
{
	for (unsigned i = 0; i < samples->source_count; i++) {
		const struct replay_source *source = &samples->sources[i];

		moments->count += source->samples;
		moments->sum += source->samples * source->cycles;
		moments->squares += source->samples * source->cycles * source->cycles;
	}
}

/* The variance of the mean of latencies, divided by the mean's square. */
static double latency_variance(const struct replay_instruction *samples)
{
	struct moments own = {0};
	double mean;

	add_latencies(&own, samples);
	if (!(own.sum > 0))
		return 0;
	mean = own.sum / own.count;
	return fmax(0, own.squares / own.count / (mean * mean) - 1) / own.count;
}

/* Likewise of the share of a branch's executions that are mispredicted. */
static double misprediction_variance(const struct replay_instruction *samples)
{
	double mispredicted = samples->mispredicted_taken + samples->mispredicted_not_taken;
	double all = samples->taken + samples->not_taken;

	return mispredicted > 0 && all > 0 ? fmax(0, 1 / mispredicted - 1 / all) : 0;
}

/*
 * The variance of how often a load misses L1D, by its square: misses are rare events, those of the
 * loads that are alike with their weight. What these have in common errs together for all of them.
 */
static double misses_variance(const struct replay_instruction *load)
{
	double own = 0, weight, misses;

	for (unsigned i = 0; i < load->source_count; i++)
		own += load->sources[i].cycles > REPLAY_HIT_CYCLES ? load->sources[i].samples : 0;
	weight = load->alike_samples > 0 ? load->alike_weight / load->alike_samples : 0;
	misses = own + weight * load->alike_far;
	if (!(misses > 0))
		return 0;
	return (own + weight * weight * load->alike_far * load->alike) / (misses * misses);
}

void line_spread_note(struct line_spread *spread, size_t i, uint32_t group,
		      const struct replay_instruction *samples)
{
	spread->group_of[i] = group;
	spread->groups[group].samples += samples->samples;
	spread->relative[i] = misprediction_variance(samples);
	if (!samples->alike)
		spread->relative[i] += latency_variance(samples);
}

void line_spread_note_load(struct line_spread *spread, size_t i,
			   const struct replay_instruction *instructions)
{
	const struct replay_instruction *load = &instructions[i];
	struct moments own = {0}, alike = {0};
	double mean, variance, all;

	if (!load->alike)
		return;
	add_latencies(&own, load);
	for (unsigned n = 0; n < load->alike; n++, i = instructions[i].next_alike)
		add_latencies(&alike, &instructions[i]);
	if (!(alike.sum > 0))
		return;
	/* Of one latency. Few that are equal do not show that all are. */
	mean = alike.sum / alike.count;
	variance = fmax(0, alike.squares / alike.count - mean * mean) + mean * mean / alike.count;
	/*
	 * Those that are alike count as some samples more, with the mean of all. That part errs
	 * together for all of them, and their weights are about equal.
	 */
	all = own.count + load->alike_weight;
	mean = (own.sum + load->alike_weight * mean) / all;
	variance *=
		(own.count + load->alike_weight * load->alike_weight * load->alike / alike.count) /
		(all * all);
	spread->relative[i] += variance / (mean * mean);
}

/* Records of loads that tell a latency. */
static double count_loads(const struct replay_instruction *instructions, size_t count)
{
	struct moments all = {0};

	for (size_t i = 0; i < count; i++)
		if (instructions[i].alike)
			add_latencies(&all, &instructions[i]);
	return all.count;
}

static bool is_unseen(const struct replay_instruction *load)
{
	return load->alike && !(load->alike_samples > 0) && !load->source_count;
}

void line_spread_doubt_unseen(struct line_spread *spread,
			      const struct replay_instruction *instructions, const double *slots,
			      const double *timed, double worst)
{
	/* Laplace's rule of succession: all the others hit, and perhaps the next one does not. */
	const double misses = 1 / (count_loads(instructions, spread->count) + 1);
	double all = 0;

	for (size_t i = 0; i < spread->count; i++) {
		spread->groups[spread->group_of[i]].instructions++;
		all += slots[i];
	}
	for (size_t i = 0; i < spread->count; i++) {
		const struct spread_group *group = &spread->groups[spread->group_of[i]];
		double lost;

		if (!is_unseen(&instructions[i]) || !(slots[i] > 0))
			continue;
		lost = group->samples / group->instructions * worst;
		/* At most what the loop takes; as much as all others is doubt enough. */
		lost = fmin(lost, (timed[i] > 0 ? timed[i] : all) / instructions[i].alike);
		lost /= slots[i];
		/* Those that are alike are wrong together, and their weights are about equal. */
		spread->unseen[i] = misses * lost * lost * instructions[i].alike;
	}
}

void line_spread_doubt(struct line_spread *spread, size_t i,
		       const struct replay_instruction *samples, double rest,
		       const struct replay_shares *shares)
{
	double unknown = samples->endless + samples->misses + samples->moves;

	if (unknown > 0 && samples->samples > 0) {
		unknown = fmin(1, unknown / samples->samples) * rest * UNKNOWN_ERROR;
		spread->relative[i] += unknown * unknown;
	}
	spread->replayed = true;
	spread->stores[i] = samples->stores;
	spread->loads[i] = samples->alike;
	for (unsigned q = 0; q < REPLAY_QUEUES; q++)
		spread->queued[i][q] = shares->queued[q] * QUEUED_ERROR;
	spread->missed[i] = shares->missed;
	spread->missed_variance[i] = shares->missed * shares->missed * misses_variance(samples);
	spread->relative[i] += spread->missed_variance[i];
	if (samples->alike && samples->samples > 0)
		spread->held[i] = fmin(1, samples->held / samples->samples) * HELD_ERROR;
}

void line_spread_note_windows(struct line_spread *spread, size_t i, const double *windows)
{
	spread->windows[i] = windows;
	for (unsigned g = 0; windows && g < GROUPS_ROOM; g++)
		spread->all_windows[g] += windows[g];
}

/* Returns how often an instruction uses a queue, by the samples of its block. */
static double uses_of(const struct line_spread *spread, size_t i, enum replay_queue queue)
{
	const struct spread_group *group = &spread->groups[spread->group_of[i]];

	if ((queue == REPLAY_QUEUE_STORES || !spread->loads[i]) &&
	    (queue == REPLAY_QUEUE_LOADS || !spread->stores[i]))
		return 0;
	return group->instructions > 0 ? group->samples / group->instructions : 0;
}

void line_spread_sum(struct line_spread *spread, const struct plumb_annotated_code *code)
{
	double samples = 0;

	for (size_t i = 0; i < spread->count; i++) {
		double weight = code->instructions[i].weight;

		spread->weight += weight;
		spread->groups[spread->group_of[i]].weight += weight;
		spread->costs += weight * weight * spread->relative[i];
		spread->unseen_costs += weight * weight * spread->unseen[i];
		spread->missed_costs += weight * spread->missed[i];
		spread->missed_variances += weight * weight * spread->missed_variance[i];
		spread->held_costs += weight * spread->held[i];
		for (unsigned q = 0; q < REPLAY_QUEUES; q++) {
			spread->queued_costs[q] += weight * spread->queued[i][q];
			spread->uses[q] += uses_of(spread, i, q);
		}
	}
	for (size_t g = 0; g < spread->count; g++) {
		const struct spread_group *group = &spread->groups[g];

		samples += group->samples;
		if (group->samples > 0)
			spread->squares += group->weight * group->weight / group->samples;
	}
	spread->samples = (uint64_t)samples;
}

/* Variances of a line's cost, downwards and upwards. */
struct sides {
	double low, high;
};

/*
 * Wilson's interval takes the variance for that of few draws, and becomes all there is for a small
 * share. What nobody saw has no such skewness, so its deviation is added to both sides, as squares.
 * So is that of loads that were held up: all of a line err together, and any store may be the
 * cause.
 */
static void widen(struct estimate *share, const struct sides *variance, double weight)
{
	const double scale = QUANTILE * QUANTILE / (weight * weight);

	share->low = fmax(
		0, share->value - sqrt(pow(share->value - share->low, 2) + scale * variance->low));
	share->high = fmin(1, share->value + sqrt(pow(share->high - share->value, 2) +
						  scale * variance->high));
}

/*
 * The slots that are lost while a queue is full may be any line's that uses it: a line's own may be
 * those of others, and theirs its own, unless that uses the queue less often. The sum of all stays.
 */
static void add_queued(const struct line_spread *spread, const struct plumb_annotated_code *code,
		       const struct plumb_annotated_line *line, enum replay_queue queue,
		       struct sides *sides)
{
	double own = 0, uses = 0, others;

	for (uint32_t k = line->first; k < line->first + line->count; k++) {
		const uint32_t i = code->order[k];

		own += code->instructions[i].weight * spread->queued[i][queue];
		uses += uses_of(spread, i, queue);
	}
	others = fmax(0, spread->uses[queue] - uses);
	if (others > 0)
		sides->low += pow(own * others / fmax(uses, others), 2);
	if (uses > 0)
		sides->high +=
			pow((spread->queued_costs[queue] - own) * uses / fmax(uses, others), 2);
}

/*
 * Returns the lower end of the 95 % interval of a Poisson count, as a share of the count, by its
 * relative deviation. At most 0.02 below the exact one (Garwood's, by chi-square) from 1 to 20.
 */
static double count_low(double deviation)
{
	return exp(-QUANTILE * deviation * (1 + 0.75 * deviation));
}

/*
 * A few misses may be far too many, and then all else has a larger share: if others cost less by
 * `less`, the line's share grows by that part of what is left, which is more than of all. While the
 * core waited for them, it hid waits for queues, which would be as often as in the rest of the
 * time. Adds the difference.
 */
static void add_missed(const struct line_spread *spread, const struct plumb_annotated_code *code,
		       const struct plumb_annotated_line *line, struct sides *sides)
{
	double costs = spread->missed_costs, variance = spread->missed_variances, less;
	double grows = line->weight;

	for (uint32_t k = line->first; k < line->first + line->count; k++) {
		const uint32_t i = code->order[k];
		const double weight = code->instructions[i].weight;

		for (unsigned q = 0; q < REPLAY_QUEUES; q++)
			grows += weight * spread->queued[i][q] / QUEUED_ERROR;
		costs -= weight * spread->missed[i];
		variance -= weight * weight * spread->missed_variance[i];
	}
	if (!(costs > 0 && variance > 0))
		return;
	less = costs * (1 - count_low(sqrt(variance) / costs));
	if (!(less < spread->weight))
		return;
	sides->high += (pow(grows * less / (spread->weight - less), 2) -
			pow(line->weight * less / spread->weight, 2)) /
		       (QUANTILE * QUANTILE);
}

/* Estimates the share of a line from how much groups of windows differ. */
static struct estimate windows_share(const struct line_spread *spread,
				     const struct plumb_annotated_code *code,
				     const struct plumb_annotated_line *line)
{
	struct plumb_profile_estimate share;
	double part[GROUPS_ROOM] = {0};

	for (uint32_t k = line->first; k < line->first + line->count; k++) {
		const double *windows = spread->windows[code->order[k]];

		for (unsigned g = 0; windows && g < GROUPS_ROOM; g++)
			part[g] += windows[g];
	}
	share = groups_share(spread->grouping, part, spread->all_windows);
	return (struct estimate){.value = share.value, .low = share.low, .high = share.high};
}

/*
 * The linearised variance of a quotient. A sample of group g has the residual (part - share *
 * weight) / samples; its part is that of the line.
 */
struct estimate line_spread_share(const struct line_spread *spread,
				  const struct plumb_annotated_code *code,
				  const struct plumb_annotated_line *line)
{
	double share = spread->weight > 0 ? line->weight / spread->weight : 0, costs = 0,
	       unseen = 0, held = 0;
	struct sides sides;
	bool stores = false;
	double variance = share * share * spread->squares;
	struct estimate estimate;

	if (spread->grouping)
		return windows_share(spread, code, line);
	for (uint32_t k = line->first; k < line->first + line->count; k++) {
		uint32_t i = code->order[k];
		double weight = code->instructions[i].weight;

		spread->groups[spread->group_of[i]].part += weight;
		costs += weight * weight * spread->relative[i];
		unseen += weight * weight * spread->unseen[i];
		held += weight * spread->held[i];
		stores |= spread->stores[i];
	}
	for (uint32_t k = line->first; k < line->first + line->count; k++) {
		struct spread_group *group = &spread->groups[spread->group_of[code->order[k]]];

		if (group->samples > 0)
			variance += group->part * (group->part - 2 * share * group->weight) /
				    group->samples;
		group->part = 0;
	}
	variance += (1 - 2 * share) * costs + share * share * spread->costs;
	/* What a replay does not know errs together for all of a line, and for all others. */
	if (spread->replayed)
		variance += 2 * pow(REPLAY_ERROR * (1 - share) * line->weight, 2);
	unseen = (1 - 2 * share) * unseen + share * share * spread->unseen_costs;
	unseen += pow((1 - share) * held, 2) +
		  pow((stores ? 1 - share : share) * (spread->held_costs - held), 2);
	sides = (struct sides){unseen, unseen};
	for (unsigned q = 0; q < REPLAY_QUEUES; q++)
		add_queued(spread, code, line, q, &sides);
	add_missed(spread, code, line, &sides);
	estimate = estimate_share_by_variance(
		share, spread->weight > 0 ? variance / (spread->weight * spread->weight) : 0,
		spread->samples);
	if (sides.low > 0 || sides.high > 0)
		widen(&estimate, &sides, spread->weight);
	return estimate;
}

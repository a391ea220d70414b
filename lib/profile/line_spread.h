/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much the shares of an annotated function's lines vary with the sampler's random numbers, or
 * between groups of windows, and how far off a replay may be: doc/statistics.md gives the formulas.
 */
#ifndef PROFILE_LINE_SPREAD_H
#define PROFILE_LINE_SPREAD_H

#include <plumb/annotate.h>

#include "disasm/replay.h"
#include "profile/estimate.h"
#include "profile/groups.h"

/* Instructions whose number of executions comes from the same samples: those of a block. */
struct spread_group {
	double samples, weight;
	double instructions;
	double part; /* the weight of the current line's instructions */
};

struct line_spread {
	size_t count;
	uint32_t *group_of; /* of each instruction; groups are numbered below `count` */
	struct spread_group *groups;
	double *relative; /* variance of an instruction's cost for each execution, by its square */
	double *unseen;   /* likewise, because nobody saw it */
	double *held; /* relative deviation, the same for all of a line: it waited for something */
	double (*queued)[REPLAY_QUEUES]; /* shares of the cost that are for want of room in one */
	double *missed;                  /* likewise, because L1D missed, */
	double *missed_variance;         /* and the relative variance of that */
	bool *stores, *loads;
	/* Sums over all, since line_spread_sum(); before, there are no intervals. */
	double weight, squares, costs, unseen_costs, held_costs, queued_costs[REPLAY_QUEUES];
	double missed_costs, missed_variances;
	double uses[REPLAY_QUEUES]; /* how often an instruction uses the queue, by samples */
	uint64_t samples;
	bool replayed; /* since line_spread_doubt(): costs are a replay's */
	/* What each instruction and all of them have by group of windows; the former are the
	 * caller's, or NULL: nothing. */
	const double **windows;
	double all_windows[GROUPS_ROOM];
	const struct grouping *grouping; /* NULL: there are no windows */
};

/* Returns false if out of memory. Free it in any case. */
bool line_spread_new(struct line_spread *spread, size_t count);
void line_spread_free(struct line_spread *spread);

/* Sets the group of instruction `i`, and adds its samples to it. */
void line_spread_note(struct line_spread *spread, size_t i, uint32_t group,
		      const struct replay_instruction *samples);
/* Adds how much the latencies of a load vary, with those that are alike; call it after that. */
void line_spread_note_load(struct line_spread *spread, size_t i,
			   const struct replay_instruction *instructions);
/*
 * Adds that a replay may be wrong about what an instruction costs; call it after that. `rest` is
 * the other instructions' share of a sum that is known otherwise, or 1; `shares` is as of
 * replay_function().
 */
void line_spread_doubt(struct line_spread *spread, size_t i,
		       const struct replay_instruction *samples, double rest,
		       const struct replay_shares *shares);
/*
 * Adds that loads may cost more of which neither they nor those that are alike have a record: they
 * were replayed as loads that hit. Call it when all samples are noted. `slots` is what each
 * instruction costs, and `timed` what its loop does, or 0 if that is unknown; `worst` is what a
 * load from memory costs each time.
 */
void line_spread_doubt_unseen(struct line_spread *spread,
			      const struct replay_instruction *instructions, const double *slots,
			      const double *timed, double worst);
/* Sets what an instruction has by group of windows. */
void line_spread_note_windows(struct line_spread *spread, size_t i, const double *windows);
/* Call it once, when all instructions have their weights. */
void line_spread_sum(struct line_spread *spread, const struct plumb_annotated_code *code);
/* Estimates the share of a line. */
struct estimate line_spread_share(const struct line_spread *spread,
				  const struct plumb_annotated_code *code,
				  const struct plumb_annotated_line *line);

#endif

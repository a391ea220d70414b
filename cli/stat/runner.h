/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of running `plumb stat` share: run.c, parts.c, print.c, record_options.c.
 */
#ifndef CLI_STAT_RUNNER_H
#define CLI_STAT_RUNNER_H

#include "render/units.h"
#include "stat.h"
#include "tool/progress.h"

/* A CPU, a thread or the like that is counted separately. */
struct runner {
	const struct stat_options *options;
	struct machine *machine;
	const struct plumb_plan *plan;
	struct output out;
	bool open;            /* `out` is */
	struct report report; /* of the whole run */
	struct plumb_result *whole, *part;
	struct plumb_count *counts;     /* of one run */
	struct plumb_diagnosis **parts; /* one for each run or interval */
	size_t part_count, part_room;
	struct report_repeat *repeats; /* with -r: one for each run */
	size_t repeat_count;
	struct counted_units units;
	struct plumb_diagnostics *diagnostics;
	const char **warnings;
	const char *record_options[2 * 13 + 2 + 1 + 2 * 2 + 1];
	char costs[2][16]; /* words in it */
	struct report_what_if what_if[PLUMB_WHAT_IF_MAX];
	struct report_sampled sampled;
	struct stat_stretches intervals, phases; /* of a sampled run */
	struct report_phase *shown_phases;
	double last_time;       /* of the previous interval */
	double startup_seconds; /* as in struct plumb_count_run; the mean of the runs */
	const char *startup_end;
	struct progress progress;
	struct runner *types; /* other types of cores, with their plans and results */
	bool beside;          /* one of them */
	size_t type_count;
	struct plumb_diagnosis *diagnosis;  /* of the whole, of another type of cores */
	struct plumb_count_beside *besides; /* what counts for them */
	bool told;                          /* how slow the model is */
	bool interrupted;                   /* by a signal before the program began */
};

static inline bool runner_is_sampled(const struct runner *r)
{
	return r->options->sampled_error != 0;
}

/* ---- what was counted: parts.c ------------------------------------------------------------------
 */

/* Adds an interval, or the run that `run` tells about. */
void runner_add_part(struct runner *r, const struct plumb_count *counts,
		     const struct plumb_count_run *run);
/* Keeps what the newest run counted. */
void runner_keep_repeat(struct runner *r, double seconds);
void runner_free_repeats(struct runner *r);
/* A job's `unit`. */
void runner_on_unit(void *user, size_t index, const struct plumb_count_unit *given,
		    const struct plumb_count *counts);
/* Returns how many parts give the diagnosis of the whole run, or a more specific one. */
unsigned runner_agreeing(const struct runner *r, const struct plumb_diagnosis *whole);

/* ---- printing: print.c --------------------------------------------------------------------------
 */

/* Tells whether messages may go to standard error: not if only JSON or CSV goes there. */
bool runner_may_say(const struct runner *r);
/* Says what counts. */
void runner_say_which(const struct runner *r);
/* Tells whether each interval is printed when it ends. */
bool runner_prints_intervals(const struct runner *r);
/* Tells whether all intervals of --interval-count have been counted. */
bool runner_has_all_intervals(const struct runner *r);
/* Returns an exit status; nothing happens if the output is open. */
int runner_open_output(struct runner *r);
/* A job's `interval`, and what a sampled run calls for its intervals and phases. */
void runner_on_interval(void *user, const struct plumb_count *counts, double seconds);
void runner_on_stretch(void *user, const struct plumb_stretch *given);
void runner_on_phase(void *user, const struct plumb_stretch *given);
/* Prints the results of all runs. Returns an exit status. */
int runner_print_whole(struct runner *r);

/* ---- record_options.c ---------------------------------------------------------------------------
 */

/* Collects the options that `plumb record` needs for the same run. */
void runner_find_record_options(struct runner *r);

#endif

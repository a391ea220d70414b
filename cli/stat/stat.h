/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb stat` share. */
#ifndef CLI_STAT_H
#define CLI_STAT_H

#include <plumb/count.h>

#include "core_types.h"
#include "cpu/pmu.h"
#include "render/report.h"
#include "tool/control.h"
#include "tool/lists.h"
#include "tool/machine.h"
#include "tool/options.h"
#include "tool/selecting.h"
#include "tool/window.h"

/* What to count instead of the program: read from the options by targets.c. */
struct stat_targets {
	bool any;
	struct number_list pids, tids, cpus;
	bool all_cpus;
	const char **cgroups; /* point into `cgroup_text` */
	size_t cgroup_count;
	char *cgroup_text;
	enum plumb_count_by by;
	struct control control;
	char *text; /* "process 42" */
};

struct stat_options {
	struct common_options common;
	int source;
	struct selecting_options selecting;
	struct option_words events;
	int collect_by; /* enum plumb_collect_by */
	bool no_multiplex;
	unsigned interval_ms;
	unsigned repeat;
	bool csv;
	unsigned interval_count;
	bool summary_only;
	bool all_user, all_kernel;
	struct window_options window;
	struct plumb_window counted; /* read from them */
	const char *sysroot;
	const char *qemu;
	const char *seed;
	int page_size;
	bool huge_pages;
	struct machine_conditions conditions;
	bool reference;
	unsigned host_threads;
	const char *core_file;
	bool children;
	bool no_progress;
	const char *pids, *tids, *cpus, *cgroups, *control;
	bool all_cpus, no_aggregation, per_core, per_socket, per_node, per_thread, no_inherit;
	struct stat_targets targets;         /* read from them */
	const char *sampled, *sampled_after; /* as given; NULL: not at all */
	double sampled_error;                /* read from them; 0: not sampled */
	uint64_t sampled_from;   /* instructions before that; 0: as the library has it */
	bool sampled_by_default; /* nobody asked for it */
	const char *what_if;     /* as given; NULL: not at all */
	uint32_t what_if_parts;  /* read from it: as in struct plumb_model_options */
};

/* ---- what to count: targets.c ---------------------------------------------------------------- */

/*
 * Reads the targets among the options; `program` tells that there is one. Prints an error and
 * returns false if they are invalid. In both cases call stat_targets_free().
 */
bool stat_read_targets(struct stat_options *options, bool program);
/*
 * Opens what --control names, once it is known whether the model counts, which obeys no commands
 * and knows none of perf's other options for them. Prints an error and returns false if it cannot.
 */
bool stat_open_control(struct stat_options *options, bool model);
void stat_targets_free(struct stat_targets *targets);

/* ---- what is asked for: request.c ------------------------------------------------------------ */

struct stat_selection {
	struct plumb_selection *selection;
	struct plumb_event_list *events; /* that it refers to */
	bool brief;                      /* nothing was asked for in particular */
};

/*
 * Makes the selection. Returns EXIT_FINE, or prints an error and returns the exit status. In both
 * cases call stat_selection_free().
 */
int stat_select(const struct stat_options *options, const struct machine *machine,
		struct stat_selection *selected);
void stat_selection_free(struct stat_selection *selected);

/* ---- several types of cores: types.c -------------------------------------------------------- */

/* A type that is counted besides the one of the command's machine. */
struct stat_type {
	struct machine machine; /* only its source, specification and program are set */
	struct stat_selection selected;
	struct plumb_plan *plan;
};

struct stat_types {
	struct stat_type at[CPU_PMUS_MAX];
	size_t count;
	struct core_words own; /* the events of the machine's own type, if there are others */
};

/*
 * Finds the other types of cores to count, those with the CPUs asked for, and makes the one that
 * has most of the events the machine's own, whose events become those of `options`. Names those
 * that have no specification.
 */
void stat_find_types(struct stat_options *options, struct machine *machine,
		     struct stat_types *types);
/*
 * Makes their selections and plans, from the `events` of the command line. Types that lack all that
 * was asked for are left out, which is said. Returns an exit status. In all cases call
 * stat_free_types().
 */
int stat_plan_types(const struct stat_options *options, const struct option_words *events,
		    const struct machine *machine, struct stat_types *types);
void stat_free_types(struct stat_types *types);

/* stat.c: makes a plan for a machine. Returns an exit status. */
int stat_plan(const struct stat_options *values, const struct machine *machine,
	      const struct plumb_selection *selection, struct plumb_plan **plan);

/* ---- sampled runs: sampled.c ---------------------------------------------------------------- */

/*
 * Reads --sampled and --sampled-after, or sets what holds without them. Prints an error and returns
 * false if they are invalid or clash.
 */
bool stat_read_sampled(struct stat_options *options);

/* Turns sampling off if it is only the default and `model` does not count; else likewise. */
bool stat_sampled_suits(struct stat_options *options, bool model);

/* Prints that a run was sampled, if nobody asked for it. */
void stat_say_sampled(const struct stat_options *options, const struct plumb_windows *windows);

/*
 * Keeps what the windows of a run say, also in its result. `from`: the instructions before them, if
 * they were chosen; or 0. Free it.
 */
void stat_keep_windows(struct report_sampled *sampled, struct plumb_result *whole,
		       const struct plumb_windows *windows, uint64_t from);

/* An interval of a sampled run, or a phase: struct plumb_stretch. */
struct stat_stretch {
	double seconds;
	int phase;
	size_t intervals;
	struct plumb_result *result;
	struct plumb_diagnosis *diagnosis;
	struct report_sampled sampled;
};
struct stat_stretches {
	struct stat_stretch *at;
	size_t count;
};
void stat_add_stretch(struct stat_stretches *all, const struct plumb_plan *plan,
		      const struct plumb_stretch *given);
void stat_free_stretches(struct stat_stretches *all);

/* Sets how many draws of the windows have the diagnosis of the whole run. */
void stat_count_same(struct report_sampled *sampled, const struct plumb_diagnosis *whole);
void stat_free_sampled(struct report_sampled *sampled);

/* ---- running and printing: run.c ---------------------------------------------------------
 */

/* Runs the program with the plan, prints the results, and returns the exit status. */
int stat_run(const struct stat_options *options, struct machine *machine,
	     const struct plumb_plan *plan, const struct stat_types *types, char *const *argv,
	     bool brief);

#endif

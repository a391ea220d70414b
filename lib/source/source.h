/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source of counts: runs a program and counts the events of a plan. Whatever comes after it
 * works the same with any source, and names it.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <plumb/count.h>
#include <sys/types.h>

struct cpu_pmu;

/* What is to be run and counted, and what the source calls meanwhile. */
struct source_job {
	const struct plumb_plan *plan;
	const char *program;  /* path; it is not looked up in PATH */
	char *const *argv;    /* the program's, NULL-ended */
	bool children;        /* count what it forks, too */
	bool one_pass;        /* a run for each pass of the plan, rather than taking turns in one */
	unsigned interval_ms; /* of the source's time; 0: none */

	/* Of the model alone. */
	const char *core;       /* NULL: its first */
	const char *qemu;       /* path of qemu-aarch64 */
	const char *plugin_dir; /* where its plugins are */
	const char *sysroot;    /* NULL: found by itself */

	/* Of perf alone. */
	const struct cpu_pmu *pmu; /* that counts */

	/* The program has begun; signals for it go to `pid`. */
	void (*started)(void *user, pid_t pid);
	/*
	 * An interval has ended, `seconds` after the program began; `counts` are those of this
	 * interval alone, laid out as the plan says. The last one may be shorter.
	 */
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	/* Some time has passed: so far, instructions (NaN: unknown) and seconds. */
	void (*progress)(void *user, double instructions, double seconds);
	void *user;
};

/* How it went. */
struct source_run {
	struct plumb_count *counts; /* the caller's: plan->place_count, of the whole run */
	double seconds;             /* of the source's time: the model's, or the clock's */
	double host_seconds;        /* that it took */
	int exit_status;            /* the program's; 128 + signal if one ended it */
	int signal;                 /* that ended it, or 0 */
};

struct source {
	const char *name;  /* "model" */
	const char *label; /* what is said of the CPU's name: "model"; NULL: it is the real one */
	/* Whether it counts a PMU event. `user` is not looked at. */
	bool (*counts)(const void *user, uint16_t code);
	bool limited; /* by counters: a plan for it needs their number */
	/*
	 * Runs the program to its end. Returns 0 with `*run` filled, also when the program was
	 * killed; warnings about what was counted go to `found`. Otherwise a negative error with
	 * a finding. No member of `job` may be NULL unless it says so; callbacks may all be.
	 */
	int (*count)(const struct source_job *job, struct source_run *run,
		     struct plumb_diagnostics *found);
};

extern const struct source source_model, source_perf;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb explore` share. */
#ifndef CLI_EXPLORE_H
#define CLI_EXPLORE_H

#include <semaphore.h>
#include <stdatomic.h>

#include <plumb/findings.h>

#include "render/findings.h"
#include "render/output.h"
#include "render/report.h"
#include "tool/lists.h"
#include "tool/machine.h"
#include "tool/options.h"

struct html_page;

struct explore_options {
	struct common_options common;
	int source, page_size;
	bool huge_pages;
	struct machine_conditions conditions;
	const char *core_file, *folder, *pids, *timeout, *sysroot, *qemu;
	const char *seed, *html, *intervals;
	bool all_cpus, once, sampled, no_progress;
};

/* What was counted in intervals, ordered by time. */
struct explore_intervals {
	struct plumb_count *counts; /* of each: as many as the plan has places */
	double *ends;               /* seconds since the program began */
	size_t count;
	unsigned joined, last; /* how many of the source's are in each, and in the last one */
};

struct exploration {
	const struct explore_options *options;
	struct machine *machine;
	char *const *argv;  /* the program's, NULL-ended; empty: there is none */
	char *const *words; /* the whole command line, for the recording */
	struct number_list pids;
	unsigned timeout_ms; /* of each step; 0: until the program ends */
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_result *counted;
	struct plumb_diagnosis *diagnosis;
	struct plumb_diagnostics *diagnostics;
	char *target;  /* what is measured instead of a program; NULL: a program */
	char *path;    /* of the recording */
	int scratch;   /* descriptor of a recording that is not kept, or -1 */
	bool exact;    /* the recording is */
	bool recorded; /* there is a recording */
	bool any;      /* something was counted */
	bool interrupted;
	bool early;   /* a signal came before the program began */
	char *events; /* that were sampled, as -e takes them; NULL: none */
	double seconds;
	struct explore_intervals intervals;
	double limit_cycles[PLUMB_LIMIT_SETS]; /* as in struct plumb_count_run */
	unsigned runs;
	int exit_status, signal;
};

/* run.c: counts and records. Returns EXIT_FINE, or an exit status after printing an error. */
int explore_measure(struct exploration *e);

/* record.c: records one run; with the model, also counts in it, if `counts` is not NULL. */
struct explore_recording {
	const struct plumb_event_list *events; /* may be empty, if `exact` */
	bool exact;
	struct plumb_count *counts;
	struct plumb_count_run *counted;
	const char *what;         /* for the progress: "step 2 of 2: sampling" */
	const int *pids;          /* instead of the exploration's; NULL: those */
	const _Atomic bool *stop; /* ends the recording when true; NULL: never */
	sem_t *ready;             /* posted when it samples; NULL: nobody waits */
	bool quiet;               /* another job has the signals and the progress */
};
int explore_record(struct exploration *e, const struct explore_recording *how,
		   struct plumb_recording_run *run);

/* Returns the folder for temporary files: TMPDIR, or /tmp. */
const char *explore_scratch_folder(void);

/* folder.c: reads and writes folders of results. Each returns an exit status. */
int explore_check_folder(const char *path);
int explore_keep(const struct exploration *e, const struct plumb_findings *findings);
int explore_show_folder(const struct explore_options *options, const char *path);

/* Prints the counts as plumb stat --json does. Returns an exit status. */
int explore_print_counts(const struct exploration *e);

/* Returns what is printed of the counts. */
struct report explore_report(const struct exploration *e);

/* intervals.c: counts by interval. Returns how long the shortest are. */
unsigned explore_interval_ms(const struct exploration *e);
/* Adds the counts of an interval that ended so many seconds after the program began. */
void explore_add_interval(struct exploration *e, const struct plumb_count *counts, double seconds);
void explore_free_intervals(struct explore_intervals *all);
/* Returns e->intervals.count elements; free them. */
struct plumb_finding_interval *explore_list_intervals(const struct exploration *e);
/* Prints them as plumb stat -I --json does. Returns an exit status. */
int explore_print_intervals(const struct exploration *e, const struct common_options *where);
/* Adds them to a page, or, if `e` is NULL, those of a folder, if it has any. */
void explore_add_intervals(struct html_page *page, const struct exploration *e, const char *folder);

/* page.c: checks before a long run that --html can be written, if it is given. */
int explore_check_page(const struct explore_options *options);
/*
 * Writes the page that --html names: of an exploration, or, if `e` is NULL, of a folder.
 * `again` is how plumb record makes such a recording; NULL: unknown. Returns an exit status.
 */
int explore_write_page(const struct explore_options *options, const struct exploration *e,
		       const struct plumb_findings *findings, const char *folder,
		       const struct findings_again *again);

#define EXPLORE_AGAIN_WORDS 80

/* again.c: how plumb record makes the recording of an exploration. */
struct explore_again {
	struct findings_again given; /* points to the rest */
	const char *words[EXPLORE_AGAIN_WORDS];
	char costs[2][16];
	char *events, *input; /* explore_free_again() frees them */
};
void explore_find_again(const struct exploration *e, struct explore_again *again);
void explore_free_again(struct explore_again *again);

/* Prints findings as text or JSON. */
int explore_print(struct output *out, const struct explore_options *options,
		  const struct plumb_findings *findings, const char *folder,
		  const struct findings_again *again);

#endif

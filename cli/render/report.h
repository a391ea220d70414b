/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the results of counting a program: as text for people, as JSON and CSV for programs.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include <math.h>
#include <string.h>

#include <plumb/diagnosis.h>

#include "profile/contradictions.h"
#include "render/output.h"
#include "tool/machine.h"
#include "tool/wrap.h"

/* What the program would take on a core with one perfect part. */
struct report_what_if {
	const char *name, *text;
	double cycles; /* the mean of the runs */
	bool together; /* all parts are */
};

/* What one of several runs counted: a value for each event of the plan and each selected metric. */
struct report_repeat {
	double seconds;
	double *counts, *values;
};

/* What a sampled run says of its estimates: struct plumb_windows. */
struct report_sampled {
	double error_asked, error;
	size_t windows;
	double instructions, rest, modelled, bare, unit;
	double from; /* the first that may be sampled, if that was chosen; or 0 */
	bool left;
	struct plumb_diagnosis **diagnoses; /* of estimates from windows that were drawn anew */
	unsigned redraws, same; /* their number; those that agree with the whole run's */
};

/* A phase of a sampled run: struct plumb_stretch. */
struct report_phase {
	int number;
	size_t intervals;
	double seconds; /* all of them together */
	const struct plumb_result *result;
	const struct plumb_diagnosis *diagnosis; /* of the result */
	const struct report_sampled *sampled;
};

/* A CPU, a thread or the like that was counted separately. */
struct report_unit {
	struct plumb_count_unit given;
	const struct plumb_result *result;
	const struct plumb_diagnosis *diagnosis; /* of the result */
};

struct report {
	const char *source;    /* "model" */
	const char *label;     /* printed after the CPU's name, or NULL */
	const char *core_file; /* whose figures replace the core's; NULL: none */
	const char *core; /* of the model, or its platform; NULL: the source is not the model */
	uint32_t page_bytes;
	bool huge_pages;
	uint64_t seed; /* of the model's random numbers */
	struct machine_conditions conditions;
	struct plumb_condition_counts condition_counts; /* of all runs */
	/* Of the QEMU that runs the model; NULL: there is none. */
	const char *engine_path, *engine_version;
	const struct plumb_spec *spec;
	uint32_t midr;
	char *const *command; /* NULL-ended; empty: none */
	const char *target;   /* what was counted instead of it: "process 42"; or NULL */
	/* The tool that counted, and the files that its counts were read from, NULL-ended. NULL:
	 * Plumb counted. */
	const char *counted_by;
	char *const *files;
	const struct report_unit *units;
	size_t unit_count;
	const struct plumb_result *result;
	const struct plumb_diagnosis *diagnosis; /* of the result */
	double seconds;      /* covered by it, in the source's time; the mean of the runs */
	double host_seconds; /* that counting took */
	double time;         /* since the program began; NaN: the whole run */
	unsigned runs;       /* number of runs */
	const struct report_repeat *repeats; /* each of them; NULL: there is one */
	bool intervals;                      /* the parts are intervals, not runs */
	unsigned agreeing;                   /* parts with this diagnosis, or a more specific one */
	bool ended;                          /* the program has ended, with: */
	int exit_status;
	int signal;
	const char *const *warnings; /* NULL-ended */
	bool brief; /* show only the groups of stage 2 that the diagnosis leads to */
	bool folds; /* only name groups with nothing to show */
	bool verbose;
	const struct report_sampled *sampled; /* with --sampled; or NULL */
	bool estimates;                       /* CSV has their intervals */
	int phase;                            /* of this interval; -1: none */
	const struct report_phase *phases;    /* of the whole run */
	size_t phase_count;
	double cycles;                        /* with --what-if: of all threads */
	const struct report_what_if *what_if; /* what was asked for, "together" last */
	size_t what_if_count;
	double limit_cycles[PLUMB_LIMIT_SETS]; /* as in struct plumb_count_run, of all runs */
	/* The options of plumb record that run the program in the same way. NULL-ended. */
	const char *const *record_options;
	/* The PMU of the type of cores counted, if there are several; and results of the others. */
	const char *pmu;
	const struct report *types;
	size_t type_count;
};

/* Returns the count of an event without modifiers; NaN if it was not counted. */
double report_count(const struct report *report, uint16_t code);

/*
 * Returns the events to show: those requested, in their order; if verbose, also the others, by
 * code. Free the result.
 */
const struct plumb_event_count **report_events(const struct report *report, size_t *count);

/*
 * Warns if the run of a program was too short for a good diagnosis. The times are those of struct
 * plumb_count_run.
 */
void report_warn_of_short_run(struct plumb_diagnostics *diagnostics, double seconds,
			      double startup_seconds, const char *startup_end);

/*
 * Warns about events that the selected metrics need but that were not counted; if `shown`, only
 * about those of metrics that text shows.
 */
void report_warn_of_missing(struct plumb_diagnostics *diagnostics, const struct report *report,
			    bool shown);

/* A contradiction, in words: what cannot be, and the likely cause with what helps. Free both. */
struct report_contradiction {
	struct contradiction found;
	char *what, *why;
};

/*
 * Finds contradictions in the report's values; none in those of the model, whose counts are exact.
 * Returns how many there are; free each with report_contradiction_free().
 */
size_t report_contradictions(const struct report *report,
			     struct report_contradiction all[CONTRADICTIONS_MAX]);
void report_contradiction_free(struct report_contradiction *contradiction);
/* Warns about the contradictions, one warning per cause. */
void report_warn_of_contradictions(struct plumb_diagnostics *diagnostics,
				   const struct report *report);

/* Returns all distinct warnings in a list that ends with NULL. Free the list. */
const char **report_warnings(const struct plumb_diagnostics *diagnostics);

/* Tells whether -e requests the event; others are counted for metrics. */
bool report_requests(const struct report *report, const struct plumb_event_count *event);

/*
 * Returns an event's name for programs: that of name=; otherwise the CPU's name; with modifiers,
 * the name as requested.
 */
const char *report_event_name(const struct report *report, const struct plumb_event_count *event);

/*
 * Returns the name of an event, or of a metric if that is NULL, as perf writes it where each type
 * of cores has its own PMU: "armv9_c1_pro/L1D_CACHE/u"; otherwise `name` itself. Free it.
 */
char *report_name_on_pmu(const struct report *report, const struct plumb_event_config *event,
			 const char *name);

/* Tells whether an event counts nanoseconds. */
bool report_is_clock(const struct plumb_event_count *event);

/* A metric of an event as perf stat prints it: "0.85" and "insn per cycle"; "" if there is none. */
struct report_shadow {
	char value[32], unit[32];
};

/* Returns the metric of an event, and the second one that perf prints for instructions. */
struct report_shadow report_shadow(const struct report *report,
				   const struct plumb_event_count *event);
struct report_shadow report_stalls_per_instruction(const struct report *report,
						   const struct plumb_event_count *event);

/* Returns an event's title; "" if the specification does not have it. */
const char *report_event_title(const struct report *report, const struct plumb_event_count *event);

/*
 * Tells whether text shows a metric. Brief text shows stage 1, and the groups that the diagnosis
 * leads to.
 */
static inline bool report_shows_metric(const struct report *report,
				       const struct plumb_selected_metric *metric)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	bool shown = !report->brief || metric->stage == 1;

	for (size_t i = 0; !shown && i < d->next_group_count; i++)
		shown = d->next_groups[i] == metric->group;
	return shown;
}

/* Limits that coincide: bits of enum plumb_limit, and the percentage of the cycles. */
struct report_tie {
	unsigned limits;
	double percent;
};
#define REPORT_TIE_PERCENT 20.0 /* at least */
#define REPORT_TIE_CYCLES  1e6  /* shares are of at least so many, some 20 looks */

/* Finds the ties among the cycles of each set of limits, the largest first; returns their number.
 */
size_t report_ties(const double cycles[PLUMB_LIMIT_SETS], struct report_tie ties[PLUMB_LIMIT_SETS]);
/*
 * Tells whether the shares of ties are known. The model looks at a core after each 50,000 cycles or
 * more, and a look stands for all cycles since the last one: a few looks tell no share.
 */
bool report_ties_have_shares(const double cycles[PLUMB_LIMIT_SETS]);
/* Returns the name of the limit with this number; NULL past the end. */
const char *report_limit(unsigned limit);
/* Returns a sentence on the largest tie, or NULL; free it. */
char *report_tie_text(const double cycles[PLUMB_LIMIT_SETS]);

/* Returns how many selected metrics, from this one on, belong to its group. */
size_t report_group_size(const struct report *report, size_t first);

/* Tells whether text only names the group of the i-th metric, because it has nothing to show. */
bool report_folds_group(const struct report *report, size_t i);

static inline const char *report_metric(const struct report *report, uint16_t metric)
{
	return report->spec->metrics[metric].name;
}

static inline size_t report_columns(const char *text)
{
	return wrap_columns(text, strlen(text));
}

/*
 * Returns a phase's name, "A" for the first; NULL if the number is negative. Returns the report of
 * a phase.
 */
const char *report_phase_name(int phase);
struct report report_of_phase(const struct report *report, const struct report_phase *phase);

/* Returns the report of one of its units. */
struct report report_of_unit(const struct report *report, const struct report_unit *unit);
/* Returns a unit's name for people: "CPU3 /user.slice". Free it. */
char *report_unit_name(const struct report_unit *unit);

/*
 * Tells whether values have ranges: the lowest and highest of several parts, or the intervals of
 * estimates. Return the range of a metric, by its index in the selection, and of an event.
 */
bool report_has_ranges(const struct report *report);
struct plumb_value report_range(const struct report *report, size_t metric);
struct plumb_value report_event_range(const struct report *report,
				      const struct plumb_event_count *event);

/* The parts of report_text(). */
void report_sampled_text(struct output *out, const struct report *report);
struct json_t *report_sampled_json(const struct report *report);
void report_units(struct output *out, const struct report *report);
void report_phases(struct output *out, const struct report *report);
void report_tree(struct output *out, const struct report *report);
void report_diagnosis(struct output *out, const struct report *report);
void report_what_if(struct output *out, const struct report *report);

/* Returns how much faster the program would be. */
double report_speedup(const struct report *report, const struct report_what_if *what_if);

/* Prints an interval's line, after the headings if it is the first. */
void report_text_interval(struct output *out, const struct report *report, bool first);
void report_text(struct output *out, const struct report *report);

/* Prints the object of plumb stat --json, on one line if it is one of many. */
void report_json(struct output *out, const struct report *report);

/*
 * Print CSV (RFC 4180): the line of headings, with two more for units, one for PMUs and three for
 * estimates, and the rows.
 */
void report_csv_headings(struct output *out, const struct report *report, bool units, bool pmus);
void report_csv(struct output *out, const struct report *report);

/* Prints lines like those of perf stat -x. A comment says before them if the counts are the
 * model's.
 */
void report_perf_comment(struct output *out, const struct report *report);
void report_perf_lines(struct output *out, const struct report *report, const char *separator);

#endif

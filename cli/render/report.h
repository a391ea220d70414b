/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a count of a program came to, for those who print it: as text for people, as JSON and as
 * CSV for programs.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include <math.h>
#include <string.h>

#include <plumb/diagnosis.h>

#include "render/output.h"
#include "tool/wrap.h"

struct report {
	const char *source; /* "model" */
	const char *label;  /* that the CPU's name is given, or NULL */
	const struct plumb_spec *spec;
	uint32_t midr;
	char *const *command; /* NULL-ended */
	const struct plumb_result *result;
	const struct plumb_diagnosis *diagnosis; /* of the result */
	double seconds;      /* that it covers, of the source's time; the mean of the runs */
	double host_seconds; /* that it took */
	double time;         /* since the program began; NaN: it covers the whole run */
	unsigned runs;       /* how often the program was run */
	bool intervals;      /* the parts are intervals, not runs */
	unsigned agreeing;   /* parts whose own diagnosis ends where this one does, or below */
	bool ended;          /* the program has, and how: */
	int exit_status;
	int signal;
	const char *const *warnings; /* NULL-ended */
	bool brief; /* nobody asked for all of stage 2: what the diagnosis leads to will do */
	bool folds; /* nor for its groups by name: those with nothing to show are only named */
	bool verbose;
	/* The options with which plumb record would run the program as this one did. NULL-ended. */
	const char *const *record_options;
};

/* An event's count, counted without modifiers; NaN if it was not counted so. */
double report_count(const struct report *report, uint16_t code);

/*
 * The events that are shown: those asked for by themselves, in their order, and, if all are to be,
 * the others by code. To be freed.
 */
const struct plumb_event_count **report_events(const struct report *report, size_t *count);

/* What programs know an event by: the CPU's name of it; else, with modifiers, as it was asked for.
 */
const char *report_event_name(const struct report *report, const struct plumb_event_count *event);

/* What it is, in a few words; "" if the specification does not have it. */
const char *report_event_title(const struct report *report, const struct plumb_event_count *event);

/*
 * Whether a metric is shown in text: all of stage 1, and of the others, if nobody asked for them in
 * particular, those of the groups that the diagnosis leads to.
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

/* How many of the selected metrics from this one on stand under its group. */
size_t report_group_size(const struct report *report, size_t first);

/* Whether text only names the group of the i-th metric, as there is nothing to show in it. */
bool report_folds_group(const struct report *report, size_t i);

static inline const char *report_metric(const struct report *report, uint16_t metric)
{
	return report->spec->metrics[metric].name;
}

static inline size_t report_columns(const char *text)
{
	return wrap_columns(text, strlen(text));
}

/* The parts of report_text(). */
void report_tree(struct output *out, const struct report *report);
void report_diagnosis(struct output *out, const struct report *report);

/* The interval's line, before it the headings if it is the first. */
void report_text_interval(struct output *out, const struct report *report, bool first);
void report_text(struct output *out, const struct report *report);

/* The object of plumb stat --json; on one line if it is one of many. */
void report_json(struct output *out, const struct report *report);

/* RFC 4180: the line of headings, and the rows. */
void report_csv_headings(struct output *out);
void report_csv(struct output *out, const struct report *report);

/* Lines as perf stat -x prints them. */
void report_perf_lines(struct output *out, const struct report *report, const char *separator);

#endif

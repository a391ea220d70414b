/* SPDX-License-Identifier: Apache-2.0 */
/* plumb report: what its parts share. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "profile/helpers.h"
#include "render/html.h"
#include "render/profile.h"
#include "tool/options.h"
#include "tool/reading.h"

struct report_options {
	struct common_options common;
	struct reading_options from;
	const char *call_graph, *percent_limit, *widths, *percentage;
	struct option_words sort, fields, events;
	unsigned limit;
	const char *callers, *callees; /* functions */
	bool mem, branch, mix, folded, histogram, topdown, sharing;
	bool stdio, tui, csv, children, no_children, show_samples, show_periods, inverted;
	bool force;        /* has no effect */
	bool stacked;      /* --branch shows the recording's branch stacks */
	bool exact;        /* the recording is an exact profile, which the view may show */
	bool browsed;      /* for a page of the browser, or a part of the page */
	bool only_sampled; /* leave out exact events */
	bool only_code; /* of the page: stacks and source, for a comparison, which has the notes */
	const char *html;      /* the page's file */
	const char *intervals; /* counts for the page's timeline */
};

/* A choice of SPE records, keys and columns for one question, which other options override. */
struct report_preset {
	const char *filter;
	uint8_t keys[8], columns[8];
	size_t key_count, column_count;
};
/* view.c: returns that of --mem, --branch, --mix or --sharing; NULL: none is given. */
const struct report_preset *report_preset(const struct report_options *options);

/*
 * view.c: reads -s, -F, -w, -g and the limits into `view` and `paths`. Returns an exit status,
 * after printing an error if a value is invalid. `chains` tells whether the recording has call
 * chains.
 */
int report_read_view(const struct report_options *options, bool chains, struct profile_view *view,
		     enum plumb_profile_paths *paths);

/*
 * filter.c: returns the terms of --filter, for those kinds of operations that the filter of a view
 * selects; NULL if it selects none of those wanted. The caller frees it.
 */
char *report_both_filters(const char *of_view, const char *given);

/* Checks --percentage. Prints an error and returns false if it is invalid. */
bool report_check_percentage(const struct report_options *options);
/* Returns whether shares are of the samples that match only, not of all. */
bool report_is_relative(const struct report_options *options);
/* Returns whether rows of functions that match, and of their callers, have all their samples. */
bool report_shows_callers(const struct report_options *options, const struct profile_view *view);

/*
 * intervals.c: adds the counts of plumb stat -I --json in a file to a page. Returns an exit status,
 * after printing an error.
 */
int report_add_intervals(struct html_page *page, const char *path);
/* Does the same with an open file; `path` is for messages. */
int report_read_intervals(struct html_page *page, FILE *file, const char *path);

/*
 * browse.c: shows the recording of `options` in the browser; `report` prints one view of it.
 * Returns an exit status.
 */
int report_browse(const struct report_options *options,
		  int (*report)(struct report_options *options));

/*
 * events.c: checks that the recording has the events of -e, if there are any. Returns an exit
 * status, after printing an error.
 */
int report_check_events(const struct report_options *options,
			const struct plumb_recording *recording);
/*
 * Likewise says which events that -e names have no samples in the profile of `view`. Returns false
 * if all have some.
 */
bool report_say_unsampled(const struct report_options *options, const struct profile_view *view);
/* Likewise tells whether to use an event: -e names it, or the view shows it. */
bool report_takes(const struct report_options *options, const struct plumb_recorded_event *event);
/* Likewise returns the name of the event that -e names and that `event` is only a part of, in
 * `name`; NULL: there is none. */
#define REPORT_EVENT_SIZE 64
const char *report_counts_as(const struct report_options *options,
			     const struct plumb_recorded_event *event,
			     char name[REPORT_EVENT_SIZE]);
/* Returns whether report_takes() may return false. */
bool report_selects(const struct report_options *options);
/* Returns which view of an exact profile --branch, --mem or --mix is; -1: none. */
int report_counted(const struct report_options *options);

/*
 * nameless.c: after a table of functions, says where many of them have no names, and what gives
 * them some.
 */
void report_nameless(const struct report_options *options, const struct profile_view *view);

/*
 * callers.c: lists who called helpers for atomic operations, for the view of --sharing, and frees
 * that list.
 */
void report_list_callers(const struct helpers *helpers, struct plumb_symbolizer *symbols,
			 struct profile_view *view);
void report_free_callers(struct profile_view *view);

/* report.c: prints one view of a recording. Returns an exit status. */
int report_run(struct report_options *options);

/*
 * page.c: adds the documents of the recording that `options` name to a page; `report` makes one
 * view of it. Returns an exit status, after printing an error if there is nothing to show.
 */
int report_collect(const struct report_options *options,
		   int (*report)(struct report_options *options), struct html_page *page);
/* Likewise writes the page that --html names. */
int report_page(const struct report_options *options,
		int (*report)(struct report_options *options));

#endif

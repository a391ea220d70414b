/* SPDX-License-Identifier: Apache-2.0 */
/* Prints profiles: as text for people, as CSV and JSON for programs. */
#ifndef RENDER_PROFILE_H
#define RENDER_PROFILE_H

#include <plumb/profile.h>

#include "render/output.h"
#include "render/table.h"

enum profile_column {
	PROFILE_CHILDREN, /* share with callees */
	PROFILE_SHARE,
	PROFILE_INTERVAL, /* of the share, or of that with callees */
	PROFILE_SAMPLES,
	PROFILE_PERIOD,
	PROFILE_LATENCY,
	PROFILE_LATENCY_INTERVAL,
	PROFILE_LATENCY_SHARE, /* of the sum of all total latencies */
	/* Total, issue and translation latency, four each: mean, p50, p90 and p99. */
	PROFILE_LATENCIES,
	PROFILE_L1D_MISSES = PROFILE_LATENCIES + 4 * PLUMB_PROFILE_LATENCIES,
	PROFILE_L1D_INTERVAL,
	PROFILE_MISPREDICTIONS,
	PROFILE_MISPREDICTION_INTERVAL,
	PROFILE_SOURCES, /* where data came from, as a bar */
	PROFILE_OPERATIONS,
	PROFILE_OPERATIONS_INTERVAL,
	/* Shares of the row's slots. */
	PROFILE_RETIRING,
	PROFILE_BAD_SPECULATION,
	PROFILE_FRONTEND,
	PROFILE_BACKEND,
	PROFILE_KEY, /* the first of the profile's keys; others follow */
	PROFILE_COLUMNS = PROFILE_KEY + PLUMB_PROFILE_KEYS_MAX
};

/* Returns whether a column is a share of the row's slots. */
static inline bool profile_is_of_slots(unsigned column)
{
	return column >= PROFILE_RETIRING && column <= PROFILE_BACKEND;
}

/* A place that called one of gcc's helpers for atomic operations. */
struct profile_helper_caller {
	const char *helper, *function; /* names */
	char *line;                    /* of source, "file.c:12"; NULL: unknown */
	double share;                  /* 0 to 1, of the helper's calls */
};

struct profile_view {
	struct plumb_profile *profile;
	/* Who called helpers, by helper, the most frequent callers first. */
	struct profile_helper_caller *callers;
	size_t caller_count;
	const char *path;      /* of the recording */
	bool incomplete;       /* its end is missing, or could not be read */
	bool modelled;         /* the model made it */
	bool selected;         /* options select some samples */
	uint64_t filtered_out; /* SPE records that a filter of the user's left out */
	bool only_sampled;     /* JSON leaves out exact events */
	uint8_t keys[PLUMB_PROFILE_KEYS_MAX];
	size_t key_count;
	uint8_t columns[TABLE_COLUMNS_MAX]; /* enum profile_column */
	size_t column_count;
	/* Tells which events to print; NULL: all. */
	bool (*prints)(const struct profile_view *view, const struct plumb_profile_event *event);
	const void *user;
	bool default_columns;               /* leaves out columns without values for an event */
	unsigned widths[TABLE_COLUMNS_MAX]; /* 0: as wide as necessary */
	bool children, trees;
	bool folded_trees;    /* prints trees as in perf report -g folded */
	bool relative_trees;  /* ... -g fractal: shares are those of the function above */
	bool tree_periods;    /* ... -g period: periods instead of shares */
	bool callers_first;   /* call paths lead from callers to the row's function */
	const char *function; /* shows only functions of this name; NULL: all */
	size_t limit;         /* of the rows of each event; 0: none */
	double percent_limit; /* the least share of a row, in percent */
	double tree_limit;    /* the least share in a call tree, in percent */
};

/* Returns whether to print an event: whether it has rows, and `prints` wants it. */
bool profile_prints(const struct profile_view *view, const struct plumb_profile_event *event);
/* Describes the row's share of slots that a column has, in percent. NaN: unknown. */
struct plumb_profile_estimate profile_slots(const struct profile_view *view, size_t event,
					    size_t row, unsigned column);
/* Returns how far an interval reaches from its estimate. Those that end at 0 or 100 % reach less
 * far to one side; this is the other. */
static inline double profile_half(const struct plumb_profile_estimate *estimate)
{
	const double above = estimate->high - estimate->value;
	const double below = estimate->value - estimate->low;

	return above > below ? above : below;
}
/* Returns how many of an event's rows to show. */
size_t profile_rows_shown(const struct profile_view *view, size_t event);
/* Returns the share that rows are sorted by. */
const struct plumb_profile_estimate *profile_main_share(const struct profile_view *view,
							const struct plumb_profile_row *row);

void profile_text(struct output *out, const struct profile_view *view);
/* Says why some intervals are unknown, of an exact profile from windows or of samples. */
void profile_unknown(struct output *out, bool windows);
/* Prints the call trees of an event's first `count` rows. */
void profile_trees(struct output *out, const struct profile_view *view, size_t event, size_t count);
/* Prints lines with fields between `separator`, with a line of headings, and no trees. */
void profile_separated(struct output *out, const struct profile_view *view, const char *separator);
/* Prints call stacks as flame graph tools read them. The first key must be the thread's name, and
 * the second the function. */
void profile_folded(struct output *out, const struct profile_view *view);
/* Returns the period of a row, with its callees if `view` has them: what its call tree is of. */
uint64_t profile_tree_period(const struct profile_view *view, size_t event, size_t row);
/* Prints a name of a folded stack, without the characters that separate names and lines. `*first`
 * tells whether it is the line's first, and becomes false. */
void profile_folded_name(struct output *out, const char *name, bool *first);
/* Prints the trees' paths for a row, the largest first. */
void profile_folded_tree(struct output *out, const struct profile_view *view, size_t event,
			 size_t row);
/* Prints the distribution of the latencies of SPE records. */
void profile_histogram(struct output *out, const struct profile_view *view);
void profile_histogram_separated(struct output *out, const struct profile_view *view,
				 const char *separator);
void profile_histogram_json(struct output *out, const struct profile_view *view);
/*
 * Prints what became of the slots of each row, as JSON, with `separator` between fields, or as text
 * if it is NULL. Prints nothing and returns false if the profile has none.
 */
bool profile_topdown(struct output *out, const struct profile_view *view, bool json,
		     const char *separator);
/* Says below a table of the first `count` rows what its marks mean, if a row has one that is
 * `uncertain`, and which functions' calls are too short for their intervals to tell anything. */
void profile_topdown_notes(struct output *out, const struct profile_view *view,
			   const struct plumb_profile_topdown *rows, size_t count, bool uncertain);
/* What profile_counts() shows. */
enum profile_counted { PROFILE_BRANCHES, PROFILE_MEMORY, PROFILE_MIX };
/* Prints counts of an exact profile by row, likewise. */
void profile_counts(struct output *out, const struct profile_view *view, enum profile_counted what,
		    bool json, const char *separator);
/* Returns whether profile_counts() shows anything of an event, by its name; NULL: it has none. */
bool profile_counts_has(enum profile_counted what, const char *event);
/* Prints accesses to cache lines that several threads share, likewise. */
void profile_sharing(struct output *out, const struct profile_view *view, bool json,
		     const char *separator);
/* Prints a title and what follows it, with an empty line; lines fit a terminal's width. */
void profile_heading(struct output *out, const char *title, const char *text);
/* Returns the heading of a key's column. */
const char *profile_key_heading(unsigned key);

/* Returns whether a key is the name of a function. */
bool profile_key_is_function(unsigned key);
/* Returns whether a row may belong elsewhere than between its neighbours. */
bool profile_is_uncertain(const struct profile_view *view, size_t event, size_t row);
/* Returns whether to show a row: see profile_view.function. */
bool profile_is_wanted(const struct profile_view *view, size_t event, size_t row);
void profile_json(struct output *out, const struct profile_view *view);

#endif

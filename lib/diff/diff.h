/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two sides: what changed, whether that is more than noise, and what explains it.
 *
 *	error = diff_compare(before, after, NULL, &diff);
 *	for (size_t i = 0; i < diff->change_count; i++) ...
 *
 * The sides must be finished, and live as long as the diff.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "diff/match.h"
#include "diff/side.h"

/* How a change is told from noise. */
enum diff_method {
	DIFF_EXACT,     /* the model counted both sides: every difference is real */
	DIFF_RANKS,     /* by repeated runs */
	DIFF_INTERVALS, /* by the intervals of sampling */
	DIFF_UNKNOWN,   /* one run on a side, without an interval */
};

/* Where a side has the code of a function. */
struct diff_place {
	/* Its symbols: the function's, its parts and copies. See diff_side_next_symbol(). */
	const struct diff_side *side;
	const struct diff_inlining *inlined; /* what it is inlined into */
	size_t inlined_count;
};

struct diff_change {
	struct diff_key key; /* as in the second side, or else the first */
	const char *was;     /* the function's other name in the first side; or NULL */
	enum diff_match match;
	/* The sides differ in where they have the function's code, and it is added up:
	 * diff/names.h.
	 */
	bool placed;
	struct diff_place places[2];
	const char *unit;
	const char *file; /* of a line, and its number in the second side, or else the first */
	unsigned line;
	bool main;            /* of the count that ranks functions */
	double before, after; /* of several runs: medians */
	double change;        /* after - before */
	double relative;      /* of `before`; infinite if that is 0 */
	double share;         /* functions, lines: `change` as a share of the whole before */
	double shares[2];     /* likewise `before` and `after`, each of its whole */
	enum diff_method method;
	size_t runs[2];
	/* A side without samples may have so much, and this share of its whole; NaN: it has. */
	double unseen[2], unseen_shares[2];
	double p;                   /* for this comparison alone; NaN: no test */
	double adjusted;            /* for all of its view */
	double effect;              /* DIFF_RANKS: Cliff's delta */
	double least;               /* DIFF_RANKS: the smallest p that so many runs can have */
	struct interval difference; /* DIFF_INTERVALS */
	bool real;                  /* more than noise */
};

/* What explains the change, as far as it is known; NULL: not. */
struct diff_reason {
	const struct diff_change *whole;    /* cycles, or what is most like them */
	const struct diff_change *function; /* with most of the change */
	/* Cancels what `function` has more than the whole; then line and cause are unknown. */
	const struct diff_change *opposite;
	const struct diff_change *line; /* of the function */
	const char *cause;              /* a node of the decision tree, or of slots' causes */
};

struct diff_options {
	double least;   /* functions and lines with less of the whole on both sides are left out */
	bool unmatched; /* do not recognize functions by their code */
};

struct diff {
	const struct diff_side *before, *after;
	struct diff_change *changes; /* by view; within it, the largest first */
	size_t change_count;
	size_t tested[DIFF_VIEWS]; /* comparisons with a p, which are accounted for together */
	size_t real[DIFF_VIEWS];
	/* What only one side has, of metrics and events, and of kinds of counts by function. */
	const char **only[2];
	size_t only_count[2];
	struct diff_pair *pairs;
	size_t pair_count;
	struct diff_reason reason;
	struct arena arena;
};

/* `options` NULL: defaults. Returns 0 or NO_MEMORY; then `*result` is NULL. */
int diff_compare(const struct diff_side *before, const struct diff_side *after,
		 const struct diff_options *options, struct diff **result);
void diff_free(struct diff *diff); /* accepts NULL */

/*
 * noise.c: sets the values of a change, the method that tells it from noise, and its p. Returns 0
 * or NO_MEMORY.
 */
int diff_test(const struct diff *diff, const struct diff_item *before,
	      const struct diff_item *after, struct diff_change *change);

/* explain.c: finds what explains the change. */
void diff_explain(struct diff *diff);

/* Finds a change, or NULL. `of` NULL: of the main count. */
const struct diff_change *diff_find(const struct diff *diff, enum diff_view view, const char *name,
				    const char *of);

/* Tells whether a unit is a share in percent, whose changes are in percentage points. */
bool diff_is_percent(const char *unit);

#endif

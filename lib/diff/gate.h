/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate: limits on changes, such as "cycles:2%" or "slots@parse_line:5%".
 *
 *	LIMIT  = WHAT[@FUNCTION]:NUMBER[%]
 *
 * WHAT is a metric, an event or a count by function; perf's names of events work, too. FUNCTION "*"
 * is each function. With %, the limit is relative to the value before; without, it is a difference
 * in the unit of WHAT, percentage points for shares.
 */
#ifndef DIFF_GATE_H
#define DIFF_GATE_H

#include "diff/diff.h"

struct gate_limit {
	const char *text;     /* as given */
	char *what;           /* a part of the text, freed with the limit */
	const char *function; /* NULL: the whole; "*": each */
	double most;
	bool relative;
	bool below; /* a decrease is what fails */
};

/* Parses a limit. Returns 0, NO_MEMORY, or SYNTAX with a finding. Free with gate_limit_free(). */
int gate_limit_parse(const char *text, bool below, struct gate_limit *limit,
		     struct plumb_diagnostics *diagnostics);
void gate_limit_free(struct gate_limit *limit);

enum gate_verdict {
	GATE_PASSED,
	GATE_FAILED,
	GATE_NOISE,   /* beyond the limit, but no more than noise */
	GATE_MISSING, /* there is nothing to compare */
};

struct gate_result {
	const struct gate_limit *limit;
	const struct diff_change *change; /* the worst; NULL: missing, or it happened on no side */
	enum gate_verdict verdict;
};

/*
 * Applies a limit. A change beyond it fails unless a test says that it may be noise. Where noise is
 * unknown, because a side has one run, it fails, too.
 */
struct gate_result gate_apply(const struct gate_limit *limit, const struct diff *diff);

#endif

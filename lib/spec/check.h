/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a specification; also used while reading one, when parts may be missing. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include <plumb/spec.h>

#include "base/arena.h"
#include "spec/index.h"
#include "spec/report.h"

/* Members that the reader has already reported as wrong. */
enum known {
	KNOWN_CODE = 1,     /* of an event */
	KNOWN_ACCESSES = 2, /* of an event */
	KNOWN_DEFINED = 4,  /* who defines an event */
	KNOWN_FORMULA = 8,  /* of a metric */
	KNOWN_EVENTS = 16,  /* of a metric */
};

/*
 * Bits of enum known for each event and metric. The check skips these members and everything that
 * follows from them. It also skips strings that are NULL and indexes that are PLUMB_NONE; names and
 * formulas are never NULL.
 */
struct check_known {
	const uint8_t *events;
	const uint8_t *metrics;
};

/*
 * Limits the steps of all formulas together, including the metrics they use. Without a limit, a
 * file of a few megabytes whose metrics use other metrics could take minutes.
 */
#define CHECK_MAX_STEPS (1u << 22)

struct check {
	const struct plumb_spec *spec;
	struct report *report;
	const struct check_known *known; /* may be NULL */
	struct named events;
	struct named metrics;
	struct named metric_groups;
	bool ambiguous;     /* two names are the same, so formulas that use them are ambiguous */
	size_t steps;       /* sum over the formulas compiled so far */
	struct arena arena; /* owns the arrays below */
	/* For each event, metric and metric group: the last list that contained it. */
	uint32_t *event_seen;
	uint32_t *metric_seen;
	uint32_t *group_seen;
	uint32_t list; /* number of the current list, from 1 */
	struct plumb_indexes
		*group_sorted; /* the metrics of each metric group, in ascending order */
	/* For each metric: the last methodology, from 1, that has a node for it, and the node. */
	uint32_t *node_methodology;
	uint16_t *node;
};

/*
 * Checks a specification for consistency, as plumb_spec_read_*() do. doc/specifications.md lists
 * the findings. Returns 0, INVALID or LIMIT if there are errors, or NO_MEMORY. Names must not be
 * NULL; everything else is checked.
 */
int spec_check(const struct plumb_spec *spec, struct plumb_diagnostics *diagnostics);

/*
 * Reports every contradiction in `spec`, as spec_check() does. Returns 0 or NO_MEMORY; sets
 * report->result to the outcome.
 */
int check_spec(const struct plumb_spec *spec, struct report *report,
	       const struct check_known *known);

/*
 * Whether `index` is valid for `target`. Reports an invalid one, unless it is a PLUMB_NONE that the
 * reader has reported.
 */
bool check_index(struct check *check, uint16_t index, const struct named *target);

/* Likewise for an item of the current list, which must not contain it twice. */
bool check_item(struct check *check, uint16_t index, const struct named *target, uint32_t *seen);

/*
 * Checks a list of indexes into `target`: each must be valid and occur once. `seen` is the check's
 * array for `target`; the call sets it to check->list for each index in the list.
 */
void check_list(struct check *check, struct plumb_indexes list, const struct named *target,
		uint32_t *seen);

/* Checks that names are valid and unique. The current place must be the parent of the elements. */
int check_names(struct check *check, const struct named *elements);

/* Checks a title or a description of the element at the current place. */
void check_text(struct check *check, const char *member, const char *text);

/* Checks methodology `i`. */
int check_methodology(struct check *check, uint16_t i);

#endif

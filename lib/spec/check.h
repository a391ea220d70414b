/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a specification, also while it is being read, when parts of it may be missing. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include <plumb/spec.h>

#include "base/arena.h"
#include "spec/index.h"
#include "spec/report.h"

/* What the reader knows to be wrong, and has reported. */
enum known {
	KNOWN_CODE = 1,     /* of an event */
	KNOWN_ACCESSES = 2, /* of an event */
	KNOWN_DEFINED = 4,  /* by what an event is defined */
	KNOWN_FORMULA = 8,  /* of a metric */
	KNOWN_EVENTS = 16,  /* of a metric */
};

/*
 * For each event and metric, bits of enum known. The check passes over these and all that follows
 * from them. Strings that are NULL and indexes that are PLUMB_NONE stand for more of the kind;
 * names and formulas are never NULL.
 */
struct check_known {
	const uint8_t *events;
	const uint8_t *metrics;
};

/*
 * The steps of all formulas together, those of the metrics they name included. Without a limit
 * metrics that name metrics could make a file of a few megabytes take minutes.
 */
#define CHECK_MAX_STEPS (1u << 22)

struct check {
	const struct plumb_spec *spec;
	struct report *report;
	const struct check_known *known; /* or NULL */
	struct named events;
	struct named metrics;
	struct named metric_groups;
	bool ambiguous;     /* two names are one: what a formula means is then not certain */
	size_t steps;       /* of the formulas compiled so far */
	struct arena arena; /* for what follows */
	/* The number of the list that last named an event, a metric, a metric group. */
	uint32_t *event_seen;
	uint32_t *metric_seen;
	uint32_t *group_seen;
	uint32_t list;                      /* the present list's number, from 1 */
	struct plumb_indexes *group_sorted; /* the metrics of each metric group, ascending */
	/* By metric: the methodology, from 1, that last had a node of it, and that node. */
	uint32_t *node_methodology;
	uint16_t *node;
};

/*
 * Reports everything in which `spec` contradicts itself, as plumb_spec_check() does. Returns 0 or
 * NO_MEMORY; what the findings amount to is in report->result.
 */
int check_spec(const struct plumb_spec *spec, struct report *report,
	       const struct check_known *known);

/* Is `index` one of `target`'s? If it is not, nor known to be missing, reports it. */
bool check_index(struct check *check, uint16_t index, const struct named *target);

/* The same of an item of the present list, which it must not be in already. */
bool check_item(struct check *check, uint16_t index, const struct named *target, uint32_t *seen);

/*
 * Checks a list of indexes into `target`, each of them and for repeats. `seen` is the check's
 * array for that target; afterwards it holds check->list for what the list names.
 */
void check_list(struct check *check, struct plumb_indexes list, const struct named *target,
		uint32_t *seen);

/*
 * Checks that elements have names, different ones, and of the characters that names are made of.
 * The walk stands at what holds the elements.
 */
int check_names(struct check *check, const struct named *elements);

/* Checks titles and descriptions, one of which stands where the walk does. */
void check_text(struct check *check, const char *member, const char *text);

/* The part of the check that concerns methodology `i`. */
int check_methodology(struct check *check, uint16_t i);

#endif

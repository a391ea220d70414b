/* SPDX-License-Identifier: Apache-2.0 */
/* The results of what is reported separately: of each CPU, core, thread or control group. */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include "render/report.h"

struct counted_unit {
	struct plumb_count_unit given;
	char *name;                 /* owned; `given.name` may be this */
	struct plumb_result *whole; /* of all parts: runs or intervals */
	struct plumb_result *part;  /* the newest of them, or NULL */
};

struct counted_units {
	struct counted_unit *at;
	struct report_unit *shown; /* what reports point to */
	size_t count;
};

/* Adds a unit with an empty result of a plan. The pointer holds until the next one is added. */
struct counted_unit *counted_units_add(struct counted_units *units, const struct plumb_plan *plan);

/*
 * Puts the units into a report: their newest part, or the whole. What earlier reports pointed to is
 * no longer valid.
 */
void counted_units_show(struct counted_units *units, struct report *report, bool whole);

/* Frees all, also what reports point to. */
void counted_units_free(struct counted_units *units);

#endif

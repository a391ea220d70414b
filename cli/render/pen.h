/* SPDX-License-Identifier: Apache-2.0 */
/* The characters that draw a tree; all of one kind have the same width. */
#ifndef RENDER_PEN_H
#define RENDER_PEN_H

#include "render/output.h"

struct pen {
	const char *branch, *last, *through, *none; /* before a child, before its children */
	const char *lost;                           /* for the outermost branches, without room */
	const char *leads;                          /* before a metric group; between steps */
	const char *marked;                         /* before a line of the leading path */
	const char *bar[8];  /* a block, filled from an eighth to completely */
	const char *missing; /* for a missing value */
	const char *omitted; /* for text without room */
	const char *about;   /* between an estimate and half its interval */
};

/* Returns lines if the terminal uses UTF-8, otherwise ASCII. */
const struct pen *pen_for(const struct output *out);
/* Likewise for call trees, which are deep: with narrow branches where lines must fit a terminal
 * that is not wide. */
const struct pen *pen_for_calls(const struct output *out);
/* Returns lines: what table cells have, which table_print() replaces. */
const struct pen *pen_with_lines(void);

/* Returns the length of the branches that a text begins with. */
size_t pen_branches(const struct pen *pen, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, left of rows of instructions, the loops that they are in and where branches lead. */
#ifndef RENDER_GUTTER_H
#define RENDER_GUTTER_H

#include <plumb/flow.h>

#include "render/output.h"

/* A row of the display. */
struct gutter_row {
	uint32_t instruction; /* its index, or GUTTER_NONE: a line of source */
	uint32_t target;      /* the instruction that it branches to, or GUTTER_NONE */
};
#define GUTTER_NONE UINT32_MAX

struct gutter;

/*
 * Lays out the arrows and boxes of `count` rows, in any order of the instructions. `flow` may be
 * NULL. Never returns NULL. `rows` must stay.
 */
struct gutter *gutter_new(const struct gutter_row *rows, size_t count,
			  const struct plumb_flow *flow);
void gutter_free(struct gutter *gutter);

/* Returns how many columns it takes. */
size_t gutter_width(const struct gutter *gutter);
/* Prints what belongs to a row; in ASCII if the terminal has no UTF-8. */
void gutter_print(const struct gutter *gutter, size_t row, struct output *out);

#endif

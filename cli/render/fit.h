/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits text into the width of a terminal: prose is wrapped, names lose their middle, and other text
 * its end. Files and pipes get all of it, on one line.
 */
#ifndef RENDER_FIT_H
#define RENDER_FIT_H

#include "render/output.h"

/* The most lines that a name takes on a terminal. */
#define FIT_NAME_LINES 6

/*
 * Returns a copy of a name that takes at most `columns` columns: a longer one loses the scopes that
 * qualify it, if what is left nearly fills the columns, or else its middle, because C++ names
 * differ at their ends. The caller frees it.
 */
char *fit_short_name(const struct output *out, const char *name, size_t columns);

/*
 * Returns a copy of a name that takes at most FIT_NAME_LINES lines of `width` columns. The caller
 * frees it.
 */
char *fit_tall_name(const struct output *out, const char *name, size_t width);

/*
 * Writes text from `column` (0-based) on: prose, or a name that is shown once. Lines after the
 * first are indented by `indent`. Returns the column where it ends.
 */
size_t fit_flow(struct output *out, enum style style, size_t column, size_t indent,
		const char *text);

/* Each of these writes text from `column` on, and ends the line. */

/* As fit_flow(), and also on pages of the browser. */
void fit_prose(struct output *out, enum style style, size_t column, size_t indent,
	       const char *text);
/* A name, in at most FIT_NAME_LINES lines. */
void fit_name(struct output *out, enum style style, size_t column, size_t indent, const char *name);
/* A name, in one line. */
void fit_line_name(struct output *out, enum style style, size_t column, const char *name);

/*
 * Writes text, cut off where the terminal ends. Returns the column where it ends. Does not end the
 * line.
 */
size_t fit_cut(struct output *out, enum style style, size_t column, const char *text,
	       size_t length);

#endif

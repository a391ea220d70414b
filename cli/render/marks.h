/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks in printed text: which lines are the headings and rows of tables, and what the rows stand
 * for. The terminal browser shows the text that would be printed without it, and finds rows by
 * their marks. Nothing is marked unless output_pretend() asked for it.
 *
 * A marked line begins with MARK_BYTE, which printed text never contains, and a record in the
 * stream of marks describes it: a struct mark_record and its fields.
 */
#ifndef RENDER_MARKS_H
#define RENDER_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "render/output.h"

#define MARK_BYTE '\x1e'

enum mark_kind {
	MARK_HEADING, /* fields: the first column and the end of each of the table's columns */
	MARK_ROW,     /* fields: texts, by key */
	MARK_MORE,    /* one more line of the row above; no fields */
	MARK_BELOW,   /* a row that belongs to the one above, as in its call tree; as MARK_ROW */
};

struct mark_record {
	uint32_t kind;
	uint32_t group; /* rows of the same group add up */
	double share;   /* 0 to 1, of the group; NaN: none */
	uint32_t field_count;
	uint32_t size; /* of the fields after this, in bytes */
};

/* Before `length` bytes of a row's text. */
struct mark_text {
	uint32_t key;
	uint32_t length;
};

/* From column `begin` up to, and without, `end`. */
struct mark_column {
	uint32_t begin, end;
};

static inline bool marks_wanted(const struct output *out)
{
	return out->marks != NULL;
}

/* Marks the next line as the headings of a table. */
void marks_heading(struct output *out, const struct mark_column *columns, size_t count);

/* Marks the next line as a row. `texts` has `count` texts or NULL; their keys are `keys`. */
void marks_row(struct output *out, uint32_t group, double share, const uint8_t *keys,
	       const char *const *texts, size_t count);

/* Likewise, as a row that belongs to the last one that marks_row() marked. */
void marks_below(struct output *out, uint32_t group, double share, const uint8_t *keys,
		 const char *const *texts, size_t count);

/* Marks the next line as one more of the same row. */
void marks_more(struct output *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a command's result goes: standard output, a pager when that is a terminal, or a file that
 * appears whole or not at all. And how it is drawn there: width, colours, lines.
 */
#ifndef RENDER_OUTPUT_H
#define RENDER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <plumb/error.h>

#include "tool/options.h"

enum style {
	STYLE_PLAIN,
	STYLE_HEADING, /* of a section or a column */
	STYLE_NAME,    /* of an event, metric, group or CPU */
	STYLE_DIM,     /* what is there for completeness */
	STYLE_GOOD,
	STYLE_WARNING,
	STYLE_BAD,
};

/* What a stream writes to, and how that went. */
struct sink {
	int descriptor;
	int error; /* errno of the first write that failed; 0: none did */
};

struct output {
	FILE *stream;
	struct sink *sink; /* below the stream */
	const char *name;  /* for messages: the file, or "standard output" */
	unsigned width;    /* columns to fit in; 80 when not on a terminal */
	bool terminal;
	bool color;
	bool utf8;       /* lines may be drawn */
	pid_t pager;     /* or 0 */
	char *path;      /* of the file to replace, or NULL */
	char *temporary; /* the file beside it that is being written, or NULL */
};

/*
 * Opens the place that `options` name. Returns EXIT_FINE, or, having said why, the exit status;
 * then `out` need not be closed. One output at a time may be open.
 */
int output_open(struct output *out, const struct common_options *options);

/*
 * The same for a command that runs a program, whose standard output is the program's: what is
 * printed goes to standard error, or where -o says, "-" being standard output. Never paged.
 */
int output_open_beside(struct output *out, const struct common_options *options);

/* The same for what is printed as it goes: a file is written in place, line by line. */
int output_open_stream(struct output *out, const struct common_options *options);

/*
 * Whether what such a command will print can be written where -o says, before it runs something
 * long: as far as that can be told without touching it. Returns as output_open() does.
 */
int output_check_beside(const struct common_options *options);

/*
 * Ends it: flushes, waits for the pager, puts the file in its place. Returns `status`, or
 * EXIT_OTHER if not everything could be written, which has been said.
 */
int output_close(struct output *out, int status);

/* Ends it after an error that has been told: a file is left as it was. */
void output_discard(struct output *out);

/* Begins a style; STYLE_PLAIN ends it. */
void output_style(struct output *out, enum style style);

/* Writes text in a style, control characters made harmless. */
void output_bytes(struct output *out, enum style style, const char *text, size_t length);
void output_text(struct output *out, enum style style, const char *text);
void output_format(struct output *out, enum style style, const char *format, ...)
	PLUMB_PRINTF(3, 4);
void output_spaces(struct output *out, size_t count);

/*
 * Writes `text` in lines that fit, each after `indent` spaces; the cursor stands in column
 * `column` (0-based) when it begins. Returns the column where it ends.
 */
size_t output_flow(struct output *out, enum style style, size_t column, size_t indent,
		   const char *text);

/* The same, and ends the last line. */
void output_wrapped(struct output *out, enum style style, size_t column, size_t indent,
		    const char *text);

/* Whether a line of prose may have so many columns. */
bool output_fits(const struct output *out, size_t columns);

#endif

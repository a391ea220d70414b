/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a command's result to standard output, to a pager if that is a terminal, or to a file,
 * which appears complete or not at all. Knows the width, the colours and the characters to use
 * there.
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
	STYLE_DIM,     /* less important text */
	STYLE_GOOD,
	STYLE_WARNING,
	STYLE_BAD,
};

/* The destination of a stream. */
struct sink {
	FILE *collector; /* instead of the descriptor; NULL: none */
	int descriptor;
	int error; /* errno of the first failed write, or 0 */
	bool said; /* the user has been told of `error` */
};

struct output {
	FILE *stream;
	struct sink *sink; /* below the stream */
	const char *name;  /* for messages: the file, or "standard output" */
	unsigned width;    /* columns to fit in: COLUMNS, the terminal's, or 80 */
	bool terminal;
	bool color;
	bool utf8;       /* may draw lines */
	pid_t pager;     /* or 0 */
	bool appended;   /* to a file that was not empty */
	char *path;      /* the file to replace, or NULL */
	char *temporary; /* the file beside it to write first, or NULL */
	char *left_out;  /* the columns that output_no_room() named last, or NULL */
	FILE *marks;     /* what lines stand for (render/marks.h), or NULL */
};

/* Returns whether -o names a file: not without it, and not for "-", which is standard output. */
bool output_is_file(const struct common_options *options);

/*
 * Lets output_open() write to `instead`, whatever the options say, until called with NULL. The
 * caller keeps the stream, and looks for its errors.
 */
void output_collect(FILE *instead);

/*
 * Opens the output that `options` name. Returns EXIT_FINE, or prints an error and returns the exit
 * status; then `out` need not be closed. Only one output at a time may be open.
 */
int output_open(struct output *out, const struct common_options *options);

/*
 * Does the same for a command that runs a program, which keeps standard output: prints to standard
 * error, to the descriptor of --log-fd, or to the output of -o. Never uses a pager. Appends to the
 * file if `options` say so, in place.
 */
int output_open_beside(struct output *out, const struct common_options *options);

/* Does the same for output during the run: writes a file in place, at each output_flush(). */
int output_open_stream(struct output *out, const struct common_options *options);

/*
 * Lets output_open() write standard output as if it were a terminal of this width, but without a
 * pager, and with marks in `marks`.
 */
void output_pretend(unsigned width, FILE *marks);

/*
 * Checks before a long run whether the file of -o can be written, as far as that is possible
 * without touching it. Returns as output_open() does.
 */
int output_check_beside(const struct common_options *options);

/*
 * Checks that the descriptor of --log-fd is open for writing, before this program opens others.
 * Returns as output_open() does.
 */
int output_check_descriptor(const struct common_options *options);

/*
 * Ends the output: flushes, waits for the pager, renames the file. Returns `status`, or prints an
 * error and returns EXIT_OTHER if not everything could be written.
 */
int output_close(struct output *out, int status);

/*
 * Writes what is buffered, during a run. Prints an error at once if it cannot be written, which
 * output_close() then does not repeat.
 */
void output_flush(struct output *out);

/* Ends the output after another error, and leaves the file as it was. */
void output_discard(struct output *out);

/* Begins a style; STYLE_PLAIN ends it. */
void output_style(struct output *out, enum style style);

/* Writes text in a style, with control characters replaced. */
void output_bytes(struct output *out, enum style style, const char *text, size_t length);
void output_text(struct output *out, enum style style, const char *text);
void output_format(struct output *out, enum style style, const char *format, ...)
	PLUMB_PRINTF(3, 4);
void output_spaces(struct output *out, size_t count);

/*
 * Writes `text` in lines that fit, each after `indent` spaces. `column` (0-based) is the column
 * where it begins. Returns the column where it ends.
 */
size_t output_flow(struct output *out, enum style style, size_t column, size_t indent,
		   const char *text);

/* Does the same, and ends the last line. */
void output_wrapped(struct output *out, enum style style, size_t column, size_t indent,
		    const char *text);

/* Tells whether what is wider than `width` is cut off or continues on the next line. */
bool output_is_narrow(const struct output *out);

/*
 * Says which columns were left out because the terminal is too narrow, and how to see them. Says
 * the same only once.
 */
void output_no_room(struct output *out, size_t indent, const char *names);

/* Returns how many columns a line of prose may have. */
size_t output_prose_width(const struct output *out);

/* Tells whether a line of prose may have this many columns. */
bool output_fits(const struct output *out, size_t columns);

#endif

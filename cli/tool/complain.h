/* SPDX-License-Identifier: Apache-2.0 */
/* Prints errors on standard error, and defines the exit statuses. */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <plumb/error.h>

enum {
	EXIT_FINE = 0,
	EXIT_OTHER = 1,  /* the disk is full, memory ran out, or the reader closed the pipe */
	EXIT_USAGE = 2,  /* bad usage or bad input */
	EXIT_UNABLE = 3, /* this machine cannot measure */
	EXIT_GATE = 4,   /* plumb diff: a change is beyond a limit */
	/* As in shells. */
	EXIT_CANNOT_RUN = 126, /* the program exists but cannot be run */
	EXIT_NO_PROGRAM = 127, /* the program does not exist */
};

/* Prints one line, "plumb: what is wrong: why". Control characters in it are replaced. */
void complain(const char *format, ...) PLUMB_PRINTF(1, 2);

/* Prints the line after it, the hint. */
void advise(const char *format, ...) PLUMB_PRINTF(1, 2);

/* Prints complaints and hints that complain_collect() wrote, as they would have been printed. */
void complain_again(const char *text);

/* Writes complaints and hints to `instead`, one line each, until called with NULL. */
void complain_collect(FILE *instead);

/* Prints the hint of a finding of the library, if there is one. */
void advise_on(const struct plumb_diagnostic *finding);

/* Prints "did you mean X?" if there is a similar name; otherwise returns false. */
struct near;
bool advise_near(const struct near *near);

/*
 * Prints that `value` is invalid for --OPTION: its number is above `most`, or else which values are
 * `allowed`, unless that is NULL. Returns false.
 */
bool complain_value(const char *option, const char *value, uint64_t most, const char *allowed);

/* Returns the exit status for `error`, one of enum plumb_error. */
int complain_status(int error);

/*
 * Prints the first few errors in `diagnostics`, one line each, and how many more there are. If
 * there are none, prints `error` of reading `file`.
 */
void complain_findings(const struct plumb_diagnostics *diagnostics, const char *file, int error);
/* Prints the warnings in `diagnostics`, which say what limits a result. */
void complain_warnings(const struct plumb_diagnostics *diagnostics);
/*
 * Does complain_findings() for a recording, and adds a hint if the file is missing; or about --raw,
 * if `raw` tells that it would help.
 */
void complain_recording(const struct plumb_diagnostics *diagnostics, const char *path, int error,
			bool raw);

#endif

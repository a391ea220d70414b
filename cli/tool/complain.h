/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong, said on standard error, and the exit statuses that go with it. */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H

#include <stdbool.h>

#include <plumb/error.h>

enum {
	EXIT_FINE = 0,
	EXIT_OTHER = 1,  /* a full disk, no memory, a reader that went away */
	EXIT_USAGE = 2,  /* bad usage or bad input */
	EXIT_UNABLE = 3, /* a machine that cannot measure */
	/* As shells have it. */
	EXIT_CANNOT_RUN = 126, /* a program that is there, and cannot be run */
	EXIT_NO_PROGRAM = 127, /* a program that is not there */
};

/* "plumb: what is wrong: why", a line; control characters in it are made harmless. */
void complain(const char *format, ...) PLUMB_PRINTF(1, 2);

/* The line after it: the hint. */
void advise(const char *format, ...) PLUMB_PRINTF(1, 2);

/* "did you mean X?", if something was near; else returns false. */
struct near;
bool advise_near(const struct near *near);

/* The exit status that tells of `error`, one of enum plumb_error. */
int complain_status(int error);

/*
 * The errors among `found`, a line each, all but the first few only counted; if there are none,
 * `error` of reading `file`.
 */
void complain_findings(const struct plumb_diagnostics *found, const char *file, int error);
/* The warnings among `found`: what limits a result. */
void complain_warnings(const struct plumb_diagnostics *found);
/* As complain_findings() of a recording, and how one comes about if there is none. */
void complain_recording(const struct plumb_diagnostics *found, const char *path, int error);

#endif

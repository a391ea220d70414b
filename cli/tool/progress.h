/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows how far a run is, on a terminal to which the program may write as well. Nobody tells us
 * when it does, so the text stands at the right end of the cursor's line, and the cursor stays
 * where it is: a prompt of the program is left alone, and a line that it prints next reads well
 * even with the text still beside it. While the program keeps writing, nothing is shown.
 */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <plumb/error.h>

struct progress {
	bool wanted; /* and standard error is a terminal */
	bool shown;
	pid_t program;       /* or 0 */
	double began;        /* seconds of CLOCK_MONOTONIC */
	double silent_since; /* when the program's last output was noticed */
	uint64_t written;    /* bytes that the program had written then */
	size_t column;       /* of the text, from 1 */
};

/* Begins. Nothing is shown in the first second, or if standard error is not a terminal. */
void progress_begin(struct progress *progress, bool wanted);

/* Sets the program's process, so that its output is noticed. */
void progress_program(struct progress *progress, pid_t program);

/* Seconds since progress_begin(). */
double progress_seconds(const struct progress *progress);

/*
 * Returns whether to show something now: the run has taken a second, and the program has not
 * written for a second. Call it several times per second; it erases the text when the program
 * writes.
 */
bool progress_is_due(struct progress *progress);

/* Shows the text, in the first of several parts ("; " between them) if all do not fit. */
void progress_show(struct progress *progress, const char *format, ...) PLUMB_PRINTF(2, 3);

/*
 * Begins a new line on the terminal unless the cursor is in its first column, if the program may
 * have left it elsewhere.
 */
void progress_new_line(struct progress *progress);

/* Erases the text. */
void progress_erase(struct progress *progress);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Handles signals while a program runs: passes them on, and lets this process print its results. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

struct plumb_source;

/*
 * Catches the signals that would end this process. Until signals_begun() or signals_started(), they
 * still end it at once. `own`, if not 0, is not passed on.
 */
void signals_catch(int own);
/*
 * So many signals that end things cancel `source`: one, or two if there is a program, which gets
 * the first and may ignore it.
 */
void signals_cancel(struct plumb_source *source, unsigned signals);
/* Call it when there is something that must not get lost by a signal. */
void signals_begun(void);
/* Call it when the program has started. Passes on the signals that arrived before. */
void signals_started(pid_t pid);
/* Call it when the program has ended. */
void signals_ended(void);

bool signals_passed_on(void); /* a signal was passed on to the program */
unsigned signals_ends(void);  /* how many SIGINT, SIGTERM, SIGHUP and SIGQUIT arrived */
int signals_last(void);       /* the last of those that arrived, or 0 */
bool signals_own(void);       /* `own` arrived since the last call */

/* Lets signals end this process again. */
void signals_release(void);

/*
 * Ends this process by SIGTERM or SIGHUP if that arrived, and by SIGINT if Ctrl-C ended the
 * program, so that a shell's loop stops, too. `number` is the signal that ended the program, or 0.
 * Returns otherwise.
 */
void signals_end(int number);

/* Ends this process by the last signal, which arrived before the program began. Returns if there
 * was none. */
void signals_end_early(void);

#endif

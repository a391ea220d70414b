/* SPDX-License-Identifier: Apache-2.0 */
/* Handles signals while a program runs: passes them on, and lets this process print its results. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/* Catches the signals that would end this process. `own`, if not 0, is not passed on. */
void signals_catch(int own);
/* Call it when the program has started. Passes on the signals that arrived before. */
void signals_started(pid_t pid);
/* Call it when the program has ended. */
void signals_ended(void);

bool signals_interrupted(void); /* SIGINT arrived */
bool signals_passed_on(void);   /* a signal was passed on to the program */
unsigned signals_ends(void);    /* how many SIGINT, SIGTERM, SIGHUP and SIGQUIT arrived */
bool signals_own(void);         /* `own` arrived since the last call */

/*
 * Ends this process by SIGINT if Ctrl-C ended the program, so that a shell's loop stops, too.
 * `number` is the signal that ended the program. Returns if it was not SIGINT.
 */
void signals_end_interrupted(int number);

/* Ends this process by the last signal, which arrived before the program started. Returns if there
 * was none. */
void signals_end_early(void);

#endif

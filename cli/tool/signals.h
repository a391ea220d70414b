/* SPDX-License-Identifier: Apache-2.0 */
/* Signals while a program runs: what is meant for it reaches it, and this process reports. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/* Catches what would end this process; `own`, if not 0, is for this process alone. */
void signals_catch(int own);
/* The program runs: what came before goes to it now. And it has ended. */
void signals_started(pid_t pid);
void signals_ended(void);

bool signals_interrupted(void); /* SIGINT came, to whomever */
bool signals_passed_on(void);   /* something came for the program */
unsigned signals_ends(void);    /* how many SIGINT, SIGTERM, SIGHUP and SIGQUIT came */
bool signals_own(void);         /* `own` came since this was asked last */

/*
 * A shell that runs this in a loop is to see that it was interrupted, as its own child was:
 * `number` is what ended that. Returns if it was not SIGINT.
 */
void signals_end_interrupted(int number);

/* Ends this process by the signal that came last: there was no program yet. Returns if none came.
 */
void signals_end_early(void);

#endif

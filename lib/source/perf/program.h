/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the measured program, and stops it before execve(2) until events are open. */
#ifndef SOURCE_PERF_PROGRAM_H
#define SOURCE_PERF_PROGRAM_H

#include <plumb/error.h>
#include <stdbool.h>
#include <sys/types.h>

struct perf_program {
	pid_t pid;
	int line; /* a byte sent down lets the program begin; the error of execve() comes back */
};

/* Returns 0, or the negative of errno. */
int perf_program_start(struct perf_program *program, const char *path, char *const *argv);
/* Has the process that will become the program run a little. Returns false if it is gone. */
bool perf_program_turn(const struct perf_program *program);
/* Lets the program begin. Returns 0, or the negative errno of execve(). */
int perf_program_let_go(const struct perf_program *program);
/* Ends a program that has not begun. */
void perf_program_give_up(const struct perf_program *program);
/* Waits for its end. Returns its status, as waitpid() does. */
int perf_program_wait(pid_t pid);
/* Adds the finding that the program cannot be run. Returns an enum plumb_error. */
int perf_program_complain(const char *path, int error, struct plumb_diagnostics *diagnostics);

#endif

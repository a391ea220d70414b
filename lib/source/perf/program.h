/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is measured: started, and stopped before its execve(2) until events are open. */
#ifndef SOURCE_PERF_PROGRAM_H
#define SOURCE_PERF_PROGRAM_H

#include <plumb/error.h>
#include <sys/types.h>

struct perf_program {
	pid_t pid;
	int line; /* a byte down it lets the program begin; up it comes what execve() failed with */
};

/* Returns 0, or the negative of errno. */
int perf_program_start(struct perf_program *program, const char *path, char *const *argv);
/* Lets it begin. Returns 0, or the negative of what execve() failed with. */
int perf_program_let_go(const struct perf_program *program);
/* It has not begun, and will not. */
void perf_program_give_up(const struct perf_program *program);
/* Waits for its end. Returns its status as waitpid() has it. */
int perf_program_wait(pid_t pid);
/* Adds the finding that it cannot be run. Returns an enum plumb_error. */
int perf_program_complain(const char *path, int error, struct plumb_diagnostics *found);

#endif

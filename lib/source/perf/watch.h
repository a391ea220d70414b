/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for the end of the program, or of the processes and threads that are counted. */
#ifndef SOURCE_PERF_WATCH_H
#define SOURCE_PERF_WATCH_H

#include "source/source.h"

struct perf_watch {
	const struct source_job *job;
	pid_t program; /* -1: none */
	/* Descriptors of the program, or of the job's processes; -1: it has ended, or has none. */
	int *fds;
	bool *ended;
	size_t count;
	size_t without; /* how many have no descriptor, and are looked at */
};

/* Begins to wait for the program `pid`, or, if it is -1, for what the job counts. */
void perf_watch_begin(struct perf_watch *watch, pid_t pid, const struct source_job *job);
void perf_watch_end(struct perf_watch *watch);

/*
 * Waits until one of them ends, or `control` (-1: none) can be read, at most `ms`. Returns whether
 * it can. May return early.
 */
bool perf_watch_wait(struct perf_watch *watch, int control, int ms);

/* Returns whether all have ended: never if only CPUs are counted. */
bool perf_watch_has_ended(struct perf_watch *watch);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the commands that --control of perf takes, a line each, and answers them. */
#ifndef SOURCE_PERF_CONTROL_H
#define SOURCE_PERF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum perf_command { PERF_ENABLE, PERF_DISABLE, PERF_SNAPSHOT, PERF_STOP, PERF_PING, PERF_UNKNOWN };

struct perf_control {
	int fd;         /* -1: none, or it has ended */
	int ack;        /* -1: none, or nobody reads it */
	bool snapshots; /* it obeys that command; otherwise it is unknown */
	char line[64];
	size_t used;
	bool too_long; /* the line is */
};

/*
 * Reads what there is, with one read(2), and calls `obey` for each whole line, whose answer follows
 * it. Leaves out an answer that there is no room for. Sets `fd` to -1 at the end of the file; it
 * stays open.
 */
void perf_control_read(struct perf_control *control,
		       void (*obey)(void *user, enum perf_command command), void *user);

#endif

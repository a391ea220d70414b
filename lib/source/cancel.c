/* SPDX-License-Identifier: Apache-2.0 */
#include "source/cancel.h"

#include <signal.h>
#include <time.h>

#define PATIENCE 2.0 /* seconds */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void source_end(struct source_ending *ending, pid_t pid)
{
	if (!ending->asked) {
		*ending = (struct source_ending){true, now()};
		kill(pid, SIGTERM);
	} else if (now() - ending->asked_at >= PATIENCE) {
		kill(pid, SIGKILL);
	}
}

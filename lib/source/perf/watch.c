/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/watch.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/sysfs.h"

#define LOOK_MS 10 /* between checks of a process that cannot be waited for */

static pid_t pid_of(const struct perf_watch *watch, size_t i)
{
	const struct source_job *job = watch->job;

	if (watch->program > 0)
		return watch->program;
	return i < job->pid_count ? job->pids[i] : job->tids[i - job->pid_count];
}

void perf_watch_begin(struct perf_watch *watch, pid_t pid, const struct source_job *job)
{
	const size_t count = pid > 0 ? 1 : job->pid_count + job->tid_count;

	*watch = (struct perf_watch){.job = job, .program = pid};
	watch->fds = calloc(count + 1, sizeof(*watch->fds));
	watch->ended = calloc(count + 1, sizeof(*watch->ended));
	/* Without memory for it, nothing is waited for, as if only CPUs were counted. */
	watch->count = watch->fds && watch->ended ? count : 0;
	for (size_t i = 0; i < watch->count; i++) {
		/* A thread has no descriptor of its own, and old kernels have none at all. */
		const bool has = pid > 0 || i < job->pid_count;

		watch->fds[i] = has ? pidfd_open(pid_of(watch, i), 0) : -1;
		watch->without += watch->fds[i] < 0;
	}
}

void perf_watch_end(struct perf_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->fds[i] >= 0)
			close(watch->fds[i]);
	free(watch->fds);
	free(watch->ended);
}

/* Returns whether a thread or process has ended: "PID (NAME) STATE" in proc(5). */
static bool has_gone(pid_t pid)
{
	char path[64], line[512];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!sysfs_read_line(line, sizeof(line), path))
		return true;
	/* The name may contain anything, also parentheses. */
	state = strrchr(line, ')');
	return state && state[1] == ' ' && strchr("ZXx", state[2]);
}

static bool program_has_ended(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == pid;
}

static void look(struct perf_watch *watch, size_t i)
{
	if (!watch->ended[i] && watch->fds[i] < 0)
		watch->ended[i] = watch->program > 0 ? program_has_ended(watch->program)
						     : has_gone(pid_of(watch, i));
}

bool perf_watch_wait(struct perf_watch *watch, int control, int ms)
{
	struct pollfd *all = calloc(watch->count + 1, sizeof(*all));
	bool readable;

	if (watch->without && ms > LOOK_MS)
		ms = LOOK_MS;
	if (!all) {
		poll(NULL, 0, ms);
		return false;
	}
	for (size_t i = 0; i < watch->count; i++)
		all[i] = (struct pollfd){.fd = watch->ended[i] ? -1 : watch->fds[i],
					 .events = POLLIN};
	all[watch->count] = (struct pollfd){.fd = control, .events = POLLIN};
	if (poll(all, watch->count + 1, ms) < 0)
		memset(all, 0, (watch->count + 1) * sizeof(*all));
	for (size_t i = 0; i < watch->count; i++) {
		watch->ended[i] |= all[i].revents != 0;
		look(watch, i);
	}
	readable = all[watch->count].revents != 0;
	free(all);
	return readable;
}

bool perf_watch_has_ended(struct perf_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!watch->ended[i])
			return false;
	return watch->count > 0;
}

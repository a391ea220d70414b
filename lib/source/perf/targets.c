/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/sysfs.h"

#define ONLINE "/sys/devices/system/cpu/online"

static int refuse(struct plumb_diagnostics *diagnostics, const char *what)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "targets", NULL, "%s", what);
	return PLUMB_ERR_ARGUMENT;
}

/* ---- CPUs --------------------------------------------------------------------------------- */

int perf_find_online(int **cpus)
{
	char list[4096];
	int count = PLUMB_ERR_INVALID;

	if (sysfs_read_line(list, sizeof(list), ONLINE))
		count = sysfs_parse_cpus(list, cpus);
	if (count == 0)
		free(*cpus);
	return count == 0 ? PLUMB_ERR_INVALID : count;
}

static bool among(const int *all, size_t count, int one)
{
	for (size_t i = 0; i < count; i++)
		if (all[i] == one)
			return true;
	return false;
}

/* Keeps the requested CPUs, all of which must be online. */
static int choose_cpus(struct perf_targets *targets, const struct perf_wanted *wanted,
		       struct plumb_diagnostics *diagnostics)
{
	size_t chosen = 0;

	for (size_t i = 0; i < wanted->cpu_count; i++) {
		if (among(targets->cpus, targets->cpu_count, wanted->cpus[i]))
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-cpu", NULL,
				      "CPU %d does not exist or is offline", wanted->cpus[i]);
		plumb_diagnostics_hint(diagnostics, "see " ONLINE " for the CPUs online");
		return PLUMB_ERR_ARGUMENT;
	}
	for (size_t i = 0; wanted->cpu_count && i < targets->cpu_count; i++)
		if (among(wanted->cpus, wanted->cpu_count, targets->cpus[i]))
			targets->cpus[chosen++] = targets->cpus[i];
	if (wanted->cpu_count)
		targets->cpu_count = chosen;
	return PLUMB_OK;
}

static int find_cpus(struct perf_targets *targets, const struct perf_wanted *wanted,
		     struct plumb_diagnostics *diagnostics)
{
	int count;

	if (wanted->any_cpu) {
		targets->cpus = malloc(sizeof(*targets->cpus));
		if (!targets->cpus)
			return PLUMB_ERR_NO_MEMORY;
		targets->cpus[0] = -1;
		targets->cpu_count = 1;
		return PLUMB_OK;
	}
	count = perf_find_online(&targets->cpus);
	if (count < 0) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-cpu", NULL,
				      ONLINE ": lists no CPUs");
		return count == PLUMB_ERR_NO_MEMORY ? count : PLUMB_ERR_UNSUPPORTED;
	}
	targets->cpu_count = (size_t)count;
	return choose_cpus(targets, wanted, diagnostics);
}

/* ---- threads ------------------------------------------------------------------------------ */

static int add_thread(struct perf_targets *targets, pid_t thread)
{
	/* The array is full at each power of two, and doubles. */
	size_t count = targets->thread_count;
	pid_t *more;

	if (among(targets->threads, count, thread))
		return PLUMB_OK;
	if ((count & (count - 1)) == 0) {
		more = reallocarray(targets->threads, count ? 2 * count : 1, sizeof(*more));
		if (!more)
			return PLUMB_ERR_NO_MEMORY;
		targets->threads = more;
	}
	targets->threads[targets->thread_count++] = thread;
	return PLUMB_OK;
}

/* Lists the threads of a process; skips those that end meanwhile. */
static int add_process(struct perf_targets *targets, pid_t pid,
		       struct plumb_diagnostics *diagnostics)
{
	char path[64];
	struct dirent *entry;
	bool any = false;
	int error = PLUMB_OK;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && error == PLUMB_OK && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0])) {
			error = add_thread(targets, (pid_t)strtol(entry->d_name, NULL, 10));
			any = true;
		}
	if (tasks)
		closedir(tasks);
	if (error < 0 || any)
		return error;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-process", NULL, "no process %d", pid);
	return PLUMB_ERR_NOT_FOUND;
}

static int add_single(struct perf_targets *targets, pid_t tid,
		      struct plumb_diagnostics *diagnostics)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (access(path, F_OK) == 0)
		return add_thread(targets, tid);
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-process", NULL, "no thread %d", tid);
	return PLUMB_ERR_NOT_FOUND;
}

static int find_threads(struct perf_targets *targets, const struct perf_wanted *wanted,
			pid_t program, struct plumb_diagnostics *diagnostics)
{
	int error = PLUMB_OK;

	if (wanted->all_cpus || (wanted->cpu_count && !wanted->pid_count && !wanted->tid_count))
		return add_thread(targets, -1);
	for (size_t i = 0; i < wanted->pid_count && error == PLUMB_OK; i++)
		error = add_process(targets, wanted->pids[i], diagnostics);
	for (size_t i = 0; i < wanted->tid_count && error == PLUMB_OK; i++)
		error = add_single(targets, wanted->tids[i], diagnostics);
	if (error == PLUMB_OK && targets->thread_count == 0 && program > 0)
		error = add_thread(targets, program);
	return error;
}

static int check(const struct perf_wanted *wanted, struct plumb_diagnostics *diagnostics)
{
	const bool tasks = wanted->pid_count || wanted->tid_count;

	if (wanted->all_cpus && tasks)
		return refuse(diagnostics, "all CPUs cannot be combined with processes or threads");
	if (wanted->any_cpu && (wanted->all_cpus || wanted->cpu_count))
		return refuse(diagnostics, "one buffer per thread cannot be combined with CPUs");
	if (!wanted->program && !tasks && !wanted->all_cpus && !wanted->cpu_count)
		return refuse(diagnostics, "nothing to measure: no program, process or CPU");
	return PLUMB_OK;
}

int perf_targets_find(struct perf_targets *targets, const struct perf_wanted *wanted, pid_t program,
		      struct plumb_diagnostics *diagnostics)
{
	int error = check(wanted, diagnostics);

	*targets = (struct perf_targets){0};
	if (error == PLUMB_OK)
		error = find_cpus(targets, wanted, diagnostics);
	if (error == PLUMB_OK)
		error = find_threads(targets, wanted, program, diagnostics);
	if (error == PLUMB_OK)
		targets->running =
			program <= 0 || !targets->threads || targets->threads[0] != program;
	return error;
}

void perf_targets_free(struct perf_targets *targets)
{
	free(targets->cpus);
	free(targets->threads);
	*targets = (struct perf_targets){0};
}

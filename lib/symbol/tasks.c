/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bucket_of(const struct tasks *tasks, int32_t tid)
{
	return (size_t)((uint32_t)tid * UINT64_C(2654435769) % tasks->bucket_count);
}

static struct task *find(const struct tasks *tasks, int32_t tid)
{
	struct task *task;

	if (tasks->bucket_count == 0)
		return NULL;
	for (task = tasks->buckets[bucket_of(tasks, tid)]; task; task = task->next) {
		if (task->public.tid == tid)
			return task;
	}
	return NULL;
}

static int grow(struct tasks *tasks)
{
	struct tasks larger = {.bucket_count = tasks->bucket_count * 2 + 61};

	larger.buckets = calloc(larger.bucket_count, sizeof(struct task *));
	if (!larger.buckets)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < tasks->bucket_count; i++) {
		struct task *task = tasks->buckets[i];

		while (task) {
			struct task *next = task->next;
			size_t bucket = bucket_of(&larger, task->public.tid);

			task->next = larger.buckets[bucket];
			larger.buckets[bucket] = task;
			task = next;
		}
	}
	free(tasks->buckets);
	tasks->buckets = larger.buckets;
	tasks->bucket_count = larger.bucket_count;
	return 0;
}

static struct process *new_process(struct tasks *tasks)
{
	struct process *process = calloc(1, sizeof(*process));

	if (process) {
		process->next = tasks->processes;
		tasks->processes = process;
	}
	return process;
}

static struct task *make(struct tasks *tasks, int32_t pid, int32_t tid)
{
	struct task *task;
	size_t bucket;

	if (tasks->count >= tasks->bucket_count && grow(tasks) < 0)
		return NULL;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	snprintf(task->unknown, sizeof(task->unknown), ":%d", (int)tid);
	task->public = (struct plumb_task){.pid = pid, .tid = tid, .comm = task->unknown};
	bucket = bucket_of(tasks, tid);
	task->next = tasks->buckets[bucket];
	tasks->buckets[bucket] = task;
	tasks->count++;
	return task;
}

/* The first thread of process `pid`, which is made if there is none. */
static struct task *leader_of(struct tasks *tasks, int32_t pid)
{
	struct task *leader = find(tasks, pid);

	if (!leader)
		leader = make(tasks, pid, pid);
	if (leader && !leader->process)
		leader->process = new_process(tasks);
	return leader && leader->process ? leader : NULL;
}

/* Gives a thread, whose process is known now if it ever is, its address space. */
static int join(struct tasks *tasks, struct task *task)
{
	int32_t pid = task->public.pid;

	if (pid == task->public.tid || pid == -1) {
		if (!task->process)
			task->process = new_process(tasks);
	} else {
		const struct task *leader = leader_of(tasks, pid);

		if (leader)
			task->process = leader->process;
	}
	return task->process ? 0 : PLUMB_ERR_NO_MEMORY;
}

struct task *tasks_get(struct tasks *tasks, int32_t pid, int32_t tid)
{
	struct task *task = tasks->latest;

	if (!task || task->public.tid != tid)
		task = find(tasks, tid);
	if (!task) {
		task = make(tasks, pid, tid);
		if (!task || join(tasks, task) < 0)
			return NULL;
	} else if (pid != -1 && task->public.pid == -1) {
		task->public.pid = pid;
		if (join(tasks, task) < 0)
			return NULL;
	}
	tasks->latest = task;
	return task;
}

int task_name(struct task *task, const char *comm)
{
	char *copy = strdup(comm);

	if (!copy)
		return PLUMB_ERR_NO_MEMORY;
	free(task->comm);
	task->comm = copy;
	task->public.comm = copy;
	return 0;
}

static void forget(struct tasks *tasks, struct task *task)
{
	struct task **link = &tasks->buckets[bucket_of(tasks, task->public.tid)];

	while (*link != task)
		link = &(*link)->next;
	*link = task->next;
	tasks->count--;
	tasks->latest = NULL;
	free(task->comm);
	free(task);
}

int tasks_fork(struct tasks *tasks, int32_t pid, int32_t tid, int32_t parent_pid,
	       int32_t parent_tid, bool bare)
{
	struct task *parent = tasks_get(tasks, parent_pid, parent_tid);
	struct task *task = find(tasks, tid);

	/* Records that were lost may have said that the number has become another's. */
	if (parent && parent->public.pid != parent_pid) {
		if (task == parent)
			task = NULL;
		forget(tasks, parent);
		parent = tasks_get(tasks, parent_pid, parent_tid);
	}
	if (!parent)
		return PLUMB_ERR_NO_MEMORY;
	if (task == parent) /* its own parent: nothing has begun */
		return 0;
	if (task)
		forget(tasks, task);
	task = tasks_get(tasks, pid, tid);
	if (!task || (parent->comm && task_name(task, parent->comm) < 0))
		return PLUMB_ERR_NO_MEMORY;
	if (pid != parent->public.pid && task->process != parent->process && !bare &&
	    !task->process->space)
		task->process->space = maps_share(parent->process->space);
	return 0;
}

void tasks_free(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->bucket_count; i++) {
		struct task *task = tasks->buckets[i];

		while (task) {
			struct task *next = task->next;

			free(task->comm);
			free(task);
			task = next;
		}
	}
	while (tasks->processes) {
		struct process *next = tasks->processes->next;

		maps_release(tasks->processes->space);
		free(tasks->processes);
		tasks->processes = next;
	}
	free(tasks->buckets);
	*tasks = (struct tasks){0};
}

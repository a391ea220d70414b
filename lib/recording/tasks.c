/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/tasks.h"

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

/* Returns the first thread of process `pid`; creates it if it is missing. */
static struct task *leader_of(struct tasks *tasks, int32_t pid)
{
	struct task *leader = find(tasks, pid);

	if (!leader)
		leader = make(tasks, pid, pid);
	if (leader && !leader->process)
		leader->process = new_process(tasks);
	return leader && leader->process ? leader : NULL;
}

/* Gives a thread its address space. Its process is known by now, if ever. */
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

static int name_task(struct task *task, const char *comm)
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

/*
 * A thread began. It has its parent's name and, in a process of its own, a copy of the parent's
 * address space, unless perf made the record up (FORK_EXEC).
 */
static int fork_task(struct tasks *tasks, const struct plumb_record *record)
{
	const int32_t pid = record->task.pid, tid = record->task.tid;
	const int32_t parent_pid = record->task.parent_pid, parent_tid = record->task.parent_tid;
	const bool bare = record->misc & PLUMB_MISC_FORK_EXEC;
	struct task *parent = tasks_get(tasks, parent_pid, parent_tid);
	struct task *task = find(tasks, tid);

	/* A lost record may have told that another thread has this number now. */
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
	if (!task || (parent->comm && name_task(task, parent->comm) < 0))
		return PLUMB_ERR_NO_MEMORY;
	if (tasks->owner && pid != parent->public.pid && task->process != parent->process &&
	    !bare && !task->process->space)
		task->process->space = tasks->owner->share(parent->process->space);
	return 0;
}

bool tasks_has(const struct tasks *tasks, int32_t pid, int32_t tid)
{
	const struct task *task = find(tasks, tid);

	return task && (pid == -1 || task->public.pid != -1);
}

/* ---- The table ------------------------------------------------------------------------------- */

struct tasks *tasks_new(void)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	struct task *idle;

	if (!tasks)
		return NULL;
	tasks->users = 1;
	tasks->code_changes = UINT64_MAX;
	idle = tasks_get(tasks, 0, 0);
	if (idle && name_task(idle, "swapper") == 0)
		return tasks;
	tasks_release(tasks);
	return NULL;
}

struct tasks *tasks_share(struct tasks *tasks)
{
	tasks->users++;
	return tasks;
}

bool tasks_own_spaces(struct tasks *tasks, const struct space_owner *owner)
{
	if (tasks->owner)
		return false;
	tasks->owner = owner;
	return true;
}

void tasks_disown_spaces(struct tasks *tasks)
{
	if (!tasks->owner)
		return;
	for (struct process *process = tasks->processes; process; process = process->next) {
		tasks->owner->release(process->space);
		process->space = NULL;
	}
	tasks->owner = NULL;
	tasks->code_changes = UINT64_MAX;
}

void tasks_release(struct tasks *tasks)
{
	if (!tasks || --tasks->users > 0)
		return;
	tasks_disown_spaces(tasks);
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

		free(tasks->processes);
		tasks->processes = next;
	}
	free(tasks->buckets);
	free(tasks);
}

/* ---- What records say ------------------------------------------------------------------------ */

int32_t tasks_pid(const struct tasks *tasks, int32_t tid)
{
	const struct task *task = find(tasks, tid);

	return task ? task->public.pid : -1;
}

static int note_task(struct tasks *tasks, int32_t pid, int32_t tid)
{
	return tasks_get(tasks, pid, tid) ? 0 : PLUMB_ERR_NO_MEMORY;
}

static int follow_comm(struct tasks *tasks, const struct plumb_record *record)
{
	struct task *task = tasks_get(tasks, record->comm.pid, record->comm.tid);

	return task ? name_task(task, record->comm.comm) : PLUMB_ERR_NO_MEMORY;
}

int tasks_follow(struct tasks *tasks, const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		/* The kernel's mappings belong to no process. */
		return record->mmap.pid == -1
			       ? 0
			       : note_task(tasks, record->mmap.pid, record->mmap.tid);
	case PLUMB_RECORD_COMM:
		return follow_comm(tasks, record);
	case PLUMB_RECORD_FORK:
		return fork_task(tasks, record);
	case PLUMB_RECORD_NAMESPACES:
		return note_task(tasks, record->namespaces.pid, record->namespaces.tid);
	case PLUMB_RECORD_SAMPLE:
		return record->has & PLUMB_RECORD_HAS_PID && record->tid != -1
			       ? note_task(tasks, record->pid, record->tid)
			       : 0;
	default:
		return 0;
	}
}

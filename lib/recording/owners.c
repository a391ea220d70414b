/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/owners.h"

#include <stdlib.h>
#include <string.h>

/* CPU numbers beyond are not believed. */
#define CPUS_LIMIT 65536

static size_t slot_of(const struct task *slots, size_t room, int32_t tid)
{
	size_t i = (size_t)((uint32_t)tid * UINT32_C(2654435769)) & (room - 1);

	while (slots[i].used && slots[i].tid != tid)
		i = (i + 1) & (room - 1);
	return i;
}

static int grow(struct owners *owners)
{
	size_t room = owners->room ? 2 * owners->room : 64;
	struct task *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < owners->room; i++)
		if (owners->slots[i].used)
			slots[slot_of(slots, room, owners->slots[i].tid)] = owners->slots[i];
	free(owners->slots);
	owners->slots = slots;
	owners->room = room;
	return 0;
}

/* The thread's entry, made if there is none; NULL: memory is short. */
static struct task *task_of(struct owners *owners, int32_t tid)
{
	struct task *task;

	if (4 * (owners->count + 1) > 3 * owners->room && grow(owners))
		return NULL;
	task = &owners->slots[slot_of(owners->slots, owners->room, tid)];
	if (!task->used) {
		*task = (struct task){.tid = tid, .pid = -1, .used = true};
		owners->count++;
	}
	return task;
}

int owners_begin(struct owners *owners)
{
	*owners = (struct owners){0};
	return owners_name(owners, 0, 0);
}

void owners_free(struct owners *owners)
{
	free(owners->slots);
	free(owners->running);
}

int32_t owners_pid(const struct owners *owners, int32_t tid)
{
	const struct task *task = &owners->slots[slot_of(owners->slots, owners->room, tid)];

	return task->used ? task->pid : -1;
}

int32_t owners_running(const struct owners *owners, int32_t cpu)
{
	return cpu >= 0 && (size_t)cpu < owners->cpus ? owners->running[cpu] : -1;
}

int owners_name(struct owners *owners, int32_t pid, int32_t tid)
{
	struct task *task = task_of(owners, tid);

	if (!task)
		return PLUMB_ERR_NO_MEMORY;
	if (task->pid == -1)
		task->pid = pid;
	return 0;
}

int owners_run(struct owners *owners, int32_t cpu, int32_t pid, int32_t tid)
{
	if (cpu < 0 || cpu >= CPUS_LIMIT)
		return 0;
	if ((size_t)cpu >= owners->cpus) {
		size_t cpus = (size_t)cpu + 64;
		int32_t *running = reallocarray(owners->running, cpus, sizeof(*running));

		if (!running)
			return PLUMB_ERR_NO_MEMORY;
		memset(running + owners->cpus, 0xff, (cpus - owners->cpus) * sizeof(*running));
		owners->running = running;
		owners->cpus = cpus;
	}
	owners->running[cpu] = tid;
	return tid == -1 ? 0 : owners_name(owners, pid, tid);
}

/* A thread number that is used again is another thread. */
static int fork_task(struct owners *owners, const struct plumb_record *record)
{
	struct task *task;

	if (owners_name(owners, record->task.parent_pid, record->task.parent_tid))
		return PLUMB_ERR_NO_MEMORY;
	task = task_of(owners, record->task.tid);
	if (!task)
		return PLUMB_ERR_NO_MEMORY;
	task->pid = record->task.pid;
	return 0;
}

int owners_follow(struct owners *owners, const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		return record->mmap.pid == -1
			       ? 0
			       : owners_name(owners, record->mmap.pid, record->mmap.tid);
	case PLUMB_RECORD_COMM:
		return owners_name(owners, record->comm.pid, record->comm.tid);
	case PLUMB_RECORD_FORK:
		return fork_task(owners, record);
	case PLUMB_RECORD_NAMESPACES:
		return owners_name(owners, record->namespaces.pid, record->namespaces.tid);
	case PLUMB_RECORD_SAMPLE:
		return record->has & PLUMB_RECORD_HAS_PID && record->tid != -1
			       ? owners_name(owners, record->pid, record->tid)
			       : 0;
	default:
		return 0;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/tasks.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX (1u << 16) /* a program may map and map; what is beyond is not repeated */

/* Where a COMM record has its flags and its task, <linux/perf_event.h>; all end with it, too. */
#define COMM_MISC 4
#define COMM_TASK 8
#define COMM_NAME 16

struct task_record {
	uint32_t type, pid, tid; /* of the frame */
	size_t size;
	char *bytes;
};

struct model_tasks {
	struct task_record *at;
	size_t count, room;
};

struct model_tasks *model_tasks_new(void)
{
	return calloc(1, sizeof(struct model_tasks));
}

void model_tasks_free(struct model_tasks *tasks)
{
	for (size_t i = 0; tasks && i < tasks->count; i++)
		free(tasks->at[i].bytes);
	if (tasks)
		free(tasks->at);
	free(tasks);
}

static bool add(struct model_tasks *tasks, uint32_t type, uint32_t pid, uint32_t tid,
		const void *bytes, size_t size)
{
	struct task_record *record;
	char *copy;

	if (tasks->count == RECORDS_MAX)
		return true;
	if (tasks->count == tasks->room) {
		size_t room = tasks->room ? 2 * tasks->room : 64;
		struct task_record *grown = reallocarray(tasks->at, room, sizeof(*grown));

		if (!grown)
			return false;
		tasks->at = grown;
		tasks->room = room;
	}
	copy = malloc(size);
	if (!copy)
		return false;
	memcpy(copy, bytes, size);
	record = &tasks->at[tasks->count++];
	*record = (struct task_record){.type = type, .pid = pid, .tid = tid, .size = size};
	record->bytes = copy;
	return true;
}

/* Forgets the records of a task, of all types or of one. */
static void forget(struct model_tasks *tasks, uint32_t pid, uint32_t tid, uint32_t type)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->count; i++) {
		struct task_record *record = &tasks->at[i];

		if (record->pid == pid && (!tid || record->tid == tid) &&
		    (!type || record->type == type))
			free(record->bytes);
		else
			tasks->at[kept++] = *record;
	}
	tasks->count = kept;
}

/* A new task has its parent's name, and has not executed a program for it. */
static bool inherit(struct model_tasks *tasks, const struct model_frame *frame,
		    const struct model_frame_fork *from)
{
	const uint32_t task[] = {frame->pid, frame->tid};

	for (size_t i = 0; i < tasks->count; i++) {
		const struct task_record *parent = &tasks->at[i];
		size_t length, end;
		uint16_t misc;

		if (parent->type != FRAME_COMM || parent->pid != from->parent_pid ||
		    parent->tid != from->parent_tid)
			continue;
		if (tasks->count == RECORDS_MAX)
			return true;
		if (!add(tasks, FRAME_COMM, frame->pid, frame->tid, parent->bytes, parent->size))
			return false;
		parent = &tasks->at[tasks->count - 1];
		length = strnlen(parent->bytes + COMM_NAME, parent->size - COMM_NAME);
		end = COMM_NAME + length + 8 - length % 8;
		memcpy(&misc, parent->bytes + COMM_MISC, sizeof(misc));
		misc &= (uint16_t)~RECORD_MISC_COMM_EXEC;
		memcpy(parent->bytes + COMM_MISC, &misc, sizeof(misc));
		memcpy(parent->bytes + COMM_TASK, task, sizeof(task));
		if (end + sizeof(task) <= parent->size)
			memcpy(parent->bytes + end, task, sizeof(task));
		return true;
	}
	return true;
}

bool model_tasks_note(struct model_tasks *tasks, const struct model_frame *frame,
		      const void *record, size_t size)
{
	struct model_frame_fork fork;
	uint16_t misc;

	switch (frame->type) {
	case FRAME_COMM:
		memcpy(&misc, (const char *)record + COMM_MISC, sizeof(misc));
		forget(tasks, frame->pid, misc & RECORD_MISC_COMM_EXEC ? 0 : frame->tid,
		       misc & RECORD_MISC_COMM_EXEC ? 0 : FRAME_COMM);
		break;
	case FRAME_MMAP:
		break;
	case FRAME_FORK:
		/* The record has pid, parent's pid, tid, parent's tid. */
		memcpy(&fork.parent_pid, (const char *)record + 12, sizeof(fork.parent_pid));
		memcpy(&fork.parent_tid, (const char *)record + 20, sizeof(fork.parent_tid));
		return inherit(tasks, frame, &fork);
	case FRAME_EXIT:
		forget(tasks, frame->pid, frame->tid, 0);
		return true;
	default:
		return true;
	}
	return add(tasks, frame->type, frame->pid, frame->tid, record, size);
}

int model_tasks_write(const struct model_tasks *tasks,
		      int (*records)(void *user, const void *records, size_t size), void *user)
{
	int error = 0;

	for (size_t i = 0; i < tasks->count && !error && records; i++)
		error = records(user, tasks->at[i].bytes, tasks->at[i].size);
	return error;
}

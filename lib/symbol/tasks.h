/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, their names, and the address spaces they share. */
#ifndef SYMBOL_TASKS_H
#define SYMBOL_TASKS_H

#include "symbol/maps.h"

struct process {
	struct map_space *space;
	struct process *next; /* of all there were */
};

struct task {
	struct plumb_task public; /* first: it is what others see */
	struct process *process;
	struct task *next; /* in its bucket */
	char *comm;        /* NULL: not known */
	char unknown[16];  /* ":TID" */
};

struct tasks {
	struct task **buckets;
	size_t bucket_count, count;
	struct process *processes;
	struct task *latest;
};

/*
 * The thread `tid`, made if there is none. One whose process was not known joins `pid`, one that
 * is new shares the address space of its process's first thread. NULL when memory is short.
 */
struct task *tasks_get(struct tasks *tasks, int32_t pid, int32_t tid);

/* Names a thread. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int task_name(struct task *task, const char *comm);

/*
 * A thread began: its parent's name, and, in a process of its own, a copy of the parent's address
 * space unless `bare`. Returns 0 or PLUMB_ERR_NO_MEMORY.
 */
int tasks_fork(struct tasks *tasks, int32_t pid, int32_t tid, int32_t parent_pid,
	       int32_t parent_tid, bool bare);

void tasks_free(struct tasks *tasks);

#endif

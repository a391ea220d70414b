/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads as the records tell of them: which process each belongs to, and what it is called. A
 * process has room for its address space, which is the symbolizer's.
 */
#ifndef RECORDING_TASKS_H
#define RECORDING_TASKS_H

#include <plumb/recording.h>

struct map_space;

struct process {
	struct map_space *space; /* NULL: empty */
	struct process *next;    /* of all there were */
};

struct task {
	struct plumb_task public; /* first: it is what others see */
	struct process *process;
	struct task *next; /* in its bucket */
	char *comm;        /* NULL: not known */
	char unknown[16];  /* ":TID" */
};

/* What owns the address spaces. */
struct space_owner {
	struct map_space *(*share)(struct map_space *space); /* with a process that forks */
	void (*release)(struct map_space *space);
};

/* Shared by a recording's stream and its symbolizer. */
struct tasks {
	unsigned users;
	struct task **buckets;
	size_t bucket_count, count;
	struct process *processes;
	struct task *latest;
	const struct space_owner *owner; /* NULL: there are no address spaces */
};

/* Returns an empty table with one user that knows the idle task, or NULL. */
struct tasks *tasks_new(void);
struct tasks *tasks_share(struct tasks *tasks);
/* One user fewer; the last one frees it. Takes NULL. */
void tasks_release(struct tasks *tasks);
/* Address spaces are `owner`'s from now on. Returns false if they are somebody's already. */
bool tasks_own_spaces(struct tasks *tasks, const struct space_owner *owner);
/* Releases all address spaces, which are nobody's then. */
void tasks_disown_spaces(struct tasks *tasks);

/*
 * Returns the thread `tid`, made if there is none. One whose process was not known joins `pid`; a
 * new one shares the address space of its process's first thread. NULL: memory is short.
 */
struct task *tasks_get(struct tasks *tasks, int32_t pid, int32_t tid);
/* Returns the process of thread `tid`, or -1: not known. */
int32_t tasks_pid(const struct tasks *tasks, int32_t tid);

/* The recording's own, as of the record that it, or its stream of samples, gave last. */
struct tasks *recording_tasks(const struct plumb_recording *recording);

/* Takes in what a record says about threads. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int tasks_follow(struct tasks *tasks, const struct plumb_record *record);

#endif

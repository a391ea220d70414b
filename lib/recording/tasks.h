/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks threads by the recording's records: their processes and names. A process has room for its
 * address space, which belongs to the symbolizer.
 */
#ifndef RECORDING_TASKS_H
#define RECORDING_TASKS_H

#include <plumb/recording.h>

struct map_space;

struct process {
	struct map_space *space; /* NULL: empty */
	struct process *next;    /* of all threads */
};

struct task {
	struct plumb_task public; /* must be first: callers see this part */
	struct process *process;
	struct task *next; /* in its bucket */
	char *comm;        /* NULL: unknown */
	char unknown[16];  /* ":TID" */
};

/* Returns the process, which stays where it is as long as the threads are known. */
static inline const struct process *task_process(const struct plumb_task *task)
{
	return ((const struct task *)(const void *)task)->process;
}

/* The owner of the address spaces. */
struct space_owner {
	struct map_space *(*share)(struct map_space *space); /* called with a new process */
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
	/* The time in ns when code in a space changes next, as its owner knows; UINT64_MAX: never.
	 * The stream of samples then gives a record of type TEXT_POKE, which is not the file's. */
	uint64_t code_changes;
};

/* Returns a table with one user and the idle task, or NULL if out of memory. */
struct tasks *tasks_new(void);
struct tasks *tasks_share(struct tasks *tasks);
/* Removes a user; the last one frees the table. Accepts NULL. */
void tasks_release(struct tasks *tasks);
/* Gives the address spaces to `owner`. Returns false if they have an owner. */
bool tasks_own_spaces(struct tasks *tasks, const struct space_owner *owner);
/* Frees all address spaces, which then have no owner. */
void tasks_disown_spaces(struct tasks *tasks);

/*
 * Returns the thread `tid`, and creates it if necessary. A thread without a known process joins
 * `pid`; a new one shares the address space of its process's first thread. NULL: out of memory.
 */
struct task *tasks_get(struct tasks *tasks, int32_t pid, int32_t tid);
/* Returns whether tasks_get() would change nothing. */
bool tasks_has(const struct tasks *tasks, int32_t pid, int32_t tid);
/* Returns the process of thread `tid`, or -1 if unknown. */
int32_t tasks_pid(const struct tasks *tasks, int32_t tid);

/* Returns the recording's table, as of the last record that it or its stream of samples returned.
 */
struct tasks *recording_tasks(const struct plumb_recording *recording);

/* Takes in a record about threads. Returns 0 or PLUMB_ERR_NO_MEMORY. */
int tasks_follow(struct tasks *tasks, const struct plumb_record *record);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which process a thread is of, and which thread a CPU runs, as the records tell. */
#ifndef RECORDING_OWNERS_H
#define RECORDING_OWNERS_H

#include <plumb/recording.h>

struct task {
	int32_t tid, pid;
	bool used;
};

struct owners {
	struct task *slots; /* by tid, open addressing */
	size_t count, room;
	int32_t *running; /* by CPU; -1: not known */
	size_t cpus;
};

/* Makes the idle task known. Returns 0 or NO_MEMORY, as do those that follow. */
int owners_begin(struct owners *owners);
void owners_free(struct owners *owners);

/* The thread's process, -1: not known. */
int32_t owners_pid(const struct owners *owners, int32_t tid);
/* What the CPU runs, -1: not known. */
int32_t owners_running(const struct owners *owners, int32_t cpu);

/* Thread `tid` is of process `pid` (-1: that is not known), unless another one was known before. */
int owners_name(struct owners *owners, int32_t pid, int32_t tid);
/* `cpu` runs `tid`, of `pid` or -1, now. */
int owners_run(struct owners *owners, int32_t cpu, int32_t pid, int32_t tid);
/* What MMAP, COMM, FORK, SAMPLE and others tell of threads. */
int owners_follow(struct owners *owners, const struct plumb_record *record);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/attribution.h"

#include <stdlib.h>
#include <string.h>

/* Larger CPU numbers are treated as damage. */
#define CPUS_LIMIT 65536

void attribution_free(struct attribution *attribution)
{
	free(attribution->running);
}

static bool is_cpu(int32_t cpu)
{
	return cpu >= 0 && cpu < CPUS_LIMIT;
}

int32_t attribution_running(const struct attribution *attribution, int32_t cpu)
{
	return cpu >= 0 && (size_t)cpu < attribution->cpus ? attribution->running[cpu] : -1;
}

int attribution_run(struct attribution *attribution, int32_t cpu, int32_t tid)
{
	if (!is_cpu(cpu))
		return 0;
	if ((size_t)cpu >= attribution->cpus) {
		size_t cpus = (size_t)cpu + 64;
		int32_t *grown = reallocarray(attribution->running, cpus, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		memset(grown + attribution->cpus, 0xff,
		       (cpus - attribution->cpus) * sizeof(*grown));
		attribution->running = grown;
		attribution->cpus = cpus;
	}
	attribution->running[cpu] = tid;
	return 0;
}

/* Notes that `cpu` now runs `tid` of process `pid` (-1: unknown). */
static int run(struct attribution *attribution, int32_t cpu, int32_t pid, int32_t tid)
{
	if (attribution_run(attribution, cpu, tid) < 0)
		return PLUMB_ERR_NO_MEMORY;
	return !is_cpu(cpu) || tid == -1 || tasks_get(attribution->tasks, pid, tid)
		       ? 0
		       : PLUMB_ERR_NO_MEMORY;
}

/* ---- Records of the file --------------------------------------------------------------------- */

bool attribution_find_switch(const struct attribution *attribution,
			     const struct plumb_record *record, struct attribution_switch *found)
{
	const bool wide = record->type == PLUMB_RECORD_SWITCH_CPU_WIDE;
	const bool out = record->context_switch.out;
	const int32_t cpu = (int32_t)record->cpu;

	if (attribution->contexts || attribution->timeless ||
	    !(record->has & PLUMB_RECORD_HAS_CPU) || !is_cpu(cpu))
		return false;
	if (wide && out) {
		*found = (struct attribution_switch){cpu, record->context_switch.next_prev_pid,
						     record->context_switch.next_prev_tid};
		return true;
	}
	if (!(record->has & PLUMB_RECORD_HAS_PID))
		return false;
	/* If the record is not CPU-wide, perf mistakes the thread that leaves for the one that
	 * comes. */
	if (attribution->like_perf ? !out : out)
		return false;
	*found = (struct attribution_switch){cpu, record->pid, record->tid};
	return true;
}

static int follow_switch(struct attribution *attribution, const struct plumb_record *record)
{
	struct attribution_switch found;

	return attribution_find_switch(attribution, record, &found)
		       ? run(attribution, found.cpu, found.pid, found.tid)
		       : 0;
}

static int follow_start(struct attribution *attribution, const struct plumb_record *record)
{
	if (attribution->like_perf || !(record->has & PLUMB_RECORD_HAS_CPU) ||
	    attribution_running(attribution, (int32_t)record->cpu) != -1)
		return 0;
	return run(attribution, (int32_t)record->cpu, record->itrace_start.pid,
		   record->itrace_start.tid);
}

int attribution_follow(struct attribution *attribution, const struct plumb_record *record)
{
	int error = 0;

	if (!attribution->contexts && !attribution->timeless) {
		if (record->type == PLUMB_RECORD_SWITCH ||
		    record->type == PLUMB_RECORD_SWITCH_CPU_WIDE)
			error = follow_switch(attribution, record);
		else if (record->type == PLUMB_RECORD_ITRACE_START)
			error = follow_start(attribution, record);
	}
	return error ? error : tasks_follow(attribution->tasks, record);
}

/* ---- SPE records ----------------------------------------------------------------------------- */

static void assign(struct attribution *attribution, struct ring *ring, int32_t tid)
{
	struct known_thread *known = &attribution->known[(uint32_t)tid % KNOWN_THREADS];

	ring->tid = tid;
	if (attribution_knows(attribution, tid)) {
		ring->pid = known->pid;
		return;
	}
	ring->pid = tid == -1 ? -1 : tasks_pid(attribution->tasks, tid);
	if (attribution->remembers)
		*known = (struct known_thread){true, tid, ring->pid};
}

/* Returns the thread of a ring without context packets. */
static int32_t thread_of_ring(const struct attribution *attribution, const struct ring *ring)
{
	const int32_t tid = attribution_running(attribution, ring->cpu);

	return tid != -1 ? tid : ring->ring_tid;
}

void attribution_of_ring(struct attribution *attribution, struct ring *ring)
{
	if (!attribution->contexts)
		assign(attribution, ring, thread_of_ring(attribution, ring));
}

bool attribution_knows_ring(const struct attribution *attribution, const struct ring *ring)
{
	return attribution->contexts ||
	       attribution_knows(attribution, thread_of_ring(attribution, ring));
}

int attribution_change(struct attribution *attribution, struct ring *ring,
		       const struct plumb_spe_record *record)
{
	const int32_t tid = attribution_named(record);

	attribution->contexts = true;
	if (attribution_knows(attribution, tid) ? attribution_run(attribution, ring->cpu, tid)
						: run(attribution, ring->cpu, -1, tid))
		return PLUMB_ERR_NO_MEMORY;
	assign(attribution, ring, tid);
	return 0;
}

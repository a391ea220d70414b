/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the events of a job on each CPU and for each thread to sample. */
#ifndef SOURCE_PERF_SAMPLING_H
#define SOURCE_PERF_SAMPLING_H

#include "source/perf/sampled_attr.h"
#include "source/perf/spe_pmu.h"
#include "source/perf/targets.h"

struct sampled {
	const struct plumb_event_config *event; /* NULL: it only records the side-band */
	const struct spe_pmu *spe;              /* for SPE: one of sampling->spes */
	const struct cpu_pmu *pmu;              /* for events of a core; NULL: there is none */
	char *name; /* with ":u" if this user may not sample the kernel */
	struct sampled_attr attr;
	struct sampled_role role;
	size_t leader;
	int *fds; /* see sampled_fd(); -1: not open there */
	uint64_t *ids;
	size_t id_count;
};

struct sampling {
	const struct source_record_job *job;
	struct plumb_diagnostics *diagnostics;
	struct perf_targets targets;
	struct sampled_session session;
	struct sampled *all;
	size_t count;
	size_t tracking; /* the event with the side-band */
	struct spe_pmu spes[SPE_PMUS_MAX];
	size_t spe_count;
	uint64_t cpus_lost; /* CPUs that went offline before they could be opened */
};

/*
 * Opens all events disabled, except that of the side-band if running processes are sampled. Returns
 * 0, or a negative error with a finding that names the event. In both cases call sampling_close().
 * `program` is the process started for the job, or -1.
 */
int sampling_open(struct sampling *sampling, const struct source_record_job *job, pid_t program,
		  struct plumb_diagnostics *diagnostics);
void sampling_close(struct sampling *sampling);

/* Tells whether there is an AUX area. */
bool sampling_has_spe(const struct sampling *sampling);

/* Returns the descriptor of an event for the N-th CPU and thread of the targets; -1: none. */
static inline int sampled_fd(const struct sampling *sampling, const struct sampled *event,
			     size_t cpu, size_t thread)
{
	return event->fds[cpu * sampling->targets.thread_count + thread];
}

/*
 * Returns false if threads that start later are sampled without strobed windows: their events begin
 * together, and nothing sets those apart.
 */
bool sampling_strobes_later_threads(const struct sampling *sampling);

/* Enables or disables all events that are not members of a group, by ioctl(2). */
void sampling_switch(const struct sampling *sampling, bool on);
/* Does the same, but not for the event that tells of mappings and threads if it is none of these.
 */
void sampling_hold(const struct sampling *sampling, bool on);
/* Does the same for SPE only. */
void sampling_switch_spe(const struct sampling *sampling, bool on);
/* Returns the samples that an event lost because the ring was full; 0 if the kernel does not tell.
 * `i` is the index of its descriptor. `*id` is the id in its samples. */
uint64_t sampled_lost(const struct sampling *sampling, const struct sampled *event, size_t i,
		      uint64_t *id);

/* Returns how often the I-th event of the job occurred, wherever it was opened; NaN: unknown. */
double sampled_count(const struct sampling *sampling, size_t i);

/* Adds a finding on why the kernel refused an event. Returns an enum plumb_error. */
int sampled_complain(const struct sampling *sampling, const struct sampled *event, int error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a job, opened on each CPU and for each thread that is to be sampled. */
#ifndef SOURCE_PERF_SAMPLING_H
#define SOURCE_PERF_SAMPLING_H

#include "source/perf/sampled_attr.h"
#include "source/perf/spe_pmu.h"
#include "source/perf/targets.h"

struct sampled {
	const struct plumb_event_config *event; /* NULL: it is there for the side-band alone */
	const struct spe_pmu *spe;              /* of SPE: one of sampling->spes */
	char *name; /* says ":u" if the kernel's part was not permitted */
	struct sampled_attr attr;
	struct sampled_role role;
	size_t leader;
	int *fds; /* see sampled_fd(); -1: not open there */
	uint64_t *ids;
	size_t id_count;
};

struct sampling {
	const struct source_record_job *job;
	struct plumb_diagnostics *found;
	struct perf_targets targets;
	struct sampled_session session;
	struct sampled *all;
	size_t count;
	size_t tracking; /* which has the side-band */
	struct spe_pmu spes[SPE_PMUS_MAX];
	size_t spe_count;
	uint64_t cpus_lost; /* that were on, and went off before they could be had */
};

/*
 * Opens all events, disabled, but for the side-band's: this is on if what is sampled runs already.
 * Returns 0, or a negative error with a finding that names the event; sampling_close() does either
 * way. `program` is what was started for the job, or -1.
 */
int sampling_open(struct sampling *sampling, const struct source_record_job *job, pid_t program,
		  struct plumb_diagnostics *found);
void sampling_close(struct sampling *sampling);

/* Whether there is an AUX area to be had. */
bool sampling_has_spe(const struct sampling *sampling);

/* The descriptor of an event for the N-th CPU and thread of the targets; -1: there is none. */
static inline int sampled_fd(const struct sampling *sampling, const struct sampled *event,
			     size_t cpu, size_t thread)
{
	return event->fds[cpu * sampling->targets.thread_count + thread];
}

/* ioctl(2) PERF_EVENT_IOC_ENABLE or _DISABLE to all that are no member of a group. */
void sampling_switch(const struct sampling *sampling, bool on);
/* The same to SPE's alone. */
void sampling_switch_spe(const struct sampling *sampling, bool on);
/* Samples that an event lost for want of room; 0 where the kernel does not say. `i` is
 * of its descriptors; `*id` is by which samples refer to it. */
uint64_t sampled_lost(const struct sampling *sampling, const struct sampled *event, size_t i,
		      uint64_t *id);

/* Adds the finding why the kernel refused an event. Returns an enum plumb_error. */
int sampled_complain(const struct sampling *sampling, const struct sampled *event, int error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the attributes for perf_event_open(2) of an event to sample. */
#ifndef SOURCE_PERF_SAMPLED_ATTR_H
#define SOURCE_PERF_SAMPLED_ATTR_H

#include <linux/perf_event.h>

#include "source/source.h"

/* Has members that headers before Linux 6.3, and 6.19, lack. */
struct sampled_attr {
	struct perf_event_attr attr;
	uint64_t config3, config4;
};

/* Features that older kernels lack; left out one after another, the newest first. */
enum sampled_without {
	WITHOUT_INHERITED_READ = 1 << 0, /* Linux 6.13: inherited events read with their group */
	WITHOUT_LOST = 1 << 1,           /* 6.0: number of samples an event lost */
	WITHOUT_BUILD_ID = 1 << 2,       /* 5.12: build-ids in MMAP2 */
	WITHOUT_BPF = 1 << 3,            /* 5.1: KSYMBOL and BPF_EVENT */
	WITHOUT_GUEST = 1 << 4,          /* for PMUs that cannot exclude guests */
	WITHOUT_ALL = (1 << 5) - 1,
};

/* Common to all events of a session. */
struct sampled_session {
	bool several; /* number of events: with several, samples must name theirs */
	bool cpus;    /* samples record the CPU */
	bool times;   /* ... and the time; not required with a single ring */
	bool on_exec; /* start with the program */
	bool inherit;
	bool callchains;
	uint32_t user_stack; /* bytes to copy with each sample; 0: none */
	bool switches; /* record context switches, because SPE's records do not tell their thread */
	bool addresses, physical;
	uint64_t branches; /* bits of enum plumb_branches; 0: none */
	bool build_ids;
	int clockid;      /* -1: the kernel's own clock */
	unsigned without; /* bits of enum sampled_without */
};

/* Specific to this event. */
struct sampled_role {
	bool tracking;  /* it also records the side-band: mappings, names, tasks */
	bool member;    /* member of a group, which starts with its leader */
	bool read;      /* only its group's leader samples, and reads the whole group */
	bool no_kernel; /* this user may not sample the kernel */
};

/*
 * Fills in `sampled`, except what spe_pmu_configure() does for SPE. `event` is NULL for the event
 * that only records the side-band. `pmu_type` is that of PLUMB_EVENT_PMU's events.
 */
void sampled_attr_fill(struct sampled_attr *sampled, const struct plumb_event_config *event,
		       const struct sampled_session *session, const struct sampled_role *role,
		       uint32_t pmu_type);

/* Calls perf_event_open(2). Returns a descriptor or a negative errno. */
int sampled_attr_open(const struct sampled_attr *sampled, pid_t pid, int cpu, int leader);

/* Converts it to the form of recordings. */
struct plumb_event_attr sampled_attr_public(const struct sampled_attr *sampled);

#endif

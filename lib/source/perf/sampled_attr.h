/* SPDX-License-Identifier: Apache-2.0 */
/* What perf_event_open(2) is asked for, for an event that is to be sampled. */
#ifndef SOURCE_PERF_SAMPLED_ATTR_H
#define SOURCE_PERF_SAMPLED_ATTR_H

#include <linux/perf_event.h>

#include "source/source.h"

/* With the word that headers before Linux 6.3 lack. */
struct sampled_attr {
	struct perf_event_attr attr;
	uint64_t config3;
};

/* What an older kernel does not know is left out, the youngest first. */
enum sampled_without {
	WITHOUT_LOST = 1 << 0,     /* Linux 6.0: how many samples an event lost */
	WITHOUT_BUILD_ID = 1 << 1, /* 5.12: build-ids in MMAP2 */
	WITHOUT_BPF = 1 << 2,      /* 5.1: KSYMBOL and BPF_EVENT */
	WITHOUT_GUEST = 1 << 3,    /* a PMU that cannot leave guests out */
	WITHOUT_ALL = (1 << 4) - 1,
};

/* What is the same for all events of a session. */
struct sampled_session {
	bool several; /* events: samples have to say of which they are */
	bool cpus;    /* samples say on which CPU */
	bool times;   /* ... and when: always, but in one ring alone */
	bool on_exec; /* begins with the program */
	bool inherit;
	bool callchains;
	uint32_t user_stack; /* bytes of it with each sample; 0: none */
	bool switches; /* context switches are recorded: SPE's records do not say whose they are */
	bool addresses, physical;
	bool build_ids;
	int clockid;      /* -1: the kernel's own for this */
	unsigned without; /* bits of enum sampled_without */
};

/* How this one stands among them. */
struct sampled_role {
	bool tracking;  /* it has the side-band: maps, names, tasks */
	bool member;    /* of a group whose leader is another: begins with that */
	bool read;      /* its group's leader alone samples, and reads all of it */
	bool no_kernel; /* the kernel's own part is not permitted */
};

/*
 * Fills in all of `sampled` but, for SPE, what spe_pmu_configure() does. `event` is NULL for the
 * event that does not count and is only there for the side-band. `pmu_type` is of PLUMB_EVENT_PMU's
 * events.
 */
void sampled_attr_fill(struct sampled_attr *sampled, const struct plumb_event_config *event,
		       const struct sampled_session *session, const struct sampled_role *role,
		       uint32_t pmu_type);

/* The call. Returns a descriptor, or the negative of errno. */
int sampled_attr_open(const struct sampled_attr *sampled, pid_t pid, int cpu, int leader);

/* As recordings have it. */
struct plumb_event_attr sampled_attr_public(const struct sampled_attr *sampled);

#endif

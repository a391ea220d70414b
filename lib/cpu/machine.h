/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel says about this machine's monitors and about who may use them: sysfs and procfs,
 * read without opening an event.
 */
#ifndef CPU_MACHINE_H
#define CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/pmu.h"

#define CPU_OTHERS_MAX 64

/* Capabilities, by their bits in /proc/self/status: linux/capability.h. */
enum { CPU_CAP_IPC_LOCK = 14, CPU_CAP_SYS_ADMIN = 21, CPU_CAP_SYSLOG = 34, CPU_CAP_PERFMON = 38 };

/* A PMU that does not belong to a core, the first of its kind. */
struct cpu_other_pmu {
	char name[64];
	const char *what; /* "mesh interconnect (CMN)"; static storage */
};

struct cpu_spe {
	bool exists;
	char cpus[256];        /* that have one, as a list; "" if unknown */
	bool some_cores;       /* not all CPUs have one */
	unsigned min_interval; /* operations; 0: unknown */
	/* What its format has, which newer versions of the extension and of the kernel add. */
	bool inverted_filter, discard, operation_masks, data_source_filter;
	bool module_loaded; /* the driver is, if it is a module */
};

/* Whether the kernel notes the running thread for SPE: CONFIG_PID_IN_CONTEXTIDR. */
enum cpu_contexts { CPU_CONTEXTS_UNKNOWN, CPU_CONTEXTS_OFF, CPU_CONTEXTS_ON };

/* Numbers are -1 if the file cannot be read. */
struct cpu_machine {
	char kernel[64];                   /* release; "" if unknown */
	char vendor[64], product[64];      /* as the firmware names them; "" if unknown */
	char cpus[256];                    /* online, as a list; "" if unknown */
	bool arm;                          /* AArch64 */
	bool virtual_machine, container;   /* as far as can be told */
	bool has_perf;                     /* the kernel has perf_event_open(2) */
	bool has_devices;                  /* its PMUs are visible in sysfs */
	struct cpu_pmu pmus[CPU_PMUS_MAX]; /* of the cores */
	unsigned slots[CPU_PMUS_MAX];      /* per cycle, as each PMU says; 0: unknown */
	unsigned branches[CPU_PMUS_MAX];   /* records of its branch buffer (BRBE); 0: none */
	size_t pmu_count;
	struct cpu_other_pmu others[CPU_OTHERS_MAX];
	size_t other_count;
	struct cpu_spe spe;
	int paranoid;      /* kernel.perf_event_paranoid */
	int kptr_restrict; /* kernel.kptr_restrict */
	int user_access;   /* kernel.perf_user_access */
	int mlock_kb;      /* kernel.perf_event_mlock_kb */
	bool knows_capabilities;
	uint64_t capabilities; /* effective ones */
	int seccomp;           /* mode of this process: 0 none, 2 filters */
	bool own_pids;         /* its PID namespace is not the first one */
	enum cpu_contexts contexts;
	bool kpti; /* page tables are isolated, which keeps SPE from its buffer */
};

/*
 * Reads the machine below `root` ("" for this one; else a folder with copies of its files). Returns
 * 0, or the errno of what kept it from reading all: no memory, or no descriptor.
 */
int cpu_machine_read(const char *root, struct cpu_machine *machine);

/* Whether a process with these capabilities may measure whatever perf_event_paranoid says. */
bool cpu_machine_is_privileged(const struct cpu_machine *machine);

/* Whether this process may count its own programs, and in which parts. */
bool cpu_machine_may_count(const struct cpu_machine *machine);
bool cpu_machine_may_count_kernel(const struct cpu_machine *machine);
bool cpu_machine_may_count_all(const struct cpu_machine *machine);

/* Whether /proc/kallsyms tells this process the addresses of the kernel's functions. */
bool cpu_machine_may_name_kernel(const struct cpu_machine *machine);

#endif

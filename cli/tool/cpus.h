/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs a command is about: the one that --cpu names, else this machine's if it is an Arm
 * one that Plumb knows, else all there are.
 */
#ifndef CLI_CPUS_H
#define CLI_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include <plumb/spec.h>

#define CPUS_MAX 256

struct cpus {
	const struct plumb_spec *at[CPUS_MAX];
	size_t count;
	bool all;                /* every built-in one */
	bool this_machine;       /* the one that runs this */
	struct plumb_spec *read; /* the one that was read from a file, or NULL */
};

/* Where a machine with no Arm CPU is to take one alone: the CPU that Plumb models there. */
#define CPUS_MODELLED "neoverse-n3"

/*
 * Chooses; `name` is what --cpu gave, or NULL. Returns EXIT_FINE, or, having said why, the exit
 * status. `verbose`: warnings about a file are told too.
 */
int cpus_open(struct cpus *cpus, const char *name, bool verbose);

/* The same for a command that is about one CPU: on a machine without an Arm CPU, CPUS_MODELLED. */
int cpus_open_one(struct cpus *cpus, const char *name, bool verbose);

/* All that are built in. Returns EXIT_FINE. */
int cpus_open_all(struct cpus *cpus);

/*
 * The MIDR_EL1 of the core that --core names: a number in hexadecimal, of any core, or a name that
 * --cpu takes, too. 0 for NULL. Returns EXIT_FINE or, having said why, EXIT_USAGE.
 */
int cpus_midr(const char *name, uint32_t *midr);

void cpus_close(struct cpus *cpus);

/* The built-in specification for the CPU this runs on; NULL if there is none. */
const struct plumb_spec *cpus_this_machine(void);

/* Some of the CPUs in a `struct cpus`, by their index there. */
struct cpu_set {
	uint64_t words[CPUS_MAX / 64];
};

void cpu_set_add(struct cpu_set *set, size_t i);
bool cpu_set_has(const struct cpu_set *set, size_t i);
bool cpu_set_equal(const struct cpu_set *a, const struct cpu_set *b);
size_t cpu_set_count(const struct cpu_set *set);

/*
 * "neoverse-n2, neoverse-v1-r1p2", "all 17 CPUs", "all but c1-sme2": a CPU is named without its
 * revision where all its revisions are meant. To be freed.
 */
char *cpu_set_text(const struct cpus *cpus, const struct cpu_set *set);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the CPUs that a command covers: the one that --cpu names, or this machine's if it is an
 * Arm CPU that Plumb knows, or else all of them.
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
	bool all;                /* all built-in CPUs */
	bool this_machine;       /* this machine's CPU */
	struct plumb_spec *read; /* the specification read from a file, or NULL */
};

/* The CPU that commands about a single CPU use on machines without an Arm CPU. */
#define CPUS_MODELLED "neoverse-n3"

/*
 * Chooses the CPUs. `name` is the value of --cpu, or NULL. Returns EXIT_FINE, or prints an error
 * and returns the exit status. `verbose` also prints how many warnings a file has.
 */
int cpus_open(struct cpus *cpus, const char *name, bool verbose);

/* Does the same for a command about a single CPU, with CPUS_MODELLED instead of all CPUs. */
int cpus_open_one(struct cpus *cpus, const char *name, bool verbose);

/* Tells whether `name` is a list of numbers, as in 0-2,4: what perf takes for --cpu. */
bool cpus_is_list(const char *name);

/* Chooses all built-in CPUs. Returns EXIT_FINE. */
int cpus_open_all(struct cpus *cpus);

/*
 * Sets `*midr` to the MIDR_EL1 of the core that --core names: any MIDR in hexadecimal, or a name
 * that --cpu takes; 0 for NULL. Returns EXIT_FINE, or prints an error and returns EXIT_USAGE.
 */
int cpus_midr(const char *name, uint32_t *midr);

void cpus_close(struct cpus *cpus);

/* Returns the built-in specification of this machine's CPU, or NULL. */
const struct plumb_spec *cpus_this_machine(void);

/* A set of CPUs, by their index in a `struct cpus`. */
struct cpu_set {
	uint64_t words[CPUS_MAX / 64];
};

void cpu_set_add(struct cpu_set *set, size_t i);
bool cpu_set_has(const struct cpu_set *set, size_t i);
bool cpu_set_equal(const struct cpu_set *a, const struct cpu_set *b);
size_t cpu_set_count(const struct cpu_set *set);

/*
 * Returns the set as text, such as "neoverse-n2, neoverse-v1-r1p2", "all 17 CPUs" or "all but
 * c1-sme2". A CPU is named without its revision if the set has all its revisions. Free the result.
 */
char *cpu_set_text(const struct cpus *cpus, const struct cpu_set *set);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where a CPU is: its core, die, socket and memory node, as described in sysfs. */
#ifndef CPU_TOPOLOGY_H
#define CPU_TOPOLOGY_H

struct cpu_place {
	int socket, die, core; /* 0 if the kernel does not say, as perf assumes */
	int node;              /* of memory; 0 if the kernel does not say */
};

/* Finds the place of a CPU below `root` ("" for this machine). */
struct cpu_place cpu_place_of(const char *root, int cpu);

#endif

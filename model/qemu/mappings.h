/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mapped file the executing code comes from, and what a thread has already reported of that.
 */
#ifndef MODEL_QEMU_MAPPINGS_H
#define MODEL_QEMU_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/maps.h"

#define KNOWN_MAPPINGS 32
struct known_mappings {
	struct {
		uint64_t from, to;
	} ranges[KNOWN_MAPPINGS]; /* the last one found comes first */
	unsigned count;
	unsigned generation;
};

/* Returns whether the mapping at `address` was found before and still exists. */
bool mappings_know(struct known_mappings *known, uint64_t address);
/*
 * Finds the mapping at an address of code (maps_find()), and makes it known. Without a file it is
 * "/tmp/perf-PID.map" with this process's number, as the program may describe its code there.
 */
bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping);

/* Returns whether a file has the name of a jitdump, which nobody executes. */
bool mappings_are_jitdump(const struct mapping *mapping);

/* Returns whether all `bytes` from `address` on are in one mapping, of no file. */
bool mappings_are_anonymous(uint64_t address, uint64_t bytes);

/* Something was unmapped or mapped over: all threads forget what they know about code there. */
void mappings_gone(uint64_t address, uint64_t length);
void mappings_forked(void);

#endif

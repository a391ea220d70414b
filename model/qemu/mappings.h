/* SPDX-License-Identifier: Apache-2.0 */
/* Which file the code that executes was mapped from: what a thread has told of that already. */
#ifndef MODEL_QEMU_MAPPINGS_H
#define MODEL_QEMU_MAPPINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct mapping {
	uint64_t from, to, offset, inode;
	uint32_t major, minor;
	char path[PATH_MAX];
};

#define KNOWN_MAPPINGS 32
struct known_mappings {
	struct {
		uint64_t from, to;
	} ranges[KNOWN_MAPPINGS]; /* the last one found is the first */
	unsigned count;
	unsigned generation;
};

/* Has the mapping at `address` been found before, and not gone since? */
bool mappings_know(struct known_mappings *known, uint64_t address);
/* Looks it up in /proc/self/maps. What is no file is "//anon". False if nothing is there. */
bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping);

/* Something is unmapped, or mapped over: whoever knows of code there knows nothing any more. */
void mappings_gone(uint64_t address, uint64_t length);
void mappings_forked(void);

#endif

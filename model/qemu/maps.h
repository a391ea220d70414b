/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is mapped at an address of this process, as the kernel tells. A program may map thousands of
 * files, and ask for each of them: so one look-up does not read about all the others, if the kernel
 * can be asked about one.
 */
#ifndef MODEL_QEMU_MAPS_H
#define MODEL_QEMU_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define MAPS_ANONYMOUS "//anon"

struct mapping {
	uint64_t from, to, offset, inode;
	uint32_t major, minor;
	bool accessible;     /* at all */
	char path[PATH_MAX]; /* MAPS_ANONYMOUS without a file */
};

/*
 * Finds the mapping at an address, together with the neighbours that go on with it: QEMU protects
 * each page of code that may be written to, so that the kernel tells of one mapping for each.
 * Returns false if nothing is mapped there. Takes the kernel some microseconds; before Linux 6.11,
 * as long as to list all mappings.
 */
bool maps_find(uint64_t address, struct mapping *mapping);

/* The two ways to do so, with the same result: asks about single mappings, or reads the list. */
enum maps_answer { MAPS_NONE, MAPS_FOUND, MAPS_CANNOT_ASK };
enum maps_answer maps_ask(uint64_t address, struct mapping *mapping);
bool maps_read(uint64_t address, struct mapping *mapping);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells code from other code that a thread executed before at the same addresses, as after
 * dlclose() and dlopen(): an exact profile counts both by themselves.
 */
#ifndef SOURCE_MODEL_REPLACED_H
#define SOURCE_MODEL_REPLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replaced_mapping;

struct replaced {
	struct replaced_mapping *at; /* of all threads */
	size_t count, room;
	uint64_t notes; /* so far */
	bool any;       /* a mapping has replaced another one */
};

/*
 * A thread is about to execute code of this mapping. `file` is the same for mappings of the same
 * code: of one file, at one distance from the places in it. Returns false if out of memory.
 */
bool replaced_note(struct replaced *replaced, uint32_t tid, uint64_t address, uint64_t length,
		   uint64_t file);
/* A thread ends, or executes another program. */
void replaced_forget(struct replaced *replaced, uint32_t tid);

/*
 * Returns which code is at an address: 0 if the thread executed nothing else there before, else a
 * number that code has each time that it returns there.
 */
uint64_t replaced_code(const struct replaced *replaced, uint32_t tid, uint64_t address);
/* Likewise at several addresses: 0 if it is 0 for all of them. */
uint64_t replaced_path(const struct replaced *replaced, uint32_t tid, const uint64_t *addresses,
		       size_t count);

void replaced_clean_up(struct replaced *replaced);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program's cores share: the page allocator, the system cache, and the record of which
 * core wrote a line last. All of it may be called from any thread.
 */
#ifndef MODEL_SYSTEM_H
#define MODEL_SYSTEM_H

#include <pthread.h>
#include <stdatomic.h>

#include "memory.h"
#include "tags.h"

/*
 * Coherence keeps one word a line: who wrote it last, how often that changed hands, and whether
 * another core has read it since. A private copy is good as long as the line's version is the one
 * it was filled with.
 */
#define OWNER_BITS        8
#define OWNER_NONE        0
#define OWNERSHIP_SHARED  (1u << OWNER_BITS)
#define OWNERSHIP_VERSION (1u << (OWNER_BITS + 1)) /* the lowest bit of the version */
#define OWNERSHIP_LINES   (1u << 20)               /* lines this far apart share a word */

struct memory_system {
	const struct core_params *params;
	pthread_mutex_t lock;
	struct tags llc;
	struct page_table *pages;
	_Atomic uint32_t *ownership;
	_Atomic uint32_t cores; /* that ever were */
};

static inline _Atomic uint32_t *system_ownership(const struct memory_system *system, uint64_t line)
{
	return &system->ownership[line & (OWNERSHIP_LINES - 1)];
}

static inline uint32_t ownership_version(uint32_t word)
{
	return word / OWNERSHIP_VERSION;
}

/* The physical page of a virtual one, given out at first touch. Both are page numbers. */
uint64_t system_translate(struct memory_system *system, uint64_t page);

/* The same, if it was touched before; UINT64_MAX if not. */
uint64_t system_translate_known(struct memory_system *system, uint64_t page);

/* A line's tag will be looked for soon. */
static inline void system_expect(const struct memory_system *system, uint64_t line)
{
	__builtin_prefetch(tags_set_of(&system->llc, line), 1);
}

/* Reads a line at the system cache. Was it there? It is, afterwards. `*wrote_back`: a dirty one
 * left. */
bool system_read(struct memory_system *system, uint64_t line, bool *wrote_back);

/* A line written back, or stored whole. */
void system_write(struct memory_system *system, uint64_t line, bool *wrote_back);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the cores of a program: physical memory, the system cache, and the owners of lines.
 *
 * One core at a time executes blocks, and whoever executes the next one is told of it by way of
 * something that orders what both do on the host. So the system cache, the paths and all that is
 * known of lines need no lock, of which each move of a line would take five. Frames, and what one
 * core tells the others of translations, may also be used meanwhile, as by threads that are back
 * from system calls: these have one.
 */
#ifndef MODEL_SYSTEM_H
#define MODEL_SYSTEM_H

#include <pthread.h>
#include <stdatomic.h>

#include "bandwidth.h"
#include "contention.h"
#include "frames.h"
#include "memory.h"
#include "tags.h"

/*
 * Coherence keeps one word per line: the last writer, how often the writer changed, and whether
 * another core has read the line since. A private copy is valid as long as the line's version is
 * the one it was filled with. Times are the model's, which all cores share (core_time()).
 */
#define OWNER_BITS        8
#define OWNER_NONE        0
#define OWNERSHIP_SHARED  (1u << OWNER_BITS)
#define OWNERSHIP_VERSION (1u << (OWNER_BITS + 1)) /* the lowest bit of the version */
#define OWNERSHIP_LINES   (1u << 22) /* number of words; lines this far apart share one */

/* Lines of which it is known who queues for them; others take their places. A power of two. */
#define CONTENDED_LINES 1024

struct memory_system {
	const struct core_params *params;
	pthread_mutex_t lock; /* of frames, the list, and memory.pending of each in it */
	struct frames *frames;
	struct memory *memories;   /* of all cores, a list */
	_Atomic uint32_t remapped; /* how often pages lost or changed their frames */

	struct tags llc;
	_Atomic uint32_t *ownership;
	uint64_t *arrivals;     /* when a line that moved was at its owner; as many as words */
	_Atomic uint64_t moved; /* the latest of them */
	_Atomic uint8_t *moved_lines; /* a bit for each word: whether its line has ever moved */
	struct contention contended[CONTENDED_LINES];
	struct bandwidth llc_path, dram_path; /* of all cores together */
	_Atomic uint32_t cores;               /* number of cores ever created */
};

/* Whether there has only ever been one core. */
static inline bool system_has_one_core(const struct memory_system *system)
{
	return atomic_load_explicit(&system->cores, memory_order_relaxed) == 1 &&
	       !(system->params->ideal & IDEAL_SHARING); /* else any number is counted as one */
}

static inline _Atomic uint32_t *system_ownership(const struct memory_system *system, uint64_t line)
{
	return &system->ownership[line & (OWNERSHIP_LINES - 1)];
}

static inline uint64_t *system_arrival(const struct memory_system *system, uint64_t line)
{
	return &system->arrivals[line & (OWNERSHIP_LINES - 1)];
}

static inline _Atomic uint8_t *system_moved_byte(const struct memory_system *system, uint64_t line)
{
	return &system->moved_lines[(line & (OWNERSHIP_LINES - 1)) / 8];
}

static inline void system_note_moved(const struct memory_system *system, uint64_t line)
{
	_Atomic uint8_t *byte = system_moved_byte(system, line);
	const uint8_t before = atomic_load_explicit(byte, memory_order_relaxed);

	atomic_store_explicit(byte, (uint8_t)(before | 1u << line % 8), memory_order_relaxed);
}

/* Returns the entry of a line, which may be another one's. */
static inline struct contention *system_contention(struct memory_system *system, uint64_t line)
{
	return &system->contended[line & (CONTENDED_LINES - 1)];
}

static inline uint32_t ownership_version(uint32_t word)
{
	return word / OWNERSHIP_VERSION;
}

/* Returns the physical page of a virtual one: frames.h. */
uint64_t system_translate(struct memory_system *system, uint64_t page);

/* Returns whether a virtual page was touched since it was mapped. */
bool system_is_touched(struct memory_system *system, uint64_t page);

/* Returns whether a virtual page belongs to a huge page. */
bool system_is_huge(struct memory_system *system, uint64_t page);

/* Prefetches the tag of a line that will be looked up soon. */
static inline void system_expect(const struct memory_system *system, uint64_t line)
{
	__builtin_prefetch(tags_set_of(&system->llc, line), 1);
}

/*
 * Reads a line through the system cache; returns whether it was present. Sets `*wrote_back` if a
 * dirty line was evicted.
 */
bool system_read(struct memory_system *system, uint64_t line, bool *wrote_back);

/*
 * Reserve the next time, from `time` on, at which the cores together can read another line from the
 * system cache, or DRAM can carry one; return it.
 */
uint64_t system_llc_take(struct memory_system *system, uint64_t time);
uint64_t system_dram_take(struct memory_system *system, uint64_t time);

/* Writes a line that was written back, or stored as a whole. */
void system_write(struct memory_system *system, uint64_t line, bool *wrote_back);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes records about the state before the recording began, which the kernel does not write: the
 * kernel's code, and the names, threads and mappings of running processes. Their time is 0.
 */
#ifndef SOURCE_PERF_SYNTHESIZE_H
#define SOURCE_PERF_SYNTHESIZE_H

#include <sys/types.h>

#include "source/perf/build_id.h"
#include "source/perf/ring.h"

struct synthesis {
	uint64_t sample_type; /* common to all events: what records end with */
	uint64_t id;          /* of the side-band's event */
	ring_sink sink;
	void *user;
	struct build_id_cache *build_ids; /* NULL: not wanted */
	/* Records that wait to be delivered. */
	_Alignas(8) uint8_t buffer[2 * RING_RECORD_MAX];
	size_t used;
	int error; /* the error of `sink`; nothing is delivered after it */
};

/*
 * Returns NULL if out of memory. synthesis_end() delivers waiting records, frees, and returns the
 * error of `sink`, if any.
 */
struct synthesis *synthesis_begin(uint64_t sample_type, uint64_t id, bool build_ids, ring_sink sink,
				  void *user);
int synthesis_end(struct synthesis *synthesis);

/* Adds the kernel and its modules. Returns false if the kernel hides its addresses from this user.
 */
bool synthesize_kernel(struct synthesis *synthesis);
/* Adds a process's name only; its mappings will change before it is sampled. */
void synthesize_name(struct synthesis *synthesis, pid_t pid);
/* Adds a process with its threads; nothing if it has ended. */
void synthesize_process(struct synthesis *synthesis, pid_t pid);
/* Adds the process of a thread, with only that thread. */
void synthesize_thread(struct synthesis *synthesis, pid_t tid);
/* Adds a process, and those that it and its children have started. */
void synthesize_family(struct synthesis *synthesis, pid_t pid);
/* Adds all processes. */
void synthesize_all(struct synthesis *synthesis);

/* Make the records. */
struct synthetic_map {
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode;
	uint32_t protection, flags;
	const char *path;
	const struct build_id *build_id; /* NULL: the same as size 0 */
	bool kernel;
};
void synthesis_add_map(struct synthesis *synthesis, pid_t pid, pid_t tid,
		       const struct synthetic_map *map);
void synthesis_add_name(struct synthesis *synthesis, pid_t pid, pid_t tid, const char *name);
void synthesis_add_fork(struct synthesis *synthesis, pid_t pid, pid_t parent, pid_t tid,
			pid_t parent_tid);
/* Makes PERF_RECORD_LOST_SAMPLES for the event with this id. */
void synthesis_add_lost(struct synthesis *synthesis, uint64_t id, uint64_t lost);

/*
 * Parses a line of /proc/PID/maps, and modifies it. `root` is the folder below which its paths are,
 * without a slash at the end. Returns false if it is malformed.
 */
bool synthesis_parse_map(char *line, const char *root, struct synthetic_map *map);

#endif

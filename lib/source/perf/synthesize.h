/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of what was there before the recording began, which the kernel does not write: the
 * kernel's own code, and the names, threads and maps of processes that run already. Of time 0.
 */
#ifndef SOURCE_PERF_SYNTHESIZE_H
#define SOURCE_PERF_SYNTHESIZE_H

#include <sys/types.h>

#include "source/perf/build_id.h"
#include "source/perf/ring.h"

struct synthesis {
	uint64_t sample_type; /* of all events: what each record ends with */
	uint64_t id;          /* of the side-band's event */
	ring_sink sink;
	void *user;
	struct build_id_cache *build_ids; /* NULL: they are not wanted */
	/* Records that wait for being handed on. */
	_Alignas(8) uint8_t buffer[2 * RING_RECORD_MAX];
	size_t used;
	int error; /* that `sink` returned; nothing is handed on from then on */
};

/*
 * NULL: no memory. synthesis_end() hands on what waits, frees, and returns what `sink` returned if
 * that was an error.
 */
struct synthesis *synthesis_begin(uint64_t sample_type, uint64_t id, bool build_ids, ring_sink sink,
				  void *user);
int synthesis_end(struct synthesis *synthesis);

/* The kernel and its modules. False: it does not tell this user where it is. */
bool synthesize_kernel(struct synthesis *synthesis);
/* What a process is called; its maps will be others before it is sampled. */
void synthesize_name(struct synthesis *synthesis, pid_t pid);
/* A process with its threads; none if it has ended. */
void synthesize_process(struct synthesis *synthesis, pid_t pid);
/* The process of a thread, with that thread alone. */
void synthesize_thread(struct synthesis *synthesis, pid_t tid);
/* One, and those that it and its children have begun. */
void synthesize_family(struct synthesis *synthesis, pid_t pid);
/* All processes. */
void synthesize_all(struct synthesis *synthesis);

/* The records themselves, for the above. */
struct synthetic_map {
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode;
	uint32_t protection, flags;
	const char *path;
	const struct build_id *build_id; /* NULL: as size 0 */
	bool kernel;
};
void synthesis_add_map(struct synthesis *synthesis, pid_t pid, pid_t tid,
		       const struct synthetic_map *map);
void synthesis_add_name(struct synthesis *synthesis, pid_t pid, pid_t tid, const char *name);
void synthesis_add_fork(struct synthesis *synthesis, pid_t pid, pid_t parent, pid_t tid,
			pid_t parent_tid);
/* PERF_RECORD_LOST_SAMPLES, of the event by this id. */
void synthesis_add_lost(struct synthesis *synthesis, uint64_t id, uint64_t lost);

/* A line of /proc/PID/maps, which it changes. False: it is none. */
bool synthesis_parse_map(char *line, struct synthetic_map *map);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Build-ids of what runs: files that are mapped, the kernel, its modules. */
#ifndef SOURCE_PERF_BUILD_ID_H
#define SOURCE_PERF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_MAX 20 /* bytes that a record has room for */

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size; /* 0: none */
};

/* The one among ELF notes, in this machine's byte order. */
bool build_id_in_notes(const uint8_t *notes, size_t size, struct build_id *id);
/* Of an ELF file; false if it has none, or one that is too long. */
bool build_id_of_file(const char *path, ino_t inode, struct build_id *id);
/* Of a file of nothing but notes: /sys/kernel/notes. */
bool build_id_of_notes(const char *path, struct build_id *id);

/* What was found out, so that a library that all processes map is looked at once. */
struct build_id_cache {
	struct build_id_entry {
		uint64_t device, inode;
		struct build_id id;
	} entries[1024];
};

/* build_id_of_file() with `cache`; inode 0 is no file, and has none. */
const struct build_id *build_id_of_map(struct build_id_cache *cache, const char *path,
				       uint64_t device, uint64_t inode);

#endif

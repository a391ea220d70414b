/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the build-ids of mapped files, of the kernel and of its modules. */
#ifndef SOURCE_PERF_BUILD_ID_H
#define SOURCE_PERF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_MAX 20 /* room in a record */

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size; /* 0: none */
};

/* Finds the build-id in ELF notes, in this machine's byte order. */
bool build_id_in_notes(const uint8_t *notes, size_t size, struct build_id *id);
/* Finds an ELF file's build-id; false if it has none, or one that is too long. */
bool build_id_of_file(const char *path, ino_t inode, struct build_id *id);
/* Finds the build-id in a file of notes: /sys/kernel/notes. */
bool build_id_of_notes(const char *path, struct build_id *id);

/* A cache, so that a library that all processes map is read only once. */
struct build_id_cache {
	struct build_id_entry {
		uint64_t device, inode;
		struct build_id id;
	} entries[1024];
};

/* Does build_id_of_file() with `cache`; inode 0 stands for no file. */
const struct build_id *build_id_of_map(struct build_id_cache *cache, const char *path,
				       uint64_t device, uint64_t inode);

#endif

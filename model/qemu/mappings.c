/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/mappings.h"

#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qemu/guest.h"
#include "qemu/maps.h"

#define PAGE_BYTES  4096
#define IMAGE_PAGES 4
/* More segments of an image are not looked at. */
#define SEGMENTS_MAX 16
#define CODE_RANGES  64

/*
 * The code that any thread knows, so that unmapping data costs nothing, also between two libraries.
 * The last range may have more than code, if there is too much of it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t from, to;
} code[CODE_RANGES];
static unsigned code_count;
static _Atomic unsigned generation;

bool mappings_know(struct known_mappings *known, uint64_t address)
{
	if (known->generation != atomic_load_explicit(&generation, memory_order_relaxed)) {
		known->generation = atomic_load(&generation);
		known->count = 0;
	}
	for (unsigned i = 0; i < known->count; i++) {
		uint64_t from = known->ranges[i].from, to = known->ranges[i].to;

		if (address < from || address >= to)
			continue;
		known->ranges[i] = known->ranges[0];
		known->ranges[0].from = from;
		known->ranges[0].to = to;
		return true;
	}
	return false;
}

static void note_code(uint64_t from, uint64_t to)
{
	unsigned i = 0;

	while (i < code_count && (from < code[i].from || to > code[i].to))
		i++;
	if (i < code_count)
		return;
	if (code_count < CODE_RANGES) {
		code[code_count].from = from;
		code[code_count++].to = to;
		return;
	}
	i = CODE_RANGES - 1;
	code[i].from = from < code[i].from ? from : code[i].from;
	code[i].to = to > code[i].to ? to : code[i].to;
}

static void learn(struct known_mappings *known, const struct mapping *mapping)
{
	if (known->count < KNOWN_MAPPINGS)
		known->count++;
	memmove(known->ranges + 1, known->ranges, (known->count - 1) * sizeof(known->ranges[0]));
	known->ranges[0].from = mapping->from;
	known->ranges[0].to = mapping->to;
	pthread_mutex_lock(&lock);
	note_code(mapping->from, mapping->to);
	pthread_mutex_unlock(&lock);
}

/*
 * Returns how many bytes the ELF image at an address takes up; 0: none is there. QEMU has added
 * where its image is to the addresses in it.
 */
static uint64_t image_size(uint64_t address)
{
	uint64_t begin = UINT64_MAX, end = 0, segment_end;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (!guest_read(address, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	for (unsigned i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!guest_read(address + header.e_phoff + i * sizeof(segment), &segment,
				sizeof(segment)) ||
		    segment.p_type != PT_LOAD ||
		    __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &segment_end))
			continue;
		begin = segment.p_vaddr < begin ? segment.p_vaddr : begin;
		end = segment_end > end ? segment_end : end;
	}
	return end > begin ? end - begin : 0;
}

/* Reduces a mapping to the ELF image around an address, if one begins a few pages before. */
static bool reduce_to_image(struct mapping *mapping, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);

	for (int i = 0; i < IMAGE_PAGES && page >= mapping->from; i++, page -= PAGE_BYTES) {
		const uint64_t size = image_size(page);

		if (address - page >= size)
			continue;
		mapping->from = page;
		if (size < mapping->to - page)
			mapping->to = page + size;
		return true;
	}
	return false;
}

/*
 * Gives memory without a file the name under which a process tells perf of code that it made, with
 * the offset that perf expects. An image in memory is the engine's own [vdso].
 */
static void name_generated(struct mapping *mapping, uint64_t address)
{
	if (strcmp(mapping->path, MAPS_ANONYMOUS) != 0 || reduce_to_image(mapping, address))
		return;
	snprintf(mapping->path, sizeof(mapping->path), "/tmp/perf-%d.map", (int)getpid());
	mapping->offset = mapping->from;
}

bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping)
{
	bool found = maps_find(address, mapping);

	if (!found)
		return false;
	name_generated(mapping, address);
	learn(known, mapping);
	return true;
}

bool mappings_are_jitdump(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');
	const size_t digits =
		slash && strncmp(slash, "/jit-", 5) == 0 ? strspn(slash + 5, "0123456789") : 0;

	return digits && strcmp(slash + 5 + digits, ".dump") == 0;
}

bool mappings_are_anonymous(uint64_t address, uint64_t bytes)
{
	struct mapping mapping;

	return maps_find(address, &mapping) && mapping.accessible &&
	       address + bytes <= mapping.to && strcmp(mapping.path, MAPS_ANONYMOUS) == 0;
}

void mappings_gone(uint64_t address, uint64_t length)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < code_count; i++) {
		if (address >= code[i].to || address + length <= code[i].from)
			continue;
		/* Now no thread knows any: each learns what it executes again. */
		code_count = 0;
		atomic_fetch_add(&generation, 1);
	}
	pthread_mutex_unlock(&lock);
}

void mappings_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/mappings.h"

#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/guest.h"

#define ANONYMOUS   "//anon"
#define PAGE_BYTES  4096
#define IMAGE_PAGES 4
/* More segments of an image are not looked at. */
#define SEGMENTS_MAX 16

/* The range of all code that any thread knows, so that unmapping data costs nothing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t code_from = UINT64_MAX, code_to;
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

static void learn(struct known_mappings *known, const struct mapping *mapping)
{
	if (known->count < KNOWN_MAPPINGS)
		known->count++;
	memmove(known->ranges + 1, known->ranges, (known->count - 1) * sizeof(known->ranges[0]));
	known->ranges[0].from = mapping->from;
	known->ranges[0].to = mapping->to;
	pthread_mutex_lock(&lock);
	code_from = mapping->from < code_from ? mapping->from : code_from;
	code_to = mapping->to > code_to ? mapping->to : code_to;
	pthread_mutex_unlock(&lock);
}

/* Parses the number at `*at`, and moves that behind it and the character that follows. */
static uint64_t next_number(char **at, int base)
{
	uint64_t number = strtoull(*at, at, base);

	if (**at)
		++*at;
	return number;
}

/* Parses a line of /proc/self/maps, proc(5): "FROM-TO PERM OFFSET MAJOR:MINOR INODE PATH". */
static bool parse_line(char *line, struct mapping *mapping)
{
	char *at = line;

	line[strcspn(line, "\n")] = '\0';
	mapping->from = next_number(&at, 16);
	mapping->to = next_number(&at, 16);
	mapping->accessible = *at == 'r' || (*at && at[1] == 'w');
	at = strchr(at, ' ');
	if (!at)
		return false;
	mapping->offset = next_number(&at, 16);
	mapping->major = (uint32_t)next_number(&at, 16);
	mapping->minor = (uint32_t)next_number(&at, 16);
	mapping->inode = next_number(&at, 10);
	at += strspn(at, " ");
	snprintf(mapping->path, sizeof(mapping->path), "%s", *at == '/' ? at : ANONYMOUS);
	return mapping->to > mapping->from;
}

/* Tells whether a mapping goes on with what is mapped before it. */
static bool goes_on(const struct mapping *before, const struct mapping *mapping)
{
	const bool is_file = strcmp(mapping->path, ANONYMOUS) != 0;

	return before->to == mapping->from && before->accessible == mapping->accessible &&
	       before->inode == mapping->inode && before->major == mapping->major &&
	       before->minor == mapping->minor && strcmp(before->path, mapping->path) == 0 &&
	       (!is_file || before->offset + (before->to - before->from) == mapping->offset);
}

/*
 * QEMU protects each page of code that may be written to, so that the kernel tells of one mapping
 * for each; they are one here.
 */
bool mappings_look_up(uint64_t address, struct mapping *mapping)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping next;
	char line[PATH_MAX + 128];
	bool found = false;

	if (!maps)
		return false;
	*mapping = (struct mapping){0};
	while (fgets(line, sizeof(line), maps)) {
		if (!parse_line(line, &next))
			continue;
		if (goes_on(mapping, &next))
			mapping->to = next.to;
		else if (found)
			break;
		else
			*mapping = next;
		found = address >= mapping->from && address < mapping->to;
	}
	fclose(maps);
	return found;
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
	if (strcmp(mapping->path, ANONYMOUS) != 0 || reduce_to_image(mapping, address))
		return;
	snprintf(mapping->path, sizeof(mapping->path), "/tmp/perf-%d.map", (int)getpid());
	mapping->offset = mapping->from;
}

bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping)
{
	bool found = mappings_look_up(address, mapping);

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

	return mappings_look_up(address, &mapping) && mapping.accessible &&
	       address + bytes <= mapping.to && strcmp(mapping.path, ANONYMOUS) == 0;
}

void mappings_gone(uint64_t address, uint64_t length)
{
	pthread_mutex_lock(&lock);
	if (address < code_to && address + length > code_from)
		atomic_fetch_add(&generation, 1);
	pthread_mutex_unlock(&lock);
}

void mappings_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

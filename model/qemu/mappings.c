/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/mappings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	snprintf(mapping->path, sizeof(mapping->path), "%s", *at == '/' ? at : "//anon");
	return mapping->to > mapping->from;
}

/* Tells whether a mapping goes on with what is mapped before it. */
static bool goes_on(const struct mapping *before, const struct mapping *mapping)
{
	const bool is_file = strcmp(mapping->path, "//anon") != 0;

	return before->to == mapping->from && before->accessible == mapping->accessible &&
	       before->inode == mapping->inode && before->major == mapping->major &&
	       before->minor == mapping->minor && strcmp(before->path, mapping->path) == 0 &&
	       (!is_file || before->offset + (before->to - before->from) == mapping->offset);
}

/*
 * Looks up the mapping at `address`. Returns false if there is none. QEMU protects each page of
 * code that may be written to, so that the kernel tells of one mapping for each; they are one here.
 */
static bool look_up(uint64_t address, struct mapping *mapping)
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

bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping)
{
	bool found = look_up(address, mapping);

	if (found)
		learn(known, mapping);
	return found;
}

bool mappings_are_anonymous(uint64_t address, uint64_t bytes)
{
	struct mapping mapping;

	return look_up(address, &mapping) && mapping.accessible && address + bytes <= mapping.to &&
	       strcmp(mapping.path, "//anon") == 0;
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

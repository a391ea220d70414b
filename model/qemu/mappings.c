/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/mappings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What is code to any thread: an interval, so that unmapping data costs nothing. */
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

/* A line of /proc/self/maps: proc(5). */
static bool parse_line(char *line, struct mapping *mapping)
{
	unsigned long long from, to, offset, inode;
	unsigned major, minor;
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %*4s %llx %x:%x %llu %n", &from, &to, &offset, &major, &minor,
		   &inode, &path) < 6 ||
	    !path)
		return false;
	*mapping = (struct mapping){.from = from,
				    .to = to,
				    .offset = offset,
				    .inode = inode,
				    .major = major,
				    .minor = minor};
	snprintf(mapping->path, sizeof(mapping->path), "%s",
		 line[path] == '/' ? line + path : "//anon");
	return true;
}

bool mappings_find(struct known_mappings *known, uint64_t address, struct mapping *mapping)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool found = false;

	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps))
		found = parse_line(line, mapping) && address >= mapping->from &&
			address < mapping->to;
	fclose(maps);
	if (found)
		learn(known, mapping);
	return found;
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

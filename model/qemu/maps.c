/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char maps_file[] = "/proc/thread-self/maps";

/* Tells whether a mapping goes on with what is mapped before it. */
static bool goes_on(const struct mapping *before, const struct mapping *mapping)
{
	const bool is_file = strcmp(mapping->path, MAPS_ANONYMOUS) != 0;

	return before->to == mapping->from && before->accessible == mapping->accessible &&
	       before->inode == mapping->inode && before->major == mapping->major &&
	       before->minor == mapping->minor && strcmp(before->path, mapping->path) == 0 &&
	       (!is_file || before->offset + (before->to - before->from) == mapping->offset);
}

/* ---- The list of all ---------------------------------------------------------------------- */

/* Parses the number at `*at`, and moves that behind it and the character that follows. */
static uint64_t next_number(char **at, int base)
{
	uint64_t number = strtoull(*at, at, base);

	if (**at)
		++*at;
	return number;
}

static void set_path(struct mapping *mapping, const char *path)
{
	snprintf(mapping->path, sizeof(mapping->path), "%s", *path == '/' ? path : MAPS_ANONYMOUS);
}

/*
 * The list spells a line break in a path "\012", but leaves a backslash as it is. A path that
 * spells the mapped file as it stands is one with a backslash; in others, line breaks are put back.
 */
static void put_back_line_breaks(struct mapping *mapping)
{
	static const char spelled[] = "\\012";
	char *to = strstr(mapping->path, spelled);
	const char *from = to;
	struct stat status;

	if (!to || (stat(mapping->path, &status) == 0 && status.st_ino == mapping->inode))
		return;
	while (*from) {
		if (strncmp(from, spelled, sizeof(spelled) - 1) == 0) {
			*to++ = '\n';
			from += sizeof(spelled) - 1;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
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
	set_path(mapping, at);
	put_back_line_breaks(mapping);
	return mapping->to > mapping->from;
}

bool maps_read(uint64_t address, struct mapping *mapping)
{
	FILE *maps = fopen(maps_file, "re");
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

/* ---- One after another -------------------------------------------------------------------- */

/* Linux 6.11's struct procmap_query and PROCMAP_QUERY of <linux/fs.h>; headers may be older. */
struct query {
	uint64_t size, flags, address;
	uint64_t from, to, protection, page_bytes, offset, inode;
	uint32_t major, minor;
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};

#define QUERY            _IOWR('f', 17, struct query)
#define QUERY_ACCESSIBLE 3u /* readable or writable */

static enum maps_answer ask(int maps, uint64_t address, struct mapping *mapping)
{
	char name[PATH_MAX] = "";
	struct query query = {
		.size = sizeof(query),
		.address = address,
		.name_size = sizeof(name),
		.name = (uintptr_t)name,
	};

	if (ioctl(maps, QUERY, &query))
		return errno == ENOENT ? MAPS_NONE : MAPS_CANNOT_ASK;
	*mapping = (struct mapping){
		.from = query.from,
		.to = query.to,
		.offset = query.offset,
		.inode = query.inode,
		.major = query.major,
		.minor = query.minor,
		.accessible = query.protection & QUERY_ACCESSIBLE,
	};
	set_path(mapping, query.name_size ? name : "");
	return MAPS_FOUND;
}

/* Adds the neighbours that go on with a mapping, before it and after it. */
static enum maps_answer ask_around(int maps, struct mapping *mapping)
{
	enum maps_answer answer = MAPS_FOUND;
	struct mapping next;

	while (answer == MAPS_FOUND && mapping->from) {
		answer = ask(maps, mapping->from - 1, &next);
		if (answer != MAPS_FOUND || !goes_on(&next, mapping))
			break;
		mapping->from = next.from;
		mapping->offset = next.offset;
	}
	while (answer != MAPS_CANNOT_ASK) {
		answer = ask(maps, mapping->to, &next);
		if (answer != MAPS_FOUND || !goes_on(mapping, &next))
			break;
		mapping->to = next.to;
	}
	return answer == MAPS_CANNOT_ASK ? answer : MAPS_FOUND;
}

enum maps_answer maps_ask(uint64_t address, struct mapping *mapping)
{
	const int maps = open(maps_file, O_RDONLY | O_CLOEXEC);
	enum maps_answer answer;

	if (maps < 0)
		return MAPS_CANNOT_ASK;
	answer = ask(maps, address, mapping);
	if (answer == MAPS_FOUND)
		answer = ask_around(maps, mapping);
	close(maps);
	return answer;
}

bool maps_find(uint64_t address, struct mapping *mapping)
{
	const enum maps_answer answer = maps_ask(address, mapping);

	return answer == MAPS_CANNOT_ASK ? maps_read(address, mapping) : answer == MAPS_FOUND;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Describes running processes, from /proc: proc(5). */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "source/perf/synthesize.h"

/* ---- maps --------------------------------------------------------------------------------- */

/* Parses a number at `*at` that `end` follows. */
static bool take(char **at, int base, char end, uint64_t *value)
{
	char *behind;

	if (!isxdigit((unsigned char)**at))
		return false;
	*value = strtoull(*at, &behind, base);
	if (behind == *at || *behind != end)
		return false;
	*at = behind + 1;
	return true;
}

static bool take_rights(char **at, struct synthetic_map *map)
{
	const char *c = *at;

	if (strnlen(c, 5) < 5 || c[4] != ' ')
		return false;
	map->protection = (c[0] == 'r' ? PROT_READ : 0) | (c[1] == 'w' ? PROT_WRITE : 0) |
			  (c[2] == 'x' ? PROT_EXEC : 0);
	map->flags = c[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*at += 5;
	return true;
}

/* Tells whether a path below the folder `root` is that of an inode. */
static bool is_inode(const char *root, const char *path, uint64_t inode)
{
	char below[2 * PATH_MAX];
	struct stat status;

	snprintf(below, sizeof(below), "%s%s", root, path);
	return stat(below, &status) == 0 && status.st_ino == inode;
}

/*
 * The list spells a line break in a path "\012", but leaves a backslash as it is. A path that
 * spells the mapped file as it stands is one with a backslash; in others, line breaks are put back.
 */
static void put_back_line_breaks(char *path, const char *root, uint64_t inode)
{
	static const char spelled[] = "\\012";
	const size_t length = sizeof(spelled) - 1;
	char *to = strstr(path, spelled);

	if (!to || is_inode(root, path, inode))
		return;
	for (const char *from = to; *from; to++) {
		const bool is_break = strncmp(from, spelled, length) == 0;

		*to = is_break ? '\n' : *from;
		from += is_break ? length : 1;
	}
	*to = '\0';
}

bool synthesis_parse_map(char *line, const char *root, struct synthetic_map *map)
{
	uint64_t end, major, minor;

	*map = (struct synthetic_map){0};
	line[strcspn(line, "\n")] = '\0';
	if (!take(&line, 16, '-', &map->start) || !take(&line, 16, ' ', &end) ||
	    !take_rights(&line, map) || !take(&line, 16, ' ', &map->offset) ||
	    !take(&line, 16, ':', &major) || !take(&line, 16, ' ', &minor))
		return false;
	/* Old kernels leave out the blank if no name follows. */
	map->inode = strtoull(line, &line, 10);
	line += strspn(line, " ");
	if (end < map->start || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	map->length = end - map->start;
	map->major = (uint32_t)major;
	map->minor = (uint32_t)minor;
	put_back_line_breaks(line, root, map->inode);
	map->path = *line ? line : "//anon"; /* as the kernel has it */
	return true;
}

/* Opens files below the process's own root: its paths may mean other files than ours. */
static void add_maps(struct synthesis *s, pid_t pid)
{
	char name[64], root[64], path[PATH_MAX + 64], *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	file = fopen(name, "re");
	while (file && getline(&line, &room, file) > 0) {
		struct synthetic_map map;

		if (!synthesis_parse_map(line, root, &map) || !(map.protection & PROT_EXEC))
			continue;
		if (s->build_ids && map.path[0] == '/' && map.inode) {
			snprintf(path, sizeof(path), "%s%s", root, map.path);
			map.build_id = build_id_of_map(s->build_ids, path,
						       makedev(map.major, map.minor), map.inode);
		}
		synthesis_add_map(s, pid, pid, &map);
	}
	free(line);
	if (file)
		fclose(file);
}

/* ---- tasks -------------------------------------------------------------------------------- */

struct task {
	char name[64];
	pid_t group, parent;
};

/* Reads a file `status`. Returns false if it is missing. */
static bool read_task(const char *path, struct task *task)
{
	char line[256];
	FILE *file = fopen(path, "re");

	*task = (struct task){.group = -1, .parent = -1};
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Name:\t", 6) == 0)
			snprintf(task->name, sizeof(task->name), "%.60s", line + 6);
		else if (strncmp(line, "Tgid:\t", 6) == 0)
			task->group = (pid_t)strtol(line + 6, NULL, 10);
		else if (strncmp(line, "PPid:\t", 6) == 0)
			task->parent = (pid_t)strtol(line + 6, NULL, 10);
	}
	if (file)
		fclose(file);
	return task->group > 0;
}

static void add_thread(struct synthesis *s, pid_t pid, pid_t tid)
{
	char path[64];
	struct task task;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	if (!read_task(path, &task))
		return;
	if (tid == pid)
		synthesis_add_fork(s, pid, task.parent, tid, task.parent);
	else
		synthesis_add_fork(s, pid, pid, tid, pid);
	synthesis_add_name(s, pid, tid, task.name);
}

void synthesize_name(struct synthesis *s, pid_t pid)
{
	add_thread(s, pid, pid);
}

static bool is_number(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]);
}

/* The first thread comes before the others, which share its maps. */
void synthesize_process(struct synthesis *s, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;

	add_thread(s, pid, pid);
	add_maps(s, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = is_number(entry) ? (pid_t)strtol(entry->d_name, NULL, 10) : pid;

		if (tid != pid)
			add_thread(s, pid, tid);
	}
	if (tasks)
		closedir(tasks);
}

void synthesize_thread(struct synthesis *s, pid_t tid)
{
	char path[64];
	struct task task;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (!read_task(path, &task))
		return;
	add_thread(s, task.group, task.group);
	add_maps(s, task.group);
	if (tid != task.group)
		add_thread(s, task.group, tid);
}

void synthesize_all(struct synthesis *s)
{
	struct dirent *entry;
	DIR *processes = opendir("/proc");

	while (processes && (entry = readdir(processes)))
		if (is_number(entry))
			synthesize_process(s, (pid_t)strtol(entry->d_name, NULL, 10));
	if (processes)
		closedir(processes);
}

/* Returns whether `pid` is `ancestor` or descends from it. */
static bool descends(pid_t pid, pid_t ancestor)
{
	char path[64];
	struct task task;

	/* Entries of /proc change meanwhile, so this may look like a circle: it ends here. */
	for (int depth = 0; depth < 1000 && pid > 0; depth++) {
		if (pid == ancestor)
			return true;
		snprintf(path, sizeof(path), "/proc/%d/status", pid);
		if (!read_task(path, &task))
			return false;
		pid = task.parent;
	}
	return false;
}

void synthesize_family(struct synthesis *s, pid_t pid)
{
	struct dirent *entry;
	DIR *processes = opendir("/proc");

	while (processes && (entry = readdir(processes))) {
		pid_t other = is_number(entry) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;

		if (other > 0 && descends(other, pid))
			synthesize_process(s, other);
	}
	if (processes)
		closedir(processes);
}

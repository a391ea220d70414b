/* SPDX-License-Identifier: Apache-2.0 */
/* Describes where the kernel's code and its modules are in memory. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "source/perf/synthesize.h"

#define SYMBOLS "/proc/kallsyms"
#define MODULES "/proc/modules"
#define NOTES   "/sys/kernel/notes"

/* Readers use this symbol to find out how far the kernel was moved from its linked address. */
static const char *const beginnings[] = {"_text", "_stext"};

struct kernel {
	uint64_t start, end;
	const char *name; /* of the symbol at its start */
};

/* "ffffffff81000000 T _stext" */
static void look_at_symbol(struct kernel *kernel, const char *line)
{
	char *name;
	uint64_t address = strtoull(line, &name, 16);

	if (name == line || strlen(name) < 4)
		return;
	name += 3;
	name[strcspn(name, "\n")] = '\0';
	if (strcmp(name, "_etext") == 0)
		kernel->end = address;
	for (int i = 0; i < 2; i++)
		if (strcmp(name, beginnings[i]) == 0 && (!kernel->name || i == 0)) {
			kernel->start = address;
			kernel->name = beginnings[i];
		}
}

/* The kernel's own symbols come first, sorted by address, then those of modules. */
static bool find_kernel(struct kernel *kernel)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(SYMBOLS, "re");

	while (file && !kernel->end && getline(&line, &room, file) > 0)
		look_at_symbol(kernel, line);
	free(line);
	if (file)
		fclose(file);
	/* Users who may not know the addresses read zeros. */
	return kernel->name && kernel->start && kernel->end > kernel->start;
}

static void add_kernel(struct synthesis *s, const struct kernel *kernel)
{
	struct build_id id = {0};
	char path[64];
	const struct synthetic_map map = {
		.start = kernel->start,
		.length = kernel->end - kernel->start,
		.offset = kernel->start,
		.protection = PROT_READ | PROT_EXEC,
		.path = path,
		.build_id = &id,
		.kernel = true,
	};

	snprintf(path, sizeof(path), "[kernel.kallsyms]%s", kernel->name);
	if (s->build_ids)
		build_id_of_notes(NOTES, &id);
	/* perf gives it no process. */
	synthesis_add_map(s, -1, 0, &map);
}

/* ---- modules ------------------------------------------------------------------------------ */

/* A file's name is its module's, except that it may have '-' for '_'. */
static bool is_file_of(const char *path, size_t length, const char *module)
{
	const char *name = memrchr(path, '/', length);
	size_t i = 0;

	name = name ? name + 1 : path;
	for (; module[i]; i++)
		if (module[i] != (name[i] == '-' ? '_' : name[i]))
			return false;
	return strncmp(name + i, ".ko", 3) == 0;
}

/* Finds the module's file in modules.dep; "[module]" if it is not listed. */
static void find_file(const char *dependencies, const char *folder, const char *module, char *path,
		      size_t size)
{
	for (const char *line = dependencies; line && *line;) {
		size_t length = strcspn(line, ":\n"), rest = strcspn(line, "\n");

		if (line[length] == ':' && is_file_of(line, length, module)) {
			snprintf(path, size, "%s%.*s", line[0] == '/' ? "" : folder, (int)length,
				 line);
			return;
		}
		line += rest;
		line += *line == '\n';
	}
	snprintf(path, size, "[%s]", module);
}

static char *read_all(const char *path)
{
	char *text = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Parses "ext4 1044480 1 - Live 0xffffffffc0500000". */
static void add_module(struct synthesis *s, char *line, const char *dependencies,
		       const char *folder)
{
	struct build_id id = {0};
	char path[PATH_MAX], notes[PATH_MAX], *place, *words[6];
	struct synthetic_map map = {
		.protection = PROT_READ | PROT_EXEC, .path = path, .build_id = &id, .kernel = true};

	for (int i = 0; i < 6; i++) {
		words[i] = strtok_r(i ? NULL : line, " \n", &place);
		if (!words[i])
			return;
	}
	map.length = strtoull(words[1], NULL, 10);
	map.start = strtoull(words[5], NULL, 16);
	if (!map.start || !map.length)
		return;
	find_file(dependencies, folder, words[0], path, sizeof(path));
	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", words[0]);
	if (s->build_ids)
		build_id_of_notes(notes, &id);
	synthesis_add_map(s, -1, 0, &map);
}

static void add_modules(struct synthesis *s)
{
	char folder[128], path[160], *line = NULL, *dependencies;
	size_t room = 0;
	struct utsname system;
	FILE *file = fopen(MODULES, "re");

	if (!file)
		return;
	uname(&system);
	snprintf(folder, sizeof(folder), "/lib/modules/%s/", system.release);
	snprintf(path, sizeof(path), "%smodules.dep", folder);
	dependencies = read_all(path);
	while (getline(&line, &room, file) > 0)
		add_module(s, line, dependencies, folder);
	free(dependencies);
	free(line);
	fclose(file);
}

bool synthesize_kernel(struct synthesis *s)
{
	struct kernel kernel = {0};

	if (!find_kernel(&kernel))
		return false;
	add_kernel(s, &kernel);
	add_modules(s);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads symbols of code that a process made itself: from the file that its run-time system wrote
 * for perf, with lines "START SIZE NAME" in hexadecimal (tools/perf/Documentation/jit-
 * interface.txt), or from the jitdump that it mapped. Anybody may write to the folders of both.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/elf_file.h"
#include "symbol/files.h"
#include "symbol/jitdump.h"

/* A larger text is not a list of symbols. */
#define MAP_MAX ((off_t)256 << 20)

static int add_line(struct symbol_table *table, const char *line)
{
	struct plumb_symbol symbol = {.binding = STB_GLOBAL};
	char *rest, *name;
	uint64_t size;

	symbol.start = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		return 0;
	size = strtoull(rest + 1, &name, 16);
	if (name == rest + 1 || *name != ' ' || name[1] == '\0')
		return 0;
	symbol.name = name + 1;
	symbol.end = symbol.start + size < symbol.start ? UINT64_MAX : symbol.start + size;
	return symbol_table_add(table, &symbol);
}

/* A line without a newline is still being written. */
int perf_map_read(struct symbol_table *table, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length = 0;
	int status = 0;

	errno = 0;
	while (status == 0 && (length = getline(&line, &room, in)) > 0 &&
	       line[length - 1] == '\n') {
		line[length - 1] = '\0';
		status = add_line(table, line);
	}
	if (length < 0 && errno == ENOMEM)
		status = PLUMB_ERR_NO_MEMORY;
	free(line);
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}

/* Returns NULL unless it is a regular file that belongs to this user or to root. */
static FILE *open_file(struct files *files, const char *path, off_t limit)
{
	struct stat status;
	int descriptor;
	FILE *in;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0) {
		files_note(files, elf_file_open_error(errno));
		return NULL;
	}
	if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > limit) {
		close(descriptor);
		return NULL;
	}
	if (status.st_uid != 0 && status.st_uid != geteuid()) {
		files_warn(
			files,
			files_format("%s is not used, because neither you nor root owns it", path));
		close(descriptor);
		return NULL;
	}
	in = fdopen(descriptor, "r");
	if (!in) {
		files_note(files, PLUMB_ERR_NO_MEMORY);
		close(descriptor);
	}
	return in;
}

static int load_map(struct files *files, struct plumb_symbol_file *file)
{
	char *path;
	FILE *in;
	int status;

	if (!files->paths.perf_maps_dir)
		return 0;
	path = files_format("%s/perf-%d.map", files->paths.perf_maps_dir, (int)file->pid);
	if (!path)
		return PLUMB_ERR_NO_MEMORY;
	in = open_file(files, path, MAP_MAX);
	free(path);
	if (!in)
		return 0;
	status = perf_map_read(&file->symbols, in);
	fclose(in);
	return status;
}

/* The paths come from the recording, as those of all files do. */
FILE *jitdump_open(struct files *files, const struct plumb_symbol_file *file)
{
	const char *root = files->paths.root ? files->paths.root : "";
	char *path;
	FILE *in;

	if (!files->paths.perf_maps_dir)
		return NULL;
	path = files_format("%s%s", root, file->name);
	files_note(files, path ? 0 : PLUMB_ERR_NO_MEMORY);
	in = path ? open_file(files, path, INT64_MAX) : NULL;
	free(path);
	return in;
}

int jitdump_load(struct files *files, struct plumb_symbol_file *file,
		 const struct jitdump_clock *clock)
{
	FILE *in = jitdump_open(files, file);
	int status;

	if (!in)
		return 0;
	status = jitdump_read(in, clock, &file->jitdump);
	fclose(in);
	if (status == 0)
		status = jitdump_symbols(file->jitdump, &file->symbols);
	if (status == 0)
		status = symbol_table_finish(&file->symbols, false);
	if (status == 0 && jitdump_lacks_times(file->jitdump))
		files_warn(files,
			   files_format("%s: new code replaced old code at the same addresses, and "
					"the recording's times cannot tell which of them ran when; "
					"both have the newest name",
					file->name));
	return status == PLUMB_ERR_NO_MEMORY ? status : 0;
}

int perf_map_load(struct files *files, struct plumb_symbol_file *file)
{
	int status = load_map(files, file);

	return status == PLUMB_ERR_NO_MEMORY ? status : symbol_table_finish(&file->symbols, false);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the files that `plumb record` writes, one or several in turn, and their build-ids. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "record.h"
#include "symbol/elf_symbols.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Offsets of the paths in MMAP and MMAP2 (<linux/perf_event.h>). */
#define MMAP_PATH        40
#define MMAP2_PATH       72
#define MMAP2_PROTECTION 64
#define MISC_CPU_MODE    7
#define MISC_KERNEL      1
#define MISC_DATA        (1u << 13) /* of MMAP: not executable */
#define MISC_BUILD_ID    (1u << 14) /* of MMAP2: it has it */
#define PROTECTION_EXEC  4

/* Mapped paths in the order they came; few enough to search a list. */
struct build_id_list {
	struct {
		char *path;
		int pid;
		bool kernel;
	} * at;
	size_t count, room;
};

#define BUILD_IDS_MAX 16384

double record_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- build-ids ---------------------------------------------------------------------------- */

static void note_path(struct build_id_list *list, const char *path, size_t room, int pid,
		      bool kernel)
{
	size_t length = strnlen(path, room);

	/* Names in brackets, or that begin with "//", are not files. */
	if (length == 0 || length == room || list->count == BUILD_IDS_MAX ||
	    (!kernel && (path[0] != '/' || path[1] == '/')))
		return;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->at[i].path, path) == 0)
			return;
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->at = memory_resize(list->at, list->room, sizeof(*list->at));
	}
	list->at[list->count].path = memory_copy(path, length);
	list->at[list->count].pid = pid;
	list->at[list->count++].kernel = kernel;
}

static void note_map(struct build_id_list *list, const char *record, uint32_t type, uint16_t misc,
		     size_t size)
{
	size_t path = type == PLUMB_RECORD_MMAP ? MMAP_PATH : MMAP2_PATH;
	bool kernel = (misc & MISC_CPU_MODE) == MISC_KERNEL;
	uint32_t protection = PROTECTION_EXEC;
	int32_t pid;

	if (size <= path || misc & (type == PLUMB_RECORD_MMAP ? MISC_DATA : MISC_BUILD_ID))
		return;
	memcpy(&pid, record + 8, sizeof(pid));
	if (type == PLUMB_RECORD_MMAP2)
		memcpy(&protection, record + MMAP2_PROTECTION, sizeof(protection));
	if (protection & PROTECTION_EXEC)
		note_path(list, record + path, size - path, kernel ? -1 : pid, kernel);
}

void record_files_note(struct record_files *files, const void *records, size_t size)
{
	const char *at = records, *end = at + size;

	files->empty = false;
	while (files->build_ids && end - at >= 8) {
		uint32_t type;
		uint16_t misc, length;

		memcpy(&type, at, sizeof(type));
		memcpy(&misc, at + 4, sizeof(misc));
		memcpy(&length, at + 6, sizeof(length));
		if (length < 8 || length > end - at)
			return;
		if (type == PLUMB_RECORD_MMAP || type == PLUMB_RECORD_MMAP2)
			note_map(files->build_ids, at, type, misc, length);
		at += length;
	}
}

static size_t file_build_id(const char *path, uint8_t id[ELF_BUILD_ID_MAX])
{
	struct elf_file file;
	size_t size;

	if (elf_file_open(&file, path) < 0)
		return 0;
	size = elf_file_build_id(&file, id);
	elf_file_close(&file);
	return size;
}

static size_t kernel_build_id(uint8_t id[ELF_BUILD_ID_MAX])
{
	FILE *file = fopen("/sys/kernel/notes", "re");
	uint8_t notes[4096];
	size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;

	if (file)
		fclose(file);
	return size ? elf_notes_build_id(notes, size, id) : 0;
}

/* Recognizes the kernel; modules are named in brackets, too: "[ext4]". */
static bool is_kernel_itself(const char *path)
{
	return strncmp(path, "[kernel.kallsyms]", strlen("[kernel.kallsyms]")) == 0;
}

static void add_build_ids(const struct record_files *files)
{
	const struct build_id_list *list = files->build_ids;

	for (size_t i = 0; list && i < list->count; i++) {
		const char *path = list->at[i].path;
		bool kernel = list->at[i].kernel, itself = kernel && is_kernel_itself(path);
		uint8_t id[ELF_BUILD_ID_MAX];
		size_t size = itself ? kernel_build_id(id) : file_build_id(path, id);

		if (size > 0 && size <= 20)
			plumb_recording_add_build_id(files->writer, list->at[i].pid, kernel, id,
						     size, itself ? "[kernel.kallsyms]" : path);
	}
}

static void free_build_ids(struct build_id_list *list)
{
	for (size_t i = 0; list && i < list->count; i++)
		free(list->at[i].path);
	if (list)
		free(list->at);
	free(list);
}

/* ---- files -------------------------------------------------------------------------------- */

bool record_files_may_rename(const char *path)
{
	return strcmp(path, "-") != 0 && file_is_replaceable(path);
}

static bool keeps_name(const struct record_files *files)
{
	const struct record_request *request = files->request;

	return !request->switching.wanted && !request->options->timestamp;
}

/* Adds the time, from the year to hundredths of a second, as perf does. */
static char *stamped(const char *path)
{
	struct timeval time;
	struct tm parts;
	char text[32];

	gettimeofday(&time, NULL);
	localtime_r(&time.tv_sec, &parts);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &parts);
	return memory_format("%s.%s%02ld", path, text, (long)time.tv_usec / 10000);
}

static int cannot(struct record_files *files, const char *name, const char *what)
{
	plumb_diagnostics_add(files->diagnostics, PLUMB_ERROR, "not-renamed", name, "%s: %s", what,
			      strerror(errno));
	return PLUMB_ERR_IO;
}

/* Renames the current file to its name with the time, and removes the oldest if there are too
 * many. */
static int keep(struct record_files *files)
{
	const struct record_request *request = files->request;
	char *name = stamped(request->path);

	for (unsigned i = 1; access(name, F_OK) == 0 && i < 1000; i++) {
		free(name);
		usleep(10000);
		name = stamped(request->path);
	}
	if (file_rename(request->path, name) < 0) {
		free(name);
		return cannot(files, request->path, "cannot be renamed");
	}
	if (request->options->max_files && files->kept_count == request->options->max_files) {
		if (file_remove(files->kept[0]) < 0)
			cannot(files, files->kept[0], "cannot be removed");
		free(files->kept[0]);
		memmove(files->kept, files->kept + 1, --files->kept_count * sizeof(*files->kept));
	}
	files->kept = memory_resize(files->kept, files->kept_count + 1, sizeof(*files->kept));
	files->kept[files->kept_count++] = name;
	return 0;
}

static int finish(struct record_files *files)
{
	uint64_t bytes = 0;
	int error;

	add_build_ids(files);
	error = plumb_recording_finish(files->writer, &bytes);
	files->writer = NULL;
	files->bytes += bytes;
	return error;
}

int record_files_begin(struct record_files *files, const struct plumb_recording_setup *setup)
{
	if (!files->request->options->no_build_ids)
		files->build_ids = memory_resize(NULL, 1, sizeof(*files->build_ids));
	if (files->build_ids)
		*files->build_ids = (struct build_id_list){0};
	files->began = record_now();
	if (files->pipe >= 0) {
		int fd = files->pipe;

		files->pipe = -1;
		return plumb_recording_create_fd(fd, "standard output", setup, &files->writer,
						 files->diagnostics);
	}
	return plumb_recording_create(files->request->path, setup, &files->writer,
				      files->diagnostics);
}

int record_files_switch(struct record_files *files, bool asked)
{
	const struct record_switch *switching = &files->request->switching;
	struct plumb_recording_writer *next = NULL;
	int error;

	if (!files->writer || !switching->wanted)
		return 0;
	if (!(switching->signal && asked) &&
	    !(switching->bytes && plumb_recording_length(files->writer) >= switching->bytes) &&
	    !(switching->seconds > 0 && record_now() - files->began >= switching->seconds))
		return 0;
	/* Rename this file first, because the next one takes its name. */
	error = keep(files);
	if (error == 0)
		error = plumb_recording_create_next(files->writer, files->request->path, &next);
	if (error < 0)
		return error;
	error = finish(files);
	files->writer = next;
	files->began = record_now();
	files->empty = true;
	return error < 0 ? error : 1;
}

int record_files_end(struct record_files *files)
{
	int error, renamed = 0;

	if (!files->writer)
		return 0;
	error = finish(files);
	if (files->empty && files->kept_count) {
		/* Nothing was written to the last file. */
		renamed = file_remove(files->request->path) < 0
				  ? cannot(files, files->request->path, "cannot be removed")
				  : 0;
	} else if (!keeps_name(files)) {
		renamed = keep(files);
	}
	return error < 0 ? error : renamed;
}

void record_files_free(struct record_files *files)
{
	for (size_t i = 0; i < files->kept_count; i++)
		free(files->kept[i]);
	free(files->kept);
	free_build_ids(files->build_ids);
	if (files->pipe >= 0)
		close(files->pipe);
}

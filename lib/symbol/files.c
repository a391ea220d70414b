/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a recording, and the problems found in reading them. */
#include "symbol/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "symbol/jitdump.h"

static unsigned hash(const char *name)
{
	unsigned sum = 5381;

	for (; *name; name++)
		sum = sum * 33 + (unsigned char)*name;
	return sum % FILE_BUCKETS;
}

/* Copies the text. Returns false if out of memory. */
static bool copy(struct files *files, const char **text)
{
	if (!*text)
		return true;
	*text = arena_strdup(&files->strings, *text);
	return *text;
}

int files_init(struct files *files, const struct plumb_symbol_paths *paths)
{
	bool copied;

	if (!paths)
		return 0;
	if (!sized_read(&files->paths, sizeof(files->paths), paths))
		return PLUMB_ERR_ARGUMENT;
	copied = copy(files, &files->paths.root);
	copied &= copy(files, &files->paths.debug_dir);
	copied &= copy(files, &files->paths.build_id_dir);
	copied &= copy(files, &files->paths.kallsyms);
	copied &= copy(files, &files->paths.kernel_notes);
	copied &= copy(files, &files->paths.vmlinux);
	copied &= copy(files, &files->paths.perf_maps_dir);
	return copied ? 0 : PLUMB_ERR_NO_MEMORY;
}

void files_free(struct files *files, void (*free_debug)(struct debug_info *debug))
{
	for (size_t i = 0; i < FILE_BUCKETS; i++) {
		struct plumb_symbol_file *file = files->buckets[i];

		while (file) {
			struct plumb_symbol_file *next = file->next;

			symbol_table_free(&file->symbols);
			symbol_table_free(&file->bounds);
			free_debug(file->debug);
			free(file->debug_path);
			free(file->segments);
			jitdump_free(file->jitdump);
			free(file->path);
			free(file);
			file = next;
		}
		files->buckets[i] = NULL;
	}
	debuginfod_free(files->debuginfod);
	files->debuginfod = NULL;
	arena_free(&files->strings);
}

struct plumb_symbol_file *files_get(struct files *files, const char *name, enum file_kind kind,
				    const uint8_t *build_id, size_t size)
{
	unsigned bucket = hash(name);
	struct plumb_symbol_file *file;

	if (size > ELF_BUILD_ID_MAX)
		size = ELF_BUILD_ID_MAX;
	for (file = files->buckets[bucket]; file; file = file->next) {
		if (file->kind == kind && strcmp(file->name, name) == 0 &&
		    (size == 0 ||
		     (file->build_id_size == size && memcmp(file->build_id, build_id, size) == 0)))
			return file;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->name = arena_strdup(&files->strings, name);
	if (!file->name) {
		free(file);
		return NULL;
	}
	file->files = files;
	file->kind = (uint8_t)kind;
	file->symbols.raw_names = files->paths.raw_names || kind == FILE_KERNEL;
	file->symbols.signatures = files->paths.signatures;
	if (size)
		memcpy(file->build_id, build_id, size);
	file->build_id_size = (uint8_t)size;
	file->next = files->buckets[bucket];
	files->buckets[bucket] = file;
	return file;
}

/* ---- What went wrong --------------------------------------------------------------------------
 */

char *files_format(const char *pattern, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, pattern);
	length = vasprintf(&text, pattern, args);
	va_end(args);
	return length < 0 ? NULL : text;
}

void files_note(struct files *files, int status)
{
	if (elf_file_ran_out() || status == PLUMB_ERR_NO_MEMORY)
		files->status = PLUMB_ERR_NO_MEMORY;
}

/* The same file may be looked at twice, for symbols and for lines. */
static bool is_noted(const struct files *files, const char *text)
{
	for (size_t i = 0; i < files->warning_count; i++)
		if (strcmp(files->warnings[i], text) == 0)
			return true;
	return false;
}

void files_warn(struct files *files, char *text)
{
	const char *kept;

	if (!text) {
		files_note(files, PLUMB_ERR_NO_MEMORY);
		return;
	}
	if (files->warning_count < WARNINGS_MAX && !is_noted(files, text)) {
		kept = arena_strdup(&files->strings, text);
		if (kept)
			files->warnings[files->warning_count++] = kept;
		else
			files_note(files, PLUMB_ERR_NO_MEMORY);
	}
	free(text);
}

char *files_download(struct files *files, const uint8_t *build_id, size_t size,
		     enum debuginfod_kind kind)
{
	char *path;

	if (!files->paths.debuginfod)
		return NULL;
	if (!files->debuginfod) {
		files->debuginfod = debuginfod_new();
		if (!files->debuginfod) {
			files_note(files, PLUMB_ERR_NO_MEMORY);
			return NULL;
		}
		if (!debuginfod_is_there(files->debuginfod))
			files_warn(files, files_format("DEBUGINFOD_URLS is set, but "
						       "libdebuginfod.so.1 is missing; install "
						       "libdebuginfod1 to ask these servers"));
	}
	path = debuginfod_find(files->debuginfod, build_id, size, kind);
	if (debuginfod_timed_out(files->debuginfod))
		files_warn(files, files_format("the servers in DEBUGINFOD_URLS did not answer in "
					       "time, so they were not asked for more files"));
	return path;
}

/* ---- Loading ----------------------------------------------------------------------------------
 */

void file_load(struct files *files, struct plumb_symbol_file *file)
{
	int status = 0;

	if (file->loaded)
		return;
	file->loaded = true;
	switch ((enum file_kind)file->kind) {
	case FILE_USER:
	case FILE_VDSO:
		status = file_search(files, file);
		break;
	case FILE_PERF_MAP:
		status = perf_map_load(files, file);
		break;
	case FILE_KERNEL:
		status = kernel_load(files, file);
		break;
	case FILE_JITDUMP: /* by jitdump_load() */
	case FILE_NOTHING:
	case FILE_MODULE:
	case FILE_KSYMBOL:
		break;
	}
	if (status < 0)
		symbol_table_free(&file->symbols);
	files_note(files, status);
}

bool file_link_address(const struct plumb_symbol_file *file, uint64_t place, uint64_t *address)
{
	uint64_t left;

	if (file->kind >= FILE_KERNEL) {
		*address = place - file->bias;
		return true;
	}
	if (file->jitdump)
		return jitdump_address(file->jitdump, place, address, &left);
	for (size_t i = 0; i < file->segment_count; i++) {
		const GElf_Phdr *s = &file->segments[i];

		if (place >= s->p_offset && place - s->p_offset < s->p_memsz &&
		    (s->p_flags & PF_X || place - s->p_offset < s->p_filesz)) {
			*address = place - s->p_offset + s->p_vaddr;
			return true;
		}
	}
	return false;
}

const char *plumb_symbol_file_name(const struct plumb_symbol_file *file)
{
	return file->name;
}

bool plumb_symbol_file_is_kernel(const struct plumb_symbol_file *file)
{
	return file->kind >= FILE_KERNEL;
}

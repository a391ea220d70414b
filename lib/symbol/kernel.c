/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's symbols in the format of /proc/kallsyms: "ADDRESS TYPE NAME[\t[MODULE]]". */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "symbol/files.h"
#include "symbol/unpack.h"

/* Parses a line without its newline; skips lines of other forms. */
static int add_line(struct symbol_table *table, char *line)
{
	struct plumb_symbol symbol = {0};
	char *rest;
	char type;

	symbol.start = symbol.end = strtoull(line, &rest, 16);
	if (rest == line || rest[0] != ' ' || rest[1] == '\0' || rest[2] != ' ' || rest[3] == '$')
		return 0;
	type = rest[1];
	symbol.name = rest + 3;
	if (!strchr("TtWwDdBb", type))
		return 0;
	symbol.binding = STB_LOCAL;
	if (type == 'W')
		symbol.binding = STB_WEAK;
	else if (isupper((unsigned char)type))
		symbol.binding = STB_GLOBAL;
	return symbol_table_add(table, &symbol);
}

/* Names without their module. */
static void cut_modules(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *tab = strchr(table->at[i].name, '\t');

		if (tab)
			table->at[i].name = arena_copy(&table->names, table->at[i].name,
						       (size_t)(tab - table->at[i].name));
		if (!table->at[i].name)
			table->at[i].name = "";
	}
}

int kernel_read_symbols(struct symbol_table *table, const char *path)
{
	int status = symbol_table_read(table, path, add_line);

	/* Users who may not know where the kernel is read zeros. */
	if (status == 0)
		status = symbol_table_finish(table, true);
	if (status == 0 && table->count == 1 && table->at[0].start == 0)
		table->count = 0;
	if (status == 0)
		cut_modules(table);
	return status;
}

static bool is_running(const struct files *files, const struct plumb_symbol_file *file)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	char *notes;
	size_t size, length;

	if (!files->paths.kernel_notes)
		return true; /* so the caller says */
	if (files->foreign)
		return false;
	if (file->build_id_size == 0)
		return true; /* nothing tells otherwise */
	if (file_read(files->paths.kernel_notes, 1 << 20, &notes, &size) < 0)
		return false;
	length = elf_notes_build_id((const uint8_t *)notes, size, id);
	free(notes);
	return length == file->build_id_size && memcmp(id, file->build_id, length) == 0;
}

/* perf's cache has a copy of kallsyms. */
static char *cached(const struct files *files, const struct plumb_symbol_file *file)
{
	char id[2 * ELF_BUILD_ID_MAX + 1] = "";
	char *path;

	if (!files->paths.build_id_dir || file->build_id_size < 2)
		return NULL;
	for (size_t i = 0; i < file->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", file->build_id[i]);
	if (asprintf(&path, "%s/.build-id/%.2s/%s/kallsyms", files->paths.build_id_dir, id,
		     id + 2) < 0)
		return NULL;
	return path;
}

/* ---- The kernel's own file --------------------------------------------------------------------
 */

static bool fits(const struct plumb_symbol_file *file, const struct elf_file *elf)
{
	uint8_t id[ELF_BUILD_ID_MAX];

	return elf_file_build_id(elf, id) == file->build_id_size &&
	       memcmp(id, file->build_id, file->build_id_size) == 0;
}

/*
 * Finds how far from its linked address the kernel was loaded, by the recorded address of one
 * symbol.
 */
static void find_bias(struct plumb_symbol_file *file, const struct elf_file *elf)
{
	uint64_t address;

	if (file->reference && file->reference_address &&
	    elf_symbol_address(elf, file->reference, &address))
		file->bias = file->reference_address - address;
}

/*
 * Looks at one candidate, and frees it; NULL: out of memory. Reads its symbols unless there are
 * some already. Only a build-id tells kernels apart, unless the user names one.
 */
static bool try_image(struct files *files, struct plumb_symbol_file *file, char *path, bool named)
{
	struct elf_file elf;
	int status = path ? elf_file_open(&elf, path) : PLUMB_ERR_NO_MEMORY;

	files_note(files, status);
	if (status == 0 && file->build_id_size && !fits(file, &elf)) {
		if (named)
			files_warn(files, files_format("%s is not used: it is not the recorded "
						       "kernel, by its build-id",
						       path));
		status = PLUMB_ERR_NOT_FOUND;
		elf_file_close(&elf);
	} else if (status == 0 && !named && !file->build_id_size) {
		status = PLUMB_ERR_NOT_FOUND;
		elf_file_close(&elf);
	} else if (status < 0 && named && path) {
		files_warn(
			files,
			files_format(
				access(path, F_OK) == 0
					? "%s is not used: it is not an ELF file that can be read"
					: "%s is not used: it does not exist",
				path));
	}
	if (status < 0) {
		free(path);
		return false;
	}
	find_bias(file, &elf);
	if (!file->symbols.count)
		files_note(files, elf_kernel_symbols(&file->symbols, &elf, file->bias));
	if (elf_file_has_debug_info(&elf)) {
		file->debug_path = strdup(path);
		files_note(files, file->debug_path ? 0 : PLUMB_ERR_NO_MEMORY);
	}
	elf_file_close(&elf);
	file->path = path;
	return true;
}

static bool try_release(struct files *files, struct plumb_symbol_file *file, const char *root)
{
	const char *debug = files->paths.debug_dir ? files->paths.debug_dir : "/usr/lib/debug";
	const char *release = files->release;

	/* A name that leads elsewhere is none. */
	if (!release || strchr(release, '/'))
		return false;
	return try_image(files, file, files_format("%s%s/boot/vmlinux-%s", root, debug, release),
			 false) ||
	       try_image(files, file,
			 files_format("%s%s/lib/modules/%s/vmlinux", root, debug, release),
			 false) ||
	       try_image(files, file, files_format("%s/boot/vmlinux-%s", root, release), false) ||
	       try_image(files, file,
			 files_format("%s/lib/modules/%s/build/vmlinux", root, release), false);
}

static bool try_build_id(struct files *files, struct plumb_symbol_file *file, const char *root)
{
	char id[2 * ELF_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < file->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", file->build_id[i]);
	if (file->build_id_size < 2)
		return false;
	return (files->paths.build_id_dir &&
		try_image(files, file,
			  files_format("%s/.build-id/%.2s/%s/elf", files->paths.build_id_dir, id,
				       id + 2),
			  false)) ||
	       (files->paths.debug_dir &&
		try_image(files, file,
			  files_format("%s%s/.build-id/%.2s/%s.debug", root, files->paths.debug_dir,
				       id, id + 2),
			  false));
}

int kernel_find_image(struct files *files, struct plumb_symbol_file *file)
{
	const char *root = files->paths.root ? files->paths.root : "";

	if (file->file_tried)
		return files->status;
	file->file_tried = true;
	if (files->paths.vmlinux)
		(void)try_image(files, file, strdup(files->paths.vmlinux), true);
	else if (!try_build_id(files, file, root))
		(void)try_release(files, file, root);
	return files->status;
}

int kernel_load(struct files *files, struct plumb_symbol_file *file)
{
	char *path;
	int status = 0;

	if (files->paths.vmlinux) {
		status = kernel_find_image(files, file);
		if (status < 0 || file->symbols.count)
			return status;
	}
	if (files->paths.kallsyms && is_running(files, file))
		status = kernel_read_symbols(&file->symbols, files->paths.kallsyms);
	/* Named by the user: nobody wonders about the running kernel's, which may hide them. */
	if (files->paths.kallsyms && !files->paths.kernel_notes && status == 0 &&
	    !file->symbols.count)
		files_warn(files, files_format("%s is not used: it has no symbols of a kernel",
					       files->paths.kallsyms));
	if (status == PLUMB_ERR_NO_MEMORY || (status == 0 && file->symbols.count))
		return status;
	symbol_table_free(&file->symbols);
	path = cached(files, file);
	status = path ? kernel_read_symbols(&file->symbols, path) : 0;
	free(path);
	if (status == PLUMB_ERR_NO_MEMORY || file->symbols.count)
		return status;
	return kernel_find_image(files, file);
}

/* ---- Modules ----------------------------------------------------------------------------------
 */

/*
 * Files on this machine belong to its kernel, which may be another one; those below a root are the
 * recorded machine's.
 */
void module_load(struct files *files, struct plumb_symbol_file *file)
{
	const char *root = files->paths.root ? files->paths.root : "";
	struct elf_file elf;
	char *path;
	int status;

	if (file->file_tried || !file->module_path)
		return;
	file->file_tried = true;
	path = files_format("%s%s", root, file->module_path);
	status = path ? elf_file_open_packed(&elf, path) : PLUMB_ERR_NO_MEMORY;
	files_note(files, status);
	if (status < 0) {
		free(path);
		return;
	}
	/* Without a build-id nothing tells modules apart, but the user named where they are. */
	if (file->build_id_size ? fits(file, &elf) : root[0] != '\0') {
		files_note(files, elf_kernel_symbols(&file->symbols, &elf, file->bias));
		file->path = path;
		path = NULL;
	} else if (file->build_id_size) {
		files_warn(files, files_format("%s has changed since it was recorded, so it is not "
					       "used: it has another build-id",
					       path));
	}
	elf_file_close(&elf);
	free(path);
}

void kernel_module_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strcspn(base, ".");
	if (path[0] == '[') {
		snprintf(name, size, "%s", path);
		return;
	}
	snprintf(name, size, "[%.*s]", (int)(length < 4096 ? length : 4096), base);
	for (char *c = name; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
}

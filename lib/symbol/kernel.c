/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's symbols, as /proc/kallsyms lists them: "ADDRESS TYPE NAME[\t[MODULE]]". */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "symbol/files.h"

/* A line without its newline. Lines of other forms are passed over. */
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

	/* Those who may not know where the kernel is are shown zeros. */
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

int kernel_load(const struct files *files, struct plumb_symbol_file *file)
{
	char *path;
	int status = 0;

	if (files->paths.kallsyms && is_running(files, file))
		status = kernel_read_symbols(&file->symbols, files->paths.kallsyms);
	if (status == PLUMB_ERR_NO_MEMORY || (status == 0 && file->symbols.count))
		return status;
	symbol_table_free(&file->symbols);
	path = cached(files, file);
	status = path ? kernel_read_symbols(&file->symbols, path) : 0;
	free(path);
	return status;
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

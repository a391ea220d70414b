/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mapped file's symbols may be in itself, in perf's cache, or in one of the places where
 * distributions put debug information. The order is tools/perf's (binary_type_symtab of
 * util/symbol.c); a file with another build-id than the recording's is never taken.
 */
#include "symbol/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sized.h"

static unsigned hash(const char *name)
{
	unsigned sum = 5381;

	for (; *name; name++)
		sum = sum * 33 + (unsigned char)*name;
	return sum % FILE_BUCKETS;
}

/* Makes the text our own. False when memory is short. */
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
			free_debug(file->debug);
			free(file->debug_path);
			free(file->path);
			free(file);
			file = next;
		}
		files->buckets[i] = NULL;
	}
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

/* ---- Where symbols may be -------------------------------------------------------------------- */

struct search {
	const struct files *files;
	struct plumb_symbol_file *file;
	char id[2 * ELF_BUILD_ID_MAX + 1];
	struct elf_file symbols, runtime; /* what has been found; .elf NULL: nothing yet */
	bool same;                        /* `symbols` is what `runtime` is, too */
};

static char *format(const char *pattern, ...) PLUMB_PRINTF(1, 2);
static char *format(const char *pattern, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, pattern);
	length = vasprintf(&text, pattern, args);
	va_end(args);
	return length < 0 ? NULL : text;
}

static bool is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool fits(const struct plumb_symbol_file *file, const struct elf_file *elf)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t size;

	if (file->build_id_size == 0)
		return true;
	size = elf_file_build_id(elf, id);
	return size == file->build_id_size && memcmp(id, file->build_id, size) == 0;
}

/* Looks at one candidate, which is freed. True once there is nothing left to be looked for. */
static bool try(struct search *search, char *path)
{
	struct elf_file elf;
	bool kept = false;

	if (!path || !is_regular(path) || elf_file_open(&elf, path) < 0) {
		free(path);
		return false;
	}
	if (fits(search->file, &elf)) {
		if (!search->file->debug_path && elf_file_has_debug_info(&elf))
			search->file->debug_path = strdup(path);
		if (!search->symbols.elf && elf.symtab) {
			search->symbols = elf;
			kept = true;
		}
		if (!search->runtime.elf && elf.dynsym) {
			search->same = kept;
			search->runtime = elf;
			kept = true;
		}
	}
	if (kept && search->runtime.elf == elf.elf) {
		free(search->file->path);
		search->file->path = path;
	} else if (kept && !search->file->path) {
		search->file->path = path;
	} else {
		free(path);
	}
	if (!kept)
		elf_file_close(&elf);
	return search->symbols.elf && search->runtime.elf;
}

/* Where .gnu_debuglink of the file itself leads. */
static bool try_debuglink(struct search *search, const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	struct elf_file elf;
	char *link = NULL;
	bool done = false;

	if (!is_regular(path) || elf_file_open(&elf, path) < 0)
		return false;
	if (elf_file_debuglink(&elf))
		link = strdup(elf_file_debuglink(&elf));
	elf_file_close(&elf);
	if (link)
		done = try(search, format("%.*s/%s", folder, path, link)) ||
		       try(search, format("%.*s/.debug/%s", folder, path, link)) ||
		       (search->files->paths.debug_dir &&
			try(search, format("%s%.*s/%s", search->files->paths.debug_dir, folder,
					   path, link)));
	free(link);
	return done;
}

static bool try_cache(struct search *search, const char *name)
{
	const char *cache = search->files->paths.build_id_dir;
	const char *id = search->id;

	if (!cache || !id[0])
		return false;
	/* Old perfs' entry is a link to the file, later ones' to its folder. */
	return try(search, format("%s/.build-id/%.2s/%s/%s", cache, id, id + 2, name)) ||
	       try(search, format("%s/.build-id/%.2s/%s", cache, id, id + 2));
}

static bool try_debug_dir(struct search *search)
{
	const char *folder = search->files->paths.debug_dir;
	const char *name = search->file->name, *id = search->id;

	if (!folder)
		return false;
	return try(search, format("%s%s.debug", folder, name)) ||
	       try(search, format("%s%s", folder, name)) ||
	       (id[0] && try(search, format("%s/.build-id/%.2s/%s.debug", folder, id, id + 2)));
}

/* Nothing tells the kernels apart but a build-id; of another machine's none can be ours. */
static void try_own_vdso(struct search *search)
{
	struct elf_file elf;

	if (!search->files->paths.own_vdso || search->files->foreign ||
	    elf_file_open_vdso(&elf) < 0)
		return;
	if (!fits(search->file, &elf) || !elf.dynsym) {
		elf_file_close(&elf);
		return;
	}
	search->runtime = elf;
}

static void look(struct search *search, const char *path)
{
	bool vdso = search->file->kind == FILE_VDSO;

	if ((!vdso && try_debuglink(search, path)) || try_cache(search, vdso ? "vdso" : "elf") ||
	    (!vdso && try_cache(search, "debug")))
		return;
	if (vdso)
		try_own_vdso(search);
	else if (!try_debug_dir(search))
		try(search, strdup(path));
}

/* A file that the recording has no build-id of is what is there now. */
static void adopt_build_id(struct plumb_symbol_file *file, const char *path)
{
	struct elf_file elf;

	if (file->build_id_size || !is_regular(path) || elf_file_open(&elf, path) < 0)
		return;
	file->build_id_size = (uint8_t)elf_file_build_id(&elf, file->build_id);
	elf_file_close(&elf);
}

static void load_elf(const struct files *files, struct plumb_symbol_file *file)
{
	struct search search = {.files = files, .file = file};
	const char *root = files->paths.root ? files->paths.root : "";
	char *path = format("%s%s", root, file->name);

	if (!path)
		return;
	adopt_build_id(file, path);
	for (size_t i = 0; i < file->build_id_size; i++)
		snprintf(search.id + 2 * i, 3, "%02x", file->build_id[i]);
	look(&search, path);
	if (!search.runtime.elf || !search.symbols.elf) {
		search.same = true;
		if (!search.runtime.elf)
			search.runtime = search.symbols;
		else
			search.symbols = search.runtime;
	}
	if (search.symbols.elf &&
	    elf_file_symbols(&file->symbols, &search.symbols, &search.runtime) < 0)
		symbol_table_free(&file->symbols);
	if (search.symbols.elf)
		elf_file_close(&search.symbols);
	if (search.runtime.elf && !search.same)
		elf_file_close(&search.runtime);
	free(path);
}

void file_load(const struct files *files, struct plumb_symbol_file *file)
{
	char *path;

	if (file->loaded)
		return;
	file->loaded = true;
	switch ((enum file_kind)file->kind) {
	case FILE_USER:
	case FILE_VDSO:
		load_elf(files, file);
		break;
	case FILE_PERF_MAP:
		path = files->paths.perf_maps_dir
			       ? format("%s/perf-%d.map", files->paths.perf_maps_dir,
					(int)file->pid)
			       : NULL;
		if (path && perf_map_read(&file->symbols, path) < 0)
			symbol_table_free(&file->symbols);
		free(path);
		break;
	case FILE_KERNEL:
		kernel_load(files, file);
		break;
	case FILE_NOTHING:
	case FILE_MODULE:
	case FILE_KSYMBOL:
		break;
	}
}

const char *plumb_symbol_file_name(const struct plumb_symbol_file *file)
{
	return file->name;
}

bool plumb_symbol_file_is_kernel(const struct plumb_symbol_file *file)
{
	return file->kind >= FILE_KERNEL;
}

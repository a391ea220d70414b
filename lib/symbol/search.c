/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for the symbols of a mapped file: in the file itself, in perf's cache, and where
 * distributions put debug information. The order is that of tools/perf (binary_type_symtab in
 * util/symbol.c). A file whose build-id differs from the recording's is never used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/files.h"
#include "symbol/unpack.h"

/* What a file's build-id is compared with, and its text. */
struct id {
	uint8_t bytes[ELF_BUILD_ID_MAX];
	size_t size;
	char text[2 * ELF_BUILD_ID_MAX + 1];
};

struct search {
	struct files *files;
	struct plumb_symbol_file *file;
	struct id id;                     /* the recorded file's; size 0: unknown */
	char *path;                       /* of the mapped file itself */
	struct elf_file image;            /* that file, if it is the recorded one */
	struct elf_file symbols, runtime; /* what has been found; .elf NULL: nothing yet */
	bool same;                        /* `symbols` is the same file as `runtime` */
	char *other; /* the first separate debug file with another build-id; NULL: none */
	struct id other_id;
	int status;
};

static void write_id(struct id *id)
{
	id->text[0] = '\0';
	for (size_t i = 0; i < id->size; i++)
		snprintf(id->text + 2 * i, 3, "%02x", id->bytes[i]);
}

static struct id id_of(const struct elf_file *elf)
{
	struct id id;

	id.size = elf_file_build_id(elf, id.bytes);
	write_id(&id);
	return id;
}

static bool fits(const struct search *search, const struct elf_file *elf)
{
	struct id id;

	if (search->id.size == 0)
		return true;
	id = id_of(elf);
	return id.size == search->id.size && memcmp(id.bytes, search->id.bytes, id.size) == 0;
}

/* Takes from a file what is still missing. Returns whether it keeps `elf` open. */
static bool take(struct search *search, struct elf_file *elf, const char *path)
{
	struct plumb_symbol_file *file = search->file;
	bool kept = false;
	char *copy;

	if (!file->debug_path && elf_file_has_debug_info(elf)) {
		file->debug_path = strdup(path);
		files_note(search->files, file->debug_path ? 0 : PLUMB_ERR_NO_MEMORY);
	}
	if (!search->symbols.elf && elf->symtab) {
		search->symbols = *elf;
		kept = true;
	}
	if (!search->runtime.elf && elf->dynsym) {
		search->same = kept;
		search->runtime = *elf;
		kept = true;
	}
	if (kept && (search->runtime.elf == elf->elf || !file->path)) {
		copy = strdup(path);
		files_note(search->files, copy ? 0 : PLUMB_ERR_NO_MEMORY);
		free(file->path);
		file->path = copy;
	}
	return kept;
}

/* Notes the first file with symbols of another build; this machine's are no part of another root.
 */
static void note_other(struct search *search, const struct elf_file *elf, const char *path)
{
	const char *root = search->files->paths.root ? search->files->paths.root : "";

	if (search->id.size == 0 || search->other || !elf->symtab ||
	    strncmp(path, root, strlen(root)) != 0)
		return;
	search->other_id = id_of(elf);
	search->other = strdup(path);
	files_note(search->files, search->other ? 0 : PLUMB_ERR_NO_MEMORY);
}

/*
 * Looks at one candidate, and frees it. If no build-id tells whether it is the right one, its bytes
 * must have the checksum `crc`, unless that is NULL. Returns true once nothing is missing.
 */
static bool try(struct search *search, char *path, const uint32_t *crc)
{
	struct elf_file elf;
	bool fitting, kept = false;
	uint32_t sum;
	int status = path ? elf_file_open(&elf, path) : PLUMB_ERR_NO_MEMORY;

	if (status < 0) {
		files_note(search->files, status);
		free(path);
		return false;
	}
	fitting = fits(search, &elf);
	if (fitting && crc && search->id.size == 0 && (!elf_file_crc(&elf, &sum) || sum != *crc)) {
		files_warn(search->files,
			   files_format("%s: not the debug information of %s: the CRC differs",
					path, search->path));
		fitting = false;
	}
	if (fitting)
		kept = take(search, &elf, path);
	else
		note_other(search, &elf, path);
	free(path);
	if (!kept)
		elf_file_close(&elf);
	return search->symbols.elf && search->runtime.elf;
}

/* Returns the folder of a path, without the slash at its end. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

/* Follows .gnu_debuglink of the mapped file. */
static bool try_debuglink(struct search *search)
{
	const char *path = search->path, *name = search->file->name;
	const char *debug_dir = search->files->paths.debug_dir, *root = search->files->paths.root;
	const char *link;
	int folder = folder_length(path);
	uint32_t crc;

	link = search->image.elf ? elf_file_debuglink(&search->image, &crc) : NULL;
	if (!link)
		return false;
	if (try(search, files_format("%.*s/%s", folder, path, link), &crc) ||
	    try(search, files_format("%.*s/.debug/%s", folder, path, link), &crc))
		return true;
	folder = folder_length(name);
	return debug_dir &&
	       ((root &&
		 try(search, files_format("%s%s%.*s/%s", root, debug_dir, folder, name, link),
		     &crc)) ||
		try(search, files_format("%s%.*s/%s", debug_dir, folder, name, link), &crc));
}

static bool try_cache(struct search *search, const char *name)
{
	const char *cache = search->files->paths.build_id_dir;
	const char *id = search->id.text;

	if (!cache || !id[0])
		return false;
	/* Old perfs' entry is a link to the file, later ones' to its folder. */
	return try(search, files_format("%s/.build-id/%.2s/%s/%s", cache, id, id + 2, name),
		   NULL) ||
	       try(search, files_format("%s/.build-id/%.2s/%s", cache, id, id + 2), NULL);
}

static bool try_debug_dir(struct search *search, const char *root)
{
	const char *folder = search->files->paths.debug_dir;
	const char *name = search->file->name, *id = search->id.text;

	return try(search, files_format("%s%s%s.debug", root, folder, name), NULL) ||
	       try(search, files_format("%s%s%s", root, folder, name), NULL) ||
	       (id[0] &&
		try(search, files_format("%s%s/.build-id/%.2s/%s.debug", root, folder, id, id + 2),
		    NULL));
}

/* With another root, this machine's files count only if their build-ids match. */
static bool try_debug_dirs(struct search *search)
{
	const char *root = search->files->paths.root;

	if (!search->files->paths.debug_dir)
		return false;
	if (!root || !root[0])
		return try_debug_dir(search, "");
	return try_debug_dir(search, root) || (search->id.size && try_debug_dir(search, ""));
}

/* Only a build-id tells kernels apart; that of another machine cannot be this one's. */
static void try_own_vdso(struct search *search)
{
	struct elf_file elf;

	if (!search->files->paths.own_vdso || search->files->foreign ||
	    elf_file_open_vdso(&elf) < 0)
		return;
	if (!fits(search, &elf) || !elf.dynsym) {
		elf_file_close(&elf);
		return;
	}
	search->runtime = elf;
	search->file->own_vdso = true;
}

/* Asks the user's servers if nothing here has the symbols. */
static void try_servers(struct search *search)
{
	char *path;

	if (search->id.size == 0 || search->symbols.elf)
		return;
	path = files_download(search->files, search->id.bytes, search->id.size, DEBUGINFOD_DEBUG);
	if (path)
		(void)try(search, path, NULL);
	if (search->image.elf || search->runtime.elf)
		return;
	path = files_download(search->files, search->id.bytes, search->id.size, DEBUGINFOD_PROGRAM);
	if (path)
		(void)try(search, path, NULL);
}

static void look(struct search *search)
{
	if (search->file->kind == FILE_VDSO) {
		if (!try_cache(search, "vdso"))
			try_own_vdso(search);
		return;
	}
	if (try_debuglink(search) || try_cache(search, "elf") || try_cache(search, "debug") ||
	    try_debug_dirs(search))
		return;
	if (search->image.elf && try(search, strdup(search->path), NULL))
		return;
	try_servers(search);
}

static void warn_of_change(struct search *search, const struct id *found)
{
	files_warn(search->files,
		   files_format("%s has changed since it was recorded, so it is not used: its "
				"build-id is %s, the recorded one %s",
				search->path, found->size ? found->text : "missing",
				search->id.text));
}

static void warn_of_other(struct search *search)
{
	files_warn(search->files,
		   files_format("%s is not the debug information of %s, so it is not used: its "
				"build-id is %s, the program's %s",
				search->other, search->path,
				search->other_id.size ? search->other_id.text : "missing",
				search->id.text));
}

/*
 * Warns of a file that was written after the recording, and so may have changed. With another root,
 * it is a copy, whose time says nothing.
 */
static void warn_if_newer(struct search *search)
{
	const struct timespec *recorded = &search->files->recorded;
	const char *root = search->files->paths.root;
	struct stat status;

	if ((root && root[0]) || !recorded->tv_sec || search->file->kind != FILE_USER ||
	    stat(search->path, &status) < 0)
		return;
	if (status.st_mtim.tv_sec > recorded->tv_sec ||
	    (status.st_mtim.tv_sec == recorded->tv_sec &&
	     status.st_mtim.tv_nsec > recorded->tv_nsec))
		files_warn(search->files,
			   files_format("%s is newer than the recording, which has no build-id of "
					"it: symbols and lines may be wrong",
					search->path));
}

/* If the recording has no build-id, takes the file that is there now. */
static void open_image(struct search *search, struct id *changed)
{
	int status = elf_file_open(&search->image, search->path);

	files_note(search->files, status);
	if (status < 0)
		return;
	if (search->id.size == 0) {
		warn_if_newer(search);
		search->id = id_of(&search->image);
	} else if (!fits(search, &search->image)) {
		*changed = id_of(&search->image);
		elf_file_close(&search->image);
	}
}

/* Takes the mapped file itself as `runtime`, even if it has no symbols. */
static void settle(struct search *search)
{
	struct plumb_symbol_file *file = search->file;

	if (!search->runtime.elf && search->image.elf) {
		search->runtime = search->image;
		search->image = (struct elf_file){.descriptor = -1};
		free(file->path);
		file->path = search->path;
		search->path = NULL;
	}
	if (!search->runtime.elf || !search->symbols.elf) {
		search->same = true;
		if (!search->runtime.elf)
			search->runtime = search->symbols;
		else
			search->symbols = search->runtime;
	}
}

static int read_segments(struct search *search)
{
	struct plumb_symbol_file *file = search->file;
	GElf_Phdr segments[ELF_SEGMENTS_MAX];
	size_t count;

	if (!search->runtime.elf)
		return 0;
	count = elf_file_segments(&search->runtime, segments);
	file->segments = reallocarray(NULL, count ? count : 1, sizeof(*segments));
	if (!file->segments)
		return PLUMB_ERR_NO_MEMORY;
	memcpy(file->segments, segments, count * sizeof(*segments));
	file->segment_count = count;
	return 0;
}

/* Reads the symbols that were found, and the compressed ones of a stripped file. */
static int read_symbols(struct search *search)
{
	struct symbol_table *table = &search->file->symbols;
	struct elf_file mini;
	int status;

	if (!search->symbols.elf)
		return 0;
	if (!search->symbols.symtab) {
		status = elf_file_open_mini(&mini, &search->runtime);
		if (status == 0) {
			status = elf_file_symbols(table, &mini, &search->runtime);
			elf_file_close(&mini);
		}
		if (status == PLUMB_ERR_NO_MEMORY)
			return status;
	}
	return elf_file_symbols(table, &search->symbols, &search->runtime);
}

int file_search(struct files *files, struct plumb_symbol_file *file)
{
	const char *root = files->paths.root ? files->paths.root : "";
	struct search search = {
		.files = files, .file = file, .path = files_format("%s%s", root, file->name)};
	struct id changed = {.size = SIZE_MAX};
	int status;

	if (!search.path)
		return PLUMB_ERR_NO_MEMORY;
	search.id.size = file->build_id_size;
	memcpy(search.id.bytes, file->build_id, file->build_id_size);
	if (file->kind != FILE_VDSO)
		open_image(&search, &changed);
	write_id(&search.id);
	look(&search);
	if (changed.size != SIZE_MAX && !search.symbols.elf && !search.runtime.elf)
		warn_of_change(&search, &changed);
	else if (search.other && !search.symbols.elf)
		warn_of_other(&search);
	free(search.other);
	memcpy(file->build_id, search.id.bytes, search.id.size);
	file->build_id_size = (uint8_t)search.id.size;
	settle(&search);
	file->gone = file->kind == FILE_USER && file->name[0] == '/' && !search.runtime.elf &&
		     access(search.path, R_OK) != 0;
	status = read_segments(&search);
	if (status == 0)
		status = read_symbols(&search);
	if (search.symbols.elf)
		elf_file_close(&search.symbols);
	if (search.runtime.elf && !search.same)
		elf_file_close(&search.runtime);
	if (search.image.elf)
		elf_file_close(&search.image);
	free(search.path);
	return status;
}

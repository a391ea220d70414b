/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the code of mapped files from the files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/cfi_file.h"
#include "symbol/symbolizer.h"

/* Finds the executable segment that holds the byte at a place in the file. */
static bool find_segment(const struct elf_file *file, uint64_t place, GElf_Phdr *segment)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++)
		if (elf_file_segment(file, i, segment) && segment->p_type == PT_LOAD &&
		    segment->p_flags & PF_X && place >= segment->p_offset &&
		    place - segment->p_offset < segment->p_filesz)
			return true;
	return false;
}

/* Opens `path` if it is the file that was mapped, or one with its build-id. */
static bool open_fitting(const struct plumb_symbol_file *file, const char *path,
			 struct elf_file *elf)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	int status = elf_file_open(elf, path);

	files_note(file->files, status);
	if (status < 0)
		return false;
	if (elf->descriptor >= 0 &&
	    (file->build_id_size == 0 || (elf_file_build_id(elf, id) == file->build_id_size &&
					  memcmp(id, file->build_id, file->build_id_size) == 0)))
		return true;
	elf_file_close(elf);
	return false;
}

/*
 * Files of debug information have the segments without their contents, so the mapped file comes
 * first.
 */
static bool open_code(struct plumb_symbolizer *symbolizer, struct plumb_symbol_file *file,
		      struct elf_file *elf)
{
	struct files *files = symbolizer_files(symbolizer);
	const char *root = files->paths.root ? files->paths.root : "";
	char *path = files_format("%s%s", root, file->name);
	bool opened = path && open_fitting(file, path, elf);

	free(path);
	if (opened)
		return true;
	file_load(files, file);
	return file->path && open_fitting(file, file->path, elf);
}

size_t symbolizer_code(struct plumb_symbolizer *symbolizer, struct plumb_symbol_file *file,
		       uint64_t address, void *bytes, size_t size, uint64_t *virtual_address)
{
	struct elf_file elf;
	GElf_Phdr segment;
	size_t count = 0;

	*virtual_address = address;
	if (file->kind != FILE_USER || !open_code(symbolizer, file, &elf))
		return 0;
	if (find_segment(&elf, address, &segment) && elf.header.e_machine == EM_AARCH64) {
		uint64_t left = segment.p_offset + segment.p_filesz - address;
		ssize_t got;

		*virtual_address = address - segment.p_offset + segment.p_vaddr;
		if (size > left)
			size = (size_t)left;
		do {
			got = pread(elf.descriptor, (char *)bytes + count, size - count,
				    (off_t)(address + count));
			count += got > 0 ? (size_t)got : 0;
		} while (count < size && (got > 0 || (got < 0 && errno == EINTR)));
	}
	files_note(file->files, 0);
	elf_file_close(&elf);
	return count;
}

/* ---- Functions without names ----------------------------------------------------------------- */

/* Finds the place in the file of code that is linked to `address`. */
static bool find_place(const GElf_Phdr *segments, size_t count, uint64_t address, uint64_t *place)
{
	for (size_t i = 0; i < count; i++) {
		const GElf_Phdr *s = &segments[i];

		if (s->p_flags & PF_X && address >= s->p_vaddr &&
		    address - s->p_vaddr < s->p_filesz) {
			*place = address - s->p_vaddr + s->p_offset;
			return true;
		}
	}
	return false;
}

static int list_bounds(const struct elf_file *elf, struct symbol_table *bounds)
{
	GElf_Phdr segments[ELF_SEGMENTS_MAX];
	const size_t count = elf_file_segments(elf, segments);
	uint64_t start, end;
	struct cfi *cfi;
	int error = cfi_open_eh_frame(elf, &cfi);

	if (error < 0 || !cfi)
		return error;
	for (size_t i = 0; error == 0 && cfi_function(cfi, i, &start, &end); i++) {
		struct plumb_symbol symbol = {.name = ""};

		if (!find_place(segments, count, start, &symbol.start))
			continue;
		symbol.end = symbol.start + (end - start);
		if (symbol.end > symbol.start)
			error = symbol_table_add(bounds, &symbol);
	}
	cfi_free(cfi);
	return error < 0 ? error : symbol_table_finish(bounds, false);
}

/* Names a function as `objdump` and reports do, by where its file has it. */
static const char *name_bounds(struct plumb_symbol_file *file, uint64_t start)
{
	const char *slash = strrchr(file->name, '/');
	uint64_t address;
	const char *kept;
	char *name;

	if (!file_link_address(file, start, &address))
		address = start;
	name = files_format("%s+0x%" PRIx64, slash && slash[1] ? slash + 1 : file->name, address);
	kept = name ? arena_strdup(&file->bounds.names, name) : NULL;
	free(name);
	if (!kept)
		files_note(file->files, PLUMB_ERR_NO_MEMORY);
	return kept ? kept : "";
}

const struct plumb_symbol *symbolizer_bounds(struct plumb_symbolizer *symbolizer,
					     struct plumb_symbol_file *file, uint64_t address)
{
	const struct plumb_symbol *found;
	struct plumb_symbol *symbol;
	struct elf_file elf;

	if (file->kind != FILE_USER)
		return NULL;
	if (!file->bounds_tried && open_code(symbolizer, file, &elf)) {
		int error = list_bounds(&elf, &file->bounds);

		if (error < 0)
			symbol_table_free(&file->bounds);
		files_note(file->files, error);
		elf_file_close(&elf);
	}
	file->bounds_tried = true;
	found = symbol_table_find(&file->bounds, address);
	if (!found)
		return NULL;
	symbol = &file->bounds.at[found - file->bounds.at];
	if (!*symbol->name)
		symbol->name = name_bounds(file, symbol->start);
	return symbol;
}

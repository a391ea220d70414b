/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the code of mapped files from the files, and that of generated code from jitdumps. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/cfi_file.h"
#include "symbol/jitdump.h"
#include "symbol/symbolizer.h"

/* Between two functions, padding is shorter, and so is code without call frame information; more
 * may be many functions. */
#define PADDING_MAX 4096
#define GAP_MAX     (256 << 10)
/* Marks padding, which belongs to the function before it, among the bounds. */
#define PADDING 255
/* Files have fewer sections with code. */
#define SECTIONS_MAX 64

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

/* Reads `size` bytes at a place, fewer at the end of the file. Returns how many. */
static size_t read_place(int descriptor, uint64_t place, void *bytes, size_t size)
{
	size_t count = 0;
	ssize_t got;

	do {
		got = pread(descriptor, (char *)bytes + count, size - count,
			    (off_t)(place + count));
		count += got > 0 ? (size_t)got : 0;
	} while (count < size && (got > 0 || (got < 0 && errno == EINTR)));
	return count;
}

/* Reads generated code from the file that describes it. */
static size_t generated_code(struct plumb_symbolizer *symbolizer, struct plumb_symbol_file *file,
			     uint64_t place, void *bytes, size_t size, uint64_t *virtual_address)
{
	uint64_t left;
	size_t count;
	FILE *in;

	if (!file->jitdump || !jitdump_is_a64(file->jitdump) ||
	    !jitdump_address(file->jitdump, place, virtual_address, &left))
		return 0;
	in = jitdump_open(symbolizer_files(symbolizer), file);
	if (!in)
		return 0;
	count = read_place(fileno(in), place, bytes, size > left ? (size_t)left : size);
	fclose(in);
	return count;
}

size_t symbolizer_code(struct plumb_symbolizer *symbolizer, struct plumb_symbol_file *file,
		       uint64_t address, void *bytes, size_t size, uint64_t *virtual_address)
{
	struct elf_file elf;
	GElf_Phdr segment;
	size_t count = 0;

	*virtual_address = address;
	if (file->kind == FILE_JITDUMP)
		return generated_code(symbolizer, file, address, bytes, size, virtual_address);
	if (file->kind != FILE_USER || !open_code(symbolizer, file, &elf))
		return 0;
	if (find_segment(&elf, address, &segment) && elf.header.e_machine == EM_AARCH64) {
		uint64_t left = segment.p_offset + segment.p_filesz - address;

		*virtual_address = address - segment.p_offset + segment.p_vaddr;
		if (size > left)
			size = (size_t)left;
		count = read_place(elf.descriptor, address, bytes, size);
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

/*
 * Returns whether a gap is nothing but what fills it up to where the next function is aligned: nops
 * and zeros. `address` is where it is linked to.
 */
static bool is_padding(const struct elf_file *elf, uint64_t address, uint64_t length)
{
	static const uint8_t nop[4] = {0x1f, 0x20, 0x03, 0xd5}, zeros[4];
	const uint8_t *bytes;
	size_t size;

	if (elf->header.e_machine != EM_AARCH64 || length % 4 || length > PADDING_MAX ||
	    !elf_file_loaded(elf, address, length, &bytes, &size) || size != length)
		return false;
	for (size_t i = 0; i < size; i += 4)
		if (memcmp(bytes + i, nop, 4) != 0 && memcmp(bytes + i, zeros, 4) != 0)
			return false;
	return true;
}

/*
 * Adds the part of a section from `start` up to `end`, places in the file, that is in no function;
 * `behind` tells whether there is one before it. Returns 0 or an error.
 */
static int add_gap(const struct elf_file *elf, const GElf_Shdr *section, uint64_t start,
		   uint64_t end, struct symbol_table *bounds, bool behind)
{
	const uint64_t address = start - section->sh_offset + section->sh_addr;
	const bool padding = behind && is_padding(elf, address, end - start);
	const struct plumb_symbol gap = {
		.name = "", .start = start, .end = end, .binding = padding ? PADDING : 0};

	return padding || end - start <= GAP_MAX ? symbol_table_add(bounds, &gap) : 0;
}

/* Adds the gaps between the first `count` functions in a section, which are sorted. */
static int add_gaps(const struct elf_file *elf, const GElf_Shdr *section,
		    struct symbol_table *bounds, size_t count)
{
	const uint64_t end = section->sh_offset + section->sh_size;
	uint64_t covered = section->sh_offset; /* up to here */
	bool behind = false;                   /* by a function */
	int error = 0;

	for (size_t i = 0; error >= 0 && i < count && bounds->at[i].start < end; i++) {
		const struct plumb_symbol function = bounds->at[i];

		if (function.end <= covered)
			continue;
		if (function.start > covered)
			error = add_gap(elf, section, covered, function.start, bounds, behind);
		covered = function.end;
		behind = true;
	}
	if (error >= 0 && covered < end)
		error = add_gap(elf, section, covered, end, bounds, behind);
	return error;
}

/*
 * Adds code that call frame information leaves out, such as assembly and .plt: what is between two
 * functions of a section is taken as one.
 */
static int list_gaps(const struct elf_file *elf, struct symbol_table *bounds)
{
	const size_t count = bounds->count;
	unsigned sections = 0;
	int error = 0;

	for (Elf_Scn *at = NULL; error >= 0 && (at = elf_nextscn(elf->elf, at));) {
		GElf_Shdr section;

		if (!gelf_getshdr(at, &section) || section.sh_type != SHT_PROGBITS ||
		    !(section.sh_flags & SHF_EXECINSTR) ||
		    section.sh_size > UINT64_MAX - section.sh_offset)
			continue;
		if (++sections > SECTIONS_MAX)
			break;
		error = add_gaps(elf, &section, bounds, count);
	}
	return error;
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
	if (error >= 0)
		error = symbol_table_finish(bounds, false);
	if (error >= 0 && bounds->count)
		error = list_gaps(elf, bounds);
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
	const struct plumb_symbol *found, *named;
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
	while (found->binding == PADDING && found > file->bounds.at)
		found--;
	/* Behind the end of a function with a name, this is its padding. */
	named = symbol_table_find(&file->symbols, found->start);
	if (named && named->start == found->start)
		return named;
	symbol = &file->bounds.at[found - file->bounds.at];
	if (!*symbol->name)
		symbol->name = name_bounds(file, symbol->start);
	return symbol;
}

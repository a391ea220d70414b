/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/supplement.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf_checks.h"

#define ID_MAX 64

/* The name of the other file, and what identifies it. */
struct link {
	const char *name;
	const uint8_t *id; /* a build-id, or the checksum in .debug_sup */
	size_t size;
	bool standard; /* in DWARF 5's .debug_sup, not in GNU's section */
};

/* Reads a number with 7 bits per byte; one that is longer than a checksum is damage. */
static bool read_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
	*length = 0;
	for (unsigned shift = 0; *at < end && shift < 28; shift += 7) {
		uint8_t byte = *(*at)++;

		*length |= (size_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* DWARF 5, section 7.3.6: version, whether it is the other file, its name, and a checksum. */
static bool read_debug_sup(const struct elf_file *elf, bool supplementary, struct link *link)
{
	const void *bytes;
	const uint8_t *at, *end, *name_end;
	size_t size;

	if (!elf_file_section(elf, ".debug_sup", &bytes, &size) || size < 5)
		return false;
	at = bytes;
	end = at + size;
	if (at[0] + at[1] != 5 || at[2] != supplementary)
		return false;
	at += 3;
	name_end = memchr(at, '\0', (size_t)(end - at));
	if (!name_end)
		return false;
	link->name = (const char *)at;
	at = name_end + 1;
	if (!read_length(&at, end, &link->size) || link->size > (size_t)(end - at))
		return false;
	link->id = at;
	link->standard = true;
	return true;
}

static bool read_link(struct link *link, Dwarf *main, const struct elf_file *elf)
{
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(main, &link->name, &id);

	if (size <= 0)
		return read_debug_sup(elf, false, link) && link->name[0];
	link->id = id;
	link->size = (size_t)size;
	return link->name[0];
}

static bool fits(const struct elf_file *elf, const struct link *link)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	struct link own = {0};

	if (link->standard)
		return read_debug_sup(elf, true, &own) && own.size == link->size &&
		       memcmp(own.id, link->id, own.size) == 0;
	return link->size <= sizeof(id) && elf_file_build_id(elf, id) == link->size &&
	       memcmp(id, link->id, link->size) == 0;
}

/* Looks at one candidate, and frees it. */
static bool try(struct supplement *supplement, struct files *files, const struct link *link,
		char *path)
{
	struct elf_file *file = &supplement->file;
	int status = path ? elf_file_open(file, path) : PLUMB_ERR_NO_MEMORY;

	free(path);
	files_note(files, status);
	if (status < 0)
		return false;
	if (fits(file, link))
		supplement->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (supplement->dwarf && !dwarf_strings_end(file->elf)) {
		dwarf_end(supplement->dwarf);
		supplement->dwarf = NULL;
	}
	if (!supplement->dwarf)
		elf_file_close(file);
	return supplement->dwarf;
}

static bool find(struct supplement *supplement, struct files *files, const struct link *link,
		 const char *path)
{
	const char *debug_dir = files->paths.debug_dir;
	const char *root = files->paths.root ? files->paths.root : "";
	const char *slash = strrchr(path, '/');
	char id[2 * ID_MAX + 1] = "";
	char *found;

	for (size_t i = 0; i < link->size && i < ID_MAX; i++)
		snprintf(id + 2 * i, 3, "%02x", link->id[i]);
	if (debug_dir && link->size > 1 &&
	    ((root[0] &&
	      try(supplement, files, link,
		  files_format("%s%s/.build-id/%.2s/%s.debug", root, debug_dir, id, id + 2))) ||
	     try(supplement, files, link,
		 files_format("%s/.build-id/%.2s/%s.debug", debug_dir, id, id + 2))))
		return true;
	if (link->name[0] != '/') {
		if (try(supplement, files, link,
			files_format("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
				     link->name)))
			return true;
	} else if ((root[0] &&
		    try(supplement, files, link, files_format("%s%s", root, link->name))) ||
		   try(supplement, files, link, strdup(link->name))) {
		return true;
	}
	found = link->standard ? NULL
			       : files_download(files, link->id, link->size, DEBUGINFOD_DEBUG);
	return found && try(supplement, files, link, found);
}

/* The sections of an empty file: one that libdw requires, and these names. */
#define NAMES "\0.debug_line\0.shstrtab"
/* This machine's byte order. */
#define DATA (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

/* A file with nothing else. */
static int open_empty(struct supplement *supplement)
{
	struct image {
		Elf64_Ehdr header;
		Elf64_Shdr sections[3];
		char names[sizeof(NAMES)], line[8];
	} *image = calloc(1, sizeof(*image));
	int status;

	if (!image)
		return PLUMB_ERR_NO_MEMORY;
	*image = (struct image){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, DATA,
				       EV_CURRENT},
			   .e_type = ET_REL,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(image->header),
			   .e_shoff = offsetof(struct image, sections),
			   .e_shentsize = sizeof(*image->sections),
			   .e_shnum = 3,
			   .e_shstrndx = 2},
		.sections = {[1] = {.sh_name = 1,
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = offsetof(struct image, line),
				    .sh_size = sizeof(image->line),
				    .sh_addralign = 1},
			     [2] = {.sh_name = sizeof(".debug_line") + 1,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(struct image, names),
				    .sh_size = sizeof(image->names),
				    .sh_addralign = 1}},
		.names = NAMES,
	};
	status = elf_file_open_memory(&supplement->empty_file, (char *)image, sizeof(*image));
	if (status < 0) {
		free(image);
		return status;
	}
	supplement->empty_file.bytes = (char *)image;
	supplement->empty = dwarf_begin_elf(supplement->empty_file.elf, DWARF_C_READ, NULL);
	return supplement->empty ? 0 : PLUMB_ERR_NO_MEMORY;
}

int supplement_open(struct supplement *supplement, struct files *files, Dwarf *main,
		    const struct elf_file *elf, const char *path)
{
	struct link link = {0};
	int status;

	*supplement = (struct supplement){0};
	status = open_empty(supplement);
	if (status < 0) {
		supplement_close(supplement);
		return status;
	}
	dwarf_setalt(main, supplement->empty);
	if (!read_link(&link, main, elf))
		return 0;
	if (!find(supplement, files, &link, path)) {
		files_warn(files,
			   files_format("%s: some names and lines are missing: its supplementary "
					"debug information, %.256s, was not found or is another's",
					path, link.name));
		return 0;
	}
	dwarf_setalt(supplement->dwarf, supplement->empty);
	dwarf_setalt(main, supplement->dwarf);
	return 0;
}

void supplement_forbid(const struct supplement *supplement, Dwarf *other)
{
	dwarf_setalt(other, supplement->empty);
}

void supplement_close(struct supplement *supplement)
{
	if (supplement->dwarf) {
		dwarf_end(supplement->dwarf);
		elf_file_close(&supplement->file);
	}
	if (supplement->empty)
		dwarf_end(supplement->empty);
	if (supplement->empty_file.elf)
		elf_file_close(&supplement->empty_file);
	*supplement = (struct supplement){0};
}

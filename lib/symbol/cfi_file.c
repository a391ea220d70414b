/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/cfi_file.h"

#include <dwarf.h>
#include <string.h>

#include "symbol/cfi_program.h"

static bool is_supported(const struct elf_file *elf)
{
	return elf->header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       elf->header.e_ident[EI_DATA] == ELFDATA2LSB;
}

/* Opens a section. `*there` tells whether the file has it, even if it is empty. */
static int open_section(const struct elf_file *elf, const char *name, bool is_eh_frame, bool *there,
			struct cfi **cfi)
{
	Elf_Scn *section = NULL;

	*there = false;
	while ((section = elf_nextscn(elf->elf, section))) {
		const Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    strcmp(elf_file_section_name(elf, &header), name) != 0)
			continue;
		*there = true;
		if (header.sh_type == SHT_NOBITS || header.sh_flags & SHF_COMPRESSED)
			continue;
		data = elf_file_raw_data(section);
		if (data && data->d_buf && data->d_size)
			return cfi_new(data->d_buf, data->d_size, header.sh_addr, is_eh_frame, cfi);
	}
	return 0;
}

/* ---- By the program headers ------------------------------------------------------------------ */

/* Finds .eh_frame_hdr (Linux Standard Base, Core, section 10.6.2). */
static bool find_header(const struct elf_file *elf, struct cfi_section *header)
{
	GElf_Phdr segment;
	size_t count;

	if (elf_getphdrnum(elf->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && i < ELF_SEGMENTS_MAX; i++) {
		if (!elf_file_segment(elf, i, &segment) || segment.p_type != PT_GNU_EH_FRAME)
			continue;
		header->address = segment.p_vaddr;
		return elf_file_loaded(elf, segment.p_vaddr, segment.p_filesz, &header->bytes,
				       &header->size);
	}
	return false;
}

/*
 * Reads where .eh_frame is, and how many functions it has: 0 if that is not said. The table after
 * that is for a search, which cfi_new() makes its own of.
 */
static bool read_header(const struct cfi_section *header, uint64_t *address, uint64_t *functions)
{
	struct dwarf_bytes bytes = {.at = header->bytes, .end = header->bytes + header->size};
	uint64_t version = dwarf_unsigned(&bytes, 1);
	uint8_t of_address = (uint8_t)dwarf_unsigned(&bytes, 1);
	uint8_t of_functions = (uint8_t)dwarf_unsigned(&bytes, 1);

	dwarf_skip(&bytes, 1); /* the encoding of the table */
	*address = cfi_read_address(header, &bytes, of_address);
	*functions = 0;
	if (of_functions != DW_EH_PE_omit)
		*functions = cfi_read_address(header, &bytes, of_functions);
	return version == 1 && !bytes.failed;
}

/*
 * Returns the size of .eh_frame, which nothing says without section headers: it ends with an empty
 * entry, or, if that is missing, after its last function.
 */
static size_t measure(const uint8_t *start, size_t room, uint64_t functions)
{
	struct dwarf_bytes bytes = {.at = start, .end = start + room};
	uint64_t left = functions ? functions : UINT64_MAX;

	while (left && dwarf_left(&bytes) >= 4) {
		uint64_t length = dwarf_unsigned(&bytes, 4);
		bool is_long = length == UINT32_MAX;
		struct dwarf_bytes entry;

		if (is_long)
			length = dwarf_unsigned(&bytes, 8);
		entry = bytes;
		dwarf_skip(&bytes, length);
		if (length == 0 || bytes.failed)
			return (size_t)(entry.at - start);
		/* 0 is the id of a common entry. */
		left -= dwarf_unsigned(&entry, is_long ? 8 : 4) != 0;
	}
	return (size_t)(bytes.at - start);
}

static int open_by_header(const struct elf_file *elf, struct cfi **cfi)
{
	struct cfi_section header;
	const uint8_t *bytes;
	uint64_t address, functions;
	size_t room;

	if (!find_header(elf, &header) || !read_header(&header, &address, &functions) ||
	    !elf_file_loaded(elf, address, UINT64_MAX, &bytes, &room))
		return 0;
	return cfi_new(bytes, measure(bytes, room, functions), address, true, cfi);
}

/* ---- Opening --------------------------------------------------------------------------------- */

int cfi_open_eh_frame(const struct elf_file *elf, struct cfi **cfi)
{
	bool there;
	int error;

	*cfi = NULL;
	if (!is_supported(elf))
		return 0;
	error = open_section(elf, ".eh_frame", true, &there, cfi);
	return there || error < 0 ? error : open_by_header(elf, cfi);
}

int cfi_open_debug_frame(const struct elf_file *elf, struct cfi **cfi)
{
	bool there;

	*cfi = NULL;
	return is_supported(elf) ? open_section(elf, ".debug_frame", false, &there, cfi) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file, opened by libelf, and what identifies it. */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <gelf.h>
#include <plumb/error.h>

/* The size of a SHA-1 sum; longer build-ids are cut off, as in perf. */
#define ELF_BUILD_ID_MAX 20

/* More segments than this are ignored: compilers make a dozen. */
#define ELF_SEGMENTS_MAX 256

/* An ELF file that is open. */
struct elf_file {
	int descriptor; /* -1: none, because the bytes are in memory */
	char *bytes;    /* freed when it is closed; NULL: none */
	Elf *elf;
	GElf_Ehdr header;
	Elf_Scn *symtab, *dynsym;
};

/* Returns what errno says of open(): NO_MEMORY if memory or file descriptors ran out, else IO. */
int elf_file_open_error(int error);

/*
 * Opens `path`, which must be a regular file, or `size` bytes in memory, which must stay. Returns
 * 0, IO, SYNTAX, or NO_MEMORY if memory or file descriptors ran out.
 */
int elf_file_open(struct elf_file *file, const char *path);
int elf_file_open_memory(struct elf_file *file, char *bytes, size_t size);
/* Opens this process's own [vdso]. Returns 0, SYNTAX, or NOT_FOUND: there is none. */
int elf_file_open_vdso(struct elf_file *file);
void elf_file_close(struct elf_file *file);

/*
 * libelf's functions for the data of a section, with and without conversion, for a part of it, and
 * for a program header. They read the file; NULL or false may mean that memory ran out.
 */
Elf_Data *elf_file_data(Elf_Scn *section);
Elf_Data *elf_file_raw_data(Elf_Scn *section);
Elf_Data *elf_file_part(const struct elf_file *file, uint64_t offset, uint64_t size, Elf_Type type);
bool elf_file_segment(const struct elf_file *file, size_t index, GElf_Phdr *segment);
/* Returns whether memory ran out in one of them, in this thread, since this was last asked. */
bool elf_file_ran_out(void);

/* Returns whether it has DWARF. */
bool elf_file_has_debug_info(const struct elf_file *file);

/* Finds its build-id. Returns its size, or 0: none. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t id[ELF_BUILD_ID_MAX]);

/* Finds the build-id in `size` bytes of notes. */
size_t elf_notes_build_id(const uint8_t *notes, size_t size, uint8_t id[ELF_BUILD_ID_MAX]);

/* Lists the loaded segments, at most ELF_SEGMENTS_MAX. Returns how many. */
size_t elf_file_segments(const struct elf_file *file, GElf_Phdr *segments);

/*
 * Finds the bytes of the file that are loaded at `address`: at most `room`, up to the end of their
 * segment. They belong to the file.
 */
bool elf_file_loaded(const struct elf_file *file, uint64_t address, uint64_t room,
		     const uint8_t **bytes, size_t *size);

/* Returns the name of a section; "" if it has none. */
const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *section);

/* Returns how many entries a section's data has. */
size_t elf_section_entries(const Elf_Data *data, const GElf_Shdr *section);

/* Returns the bytes of a section of type SHT_PROGBITS, if it has any. They belong to the file. */
bool elf_file_section(const struct elf_file *file, const char *name, const void **bytes,
		      size_t *size);

/*
 * Returns the name in .gnu_debuglink, and its file's CRC; NULL if there is none. The file owns it.
 */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc);

/* Computes the CRC of all bytes of an opened file. Returns false if they cannot be read. */
bool elf_file_crc(const struct elf_file *file, uint32_t *crc);

#endif

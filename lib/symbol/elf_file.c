/* SPDX-License-Identifier: Apache-2.0 */
/* Opens ELF files, and finds their build-ids and links to debug information. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "symbol/elf_file.h"

static __thread bool ran_out;

/* Notes why a function of libelf failed; errno was 0 before. */
static void note_failure(bool failed)
{
	ran_out |= failed && errno == ENOMEM;
}

Elf_Data *elf_file_data(Elf_Scn *section)
{
	Elf_Data *data;

	errno = 0;
	data = elf_getdata(section, NULL);
	note_failure(!data);
	return data;
}

Elf_Data *elf_file_raw_data(Elf_Scn *section)
{
	Elf_Data *data;

	errno = 0;
	data = elf_rawdata(section, NULL);
	note_failure(!data);
	return data;
}

Elf_Data *elf_file_part(const struct elf_file *file, uint64_t offset, uint64_t size, Elf_Type type)
{
	Elf_Data *data = NULL;

	errno = 0;
	if (offset <= INT64_MAX && size <= SIZE_MAX)
		data = elf_getdata_rawchunk(file->elf, (int64_t)offset, (size_t)size, type);
	note_failure(!data);
	return data;
}

bool elf_file_segment(const struct elf_file *file, size_t index, GElf_Phdr *segment)
{
	bool read;

	errno = 0;
	read = index <= INT32_MAX && gelf_getphdr(file->elf, (int)index, segment);
	note_failure(!read);
	return read;
}

bool elf_file_ran_out(void)
{
	bool answer = ran_out;

	ran_out = false;
	return answer;
}

static Elf_Scn *section(const struct elf_file *file, const char *name, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, &header) || (type && header.sh_type != type))
			continue;
		found = elf_strptr(file->elf, names, header.sh_name);
		if (found && strcmp(found, name) == 0)
			return scn;
	}
	return NULL;
}

size_t elf_file_segments(const struct elf_file *file, GElf_Phdr *segments)
{
	size_t count, kept = 0;

	if (elf_getphdrnum(file->elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count && i <= INT32_MAX && kept < ELF_SEGMENTS_MAX; i++) {
		if (elf_file_segment(file, i, &segments[kept]) && segments[kept].p_type == PT_LOAD)
			kept++;
	}
	return kept;
}

bool elf_file_loaded(const struct elf_file *file, uint64_t address, uint64_t room,
		     const uint8_t **bytes, size_t *size)
{
	GElf_Phdr segments[ELF_SEGMENTS_MAX];
	size_t count = elf_file_segments(file, segments);

	for (size_t i = 0; i < count; i++) {
		uint64_t into = address - segments[i].p_vaddr, left;
		Elf_Data *data;

		if (address < segments[i].p_vaddr || into >= segments[i].p_filesz ||
		    segments[i].p_offset > INT64_MAX - into)
			continue;
		left = segments[i].p_filesz - into;
		errno = 0;
		data = elf_getdata_rawchunk(file->elf, (int64_t)(segments[i].p_offset + into),
					    left < room ? left : room, ELF_T_BYTE);
		note_failure(!data);
		if (!data || !data->d_buf || !data->d_size)
			return false;
		*bytes = data->d_buf;
		*size = data->d_size;
		return true;
	}
	return false;
}

const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *section)
{
	size_t names;
	const char *name = NULL;

	if (elf_getshdrstrndx(file->elf, &names) == 0)
		name = elf_strptr(file->elf, names, section->sh_name);
	return name ? name : "";
}

size_t elf_section_entries(const Elf_Data *data, const GElf_Shdr *section)
{
	if (!data || !data->d_buf || section->sh_entsize == 0)
		return 0;
	return data->d_size / section->sh_entsize;
}

static int begin(struct elf_file *file)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &file->header)) {
		elf_file_close(file);
		return PLUMB_ERR_SYNTAX;
	}
	file->symtab = section(file, ".symtab", SHT_SYMTAB);
	file->dynsym = section(file, ".dynsym", SHT_DYNSYM);
	return 0;
}

int elf_file_open_error(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ? PLUMB_ERR_NO_MEMORY
								     : PLUMB_ERR_IO;
}

/* Checks before opening, because opening a device may have side effects, and again afterwards. */
int elf_file_open(struct elf_file *file, const char *path)
{
	struct stat status;

	*file = (struct elf_file){.descriptor = -1};
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return PLUMB_ERR_IO;
	file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->descriptor < 0)
		return elf_file_open_error(errno);
	if (fstat(file->descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
		elf_file_close(file);
		return PLUMB_ERR_IO;
	}
	elf_version(EV_CURRENT);
	errno = 0;
	/*
	 * Reads it instead of mapping it: a file that is truncated meanwhile must not cause a
	 * SIGBUS.
	 */
	file->elf = elf_begin(file->descriptor, ELF_C_READ, NULL);
	if (!file->elf && errno == ENOMEM) {
		elf_file_close(file);
		return PLUMB_ERR_NO_MEMORY;
	}
	return begin(file);
}

int elf_file_open_memory(struct elf_file *file, char *bytes, size_t size)
{
	*file = (struct elf_file){.descriptor = -1};
	elf_version(EV_CURRENT);
	file->elf = elf_memory(bytes, size);
	return begin(file);
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->descriptor >= 0)
		close(file->descriptor);
	free(file->bytes);
	*file = (struct elf_file){.descriptor = -1};
}

size_t elf_notes_build_id(const uint8_t *notes, size_t size, uint8_t id[ELF_BUILD_ID_MAX])
{
	const uint8_t *found = NULL;
	size_t length = elf_note_build_id(notes, size, &found);

	if (length > ELF_BUILD_ID_MAX)
		length = ELF_BUILD_ID_MAX;
	if (found)
		memcpy(id, found, length);
	return length;
}

size_t elf_file_build_id(const struct elf_file *file, uint8_t id[ELF_BUILD_ID_MAX])
{
	static const char *const names[] = {".note.gnu.build-id", ".notes", ".note"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		Elf_Scn *scn = section(file, names[i], 0);
		const Elf_Data *data = scn ? elf_file_data(scn) : NULL;

		if (data && data->d_buf)
			return elf_notes_build_id(data->d_buf, data->d_size, id);
	}
	return 0;
}

bool elf_file_has_debug_info(const struct elf_file *file)
{
	Elf_Scn *scn = section(file, ".debug_info", 0);
	GElf_Shdr header;

	if (!scn)
		scn = section(file, ".zdebug_info", 0);
	return scn && gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS;
}

bool elf_file_section(const struct elf_file *file, const char *name, const void **bytes,
		      size_t *size)
{
	Elf_Scn *scn = section(file, name, SHT_PROGBITS);
	const Elf_Data *data = scn ? elf_file_raw_data(scn) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return false;
	*bytes = data->d_buf;
	*size = data->d_size;
	return true;
}

/* A name, its NUL, zeros up to a multiple of four, and the CRC in the file's byte order. */
const char *elf_file_debuglink(const struct elf_file *file, uint32_t *crc)
{
	const void *data;
	const uint8_t *bytes, *end;
	size_t at, size;

	if (!elf_file_section(file, ".gnu_debuglink", &data, &size) ||
	    !(end = memchr(data, '\0', size)))
		return NULL;
	bytes = data;
	at = ((size_t)(end - bytes) + 4) & ~(size_t)3;
	if (at > size || size - at < 4 || strchr(data, '/'))
		return NULL;
	bytes += at;
	if (file->header.e_ident[EI_DATA] == ELFDATA2MSB)
		*crc = (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
	else
		*crc = (uint32_t)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 | bytes[0];
	return data;
}

/* The CRC-32 of Ethernet and zlib, least significant bit first, for each byte. */
static void fill_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (unsigned bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
}

bool elf_file_crc(const struct elf_file *file, uint32_t *crc)
{
	uint8_t bytes[32768];
	uint32_t table[256], sum = UINT32_MAX;
	off_t at = 0;
	ssize_t got;

	fill_crc_table(table);
	while ((got = pread(file->descriptor, bytes, sizeof(bytes), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sum = table[(sum ^ bytes[i]) & 0xff] ^ sum >> 8;
		at += got;
	}
	*crc = ~sum;
	return got == 0;
}

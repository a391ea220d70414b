/* SPDX-License-Identifier: Apache-2.0 */
/* Opening ELF files, and the names they go by: build-ids and links to debug information. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "symbol/elf_symbols.h"

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

int elf_file_open(struct elf_file *file, const char *path)
{
	*file = (struct elf_file){.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	if (file->descriptor < 0)
		return PLUMB_ERR_IO;
	elf_version(EV_CURRENT);
	/* Read, not mapped: a file that shrinks under us must not end in a SIGBUS. */
	file->elf = elf_begin(file->descriptor, ELF_C_READ, NULL);
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
		const Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

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

const char *elf_file_debuglink(const struct elf_file *file)
{
	Elf_Scn *scn = section(file, ".gnu_debuglink", SHT_PROGBITS);
	const Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !memchr(data->d_buf, '\0', data->d_size))
		return NULL;
	return data->d_buf;
}

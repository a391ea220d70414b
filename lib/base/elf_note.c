/* SPDX-License-Identifier: Apache-2.0 */
#include "base/elf_note.h"

#include <elf.h>
#include <string.h>

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

size_t elf_note_build_id(const uint8_t *notes, size_t size, const uint8_t **id)
{
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		const uint8_t *name = notes + sizeof(note);
		size_t whole;

		memcpy(&note, notes, sizeof(note));
		whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (whole > size)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && note.n_descsz) {
			*id = name + padded(note.n_namesz);
			return note.n_descsz;
		}
		notes += whole;
		size -= whole;
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "base/file.h"

#define NOTES_MAX 65536

bool build_id_in_notes(const uint8_t *notes, size_t size, struct build_id *id)
{
	const uint8_t *found = NULL;
	const size_t length = elf_note_build_id(notes, size, &found);

	if (!found || length > BUILD_ID_MAX)
		return false;
	*id = (struct build_id){.size = (uint8_t)length};
	memcpy(id->bytes, found, length);
	return true;
}

bool build_id_of_notes(const char *path, struct build_id *id)
{
	char *notes;
	size_t size;
	bool found;

	if (file_read(path, NOTES_MAX, &notes, &size) < 0)
		return false;
	found = build_id_in_notes((const uint8_t *)notes, size, id);
	free(notes);
	return found;
}

static bool find_in_segments(Elf *elf, struct build_id *id)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		const Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE ||
		    segment.p_filesz > NOTES_MAX)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    ELF_T_BYTE);
		if (data && build_id_in_notes(data->d_buf, data->d_size, id))
			return true;
	}
	return false;
}

bool build_id_of_file(const char *path, ino_t inode, struct build_id *id)
{
	/* A mapped path may name a device: opening it might block, or have side effects. */
	struct stat file;
	int fd = stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_ino == inode
			 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			 : -1;
	Elf *elf = NULL;
	bool found = false;

	if (fd < 0)
		return false;
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		found = elf_kind(elf) == ELF_K_ELF && find_in_segments(elf, id);
		elf_end(elf);
	}
	close(fd);
	return found;
}

const struct build_id *build_id_of_map(struct build_id_cache *cache, const char *path,
				       uint64_t device, uint64_t inode)
{
	struct build_id_entry *entry =
		&cache->entries[(inode ^ device << 3) %
				(sizeof(cache->entries) / sizeof(*cache->entries))];

	if (entry->inode == inode && entry->device == device)
		return &entry->id;
	*entry = (struct build_id_entry){.device = device, .inode = inode};
	if (inode == 0 || !build_id_of_file(path, inode, &entry->id))
		entry->id.size = 0;
	return &entry->id;
}

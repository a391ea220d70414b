/* SPDX-License-Identifier: Apache-2.0 */
/* The GNU build-id in ELF notes, as files, kernels and core dumps have them. */
#ifndef BASE_ELF_NOTE_H
#define BASE_ELF_NOTE_H

#include <stddef.h>
#include <stdint.h>

/* Sets `*id` to the build-id in `notes`. Returns its length in bytes, or 0 if there is none. */
size_t elf_note_build_id(const uint8_t *notes, size_t size, const uint8_t **id);

#endif

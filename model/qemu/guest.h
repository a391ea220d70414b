/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses the guest's memory. Its addresses are the host's, as QEMU's guest_base is 0. */
#ifndef MODEL_QEMU_GUEST_H
#define MODEL_QEMU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* Copies `size` bytes, or a string shorter than that. Returns false if they cannot be read. */
bool guest_read(uint64_t address, void *out, unsigned long size);
bool guest_read_string(uint64_t address, char *out, unsigned long size);

/* The address without the tag in its highest byte, with which system calls may be told it. */
static inline uint64_t guest_untagged(uint64_t address)
{
	return address & UINT64_MAX >> 8;
}

/* Writes `size` bytes. Returns false if it cannot. */
bool guest_write(uint64_t address, const void *bytes, unsigned long size);

/*
 * Flips bits, 11 at most, of an aligned word in one access, which another process that has it in
 * common does not come between. Returns false if the word cannot be written.
 */
bool guest_flip(uint64_t address, uint32_t bits);

#endif

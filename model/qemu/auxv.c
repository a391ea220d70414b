/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/auxv.h"

#include <stddef.h>

#include "qemu/guest.h"

/* Linux: include/uapi/linux/auxvec.h, arch/arm64/include/uapi/asm/auxvec.h. */
enum {
	TYPE_NULL = 0,
	TYPE_IGNORE = 1,
	TYPE_HWCAP = 16,
	TYPE_HWCAP2 = 26,
	TYPE_HWCAP3 = 29,
	TYPE_HWCAP4 = 30,
	TYPE_SYSINFO_EHDR = 33,
};

#define ENTRIES_MAX 64
#define WORDS_MAX   (1u << 20) /* arguments and environment */

struct entry {
	uint64_t type, value;
};

/*
 * Limits an entry to what QEMU 7.2 has for `-cpu max,sve-max-vq=1,pauth-impdef=on`. Returns false
 * if it has none.
 */
static bool limit(struct entry *entry)
{
	switch (entry->type) {
	case TYPE_HWCAP:
		entry->value &= 0xecfffffb;
		return true;
	case TYPE_HWCAP2:
		entry->value &= 0x7f877fff;
		return true;
	case TYPE_HWCAP3:
	case TYPE_HWCAP4:
	case TYPE_SYSINFO_EHDR: /* QEMU's vDSO only makes the system calls */
		return false;
	default:
		return true;
	}
}

/* Moves `*at` behind the NULL that ends a list of pointers. Returns false if it cannot be read. */
static bool skip_list(uint64_t *at)
{
	uint64_t word = 1;

	for (unsigned i = 0; i < WORDS_MAX && word; i++, *at += sizeof(word))
		if (!guest_read(*at, &word, sizeof(word)))
			return false;
	return !word;
}

bool auxv_limit(uint64_t sp)
{
	uint64_t from = sp + 8 /* behind argc */, to;
	struct entry entry = {.type = TYPE_IGNORE};

	if (!skip_list(&from) || !skip_list(&from))
		return false;
	to = from;
	for (unsigned i = 0; i < ENTRIES_MAX && entry.type != TYPE_NULL; i++) {
		if (!guest_read(from, &entry, sizeof(entry)))
			return false;
		from += sizeof(entry);
		if (!limit(&entry))
			continue;
		if (!guest_write(to, &entry, sizeof(entry)))
			return false;
		to += sizeof(entry);
	}
	return entry.type == TYPE_NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/start.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#define BYTES_MAX   (16u << 20)

struct entry {
	uint64_t type, value;
};

/* The lists of pointers behind argc. */
struct lists {
	uint64_t environment, vector; /* addresses */
	size_t variables;             /* in the environment */
};

/* ---- The auxiliary vector ---------------------------------------------------------------------
 */

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
	case TYPE_SYSINFO_EHDR:
		return false;
	default:
		return true;
	}
}

/* Reads the vector up to its end into `entries`. Returns how many there are, 0 if it has no end. */
static size_t read_vector(uint64_t from, struct entry entries[ENTRIES_MAX])
{
	for (size_t i = 0; i < ENTRIES_MAX; i++) {
		if (!guest_read(from + i * sizeof(*entries), &entries[i], sizeof(*entries)))
			return 0;
		if (entries[i].type == TYPE_NULL)
			return i + 1;
	}
	return 0;
}

/*
 * Limits the vector. Entries that are dropped leave their room at its beginning, to ones that are
 * ignored. Sets `*dropped` to how many those are.
 */
static bool limit_vector(uint64_t vector, size_t *dropped)
{
	struct entry entries[ENTRIES_MAX];
	size_t count = read_vector(vector, entries), kept = count;

	for (size_t i = count; i-- > 0;)
		if (limit(&entries[i]))
			entries[--kept] = entries[i];
	for (size_t i = 0; i < kept; i++)
		entries[i] = (struct entry){.type = TYPE_IGNORE};
	*dropped = kept;
	return count && guest_write(vector, entries, count * sizeof(*entries));
}

/* ---- The environment --------------------------------------------------------------------------
 */

static size_t count_strings(char *const *strings)
{
	size_t count = 0;

	while (strings[count])
		count++;
	return count;
}

/* Returns whether the guest's string at `address` is `string`. */
static bool is_string(uint64_t address, const char *string)
{
	size_t size = strlen(string) + 1;
	char *copy = size <= BYTES_MAX ? malloc(size) : NULL;
	bool is = copy && guest_read(address, copy, size) && !memcmp(copy, string, size);

	free(copy);
	return is;
}

/* Returns whether the guest's strings are `strings` in reverse, one after the other. */
static bool is_reversed(const uint64_t *pointers, char *const *strings, size_t count)
{
	uint64_t at = count ? pointers[0] : 0;

	for (size_t i = 0; i < count; i++) {
		const char *string = strings[count - 1 - i];

		if (pointers[i] != at || !is_string(at, string))
			return false;
		at += strlen(string) + 1;
	}
	return count > 1;
}

/* Writes `strings` one after the other, beginning at `at`, and sets the pointers to them. */
static bool write_strings(uint64_t at, uint64_t *pointers, char *const *strings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(strings[i]) + 1;

		pointers[i] = at;
		if (!guest_write(at, strings[i], size))
			return false;
		at += size;
	}
	return true;
}

/* Puts the guest's environment into the order of `strings` if it has them in reverse. */
static bool restore_order(const struct lists *lists, char *const *strings)
{
	size_t count = lists->variables, size = count * sizeof(uint64_t);
	uint64_t *pointers;
	bool good = false;

	if (count < 2 || count != count_strings(strings))
		return true;
	pointers = malloc(size);
	if (pointers && guest_read(lists->environment, pointers, size))
		good = !is_reversed(pointers, strings, count) ||
		       (write_strings(pointers[0], pointers, strings, count) &&
			guest_write(lists->environment, pointers, size));
	free(pointers);
	return good;
}

/* ---- The stack --------------------------------------------------------------------------------
 */

/* Moves `*at` behind the NULL that ends a list of pointers. Returns false if it cannot be read. */
static bool skip_list(uint64_t *at, size_t *count)
{
	uint64_t word = 1;
	size_t words = 0;

	for (; words < WORDS_MAX && word; words++, *at += sizeof(word))
		if (!guest_read(*at, &word, sizeof(word)))
			return false;
	*count = words - 1;
	return !word;
}

static bool find_lists(uint64_t sp, struct lists *lists)
{
	size_t arguments;

	lists->environment = sp + 8 /* behind argc */;
	if (!skip_list(&lists->environment, &arguments))
		return false;
	lists->vector = lists->environment;
	return skip_list(&lists->vector, &lists->variables);
}

/*
 * Moves everything from argc to the environment down by one entry, to make room for one that is
 * ignored.
 */
static bool add_entry(uint64_t *sp, uint64_t vector)
{
	struct entry entry = {.type = TYPE_IGNORE};
	size_t size = vector - *sp;
	uint64_t to = *sp - sizeof(entry);
	char *copy = malloc(size);
	bool good = copy && guest_read(*sp, copy, size) && guest_write(to, copy, size) &&
		    guest_write(vector - sizeof(entry), &entry, sizeof(entry));

	free(copy);
	if (good)
		*sp = to;
	return good;
}

bool start_program(const struct registers *registers)
{
	struct lists lists;
	size_t dropped;
	uint64_t sp;

	if (!registers_have_general(registers))
		return false;
	sp = registers_general(registers, 31);
	if (!find_lists(sp, &lists) || !restore_order(&lists, environ) ||
	    !limit_vector(lists.vector, &dropped))
		return false;
	/* QEMU 7.2 has one entry less than later versions. */
	if (!dropped && registers_set_sp(registers, sp) && add_entry(&sp, lists.vector))
		registers_set_sp(registers, sp);
	return true;
}

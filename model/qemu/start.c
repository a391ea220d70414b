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

#define ENTRIES_MAX  64
#define WORDS_MAX    (1u << 20) /* arguments and environment */
#define BYTES_MAX    (16u << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* The bits of AT_HWCAP, as /proc/cpuinfo names them (Linux: arch/arm64/kernel/cpuinfo.c). */
static const char *const bits_1[] = {
	"fp",      "asimd", "evtstrm", "aes",   "pmull",    "sha1",   "sha2", "crc32",
	"atomics", "fphp",  "asimdhp", "cpuid", "asimdrdm", "jscvt",  "fcma", "lrcpc",
	"dcpop",   "sha3",  "sm3",     "sm4",   "asimddp",  "sha512", "sve",  "asimdfhm",
	"dit",     "uscat", "ilrcpc",  "flagm", "ssbs",     "sb",     "paca", "pacg"};
/* Those of AT_HWCAP2 that QEMU 7.2 has. */
static const char *const bits_2[] = {"dcpodp",   "sve2",     "sveaes",  "svepmull", "svebitperm",
				     "svesha3",  "svesm4",   "flagm2",  "frint",    "svei8mm",
				     "svef32mm", "svef64mm", "svebf16", "i8mm",     "bf16",
				     "dgh",      "rng",      "bti",     "mte"};

/* Those among `names` that `features` has. */
static uint64_t bits_of(const char *features, const char *const *names, size_t count)
{
	uint64_t bits = 0;

	for (const char *at = features; *at; at += strspn(at, " ")) {
		const size_t length = strcspn(at, " ");

		for (size_t i = 0; i < count; i++)
			if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0)
				bits |= 1ull << i;
		at += length;
	}
	return bits;
}

/*
 * Limits an entry to what the core has, and QEMU 7.2 for `-cpu max`. Returns false if they have
 * none.
 */
static bool limit(struct entry *entry, const char *features)
{
	switch (entry->type) {
	case TYPE_HWCAP:
		entry->value &= 0xecfffffb & bits_of(features, bits_1, COUNT(bits_1));
		return true;
	case TYPE_HWCAP2:
		entry->value &= 0x7f877fff & bits_of(features, bits_2, COUNT(bits_2));
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
static bool limit_vector(uint64_t vector, const char *features, size_t *dropped)
{
	struct entry entries[ENTRIES_MAX];
	size_t count = read_vector(vector, entries), kept = count;

	for (size_t i = count; i-- > 0;)
		if (limit(&entries[i], features))
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

bool start_program(const struct registers *registers, const char *features)
{
	struct lists lists;
	size_t dropped;
	uint64_t sp;

	if (!registers_have_general(registers))
		return false;
	registers_set_zero_block(registers);
	sp = registers_general(registers, 31);
	if (!find_lists(sp, &lists) || !restore_order(&lists, environ) ||
	    !limit_vector(lists.vector, features, &dropped))
		return false;
	/* QEMU 7.2 has one entry less than later versions. */
	if (!dropped && registers_set_sp(registers, sp) && add_entry(&sp, lists.vector))
		registers_set_sp(registers, sp);
	return true;
}

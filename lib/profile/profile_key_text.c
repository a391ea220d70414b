/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a profile's keys as text, and in its order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem_text.h"
#include "profile/profile.h"

static const char *const access_names[ACCESSES] = {
	[ACCESS_LOAD] = "load",
	[ACCESS_STORE] = "store",
	[ACCESS_ATOMIC] = "atomic",
};

/* Writes a number as "0x%" PRIx64 does, where there is room for 19 characters, and returns `room`.
 * Most rows of large reports have one. */
static const char *hex(uint64_t number, char *room)
{
	const int digits = number ? (67 - __builtin_clzll(number)) / 4 : 1;

	room[0] = '0';
	room[1] = 'x';
	for (int i = 0; i < digits; i++)
		room[2 + i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
	room[2 + digits] = '\0';
	return room;
}

static const char *symbol_text(const struct plumb_profile *profile, const uint64_t value[2],
			       char room[PLUMB_PROFILE_TEXT])
{
	const char *dso = (const char *)(uintptr_t)(value[1] & ~UINT64_C(1));
	char *at = room;

	if (!(value[1] & 1))
		return plumb_symbol_name((const struct plumb_symbol *)(uintptr_t)value[0]);
	if (dso != profile->unknown) {
		at = (char *)memccpy(room, dso, '\0', PLUMB_PROFILE_TEXT - 32);
		at = at ? at - 1 : room + PLUMB_PROFILE_TEXT - 32;
		*at++ = '+';
	}
	hex(value[0], at);
	return room;
}

/* "RETIRED L1D-ACCESS"; bits without a name as a number. */
static const char *events_text(const uint64_t value[2], char room[PLUMB_PROFILE_TEXT])
{
	size_t used = 0;

	room[0] = '\0';
	for (unsigned bit = 0; bit < 64 && used < PLUMB_PROFILE_TEXT; bit++) {
		const char *name = plumb_spe_event_name((uint32_t)(value[1] >> 1), bit);
		const char *space = used ? " " : "";

		if (!(value[0] >> bit & 1))
			continue;
		if (name)
			used += (size_t)snprintf(room + used, PLUMB_PROFILE_TEXT - used, "%s%s",
						 space, name);
		else
			used += (size_t)snprintf(room + used, PLUMB_PROFILE_TEXT - used,
						 "%sevent-%u", space, bit);
	}
	return *room ? room : "none";
}

/* "l1d-access tlb-access" */
static const char *groups_text(uint64_t groups, char room[PLUMB_PROFILE_TEXT])
{
	size_t used = 0;

	room[0] = '\0';
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS && used < PLUMB_PROFILE_TEXT; group++)
		if (groups & PLUMB_SPE_GROUP_BIT(group))
			used += (size_t)snprintf(room + used, PLUMB_PROFILE_TEXT - used, "%s%s",
						 used ? " " : "", plumb_spe_group_name(group));
	return room;
}

/* Of the numbers of `bits` bits: "16-31" */
static const char *range_text(uint64_t bits, char room[PLUMB_PROFILE_TEXT])
{
	const uint64_t low = bits ? UINT64_C(1) << (bits - 1) : 0;

	if (bits < 2)
		snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64, low);
	else
		snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64 "-%" PRIu64, low, low + (low - 1));
	return room;
}

/* A field of perf's data source. */
static const char *field_text(unsigned key, uint64_t source, char room[PLUMB_PROFILE_TEXT])
{
	struct mem_text text = {.length = 0};

	if (key == PLUMB_KEY_SNOOP)
		mem_text_snoop(&text, source);
	else if (key == PLUMB_KEY_TLB)
		mem_text_tlb(&text, source);
	else if (key == PLUMB_KEY_LOCKED)
		mem_text_lock(&text, source);
	else
		mem_text_block(&text, source);
	snprintf(room, PLUMB_PROFILE_TEXT, "%s", text.bytes + strspn(text.bytes, " "));
	return room;
}

/* "4K", as perf writes it: with the largest unit that leaves more than 1. */
static const char *page_size_text(uint64_t size, char room[PLUMB_PROFILE_TEXT])
{
	unsigned unit = 0;

	for (; size / 1024 > 1 && unit < 3; unit++)
		size /= 1024;
	snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64 "%c", size, "BKMG"[unit]);
	return room;
}

const char *key_text(const struct plumb_profile *profile, unsigned key, const uint64_t value[2],
		     char room[PLUMB_PROFILE_TEXT])
{
	const char *name;

	if (key == PLUMB_KEY_SYMBOL ||
	    ((key == PLUMB_KEY_SYMBOL_TO || key == PLUMB_KEY_DATA_SYMBOL) && value[1]))
		return symbol_text(profile, value, room);
	if (value[1] == 0)
		return (const char *)(uintptr_t)value[0];
	switch (key) {
	case PLUMB_KEY_OP:
		return plumb_spe_kind_name((unsigned)value[0]);
	case PLUMB_KEY_SUBCLASS:
		return plumb_spe_subclass_name((unsigned)value[0]);
	case PLUMB_KEY_ACCESS:
		return value[0] < ACCESSES ? access_names[value[0]] : "unknown";
	case PLUMB_KEY_EVENT:
		return events_text(value, room);
	case PLUMB_KEY_DATA_SOURCE:
		name = plumb_spe_data_source_name((uint32_t)(value[1] >> 1), value[0]);
		return name ? name : hex(value[0], room);
	case PLUMB_KEY_GROUP:
		return groups_text(value[0], room);
	case PLUMB_KEY_TIME:
		snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64 ".%" PRIu64, value[0] / 10,
			 value[0] % 10);
		return room;
	case PLUMB_KEY_LATENCY_RANGE:
		return range_text(value[0], room);
	case PLUMB_KEY_MISPREDICT:
		return value[0] ? "Yes" : "No";
	case PLUMB_KEY_SNOOP:
	case PLUMB_KEY_TLB:
	case PLUMB_KEY_LOCKED:
	case PLUMB_KEY_BLOCKED:
		return field_text(key, value[0], room);
	case PLUMB_KEY_DATA_PAGE_SIZE:
	case PLUMB_KEY_CODE_PAGE_SIZE:
		return page_size_text(value[0], room);
	case PLUMB_KEY_CGROUP_ID:
		snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64 "/0x%" PRIx64, value[1] - 1,
			 value[0]);
		return room;
	case PLUMB_KEY_PID:
	case PLUMB_KEY_TID:
	case PLUMB_KEY_SOCKET:
	case PLUMB_KEY_SYMBOL_SIZE:
	case PLUMB_KEY_DSO_SIZE:
	case PLUMB_KEY_CPU:
	case PLUMB_KEY_LATENCY:
	case PLUMB_KEY_CYCLES:
	case PLUMB_KEY_BYTES:
		snprintf(room, PLUMB_PROFILE_TEXT, "%" PRIu64, value[0]);
		return room;
	default:
		return hex(value[0], room);
	}
}

/* Compares numbers as strcmp() compares them in hexadecimal: "2" is behind "10". */
static int compare_hex(uint64_t a, uint64_t b)
{
	const int zeros[] = {__builtin_clzll(a | 1) / 4 * 4, __builtin_clzll(b | 1) / 4 * 4};
	const uint64_t digits[] = {a << zeros[0], b << zeros[1]};

	if (digits[0] != digits[1])
		return digits[0] < digits[1] ? -1 : 1;
	/* The shorter one is the beginning of the other. */
	return (zeros[0] < zeros[1]) - (zeros[0] > zeros[1]);
}

/* Tells whether two values of a key have texts that only differ in a number at the end. */
static bool differ_in_hex(unsigned key, const uint64_t a[2], const uint64_t b[2])
{
	switch (key) {
	case PLUMB_KEY_SYMBOL:
	case PLUMB_KEY_SYMBOL_TO:
	case PLUMB_KEY_DATA_SYMBOL:
		/* Places of the same file that have no symbol. */
		return a[1] & 1 && a[1] == b[1];
	case PLUMB_KEY_IP:
		return a[1] && b[1];
	default:
		return false;
	}
}

int key_compare(const struct plumb_profile *profile, unsigned key, const uint64_t a[2],
		const uint64_t b[2])
{
	char rooms[2][PLUMB_PROFILE_TEXT];
	const char *texts[2];

	/* Most values of neighbours are equal, or places. To make their texts takes long. */
	if (a[0] == b[0] && a[1] == b[1])
		return 0;
	if (differ_in_hex(key, a, b))
		return compare_hex(a[0], b[0]);
	texts[0] = key_text(profile, key, a, rooms[0]);
	texts[1] = key_text(profile, key, b, rooms[1]);
	return texts[0] && texts[1] ? strcmp(texts[0], texts[1]) : !texts[1] - !texts[0];
}

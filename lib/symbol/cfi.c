/* SPDX-License-Identifier: Apache-2.0 */
/* A section of call frame information, and which function is where in it. */
#include "symbol/cfi.h"

#include <dwarf.h>
#include <plumb/error.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/cfi_program.h"

#define FUNCTIONS_MAX (UINT32_C(1) << 24)

struct function {
	uint64_t start, end; /* addresses */
	uint32_t common;     /* index */
	uint32_t size;       /* of its program */
	const uint8_t *program;
};

struct cfi {
	struct cfi_section section;
	struct cfi_common *commons; /* in the order of their offsets */
	size_t common_count;
	struct function *functions; /* in the order of their starts */
	size_t function_count;
};

/* One entry of the section. */
struct entry {
	uint64_t offset; /* of the entry */
	bool is_common;
	uint64_t common;          /* offset of a function's CIE */
	struct dwarf_bytes bytes; /* what follows */
};

/* Reads the next entry; skips those that are empty or in the 64-bit format. Returns false at the
 * end. */
static bool next_entry(const struct cfi_section *section, struct dwarf_bytes *rest,
		       struct entry *entry)
{
	while (dwarf_left(rest) >= 4) {
		uint64_t at = (uint64_t)(rest->at - section->bytes);
		uint64_t length = dwarf_unsigned(rest, 4), place, id;
		bool is_long = length == UINT32_MAX;

		if (is_long)
			length = dwarf_unsigned(rest, 8);
		*entry = (struct entry){.offset = at, .bytes = *rest};
		place = (uint64_t)(rest->at - section->bytes);
		dwarf_skip(rest, length);
		if (rest->failed)
			return false;
		entry->bytes.end = rest->at;
		if (is_long || length < 4)
			continue;
		id = dwarf_unsigned(&entry->bytes, 4);
		entry->is_common = id == (section->is_eh_frame ? 0 : UINT32_MAX);
		entry->common = section->is_eh_frame ? place - id : id;
		return true;
	}
	return false;
}

/* ---- Common information entries -------------------------------------------------------------- */

/* Reads what the letters after 'z' announce. */
static bool read_augmentation(const struct cfi_section *section, struct cfi_common *common,
			      const char *letters, struct dwarf_bytes data)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			dwarf_skip(&data, 1);
			break;
		case 'P': {
			uint8_t encoding = (uint8_t)dwarf_unsigned(&data, 1);

			/* Only its size matters. */
			cfi_read_address(section, &data, encoding & 0x0f);
			break;
		}
		case 'R':
			common->encoding = (uint8_t)dwarf_unsigned(&data, 1);
			break;
		case 'S':
			common->interrupted = true;
			break;
		default: /* 'B' and 'G' are about pointer authentication and memory tagging */
			break;
		}
	}
	return !data.failed;
}

static bool read_common(const struct cfi_section *section, const struct entry *entry,
			struct cfi_common *common)
{
	struct dwarf_bytes bytes = entry->bytes, data;
	uint64_t version = dwarf_unsigned(&bytes, 1);
	const char *letters = (const char *)bytes.at;
	const char *end = memchr(letters, '\0', dwarf_left(&bytes));

	*common = (struct cfi_common){.offset = entry->offset, .encoding = DW_EH_PE_absptr};
	if (!end || (version != 1 && version != 3 && version != 4) || (*letters && *letters != 'z'))
		return false;
	dwarf_skip(&bytes, (uint64_t)(end - letters) + 1);
	/* The sizes of an address and of a segment's number. */
	if (version == 4 && dwarf_unsigned(&bytes, 2) != 8)
		return false;
	common->code_factor = dwarf_uleb(&bytes);
	common->data_factor = dwarf_sleb(&bytes);
	common->return_register = version == 1 ? dwarf_unsigned(&bytes, 1) : dwarf_uleb(&bytes);
	common->sized = *letters == 'z';
	if (common->sized) {
		uint64_t size = dwarf_uleb(&bytes);

		data = bytes;
		dwarf_skip(&bytes, size);
		data.end = bytes.at;
		if (bytes.failed || !read_augmentation(section, common, letters + 1, data))
			return false;
	}
	common->program = bytes.at;
	common->end = bytes.end;
	return !bytes.failed;
}

static const struct cfi_common *find_common(const struct cfi *cfi, uint64_t offset)
{
	size_t low = 0, high = cfi->common_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->commons[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cfi->common_count && cfi->commons[low].offset == offset ? &cfi->commons[low]
									     : NULL;
}

/* ---- Functions ------------------------------------------------------------------------------- */

static bool read_function(const struct cfi *cfi, const struct entry *entry,
			  struct function *function)
{
	const struct cfi_common *common = find_common(cfi, entry->common);
	struct dwarf_bytes bytes = entry->bytes;

	if (!common)
		return false;
	function->start = cfi_read_address(&cfi->section, &bytes, common->encoding);
	function->end =
		function->start + cfi_read_address(&cfi->section, &bytes, common->encoding & 0x0f);
	if (common->sized)
		dwarf_skip(&bytes, dwarf_uleb(&bytes));
	if (bytes.failed || function->start >= function->end ||
	    dwarf_left(&bytes) > CFI_PROGRAM_MAX)
		return false;
	function->common = (uint32_t)(common - cfi->commons);
	function->program = bytes.at;
	function->size = (uint32_t)dwarf_left(&bytes);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct function *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->program > other->program) - (one->program < other->program);
}

/* Counts the entries of both kinds. */
static void count_entries(const struct cfi_section *section, size_t counts[2])
{
	struct dwarf_bytes rest = {.at = section->bytes, .end = section->bytes + section->size};
	struct entry entry;

	while (next_entry(section, &rest, &entry))
		counts[entry.is_common]++;
}

static void list_entries(struct cfi *cfi, bool commons)
{
	struct dwarf_bytes rest = {.at = cfi->section.bytes,
				   .end = cfi->section.bytes + cfi->section.size};
	struct entry entry;

	while (next_entry(&cfi->section, &rest, &entry)) {
		if (entry.is_common != commons)
			continue;
		if (commons)
			cfi->common_count += read_common(&cfi->section, &entry,
							 &cfi->commons[cfi->common_count]);
		else
			cfi->function_count +=
				read_function(cfi, &entry, &cfi->functions[cfi->function_count]);
	}
}

int cfi_new(const void *bytes, size_t size, uint64_t address, bool is_eh_frame, struct cfi **cfi)
{
	struct cfi *made = calloc(1, sizeof(*made));
	size_t counts[2] = {0};

	*cfi = NULL;
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->section = (struct cfi_section){bytes, size, address, is_eh_frame};
	count_entries(&made->section, counts);
	if (counts[false] > FUNCTIONS_MAX || counts[true] > FUNCTIONS_MAX) {
		cfi_free(made);
		return PLUMB_ERR_LIMIT;
	}
	made->commons = calloc(counts[true] + 1, sizeof(*made->commons));
	made->functions = calloc(counts[false] + 1, sizeof(*made->functions));
	if (!made->commons || !made->functions) {
		cfi_free(made);
		return PLUMB_ERR_NO_MEMORY;
	}
	list_entries(made, true);
	list_entries(made, false);
	qsort(made->functions, made->function_count, sizeof(*made->functions), by_start);
	*cfi = made;
	return 0;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	free(cfi->commons);
	free(cfi->functions);
	free(cfi);
}

bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_row *row)
{
	size_t low = 0, high = cfi->function_count;
	const struct function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= cfi->functions[low - 1].end)
		return false;
	function = &cfi->functions[low - 1];
	return cfi_run(&cfi->section, &cfi->commons[function->common],
		       (struct dwarf_bytes){.at = function->program,
					    .end = function->program + function->size},
		       function->start, address, row);
}

bool cfi_function(const struct cfi *cfi, size_t i, uint64_t *start, uint64_t *end)
{
	if (i >= cfi->function_count)
		return false;
	*start = cfi->functions[i].start;
	*end = cfi->functions[i].end;
	return true;
}

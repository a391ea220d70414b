/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as call frame information: all that a row promises can be read, and the same address
 * always has the same row. The first byte says whether it is .eh_frame; the rest is the section.
 */
#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

#include "symbol/cfi.h"

/* Where the section is loaded. */
#define ADDRESS UINT64_C(0x400000)
/* At most so many places in it are taken for addresses, so that long inputs do not take long. */
#define PLACES_MAX 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

struct section {
	const uint8_t *bytes;
	size_t size;
};

/* Reads all of an expression, so that bytes that are not there are noticed. */
static unsigned read_expression(const struct section *section, const struct cfi_rule *rule)
{
	unsigned sum = 0;

	require(rule->bytes >= section->bytes && rule->size <= section->size &&
		(size_t)(rule->bytes - section->bytes) <= section->size - rule->size);
	for (size_t i = 0; i < rule->size; i++)
		sum += rule->bytes[i];
	return sum;
}

static void check_row(const struct section *section, const struct cfi_row *row)
{
	unsigned sum = 0;

	require(row->cfa.kind == CFI_UNSPECIFIED || row->cfa.kind == CFI_REGISTER ||
		row->cfa.kind == CFI_VALUE_EXPRESSION);
	if (row->cfa.kind == CFI_VALUE_EXPRESSION)
		sum += read_expression(section, &row->cfa);
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		require(row->registers[i].kind <= CFI_VALUE_EXPRESSION);
		if (row->registers[i].kind >= CFI_AT_EXPRESSION)
			sum += read_expression(section, &row->registers[i]);
	}
	require(sum <= 255 * section->size * (CFI_REGISTERS + 1));
}

static bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->kind == b->kind && a->number == b->number && a->offset == b->offset &&
	       a->bytes == b->bytes && a->size == b->size;
}

static void check_address(const struct cfi *cfi, const struct section *section, uint64_t address)
{
	struct cfi_row row, again;

	if (!cfi_find(cfi, address, &row))
		return;
	check_row(section, &row);
	require(cfi_find(cfi, address, &again));
	require(same_rule(&row.cfa, &again.cfa) && row.return_register == again.return_register &&
		row.interrupted == again.interrupted);
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		require(same_rule(&row.registers[i], &again.registers[i]));
}

/* Looks around each address that the section may contain, whatever it is encoded like. */
static void look(const struct cfi *cfi, const struct section *section)
{
	const size_t last = section->size < 4 ? 0 : section->size - 4;

	for (size_t at = 0, i = 0; at < last && i < PLACES_MAX; at += 4, i++) {
		uint64_t starts[2] = {0};
		uint32_t word;
		size_t left = section->size - at;

		memcpy(starts, section->bytes + at, left < 8 ? left : 8);
		memcpy(&word, section->bytes + at, sizeof(word));
		starts[1] = ADDRESS + at + (uint64_t)(int64_t)(int32_t)word;
		for (unsigned kind = 0; kind < 2; kind++) {
			check_address(cfi, section, starts[kind]);
			check_address(cfi, section, starts[kind] + 20);
			check_address(cfi, section, starts[kind] + 1000);
		}
		check_address(cfi, section, word);
	}
	check_address(cfi, section, 0);
	check_address(cfi, section, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct section section;
	uint8_t *bytes;
	struct cfi *cfi;

	if (size < 1)
		return 0;
	/* Of this size, so that what is read beyond the end is noticed. */
	bytes = malloc(size - 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data + 1, size - 1);
	section = (struct section){bytes, size - 1};
	require(cfi_new(bytes, section.size, ADDRESS, data[0] & 1, &cfi) == 0);
	look(cfi, &section);
	cfi_free(cfi);
	free(bytes);
	return 0;
}

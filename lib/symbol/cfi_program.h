/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of call frame information, and the encoded addresses in it. */
#ifndef SYMBOL_CFI_PROGRAM_H
#define SYMBOL_CFI_PROGRAM_H

#include "symbol/cfi_row.h"
#include "symbol/dwarf_bytes.h"

/* Programs that keep more rows than this, or that are longer, are not followed. */
#define CFI_KEPT_MAX    16
#define CFI_PROGRAM_MAX (UINT32_C(64) << 10)

/* A section in memory. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	bool is_eh_frame;
};

/* What the functions of a common information entry (CIE) share. */
struct cfi_common {
	uint64_t offset; /* in the section */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t encoding; /* of addresses */
	bool sized;       /* functions have augmentation data, with its size */
	bool interrupted;
	const uint8_t *program, *end;
};

/* Reads an address that is encoded like that. Sets `bytes->failed` if that is unsupported. */
uint64_t cfi_read_address(const struct cfi_section *section, struct dwarf_bytes *bytes,
			  uint8_t encoding);

/*
 * Computes the row at `address` by the common program, and then the function's own `program`, for
 * code from `start` on. Returns false for a program that is malformed.
 */
bool cfi_run(const struct cfi_section *section, const struct cfi_common *common,
	     struct dwarf_bytes program, uint64_t start, uint64_t address, struct cfi_row *row);

#endif

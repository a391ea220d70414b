/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a frame's caller is found. */
#ifndef SYMBOL_CFI_ROW_H
#define SYMBOL_CFI_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules for registers from here on are ignored: none of them is needed to unwind. */
#define CFI_REGISTERS 34

enum cfi_kind {
	CFI_UNSPECIFIED,      /* nothing is said */
	CFI_UNDEFINED,        /* lost */
	CFI_SAME,             /* as in this frame */
	CFI_AT_OFFSET,        /* in memory at the CFA plus `offset` */
	CFI_OFFSET,           /* the CFA plus `offset` */
	CFI_REGISTER,         /* in another register; the CFA: that register plus `offset` */
	CFI_AT_EXPRESSION,    /* in memory where the expression says */
	CFI_VALUE_EXPRESSION, /* what the expression says */
};

/* How to find the caller's value of a register, or the canonical frame address (CFA). */
struct cfi_rule {
	uint8_t kind;         /* enum cfi_kind */
	uint64_t number;      /* of the other register */
	int64_t offset;       /* modulo 2^64 */
	const uint8_t *bytes; /* the expression, in the file */
	size_t size;
};

/* The rules at one address. */
struct cfi_row {
	struct cfi_rule cfa, registers[CFI_REGISTERS];
	uint64_t return_register;
	bool interrupted; /* the caller was interrupted there, rather than called something */
};

#endif

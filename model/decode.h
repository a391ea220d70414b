/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's tables. A row describes an encoding: it matches a word if (word & mask) == value.
 * The first match is used, so special cases come before the general one. Rows are in groups, and
 * groups in the table of a top-level encoding group, as in chapter C4 of the Arm Architecture
 * Reference Manual (DDI 0487).
 *
 * To add an instruction, find its group and add a row with its fixed bits, its operands in the
 * notation below, and its class.
 *
 * Operands are "TARGETS=SOURCES", both lists with commas. A register is a file and a field:
 *   X  general register, 31 is the zero register    S  general register, 31 is SP
 *   V  vector register (b0..q31, z0..z31)           P  predicate register
 * Fields: d and t bits 4:0 (P: 3:0), n 9:5 (P: 8:5), m and s 20:16 (P: 19:16), a and u 14:10,
 *   e 19:16, f 18:16, h 15:13, y 13:10, r and w: x12..x15 by bits 14:13 and 17:16,
 *   v: x8..x11 by bits 14:13, l: p8..p15 by bits 2:0. Of a governing predicate: g 12:10, i 19:16,
 *   j 8:5, q 13:10, and of one that is a counter k: p8..p15 by bits 12:10.
 * "Vd*4" means the register and the three after it, "Vd/4" the same from a multiple of four on,
 * and "Vd:4" every fourth register of its half, "Vd:2" every eighth. nzcv, x30, x16, x17, sp, ffr,
 * fpcr, za and system are themselves. "+" before a source marks the accumulator, which is forwarded
 * late. Sources in brackets form the address, base first; "]!" writes the base back, "]?" does so
 * if bit 23 is set, then with Xm as a source (the structures' post-index). Examples:
 *   "Xd=Xn,Xm,+Xa" is madd, "Xd=[Sn]!" ldr x0, [x1, #8]!, "Xd,nzcv=Xn,Xm" adds.
 */
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include "insn.h"

/* The size of an element or of one memory access: fixed, or given by a field. */
enum decode_element {
	ELEMENT_NONE,
	ELEMENT_B,
	ELEMENT_H,
	ELEMENT_S,
	ELEMENT_D,
	ELEMENT_Q,
	ELEMENT_SIZE,      /* bits 23:22 */
	ELEMENT_SIZE_WIDE, /* twice that: the result of a widening operation */
	ELEMENT_SZ,        /* bit 22: single or double */
	ELEMENT_FTYPE,     /* bits 23:22 of scalar floating point: S, D, -, H */
	ELEMENT_IMMH,      /* highest set bit of 22:19, vector shifts by an immediate */
	ELEMENT_IMMH_WIDE,
	ELEMENT_TSZ,            /* highest set bit of 23:22 and 20:19, SVE shifts by an immediate */
	ELEMENT_TSZ_WIDE,       /* likewise, twice as wide */
	ELEMENT_TSZ_PRED,       /* highest set bit of 23:22 and 9:8 */
	ELEMENT_18_17,          /* SVE2 precision conversions */
	ELEMENT_31_30,          /* load and store size */
	ELEMENT_31,             /* W or X */
	ELEMENT_30,             /* 32 or 64 bits */
	ELEMENT_VECTOR,         /* vector load and store: bits 23 and 31:30 */
	ELEMENT_PAIR,           /* vector pairs and literals: bits 31:30, 0 is S */
	ELEMENT_11_10,          /* Advanced SIMD structures */
	ELEMENT_INDEX,          /* 8 bytes if bit 12 is set (scaled index), else 1 */
	ELEMENT_MSZ,            /* SVE memory element: bits 24:23 */
	ELEMENT_DTYPE,          /* SVE contiguous loads: memory element of bits 24:21 */
	ELEMENT_DTYPE_TO,       /* and register element */
	ELEMENT_DTYPE_SPLIT,    /* replicating loads: the memory element, of bits 24:23 and 14:13 */
	ELEMENT_DTYPE_SPLIT_TO, /* and register element */
	ELEMENT_22_21,          /* SVE contiguous stores: register element */
	ELEMENT_14_13,          /* prefetches by a vector of offsets; SME2 lists of vectors */
	ELEMENT_SLICE,          /* ZA slices: bits 23:22, quadwords if bit 24 is set too */
};

/* The width of the access or of the floating-point operations. */
enum decode_width {
	WIDTH_SCALAR, /* `count` elements */
	WIDTH_ASIMD,  /* `count` vectors of 64 or 128 bits, by bit 30 */
	WIDTH_BYTES,  /* `count` bytes */
	WIDTH_SVE,    /* `count` scalable vectors; memory: as many elements as `container` has */
};

/* The immediate offset of an access that QEMU does not report. */
enum decode_offset {
	OFFSET_NONE,
	OFFSET_IMM12,    /* 21:10, times 8 */
	OFFSET_IMM9,     /* 20:12, signed */
	OFFSET_TAG,      /* 20:12, signed, times 16; none when post-indexed */
	OFFSET_VECTOR,   /* 19:16, signed, times the whole access */
	OFFSET_REPEAT,   /* 21:16, times the element */
	OFFSET_QUAD,     /* 19:16, signed, times the whole access */
	OFFSET_PREFETCH, /* 21:16, signed, times the vector length */
	OFFSET_ELEMENT   /* 20:16, times the element: vectors of addresses */
};

/* Bits in decode_row.kinds besides enum insn_kind: the kind depends on the element's size. */
#define KIND_FP_SIZED  (1u << 30)
#define KIND_INT_SIZED (1u << 31)

struct decode_row {
	uint32_t mask;
	uint32_t value;
	const char *operands; /* NULL: not allocated, whatever the rows below match */
	uint16_t class;
	uint8_t branch;  /* enum insn_branch_kind */
	uint8_t element; /* enum decode_element */
	uint8_t width;   /* enum decode_width */
	uint8_t count;
	uint8_t fp_ops;    /* floating-point operations per element */
	uint8_t container; /* enum decode_element: what a predicate governs, if not .element */
	uint8_t offset;    /* enum decode_offset */
	uint16_t memory;   /* enum insn_memory_flag */
	uint32_t kinds;    /* enum insn_kind */
};

struct decode_group {
	uint32_t mask;
	uint32_t value;
	const struct decode_row *rows;
	size_t count;
};

/* The contents of one file of tables. */
struct decode_table {
	const struct decode_group *groups;
	size_t count;
};

/* A row for unallocated words, placed above rows that would match them. */
#define RESERVED(m, v)                \
	{                             \
		.mask = m, .value = v \
	}

#define DECODE_GROUP(mask, value, rows)                        \
	{                                                      \
		mask, value, rows, sizeof(rows) / sizeof *rows \
	}
#define DECODE_TABLE(groups)                              \
	{                                                 \
		groups, sizeof(groups) / sizeof *(groups) \
	}

/*
 * The tables to search, in order, for bits 28:25 of the word (DDI 0487, C4.1, A64 instruction set
 * encoding). NULL past the last, and if nothing is allocated.
 */
extern const struct decode_table *const *const decode_tables[16];

/* Returns the first row that matches; NULL if there is none, or if it has no operands. */
const struct decode_row *decode_find_row(uint32_t word);

/* Returns the subclass (classes.def) of `word`, whose row has `class`; else `class`. */
unsigned split_class(unsigned class, uint32_t word);

extern const struct decode_table decode_reserved;
extern const struct decode_table decode_data_immediate;
extern const struct decode_table decode_data_register;
extern const struct decode_table decode_branch;
extern const struct decode_table decode_memory;
extern const struct decode_table decode_structures;
extern const struct decode_table decode_fp;
extern const struct decode_table decode_simd;
extern const struct decode_table decode_simd_scalar;
extern const struct decode_table decode_sve;
extern const struct decode_table decode_sve2;
extern const struct decode_table decode_sve_fp;
extern const struct decode_table decode_sve_memory;
extern const struct decode_table decode_sve21;
extern const struct decode_table decode_sme;
extern const struct decode_table decode_sme2;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* SME: the ZA array. */
#include "decode.h"

/* Counted as SVE, since there are no events for SME. `lane` is the element that a predicate
 * governs. */
#define SME(m, v, text, cost, lane)                                             \
	{                                                                       \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, \
		.container = ELEMENT_##lane, .kinds = KIND_SVE,                 \
	}
#define SME_FP(m, v, text, size, lane)                                                      \
	{                                                                                   \
		.mask = m, .value = v, .operands = text, .class = CLASS_SME_OUTER,          \
		.element = ELEMENT_##size, .container = ELEMENT_##lane, .width = WIDTH_SVE, \
		.fp_ops = 2, .kinds = KIND_SVE | KIND_SIMD_FP | KIND_FP_SIZED,              \
	}
#define SME_SLICE(m, v, text, cost, flags)                                               \
	{                                                                                \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,          \
		.memory = (flags) | MEM_HIDDEN | MEM_MAY_SKIP, .element = ELEMENT_SLICE, \
		.container = ELEMENT_SLICE, .width = WIDTH_SVE, .count = 1,              \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),              \
	}
#define SME_ACCESS(m, v, text, cost, flags)                                                        \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .memory = (flags), \
		.width = WIDTH_SVE, .count = 1,                                                    \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),                        \
	}

/* clang-format off */
/* Outer products: predicates govern the elements of the vectors, not those of ZA */
static const struct decode_row outer_product[] = {
	SME_FP(0xffe0000c, 0x80800000, "za=Vn,Vm,+za,Pg,Ph", S, S), /* fmopa, fmops of s */
	SME_FP(0xffe00008, 0x80c00000, "za=Vn,Vm,+za,Pg,Ph", D, D), /* fmopa, fmops of d */
	SME_FP(0xffe0000c, 0x81800000, "za=Vn,Vm,+za,Pg,Ph", S, H), /* bfmopa, bfmops */
	SME_FP(0xffe0000c, 0x81a00000, "za=Vn,Vm,+za,Pg,Ph", S, H), /* fmopa, fmops of h to s */
	/* smopa, umops ... of b to s */
	SME(0xfec0000c, 0xa0800000, "za=Vn,Vm,+za,Pg,Ph", SME_OUTER, B),
	/* smopa, umops ... of h to d */
	SME(0xfec00008, 0xa0c00000, "za=Vn,Vm,+za,Pg,Ph", SME_OUTER, H),
};

/* ZA and vectors */
static const struct decode_row move[] = {
	SME(0xfffe001c, 0xc0900000, "za=Vn,+za,Pg,Ph", SME_OUTER, S), /* addha, addva of s */
	SME(0xfffe0018, 0xc0d00000, "za=Vn,+za,Pg,Ph", SME_OUTER, D), /* addha, addva of d */
	SME(0xffffff00, 0xc0080000, "za=za", SME_MOVE, NONE), /* zero */
	SME(0xff3f0010, 0xc0000000, "za=Vn,za,Pg,Xr", SME_MOVE, SIZE), /* mova to a tile */
	SME(0xffff0010, 0xc0c10000, "za=Vn,za,Pg,Xr", SME_MOVE, Q), /* mova to a tile of q */
	SME(0xff3f0200, 0xc0020000, "Vd=Vd,za,Pg,Xr", SME_MOVE, SIZE), /* mova from a tile */
	SME(0xffff0200, 0xc0c30000, "Vd=Vd,za,Pg,Xr", SME_MOVE, Q), /* mova from a tile of q */
};

/* Loads and stores of ZA */
static const struct decode_row memory[] = {
	SME_ACCESS(0xffff9c10, 0xe1000000, "za=za,Xr,[Sn]", SME_LOAD, MEM_LOAD), /* ldr */
	SME_ACCESS(0xffff9c10, 0xe1200000, "=za,Xr,[Sn]", SME_STORE, MEM_STORE), /* str */
	/* ld1b ... ld1d */
	SME_SLICE(0xff200010, 0xe0000000, "za=za,Xr,Pg,[Sn,Xm]", SME_LOAD, MEM_LOAD),
	SME_SLICE(0xffe00010, 0xe1c00000, "za=za,Xr,Pg,[Sn,Xm]", SME_LOAD, MEM_LOAD), /* ld1q */
	/* st1b ... st1d */
	SME_SLICE(0xff200010, 0xe0200000, "=za,Xr,Pg,[Sn,Xm]", SME_STORE, MEM_STORE),
	SME_SLICE(0xffe00010, 0xe1e00000, "=za,Xr,Pg,[Sn,Xm]", SME_STORE, MEM_STORE), /* st1q */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xde800000, 0x80800000, outer_product),
	DECODE_GROUP(0xff000000, 0xc0000000, move),
	DECODE_GROUP(0xfe000000, 0xe0000000, memory),
};
/* clang-format on */

const struct decode_table decode_sme = DECODE_TABLE(groups);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE2.1 and its companions: 128-bit quadwords, predicates as counters, BFloat16 arithmetic, FP8,
 * tables of two and four bits, checked pointers. Above the older tables, which reserve some of
 * these words.
 */
#include "decode.h"

/* `size` is the element that the kind and the floating-point operations go by. */
#define VECTOR(m, v, text, cost, size, ops, kind)                               \
	{                                                                       \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, \
		.element = ELEMENT_##size, .width = WIDTH_SVE, .fp_ops = ops,   \
		.kinds = KIND_SVE | (kind),                                     \
	}

#define SVE(m, v, text, cost, size) VECTOR(m, v, text, cost, size, 0, KIND_INT_SIZED)
#define SVE_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, ops, KIND_SIMD_FP | KIND_FP_SIZED)
#define SVE_COPY(m, v, text, cost) VECTOR(m, v, text, cost, NONE, 0, 0)

/* Predicated accesses, of which QEMU 7.2 tells plugins nothing: `to` is the register's element. */
#define ACCESS(m, v, text, cost, flags, size, to, n, from)                                \
	{                                                                                 \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,           \
		.memory = (flags) | MEM_HIDDEN | MEM_MAY_SKIP, .element = ELEMENT_##size, \
		.container = ELEMENT_##to, .width = WIDTH_SVE, .count = n,                \
		.offset = OFFSET_##from,                                                  \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),               \
	}

/* clang-format off */
/* Integer: reductions of quadwords, checked pointers */
static const struct decode_row integer[] = {
	SVE(0xff3fe000, 0x04052000, "Vd=Vn,Pg", SVE_REDUCE_S, SIZE), /* addqv */
	SVE(0xff3ce000, 0x040c2000, "Vd=Vn,Pg", SVE_REDUCE_S, SIZE), /* smaxqv, umaxqv, sminqv, uminqv */
	SVE(0xff3fe000, 0x041c2000, "Vd=Vn,Pg", SVE_REDUCE_LOGIC, SIZE), /* orqv */
	SVE(0xff3fe000, 0x041d2000, "Vd=Vn,Pg", SVE_REDUCE_LOGIC, SIZE), /* eorqv */
	SVE(0xff3fe000, 0x041e2000, "Vd=Vn,Pg", SVE_REDUCE_LOGIC, SIZE), /* andqv */
	SVE(0xfffee000, 0x04c40000, "Vd=Vd,Vn,Pg", SIMD_ALU, D), /* addpt, subpt, predicated */
	SVE(0xffe0f800, 0x04e00800, "Vd=Vn,Vm", SIMD_ALU, D), /* addpt, subpt */
};

/* Permutations of quadwords, predicates from vectors */
static const struct decode_row permute[] = {
	SVE_COPY(0xff20fc00, 0x05203400, "Vd=Vd,Vn,Vm", SIMD_TABLEX1), /* tbxq */
	SVE_COPY(0xffe1fc00, 0x05212400, "Vd=Vn", SIMD_ALU), /* dupq of b */
	SVE_COPY(0xffe3fc00, 0x05222400, "Vd=Vn", SIMD_ALU), /* of h */
	SVE_COPY(0xffe7fc00, 0x05242400, "Vd=Vn", SIMD_ALU), /* of s */
	SVE_COPY(0xffeffc00, 0x05282400, "Vd=Vn", SIMD_ALU), /* of d */
	SVE_COPY(0xfff0fc00, 0x05602400, "Vd=Vd,Vn", SIMD_ALU), /* extq */
	SVE_COPY(0xfffffc10, 0x052a3800, "Pd=Vn", SVE_PRED), /* pmov to a predicate, of b */
	SVE_COPY(0xfffdfc10, 0x052c3800, "Pd=Vn", SVE_PRED), /* of h */
	SVE_COPY(0xfff9fc10, 0x05683800, "Pd=Vn", SVE_PRED), /* of s */
	SVE_COPY(0xffb9fc10, 0x05a83800, "Pd=Vn", SVE_PRED), /* of d */
	SVE_COPY(0xfffffe00, 0x052b3800, "Vd=Pn,Vd", SVE_INSERT), /* pmov to a vector, of b */
	SVE_COPY(0xfffdfe00, 0x052d3800, "Vd=Pn,Vd", SVE_INSERT), /* of h */
	SVE_COPY(0xfff9fe00, 0x05693800, "Vd=Pn,Vd", SVE_INSERT), /* of s */
	SVE_COPY(0xffb9fe00, 0x05a93800, "Vd=Pn,Vd", SVE_INSERT), /* of d */
};

/* Predicates as counters */
static const struct decode_row counter[] = {
	SVE_COPY(0xff20f010, 0x25205010, "Pd/2,nzcv=Xn,Xm", SVE_WHILE), /* whilege ... to two */
	SVE_COPY(0xff20d010, 0x25204010, "Pl,nzcv=Xn,Xm", SVE_WHILE), /* whilege ... to a counter */
	SVE_COPY(0xff3ffa00, 0x25208200, "Xd=Pn", SVE_COUNT), /* cntp of a counter */
};

/* Multiply-add, zips and tables of quadwords */
static const struct decode_row multiply[] = {
	SVE(0xffe0f800, 0x4400c800, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* sdot, udot of h */
	SVE(0xffe0f800, 0x4480c800, "Vd=Vn,Vf,+Vd", SIMD_DOT, S), /* the same, by element */
	SVE(0xffe0fc00, 0x44c0d000, "Vd=Vn,Vm,+Vd", SVE_MLA_D, D), /* mlapt */
	SVE(0xffe0fc00, 0x44c0d800, "Vd=Vm,Vn,+Vd", SVE_MLA_D, D), /* madpt */
	SVE_COPY(0xff20f800, 0x4400e000, "Vd=Vn,Vm", SIMD_ALU), /* zipq1, zipq2 */
	SVE_COPY(0xff20f800, 0x4400e800, "Vd=Vn,Vm", SIMD_ALU), /* uzpq1, uzpq2 */
	SVE_COPY(0xff20fc00, 0x4400f800, "Vd=Vn,Vm", SIMD_TABLE1), /* tblq */
};

/* Tables of two and four bits, narrowing of two vectors */
static const struct decode_row narrow[] = {
	SVE_COPY(0xff20fc00, 0x4520b000, "Vd=Vn,Vm", SIMD_TABLE1), /* luti2 of b */
	SVE_COPY(0xff20ec00, 0x4520a800, "Vd=Vn,Vm", SIMD_TABLE1), /* luti2 of h */
	SVE_COPY(0xff60fc00, 0x4560a400, "Vd=Vn,Vm", SIMD_TABLE1), /* luti4 of b */
	SVE_COPY(0xff20fc00, 0x4520bc00, "Vd=Vn,Vm", SIMD_TABLE1), /* luti4 of h */
	SVE_COPY(0xff20fc00, 0x4520b400, "Vd=Vn*2,Vm", SIMD_TABLE1), /* luti4 of h, two vectors */
	SVE(0xfffff420, 0x45314000, "Vd=Vn*2", SIMD_SHIFT_LONG, H), /* sqcvtn, uqcvtn */
	SVE(0xfffffc20, 0x45315000, "Vd=Vn*2", SIMD_SHIFT_LONG, H), /* sqcvtun */
	SVE(0xfff0fc20, 0x45b00800, "Vd=Vn*2", SIMD_SHIFT_LONG, H), /* sqrshrun */
	SVE(0xfff0ec20, 0x45b02800, "Vd=Vn*2", SIMD_SHIFT_LONG, H), /* sqrshrn, uqrshrn */
};

/* Floating point: BFloat16, clamps, reductions of quadwords, FP8 */
static const struct decode_row fp_multiply[] = {
	SVE_FP(0xffa0f800, 0x64200800, "Vd=Vn,Vf,+Vd", BF16_MLA, H, 2), /* bfmla, bfmls by element */
	SVE_FP(0xffa0fc00, 0x64202800, "Vd=Vn,Vf", FP_MUL, H, 1), /* bfmul by element */
	SVE_FP(0xffe0fc00, 0x64202400, "Vd=Vn,Vm,Vd", FP_ADD, H, 0), /* bfclamp */
	SVE_FP(0xff20fc00, 0x64202400, "Vd=Vn,Vm,Vd", FP_ADD, SIZE, 0), /* fclamp */
	SVE_FP(0xffe0f400, 0x64204400, "Vd=Vn,Vf,+Vd", BF16_DOT, H, 4), /* fdot of b to h, by element */
	SVE_FP(0xffe0fc00, 0x64604400, "Vd=Vn,Vf,+Vd", BF16_DOT, S, 8), /* fdot of b to s, by element */
	SVE_FP(0xff60f000, 0x64205000, "Vd=Vn,Vf,+Vd", BF16_MLA, H, 2), /* fmlalb, fmlalt of b, by element */
	SVE_FP(0xff20f000, 0x6420c000, "Vd=Vn,Vf,+Vd", BF16_MLA, S, 2), /* fmlallbb ..., by element */
	SVE_FP(0xffe0fc00, 0x64208400, "Vd=Vn,Vm,+Vd", BF16_DOT, H, 4), /* fdot of b to h */
	SVE_FP(0xffe0fc00, 0x64608400, "Vd=Vn,Vm,+Vd", BF16_DOT, S, 8), /* fdot of b to s */
	SVE_FP(0xffe0cc00, 0x64208800, "Vd=Vn,Vm,+Vd", BF16_MLA, S, 2), /* fmlallbb ... fmlalltt */
	SVE_FP(0xffe0ec00, 0x64a08800, "Vd=Vn,Vm,+Vd", BF16_MLA, H, 2), /* fmlalb, fmlalt of b */
	RESERVED(0xfff8e000, 0x6410a000),
	SVE_FP(0xff3fe000, 0x6410a000, "Vd=Vn,Pg", FP_REDUCE, SIZE, 0), /* faddqv */
	RESERVED(0xfffce000, 0x6414a000),
	SVE_FP(0xff3ce000, 0x6414a000, "Vd=Vn,Pg", FP_REDUCE, SIZE, 0), /* fmaxnmqv ... fminqv */
};

static const struct decode_row fp[] = {
	SVE_FP(0xfffef000, 0x65083000, "Vd=Vn", FP_CONVERT, H, 0), /* f1cvt ... bf2cvtlt */
	SVE_FP(0xfffffc20, 0x650a3400, "Vd=Vn*2", SIMD_CONVERT_2, S, 0), /* fcvtnb */
	SVE_FP(0xfffffc20, 0x650a3c00, "Vd=Vn*2,Vd", SIMD_CONVERT_2, S, 0), /* fcvtnt */
	SVE_FP(0xfffff420, 0x650a3000, "Vd=Vn*2", SIMD_CONVERT_2, H, 0), /* fcvtn, bfcvtn to b */
	SVE_FP(0xffe0c000, 0x65200000, "Vd=Vn,Vm,+Vd,Pg", BF16_MLA, H, 2), /* bfmla, bfmls */
	RESERVED(0xfffee000, 0x650e8000),
	SVE_FP(0xff3ee000, 0x650e8000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1), /* famax, famin */
};

/* Loads and stores of quadwords and of words and doublewords in them */
static const struct decode_row load[] = {
	ACCESS(0xffe0e000, 0xa4a08000, "Vt*2=Pg,[Sn,Xm]", SVE_LOAD2_INDEXED, MEM_LOAD, Q, Q, 2, NONE), /* ld2q */
	ACCESS(0xfff0e000, 0xa490e000, "Vt*2=Pg,[Sn]", SVE_LOAD2, MEM_LOAD, Q, Q, 2, VECTOR), /* ld2q */
	ACCESS(0xffe0e000, 0xa5208000, "Vt*3=Pg,[Sn,Xm]", SVE_LOAD3_INDEXED, MEM_LOAD, Q, Q, 3, NONE), /* ld3q */
	ACCESS(0xfff0e000, 0xa510e000, "Vt*3=Pg,[Sn]", SVE_LOAD3, MEM_LOAD, Q, Q, 3, VECTOR), /* ld3q */
	ACCESS(0xffe0e000, 0xa5a08000, "Vt*4=Pg,[Sn,Xm]", SVE_LOAD4_INDEXED, MEM_LOAD, Q, Q, 4, NONE), /* ld4q */
	ACCESS(0xfff0e000, 0xa590e000, "Vt*4=Pg,[Sn]", SVE_LOAD4, MEM_LOAD, Q, Q, 4, VECTOR), /* ld4q */
	ACCESS(0xffe0e000, 0xa5008000, "Vt=Pg,[Sn,Xm]", SVE_LOAD_INDEXED, MEM_LOAD, S, Q, 1, NONE), /* ld1w to q */
	ACCESS(0xfff0e000, 0xa5102000, "Vt=Pg,[Sn]", VLOAD, MEM_LOAD, S, Q, 1, VECTOR), /* ld1w to q */
	ACCESS(0xffe0e000, 0xa5808000, "Vt=Pg,[Sn,Xm]", SVE_LOAD_INDEXED, MEM_LOAD, D, Q, 1, NONE), /* ld1d to q */
	ACCESS(0xfff0e000, 0xa5902000, "Vt=Pg,[Sn]", VLOAD, MEM_LOAD, D, Q, 1, VECTOR), /* ld1d to q */
};

static const struct decode_row gather[] = {
	ACCESS(0xffe0e000, 0xc400a000, "Vt=Pg,[Vn,Xm]", SVE_GATHER64, MEM_LOAD | MEM_GATHER, Q, Q, 1, NONE), /* ld1q */
};

static const struct decode_row store[] = {
	ACCESS(0xffe0e000, 0xe4202000, "=Vt,Pg,[Vn,Xm]", SVE_SCATTER64, MEM_STORE | MEM_GATHER, Q, Q, 1, NONE), /* st1q */
	ACCESS(0xfff0e000, 0xe4400000, "=Vt*2,Pg,[Sn]", SVE_STORE2, MEM_STORE, Q, Q, 2, VECTOR), /* st2q */
	ACCESS(0xffe0e000, 0xe4600000, "=Vt*2,Pg,[Sn,Xm]", SVE_STORE2_INDEXED, MEM_STORE, Q, Q, 2, NONE), /* st2q */
	ACCESS(0xfff0e000, 0xe4800000, "=Vt*3,Pg,[Sn]", SVE_STORE3, MEM_STORE, Q, Q, 3, VECTOR), /* st3q */
	ACCESS(0xffe0e000, 0xe4a00000, "=Vt*3,Pg,[Sn,Xm]", SVE_STORE3_INDEXED, MEM_STORE, Q, Q, 3, NONE), /* st3q */
	ACCESS(0xfff0e000, 0xe4c00000, "=Vt*4,Pg,[Sn]", SVE_STORE4, MEM_STORE, Q, Q, 4, VECTOR), /* st4q */
	ACCESS(0xffe0e000, 0xe4e00000, "=Vt*4,Pg,[Sn,Xm]", SVE_STORE4_INDEXED, MEM_STORE, Q, Q, 4, NONE), /* st4q */
	ACCESS(0xffe0e000, 0xe5004000, "=Vt,Pg,[Sn,Xm]", VSTORE, MEM_STORE, S, Q, 1, NONE), /* st1w of q */
	ACCESS(0xfff0e000, 0xe500e000, "=Vt,Pg,[Sn]", VSTORE, MEM_STORE, S, Q, 1, VECTOR), /* st1w of q */
	ACCESS(0xffe0e000, 0xe5c04000, "=Vt,Pg,[Sn,Xm]", VSTORE, MEM_STORE, D, Q, 1, NONE), /* st1d of q */
	ACCESS(0xfff0e000, 0xe5c0e000, "=Vt,Pg,[Sn]", VSTORE, MEM_STORE, D, Q, 1, VECTOR), /* st1d of q */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xff000000, 0x04000000, integer),
	DECODE_GROUP(0xff000000, 0x05000000, permute),
	DECODE_GROUP(0xff000000, 0x25000000, counter),
	DECODE_GROUP(0xff000000, 0x44000000, multiply),
	DECODE_GROUP(0xff000000, 0x45000000, narrow),
	DECODE_GROUP(0xff000000, 0x64000000, fp_multiply),
	DECODE_GROUP(0xff000000, 0x65000000, fp),
	DECODE_GROUP(0xfe000000, 0xa4000000, load),
	DECODE_GROUP(0xff000000, 0xc4000000, gather),
	DECODE_GROUP(0xfe000000, 0xe4000000, store),
};
/* clang-format on */

const struct decode_table decode_sve21 = DECODE_TABLE(groups);

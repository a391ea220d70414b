/* SPDX-License-Identifier: Apache-2.0 */
/* SVE: integer, permutation, predicates. */
#include "decode.h"

/*
 * `size` is the element that determines the kind and the floating-point operations, `lane` the one
 * that a predicate governs, if it is not the same.
 */
#define VECTOR(m, v, text, cost, size, lane, ops, kind)                                     \
	{                                                                                   \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,             \
		.element = ELEMENT_##size, .container = ELEMENT_##lane, .width = WIDTH_SVE, \
		.fp_ops = ops, .kinds = (kind),                                             \
	}

#define SVE(m, v, text, cost, size) \
	VECTOR(m, v, text, cost, size, NONE, 0, KIND_SVE | KIND_INT_SIZED)
#define SVE_WIDER(m, v, text, cost, size, lane) \
	VECTOR(m, v, text, cost, size, lane, 0, KIND_SVE | KIND_INT_SIZED)
#define SVE_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, NONE, ops, KIND_SVE | KIND_SIMD_FP | KIND_FP_SIZED)
/* Moves and permutations; with a predicate. */
#define SVE_COPY(m, v, text, cost)            VECTOR(m, v, text, cost, NONE, NONE, 0, KIND_SVE)
#define SVE_COPY_SOME(m, v, text, cost, lane) VECTOR(m, v, text, cost, NONE, lane, 0, KIND_SVE)

#define SVE_PREDICATE(m, v, text, cost) VECTOR(m, v, text, cost, NONE, NONE, 0, KIND_SVE)
/* Operations on general registers that use the length of a vector or a predicate. */
#define SVE_GENERAL(m, v, text, cost) VECTOR(m, v, text, cost, NONE, NONE, 0, KIND_SVE)

/* clang-format off */
/* Integer, predicated */
static const struct decode_row integer_predicated[] = {
	SVE(0xff3fe000, 0x04000000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* add */
	SVE(0xff3fe000, 0x04010000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* sub */
	SVE(0xff3fe000, 0x04030000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* subr */
	SVE(0xff3ee000, 0x04080000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* smax, umax */
	SVE(0xff3ee000, 0x040a0000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* smin, umin */
	SVE(0xff3ee000, 0x040c0000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* sabd, uabd */
	SVE(0xffffe000, 0x04d00000, "Vd=Vd,Vn,Pg", SVE_MUL_D, D), /* mul of d */
	SVE(0xff3fe000, 0x04100000, "Vd=Vd,Vn,Pg", SIMD_MUL, SIZE), /* mul */
	SVE(0xfffee000, 0x04d20000, "Vd=Vd,Vn,Pg", SVE_MUL_D, D), /* smulh, umulh of d */
	SVE(0xff3ee000, 0x04120000, "Vd=Vd,Vn,Pg", SIMD_MUL, SIZE), /* smulh, umulh */
	/* sdiv, udiv, sdivr, udivr of d */
	SVE(0xfffce000, 0x04d40000, "Vd=Vd,Vn,Pg", SVE_DIV64, D),
	SVE(0xfffce000, 0x04940000, "Vd=Vd,Vn,Pg", SVE_DIV32, S), /* of s */
	SVE(0xff3ce000, 0x04180000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* orr, eor, and, bic */
	SVE_WIDER(0xfffee000, 0x04002000, "Vd=Vn,Pg", SVE_REDUCE_B, SIZE_WIDE, SIZE), /* saddv, uaddv of b */
	SVE_WIDER(0xfffee000, 0x04402000, "Vd=Vn,Pg", SVE_REDUCE_H, SIZE_WIDE, SIZE), /* of h */
	SVE_WIDER(0xfffee000, 0x04802000, "Vd=Vn,Pg", SVE_REDUCE_S, SIZE_WIDE, SIZE), /* of s */
	SVE_WIDER(0xffffe000, 0x04c12000, "Vd=Vn,Pg", SVE_REDUCE_D, SIZE_WIDE, SIZE), /* of d */
	/* smaxv, umaxv, sminv, uminv of b */
	SVE(0xfffce000, 0x04082000, "Vd=Vn,Pg", SVE_REDUCE_B, SIZE),
	SVE(0xfffce000, 0x04482000, "Vd=Vn,Pg", SVE_REDUCE_H, SIZE), /* of h */
	SVE(0xfffce000, 0x04882000, "Vd=Vn,Pg", SVE_REDUCE_S, SIZE), /* of s */
	SVE(0xfffce000, 0x04c82000, "Vd=Vn,Pg", SVE_REDUCE_D, SIZE), /* of d */
	SVE_COPY_SOME(0xff3ee000, 0x04102000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* movprfx */
	SVE(0xff3ee000, 0x04182000, "Vd=Vn,Pg", SVE_REDUCE_LOGIC, SIZE), /* orv, eorv */
	SVE(0xff3fe000, 0x041a2000, "Vd=Vn,Pg", SVE_REDUCE_LOGIC, SIZE), /* andv */
	/* asr, lsr by an immediate */
	SVE(0xff3ee000, 0x04008000, "Vd=Vd,Pg", SIMD_SHIFT, TSZ_PRED),
	SVE(0xff3fe000, 0x04038000, "Vd=Vd,Pg", SIMD_SHIFT, TSZ_PRED), /* lsl by an immediate */
	SVE(0xff3fe000, 0x04048000, "Vd=Vd,Pg", SIMD_SHIFT_LONG, TSZ_PRED), /* asrd */
	/* sqshl, uqshl by an immediate */
	SVE(0xff3ee000, 0x04068000, "Vd=Vd,Pg", SIMD_SHIFT_LONG, TSZ_PRED),
	SVE(0xff3ee000, 0x040c8000, "Vd=Vd,Pg", SIMD_SHIFT_LONG, TSZ_PRED), /* srshr, urshr */
	SVE(0xff3fe000, 0x040f8000, "Vd=Vd,Pg", SIMD_SHIFT_LONG, TSZ_PRED), /* sqshlu */
	SVE(0xff3ae000, 0x04108000, "Vd=Vd,Vn,Pg", SIMD_SHIFT, SIZE), /* asr, lsr, asrr, lsrr */
	SVE(0xff3be000, 0x04138000, "Vd=Vd,Vn,Pg", SIMD_SHIFT, SIZE), /* lsl, lslr */
	RESERVED(0xfff8e000, 0x04d88000),
	/* asr, lsr by 64-bit elements */
	SVE(0xff3ee000, 0x04188000, "Vd=Vd,Vn,Pg", SIMD_SHIFT, SIZE),
	SVE(0xff3fe000, 0x041b8000, "Vd=Vd,Vn,Pg", SIMD_SHIFT, SIZE), /* lsl by 64-bit elements */
	SVE(0xff3ee000, 0x0416a000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* abs, neg */
	SVE(0xff3ee000, 0x0410a000, "Vd=Vn,Vd,Pg", SIMD_SHIFT, SIZE), /* sxtb, uxtb */
	SVE(0xffbee000, 0x0492a000, "Vd=Vn,Vd,Pg", SIMD_SHIFT, SIZE), /* sxth, uxth */
	SVE(0xfffee000, 0x04d4a000, "Vd=Vn,Vd,Pg", SIMD_SHIFT, SIZE), /* sxtw, uxtw */
	SVE(0xff3ee000, 0x0418a000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* cls, clz */
	SVE(0xff3ee000, 0x041aa000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* cnt, cnot */
	SVE_FP(0xff3ee000, 0x041ca000, "Vd=Vn,Vd,Pg", FP_MOVE, SIZE, 1), /* fabs, fneg */
	SVE(0xff3fe000, 0x041ea000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* not */
	SVE(0xffe0c000, 0x04c04000, "Vd=Vn,Vm,+Vd,Pg", SVE_MLA_D, D), /* mla, mls of d */
	SVE(0xff20c000, 0x04004000, "Vd=Vn,Vm,+Vd,Pg", SVE_MLA, SIZE), /* mla, mls */
	SVE(0xffe0c000, 0x04c0c000, "Vd=Vd,Vm,+Vn,Pg", SVE_MLA_D, D), /* mad, msb of d */
	SVE(0xff20c000, 0x0400c000, "Vd=Vd,Vm,+Vn,Pg", SVE_MLA, SIZE), /* mad, msb */
};

/* Integer, without predicate */
static const struct decode_row integer_unpredicated[] = {
	SVE(0xff20f800, 0x04200000, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* add, sub */
	SVE(0xff20f000, 0x04201000, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* sqadd, uqadd, sqsub, uqsub */
	SVE(0xff20fc00, 0x04203000, "Vd=Vn,Vm", SIMD_ALU, D), /* and, orr, eor, bic */
	SVE(0xff20fc00, 0x04203400, "Vd=Vd,Vn", SIMD_LOGIC3, TSZ), /* xar */
	SVE(0xffa0fc00, 0x04203800, "Vd=Vd,Vm,Vn", SIMD_LOGIC3, D), /* eor3, bcax */
	SVE(0xff20fc00, 0x04203c00, "Vd=Vd,Vm,Vn", SIMD_ALU, D), /* bsl, bsl1n, bsl2n, nbsl */
	SVE(0xffe0fc00, 0x04e04000, "Vd=", SVE_INDEX_D, D), /* index of d */
	SVE(0xff20fc00, 0x04204000, "Vd=", SVE_INDEX, SIZE), /* index */
	SVE(0xffe0fc00, 0x04e04400, "Vd=Xn", SVE_INDEX_GENERAL_D, D), /* index of d */
	SVE(0xff20fc00, 0x04204400, "Vd=Xn", SVE_INDEX_GENERAL, SIZE), /* index */
	SVE(0xffe0fc00, 0x04e04800, "Vd=Xm", SVE_INDEX_GENERAL_D, D), /* index of d */
	SVE(0xff20fc00, 0x04204800, "Vd=Xm", SVE_INDEX_GENERAL, SIZE), /* index */
	SVE(0xffe0fc00, 0x04e04c00, "Vd=Xn,Xm", SVE_INDEX_GENERAL_D, D), /* index of d */
	SVE(0xff20fc00, 0x04204c00, "Vd=Xn,Xm", SVE_INDEX_GENERAL, SIZE), /* index */
	SVE_GENERAL(0xffa0f800, 0x04205000, "Sd=Sm", SVE_COUNT), /* addvl, addpl */
	SVE_GENERAL(0xfffff800, 0x04bf5000, "Xd=", SVE_COUNT), /* rdvl */
	SVE_GENERAL(0xffa0f800, 0x04205800, "Sd=Sm", SVE_COUNT), /* addsvl, addspl */
	SVE_GENERAL(0xfffff800, 0x04bf5800, "Xd=", SVE_COUNT), /* rdsvl */
	SVE(0xffe0fc00, 0x04e06000, "Vd=Vn,Vm", SVE_MUL_D, D), /* mul of d */
	SVE(0xff20fc00, 0x04206000, "Vd=Vn,Vm", SIMD_MUL, SIZE), /* mul */
	SVE(0xffe0fc00, 0x04206400, "Vd=Vn,Vm", SVE_POLY, B), /* pmul */
	SVE(0xffe0f800, 0x04e06800, "Vd=Vn,Vm", SVE_MUL_D, D), /* smulh, umulh of d */
	SVE(0xff20f800, 0x04206800, "Vd=Vn,Vm", SIMD_MUL, SIZE), /* smulh, umulh */
	SVE(0xffe0f800, 0x04e07000, "Vd=Vn,Vm", SVE_MUL_D, D), /* sqdmulh, sqrdmulh of d */
	SVE(0xff20f800, 0x04207000, "Vd=Vn,Vm", SIMD_MUL, SIZE), /* sqdmulh, sqrdmulh */
	RESERVED(0xffe0f000, 0x04e08000),
	SVE(0xff20f800, 0x04208000, "Vd=Vn,Vm", SIMD_SHIFT, SIZE), /* asr, lsr by 64-bit elements */
	SVE(0xff20fc00, 0x04208c00, "Vd=Vn,Vm", SIMD_SHIFT, SIZE), /* lsl by 64-bit elements */
	RESERVED(0xfff8f000, 0x04209000),
	SVE(0xff20f800, 0x04209000, "Vd=Vn", SIMD_SHIFT, TSZ), /* asr, lsr by an immediate */
	SVE(0xff20fc00, 0x04209c00, "Vd=Vn", SIMD_SHIFT, TSZ), /* lsl by an immediate */
	SVE(0xff20f000, 0x0420a000, "Vd=Vn,Vm", SIMD_ALU, D), /* adr */
	RESERVED(0xffe0fc00, 0x0420b000),
	SVE_FP(0xff20fc00, 0x0420b000, "Vd=Vn,Vm", FP_MUL, SIZE, 1), /* ftssel */
	RESERVED(0xfffffc00, 0x0420b800),
	SVE_FP(0xff3ffc00, 0x0420b800, "Vd=Vn", FP_MUL, SIZE, 1), /* fexpa */
	SVE_COPY(0xfffffc00, 0x0420bc00, "Vd=Vn", SIMD_ALU), /* movprfx */
	SVE_GENERAL(0xff30fc00, 0x0420e000, "Xd=", SVE_COUNT), /* cntb, cnth, cntw, cntd */
	SVE_GENERAL(0xff30f800, 0x0430e000, "Xd=Xd", SVE_COUNT), /* incb, decb ... */
	SVE_GENERAL(0xff20f000, 0x0420f000, "Xd=Xd", SVE_COUNT), /* sqincb, uqdecb ... */
	RESERVED(0xffe0f000, 0x0420c000),
	SVE(0xff30f800, 0x0430c000, "Vd=Vd", SVE_COUNT_VECTOR, SIZE), /* inch, dech ..., vectors */
	/* sqinch, uqdech ..., vectors */
	SVE(0xff30f000, 0x0420c000, "Vd=Vd", SVE_COUNT_VECTOR, SIZE),
};

/* Permute, logical immediate, copy */
static const struct decode_row permute[] = {
	/* a bitmask cannot be all ones */
	RESERVED(0xff3e07e0, 0x050207e0),
	RESERVED(0xff3e07c0, 0x050007c0),
	RESERVED(0xff3e07e0, 0x050007a0),
	RESERVED(0xff3e07e0, 0x05000760),
	RESERVED(0xff3e07e0, 0x050006e0),
	RESERVED(0xff3e07e0, 0x050005e0),
	RESERVED(0xff3e07e0, 0x050003e0),
	SVE_COPY(0xfffc0000, 0x05c00000, "Vd=", SIMD_ALU), /* dupm */
	SVE(0xff3c0000, 0x05000000, "Vd=Vd", SIMD_ALU, D), /* orr, eor, and with an immediate */
	SVE_COPY_SOME(0xff30c000, 0x05100000, "Vd=Pi", SIMD_ALU, SIZE), /* cpy of an immediate, zeroing */
	SVE_COPY_SOME(0xff30c000, 0x05104000, "Vd=Vd,Pi", SIMD_ALU, SIZE), /* cpy of an immediate, merging */
	SVE_COPY_SOME(0xff30e000, 0x0510c000, "Vd=Vd,Pi", SIMD_ALU, SIZE), /* fcpy */
	SVE_COPY(0xffe0e000, 0x05200000, "Vd=Vd,Vn", SIMD_ALU), /* ext */
	SVE_COPY(0xffe0e000, 0x05600000, "Vd=Vn*2", SIMD_ALU), /* ext, constructive */
	SVE_COPY(0xff20fc00, 0x05202000, "Vd=Vn", SIMD_ALU), /* dup of an element */
	SVE_COPY(0xff20fc00, 0x05203000, "Vd=Vn,Vm", SIMD_ALU), /* tbl */
	SVE_COPY(0xff20fc00, 0x05202800, "Vd=Vn*2,Vm", SVE_TABLE2), /* tbl of 2 */
	SVE_COPY(0xff20fc00, 0x05202c00, "Vd=Vd,Vn,Vm", SIMD_ALU), /* tbx */
	SVE_COPY(0xff3ffc00, 0x05203800, "Vd=Sn", FP_FROM_INT), /* dup */
	SVE_COPY(0xff3ffc00, 0x05243800, "Vd=Vd,Xn", SVE_INSERT), /* insr of a general register */
	/* sunpklo, sunpkhi, uunpklo, uunpkhi */
	SVE_COPY(0xff3cfc00, 0x05303800, "Vd=Vn", SIMD_ALU),
	SVE_COPY(0xff3ffc00, 0x05343800, "Vd=Vd,Vn", SIMD_ALU), /* insr */
	SVE_COPY(0xff3ffc00, 0x05383800, "Vd=Vn", SIMD_ALU), /* rev */
	/* zip1, uzp2, trn1 ... of predicates */
	SVE_PREDICATE(0xff30e210, 0x05204000, "Pd=Pn,Pm", SVE_PRED),
	SVE_PREDICATE(0xfffefe10, 0x05304000, "Pd=Pn", SVE_PRED), /* punpklo, punpkhi */
	SVE_PREDICATE(0xff3ffe10, 0x05344000, "Pd=Pn", SVE_PRED), /* rev of a predicate */
	RESERVED(0xff20f800, 0x05207800),
	SVE_COPY(0xff20e000, 0x05206000, "Vd=Vn,Vm", SIMD_ALU), /* zip1, uzp2, trn1 ... */
	SVE_COPY(0xffe0f800, 0x05a00000, "Vd=Vn,Vm", SIMD_ALU), /* zip1, zip2 of q */
	SVE_COPY(0xffe0f800, 0x05a00800, "Vd=Vn,Vm", SIMD_ALU), /* uzp1, uzp2 of q */
	SVE_COPY(0xffe0f800, 0x05a01800, "Vd=Vn,Vm", SIMD_ALU), /* trn1, trn2 of q */
	SVE_COPY_SOME(0xff3fe000, 0x05218000, "Vd=Vn,Pg", SVE_CROSS, SIZE), /* compact */
	SVE_COPY_SOME(0xff3ee000, 0x05288000, "Vd=Vd,Vn,Pg", SVE_CROSS, SIZE), /* clasta, clastb */
	SVE_COPY_SOME(0xff3ee000, 0x052a8000, "Vd=Vd,Vn,Pg", SVE_CROSS, SIZE), /* clasta, clastb to a scalar */
	SVE_COPY_SOME(0xff3ee000, 0x05228000, "Vd=Vn,Pg", SVE_CROSS, SIZE), /* lasta, lastb to a scalar */
	/* clasta, clastb to a general register */
	SVE_COPY_SOME(0xff3ee000, 0x0530a000, "Xd=Xd,Vn,Pg", SVE_LAST_CONDITIONAL, SIZE),
	/* lasta, lastb to a general register */
	SVE_COPY_SOME(0xff3ee000, 0x0520a000, "Xd=Vn,Pg", SVE_INSERT, SIZE),
	SVE_COPY_SOME(0xff3fe000, 0x05208000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* cpy of a scalar */
	SVE_COPY_SOME(0xff3fe000, 0x0528a000, "Vd=Sn,Vd,Pg", FP_INSERT, SIZE), /* cpy of a general register */
	SVE_COPY_SOME(0xff3ce000, 0x05248000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* revb, revh, revw, rbit */
	SVE_COPY_SOME(0xffffe000, 0x052e8000, "Vd=Vn,Vd,Pg", SIMD_ALU, Q), /* revd */
	SVE_COPY_SOME(0xff3fe000, 0x052c8000, "Vd=Vd,Vn,Pg", SVE_CROSS, SIZE), /* splice */
	SVE_COPY_SOME(0xff3fe000, 0x052d8000, "Vd=Vn*2,Pg", SVE_CROSS, SIZE), /* splice, constructive */
	SVE_COPY_SOME(0xff20c000, 0x0520c000, "Vd=Vn,Vm,Pq", SIMD_ALU, SIZE), /* sel */
};

/* Integer compare */
static const struct decode_row compare[] = {
	RESERVED(0xffe0a000, 0x24c02000),
	RESERVED(0xffe0c000, 0x24c04000),
	RESERVED(0xffe0c000, 0x24c0c000),
	SVE(0xff200000, 0x24000000, "Pd,nzcv=Vn,Vm,Pg", SVE_COMPARE, SIZE), /* cmphs ... cmpls */
	/* the same, with an immediate */
	SVE(0xff200000, 0x24200000, "Pd,nzcv=Vn,Pg", SVE_COMPARE, SIZE),
};

/* Compare with a signed immediate */
static const struct decode_row compare_immediate[] = {
	SVE(0xff20e000, 0x25000000, "Pd,nzcv=Vn,Pg", SVE_COMPARE, SIZE), /* cmpge, cmpgt */
	SVE(0xff20e000, 0x25002000, "Pd,nzcv=Vn,Pg", SVE_COMPARE, SIZE), /* cmplt, cmple */
	SVE(0xff20e000, 0x25008000, "Pd,nzcv=Vn,Pg", SVE_COMPARE, SIZE), /* cmpeq, cmpne */
};

/* Predicates */
static const struct decode_row predicate[] = {
	RESERVED(0xfff0c210, 0x25404210),
	/* and, bic, eor, sel, orr, orn, nor, nand */
	SVE_PREDICATE(0xff70c000, 0x25004000, "Pd=Pn,Pm,Pq", SVE_PRED_LOGIC),
	/* ands, bics ... */
	SVE_PREDICATE(0xff70c000, 0x25404000, "Pd,nzcv=Pn,Pm,Pq", SVE_PRED_LOGIC_FLAGS),
	SVE_PREDICATE(0xff7fc210, 0x25104000, "Pd=Pn,Pq", SVE_PRED), /* brka, brkb, zeroing */
	SVE_PREDICATE(0xff7fc210, 0x25104010, "Pd=Pn,Pd,Pq", SVE_PRED), /* brka, brkb, merging */
	SVE_PREDICATE(0xff7fc210, 0x25504000, "Pd,nzcv=Pn,Pq", SVE_PRED_FLAGS), /* brkas, brkbs */
	SVE_PREDICATE(0xffffc210, 0x25184000, "Pd=Pn,Pd,Pq", SVE_BREAK), /* brkn */
	SVE_PREDICATE(0xffffc210, 0x25584000, "Pd,nzcv=Pn,Pd,Pq", SVE_BREAK_FLAGS), /* brkns */
	SVE_PREDICATE(0xfff0c200, 0x2500c000, "Pd=Pn,Pm,Pq", SVE_BREAK), /* brkpa, brkpb */
	/* brkpas, brkpbs */
	SVE_PREDICATE(0xfff0c200, 0x2540c000, "Pd,nzcv=Pn,Pm,Pq", SVE_BREAK_FLAGS),
	SVE_PREDICATE(0xffffc21f, 0x2550c000, "nzcv=Pn,Pq", SVE_PRED_TEST), /* ptest */
	SVE_PREDICATE(0xfffffe10, 0x2558c000, "Pd,nzcv=Pd,Pj", SVE_PRED), /* pfirst */
	SVE_COPY_SOME(0xff3ffe10, 0x2519c400, "Pd,nzcv=Pd,Pj", SVE_PRED, SIZE), /* pnext */
	SVE_PREDICATE(0xfffffff0, 0x2518e400, "Pd=", SVE_PRED), /* pfalse */
	SVE_PREDICATE(0xff3ffc10, 0x2518e000, "Pd=", SVE_PRED), /* ptrue */
	SVE_PREDICATE(0xff3ffc10, 0x2519e000, "Pd,nzcv=", SVE_PRED_FLAGS), /* ptrues */
	SVE_PREDICATE(0xfffffff0, 0x2519f000, "Pd=ffr", SVE_PRED), /* rdffr */
	SVE_PREDICATE(0xfffffe10, 0x2518f000, "Pd=ffr,Pj", SVE_PRED), /* rdffr, zeroing */
	SVE_PREDICATE(0xfffffe10, 0x2558f000, "Pd,nzcv=ffr,Pj", SVE_PRED_FLAGS), /* rdffrs */
};

/* Predicates and general registers, wide immediates */
static const struct decode_row scalar_predicate[] = {
	SVE_PREDICATE(0xff20e000, 0x25200000, "Pd,nzcv=Xn,Xm", SVE_WHILE), /* whilelt ... whilels */
	SVE_PREDICATE(0xff20fc00, 0x25203000, "Pd,nzcv=Xn,Xm", SVE_WHILE), /* whilewr, whilerw */
	/* ctermeq, ctermne */
	SVE_GENERAL(0xffa0fc0f, 0x25a02000, "nzcv=Xn,Xm,nzcv", SVE_TERMINATE),
	SVE_PREDICATE(0xff3ff010, 0x25207010, "Pd=", SVE_PRED), /* ptrue, pext of a counter */
	SVE_PREDICATE(0xff20c010, 0x25204000, "Pd=Py,Pn,Xw", SVE_PRED), /* psel */
	SVE(0xff38c000, 0x2520c000, "Vd=Vd", SIMD_ALU, SIZE), /* add ... uqsub with an immediate */
	/* smax, umax, smin, umin with an immediate */
	SVE(0xff38e000, 0x2528c000, "Vd=Vd", SIMD_ALU, SIZE),
	SVE(0xffffe000, 0x25f0c000, "Vd=Vd", SVE_MUL_D, D), /* mul of d with an immediate */
	SVE(0xff3fe000, 0x2530c000, "Vd=Vd", SIMD_MUL, SIZE), /* mul with an immediate */
	SVE_COPY(0xff3fc000, 0x2538c000, "Vd=", SIMD_ALU), /* dup of an immediate */
	SVE_COPY(0xff3fe000, 0x2539c000, "Vd=", SIMD_ALU), /* fdup */
	SVE_COPY_SOME(0xff3fc200, 0x25208000, "Xd=Pn,Pq", SVE_COUNT, SIZE), /* cntp */
	/* sqincp, uqdecp ..., vectors */
	SVE(0xff3cfe00, 0x25288000, "Vd=Vd,Pn", SVE_COUNT_PRED_VECTOR, SIZE),
	SVE_GENERAL(0xff3cfa00, 0x25288800, "Xd=Xd,Pn", SVE_COUNT), /* sqincp, uqdecp ... */
	/* incp, decp, vectors */
	SVE(0xff3efe00, 0x252c8000, "Vd=Vd,Pn", SVE_COUNT_PRED_VECTOR, SIZE),
	SVE_GENERAL(0xff3efe00, 0x252c8800, "Xd=Xd,Pn", SVE_COUNT), /* incp, decp */
	SVE_PREDICATE(0xfffffe1f, 0x25289000, "ffr=Pn", SVE_PRED), /* wrffr */
	SVE_PREDICATE(0xffffffff, 0x252c9000, "ffr=", SVE_PRED), /* setffr */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xff200000, 0x04000000, integer_predicated),
	DECODE_GROUP(0xff200000, 0x04200000, integer_unpredicated),
	DECODE_GROUP(0xff000000, 0x05000000, permute),
	DECODE_GROUP(0xff000000, 0x24000000, compare),
	DECODE_GROUP(0xff204000, 0x25000000, compare_immediate),
	DECODE_GROUP(0xff204000, 0x25004000, predicate),
	DECODE_GROUP(0xff200000, 0x25200000, scalar_predicate),
};
/* clang-format on */

const struct decode_table decode_sve = DECODE_TABLE(groups);

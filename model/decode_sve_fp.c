/* SPDX-License-Identifier: Apache-2.0 */
/* SVE floating point. */
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
#define SVE_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, NONE, ops, KIND_SVE | KIND_SIMD_FP | KIND_FP_SIZED)
#define SVE_FP_IN(m, v, text, cost, size, lane, ops) \
	VECTOR(m, v, text, cost, size, lane, ops, KIND_SVE | KIND_SIMD_FP | KIND_FP_SIZED)
/* Moves and permutations. */
#define SVE_COPY(m, v, text, cost) VECTOR(m, v, text, cost, NONE, NONE, 0, KIND_SVE)

/* clang-format off */
/* Floating point: complex, by element, widening */
static const struct decode_row fp_multiply[] = {
	RESERVED(0xffe08000, 0x64000000),
	SVE_FP(0xff208000, 0x64000000, "Vd=Vn,Vm,+Vd,Pg", SVE_FCMLA, SIZE, 2), /* fcmla */
	RESERVED(0xfffee000, 0x64008000),
	SVE_FP(0xff3ee000, 0x64008000, "Vd=Vd,Vn,Pg", FP_MUL, SIZE, 1), /* fcadd */
	RESERVED(0xfff8e000, 0x64108000),
	SVE_FP(0xff3fe000, 0x64108000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1), /* faddp */
	/* fmaxnmp, fminnmp, fmaxp, fminp */
	SVE_FP(0xff3ce000, 0x64148000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1),
	SVE_FP(0xffffe000, 0x640aa000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* fcvtxnt */
	SVE_FP(0xffffe000, 0x6488a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* fcvtnt to h */
	SVE_FP(0xffffe000, 0x6489a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* fcvtlt from h */
	SVE_FP(0xffffe000, 0x648aa000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_BF16, S, 1), /* bfcvtnt */
	/* fcvtnt to s, fcvtlt from s */
	SVE_FP(0xfffee000, 0x64caa000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1),
	/* fmla, fmls of h by element */
	SVE_FP(0xffa0f800, 0x64200000, "Vd=Vn,Vf,+Vd", FP_FMA, H, 2),
	SVE_FP(0xffe0f800, 0x64a00000, "Vd=Vn,Vf,+Vd", FP_FMA, S, 2), /* of s */
	SVE_FP(0xffe0f800, 0x64e00000, "Vd=Vn,Ve,+Vd", FP_FMA, D, 2), /* of d */
	SVE_FP(0xffe0f000, 0x64a01000, "Vd=Vn,Vf,+Vd", SVE_FCMLA, H, 2), /* fcmla of h by element */
	SVE_FP(0xffe0f000, 0x64e01000, "Vd=Vn,Ve,+Vd", SVE_FCMLA, S, 2), /* of s */
	SVE_FP(0xffa0fc00, 0x64202000, "Vd=Vn,Vf", FP_MUL, H, 1), /* fmul of h by element */
	SVE_FP(0xffe0fc00, 0x64a02000, "Vd=Vn,Vf", FP_MUL, S, 1), /* of s */
	SVE_FP(0xffe0fc00, 0x64e02000, "Vd=Vn,Ve", FP_MUL, D, 1), /* of d */
	SVE_FP(0xffe0fc00, 0x64604000, "Vd=Vn,Vf,+Vd", BF16_DOT, S, 4), /* bfdot by element */
	SVE_FP(0xffe0fc00, 0x64204000, "Vd=Vn,Vf,+Vd", BF16_DOT, S, 4), /* fdot by element */
	/* fmlalb, fmlalt, fmlslb, fmlslt by element */
	SVE_FP(0xffe0d000, 0x64a04000, "Vd=Vn,Vf,+Vd", FP_FMA, S, 2),
	/* bfmlalb, bfmlalt, bfmlslb, bfmlslt by element */
	SVE_FP(0xffe0d000, 0x64e04000, "Vd=Vn,Vf,+Vd", BF16_MLA, S, 2),
	SVE_FP(0xffe0fc00, 0x64608000, "Vd=Vn,Vm,+Vd", BF16_DOT, S, 4), /* bfdot */
	SVE_FP(0xffe0fc00, 0x64208000, "Vd=Vn,Vm,+Vd", BF16_DOT, S, 4), /* fdot */
	/* fmlalb, fmlalt, fmlslb, fmlslt */
	SVE_FP(0xffe0d800, 0x64a08000, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2),
	/* bfmlalb, bfmlalt, bfmlslb, bfmlslt */
	SVE_FP(0xffe0d800, 0x64e08000, "Vd=Vn,Vm,+Vd", BF16_MLA, S, 2),
	SVE_FP(0xffe0fc00, 0x6460e400, "Vd=Vn,Vm,+Vd", BF16_MMLA, S, 8), /* bfmmla */
	SVE_FP(0xffe0fc00, 0x64a0e400, "Vd=Vn,Vm,+Vd", BF16_MMLA, S, 4), /* fmmla of s */
	SVE_FP(0xffe0fc00, 0x64e0e400, "Vd=Vn,Vm,+Vd", BF16_MMLA, D, 4), /* fmmla of d */
};

/* Floating point */
static const struct decode_row fp[] = {
	SVE_FP(0xff20fc00, 0x65000c00, "Vd=Vn,Vm", FP_MUL, SIZE, 1), /* ftsmul */
	SVE_FP(0xff20fc00, 0x65000800, "Vd=Vn,Vm", FP_MUL, SIZE, 1), /* fmul */
	SVE_FP(0xff20f800, 0x65000000, "Vd=Vn,Vm", FP_ADD, SIZE, 1), /* fadd, fsub */
	RESERVED(0xffe0f000, 0x65001000),
	SVE_FP(0xff20f800, 0x65001800, "Vd=Vn,Vm", FP_STEP, SIZE, 2), /* frecps, frsqrts */
	SVE_FP(0xff3ee000, 0x65008000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1), /* fadd, fsub, predicated */
	SVE_FP(0xff3fe000, 0x65028000, "Vd=Vd,Vn,Pg", FP_MUL, SIZE, 1), /* fmul */
	SVE_FP(0xff3fe000, 0x65038000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1), /* fsubr */
	SVE_FP(0xfffce000, 0x65048000, "Vd=Vd,Vn,Pg", FP_ADD, H, 1), /* bfmaxnm, bfminnm, bfmax, bfmin */
	/* fmaxnm, fminnm, fmax, fmin */
	SVE_FP(0xff3ce000, 0x65048000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1),
	SVE_FP(0xff3fe000, 0x65088000, "Vd=Vd,Vn,Pg", FP_ADD, SIZE, 1), /* fabd */
	SVE_FP(0xff3fe000, 0x65098000, "Vd=Vd,Vn,Pg", FP_MUL, SIZE, 1), /* fscale */
	SVE_FP(0xff3fe000, 0x650a8000, "Vd=Vd,Vn,Pg", FP_MUL, SIZE, 1), /* fmulx */
	SVE_FP(0xfffee000, 0x654c8000, "Vd=Vd,Vn,Pg", FP_DIV_8H, H, 1), /* fdivr, fdiv of h */
	SVE_FP(0xfffee000, 0x658c8000, "Vd=Vd,Vn,Pg", FP_DIV_4S, S, 1), /* of s */
	SVE_FP(0xfffee000, 0x65cc8000, "Vd=Vd,Vn,Pg", FP_DIV_2D, D, 1), /* of d */
	RESERVED(0xfff8e000, 0x65108000),
	SVE_FP(0xff38fc00, 0x65108000, "Vd=Vd,Vn", FP_STEP, SIZE, 2), /* ftmad */
	RESERVED(0xfff8e000, 0x65188000),
	SVE_FP(0xff3fe3c0, 0x651a8000, "Vd=Vd,Pg", FP_MUL, SIZE, 1), /* fmul by an immediate */
	/* fadd ... fmin with an immediate */
	SVE_FP(0xff38e3c0, 0x65188000, "Vd=Vd,Pg", FP_ADD, SIZE, 1),
	RESERVED(0xfff8e000, 0x6500a000),
	RESERVED(0xff3fe000, 0x6505a000),
	/* frintn ... frinti of h */
	SVE_FP(0xfff8e000, 0x6540a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_4, H, 1),
	SVE_FP(0xfff8e000, 0x6580a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* of s */
	SVE_FP(0xfff8e000, 0x65c0a000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* of d */
	SVE_FP(0xffffe000, 0x650aa000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* fcvtx */
	/* fcvt between s and h */
	SVE_FP(0xfffee000, 0x6588a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1),
	SVE_FP(0xffffe000, 0x658aa000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_BF16, S, 1), /* bfcvt */
	SVE_FP(0xfffce000, 0x65c8a000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* fcvt to or from d */
	SVE_FP(0xffffe000, 0x654ca000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_4, H, 1), /* frecpx of h */
	SVE_FP(0xffffe000, 0x658ca000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* of s */
	SVE_FP(0xffffe000, 0x65cca000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* of d */
	SVE_FP(0xffffe000, 0x654da000, "Vd=Vn,Vd,Pg", FP_SQRT_8H, H, 1), /* fsqrt of h */
	SVE_FP(0xffffe000, 0x658da000, "Vd=Vn,Vd,Pg", FP_SQRT_4S, S, 1), /* of s */
	SVE_FP(0xffffe000, 0x65cda000, "Vd=Vn,Vd,Pg", FP_SQRT_2D, D, 1), /* of d */
	SVE_FP(0xffffe000, 0x651aa000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_4, H, 1), /* flogb of h */
	SVE_FP(0xffffe000, 0x651ca000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* of s */
	SVE_FP(0xffffe000, 0x651ea000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* of d */
	/* scvtf, ucvtf from h */
	SVE_FP(0xfffee000, 0x6552a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_4, H, 1),
	SVE_FP_IN(0xfffee000, 0x6554a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, H, S, 1), /* from s to h */
	SVE_FP_IN(0xfffee000, 0x6556a000, "Vd=Vn,Vd,Pg", FP_CONVERT, H, D, 1), /* from d to h */
	SVE_FP(0xfffee000, 0x6594a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* to s */
	SVE_FP(0xfff8e000, 0x65d0a000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* to or from d */
	/* fcvtzs, fcvtzu from h */
	SVE_FP_IN(0xfff8e000, 0x6558a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_4, H, 18_17, 1),
	SVE_FP(0xfffee000, 0x659ca000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S, 1), /* from s */
	SVE_FP(0xfff8e000, 0x65d8a000, "Vd=Vn,Vd,Pg", FP_CONVERT, D, 1), /* to or from d */
	SVE_FP(0xffffe000, 0x65402000, "Vd=Vn,Pg", SVE_FP_REDUCE_H, H, 1), /* faddv of h */
	SVE_FP(0xffffe000, 0x65802000, "Vd=Vn,Pg", SVE_FP_REDUCE_S, S, 1), /* of s */
	SVE_FP(0xffffe000, 0x65c02000, "Vd=Vn,Pg", SVE_FP_REDUCE_D, D, 1), /* of d */
	/* fmaxnmv, fminnmv, fmaxv, fminv of h */
	SVE_FP(0xfffce000, 0x65442000, "Vd=Vn,Pg", SVE_FP_REDUCE_H, H, 1),
	SVE_FP(0xfffce000, 0x65842000, "Vd=Vn,Pg", SVE_FP_REDUCE_S, S, 1), /* of s */
	SVE_FP(0xfffce000, 0x65c42000, "Vd=Vn,Pg", SVE_FP_REDUCE_D, D, 1), /* of d */
	SVE_FP(0xffffe000, 0x65582000, "Vd=Vd,Vn,Pg", SVE_FADDA_H, H, 1), /* fadda of h */
	SVE_FP(0xffffe000, 0x65982000, "Vd=Vd,Vn,Pg", SVE_FADDA_S, S, 1), /* of s */
	SVE_FP(0xffffe000, 0x65d82000, "Vd=Vd,Vn,Pg", SVE_FADDA_D, D, 1), /* of d */
	SVE_FP(0xfffefc00, 0x654e3000, "Vd=Vn", SIMD_CONVERT_4, H, 1), /* frecpe, frsqrte of h */
	SVE_FP(0xfffefc00, 0x658e3000, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* of s */
	SVE_FP(0xfffefc00, 0x65ce3000, "Vd=Vn", FP_CONVERT, D, 1), /* of d */
	/* fcmge, fcmgt, fcmlt, fcmle with 0 */
	SVE_FP(0xff3ee000, 0x65102000, "Pd=Vn,Pg", FP_COMPARE, SIZE, 1),
	SVE_FP(0xff3fe010, 0x65122000, "Pd=Vn,Pg", FP_COMPARE, SIZE, 1), /* fcmeq with 0 */
	SVE_FP(0xff3fe010, 0x65132000, "Pd=Vn,Pg", FP_COMPARE, SIZE, 1), /* fcmne with 0 */
	RESERVED(0xffe04000, 0x65004000),
	RESERVED(0xff20e010, 0x6500e000),
	/* fcmge ... fcmuo, facge, facgt */
	SVE_FP(0xff204000, 0x65004000, "Pd=Vn,Vm,Pg", FP_COMPARE, SIZE, 1),
};

/* Floating-point fused multiply-add, predicated */
static const struct decode_row fp_fused[] = {
	RESERVED(0xffe00000, 0x65200000),
	/* fmla, fmls, fnmla, fnmls */
	SVE_FP(0xff208000, 0x65200000, "Vd=Vn,Vm,+Vd,Pg", FP_FMA, SIZE, 2),
	/* fmad, fmsb, fnmad, fnmsb */
	SVE_FP(0xff208000, 0x65208000, "Vd=Vd,Vn,+Vm,Pg", FP_FMA, SIZE, 2),
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xff000000, 0x64000000, fp_multiply),
	DECODE_GROUP(0xff200000, 0x65000000, fp),
	DECODE_GROUP(0xff200000, 0x65200000, fp_fused),
};
/* clang-format on */

const struct decode_table decode_sve_fp = DECODE_TABLE(groups);

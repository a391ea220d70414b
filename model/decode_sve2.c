/* SPDX-License-Identifier: Apache-2.0 */
/* SVE2: widening, narrowing and complex integer, cryptography. */
#include "decode.h"

/* `size` is the element that determines the kind and the floating-point operations. */
#define VECTOR(m, v, text, cost, size, extent, ops, kind)                          \
	{                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,    \
		.element = ELEMENT_##size, .width = WIDTH_##extent, .fp_ops = ops, \
		.kinds = (kind),                                                   \
	}

#define SVE(m, v, text, cost, size) \
	VECTOR(m, v, text, cost, size, SVE, 0, KIND_SVE | KIND_INT_SIZED)
#define SVE_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, SVE, ops, KIND_SVE | KIND_SIMD_FP | KIND_FP_SIZED)
/* Moves and permutations. */
#define SVE_COPY(m, v, text, cost) VECTOR(m, v, text, cost, NONE, SVE, 0, KIND_SVE)

#define SVE_CRYPTO(m, v, text, cost) VECTOR(m, v, text, cost, NONE, SVE, 0, KIND_SVE | KIND_CRYPTO)

/* clang-format off */
/* SVE2 multiply-add, predicated integer */
static const struct decode_row multiply[] = {
	SVE(0xffe0f800, 0x44c00000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D), /* sdot, udot of d */
	SVE(0xffe0f800, 0x44800000, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* sdot, udot */
	SVE(0xffe0f800, 0x44400000, "Vd=Vn,Vm,+Vd", SIMD_DOT, H), /* sdot, udot of h */
	RESERVED(0xffe0f800, 0x44000800),
	RESERVED(0xffe0e000, 0x44004000),
	RESERVED(0xffe0f000, 0x44006000),
	RESERVED(0xffa0f000, 0x44001000),
	SVE(0xff20f800, 0x44000800, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* sqdmlalbt, sqdmlslbt */
	SVE(0xffe0f000, 0x44c01000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D), /* cdot of d */
	SVE(0xffe0f000, 0x44801000, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* cdot */
	SVE(0xffe0e000, 0x44c02000, "Vd=Vn,Vm,+Vd", SVE_MLA_D, D), /* cmla, sqrdcmlah of d */
	SVE(0xff20e000, 0x44002000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* cmla, sqrdcmlah */
	SVE(0xff20e000, 0x44004000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* smlalb ... umlslt */
	SVE(0xff20f000, 0x44006000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* sqdmlalb ... sqdmlslt */
	SVE(0xffe0f800, 0x44c07000, "Vd=Vn,Vm,+Vd", SVE_MLA_D, D), /* sqrdmlah, sqrdmlsh of d */
	SVE(0xff20f800, 0x44007000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* sqrdmlah, sqrdmlsh */
	SVE(0xffe0fc00, 0x44807800, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* usdot */
	SVE(0xff3ee000, 0x4404a000, "Vd=Vn,+Vd,Pg", SIMD_ABA, SIZE), /* sadalp, uadalp */
	SVE(0xfffee000, 0x4480a000, "Vd=Vn,Vd,Pg", SIMD_CONVERT_2, S), /* urecpe, ursqrte */
	SVE(0xff3ee000, 0x4408a000, "Vd=Vn,Vd,Pg", SIMD_ALU, SIZE), /* sqabs, sqneg */
	RESERVED(0xff3ee000, 0x44008000),
	SVE(0xff3ce000, 0x44008000, "Vd=Vd,Vn,Pg", SIMD_SHIFT_LONG, SIZE), /* srshl, urshl */
	RESERVED(0xff3ee000, 0x44048000),
	SVE(0xff30e000, 0x44008000, "Vd=Vd,Vn,Pg", SIMD_SHIFT_LONG, SIZE), /* srshlr ... uqrshlr */
	SVE(0xff38e000, 0x44108000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* shadd ... uhsubr */
	SVE(0xff3fe000, 0x4411a000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* addp */
	SVE(0xff3ce000, 0x4414a000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* smaxp, umaxp, sminp, uminp */
	SVE(0xff38e000, 0x44188000, "Vd=Vd,Vn,Pg", SIMD_ALU, SIZE), /* sqadd ... uqsubr */
	SVE(0xff20f800, 0x4400c000, "Vd=Vn,Vm,Vd", SIMD_ALU, SIZE), /* sclamp, uclamp */
};

/* SVE2 multiply-add by element */
static const struct decode_row multiply_indexed[] = {
	SVE(0xffe0f800, 0x44a00000, "Vd=Vn,Vf,+Vd", SIMD_DOT, S), /* sdot, udot */
	SVE(0xffe0f800, 0x44e00000, "Vd=Vn,Ve,+Vd", SIMD_MLA, D), /* sdot, udot of d */
	SVE(0xffe0f800, 0x44a01800, "Vd=Vn,Vf,+Vd", SIMD_DOT, S), /* usdot, sudot */
	SVE(0xffa0f800, 0x44200800, "Vd=Vn,Vf,+Vd", SVE_MLA, H), /* mla, mls of h */
	SVE(0xffe0f800, 0x44a00800, "Vd=Vn,Vf,+Vd", SVE_MLA, S), /* of s */
	SVE(0xffe0f800, 0x44e00800, "Vd=Vn,Ve,+Vd", SVE_MLA_D, D), /* of d */
	SVE(0xffa0f800, 0x44201000, "Vd=Vn,Vf,+Vd", SIMD_MLA, H), /* sqrdmlah, sqrdmlsh of h */
	SVE(0xffe0f800, 0x44a01000, "Vd=Vn,Vf,+Vd", SIMD_MLA, S), /* of s */
	SVE(0xffe0f800, 0x44e01000, "Vd=Vn,Ve,+Vd", SVE_MLA_D, D), /* of d */
	SVE(0xffe0e000, 0x44a02000, "Vd=Vn,Vf,+Vd", SIMD_MLA, S), /* sqdmlalb ... sqdmlslt to s */
	SVE(0xffe0e000, 0x44e02000, "Vd=Vn,Ve,+Vd", SIMD_MLA, D), /* to d */
	SVE(0xffe0f000, 0x44a04000, "Vd=Vn,Vf,+Vd", SIMD_DOT, S), /* cdot */
	SVE(0xffe0f000, 0x44e04000, "Vd=Vn,Ve,+Vd", SIMD_MLA, D), /* cdot of d */
	SVE(0xffe0e000, 0x44a06000, "Vd=Vn,Vf,+Vd", SIMD_MLA, H), /* cmla, sqrdcmlah of h */
	SVE(0xffe0e000, 0x44e06000, "Vd=Vn,Ve,+Vd", SIMD_MLA, S), /* of s */
	SVE(0xffe0c000, 0x44a08000, "Vd=Vn,Vf,+Vd", SIMD_MLA, S), /* smlalb ... umlslt to s */
	SVE(0xffe0c000, 0x44e08000, "Vd=Vn,Ve,+Vd", SIMD_MLA, D), /* to d */
	SVE(0xffe0e000, 0x44a0c000, "Vd=Vn,Vf", SIMD_MUL, S), /* smullb ... umullt to s */
	SVE(0xffe0e000, 0x44e0c000, "Vd=Vn,Ve", SIMD_MUL, D), /* to d */
	SVE(0xffe0f000, 0x44a0e000, "Vd=Vn,Vf", SIMD_MUL, S), /* sqdmullb, sqdmullt to s */
	SVE(0xffe0f000, 0x44e0e000, "Vd=Vn,Ve", SIMD_MUL, D), /* to d */
	SVE(0xffa0f800, 0x4420f000, "Vd=Vn,Vf", SIMD_MUL, H), /* sqdmulh, sqrdmulh of h */
	SVE(0xffe0f800, 0x44a0f000, "Vd=Vn,Vf", SIMD_MUL, S), /* of s */
	SVE(0xffe0f800, 0x44e0f000, "Vd=Vn,Ve", SVE_MUL_D, D), /* of d */
	SVE(0xffa0fc00, 0x4420f800, "Vd=Vn,Vf", SIMD_MUL, H), /* mul of h */
	SVE(0xffe0fc00, 0x44a0f800, "Vd=Vn,Vf", SIMD_MUL, S), /* of s */
	SVE(0xffe0fc00, 0x44e0f800, "Vd=Vn,Ve", SVE_MUL_D, D), /* of d */
};

/* SVE2 widening, accumulating */
static const struct decode_row narrow_widen[] = {
	RESERVED(0xffe0c000, 0x45000000),
	RESERVED(0xffe0e000, 0x45004000),
	RESERVED(0xffe0f800, 0x45006000),
	RESERVED(0xffe0f000, 0x45007000),
	RESERVED(0xffe0f800, 0x45806800),
	RESERVED(0xffe0f000, 0x4500c000),
	RESERVED(0xffe0fc00, 0x45008000),
	RESERVED(0xffe0f800, 0x45008800),
	SVE(0xff20c000, 0x45000000, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* saddlb ... uabdlt */
	SVE(0xff20e000, 0x45004000, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* saddwb ... usubwt */
	SVE(0xff20f800, 0x45006800, "Vd=Vn,Vm", SVE_POLY, SIZE), /* pmullb, pmullt */
	SVE(0xff20e000, 0x45006000, "Vd=Vn,Vm", SIMD_MUL, SIZE), /* sqdmullb, smullb ... */
	SVE(0xff20f800, 0x45009000, "Vd=Vn,Vm,Vd", SIMD_ALU, SIZE), /* eorbt, eortb */
	SVE(0xff20fc00, 0x45008000, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* saddlbt */
	SVE(0xff20f800, 0x45008800, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* ssublbt, ssubltb */
	RESERVED(0xffe0fc00, 0x45409800),
	SVE(0xff20fc00, 0x45009800, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* smmla, usmmla, ummla */
	RESERVED(0xfff8f000, 0x4500a000),
	SVE(0xffa0f000, 0x4500a000, "Vd=Vn", SIMD_SHIFT, TSZ_WIDE), /* sshllb ... ushllt */
	RESERVED(0xff20fc00, 0x4500bc00),
	SVE(0xff20f000, 0x4500b000, "Vd=Vn,Vm", SVE_BITS, SIZE), /* bext, bdep, bgrp */
	SVE(0xff3ff800, 0x4500d800, "Vd=Vd,Vn", SIMD_ALU, SIZE), /* cadd */
	SVE(0xff3ff800, 0x4501d800, "Vd=Vd,Vn", SIMD_ALU, SIZE), /* sqcadd */
	SVE(0xff20f000, 0x4500c000, "Vd=Vn,Vm,+Vd", SIMD_ABA, SIZE), /* sabalb ... uabalt */
	SVE(0xff20f800, 0x4500d000, "Vd=Vn,Vm,Vd", SIMD_ALU, SZ), /* adclb, adclt, sbclb, sbclt */
	/* ssra, usra, srsra, ursra */
	SVE(0xff20f000, 0x4500e000, "Vd=Vn,+Vd", SIMD_SHIFT_LONG, TSZ),
	SVE(0xff20f800, 0x4500f000, "Vd=Vn,Vd", SIMD_SHIFT, TSZ), /* sri, sli */
	SVE(0xff20f800, 0x4500f800, "Vd=Vn,Vm,+Vd", SIMD_ABA, SIZE), /* saba, uaba */
};

/* SVE2 narrowing, matching, cryptography */
static const struct decode_row narrow[] = {
	SVE(0xffa7f400, 0x45204000, "Vd=Vn", SIMD_SHIFT_LONG, TSZ_WIDE), /* sqxtnb, uqxtnb */
	SVE(0xffa7f400, 0x45204400, "Vd=Vn,Vd", SIMD_SHIFT_LONG, TSZ_WIDE), /* sqxtnt, uqxtnt */
	SVE(0xffa7fc00, 0x45205000, "Vd=Vn", SIMD_SHIFT_LONG, TSZ_WIDE), /* sqxtunb */
	SVE(0xffa7fc00, 0x45205400, "Vd=Vn,Vd", SIMD_SHIFT_LONG, TSZ_WIDE), /* sqxtunt */
	RESERVED(0xfff8c000, 0x45200000),
	SVE(0xffa0fc00, 0x45201000, "Vd=Vn", SIMD_SHIFT, TSZ_WIDE), /* shrnb */
	SVE(0xffa0fc00, 0x45201400, "Vd=Vn,Vd", SIMD_SHIFT, TSZ_WIDE), /* shrnt */
	SVE(0xffa0c400, 0x45200000, "Vd=Vn", SIMD_SHIFT_LONG, TSZ_WIDE), /* sqshrunb ... uqrshrnb */
	/* sqshrunt ... uqrshrnt */
	SVE(0xffa0c400, 0x45200400, "Vd=Vn,Vd", SIMD_SHIFT_LONG, TSZ_WIDE),
	RESERVED(0xffe0e000, 0x45206000),
	/* addhnb, raddhnb, subhnb, rsubhnb */
	SVE(0xff20e400, 0x45206000, "Vd=Vn,Vm", SIMD_ALU, SIZE),
	/* addhnt, raddhnt, subhnt, rsubhnt */
	SVE(0xff20e400, 0x45206400, "Vd=Vn,Vm,Vd", SIMD_ALU, SIZE),
	SVE(0xffa0e000, 0x45208000, "Pd,nzcv=Vn,Vm,Pg", SVE_MATCH, SIZE), /* match, nmatch */
	SVE(0xffe0fc00, 0x4520a000, "Vd=Vn,Vm", SVE_HISTOGRAM, B), /* histseg */
	SVE(0xffa0e000, 0x45a0c000, "Vd=Vn,Vm,Pg", SVE_HISTOGRAM, SIZE), /* histcnt */
	SVE_CRYPTO(0xfffffbe0, 0x4520e000, "Vd=Vd", CRYPTO_AES), /* aesmc, aesimc */
	SVE_CRYPTO(0xfffff800, 0x4522e000, "Vd=Vd,Vn", CRYPTO_AES), /* aese, aesd */
	SVE_CRYPTO(0xfffffc00, 0x4523e000, "Vd=Vd,Vn", CRYPTO_SHA_LONG), /* sm4e */
	SVE_CRYPTO(0xffe0fc00, 0x4520f000, "Vd=Vn,Vm", CRYPTO_SHA_LONG), /* sm4ekey */
	SVE_CRYPTO(0xffe0fc00, 0x4520f400, "Vd=Vn,Vm", CRYPTO_SHA), /* rax1 */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xff200000, 0x44000000, multiply),
	DECODE_GROUP(0xff200000, 0x44200000, multiply_indexed),
	DECODE_GROUP(0xff200000, 0x45000000, narrow_widen),
	DECODE_GROUP(0xff200000, 0x45200000, narrow),
};
/* clang-format on */

const struct decode_table decode_sve2 = DECODE_TABLE(groups);

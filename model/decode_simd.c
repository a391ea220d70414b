/* SPDX-License-Identifier: Apache-2.0 */
/* Advanced SIMD, vectors. */
#include "decode.h"

/* `size` is the element that determines the kind and the floating-point operations. */
#define VECTOR(m, v, text, cost, size, extent, ops, kind)                          \
	{                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,    \
		.element = ELEMENT_##size, .width = WIDTH_##extent, .fp_ops = ops, \
		.kinds = (kind),                                                   \
	}

#define ASE_KINDS (KIND_ASE | KIND_ASE_INST)
#define SIMD(m, v, text, cost, size) \
	VECTOR(m, v, text, cost, size, ASIMD, 0, ASE_KINDS | KIND_INT_SIZED)
#define SIMD_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, ASIMD, ops, ASE_KINDS | KIND_SIMD_FP | KIND_FP_SIZED)
#define SIMD_COPY(m, v, text, cost) VECTOR(m, v, text, cost, NONE, ASIMD, 0, ASE_KINDS)

/* Moves between vector and general registers, which ASE_SPEC does not count. */
#define SIMD_MOVE(m, v, text, cost) VECTOR(m, v, text, cost, NONE, ASIMD, 0, KIND_ASE_INST)
#define CRYPTO(m, v, text, cost) \
	VECTOR(m, v, text, cost, NONE, ASIMD, 0, KIND_CRYPTO | KIND_ASE_INST)

/* clang-format off */
/* Cryptography */
static const struct decode_row cryptography[] = {
	CRYPTO(0xffffec00, 0x4e284800, "Vd=Vd,Vn", CRYPTO_AES), /* aese, aesd */
	CRYPTO(0xffffec00, 0x4e286800, "Vd=Vn", CRYPTO_AES), /* aesmc, aesimc */
	CRYPTO(0xffe0fc00, 0x5e003000, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sha1su0 */
	CRYPTO(0xffe0ec00, 0x5e000000, "Vd=Vd,Vn,Vm", CRYPTO_SHA_LONG), /* sha1c, sha1p */
	CRYPTO(0xffe0fc00, 0x5e002000, "Vd=Vd,Vn,Vm", CRYPTO_SHA_LONG), /* sha1m */
	CRYPTO(0xffe0ec00, 0x5e004000, "Vd=Vd,Vn,Vm", CRYPTO_SHA_LONG), /* sha256h, sha256h2 */
	CRYPTO(0xffe0fc00, 0x5e006000, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sha256su1 */
	CRYPTO(0xfffffc00, 0x5e280800, "Vd=Vn", CRYPTO_AES), /* sha1h */
	CRYPTO(0xfffffc00, 0x5e281800, "Vd=Vd,Vn", CRYPTO_SHA), /* sha1su1 */
	CRYPTO(0xfffffc00, 0x5e282800, "Vd=Vd,Vn", CRYPTO_SHA), /* sha256su0 */
	CRYPTO(0xffe08000, 0xce000000, "Vd=Vn,Vm,Va", SIMD_LOGIC3), /* eor3 */
	CRYPTO(0xffe08000, 0xce200000, "Vd=Vn,Vm,Va", SIMD_LOGIC3), /* bcax */
	CRYPTO(0xffe08000, 0xce400000, "Vd=Vn,Vm,Va", CRYPTO_SHA), /* sm3ss1 */
	CRYPTO(0xffe00000, 0xce800000, "Vd=Vn,Vm", SIMD_LOGIC3), /* xar */
	CRYPTO(0xffe0c000, 0xce408000, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sm3tt1a ... sm3tt2b */
	CRYPTO(0xffe0fc00, 0xce608000, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sha512h */
	CRYPTO(0xffe0fc00, 0xce608400, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sha512h2 */
	CRYPTO(0xffe0fc00, 0xce608800, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sha512su1 */
	CRYPTO(0xffe0fc00, 0xce608c00, "Vd=Vn,Vm", CRYPTO_SHA), /* rax1 */
	CRYPTO(0xffe0f800, 0xce60c000, "Vd=Vd,Vn,Vm", CRYPTO_SHA), /* sm3partw1, sm3partw2 */
	CRYPTO(0xffe0fc00, 0xce60c800, "Vd=Vn,Vm", CRYPTO_SHA_LONG), /* sm4ekey */
	CRYPTO(0xfffffc00, 0xcec08000, "Vd=Vd,Vn", CRYPTO_SHA), /* sha512su0 */
	CRYPTO(0xfffffc00, 0xcec08400, "Vd=Vd,Vn", CRYPTO_SHA_LONG), /* sm4e */
};

/* Copy */
static const struct decode_row copy[] = {
	RESERVED(0x000f0000, 0x00000000),
	RESERVED(0xbfeffc00, 0x0e082c00),
	RESERVED(0xffe7fc00, 0x0e042c00),
	RESERVED(0xffefcc00, 0x0e080c00),
	SIMD_COPY(0xbfe0fc00, 0x0e000400, "Vd=Vn", SIMD_ALU), /* dup of an element */
	SIMD_MOVE(0xbfe0fc00, 0x0e000c00, "Vd=Xn", FP_FROM_INT), /* dup */
	SIMD_MOVE(0xffe0fc00, 0x4e001c00, "Vd=Vd,Xn", FP_INSERT), /* ins, from a general register */
	SIMD_MOVE(0xbfe0fc00, 0x0e002c00, "Xd=Vn", FP_TO_GENERAL), /* smov */
	SIMD_MOVE(0xbfe0fc00, 0x0e003c00, "Xd=Vn", FP_TO_GENERAL), /* umov */
	SIMD_COPY(0xffe08400, 0x6e000400, "Vd=Vd,Vn", SIMD_ALU), /* ins */
	SIMD_COPY(0xffe0fc00, 0x5e000400, "Vd=Vn", SIMD_ALU), /* dup to a scalar */
};

/* Permute */
static const struct decode_row permute[] = {
	RESERVED(0xffe08c00, 0x0ec00800),
	SIMD_COPY(0xbf20bc00, 0x0e001800, "Vd=Vn,Vm", SIMD_ALU), /* uzp1, uzp2 */
	SIMD_COPY(0xbf20bc00, 0x0e002800, "Vd=Vn,Vm", SIMD_ALU), /* trn1, trn2 */
	SIMD_COPY(0xbf20bc00, 0x0e003800, "Vd=Vn,Vm", SIMD_ALU), /* zip1, zip2 */
};

/* Table lookup */
static const struct decode_row table[] = {
	SIMD_COPY(0xbfe0fc00, 0x0e000000, "Vd=Vn,Vm", SIMD_TABLE1), /* tbl of 1 */
	SIMD_COPY(0xbfe0fc00, 0x0e002000, "Vd=Vn*2,Vm", SIMD_TABLE1), /* tbl of 2 */
	SIMD_COPY(0xbfe0fc00, 0x0e004000, "Vd=Vn*3,Vm", SIMD_TABLE3), /* tbl of 3 */
	SIMD_COPY(0xbfe0fc00, 0x0e006000, "Vd=Vn*4,Vm", SIMD_TABLE4), /* tbl of 4 */
	SIMD_COPY(0xbfe0fc00, 0x0e001000, "Vd=Vd,Vn,Vm", SIMD_TABLEX1), /* tbx of 1 */
	SIMD_COPY(0xbfe0fc00, 0x0e003000, "Vd=Vd,Vn*2,Vm", SIMD_TABLEX2), /* tbx of 2 */
	SIMD_COPY(0xbfe0fc00, 0x0e005000, "Vd=Vd,Vn*3,Vm", SIMD_TABLEX3), /* tbx of 3 */
	SIMD_COPY(0xbfe0fc00, 0x0e007000, "Vd=Vd,Vn*4,Vm", SIMD_TABLEX4), /* tbx of 4 */
};

/* Lookup table */
static const struct decode_row lookup[] = {
	/* luti4 of bytes, luti4 of h below */
	SIMD_COPY(0xffe0bc00, 0x4e402000, "Vd=Vn,Vm", SIMD_TABLE1),
	SIMD_COPY(0xffe09c00, 0x4e401000, "Vd=Vn*2,Vm", SIMD_TABLE1), /* luti4 of h */
	SIMD_COPY(0xffa08c00, 0x4e800000, "Vd=Vn,Vm", SIMD_TABLE1), /* luti2 */
};

/* Extract */
static const struct decode_row extract[] = {
	RESERVED(0xffe0c400, 0x2e004000),
	SIMD_COPY(0xbfe08400, 0x2e000000, "Vd=Vn,Vm", SIMD_ALU), /* ext */
};

/* Modified immediate */
static const struct decode_row immediate[] = {
	SIMD_COPY(0xffffffe0, 0x6f00e400, "Vd=", SIMD_ZERO), /* movi of 0 */
	SIMD_COPY(0xffffffe0, 0x2f00e400, "Vd=", SIMD_ZERO),
	SIMD_COPY(0x9ff89c00, 0x0f000400, "Vd=", SIMD_ALU), /* movi, mvni */
	SIMD(0x9ff89c00, 0x0f001400, "Vd=Vd", SIMD_ALU, S), /* orr, bic */
	SIMD_COPY(0x9ff8dc00, 0x0f008400, "Vd=", SIMD_ALU), /* movi, mvni */
	SIMD(0x9ff8dc00, 0x0f009400, "Vd=Vd", SIMD_ALU, H), /* orr, bic */
	SIMD_COPY(0x9ff8ec00, 0x0f00c400, "Vd=", SIMD_ALU), /* movi, mvni */
	SIMD_COPY(0x9ff8fc00, 0x0f00e400, "Vd=", SIMD_ALU), /* movi */
	RESERVED(0xfff8fc00, 0x2f00f400),
	SIMD_COPY(0x9ff8fc00, 0x0f00f400, "Vd=", SIMD_ALU), /* fmov */
	SIMD_COPY(0xbff8fc00, 0x0f00fc00, "Vd=", SIMD_ALU), /* fmov of h */
};

/* Shift by an immediate */
static const struct decode_row shift[] = {
	RESERVED(0x00780000, 0x00000000),
	RESERVED(0xdfc0e400, 0x0f400400),
	RESERVED(0xdfc0c400, 0x0f400400),
	RESERVED(0xdfc0c400, 0x0f404400),
	RESERVED(0xdfc0c400, 0x0f40c400),
	RESERVED(0x9fc0c400, 0x0f408400), /* narrowing and widening have no 64-bit source */
	SIMD(0x9f80fc00, 0x0f000400, "Vd=Vn", SIMD_SHIFT, IMMH), /* sshr, ushr */
	SIMD(0x9f80fc00, 0x0f001400, "Vd=Vn,+Vd", SIMD_SHIFT_LONG, IMMH), /* ssra, usra */
	SIMD(0x9f80fc00, 0x0f002400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH), /* srshr, urshr */
	SIMD(0x9f80fc00, 0x0f003400, "Vd=Vn,+Vd", SIMD_SHIFT_LONG, IMMH), /* srsra, ursra */
	SIMD(0xbf80fc00, 0x2f004400, "Vd=Vn,Vd", SIMD_SHIFT, IMMH), /* sri */
	SIMD(0xbf80fc00, 0x0f005400, "Vd=Vn", SIMD_SHIFT, IMMH), /* shl */
	SIMD(0xbf80fc00, 0x2f005400, "Vd=Vn,Vd", SIMD_SHIFT, IMMH), /* sli */
	SIMD(0xbf80fc00, 0x2f006400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH), /* sqshlu */
	SIMD(0x9f80fc00, 0x0f007400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH), /* sqshl, uqshl */
	SIMD(0xff80fc00, 0x4f008400, "Vd=Vn,Vd", SIMD_SHIFT, IMMH_WIDE), /* shrn2 */
	SIMD(0xff80fc00, 0x0f008400, "Vd=Vn", SIMD_SHIFT, IMMH_WIDE), /* shrn */
	/* rshrn2 ... sqrshrn2 */
	SIMD(0xdf80e400, 0x4f008400, "Vd=Vn,Vd", SIMD_SHIFT_LONG, IMMH_WIDE),
	SIMD(0xdf80e400, 0x0f008400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH_WIDE), /* rshrn ... sqrshrn */
	SIMD(0x9f80fc00, 0x0f00a400, "Vd=Vn", SIMD_SHIFT, IMMH_WIDE), /* sshll, ushll */
	RESERVED(0x9ff8e400, 0x0f08e400),
	RESERVED(0x9f80fc00, 0x0f00ec00),
	RESERVED(0x9f80fc00, 0x0f00f400),
	/* scvtf, ucvtf, fcvtzs, fcvtzu 8h */
	SIMD_FP(0xdff0e400, 0x4f10e400, "Vd=Vn", SIMD_CONVERT_4, H, 1),
	SIMD_FP(0xdff0e400, 0x0f10e400, "Vd=Vn", SIMD_CONVERT_2, H, 1), /* 4h */
	SIMD_FP(0xdfe0e400, 0x4f20e400, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* 4s */
	SIMD_FP(0xdfe0e400, 0x0f20e400, "Vd=Vn", FP_CONVERT, S, 1), /* 2s */
	SIMD_FP(0xdfc0e400, 0x4f40e400, "Vd=Vn", FP_CONVERT, D, 1), /* 2d */
};

/* Three registers of one type */
static const struct decode_row three_same[] = {
	SIMD(0xbf20fc00, 0x0e201c00, "Vd=Vn,Vm", SIMD_ALU, B), /* and, bic, orr, orn */
	SIMD(0xbfe0fc00, 0x2e201c00, "Vd=Vn,Vm", SIMD_ALU, B), /* eor */
	SIMD(0xbf20fc00, 0x2e201c00, "Vd=Vn,Vm,Vd", SIMD_ALU, B), /* bsl, bit, bif */
	/* 64-bit elements need 128-bit registers, and few operations have them */
	RESERVED(0xdfe08400, 0x0ee00400),
	RESERVED(0xdfe0c400, 0x0ee08400),
	/* shadd, uhadd; sqadd, uqadd below */
	SIMD(0x9f20f400, 0x0e200400, "Vd=Vn,Vm", SIMD_ALU, SIZE),
	SIMD(0x9f20dc00, 0x0e200400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* shsub, uhsub */
	SIMD(0x9f20fc00, 0x0e201400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* srhadd, urhadd */
	SIMD(0x9f20fc00, 0x0e202c00, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* sqsub, uqsub */
	SIMD(0x9f20f400, 0x0e203400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* cmgt, cmhi, cmge, cmhs */
	SIMD(0x9f20fc00, 0x0e204400, "Vd=Vn,Vm", SIMD_SHIFT, SIZE), /* sshl, ushl */
	/* sqshl, srshl, sqrshl ... */
	SIMD(0x9f20e400, 0x0e204400, "Vd=Vn,Vm", SIMD_SHIFT_LONG, SIZE),
	RESERVED(0x9fe0e400, 0x0ee06400),
	SIMD(0x9f20f400, 0x0e206400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* smax, umax, smin, umin */
	SIMD(0x9f20fc00, 0x0e207400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* sabd, uabd */
	SIMD(0x9f20fc00, 0x0e207c00, "Vd=Vn,Vm,+Vd", SIMD_ABA, SIZE), /* saba, uaba */
	SIMD(0x9f20fc00, 0x0e208400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* add, sub */
	SIMD(0x9f20fc00, 0x0e208c00, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* cmtst, cmeq */
	SIMD(0xbf20fc00, 0x0e20bc00, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* addp */
	RESERVED(0x9fe0c400, 0x0ee08400),
	SIMD(0x9f20fc00, 0x0e209400, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE), /* mla, mls */
	SIMD(0xbf20fc00, 0x0e209c00, "Vd=Vn,Vm", SIMD_MUL, SIZE), /* mul */
	SIMD(0xbfe0fc00, 0x2e209c00, "Vd=Vn,Vm", SIMD_POLY, B), /* pmul */
	SIMD(0x9f20f400, 0x0e20a400, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* smaxp, umaxp, sminp, uminp */
	SIMD(0x9fe0fc00, 0x0e60b400, "Vd=Vn,Vm", SIMD_MUL, H), /* sqdmulh, sqrdmulh */
	SIMD(0x9fe0fc00, 0x0ea0b400, "Vd=Vn,Vm", SIMD_MUL, S),
	/* floating point */
	SIMD_FP(0xbfe0fc00, 0x0e20ec00, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2), /* fmlal */
	SIMD_FP(0xbfe0fc00, 0x0ea0ec00, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2), /* fmlsl */
	SIMD_FP(0xbfe0fc00, 0x2e20cc00, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2), /* fmlal2 */
	SIMD_FP(0xbfe0fc00, 0x2ea0cc00, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2), /* fmlsl2 */
	RESERVED(0xdf60c400, 0x0e60c400),
	/* fmaxnm, fminnm, fmaxnmp, fminnmp */
	SIMD_FP(0x9f20fc00, 0x0e20c400, "Vd=Vn,Vm", FP_ADD, SZ, 1),
	SIMD_FP(0xbf20fc00, 0x0e20cc00, "Vd=Vn,Vm,+Vd", FP_FMA, SZ, 2), /* fmla, fmls */
	SIMD_FP(0xbf20fc00, 0x0e20d400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fadd, fsub */
	SIMD_FP(0xbf20fc00, 0x2e20d400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* faddp, fabd */
	SIMD_FP(0x9fa0fc00, 0x0e20dc00, "Vd=Vn,Vm", FP_MUL, SZ, 1), /* fmulx, fmul */
	SIMD_FP(0x9fa0fc00, 0x0ea0dc00, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* famax, famin */
	SIMD_FP(0xbfa0fc00, 0x0e20e400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fcmeq */
	SIMD_FP(0xbf20fc00, 0x2e20e400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fcmge, fcmgt */
	SIMD_FP(0xbf20fc00, 0x2e20ec00, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* facge, facgt */
	SIMD_FP(0x9f20fc00, 0x0e20f400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fmax, fmin, fmaxp, fminp */
	SIMD_FP(0xbf20fc00, 0x0e20fc00, "Vd=Vn,Vm", FP_STEP, SZ, 2), /* frecps, frsqrts */
	SIMD_FP(0xffe0fc00, 0x2e20fc00, "Vd=Vn,Vm", FP_DIV_2S, S, 1), /* fdiv 2s */
	SIMD_FP(0xffe0fc00, 0x6e20fc00, "Vd=Vn,Vm", FP_DIV_4S, S, 1), /* fdiv 4s */
	SIMD_FP(0xffe0fc00, 0x6e60fc00, "Vd=Vn,Vm", FP_DIV_2D, D, 1), /* fdiv 2d */
	SIMD_FP(0xbfa0fc00, 0x2ea0fc00, "Vd=Vn,Vm", FP_MUL, SZ, 1), /* fscale */
};

/* Three registers of half-precision elements */
static const struct decode_row three_same_half[] = {
	/* fmaxnm, fminnm, fmaxnmp, fminnmp */
	SIMD_FP(0x9f60fc00, 0x0e400400, "Vd=Vn,Vm", FP_ADD, H, 1),
	SIMD_FP(0xbf60fc00, 0x0e400c00, "Vd=Vn,Vm,+Vd", FP_FMA, H, 2), /* fmla, fmls */
	SIMD_FP(0x9f60fc00, 0x0e401400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fadd, fsub, faddp, fabd */
	SIMD_FP(0x9fe0fc00, 0x0e401c00, "Vd=Vn,Vm", FP_MUL, H, 1), /* fmulx, fmul */
	SIMD_FP(0x9fe0fc00, 0x0ec01c00, "Vd=Vn,Vm", FP_ADD, H, 1), /* famax, famin */
	SIMD_FP(0xbfe0fc00, 0x0e402400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fcmeq */
	SIMD_FP(0xbf60fc00, 0x2e402400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fcmge, fcmgt */
	SIMD_FP(0xbf60fc00, 0x2e402c00, "Vd=Vn,Vm", FP_ADD, H, 1), /* facge, facgt */
	SIMD_FP(0x9f60fc00, 0x0e403400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fmax, fmin, fmaxp, fminp */
	SIMD_FP(0xbf60fc00, 0x0e403c00, "Vd=Vn,Vm", FP_STEP, H, 2), /* frecps, frsqrts */
	SIMD_FP(0xffe0fc00, 0x2e403c00, "Vd=Vn,Vm", FP_DIV_4H, H, 1), /* fdiv 4h */
	SIMD_FP(0xffe0fc00, 0x6e403c00, "Vd=Vn,Vm", FP_DIV_8H, H, 1), /* fdiv 8h */
	SIMD_FP(0xbfe0fc00, 0x2ec03c00, "Vd=Vn,Vm", FP_MUL, H, 1), /* fscale */
};

/* Three registers: dot products, complex numbers, BFloat16 */
static const struct decode_row three_same_extra[] = {
	SIMD(0x9fe0fc00, 0x0e809400, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* sdot, udot */
	SIMD(0xbfe0fc00, 0x0e809c00, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* usdot */
	SIMD(0xdfe0fc00, 0x4e80a400, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* smmla, ummla */
	SIMD(0xffe0fc00, 0x4e80ac00, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* usmmla */
	SIMD(0xbfe0f400, 0x2e408400, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, H), /* sqrdmlah, sqrdmlsh */
	SIMD(0xbfe0f400, 0x2e808400, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, S),
	RESERVED(0xffe0e400, 0x2ec0c400),
	SIMD_FP(0xbfe0e400, 0x2e40c400, "Vd=Vn,Vm,+Vd", FP_CMLA, H, 2), /* fcmla */
	SIMD_FP(0xbfa0e400, 0x2e80c400, "Vd=Vn,Vm,+Vd", FP_CMLA, SZ, 2), /* fcmla */
	RESERVED(0xffe0ec00, 0x2ec0e400),
	SIMD_FP(0xbfe0ec00, 0x2e40e400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fcadd */
	SIMD_FP(0xbfa0ec00, 0x2e80e400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fcadd */
	SIMD_FP(0xbfe0fc00, 0x2e40fc00, "Vd=Vn,Vm,+Vd", BF16_DOT, S, 4), /* bfdot */
	SIMD_FP(0xbfe0fc00, 0x2ec0fc00, "Vd=Vn,Vm,+Vd", BF16_MLA, S, 2), /* bfmlalb, bfmlalt */
	SIMD_FP(0xffe0fc00, 0x6e40ec00, "Vd=Vn,Vm,+Vd", BF16_MMLA, S, 8), /* bfmmla */
	SIMD_FP(0xbfe0fc00, 0x0e00fc00, "Vd=Vn,Vm,+Vd", FP_FMA, S, 8), /* fdot of 4 */
	SIMD_FP(0xbfe0fc00, 0x0e40fc00, "Vd=Vn,Vm,+Vd", FP_FMA, H, 4), /* fdot of 2 */
	SIMD_FP(0xbfe0fc00, 0x0ec0fc00, "Vd=Vn,Vm,+Vd", FP_FMA, H, 2), /* fmlalb, fmlalt of bytes */
	SIMD_FP(0xbfa0fc00, 0x0e00c400, "Vd=Vn,Vm,+Vd", FP_FMA, S, 2), /* fmlallbb ... fmlalltt */
	SIMD_FP(0xffe0fc00, 0x4e00f400, "Vd=Vn,Vm,Vd", FP_CONVERT, S, 1), /* fcvtn2 to bytes */
	SIMD_FP(0xbfa0fc00, 0x0e00f400, "Vd=Vn,Vm", FP_CONVERT, S, 1), /* fcvtn to bytes */
};

/* Three registers of different widths */
static const struct decode_row three_different[] = {
	SIMD(0xbfe0fc00, 0x0e20e000, "Vd=Vn,Vm", SIMD_POLY, H), /* pmull of bytes */
	SIMD(0xbfe0fc00, 0x0ee0e000, "Vd=Vn,Vm", SIMD_POLY_LONG, D), /* pmull of 64 bits */
	RESERVED(0x9fe00000, 0x0ee00000),
	/* saddl, saddw, ssubl, ssubw ... */
	SIMD(0x9f20cc00, 0x0e200000, "Vd=Vn,Vm", SIMD_ALU, SIZE_WIDE),
	SIMD(0xdf20dc00, 0x0e204000, "Vd=Vn,Vm", SIMD_ALU, SIZE_WIDE), /* addhn, subhn ... */
	SIMD(0xdf20dc00, 0x4e204000, "Vd=Vn,Vm,Vd", SIMD_ALU, SIZE_WIDE), /* addhn2, subhn2 ... */
	SIMD(0x9f20fc00, 0x0e205000, "Vd=Vn,Vm,+Vd", SIMD_ABA, SIZE_WIDE), /* sabal, uabal */
	SIMD(0x9f20fc00, 0x0e207000, "Vd=Vn,Vm", SIMD_ALU, SIZE_WIDE), /* sabdl, uabdl */
	/* smlal, umlal, smlsl, umlsl */
	SIMD(0x9f20dc00, 0x0e208000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE_WIDE),
	SIMD(0x9f20fc00, 0x0e20c000, "Vd=Vn,Vm", SIMD_MULL, SIZE_WIDE), /* smull, umull */
	RESERVED(0xbfe09c00, 0x0e209000),
	SIMD(0xbf20dc00, 0x0e209000, "Vd=Vn,Vm,+Vd", SIMD_MLA, SIZE_WIDE), /* sqdmlal, sqdmlsl */
	SIMD(0xbf20fc00, 0x0e20d000, "Vd=Vn,Vm", SIMD_MULL, SIZE_WIDE), /* sqdmull */
};

/* Two registers */
static const struct decode_row two_misc[] = {
	RESERVED(0xdfffbc00, 0x0ee03800),
	RESERVED(0xdfff8c00, 0x0ee08800),
	RESERVED(0xbfffec00, 0x0ee00800),
	RESERVED(0xbf7ffc00, 0x0e601800),
	RESERVED(0xbffffc00, 0x0ea01800),
	RESERVED(0xbfbffc00, 0x2ea00800),
	SIMD_COPY(0xbf3ffc00, 0x0e200800, "Vd=Vn", SIMD_ALU), /* rev64 */
	SIMD_COPY(0xbf3ffc00, 0x0e201800, "Vd=Vn", SIMD_ALU), /* rev16 */
	SIMD_COPY(0xbf3ffc00, 0x2e200800, "Vd=Vn", SIMD_ALU), /* rev32 */
	SIMD(0x9f3ffc00, 0x0e203800, "Vd=Vn,Vd", SIMD_ALU, SIZE), /* suqadd, usqadd */
	SIMD(0x9f3ffc00, 0x0e207800, "Vd=Vn", SIMD_ALU, SIZE), /* sqabs, sqneg */
	SIMD(0x9f3fec00, 0x0e208800, "Vd=Vn", SIMD_ALU, SIZE), /* cmgt, cmeq, cmge, cmle with 0 */
	SIMD(0xbf3ffc00, 0x0e20a800, "Vd=Vn", SIMD_ALU, SIZE), /* cmlt with 0 */
	SIMD(0x9f3ffc00, 0x0e20b800, "Vd=Vn", SIMD_ALU, SIZE), /* abs, neg */
	RESERVED(0x9fff8c00, 0x0ee00800),
	SIMD(0x9f3ffc00, 0x0e202800, "Vd=Vn", SIMD_ALU, SIZE_WIDE), /* saddlp, uaddlp */
	SIMD(0x9f3ffc00, 0x0e206800, "Vd=Vn,+Vd", SIMD_ABA, SIZE_WIDE), /* sadalp, uadalp */
	SIMD(0x9f3ffc00, 0x0e204800, "Vd=Vn", SIMD_ALU, SIZE), /* cls, clz */
	SIMD(0xbffffc00, 0x0e205800, "Vd=Vn", SIMD_ALU, B), /* cnt */
	SIMD(0xbfbffc00, 0x2e205800, "Vd=Vn", SIMD_ALU, B), /* mvn, rbit */
	RESERVED(0x9fe1fc00, 0x0ee12800),
	RESERVED(0x9ffffc00, 0x0ee14800),
	SIMD(0xff3ffc00, 0x0e212800, "Vd=Vn", SIMD_ALU, SIZE_WIDE), /* xtn */
	SIMD(0xff3ffc00, 0x4e212800, "Vd=Vn,Vd", SIMD_ALU, SIZE_WIDE), /* xtn2 */
	SIMD(0xff3ffc00, 0x2e212800, "Vd=Vn", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtun */
	SIMD(0xff3ffc00, 0x6e212800, "Vd=Vn,Vd", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtun2 */
	SIMD(0xdf3ffc00, 0x0e214800, "Vd=Vn", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtn, uqxtn */
	SIMD(0xdf3ffc00, 0x4e214800, "Vd=Vn,Vd", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtn2, uqxtn2 */
	RESERVED(0xbffffc00, 0x2ee13800),
	SIMD(0xbf3ffc00, 0x2e213800, "Vd=Vn", SIMD_SHIFT, SIZE_WIDE), /* shll */
	/* floating point */
	SIMD_FP(0xfffffc00, 0x0e216800, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* fcvtn */
	SIMD_FP(0xfffffc00, 0x4e216800, "Vd=Vn,Vd", SIMD_CONVERT_2, S, 1), /* fcvtn2 */
	SIMD_FP(0xfffffc00, 0x0e616800, "Vd=Vn", FP_CONVERT, D, 1), /* fcvtn */
	SIMD_FP(0xfffffc00, 0x4e616800, "Vd=Vn,Vd", FP_CONVERT, D, 1), /* fcvtn2 */
	SIMD_FP(0xfffffc00, 0x0ea16800, "Vd=Vn", SIMD_CONVERT_BF16, S, 1), /* bfcvtn */
	SIMD_FP(0xfffffc00, 0x4ea16800, "Vd=Vn,Vd", SIMD_CONVERT_BF16, S, 1), /* bfcvtn2 */
	SIMD_FP(0xfffffc00, 0x2e616800, "Vd=Vn", FP_CONVERT, D, 1), /* fcvtxn */
	SIMD_FP(0xfffffc00, 0x6e616800, "Vd=Vn,Vd", FP_CONVERT, D, 1), /* fcvtxn2 */
	SIMD_FP(0xbffffc00, 0x0e217800, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* fcvtl */
	SIMD_FP(0xbffffc00, 0x0e617800, "Vd=Vn", FP_CONVERT, D, 1), /* fcvtl */
	SIMD_FP(0xbf3ffc00, 0x2e217800, "Vd=Vn", FP_CONVERT, H, 1), /* f1cvtl ... bf2cvtl */
	RESERVED(0xdf7fcc00, 0x0e60c800),
	RESERVED(0xdf7f8c00, 0x0e618800),
	/* fcmgt, fcmeq, fcmge, fcmle with 0 */
	SIMD_FP(0x9fbfec00, 0x0ea0c800, "Vd=Vn", FP_ADD, SZ, 1),
	SIMD_FP(0xbfbffc00, 0x0ea0e800, "Vd=Vn", FP_ADD, SZ, 1), /* fcmlt with 0 */
	SIMD_FP(0x9fbffc00, 0x0ea0f800, "Vd=Vn", FP_MOVE, SZ, 1), /* fabs, fneg */
	RESERVED(0xbfbffc00, 0x2ea18800),
	SIMD_FP(0xdf3fec00, 0x0e218800, "Vd=Vn", FP_CONVERT, SZ, 1), /* frintn ... frinti */
	SIMD_FP(0xdf7fec00, 0x4e218800, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* frintn ... frinti 4s */
	SIMD_FP(0xdf7fec00, 0x4e618800, "Vd=Vn", FP_CONVERT, D, 1), /* frintn ... frinti 2d */
	SIMD(0xdffffc00, 0x0ea1c800, "Vd=Vn", FP_CONVERT, S), /* urecpe, ursqrte 2s */
	SIMD(0xdffffc00, 0x4ea1c800, "Vd=Vn", SIMD_CONVERT_2, S), /* urecpe, ursqrte 4s */
	RESERVED(0x9ffffc00, 0x0ee1c800),
	SIMD_FP(0xfffffc00, 0x2ea1f800, "Vd=Vn", FP_SQRT_2S, S, 1), /* fsqrt 2s */
	SIMD_FP(0xfffffc00, 0x6ea1f800, "Vd=Vn", FP_SQRT_4S, S, 1), /* fsqrt 4s */
	SIMD_FP(0xfffffc00, 0x6ee1f800, "Vd=Vn", FP_SQRT_2D, D, 1), /* fsqrt 2d */
	RESERVED(0xbfbffc00, 0x0ea1f800),
	SIMD_FP(0xdf7fec00, 0x4e21a800, "Vd=Vn", SIMD_CONVERT_2, S, 1), /* fcvtns ... fcvtzu 4s */
	SIMD_FP(0xdf7fec00, 0x0e21a800, "Vd=Vn", FP_CONVERT, S, 1), /* fcvtns ... fcvtzu 2s */
	SIMD_FP(0xdf7fec00, 0x4e61a800, "Vd=Vn", FP_CONVERT, D, 1), /* fcvtns ... fcvtzu 2d */
	/* fcvtas, fcvtau, scvtf, ucvtf, frecpe, frsqrte 4s */
	SIMD_FP(0xdf7fec00, 0x4e21c800, "Vd=Vn", SIMD_CONVERT_2, S, 1),
	SIMD_FP(0xdf7fec00, 0x0e21c800, "Vd=Vn", FP_CONVERT, S, 1), /* 2s */
	SIMD_FP(0xdf7fec00, 0x4e61c800, "Vd=Vn", FP_CONVERT, D, 1), /* 2d */
	/* frint32z ... frint64x 4s */
	SIMD_FP(0xdfffec00, 0x4e21e800, "Vd=Vn", SIMD_CONVERT_2, S, 1),
	SIMD_FP(0xdfffec00, 0x0e21e800, "Vd=Vn", FP_CONVERT, S, 1), /* 2s */
	SIMD_FP(0xdfffec00, 0x4e61e800, "Vd=Vn", FP_CONVERT, D, 1), /* 2d */
};

/* Two registers of half-precision elements */
static const struct decode_row two_misc_half[] = {
	/* fcmgt, fcmeq, fcmge, fcmle with 0 */
	SIMD_FP(0x9fffec00, 0x0ef8c800, "Vd=Vn", FP_ADD, H, 1),
	SIMD_FP(0xbffffc00, 0x0ef8e800, "Vd=Vn", FP_ADD, H, 1), /* fcmlt with 0 */
	SIMD_FP(0x9ffffc00, 0x0ef8f800, "Vd=Vn", FP_MOVE, H, 1), /* fabs, fneg */
	RESERVED(0xbffffc00, 0x2ef98800),
	SIMD_FP(0xdf7fec00, 0x4e798800, "Vd=Vn", SIMD_CONVERT_4, H, 1), /* frintn ... frinti 8h */
	SIMD_FP(0xdf7fec00, 0x0e798800, "Vd=Vn", SIMD_CONVERT_2, H, 1), /* 4h */
	SIMD_FP(0xdf7fec00, 0x4e79a800, "Vd=Vn", SIMD_CONVERT_4, H, 1), /* fcvtns ... fcvtzu 8h */
	SIMD_FP(0xdf7fec00, 0x0e79a800, "Vd=Vn", SIMD_CONVERT_2, H, 1), /* 4h */
	/* fcvtas, fcvtau, scvtf, ucvtf 8h */
	SIMD_FP(0xdfffec00, 0x4e79c800, "Vd=Vn", SIMD_CONVERT_4, H, 1),
	SIMD_FP(0xdfffec00, 0x0e79c800, "Vd=Vn", SIMD_CONVERT_2, H, 1), /* 4h */
	SIMD_FP(0xdffffc00, 0x4ef9d800, "Vd=Vn", SIMD_CONVERT_4, H, 1), /* frecpe, frsqrte 8h */
	SIMD_FP(0xdffffc00, 0x0ef9d800, "Vd=Vn", SIMD_CONVERT_2, H, 1), /* 4h */
	SIMD_FP(0xfffffc00, 0x2ef9f800, "Vd=Vn", FP_SQRT_4H, H, 1), /* fsqrt 4h */
	SIMD_FP(0xfffffc00, 0x6ef9f800, "Vd=Vn", FP_SQRT_8H, H, 1), /* fsqrt 8h */
};

/* Across lanes */
static const struct decode_row across[] = {
	RESERVED(0x9fc00000, 0x0ec00000),
	RESERVED(0xbf3ffc00, 0x0e30d800),
	RESERVED(0xbf3ffc00, 0x0e30e800),
	/* fmaxnmv, fminnmv, fmaxv, fminv 4h */
	SIMD_FP(0xff7fcc00, 0x0e30c800, "Vd=Vn", FP_REDUCE, H, 1),
	SIMD_FP(0xff7fcc00, 0x4e30c800, "Vd=Vn", FP_REDUCE_8H, H, 1), /* 8h */
	SIMD_FP(0xff7ffc00, 0x6e30c800, "Vd=Vn", FP_REDUCE, S, 1), /* fmaxnmv, fminnmv */
	SIMD_FP(0xff7ffc00, 0x6e30f800, "Vd=Vn", FP_REDUCE, S, 1), /* fmaxv, fminv */
	RESERVED(0xdffffc00, 0x0eb03800),
	RESERVED(0xdffeec00, 0x0eb0a800),
	SIMD(0xdffffc00, 0x0e303800, "Vd=Vn", SIMD_REDUCE_8, SIZE_WIDE), /* saddlv, uaddlv 8b */
	SIMD(0xdffefc00, 0x0e30a800, "Vd=Vn", SIMD_REDUCE_8, SIZE), /* smaxv, umaxv, sminv, uminv */
	SIMD(0xfffffc00, 0x0e31b800, "Vd=Vn", SIMD_REDUCE_8, SIZE), /* addv */
	SIMD(0xdffffc00, 0x4e303800, "Vd=Vn", SIMD_REDUCE_16, SIZE_WIDE), /* saddlv, uaddlv 16b */
	/* smaxv, umaxv, sminv, uminv */
	SIMD(0xdffefc00, 0x4e30a800, "Vd=Vn", SIMD_REDUCE_16, SIZE),
	SIMD(0xfffffc00, 0x4e31b800, "Vd=Vn", SIMD_REDUCE_16, SIZE), /* addv */
	SIMD(0xdffffc00, 0x0e703800, "Vd=Vn", SIMD_REDUCE_4, SIZE_WIDE), /* saddlv, uaddlv 4h */
	SIMD(0xdffefc00, 0x0e70a800, "Vd=Vn", SIMD_REDUCE_4, SIZE), /* smaxv, umaxv, sminv, uminv */
	SIMD(0xfffffc00, 0x0e71b800, "Vd=Vn", SIMD_REDUCE_4, SIZE), /* addv */
	SIMD(0xdffffc00, 0x4e703800, "Vd=Vn", SIMD_REDUCE_8, SIZE_WIDE), /* saddlv, uaddlv 8h */
	SIMD(0xdffefc00, 0x4e70a800, "Vd=Vn", SIMD_REDUCE_8, SIZE), /* smaxv, umaxv, sminv, uminv */
	SIMD(0xfffffc00, 0x4e71b800, "Vd=Vn", SIMD_REDUCE_8, SIZE), /* addv */
	SIMD(0xdffffc00, 0x4eb03800, "Vd=Vn", SIMD_REDUCE_4, SIZE_WIDE), /* saddlv, uaddlv 4s */
	SIMD(0xdffefc00, 0x4eb0a800, "Vd=Vn", SIMD_REDUCE_4, SIZE), /* smaxv, umaxv, sminv, uminv */
	SIMD(0xfffffc00, 0x4eb1b800, "Vd=Vn", SIMD_REDUCE_4, SIZE), /* addv */
};

/* Vector by element */
static const struct decode_row element[] = {
	/* 16-bit elements have 16 registers to choose from */
	RESERVED(0xffc09c00, 0x2f401800),
	SIMD_FP(0xbfc09400, 0x2f401000, "Vd=Vn,Vm,+Vd", FP_CMLA, H, 2), /* fcmla of h */
	SIMD_FP(0xffe09400, 0x6f801000, "Vd=Vn,Vm,+Vd", FP_CMLA, S, 2), /* fcmla of s */
	SIMD(0xbfc0f400, 0x0f00f000, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* sudot */
	SIMD(0xbfc0f400, 0x0f80f000, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* usdot */
	SIMD_FP(0xbfc0f400, 0x0f40f000, "Vd=Vn,Vm,+Vd", BF16_DOT, S, 4), /* bfdot */
	SIMD_FP(0xbfc0f400, 0x0fc0f000, "Vd=Vn,Ve,+Vd", BF16_MLA, S, 2), /* bfmlalb, bfmlalt */
	SIMD(0x9fc0f400, 0x0f80e000, "Vd=Vn,Vm,+Vd", SIMD_DOT, S), /* sdot, udot */
	SIMD_FP(0xbfc0b400, 0x0f800000, "Vd=Vn,Ve,+Vd", FP_FMA, S, 2), /* fmlal, fmlsl */
	SIMD_FP(0xbfc0b400, 0x2f808000, "Vd=Vn,Ve,+Vd", FP_FMA, S, 2), /* fmlal2, fmlsl2 */
	SIMD_FP(0xbfc0b400, 0x0f001000, "Vd=Vn,Ve,+Vd", FP_FMA, H, 2), /* fmla, fmls of h */
	SIMD_FP(0x9fc0f400, 0x0f009000, "Vd=Vn,Ve", FP_MUL, H, 1), /* fmul, fmulx of h */
	RESERVED(0xdfc03400, 0x0fc01000),
	SIMD_FP(0xbf80b400, 0x0f801000, "Vd=Vn,Vm,+Vd", FP_FMA, SZ, 2), /* fmla, fmls */
	RESERVED(0x9fe0f400, 0x0fe09000),
	SIMD_FP(0x9f80f400, 0x0f809000, "Vd=Vn,Vm", FP_MUL, SZ, 1), /* fmul, fmulx */
	SIMD(0xbfc0b400, 0x2f400000, "Vd=Vn,Ve,+Vd", SIMD_MLA, H), /* mla, mls */
	SIMD(0xbfc0b400, 0x2f800000, "Vd=Vn,Vm,+Vd", SIMD_MLA, S),
	SIMD(0x9fc0b400, 0x0f402000, "Vd=Vn,Ve,+Vd", SIMD_MLA, S), /* smlal, umlal, smlsl, umlsl */
	SIMD(0x9fc0b400, 0x0f802000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D),
	SIMD(0xbfc0b400, 0x0f403000, "Vd=Vn,Ve,+Vd", SIMD_MLA, S), /* sqdmlal, sqdmlsl */
	SIMD(0xbfc0b400, 0x0f803000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D),
	SIMD(0xbfc0f400, 0x0f408000, "Vd=Vn,Ve", SIMD_MUL, H), /* mul */
	SIMD(0xbfc0f400, 0x0f808000, "Vd=Vn,Vm", SIMD_MUL, S),
	SIMD(0x9fc0f400, 0x0f40a000, "Vd=Vn,Ve", SIMD_MULL, S), /* smull, umull */
	SIMD(0x9fc0f400, 0x0f80a000, "Vd=Vn,Vm", SIMD_MULL, D),
	SIMD(0xbfc0f400, 0x0f40b000, "Vd=Vn,Ve", SIMD_MULL, S), /* sqdmull */
	SIMD(0xbfc0f400, 0x0f80b000, "Vd=Vn,Vm", SIMD_MULL, D),
	SIMD(0xbfc0e400, 0x0f40c000, "Vd=Vn,Ve", SIMD_MUL, H), /* sqdmulh, sqrdmulh */
	SIMD(0xbfc0e400, 0x0f80c000, "Vd=Vn,Vm", SIMD_MUL, S),
	SIMD(0xbfc0d400, 0x2f40d000, "Vd=Vn,Ve,+Vd", SIMD_MLA_DOUBLING, H), /* sqrdmlah, sqrdmlsh */
	SIMD(0xbfc0d400, 0x2f80d000, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, S),
	SIMD_FP(0xbfc0f400, 0x0f000000, "Vd=Vn,Vm,+Vd", FP_FMA, S, 8), /* fdot of bytes */
	SIMD_FP(0xbfc0f400, 0x0f400000, "Vd=Vn,Ve,+Vd", FP_FMA, H, 4), /* fdot of 2 bytes */
	SIMD_FP(0xbfc0f400, 0x0fc00000, "Vd=Vn,Vf,+Vd", FP_FMA, H, 2), /* fmlalb, fmlalt of bytes */
	SIMD_FP(0xbf20f400, 0x2f008000, "Vd=Vn,Vf,+Vd", FP_FMA, S, 2), /* fmlallbb ... fmlalltt */
	SIMD_FP(0xbf20f400, 0x2f208000, "Vd=Vn,Vf,+Vd", FP_FMA, S, 2),
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x6f000000, 0x4e000000, cryptography),
	DECODE_GROUP(0x8fe08400, 0x0e000400, copy),
	DECODE_GROUP(0xbf208c00, 0x0e000800, permute),
	DECODE_GROUP(0xbfe08c00, 0x0e000000, table),
	DECODE_GROUP(0xbf208c00, 0x0e000000, lookup),
	DECODE_GROUP(0xbfe08400, 0x2e000000, extract),
	DECODE_GROUP(0x9ff80400, 0x0f000400, immediate),
	DECODE_GROUP(0x9f800400, 0x0f000400, shift),
	DECODE_GROUP(0x9f200400, 0x0e200400, three_same),
	DECODE_GROUP(0x9f60c400, 0x0e400400, three_same_half),
	DECODE_GROUP(0x9f208400, 0x0e008400, three_same_extra),
	DECODE_GROUP(0x9f200c00, 0x0e200000, three_different),
	DECODE_GROUP(0x9f3e0c00, 0x0e200800, two_misc),
	DECODE_GROUP(0x9f7e0c00, 0x0e780800, two_misc_half),
	DECODE_GROUP(0x9f3e0c00, 0x0e300800, across),
	DECODE_GROUP(0x9f000400, 0x0f000000, element),
};
/* clang-format on */

const struct decode_table decode_simd = DECODE_TABLE(groups);

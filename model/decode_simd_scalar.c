/* SPDX-License-Identifier: Apache-2.0 */
/* Advanced SIMD on scalars. */
#include "decode.h"

/* `size` is the element that determines the kind and the floating-point operations. */
#define VECTOR(m, v, text, cost, size, extent, ops, kind)                          \
	{                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,    \
		.element = ELEMENT_##size, .width = WIDTH_##extent, .fp_ops = ops, \
		.kinds = (kind),                                                   \
	}

#define ASE_KINDS (KIND_ASE | KIND_ASE_INST)
#define SCALAR(m, v, text, cost, size) \
	VECTOR(m, v, text, cost, size, SCALAR, 0, ASE_KINDS | KIND_INT_SIZED)
#define SCALAR_FP(m, v, text, cost, size, ops) \
	VECTOR(m, v, text, cost, size, SCALAR, ops, ASE_KINDS | KIND_SIMD_FP | KIND_FP_SIZED)

/* clang-format off */
/* Scalar shift by an immediate */
static const struct decode_row scalar_shift[] = {
	SCALAR(0xdfc0fc00, 0x5f400400, "Vd=Vn", SIMD_SHIFT, D), /* sshr, ushr */
	SCALAR(0xdfc0fc00, 0x5f401400, "Vd=Vn,+Vd", SIMD_SHIFT_LONG, D), /* ssra, usra */
	SCALAR(0xdfc0fc00, 0x5f402400, "Vd=Vn", SIMD_SHIFT_LONG, D), /* srshr, urshr */
	SCALAR(0xdfc0fc00, 0x5f403400, "Vd=Vn,+Vd", SIMD_SHIFT_LONG, D), /* srsra, ursra */
	SCALAR(0xffc0fc00, 0x7f404400, "Vd=Vn,Vd", SIMD_SHIFT, D), /* sri */
	SCALAR(0xffc0fc00, 0x5f405400, "Vd=Vn", SIMD_SHIFT, D), /* shl */
	SCALAR(0xffc0fc00, 0x7f405400, "Vd=Vn,Vd", SIMD_SHIFT, D), /* sli */
	RESERVED(0x00780000, 0x00000000),
	SCALAR(0xff80fc00, 0x7f006400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH), /* sqshlu */
	SCALAR(0xdf80fc00, 0x5f007400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH), /* sqshl, uqshl */
	SCALAR(0xffc0f400, 0x7f008400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH_WIDE), /* sqshrun, sqrshrun */
	/* sqshrn, sqrshrn ... */
	SCALAR(0xdfc0f400, 0x5f009400, "Vd=Vn", SIMD_SHIFT_LONG, IMMH_WIDE),
	RESERVED(0x00780000, 0x00080000),
	SCALAR_FP(0xdf80fc00, 0x5f00e400, "Vd=Vn", FP_CONVERT, IMMH, 1), /* scvtf, ucvtf */
	SCALAR_FP(0xdf80fc00, 0x5f00fc00, "Vd=Vn", FP_CONVERT, IMMH, 1), /* fcvtzs, fcvtzu */
};

/* Scalar */
static const struct decode_row scalar[] = {
	SCALAR(0xdf20fc00, 0x5e200c00, "Vd=Vn,Vm", SIMD_ALU, SIZE),
	SCALAR(0xdf20fc00, 0x5e202c00, "Vd=Vn,Vm", SIMD_ALU, SIZE), /* sqsub, uqsub */
	SCALAR(0xdfe0f400, 0x5ee03400, "Vd=Vn,Vm", SIMD_ALU, D), /* cmgt, cmhi, cmge, cmhs */
	SCALAR(0xdfe0fc00, 0x5ee04400, "Vd=Vn,Vm", SIMD_SHIFT, D), /* sshl, ushl */
	/* sqshl, uqshl, sqrshl, uqrshl */
	SCALAR(0xdf20ec00, 0x5e204c00, "Vd=Vn,Vm", SIMD_SHIFT_LONG, SIZE),
	SCALAR(0xdfe0fc00, 0x5ee05400, "Vd=Vn,Vm", SIMD_SHIFT_LONG, D), /* srshl, urshl */
	SCALAR(0xdfe0fc00, 0x5ee08400, "Vd=Vn,Vm", SIMD_ALU, D), /* add, sub */
	SCALAR(0xdfe0fc00, 0x5ee08c00, "Vd=Vn,Vm", SIMD_ALU, D), /* cmtst, cmeq */
	SCALAR(0xdfe0fc00, 0x5e60b400, "Vd=Vn,Vm", SIMD_MUL, H), /* sqdmulh, sqrdmulh */
	SCALAR(0xdfe0fc00, 0x5ea0b400, "Vd=Vn,Vm", SIMD_MUL, S),
	SCALAR_FP(0xffa0fc00, 0x5e20dc00, "Vd=Vn,Vm", FP_MUL, SZ, 1), /* fmulx */
	SCALAR_FP(0xffa0fc00, 0x5e20e400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fcmeq */
	/* fcmge, fcmgt, facge, facgt */
	SCALAR_FP(0xff20f400, 0x7e20e400, "Vd=Vn,Vm", FP_ADD, SZ, 1),
	SCALAR_FP(0xffa0fc00, 0x7ea0d400, "Vd=Vn,Vm", FP_ADD, SZ, 1), /* fabd */
	SCALAR_FP(0xff20fc00, 0x5e20fc00, "Vd=Vn,Vm", FP_STEP, SZ, 2), /* frecps, frsqrts */
	/* half precision */
	SCALAR_FP(0xffe0fc00, 0x5e401c00, "Vd=Vn,Vm", FP_MUL, H, 1), /* fmulx */
	SCALAR_FP(0xffe0fc00, 0x5e402400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fcmeq */
	/* fcmge, fcmgt, facge, facgt */
	SCALAR_FP(0xff60f400, 0x7e402400, "Vd=Vn,Vm", FP_ADD, H, 1),
	SCALAR_FP(0xffe0fc00, 0x7ec01400, "Vd=Vn,Vm", FP_ADD, H, 1), /* fabd */
	SCALAR_FP(0xff60fc00, 0x5e403c00, "Vd=Vn,Vm", FP_STEP, H, 2), /* frecps, frsqrts */
	/* fcmgt, fcmeq, fcmge, fcmle with 0 */
	SCALAR_FP(0xdfffec00, 0x5ef8c800, "Vd=Vn", FP_ADD, H, 1),
	SCALAR_FP(0xfffffc00, 0x5ef8e800, "Vd=Vn", FP_ADD, H, 1), /* fcmlt with 0 */
	SCALAR_FP(0xdf7fec00, 0x5e79a800, "Vd=Vn", FP_CONVERT, H, 1), /* fcvtns ... fcvtzu */
	/* fcvtas, fcvtau, scvtf, ucvtf */
	SCALAR_FP(0xdfffec00, 0x5e79c800, "Vd=Vn", FP_CONVERT, H, 1),
	SCALAR_FP(0xdffffc00, 0x5ef9d800, "Vd=Vn", FP_CONVERT, H, 1), /* frecpe, frsqrte */
	SCALAR_FP(0xfffffc00, 0x5ef9f800, "Vd=Vn", FP_CONVERT, H, 1), /* frecpx */
	/* rounding doubling multiply */
	/* sqrdmlah, sqrdmlsh */
	SCALAR(0xffe0f400, 0x7e408400, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, H),
	SCALAR(0xffe0f400, 0x7e808400, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, S),
	/* two registers */
	SCALAR(0xdf3ffc00, 0x5e203800, "Vd=Vn,Vd", SIMD_ALU, SIZE), /* suqadd, usqadd */
	SCALAR(0xdf3ffc00, 0x5e207800, "Vd=Vn", SIMD_ALU, SIZE), /* sqabs, sqneg */
	SCALAR(0xdfffec00, 0x5ee08800, "Vd=Vn", SIMD_ALU, D), /* cmgt, cmeq, cmge, cmle with 0 */
	SCALAR(0xfffffc00, 0x5ee0a800, "Vd=Vn", SIMD_ALU, D), /* cmlt with 0 */
	SCALAR(0xdffffc00, 0x5ee0b800, "Vd=Vn", SIMD_ALU, D), /* abs, neg */
	RESERVED(0xdfe1fc00, 0x5ee14800),
	RESERVED(0xfffffc00, 0x7ee12800),
	SCALAR(0xff3ffc00, 0x7e212800, "Vd=Vn", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtun */
	SCALAR(0xdf3ffc00, 0x5e214800, "Vd=Vn", SIMD_SHIFT_LONG, SIZE_WIDE), /* sqxtn, uqxtn */
	SCALAR_FP(0xfffffc00, 0x7e616800, "Vd=Vn", FP_CONVERT, D, 1), /* fcvtxn */
	/* fcmgt, fcmeq, fcmge, fcmle with 0 */
	SCALAR_FP(0xdfbfec00, 0x5ea0c800, "Vd=Vn", FP_ADD, SZ, 1),
	SCALAR_FP(0xffbffc00, 0x5ea0e800, "Vd=Vn", FP_ADD, SZ, 1), /* fcmlt with 0 */
	SCALAR_FP(0xdf3fec00, 0x5e21a800, "Vd=Vn", FP_CONVERT, SZ, 1), /* fcvtns ... fcvtzu */
	/* fcvtas, fcvtau, scvtf, ucvtf */
	SCALAR_FP(0xdfbfec00, 0x5e21c800, "Vd=Vn", FP_CONVERT, SZ, 1),
	SCALAR_FP(0xdfbffc00, 0x5ea1d800, "Vd=Vn", FP_CONVERT, SZ, 1), /* frecpe, frsqrte */
	SCALAR_FP(0xffbffc00, 0x5ea1f800, "Vd=Vn", FP_CONVERT, SZ, 1), /* frecpx */
	/* pairwise */
	SCALAR(0xfffffc00, 0x5ef1b800, "Vd=Vn", SIMD_ALU, D), /* addp */
	SCALAR_FP(0xff7ffc00, 0x5e30c800, "Vd=Vn", FP_ADD, H, 1), /* fmaxnmp, fminnmp of h */
	SCALAR_FP(0xfffffc00, 0x5e30d800, "Vd=Vn", FP_ADD, H, 1), /* faddp of h */
	SCALAR_FP(0xff7ffc00, 0x5e30f800, "Vd=Vn", FP_ADD, H, 1), /* fmaxp, fminp of h */
	SCALAR_FP(0xff3ffc00, 0x7e30c800, "Vd=Vn", FP_ADD, SZ, 1), /* fmaxnmp, fminnmp */
	SCALAR_FP(0xffbffc00, 0x7e30d800, "Vd=Vn", FP_ADD, SZ, 1), /* faddp */
	SCALAR_FP(0xff3ffc00, 0x7e30f800, "Vd=Vn", FP_ADD, SZ, 1), /* fmaxp, fminp */
	/* three different */
	SCALAR(0xffe0dc00, 0x5e609000, "Vd=Vn,Vm,+Vd", SIMD_MLA, S), /* sqdmlal, sqdmlsl */
	SCALAR(0xffe0dc00, 0x5ea09000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D),
	SCALAR(0xffe0fc00, 0x5e60d000, "Vd=Vn,Vm", SIMD_MULL, S), /* sqdmull */
	SCALAR(0xffe0fc00, 0x5ea0d000, "Vd=Vn,Vm", SIMD_MULL, D),
	/* by element */
	SCALAR(0xffc0b400, 0x5f403000, "Vd=Vn,Ve,+Vd", SIMD_MLA, S), /* sqdmlal, sqdmlsl */
	SCALAR(0xffc0b400, 0x5f803000, "Vd=Vn,Vm,+Vd", SIMD_MLA, D),
	SCALAR(0xffc0f400, 0x5f40b000, "Vd=Vn,Ve", SIMD_MULL, S), /* sqdmull */
	SCALAR(0xffc0f400, 0x5f80b000, "Vd=Vn,Vm", SIMD_MULL, D),
	SCALAR(0xffc0e400, 0x5f40c000, "Vd=Vn,Ve", SIMD_MUL, H), /* sqdmulh, sqrdmulh */
	SCALAR(0xffc0e400, 0x5f80c000, "Vd=Vn,Vm", SIMD_MUL, S),
	/* sqrdmlah, sqrdmlsh */
	SCALAR(0xffc0d400, 0x7f40d000, "Vd=Vn,Ve,+Vd", SIMD_MLA_DOUBLING, H),
	SCALAR(0xffc0d400, 0x7f80d000, "Vd=Vn,Vm,+Vd", SIMD_MLA_DOUBLING, S),
	SCALAR_FP(0xffc0b400, 0x5f001000, "Vd=Vn,Ve,+Vd", FP_FMA, H, 2), /* fmla, fmls of h */
	SCALAR_FP(0xdfc0f400, 0x5f009000, "Vd=Vn,Ve", FP_MUL, H, 1), /* fmul, fmulx of h */
	RESERVED(0xdfe03400, 0x5fe01000),
	SCALAR_FP(0xff80b400, 0x5f801000, "Vd=Vn,Vm,+Vd", FP_FMA, SZ, 2), /* fmla, fmls */
	SCALAR_FP(0xdf80f400, 0x5f809000, "Vd=Vn,Vm", FP_MUL, SZ, 1), /* fmul, fmulx */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xdf800400, 0x5f000400, scalar_shift),
	DECODE_GROUP(0xde000000, 0x5e000000, scalar),
};
/* clang-format on */

const struct decode_table decode_simd_scalar = DECODE_TABLE(groups);

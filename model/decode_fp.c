/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar floating point. */
#include "decode.h"

/* `size` is the element that determines the kind and the floating-point operations. */
#define VECTOR(m, v, text, cost, size, extent, ops, kind)                          \
	{                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,    \
		.element = ELEMENT_##size, .width = WIDTH_##extent, .fp_ops = ops, \
		.kinds = (kind),                                                   \
	}

#define FP_KINDS                        (KIND_VFP | KIND_FP_SIZED)
#define FP(m, v, text, cost, size, ops) VECTOR(m, v, text, cost, size, SCALAR, ops, FP_KINDS)
#define FP_FROM(m, v, text, cost, size) VECTOR(m, v, text, cost, size, SCALAR, 1, FP_KINDS)
#define FP_SELECT(m, v, text, cost, size) \
	VECTOR(m, v, text, cost, size, SCALAR, 0, FP_KINDS | KIND_CSEL)
/* Moves to and from general registers, which VFP_SPEC does not count. */
#define FP_COPY(m, v, text, cost) VECTOR(m, v, text, cost, NONE, SCALAR, 0, 0)

/* clang-format off */
/* Between floating point and general registers */
static const struct decode_row fp_convert_integer[] = {
	RESERVED(0x00d80000, 0x00800000),
	FP_FROM(0x7f3ffc00, 0x1e220000, "Vd=Xn", FP_FROM_INT, FTYPE), /* scvtf */
	FP_FROM(0x7f3ffc00, 0x1e230000, "Vd=Xn", FP_FROM_INT, FTYPE), /* ucvtf */
	FP_COPY(0xfffffc00, 0x1e260000, "Xd=Vn", FP_TO_GENERAL), /* fmov to w */
	FP_COPY(0xfffffc00, 0x9e660000, "Xd=Vn", FP_TO_GENERAL), /* fmov to x */
	FP_COPY(0x7ffffc00, 0x1ee60000, "Xd=Vn", FP_TO_GENERAL), /* fmov of h */
	FP_COPY(0xfffffc00, 0x1e270000, "Vd=Xn", FP_FROM_INT), /* fmov from w */
	FP_COPY(0xfffffc00, 0x9e670000, "Vd=Xn", FP_FROM_INT), /* fmov from x */
	FP_COPY(0x7ffffc00, 0x1ee70000, "Vd=Xn", FP_FROM_INT), /* fmov to h */
	FP_COPY(0xfffffc00, 0x9eae0000, "Xd=Vn", FP_TO_GENERAL), /* fmov from the high half */
	FP_COPY(0xfffffc00, 0x9eaf0000, "Vd=Vd,Xn", FP_INSERT), /* fmov to the high half */
	RESERVED(0x00c00000, 0x00800000),
	FP_FROM(0xfffffc00, 0x1e7e0000, "Xd,nzcv=Vn", FP_TO_INT, D), /* fjcvtzs */
	FP_FROM(0x7f26fc00, 0x1e200000, "Xd=Vn", FP_TO_INT, FTYPE), /* fcvtns ... fcvtzu */
	FP_FROM(0x7f3efc00, 0x1e240000, "Xd=Vn", FP_TO_INT, FTYPE), /* fcvtas, fcvtau */
};

/* Between floating point and fixed point */
static const struct decode_row fp_convert_fixed[] = {
	RESERVED(0x00c00000, 0x00800000),
	RESERVED(0x80008000, 0x00000000),
	FP_FROM(0x7f3e0000, 0x1e020000, "Vd=Xn", FP_FROM_INT, FTYPE), /* scvtf, ucvtf */
	FP_FROM(0x7f3e0000, 0x1e180000, "Xd=Vn", FP_TO_INT, FTYPE), /* fcvtzs, fcvtzu */
};

/* One source */
static const struct decode_row fp_one_source[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP(0xff3ffc00, 0x1e204000, "Vd=Vn", FP_MOVE, FTYPE, 0), /* fmov */
	FP(0xff3ffc00, 0x1e20c000, "Vd=Vn", FP_MOVE, FTYPE, 1), /* fabs */
	FP(0xff3ffc00, 0x1e214000, "Vd=Vn", FP_MOVE, FTYPE, 1), /* fneg */
	FP(0xfffffc00, 0x1ee1c000, "Vd=Vn", FP_SQRT_H, H, 1), /* fsqrt */
	FP(0xfffffc00, 0x1e21c000, "Vd=Vn", FP_SQRT_S, S, 1), /* fsqrt */
	FP(0xfffffc00, 0x1e61c000, "Vd=Vn", FP_SQRT_D, D, 1), /* fsqrt */
	FP(0xfffffc00, 0x1e634000, "Vd=Vn", FP_CONVERT, S, 1), /* bfcvt */
	RESERVED(0xfffffc00, 0x1e224000),
	RESERVED(0xfffffc00, 0x1e62c000),
	RESERVED(0xfffffc00, 0x1ee3c000),
	FP(0xff3ffc00, 0x1e22c000, "Vd=Vn", FP_CONVERT, D, 1), /* fcvt to d */
	FP(0xfffc7c00, 0x1e604000, "Vd=Vn", FP_CONVERT, D, 1),
	FP(0xff3e7c00, 0x1e224000, "Vd=Vn", FP_CONVERT, S, 1), /* fcvt */
	RESERVED(0xff3ffc00, 0x1e26c000),
	FP(0xff3c7c00, 0x1e244000, "Vd=Vn", FP_CONVERT, FTYPE, 1), /* frintn ... frinti */
	FP(0xffbe7c00, 0x1e284000, "Vd=Vn", FP_CONVERT, FTYPE, 1), /* frint32z ... frint64x */
};

/* Compare */
static const struct decode_row fp_compare[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP(0xff20fc1f, 0x1e202000, "nzcv=Vn,Vm", FP_COMPARE, FTYPE, 1), /* fcmp */
	FP(0xff20fc1f, 0x1e202010, "nzcv=Vn,Vm", FP_COMPARE, FTYPE, 1), /* fcmpe */
	FP(0xff20fc1f, 0x1e202008, "nzcv=Vn", FP_COMPARE, FTYPE, 1), /* fcmp with 0 */
	FP(0xff20fc1f, 0x1e202018, "nzcv=Vn", FP_COMPARE, FTYPE, 1), /* fcmpe with 0 */
};

/* Immediate */
static const struct decode_row fp_immediate[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP(0xff201fe0, 0x1e201000, "Vd=", FP_MOVE, FTYPE, 0), /* fmov */
};

/* Conditional compare */
static const struct decode_row fp_conditional_compare[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP(0xff200c00, 0x1e200400, "nzcv=Vn,Vm,nzcv", FP_COMPARE, FTYPE, 1), /* fccmp, fccmpe */
};

/* Two sources */
static const struct decode_row fp_two_sources[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP(0xff20fc00, 0x1e200800, "Vd=Vn,Vm", FP_MUL, FTYPE, 1), /* fmul */
	FP(0xffe0fc00, 0x1ee01800, "Vd=Vn,Vm", FP_DIV_H, H, 1), /* fdiv */
	FP(0xffe0fc00, 0x1e201800, "Vd=Vn,Vm", FP_DIV_S, S, 1), /* fdiv */
	FP(0xffe0fc00, 0x1e601800, "Vd=Vn,Vm", FP_DIV_D, D, 1), /* fdiv */
	FP(0xff20ec00, 0x1e202800, "Vd=Vn,Vm", FP_ADD, FTYPE, 1), /* fadd, fsub */
	FP(0xff20cc00, 0x1e204800, "Vd=Vn,Vm", FP_ADD, FTYPE, 1), /* fmax, fmin, fmaxnm, fminnm */
	FP(0xff20fc00, 0x1e208800, "Vd=Vn,Vm", FP_MUL, FTYPE, 1), /* fnmul */
};

/* Conditional select */
static const struct decode_row fp_select[] = {
	RESERVED(0x00c00000, 0x00800000),
	FP_SELECT(0xff200c00, 0x1e200c00, "Vd=Vn,Vm,nzcv", FP_MOVE, FTYPE), /* fcsel */
};

/* Three sources */
static const struct decode_row fp_three_sources[] = {
	RESERVED(0x00c00000, 0x00800000),
	/* fmadd, fmsub, fnmadd, fnmsub */
	FP(0xff000000, 0x1f000000, "Vd=Vn,Vm,+Va", FP_FMA, FTYPE, 2),
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x7f20fc00, 0x1e200000, fp_convert_integer),
	DECODE_GROUP(0x7f200000, 0x1e000000, fp_convert_fixed),
	DECODE_GROUP(0xff207c00, 0x1e204000, fp_one_source),
	DECODE_GROUP(0xff203c00, 0x1e202000, fp_compare),
	DECODE_GROUP(0xff201c00, 0x1e201000, fp_immediate),
	DECODE_GROUP(0xff200c00, 0x1e200400, fp_conditional_compare),
	DECODE_GROUP(0xff200c00, 0x1e200800, fp_two_sources),
	DECODE_GROUP(0xff200c00, 0x1e200c00, fp_select),
	DECODE_GROUP(0xff000000, 0x1f000000, fp_three_sources),
};
/* clang-format on */

const struct decode_table decode_fp = DECODE_TABLE(groups);

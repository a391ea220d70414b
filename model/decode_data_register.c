/* SPDX-License-Identifier: Apache-2.0 */
/* Data processing with registers. */
#include "decode.h"

#define INT(m, v, text, cost)                                                                    \
	{                                                                                        \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .kinds = KIND_DP \
	}

#define SELECT(m, v, text, cost)                                                \
	{                                                                       \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, \
		.kinds = KIND_DP | KIND_CSEL,                                   \
	}

/* clang-format off */
/* Logical, shifted register */
static const struct decode_row logical_shifted[] = {
	RESERVED(0x9f008000, 0x0a008000),
	INT(0x7fe0ffe0, 0x2a0003e0, "Xd=Xm", INT_MOVE), /* mov */
	INT(0x7f00fc00, 0x6a000000, "Xd,nzcv=Xn,Xm", INT_FLAGS), /* ands, bics */
	INT(0x7f000000, 0x6a000000, "Xd,nzcv=Xn,Xm", INT_SHIFTED), /* ands, bics with shift */
	INT(0x1f000000, 0x0a000000, "Xd=Xn,Xm", INT_ALU), /* and, orr, eor, bic, orn, eon */
};

/* Add and subtract, shifted and extended register */
static const struct decode_row arithmetic_register[] = {
	RESERVED(0x00e00000, 0x00c00000),
	RESERVED(0x80208000, 0x00008000),
	INT(0x3fe0f000, 0x0b000000, "Xd=Xn,Xm", INT_ALU), /* add, sub; shifted left by at most 4 */
	INT(0x3fe0fc00, 0x0b001000, "Xd=Xn,Xm", INT_ALU),
	INT(0x3f200000, 0x0b000000, "Xd=Xn,Xm", INT_SHIFTED), /* add, sub */
	/* adds, subs; shifted left by at most 4 */
	INT(0x3fe0f000, 0x2b000000, "Xd,nzcv=Xn,Xm", INT_FLAGS),
	INT(0x3fe0fc00, 0x2b001000, "Xd,nzcv=Xn,Xm", INT_FLAGS),
	INT(0x3f200000, 0x2b000000, "Xd,nzcv=Xn,Xm", INT_SHIFTED), /* adds, subs */
	RESERVED(0x00201c00, 0x00201400), /* extended by more than 4 */
	RESERVED(0x00201800, 0x00201800),
	INT(0x3fe00000, 0x0b200000, "Sd=Sn,Xm", INT_SHIFTED), /* add, sub, extended */
	INT(0x3fe00000, 0x2b200000, "Xd,nzcv=Sn,Xm", INT_SHIFTED), /* adds, subs, extended */
};

/* With carry, flag manipulation */
static const struct decode_row with_carry[] = {
	INT(0x3fe0fc00, 0x1a000000, "Xd=Xn,Xm,nzcv", INT_ALU), /* adc, sbc */
	INT(0x3fe0fc00, 0x3a000000, "Xd,nzcv=Xn,Xm,nzcv", INT_FLAGS), /* adcs, sbcs */
	INT(0xbfe0e000, 0x9a002000, "Sd=Sn,Xm", INT_ALU), /* addpt, subpt */
	INT(0xffe07c10, 0xba000400, "nzcv=Xn,nzcv", INT_ALU), /* rmif */
	INT(0xffffbc1f, 0x3a00080d, "nzcv=Xn,nzcv", INT_ALU), /* setf8, setf16 */
};

/* Conditional compare */
static const struct decode_row compare_conditional[] = {
	INT(0x3fe00c10, 0x3a400000, "nzcv=Xn,Xm,nzcv", INT_FLAGS), /* ccmn, ccmp */
	INT(0x3fe00c10, 0x3a400800, "nzcv=Xn,nzcv", INT_FLAGS), /* ccmn, ccmp with an immediate */
};

/* Conditional select */
static const struct decode_row select[] = {
	SELECT(0x3fe00800, 0x1a800000, "Xd=Xn,Xm,nzcv", INT_ALU), /* csel, csinc, csinv, csneg */
};

/* Two sources */
static const struct decode_row two_sources[] = {
	INT(0xffe0f800, 0x1ac00800, "Xd=Xn,Xm", INT_DIV32), /* udiv, sdiv */
	INT(0xffe0f800, 0x9ac00800, "Xd=Xn,Xm", INT_DIV64), /* udiv, sdiv */
	INT(0x7fe0f000, 0x1ac02000, "Xd=Xn,Xm", INT_ALU), /* lslv, lsrv, asrv, rorv */
	INT(0xffe0ec00, 0x9ac04c00, "Xd=+Xn,Xm", INT_CRC), /* crc32x, crc32cx */
	INT(0xffe0ec00, 0x1ac04000, "Xd=+Xn,Xm", INT_CRC), /* crc32b, crc32cb */
	INT(0xffe0ec00, 0x1ac04400, "Xd=+Xn,Xm", INT_CRC), /* crc32h, crc32ch */
	INT(0xffe0ec00, 0x1ac04800, "Xd=+Xn,Xm", INT_CRC), /* crc32w, crc32cw */
	INT(0x7fe0f000, 0x1ac06000, "Xd=Xn,Xm", INT_ALU), /* smax, umax, smin, umin */
	INT(0xffe0fc00, 0x9ac00000, "Xd=Sn,Sm", INT_ALU), /* subp */
	INT(0xffe0fc00, 0xbac00000, "Xd,nzcv=Sn,Sm", INT_FLAGS), /* subps */
	INT(0xffe0fc00, 0x9ac01000, "Sd=Sn,Xm", INT_TAG), /* irg */
	INT(0xffe0fc00, 0x9ac01400, "Xd=Sn,Xm", INT_ALU), /* gmi */
	INT(0xffe0fc00, 0x9ac03000, "Xd=Xn,Sm", INT_AUTH), /* pacga */
};

/* One source */
static const struct decode_row one_source[] = {
	RESERVED(0xfffffc00, 0x5ac00c00),
	/* rbit, rev16, rev32, rev: rev of 64 bits only with bit 31 */
	INT(0x7ffff000, 0x5ac00000, "Xd=Xn", INT_ALU),
	INT(0x7ffff800, 0x5ac01000, "Xd=Xn", INT_ALU), /* clz, cls */
	INT(0x7ffff800, 0x5ac01800, "Xd=Xn", INT_ALU), /* ctz, cnt */
	INT(0x7ffffc00, 0x5ac02000, "Xd=Xn", INT_ALU), /* abs */
	INT(0xffffe000, 0xdac10000, "Xd=Xd,Sn", INT_AUTH), /* pacia .. autdb */
	INT(0xffffe3e0, 0xdac123e0, "Xd=Xd", INT_AUTH), /* paciza .. autdzb */
	INT(0xfffffbe0, 0xdac143e0, "Xd=Xd", INT_STRIP), /* xpaci, xpacd */
	INT(0xffffe3ff, 0xdac183fe, "x30=x30,sp", INT_AUTH), /* pacnbiasppc .. pacib171615 */
	INT(0xffffe3ff, 0xdac1a3fe, "x30=x30,sp", INT_AUTH), /* paciasppc, pacia171615 .. */
};

/* Three sources */
static const struct decode_row three_sources[] = {
	INT(0x7fe07c00, 0x1b007c00, "Xd=Xn,Xm", INT_MUL), /* mul, mneg */
	INT(0x7fe00000, 0x1b000000, "Xd=Xn,Xm,+Xa", INT_MADD), /* madd, msub */
	INT(0xff607c00, 0x9b207c00, "Xd=Xn,Xm", INT_MUL), /* smull, umull ... */
	INT(0xff600000, 0x9b200000, "Xd=Xn,Xm,+Xa", INT_MADD), /* smaddl, smsubl, umaddl, umsubl */
	INT(0xff608000, 0x9b400000, "Xd=Xn,Xm", INT_MULH), /* smulh, umulh */
	INT(0xffe00000, 0x9b600000, "Xd=Xn,Xm,+Xa", INT_MADD), /* maddpt, msubpt */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x1f000000, 0x0a000000, logical_shifted),
	DECODE_GROUP(0x1f000000, 0x0b000000, arithmetic_register),
	DECODE_GROUP(0x1fe00000, 0x1a000000, with_carry),
	DECODE_GROUP(0x1fe00000, 0x1a400000, compare_conditional),
	DECODE_GROUP(0x1fe00000, 0x1a800000, select),
	DECODE_GROUP(0x5fe00000, 0x1ac00000, two_sources),
	DECODE_GROUP(0x5fe00000, 0x5ac00000, one_source),
	DECODE_GROUP(0x1f000000, 0x1b000000, three_sources),
};
/* clang-format on */

const struct decode_table decode_data_register = DECODE_TABLE(groups);

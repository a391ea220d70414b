/* SPDX-License-Identifier: Apache-2.0 */
/* Data processing with an immediate: DDI 0487, C4.1.86 onwards. */
#include "decode.h"

#define INT(m, v, text, cost)                                                                    \
	{                                                                                        \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .kinds = KIND_DP \
	}

/* clang-format off */
/* Data processing, immediate */
static const struct decode_row immediate[] = {
	INT(0x9f000000, 0x10000000, "Xd=", INT_ADDRESS), /* adr */
	INT(0x9f000000, 0x90000000, "Xd=", INT_ADDRESS), /* adrp */
	INT(0x3f800000, 0x11000000, "Sd=Sn", INT_ALU), /* add, sub */
	INT(0x3f800000, 0x31000000, "Xd,nzcv=Sn", INT_FLAGS), /* adds, subs */
	INT(0xbfc00000, 0x91800000, "Sd=Sn", INT_TAG), /* addg, subg */
	INT(0x7ff00000, 0x11c00000, "Xd=Xn", INT_ALU), /* smax, umax, smin, umin */
	/* a bitmask cannot be all ones */
	RESERVED(0x1fc0fc00, 0x1240fc00),
	RESERVED(0x1fc0f800, 0x1200f800),
	RESERVED(0x1fc0fc00, 0x1200f400),
	RESERVED(0x1fc0fc00, 0x1200ec00),
	RESERVED(0x1fc0fc00, 0x1200dc00),
	RESERVED(0x1fc0fc00, 0x1200bc00),
	RESERVED(0x1fc0fc00, 0x12007c00),
	RESERVED(0x9fc00000, 0x12400000),
	INT(0x7f800000, 0x12000000, "Sd=Xn", INT_ALU), /* and */
	INT(0x7f800000, 0x32000000, "Sd=Xn", INT_ALU), /* orr */
	INT(0x7f800000, 0x52000000, "Sd=Xn", INT_ALU), /* eor */
	INT(0x7f800000, 0x72000000, "Xd,nzcv=Xn", INT_FLAGS), /* ands */
	RESERVED(0x9fc00000, 0x12c00000),
	INT(0x7f9fffe0, 0x52800000, "Xd=", INT_MOVE), /* mov of 0 */
	INT(0x7f800000, 0x12800000, "Xd=", INT_ALU), /* movn */
	INT(0x7f800000, 0x52800000, "Xd=", INT_ALU), /* movz */
	INT(0x7f800000, 0x72800000, "Xd=Xd", INT_ALU), /* movk */
	RESERVED(0x9f200000, 0x13200000),
	RESERVED(0x9f008000, 0x13008000),
	RESERVED(0x9f400000, 0x13400000),
	INT(0xffe0001f, 0xf380001f, "x30=x30,sp", INT_AUTH), /* autiasppc */
	INT(0xffe0001f, 0xf3a0001f, "x30=x30,sp", INT_AUTH), /* autibsppc */
	RESERVED(0x9f400000, 0x93000000),
	INT(0x7f800000, 0x13000000, "Xd=Xn", INT_ALU), /* sbfm */
	INT(0x7f800000, 0x33000000, "Xd=Xn,Xd", INT_SHIFTED), /* bfm */
	INT(0x7f800000, 0x53000000, "Xd=Xn", INT_ALU), /* ubfm */
	INT(0x7fa00000, 0x13800000, "Xd=Xn,Xm", INT_EXTRACT), /* extr; ror has Rn == Rm */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x1c000000, 0x10000000, immediate),
};
/* clang-format on */

const struct decode_table decode_data_immediate = DECODE_TABLE(groups);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits classes of the decoder's tables into those that some cores tell apart: see SUBCLASS in
 * classes.def. What an instruction does is in the tables; here is only what it costs.
 */
#include "decode.h"

struct split {
	uint16_t from, to; /* enum insn_class */
	uint32_t mask, value;
	bool same_sources; /* only if the fields n (9:5) and m (20:16) are equal */
};

#define SPLIT(from, to, ...)                             \
	{                                                \
		CLASS_##from, CLASS_##to, __VA_ARGS__, 0 \
	}
#define SPLIT_SAME(from, to, ...)                        \
	{                                                \
		CLASS_##from, CLASS_##to, __VA_ARGS__, 1 \
	}
/* The forms with and without base write-back. */
#define SPLIT_MEMORY(from, to, ...) \
	SPLIT(from, to, __VA_ARGS__), SPLIT(from##_WB, to##_WB, __VA_ARGS__)

/* The first row that matches is used. */
static const struct split splits[] = {
	SPLIT_SAME(INT_EXTRACT, INT_ROTATE, 0, 0),
	SPLIT(INT_FLAGS, INT_FLAGS_LOGIC, 0x7f000000, 0x6a000000), /* ands, bics */
	SPLIT(INT_FLAGS, INT_CONDITIONAL, 0x3fe00000, 0x3a400000), /* ccmn, ccmp */
	SPLIT(INT_MOVE, INT_ZERO, 0x7f800000, 0x52800000),         /* mov of 0 */
	SPLIT(INT_MOVE, INT_ZERO, 0x7fffffe0, 0x2a1f03e0),         /* mov of wzr, xzr */
	SPLIT(INT_SHIFTED, INT_BITFIELD_INSERT, 0x7f800000, 0x33000000),
	SPLIT(INT_MUL, INT_MUL_X, 0xffe00000, 0x9b000000),       /* not smull, umull */
	SPLIT(INT_MADD, INT_MADD_X, 0xffe00000, 0x9b000000),     /* not smaddl, umaddl */
	SPLIT(INT_AUTH, INT_AUTH_CHECK, 0xffffd000, 0xdac11000), /* autia, autdzb, ... */
	SPLIT(INT_AUTH, INT_AUTH_CHECK, 0xfffffd9f, 0xd503219f), /* autia1716, autibsp, ... */
	SPLIT(INT_TAG, INT_TAG_RANDOM, 0xffe0fc00, 0x9ac01000),

	SPLIT(LOAD, LOAD_TAG, 0xffe00c00, 0xd9600000),
	SPLIT_MEMORY(LOAD_PAIR, LOAD_PAIR_X, 0xfc400000, 0xa8400000),
	SPLIT_MEMORY(STORE_PAIR, STORE_PAIR_X, 0xfc400000, 0xa8000000),
	SPLIT(PREFETCH, PREFETCH_LITERAL, 0xff000000, 0xd8000000),
	SPLIT_MEMORY(VLOAD_LANE, VLOAD_REPLICATE, 0x0100c000, 0x0100c000),
	SPLIT_MEMORY(VLOAD2_LANE, VLOAD2_REPLICATE, 0x0100c000, 0x0100c000),
	SPLIT_MEMORY(VLOAD3_LANE, VLOAD3_REPLICATE, 0x0100c000, 0x0100c000),
	SPLIT_MEMORY(VLOAD3, VLOAD3_REPLICATE_Q, 0x0100c000, 0x0100c000),
	SPLIT_MEMORY(VLOAD4_LANE, VLOAD4_LANE, 0x0100cc00, 0x0100cc00), /* 64-bit elements */
	SPLIT_MEMORY(VLOAD4_LANE, VLOAD4_REPLICATE, 0x0100c000, 0x0100c000),
	SPLIT_MEMORY(VLOAD4_ALL, VLOAD4_ALL_D, 0x00000c00, 0x00000c00),
	SPLIT_MEMORY(VSTORE_MULTI2, VSTORE_MULTI2_Q, 0x40000000, 0x40000000),
	SPLIT_MEMORY(VSTORE3, VSTORE3_D, 0x00000c00, 0x00000c00),
	SPLIT(VSTORE, VSTORE_EXTENDED_Q, 0xffe02c00, 0x3ca00800),
	SPLIT_MEMORY(VSTORE, VSTORE_Q, 0xfec00000, 0x3c800000),
	SPLIT(VSTORE_SCALED, VSTORE_SCALED_Q, 0xc0000000, 0),
	SPLIT(SVE_LOAD3, SVE_LOAD3_D, 0x01800000, 0x01800000),
	SPLIT(SVE_LOAD3_INDEXED, SVE_LOAD3_INDEXED_D, 0x01800000, 0x01800000),
	SPLIT(SVE_LOAD4, SVE_LOAD4_D, 0x01800000, 0x01800000),
	SPLIT(SVE_LOAD4_INDEXED, SVE_LOAD4_INDEXED_D, 0x01800000, 0x01800000),
	SPLIT(SVE_STORE_HALF, SVE_STORE_HALF_STREAMED, 0x0000e000, 0x00006000),
	SPLIT(SVE_STORE3, SVE_STORE3_D, 0x01800000, 0x01800000),
	SPLIT(SVE_STORE3_INDEXED, SVE_STORE3_INDEXED_D, 0x01800000, 0x01800000),
	SPLIT(SVE_STORE4, SVE_STORE4_D, 0x01800000, 0x01800000),
	SPLIT(SVE_STORE4_INDEXED, SVE_STORE4_INDEXED_D, 0x01800000, 0x01800000),

	SPLIT(FP_MOVE, FP_SELECT, 0xff200c00, 0x1e200c00),       /* fcsel */
	SPLIT(FP_MOVE, FP_MOVE_RENAMED, 0xffbffc00, 0x1e204000), /* fmov of s and d registers */
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbf20ec00, 0x2e00e400),      /* fcadd */
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbfa0fc00, 0x2e20d400),      /* faddp */
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbfe0fc00, 0x2e401400),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xdf3ffc00, 0x5e30d800),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbf20fc00, 0x2e20c400), /* fmaxnmp, fminnmp */
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbf60fc00, 0x2e400400),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xdf3ffc00, 0x5e30c800),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbf20fc00, 0x2e20f400), /* fmaxp, fminp */
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xbf60fc00, 0x2e403400),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xdf3ffc00, 0x5e30f800),
	SPLIT(FP_ADD, FP_ADD_PAIR, 0xff38e000, 0x64108000), /* SVE */
	SPLIT(FP_MUL, SVE_FEXPA, 0xff3ffc00, 0x0420b800),
	SPLIT(FP_MUL, SVE_FMUL, 0x1e000000, 0x04000000),
	SPLIT(FP_FMA, SVE_FMA, 0x1e000000, 0x04000000),
	SPLIT(FP_FROM_INT, FP_CONVERT_INT, 0x7f1e0000, 0x1e020000),       /* scvtf, ucvtf */
	SPLIT(FP_FROM_INT, FP_ZERO, 0x7f3fffe0, 0x1e2703e0),              /* fmov of wzr, xzr */
	SPLIT(FP_TO_GENERAL, FP_LANE_TO_GENERAL, 0xbfe0ec00, 0x0e002c00), /* smov, umov */
	SPLIT(SIMD_CONVERT_2, SVE_ESTIMATE_INT, 0xff3ee000, 0x4400a000),
	SPLIT(SIMD_CONVERT_4, SVE_CONVERT_H_S, 0xfffee000, 0x655ca000),
	SPLIT(SIMD_CONVERT_4, SVE_CONVERT_H_D, 0xfffee000, 0x655ea000),
	SPLIT(SIMD_ALU, SIMD_ZERO_LANES, 0xbfff9fe0, 0x0f000400), /* movi of 0, .2s and .4s */
	SPLIT(SIMD_ALU, SIMD_ZERO_LANES, 0xbfffdfe0, 0x0f008400), /* .4h and .8h */
	SPLIT(SIMD_ALU, SIMD_ZERO_LANES, 0xbfffffe0, 0x0f00e400), /* .8b and .16b */
	SPLIT_SAME(SIMD_ALU, SIMD_MOVE, 0xbfe0fc00, 0x0ea01c00),  /* orr */
	SPLIT_SAME(SIMD_ALU, SIMD_MOVE, 0xffe0fc00, 0x04603000),
	SPLIT(SIMD_SHIFT, SVE_EXTEND, 0xff38e000, 0x0410a000),
	SPLIT(SIMD_POLY, SIMD_POLY_Q, 0xffe0fc00, 0x6e209c00), /* pmul */
	SPLIT(SIMD_MUL, SIMD_MUL_Q, 0xde000000, 0x4e000000),
	SPLIT(SIMD_MLA, SIMD_MLA_Q, 0xdf20fc00, 0x4e209400), /* mla, mls */
	SPLIT(SIMD_MLA, SIMD_MLA_Q, 0xff00b400, 0x6f000000),
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xaf20dc00, 0x0e209000), /* sqdmlal, sqdmlsl */
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xaf00b400, 0x0f003000),
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xff20f000, 0x44006000), /* sqdmlalb, ... */
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xff20f800, 0x44000800),
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xffa0e000, 0x44a02000),
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xff20f800, 0x44007000), /* sqrdmlah, sqrdmlsh */
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xff20f800, 0x44201000),
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xff20f000, 0x44003000), /* sqrdcmlah */
	SPLIT(SIMD_MLA, SIMD_MLA_SATURATING, 0xffa0f000, 0x44a07000),
	SPLIT(CRYPTO_AES, CRYPTO_SHA1H, 0xff000000, 0x5e000000),
	SPLIT(CRYPTO_SHA, CRYPTO_ROTATE, 0xffe0fc00, 0xce608c00),
	SPLIT(CRYPTO_SHA, CRYPTO_ROTATE, 0xffe0fc00, 0x4520f400),

	SPLIT(SVE_COUNT, SVE_COUNT_PRED, 0xff000000, 0x25000000),
	SPLIT(SVE_PRED, SVE_PRED_CONSTANT, 0xfffffff0, 0x2518e400), /* pfalse */
	SPLIT(SVE_PRED, SVE_PRED_CONSTANT, 0xff3ffff0, 0x2518e3e0), /* ptrue, all */
	SPLIT(SVE_PRED, SVE_PRED_CONSTANT, 0xffffffff, 0x252c9000), /* setffr */
	SPLIT(SVE_PRED, SVE_FFR_WRITE, 0xfffffe1f, 0x25289000),
	SPLIT(SVE_PRED_FLAGS, SVE_PRED_CONSTANT_FLAGS, 0xff3ffff0, 0x2519e3e0),
};

unsigned split_class(unsigned class, uint32_t word)
{
	for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++) {
		const struct split *split = &splits[i];

		if (split->from == class && (word & split->mask) == split->value &&
		    (!split->same_sources || (word >> 5 & 31) == (word >> 16 & 31)))
			return split->to;
	}
	return class;
}

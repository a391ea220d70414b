/* SPDX-License-Identifier: Apache-2.0 */
/* Advanced SIMD loads and stores of structures. */
#include "decode.h"

#define STRUCTURES(m, v, text, cost, flags, size, n, extent)                                       \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .memory = (flags), \
		.element = ELEMENT_##size, .count = n, .width = WIDTH_##extent,                    \
		.kinds = ((flags)&MEM_LOAD ? KIND_LD : KIND_ST) | KIND_ASE_INST |                  \
			 ((flags)&MEM_ACQUIRE ? KIND_RC_LD : 0) |                                  \
			 ((flags)&MEM_RELEASE ? KIND_RC_ST : 0),                                   \
	}
#define VECTORS_LOAD(m, v, text, cost, n)    STRUCTURES(m, v, text, cost, MEM_LOAD, 11_10, n, ASIMD)
#define VECTORS_STORE(m, v, text, cost, n)   STRUCTURES(m, v, text, cost, MEM_STORE, 11_10, n, ASIMD)
#define LANE_LOAD(m, v, text, cost, size, n) STRUCTURES(m, v, text, cost, MEM_LOAD, size, n, SCALAR)
#define LANE_STORE(m, v, text, cost, size, n) \
	STRUCTURES(m, v, text, cost, MEM_STORE, size, n, SCALAR)
#define ORDERED_LANE(m, v, text, cost, flags) STRUCTURES(m, v, text, cost, flags, D, 1, SCALAR)

/* clang-format off */
/* Advanced SIMD structures */
static const struct decode_row structures[] = {
	/* ldap1 */
	ORDERED_LANE(0xbffffc00, 0x0d418400, "Vt=Vt,[Sn]", VLOAD_LANE,
		     MEM_LOAD | MEM_ACQUIRE | MEM_PASSES),
	/* stl1 */
	ORDERED_LANE(0xbffffc00, 0x0d018400, "=Vt,[Sn]", VSTORE_LANE, MEM_STORE | MEM_RELEASE),
	/* without post-index, bits 20:16 are zero */
	RESERVED(0x00810000, 0x00010000),
	RESERVED(0x00820000, 0x00020000),
	RESERVED(0x00840000, 0x00040000),
	RESERVED(0x00880000, 0x00080000),
	RESERVED(0x00900000, 0x00100000),
	RESERVED(0xff20fc00, 0x0c000c00),
	RESERVED(0xff20fc00, 0x0c004c00),
	RESERVED(0xff20fc00, 0x0c008c00),
	VECTORS_LOAD(0xff60f000, 0x4c400000, "Vt*4=[Sn]?", VLOAD4, 4), /* ld4 */
	VECTORS_LOAD(0xff60f000, 0x0c400000, "Vt*4=[Sn]?", VLOAD4_LANE, 4), /* ld4 */
	VECTORS_STORE(0xff60fc00, 0x4c000c00, "=Vt*4,[Sn]?", VSTORE4_D, 4), /* st4 */
	VECTORS_STORE(0xff60f000, 0x4c000000, "=Vt*4,[Sn]?", VSTORE4, 4), /* st4 */
	VECTORS_STORE(0xff60f000, 0x0c000000, "=Vt*4,[Sn]?", VSTORE4_HALF, 4), /* st4 */
	VECTORS_LOAD(0xff60f000, 0x4c404000, "Vt*3=[Sn]?", VLOAD3, 3), /* ld3 */
	VECTORS_LOAD(0xff60f000, 0x0c404000, "Vt*3=[Sn]?", VLOAD3_LANE, 3), /* ld3 */
	VECTORS_STORE(0xff60f000, 0x4c004000, "=Vt*3,[Sn]?", VSTORE3, 3), /* st3 */
	VECTORS_STORE(0xff60f000, 0x0c004000, "=Vt*3,[Sn]?", VSTORE3_HALF, 3), /* st3 */
	VECTORS_LOAD(0xff60f000, 0x4c408000, "Vt*2=[Sn]?", VLOAD2, 2), /* ld2 */
	VECTORS_LOAD(0xff60f000, 0x0c408000, "Vt*2=[Sn]?", VLOAD2_LANE, 2), /* ld2 */
	VECTORS_STORE(0xff60f000, 0x4c008000, "=Vt*2,[Sn]?", VSTORE2, 2), /* st2 */
	VECTORS_STORE(0xff60f000, 0x0c008000, "=Vt*2,[Sn]?", VSTORE_LANE, 2), /* st2 */
	VECTORS_LOAD(0xbf60f000, 0x0c407000, "Vt=[Sn]?", VLOAD, 1), /* ld1 */
	VECTORS_STORE(0xbf60f000, 0x0c007000, "=Vt,[Sn]?", VSTORE, 1), /* st1 */
	VECTORS_LOAD(0xbf60f000, 0x0c40a000, "Vt*2=[Sn]?", VLOAD_MULTI2, 2), /* ld1 of 2 */
	VECTORS_STORE(0xff60f000, 0x4c00a000, "=Vt*2,[Sn]?", VSTORE_MULTI2, 2), /* st1 of 2 */
	VECTORS_STORE(0xff60f000, 0x0c00a000, "=Vt*2,[Sn]?", VSTORE, 2), /* st1 of 2 */
	VECTORS_LOAD(0xbf60f000, 0x0c406000, "Vt*3=[Sn]?", VLOAD_MULTI3, 3), /* ld1 of 3 */
	VECTORS_STORE(0xff60f000, 0x4c006000, "=Vt*3,[Sn]?", VSTORE_MULTI3, 3), /* st1 of 3 */
	VECTORS_STORE(0xff60f000, 0x0c006000, "=Vt*3,[Sn]?", VSTORE_MULTI2, 3), /* st1 of 3 */
	VECTORS_LOAD(0xbf60f000, 0x0c402000, "Vt*4=[Sn]?", VLOAD_MULTI4, 4), /* ld1 of 4 */
	VECTORS_STORE(0xff60f000, 0x4c002000, "=Vt*4,[Sn]?", VSTORE_MULTI4, 4), /* st1 of 4 */
	VECTORS_STORE(0xff60f000, 0x0c002000, "=Vt*4,[Sn]?", VSTORE_MULTI2, 4), /* st1 of 4 */
	/* one lane, or replicated to all */
	LANE_LOAD(0xbf60e000, 0x0d400000, "Vt=Vt,[Sn]?", VLOAD_LANE, B, 1), /* ld1.b */
	LANE_LOAD(0xbf60e400, 0x0d404000, "Vt=Vt,[Sn]?", VLOAD_LANE, H, 1), /* ld1.h */
	LANE_LOAD(0xbf60ec00, 0x0d408000, "Vt=Vt,[Sn]?", VLOAD_LANE, S, 1), /* ld1.s */
	LANE_LOAD(0xbf60fc00, 0x0d408400, "Vt=Vt,[Sn]?", VLOAD_LANE, D, 1), /* ld1.d */
	LANE_LOAD(0xbf60f000, 0x0d40c000, "Vt=[Sn]?", VLOAD_LANE, 11_10, 1), /* ld1r */
	LANE_STORE(0xbf60e000, 0x0d000000, "=Vt,[Sn]?", VSTORE_LANE, B, 1), /* st1.b */
	LANE_STORE(0xbf60e400, 0x0d004000, "=Vt,[Sn]?", VSTORE_LANE, H, 1), /* st1.h */
	LANE_STORE(0xbf60ec00, 0x0d008000, "=Vt,[Sn]?", VSTORE_LANE, S, 1), /* st1.s */
	LANE_STORE(0xbf60fc00, 0x0d008400, "=Vt,[Sn]?", VSTORE_LANE, D, 1), /* st1.d */
	LANE_LOAD(0xbf60e000, 0x0d600000, "Vt*2=Vt*2,[Sn]?", VLOAD2_LANE, B, 2), /* ld2.b */
	LANE_LOAD(0xbf60e400, 0x0d604000, "Vt*2=Vt*2,[Sn]?", VLOAD2_LANE, H, 2), /* ld2.h */
	LANE_LOAD(0xbf60ec00, 0x0d608000, "Vt*2=Vt*2,[Sn]?", VLOAD2_LANE, S, 2), /* ld2.s */
	LANE_LOAD(0xbf60fc00, 0x0d608400, "Vt*2=Vt*2,[Sn]?", VLOAD2_LANE, D, 2), /* ld2.d */
	LANE_LOAD(0xbf60f000, 0x0d60c000, "Vt*2=[Sn]?", VLOAD2_LANE, 11_10, 2), /* ld2r */
	LANE_STORE(0xbf60e000, 0x0d200000, "=Vt*2,[Sn]?", VSTORE_LANE, B, 2), /* st2.b */
	LANE_STORE(0xbf60e400, 0x0d204000, "=Vt*2,[Sn]?", VSTORE_LANE, H, 2), /* st2.h */
	LANE_STORE(0xbf60ec00, 0x0d208000, "=Vt*2,[Sn]?", VSTORE_LANE, S, 2), /* st2.s */
	LANE_STORE(0xbf60fc00, 0x0d208400, "=Vt*2,[Sn]?", VSTORE_LANE, D, 2), /* st2.d */
	LANE_LOAD(0xbf60e000, 0x0d402000, "Vt*3=Vt*3,[Sn]?", VLOAD3_LANE, B, 3), /* ld3.b */
	LANE_LOAD(0xbf60e400, 0x0d406000, "Vt*3=Vt*3,[Sn]?", VLOAD3_LANE, H, 3), /* ld3.h */
	LANE_LOAD(0xbf60ec00, 0x0d40a000, "Vt*3=Vt*3,[Sn]?", VLOAD3_LANE, S, 3), /* ld3.s */
	LANE_LOAD(0xbf60fc00, 0x0d40a400, "Vt*3=Vt*3,[Sn]?", VLOAD3_LANE, D, 3), /* ld3.d */
	LANE_LOAD(0xff60f000, 0x4d40e000, "Vt*3=[Sn]?", VLOAD3, 11_10, 3), /* ld3r */
	LANE_LOAD(0xff60f000, 0x0d40e000, "Vt*3=[Sn]?", VLOAD3_LANE, 11_10, 3), /* ld3r */
	LANE_STORE(0xbf60e000, 0x0d002000, "=Vt*3,[Sn]?", VSTORE3_LANE, B, 3), /* st3.b */
	LANE_STORE(0xbf60e400, 0x0d006000, "=Vt*3,[Sn]?", VSTORE3_LANE, H, 3), /* st3.h */
	LANE_STORE(0xbf60ec00, 0x0d00a000, "=Vt*3,[Sn]?", VSTORE3_LANE, S, 3), /* st3.s */
	LANE_STORE(0xbf60fc00, 0x0d00a400, "=Vt*3,[Sn]?", VSTORE3_LANE, D, 3), /* st3.d */
	LANE_LOAD(0xbf60e000, 0x0d602000, "Vt*4=Vt*4,[Sn]?", VLOAD4_LANE, B, 4), /* ld4.b */
	LANE_LOAD(0xbf60e400, 0x0d606000, "Vt*4=Vt*4,[Sn]?", VLOAD4_LANE, H, 4), /* ld4.h */
	LANE_LOAD(0xbf60ec00, 0x0d60a000, "Vt*4=Vt*4,[Sn]?", VLOAD4_LANE, S, 4), /* ld4.s */
	LANE_LOAD(0xbf60fc00, 0x0d60a400, "Vt*4=Vt*4,[Sn]?", VLOAD4_LANE, D, 4), /* ld4.d */
	LANE_LOAD(0xff60f000, 0x4d60e000, "Vt*4=[Sn]?", VLOAD4_ALL, 11_10, 4), /* ld4r */
	LANE_LOAD(0xff60f000, 0x0d60e000, "Vt*4=[Sn]?", VLOAD4_LANE, 11_10, 4), /* ld4r */
	LANE_STORE(0xbf60e000, 0x0d202000, "=Vt*4,[Sn]?", VSTORE4_LANE, B, 4), /* st4.b */
	LANE_STORE(0xbf60e400, 0x0d206000, "=Vt*4,[Sn]?", VSTORE4_LANE, H, 4), /* st4.h */
	LANE_STORE(0xbf60ec00, 0x0d20a000, "=Vt*4,[Sn]?", VSTORE4_LANE, S, 4), /* st4.s */
	LANE_STORE(0xbf60fc00, 0x0d20a400, "=Vt*4,[Sn]?", VSTORE4_LANE_D, D, 4), /* st4.d */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xbe000000, 0x0c000000, structures),
};
/* clang-format on */

const struct decode_table decode_structures = DECODE_TABLE(groups);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SME2: ZA by groups of vectors, lists of two and four vectors, the lookup table ZT0. Some words
 * that are not allocated fit these rows as well: no compiler makes them.
 */
#include "decode.h"

/* Counted with SVE's alone, as the events have no kind for them. */
#define SME2(m, v, text, cost)                                                                    \
	{                                                                                         \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .kinds = KIND_SVE \
	}
#define SME2_ARITHMETIC(m, v, text) SME2(m, v, text, SME_OUTER)
#define SME2_MOVE(m, v, text)       SME2(m, v, text, SME_MOVE)
/* `lane` is the element that predicates govern. */
#define SME2_OUTER(m, v, lane)                                                                     \
	{                                                                                          \
		.mask = m, .value = v, .operands = "za=Vn,Vm,+za,Pg,Ph", .class = CLASS_SME_OUTER, \
		.container = ELEMENT_##lane, .kinds = KIND_SVE,                                    \
	}
/* QEMU 7.2 tells plugins nothing of predicated accesses. */
#define SME2_ACCESS(m, v, text, cost, flags, n, from)                                    \
	{                                                                                \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,          \
		.memory = (flags) | MEM_HIDDEN | MEM_MAY_SKIP, .element = ELEMENT_14_13, \
		.container = ELEMENT_14_13, .width = WIDTH_SVE, .count = n,              \
		.offset = OFFSET_##from,                                                 \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),              \
	}
/* The register beside the list is a predicate as a counter; the lowest bit of the register field,
 * or the one above it, says whether the data is used once. */
#define SME2_LOADS(m, v, once, text, cost, n, from)       \
	SME2_ACCESS(m, v, text, cost, MEM_LOAD, n, from), \
		SME2_ACCESS(m, (v) | (once), text, cost, MEM_LOAD | MEM_NON_TEMPORAL, n, from)
#define SME2_STORES(m, v, once, text, cost, n, from)       \
	SME2_ACCESS(m, v, text, cost, MEM_STORE, n, from), \
		SME2_ACCESS(m, (v) | (once), text, cost, MEM_STORE | MEM_NON_TEMPORAL, n, from)
#define ZT0(v, text, cost, flags)                                                        \
	{                                                                                \
		.mask = 0xfffffc1f, .value = v, .operands = text, .class = CLASS_##cost, \
		.memory = flags, .count = 64, .width = WIDTH_BYTES,                      \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),              \
	}

/* clang-format off */
/* Outer products: predicates govern the elements of the vectors */
static const struct decode_row outer_product[] = {
	SME2_OUTER(0xffe0000c, 0x80800008, S), /* bmopa, bmops */
	SME2_OUTER(0xfee0000c, 0xa0800008, H), /* smopa, smops, umopa, umops of h to s */
	SME2_OUTER(0xffe0001c, 0x80a00000, B), /* fmopa of b to s */
	SME2_OUTER(0xffe0001e, 0x80a00008, B), /* fmopa of b to h */
	SME2_OUTER(0xffc0000e, 0x81800008, H), /* fmopa, fmops, bfmopa, bfmops of h */
};

/* Loads and stores of two and four vectors */
static const struct decode_row memory[] = {
	SME2_LOADS(0xffe08001, 0xa0000000, 1, "Vt/2=Pk,[Sn,Xm]", VLOAD_MULTI2, 2, NONE),
	SME2_LOADS(0xffe08003, 0xa0008000, 1, "Vt/4=Pk,[Sn,Xm]", VLOAD_MULTI4, 4, NONE),
	SME2_LOADS(0xffe08008, 0xa1000000, 8, "Vt:2=Pk,[Sn,Xm]", VLOAD_MULTI2, 2, NONE),
	SME2_LOADS(0xffe0800c, 0xa1008000, 8, "Vt:4=Pk,[Sn,Xm]", VLOAD_MULTI4, 4, NONE),
	SME2_LOADS(0xfff08001, 0xa0400000, 1, "Vt/2=Pk,[Sn]", VLOAD_MULTI2, 2, VECTOR),
	SME2_LOADS(0xfff08003, 0xa0408000, 1, "Vt/4=Pk,[Sn]", VLOAD_MULTI4, 4, VECTOR),
	SME2_LOADS(0xfff08008, 0xa1400000, 8, "Vt:2=Pk,[Sn]", VLOAD_MULTI2, 2, VECTOR),
	SME2_LOADS(0xfff0800c, 0xa1408000, 8, "Vt:4=Pk,[Sn]", VLOAD_MULTI4, 4, VECTOR),
	SME2_STORES(0xffe08001, 0xa0200000, 1, "=Vt/2,Pk,[Sn,Xm]", VSTORE_MULTI2, 2, NONE),
	SME2_STORES(0xffe08003, 0xa0208000, 1, "=Vt/4,Pk,[Sn,Xm]", VSTORE_MULTI4, 4, NONE),
	SME2_STORES(0xffe08008, 0xa1200000, 8, "=Vt:2,Pk,[Sn,Xm]", VSTORE_MULTI2, 2, NONE),
	SME2_STORES(0xffe0800c, 0xa1208000, 8, "=Vt:4,Pk,[Sn,Xm]", VSTORE_MULTI4, 4, NONE),
	SME2_STORES(0xfff08001, 0xa0600000, 1, "=Vt/2,Pk,[Sn]", VSTORE_MULTI2, 2, VECTOR),
	SME2_STORES(0xfff08003, 0xa0608000, 1, "=Vt/4,Pk,[Sn]", VSTORE_MULTI4, 4, VECTOR),
	SME2_STORES(0xfff08008, 0xa1600000, 8, "=Vt:2,Pk,[Sn]", VSTORE_MULTI2, 2, VECTOR),
	SME2_STORES(0xfff0800c, 0xa1608000, 8, "=Vt:4,Pk,[Sn]", VSTORE_MULTI4, 4, VECTOR),
};

/* ZT0 */
static const struct decode_row table[] = {
	ZT0(0xe11f8000, "za=za,[Sn]", SME_LOAD, MEM_LOAD), /* ldr */
	ZT0(0xe13f8000, "=za,[Sn]", SME_STORE, MEM_STORE), /* str */
};

/* Moves from and to ZA and ZT0, table lookups */
static const struct decode_row move[] = {
	SME2_MOVE(0xffffffff, 0xc0480001, "za=za"), /* zero of zt0 */
	SME2_MOVE(0xff3e1e00, 0xc0020200, "Vd,za=za,Xr"), /* movaz of one vector */
	SME2_MOVE(0xff3f1c38, 0xc0040000, "za=Vn/2,Xr,za"), /* mova to tiles, of two */
	SME2_MOVE(0xff3f1c78, 0xc0040400, "za=Vn/4,Xr,za"), /* of four */
	SME2_MOVE(0xffff9c38, 0xc0040800, "za=Vn/2,Xv,za"), /* mova to groups, of two */
	SME2_MOVE(0xffff9c78, 0xc0040c00, "za=Vn/4,Xv,za"), /* of four */
	SME2_MOVE(0xff3f1f01, 0xc0060000, "Vd/2=za,Xr"), /* mova from tiles, of two */
	SME2_MOVE(0xff3f1f01, 0xc0060200, "Vd/2,za=za,Xr"), /* movaz, of two */
	SME2_MOVE(0xff3f1f03, 0xc0060400, "Vd/4=za,Xr"), /* of four */
	SME2_MOVE(0xff3f1f03, 0xc0060600, "Vd/4,za=za,Xr"), /* movaz, of four */
	SME2_MOVE(0xffff9f01, 0xc0060800, "Vd/2=za,Xv"), /* mova from groups, of two */
	SME2_MOVE(0xffff9f01, 0xc0060a00, "Vd/2,za=za,Xv"), /* movaz, of two */
	SME2_MOVE(0xffff9f03, 0xc0060c00, "Vd/4=za,Xv"), /* of four */
	SME2_MOVE(0xffff9f03, 0xc0060e00, "Vd/4,za=za,Xv"), /* movaz, of four */
	SME2_MOVE(0xfffc1ff8, 0xc00c0000, "za=Xv,za"), /* zero of groups */
	SME2_MOVE(0xffff8fe0, 0xc04c03e0, "Xd=za"), /* movt from zt0 */
	SME2_MOVE(0xffff8fe0, 0xc04e03e0, "za=Xd,za"), /* movt to zt0 */
	SME2_MOVE(0xffffcfe0, 0xc04f03e0, "za=Vd,za"), /* movt of a vector */
	SME2_MOVE(0xfff84c01, 0xc0884000, "Vd/2=za,Vn"), /* luti2, luti4 */
	SME2_MOVE(0xfff8cc03, 0xc0888000, "Vd/4=za,Vn"), /* luti2, luti4 */
	SME2_MOVE(0xfffffc23, 0xc08b0000, "Vd/4=za,Vn/2"), /* luti4 */
	SME2_MOVE(0xfff86c08, 0xc0984000, "Vd:2=za,Vn"), /* luti2, luti4 */
	SME2_MOVE(0xfff8ec0c, 0xc0988000, "Vd:4=za,Vn"), /* luti2, luti4 */
	SME2_MOVE(0xfffffc2c, 0xc09b0000, "Vd:4=za,Vn/2"), /* luti4 */
	SME2_MOVE(0xfff80c00, 0xc0c80000, "Vd=za,Vn"), /* luti2, luti4 */
};

/* Arithmetic on ZA */
static const struct decode_row accumulate[] = {
	SME2_ARITHMETIC(0xff300000, 0xc1000000, "za=Vn,Ve,+za,Xv"), /* bfmlal, bfmlsl ... usmlall */
	SME2_ARITHMETIC(0xff308000, 0xc1100000, "za=Vn/2,Ve,+za,Xv"), /* bfdot, bfmla ... uvdot */
	SME2_ARITHMETIC(0xff308000, 0xc1108000, "za=Vn/4,Ve,+za,Xv"), /* bfdot, bfmla ... uvdot */
	/* bfmlal, bfmlsl ... usmlall */
	SME2_ARITHMETIC(0xffb09400, 0xc1200000, "za=Vn*2,Ve,+za,Xv"),
	SME2_ARITHMETIC(0xffa09400, 0xc1200400, "za=Vn,Ve,+za,Xv"), /* bfmlal, bfmlsl ... usmlall */
	SME2_ARITHMETIC(0xffb09000, 0xc1201000, "za=Vn*2,Ve,+za,Xv"), /* add, bfdot ... usdot */
	/* bfmlal, bfmlsl ... usmlall */
	SME2_ARITHMETIC(0xffb09400, 0xc1300000, "za=Vn*4,Ve,+za,Xv"),
	SME2_ARITHMETIC(0xffb09000, 0xc1301000, "za=Vn*4,Ve,+za,Xv"), /* add, bfdot ... usdot */
	SME2_ARITHMETIC(0xffa18400, 0xc1a00000, "za=Vn/2,Vm/2,+za,Xv"), /* add, bfdot ... usmlall */
	SME2_ARITHMETIC(0xffa19c20, 0xc1a01400, "za=Vn/2,Vm/2,+za,Xv"), /* sdot, udot, usdot */
	SME2_ARITHMETIC(0xffbb9c20, 0xc1a01c00, "za=Vn/2,+za,Xv"), /* add, bfadd ... sub */
	SME2_ARITHMETIC(0xffa38440, 0xc1a10000, "za=Vn/4,Vm/4,+za,Xv"), /* add, bfdot ... usmlall */
	SME2_ARITHMETIC(0xffa39c60, 0xc1a11400, "za=Vn/4,Vm/4,+za,Xv"), /* sdot, udot, usdot */
	SME2_ARITHMETIC(0xffbb9c60, 0xc1a11c00, "za=Vn/4,+za,Xv"), /* add, bfadd ... sub */
};

/* Arithmetic on lists of vectors */
static const struct decode_row vectors[] = {
	SME2_ARITHMETIC(0xff21e021, 0xc1208000, "Vd/2=Pk,Vn/2,Vm/2"), /* sel */
	SME2_ARITHMETIC(0xff30f840, 0xc120a000, "Vd/2=Vd/2,Ve"), /* add, bfmax ... urshl */
	SME2_ARITHMETIC(0xff30f842, 0xc120a800, "Vd/4=Vd/4,Ve"), /* add, bfmax ... urshl */
	SME2_ARITHMETIC(0xff21f800, 0xc120b000, "Vd/2=Vd/2,Vm/2"), /* bfmax, bfmaxnm ... urshl */
	SME2_ARITHMETIC(0xff23f802, 0xc120b800, "Vd/4=Vd/4,Vm/4"), /* bfmax, bfmaxnm ... urshl */
	/* bfclamp, fclamp, sclamp, uclamp */
	SME2_ARITHMETIC(0xff20f800, 0xc120c000, "Vd/2=Vn,Vm,Vd/2"),
	/* bfclamp, fclamp, sclamp, uclamp */
	SME2_ARITHMETIC(0xff20f802, 0xc120c800, "Vd/4=Vn,Vm,Vd/4"),
	SME2_ARITHMETIC(0xff20fc00, 0xc120d000, "Vd/2=Vn,Vm"), /* zip, uzp */
	SME2_ARITHMETIC(0xffe0fc00, 0xc120d400, "Vd/2=Vn,Vm"), /* of q */
	SME2_ARITHMETIC(0xff20f800, 0xc120d800, "Vd=Vn/4"), /* sqrshr, sqrshrn ... uqrshrn */
	SME2_ARITHMETIC(0xffbbfc00, 0xc120e000, "Vd=Vn/2"), /* bfcvt, bfcvtn, fcvt, fcvtn */
	SME2_ARITHMETIC(0xff23e063, 0xc1218000, "Vd/4=Pk,Vn/4,Vm/4"), /* sel */
	SME2_ARITHMETIC(0xfffffc01, 0xc121e000, "Vd/2=Vn/2"), /* fcvtzs, fcvtzu */
	SME2_ARITHMETIC(0xfffffc01, 0xc122e000, "Vd/2=Vn/2"), /* scvtf, ucvtf */
	SME2_ARITHMETIC(0xffbffc00, 0xc123e000, "Vd=Vn/2"), /* sqcvt, sqcvtu, uqcvt */
	SME2_ARITHMETIC(0xff3ffc00, 0xc125e000, "Vd/2=Vn"), /* sunpk, uunpk */
	SME2_ARITHMETIC(0xff3ffc00, 0xc126e000, "Vd/2=Vn"), /* bf1cvt, bf1cvtl ... f2cvtl */
	SME2_ARITHMETIC(0xfffffc43, 0xc131e000, "Vd/4=Vn/4"), /* fcvtzs, fcvtzu */
	SME2_ARITHMETIC(0xfffffc43, 0xc132e000, "Vd/4=Vn/4"), /* scvtf, ucvtf */
	SME2_ARITHMETIC(0xff3ffc00, 0xc133e000, "Vd=Vn/4"), /* sqcvt, sqcvtn ... uqcvtn */
	SME2_ARITHMETIC(0xfffffc40, 0xc134e000, "Vd=Vn/4"), /* fcvt, fcvtn */
	SME2_ARITHMETIC(0xff3ffc22, 0xc135e000, "Vd/4=Vn/2"), /* sunpk, uunpk */
	SME2_ARITHMETIC(0xff3efc61, 0xc136e000, "Vd/4=Vn/4"), /* uzp, zip */
	SME2_ARITHMETIC(0xfffffc00, 0xc1a0e000, "Vd/2=Vn"), /* fcvt, fcvtl */
	SME2_ARITHMETIC(0xfff8fc21, 0xc1a8e000, "Vd/2=Vn/2"), /* frinta, frintm, frintn, frintp */
	SME2_ARITHMETIC(0xfff8fc63, 0xc1b8e000, "Vd/4=Vn/4"), /* frinta, frintm, frintn, frintp */
	SME2_ARITHMETIC(0xffe0fc00, 0xc1e0d400, "Vd=Vn/2"), /* sqrshr, sqrshru, uqrshr */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xde000000, 0x80000000, outer_product),
	DECODE_GROUP(0xfe000000, 0xa0000000, memory),
	DECODE_GROUP(0xff000000, 0xc0000000, move),
	DECODE_GROUP(0xff000000, 0xc1000000, accumulate),
	DECODE_GROUP(0xff000000, 0xc1000000, vectors),
	DECODE_GROUP(0xff000000, 0xe1000000, table),
};
/* clang-format on */

const struct decode_table decode_sme2 = DECODE_TABLE(groups);

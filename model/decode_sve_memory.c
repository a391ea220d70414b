/* SPDX-License-Identifier: Apache-2.0 */
/* SVE loads, stores and prefetches. */
#include "decode.h"

#define SVE_ROW(m, v, text, cost, flags, size, to, n, from)                                        \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .memory = (flags), \
		.element = ELEMENT_##size, .container = ELEMENT_##to, .width = WIDTH_SVE,          \
		.count = n, .offset = OFFSET_##from,                                               \
		.kinds = KIND_SVE | ((flags)&MEM_LOAD ? KIND_LD : KIND_ST),                        \
	}

#define SVE_ACCESS(m, v, text, cost, flags, size, to, n) \
	SVE_ROW(m, v, text, cost, flags, size, to, n, NONE)

/* Predicated accesses, which QEMU 7.2 does not report to plugins. */
#define LANES        (MEM_HIDDEN | MEM_MAY_SKIP)
#define STREAM_LOAD  (MEM_LOAD | MEM_NON_TEMPORAL)
#define STREAM_STORE (MEM_STORE | MEM_NON_TEMPORAL)
#define CONTIGUOUS(m, v, text, cost, from) \
	SVE_ROW(m, v, text, cost, MEM_LOAD | LANES, DTYPE, DTYPE_TO, 1, from)
#define FIRST_FAULT(m, v, text, cost, from)                                             \
	{                                                                               \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,         \
		.memory = MEM_LOAD | LANES | MEM_FIRST_FAULT, .element = ELEMENT_DTYPE, \
		.container = ELEMENT_DTYPE_TO, .width = WIDTH_SVE, .count = 1,          \
		.offset = OFFSET_##from, .kinds = KIND_SVE | KIND_LD | KIND_LDFF,       \
	}
#define CONTIGUOUS_STORE(m, v, text, cost, from) \
	SVE_ROW(m, v, text, cost, MEM_STORE | LANES, MSZ, 22_21, 1, from)
#define VECTORS(m, v, text, cost, flags, n, from) \
	SVE_ROW(m, v, text, cost, (flags) | LANES, MSZ, MSZ, n, from)
#define GATHER(m, v, text, cost, to, from) \
	SVE_ROW(m, v, text, cost, MEM_LOAD | MEM_GATHER | LANES, MSZ, to, 1, from)
#define GATHER_FAULT(m, v, text, cost, to, from)                                                   \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,                    \
		.memory = MEM_LOAD | MEM_GATHER | LANES | MEM_FIRST_FAULT, .element = ELEMENT_MSZ, \
		.container = ELEMENT_##to, .width = WIDTH_SVE, .count = 1,                         \
		.offset = OFFSET_##from, .kinds = KIND_SVE | KIND_LD | KIND_LDFF,                  \
	}
#define SCATTER(m, v, text, cost, to, from) \
	SVE_ROW(m, v, text, cost, MEM_STORE | MEM_GATHER | LANES, MSZ, to, 1, from)
/* One repeated element, which QEMU does report, or a repeated block of this many bytes. */
#define SVE_REPEAT(m, v, text)                                                                \
	{                                                                                     \
		.mask = m, .value = v, .operands = text, .class = CLASS_VLOAD,                \
		.memory = MEM_LOAD | MEM_MAY_SKIP, .element = ELEMENT_DTYPE_SPLIT,            \
		.container = ELEMENT_DTYPE_SPLIT_TO, .count = 1, .kinds = KIND_SVE | KIND_LD, \
	}
#define SVE_BLOCK(m, v, text, cost, bytes, from)                                            \
	{                                                                                   \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,             \
		.memory = MEM_LOAD | LANES, .element = ELEMENT_MSZ, .count = bytes,         \
		.width = WIDTH_BYTES, .offset = OFFSET_##from, .kinds = KIND_SVE | KIND_LD, \
	}
#define SVE_PREFETCH(m, v, text, size, from)                                           \
	{                                                                              \
		.mask = m, .value = v, .operands = text, .class = CLASS_PREFETCH,      \
		.memory = MEM_PREFETCH | LANES, .element = ELEMENT_##size, .count = 1, \
		.offset = OFFSET_##from, .kinds = KIND_SVE,                            \
	}
/* Of a vector of addresses, or of offsets: one for each element. */
#define SVE_PREFETCHES(m, v, text, size, to, from)                                                 \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_PREFETCH,                  \
		.memory = MEM_PREFETCH | MEM_GATHER | LANES, .element = ELEMENT_##size,            \
		.container = ELEMENT_##to, .count = 1, .offset = OFFSET_##from, .kinds = KIND_SVE, \
	}

/* clang-format off */
/* Gathers of 32-bit elements, replicating loads, prefetches */
static const struct decode_row gather32[] = {
	/* ldr of a predicate */
	SVE_ACCESS(0xffc0e010, 0x85800000, "Pt=[Sn]", SVE_LOAD_PRED, MEM_LOAD, B, D, 1),
	SVE_ACCESS(0xffc0e000, 0x85804000, "Vt=[Sn]", VLOAD, MEM_LOAD, B, B, 1), /* ldr */
	SVE_REPEAT(0xfe408000, 0x84408000, "Vt=Pg,[Sn]"), /* ld1rb ... ld1rd */
	SVE_PREFETCH(0xffc08010, 0x85c00000, "=Pg,[Sn]", 14_13, PREFETCH), /* prfb, prfh, prfw, prfd */
	/* prfb ... prfd, index register */
	SVE_PREFETCH(0xfe60e010, 0x8400c000, "=Pg,[Sn,Xm]", MSZ, NONE),
	/* prfb ... prfd of a vector of addresses */
	SVE_PREFETCHES(0xfe60e010, 0x8400e000, "=Pg,[Vn]", MSZ, S, ELEMENT),
	/* prfb ... prfd of a vector of offsets */
	SVE_PREFETCHES(0xffa08010, 0x84200000, "=Pg,[Sn,Vm]", 14_13, S, NONE),
	RESERVED(0xffe0c000, 0x85808000),
	RESERVED(0xffe0e000, 0x85008000),
	GATHER(0xfe60c000, 0x84008000, "Vt=Pg,[Vn,Xm]", SVE_GATHER32, S, NONE), /* ldnt1b ... ldnt1w */
	RESERVED(0xffa08000, 0x84200000),
	RESERVED(0xff804000, 0x85000000),
	RESERVED(0xff800000, 0x85800000),
	/* ld1b ... ld1w of a vector of addresses */
	GATHER(0xfe60a000, 0x84208000, "Vt=Pg,[Vn]", SVE_GATHER32, S, ELEMENT),
	/* ldff1b ... ldff1w */
	GATHER_FAULT(0xfe60a000, 0x8420a000, "Vt,ffr=Pg,ffr,[Vn]", SVE_GATHER32, S, ELEMENT),
	/* ld1b ... ld1w of a vector of offsets */
	GATHER(0xfe20a000, 0x84000000, "Vt=Pg,[Sn,Vm]", SVE_GATHER32, S, NONE),
	/* ldff1b ... ldff1w */
	GATHER_FAULT(0xfe20a000, 0x84002000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER32, S, NONE),
	/* ld1h, ld1w of scaled offsets */
	GATHER(0xfe20a000, 0x84200000, "Vt=Pg,[Sn,Vm]", SVE_GATHER32_SCALED, S, NONE),
	/* ldff1h, ldff1w */
	GATHER_FAULT(0xfe20a000, 0x84202000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER32_SCALED, S, NONE),
};

/* Contiguous loads */
static const struct decode_row contiguous[] = {
	RESERVED(0xfe1fe000, 0xa41f4000),
	/* ld1b ... ld1d, index register */
	CONTIGUOUS(0xfe00e000, 0xa4004000, "Vt=Pg,[Sn,Xm]", SVE_LOAD_INDEXED, NONE),
	/* ldff1b ... ldff1d */
	FIRST_FAULT(0xfe00e000, 0xa4006000, "Vt,ffr=Pg,ffr,[Sn,Xm]", SVE_LOAD_FAULT, NONE),
	CONTIGUOUS(0xfe10e000, 0xa400a000, "Vt=Pg,[Sn]", VLOAD, VECTOR), /* ld1b ... ld1d */
	/* ldnf1b ... ldnf1d */
	FIRST_FAULT(0xfe10e000, 0xa410a000, "Vt,ffr=Pg,ffr,[Sn]", VLOAD, VECTOR),
	RESERVED(0xfe7fe000, 0xa41fc000),
	/* ldnt1b ... ldnt1d, index register */
	VECTORS(0xfe60e000, 0xa400c000, "Vt=Pg,[Sn,Xm]", SVE_LOAD_FAULT, STREAM_LOAD, 1, NONE),
	/* ldnt1b ... ldnt1d */
	VECTORS(0xfe70e000, 0xa400e000, "Vt=Pg,[Sn]", VLOAD, STREAM_LOAD, 1, VECTOR),
	RESERVED(0xfe1fe000, 0xa41fc000),
	/* ld2b ... ld2d, index register */
	VECTORS(0xfe60e000, 0xa420c000, "Vt*2=Pg,[Sn,Xm]", SVE_LOAD2_INDEXED, MEM_LOAD, 2, NONE),
	/* ld3b ... ld3d, index register */
	VECTORS(0xfe60e000, 0xa440c000, "Vt*3=Pg,[Sn,Xm]", SVE_LOAD3_INDEXED, MEM_LOAD, 3, NONE),
	/* ld4b ... ld4d, index register */
	VECTORS(0xfe60e000, 0xa460c000, "Vt*4=Pg,[Sn,Xm]", SVE_LOAD4_INDEXED, MEM_LOAD, 4, NONE),
	/* ld2b ... ld2d */
	VECTORS(0xfe70e000, 0xa420e000, "Vt*2=Pg,[Sn]", SVE_LOAD2, MEM_LOAD, 2, VECTOR),
	/* ld3b ... ld3d */
	VECTORS(0xfe70e000, 0xa440e000, "Vt*3=Pg,[Sn]", SVE_LOAD3, MEM_LOAD, 3, VECTOR),
	/* ld4b ... ld4d */
	VECTORS(0xfe70e000, 0xa460e000, "Vt*4=Pg,[Sn]", SVE_LOAD4, MEM_LOAD, 4, VECTOR),
	RESERVED(0xfe5fe000, 0xa41f0000),
	/* ld1rqb ... ld1rqd, index register */
	SVE_BLOCK(0xfe60e000, 0xa4000000, "Vt=Pg,[Sn,Xm]", VLOAD, 16, NONE),
	/* ld1rob ... ld1rod, index register */
	SVE_BLOCK(0xfe60e000, 0xa4200000, "Vt=Pg,[Sn,Xm]", VLOAD, 32, NONE),
	SVE_BLOCK(0xfe70e000, 0xa4002000, "Vt=Pg,[Sn]", VLOAD, 16, QUAD), /* ld1rqb ... ld1rqd */
	SVE_BLOCK(0xfe70e000, 0xa4202000, "Vt=Pg,[Sn]", VLOAD, 32, QUAD), /* ld1rob ... ld1rod */
};

/* Gathers of 64-bit elements, prefetches */
static const struct decode_row gather64[] = {
	/* prfb ... prfd of 64-bit offsets */
	SVE_PREFETCHES(0xffe08010, 0xc4608000, "=Pg,[Sn,Vm]", 14_13, D, NONE),
	/* prfb ... prfd of 32-bit offsets */
	SVE_PREFETCHES(0xffa08010, 0xc4200000, "=Pg,[Sn,Vm]", 14_13, D, NONE),
	/* prfb ... prfd of a vector of addresses */
	SVE_PREFETCHES(0xfe60e010, 0xc400e000, "=Pg,[Vn]", MSZ, D, ELEMENT),
	RESERVED(0xff804000, 0xc5800000),
	GATHER(0xfe60a000, 0xc4008000, "Vt=Pg,[Vn,Xm]", SVE_GATHER64, D, NONE), /* ldnt1b ... ldnt1d */
	/* ld1b ... ld1d of a vector of addresses */
	GATHER(0xfe60a000, 0xc4208000, "Vt=Pg,[Vn]", SVE_GATHER64_ADDRESS, D, ELEMENT),
	/* ldff1b ... ldff1d */
	GATHER_FAULT(0xfe60a000, 0xc420a000, "Vt,ffr=Pg,ffr,[Vn]", SVE_GATHER64_ADDRESS, D, ELEMENT),
	/* ld1b ... ld1d of 64-bit offsets */
	GATHER(0xfe60a000, 0xc4408000, "Vt=Pg,[Sn,Vm]", SVE_GATHER64, D, NONE),
	/* ldff1b ... ldff1d */
	GATHER_FAULT(0xfe60a000, 0xc440a000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER64, D, NONE),
	RESERVED(0xffa08000, 0xc4200000),
	RESERVED(0xffe08000, 0xc4608000),
	/* ld1h ... ld1d of scaled 64-bit offsets */
	GATHER(0xfe60a000, 0xc4608000, "Vt=Pg,[Sn,Vm]", SVE_GATHER64_SCALED, D, NONE),
	/* ldff1h ... ldff1d */
	GATHER_FAULT(0xfe60a000, 0xc460a000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER64_SCALED, D, NONE),
	/* ld1b ... ld1d of 32-bit offsets */
	GATHER(0xfe20a000, 0xc4000000, "Vt=Pg,[Sn,Vm]", SVE_GATHER64, D, NONE),
	/* ldff1b ... ldff1d */
	GATHER_FAULT(0xfe20a000, 0xc4002000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER64, D, NONE),
	/* ld1h ... ld1d of scaled 32-bit offsets */
	GATHER(0xfe20a000, 0xc4200000, "Vt=Pg,[Sn,Vm]", SVE_GATHER64_SCALED, D, NONE),
	/* ldff1h ... ldff1d */
	GATHER_FAULT(0xfe20a000, 0xc4202000, "Vt,ffr=Pg,ffr,[Sn,Vm]", SVE_GATHER64_SCALED, D, NONE),
};

/* Stores */
static const struct decode_row store[] = {
	/* str of a predicate */
	SVE_ACCESS(0xffc0e010, 0xe5800000, "=Pt,[Sn]", SVE_STORE_PRED, MEM_STORE, B, D, 1),
	SVE_ACCESS(0xffc0e000, 0xe5804000, "=Vt,[Sn]", VSTORE, MEM_STORE, B, B, 1), /* str */
	RESERVED(0xfe1fc000, 0xe41f4000),
	RESERVED(0xffe0e000, 0xe4804000), /* st1h to b is not */
	RESERVED(0xffe0e000, 0xe5004000), /* st1w to b is not */
	/* st1h, index register */
	CONTIGUOUS_STORE(0xff80e000, 0xe4804000, "=Vt,Pg,[Sn,Xm]", SVE_STORE_HALF, NONE),
	/* st1b ... st1d, index register */
	CONTIGUOUS_STORE(0xfe00e000, 0xe4004000, "=Vt,Pg,[Sn,Xm]", VSTORE, NONE),
	CONTIGUOUS_STORE(0xfe10e000, 0xe400e000, "=Vt,Pg,[Sn]", VSTORE, VECTOR), /* st1b ... st1d */
	/* stnt1h, index register */
	VECTORS(0xffe0e000, 0xe4806000, "=Vt,Pg,[Sn,Xm]", SVE_STORE_HALF, STREAM_STORE, 1, NONE),
	/* stnt1b ... stnt1d, index register */
	VECTORS(0xfe60e000, 0xe4006000, "=Vt,Pg,[Sn,Xm]", VSTORE, STREAM_STORE, 1, NONE),
	/* st2b ... st2d, index register */
	VECTORS(0xfe60e000, 0xe4206000, "=Vt*2,Pg,[Sn,Xm]", SVE_STORE2_INDEXED, MEM_STORE, 2, NONE),
	/* st3b ... st3d, index register */
	VECTORS(0xfe60e000, 0xe4406000, "=Vt*3,Pg,[Sn,Xm]", SVE_STORE3_INDEXED, MEM_STORE, 3, NONE),
	/* st4b ... st4d, index register */
	VECTORS(0xfe60e000, 0xe4606000, "=Vt*4,Pg,[Sn,Xm]", SVE_STORE4_INDEXED, MEM_STORE, 4, NONE),
	/* stnt1b ... stnt1d */
	VECTORS(0xfe70e000, 0xe410e000, "=Vt,Pg,[Sn]", VSTORE, STREAM_STORE, 1, VECTOR),
	/* st2b ... st2d */
	VECTORS(0xfe70e000, 0xe430e000, "=Vt*2,Pg,[Sn]", SVE_STORE2, MEM_STORE, 2, VECTOR),
	/* st3b ... st3d */
	VECTORS(0xfe70e000, 0xe450e000, "=Vt*3,Pg,[Sn]", SVE_STORE3, MEM_STORE, 3, VECTOR),
	/* st4b ... st4d */
	VECTORS(0xfe70e000, 0xe470e000, "=Vt*4,Pg,[Sn]", SVE_STORE4, MEM_STORE, 4, VECTOR),
	RESERVED(0xffc0a000, 0xe5c08000),
	RESERVED(0xffe0e000, 0xe5e0a000),
	RESERVED(0xffe0e000, 0xe5c02000),
	RESERVED(0xffa0a000, 0xe4208000),
	RESERVED(0xffe0e000, 0xe420a000),
	/* stnt1b ... stnt1d to a vector of addresses */
	SCATTER(0xfe60e000, 0xe4002000, "=Vt,Pg,[Vn,Xm]", SVE_SCATTER64, D, NONE),
	SCATTER(0xfe60e000, 0xe4402000, "=Vt,Pg,[Vn,Xm]", SVE_SCATTER32, S, NONE), /* stnt1b ... stnt1w */
	/* st1b ... st1d to 64-bit offsets */
	SCATTER(0xfe60e000, 0xe400a000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER64, D, NONE),
	SCATTER(0xfe60e000, 0xe420a000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER64, D, NONE), /* scaled */
	/* st1b ... st1d to a vector of addresses */
	SCATTER(0xfe60e000, 0xe440a000, "=Vt,Pg,[Vn]", SVE_SCATTER64, D, ELEMENT),
	SCATTER(0xfe60e000, 0xe460a000, "=Vt,Pg,[Vn]", SVE_SCATTER32, S, ELEMENT), /* st1b ... st1w */
	/* st1b ... st1d to 32-bit offsets */
	SCATTER(0xfe60a000, 0xe4008000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER64, D, NONE),
	SCATTER(0xfe60a000, 0xe4208000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER64, D, NONE), /* scaled */
	/* st1b ... st1w to 32-bit offsets */
	SCATTER(0xfe60a000, 0xe4408000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER32, S, NONE),
	SCATTER(0xfe60a000, 0xe4608000, "=Vt,Pg,[Sn,Vm]", SVE_SCATTER32, S, NONE), /* scaled */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xfe000000, 0x84000000, gather32),
	DECODE_GROUP(0xfe000000, 0xa4000000, contiguous),
	DECODE_GROUP(0xfe000000, 0xc4000000, gather64),
	DECODE_GROUP(0xfe000000, 0xe4000000, store),
};
/* clang-format on */

const struct decode_table decode_sve_memory = DECODE_TABLE(groups);

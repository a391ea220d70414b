/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of general registers and of single vector registers. */
#include "decode.h"

#define ACCESS(m, v, text, cost, flags, size, n, kind)                                             \
	{                                                                                          \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .memory = (flags), \
		.element = ELEMENT_##size, .count = n,                                             \
		.kinds = ((flags)&MEM_LOAD ? KIND_LD : 0) | ((flags)&MEM_STORE ? KIND_ST : 0) |    \
			 (kind),                                                                   \
	}

/* Ordinary accesses, sized by the size field; for vector registers, its third bit is in opc. */
#define LOAD(m, v, text, cost)              ACCESS(m, v, text, cost, MEM_LOAD, 31_30, 1, 0)
#define STORE(m, v, text, cost)             ACCESS(m, v, text, cost, MEM_STORE, 31_30, 1, 0)
#define VLOAD(m, v, text, cost)             ACCESS(m, v, text, cost, MEM_LOAD, VECTOR, 1, 0)
#define VSTORE(m, v, text, cost)            ACCESS(m, v, text, cost, MEM_STORE, VECTOR, 1, 0)
#define PAIR(m, v, text, cost, flags, size) ACCESS(m, v, text, cost, flags, size, 2, 0)
#define VPAIR(m, v, text, cost, flags)      ACCESS(m, v, text, cost, flags, PAIR, 2, 0)
#define LITERAL(m, v, text, cost, size)     ACCESS(m, v, text, cost, MEM_LOAD, size, 1, 0)
#define BLOCK64(m, v, text, cost, flags)    ACCESS(m, v, text, cost, flags, D, 8, 0)
#define AUTH_LOAD(m, v, text)               ACCESS(m, v, text, LOAD_AUTH, MEM_LOAD, D, 1, 0)

/* Ordered and atomic ones. */
#define LDX  (MEM_LOAD | MEM_EXCLUSIVE)
#define LDXA (LDX | MEM_ACQUIRE)
#define STX  (MEM_STORE | MEM_EXCLUSIVE | MEM_MAY_SKIP)
#define STXL (STX | MEM_RELEASE)
#define ORDERED_KINDS(flags) \
	(((flags)&MEM_ACQUIRE ? KIND_RC_LD : 0) | ((flags)&MEM_RELEASE ? KIND_RC_ST : 0))
#define EXCL(m, v, text, cost, flags, size, n)   \
	ACCESS(m, v, text, cost, flags, size, n, \
	       ORDERED_KINDS(flags) | ((flags)&MEM_STORE ? KIND_STREX : 0))
#define ORDERED_LOAD(m, v, text) \
	ACCESS(m, v, text, LOAD, MEM_LOAD | MEM_ACQUIRE, 31_30, 1, KIND_RC_LD)
#define PASSING_LOAD(m, v, text) \
	ACCESS(m, v, text, LOAD, MEM_LOAD | MEM_ACQUIRE | MEM_PASSES, 31_30, 1, KIND_RC_LD)
#define ORDERED_STORE(m, v, text) \
	ACCESS(m, v, text, STORE, MEM_STORE | MEM_RELEASE, 31_30, 1, KIND_RC_ST)
#define PASSING_VLOAD(m, v, text) \
	ACCESS(m, v, text, VLOAD, MEM_LOAD | MEM_ACQUIRE | MEM_PASSES, VECTOR, 1, KIND_RC_LD)
#define ORDERED_VSTORE(m, v, text) \
	ACCESS(m, v, text, VSTORE, MEM_STORE | MEM_RELEASE, VECTOR, 1, KIND_RC_ST)
#define ORDERED_PAIR(m, v, text, cost, flags) \
	ACCESS(m, v, text, cost, flags, 30, 2, ORDERED_KINDS(flags))
#define ATOMIC_FLAGS(flags) (MEM_LOAD | MEM_STORE | MEM_ATOMIC | (flags))
#define ATOMIC(m, v, text, cost, flags) \
	ACCESS(m, v, text, cost, ATOMIC_FLAGS(flags), 31_30, 1, ORDERED_KINDS(flags))
/* The same, without and with acquire (bit 23) and release (bit 22); those that translation tables
 * are changed with (RCW) set the flags. */
#define ATOMIC_ORDERS(m, v, text, cost, flags, n, kind)                                         \
	ACCESS(m, v, text, cost, ATOMIC_FLAGS(flags), D, n, kind),                              \
		ACCESS(m, (v) | 1 << 22, text, cost, ATOMIC_FLAGS((flags) | MEM_RELEASE), D, n, \
		       ORDERED_KINDS(MEM_RELEASE) | (kind)),                                    \
		ACCESS(m, (v) | 1 << 23, text, cost, ATOMIC_FLAGS((flags) | MEM_ACQUIRE), D, n, \
		       ORDERED_KINDS(MEM_ACQUIRE) | (kind)),                                    \
		ACCESS(m, (v) | 3 << 22, text, cost,                                            \
		       ATOMIC_FLAGS((flags) | MEM_ACQUIRE | MEM_RELEASE), D, n,                 \
		       ORDERED_KINDS(MEM_ACQUIRE | MEM_RELEASE) | (kind))
#define SWAP(m, v, text, flags, size, n)                                                    \
	ACCESS(m, v, text, COMPARE_SWAP, ATOMIC_FLAGS((flags) | MEM_COMPARE_SWAP), size, n, \
	       ORDERED_KINDS(flags) | KIND_CAS)

/* Accesses whose addresses QEMU 7.2 does not report to plugins. */
#define PREFETCH_FLAGS (MEM_PREFETCH | MEM_HIDDEN)
#define PREFETCH_AT(m, v, text, from)                                             \
	{                                                                         \
		.mask = m, .value = v, .operands = text, .class = CLASS_PREFETCH, \
		.memory = PREFETCH_FLAGS, .count = 1, .offset = OFFSET_##from,    \
	}
#define PREFETCH_INDEXED(m, v)                                                          \
	{                                                                               \
		.mask = m, .value = v, .operands = "=[Sn,Xm]", .class = CLASS_PREFETCH, \
		.memory = PREFETCH_FLAGS, .count = 1, .element = ELEMENT_INDEX,         \
	}
#define TAG_ZERO (MEM_STORE | MEM_ZERO)
#define TAGS(m, v, text, cost, flags, bytes)                                                    \
	{                                                                                       \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,                 \
		.memory = MEM_TAG | MEM_HIDDEN | (flags), .count = bytes, .offset = OFFSET_TAG, \
		.kinds = (flags)&MEM_LOAD ? KIND_LD : KIND_ST,                                  \
	}
#define COPY(m, v, text, flags)                                                      \
	{                                                                            \
		.mask = m, .value = v, .operands = text, .class = CLASS_MEMORY_COPY, \
		.memory = MEM_MAY_SKIP | MEM_HIDDEN | (flags), .count = 1,           \
		.kinds = KIND_ST | ((flags)&MEM_LOAD ? KIND_LD : 0),                 \
	}

/* clang-format off */
/* Exclusive, ordered, compare and swap */
static const struct decode_row exclusive[] = {
	EXCL(0x3fe08000, 0x08000000, "Xs=Xt,[Sn]", STORE_EXCLUSIVE, STX, 31_30, 1), /* stxr */
	EXCL(0x3fe08000, 0x08008000, "Xs=Xt,[Sn]", STORE_EXCLUSIVE, STXL, 31_30, 1), /* stlxr */
	EXCL(0x3fe08000, 0x08400000, "Xt=[Sn]", LOAD, LDX, 31_30, 1), /* ldxr */
	EXCL(0x3fe08000, 0x08408000, "Xt=[Sn]", LOAD, LDXA, 31_30, 1), /* ldaxr */
	EXCL(0xbfe08000, 0x88200000, "Xs=Xt,Xu,[Sn]", STORE_EXCLUSIVE, STX, 30, 2), /* stxp */
	EXCL(0xbfe08000, 0x88208000, "Xs=Xt,Xu,[Sn]", STORE_EXCLUSIVE, STXL, 30, 2), /* stlxp */
	EXCL(0xbfe08000, 0x88600000, "Xt,Xu=[Sn]", LOAD_PAIR, LDX, 30, 2), /* ldxp */
	EXCL(0xbfe08000, 0x88608000, "Xt,Xu=[Sn]", LOAD_PAIR, LDXA, 30, 2), /* ldaxp */
	SWAP(0xbfe1fc01, 0x08207c00, "Xs*2=Xs*2,Xt*2,[Sn]", 0, 30, 2), /* casp */
	SWAP(0xbfe1fc01, 0x0820fc00, "Xs*2=Xs*2,Xt*2,[Sn]", MEM_RELEASE, 30, 2), /* caspl */
	SWAP(0xbfe1fc01, 0x08607c00, "Xs*2=Xs*2,Xt*2,[Sn]", MEM_ACQUIRE, 30, 2), /* caspa */
	/* caspal */
	SWAP(0xbfe1fc01, 0x0860fc00, "Xs*2=Xs*2,Xt*2,[Sn]", MEM_ACQUIRE | MEM_RELEASE, 30, 2),
	ORDERED_STORE(0x3fe00000, 0x08800000, "=Xt,[Sn]"), /* stllr, stlr */
	ORDERED_LOAD(0x3fe00000, 0x08c00000, "Xt=[Sn]"), /* ldlar, ldar */
	SWAP(0x3fe0fc00, 0x08a07c00, "Xs=Xs,Xt,[Sn]", 0, 31_30, 1), /* cas */
	SWAP(0x3fe0fc00, 0x08a0fc00, "Xs=Xs,Xt,[Sn]", MEM_RELEASE, 31_30, 1), /* casl */
	SWAP(0x3fe0fc00, 0x08e07c00, "Xs=Xs,Xt,[Sn]", MEM_ACQUIRE, 31_30, 1), /* casa */
	/* casal */
	SWAP(0x3fe0fc00, 0x08e0fc00, "Xs=Xs,Xt,[Sn]", MEM_ACQUIRE | MEM_RELEASE, 31_30, 1),
};

/* Allocation tags */
static const struct decode_row tags[] = {
	TAGS(0xfffffc00, 0xd9200000, "=Xt,[Sn]", STORE_TAG, TAG_ZERO, 0), /* stzgm */
	TAGS(0xffe00c00, 0xd9600000, "Xt=Xt,[Sn]", LOAD, MEM_LOAD, 16), /* ldg */
	TAGS(0xfffffc00, 0xd9a00000, "=Xt,[Sn]", STORE_TAG, MEM_STORE, 0), /* stgm */
	TAGS(0xfffffc00, 0xd9e00000, "Xt=[Sn]", LOAD, MEM_LOAD, 0), /* ldgm */
	TAGS(0xffe00c00, 0xd9200800, "=St,[Sn]", STORE_TAG, MEM_STORE, 16), /* stg */
	TAGS(0xffe00400, 0xd9200400, "=St,[Sn]!", STORE_TAG, MEM_STORE, 16), /* stg, written back */
	TAGS(0xffe00c00, 0xd9600800, "=St,[Sn]", STORE_TAG, TAG_ZERO, 16), /* stzg */
	TAGS(0xffe00400, 0xd9600400, "=St,[Sn]!", STORE_TAG, TAG_ZERO, 16), /* stzg, written back */
	TAGS(0xffe00c00, 0xd9a00800, "=St,[Sn]", STORE_TAG, MEM_STORE, 32), /* st2g */
	/* st2g, written back */
	TAGS(0xffe00400, 0xd9a00400, "=St,[Sn]!", STORE_TAG, MEM_STORE, 32),
	TAGS(0xffe00c00, 0xd9e00800, "=St,[Sn]", STORE_TAG, TAG_ZERO, 32), /* stz2g */
	/* stz2g, written back */
	TAGS(0xffe00400, 0xd9e00400, "=St,[Sn]!", STORE_TAG, TAG_ZERO, 32),
};

/* Atomic operations on 128 bits, and on entries of translation tables */
static const struct decode_row atomic_pairs[] = {
	/* rcwcas, rcwscas */
	ATOMIC_ORDERS(0xbfe0fc00, 0x19200800, "Xs,nzcv=Xs,Xt,[Sn]", COMPARE_SWAP, MEM_COMPARE_SWAP, 1, KIND_CAS),
	/* rcwcasp, rcwscasp */
	ATOMIC_ORDERS(0xbfe1fc01, 0x19200c00, "Xs*2,nzcv=Xs*2,Xt*2,[Sn]", COMPARE_SWAP, MEM_COMPARE_SWAP, 2, KIND_CAS),
	/* ldclrp, ldsetp */
	ATOMIC_ORDERS(0xffe0dc00, 0x19201000, "Xt,Xs=Xt,Xs,[Sn]", ATOMIC, 0, 2, 0),
	ATOMIC_ORDERS(0xffe0fc00, 0x19208000, "Xt,Xs=Xt,Xs,[Sn]", ATOMIC, 0, 2, 0), /* swpp */
	/* rcwclrp, rcwsclrp */
	ATOMIC_ORDERS(0xbfe0fc00, 0x19209000, "Xt,Xs,nzcv=Xt,Xs,[Sn]", ATOMIC, 0, 2, 0),
	/* rcwswpp, rcwsswpp, rcwsetp, rcwssetp */
	ATOMIC_ORDERS(0xbfe0ec00, 0x1920a000, "Xt,Xs,nzcv=Xt,Xs,[Sn]", ATOMIC, 0, 2, 0),
};

/* Guarded control stacks */
static const struct decode_row guarded_stack[] = {
	ACCESS(0xffffec00, 0xd91f0c00, "=Xt,[Sn]", STORE, MEM_STORE, D, 1, 0), /* gcsstr, gcssttr */
};

/* Ordered pairs */
static const struct decode_row ordered_pairs[] = {
	/* stilp */
	ORDERED_PAIR(0xbfe0fc00, 0x99001800, "=Xt,Xs,[Sn]", STORE_PAIR, MEM_STORE | MEM_RELEASE),
	/* stilp, written back */
	ORDERED_PAIR(0xbfe0fc00, 0x99000800, "=Xt,Xs,[Sn]!", STORE_PAIR, MEM_STORE | MEM_RELEASE),
	/* ldiapp */
	ORDERED_PAIR(0xbfe0fc00, 0x99401800, "Xt,Xs=[Sn]", LOAD_PAIR,
		     MEM_LOAD | MEM_ACQUIRE | MEM_PASSES),
	/* ldiapp, written back */
	ORDERED_PAIR(0xbfe0fc00, 0x99400800, "Xt,Xs=[Sn]!", LOAD_PAIR,
		     MEM_LOAD | MEM_ACQUIRE | MEM_PASSES),
	ORDERED_STORE(0xbfe0fc00, 0x99800800, "=Xt,[Sn]!"), /* stlr, written back */
	PASSING_LOAD(0xbfe0fc00, 0x99c00800, "Xt=[Sn]!"), /* ldapr, written back */
};

/* Acquire and release of vector registers */
static const struct decode_row ordered_vector[] = {
	ORDERED_VSTORE(0x3fe00c00, 0x1d000800, "=Vt,[Sn]"), /* stlur */
	PASSING_VLOAD(0x3fe00c00, 0x1d400800, "Vt=[Sn]"), /* ldapur */
	ORDERED_VSTORE(0xffe00c00, 0x1d800800, "=Vt,[Sn]"), /* stlur q */
	PASSING_VLOAD(0xffe00c00, 0x1dc00800, "Vt=[Sn]"), /* ldapur q */
};

/* Acquire and release with an offset */
static const struct decode_row ordered_unscaled[] = {
	ORDERED_STORE(0x3fe00c00, 0x19000000, "=Xt,[Sn]"), /* stlur */
	PASSING_LOAD(0x3fe00c00, 0x19400000, "Xt=[Sn]"), /* ldapur */
	RESERVED(0xffe00c00, 0xd9800000),
	PASSING_LOAD(0x3fe00c00, 0x19800000, "Xt=[Sn]"), /* ldapurs, 64 bits */
	PASSING_LOAD(0xbfe00c00, 0x19c00000, "Xt=[Sn]"), /* ldapurs, 32 bits */
};

/* Memory copy and set */
static const struct decode_row copy_set[] = {
	RESERVED(0xfbe0cc00, 0x19c0c400),
	COPY(0xfbe03c00, 0x19c00400, "Xd,Xn,nzcv=Xm,Xn,[Xd]", MEM_STORE), /* setp, setgp */
	/* setm, sete, setgm, setge */
	COPY(0xfbe00c00, 0x19c00400, "Xd,Xn,nzcv=Xm,Xn,nzcv,[Xd]", MEM_STORE),
	/* cpyp, cpyfp */
	COPY(0xfbe00c00, 0x19000400, "Xd,Xm,Xn,nzcv=Xn,[Xd,Xm]", MEM_LOAD | MEM_STORE),
	/* cpym, cpye, cpyfm, cpyfe */
	COPY(0xfb200c00, 0x19000400, "Xd,Xm,Xn,nzcv=Xn,nzcv,[Xd,Xm]", MEM_LOAD | MEM_STORE),
};

/* Relative to the program counter */
static const struct decode_row literal[] = {
	LITERAL(0xbf000000, 0x18000000, "Xt=", LOAD_LITERAL, 30), /* ldr */
	LITERAL(0xff000000, 0x98000000, "Xt=", LOAD_LITERAL, S), /* ldrsw */
	PREFETCH_AT(0xff000000, 0xd8000000, "=", NONE), /* prfm */
	RESERVED(0xff000000, 0xdc000000),
	LITERAL(0x3f000000, 0x1c000000, "Vt=", VLOAD_LITERAL, PAIR), /* ldr */
};

/* Pairs */
static const struct decode_row pairs[] = {
	/* ldnp, non-temporal */
	PAIR(0x7fc00000, 0x28400000, "Xt,Xu=[Sn]", LOAD_PAIR, MEM_LOAD | MEM_NON_TEMPORAL, 31),
	/* stnp, non-temporal */
	PAIR(0x7fc00000, 0x28000000, "=Xt,Xu,[Sn]", STORE_PAIR, MEM_STORE | MEM_NON_TEMPORAL, 31),
	/* ldnp q, non-temporal */
	VPAIR(0xffc00000, 0xac400000, "Vt,Vu=[Sn]", VLOAD_PAIR_Q, MEM_LOAD | MEM_NON_TEMPORAL),
	/* stnp q, non-temporal */
	VPAIR(0xffc00000, 0xac000000, "=Vt,Vu,[Sn]", VSTORE_PAIR_Q, MEM_STORE | MEM_NON_TEMPORAL),
	/* ldnp, non-temporal */
	VPAIR(0xbfc00000, 0x2c400000, "Vt,Vu=[Sn]", VLOAD_PAIR, MEM_LOAD | MEM_NON_TEMPORAL),
	/* stnp, non-temporal */
	VPAIR(0xbfc00000, 0x2c000000, "=Vt,Vu,[Sn]", VSTORE_PAIR, MEM_STORE | MEM_NON_TEMPORAL),
	PAIR(0x7fc00000, 0x29400000, "Xt,Xu=[Sn]", LOAD_PAIR, MEM_LOAD, 31), /* ldp */
	PAIR(0x7fc00000, 0x29000000, "=Xt,Xu,[Sn]", STORE_PAIR, MEM_STORE, 31), /* stp */
	PAIR(0xffc00000, 0x69400000, "Xt,Xu=[Sn]", LOAD_PAIR_SIGNED, MEM_LOAD, S), /* ldpsw */
	PAIR(0xffc00000, 0x69000000, "=Xt,Xu,[Sn]", STORE_PAIR, MEM_STORE, D), /* stgp */
	VPAIR(0xffc00000, 0xad400000, "Vt,Vu=[Sn]", VLOAD_PAIR_Q, MEM_LOAD), /* ldp q */
	VPAIR(0xffc00000, 0xad000000, "=Vt,Vu,[Sn]", VSTORE_PAIR_Q, MEM_STORE), /* stp q */
	VPAIR(0xbfc00000, 0x2d400000, "Vt,Vu=[Sn]", VLOAD_PAIR, MEM_LOAD), /* ldp */
	VPAIR(0xbfc00000, 0x2d000000, "=Vt,Vu,[Sn]", VSTORE_PAIR, MEM_STORE), /* stp */
	/* ldp, written back */
	PAIR(0x7ec00000, 0x28c00000, "Xt,Xu=[Sn]!", LOAD_PAIR, MEM_LOAD, 31),
	/* stp, written back */
	PAIR(0x7ec00000, 0x28800000, "=Xt,Xu,[Sn]!", STORE_PAIR, MEM_STORE, 31),
	/* ldpsw, written back */
	PAIR(0xfec00000, 0x68c00000, "Xt,Xu=[Sn]!", LOAD_PAIR_SIGNED, MEM_LOAD, S),
	/* stgp, written back */
	PAIR(0xfec00000, 0x68800000, "=Xt,Xu,[Sn]!", STORE_PAIR, MEM_STORE, D),
	/* ldp q, written back */
	VPAIR(0xfec00000, 0xacc00000, "Vt,Vu=[Sn]!", VLOAD_PAIR_Q, MEM_LOAD),
	/* stp q, written back */
	VPAIR(0xfec00000, 0xac800000, "=Vt,Vu,[Sn]!", VSTORE_PAIR_Q, MEM_STORE),
	VPAIR(0xbec00000, 0x2cc00000, "Vt,Vu=[Sn]!", VLOAD_PAIR, MEM_LOAD), /* ldp, written back */
	/* stp, written back */
	VPAIR(0xbec00000, 0x2c800000, "=Vt,Vu,[Sn]!", VSTORE_PAIR, MEM_STORE),
};

/* One register, unscaled or written-back */
static const struct decode_row single[] = {
	PREFETCH_AT(0xffe00c00, 0xf8800000, "=[Sn]", IMM9), /* prfum */
	RESERVED(0xffc00000, 0xf8c00000),
	RESERVED(0xffc00000, 0xf8800000),
	RESERVED(0xffc00000, 0xb8c00000),
	STORE(0x3fe00c00, 0x38000000, "=Xt,[Sn]", STORE), /* stur */
	LOAD(0x3f200c00, 0x38000000, "Xt=[Sn]", LOAD), /* ldur */
	VSTORE(0x3fe00c00, 0x3c000000, "=Vt,[Sn]", VSTORE), /* stur */
	VSTORE(0xffe00c00, 0x3c800000, "=Vt,[Sn]", VSTORE), /* stur q */
	VLOAD(0x3fe00c00, 0x3c400000, "Vt=[Sn]", VLOAD), /* ldur */
	VLOAD(0xffe00c00, 0x3cc00000, "Vt=[Sn]", VLOAD), /* ldur q */
	STORE(0x3fe00c00, 0x38000800, "=Xt,[Sn]", STORE), /* sttr */
	LOAD(0x3f200c00, 0x38000800, "Xt=[Sn]", LOAD), /* ldtr */
	STORE(0x3fe00400, 0x38000400, "=Xt,[Sn]!", STORE), /* str, written back */
	LOAD(0x3f200400, 0x38000400, "Xt=[Sn]!", LOAD), /* ldr, written back */
	VSTORE(0x3fe00400, 0x3c000400, "=Vt,[Sn]!", VSTORE), /* str, written back */
	VSTORE(0xffe00400, 0x3c800400, "=Vt,[Sn]!", VSTORE), /* str, written back q */
	VLOAD(0x3fe00400, 0x3c400400, "Vt=[Sn]!", VLOAD), /* ldr, written back */
	VLOAD(0xffe00400, 0x3cc00400, "Vt=[Sn]!", VLOAD), /* ldr, written back q */
};

/* Atomic memory operations */
static const struct decode_row atomic[] = {
	PASSING_LOAD(0x3ffffc00, 0x38bfc000, "Xt=[Sn]"), /* ldapr */
	ATOMIC(0x3fe08c1f, 0x3820001f, "=Xs,[Sn]", ATOMIC_STORE, 0), /* stadd ... stumin */
	/* stadd ... stuminl */
	ATOMIC(0x3fe08c1f, 0x3860001f, "=Xs,[Sn]", ATOMIC_STORE, MEM_RELEASE),
	ATOMIC(0x3fe08c00, 0x38200000, "Xt=Xs,[Sn]", ATOMIC, 0), /* ldadd ... ldumin */
	ATOMIC(0x3fe0fc00, 0x38208000, "Xt=Xs,[Sn]", ATOMIC, 0), /* swp */
	ATOMIC(0x3fe08c00, 0x38600000, "Xt=Xs,[Sn]", ATOMIC, MEM_RELEASE), /* ldaddl ... lduminl */
	ATOMIC(0x3fe0fc00, 0x38608000, "Xt=Xs,[Sn]", ATOMIC, MEM_RELEASE), /* swpl */
	ATOMIC(0x3fe08c00, 0x38a00000, "Xt=Xs,[Sn]", ATOMIC, MEM_ACQUIRE), /* ldadda ... ldumina */
	ATOMIC(0x3fe0fc00, 0x38a08000, "Xt=Xs,[Sn]", ATOMIC, MEM_ACQUIRE), /* swpa */
	/* ldaddal ... lduminal */
	ATOMIC(0x3fe08c00, 0x38e00000, "Xt=Xs,[Sn]", ATOMIC, MEM_ACQUIRE | MEM_RELEASE),
	ATOMIC(0x3fe0fc00, 0x38e08000, "Xt=Xs,[Sn]", ATOMIC, MEM_ACQUIRE | MEM_RELEASE), /* swpal */
	/* rcwclr, rcwsclr */
	ATOMIC_ORDERS(0xbfe0fc00, 0x38209000, "Xt,nzcv=Xs,[Sn]", ATOMIC, 0, 1, 0),
	/* rcwswp, rcwsswp, rcwset, rcwsset */
	ATOMIC_ORDERS(0xbfe0ec00, 0x3820a000, "Xt,nzcv=Xs,[Sn]", ATOMIC, 0, 1, 0),
	BLOCK64(0xfffffc00, 0xf83fd000, "Xt,Xu=[Sn]", LOAD_PAIR, MEM_LOAD), /* ld64b */
	BLOCK64(0xfffffc00, 0xf83f9000, "=Xt,[Sn]", STORE_PAIR, MEM_STORE), /* st64b */
	BLOCK64(0xffe0ec00, 0xf820a000, "Xs=Xt,[Sn]", STORE_PAIR, MEM_STORE), /* st64bv, st64bv0 */
};

/* One register, index register */
static const struct decode_row indexed[] = {
	RESERVED(0x00004000, 0x00000000),
	PREFETCH_INDEXED(0xffe00c00, 0xf8a00800), /* prfm, rprfm */
	RESERVED(0xffe00c00, 0xf8e00800),
	RESERVED(0xffe00c00, 0xb8e00800),
	STORE(0x3fe00c00, 0x38200800, "=Xt,[Sn,Xm]", STORE_INDEXED), /* str */
	LOAD(0x3f200c00, 0x38200800, "Xt=[Sn,Xm]", LOAD_INDEXED), /* ldr */
	VSTORE(0xffe01c00, 0x7c201800, "=Vt,[Sn,Xm]", VSTORE_SCALED), /* str h, scaled */
	VSTORE(0xffe01c00, 0x3ca01800, "=Vt,[Sn,Xm]", VSTORE_SCALED), /* str q, scaled */
	VSTORE(0xffe00c00, 0x3ca00800, "=Vt,[Sn,Xm]", VSTORE), /* str q */
	VLOAD(0xffe01c00, 0x7c601800, "Vt=[Sn,Xm]", VLOAD_SCALED), /* ldr h, scaled */
	VLOAD(0xffe00c00, 0x7c600800, "Vt=[Sn,Xm]", VLOAD_INDEXED), /* ldr h */
	VLOAD(0xffe01c00, 0x3ce01800, "Vt=[Sn,Xm]", VLOAD_SCALED), /* ldr q, scaled */
	VLOAD(0xffe00c00, 0x3ce00800, "Vt=[Sn,Xm]", VLOAD_INDEXED), /* ldr q */
	VSTORE(0x3fe00c00, 0x3c200800, "=Vt,[Sn,Xm]", VSTORE), /* str */
	VLOAD(0x3fe00c00, 0x3c600800, "Vt=[Sn,Xm]", VLOAD), /* ldr */
};

/* Authenticated address */
static const struct decode_row authenticated[] = {
	AUTH_LOAD(0xff200c00, 0xf8200400, "Xt=[Sn]"), /* ldraa, ldrab */
	AUTH_LOAD(0xff200c00, 0xf8200c00, "Xt=[Sn]!"), /* ldraa, ldrab, written back */
};

/* One register, unsigned offset */
static const struct decode_row unsigned_offset[] = {
	PREFETCH_AT(0xffc00000, 0xf9800000, "=[Sn]", IMM12), /* prfm */
	RESERVED(0xffc00000, 0xf9c00000),
	RESERVED(0xffc00000, 0xb9c00000),
	STORE(0x3fc00000, 0x39000000, "=Xt,[Sn]", STORE), /* str */
	LOAD(0x3f000000, 0x39000000, "Xt=[Sn]", LOAD), /* ldr */
	VSTORE(0x3fc00000, 0x3d000000, "=Vt,[Sn]", VSTORE), /* str */
	VSTORE(0xffc00000, 0x3d800000, "=Vt,[Sn]", VSTORE), /* str q */
	VLOAD(0x3fc00000, 0x3d400000, "Vt=[Sn]", VLOAD), /* ldr */
	VLOAD(0xffc00000, 0x3dc00000, "Vt=[Sn]", VLOAD), /* ldr q */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x3f000000, 0x08000000, exclusive),
	DECODE_GROUP(0xff200000, 0xd9200000, tags),
	DECODE_GROUP(0xffff0000, 0xd91f0000, guarded_stack),
	DECODE_GROUP(0xbf200000, 0x19200000, atomic_pairs),
	DECODE_GROUP(0xbf20e000, 0x99000000, ordered_pairs),
	DECODE_GROUP(0x3f200c00, 0x1d000800, ordered_vector),
	DECODE_GROUP(0x3f200c00, 0x19000000, ordered_unscaled),
	DECODE_GROUP(0xfb200c00, 0x19000400, copy_set),
	DECODE_GROUP(0x3b000000, 0x18000000, literal),
	DECODE_GROUP(0x3a000000, 0x28000000, pairs),
	DECODE_GROUP(0x3b200000, 0x38000000, single),
	DECODE_GROUP(0x3b200c00, 0x38200000, atomic),
	DECODE_GROUP(0x3b200c00, 0x38200800, indexed),
	DECODE_GROUP(0xff200400, 0xf8200400, authenticated),
	DECODE_GROUP(0x3b000000, 0x39000000, unsigned_offset),
};
/* clang-format on */

const struct decode_table decode_memory = DECODE_TABLE(groups);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single instructions, as an assembler encodes them; and the tables themselves. What whole
 * libraries decode to is compared with other disassemblers in test/interop.
 */
#include "check.h"

#include "decode.h"

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
							 const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, size - length, format, arguments);
	va_end(arguments);
}

static const char *register_name(unsigned reg)
{
	static const char *const others[] = {"ffr", "nzcv", "fpcr", "za", "system"};
	static char name[8];

	if (reg == REG_SP)
		return "sp";
	if (reg >= REG_FFR)
		return reg < REG_COUNT ? others[reg - REG_FFR] : "?";
	snprintf(name, sizeof(name), "%c%u", "xvp"[reg / 32], reg % 32);
	return name;
}

/* "CLASS results = sources [address]", then what else there is to say, in a fixed order. */
static const char *told(const struct insn *insn)
{
	static const char *const branches[] = {"",        " immediate", " conditional",
					       " call",   " indirect",  " indirect call",
					       " return", " exception"};
	static const char *const flags[] = {
		" load",         " store",        " exclusive",   " acquire",
		" release",      " atomic",       " prefetch",    " zero",
		" gather",       " may-skip",     " tag",         " hidden",
		" non-temporal", " compare-swap", " first-fault", " passes"};
	static char text[400];
	unsigned count = 0;

	snprintf(text, sizeof(text), "%s", insn_class_name(insn->class));
	for (unsigned i = 0; i < INSN_TARGETS && insn->targets[i] != REG_NONE; i++)
		append(text, sizeof(text), " %s%s", register_name(insn->targets[i]),
		       i == insn->writes_base ? "!" : "");
	append(text, sizeof(text), " =");
	while (count < INSN_SOURCES && insn->sources[count] != REG_NONE)
		count++;
	for (unsigned i = 0; i < count; i++) {
		append(text, sizeof(text), " %s%s%s", i + insn->address_count == count ? "[" : "",
		       i == insn->accumulator ? "+" : "", register_name(insn->sources[i]));
		if (insn->address_count && i + 1 == count)
			append(text, sizeof(text), "]");
	}
	append(text, sizeof(text), "%s", branches[insn->branch]);
	if (insn->target)
		append(text, sizeof(text), " %+lld", (long long)insn->target);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (insn->memory & 1u << i)
			append(text, sizeof(text), "%s", flags[i]);
	if (insn->memory & (MEM_LOAD | MEM_STORE))
		append(text, sizeof(text), " %ux%u", insn->access_bytes >> insn->access_log2,
		       1u << insn->access_log2);
	if (insn->fp_ops)
		append(text, sizeof(text), " %u%s", insn->fp_ops,
		       insn->fp_ops_scale ? " a granule" : " operations");
	return text;
}

static const struct {
	uint32_t word;
	const char *what;
	uint32_t kinds;
} examples[] = {
	/* madd x0, x1, x2, x3 */
	{0x9b020c20, "INT_MADD_X x0 = x1 x2 +x3", KIND_DP},
	/* mul x0, x1, x2 */
	{0x9b027c20, "INT_MUL_X x0 = x1 x2", KIND_DP},
	/* cmn x1, x2: adds to the zero register */
	{0xab02003f, "INT_FLAGS nzcv = x1 x2", KIND_DP},
	/* add sp, sp, #16 */
	{0x910043ff, "INT_ALU sp = sp", KIND_DP},
	/* movk x5, #1, lsl #16 */
	{0xf2a00025, "INT_ALU x5 = x5", KIND_DP},
	/* cset w3, ne */
	{0x1a9f07e3, "INT_ALU x3 = nzcv", KIND_DP | KIND_CSEL},
	/* extr x0, x1, x2, #3 and ror x0, x1, #3 */
	{0x93c20c20, "INT_EXTRACT x0 = x1 x2", KIND_DP},
	{0x93c10c20, "INT_ROTATE x0 = x1 x1", KIND_DP},
	/* ldp x29, x30, [sp], #16 */
	{0xa8c17bfd, "LOAD_PAIR_X_WB x29 x30 sp! = [sp] load 2x8", KIND_LD},
	/* ldp q0, q1, [x2] */
	{0xad400440, "VLOAD_PAIR_Q v0 v1 = [x2] load 2x16", KIND_LD},
	/* str x1, [x2, #8]! */
	{0xf8008c41, "STORE_WB x2! = x1 [x2] store 1x8", KIND_ST},
	/* ldr w0, [x1, w2, sxtw #2] */
	{0xb862d820, "LOAD_INDEXED x0 = [x1 x2] load 1x4", KIND_LD},
	/* ld4 {v30.4s, v31.4s, v0.4s, v1.4s}, [x3], x4 */
	{0x4cc4087e, "VLOAD4_WB v30 v31 v0 v1 x3! = x4 [x3] load 16x4", KIND_LD | KIND_ASE_INST},
	/* ld1 {v5.h}[3], [x6], #2 */
	{0x0ddf58c5, "VLOAD_LANE_WB v5 x6! = v5 [x6] load 1x2", KIND_LD | KIND_ASE_INST},
	/* ldadd w1, w2, [x3] */
	{0xb8210062, "ATOMIC x2 = x1 [x3] load store atomic 1x4", KIND_LD | KIND_ST},
	/* staddl x1, [x3] */
	{0xf861007f, "ATOMIC_STORE = x1 [x3] load store release atomic 1x8",
	 KIND_LD | KIND_ST | KIND_RC_ST},
	/* caspal x2, x3, x4, x5, [x6] */
	{0x4862fcc4,
	 "COMPARE_SWAP x2 x3 = x2 x3 x4 x5 [x6] load store acquire release atomic compare-swap 2x8",
	 KIND_LD | KIND_ST | KIND_RC_LD | KIND_RC_ST | KIND_CAS},
	/* stlxr w3, x1, [x2] */
	{0xc803fc41, "STORE_EXCLUSIVE x3 = x1 [x2] store exclusive release may-skip 1x8",
	 KIND_ST | KIND_STREX | KIND_RC_ST},
	/* ldapr w1, [x2] */
	{0xb8bfc041, "LOAD x1 = [x2] load acquire passes 1x4", KIND_LD | KIND_RC_LD},
	/* b.ne #-4, tbz x5, #33, #32, bl #4096 */
	{0x54ffffe1, "BRANCH = nzcv conditional -4", KIND_PC_WRITE},
	{0xb6080105, "BRANCH = x5 conditional +32", KIND_PC_WRITE},
	{0x94000400, "BRANCH_LINK x30 = call +4096", KIND_PC_WRITE},
	/* ret, retaa, blraa x1, x2 */
	{0xd65f03c0, "BRANCH = x30 return", KIND_PC_WRITE},
	{0xd65f0bff, "BRANCH_AUTH = x30 sp return", KIND_PC_WRITE},
	{0xd73f0822, "BRANCH_AUTH x30 = x1 x2 indirect call", KIND_PC_WRITE},
	/* svc #0 */
	{0xd4000001, "EXCEPTION = exception", 0},
	/* fmla v0.4s, v1.4s, v2.4s: four lanes, two operations each */
	{0x4e22cc20, "FP_FMA v0 = v1 v2 +v0 8 operations",
	 KIND_ASE | KIND_ASE_INST | KIND_SIMD_FP | KIND_FP_SP},
	/* fmadd d0, d1, d2, d3 */
	{0x1f420c20, "FP_FMA v0 = v1 v2 +v3 2 operations", KIND_VFP | KIND_FP_DP},
	/* fcmp s0, #0.0 */
	{0x1e202008, "FP_COMPARE nzcv = v0 1 operations", KIND_VFP | KIND_FP_SP},
	/* fmov x0, d1: only moves */
	{0x9e660020, "FP_TO_GENERAL x0 = v1", 0},
	/* aese v0.16b, v1.16b */
	{0x4e284820, "CRYPTO_AES v0 = v0 v1", KIND_CRYPTO | KIND_ASE_INST},
	/* pmull v0.1q, v1.1d, v2.1d: no cryptographic operation to the event */
	{0x0ee2e020, "SIMD_POLY_LONG v0 = v1 v2", KIND_ASE | KIND_ASE_INST | KIND_INT64},
	/* fcvtn2 v0.4s, v1.2d: keeps the lower half */
	{0x4e616820, "FP_CONVERT v0 = v1 v0 2 operations",
	 KIND_ASE | KIND_ASE_INST | KIND_SIMD_FP | KIND_FP_DP},
	/* fmla z0.s, p1/m, z2.s, z3.s */
	{0x65a30440, "SVE_FMA v0 = v2 v3 +v0 p1 8 a granule",
	 KIND_SVE | KIND_SVE_PRED | KIND_SIMD_FP | KIND_FP_SP},
	/* ld1w {z0.d}, p1/z, [x2, #1, mul vl] */
	{0xa561a440, "SVE_LOAD v0 = p1 [x2] load may-skip hidden 2x4",
	 KIND_LD | KIND_SVE | KIND_SVE_PRED},
	/* ld1rw {z0.s}, p0/z, [x0], which QEMU reports; ld1rqw {z0.s}, p0/z, [x0], which it does
	   not */
	{0x8540c000, "SVE_LOAD v0 = p0 [x0] load may-skip 1x4", KIND_LD | KIND_SVE | KIND_SVE_PRED},
	{0xa5002000, "SVE_LOAD v0 = p0 [x0] load may-skip hidden 4x4",
	 KIND_LD | KIND_SVE | KIND_SVE_PRED},
	/* ldff1d {z0.d}, p1/z, [x2, x3, lsl #3] */
	{0xa5e36440, "SVE_LOAD_FAULT v0 ffr = p1 ffr [x2 x3] load may-skip hidden first-fault 2x8",
	 KIND_LD | KIND_SVE | KIND_SVE_PRED | KIND_LDFF},
	/* st4w {z0.s-z3.s}, p1, [x2, x3, lsl #2] */
	{0xe5636440, "SVE_STORE4_INDEXED = v0 v1 v2 v3 p1 [x2 x3] store may-skip hidden 16x4",
	 KIND_ST | KIND_SVE | KIND_SVE_PRED},
	/* st1w {z0.s}, p1, [x2, z3.s, uxtw] */
	{0xe5438440, "SVE_SCATTER32 = v0 p1 [x2 v3] store gather may-skip hidden 4x4",
	 KIND_ST | KIND_SVE | KIND_SVE_PRED},
	/* whilelo p0.b, x1, x2 */
	{0x25221c20, "SVE_WHILE p0 nzcv = x1 x2", KIND_SVE},
	/* fmopa za1.s, p3/m, p4/m, z5.s, z6.s */
	{0x80868ca1, "SME_OUTER za = v5 v6 +za p3 p4 8 a granule",
	 KIND_SVE | KIND_SVE_PRED | KIND_SIMD_FP | KIND_FP_SP},
	/* sel {z0.d-z3.d}, pn15, {z16.d-z19.d}, {z28.d-z31.d} */
	{0xc1fd9e00, "SME_OUTER v0 v1 v2 v3 = p15 v16 v17 v18 v19 v28 v29 v30 v31",
	 KIND_SVE | KIND_SVE_PRED},
	/* fmla za.s[w9, 3, vgx4], {z28.s-z31.s}, {z4.s-z7.s} */
	{0xc1a53b83, "SME_OUTER za = v28 v29 v30 v31 v4 v5 v6 v7 +za x9", KIND_SVE},
	/* ld1b {z16.b, z24.b}, pn15/z, [x20, x12] */
	{0xa10c1e90, "VLOAD_MULTI2 v16 v24 = p15 [x20 x12] load may-skip hidden 32x1",
	 KIND_LD | KIND_SVE | KIND_SVE_PRED},
	/* stnt1d {z1.d, z5.d, z9.d, z13.d}, pn10, [x18, x3, lsl #3] */
	{0xa123ea49,
	 "VSTORE_MULTI4 = v1 v5 v9 v13 p10 [x18 x3] store may-skip hidden non-temporal 8x8",
	 KIND_ST | KIND_SVE | KIND_SVE_PRED},
	/* whilege {p10.s-p11.s}, x0, x23; cntp x1, pn3.d, vlx2; wrffr p2.b */
	{0x25b7501a, "SVE_WHILE p10 p11 nzcv = x0 x23", KIND_SVE},
	{0x25e08261, "SVE_COUNT_PRED x1 = p3", KIND_SVE},
	{0x25289040, "SVE_FFR_WRITE ffr = p2", KIND_SVE},
	/* ld1w {z6.q}, p0/z, [x6, #1, mul vl] */
	{0xa51120c6, "SVE_LOAD v6 = p0 [x6] load may-skip hidden 1x4",
	 KIND_LD | KIND_SVE | KIND_SVE_PRED},
	/* ldsetpal x26, x30, [x4]; rcwcasp x16, x17, x26, x27, [x6] */
	{0x19fe309a, "ATOMIC x26 x30 = x26 x30 [x4] load store acquire release atomic 2x8",
	 KIND_LD | KIND_ST | KIND_RC_LD | KIND_RC_ST},
	{0x19300cda,
	 "COMPARE_SWAP x16 x17 nzcv = x16 x17 x26 x27 [x6] load store atomic compare-swap 2x8",
	 KIND_LD | KIND_ST | KIND_CAS},
	/* chkfeat x16; sysp #2, c0, c12, #0 */
	{0xd503251f, "SYSTEM_READ x16 = x16 system", 0},
	{0xd54a0c1f, "SYSTEM_WRITE system = system", 0},
	/* dc zva, x1; prfm pldl1keep, [x1, #64]; stg x1, [x2, #16] */
	{0xd50b7421, "ZERO_BLOCK = [x1] store zero hidden 64x1", KIND_ST},
	{0xf9802020, "PREFETCH = [x1] prefetch hidden", 0},
	{0xd9201841, "STORE_TAG = x1 [x2] store tag hidden 16x1", KIND_ST},
	/* irg x0, x1; paciasp; nop; bti c */
	{0x9adf1020, "INT_TAG_RANDOM x0 = x1", KIND_DP},
	{0xd503233f, "INT_AUTH x30 = x30 sp", KIND_DP},
	{0xd503201f, "NOP =", 0},
	{0xd503245f, "NOP =", 0},
	/* dmb ish, dsb ish, isb */
	{0xd5033bbf, "BARRIER_DMB =", KIND_DMB},
	{0xd5033b9f, "BARRIER_DSB =", KIND_DSB | KIND_DP},
	{0xd5033fdf, "BARRIER_ISB =", KIND_ISB},
	/* mrs x0, nzcv; msr fpcr, x1 */
	{0xd53b4200, "SYSTEM_READ x0 = nzcv", 0},
	{0xd51b4401, "SYSTEM_CONTROL fpcr = x1", 0},
};

static void instructions_are_what_an_assembler_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct insn insn;

		assert_true(insn_decode(examples[i].word, 16, &insn));
		assert_string_equal(told(&insn), examples[i].what);
		assert_int_equal(insn.kinds, examples[i].kinds);
		assert_int_equal(insn.opcode, examples[i].word);
	}
}

static void what_is_not_allocated_is_a_harmless_operation(void **state)
{
	/* Nothing at bits 28:25 = 1; add of w with a shift of 32; a bitmask of all ones. */
	static const uint32_t words[] = {0x02000000, 0x0b008000, 0x9240fc00, 0xffffffff};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct insn insn;

		assert_false(insn_decode(words[i], 16, &insn));
		assert_string_equal(told(&insn), "INT_ALU =");
		assert_int_equal(insn.kinds, KIND_DP);
	}
}

static void sve_accesses_grow_with_the_vector(void **state)
{
	struct insn insn;

	(void)state;
	insn_decode(0xa561a440, 64, &insn); /* ld1w {z0.d}, p1/z, [x2, #1, mul vl] */
	assert_int_equal(insn.access_bytes, 32);
	assert_int_equal(insn.hidden_offset, 32);
	insn_decode(0x85804020, 256, &insn); /* ldr z0, [x1] */
	assert_int_equal(insn.access_bytes, 256);
	assert_int_equal(insn.memory, MEM_LOAD);
	insn_decode(0x85800020, 256, &insn); /* ldr p0, [x1] */
	assert_int_equal(insn.access_bytes, 32);
	insn_decode(0xe57ee440, 256, &insn); /* st4w {z0.s-z3.s}, p1, [x2, #-8, mul vl] */
	assert_int_equal(insn.access_bytes, 1024);
	assert_int_equal(insn.hidden_offset, -2048);
}

static void hidden_addresses_are_told(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t base, index, log2;
		int16_t offset;
	} cases[] = {
		{0xf9802020, 1, REG_NONE, 0, 64},          /* prfm pldl1keep, [x1, #64] */
		{0xf89f0020, 1, REG_NONE, 0, -16},         /* prfum pldl1keep, [x1, #-16] */
		{0xf8a27820, 1, 2, 3, 0},                  /* prfm pldl1keep, [x1, x2, lsl #3] */
		{0xd9201841, 2, REG_NONE, 0, 16},          /* stg x1, [x2, #16] */
		{0xd93ff7e1, REG_SP, REG_NONE, 0, 0},      /* stg x1, [sp], #-16 */
		{0xd9bffc41, 2, REG_NONE, 0, -16},         /* st2g x1, [x2, #-16]! */
		{0xa561a440, 2, REG_NONE, 2, 8},           /* ld1w {z0.d}, p1/z, [x2, #1, mul vl] */
		{0xa5434440, 2, 3, 2, 0},                  /* ld1w {z0.s}, p1/z, [x2, x3, lsl #2] */
		{0xe5438440, 2, REG_V0 + 3, 2, 0},         /* st1w {z0.s}, p1, [x2, z3.s, uxtw] */
		{0x8520c020, REG_V0 + 1, REG_NONE, 2, 0},  /* ld1w {z0.s}, p0/z, [z1.s] */
		{0xc5a3dc41, REG_V0 + 2, REG_NONE, 3, 24}, /* ld1d {z1.d}, p7/z, [z2.d, #24] */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn;

		assert_true(insn_decode(cases[i].word, 16, &insn));
		assert_true(insn.memory & MEM_HIDDEN);
		assert_int_equal(insn.hidden_base, cases[i].base);
		assert_int_equal(insn.hidden_index, cases[i].index);
		assert_int_equal(insn.access_log2, cases[i].log2);
		assert_int_equal(insn.hidden_offset, cases[i].offset);
	}
}

/* Of gathers and of what predicates govern; the words are LLVM's. */
static void predicates_and_offsets_are_told(void **state)
{
	enum { scaled = OFFSETS_SCALED, signed32 = OFFSETS_32 | OFFSETS_SIGNED };
	static const struct {
		uint32_t word;
		uint8_t predicate, lane_log2, offsets;
	} cases[] = {
		{0xa561a440, 1, 3, 0},                 /* ld1w {z0.d}, p1/z, [x2, #1, mul vl] */
		{0xe5438440, 1, 2, OFFSETS_32},        /* st1w {z0.s}, p1, [x2, z3.s, uxtw] */
		{0xc5c3d041, 4, 3, 0},                 /* ld1d {z1.d}, p4/z, [x2, z3.d] */
		{0xc5e3d041, 4, 3, OFFSETS_SCALED},    /* ld1d {z1.d}, p4/z, [x2, z3.d, lsl #3] */
		{0xc5635041, 4, 3, scaled | signed32}, /* ld1w {z1.d}, p4/z, [x2, z3.d, sxtw #2] */
		{0xe5a3b041, 4, 3, OFFSETS_SCALED},    /* st1d {z1.d}, p4, [x2, z3.d, lsl #3] */
		{0xe4e3d041, 4, 2, scaled | signed32}, /* st1h {z1.s}, p4, [x2, z3.s, sxtw #1] */
		{0x84232840, 2, 2,
		 scaled | OFFSETS_32},  /* prfh pldl1keep, p2, [x2, z3.s, uxtw #1] */
		{0x84c18c41, 3, 3, 0},  /* ld1rsw {z1.d}, p3/z, [x2, #4] */
		{0x6556b441, 5, 3, 0},  /* scvtf z1.h, p5/m, z2.d */
		{0x05a3e441, 9, 2, 0},  /* sel z1.s, p9, z2.s, z3.s */
		{0x05dbce01, 11, 3, 0}, /* fmov z1.d, p11/m, #1.0 */
		{0x2558c181, 12, 0, 0}, /* pfirst p1.b, p12, p1.b */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn;

		assert_true(insn_decode(cases[i].word, 16, &insn));
		assert_true(insn.kinds & KIND_SVE_PRED);
		assert_int_equal(insn.predicate, REG_P0 + cases[i].predicate);
		assert_int_equal(insn.lane_log2, cases[i].lane_log2);
		assert_int_equal(insn.offsets, cases[i].offsets);
	}
}

typedef void row_visitor(const struct decode_group *group, const struct decode_row *row,
			 unsigned top);

static void visit_rows(row_visitor *visit)
{
	for (unsigned top = 0; top < 16; top++) {
		const struct decode_table *const *table = decode_tables[top];

		for (; table && *table; table++)
			for (size_t i = 0; i < (*table)->count; i++)
				for (size_t k = 0; k < (*table)->groups[i].count; k++)
					visit(&(*table)->groups[i], &(*table)->groups[i].rows[k],
					      top);
	}
}

static void check_row(const struct decode_group *group, const struct decode_row *row, unsigned top)
{
	(void)top;
	assert_int_equal(row->value & ~row->mask, 0);
	assert_int_equal((row->value ^ group->value) & row->mask & group->mask, 0);
	assert_true(row->class < CLASS_COUNT);
}

static void rows_stand_in_their_groups(void **state)
{
	(void)state;
	visit_rows(check_row);
}

static uint32_t random_word(void)
{
	static uint64_t x = 1;

	x = x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(x >> 32);
}

enum { REACHED_MAX = 4096 };

static const struct decode_row *reached[REACHED_MAX];
static size_t reached_count;
static bool used[CLASS_COUNT];

static bool is_reached(const struct decode_row *row)
{
	for (size_t i = 0; i < reached_count; i++)
		if (reached[i] == row)
			return true;
	return false;
}

/* Decodes words that fit the row: up to 200 that are its own, of at most 20000. */
static void reach_row(const struct decode_group *group, const struct decode_row *row, unsigned top)
{
	uint32_t mask = row->mask | group->mask;
	int own = 0;

	for (int tries = 0; row->operands && tries < 20000 && own < 200; tries++) {
		uint32_t word = (random_word() & ~mask) | row->value | group->value;
		struct insn insn;

		if ((word >> 25 & 15) != top || decode_find_row(word) != row)
			continue;
		assert_true(insn_decode(word, 16, &insn));
		used[insn.class] = true;
		own++;
	}
	if (own && !is_reached(row)) {
		assert_true(reached_count < REACHED_MAX);
		reached[reached_count++] = row;
	}
}

/* A row that no word reaches would be a mistake in the rows above it. */
static void check_reached(const struct decode_group *group, const struct decode_row *row,
			  unsigned top)
{
	(void)group;
	(void)top;
	if (row->operands && !is_reached(row))
		fail_msg("no word reaches the row 0x%08x, 0x%08x", row->mask, row->value);
}

static void every_row_and_class_is_used(void **state)
{
	/* Rare among the words of their rows: ror x0, x1, #3; ld4r {v0.2d-v3.2d}, [x0];
	 * {v0.4s-v3.4s}; mov z0.d, z1.d */
	static const uint32_t rare[] = {0x93c10c20, 0x4d60ec00, 0x4d60e800, 0x04613020};

	(void)state;
	visit_rows(reach_row);
	visit_rows(check_reached);
	for (size_t i = 0; i < sizeof(rare) / sizeof(*rare); i++) {
		struct insn insn;

		insn_decode(rare[i], 16, &insn);
		used[insn.class] = true;
	}
	used[CLASS_CRYPTO_AES_FUSED] = true; /* of pairs of instructions */
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		if (!used[i])
			fail_msg("no instruction has the class %s", insn_class_name(i));
}

static void classes_have_names(void **state)
{
	(void)state;
	assert_string_equal(insn_class_name(CLASS_INT_ALU), "INT_ALU");
	assert_string_equal(insn_class_name(CLASS_STORE_WB), "STORE_WB");
	assert_string_equal(insn_class_name(CLASS_COUNT), "UNKNOWN");
}

/* Instructions that only some cores tell from those of the class beside them. */
static void costs_split_classes(void **state)
{
	static const struct {
		uint32_t word;
		unsigned class;
	} all[] = {
		{0x1b027c20, CLASS_INT_MUL},            /* mul w0, w1, w2 */
		{0x9b027c20, CLASS_INT_MUL_X},          /* mul x0, x1, x2 */
		{0x9b227c20, CLASS_INT_MUL},            /* smull x0, w1, w2 */
		{0x1b020c20, CLASS_INT_MADD},           /* madd w0, w1, w2, w3 */
		{0x9b028c20, CLASS_INT_MADD_X},         /* msub x0, x1, x2, x3 */
		{0x9b220c20, CLASS_INT_MADD},           /* smaddl x0, w1, w2, x3 */
		{0x29000861, CLASS_STORE_PAIR},         /* stp w1, w2, [x3] */
		{0xa9000861, CLASS_STORE_PAIR_X},       /* stp x1, x2, [x3] */
		{0xa9bf0861, CLASS_STORE_PAIR_X_WB},    /* stp x1, x2, [x3, #-16]! */
		{0x3d800020, CLASS_VSTORE_Q},           /* str q0, [x1] */
		{0x3c9f0020, CLASS_VSTORE_Q},           /* stur q0, [x1, #-16] */
		{0xfd000020, CLASS_VSTORE},             /* str d0, [x1] */
		{0xab020020, CLASS_INT_FLAGS},          /* adds x0, x1, x2 */
		{0xea020020, CLASS_INT_FLAGS_LOGIC},    /* ands x0, x1, x2 */
		{0xfa410000, CLASS_INT_CONDITIONAL},    /* ccmp x0, x1, #0, eq */
		{0x3a410800, CLASS_INT_CONDITIONAL},    /* ccmn w0, #1, #0, eq */
		{0x1e620c20, CLASS_FP_SELECT},          /* fcsel d0, d1, d2, eq */
		{0x1e60c020, CLASS_FP_MOVE},            /* fabs d0, d1 */
		{0x6e229c20, CLASS_SIMD_POLY_Q},        /* pmul v0.16b, v1.16b, v2.16b */
		{0x2e229c20, CLASS_SIMD_POLY},          /* pmul v0.8b, v1.8b, v2.8b */
		{0x9e620021, CLASS_FP_CONVERT_INT},     /* scvtf d1, x1 */
		{0x9e670021, CLASS_FP_FROM_INT},        /* fmov d1, x1 */
		{0x4ea29c20, CLASS_SIMD_MUL_Q},         /* mul v0.4s, v1.4s, v2.4s */
		{0x0ea29c20, CLASS_SIMD_MUL},           /* mul v0.2s, v1.2s, v2.2s */
		{0x4ea29420, CLASS_SIMD_MLA_Q},         /* mla v0.4s, v1.4s, v2.4s */
		{0x6fa20020, CLASS_SIMD_MLA_Q},         /* mla v0.4s, v1.4s, v2.s[1] */
		{0x0e628020, CLASS_SIMD_MLA},           /* smlal v0.4s, v1.4h, v2.4h */
		{0x4e628020, CLASS_SIMD_MLA},           /* smlal2 v0.4s, v1.8h, v2.8h */
		{0x4f000401, CLASS_SIMD_ZERO_LANES},    /* movi v1.4s, #0 */
		{0x0f002401, CLASS_SIMD_ZERO_LANES},    /* movi v1.2s, #0, lsl #8 */
		{0x4f008401, CLASS_SIMD_ZERO_LANES},    /* movi v1.8h, #0 */
		{0x4f00e401, CLASS_SIMD_ZERO_LANES},    /* movi v1.16b, #0 */
		{0x4f00c401, CLASS_SIMD_ALU},           /* movi v1.4s, #0, msl #8 */
		{0x4f00e421, CLASS_SIMD_ALU},           /* movi v1.16b, #1 */
		{0x6f000401, CLASS_SIMD_ALU},           /* mvni v1.4s, #0 */
		{0x6f00e401, CLASS_SIMD_ZERO},          /* movi v1.2d, #0 */
		{0x4ea28420, CLASS_SIMD_ALU},           /* add v0.4s, v1.4s, v2.4s */
		{0x04a20020, CLASS_SVE_ALU},            /* add z0.s, z1.s, z2.s */
		{0x04613020, CLASS_SVE_MOVE},           /* mov z0.d, z1.d */
		{0x04623020, CLASS_SVE_ALU},            /* orr z0.d, z1.d, z2.d */
		{0x65820020, CLASS_SVE_FADD},           /* fadd z0.s, z1.s, z2.s */
		{0x64908020, CLASS_FP_ADD_PAIR},        /* faddp z0.s, p0/m, z0.s, z1.s */
		{0x04a39c20, CLASS_SVE_SHIFT},          /* lsl z0.d, z1.d, #3 */
		{0x65c2a020, CLASS_SVE_CONVERT_D},      /* frintm z0.d, p0/m, z1.d */
		{0x6582a020, CLASS_SVE_ROUND_S},        /* frintm z0.s, p0/m, z1.s */
		{0x6594a020, CLASS_SVE_CONVERT_S},      /* scvtf z0.s, p0/m, z1.s */
		{0x85804020, CLASS_SVE_LOAD},           /* ldr z0, [x1] */
		{0xa5404020, CLASS_SVE_LOAD_INDEXED},   /* ld1w {z0.s}, p0/z, [x1, x0, lsl #2] */
		{0xa4a04020, CLASS_SVE_LOAD_INDEXED_H}, /* ld1h {z0.h}, p0/z, [x1, x0, lsl #1] */
		{0xa4c04020, CLASS_SVE_LOAD_INDEXED_H}, /* ld1h {z0.s}, p0/z, [x1, x0, lsl #1] */
		{0xa5004020, CLASS_SVE_LOAD_INDEXED_H}, /* ld1sh {z0.d}, p0/z, [x1, x0, lsl #1] */
		{0xa4806020, CLASS_SVE_LOAD_FAULT},     /* ldff1sw {z0.d}, p0/z, [x1, x0, lsl #2] */
		{0xa4e06020, CLASS_SVE_LOAD_FAULT_H},   /* ldff1h {z0.d}, p0/z, [x1, x0, lsl #1] */
		{0xe5804020, CLASS_SVE_STORE},          /* str z0, [x1] */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct insn insn;

		assert_true(insn_decode(all[i].word, 16, &insn));
		assert_string_equal(insn_class_name(insn.class), insn_class_name(all[i].class));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_what_an_assembler_meant),
		cmocka_unit_test(what_is_not_allocated_is_a_harmless_operation),
		cmocka_unit_test(sve_accesses_grow_with_the_vector),
		cmocka_unit_test(hidden_addresses_are_told),
		cmocka_unit_test(predicates_and_offsets_are_told),
		cmocka_unit_test(rows_stand_in_their_groups),
		cmocka_unit_test(every_row_and_class_is_used),
		cmocka_unit_test(classes_have_names),
		cmocka_unit_test(costs_split_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

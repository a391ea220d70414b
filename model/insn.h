/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoded A64 instruction, for the core model: made once when a block is translated, and read
 * each time it executes. It is small, so that a block's instructions share few cache lines.
 */
#ifndef MODEL_INSN_H
#define MODEL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Operation classes: all instructions of a class have the same operations, ports and latencies on
 * every core. classes.def lists them as CLASS(NAME, "contents"). The core data (model/cores) gives
 * the costs of each. NAME_WB is NAME with base register write-back.
 */
enum insn_class {
#define CLASS(name, what) CLASS_##name,
#include "classes.def"
#undef CLASS
	CLASS_COUNT
};

/* Registers, as renamed. The zero register is REG_NONE. */
enum {
	REG_X0 = 0, /* x0..x30 */
	REG_SP = 31,
	REG_V0 = 32, /* v0..v31, z0..z31 */
	REG_P0 = 64, /* p0..p15 */
	REG_FFR = 80,
	REG_FLAGS = 81,  /* NZCV */
	REG_FPCR = 82,   /* FPCR, FPSR */
	REG_ZA = 83,     /* ZA and ZT0 */
	REG_SYSTEM = 84, /* any other system register */
	REG_COUNT = 85,
	REG_NONE = 255,
};

enum insn_branch_kind {
	BRANCH_NONE,
	BRANCH_IMMEDIATE,     /* b */
	BRANCH_CONDITIONAL,   /* b.cond, cbz, tbz ... */
	BRANCH_CALL,          /* bl */
	BRANCH_INDIRECT,      /* br */
	BRANCH_INDIRECT_CALL, /* blr */
	BRANCH_RETURN,        /* ret */
	BRANCH_EXCEPTION,     /* svc, hvc, smc, brk, udf, eret: leaves program or level */
};

/* The memory access of an instruction. */
enum insn_memory_flag {
	MEM_LOAD = 1 << 0,
	MEM_STORE = 1 << 1, /* an atomic is both */
	MEM_EXCLUSIVE = 1 << 2,
	MEM_ACQUIRE = 1 << 3,
	MEM_RELEASE = 1 << 4,
	MEM_ATOMIC = 1 << 5,   /* LSE read-modify-write, compare and swap */
	MEM_PREFETCH = 1 << 6, /* prfm: no access is reported */
	MEM_ZERO = 1 << 7,     /* dc zva and similar */
	MEM_GATHER = 1 << 8,   /* addresses from a vector */
	MEM_MAY_SKIP = 1 << 9, /* may execute without an access (predicated, stxr) */
	MEM_TAG = 1 << 10,     /* allocation tags only (stg, ldg) */
	MEM_HIDDEN = 1 << 11,  /* QEMU does not report its addresses: registers give them */
	MEM_NON_TEMPORAL = 1 << 12,
	MEM_COMPARE_SWAP = 1 << 13, /* with MEM_ATOMIC: cas, casp */
	MEM_FIRST_FAULT = 1 << 14,
	MEM_PASSES = 1 << 15, /* with MEM_ACQUIRE: may pass older store-releases (ldapr) */
};

/*
 * The kinds of an instruction, for the PMU's *_SPEC and *_RETIRED events: bits of insn.kinds. Each
 * is defined by the event of that name in the N3 document, chapters 6.12 and 6.17.
 */
enum insn_kind {
	KIND_LD = 1 << 0,       /* LD_SPEC */
	KIND_ST = 1 << 1,       /* ST_SPEC */
	KIND_DP = 1 << 2,       /* DP_SPEC: integer data processing, and dsb (the metric
				   integer_dp_percentage takes DSB_SPEC off it) */
	KIND_ASE = 1 << 3,      /* ASE_SPEC: Advanced SIMD data processing */
	KIND_VFP = 1 << 4,      /* VFP_SPEC: scalar floating point */
	KIND_CRYPTO = 1 << 5,   /* CRYPTO_SPEC */
	KIND_PC_WRITE = 1 << 6, /* PC_WRITE_SPEC: changes the flow of the program */
	KIND_ISB = 1 << 7,
	KIND_DSB = 1 << 8,
	KIND_DMB = 1 << 9,
	KIND_RC_LD = 1 << 10,    /* load acquire */
	KIND_RC_ST = 1 << 11,    /* store release */
	KIND_STREX = 1 << 12,    /* store exclusive */
	KIND_CAS = 1 << 13,      /* compare and swap */
	KIND_SVE = 1 << 14,      /* SVE_INST_SPEC */
	KIND_ASE_INST = 1 << 15, /* ASE_INST_SPEC: any Advanced SIMD instruction, loads included */
	KIND_SVE_PRED = 1 << 16, /* SVE_PRED_SPEC */
	KIND_FP_HP = 1 << 17,    /* FP_HP_SPEC: half precision */
	KIND_FP_SP = 1 << 18,
	KIND_FP_DP = 1 << 19,
	KIND_INT8 = 1 << 20, /* ASE_SVE_INT8_SPEC ... */
	KIND_INT16 = 1 << 21,
	KIND_INT32 = 1 << 22,
	KIND_INT64 = 1 << 23,
	KIND_LDFF = 1 << 24,    /* SVE_LDFF_SPEC */
	KIND_SIMD_FP = 1 << 25, /* Advanced SIMD or SVE floating point arithmetic */
	KIND_CSEL = 1 << 26,    /* conditional select, for SPE's "other" subclass */
};

enum { INSN_SOURCES = 10, INSN_TARGETS = 5 };

/* How the elements of an index vector become offsets. */
enum insn_offsets {
	OFFSETS_32 = 1 << 0, /* the low 32 bits of each; else all 64 */
	OFFSETS_SIGNED = 1 << 1,
	OFFSETS_SCALED = 1 << 2, /* by access_log2 */
};

/* How much of a vector its governing predicate switches on. */
enum insn_activity { ACTIVITY_FULL, ACTIVITY_PARTIAL, ACTIVITY_EMPTY, ACTIVITY_COUNT };

struct insn {
	uint16_t class;                /* enum insn_class */
	uint16_t memory;               /* bits of enum insn_memory_flag */
	uint32_t kinds;                /* bits of enum insn_kind */
	uint8_t sources[INSN_SOURCES]; /* operands, then address registers, then REG_NONE */
	uint8_t branch;                /* enum insn_branch_kind */
	uint8_t address_count;         /* number of sources that form the address: the last ones */
	uint8_t targets[INSN_TARGETS]; /* results, then a written-back base, then REG_NONE */
	uint8_t accumulator;           /* index in sources of an operand forwarded late, or 255 */
	uint8_t writes_base;           /* targets[...] index of a written-back base, or 255 */
	uint8_t access_log2;           /* log2 of the bytes of one element access */
	uint8_t hidden_base;   /* MEM_HIDDEN: base, REG_X0.., REG_SP, REG_V0.. (one per element) or
				  REG_NONE */
	uint8_t hidden_index;  /* and index, REG_X0.. (shifted left by access_log2), REG_V0.. (see
				  offsets) or REG_NONE */
	uint16_t access_bytes; /* of the whole access (SVE: all lanes) */
	int16_t hidden_offset; /* and offset in bytes */
	uint8_t fp_ops;        /* FP_FIXED_OPS, or FP_SCALE_OPS per 128 bits of vector */
	bool fp_ops_scale;
	uint32_t opcode;
	uint8_t predicate; /* governing predicate, REG_P0.., or REG_NONE */
	uint8_t lane_log2; /* log2 of the bytes of the elements that it governs */
	uint8_t offsets;   /* bits of enum insn_offsets, for a vector in hidden_index */
	int64_t target;    /* of an immediate branch, relative to the instruction */
};

/*
 * Decodes one instruction word. `vector_bytes` is the SVE vector length in bytes (16 on N3). For an
 * unallocated word, returns false and sets `*insn` to a one-cycle integer operation without
 * operands, which does no harm. Thread-safe.
 */
bool insn_decode(uint32_t word, unsigned vector_bytes, struct insn *insn);

/* Returns whether `reg` is among the results of `insn`. */
static inline bool insn_writes(const struct insn *insn, unsigned reg)
{
	for (size_t i = 0; i < sizeof(insn->targets); i++)
		if (insn->targets[i] == reg)
			return true;
	return false;
}

/* Returns the name of a class, such as "INT_ALU", for tables and tests. */
const char *insn_class_name(unsigned class);

#endif

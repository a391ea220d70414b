/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of work that an instruction gives the core, by the model's classes of operations. */
#include <stddef.h>

#include "disasm/word_operation.h"
#include "insn.h"

/* Classes from `first` to `last`, in the order of classes.def. */
struct work {
	uint16_t first, last;
	const char *name;
};

#define WORK(first, last, ...)                           \
	{                                                \
		CLASS_##first, CLASS_##last, __VA_ARGS__ \
	}

/* The first row that has the class. */
static const struct work works[] = {
	WORK(EXCEPTION, EXCEPTION, "exceptions"),
	WORK(INT_DIV32, INT_DIV64, "integer division"),
	WORK(INT_MUL, INT_MULH, "integer multiplication"),
	WORK(INT_CRC, INT_CRC, "CRC32 steps"),
	WORK(INT_AUTH, INT_STRIP, "pointer authentication"),
	WORK(SYSTEM_READ, SYSTEM_CONTROL, "system registers"),
	WORK(BARRIER_DMB, BARRIER_ISB, "barriers"),
	WORK(CACHE_MAINTENANCE, CACHE_MAINTENANCE, "cache maintenance"),
	WORK(ATOMIC, COMPARE_SWAP, "atomics"),
	WORK(STORE_EXCLUSIVE, STORE_EXCLUSIVE, "exclusive stores"),
	WORK(FP_DIV_H, FP_DIV_2D, "floating-point division"),
	WORK(FP_SQRT_H, FP_SQRT_2D, "square roots"),
	WORK(SVE_DIV32, SVE_DIV64, "vector integer division"),
	WORK(SVE_FADDA_H, SVE_FADDA_D, "ordered vector sums"),
	WORK(FP_ADD, FP_COMPARE, "floating-point addition"),
	WORK(FP_MUL, SVE_FEXPA, "floating-point multiplication"),
	WORK(FP_FMA, FP_CMLA, "floating-point multiplication and addition"),
	WORK(FP_CONVERT, FP_LANE_TO_GENERAL, "conversions and moves between register files"),
	WORK(SIMD_MUL, SIMD_DOT, "vector integer multiplication"),
	WORK(SVE_MUL_D, SVE_MLA_D, "vector integer multiplication"),
	WORK(CRYPTO_AES, CRYPTO_SHA_LONG, "cryptographic instructions"),
	WORK(SME_OUTER, SME_STORE, "SME instructions"),
	WORK(SVE_PRED, SVE_COMPARE, "predicates"),
};

const char *word_work(uint32_t word)
{
	struct insn insn;

	/* The length of vectors does not matter here. */
	if (!insn_decode(word, 16, &insn))
		return NULL;
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (insn.class >= works[i].first && insn.class <= works[i].last)
			return works[i].name;
	if (insn.branch != BRANCH_NONE)
		return "branches";
	if (insn.memory & MEM_LOAD)
		return "loads";
	if (insn.memory & MEM_STORE)
		return "stores";
	if (insn.kinds & (KIND_ASE | KIND_SVE))
		return "vector operations";
	return insn.kinds & KIND_VFP ? "floating-point operations" : "integer operations";
}

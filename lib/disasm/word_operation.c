/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction does, by its code alone. */
#include "disasm/word_operation.h"

#include "insn.h"

#define MEM_ORDERED (MEM_ACQUIRE | MEM_RELEASE)

static bool is_vector(unsigned reg)
{
	return reg >= REG_V0 && reg < REG_P0;
}

static const char *branch_subclass(const struct insn *insn)
{
	switch (insn->branch) {
	case BRANCH_CONDITIONAL:
		return "conditional";
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
		return "call";
	case BRANCH_RETURN:
		return "return";
	case BRANCH_INDIRECT:
		return "indirect";
	default:
		return "direct";
	}
}

static const char *memory_subclass(const struct insn *insn)
{
	const unsigned data = insn->memory & MEM_LOAD ? insn->targets[0] : insn->sources[0];

	if (insn->memory & MEM_ATOMIC)
		return "atomic";
	if (insn->memory & MEM_EXCLUSIVE)
		return "exclusive";
	if (insn->memory & MEM_ORDERED)
		return "ordered";
	if (insn->kinds & KIND_SVE)
		return "sve";
	if (insn->memory & MEM_TAG)
		return "tag";
	return is_vector(data) ? "simd-fp" : "general";
}

static const char *other_subclass(const struct insn *insn)
{
	if (insn->kinds & KIND_CRYPTO)
		return "crypto";
	if (insn->kinds & KIND_SVE)
		return "sve";
	if (insn->kinds & KIND_ASE)
		return "simd";
	if (insn->kinds & KIND_VFP)
		return "fp";
	if (insn->kinds & (KIND_ISB | KIND_DSB | KIND_DMB))
		return "barrier";
	return insn->kinds & KIND_DP ? "integer" : NULL;
}

static uint16_t branch_traits(const struct insn *insn)
{
	switch (insn->branch) {
	case BRANCH_CONDITIONAL:
		return WORD_CONDITIONAL;
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
		return WORD_CALL;
	case BRANCH_RETURN:
		return WORD_RETURN;
	default:
		return 0;
	}
}

/* A record says either that an access is ordered, or that it is a vector's. */
static uint16_t memory_traits(const struct insn *insn)
{
	unsigned traits = 0;

	traits |= insn->memory & MEM_ATOMIC ? WORD_ATOMIC : 0;
	traits |= insn->memory & MEM_EXCLUSIVE ? WORD_EXCLUSIVE : 0;
	traits |= insn->memory & MEM_ORDERED ? WORD_ACQUIRE_RELEASE : 0;
	if (!traits && insn->kinds & KIND_SVE) {
		traits |= insn->kinds & KIND_SVE_PRED ? WORD_PREDICATED : 0;
		traits |= insn->memory & MEM_GATHER ? WORD_GATHER_SCATTER : 0;
	}
	return (uint16_t)traits;
}

static uint16_t other_traits(const struct insn *insn)
{
	const uint32_t floating = KIND_VFP | KIND_FP_HP | KIND_FP_SP | KIND_FP_DP | KIND_SIMD_FP;
	unsigned traits = 0;

	if (insn->kinds & KIND_SVE) {
		traits |= insn->kinds & KIND_SIMD_FP ? WORD_FP : 0;
		traits |= insn->kinds & KIND_SVE_PRED ? WORD_PREDICATED : 0;
		return (uint16_t)traits;
	}
	traits |= insn->kinds & floating ? WORD_FP : 0;
	traits |= insn->kinds & KIND_ASE_INST ? WORD_SIMD : 0;
	traits |= insn->kinds & KIND_CSEL ? WORD_CONDITIONAL : 0;
	return (uint16_t)traits;
}

static bool is_load(const struct insn *insn)
{
	return insn->memory & MEM_LOAD &&
	       !(insn->memory & MEM_ATOMIC && insn->targets[0] == REG_NONE);
}

struct word_operation word_operation(uint32_t word)
{
	struct insn insn;

	/* The length of vectors does not matter here. */
	if (!insn_decode(word, 16, &insn))
		return (struct word_operation){.kind = WORD_UNKNOWN};
	if (insn.branch != BRANCH_NONE && insn.branch != BRANCH_EXCEPTION)
		return (struct word_operation){.kind = WORD_BRANCH,
					       .traits = branch_traits(&insn),
					       .subclass = branch_subclass(&insn)};
	if (insn.memory & (MEM_LOAD | MEM_STORE))
		return (struct word_operation){.kind = is_load(&insn) ? WORD_LOAD : WORD_STORE,
					       .traits = memory_traits(&insn),
					       .subclass = memory_subclass(&insn)};
	return (struct word_operation){.kind = WORD_OTHER,
				       .traits = other_traits(&insn),
				       .subclass = other_subclass(&insn)};
}

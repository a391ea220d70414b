/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/hooks.h"

enum accesses_error hooks_derive(struct insn_notes *notes, const struct block *block,
				 unsigned number, const struct registers *registers)
{
	const void *vector = notes->vector_known ? notes->vector : NULL;

	notes->vector_known = false;
	return accesses_derive(&notes->accesses, &block->insns[number], number, registers, vector);
}

void hooks_keep_vector(struct insn_notes *notes, const struct block *block, unsigned number,
		       const struct registers *registers)
{
	int vector = accesses_vector(&block->insns[number]);

	notes->vector_known = vector >= 0 && registers_have_vectors(registers);
	if (notes->vector_known)
		registers_vector(registers, (unsigned)vector, notes->vector);
}

void hooks_note_predicate(struct insn_notes *notes, const struct block *block, unsigned number,
			  const struct registers *registers)
{
	uint8_t predicate = block->insns[number].predicate;
	uint64_t value = registers_predicate(registers, predicate - REG_P0);

	notes->predicated = true;
	for (unsigned i = number; i < block->count; i++) {
		const struct insn *insn = &block->insns[i];

		if (insn->predicate == predicate)
			notes->activity[i] = (uint8_t)predicate_activity(
				value, insn->lane_log2, notes->accesses.vector_bytes);
		if (insn_writes(insn, predicate))
			break;
	}
}

/* Returns whether instruction `number` is the first one governed by its predicate's value. */
static bool governs_first(const struct block *block, unsigned number)
{
	uint8_t predicate = block->insns[number].predicate;

	if (predicate == REG_NONE)
		return false;
	for (unsigned i = number; i-- > 0;) {
		if (insn_writes(&block->insns[i], predicate))
			return true;
		if (block->insns[i].predicate == predicate)
			return false;
	}
	return true;
}

uintptr_t hooks_at(const struct block *block, unsigned number, bool predicates)
{
	const struct insn *insn = &block->insns[number];
	unsigned hooks = 0;

	if (insn->memory & MEM_HIDDEN) {
		hooks |= accesses_vector(insn) >= 0 ? HOOK_VECTOR : 0;
		hooks |= REGISTERS_LATE ? 0 : HOOK_DERIVE;
	}
	if (predicates && governs_first(block, number))
		hooks |= HOOK_PREDICATE;
	return hooks ? hooks | number : 0;
}

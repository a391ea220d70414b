/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has to be known of an instruction before it executes, because QEMU does not report it: the
 * addresses that come from registers, and what its predicate switches on.
 */
#ifndef QEMU_HOOKS_H
#define QEMU_HOOKS_H

#include "qemu/accesses.h"
#include "qemu/blocks.h"

/* What insn_executes() does; the other bits are the number of the instruction it is about. */
enum insn_hook {
	HOOK_VECTOR = 1 << 16,    /* keep the vector among its address registers */
	HOOK_DERIVE = 1 << 17,    /* derive its accesses from registers */
	HOOK_PREDICATE = 1 << 18, /* note its predicate, for those that follow as well */
	HOOK_START = 1 << 19,     /* the program begins: give it the same start under any QEMU */
};

/* What a thread knows of the block that it executes. */
struct insn_notes {
	struct accesses accesses;
	uint8_t activity[BLOCK_MAX];          /* of predicated instructions: core_set_activity() */
	bool predicated;                      /* some of it is of this block */
	uint8_t vector[REGISTERS_VECTOR_MAX]; /* of the next hidden addresses */
	bool vector_known;
};

/*
 * Returns what insn_executes() is to do before instruction `number`, or 0. `predicates`: they are
 * read.
 */
uintptr_t hooks_at(const struct block *block, unsigned number, bool predicates);

/* Adds the accesses of an instruction of which QEMU reports none. */
enum accesses_error hooks_derive(struct insn_notes *notes, const struct block *block,
				 unsigned number, const struct registers *registers);
/* Keeps the vector among its address registers, for hooks_derive(). */
void hooks_keep_vector(struct insn_notes *notes, const struct block *block, unsigned number,
		       const struct registers *registers);
/* Notes what a predicate switches on, for the instructions that it governs until it is written. */
void hooks_note_predicate(struct insn_notes *notes, const struct block *block, unsigned number,
			  const struct registers *registers);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the accesses of the block that a thread is executing, in program order. QEMU reports most
 * of them; the addresses of the others are derived from registers.
 */
#ifndef MODEL_QEMU_ACCESSES_H
#define MODEL_QEMU_ACCESSES_H

#include "core.h"
#include "qemu/registers.h"

#define ACCESSES_MAX 8192 /* of one block: 512 instructions of 16 elements */

struct accesses {
	unsigned vector_bytes; /* of the core's vectors */
	size_t count;
	struct access list[ACCESSES_MAX];
};

enum accesses_error {
	ACCESSES_OK,
	ACCESSES_UNKNOWN, /* the address is not known */
	ACCESSES_FULL,    /* dropped: more than ACCESSES_MAX */
};

/* Adds an access of the block's `insn`-th instruction. */
static inline enum accesses_error accesses_append(struct accesses *accesses, unsigned insn,
						  uint64_t address, unsigned bytes)
{
	if (accesses->count == ACCESSES_MAX)
		return ACCESSES_FULL;
	accesses->list[accesses->count++] = (struct access){
		.address = address, .insn = (uint16_t)insn, .bytes = (uint16_t)bytes};
	return ACCESSES_OK;
}

/* Adds an access that QEMU reports, of the block's `insn`-th instruction. Merges adjacent ones. */
enum accesses_error accesses_add(struct accesses *accesses, unsigned insn, uint64_t address,
				 unsigned bytes);

/*
 * Returns the bytes of the only access that QEMU reports of an instruction, each time that it
 * executes; or 0 if it may report another number of them, or other bytes.
 */
unsigned accesses_only(const struct insn *insn);

/*
 * Adds the accesses of the block's `number`-th instruction, which has MEM_HIDDEN. `vector` is the
 * value before the instruction of the vector among its address registers, or NULL if there is none
 * or its value is not known.
 */
enum accesses_error accesses_derive(struct accesses *accesses, const struct insn *insn,
				    unsigned number, const struct registers *registers,
				    const void *vector);

/*
 * Returns the number of the vector among the address registers of an instruction with MEM_HIDDEN,
 * or -1 if there is none.
 */
int accesses_vector(const struct insn *insn);

/* Returns how much of a vector a predicate switches on, in elements of 1 << lane_log2 bytes. */
enum insn_activity predicate_activity(uint64_t predicate, unsigned lane_log2,
				      unsigned vector_bytes);

#endif

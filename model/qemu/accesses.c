/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/accesses.h"

#include <string.h>

#define MERGED_MAX 512 /* bytes up to which adjacent accesses are merged */

enum accesses_error accesses_add(struct accesses *accesses, unsigned insn, uint64_t address,
				 unsigned bytes)
{
	struct access *last = accesses->count ? &accesses->list[accesses->count - 1] : NULL;

	if (last && last->insn == insn) {
		if (address == last->address + last->bytes && last->bytes < MERGED_MAX) {
			last->bytes = (uint16_t)(last->bytes + bytes); /* the next element */
			return ACCESSES_OK;
		}
		if (address >= last->address && address + bytes <= last->address + last->bytes)
			return ACCESSES_OK; /* the store of a read-modify-write */
	}
	return accesses_append(accesses, insn, address, bytes);
}

unsigned accesses_only(const struct insn *insn)
{
	const unsigned plain = MEM_LOAD | MEM_STORE, both = insn->memory & plain;
	const unsigned bytes = insn->access_bytes;

	if ((both != MEM_LOAD && both != MEM_STORE) ||
	    insn->memory & ~(plain | MEM_ACQUIRE | MEM_RELEASE | MEM_PASSES | MEM_NON_TEMPORAL) ||
	    insn->predicate != REG_NONE || bytes > 8 || bytes != 1u << insn->access_log2)
		return 0;
	return bytes;
}

/* ---- Predicates -------------------------------------------------------------------------------
 */

/* Returns a bit for each element of a vector: that of its lowest byte, as in predicates. */
static uint64_t all_elements(unsigned lane_log2, unsigned vector_bytes)
{
	static const uint64_t lanes[] = {~0ull, 0x5555555555555555, 0x1111111111111111,
					 0x0101010101010101, 0x0001000100010001};
	uint64_t vector = vector_bytes < 64 ? (1ull << vector_bytes) - 1 : ~0ull;

	return lanes[lane_log2 < 4 ? lane_log2 : 4] & vector;
}

enum insn_activity predicate_activity(uint64_t predicate, unsigned lane_log2, unsigned vector_bytes)
{
	uint64_t all = all_elements(lane_log2, vector_bytes), active = predicate & all;

	if (!active)
		return ACTIVITY_EMPTY;
	return active == all ? ACTIVITY_FULL : ACTIVITY_PARTIAL;
}

/*
 * Returns a bit for each element that an instruction accesses: all elements if predicates cannot be
 * read. First-fault loads try them all, too.
 */
static uint64_t active_elements(const struct insn *insn, const struct registers *registers,
				unsigned vector_bytes)
{
	uint64_t active = all_elements(insn->lane_log2, vector_bytes);

	if (registers_have_vectors(registers))
		active &= registers_predicate(registers, insn->predicate - REG_P0);
	return active;
}

/* ---- Addresses --------------------------------------------------------------------------------
 */

static bool is_vector(unsigned reg)
{
	return reg >= REG_V0 && reg < REG_P0;
}

int accesses_vector(const struct insn *insn)
{
	if (is_vector(insn->hidden_base))
		return insn->hidden_base - REG_V0;
	return is_vector(insn->hidden_index) ? insn->hidden_index - REG_V0 : -1;
}

/* Returns the address without its vector. */
static uint64_t plain_address(const struct insn *insn, const struct registers *registers)
{
	uint64_t address = (uint64_t)(int64_t)insn->hidden_offset;

	if (insn->hidden_base <= REG_SP)
		address += registers_general(registers, insn->hidden_base);
	if (insn->hidden_index <= REG_SP)
		address += registers_general(registers, insn->hidden_index)
			   << (is_vector(insn->hidden_base) ? 0 : insn->access_log2);
	/* A tag store that writes its base back has already added bits 20:12, times 16. */
	if (REGISTERS_LATE && insn->writes_base != 255)
		address -= (uint64_t)((int32_t)(insn->opcode << 11) >> 23) * 16;
	return insn->memory & MEM_ZERO ? address & ~(uint64_t)(insn->access_bytes - 1) : address;
}

/* Returns the element at `byte` of a vector of addresses or offsets. */
static uint64_t element_of(const struct insn *insn, const uint8_t *vector, unsigned byte)
{
	bool narrow = insn->lane_log2 == 2 || insn->offsets & OFFSETS_32;
	uint64_t value = 0;

	memcpy(&value, vector + byte, narrow ? 4 : 8);
	if (narrow && insn->offsets & OFFSETS_SIGNED)
		value = (uint64_t)(int64_t)(int32_t)value;
	return insn->offsets & OFFSETS_SCALED ? value << insn->access_log2 : value;
}

/* Adds an access for each active element: gathers, scatters and their prefetches. */
static enum accesses_error derive_elements(struct accesses *accesses, const struct insn *insn,
					   unsigned number, const struct registers *registers,
					   const uint8_t *vector)
{
	uint64_t plain = plain_address(insn, registers);
	enum accesses_error error = ACCESSES_OK;

	for (uint64_t left = active_elements(insn, registers, accesses->vector_bytes);
	     left && !error; left &= left - 1)
		error = accesses_append(
			accesses, number,
			plain + element_of(insn, vector, (unsigned)__builtin_ctzll(left)),
			1u << insn->access_log2);
	return error;
}

/* Adds one access, from the first to the last active element. */
static enum accesses_error derive_run(struct accesses *accesses, const struct insn *insn,
				      unsigned number, const struct registers *registers)
{
	unsigned vector_bytes = accesses->vector_bytes, all, stride, first, last;
	uint64_t active = active_elements(insn, registers, vector_bytes);

	if (!active)
		return ACCESSES_OK;
	if (insn->memory & MEM_PREFETCH)
		return accesses_append(accesses, number, plain_address(insn, registers), 1);
	all = (unsigned)__builtin_popcountll(all_elements(insn->lane_log2, vector_bytes));
	stride = insn->access_bytes / all;
	first = (unsigned)__builtin_ctzll(active) >> insn->lane_log2;
	last = (63u - (unsigned)__builtin_clzll(active)) >> insn->lane_log2;
	return accesses_append(accesses, number,
			       plain_address(insn, registers) + (uint64_t)first * stride,
			       (last - first + 1) * stride);
}

enum accesses_error accesses_derive(struct accesses *accesses, const struct insn *insn,
				    unsigned number, const struct registers *registers,
				    const void *vector)
{
	bool known = insn->hidden_base != REG_NONE && insn->class != CLASS_MEMORY_COPY &&
		     registers_have_general(registers);

	if (!known || (accesses_vector(insn) >= 0 && !vector))
		return ACCESSES_UNKNOWN;
	if (vector)
		return derive_elements(accesses, insn, number, registers, vector);
	if (insn->predicate != REG_NONE)
		return derive_run(accesses, insn, number, registers);
	return accesses_append(accesses, number, plain_address(insn, registers),
			       insn->access_bytes);
}

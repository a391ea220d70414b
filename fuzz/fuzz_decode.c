/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction decoder: every four bytes of the input are a word, with a vector length by the
 * bytes' place. Every word must give an instruction as insn.h promises.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"

static void require(bool promise)
{
	if (!promise)
		abort();
}

/* How many there are; REG_NONE stands only at the end. */
static unsigned check_registers(const uint8_t *registers, unsigned limit)
{
	unsigned used = 0;

	while (used < limit && registers[used] != REG_NONE) {
		require(registers[used] < REG_COUNT);
		used++;
	}
	for (unsigned i = used; i < limit; i++)
		require(registers[i] == REG_NONE);
	return used;
}

static void check(uint32_t word, unsigned vector_bytes)
{
	struct insn insn, again;
	bool known = insn_decode(word, vector_bytes, &insn);
	unsigned sources, targets;

	require(known == insn_decode(word, vector_bytes, &again));
	require(insn.class == again.class && insn.kinds == again.kinds);
	require(memcmp(insn.sources, again.sources, sizeof(insn.sources)) == 0);
	require(memcmp(insn.targets, again.targets, sizeof(insn.targets)) == 0);
	require(insn.class < CLASS_COUNT && insn.branch <= BRANCH_EXCEPTION);
	require(insn.opcode == word);
	sources = check_registers(insn.sources, INSN_SOURCES);
	targets = check_registers(insn.targets, INSN_TARGETS);
	require(insn.address_count <= sources);
	require(insn.accumulator == 255 || insn.accumulator < sources);
	require(insn.writes_base == 255 || insn.writes_base < targets);
	require(insn.hidden_base == REG_NONE || insn.hidden_base < REG_P0);
	require(insn.hidden_index == REG_NONE || insn.hidden_index < REG_P0);
	require(!insn.offsets || (insn.hidden_index >= REG_V0 && insn.hidden_index < REG_P0));
	require(insn.predicate == REG_NONE ||
		(insn.predicate >= REG_P0 && insn.predicate < REG_FFR && insn.lane_log2 <= 4));
	require(insn.access_log2 <= 4 && insn.target % 4 == 0);
	require(insn.memory || (insn.access_bytes == 0 && insn.hidden_base == REG_NONE));
	require(known || (!insn.memory && !insn.branch && !sources && !targets));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t word;

		memcpy(&word, data + i, 4);
		check(word, 16u << (i / 4 % 5));
	}
	return 0;
}

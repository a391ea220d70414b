/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the instruction words on standard input, one hexadecimal number a line, and prints
 * what the model makes of each, for decode_objdump.py and decode_llvm.py to compare:
 *
 *   WORD KNOWN CLASS BRANCH TARGET MEMORY BYTES LOG2 KINDS FP SOURCES TARGETS ADDRESS WRITTEN
 *   GOVERNING LANE
 *
 * in the units of insn.h: WORD, MEMORY and KINDS hexadecimal, registers as their numbers with
 * commas, "-" for none; ADDRESS is address_count, WRITTEN writes_base or -1, GOVERNING the
 * predicate's register or -1, LANE lane_log2.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "insn.h"

static void print_registers(const uint8_t *registers, unsigned count)
{
	putchar(' ');
	if (registers[0] == REG_NONE)
		putchar('-');
	for (unsigned i = 0; i < count && registers[i] != REG_NONE; i++)
		printf("%s%u", i ? "," : "", registers[i]);
}

int main(void)
{
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		uint32_t word = (uint32_t)strtoul(line, NULL, 16);
		struct insn insn;
		bool known = insn_decode(word, 16, &insn);

		printf("%08" PRIx32 " %d %s %u %" PRId64 " %x %u %u %x %u", word, known,
		       insn_class_name(insn.class), insn.branch, insn.target, insn.memory,
		       insn.access_bytes, insn.access_log2, insn.kinds, insn.fp_ops);
		print_registers(insn.sources, INSN_SOURCES);
		print_registers(insn.targets, INSN_TARGETS);
		printf(" %u %d %d %u\n", insn.address_count,
		       insn.writes_base == 255 ? -1 : insn.writes_base,
		       insn.predicate == REG_NONE ? -1 : insn.predicate, insn.lane_log2);
	}
	return 0;
}

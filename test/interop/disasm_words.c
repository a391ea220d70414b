/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembles the instructions on standard input, "ADDRESS WORD" in hexadecimal, for disasm.py to
 * compare: prints "ADDRESS<tab>WORD<tab>TEXT" and, if there is one, " // REMARK".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <plumb/disasm.h>

int main(int argc, char **argv)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_disassembler *disassembler;
	struct plumb_disassembly text;
	char line[64], *rest;

	if (argc < 2 || plumb_disassembler_new(argv[1], &disassembler, diagnostics) < 0)
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t address = strtoull(line, &rest, 16);
		uint32_t word = (uint32_t)strtoul(rest, NULL, 16);
		bool known = plumb_disassemble(disassembler, address, word, &text);

		printf("%" PRIx64 "\t%08" PRIx32 "\t%s%s%s\n", address, word,
		       known ? text.text : "<unknown>", *text.remark ? " // " : "", text.remark);
	}
	plumb_disassembler_free(disassembler);
	plumb_diagnostics_free(diagnostics);
	return 0;
}

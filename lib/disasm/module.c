/* SPDX-License-Identifier: Apache-2.0 */
/* The module with LLVM in it: disassembles by LLVM's C interface. Not a part of the library. */
#include "disasm/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>

/*
 * Everything that this LLVM can disassemble. 15 was the first version with a word for it, and with
 * hexadecimal immediates in llvm-objdump.
 */
#if LLVM_VERSION_MAJOR >= 15
#define FEATURES "+all"
#define OPTIONS  (LLVMDisassembler_Option_SetInstrComments | LLVMDisassembler_Option_PrintImmHex)
#else
#define FEATURES                                                                                   \
	"+v9.3a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+f32mm,+f64mm,+sme,"            \
	"+sme-f64,+sme-i64,+mte,+aes,+sha2,+sha3,+sm4,+bf16,+i8mm,+fullfp16,+fp16fml,+rand,+mops," \
	"+hbc,+tme,+predres,+sb,+ssbs,+wfxt,+xs,+flagm,+altnzcv,+ls64,+brbe,+pauth,+rcpc-immo,"    \
	"+ccdp,+ccpp,+specrestrict,+perfmon,+spe,+spe-eef,+ras,+lor,+pan,+pan-rwv,+uaops,+vh"
#define OPTIONS LLVMDisassembler_Option_SetInstrComments
#endif

static void *open_context(void)
{
	LLVMDisasmContextRef context;

	LLVMInitializeAArch64TargetInfo();
	LLVMInitializeAArch64TargetMC();
	LLVMInitializeAArch64Disassembler();
	context =
		LLVMCreateDisasmCPUFeatures("aarch64-linux-gnu", "", FEATURES, NULL, 0, NULL, NULL);
	if (context)
		LLVMSetDisasmOptions(context, OPTIONS);
	return context;
}

static void close_context(void *context)
{
	LLVMDisasmDispose(context);
}

/* Returns the signed number of instructions in the field of `bits` bits from bit 5 on, in bytes. */
static uint64_t offset_of(uint64_t word, unsigned bits)
{
	return (uint64_t)((int64_t)(word << (59 - bits)) >> (64 - bits)) * 4;
}

/*
 * Reads the label of an instruction, its last operand, as llvm-objdump prints it. LLVM by itself
 * prints what is encoded: a distance.
 */
static bool read_label(uint64_t address, uint32_t word, uint64_t *target)
{
	uint64_t distance = (uint64_t)((int64_t)((uint64_t)word << 40) >> 45) << 2;

	distance |= word >> 29 & 3;
	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		*target = address + offset_of((uint64_t)word << 5, 26);
	else if ((word & 0xff000000) == 0x54000000 || /* b.cond, bc.cond */
		 (word & 0x7e000000) == 0x34000000 || /* cbz, cbnz */
		 (word & 0x3b000000) == 0x18000000)   /* load of a literal */
		*target = address + offset_of(word, 19);
	else if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		*target = address + offset_of(word, 14);
	else if ((word & 0xffc0001f) == 0x5500001f || /* retaasppc, retabsppc */
		 (word & 0xffc0001f) == 0xf380001f)   /* autiasppc, autibsppc */
		*target = address - (uint64_t)(word >> 5 & 0xffff) * 4;
	else if ((word & 0x9f000000) == 0x90000000) /* adrp */
		*target = (address & ~UINT64_C(0xfff)) + (distance << 12);
	else if ((word & 0x9f000000) == 0x10000000 && LLVM_VERSION_MAJOR >= 15)
		*target = address + distance; /* adr; llvm-objdump 14 prints the distance */
	else
		return false;
	return true;
}

static void write_label(uint64_t target, char *text, size_t size)
{
	char *operand = strrchr(text, ' ');

	if (!operand)
		operand = strchr(text, '\t');
	if (operand)
		snprintf(operand + 1, size - (size_t)(operand + 1 - text), "0x%" PRIx64, target);
}

static bool disassemble_word(LLVMDisasmContextRef context, uint64_t address, uint32_t word,
			     char *text, size_t size)
{
	uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
			    (uint8_t)(word >> 24)};

	return LLVMDisasmInstruction(context, bytes, sizeof(bytes), address, text, size) ==
	       sizeof(bytes);
}

/*
 * Sets the fields that "should be" one or zero, and that processors ignore: LLVM's C interface
 * rejects other values, llvm-objdump does not.
 */
static uint32_t with_proper_fields(uint32_t word)
{
	/* Load and store exclusive, ordered (DDI 0487, C4.1.94): Rs and Rt2. */
	if ((word & 0x3fa00000) == 0x08800000 || (word & 0x3fe00000) == 0x08c00000)
		return word | 0x001f7c00;
	if ((word & 0x3fe00000) == 0x08400000)
		return word | 0x001f7c00;
	if ((word & 0x3fe00000) == 0x08600000)
		return word | 0x001f0000;
	if ((word & 0x3fe00000) == 0x08000000)
		return word | 0x00007c00;
	/* addg, subg: op3. */
	if ((word & 0xbfc00000) == 0x91800000)
		return word & ~UINT32_C(0xc000);
	return word;
}

static bool disassemble(void *context, uint64_t address, uint32_t word, char *text, size_t size)
{
	uint32_t proper = with_proper_fields(word);
	uint64_t target;

	if (!disassemble_word(context, address, word, text, size) &&
	    (proper == word || !disassemble_word(context, address, proper, text, size)))
		return false;
	if (*text == '\t')
		memmove(text, text + 1, strlen(text));
	if (read_label(address, word, &target))
		write_label(target, text, size);
	return true;
}

__attribute__((visibility("default"))) extern const struct disasm_module plumb_disasm_module;
const struct disasm_module plumb_disasm_module = {
	.interface = DISASM_INTERFACE,
	.version = LLVM_VERSION_STRING,
	.open = open_context,
	.close = close_context,
	.disassemble = disassemble,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/cfi_program.h"

#include <dwarf.h>

/* Codes that this version's dwarf.h may lack. */
#define NEGATE_RA_STATE_WITH_PC 0x2c /* DWARF for the Arm 64-bit Architecture, section 4.4.8 */
#define NEGATE_RA_STATE         0x2d

/* The kinds of addresses; the lower half of an encoding is the size. */
#define ENCODING_SIZE 0x0f
#define ENCODING_BASE 0xf0

uint64_t cfi_read_address(const struct cfi_section *section, struct dwarf_bytes *bytes,
			  uint8_t encoding)
{
	uint64_t base = section->address + (uint64_t)(bytes->at - section->bytes), value;

	if ((encoding & ENCODING_BASE) == 0)
		base = 0;
	else if ((encoding & ENCODING_BASE) != DW_EH_PE_pcrel)
		bytes->failed = true;
	switch (encoding & ENCODING_SIZE) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = dwarf_unsigned(bytes, 8);
		break;
	case DW_EH_PE_udata4:
		value = dwarf_unsigned(bytes, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)dwarf_signed(bytes, 4);
		break;
	case DW_EH_PE_udata2:
		value = dwarf_unsigned(bytes, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)dwarf_signed(bytes, 2);
		break;
	case DW_EH_PE_uleb128:
		value = dwarf_uleb(bytes);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)dwarf_sleb(bytes);
		break;
	default:
		bytes->failed = true;
		return 0;
	}
	return base + value;
}

/* A program being run. */
struct run {
	const struct cfi_section *section;
	const struct cfi_common *common;
	struct dwarf_bytes bytes;
	uint64_t location, address;
	struct cfi_row *row;
	const struct cfi_row *initial; /* NULL: this is the common program, which makes it */
	struct cfi_row kept[CFI_KEPT_MAX];
	unsigned kept_count;
};

static int64_t times(const struct run *run, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)run->common->data_factor);
}

static void set(struct run *run, uint64_t number, struct cfi_rule rule)
{
	if (number < CFI_REGISTERS)
		run->row->registers[number] = rule;
}

static void set_offset(struct run *run, uint64_t number, enum cfi_kind kind, int64_t offset)
{
	set(run, number, (struct cfi_rule){.kind = kind, .offset = offset});
}

static struct cfi_rule expression(struct run *run, enum cfi_kind kind)
{
	struct cfi_rule rule = {.kind = kind, .size = dwarf_uleb(&run->bytes)};

	rule.bytes = run->bytes.at;
	dwarf_skip(&run->bytes, rule.size);
	return rule;
}

static void set_expression(struct run *run, enum cfi_kind kind)
{
	uint64_t number = dwarf_uleb(&run->bytes);

	set(run, number, expression(run, kind));
}

static void set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	run->row->cfa = (struct cfi_rule){.kind = CFI_REGISTER, .number = number, .offset = offset};
}

/* Changes half of a CFA that must be a register and an offset. */
static bool change_cfa(struct run *run, uint64_t number, int64_t offset)
{
	if (run->row->cfa.kind != CFI_REGISTER)
		return false;
	set_cfa(run, number, offset);
	return true;
}

static bool restore(struct run *run, uint64_t number)
{
	if (run->initial && number < CFI_REGISTERS)
		run->row->registers[number] = run->initial->registers[number];
	return run->initial != NULL;
}

static bool keep(struct run *run)
{
	if (run->kept_count == CFI_KEPT_MAX)
		return false;
	run->kept[run->kept_count++] = *run->row;
	return true;
}

static bool restore_kept(struct run *run)
{
	if (run->kept_count == 0)
		return false;
	*run->row = run->kept[--run->kept_count];
	return true;
}

static bool advance(struct run *run, uint64_t delta)
{
	run->location += delta * run->common->code_factor;
	return true;
}

/* Instructions with an operand in the lower six bits. Returns false if it is none of them. */
static bool execute_short(struct run *run, uint8_t code, bool *good)
{
	uint8_t operand = code & 0x3f;

	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		*good = advance(run, operand);
		return true;
	case DW_CFA_offset:
		set_offset(run, operand, CFI_AT_OFFSET, times(run, dwarf_uleb(&run->bytes)));
		return true;
	case DW_CFA_restore:
		*good = restore(run, operand);
		return true;
	default:
		return false;
	}
}

/* Instructions that define the CFA. Returns false if it is none of them. */
static bool execute_cfa(struct run *run, uint8_t code, bool *good)
{
	struct dwarf_bytes *bytes = &run->bytes;
	const struct cfi_rule cfa = run->row->cfa;
	uint64_t number;

	switch (code) {
	case DW_CFA_def_cfa:
		number = dwarf_uleb(bytes);
		set_cfa(run, number, (int64_t)dwarf_uleb(bytes));
		return true;
	case DW_CFA_def_cfa_sf:
		number = dwarf_uleb(bytes);
		set_cfa(run, number, times(run, (uint64_t)dwarf_sleb(bytes)));
		return true;
	case DW_CFA_def_cfa_register:
		*good = change_cfa(run, dwarf_uleb(bytes), cfa.offset);
		return true;
	case DW_CFA_def_cfa_offset:
		*good = change_cfa(run, cfa.number, (int64_t)dwarf_uleb(bytes));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		*good = change_cfa(run, cfa.number, times(run, (uint64_t)dwarf_sleb(bytes)));
		return true;
	case DW_CFA_def_cfa_expression:
		run->row->cfa = expression(run, CFI_VALUE_EXPRESSION);
		return true;
	default:
		return false;
	}
}

/* Instructions about a register. Returns false if it is none of them. */
static bool execute_register(struct run *run, uint8_t code, bool *good)
{
	struct dwarf_bytes *bytes = &run->bytes;
	uint64_t number;

	switch (code) {
	case DW_CFA_expression:
		set_expression(run, CFI_AT_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		set_expression(run, CFI_VALUE_EXPRESSION);
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
	case DW_CFA_register:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_restore_extended:
		break;
	default:
		return false;
	}
	number = dwarf_uleb(bytes);
	if (code == DW_CFA_offset_extended)
		set_offset(run, number, CFI_AT_OFFSET, times(run, dwarf_uleb(bytes)));
	else if (code == DW_CFA_offset_extended_sf)
		set_offset(run, number, CFI_AT_OFFSET, times(run, (uint64_t)dwarf_sleb(bytes)));
	else if (code == DW_CFA_GNU_negative_offset_extended)
		set_offset(run, number, CFI_AT_OFFSET, times(run, -dwarf_uleb(bytes)));
	else if (code == DW_CFA_val_offset)
		set_offset(run, number, CFI_OFFSET, times(run, dwarf_uleb(bytes)));
	else if (code == DW_CFA_val_offset_sf)
		set_offset(run, number, CFI_OFFSET, times(run, (uint64_t)dwarf_sleb(bytes)));
	else if (code == DW_CFA_register)
		set(run, number,
		    (struct cfi_rule){.kind = CFI_REGISTER, .number = dwarf_uleb(bytes)});
	else if (code == DW_CFA_undefined)
		set_offset(run, number, CFI_UNDEFINED, 0);
	else if (code == DW_CFA_same_value)
		set_offset(run, number, CFI_SAME, 0);
	else
		*good = restore(run, number);
	return true;
}

/* The others. */
static bool execute_other(struct run *run, uint8_t code)
{
	struct dwarf_bytes *bytes = &run->bytes;

	switch (code) {
	case DW_CFA_nop:
	case NEGATE_RA_STATE_WITH_PC: /* signatures are masked, whether they are there or not */
	case NEGATE_RA_STATE:
		return true;
	case DW_CFA_GNU_args_size:
		dwarf_uleb(bytes);
		return true;
	case DW_CFA_set_loc:
		run->location = cfi_read_address(run->section, bytes, run->common->encoding);
		return true;
	case DW_CFA_advance_loc1:
		return advance(run, dwarf_unsigned(bytes, 1));
	case DW_CFA_advance_loc2:
		return advance(run, dwarf_unsigned(bytes, 2));
	case DW_CFA_advance_loc4:
		return advance(run, dwarf_unsigned(bytes, 4));
	case DW_CFA_remember_state:
		return keep(run);
	case DW_CFA_restore_state:
		return restore_kept(run);
	default:
		return false;
	}
}

/* Runs to the end, or until the location is beyond the address. */
static bool execute(struct run *run)
{
	if (dwarf_left(&run->bytes) > CFI_PROGRAM_MAX)
		return false;
	while (dwarf_left(&run->bytes) && run->location <= run->address) {
		uint8_t code = (uint8_t)dwarf_unsigned(&run->bytes, 1);
		bool good = true;

		if (!execute_short(run, code, &good) && !execute_cfa(run, code, &good) &&
		    !execute_register(run, code, &good))
			good = execute_other(run, code);
		if (!good || run->bytes.failed)
			return false;
	}
	return true;
}

bool cfi_run(const struct cfi_section *section, const struct cfi_common *common,
	     struct dwarf_bytes program, uint64_t start, uint64_t address, struct cfi_row *row)
{
	struct cfi_row initial;
	struct run run = {
		.section = section,
		.common = common,
		.bytes = {.at = common->program, .end = common->end},
		.address = address,
		.row = row,
	};

	*row = (struct cfi_row){.return_register = common->return_register,
				.interrupted = common->interrupted};
	if (!execute(&run))
		return false;
	initial = *row;
	run.initial = &initial;
	run.bytes = program;
	run.location = start;
	run.kept_count = 0;
	return execute(&run);
}

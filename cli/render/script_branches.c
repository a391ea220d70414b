/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample says about branches: its flags and its branch stack, as perf script prints them. */
#include <stdio.h>

#include "render/script.h"
#include "spe/perf_version.h"

/* ---- Flags ----------------------------------------------------------------------------------- */

/* The columns between two blanks and one. */
#define FLAGS_WIDTH 21

void script_flags(uint32_t flags, char text[SCRIPT_WORDS_ROOM])
{
	static const struct {
		uint32_t flags;
		const char *name;
	} kinds[] = {
		{PLUMB_TRACE_BRANCH, "jmp"},
		{PLUMB_TRACE_BRANCH | PLUMB_TRACE_CALL, "call"},
		{PLUMB_TRACE_BRANCH | PLUMB_TRACE_RETURN, "return"},
		{PLUMB_TRACE_BRANCH | PLUMB_TRACE_CONDITIONAL, "jcc"},
	};
	const uint32_t what = PLUMB_TRACE_BRANCH | PLUMB_TRACE_CALL | PLUMB_TRACE_RETURN |
			      PLUMB_TRACE_CONDITIONAL;
	static const char *const happened[] = {"", "/miss/", "/not_taken/", "/miss,not_taken/"};
	const unsigned events =
		(flags & PLUMB_TRACE_MISS ? 1 : 0) | (flags & PLUMB_TRACE_NOT_TAKEN ? 2 : 0);
	const char *kind = "";
	int length;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((flags & what) == kinds[i].flags)
			kind = kinds[i].name;
	/* If perf has no word for a combination, it prints a letter for each flag. */
	if (flags & PLUMB_TRACE_BRANCH && !*kind && !events && !(flags & PLUMB_TRACE_TRANSACTION))
		kind = flags & PLUMB_TRACE_CALL ? "bco" : "bro";
	length = snprintf(text, SCRIPT_WORDS_ROOM, "%s%s", kind, happened[events]);
	/* Within a transaction. */
	if (flags & PLUMB_TRACE_TRANSACTION)
		snprintf(text + length, SCRIPT_WORDS_ROOM - (size_t)length, "%*s",
			 FLAGS_WIDTH - length, "(x)");
}

void script_print_flags(struct buffer *b, uint32_t flags)
{
	char text[SCRIPT_WORDS_ROOM];

	script_flags(flags, text);
	buffer_bytes(b, "  ", 2);
	buffer_padded(b, text, -FLAGS_WIDTH);
	buffer_char(b, ' ');
}

/* ---- Branch stacks --------------------------------------------------------------------------- */

static unsigned entry_field(uint64_t flags, enum plumb_entry_field field, unsigned width)
{
	return (unsigned)(flags >> field) & ((1u << width) - 1);
}

unsigned script_branch_cycles(uint64_t flags)
{
	return entry_field(flags, PLUMB_ENTRY_CYCLES, 16);
}

/* Where one end of a branch is; with `dso`, and the file it is in. */
static void print_end(struct script_printer *printer, const struct script_sample *sample,
		      uint64_t address)
{
	struct plumb_location location;

	buffer_bytes(printer->out, "0x", 2);
	buffer_hex(printer->out, address, 0);
	if (!script_prints(printer->fields, sample->type, FIELD_DSO))
		return;
	plumb_symbolizer_locate(printer->symbols, sample->task,
				plumb_symbolizer_mode(sample->mode, address), address, &location);
	if (printer->version != PLUMB_PERF_6_1)
		buffer_char(printer->out, ' ');
	script_print_file(printer, sample, &location);
}

static void print_prediction(struct buffer *b, uint64_t flags, bool newest)
{
	if (flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED))
		buffer_char(b, 'P');
	else if (flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED))
		buffer_char(b, 'M');
	if (newest && flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_NOT_TAKEN))
		buffer_char(b, 'N');
	else if (!(flags & (PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED) |
			    PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED))))
		buffer_char(b, '-');
}

/* Indexed by PERF_BR_* and, for the type that says so, PERF_BR_NEW_*. */
const char *script_branch_type(uint64_t flags)
{
	static const char *const names[16] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
	};
	static const char *const newer[8] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5",
	};
	const unsigned type = entry_field(flags, PLUMB_ENTRY_TYPE, 4);
	const unsigned new_type = entry_field(flags, PLUMB_ENTRY_NEW_TYPE, 4);

	if (type < 15)
		return names[type];
	return new_type < 8 ? newer[new_type] : "";
}

const char *script_branch_speculation(uint64_t flags)
{
	static const char *const names[4] = {"-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH"};

	return names[entry_field(flags, PLUMB_ENTRY_SPECULATION, 2)];
}

/* "0xFROM/0xTO/PREDICTION/TRANSACTION/ABORT/CYCLES/TYPE/SPECULATION", as far as perf knows them. */
void script_print_branches(struct script_printer *printer, const struct script_sample *sample)
{
	const struct plumb_sample *s = &sample->record->sample;
	struct buffer *b = printer->out;

	for (size_t i = 0; i < s->branch_count; i++) {
		const struct plumb_branch_entry *entry = &s->branches[i];

		buffer_char(b, ' ');
		print_end(printer, sample, entry->from);
		buffer_char(b, '/');
		print_end(printer, sample, entry->to);
		buffer_char(b, '/');
		print_prediction(b, entry->flags, perf_is_newer(printer->version));
		buffer_text(b,
			    entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_TRANSACTION) ? "/X" : "/-");
		buffer_text(b, entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_ABORT) ? "/A/" : "/-/");
		buffer_decimal(b, script_branch_cycles(entry->flags), 0);
		buffer_char(b, '/');
		buffer_text(b, script_branch_type(entry->flags));
		if (printer->version != PLUMB_PERF_6_1) {
			buffer_char(b, '/');
			buffer_text(b, script_branch_speculation(entry->flags));
		}
		buffer_char(b, ' ');
	}
}

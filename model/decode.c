/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder: finds a word's row in the tables of decode_*.c, and fills in the instruction. */
#include <string.h>

#include "decode.h"

#define TABLES(...) ((const struct decode_table *const[]){__VA_ARGS__, NULL})
#define MEMORY      TABLES(&decode_memory, &decode_structures)
#define VECTORS     TABLES(&decode_fp, &decode_simd, &decode_simd_scalar)
const struct decode_table *const *const decode_tables[16] = {
	[0] = TABLES(&decode_reserved, &decode_sme, &decode_sme2),
	[2] = TABLES(&decode_sve21, &decode_sve, &decode_sve2, &decode_sve_fp, &decode_sve_memory),
	[4] = MEMORY,
	[5] = TABLES(&decode_data_register),
	[6] = MEMORY,
	[7] = VECTORS,
	[8] = TABLES(&decode_data_immediate),
	[9] = TABLES(&decode_data_immediate),
	[10] = TABLES(&decode_branch),
	[11] = TABLES(&decode_branch),
	[12] = MEMORY,
	[13] = TABLES(&decode_data_register),
	[14] = MEMORY,
	[15] = VECTORS,
};

const struct decode_row *decode_find_row(uint32_t word)
{
	const struct decode_table *const *table = decode_tables[word >> 25 & 15];

	for (; table && *table; table++)
		for (size_t i = 0; i < (*table)->count; i++) {
			const struct decode_group *group = &(*table)->groups[i];

			if ((word & group->mask) != group->value)
				continue;
			for (size_t k = 0; k < group->count; k++) {
				const struct decode_row *row = &group->rows[k];

				if ((word & row->mask) == row->value)
					return row->operands ? row : NULL;
			}
		}
	return NULL;
}

static unsigned bits(uint32_t word, unsigned low, unsigned count)
{
	return word >> low & ((1u << count) - 1);
}

static int64_t signed_bits(uint32_t word, unsigned low, unsigned count)
{
	return (int64_t)((uint64_t)word << (64 - low - count)) >> (64 - count);
}

/* Returns the number of the highest set bit, or 0 if there is none. */
static unsigned highest(unsigned value)
{
	return value ? 31u - (unsigned)__builtin_clz(value) : 0;
}

/* Returns log2 of an element's size in bytes, by the rule of a row. */
static unsigned element_log2(unsigned rule, uint32_t word)
{
	static const uint8_t ftype[] = {2, 3, 1, 1};
	/* Memory and register element of ld1 by dtype (DDI 0487, C8.2, LD1B ...). */
	static const uint8_t dtype_memory[] = {0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3};
	static const uint8_t dtype_register[] = {0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3};

	switch (rule) {
	case ELEMENT_H:
		return 1;
	case ELEMENT_S:
		return 2;
	case ELEMENT_D:
		return 3;
	case ELEMENT_Q:
		return 4;
	case ELEMENT_SIZE:
		return bits(word, 22, 2);
	case ELEMENT_SIZE_WIDE:
		return bits(word, 22, 2) < 3 ? bits(word, 22, 2) + 1 : 3;
	case ELEMENT_SZ:
		return 2 + bits(word, 22, 1);
	case ELEMENT_FTYPE:
		return ftype[bits(word, 22, 2)];
	case ELEMENT_IMMH:
		return highest(bits(word, 19, 4));
	case ELEMENT_IMMH_WIDE:
		return bits(word, 19, 4) < 8 ? highest(bits(word, 19, 4)) + 1 : 3;
	case ELEMENT_TSZ:
		return highest(bits(word, 22, 2) << 2 | bits(word, 19, 2));
	case ELEMENT_TSZ_WIDE:
		return highest(bits(word, 22, 1) << 2 | bits(word, 19, 2)) + 1;
	case ELEMENT_TSZ_PRED:
		return highest(bits(word, 22, 2) << 2 | bits(word, 8, 2));
	case ELEMENT_18_17:
		return bits(word, 17, 2);
	case ELEMENT_31_30:
		return bits(word, 30, 2);
	case ELEMENT_31:
		return 2 + bits(word, 31, 1);
	case ELEMENT_30:
		return 2 + bits(word, 30, 1);
	case ELEMENT_VECTOR:
		return bits(word, 23, 1) ? 4 : bits(word, 30, 2);
	case ELEMENT_PAIR:
		return 2 + bits(word, 30, 2) % 3;
	case ELEMENT_11_10:
		return bits(word, 10, 2);
	case ELEMENT_INDEX:
		return bits(word, 12, 1) ? 3 : 0;
	case ELEMENT_MSZ:
		return bits(word, 23, 2);
	case ELEMENT_DTYPE:
		return dtype_memory[bits(word, 21, 4)];
	case ELEMENT_DTYPE_TO:
		return dtype_register[bits(word, 21, 4)];
	case ELEMENT_DTYPE_SPLIT:
		return dtype_memory[bits(word, 23, 2) << 2 | bits(word, 13, 2)];
	case ELEMENT_DTYPE_SPLIT_TO:
		return dtype_register[bits(word, 23, 2) << 2 | bits(word, 13, 2)];
	case ELEMENT_14_13:
		return bits(word, 13, 2);
	case ELEMENT_22_21:
		return bits(word, 21, 2);
	case ELEMENT_SLICE:
		return bits(word, 22, 2) + bits(word, 24, 1);
	default:
		return 0;
	}
}

/* Parses the operand notation of decode.h, from left to right. */
struct reader {
	struct insn *insn;
	uint32_t word;
	unsigned sources, targets;
	unsigned address; /* index of the first address register */
};

static const struct {
	const char *name;
	uint8_t reg;
} fixed_registers[] = {
	{"nzcv", REG_FLAGS},  {"x30", REG_X0 + 30}, {"x17", REG_X0 + 17},
	{"x16", REG_X0 + 16}, {"sp", REG_SP},       {"ffr", REG_FFR},
	{"fpcr", REG_FPCR},   {"za", REG_ZA},       {"system", REG_SYSTEM},
};

static unsigned field(char file, char name, uint32_t word)
{
	bool predicate = file == 'P';

	switch (name) {
	case 'd':
	case 't':
		return bits(word, 0, predicate ? 4 : 5);
	case 'n':
		return bits(word, 5, predicate ? 4 : 5);
	case 'm':
	case 's':
		return bits(word, 16, predicate ? 4 : 5);
	case 'a':
	case 'u':
		return bits(word, 10, 5);
	case 'e':
	case 'i':
		return bits(word, 16, 4);
	case 'j':
		return bits(word, 5, 4);
	case 'f':
		return bits(word, 16, 3);
	case 'g':
		return bits(word, 10, 3);
	case 'h':
		return bits(word, 13, 3);
	case 'q':
	case 'y':
		return bits(word, 10, 4);
	case 'w':
		return 12 + bits(word, 16, 2);
	case 'r':
		return 12 + bits(word, 13, 2);
	case 'v':
		return 8 + bits(word, 13, 2);
	case 'k':
		return 8 + bits(word, 10, 3);
	case 'l':
		return 8 + bits(word, 0, 3);
	default:
		return 31;
	}
}

static void add(struct reader *reader, bool target, unsigned reg)
{
	struct insn *insn = reader->insn;

	if (target) {
		if (reader->targets < INSN_TARGETS)
			insn->targets[reader->targets++] = (uint8_t)reg;
	} else if (reader->sources < INSN_SOURCES) {
		insn->sources[reader->sources++] = (uint8_t)reg;
	}
}

/* Parses one register of the list, such as "Vd*4", "Vd/4", "Vd:4" or "nzcv"; returns the rest. */
static const char *read_register(struct reader *reader, const char *text, bool target)
{
	static const uint8_t first[] = {
		['X'] = REG_X0, ['S'] = REG_X0, ['V'] = REG_V0, ['P'] = REG_P0};
	char file = text[0];

	if (file >= 'a') {
		for (size_t i = 0; i < sizeof(fixed_registers) / sizeof *fixed_registers; i++) {
			size_t length = strlen(fixed_registers[i].name);

			if (strncmp(text, fixed_registers[i].name, length) == 0) {
				add(reader, target, fixed_registers[i].reg);
				return text + length;
			}
		}
		return text + strlen(text);
	}
	unsigned number = field(file, text[1], reader->word);
	unsigned wrap = file == 'P' ? 16 : file == 'V' ? 32 : 64;
	unsigned count = 1, step = 1;

	text += 2;
	if (text[0] == '*' || text[0] == '/' || text[0] == ':') {
		count = (unsigned)(text[1] - '0');
		if (text[0] == '/') {
			number &= ~(count - 1);
		} else if (text[0] == ':') {
			step = 16 / count;
			number &= 16 | (step - 1);
		}
		text += 2;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned reg = (number + i * step) % wrap;

		if (file != 'X' || reg < 31)
			add(reader, target, first[(unsigned char)file] + reg);
	}
	return text;
}

static void write_base(struct reader *reader)
{
	struct insn *insn = reader->insn;

	insn->writes_base = (uint8_t)reader->targets;
	add(reader, true, insn->sources[reader->address]);
	insn->class ++; /* NAME_WB follows NAME in classes.def */
}

static void read_operands(struct insn *insn, const char *text)
{
	struct reader reader = {.insn = insn, .word = insn->opcode};
	bool target = true;

	while (*text) {
		switch (*text) {
		case '=':
			target = false;
			text++;
			break;
		case '+':
			insn->accumulator = (uint8_t)reader.sources;
			text = read_register(&reader, text + 1, false);
			if (insn->accumulator == reader.sources) /* the zero register */
				insn->accumulator = 255;
			break;
		case '[':
			if (strstr(text, "]?") && bits(insn->opcode, 23, 1))
				read_register(&reader, "Xm", false);
			reader.address = reader.sources;
			text++;
			break;
		case ']':
			insn->address_count = (uint8_t)(reader.sources - reader.address);
			text++;
			break;
		case '!':
			write_base(&reader);
			text++;
			break;
		case '?': /* post-indexed if bit 23 is set */
			if (bits(insn->opcode, 23, 1))
				write_base(&reader);
			text++;
			break;
		case ',':
			text++;
			break;
		default:
			text = read_register(&reader, text, target);
		}
	}
}

static void set_target(struct insn *insn)
{
	uint32_t word = insn->opcode;

	switch (insn->branch) {
	case BRANCH_IMMEDIATE:
	case BRANCH_CALL:
		insn->target = signed_bits(word, 0, 26) * 4;
		break;
	case BRANCH_CONDITIONAL:
		if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
			insn->target = signed_bits(word, 5, 14) * 4;
		else
			insn->target = signed_bits(word, 5, 19) * 4;
		break;
	default:
		break;
	}
}

static int hidden_offset(const struct decode_row *row, const struct insn *insn, unsigned vector)
{
	uint32_t word = insn->opcode;
	int64_t offset = 0;

	switch (row->offset) {
	case OFFSET_IMM12:
		offset = (int64_t)bits(word, 10, 12) << 3; /* prfm */
		break;
	case OFFSET_IMM9:
		offset = signed_bits(word, 12, 9);
		break;
	case OFFSET_TAG: /* 01: post-indexed */
		offset = bits(word, 10, 2) == 1 ? 0 : signed_bits(word, 12, 9) * 16;
		break;
	case OFFSET_VECTOR:
	case OFFSET_QUAD:
		offset = signed_bits(word, 16, 4) * insn->access_bytes;
		break;
	case OFFSET_REPEAT:
		offset = (int64_t)bits(word, 16, 6) << insn->access_log2;
		break;
	case OFFSET_PREFETCH:
		offset = signed_bits(word, 16, 6) * vector;
		break;
	case OFFSET_ELEMENT:
		offset = (int64_t)bits(word, 16, 5) << insn->access_log2;
		break;
	default:
		break;
	}
	return (int)offset;
}

/* How gathers and scatters take a vector of offsets (DDI 0487, C4.1, SVE memory). */
static unsigned offsets_of(uint32_t word)
{
	bool scatter = bits(word, 29, 3) == 7, of_d = bits(word, 30, 2) == 3;
	bool narrow = scatter ? bits(word, 13, 3) != 5 : !of_d || !bits(word, 15, 1);
	unsigned offsets = bits(word, 21, 1) ? OFFSETS_SCALED : 0;

	if (!narrow)
		return offsets;
	return offsets | OFFSETS_32 | (bits(word, scatter ? 14 : 22, 1) ? OFFSETS_SIGNED : 0);
}

static void set_memory(const struct decode_row *row, struct insn *insn, unsigned vector)
{
	unsigned log2 = element_log2(row->element, insn->opcode);
	unsigned bytes = row->count;

	insn->memory = row->memory;
	insn->access_log2 = (uint8_t)log2;
	switch (row->width) {
	case WIDTH_ASIMD:
		bytes *= bits(insn->opcode, 30, 1) ? 16 : 8;
		break;
	case WIDTH_BYTES:
		break;
	case WIDTH_SVE:
		bytes *= vector << log2 >> element_log2(row->container, insn->opcode);
		break;
	default:
		bytes <<= log2;
	}
	insn->access_bytes = (uint16_t)bytes;
	if (!(row->memory & MEM_HIDDEN))
		return;

	unsigned used = 0;

	while (used < INSN_SOURCES && insn->sources[used] != REG_NONE)
		used++;
	const uint8_t *address = insn->sources + used - insn->address_count;

	if (insn->address_count > 0)
		insn->hidden_base = address[0];
	if (insn->address_count > 1)
		insn->hidden_index = address[1];
	if (insn->hidden_index >= REG_V0 && insn->hidden_index < REG_P0)
		insn->offsets = (uint8_t)offsets_of(insn->opcode);
	insn->hidden_offset = (int16_t)hidden_offset(row, insn, vector);
}

/* Sets the governing predicate, if the operands name one; a counter has no mask to read. */
static void set_predicate(const struct decode_row *row, struct insn *insn)
{
	const char *governing = strpbrk(row->operands, "gijkq");

	if (!governing)
		return;
	insn->kinds |= KIND_SVE_PRED;
	if (*governing == 'k')
		return;
	insn->predicate = (uint8_t)(REG_P0 + field('P', *governing, insn->opcode));
	insn->lane_log2 =
		(uint8_t)element_log2(row->container ? row->container : row->element, insn->opcode);
}

static void set_kinds(const struct decode_row *row, struct insn *insn)
{
	static const uint32_t integer[] = {KIND_INT8, KIND_INT16, KIND_INT32, KIND_INT64,
					   KIND_INT64};
	static const uint32_t floating[] = {0, KIND_FP_HP, KIND_FP_SP, KIND_FP_DP, KIND_FP_DP};
	unsigned log2 = element_log2(row->element, insn->opcode);

	insn->kinds = row->kinds & ~(KIND_INT_SIZED | KIND_FP_SIZED);
	if (row->kinds & KIND_INT_SIZED)
		insn->kinds |= integer[log2];
	if (row->kinds & KIND_SVE)
		set_predicate(row, insn);
	if (row->kinds & KIND_FP_SIZED)
		insn->kinds |= floating[log2];
	if (row->fp_ops) {
		unsigned lanes = 1;

		if (row->width == WIDTH_ASIMD)
			lanes = (bits(insn->opcode, 30, 1) ? 16u : 8u) >> log2;
		else if (row->width == WIDTH_SVE)
			lanes = 16u >> log2;
		insn->fp_ops = (uint8_t)(row->fp_ops * lanes);
		insn->fp_ops_scale = row->width == WIDTH_SVE;
	}
}

bool insn_decode(uint32_t word, unsigned vector_bytes, struct insn *insn)
{
	const struct decode_row *row = decode_find_row(word);

	memset(insn, 0, sizeof *insn);
	memset(insn->sources, REG_NONE, sizeof insn->sources);
	memset(insn->targets, REG_NONE, sizeof insn->targets);
	insn->accumulator = 255;
	insn->writes_base = 255;
	insn->hidden_base = REG_NONE;
	insn->hidden_index = REG_NONE;
	insn->predicate = REG_NONE;
	insn->opcode = word;
	insn->class = CLASS_INT_ALU;
	if (!row) {
		insn->kinds = KIND_DP;
		return false;
	}
	insn->class = row->class;
	insn->branch = row->branch;
	read_operands(insn, row->operands);
	set_kinds(row, insn);
	if (row->memory)
		set_memory(row, insn, vector_bytes);
	set_target(insn);
	insn->class = (uint16_t)split_class(insn->class, word);
	return true;
}

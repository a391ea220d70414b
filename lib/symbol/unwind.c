/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call chains from a copy of the stack, as perf record --call-graph dwarf takes them. The rules are
 * those of .eh_frame and .debug_frame (cfi.h); where a file has none, frame pointers are followed.
 * Everything copied from the recorded program is hostile: each read is checked against the copy,
 * and the stack must shrink from frame to frame.
 *
 * Register numbers: DWARF for the Arm 64-bit Architecture (AADWARF64), section 4.1; System V ABI,
 * AMD64 supplement, figure 3.36. Order in samples: the kernel's asm/perf_regs.h.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/debug_info.h"
#include "symbol/dwarf_bytes.h"
#include "symbol/symbolizer.h"
#include "symbol/unwind.h"

#define REGISTERS_MAX CFI_REGISTERS
#define STACK_MAX     64  /* of a DWARF expression */
#define OPS_MAX       512 /* of one expression */

/* The bits of a pointer that authentication (FEAT_PAuth) does not use in user space. */
#define AARCH64_ADDRESS ((UINT64_C(1) << 48) - 1)
#define AARCH64_LINK    30 /* the link register */

/* Where architectures differ. */
struct architecture {
	uint8_t from_sample[REGISTERS_MAX]; /* DWARF's number of each register in a sample */
	uint8_t sample_registers;
	uint8_t pc, sp, fp; /* DWARF numbers; AArch64's pc has none, so this is a free one */
	uint64_t saved;     /* a bit for each register that is the caller's unless a rule says so */
	uint64_t address_mask;
};

#define NONE UINT8_MAX

static const struct architecture aarch64 = {
	.from_sample = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
			17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
	.sample_registers = 33,
	.pc = 32,
	.sp = 31,
	.fp = 29,
	.saved = UINT64_C(0x7ff80000), /* x19 to x30 (AAPCS64, section 6.1.1) */
	.address_mask = AARCH64_ADDRESS,
};

static const struct architecture x86_64 = {
	/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 ... r15 */
	.from_sample = {0,    3,    2,    1,    4, 5, 6,  7,  16, NONE, NONE, NONE,
			NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13,   14,   15},
	.sample_registers = 24,
	.pc = 16,
	.sp = 7,
	.fp = 6,
	.saved = 1u << 3 | 1u << 6 | 0xf000, /* rbx, rbp, r12 to r15 (figure 3.4) */
	.address_mask = UINT64_MAX,
};

struct frame {
	uint64_t value[REGISTERS_MAX];
	bool known[REGISTERS_MAX];
};

struct unwinding {
	const struct architecture *architecture;
	const struct user_stack *stack;
	uint64_t stack_start;
	struct frame frame;
	uint64_t cfa;
};

static bool read_word(const struct unwinding *u, uint64_t address, unsigned size, uint64_t *value)
{
	uint64_t offset = address - u->stack_start;

	if (address < u->stack_start || size > 8 || offset > u->stack->bytes_size ||
	    size > u->stack->bytes_size - offset)
		return false;
	*value = 0;
	/* Both architectures are little-endian here. */
	for (unsigned i = 0; i < size; i++)
		*value |= (uint64_t)u->stack->bytes[offset + i] << 8 * i;
	return true;
}

/* ---- DWARF expressions ----------------------------------------------------------------------- */

struct evaluation {
	uint64_t at[STACK_MAX];
	unsigned depth;
	bool is_value; /* the top of the stack is the value, not its address */
};

struct operation {
	uint8_t atom; /* DW_OP_... */
	uint64_t number, number2;
};

static bool push(struct evaluation *e, uint64_t value)
{
	if (e->depth == STACK_MAX)
		return false;
	e->at[e->depth++] = value;
	return true;
}

static bool push_register(struct evaluation *e, const struct unwinding *u, uint64_t number,
			  uint64_t offset)
{
	return number < REGISTERS_MAX && u->frame.known[number] &&
	       push(e, u->frame.value[number] + offset);
}

/* Applies an operation to the top two values. */
static bool combine(struct evaluation *e, uint8_t operation)
{
	uint64_t a, b;

	if (e->depth < 2)
		return false;
	b = e->at[--e->depth];
	a = e->at[--e->depth];
	switch (operation) {
	case DW_OP_plus:
		return push(e, a + b);
	case DW_OP_minus:
		return push(e, a - b);
	case DW_OP_mul:
		return push(e, a * b);
	case DW_OP_and:
		return push(e, a & b);
	case DW_OP_or:
		return push(e, a | b);
	case DW_OP_xor:
		return push(e, a ^ b);
	case DW_OP_shl:
		return push(e, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(e, b < 64 ? a >> b : 0);
	case DW_OP_eq:
		return push(e, a == b);
	case DW_OP_ne:
		return push(e, a != b);
	case DW_OP_ge:
		return push(e, (int64_t)a >= (int64_t)b);
	case DW_OP_gt:
		return push(e, (int64_t)a > (int64_t)b);
	case DW_OP_le:
		return push(e, (int64_t)a <= (int64_t)b);
	case DW_OP_lt:
		return push(e, (int64_t)a < (int64_t)b);
	default:
		return false;
	}
}

static bool apply(struct evaluation *e, const struct unwinding *u, const struct operation *op)
{
	uint8_t atom = op->atom;
	uint64_t value;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(e, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(e, u, atom - DW_OP_breg0, op->number);
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		e->is_value = true;
		return push_register(e, u, atom - DW_OP_reg0, 0);
	}
	switch (atom) {
	case DW_OP_bregx:
		return push_register(e, u, op->number, op->number2);
	case DW_OP_regx:
		e->is_value = true;
		return push_register(e, u, op->number, 0);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(e, op->number);
	case DW_OP_call_frame_cfa:
		return push(e, u->cfa);
	case DW_OP_plus_uconst:
		if (e->depth == 0)
			return false;
		e->at[e->depth - 1] += op->number;
		return true;
	case DW_OP_dup:
		return e->depth && push(e, e->at[e->depth - 1]);
	case DW_OP_drop:
		return e->depth && e->depth--;
	case DW_OP_deref:
	case DW_OP_deref_size:
		if (e->depth == 0 ||
		    !read_word(u, e->at[e->depth - 1],
			       atom == DW_OP_deref ? 8 : (unsigned)op->number, &value))
			return false;
		e->at[e->depth - 1] = value;
		return true;
	case DW_OP_stack_value:
		e->is_value = true;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return combine(e, atom); /* CFI does not use jumps */
	}
}

/* Reads an operation's operands. Those that apply() does not know need none. */
static struct operation read_operation(struct dwarf_bytes *bytes)
{
	struct operation op = {.atom = (uint8_t)dwarf_unsigned(bytes, 1)};

	if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
		op.number = (uint64_t)dwarf_sleb(bytes);
		return op;
	}
	switch (op.atom) {
	case DW_OP_const1u:
	case DW_OP_deref_size:
		op.number = dwarf_unsigned(bytes, 1);
		break;
	case DW_OP_const2u:
		op.number = dwarf_unsigned(bytes, 2);
		break;
	case DW_OP_const4u:
		op.number = dwarf_unsigned(bytes, 4);
		break;
	case DW_OP_const8u:
	case DW_OP_const8s:
		op.number = dwarf_unsigned(bytes, 8);
		break;
	case DW_OP_const1s:
		op.number = (uint64_t)dwarf_signed(bytes, 1);
		break;
	case DW_OP_const2s:
		op.number = (uint64_t)dwarf_signed(bytes, 2);
		break;
	case DW_OP_const4s:
		op.number = (uint64_t)dwarf_signed(bytes, 4);
		break;
	case DW_OP_constu:
	case DW_OP_plus_uconst:
	case DW_OP_regx:
		op.number = dwarf_uleb(bytes);
		break;
	case DW_OP_consts:
		op.number = (uint64_t)dwarf_sleb(bytes);
		break;
	case DW_OP_bregx:
		op.number = dwarf_uleb(bytes);
		op.number2 = (uint64_t)dwarf_sleb(bytes);
		break;
	default:
		break;
	}
	return op;
}

/* Evaluates a rule's expression; one for a register begins with the CFA on the stack. */
static bool evaluate(struct evaluation *e, const struct unwinding *u, const struct cfi_rule *rule,
		     bool of_register)
{
	struct dwarf_bytes bytes = {.at = rule->bytes, .end = rule->bytes + rule->size};

	*e = (struct evaluation){0};
	if (rule->size == 0 || (of_register && !push(e, u->cfa)))
		return false;
	for (unsigned i = 0; dwarf_left(&bytes); i++) {
		struct operation op = read_operation(&bytes);

		if (i == OPS_MAX || bytes.failed || !apply(e, u, &op))
			return false;
	}
	return e->depth != 0;
}

/* ---- One frame to the next ------------------------------------------------------------------- */

/* Finds a register plus an offset. Returns false if it is unknown. */
static bool add_to_register(const struct unwinding *u, const struct cfi_rule *rule, uint64_t *value)
{
	if (rule->number >= REGISTERS_MAX || !u->frame.known[rule->number])
		return false;
	*value = u->frame.value[rule->number] + (uint64_t)rule->offset;
	return true;
}

/* Finds the caller's register `number` by its rule. Returns false if it cannot be recovered. */
static bool recover(const struct unwinding *u, const struct cfi_rule *rule, unsigned number,
		    uint64_t *value)
{
	struct evaluation e;

	*value = u->frame.value[number];
	switch (rule->kind) {
	case CFI_UNSPECIFIED:
		return u->frame.known[number] && u->architecture->saved >> number & 1;
	case CFI_SAME:
		return u->frame.known[number];
	case CFI_AT_OFFSET:
		return read_word(u, u->cfa + (uint64_t)rule->offset, 8, value);
	case CFI_OFFSET:
		*value = u->cfa + (uint64_t)rule->offset;
		return true;
	case CFI_REGISTER:
		return add_to_register(u, rule, value);
	case CFI_AT_EXPRESSION:
	case CFI_VALUE_EXPRESSION:
		if (!evaluate(&e, u, rule, true))
			return false;
		*value = e.at[e.depth - 1];
		return rule->kind == CFI_VALUE_EXPRESSION || e.is_value ||
		       read_word(u, *value, 8, value);
	default:
		return false;
	}
}

static bool find_cfa(struct unwinding *u, const struct cfi_rule *rule)
{
	struct evaluation e;

	if (rule->kind == CFI_REGISTER)
		return add_to_register(u, rule, &u->cfa);
	if (rule->kind != CFI_VALUE_EXPRESSION || !evaluate(&e, u, rule, false))
		return false;
	u->cfa = e.at[e.depth - 1];
	return true;
}

/* Finds the caller by the rules. If they do not give its stack pointer, that is the CFA. */
static bool step_by_rules(struct unwinding *u, const struct cfi_row *row)
{
	const struct architecture *a = u->architecture;
	struct frame caller = {0};

	if (row->return_register >= REGISTERS_MAX || !find_cfa(u, &row->cfa))
		return false;
	for (unsigned i = 0; i < REGISTERS_MAX; i++)
		caller.known[i] = recover(u, &row->registers[i], i, &caller.value[i]);
	if (!row->interrupted || !caller.known[a->sp]) {
		caller.value[a->sp] = u->cfa;
		caller.known[a->sp] = true;
	}
	caller.known[a->pc] = caller.known[row->return_register];
	caller.value[a->pc] = caller.value[row->return_register];
	u->frame = caller;
	return true;
}

/* Finds the caller by a frame record: the address of the caller's, and the return address. */
static bool step_by_frame_pointer(struct unwinding *u)
{
	const struct architecture *a = u->architecture;
	struct frame *frame = &u->frame;
	uint64_t record = frame->value[a->fp], next, pc;

	if (!frame->known[a->fp] || !read_word(u, record, 8, &next) ||
	    !read_word(u, record + 8, 8, &pc))
		return false;
	memset(frame->known, 0, sizeof(frame->known));
	frame->value[a->fp] = next;
	frame->value[a->sp] = record + 16;
	frame->value[a->pc] = pc;
	frame->known[a->fp] = frame->known[a->sp] = frame->known[a->pc] = true;
	return true;
}

static const struct architecture *architecture_of(uint16_t elf, enum symbol_machine recorded)
{
	if (elf == EM_AARCH64 || (elf == 0 && recorded == MACHINE_AARCH64))
		return &aarch64;
	return elf == EM_X86_64 || (elf == 0 && recorded == MACHINE_X86_64) ? &x86_64 : NULL;
}

static bool read_registers(struct unwinding *u, enum symbol_machine machine)
{
	const struct user_stack *stack = u->stack;
	const struct architecture *a = architecture_of(stack->machine, machine);
	size_t next = 0;

	if (!a)
		return false;
	u->architecture = a;
	for (unsigned bit = 0; bit < 64 && next < stack->register_count; bit++) {
		unsigned number = bit < a->sample_registers ? a->from_sample[bit] : NONE;

		if (!(stack->register_mask >> bit & 1))
			continue;
		if (number != NONE) {
			u->frame.value[number] = stack->registers[next];
			u->frame.known[number] = true;
		}
		next++;
	}
	u->stack_start = u->frame.value[a->sp];
	return true;
}

size_t symbolizer_unwind(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			 const struct user_stack *stack, uint64_t *chain, size_t room)
{
	struct unwinding u = {.stack = stack};
	bool interrupted = true; /* the pc is an instruction, not a return address */
	size_t count = 0;

	if (!read_registers(&u, symbolizer_machine(symbolizer)) ||
	    !u.frame.known[u.architecture->sp] || !u.frame.known[u.architecture->pc])
		return 0;
	while (count < room) {
		const struct architecture *a = u.architecture;
		uint64_t pc = u.frame.value[a->pc] & a->address_mask, sp = u.frame.value[a->sp];
		struct plumb_location location;
		struct cfi_row row;
		bool stepped;

		if (!u.frame.known[a->pc] || pc == 0)
			break;
		/* A return address may be the next function's first byte. */
		if (!interrupted)
			pc--;
		if (!plumb_symbolizer_locate(symbolizer, task, PLUMB_MODE_USER, pc, &location) &&
		    count)
			break;
		chain[count++] = pc;
		if (location.file && debug_info_frame(location.file, location.address, &row)) {
			interrupted = row.interrupted;
			stepped = step_by_rules(&u, &row);
		} else {
			interrupted = false;
			stepped = step_by_frame_pointer(&u);
		}
		if (!stepped || (u.frame.value[a->sp] <= sp && count > 1 && !interrupted))
			break;
	}
	return count;
}

uint64_t symbolizer_leaf_caller(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
				const struct user_stack *stack, uint64_t pc)
{
	struct unwinding u = {.stack = stack};
	struct plumb_location location;
	struct cfi_row row;
	uint8_t kind;

	if (!read_registers(&u, symbolizer_machine(symbolizer)) || u.architecture != &aarch64 ||
	    !u.frame.known[AARCH64_LINK])
		return 0;
	plumb_symbolizer_locate(symbolizer, task, PLUMB_MODE_USER, pc, &location);
	if (!location.file || !debug_info_frame(location.file, location.address, &row))
		return 0;
	kind = row.registers[AARCH64_LINK].kind;
	if (row.interrupted || row.return_register != AARCH64_LINK ||
	    (kind != CFI_UNSPECIFIED && kind != CFI_SAME))
		return 0;
	pc = u.frame.value[AARCH64_LINK] & aarch64.address_mask;
	if (!pc)
		return 0;
	/* A signal's handler returns to a trampoline, which has not called it. */
	plumb_symbolizer_locate(symbolizer, task, PLUMB_MODE_USER, pc - 1, &location);
	if (location.file && debug_info_frame(location.file, location.address, &row) &&
	    row.interrupted)
		return pc;
	return pc - 1;
}

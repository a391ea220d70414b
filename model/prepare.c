/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a block's decoded instructions into operations for the hot loop, once per block. */
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

/* Returns the register file in which a register is renamed; HOLD_COUNT if none. */
static unsigned register_file(unsigned reg)
{
	if (reg <= REG_SP)
		return HOLD_INT;
	if (reg >= REG_V0 && reg < REG_P0)
		return HOLD_VECTOR;
	if (reg >= REG_P0 && reg <= REG_FFR)
		return HOLD_PREDICATE;
	return reg == REG_FLAGS ? HOLD_FLAGS : HOLD_COUNT;
}

/* Returns the resources held until retirement, or until leaving the store queue. */
static void prepare_holds(struct op *op, const struct insn *insn)
{
	op->holds = HOLD_ONE(HOLD_REORDER);
	for (size_t i = 0; i < sizeof(insn->targets); i++) {
		unsigned file = register_file(insn->targets[i]);

		if (file != HOLD_COUNT)
			op->holds += HOLD_ONE(file);
	}
	if (op->memory & MEM_LOAD)
		op->holds += op->accesses * HOLD_ONE(HOLD_LOAD);
	if (op->memory & MEM_STORE) {
		op->stores = op->accesses;
		op->holds += op->accesses * HOLD_ONE(HOLD_STORE);
	}
}

static uint8_t ready_source(unsigned reg)
{
	return reg < REG_COUNT ? (uint8_t)reg : READY_ALWAYS;
}

static void prepare_sources(struct op *op, const struct insn *insn)
{
	unsigned count = 0, address = 0, next = 0, others = 0;

	memset(op->sources, READY_ALWAYS, sizeof(op->sources));
	op->accumulator = READY_ALWAYS;
	while (count < sizeof(insn->sources) && insn->sources[count] != REG_NONE)
		count++;
	if (op->memory & MEM_ANY) {
		address = insn->address_count < count ? insn->address_count : count;
		others = OP_ADDRESS_SOURCES;
	}
	for (unsigned i = 0; i < count; i++) {
		uint8_t source = ready_source(insn->sources[i]);

		if (i == insn->accumulator)
			op->accumulator = source;
		else if (i >= count - address && next < OP_ADDRESS_SOURCES)
			op->sources[next++] = source;
		else if (others < OP_SOURCES)
			op->sources[others++] = source;
	}
}

static void prepare_targets(struct op *op, const struct insn *insn,
			    const struct class_params *class)
{
	unsigned next = 0;

	memset(op->targets, READY_NOWHERE, sizeof(op->targets));
	op->base = READY_NOWHERE;
	for (unsigned i = 0; i < sizeof(insn->targets); i++) {
		if (insn->targets[i] >= REG_COUNT)
			continue;
		if (i == insn->writes_base)
			op->base = insn->targets[i];
		else if (next < OP_TARGETS)
			op->targets[next++] = insn->targets[i];
	}
	/* The last piece of a class with write-back is for the base (model/cores). */
	if (op->base != READY_NOWHERE && op->pieces > 1)
		op->extra_ports = class->pieces[--op->pieces].ports;
}

/*
 * Returns how many cycles after the first of the pieces [from, to) the last one issues if no port
 * is taken by others.
 */
static unsigned spread_of(const struct class_params *class, unsigned from, unsigned to)
{
	unsigned free[PORTS_MAX] = {0}, last = 0;

	for (unsigned i = from; i < to; i++) {
		const struct piece_params *piece = &class->pieces[i];

		for (unsigned k = 0; k < piece->count && piece->ports; k++) {
			unsigned best = (unsigned)__builtin_ctz(piece->ports);

			for (uint32_t rest = piece->ports; rest; rest &= rest - 1) {
				unsigned port = (unsigned)__builtin_ctz(rest);

				best = free[port] < free[best] ? port : best;
			}
			last = free[best] > last ? free[best] : last;
			free[best] += piece->busy > 1 ? piece->busy : 1;
		}
	}
	return last;
}

/*
 * The latency of a class is that of the whole, from the first piece on. Those of loads go to the
 * memory side, so what their accesses are apart is taken from what is added to its latency.
 */
static void prepare_latency(const struct core_params *params, const struct class_params *class,
			    struct op *op)
{
	const unsigned apart = spread_of(class, 0, op->pieces ? 1 : 0);
	unsigned spread = spread_of(class, 0, op->pieces);

	if (op->memory & MEM_LOAD) {
		spread = spread_of(class, 1, op->pieces);
		if (class->latency > params->l1d.latency + apart)
			op->load_extra = (uint8_t)(class->latency - params->l1d.latency - apart);
	}
	op->spread = (uint8_t)(spread < class->latency ? spread : class->latency);
}

static bool is_plain_piece(const struct piece_params *piece)
{
	return piece->count == 1 && piece->busy <= 1;
}

static unsigned path_of(const struct op *op, const struct class_params *class,
			const struct insn *insn)
{
	const unsigned ordered = MEM_EXCLUSIVE | MEM_ACQUIRE | MEM_RELEASE | MEM_ATOMIC |
				 MEM_PREFETCH | MEM_ZERO | MEM_GATHER;
	unsigned access = insn->memory & (MEM_LOAD | MEM_STORE);

	for (unsigned i = 0; i < op->pieces; i++)
		if (!is_plain_piece(&class->pieces[i]))
			return PATH_OTHER;
	if (class->serializes || class->accumulator_latency || op->accumulator != READY_ALWAYS ||
	    insn->kinds & (KIND_DMB | KIND_DSB | KIND_ISB) || op->targets[2] != READY_NOWHERE)
		return PATH_OTHER;
	if (!(insn->memory & MEM_ANY) && op->sources[3] == READY_ALWAYS && op->pieces <= 1)
		return op->pieces ? PATH_PLAIN : PATH_RENAMED;
	if (!(insn->memory & MEM_ANY))
		return PATH_OTHER;
	if (insn->memory & ordered)
		return PATH_OTHER;
	if (access == MEM_LOAD && op->pieces == 1 && op->sources[2] == READY_ALWAYS)
		return PATH_LOAD;
	if (access == MEM_STORE && op->pieces == 2 && op->sources[4] == READY_ALWAYS)
		return PATH_STORE;
	return PATH_OTHER;
}

/* Tells whether an operation is like a plain one, except for an accumulator or being one. */
static bool accumulates(const struct op *op, const struct class_params *class,
			const struct insn *insn)
{
	return op->pieces == 1 && is_plain_piece(&class->pieces[0]) && !class->serializes &&
	       !(insn->memory & MEM_ANY) && !(insn->kinds & (KIND_DMB | KIND_DSB | KIND_ISB)) &&
	       op->sources[3] == READY_ALWAYS && op->targets[2] == READY_NOWHERE;
}

/* Tells whether some cores fuse `insn` with the one before: aese and aesmc, aesd and aesimc. */
static bool is_fused(const struct insn *before, const struct insn *insn)
{
	const uint32_t reg = before->opcode & 31;

	return (before->opcode & 0xffffec00) == 0x4e284800 &&
	       insn->opcode == (0x4e286800 | (before->opcode & 0x1000) | reg << 5 | reg);
}

/* Returns from which of the core's enum fused_compares on `word` is fused with b.cond behind it. */
static enum fused_compares fusion_of(uint32_t word)
{
	const bool reads_register = (word >> 5 & 31) != 31;

	if ((word & 0x3f80001f) == 0x3100001f || (word & 0x3fe0001f) == 0x2b20001f)
		return FUSED_COMPARES; /* of an immediate number, and of an extended register */
	if ((word & 0x3f20001f) == 0x2b00001f && reads_register)
		return FUSED_COMPARES; /* of a register, maybe shifted */
	if ((word & 0x7f80001f) == 0x7200001f || (word & 0x7f00001f) == 0x6a00001f)
		return FUSED_TESTS; /* of an immediate number, and of a register, bics among them */
	return FUSED_NONE;
}

/* Tells whether a compare and what is right behind it are one operation. */
static bool is_fused_compare(const struct core_params *params, const struct insn *insn)
{
	const enum fused_compares fusion = fusion_of(insn[0].opcode);

	return fusion != FUSED_NONE && fusion <= params->fused_compares &&
	       (insn[1].opcode & 0xff000010) == 0x54000000;
}

/* What is left of a compare that the branch behind it does. */
static void prepare_fused(unsigned number, struct op *op)
{
	*op = (struct op){
		.flags = OP_FUSED,
		.path = PATH_RENAMED,
		.class = (uint16_t)number,
		.base = READY_NOWHERE,
		.accumulator = READY_ALWAYS,
		.accesses = 1,
	};
	memset(op->sources, READY_ALWAYS, sizeof(op->sources));
	memset(op->targets, READY_NOWHERE, sizeof(op->targets));
}

static void prepare_op(const struct core_params *params, const struct insn *insn, unsigned number,
		       struct op *op)
{
	const struct class_params *class = &params->classes[number];
	unsigned limit = params->queue_entries[class->queue];

	*op = (struct op){
		.ports = class->pieces[0].ports,
		.operations = class->operations ? class->operations : 1,
		.latency = class->latency,
		.memory = insn->memory,
		.queue = class->queue,
		.class = (uint16_t)number,
		.pieces = class->piece_count,
		.accesses = class->pieces[0].count > 1 ? class->pieces[0].count : 1,
	};
	for (unsigned i = 0; i < class->piece_count && i < PIECES_MAX; i++)
		op->queues[i] = (uint8_t)queues_of(params, &class->pieces[i]);
	if (class->piece_count && !params->queue_ports[0])
		op->queued = (uint64_t)(op->operations < limit ? op->operations : limit)
			     << QUEUE_SHIFT(op->queue);
	prepare_holds(op, insn);
	prepare_sources(op, insn);
	prepare_targets(op, insn, class);
	/* The shifted index of a load is a piece of its own. */
	if (op->memory & MEM_LOAD && op->pieces == 2 && is_plain_piece(&class->pieces[1]) &&
	    !op->extra_ports)
		op->extra_ports = class->pieces[--op->pieces].ports;
	prepare_latency(params, class, op);
	if (op->pieces == 2)
		op->data_ports = class->pieces[1].ports;
	op->path = (uint8_t)path_of(op, class, insn);

	if (op->path == PATH_OTHER && accumulates(op, class, insn))
		op->flags |= OP_ACCUMULATES;
	if (insn->kinds & KIND_ISB)
		op->flags |= OP_FLUSH;
	if (op->operations > 1)
		op->flags |= OP_MORE;
	if (op->memory & MEM_STORE)
		op->flags |= OP_COMMIT;
	if ((insn->opcode >> 3 & 3) == 2) /* prfm's type, pst */
		op->flags |= OP_FOR_STORE;
}

/* Prepares a branch that compares as well, on its own port and as late as the compare would be. */
static void prepare_branch(const struct core_params *params, const struct insn *branch,
			   struct op *op)
{
	const struct insn *compare = branch - 1;
	const unsigned latency = params->classes[compare->class].latency;
	struct insn both = *compare;

	both.opcode = branch->opcode;
	both.branch = branch->branch;
	both.target = branch->target;
	prepare_op(params, &both, branch->class, op);
	op->latency = (uint8_t)(latency > op->latency ? latency : op->latency);
	op->flags |= OP_FUSES;
}

static void sum_kinds(struct prepared *prepared, const struct block *block)
{
	uint32_t sums[LANE_COUNT] = {0}, largest = 1;

	for (unsigned i = 0; i < block->count; i++) {
		const struct insn *insn = &block->insns[i];

		for (uint32_t kinds = insn->kinds; kinds; kinds &= kinds - 1)
			sums[__builtin_ctz(kinds)]++;
		sums[insn->fp_ops_scale ? LANE_SCALE_OPS : LANE_FIXED_OPS] += insn->fp_ops;
		sums[LANE_BRANCHES] +=
			insn->branch != BRANCH_NONE && insn->branch != BRANCH_EXCEPTION;
		prepared->predicated |= (insn->kinds & KIND_SVE_PRED) != 0;
		prepared->operations += prepared->ops[i].operations;
	}
	for (int i = 0; i < LANE_COUNT; i++) {
		largest = sums[i] > largest ? sums[i] : largest;
		prepared->kinds[i] = (uint16_t)sums[i];
	}
	/* Too many for the lanes: count them one by one. */
	prepared->whole = largest <= UINT16_MAX / 4;
	prepared->largest = prepared->whole ? (uint16_t)largest : 0;
}

/* Whether memo.c can tell all that the operation depends on, of what memory answers. */
static bool is_replayable(const struct insn *insn)
{
	return !(insn->memory & (MEM_ZERO | MEM_GATHER | MEM_TAG)) &&
	       insn->branch != BRANCH_EXCEPTION;
}

bool core_prepare_block(const struct core_params *params, struct block *block)
{
	size_t bytes = sizeof(struct prepared) + block->count * sizeof(struct op);
	static _Atomic uint64_t serial;
	struct prepared *prepared;

	bytes = (bytes + 63) & ~(size_t)63;
	prepared = aligned_alloc(64, bytes);
	if (!prepared)
		return false;
	memset(prepared, 0, bytes);
	prepared->count = block->count;
	prepared->branch = block->count ? block->insns[block->count - 1].branch : BRANCH_NONE;
	prepared->serial = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1;
	prepared->replayable = true;
	for (unsigned i = 0; i < block->count; i++) {
		const struct insn *insn = &block->insns[i];
		struct op *op = &prepared->ops[i];

		if (i + 1 < block->count && is_fused_compare(params, insn))
			prepare_fused(insn->class, op);
		else if (i > 0 && op[-1].flags & OP_FUSED)
			prepare_branch(params, insn, op);
		else if (i > 0 && is_fused(insn - 1, insn))
			prepare_op(params, insn, CLASS_CRYPTO_AES_FUSED, op);
		else
			prepare_op(params, insn, insn->class, op);
		prepared->replayable &= is_replayable(insn);
	}
	sum_kinds(prepared, block);
	block->model = prepared;
	return true;
}

void core_release_block(struct block *block)
{
	free(block->model);
	block->model = NULL;
}

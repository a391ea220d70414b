/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "disasm/replay_core.h"

/* More would take long to search, and have samples enough. */
#define ALIKE_MAX 64
/* Kinds of loads in a block that are told apart; later ones stand for themselves. */
#define KINDS_MAX 32

/* Loads of a block that are alike so far. */
struct kind {
	uint16_t class, bytes;
	uint32_t first, last;
	unsigned count;
};

/* Returns the kind that a load belongs to, a new one if there is none; NULL: there are too many. */
static struct kind *kind_of(struct kind *kinds, size_t *count, const struct insn *insn)
{
	for (size_t k = 0; k < *count; k++)
		if (kinds[k].class == insn->class && kinds[k].bytes == insn->access_bytes &&
		    kinds[k].count < ALIKE_MAX)
			return &kinds[k];
	if (*count == KINDS_MAX)
		return NULL;
	kinds[*count] = (struct kind){.class = insn->class, .bytes = insn->access_bytes};
	return &kinds[(*count)++];
}

static void add_load(struct kind *kind, struct replay_instruction *instructions, uint32_t i)
{
	if (!kind || kind->count == 0) {
		instructions[i].next_alike = i;
		if (kind)
			kind->first = i;
	} else {
		instructions[kind->last].next_alike = i;
		instructions[i].next_alike = kind->first;
	}
	instructions[i].alike = 1;
	if (kind) {
		kind->last = i;
		kind->count++;
	}
}

static void count_kind(const struct kind *kind, struct replay_instruction *instructions)
{
	double samples = 0;
	uint32_t i = kind->first;

	for (unsigned n = 0; n < kind->count; n++, i = instructions[i].next_alike)
		for (unsigned s = 0; s < instructions[i].source_count; s++)
			samples += instructions[i].sources[s].samples;
	for (unsigned n = 0; n < kind->count; n++, i = instructions[i].next_alike) {
		instructions[i].alike = kind->count;
		instructions[i].alike_samples = samples;
	}
}

void replay_pool_loads(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		       const uint32_t *words, struct replay_instruction *instructions)
{
	const struct core_params *params = replay_params(core);
	struct plumb_block block;

	for (size_t b = 0; plumb_flow_block(flow, b, &block); b++) {
		struct kind kinds[KINDS_MAX];
		size_t count = 0;

		for (uint32_t i = block.first; i < block.first + block.count; i++) {
			struct insn insn;

			insn_decode(words[i], params->vector_bytes, &insn);
			instructions[i].stores = insn.memory & MEM_STORE;
			if (insn.memory & MEM_LOAD)
				add_load(kind_of(kinds, &count, &insn), instructions, i);
		}
		for (size_t k = 0; k < count; k++)
			count_kind(&kinds[k], instructions);
	}
}

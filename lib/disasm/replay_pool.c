/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>

#include "disasm/replay_core.h"

/* More would take long to search, and have samples enough. */
#define ALIKE_MAX 64
/* As many samples as those of others count for at most. */
#define WEIGHT_MAX (UINT32_C(1) << 20)
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

/* The logarithm of the beta function. */
static double log_beta(double a, double b)
{
	return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/*
 * Returns how likely the samples of all are, as a logarithm, if the share of misses differs between
 * loads as if each had `weight` samples of its own in common with the others (a beta distribution).
 */
static double likelihood(const struct kind *kind, const struct replay_instruction *instructions,
			 double share, double weight)
{
	const double a = weight * share, b = weight - a;
	uint32_t i = kind->first;
	double sum = 0;

	for (unsigned n = 0; n < kind->count; n++, i = instructions[i].next_alike) {
		const struct replay_count own = replay_count_sources(&instructions[i]);

		sum += log_beta(own.far + a, own.all - own.far + b) - log_beta(a, b);
	}
	return sum;
}

/*
 * Returns as how many samples those of all loads count for each: the likeliest weight, so few if
 * some miss and others do not, and many if all miss equally often. At most as many as there are.
 */
static double find_weight(const struct kind *kind, const struct replay_instruction *instructions,
			  const struct replay_count *all)
{
	double best = 1, best_likelihood;

	if (kind->count < 2 || !(all->all > 0))
		return 0;
	if (!(all->far > 0) || !(all->far < all->all))
		return best;
	best_likelihood = likelihood(kind, instructions, all->far / all->all, best);
	for (uint32_t weight = 2; weight <= WEIGHT_MAX && weight <= all->all; weight *= 2) {
		const double found = likelihood(kind, instructions, all->far / all->all, weight);

		if (found <= best_likelihood)
			continue;
		best = weight;
		best_likelihood = found;
	}
	return best;
}

static void count_kind(const struct kind *kind, struct replay_instruction *instructions)
{
	struct replay_count all = {0};
	uint32_t i = kind->first;
	double weight;

	for (unsigned n = 0; n < kind->count; n++, i = instructions[i].next_alike) {
		const struct replay_count own = replay_count_sources(&instructions[i]);

		all.all += own.all;
		all.far += own.far;
	}
	weight = find_weight(kind, instructions, &all);
	for (unsigned n = 0; n < kind->count; n++, i = instructions[i].next_alike) {
		instructions[i].alike = kind->count;
		instructions[i].alike_samples = all.all;
		instructions[i].alike_far = all.far;
		instructions[i].alike_weight = weight;
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

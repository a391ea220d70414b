/* SPDX-License-Identifier: Apache-2.0 */
/* All that matters to a core of what memory and predictor answer, in a word each: memo.h. */
#ifndef MODEL_MEMO_ANSWERS_H
#define MODEL_MEMO_ANSWERS_H

#include "forward.h"
#include "memo_graph.h"

#define ACCESS_BYTES 256 /* of an instruction, at most */

#define ANSWER_CYCLES 24         /* bits */
#define ANSWER_NONE   UINT64_MAX /* none that can be remembered */

/* Returns whether the cycles are few enough, and puts them into an answer. */
static inline bool add_cycles(uint64_t *answer, uint64_t cycles)
{
	*answer = *answer << ANSWER_CYCLES | cycles;
	return !(cycles >> ANSWER_CYCLES);
}

static inline uint64_t load_answer(const struct memory_result *result, uint64_t cycle)
{
	uint64_t answer = (uint64_t)(result->level | result->tlb << 4 | result->crosses_line << 7);

	if (result->crosses_line)
		answer |= (uint64_t)result->crosses_page << 8;

	if (unlikely(!add_cycles(&answer, result->ready - cycle) ||
		     !add_cycles(&answer, result->translated - cycle)))
		return ANSWER_NONE;
	return answer;
}

#define TRANSLATE_HITS_BOTH 2ull /* lines */
static inline uint64_t translate_answer(const struct memory_result *result, uint64_t cycle)
{
	uint64_t answer = 1;

	if (likely(result->tlb == TLB_L1_HIT))
		return result->crosses_line ? TRANSLATE_HITS_BOTH : 0;
	return add_cycles(&answer, result->translated - cycle) ? answer : ANSWER_NONE;
}

#define STORE_HITS      1ull                                 /* it is in L1D a cycle later */
#define STORE_HITS_BOTH (1ull << ANSWER_CYCLES | STORE_HITS) /* of two lines */
static inline uint64_t store_answer(const struct memory_result *result, uint64_t cycle)
{
	uint64_t answer = result->crosses_line;

	return likely(add_cycles(&answer, result->ready - cycle)) ? answer : ANSWER_NONE;
}

/* Whether a step is an access of two lines that hits both. */
static inline bool hits_both(const struct core *core, unsigned step_kind, uint64_t answer)
{
	const uint64_t *crossing = core->memo->crossing;

	switch (step_kind) {
	case STEP_LOAD:
	case STEP_NEAR:
		return answer == crossing[0] || answer == crossing[1];
	case STEP_TRANSLATE:
		return answer == TRANSLATE_HITS_BOTH;
	case STEP_STORE:
		return answer == STORE_HITS_BOTH;
	default:
		return false;
	}
}

static inline uint64_t fetch_answer(const struct memory_result *result, uint64_t cycle,
				    bool at_hand)
{
	const bool walks = result->tlb != TLB_L1_HIT;
	uint64_t answer = 1 | (uint64_t)walks << 1 | (uint64_t)(result->level > LEVEL_L2) << 2;

	if (likely(at_hand) || (!walks && result->level == LEVEL_L1 && result->ready <= cycle))
		return 0;
	if (!add_cycles(&answer, result->ready - cycle) ||
	    !add_cycles(&answer, walks ? result->translated - cycle : 0))
		return ANSWER_NONE;
	return answer;
}

static inline uint64_t cycles_left(uint64_t until, uint64_t cycle)
{
	return until > cycle ? until - cycle : 0;
}

static inline uint64_t branch_answer(const struct predict_outcome *outcome, uint64_t pc, bool taken)
{
	unsigned wrong = 0;

	if (outcome->result == PREDICT_WRONG && outcome->wrong_path)
		wrong = outcome->wrong_path == pc + 4 ? 1 : 2;
	return (uint64_t)(taken | outcome->pairs << 1 | wrong << 2 | outcome->result << 4);
}

/*
 * Describes the stores that have some of the bytes of a load that issues at `cycle`. Returns false
 * if they are too many.
 */
bool describe_stores(const struct core *core, uint64_t cycle, uint64_t address, unsigned bytes,
		     uint64_t stores[2]);

/* Whether some of 8 bytes may be in a store that has not gone by `cycle`. */
static inline bool are_stored(const struct core *core, uint64_t cycle, uint64_t granule)
{
	const struct forward *entry = &core->forwards[granule % FORWARD_ENTRIES];

	if (likely(entry->granule != granule))
		return false;
	for (unsigned i = 0; i < FORWARD_STORES; i++) {
		const struct recent_store *store =
			&core->recent_stores[entry->stores[i] % RECENT_STORES];

		if (store->gone > cycle && store->number == entry->stores[i])
			return true;
	}
	return false;
}

/* Whether some of the bytes may be. */
static inline bool may_be_stored(const struct core *core, uint64_t cycle, uint64_t address,
				 unsigned bytes)
{
	const uint64_t first = address / 8, last = (address + bytes - 1) / 8;

	for (uint64_t granule = first + 1; granule < last; granule++)
		if (unlikely(are_stored(core, cycle, granule)))
			return true;
	return are_stored(core, cycle, first) || are_stored(core, cycle, last);
}

/* Likewise; most loads are near no store. */
static inline bool find_stores(const struct core *core, uint64_t cycle, uint64_t address,
			       unsigned bytes, uint64_t forward[2])
{
	forward[0] = forward[1] = 0;
	if (likely(!may_be_stored(core, cycle, address, bytes)))
		return true;
	return describe_stores(core, cycle, address, bytes, forward);
}

#endif

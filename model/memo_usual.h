/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For memo.c: takes a step of a transition if its answer is the usual one, which changes nothing of
 * what follows. Each function returns whether it was; if not, it has changed nothing.
 */
#ifndef MODEL_MEMO_USUAL_H
#define MODEL_MEMO_USUAL_H

#include "hits.h"
#include "memo_answers.h"
#include "memo_graph.h"

/* A block that is to be replayed. */
struct attempt {
	struct core *core;
	const struct block *block;
	const struct access *accesses;
	size_t access_count;
	uint64_t next_pc, begun;
};

static inline uint64_t cycle_of(const struct attempt *attempt, const struct step *step)
{
	return attempt->begun + (uint64_t)(int64_t)step->cycle;
}

static inline uint64_t address_at(const struct attempt *attempt, const struct step *step)
{
	return attempt->accesses[step->access].address + (uint64_t)(int64_t)step->offset;
}

static inline uint64_t pc_of(const struct attempt *attempt, const struct step *step)
{
	return attempt->block->pc + 4ull * attempt->accesses[step->access].insn;
}

static inline bool fetches(const struct attempt *attempt, const struct step *step)
{
	const uint64_t pc = attempt->block->pc + (uint64_t)(int64_t)step->offset;
	uint64_t physical;

	return likely(!step->answer &&
		      fetch_hits(attempt->core->memory, cycle_of(attempt, step), pc, &physical));
}

/*
 * memo.c: the same of accesses of two lines, which are seldom. The step's answer is one of those
 * that hit both: hits_both().
 */
bool crossing_load_is_usual(const struct attempt *attempt, const struct step *step);
bool crossing_store_is_usual(const struct attempt *attempt, const struct step *step);
bool crossing_translation_is_usual(const struct attempt *attempt, const struct step *step);

/* ---- Loads and stores --------------------------------------------------------------------- */

/* Whether a load is answered as usual; `own`: of a line that will be written. */
static inline bool hits(const struct attempt *attempt, const struct step *step, bool own)
{
	const uint64_t cycle = cycle_of(attempt, step), address = address_at(attempt, step);
	struct memory *m = attempt->core->memory;
	const struct memo *memo = attempt->core->memo;
	uint64_t physical;

	if (unlikely(step->answer != memo->hit))
		return !own &&
		       (step->answer == memo->crossing[0] || step->answer == memo->crossing[1]) &&
		       crossing_load_is_usual(attempt, step);
	return own ? own_load_hits(m, cycle, address, step->bytes, &physical)
		   : load_hits(m, cycle, address, step->bytes, &physical);
}

static inline bool loads(const struct attempt *attempt, const struct step *step, bool own)
{
	const struct core *core = attempt->core;
	uint64_t stores[2];

	return likely(find_stores(core, cycle_of(attempt, step), address_at(attempt, step),
				  step->bytes, stores) &&
		      !stores[0] && hits(attempt, step, own));
}

/*
 * Takes loads that follow one another, as long as each hits one line and no older store may have
 * any of it. If a load is of the same line as the last one, nothing has to be looked up: nothing
 * but loads comes between them. Returns the first step that was not taken.
 */
static inline const struct step *take_loads(const struct attempt *attempt, const struct step *step)
{
	const struct core *core = attempt->core;
	const struct step *const begin = step;
	const uint64_t hit = core->memo->hit;
	struct memory *m = core->memory;
	const unsigned line_log2 = m->line_log2;
	uint64_t line = UINT64_MAX, ready = 0;

	if (unlikely(m->huge_log2 || !memory_alone(m)))
		return step;
	for (; step->kind == STEP_LOAD && step->answer == hit; step++) {
		const uint64_t cycle = cycle_of(attempt, step);
		const uint64_t address = address_at(attempt, step);
		const uint64_t end = address + step->bytes - 1;

		if (unlikely((address ^ end) >> line_log2 ||
			     may_be_stored(core, cycle, address, step->bytes)))
			break;
		if (address >> line_log2 == line) {
			if (unlikely(cycle < ready))
				break;
		} else {
			if (unlikely(!load_finds(m, cycle, address, &ready)))
				break;
			line = address >> line_log2;
		}
	}
	m->counts[EVENT_L1D_TLB] += (uint64_t)(step - begin);
	m->counts[EVENT_L1D_CACHE_RD] += (uint64_t)(step - begin);
	return step;
}

static inline bool loads_near(const struct attempt *attempt, const struct step *step,
			      const struct near *near, bool own)
{
	const uint64_t issue = attempt->begun + (uint64_t)near->issue;
	const struct core *core = attempt->core;
	uint64_t stores[2];

	stores[0] = stores[1] = 0;
	return likely(
		describe_stores(core, issue, address_at(attempt, step), step->bytes, stores) &&
		stores[0] == near->stores[0] && stores[1] == near->stores[1] &&
		hits(attempt, step, own));
}

static inline bool translates(const struct attempt *attempt, const struct step *step)
{
	uint64_t physical;

	if (unlikely(step->answer))
		return step->answer == TRANSLATE_HITS_BOTH &&
		       crossing_translation_is_usual(attempt, step);
	return likely(translation_hits(attempt->core->memory, address_at(attempt, step),
				       step->bytes, &physical));
}

static inline bool stores(const struct attempt *attempt, const struct step *step)
{
	uint64_t physical;

	if (unlikely(step->answer != STORE_HITS))
		return step->answer == STORE_HITS_BOTH && crossing_store_is_usual(attempt, step);
	return likely(store_hits(attempt->core->memory, cycle_of(attempt, step),
				 address_at(attempt, step), step->bytes, &physical));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Replays what blocks do to the core, if that is remembered: memo.h. */
#include "memo_usual.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bounds.h"
#include "charge.h"
#include "wrong_path.h"

/*
 * It takes as long to record a block, and to begin with a state and write it back, as so many
 * replays save. A try may fall behind by some records, and get ahead by some more; then blocks
 * execute plainly for a while, longer each time.
 */
#define RECORD_COSTS 100
#define ENTER_COSTS  32
#define BEHIND_MAX   (64 * RECORD_COSTS)
#define AHEAD_MAX    (1024 * RECORD_COSTS)
#define HUGE_FROM    (16u << 20) /* bytes to use: a smaller memory may hardly be used */
#define REST_LEAST   256         /* blocks */
#define REST_MAX     262144

void memo_free(struct memo *memo)
{
	if (!memo)
		return;
	free(memo->arena);
	free(memo);
}

void memo_leave(struct core *core)
{
	struct memo *memo = core->memo;

	if (!memo || !memo->node)
		return;
	if (memo->stale)
		state_write(core, memo->node->words);
	memo->disturbed++;
	memo->stale = false;
	memo->node = NULL;
	memo->last = NULL;
	if (core->exact) {
		memo_settle(core);
		charges_leave(core);
	}
}

void memo_settle(struct core *core)
{
	struct memo *memo = core->memo;
	struct transition *t;

	if (!memo || !memo->counted)
		return;
	while ((t = memo->counted)) {
		for (unsigned i = 0; i < t->delta_count; i++)
			*memo->counters[deltas_in(t)[i].counter] +=
				(uint64_t)t->executions * deltas_in(t)[i].more;
		if (t->charged)
			charges_settle(core, t->charged);
		t->executions = 0;
		memo->counted = t->counted;
	}
}

/* ---- Replaying ---------------------------------------------------------------------------- */

/* What is asked, and answered, at a step. */
struct met {
	unsigned k; /* its number */
	unsigned kind;
	const uint64_t *stores; /* if is_near(), else NULL */
	uint64_t answer;        /* ANSWER_NONE: any */
};

static bool meets(const struct transition *t, const struct met *met)
{
	const struct step *step = &steps_in(t)[met->k];

	if (step->kind != met->kind)
		return false;
	if (met->stores &&
	    memcmp(near_in(t)[step->near].stores, met->stores, sizeof(near_in(t)->stores)) != 0)
		return false;
	return met->answer == ANSWER_NONE || step->answer == met->answer;
}

/*
 * Finds another transition that is the same as `like` before a step, and then is as what was met.
 * The stores of loads that are near some are the same before it if these steps are, and their
 * numbers.
 */
static __attribute__((noinline)) struct transition *
find_other(const struct memo *memo, const struct transition *like, const struct met *met)
{
	for (struct transition *t = memo->node->first; t; t = t->next) {
		unsigned near = 0;

		if (t->serial != like->serial || t->step_count <= met->k || t == like ||
		    t->access_count != like->access_count || !meets(t, met) ||
		    memcmp(shape_in(t), shape_in(like), t->access_count * sizeof(uint32_t)) != 0 ||
		    memcmp(steps_in(t), steps_in(like), met->k * sizeof(struct step)) != 0)
			continue;
		for (unsigned i = 0; i < met->k; i++)
			near += is_near(steps_in(t)[i].kind);
		if (!near || !memcmp(near_in(t), near_in(like), near * sizeof(struct near)))
			return t;
	}
	return NULL;
}

/* Makes a store known to loads, in a way that can be undone. */
static inline void keep_store(const struct attempt *attempt, const struct step *step)
{
	struct core *core = attempt->core;
	const uint64_t slot = core->buffer_sequence++, number = slot + 1;
	const uint64_t address = address_at(attempt, step);
	const uint64_t gone = attempt->begun + (uint64_t)(int64_t)step->gone;
	const uint64_t ready = attempt->begun + (uint64_t)(int64_t)step->ready;
	const struct recent_store *older = &core->recent_stores[number % RECENT_STORES];
	struct memo *memo = core->memo;
	struct undone *undone = &memo->undone;
	struct undone_store *store = &undone->stores[memo->undone_stores++];
	const uint64_t last = (address + step->bytes - 1) / 8;

	store->buffered = core->buffered[slot & core->buffer_mask];
	store->displaces = older->gone > attempt->begun;
	if (unlikely(store->displaces))
		store->was = *older;
	for (uint64_t granule = address / 8; granule <= last; granule++) {
		struct forward *place = &core->forwards[granule % FORWARD_ENTRIES];

		undone->forwards[memo->undone_forwards++] = (struct undone_forward){place, *place};
	}
	core->buffered[slot & core->buffer_mask] = gone;
	remember_store(core, number, address, step->bytes, ready, gone);
}

static void undo_stores(struct core *core)
{
	struct memo *memo = core->memo;
	struct undone *undone = &memo->undone;

	while (memo->undone_forwards) {
		const struct undone_forward *forward = &undone->forwards[--memo->undone_forwards];

		*forward->place = forward->was;
	}
	while (memo->undone_stores) {
		const struct undone_store *store = &undone->stores[--memo->undone_stores];
		const uint64_t number = core->buffer_sequence--;

		if (store->displaces)
			core->recent_stores[number % RECENT_STORES] = store->was;
		core->buffered[core->buffer_sequence & core->buffer_mask] = store->buffered;
	}
}

/* Finds a transition of a block, the last one if possible. */
static inline struct transition *find_first(const struct memo *memo,
					    const struct prepared *prepared,
					    const struct access *accesses, size_t count)
{
	const uint64_t serial = prepared->serial;
	struct transition *t;

	for (unsigned i = 0; memo->last && i < 2; i++) {
		t = memo->last->then[i];
		if (t && t->serial == serial && has_shape(t, prepared, accesses, count))
			return t;
	}
	for (t = memo->node->first; t; t = t->next)
		if (t->serial == serial && has_shape(t, prepared, accesses, count))
			return t;
	return NULL;
}

void memo_go_on(struct memo *memo, struct transition *t)
{
	struct transition *last = memo->last;

	if (last && last->then[0] != t) {
		last->then[1] = last->then[0];
		last->then[0] = t;
	}
	memo->last = t;
	memo->node = t->to;
	/* Until the next block ends, the host can fetch what it will probably be. */
	for (size_t i = 0; t->then[0] && i < 6; i++)
		__builtin_prefetch((const char *)t->then[0] + 64 * i);
	__builtin_prefetch(t->then[1]);
}

/* ---- Steps of two lines ---------------------------------------------------------------- */

__attribute__((noinline)) bool crossing_load_is_usual(const struct attempt *attempt,
						      const struct step *step)
{
	const struct core *core = attempt->core;
	const bool pages = step->answer == core->memo->crossing[1];

	return crossing_load_hits(core->memory, cycle_of(attempt, step), address_at(attempt, step),
				  step->bytes, pages);
}

__attribute__((noinline)) bool crossing_store_is_usual(const struct attempt *attempt,
						       const struct step *step)
{
	return crossing_store_hits(attempt->core->memory, cycle_of(attempt, step),
				   address_at(attempt, step), step->bytes);
}

__attribute__((noinline)) bool crossing_translation_is_usual(const struct attempt *attempt,
							     const struct step *step)
{
	return crossing_translation_hits(attempt->core->memory, address_at(attempt, step),
					 step->bytes);
}

/* ---- Steps with answers that are not the usual ones ---------------------------------------- */

/* Each asks what a step does, keeps the answer in `told`, and returns what matters of it. */

static uint64_t ask_fetch(const struct attempt *attempt, const struct step *step, struct told *told)
{
	const uint64_t pc = attempt->block->pc + (uint64_t)(int64_t)step->offset;
	const uint64_t cycle = cycle_of(attempt, step);

	told->at_hand = fetch_line(attempt->core, cycle, pc, &told->last);
	return fetch_answer(&told->last, cycle, told->at_hand);
}

static uint64_t ask_load(const struct attempt *attempt, const struct step *step, bool own,
			 struct told *told)
{
	const uint64_t cycle = cycle_of(attempt, step);

	memory_load(attempt->core->memory, cycle, pc_of(attempt, step), address_at(attempt, step),
		    step->bytes, own, &told->last);
	return load_answer(&told->last, cycle);
}

static uint64_t ask_translate(const struct attempt *attempt, const struct step *step,
			      struct told *told)
{
	const uint64_t cycle = cycle_of(attempt, step);

	memory_translate(attempt->core->memory, cycle, address_at(attempt, step), step->bytes,
			 &told->last);
	return translate_answer(&told->last, cycle);
}

static uint64_t ask_store(const struct attempt *attempt, const struct step *step, struct told *told)
{
	const uint64_t cycle = cycle_of(attempt, step);

	memory_store(attempt->core->memory, cycle, pc_of(attempt, step), address_at(attempt, step),
		     step->bytes, false, &told->last);
	return store_answer(&told->last, cycle);
}

static uint64_t ask(const struct attempt *attempt, const struct step *step, struct told *told)
{
	switch (step->kind) {
	case STEP_FETCH:
		return ask_fetch(attempt, step, told);
	case STEP_LOAD:
	case STEP_NEAR:
		return ask_load(attempt, step, false, told);
	case STEP_OWN:
	case STEP_OWN_NEAR:
		return ask_load(attempt, step, true, told);
	case STEP_TRANSLATE:
		return ask_translate(attempt, step, told);
	case STEP_STORE:
		return ask_store(attempt, step, told);
	case STEP_LOADS_DONE:
		return cycles_left(attempt->core->loads_done, attempt->begun);
	default:
		memory_prefetch(attempt->core->memory, cycle_of(attempt, step),
				address_at(attempt, step), step->bytes);
		return step->answer;
	}
}

/* Likewise step `k`, which is charged with what that counts. */
static uint64_t ask_charged(const struct attempt *attempt, const struct step *steps, unsigned k)
{
	struct core *core = attempt->core;
	const struct step *step = &steps[k];
	const unsigned index = step->kind == STEP_FETCH ? (unsigned)step->offset / 4
							: attempt->accesses[step->access].insn;
	uint64_t usual[USUAL_COUNT] = {0}, begun, answer;

	charges_share(core, attempt->block, index, attempt->accesses, attempt->access_count);
	for (unsigned i = 0; i < k; i++)
		usual_add(usual, steps[i].kind, hits_both(core, steps[i].kind, steps[i].answer));
	begun = charges_step_begins(core, step->kind);
	answer = ask(attempt, step, &core->memo->told);
	charges_step_ends(core, step->kind, hits_both(core, step->kind, answer), index, usual,
			  begun);
	return answer;
}

/* Notes that nothing can be replayed from a step on; `given`: answers are, until there or of it. */
static void stop_at(const struct attempt *attempt, const struct transition *t, unsigned k,
		    unsigned given)
{
	struct told *told = &attempt->core->memo->told;

	told->answers = steps_in(t);
	told->last_at = k;
	told->given = given;
}

/*
 * Before a load: whether it is near the same stores as in the transition; if not, finds one in
 * which it is. Returns NULL if there is none.
 */
static struct transition *find_as_near(const struct attempt *attempt, struct transition *t,
				       unsigned k)
{
	const struct step *step = &steps_in(t)[k];
	const struct near *near = &near_in(t)[step->near];
	const bool was_near = is_near(step->kind);
	const bool own = step->kind == STEP_OWN || step->kind == STEP_OWN_NEAR;
	const uint64_t issue =
		was_near ? attempt->begun + (uint64_t)near->issue : cycle_of(attempt, step);
	struct met met = {.k = k, .answer = ANSWER_NONE};
	uint64_t stores[2];

	if (!find_stores(attempt->core, issue, address_at(attempt, step), step->bytes, stores))
		return NULL;
	if (was_near == (stores[0] != 0) &&
	    (!was_near || (stores[0] == near->stores[0] && stores[1] == near->stores[1])))
		return t;
	met.stores = stores[0] ? stores : NULL;
	if (stores[0])
		met.kind = own ? STEP_OWN_NEAR : STEP_NEAR;
	else
		met.kind = own ? STEP_OWN : STEP_LOAD;
	return find_other(attempt->core->memo, t, &met);
}

/*
 * A step got another answer than in its transition. Finds one in which it is this one, and sets
 * `*step` to that in it; NULL if there is none. The stores that a load is near are as in this one.
 */
static __attribute__((noinline)) struct transition *find_answered(const struct attempt *attempt,
								  struct transition *t,
								  const struct step **step,
								  uint64_t answer)
{
	const unsigned k = (unsigned)(*step - steps_in(t));
	struct met met = {.k = k, .kind = (*step)->kind, .answer = answer};
	struct transition *other = NULL;

	if (is_near(met.kind))
		met.stores = near_in(t)[(*step)->near].stores;
	if (answer != ANSWER_NONE)
		other = find_other(attempt->core->memo, t, &met);
	if (other)
		*step = &steps_in(other)[k];
	else
		stop_at(attempt, t, k, k + 1);
	return other;
}

/*
 * Takes a step in any way, but a branch. Returns the transition that goes on, and sets `*step` to
 * that in it; or NULL.
 */
static __attribute__((noinline)) struct transition *
take_step(const struct attempt *attempt, struct transition *t, const struct step **step)
{
	const unsigned k = (unsigned)(*step - steps_in(t));
	struct transition *found = t;
	uint64_t answer;

	attempt->core->memo->disturbed += (*step)->kind != STEP_LOADS_DONE;
	if ((*step)->kind >= STEP_LOAD && (*step)->kind <= STEP_OWN_NEAR)
		found = find_as_near(attempt, t, k);
	if (!found) {
		stop_at(attempt, t, k, k);
		return NULL;
	}
	*step = &steps_in(found)[k];
	if (unlikely(attempt->core->exact != NULL) && (*step)->kind != STEP_LOADS_DONE)
		answer = ask_charged(attempt, steps_in(found), k);
	else
		answer = ask(attempt, *step, &attempt->core->memo->told);
	return answer == (*step)->answer ? found : find_answered(attempt, found, step, answer);
}

/* Asks the predictor about the branch at the block's end. */
static inline uint64_t ask_branch(const struct attempt *attempt, struct told *told)
{
	const struct prepared *prepared = attempt->block->model;
	const uint64_t pc = attempt->block->pc + 4ull * (prepared->count - 1u);
	const bool taken = prepared->branch != BRANCH_CONDITIONAL || attempt->next_pc != pc + 4;

	predictor_branch(attempt->core->predictor, pc, prepared->branch, taken, attempt->next_pc,
			 &told->outcome);
	return branch_answer(&told->outcome, pc, taken);
}

/*
 * Asks memory and predictor what the block would. Returns the transition that they answer as; or
 * NULL, with the answers until there was none in memo->told.
 */
static inline __attribute__((always_inline)) struct transition *
follow(const struct attempt *attempt, struct memo *memo)
{
	const struct prepared *prepared = attempt->block->model;
	struct transition *t = find_first(memo, prepared, attempt->accesses, attempt->access_count);
	const struct step *step, *after, *next;
	uint64_t answer;

	memo->told.given = 0;
	memo->undone_stores = memo->undone_forwards = 0;
	if (unlikely(!t))
		return NULL;
	for (step = steps_in(t);; step++) {
		switch (step->kind) {
		case STEP_END:
			return t;
		case STEP_FETCH:
			if (fetches(attempt, step))
				continue;
			break;
		case STEP_LOAD:
			after = take_loads(attempt, step);
			if (likely(after != step)) {
				step = after - 1;
				continue;
			}
			if (loads(attempt, step, false))
				continue;
			break;
		case STEP_NEAR:
			if (loads_near(attempt, step, &near_in(t)[step->near], false))
				continue;
			break;
		case STEP_OWN:
			if (loads(attempt, step, true))
				continue;
			break;
		case STEP_OWN_NEAR:
			if (loads_near(attempt, step, &near_in(t)[step->near], true))
				continue;
			break;
		case STEP_TRANSLATE:
			if (translates(attempt, step))
				continue;
			break;
		case STEP_STORE:
			if (stores(attempt, step))
				goto stored;
			break;
		case STEP_BRANCH:
			answer = ask_branch(attempt, &memo->told);
			if (likely(answer == step->answer))
				continue;
			next = step;
			t = find_answered(attempt, t, &next, answer);
			if (!t)
				return NULL;
			step = next;
			continue;
		default:
			break;
		}
		next = step; /* so that `step` itself can be in a register */
		t = take_step(attempt, t, &next);
		if (!t)
			return NULL;
		step = next;
		if (step->kind != STEP_STORE)
			continue;
stored:
		keep_store(attempt, step);
	}
}

static void replay(struct core *core, const struct block *block, unsigned executed,
		   struct transition *t)
{
	const struct prepared *prepared = block->model;
	struct memo *memo = core->memo;
	const uint64_t begun = core->cycle;

	core->last_retired = begun + (uint64_t)(int64_t)t->last_retired;
	if (t->loads)
		core->loads_done =
			later(core->loads_done, begun + (uint64_t)(int64_t)t->loads_done);
	if (t->acquires)
		core->memory_floor = begun + (uint64_t)(int64_t)t->memory_floor;
	if (t->releases)
		core->release_gone = begun + (uint64_t)(int64_t)t->release_gone;
	if (unlikely(core->exact != NULL))
		charges_replay(core, t->charged);
	core->sequence += t->operations;
	core->cycle = begun + (uint64_t)(int64_t)t->resolved;
	if (!t->executions++) {
		t->counted = memo->counted;
		memo->counted = t;
	}
	memo_go_on(memo, t);
	memo->stale = true;
	if (likely(t->counts_kinds)) {
		count_room(core, prepared);
	} else {
		memo->disturbed++;
		count_kinds(core, block, executed);
	}
	if (prepared->branch && memo->told.outcome.result == PREDICT_WRONG) {
		count_wrong_path(core, memo->told.outcome.wrong_path, t->wrong_operations,
				 begun + (uint64_t)(int64_t)t->wrong);
	}
	core->cycle = begun + t->cycles;
	core->used = t->used;
}

/* ---- The interface ------------------------------------------------------------------------ */

void core_remember(struct core *core, size_t bytes)
{
	const struct core_params *params = core->params;
	struct memo *memo;

	if (core->memo || core->shadows || core->conditioned || core->wrong_loads ||
	    params->ideal || core->extra_ports || core->reorder_unlimited)
		return;
	memo = calloc(1, sizeof(*memo));
	if (!memo || !(memo->arena = aligned_alloc(HUGE_PAGE, bytes))) {
		free(memo);
		return;
	}
	memo->size = bytes;
	if (bytes >= HUGE_FROM)
		madvise(memo->arena, bytes, MADV_HUGEPAGE); /* or not: it is only faster */
	memo_find_counters(memo, core);
	memo->hit = load_answer(&(struct memory_result){.ready = params->l1d.latency}, 0);
	for (unsigned i = 0; i < 2; i++)
		memo->crossing[i] =
			load_answer(&(struct memory_result){.ready = params->l1d.latency,
							    .crosses_line = true,
							    .crosses_page = i != 0},
				    0);
	core->memo = memo;
}

uint64_t core_replays(const struct core *core)
{
	return core->memo ? core->memo->replays : 0;
}

/* Notes what something cost. If that happens too often, the next blocks execute plainly. */
static void pay(struct core *core, int costs)
{
	struct memo *memo = core->memo;

	memo->ahead -= costs;
	if (memo->ahead > -BEHIND_MAX)
		return;
	memo_leave(core);
	memo->rest_next = 2 * memo->rest_next + REST_LEAST;
	if (memo->rest_next > REST_MAX)
		memo->rest_next = REST_MAX;
	memo->rest = memo->rest_next;
	memo->ahead = 0;
}

/* Finds the node of the core's state, unless it is not worth while. */
static bool enter(struct core *core)
{
	struct memo *memo = core->memo;

	if (memo->rest) {
		memo->rest--;
		return false;
	}
	if (core->exact && !charges_complete(core))
		return false;
	memo->node = memo_find_node(core);
	if (memo->node) {
		pay(core, ENTER_COSTS);
	} else {
		pay(core, RECORD_COSTS);
		memo_make_room(core);
	}
	return memo->node;
}

bool memo_may_replay(const struct core *core)
{
	/* All that looks at the core may be a profile. */
	return !core->observed || (core->exact && !core->watch &&
				   (!core->bounds || core->bounds->stage == BOUNDS_IDLE));
}

void memo_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	const struct attempt attempt = {core, block, accesses, access_count, next_pc, core->cycle};
	const struct prepared *prepared = block->model;
	struct memo *memo = core->memo;
	struct transition *t;

	if (unlikely(!memo_may_replay(core) || !prepared->replayable ||
		     executed != prepared->count || access_count > ACCESSES_MAX)) {
		memo->disturbed++;
		memo_leave(core);
		execute_anew(core, block, executed, accesses, access_count, next_pc);
		return;
	}
	if (unlikely(!memo->node) && !enter(core)) {
		memo->disturbed++;
		execute_anew(core, block, executed, accesses, access_count, next_pc);
		return;
	}
	if (core->exact) {
		if (unlikely(!exact_block_begins(core, block, executed))) {
			memo_leave(core);
			execute_anew(core, block, executed, accesses, access_count, next_pc);
			return;
		}
		core->exact->shared_until = 0;
	}
	t = follow(&attempt, memo);
	if (unlikely(!t)) {
		undo_stores(core);
		memo_record(core, block, executed, accesses, access_count, next_pc);
		pay(core, RECORD_COSTS);
		return;
	}
	memo->replays++;
	if (unlikely(++memo->ahead == AHEAD_MAX)) {
		memo->ahead = AHEAD_MAX / 2;
		memo->rest_next = 0;
	}
	if (core->exact)
		charges_share(core, block, prepared->count, accesses, access_count);
	replay(core, block, executed, t);
	if (core->exact)
		exact_block_ends(core, block, executed, next_pc);
}

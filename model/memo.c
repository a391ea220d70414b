/* SPDX-License-Identifier: Apache-2.0 */
/* Replays what blocks do to the core, if that is remembered: memo.h. */
#include "hits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memo_answers.h"
#include "memo_graph.h"
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
#define REST_LEAST   256 /* blocks */
#define REST_MAX     32768

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
	memo->stale = false;
	memo->node = NULL;
	memo->last = NULL;
}

void memo_settle(struct core *core)
{
	struct memo *memo = core->memo;
	uint64_t sums[COUNTERS_MAX] = {0};
	struct transition *t;

	if (!memo || !memo->counted)
		return;
	while ((t = memo->counted)) {
		for (unsigned i = 0; i < t->delta_count; i++)
			sums[deltas_in(t)[i].counter] +=
				(uint64_t)t->executions * deltas_in(t)[i].more;
		t->executions = 0;
		memo->counted = t->counted;
	}
	for (unsigned i = 0; i < memo->counter_count; i++)
		*memo->counters[i] += sums[i];
}

/* ---- Replaying ---------------------------------------------------------------------------- */

/* What is asked, and answered, at a step. */
struct met {
	unsigned k; /* its number */
	unsigned kind;
	const uint64_t *stores; /* of STEP_NEAR, else NULL */
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
 * The stores of STEP_NEAR are the same before it if these steps are, and their numbers.
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
			near += steps_in(t)[i].kind == STEP_NEAR;
		if (!near || !memcmp(near_in(t), near_in(like), near * sizeof(struct near)))
			return t;
	}
	return NULL;
}

/* Makes a store known to loads, in a way that can be undone. */
static void keep_store(struct core *core, uint64_t begun, uint64_t address, const struct step *step)
{
	struct memo *memo = core->memo;
	const uint64_t slot = core->buffer_sequence++, number = slot + 1;
	const uint64_t gone = begun + (uint64_t)(int64_t)step->gone;
	struct recent_store *store = &core->recent_stores[number % RECENT_STORES];
	const uint64_t last = (address + step->bytes - 1) / 8;
	struct undone *undone = &memo->undone[memo->undone_count];

	undone->place = store;
	undone->was.store = *store;
	undone->buffered = core->buffered[slot & core->buffer_mask];
	undone->is_store = true;
	for (uint64_t granule = address / 8; granule <= last; granule++) {
		struct forward *forward = &core->forwards[granule % FORWARD_ENTRIES];

		undone++;
		undone->place = forward;
		undone->was.forward = *forward;
		undone->is_store = false;
	}
	memo->undone_count = (unsigned)(undone + 1 - memo->undone);
	core->buffered[slot & core->buffer_mask] = gone;
	remember_store(core, number, address, step->bytes, begun + (uint64_t)(int64_t)step->ready,
		       gone);
}

static void undo_stores(struct core *core)
{
	struct memo *memo = core->memo;

	while (memo->undone_count) {
		const struct undone *undone = &memo->undone[--memo->undone_count];

		if (undone->is_store) {
			*(struct recent_store *)undone->place = undone->was.store;
			core->buffer_sequence--;
			core->buffered[core->buffer_sequence & core->buffer_mask] =
				undone->buffered;
		} else {
			*(struct forward *)undone->place = undone->was.forward;
		}
	}
}

/* Finds a transition of a block, the last one if possible. */
static inline struct transition *find_first(const struct memo *memo, uint64_t serial,
					    const struct access *accesses, size_t count)
{
	struct transition *t;

	for (unsigned i = 0; memo->last && i < 2; i++) {
		t = memo->last->then[i];
		if (t && t->serial == serial && has_shape(t, accesses, count))
			return t;
	}
	for (t = memo->node->first; t; t = t->next)
		if (t->serial == serial && has_shape(t, accesses, count))
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

/* A block that is to be replayed. */
struct attempt {
	struct core *core;
	const struct block *block;
	const struct access *accesses;
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

/* Each asks what a step does, and returns whether the answer is that of the step, or sets it. */

static inline bool fetches_alike(const struct attempt *attempt, const struct step *step,
				 struct told *told, uint64_t *answer)
{
	const uint64_t pc = attempt->block->pc + (uint64_t)(int64_t)step->offset;
	const uint64_t cycle = cycle_of(attempt, step);
	uint64_t physical;

	if (likely(!step->answer && fetch_hits(attempt->core->memory, cycle, pc, &physical)))
		return true;
	told->at_hand = fetch_line(attempt->core, cycle, pc, &told->last);
	*answer = fetch_answer(&told->last, cycle, told->at_hand);
	return *answer == step->answer;
}

static inline bool loads_alike(const struct attempt *attempt, const struct step *step,
			       struct told *told, uint64_t *answer)
{
	const uint64_t cycle = cycle_of(attempt, step), address = address_at(attempt, step);
	struct core *core = attempt->core;
	uint64_t physical;

	if (likely(step->answer == core->memo->hit &&
		   load_hits(core->memory, cycle, address, step->bytes, &physical)))
		return true;
	memory_load(core->memory, cycle, pc_of(attempt, step), address, step->bytes, false,
		    &told->last);
	*answer = load_answer(&told->last, cycle);
	return *answer == step->answer;
}

static inline bool translates_alike(const struct attempt *attempt, const struct step *step,
				    struct told *told, uint64_t *answer)
{
	const uint64_t cycle = cycle_of(attempt, step), address = address_at(attempt, step);
	struct memory *memory = attempt->core->memory;
	uint64_t physical;

	if (likely(!step->answer && translation_hits(memory, address, step->bytes, &physical)))
		return true;
	memory_translate(memory, cycle, address, step->bytes, &told->last);
	*answer = translate_answer(&told->last, cycle);
	return *answer == step->answer;
}

static inline bool stores_alike(const struct attempt *attempt, const struct step *step,
				struct told *told, uint64_t *answer)
{
	const uint64_t cycle = cycle_of(attempt, step);

	memory_store(attempt->core->memory, cycle, pc_of(attempt, step), address_at(attempt, step),
		     step->bytes, false, &told->last);
	*answer = store_answer(&told->last, cycle);
	return *answer == step->answer;
}

static inline bool branches_alike(const struct attempt *attempt, const struct step *step,
				  struct told *told, uint64_t *answer)
{
	const struct prepared *prepared = attempt->block->model;
	const uint64_t pc = attempt->block->pc + 4ull * (prepared->count - 1u);
	const bool taken = prepared->branch != BRANCH_CONDITIONAL || attempt->next_pc != pc + 4;

	predictor_branch(attempt->core->predictor, pc, prepared->branch, taken, attempt->next_pc,
			 &told->outcome);
	*answer = branch_answer(&told->outcome, pc, taken);
	return *answer == step->answer;
}

static inline bool is_alike(const struct attempt *attempt, const struct step *step,
			    struct told *told, uint64_t *answer)
{
	switch (step->kind) {
	case STEP_FETCH:
		return fetches_alike(attempt, step, told, answer);
	case STEP_LOAD:
	case STEP_NEAR:
		return loads_alike(attempt, step, told, answer);
	case STEP_TRANSLATE:
		return translates_alike(attempt, step, told, answer);
	case STEP_STORE:
		return stores_alike(attempt, step, told, answer);
	case STEP_BRANCH:
		return branches_alike(attempt, step, told, answer);
	default:
		memory_prefetch(attempt->core->memory, cycle_of(attempt, step),
				address_at(attempt, step), step->bytes);
		return true;
	}
}

/*
 * Before a load: whether it is near the same stores as in the transition; if not, finds one in
 * which it is. Returns NULL if there is none.
 */
static inline struct transition *find_as_near(const struct attempt *attempt, struct transition *t,
					      struct met *met, uint64_t stores[2])
{
	const struct step *step = &steps_in(t)[met->k];
	const struct near *near = &near_in(t)[step->near];
	const bool is_near = step->kind == STEP_NEAR;
	const uint64_t issue =
		is_near ? attempt->begun + (uint64_t)near->issue : cycle_of(attempt, step);

	if (unlikely(!find_stores(attempt->core, issue, address_at(attempt, step), step->bytes,
				  stores)))
		return NULL;
	met->stores = stores[0] ? stores : NULL;
	if (likely(is_near == (stores[0] != 0) &&
		   (!is_near || (stores[0] == near->stores[0] && stores[1] == near->stores[1]))))
		return t;
	met->kind = stores[0] ? STEP_NEAR : STEP_LOAD;
	met->answer = ANSWER_NONE;
	return find_other(attempt->core->memo, t, met);
}

/*
 * Asks memory and predictor what the block would. Returns the transition that they answer as; or
 * NULL, with the answers until there was none in memo->told.
 */
static inline struct transition *follow(const struct attempt *attempt, size_t access_count)
{
	const struct prepared *prepared = attempt->block->model;
	struct memo *memo = attempt->core->memo;
	struct told *told = &memo->told;
	struct transition *t, *other;

	told->given = 0;
	memo->undone_count = 0;
	t = find_first(memo, prepared->serial, attempt->accesses, access_count);
	for (unsigned k = 0; t; k++) {
		const struct step *step = &steps_in(t)[k];
		struct met met = {.k = k, .kind = step->kind};
		uint64_t stores[2];

		if (step->kind == STEP_END)
			return t;
		told->answers = steps_in(t);
		told->given = told->last_at = k;
		if (step->kind == STEP_LOAD || step->kind == STEP_NEAR) {
			t = find_as_near(attempt, t, &met, stores);
			if (unlikely(!t))
				return NULL;
			step = &steps_in(t)[k];
		}
		if (unlikely(!is_alike(attempt, step, told, &met.answer))) {
			told->given = k + 1;
			met.kind = step->kind;
			other = met.answer == ANSWER_NONE ? NULL : find_other(memo, t, &met);
			if (!other)
				return NULL;
			t = other;
			step = &steps_in(t)[k];
		}
		if (step->kind == STEP_STORE)
			keep_store(attempt->core, attempt->begun, address_at(attempt, step), step);
	}
	return NULL;
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
	core->sequence += t->operations;
	core->cycle = begun + (uint64_t)(int64_t)t->resolved;
	if (!t->executions++) {
		t->counted = memo->counted;
		memo->counted = t;
	}
	memo_go_on(memo, t);
	memo->stale = true;
	count_kinds(core, block, executed);
	if (prepared->branch && memo->told.outcome.result == PREDICT_WRONG)
		count_wrong_path(core, memo->told.outcome.wrong_path, t->wrong_operations,
				 begun + (uint64_t)(int64_t)t->wrong);
	core->cycle = begun + t->cycles;
	core->used = t->used;
}

/* ---- The interface ------------------------------------------------------------------------ */

void core_remember(struct core *core)
{
	const struct core_params *params = core->params;
	struct memo *memo;

	if (core->memo || core->shadows || core->conditioned || core->wrong_loads ||
	    params->ideal || core->extra_ports || core->reorder_unlimited)
		return;
	memo = calloc(1, sizeof(*memo));
	if (!memo || !(memo->arena = aligned_alloc(HUGE_PAGE, ARENA_BYTES))) {
		free(memo);
		return;
	}
	madvise(memo->arena, ARENA_BYTES, MADV_HUGEPAGE); /* or not: it is only faster */
	memo_find_counters(memo, core);
	memo->hit = load_answer(&(struct memory_result){.ready = params->l1d.latency}, 0);
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
	memo->node = memo_find_node(core);
	if (memo->node) {
		pay(core, ENTER_COSTS);
	} else {
		pay(core, RECORD_COSTS);
		memo_make_room(core);
	}
	return memo->node;
}

bool memo_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	const struct attempt attempt = {core, block, accesses, next_pc, core->cycle};
	const struct prepared *prepared = block->model;
	struct memo *memo = core->memo;
	struct transition *t;

	if (unlikely(core->observed || !prepared->replayable || executed != prepared->count ||
		     access_count > ACCESSES_MAX)) {
		memo_leave(core);
		return false;
	}
	if (unlikely(!memo->node) && !enter(core))
		return false;
	t = follow(&attempt, access_count);
	if (unlikely(!t)) {
		undo_stores(core);
		memo_record(core, block, executed, accesses, access_count, next_pc);
		pay(core, RECORD_COSTS);
		return true;
	}
	memo->replays++;
	if (unlikely(++memo->ahead == AHEAD_MAX)) {
		memo->ahead = AHEAD_MAX / 2;
		memo->rest_next = 0;
	}
	replay(core, block, executed, t);
	return true;
}

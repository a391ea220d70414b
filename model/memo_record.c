/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers states of the core, and what blocks do to it: memo.h. */
#include <string.h>

#include "memo_graph.h"

/* Counters that blocks change which are remembered. Memory counts its own events. */
static const struct {
	size_t offset;
	unsigned count;
} members[] = {
#define MEMBER(name)                                                              \
	{                                                                         \
		offsetof(struct core, name), sizeof(((struct core *)0)->name) / 8 \
	}
	MEMBER(lost_frontend),   MEMBER(lost_backend), MEMBER(starved),    MEMBER(stalled),
	MEMBER(renaming),        MEMBER(reorder_full), MEMBER(queue_full), MEMBER(branches),
	MEMBER(flushes),         MEMBER(loads),        MEMBER(stores),     MEMBER(load_crossings),
	MEMBER(store_crossings), MEMBER(load_cycles),  MEMBER(bubbles),    MEMBER(paired),
	MEMBER(isb_flushes),
#undef MEMBER
};

void memo_find_counters(struct memo *memo, struct core *core)
{
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		for (unsigned k = 0; k < members[i].count; k++)
			memo->counters[count++] =
				(uint64_t *)(void *)((char *)core + members[i].offset) + k;
	memo->counters[count++] = core->unforwarded ? core->unforwarded : &memo->unforwarded;
	memo->counter_count = count;
	memo->counters[count++] = &core->instructions;
	for (unsigned i = 0; i < LANE_COUNT; i++)
		memo->counters[count++] = &core->kinds[i];
}

void memo_forget(struct core *core)
{
	struct memo *memo = core->memo;

	if (!memo)
		return;
	memo_leave(core);
	memo_settle(core);
	memset(memo->buckets, 0, sizeof(memo->buckets));
	memo->used = 0;
	memo->forgotten++;
}

void memo_make_room(struct core *core)
{
	if (core->memo->size - core->memo->used < 2 * sizeof(struct state))
		memo_forget(core);
}

/* Returns room for `bytes`, or NULL if it is used up. */
static void *take(struct memo *memo, size_t bytes)
{
	void *taken = memo->arena + memo->used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > memo->size - memo->used)
		return NULL;
	memo->used += bytes;
	return taken;
}

static uint64_t hash_words(const uint32_t *words, uint32_t count)
{
	uint64_t a = count, b = 0;
	uint32_t i;

	for (i = 0; i + 4 <= count; i += 4) {
		a = (a ^ (words[i] | (uint64_t)words[i + 1] << 32)) * 0x9e3779b97f4a7c15ull;
		b = (b ^ (words[i + 2] | (uint64_t)words[i + 3] << 32)) * 0xd6e8feb86659fd93ull;
		a ^= a >> 29;
		b ^= b >> 31;
	}
	for (; i < count; i++)
		a = (a ^ words[i]) * 0x9e3779b97f4a7c15ull;
	a ^= b * 0xc2b2ae3d27d4eb4full;
	return a ^ a >> 32;
}

struct node *memo_find_node(struct core *core)
{
	struct memo *memo = core->memo;
	struct state *state = &memo->state;
	struct node **bucket, *node;
	uint64_t hash;

	if (!state_read(core, state))
		return NULL;
	hash = hash_words(state->words, state->count);
	bucket = &memo->buckets[hash % BUCKETS];
	for (node = *bucket; node; node = node->next)
		if (node->hash == hash && node->count == state->count &&
		    !memcmp(node->words, state->words, state->count * sizeof(*node->words)))
			return node;
	node = take(memo, sizeof(*node) + state->count * sizeof(*node->words));
	if (!node)
		return NULL;
	*node = (struct node){.hash = hash, .next = *bucket, .count = state->count};
	memcpy(node->words, state->words, state->count * sizeof(*node->words));
	*bucket = node;
	return node;
}

static void read_counters(const struct memo *memo, uint64_t *counts)
{
	for (unsigned i = 0; i < memo->counter_count; i++)
		counts[i] = *memo->counters[i];
}

/* Returns the counters that changed since memo->before. */
static unsigned find_deltas(const struct memo *memo, struct delta *deltas)
{
	unsigned count = 0;

	for (unsigned i = 0; i < memo->counter_count; i++) {
		const uint64_t more = *memo->counters[i] - memo->before[i];

		if (more)
			deltas[count++] = (struct delta){i, (uint32_t)more};
	}
	return count;
}

/* Adds what count_kinds() counts of a block; returns the new count of deltas. */
static unsigned add_kinds_of(const struct memo *memo, const struct prepared *prepared,
			     struct delta *deltas, unsigned count)
{
	unsigned counter = memo->counter_count;

	deltas[count++] = (struct delta){counter++, prepared->count};
	for (unsigned i = 0; i < LANE_COUNT; i++, counter++)
		if (prepared->kinds[i])
			deltas[count++] = (struct delta){counter, prepared->kinds[i]};
	return count;
}

/* Returns a transition with room for what it has, or NULL. */
static struct transition *make_transition(struct memo *memo, unsigned deltas, size_t accesses,
					  size_t charges)
{
	const unsigned steps = memo->told.count, near = memo->told.near_count;
	struct transition *t =
		take(memo, sizeof(*t) + steps * sizeof(struct step) + near * sizeof(struct near) +
				   deltas * sizeof(struct delta) +
				   (accesses + 1) * sizeof(uint32_t) + charges);

	if (t)
		*t = (struct transition){
			.step_count = (uint16_t)steps,
			.near_count = (uint16_t)near,
			.delta_count = (uint16_t)deltas,
			.access_count = (uint16_t)accesses,
		};
	return t;
}

/* Notes when the stores of the block are there, and gone. */
static void note_stores(const struct core *core, struct told *told, uint64_t number)
{
	unsigned undone = 0;

	for (unsigned i = 0; i < told->count; i++) {
		const struct recent_store *store;

		if (told->steps[i].kind != STEP_STORE)
			continue;
		undone += told->steps[i].bytes / 8 + 3; /* at most: keep_store() */
		told->fails |= undone > UNDONE_MAX;
		store = &core->recent_stores[++number % RECENT_STORES];
		told->steps[i].ready = (int32_t)(store->ready - told->begun);
		told->steps[i].gone = (int32_t)(store->gone - told->begun);
	}
}

/* Executes a block plainly, and returns what it did, not yet linked; or NULL. */
static struct transition *observe(struct core *core, const struct block *block, unsigned executed,
				  const struct access *accesses, size_t access_count,
				  uint64_t next_pc)
{
	const struct prepared *prepared = block->model;
	struct memo *memo = core->memo;
	struct told *told = &memo->told;
	const uint64_t begun = core->cycle, sequence = core->sequence;
	const uint64_t stores = core->buffer_sequence, loads_done = core->loads_done;
	const uint64_t memory_floor = core->memory_floor, release_gone = core->release_gone;
	/* How much predicates switch on, and lanes that are too small, depend on more. */
	const bool counts_kinds = prepared->whole && !prepared->predicated;
	struct delta deltas[COUNTERS_MAX];
	unsigned delta_count;
	struct transition *t = NULL;
	struct node *to;

	told->block = block;
	told->accesses = accesses;
	told->access_count = access_count;
	told->begun = begun;
	told->loads_done = loads_done;
	told->count = told->near_count = 0;
	told->fails = access_count > ACCESSES_MAX || !are_merged(prepared, accesses, access_count);
	told->resolved = told->operations = told->wrong = 0;
	memset(told->usual, 0, sizeof(told->usual));
	core->loads_done = 0;
	/* What other blocks are owed must not be added meanwhile, and taken for this one's. */
	memo_settle(core);
	read_counters(memo, memo->before);
	core->told = told;
	if (core->exact) {
		notes_begin(core);
		run_charged(core, block, executed, accesses, access_count, next_pc);
		told->fails |= !notes_end(core);
	} else {
		run_plain(core, block, executed, accesses, access_count, next_pc);
	}
	core->told = NULL;
	note_stores(core, told, stores);
	to = told->fails ? NULL : memo_find_node(core);
	if (to) {
		told->steps[told->count++] = (struct step){.kind = STEP_END};
		delta_count = find_deltas(memo, deltas);
		if (counts_kinds)
			delta_count = add_kinds_of(memo, prepared, deltas, delta_count);
		t = make_transition(memo, delta_count, access_count,
				    core->exact ? notes_bytes(core, block) : 0);
	}
	if (t) {
		t->counts_kinds = counts_kinds;
		t->to = to;
		t->serial = prepared->serial;
		t->cycles = (uint32_t)(core->cycle - begun);
		t->operations = (uint32_t)(core->sequence - sequence);
		t->last_retired = (int32_t)(core->last_retired - begun);
		t->loads = core->loads_done != 0;
		t->loads_done = (int32_t)(core->loads_done - begun);
		t->acquires = core->memory_floor != memory_floor;
		t->memory_floor = (int32_t)(core->memory_floor - begun);
		t->releases = core->release_gone != release_gone;
		t->release_gone = (int32_t)(core->release_gone - begun);
		t->resolved = (int32_t)((prepared->branch ? told->resolved : core->cycle) - begun);
		t->wrong_operations = (uint32_t)told->operations;
		t->wrong = (int32_t)(told->wrong - begun);
		t->used = (uint8_t)core->used;
		memcpy(deltas_in(t), deltas, t->delta_count * sizeof(*deltas));
		memcpy(steps_in(t), told->steps, t->step_count * sizeof(struct step));
		memcpy(near_in(t), told->near, t->near_count * sizeof(struct near));
		if (core->exact) {
			t->charged = charged_in(t);
			notes_keep(core, block, t->charged);
		}
		for (size_t i = 1; i < access_count; i++)
			t->merges |= accesses[i].insn == accesses[i - 1].insn;
		for (size_t i = 0; i < access_count; i++)
			shape_in(t)[i] = shape_of(&accesses[i]);
	}
	core->loads_done = later(core->loads_done, loads_done);
	return t;
}

void memo_record(struct core *core, const struct block *block, unsigned executed,
		 const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	struct memo *memo = core->memo;
	struct transition *last = memo->last, *t;
	struct node *from = memo->node;

	memo->disturbed++;
	memo_leave(core);
	t = observe(core, block, executed, accesses, access_count, next_pc);
	if (!t) {
		if (core->exact)
			charges_leave(core);
		memo_make_room(core);
		return;
	}
	t->next = from->first;
	from->first = t;
	memo->last = last;
	memo_go_on(memo, t);
}

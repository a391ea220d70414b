/* SPDX-License-Identifier: Apache-2.0 */
#include "memo_charge.h"

#include <string.h>

#include "charge.h"
#include "memo_graph.h"
#include "schedule.h"

#define COUNT_MAX   INT32_MAX
#define NOTES_ALIKE 6 /* of the last notes, that are looked at for one like the next */

/* ---- Steps -------------------------------------------------------------------------------- */

/* What a step counts of one line, and what that adds to the sum of charges_step_begins(). */
static const struct {
	uint8_t sum, counts[USUAL_COUNT];
} usual_of[STEP_END] = {
	[STEP_FETCH] = {2, {[USUAL_FETCH] = 1}},
	[STEP_LOAD] = {2, {[USUAL_READ] = 1, [USUAL_TRANSLATE] = 1}},
	[STEP_NEAR] = {2, {[USUAL_READ] = 1, [USUAL_TRANSLATE] = 1}},
	[STEP_OWN] = {2, {[USUAL_READ] = 1, [USUAL_TRANSLATE] = 1}},
	[STEP_OWN_NEAR] = {2, {[USUAL_READ] = 1, [USUAL_TRANSLATE] = 1}},
	[STEP_TRANSLATE] = {1, {[USUAL_TRANSLATE] = 1}},
	[STEP_STORE] = {1, {[USUAL_WRITE] = 1}},
};

void usual_add(uint64_t *usual, unsigned step_kind, bool both)
{
	for (unsigned i = 0; i < USUAL_COUNT; i++)
		usual[i] += (uint64_t)usual_of[step_kind].counts[i] << both;
}

/* Adds the usual, `sign` times, to what is known of memory's counts. */
static void know(struct exact *exact, const uint64_t *usual, uint64_t sign)
{
	*known(exact, EXACT_L1I_CACHE) += sign * usual[USUAL_FETCH];
	*known(exact, EXACT_L1I_TLB) += sign * usual[USUAL_FETCH];
	*known(exact, EXACT_L1D_CACHE_RD) += sign * usual[USUAL_READ];
	*known(exact, EXACT_L1D_CACHE_WR) += sign * usual[USUAL_WRITE];
	*known(exact, EXACT_L1D_TLB) += sign * usual[USUAL_TRANSLATE];
}

static void know_replayed(struct exact *exact)
{
	know(exact, exact->usual, 1);
	memset(exact->usual, 0, sizeof(exact->usual));
}

uint64_t charges_step_begins(const struct core *core, unsigned step_kind)
{
	if (!core->exact)
		return 0;
	return step_kind == STEP_FETCH ? fetch_sum(core->counts) : data_sum(core->counts);
}

void charges_step_ends(struct core *core, unsigned step_kind, bool both, unsigned index,
		       const uint64_t *usual, uint64_t begun)
{
	const unsigned expected = (unsigned)usual_of[step_kind].sum << both;
	struct exact *exact = core->exact;
	const uint32_t line = exact ? exact->first + index : 0;
	uint64_t so_far[USUAL_COUNT];

	if (likely(!exact || charges_step_begins(core, step_kind) == begun + expected))
		return;
	memcpy(so_far, usual, sizeof(so_far));
	usual_add(so_far, step_kind, both);
	know_replayed(exact);
	know(exact, so_far, 1);
	/* The first ones are counted by the core. */
	exact_charge_changes(exact, line, exact_changes(exact, core->counts) & ~(uint64_t)0xf,
			     core->counts);
	know(exact, so_far, UINT64_MAX);
}

void charges_share(struct core *core, const struct block *block, unsigned index,
		   const struct access *accesses, size_t count)
{
	const struct prepared *prepared = block->model;
	struct exact *exact = core->exact;
	size_t first = 0, end;

	if (likely(!exact || !exact->shared))
		return;
	for (unsigned i = exact->shared_until; i < index; i++) {
		while (first < count && accesses[first].insn < i)
			first++;
		for (end = first; end < count && accesses[end].insn == i;)
			end++;
		if (prepared->ops[i].memory & (MEM_LOAD | MEM_STORE))
			exact_shares(core, block, &prepared->ops[i], accesses + first,
				     accesses + end);
	}
	if (index > exact->shared_until)
		exact->shared_until = index;
}

/* ---- Notes -------------------------------------------------------------------------------- */

void note_charge(struct exact *exact, enum charge_target target, int64_t where, unsigned what,
		 uint64_t count, uint64_t cycles)
{
	struct notes *notes = &exact->notes;
	struct charge *charge = NULL;

	for (unsigned i = notes->count; i > 0 && i + NOTES_ALIKE > notes->count && !charge; i--) {
		charge = &notes->charges[i - 1];
		if (charge->what != what || charge->where != where || charge->target != target)
			charge = NULL;
	}
	if (!charge && notes->count == CHARGES_MAX) {
		notes->fails = true;
		return;
	}
	if (!charge) {
		charge = &notes->charges[notes->count++];
		*charge = (struct charge){
			.where = (int16_t)where, .target = (uint8_t)target, .what = (uint8_t)what};
	}
	notes->fails |= where != (int16_t)where || cycles > COUNT_MAX ||
			(int64_t)count > COUNT_MAX || (int64_t)count < -COUNT_MAX ||
			__builtin_add_overflow(charge->count, (int32_t)count, &charge->count) ||
			__builtin_add_overflow(charge->cycles, (int32_t)cycles, &charge->cycles);
}

/* Charges the current instruction something that it is charged in each replay. */
static void charge_own(struct exact *exact, unsigned event, uint64_t count)
{
	if (!count)
		return;
	profile_add(&exact->profile, exact->line, event, (int64_t)count);
	exact_note(exact, event, count);
}

void note_accesses(struct core *core, const struct op *op)
{
	struct exact *exact = core->exact;
	struct notes *notes = &exact->notes;
	const uint64_t *now = core->told->usual;
	const uint64_t reads = now[USUAL_READ] - notes->usual[USUAL_READ];
	const uint64_t writes = now[USUAL_WRITE] - notes->usual[USUAL_WRITE];
	const uint64_t translated = now[USUAL_TRANSLATE] - notes->usual[USUAL_TRANSLATE];
	/* What its execution counts: add_executions() in profile.c. */
	const uint64_t plain_load = op->path == PATH_LOAD, plain_store = op->path == PATH_STORE;
	uint64_t accesses[4];

	exact_count_accesses(core, accesses);
	charge_own(exact, EXACT_MEM_ACCESS_RD, accesses[0] - notes->accesses[0] - plain_load);
	charge_own(exact, EXACT_MEM_ACCESS_WR, accesses[1] - notes->accesses[1] - plain_store);
	charge_own(exact, EXACT_LD_ALIGN_LAT, accesses[2] - notes->accesses[2]);
	charge_own(exact, EXACT_ST_ALIGN_LAT, accesses[3] - notes->accesses[3]);
	charge_own(exact, EXACT_L1D_CACHE_RD, reads - plain_load);
	charge_own(exact, EXACT_L1D_CACHE_WR, writes - plain_store);
	charge_own(exact, EXACT_L1D_TLB, translated - plain_load - plain_store);
	memcpy(notes->accesses, accesses, sizeof(accesses));
	memcpy(notes->usual, now, sizeof(notes->usual));
}

void notes_begin(struct core *core)
{
	struct exact *exact = core->exact;
	struct notes *notes = &exact->notes;

	notes->on = true;
	notes->fails = false;
	notes->flusher = -1;
	notes->count = 0;
	notes->sequence = core->sequence;
	notes->stored = exact->stored;
	memset(notes->usual, 0, sizeof(notes->usual));
	exact_count_accesses(core, notes->accesses);
}

bool notes_end(struct core *core)
{
	struct exact *exact = core->exact;

	exact->notes.on = false;
	for (unsigned i = 0; i < USUAL_COUNT; i++)
		exact->usual[i] += core->memo->told.usual[i];
	return !exact->notes.fails;
}

/* How many operations and stores a block has. */
struct extent {
	size_t operations, stores;
};

static struct extent extent_of(const struct block *block)
{
	const struct prepared *prepared = block->model;
	struct extent extent = {prepared->operations, 0};

	for (unsigned i = 0; i < prepared->count; i++)
		if (prepared->ops[i].flags & OP_COMMIT)
			extent.stores += prepared->ops[i].stores;
	return extent;
}

size_t notes_bytes(const struct core *core, const struct block *block)
{
	const struct extent extent = extent_of(block);

	return (sizeof(struct charged) + core->exact->notes.count * sizeof(struct charge) +
		(extent.operations + extent.stores) * sizeof(uint16_t) + 7) &
	       ~(size_t)7;
}

static uint16_t *instructions_in(const struct charged *charged)
{
	return (uint16_t *)(uintptr_t)(charged->charges + charged->own + charged->others);
}

void notes_keep(const struct core *core, const struct block *block, struct charged *charged)
{
	const struct prepared *prepared = block->model;
	const struct notes *notes = &core->exact->notes;
	struct charge *charge = charged->charges;
	const struct extent extent = extent_of(block);
	uint16_t *operation, *store;

	*charged = (struct charged){.flusher = notes->flusher,
				    .operations = (uint16_t)extent.operations,
				    .stores = (uint16_t)extent.stores,
				    .last = (uint16_t)(prepared->count - 1u)};
	memcpy(charged->usual, core->memo->told.usual, sizeof(charged->usual));
	for (unsigned i = 0; i < notes->count; i++)
		if (notes->charges[i].target == CHARGE_OWN)
			*charge++ = notes->charges[i];
	charged->own = (uint16_t)(charge - charged->charges);
	for (unsigned i = 0; i < notes->count; i++)
		if (notes->charges[i].target != CHARGE_OWN)
			*charge++ = notes->charges[i];
	charged->others = (uint16_t)(notes->count - charged->own);
	operation = instructions_in(charged);
	store = operation + extent.operations;
	for (unsigned i = 0; i < prepared->count; i++) {
		const struct op *op = &prepared->ops[i];

		for (unsigned k = 0; k < op->operations; k++)
			*operation++ = (uint16_t)i;
		for (unsigned k = 0; op->flags & OP_COMMIT && k < op->stores; k++)
			*store++ = (uint16_t)i;
	}
}

/* ---- Replays ------------------------------------------------------------------------------ */

/* Charges an instruction of the block what `times` executions are charged. */
static void charge_times(struct profile *profile, uint32_t line, const struct charge *charge,
			 int64_t times)
{
	const int64_t count = times * charge->count;

	switch (charge->what) {
	case CHARGE_CYCLES:
		profile->lines[line].cycles += (uint64_t)count;
		break;
	case CHARGE_FETCHES:
		profile->lines[line].fetches += (uint64_t)count;
		break;
	case CHARGE_NARROW:
		profile->lines[line].narrow += (uint64_t)count;
		break;
	default:
		if (charge->what < EXACT_COUNT)
			profile_add(profile, line, charge->what, count);
		else
			profile_lose(profile, line, charge->what - EXACT_COUNT, (uint64_t)count,
				     (uint64_t)(times * charge->cycles));
	}
}
_Static_assert(EXACT_COUNT + PROFILE_KINDS <= CHARGE_CYCLES, "there are more kinds");

void charges_settle(struct core *core, struct charged *charged)
{
	struct exact *exact = core->exact;
	uint32_t line;

	if (!charged->executions)
		return;
	line = exact->profile.visits[charged->visit].lines;
	for (unsigned i = 0; i < charged->own; i++)
		charge_times(&exact->profile, line + (uint32_t)charged->charges[i].where,
			     &charged->charges[i], charged->executions);
	charged->executions = 0;
}

/* Charges what is lost to an older instruction, so many times. */
static inline void charge_older(struct exact *exact, struct charge *charge, uint64_t sequence,
				uint32_t times)
{
	struct profile *profile = &exact->profile;
	uint32_t line;

	if (charge->target == CHARGE_OPERATION)
		line = exact->lines[(sequence + (uint64_t)(int64_t)charge->where) % REORDER_RING];
	else if (charge->target == CHARGE_STORE)
		line = exact->stores[(exact->stored + (uint64_t)(int64_t)charge->where) %
				     STORE_RING];
	else
		line = exact->flusher ? exact->flusher : exact->first + (uint32_t)charge->where;
	if (unlikely(line != charge->line || !charge->cell)) {
		charge->line = line;
		charge->cell = profile_loss(profile, line, charge->what - EXACT_COUNT);
		if (!charge->cell)
			return;
	}
	profile->lines[line].cycles += (uint64_t)times * (uint64_t)charge->cycles;
	profile->cells[charge->cell].count += (int64_t)times * charge->count;
	profile->cells[charge->cell + 1].count += (int64_t)times * charge->cycles;
}

/* Notes which instructions the operations of the block are. */
static inline void enter_operations(struct exact *exact, const uint16_t *instructions,
				    unsigned count, uint64_t sequence)
{
	const unsigned at = sequence % REORDER_RING;
	uint32_t *lines = exact->lines;

	if (likely(at + count <= REORDER_RING)) {
		for (unsigned i = 0; i < count; i++)
			lines[at + i] = exact->first + instructions[i];
		return;
	}
	for (unsigned i = 0; i < count; i++)
		lines[(at + i) % REORDER_RING] = exact->first + instructions[i];
}

static inline void replay(struct core *core, struct charged *charged, uint32_t times)
{
	const uint16_t *instructions = instructions_in(charged);
	struct exact *exact = core->exact;

	for (unsigned i = charged->own; i < (unsigned)charged->own + charged->others; i++)
		charge_older(exact, &charged->charges[i], core->sequence, times);
	if (unlikely(charged->visit != exact->visit)) {
		charges_settle(core, charged);
		charged->visit = exact->visit;
	}
	charged->executions += times;
	for (unsigned i = 0; i < USUAL_COUNT; i++)
		exact->usual[i] += times * charged->usual[i];
	enter_operations(exact, instructions, charged->operations, core->sequence);
	instructions += charged->operations;
	for (unsigned i = 0; i < charged->stores; i++)
		exact->stores[exact->stored++ % STORE_RING] = exact->first + instructions[i];
	if (charged->flusher >= 0)
		exact->flusher = exact->first + (uint32_t)charged->flusher;
	exact->line = exact->first + charged->last;
}

void charges_replay(struct core *core, struct charged *charged)
{
	replay(core, charged, 1);
}

void charges_replay_often(struct core *core, struct charged *charged, uint32_t visit,
			  uint32_t times)
{
	struct exact *exact = core->exact;

	profile_note(&exact->profile, visit);
	exact->visit = visit;
	exact->profile.visits[visit].executions += times;
	exact->first = exact->profile.visits[visit].lines;
	charges_settle(core, charged);
	replay(core, charged, times);
	charges_settle(core, charged);
}

bool charges_complete(const struct core *core)
{
	const struct exact *exact = core->exact;
	uint64_t accesses[4];

	exact_count_accesses(core, accesses);
	return !memcmp(accesses, exact->known, sizeof(accesses)) &&
	       !(exact_changes(core->exact, core->counts) & ~(uint64_t)0xf);
}

void charges_leave(struct core *core)
{
	struct exact *exact = core->exact;

	know_replayed(exact);
	exact_count_accesses(core, exact->known);
#define KNOWN(event) *known(exact, EXACT_##event)
	exact->data_sum = EXACT_DATA_SUM(KNOWN);
	exact->fetch_sum = EXACT_FETCH_SUM(KNOWN);
#undef KNOWN
}

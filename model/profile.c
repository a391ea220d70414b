/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

#define INDEX_MAX UINT32_MAX

/* Makes room for `more` elements; false if out of memory or of indexes. */
static bool reserve(void **array, size_t count, size_t more, size_t *room, size_t size)
{
	size_t wanted = *room;
	void *grown;

	if (count + more <= *room)
		return true;
	if (count + more >= INDEX_MAX)
		return false;
	while (wanted < count + more)
		wanted = wanted ? 2 * wanted : 1024;
	grown = realloc(*array, wanted * size);
	if (!grown)
		return false;
	*array = grown;
	*room = wanted;
	return true;
}

#define RESERVE(array, count, more, room) \
	reserve((void **)&(array), count, more, &(room), sizeof(*(array)))

static bool grow_table(struct profile *p);

bool profile_set_up(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	/* Line 0 belongs to what comes before the first instruction; cell 0 is the end of a list.
	 */
	if (!RESERVE(p->lines, 0, 1, p->line_room) || !RESERVE(p->cells, 0, 1, p->cell_room) ||
	    !RESERVE(p->visits, 0, 1, p->visit_room) || !grow_table(p)) {
		profile_clean_up(p);
		return false;
	}
	p->lines[0] = (struct profile_line){0};
	p->line_count = 1;
	p->cell_count = 1;
	return true;
}

void profile_clean_up(struct profile *p)
{
	free(p->lines);
	free(p->cells);
	free(p->memories);
	free(p->visits);
	free(p->changes);
	free(p->table);
	memset(p, 0, sizeof(*p));
}

/* Makes adjacent cells, the first of which becomes the line's last. Returns it, or NULL. */
static struct profile_cell *new_cells(struct profile *p, uint32_t line, unsigned event,
				      size_t count)
{
	uint32_t *last = &p->lines[line].cells;

	if (!RESERVE(p->cells, p->cell_count, count, p->cell_room)) {
		p->failed = true;
		return NULL;
	}
	while (*last)
		last = &p->cells[*last].next;
	*last = (uint32_t)p->cell_count;
	p->cell_count += count;
	for (size_t i = 0; i < count; i++)
		p->cells[*last + i] = (struct profile_cell){.event = event};
	return &p->cells[*last];
}

void profile_add_new(struct profile *p, uint32_t line, unsigned event, int64_t count)
{
	struct profile_cell *cell = new_cells(p, line, event, 1);

	if (cell)
		cell->count = count;
}

void profile_lose_new(struct profile *p, uint32_t line, unsigned kind, int64_t slots,
		      int64_t cycles)
{
	struct profile_cell *cell = new_cells(p, line, EXACT_COUNT + kind, 2);

	if (!cell)
		return;
	cell[0].count = slots;
	cell[1].count = cycles;
}

/* Without memory, cells go on to have the counts. */
void profile_memory_new(struct profile *p, uint32_t line)
{
	if (!RESERVE(p->memories, p->memory_count, 1, p->memory_room)) {
		p->lines[line].memory = 0;
		return;
	}
	p->memories[p->memory_count] = (struct profile_memory){0};
	p->lines[line].memory = PROFILE_OFTEN + (uint32_t)p->memory_count++;
}

uint32_t profile_loss(struct profile *p, uint32_t line, unsigned kind)
{
	const uint32_t at = profile_cell(p, line, EXACT_COUNT + kind);

	if (at)
		return at;
	profile_lose_new(p, line, kind, 0, 0);
	return profile_cell(p, line, EXACT_COUNT + kind);
}

/* If there is no room for it, it is told at the end. */
void profile_note_new(struct profile *p, uint32_t visit)
{
	if (!RESERVE(p->changes, p->change_count, 1, p->change_room))
		return;
	p->visits[visit].changed = true;
	p->changes[p->change_count++] = (struct profile_change){p->visits[visit].context, visit};
	p->changed += p->visits[visit].block->count;
}

void profile_note_line(struct profile *p, uint32_t line)
{
	size_t first = 0, end = p->visit_count;

	/* Visits have their lines in ascending order. */
	while (end - first > 1) {
		const size_t middle = first + (end - first) / 2;

		if (p->visits[middle].lines <= line)
			first = middle;
		else
			end = middle;
	}
	if (line && p->visit_count)
		profile_note(p, (uint32_t)first);
}

/* ---- Visits -----------------------------------------------------------------------------------
 */

static size_t place_of(const struct profile *p, uint32_t context, const struct block *block)
{
	uint64_t key = block->pc ^ (uint64_t)context << 32 ^ (uint64_t)(uintptr_t)block >> 4;

	key *= 0x9e3779b97f4a7c15ull;
	return (size_t)(key ^ key >> 32) & p->table_mask;
}

static void put(struct profile *p, uint32_t visit)
{
	size_t at = place_of(p, p->visits[visit].context, p->visits[visit].block);

	while (p->table[at] != UINT32_MAX)
		at = (at + 1) & p->table_mask;
	p->table[at] = visit;
}

static bool grow_table(struct profile *p)
{
	size_t room = p->table ? 2 * (p->table_mask + 1) : 1024;
	uint32_t *grown = malloc(room * sizeof(*grown));

	if (!grown)
		return false;
	memset(grown, 0xff, room * sizeof(*grown));
	free(p->table);
	p->table = grown;
	p->table_mask = room - 1;
	for (size_t i = 0; i < p->visit_count; i++)
		put(p, (uint32_t)i);
	return true;
}

static uint32_t new_visit(struct profile *p, uint32_t context, const struct block *block)
{
	size_t visit = p->visit_count;

	if (!RESERVE(p->visits, visit, 1, p->visit_room) ||
	    !RESERVE(p->lines, p->line_count, block->count, p->line_room) ||
	    (2 * (visit + 1) > p->table_mask && !grow_table(p))) {
		p->failed = true;
		return UINT32_MAX;
	}
	p->visits[visit] = (struct profile_visit){
		.block = block, .context = context, .lines = (uint32_t)p->line_count};
	for (unsigned i = 0; i < block->count; i++)
		p->lines[p->line_count + i] = (struct profile_line){0};
	p->line_count += block->count;
	p->visit_count++;
	put(p, (uint32_t)visit);
	return (uint32_t)visit;
}

static uint32_t find_visit(struct profile *p, uint32_t context, const struct block *block)
{
	size_t at = place_of(p, context, block);

	for (; p->table[at] != UINT32_MAX; at = (at + 1) & p->table_mask) {
		const struct profile_visit *visit = &p->visits[p->table[at]];

		if (visit->block == block && visit->context == context)
			return p->table[at];
	}
	return new_visit(p, context, block);
}

uint32_t profile_visit(struct profile *p, uint32_t before, uint32_t context,
		       const struct block *block)
{
	uint32_t visit;

	if (likely(before < p->visit_count)) {
		const struct profile_visit *next = &p->visits[p->visits[before].next];

		if (likely(next->block == block && next->context == context))
			return p->visits[before].next;
	}
	visit = find_visit(p, context, block);
	if (visit != UINT32_MAX && before < p->visit_count)
		p->visits[before].next = visit;
	return visit;
}

/* ---- Telling ----------------------------------------------------------------------------------
 */

static inline void count(struct profile_counts *counts, unsigned event, uint64_t more)
{
	counts->of[event] += more;
	counts->counted[event / 64] |= (uint64_t)(more != 0) << event % 64;
}

/* What each execution of an instruction counts; the cells have what differs from it. */
static void add_executions(const struct profile_visit *visit, unsigned i,
			   struct profile_counts *counts)
{
	const struct prepared *prepared = visit->block->model;
	const struct op *op = &prepared->ops[i];
	const uint64_t executions = visit->executions;

	if (!executions)
		return;
	count(counts, EXACT_INST_RETIRED, executions);
	count(counts, EXACT_OP_RETIRED, executions * op->operations);
	if (i + 1 == prepared->count && prepared->branch != BRANCH_NONE &&
	    prepared->branch != BRANCH_EXCEPTION)
		count(counts, EXACT_BR_RETIRED, executions);
	if (op->path == PATH_LOAD) {
		count(counts, EXACT_MEM_ACCESS_RD, executions);
		count(counts, EXACT_L1D_CACHE_RD, executions);
		count(counts, EXACT_L1D_TLB, executions);
	} else if (op->path == PATH_STORE) {
		count(counts, EXACT_MEM_ACCESS_WR, executions);
		count(counts, EXACT_L1D_CACHE_WR, executions);
		count(counts, EXACT_L1D_TLB, executions);
	}
}

static void add_loss(const struct profile *p, uint32_t at, struct profile_counts *counts)
{
	const struct profile_kind *kind = &p->kinds[p->cells[at].event - EXACT_COUNT];

	count(counts, kind->slots, (uint64_t)p->cells[at].count);
	for (size_t i = 0; i < sizeof(kind->cycles); i++)
		if (kind->cycles[i] != EXACT_COUNT)
			count(counts, kind->cycles[i], (uint64_t)p->cells[at + 1].count);
}

static void add_memory(struct profile_memory *memory, struct profile_counts *counts)
{
	for (; memory->counted; memory->counted &= memory->counted - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(memory->counted);

		count(counts, EXACT_MEMORY_FIRST + i, (uint64_t)memory->counts[i]);
		memory->counts[i] = 0;
	}
}

static void add_line(struct profile *p, uint32_t line, struct profile_counts *counts)
{
	count(counts, EXACT_CPU_CYCLES, p->lines[line].cycles);
	count(counts, EXACT_L1I_CACHE, p->lines[line].fetches);
	count(counts, EXACT_L1I_TLB, p->lines[line].fetches);
	count(counts, EXACT_SLOTS_FRONTEND_WIDTH, p->lines[line].narrow);
	p->lines[line].cycles = p->lines[line].fetches = p->lines[line].narrow = 0;
	if (p->lines[line].memory >= PROFILE_OFTEN)
		add_memory(&p->memories[p->lines[line].memory - PROFILE_OFTEN], counts);
	for (uint32_t at = p->lines[line].cells; at; at = p->cells[at].next) {
		if (p->cells[at].event < EXACT_COUNT) {
			count(counts, p->cells[at].event, (uint64_t)p->cells[at].count);
		} else {
			add_loss(p, at, counts);
			p->cells[at + 1].count = 0;
		}
		p->cells[at].count = 0;
	}
}

/* Where the instructions of a visit are. */
struct place {
	uint64_t pc;
	uint32_t context, visit;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Most contexts have a few visits, and those are nearly in order. */
#define FEW_PLACES 16

static void order_places(struct place *places, size_t count)
{
	if (count > FEW_PLACES) {
		qsort(places, count, sizeof(*places), compare_places);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		const struct place place = places[i];
		size_t at = i;

		for (; at && places[at - 1].pc > place.pc; at--)
			places[at] = places[at - 1];
		places[at] = place;
	}
}

/* Tells counts, unless they are all 0, and clears them. */
static void tell_any(uint32_t context, uint64_t pc, struct profile_counts *counts,
		     profile_told *told, void *user)
{
	const size_t words = sizeof(counts->counted) / sizeof(*counts->counted);
	uint64_t any = 0;

	for (size_t i = 0; i < words; i++)
		for (uint64_t bits = counts->counted[i]; bits; bits &= bits - 1)
			any |= counts->of[64 * i + (size_t)__builtin_ctzll(bits)];
	if (any)
		told(user, context, pc, counts);
	for (size_t i = 0; i < words; i++)
		for (; counts->counted[i]; counts->counted[i] &= counts->counted[i] - 1)
			counts->of[64 * i + (size_t)__builtin_ctzll(counts->counted[i])] = 0;
}

/* Tells the instructions of one context by address; blocks may have some in common. */
static void tell_context(struct profile *p, const struct place *places, size_t count,
			 profile_told *told, void *user)
{
	struct profile_counts counts = {0};
	uint64_t pc = 0;

	for (size_t first = 0; first < count;) {
		const struct profile_visit *visit = &p->visits[places[first].visit];

		if (visit->block->pc + 4ull * visit->block->count <= pc) {
			first++;
			continue;
		}
		if (visit->block->pc > pc)
			pc = visit->block->pc;
		for (size_t i = first; i < count && places[i].pc <= pc; i++) {
			const uint64_t insn = (pc - places[i].pc) / 4;

			visit = &p->visits[places[i].visit];
			if (insn >= visit->block->count)
				continue;
			add_executions(visit, (unsigned)insn, &counts);
			add_line(p, visit->lines + (uint32_t)insn, &counts);
		}
		tell_any(places[first].context, pc, &counts, told, user);
		pc += 4;
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct profile_change *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->visit < y->visit ? -1 : x->visit > y->visit;
}

void profile_tell_changes(struct profile *p, profile_told *told, void *user)
{
	struct profile_counts counts = {0};

	qsort(p->changes, p->change_count, sizeof(*p->changes), compare_changes);
	for (size_t i = 0; i < p->change_count; i++) {
		struct profile_visit *visit = &p->visits[p->changes[i].visit];

		for (unsigned k = 0; k < visit->block->count; k++) {
			add_executions(visit, k, &counts);
			add_line(p, visit->lines + k, &counts);
			tell_any(visit->context, visit->block->pc + 4ull * k, &counts, told, user);
		}
		visit->executions = 0;
		visit->changed = false;
	}
	p->change_count = p->changed = 0;
}

/*
 * Puts all visits into `places`, by context: those of context `c` end at `ends[c]`. There are about
 * as many contexts as visits, so that this takes less than to sort them.
 */
static void order_visits(const struct profile *p, uint32_t contexts, struct place *places,
			 uint32_t *ends)
{
	uint32_t begin = 0;

	for (size_t v = 0; v < p->visit_count; v++)
		ends[p->visits[v].context]++;
	for (uint32_t c = 0; c < contexts; c++) {
		const uint32_t count = ends[c];

		ends[c] = begin;
		begin += count;
	}
	for (size_t v = 0; v < p->visit_count; v++) {
		const struct profile_visit *visit = &p->visits[v];

		places[ends[visit->context]++] =
			(struct place){visit->block->pc, visit->context, (uint32_t)v};
	}
}

void profile_tell(struct profile *p, profile_told *told, void *user)
{
	uint32_t contexts = 0, *ends, begin = 0;
	struct place *places;

	for (size_t v = 0; v < p->visit_count; v++)
		if (p->visits[v].context >= contexts)
			contexts = p->visits[v].context + 1;
	places = malloc((p->visit_count + 1) * sizeof(*places));
	ends = calloc(contexts + 1, sizeof(*ends));
	if (!places || !ends) {
		free(places);
		free(ends);
		p->failed = true;
		return;
	}
	order_visits(p, contexts, places, ends);
	for (uint32_t c = 0; c < contexts; c++) {
		order_places(places + begin, ends[c] - begin);
		tell_context(p, places + begin, ends[c] - begin, told, user);
		begin = ends[c];
	}
	for (size_t v = 0; v < p->visit_count; v++) {
		p->visits[v].executions = 0;
		p->visits[v].changed = false;
	}
	p->change_count = p->changed = 0;
	free(places);
	free(ends);
}

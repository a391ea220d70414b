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
	p->lines[0] = (struct profile_line){.visit = UINT32_MAX};
	p->line_count = 1;
	p->cell_count = 1;
	return true;
}

void profile_clean_up(struct profile *p)
{
	free(p->lines);
	free(p->cells);
	free(p->visits);
	free(p->changes);
	free(p->table);
	memset(p, 0, sizeof(*p));
}

void profile_add_new(struct profile *p, uint32_t line, unsigned event, int64_t count)
{
	uint32_t *last = &p->lines[line].cells;

	if (!RESERVE(p->cells, p->cell_count, 1, p->cell_room)) {
		p->failed = true;
		return;
	}
	while (*last)
		last = &p->cells[*last].next;
	*last = (uint32_t)p->cell_count;
	p->cells[p->cell_count++] = (struct profile_cell){.count = count, .event = event};
}

/* If there is no room for it, it is told at the end. */
void profile_note_new(struct profile *p, uint32_t visit)
{
	if (!RESERVE(p->changes, p->change_count, 1, p->change_room))
		return;
	p->visits[visit].changed = true;
	p->changes[p->change_count++] = (struct profile_change){p->visits[visit].context, visit};
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
		p->lines[p->line_count + i] = (struct profile_line){.visit = (uint32_t)visit};
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

/* What each execution of an instruction counts; the cells have what differs from it. */
static void add_executions(const struct profile_visit *visit, unsigned i, uint64_t *counts)
{
	const struct prepared *prepared = visit->block->model;
	const struct op *op = &prepared->ops[i];
	uint64_t executions = visit->executions;

	counts[EXACT_INST_RETIRED] += executions;
	counts[EXACT_OP_RETIRED] += executions * op->operations;
	if (i + 1 == prepared->count && prepared->branch != BRANCH_NONE &&
	    prepared->branch != BRANCH_EXCEPTION)
		counts[EXACT_BR_RETIRED] += executions;
	if (op->path == PATH_LOAD) {
		counts[EXACT_MEM_ACCESS_RD] += executions;
		counts[EXACT_L1D_CACHE_RD] += executions;
		counts[EXACT_L1D_TLB] += executions;
	} else if (op->path == PATH_STORE) {
		counts[EXACT_MEM_ACCESS_WR] += executions;
		counts[EXACT_L1D_CACHE_WR] += executions;
		counts[EXACT_L1D_TLB] += executions;
	}
}

static void add_line(struct profile *p, uint32_t line, uint64_t *counts)
{
	counts[EXACT_CPU_CYCLES] += p->lines[line].cycles;
	counts[EXACT_L1I_CACHE] += p->lines[line].fetches;
	counts[EXACT_L1I_TLB] += p->lines[line].fetches;
	p->lines[line].cycles = p->lines[line].fetches = 0;
	for (uint32_t at = p->lines[line].cells; at; at = p->cells[at].next) {
		counts[p->cells[at].event] += (uint64_t)p->cells[at].count;
		p->cells[at].count = 0;
	}
}

/* An instruction of a visit. */
struct place {
	uint64_t pc;
	uint32_t visit;
	uint16_t insn;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return 0;
}

static void tell_any(uint32_t context, uint64_t pc, const uint64_t *counts, profile_told *told,
		     void *user)
{
	uint64_t any = 0;

	for (unsigned e = 0; e < EXACT_COUNT; e++)
		any |= counts[e];
	if (any)
		told(user, context, pc, counts);
}

/* Tells the instructions of one context, in `places`. */
static void tell_context(struct profile *p, uint32_t context, const struct place *places,
			 size_t count, profile_told *told, void *user)
{
	for (size_t i = 0; i < count;) {
		uint64_t counts[EXACT_COUNT] = {0}, pc = places[i].pc;

		for (; i < count && places[i].pc == pc; i++) {
			const struct profile_visit *visit = &p->visits[places[i].visit];

			add_executions(visit, places[i].insn, counts);
			add_line(p, visit->lines + places[i].insn, counts);
		}
		tell_any(context, pc, counts, told, user);
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct profile_change *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->visit < y->visit ? -1 : x->visit > y->visit;
}

size_t profile_tell_changes(struct profile *p, profile_told *told, void *user)
{
	size_t instructions = 0;

	qsort(p->changes, p->change_count, sizeof(*p->changes), compare_changes);
	for (size_t i = 0; i < p->change_count; i++) {
		struct profile_visit *visit = &p->visits[p->changes[i].visit];

		for (unsigned k = 0; k < visit->block->count; k++) {
			uint64_t counts[EXACT_COUNT] = {0};

			add_executions(visit, k, counts);
			add_line(p, visit->lines + k, counts);
			tell_any(visit->context, visit->block->pc + 4ull * k, counts, told, user);
		}
		visit->executions = 0;
		visit->changed = false;
		instructions += visit->block->count;
	}
	p->change_count = 0;
	return instructions;
}

/* Orders the visits by context: the first of each, and the next one; UINT32_MAX: none. */
static uint32_t *chain_visits(const struct profile *p, uint32_t **first, uint32_t *contexts)
{
	uint32_t *next = malloc((p->visit_count + 1) * sizeof(*next));
	uint32_t count = 0;

	for (size_t v = 0; v < p->visit_count; v++)
		if (p->visits[v].context >= count)
			count = p->visits[v].context + 1;
	*contexts = count;
	*first = malloc((count + 1ull) * sizeof(**first));
	if (!next || !*first) {
		free(next);
		return NULL;
	}
	memset(*first, 0xff, count * sizeof(**first));
	for (size_t v = p->visit_count; v-- > 0;) {
		next[v] = (*first)[p->visits[v].context];
		(*first)[p->visits[v].context] = (uint32_t)v;
	}
	return next;
}

void profile_tell(struct profile *p, profile_told *told, void *user)
{
	uint32_t *first = NULL, contexts, *next = chain_visits(p, &first, &contexts);
	struct place *places = NULL;
	size_t room = 0;

	for (uint32_t c = 0; next && c < contexts; c++) {
		size_t count = 0;

		for (uint32_t v = first[c]; v != UINT32_MAX; v = next[v]) {
			const struct block *block = p->visits[v].block;

			if (!RESERVE(places, count, block->count, room)) {
				p->failed = true;
				break;
			}
			for (unsigned i = 0; i < block->count; i++)
				places[count++] =
					(struct place){block->pc + 4ull * i, v, (uint16_t)i};
		}
		if (!count)
			continue;
		qsort(places, count, sizeof(*places), compare_places);
		tell_context(p, c, places, count, told, user);
		for (uint32_t v = first[c]; v != UINT32_MAX; v = next[v])
			p->visits[v].executions = 0;
	}
	if (!next)
		p->failed = true;
	for (size_t i = 0; i < p->change_count; i++)
		p->visits[p->changes[i].visit].changed = false;
	p->change_count = 0;
	free(places);
	free(first);
	free(next);
}

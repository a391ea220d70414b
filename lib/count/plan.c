/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which events are counted together. */
#include "count/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "base/sized.h"
#include "count/pack.h"

/* Groups are numbered with a uint16_t. */
#define GROUPS_MAX (UINT16_MAX - 1)

/* Distinct codes in ascending order; as many as one formula can have. */
struct codes {
	uint16_t at[PLUMB_FORMULA_MAX_OPERANDS];
	unsigned count;
};

struct planner {
	struct plan *plan;
	struct plumb_plan_options options;
	struct pack_item *items;
	size_t item_count, item_room;
	bool failed; /* out of memory */
};

/* Inserts `code`. Returns false if there are already `most` others. */
static bool codes_add(struct codes *codes, uint16_t code, unsigned most)
{
	unsigned i = codes->count;

	while (i > 0 && codes->at[i - 1] > code)
		i--;
	if (i > 0 && codes->at[i - 1] == code)
		return true;
	if (codes->count >= most)
		return false;
	memmove(&codes->at[i + 1], &codes->at[i], (codes->count - i) * sizeof(*codes->at));
	codes->at[i] = code;
	codes->count++;
	return true;
}

static bool is_counted(const struct planner *p, uint16_t code)
{
	return !p->options.counts || p->options.counts(p->options.user, code);
}

/* CPU_CYCLES needs no counter if there is a cycle counter. */
static bool takes_counter(const struct planner *p, uint16_t code)
{
	return code != PLUMB_CODE_CYCLES || !p->options.cycle_counter;
}

static void add_item(struct planner *p, const uint16_t *codes, unsigned count)
{
	uint16_t *copy;

	if (p->failed || count == 0)
		return;
	if (p->item_count == p->item_room) {
		size_t room = p->item_room ? 2 * p->item_room : 64;
		struct pack_item *items = reallocarray(p->items, room, sizeof(*items));

		if (!items) {
			p->failed = true;
			return;
		}
		p->items = items;
		p->item_room = room;
	}
	copy = arena_alloc_array(&p->plan->arena, count, sizeof(*copy));
	if (!copy) {
		p->failed = true;
		return;
	}
	memcpy(copy, codes, count * sizeof(*copy));
	p->items[p->item_count++] = (struct pack_item){copy, (uint16_t)count, 0};
}

/* Adds the codes for which selected metric `i` needs counters. Returns false past `most` codes. */
static bool gather_metric(const struct planner *p, size_t i, struct codes *codes, unsigned most)
{
	const struct plan_metric *metric = &p->plan->metrics[i];

	for (uint16_t k = 0; k < metric->operand_count; k++) {
		uint16_t code = metric->operands[k].code;

		if (metric->operands[k].of_codes != PLUMB_NONE && takes_counter(p, code) &&
		    !codes_add(codes, code, most))
			return false;
	}
	return true;
}

/* A metric with too many events is split into single events, which pack best. */
static void add_metric(struct planner *p, size_t i)
{
	struct codes codes = {.count = 0};

	gather_metric(p, i, &codes, PLUMB_FORMULA_MAX_OPERANDS);
	if (codes.count <= p->options.counters) {
		add_item(p, codes.at, codes.count);
		return;
	}
	for (unsigned k = 0; k < codes.count; k++)
		add_item(p, &codes.at[k], 1);
}

/* Adds the metrics shown under one group; metric `first` is the first of them. */
static void add_group(struct planner *p, size_t first)
{
	const struct plumb_selection *selection = p->plan->given.selection;
	const uint16_t group = selection->metrics[first].group;
	struct codes codes = {.count = 0};
	bool fits = true;

	for (size_t i = first; fits && i < selection->metric_count; i++)
		if (selection->metrics[i].group == group)
			fits = gather_metric(p, i, &codes, p->options.counters);
	if (fits) {
		add_item(p, codes.at, codes.count);
		return;
	}
	for (size_t i = first; i < selection->metric_count; i++)
		if (selection->metrics[i].group == group)
			add_metric(p, i);
}

static void add_items(struct planner *p)
{
	const struct plumb_plan *plan = &p->plan->given;
	const struct plumb_selection *selection = plan->selection;
	struct index_set groups = {0};

	for (size_t i = 0; i < selection->metric_count; i++) {
		uint16_t group = selection->metrics[i].group;

		if (p->options.collect_by == PLUMB_COLLECT_BY_METRIC || group == PLUMB_NONE)
			add_metric(p, i);
		else if (index_set_add(&groups, group))
			add_group(p, i);
	}
	for (uint16_t i = 0; i < selection->code_count; i++)
		if (is_counted(p, selection->codes[i]) && takes_counter(p, selection->codes[i]))
			add_item(p, &selection->codes[i], 1);
}

static struct plumb_plan_group *new_groups(struct planner *p, size_t count)
{
	struct plumb_plan_group *groups = NULL;

	if (count <= GROUPS_MAX)
		groups = arena_alloc_array(&p->plan->arena, count, sizeof(*groups));
	p->plan->given.groups = groups;
	p->plan->given.group_count = (uint16_t)count;
	return groups;
}

static bool set_group(struct planner *p, struct plumb_plan_group *group, const uint16_t *codes,
		      unsigned count, size_t pass)
{
	uint16_t *copy = arena_alloc_array(&p->plan->arena, count, sizeof(*copy));

	if (!copy)
		return false;
	memcpy(copy, codes, count * sizeof(*copy));
	*group = (struct plumb_plan_group){copy, (uint16_t)count, (uint16_t)pass,
					   p->plan->given.place_count};
	p->plan->given.place_count += count;
	p->plan->given.pass_count = (uint16_t)(pass + 1);
	return true;
}

/* Counts everything in one group. */
static int plan_one_group(struct planner *p)
{
	const struct plumb_plan *plan = &p->plan->given;
	struct plumb_plan_group *groups = new_groups(p, 1);

	if (!groups || !set_group(p, &groups[0], plan->codes, plan->code_count, 0))
		return PLUMB_ERR_NO_MEMORY;
	return PLUMB_OK;
}

/* Counts each event by itself, as many in a pass as there are counters. */
static int plan_each_alone(struct planner *p)
{
	const struct plumb_plan *plan = &p->plan->given;
	struct plumb_plan_group *groups;
	size_t taken = 0;

	if (plan->code_count > GROUPS_MAX)
		return PLUMB_ERR_LIMIT;
	groups = new_groups(p, plan->code_count);
	if (!groups)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < plan->code_count; i++) {
		size_t pass = taken / p->options.counters;

		/* The cycle counter is free in every pass, so it never needs one of its own. */
		if (takes_counter(p, plan->codes[i]))
			taken++;
		else if (taken > 0)
			pass = (taken - 1) / p->options.counters;
		if (!set_group(p, &groups[i], &plan->codes[i], 1, pass))
			return PLUMB_ERR_NO_MEMORY;
	}
	return PLUMB_OK;
}

/*
 * Makes groups of what was packed together. If cycles are counted at all, they join every group:
 * that takes no counter, and a metric's cycles are then counted together with its other events.
 */
static int plan_bins(struct planner *p, size_t count, bool cycles)
{
	struct plumb_plan_group *groups = new_groups(p, count ? count : cycles);
	struct codes *bins = calloc(count + 1, sizeof(*bins));
	bool fine = groups && bins;

	for (size_t i = 0; fine && i < p->item_count; i++)
		for (unsigned k = 0; k < p->items[i].count; k++)
			codes_add(&bins[p->items[i].bin], p->items[i].codes[k], PACK_BIN_MAX);
	for (uint16_t g = 0; fine && g < p->plan->given.group_count; g++) {
		if (cycles)
			codes_add(&bins[g], PLUMB_CODE_CYCLES, PACK_BIN_MAX + 1);
		fine = set_group(p, &groups[g], bins[g].at, bins[g].count, g);
	}
	free(bins);
	return fine ? PLUMB_OK : PLUMB_ERR_NO_MEMORY;
}

static int plan_groups(struct planner *p)
{
	const struct plumb_plan *plan = &p->plan->given;
	bool cycles = false;
	int bins;

	if (p->options.counters == 0)
		return plan_one_group(p);
	if (p->options.collect_by == PLUMB_COLLECT_BY_NONE)
		return plan_each_alone(p);
	add_items(p);
	if (p->failed)
		return PLUMB_ERR_NO_MEMORY;
	bins = pack_items(p->items, p->item_count, p->options.counters);
	if (bins < 0)
		return bins;
	for (uint16_t i = 0; i < plan->code_count; i++)
		cycles = cycles || !takes_counter(p, plan->codes[i]);
	return plan_bins(p, (size_t)bins, cycles);
}

/* Collects all countable codes in plan->codes, and finds the place of each operand in it. */
static int find_codes(struct planner *p)
{
	struct plumb_plan *plan = &p->plan->given;
	const struct plumb_selection *selection = plan->selection;
	struct index_set all = {0};
	uint16_t *codes, *places;

	for (uint16_t i = 0; i < selection->code_count; i++)
		index_set_add(&all, selection->codes[i]);
	for (size_t i = 0; i < selection->metric_count; i++)
		for (uint16_t k = 0; k < p->plan->metrics[i].operand_count; k++)
			index_set_add(&all, p->plan->metrics[i].operands[k].code);
	codes = arena_alloc_array(&p->plan->arena, UINT16_MAX, sizeof(*codes));
	places = reallocarray(NULL, UINT16_MAX + 1u, sizeof(*places));
	if (!codes || !places) {
		free(places);
		return PLUMB_ERR_NO_MEMORY;
	}
	plan->codes = codes;
	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		places[code] = PLUMB_NONE;
		if (!index_set_has(&all, (uint16_t)code) || !is_counted(p, (uint16_t)code) ||
		    plan->code_count == PLUMB_NONE)
			continue;
		places[code] = plan->code_count;
		codes[plan->code_count++] = (uint16_t)code;
	}
	for (size_t i = 0; i < selection->metric_count; i++) {
		struct plan_metric *metric = &p->plan->metrics[i];

		for (uint16_t k = 0; k < metric->operand_count; k++)
			metric->operands[k].of_codes = places[metric->operands[k].code];
	}
	free(places);
	return PLUMB_OK;
}

static int compile(struct planner *p, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selection *selection = p->plan->given.selection;
	const struct plumb_spec *spec = selection->spec;

	p->plan->metrics = arena_alloc_array(&p->plan->arena, selection->metric_count,
					     sizeof(*p->plan->metrics));
	if (!p->plan->metrics)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < selection->metric_count; i++) {
		struct plan_metric *metric = &p->plan->metrics[i];
		struct plumb_indexes events;
		int error = plumb_spec_compile_metric(spec, selection->metrics[i].metric,
						      &metric->formula, diagnostics);

		metric->home = PLUMB_NONE;
		if (error < 0)
			return error;
		events = plumb_formula_events(metric->formula);
		metric->operands =
			arena_alloc_array(&p->plan->arena, events.count, sizeof(*metric->operands));
		if (!metric->operands)
			return PLUMB_ERR_NO_MEMORY;
		metric->operand_count = events.count;
		for (uint16_t k = 0; k < events.count; k++)
			metric->operands[k] = (struct plan_operand){
				events.at[k], spec->events[events.at[k]].code, PLUMB_NONE, 0};
	}
	return PLUMB_OK;
}

static const uint16_t *find_code(const struct plumb_plan_group *group, uint16_t code)
{
	for (uint16_t i = 0; i < group->count; i++)
		if (group->codes[i] == code)
			return &group->codes[i];
	return NULL;
}

/* Returns the first group that has all of a metric's events. */
static void find_home(const struct plumb_plan *plan, struct plan_metric *metric)
{
	for (uint16_t g = 0; g < plan->group_count && metric->home == PLUMB_NONE; g++) {
		const struct plumb_plan_group *group = &plan->groups[g];
		bool all = true;

		for (uint16_t k = 0; all && k < metric->operand_count; k++) {
			const uint16_t *at = find_code(group, metric->operands[k].code);

			all = at;
			if (at)
				metric->operands[k].place =
					group->first + (size_t)(at - group->codes);
		}
		if (all)
			metric->home = g;
	}
}

static int make_plan(struct planner *p, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selection *selection = p->plan->given.selection;
	int error = compile(p, diagnostics);

	if (error == PLUMB_OK)
		error = find_codes(p);
	if (error == PLUMB_OK)
		error = plan_groups(p);
	for (size_t i = 0; error == PLUMB_OK && i < selection->metric_count; i++)
		find_home(&p->plan->given, &p->plan->metrics[i]);
	return error;
}

int plumb_plan_new(const struct plumb_selection *selection,
		   const struct plumb_plan_options *options, struct plumb_plan **plan,
		   struct plumb_diagnostics *diagnostics)
{
	struct planner p = {0};
	int error;

	*plan = NULL;
	if (!sized_read(&p.options, sizeof(p.options), options) ||
	    p.options.counters > PLUMB_COUNTERS_MAX)
		return PLUMB_ERR_ARGUMENT;
	p.plan = calloc(1, sizeof(*p.plan));
	if (!p.plan)
		return PLUMB_ERR_NO_MEMORY;
	p.plan->given.selection = selection;
	error = make_plan(&p, diagnostics);
	free(p.items);
	if (error < 0) {
		plumb_plan_free(&p.plan->given);
		return error;
	}
	*plan = &p.plan->given;
	return PLUMB_OK;
}

void plumb_plan_free(struct plumb_plan *plan)
{
	struct plan *p = (struct plan *)(void *)plan;

	if (!p)
		return;
	for (size_t i = 0; p->metrics && i < plan->selection->metric_count; i++)
		plumb_formula_free(p->metrics[i].formula);
	arena_free(&p->arena);
	free(p);
}

bool plumb_plan_computes(const struct plumb_plan *plan, size_t metric, uint16_t *missing)
{
	const struct plan_metric *m = &plan_of(plan)->metrics[metric];

	for (uint16_t k = 0; k < m->operand_count; k++) {
		if (m->operands[k].of_codes != PLUMB_NONE)
			continue;
		if (missing)
			*missing = m->operands[k].event;
		return false;
	}
	return true;
}

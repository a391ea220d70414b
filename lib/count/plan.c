/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which events are counted together. */
#include "count/planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "base/sized.h"
#include "event/config.h"

/* Groups are numbered with a uint16_t. */
#define GROUPS_MAX (UINT16_MAX - 1)

/* Distinct codes in ascending order; room for the events of one formula. */
struct codes {
	uint16_t at[FORMULA_MAX_OPERANDS];
	unsigned count;
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
	if (p->plan->item_count == p->item_room) {
		size_t room = p->item_room ? 2 * p->item_room : 64;
		struct pack_item *items = reallocarray(p->plan->items, room, sizeof(*items));

		if (!items) {
			p->failed = true;
			return;
		}
		p->plan->items = items;
		p->item_room = room;
	}
	copy = arena_alloc_array(&p->plan->arena, count, sizeof(*copy));
	if (!copy) {
		p->failed = true;
		return;
	}
	memcpy(copy, codes, count * sizeof(*copy));
	p->plan->items[p->plan->item_count++] = (struct pack_item){copy, (uint16_t)count, 0};
}

/* Adds the codes for which selected metric `i` needs counters. Returns false past `most` codes. */
static bool gather_metric(const struct planner *p, size_t i, struct codes *codes, unsigned most)
{
	const struct plan_metric *metric = &p->plan->metrics[i];

	for (uint16_t k = 0; k < metric->operand_count; k++) {
		uint16_t code = metric->operands[k].code;

		if (metric->operands[k].of_events != PLUMB_NONE && takes_counter(p, code) &&
		    !codes_add(codes, code, most))
			return false;
	}
	return true;
}

/* A metric with too many events is split into single events, which pack best. */
static void add_metric(struct planner *p, size_t i)
{
	struct codes codes = {.count = 0};

	gather_metric(p, i, &codes, FORMULA_MAX_OPERANDS);
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
	for (uint16_t i = 0; i < selection->event_count; i++) {
		uint16_t code = (uint16_t)selection->events[i].event->config;

		if (plan_is_packed(selection, i) && !plan_repeats(p, i) && is_counted(p, code) &&
		    takes_counter(p, code))
			add_item(p, &code, 1);
	}
}

/* Room for `count` groups of what is packed, and those that were requested. */
static struct plumb_plan_group *new_groups(struct planner *p, size_t count)
{
	struct plumb_plan_group *groups = NULL;

	if (count + p->requested_count <= GROUPS_MAX)
		groups = arena_alloc_array(&p->plan->arena, count + p->requested_count,
					   sizeof(*groups));
	p->groups = groups;
	p->plan->given.groups = groups;
	p->plan->given.group_count = (uint16_t)count;
	return groups;
}

/* `codes` are those of the packed events. */
static bool set_group(struct planner *p, struct plumb_plan_group *group, const uint16_t *codes,
		      unsigned count, size_t pass)
{
	struct plumb_plan *plan = &p->plan->given;
	uint16_t *events = arena_alloc_array(&p->plan->arena, count, sizeof(*events));

	if (!events)
		return false;
	for (unsigned i = 0; i < count; i++)
		events[i] = p->plan->of_codes[codes[i]];
	*group = (struct plumb_plan_group){events, (uint16_t)count, (uint16_t)pass,
					   plan->place_count};
	plan->place_count += count;
	if (plan->pass_count <= pass)
		plan->pass_count = (uint16_t)(pass + 1);
	return true;
}

/* Collects the codes of all packed events, in ascending order. Returns how many. */
static size_t list_codes(const struct planner *p, uint16_t *codes)
{
	size_t count = 0;

	for (unsigned code = 0; code <= UINT16_MAX; code++)
		if (p->plan->of_codes[code] != PLUMB_NONE)
			codes[count++] = (uint16_t)code;
	return count;
}

/* Puts all events into one group. */
static int plan_one_group(struct planner *p, const uint16_t *codes, size_t count)
{
	struct plumb_plan_group *groups = new_groups(p, count > 0);

	if (!groups || (count && !set_group(p, &groups[0], codes, (unsigned)count, 0)))
		return PLUMB_ERR_NO_MEMORY;
	return PLUMB_OK;
}

/* Puts each event into its own group, with as many groups per pass as there are counters. */
static int plan_each_alone(struct planner *p, const uint16_t *codes, size_t count)
{
	struct plumb_plan_group *groups;
	size_t taken = 0;

	if (count + p->requested_count > GROUPS_MAX)
		return PLUMB_ERR_LIMIT;
	groups = new_groups(p, count);
	if (!groups)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		size_t pass = taken / p->options.counters;

		/* Each pass has the cycle counter, but needs an event beside it. */
		if (takes_counter(p, codes[i]))
			taken++;
		else if (taken > 0)
			pass = (taken - 1) / p->options.counters;
		if (!set_group(p, &groups[i], &codes[i], 1, pass))
			return PLUMB_ERR_NO_MEMORY;
	}
	return PLUMB_OK;
}

/*
 * Makes groups of the packed events. The cycle counter joins each group if cycles are counted at
 * all: it takes no room, and a metric then uses the cycles counted with its other events.
 */
static int plan_bins(struct planner *p, size_t count, bool cycles)
{
	struct plumb_plan_group *groups = new_groups(p, count ? count : cycles);
	struct codes *bins = calloc(count + 1, sizeof(*bins));
	bool fine = groups && bins;

	for (size_t i = 0; fine && i < p->plan->item_count; i++)
		for (unsigned k = 0; k < p->plan->items[i].count; k++)
			codes_add(&bins[p->plan->items[i].bin], p->plan->items[i].codes[k],
				  PACK_BIN_MAX);
	for (uint16_t g = 0; fine && g < p->plan->given.group_count; g++) {
		if (cycles)
			codes_add(&bins[g], PLUMB_CODE_CYCLES, PACK_BIN_MAX + 1);
		fine = set_group(p, &groups[g], bins[g].at, bins[g].count, g);
	}
	free(bins);
	return fine ? PLUMB_OK : PLUMB_ERR_NO_MEMORY;
}

static int plan_packed(struct planner *p)
{
	int bins;

	add_items(p);
	if (p->failed)
		return PLUMB_ERR_NO_MEMORY;
	bins = pack_items(p->plan->items, p->plan->item_count, p->options.counters);
	if (bins < 0)
		return bins;
	return plan_bins(p, (size_t)bins,
			 p->options.cycle_counter &&
				 p->plan->of_codes[PLUMB_CODE_CYCLES] != PLUMB_NONE);
}

static int plan_groups(struct planner *p)
{
	uint16_t *codes = reallocarray(NULL, UINT16_MAX + 1u, sizeof(*codes));
	size_t count = codes ? list_codes(p, codes) : 0;
	int error;

	if (!codes)
		error = PLUMB_ERR_NO_MEMORY;
	else if (p->options.counters == 0)
		error = plan_one_group(p, codes, count);
	else if (p->options.collect_by == PLUMB_COLLECT_BY_NONE)
		error = plan_each_alone(p, codes, count);
	else
		error = plan_packed(p);
	free(codes);
	return error;
}

/* ---- the events ----------------------------------------------------------------------------- */

/* Makes the event that a metric needs, as the specification names it. */
static const struct plumb_event_config *new_event(struct planner *p, uint16_t code)
{
	const struct plumb_spec *spec = p->plan->given.selection->spec;
	struct plumb_event_config *event = arena_alloc(&p->plan->arena, sizeof(*event));

	if (!event)
		return NULL;
	event->kind = PLUMB_EVENT_PMU;
	event->config = code;
	event->name = spec->events[plumb_spec_event_by_code(spec, code)].name;
	return event;
}

/* Tells whether a requested event can be counted. */
static bool is_countable(const struct planner *p, const struct plumb_event_config *event)
{
	return event->kind != PLUMB_EVENT_PMU || is_counted(p, (uint16_t)event->config);
}

bool plan_repeats(const struct planner *p, uint16_t event)
{
	const uint16_t index = p->of_selected[event];

	return index != PLUMB_NONE && p->plan->counted_as[index] != index;
}

/* Returns the index of the event to count for selected event `i`: its own, or an earlier one's. */
static uint16_t find_counted(const struct planner *p, uint16_t i, uint16_t own)
{
	const struct plumb_selection *selection = p->plan->given.selection;

	for (uint16_t k = 0; k < i && !plan_in_group(selection, i); k++)
		if (p->of_selected[k] != PLUMB_NONE && !plan_in_group(selection, k) &&
		    event_counts_same(selection->events[k].event, selection->events[i].event))
			return p->of_selected[k];
	return own;
}

static void add_selected_events(struct planner *p, const struct plumb_event_config **events)
{
	struct plumb_plan *plan = &p->plan->given;
	const struct plumb_selection *selection = plan->selection;

	for (uint16_t i = 0; i < selection->event_count; i++) {
		const struct plumb_event_config *event = selection->events[i].event;

		p->of_selected[i] = PLUMB_NONE;
		if (!is_countable(p, event))
			continue;
		p->of_selected[i] = plan->event_count;
		p->plan->counted_as[plan->event_count] = find_counted(p, i, plan->event_count);
		if (plan_is_packed(selection, i) && !plan_repeats(p, i))
			p->plan->of_codes[event->config] = plan->event_count;
		events[plan->event_count++] = event;
	}
}

/* Adds the events that metrics need and that were not requested, by ascending code. */
static bool add_needed_events(struct planner *p, const struct index_set *needed,
			      const struct plumb_event_config **events)
{
	struct plumb_plan *plan = &p->plan->given;

	for (unsigned code = 0; code <= UINT16_MAX; code++) {
		if (!index_set_has(needed, (uint16_t)code) || !is_counted(p, (uint16_t)code) ||
		    p->plan->of_codes[code] != PLUMB_NONE || plan->event_count == PLUMB_NONE)
			continue;
		events[plan->event_count] = new_event(p, (uint16_t)code);
		if (!events[plan->event_count])
			return false;
		p->plan->counted_as[plan->event_count] = plan->event_count;
		p->plan->of_codes[code] = plan->event_count++;
	}
	return true;
}

/* Collects all countable events in plan->events, and finds the index of each operand in it. */
static int find_events(struct planner *p)
{
	struct plumb_plan *plan = &p->plan->given;
	const struct plumb_selection *selection = plan->selection;
	const struct plumb_event_config **events;
	struct index_set needed = {0};
	size_t count = selection->event_count;

	for (size_t i = 0; i < selection->metric_count; i++)
		for (uint16_t k = 0; k < p->plan->metrics[i].operand_count; k++)
			count += index_set_add(&needed, p->plan->metrics[i].operands[k].code);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers */
	events = arena_alloc_array(&p->plan->arena, count, sizeof(*events));
	p->of_selected =
		arena_alloc_array(&p->plan->arena, selection->event_count, sizeof(*p->of_selected));
	p->plan->of_codes =
		arena_alloc_array(&p->plan->arena, UINT16_MAX + 1u, sizeof(*p->plan->of_codes));
	p->plan->counted_as =
		arena_alloc_array(&p->plan->arena, count, sizeof(*p->plan->counted_as));
	if (!events || !p->of_selected || !p->plan->of_codes || !p->plan->counted_as)
		return PLUMB_ERR_NO_MEMORY;
	memset(p->plan->of_codes, 0xff, (UINT16_MAX + 1u) * sizeof(*p->plan->of_codes));
	plan->events = events;
	add_selected_events(p, events);
	if (!add_needed_events(p, &needed, events))
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < selection->metric_count; i++) {
		struct plan_metric *metric = &p->plan->metrics[i];

		for (uint16_t k = 0; k < metric->operand_count; k++)
			metric->operands[k].of_events = p->plan->of_codes[metric->operands[k].code];
	}
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
		int error = formula_compile_metric(spec, selection->metrics[i].metric,
						   &metric->formula, diagnostics);

		metric->home = PLUMB_NONE;
		if (error < 0)
			return error;
		events = formula_events(metric->formula);
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

static const uint16_t *find_event(const struct plumb_plan_group *group, uint16_t event)
{
	for (uint16_t i = 0; i < group->count; i++)
		if (group->events[i] == event)
			return &group->events[i];
	return NULL;
}

/* Returns the first group that has all of a metric's events. */
static void find_home(const struct plumb_plan *plan, struct plan_metric *metric)
{
	for (uint16_t g = 0; g < plan->group_count && metric->home == PLUMB_NONE; g++) {
		const struct plumb_plan_group *group = &plan->groups[g];
		bool all = true;

		for (uint16_t k = 0; all && k < metric->operand_count; k++) {
			const uint16_t *at = find_event(group, metric->operands[k].of_events);

			all = at;
			if (at)
				metric->operands[k].place =
					group->first + (size_t)(at - group->events);
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
		error = find_events(p);
	if (error == PLUMB_OK)
		error = requested_find(p, diagnostics);
	if (error == PLUMB_OK)
		error = plan_groups(p);
	if (error == PLUMB_OK)
		error = requested_plan(p);
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
		formula_free(p->metrics[i].formula);
	free(p->items);
	arena_free(&p->arena);
	free(p);
}

uint16_t plumb_plan_event(const struct plumb_plan *plan, uint16_t code)
{
	return plan_of(plan)->of_codes[code];
}

bool plumb_plan_computes(const struct plumb_plan *plan, size_t metric, uint16_t *missing)
{
	const struct plan_metric *m = &plan_of(plan)->metrics[metric];

	for (uint16_t k = 0; k < m->operand_count; k++) {
		if (m->operands[k].of_events != PLUMB_NONE)
			continue;
		if (missing)
			*missing = m->operands[k].event;
		return false;
	}
	return true;
}

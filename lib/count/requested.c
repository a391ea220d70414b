/* SPDX-License-Identifier: Apache-2.0 */
/* Plans groups and events as requested, without packing them. */
#include <stdlib.h>

#include "count/planner.h"
#include "event/config.h"

bool plan_in_group(const struct plumb_selection *selection, uint16_t event)
{
	return selection->events[event].leader != event ||
	       (event + 1 < selection->event_count && selection->events[event + 1].leader == event);
}

bool plan_is_packed(const struct plumb_selection *selection, uint16_t event)
{
	return event_is_plain(selection->events[event].event) && !plan_in_group(selection, event);
}

/* The counters in use in a pass. */
struct load {
	unsigned counters;
	bool cycles; /* the cycle counter is in use */
};

/* Adds an event. Software events take no counter; cycles take the cycle counter if it is free. */
static void add_load(const struct planner *p, const struct plumb_event_config *event,
		     struct load *load)
{
	if (event->kind != PLUMB_EVENT_PMU)
		return;
	if (event->config == PLUMB_CODE_CYCLES && p->options.cycle_counter && !load->cycles)
		load->cycles = true;
	else
		load->counters++;
}

/* Adds the events of a requested group. Returns whether they fit. */
static bool add_requested_load(const struct planner *p, const struct requested *requested,
			       struct load *load)
{
	const struct plumb_selection *selection = p->plan->given.selection;

	for (uint16_t i = 0; i < requested->count; i++)
		if (p->of_selected[requested->first + i] != PLUMB_NONE)
			add_load(p, selection->events[requested->first + i].event, load);
	return load->counters <= p->options.counters || p->options.counters == 0;
}

static int too_large(const struct planner *p, const struct requested *requested,
		     const struct load *load, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selected_event *events = p->plan->given.selection->events;

	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "large-group", NULL,
			      "the group of %s requires %u counters, but there are only %u",
			      events[requested->first].event->name, load->counters,
			      p->options.counters);
	plumb_diagnostics_hint(diagnostics,
			       "use smaller groups, or split the group up with the modifier W");
	return PLUMB_ERR_LIMIT;
}

int requested_find(struct planner *p, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selection *selection = p->plan->given.selection;
	uint16_t i = 0;

	p->requested =
		arena_alloc_array(&p->plan->arena, selection->event_count, sizeof(*p->requested));
	if (!p->requested)
		return PLUMB_ERR_NO_MEMORY;
	while (i < selection->event_count) {
		struct requested group = {i, 1};
		struct load load = {0};

		while (i + group.count < selection->event_count &&
		       selection->events[i + group.count].leader == i)
			group.count++;
		if (add_requested_load(p, &group, &load)) {
			if (!plan_is_packed(selection, i) && !plan_repeats(p, i))
				p->requested[p->requested_count++] = group;
		} else if (selection->events[i].event->weak) {
			for (uint16_t k = 0; k < group.count; k++)
				p->requested[p->requested_count++] =
					(struct requested){(uint16_t)(i + k), 1};
		} else {
			return too_large(p, &group, &load, diagnostics);
		}
		i += group.count;
	}
	return PLUMB_OK;
}

static void measure_loads(const struct planner *p, struct load *loads)
{
	const struct plumb_plan *plan = &p->plan->given;

	for (uint16_t g = 0; g < plan->group_count; g++)
		for (uint16_t i = 0; i < plan->groups[g].count; i++)
			add_load(p, plan->events[plan->groups[g].events[i]],
				 &loads[plan->groups[g].pass]);
}

/* Adds a requested group to the first pass where it fits, or to a new one. */
static bool add_requested(struct planner *p, const struct requested *requested,
			  struct plumb_plan_group *group, struct load *loads)
{
	struct plumb_plan *plan = &p->plan->given;
	uint16_t *events = arena_alloc_array(&p->plan->arena, requested->count, sizeof(*events));
	uint16_t pass = 0, count = 0;
	struct load load;

	if (!events)
		return false;
	for (uint16_t i = 0; i < requested->count; i++)
		if (p->of_selected[requested->first + i] != PLUMB_NONE)
			events[count++] = p->of_selected[requested->first + i];
	for (;; pass++) {
		load = loads[pass];
		/* The group fits an empty pass. */
		if (add_requested_load(p, requested, &load) || pass >= plan->pass_count)
			break;
	}
	loads[pass] = load;
	*group = (struct plumb_plan_group){events, count, pass, plan->place_count};
	plan->place_count += count;
	if (plan->pass_count <= pass)
		plan->pass_count = (uint16_t)(pass + 1);
	return true;
}

int requested_plan(struct planner *p)
{
	struct plumb_plan *plan = &p->plan->given;
	/* new_groups() left room for these groups. */
	struct plumb_plan_group *groups = p->groups;
	struct load *loads = calloc(plan->pass_count + p->requested_count + 1, sizeof(*loads));
	bool fine = loads;

	if (fine)
		measure_loads(p, loads);
	for (size_t i = 0; fine && i < p->requested_count; i++)
		fine = add_requested(p, &p->requested[i], &groups[plan->group_count++], loads);
	free(loads);
	return fine ? PLUMB_OK : PLUMB_ERR_NO_MEMORY;
}

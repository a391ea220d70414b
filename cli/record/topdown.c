/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses what `plumb record --topdown` samples: the cycles, and with each sample the counts of all
 * events that the first level of top-down takes, so that they are of the same moments.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile/first_level.h"
#include "record.h"
#include "tool/complain.h"
#include "tool/memory.h"

/*
 * Cycles from sample to sample. All that was counted between is charged to the function sampled, so
 * few should lie between; but hardware takes thousands of cycles for each sample.
 */
#define MODEL_PERIOD    1009
#define HARDWARE_PERIOD 100003

static void advise_others(const struct machine *machine)
{
	if (machine->core)
		advise("plumb record --exact charges all slots of the model to functions");
	else
		advise("count without functions: plumb stat; or run the model: plumb record "
		       "--topdown --source model");
}

/* Returns whether the machine can count all the events at once. Otherwise says why not. */
static bool fits(const struct first_level *level, const struct machine *machine)
{
	struct plumb_plan_options plan = {.size = sizeof(plan)};
	const size_t others = level->event_count - 1;

	for (size_t i = 0; i < level->event_count; i++) {
		const struct plumb_event *event = &level->spec->events[level->events[i]];

		if (plumb_source_counts(machine->source, event->code))
			continue;
		complain("--topdown requires %s, which this machine cannot count", event->name);
		advise_others(machine);
		return false;
	}
	plumb_source_fill_plan_options(machine->source, &plan);
	if (!plan.counters || plan.counters >= others)
		return true;
	complain("--topdown requires %zu counters beside that of cycles, and this machine has %u",
		 others, plan.counters);
	advise_others(machine);
	return false;
}

/* Returns the group with cycles, which lead it, as -e takes it. To be freed. */
static char *list_events(const struct first_level *level)
{
	const struct plumb_event *events = level->spec->events;
	char *list = memory_format("{%s", events[level->events[level->cycles]].name);

	for (size_t i = 0; i < level->event_count; i++) {
		char *longer;

		if (i == level->cycles)
			continue;
		longer = memory_format("%s,%s", list, events[level->events[i]].name);
		free(list);
		list = longer;
	}
	return list;
}

int record_topdown_group(struct record_request *request, const struct machine *machine,
			 char **group)
{
	const uint32_t midr = plumb_source_midr(machine->source);
	struct first_level level;
	const int error = first_level_open(&level, midr);
	int status = EXIT_UNABLE;

	*group = NULL;
	if (error == PLUMB_ERR_NO_MEMORY) {
		complain("out of memory");
		status = EXIT_OTHER;
	} else if (error < 0) {
		complain("--topdown: %s has no metrics of slots",
			 level.spec ? level.spec->product.name : "this CPU");
		advise("sample stalled cycles instead: -e '{cycles,stall_frontend,"
		       "stall_backend}:S'");
	} else if (fits(&level, machine)) {
		char *list = list_events(&level);

		*group = memory_format("%s}:S", list);
		free(list);
		status = EXIT_FINE;
		if (!request->period && !request->frequency)
			request->period = machine->core ? MODEL_PERIOD : HARDWARE_PERIOD;
	}
	first_level_close(&level);
	return status;
}

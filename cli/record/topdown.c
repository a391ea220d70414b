/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses what `plumb record --topdown` samples: the cycles, and with each sample the counts of all
 * events that the first level of top-down takes, so that they are of the same moments.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
/*
 * Cycles between the two samples of a pair. At 300, most windows lie within one function, as Arm's
 * engineers found on Neoverse N1 (linux-perf-users, "A mechanism for efficient support for
 * per-function metrics", January 2024). In the model nothing disturbs shorter ones:
 * doc/statistics.md.
 */
#define MODEL_STROBE    200
#define HARDWARE_STROBE 300

static void advise_others(const struct machine *machine)
{
	if (machine->core)
		advise("plumb record --exact charges all slots of the model to functions");
	else
		advise("count without functions: plumb stat; or run the model: plumb record "
		       "--topdown --source model");
}

/* The group: which events of the first level it has, and what else. */
struct group {
	const struct first_level *level;
	uint64_t strobe; /* cycles between the samples of a pair; 0: no pairs */
	bool user;       /* user code alone */
	bool sums;       /* without STALL_SLOT, which is the sum of two others */
};

static uint64_t choose_strobe(const struct record_request *request, const struct machine *machine)
{
	if (request->strobe != STROBE_DEFAULT)
		return request->strobe;
	if (request->options->strobe)
		return machine->core ? MODEL_STROBE : HARDWARE_STROBE;
	/* On hardware it costs the kernel's share of the profile. */
	return machine->core && !request->frequency &&
			       (!request->period || request->period >= 2ull * MODEL_STROBE)
		       ? MODEL_STROBE
		       : 0;
}

/*
 * Returns whether the machine can count all the events at once, if need be without the sum.
 * Otherwise says why not.
 */
static bool fits(struct group *group, const struct machine *machine)
{
	const struct first_level *level = group->level;
	struct plumb_plan_options plan = {.size = sizeof(plan)};
	/* Of a pair's two events for cycles, the counter of cycles takes one. */
	const size_t others = level->event_count - 1 + (group->strobe != 0);

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
	group->sums = group->strobe != 0;
	if (plan.counters >= others - group->sums)
		return true;
	complain("--topdown requires %zu counters beside that of cycles, and this machine has %u",
		 others - group->sums, plan.counters);
	advise_others(machine);
	return false;
}

/* Returns the group with cycles, which lead it, as -e takes it. To be freed. */
static char *list_events(const struct group *group)
{
	const struct first_level *level = group->level;
	const struct plumb_event *events = level->spec->events;
	const char *cycles = events[level->events[level->cycles]].name;
	char *list = memory_format("{%s", cycles), *whole;

	for (size_t i = 0; i < level->event_count; i++) {
		const char *name = events[level->events[i]].name;
		char *longer;

		if (i == level->cycles || (group->sums && strcmp(name, "STALL_SLOT") == 0))
			continue;
		longer = memory_format("%s,%s", list, name);
		free(list);
		list = longer;
	}
	whole = group->strobe ? memory_format("%s,%s/strobe=%" PRIu64 "/}:%sS", list, cycles,
					      group->strobe, group->user ? "u" : "")
			      : memory_format("%s}:S", list);
	free(list);
	return whole;
}

int record_topdown_group(struct record_request *request, const struct machine *machine,
			 char **group)
{
	const uint32_t midr = plumb_source_midr(machine->source);
	struct first_level level;
	const int error = first_level_open(&level, midr);
	struct group made = {
		.level = &level,
		.strobe = choose_strobe(request, machine),
		.user = !machine->core,
	};
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
	} else if (fits(&made, machine)) {
		*group = list_events(&made);
		status = EXIT_FINE;
		if (!request->period && !request->frequency)
			request->period = machine->core ? MODEL_PERIOD : HARDWARE_PERIOD;
	}
	first_level_close(&level);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any request of any built-in CPU, planned for any counters, with any counts: from a selection to
 * a diagnosis. What a plan promises is checked on the way.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/diagnosis.h>

#include "count/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

struct input {
	const uint8_t *at;
	size_t left;
};

/* The next bytes as a number; 0 past the end. */
static uint64_t take(struct input *in, size_t bytes)
{
	uint64_t number = 0;

	for (; bytes > 0 && in->left > 0; bytes--, in->left--)
		number = number << 8 | *in->at++;
	return number;
}

struct lists {
	uint16_t groups[8], metrics[64];
	struct plumb_event_list *events;
};

/* Indexes are mostly in range, as the command line makes them from names, but sometimes not. */
static uint16_t take_index(struct input *in, uint16_t count)
{
	uint16_t index = (uint16_t)take(in, 2);

	return index >= 0xff00 || count == 0 ? index : index % count;
}

/* Up to 32 events, alone and in groups: of the PMU by their codes, of software, metrics. */
static void take_events(struct input *in, const struct plumb_spec *spec, struct lists *lists)
{
	static const char *const modifiers[] = {"", ":u", ":kD", ":W"};
	const struct plumb_event_options options = {.size = sizeof(options), .spec = spec};
	uint16_t items = take(in, 1) % 17;

	require(plumb_event_list_new(&options, &lists->events) == 0);
	for (uint16_t i = 0; i < items; i++) {
		const unsigned shape = (unsigned)take(in, 1);
		const unsigned code = (unsigned)take(in, 2), other = code >> 8 | 0x4000;
		const char *modifier = modifiers[shape >> 3 & 3];
		char text[128];

		if (shape % 8 == 0)
			snprintf(text, sizeof(text), "{r%x,r%x,cs}%s", code, other, modifier);
		else if (shape % 8 == 1)
			snprintf(text, sizeof(text), "{r11,r%x}%s", code, modifier);
		else if (shape % 8 == 2)
			snprintf(text, sizeof(text), "task-clock%s", modifier);
		else if (shape % 8 == 3 && spec->metric_count)
			snprintf(text, sizeof(text), "%s",
				 spec->metrics[code % spec->metric_count].name);
		else
			snprintf(text, sizeof(text), "r%x%s", code, modifier);
		/* A metric may have the name of an event that only the trace unit sees. */
		(void)plumb_event_list_add(lists->events, text, NULL);
	}
}

static struct plumb_request take_request(struct input *in, const struct plumb_spec *spec,
					 struct lists *lists)
{
	struct plumb_request request = {.size = sizeof(request), .stages = (unsigned)take(in, 1)};
	uint16_t groups = take(in, 1) % 9, metrics = take(in, 1) % 65;

	for (uint16_t i = 0; i < groups; i++)
		lists->groups[i] = take_index(in, spec->metric_group_count);
	for (uint16_t i = 0; i < metrics; i++)
		lists->metrics[i] = take_index(in, spec->metric_count);
	request.groups = (struct plumb_indexes){lists->groups, groups};
	request.metrics = (struct plumb_indexes){lists->metrics, metrics};
	request.node_given = take(in, 1) & 1;
	request.node = take_index(in, spec->metric_count);
	request.level = (unsigned)take(in, 1);
	take_events(in, spec, lists);
	request.events = lists->events;
	return request;
}

/* Leaves out what the mask selects. */
static bool counts(const void *user, uint16_t code)
{
	const uint8_t *mask = user;

	return *mask == 0 || (code * 31u >> 3) % *mask != 0;
}

static void check_plan(const struct plumb_plan *plan, const struct plumb_plan_options *options)
{
	size_t places = 0;

	require(plan->pass_count <= plan->group_count);
	for (uint16_t g = 0; g < plan->group_count; g++) {
		const struct plumb_plan_group *group = &plan->groups[g];
		unsigned taken = 0;
		bool free_cycles = false;

		require(group->first == places && group->pass < plan->pass_count);
		places += group->count;
		for (uint16_t i = 0; i < group->count; i++) {
			const struct plumb_event_config *event = plan->events[group->events[i]];
			const bool cycles = event->config == PLUMB_CODE_CYCLES &&
					    options->cycle_counter && !free_cycles;

			require(group->events[i] < plan->event_count);
			if (event->kind != PLUMB_EVENT_PMU)
				continue;
			require(counts(options->user, (uint16_t)event->config));
			free_cycles |= cycles;
			taken += !cycles;
		}
		require(options->counters == 0 || taken <= options->counters);
	}
	require(places == plan->place_count);
	for (size_t i = 0; i < plan->selection->metric_count; i++) {
		uint16_t home = plan_home(plan, i);

		require(home == PLUMB_NONE ||
			(home < plan->group_count && plumb_plan_computes(plan, i, NULL)));
	}
}

static void count(struct input *in, const struct plumb_plan *plan)
{
	struct plumb_count *counted = calloc(plan->place_count + 1, sizeof(*counted));
	struct plumb_diagnosis *diagnosis;
	struct plumb_result *result;
	unsigned parts = 1 + take(in, 1) % 3;
	bool runs = take(in, 1) & 1;

	require(counted && plumb_result_new(plan, &result) == 0);
	for (unsigned part = 0; part < parts; part++) {
		for (size_t i = 0; i < plan->place_count; i++) {
			uint64_t raw = take(in, 1 + i % 4);

			counted[i].count = raw == 0xff ? (double)NAN : (double)raw;
		}
		plumb_result_add(result, counted, runs);
	}
	require(result->parts == parts);
	for (size_t i = 0; i < plan->selection->metric_count; i++) {
		const struct plumb_value *value = &result->values[i];

		require(!isinf(value->value) && !(value->low > value->high));
	}
	require(plumb_diagnose(result, &diagnosis) == 0);
	require(diagnosis->path_length <= PLUMB_PATH_MAX);
	for (unsigned i = 0; i < diagnosis->path_length; i++)
		require(diagnosis->path[i].metric < plan->selection->spec->metric_count);
	plumb_diagnosis_free(diagnosis);
	plumb_result_free(result);
	free(counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	const struct plumb_spec *spec =
		plumb_spec_builtin(take(&in, 1) % plumb_spec_builtin_count());
	struct lists lists;
	struct plumb_request request = take_request(&in, spec, &lists);
	const uint8_t mask = (uint8_t)take(&in, 1);
	const struct plumb_plan_options options = {
		.size = sizeof(options),
		.counters = (unsigned)take(&in, 1) % (PLUMB_COUNTERS_MAX + 1),
		.cycle_counter = take(&in, 1) & 1,
		.collect_by = (enum plumb_collect_by)(take(&in, 1) % 3),
		.counts = counts,
		.user = &mask,
	};
	struct plumb_selection *selection = NULL;
	struct plumb_plan *plan;

	if (plumb_selection_new(spec, &request, &selection) == 0) {
		int error = plumb_plan_new(selection, &options, &plan, NULL);

		/* A group of three may be too large. */
		require(error == 0 || (error == PLUMB_ERR_LIMIT && options.counters < 3));
		if (error == 0) {
			check_plan(plan, &options);
			count(&in, plan);
		}
		plumb_plan_free(plan);
	}
	plumb_selection_free(selection);
	plumb_event_list_free(lists.events);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/counted.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <plumb/model.h>

#include "base/diagnostics.h"

/* The model's own table. */
#include <events.h>

/* The maximum number of similar events to name. */
#define NEARBY_MAX 6

/* The bits of config1 that make no difference: counts have 64 bits, and nobody reads them. */
#define CONFIG1_IGNORED 3u

static size_t index_of_code(uint64_t code)
{
	size_t i = 0;

	while (i < EVENT_COUNT && model_event_codes[i] != code)
		i++;
	return i;
}

bool model_counts_event(uint16_t code)
{
	return index_of_code(code) < EVENT_COUNT;
}

size_t model_index_of(const struct plumb_event_config *event)
{
	if (event->kind == PLUMB_EVENT_PMU)
		return index_of_code(event->config);
	/* The generic timer counts nanoseconds. */
	if (event->kind == PLUMB_EVENT_SOFTWARE &&
	    (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK))
		return EVENT_CNT_CYCLES;
	return EVENT_COUNT;
}

const struct plumb_spec *model_spec(const char *core)
{
	const struct plumb_model_core *known;
	const struct plumb_spec *spec;

	for (size_t i = 0; (known = plumb_model_core(i)); i++)
		if (strcmp(known->name, core) == 0)
			return plumb_spec_find(known->spec_id, &spec, NULL) == 0 ? spec : NULL;
	return NULL;
}

/* Returns whether two names begin with the same word: L1D_CACHE_WB and L1D_TLB_REFILL. */
static bool share_word(const char *a, const char *b)
{
	const size_t length = strcspn(a, "_");

	return length == strcspn(b, "_") && strncmp(a, b, length) == 0;
}

/*
 * Adds a hint with events that the model counts, from the same functional groups and with a similar
 * name. The group alone is not enough: "Retired" has branches and SW_INCR.
 */
static void hint_nearby(const struct plumb_spec *spec, uint16_t event,
			struct plumb_diagnostics *diagnostics)
{
	char text[512] = "";
	size_t used = 0;
	unsigned named = 0;

	for (uint16_t f = 0; f < spec->functional_group_count; f++) {
		struct plumb_indexes events = spec->functional_groups[f].events;
		bool mine = false;

		for (uint16_t i = 0; i < events.count; i++)
			mine = mine || events.at[i] == event;
		for (uint16_t i = 0; mine && i < events.count && named < NEARBY_MAX; i++) {
			const struct plumb_event *other = &spec->events[events.at[i]];

			if (!model_counts_event(other->code) || used >= sizeof(text) ||
			    !share_word(other->name, spec->events[event].name))
				continue;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 named ? ", " : "", other->name);
			named++;
		}
	}
	if (named)
		plumb_diagnostics_hint(diagnostics, "it counts these related events: %s", text);
	else
		diagnostics_remedy(diagnostics, "list-events-of-model", NULL,
				   "use an event that the model counts");
}

static int refuse(const struct plumb_event_config *event, const char *why,
		  struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "not-modelled", NULL, "%s: %s", event->name,
			      why);
	return PLUMB_ERR_UNSUPPORTED;
}

static int refuse_event(const struct plumb_spec *spec, const struct plumb_event_config *event,
			struct plumb_diagnostics *diagnostics)
{
	uint16_t index = PLUMB_NONE;

	if (event->kind == PLUMB_EVENT_PMU)
		index = plumb_spec_event_by_code(spec, (uint16_t)event->config);
	if (event->kind == PLUMB_EVENT_PMU && index == PLUMB_NONE)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "not-modelled", NULL,
				      "the model does not count %s, which %s does not have",
				      event->name, spec->id);
	else
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "not-modelled", NULL,
				      "the model does not count %s",
				      index == PLUMB_NONE ? event->name : spec->events[index].name);
	if (index != PLUMB_NONE)
		hint_nearby(spec, index, diagnostics);
	else if (event->kind == PLUMB_EVENT_SOFTWARE)
		plumb_diagnostics_hint(diagnostics,
				       "it counts two software events, task-clock and cpu-clock, "
				       "in its own time");
	return PLUMB_ERR_NOT_FOUND;
}

static int check_metric(const struct plumb_spec *spec, uint64_t metric,
			struct plumb_diagnostics *diagnostics)
{
	struct plumb_indexes events = spec->metrics[metric].events;

	for (uint16_t i = 0; i < events.count; i++) {
		if (model_counts_event(spec->events[events.at[i]].code))
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "not-modelled", NULL,
				      "%s requires %s, which the model does not count",
				      spec->metrics[metric].name, spec->events[events.at[i]].name);
		hint_nearby(spec, events.at[i], diagnostics);
		return PLUMB_ERR_NOT_FOUND;
	}
	return 0;
}

/* The model has one PMU of each kind, which names without a number mean, too. */
static bool is_my_pmu(const struct plumb_event_config *event)
{
	static const char *const pmus[] = {"cpu", "armv8_pmuv3", MODEL_PMU}, *const spes[] = {
										     "spe",
										     "arm_spe",
										     MODEL_SPE};
	const char *const *names = event->kind == PLUMB_EVENT_SPE ? spes : pmus;

	for (size_t i = 0; event->pmu && i < sizeof(pmus) / sizeof(*pmus); i++)
		if (strcmp(event->pmu, names[i]) == 0)
			return true;
	return !event->pmu;
}

int model_check_event(const struct plumb_spec *spec, const struct plumb_event_config *event,
		      struct plumb_diagnostics *diagnostics)
{
	if (event->kind == PLUMB_EVENT_METRIC)
		return check_metric(spec, event->config, diagnostics);
	if (event->kind == PLUMB_EVENT_OTHER)
		return refuse(event, "the model has no other PMU than its core's", diagnostics);
	if (event->exclude_user)
		return refuse(event,
			      "the model runs user code only, without a kernel or hypervisor",
			      diagnostics);
	if (event->guest && !event->host)
		return refuse(event, "the model has no guests", diagnostics);
	if (event->exclude_idle && event->kind != PLUMB_EVENT_SOFTWARE) {
		const int error = refuse(event, "the model has no idle time", diagnostics);

		plumb_diagnostics_hint(diagnostics, "remove the modifier I");
		return error;
	}
	if (event->kind == PLUMB_EVENT_SPE)
		return is_my_pmu(event)
			       ? 0
			       : refuse(event, "the model's SPE unit is " MODEL_SPE, diagnostics);
	if (event->kind == PLUMB_EVENT_PMU && !is_my_pmu(event))
		return refuse(event, "the model's PMU is " MODEL_PMU, diagnostics);
	if (event->config1 & ~(uint64_t)CONFIG1_IGNORED)
		return refuse(event, "the model's PMU does not support config1", diagnostics);
	if (model_index_of(event) >= EVENT_COUNT)
		return refuse_event(spec, event, diagnostics);
	return 0;
}

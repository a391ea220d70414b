/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/first_level.h"

#include <math.h>
#include <stdlib.h>

#include "spec/formula.h"

#define CODE_CPU_CYCLES 0x11

static const char *const metrics[FIRST_LEVEL_METRICS] = {"retiring", "bad_speculation",
							 "frontend_bound", "backend_bound"};

/* Adds an event, once. Returns its place, or FIRST_LEVEL_EVENTS if there are too many. */
static size_t add_event(struct first_level *level, uint16_t event)
{
	for (size_t i = 0; i < level->event_count; i++)
		if (level->events[i] == event)
			return i;
	if (level->event_count == FIRST_LEVEL_EVENTS)
		return FIRST_LEVEL_EVENTS;
	level->events[level->event_count] = event;
	return level->event_count++;
}

static bool add_metric(struct first_level *level, size_t m)
{
	const uint16_t metric = plumb_spec_metric(level->spec, metrics[m]);
	struct plumb_indexes events;

	if (formula_compile_metric(level->spec, metric, &level->formulas[m], NULL) < 0)
		return false;
	events = formula_events(level->formulas[m]);
	for (uint16_t i = 0; i < events.count; i++)
		if (add_event(level, events.at[i]) == FIRST_LEVEL_EVENTS)
			return false;
	return true;
}

int first_level_open(struct first_level *level, uint32_t midr)
{
	uint16_t cycles;

	*level = (struct first_level){.spec = plumb_spec_for_midr(midr)};
	if (!level->spec || !level->spec->product.slots)
		return PLUMB_ERR_NOT_FOUND;
	cycles = plumb_spec_event_by_code(level->spec, CODE_CPU_CYCLES);
	if (cycles == PLUMB_NONE)
		return PLUMB_ERR_NOT_FOUND;
	level->counts = malloc(level->spec->event_count * sizeof(*level->counts));
	if (!level->counts)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < level->spec->event_count; i++)
		level->counts[i] = NAN;
	level->cycles = add_event(level, cycles);
	for (size_t m = 0; m < FIRST_LEVEL_METRICS; m++)
		if (!add_metric(level, m))
			return PLUMB_ERR_NOT_FOUND;
	return 0;
}

void first_level_close(struct first_level *level)
{
	for (size_t m = 0; m < FIRST_LEVEL_METRICS; m++)
		formula_free(level->formulas[m]);
	free(level->counts);
}

void first_level_evaluate(struct first_level *level, const double counts[FIRST_LEVEL_EVENTS],
			  double shares[FIRST_LEVEL_METRICS])
{
	for (size_t i = 0; i < level->event_count; i++)
		level->counts[level->events[i]] = counts[i];
	for (size_t m = 0; m < FIRST_LEVEL_METRICS; m++) {
		double percent = NAN;

		if (!formula_evaluate(level->formulas[m], level->counts, &percent))
			percent = NAN;
		shares[m] = percent / 100;
	}
}

const char *first_level_name(size_t metric)
{
	return metrics[metric];
}

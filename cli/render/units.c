/* SPDX-License-Identifier: Apache-2.0 */
#include "render/units.h"

#include <stdlib.h>

#include "tool/memory.h"
#include "tool/results.h"

struct counted_unit *counted_units_add(struct counted_units *units, const struct plumb_plan *plan)
{
	units->at = memory_resize(units->at, units->count + 1, sizeof(*units->at));
	units->shown = memory_resize(units->shown, units->count + 1, sizeof(*units->shown));
	units->shown[units->count] = (struct report_unit){.diagnosis = NULL};
	units->at[units->count] = (struct counted_unit){.whole = results_new(plan)};
	return &units->at[units->count++];
}

static void hide(struct counted_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		/* The report only reads it. */
		plumb_diagnosis_free(
			(struct plumb_diagnosis *)(uintptr_t)units->shown[i].diagnosis);
		units->shown[i].diagnosis = NULL;
	}
}

void counted_units_show(struct counted_units *units, struct report *report, bool whole)
{
	hide(units);
	for (size_t i = 0; i < units->count; i++) {
		const struct counted_unit *unit = &units->at[i];
		const struct plumb_result *result = whole ? unit->whole : unit->part;

		units->shown[i] =
			(struct report_unit){unit->given, result, results_diagnose(result)};
	}
	report->units = units->shown;
	report->unit_count = units->count;
}

void counted_units_free(struct counted_units *units)
{
	hide(units);
	for (size_t i = 0; i < units->count; i++) {
		plumb_result_free(units->at[i].whole);
		plumb_result_free(units->at[i].part);
		free(units->at[i].name);
	}
	free(units->at);
	free(units->shown);
	*units = (struct counted_units){.at = NULL};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Says what limits the results of counting. */
#include <stdlib.h>

#include "base/index_set.h"
#include "render/report.h"
#include "tool/hints.h"
#include "tool/join.h"
#include "tool/memory.h"

static bool was_counted(const struct report *report, uint16_t code)
{
	const struct plumb_result *result = report->result;

	for (uint16_t i = 0; i < result->plan->event_count; i++) {
		const struct plumb_event_count *counted = &result->events[i];

		if (counted->event->kind == PLUMB_EVENT_PMU && counted->event->config == code &&
		    !isnan(counted->count.count))
			return true;
	}
	return false;
}

/* Names the events of a metric that have no count, because they were not planned or not counted. */
static void name_missing(const struct report *report, size_t metric, struct index_set *named,
			 struct join *names)
{
	const struct plumb_plan *plan = report->result->plan;
	const struct plumb_spec *spec = plan->selection->spec;
	const struct plumb_indexes *events =
		&spec->metrics[plan->selection->metrics[metric].metric].events;
	uint16_t missing;

	/* Another tool may have computed it. */
	if (report->counted_by && !isnan(report->result->values[metric].value))
		return;
	if (!plumb_plan_computes(plan, metric, &missing) && index_set_add(named, missing))
		join_add(names, spec->events[missing].name);
	for (uint16_t e = 0; e < events->count; e++)
		if (!was_counted(report, spec->events[events->at[e]].code) &&
		    index_set_add(named, events->at[e]))
			join_add(names, spec->events[events->at[e]].name);
}

void report_warn_of_missing(struct plumb_diagnostics *diagnostics, const struct report *report,
			    bool shown)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	struct index_set *named = memory_alloc(sizeof(*named));
	struct join names = {0};
	char *text;

	/* If nothing was measured, another warning says so. */
	for (size_t i = 0; !(report->seconds <= 0) && i < selection->metric_count; i++) {
		if (shown && (!report_shows_metric(report, &selection->metrics[i]) ||
			      report_folds_group(report, i)))
			continue;
		name_missing(report, i, named, &names);
	}
	text = join_take(&names);
	if (*text)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "not-counted", NULL,
			"metrics unavailable because these events were not counted: %s", text);
	free(text);
	free(named);
}

const char **report_warnings(const struct plumb_diagnostics *diagnostics)
{
	const size_t all = plumb_diagnostics_count(diagnostics);
	const char **warnings = memory_resize(NULL, 2 * all + 1, sizeof(*warnings));
	size_t count = 0;

	for (size_t i = 0; i < all; i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);
		bool known = d->severity != PLUMB_WARNING;

		for (size_t k = 0; k < count; k++)
			known = known || strcmp(warnings[k], d->message) == 0;
		if (known)
			continue;
		warnings[count++] = d->message;
		/* A whole that is not one looks like one: say at once how to get it. */
		if (d->remedy && strcmp(d->remedy, "count-children") == 0)
			warnings[count++] = hint_of(d, NULL, 0);
	}
	warnings[count] = NULL;
	return warnings;
}

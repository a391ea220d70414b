/* SPDX-License-Identifier: Apache-2.0 */
#include "render/report.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "event/config.h"
#include "render/figures.h"
#include "tool/memory.h"

#define SHORT_RUN    0.010 /* seconds of the program; shorter runs get a note */
#define STARTUP_MOST 0.5   /* of the run */

void report_warn_of_short_run(struct plumb_diagnostics *diagnostics, double seconds,
			      double startup_seconds, const char *startup_end)
{
	const double startup = startup_seconds / seconds;
	char *time = figure_duration(seconds), *before = figure_duration(startup_seconds);

	if (startup >= STARTUP_MOST)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "startup", NULL,
			"%.0f %% of this run is start-up: %s began after %s of %s; give the "
			"program more work",
			100 * startup, startup_end, before, time);
	else if (seconds < SHORT_RUN)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "short-run", NULL,
			"%s is a short run, in which start-up and cold caches matter; "
			"give the program more work",
			time);
	free(time);
	free(before);
}

double report_count(const struct report *report, uint16_t code)
{
	uint16_t event = plumb_plan_event(report->result->plan, code);

	return event == PLUMB_NONE ? (double)NAN : report->result->events[event].count.count;
}

bool report_requests(const struct report *report, const struct plumb_event_count *event)
{
	const struct plumb_selection *selection = report->result->plan->selection;

	for (uint16_t i = 0; i < selection->event_count; i++)
		if (selection->events[i].event == event->event)
			return true;
	return false;
}

/* A plan has those asked for first. */
const struct plumb_event_count **report_events(const struct report *report, size_t *count)
{
	const uint16_t all = report->result->plan->event_count;
	const struct plumb_event_count **events = memory_resize(NULL, all + 1u, sizeof(void *));

	*count = 0;
	for (uint16_t i = 0; i < all; i++)
		if (report->verbose || report_requests(report, &report->result->events[i]))
			events[(*count)++] = &report->result->events[i];
	return events;
}

/* The CPU's event that it is, into plumb_spec.events; PLUMB_NONE: it has none. */
static uint16_t find(const struct report *report, const struct plumb_event_config *event)
{
	return event->kind == PLUMB_EVENT_PMU
		       ? plumb_spec_event_by_code(report->spec, (uint16_t)event->config)
		       : PLUMB_NONE;
}

const char *report_event_name(const struct report *report, const struct plumb_event_count *event)
{
	const uint16_t index = find(report, event->event);

	if (index == PLUMB_NONE || event->event->named || !event_is_plain(event->event))
		return event->event->name;
	return report->spec->events[index].name;
}

char *report_name_on_pmu(const struct report *report, const struct plumb_event_config *event,
			 const char *name)
{
	if (!report->pmu)
		return memory_copy(name, strlen(name));
	return event ? memory_given(event_name_on_pmu(event, report->pmu))
		     : memory_format("%s/%s/", report->pmu, name);
}

bool report_is_clock(const struct plumb_event_count *event)
{
	const struct plumb_event_config *config = event->event;

	return config->kind == PLUMB_EVENT_SOFTWARE && (config->config == PERF_COUNT_SW_CPU_CLOCK ||
							config->config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *report_event_title(const struct report *report, const struct plumb_event_count *event)
{
	const uint16_t index = find(report, event->event);
	const struct plumb_event_name *name;

	if (index != PLUMB_NONE)
		return report->spec->events[index].title;
	for (size_t i = 0; (name = plumb_event_name(i)); i++)
		if (name->kind == PLUMB_EVENT_SOFTWARE && name->kind == event->event->kind &&
		    name->config == event->event->config)
			return name->title;
	return "";
}

static bool same_group(const struct plumb_selected_metric *a, const struct plumb_selected_metric *b)
{
	return a->group == b->group && a->stage == b->stage;
}

size_t report_group_size(const struct report *report, size_t first)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	size_t end = first + 1;

	while (end < selection->metric_count &&
	       same_group(&selection->metrics[end], &selection->metrics[first]))
		end++;
	return end - first;
}

/* Whether a metric would be shown as zero in every part, or has no value. */
static bool is_nothing(const struct report *report, size_t i)
{
	const struct plumb_value *value = &report->result->values[i];
	uint16_t metric = report->result->plan->selection->metrics[i].metric;
	const char *units = report->spec->metrics[metric].units;

	return figure_is_zero(value->value, units) && figure_is_zero(value->low, units) &&
	       figure_is_zero(value->high, units);
}

bool report_folds_group(const struct report *report, size_t i)
{
	const struct plumb_selected_metric *metrics = report->result->plan->selection->metrics;
	size_t end;

	if (!report->folds || metrics[i].stage == 1 || metrics[i].group == PLUMB_NONE)
		return false;
	while (i > 0 && same_group(&metrics[i - 1], &metrics[i]))
		i--;
	for (end = i + report_group_size(report, i); i < end; i++)
		if (!is_nothing(report, i))
			return false;
	return true;
}

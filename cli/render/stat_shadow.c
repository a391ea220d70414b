/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics that perf stat prints beside events, perf_stat__print_shadow_stats() in
 * tools/perf/util/stat-shadow.c of Linux 6.1: what they are computed from, their units and their
 * digits.
 */
#include "render/report.h"

#include "base/text.h"

/* Events by perf's names for them. A share is of the other event's count. */
static const struct shadow_rule {
	const char *event, *of;
	double scale;
	unsigned decimals;
	const char *unit;
} rules[] = {
	{"instructions", "cycles", 1, 2, "insn per cycle"},
	{"branch-misses", "branches", 100, 2, "of all branches"},
	{"cache-misses", "cache-references", 100, 3, "of all cache refs"},
	{"stalled-cycles-frontend", "cycles", 100, 2, "frontend cycles idle"},
	{"stalled-cycles-backend", "cycles", 100, 2, "backend cycles idle"},
	{"L1-dcache-load-misses", "L1-dcache-loads", 100, 2, "of all L1-dcache accesses"},
	{"L1-icache-load-misses", "L1-icache-loads", 100, 2, "of all L1-icache accesses"},
	{"LLC-load-misses", "LLC-loads", 100, 2, "of all LL-cache accesses"},
	{"dTLB-load-misses", "dTLB-loads", 100, 2, "of all dTLB cache accesses"},
	{"iTLB-load-misses", "iTLB-loads", 100, 2, "of all iTLB cache accesses"},
};

/* Tells whether an event was asked for by perf's `name`, or its other name. */
static bool has_name(const struct plumb_event_config *event, const char *name)
{
	const size_t length = strcspn(event->name, ":");
	const struct plumb_event_name *known;

	if (event->named || event->kind != PLUMB_EVENT_PMU)
		return false;
	for (size_t i = 0; (known = plumb_event_name(i)); i++)
		if (strcmp(known->name, name) == 0)
			return text_compare_bytes(event->name, length, known->name) == 0 ||
			       (known->alias &&
				text_compare_bytes(event->name, length, known->alias) == 0);
	return false;
}

static bool same_modes(const struct plumb_event_config *a, const struct plumb_event_config *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_idle == b->exclude_idle &&
	       a->host == b->host && a->guest == b->guest;
}

/* Returns the mean of the events called `name` in the modes of `like`; NaN if there are none. */
static double count_named(const struct report *report, const char *name,
			  const struct plumb_event_config *like)
{
	double sum = 0;
	unsigned found = 0;

	for (uint16_t i = 0; i < report->result->plan->event_count; i++) {
		const struct plumb_event_count *e = &report->result->events[i];

		if (!report_requests(report, e) || isnan(e->count.count) ||
		    !has_name(e->event, name) || !same_modes(e->event, like))
			continue;
		sum += e->count.count;
		found++;
	}
	return found ? sum / found : (double)NAN;
}

/* Returns the mean of the clocks, in any mode; NaN if there are none. */
static double clock_ns(const struct report *report)
{
	double sum = 0;
	unsigned found = 0;

	for (uint16_t i = 0; i < report->result->plan->event_count; i++) {
		const struct plumb_event_count *e = &report->result->events[i];

		if (!report_requests(report, e) || !report_is_clock(e) || isnan(e->count.count))
			continue;
		sum += e->count.count;
		found++;
	}
	return found ? sum / found : (double)NAN;
}

static void set(struct report_shadow *shadow, double value, unsigned decimals, const char *unit)
{
	if (!isfinite(value))
		return;
	snprintf(shadow->value, sizeof(shadow->value), "%.*f", (int)decimals, value);
	snprintf(shadow->unit, sizeof(shadow->unit), "%s", unit);
}

/* Sets how often an event occurred per second on a CPU. */
static void set_rate(struct report_shadow *shadow, double per_second)
{
	static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
	unsigned unit = 0;

	for (; per_second > 1000 && unit < 3; unit++)
		per_second /= 1000;
	set(shadow, per_second, 3, units[unit]);
}

struct report_shadow report_shadow(const struct report *report,
				   const struct plumb_event_count *event)
{
	const double count = event->count.count;
	struct report_shadow shadow = {0};

	if (isnan(count))
		return shadow;
	if (report_is_clock(event)) {
		set(&shadow, count / (report->seconds * 1e9), 3, "CPUs utilized");
		return shadow;
	}
	if (has_name(event->event, "cycles")) {
		set(&shadow, count / clock_ns(report), 3, "GHz");
		return shadow;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const struct shadow_rule *rule = &rules[i];

		if (!has_name(event->event, rule->event))
			continue;
		set(&shadow, rule->scale * count / count_named(report, rule->of, event->event),
		    rule->decimals, rule->unit);
		return shadow;
	}
	set_rate(&shadow, 1e9 * count / clock_ns(report));
	return shadow;
}

struct report_shadow report_stalls_per_instruction(const struct report *report,
						   const struct plumb_event_count *event)
{
	const struct plumb_event_config *config = event->event;
	struct report_shadow shadow = {0};

	if (has_name(config, "instructions") && event->count.count > 0)
		set(&shadow,
		    fmax(count_named(report, "stalled-cycles-frontend", config),
			 count_named(report, "stalled-cycles-backend", config)) /
			    event->count.count,
		    2, "stalled cycles per insn");
	return shadow;
}

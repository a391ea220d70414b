/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What perf's PMU driver for AArch64 counts for perf's own names. */
static const struct {
	const char *name, *event;
} aliases[] = {
	{"cycles", "CPU_CYCLES"},
	{"cpu-cycles", "CPU_CYCLES"},
	{"instructions", "INST_RETIRED"},
	{"branches", "BR_RETIRED"},
	{"branch-misses", "BR_MIS_PRED_RETIRED"},
	{"cache-references", "L1D_CACHE"},
	{"cache-misses", "L1D_CACHE_REFILL"},
	{"bus-cycles", "BUS_CYCLES"},
	{"stalled-cycles-frontend", "STALL_FRONTEND"},
	{"stalled-cycles-backend", "STALL_BACKEND"},
};

static int malformed(struct plumb_diagnostics *diagnostics, const char *text)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "malformed-limit", NULL,
			      "malformed limit '%s'", text);
	plumb_diagnostics_hint(diagnostics, "limits look like cycles:2%%, backend_bound:1 or "
					    "slots@FUNCTION:5%%");
	return PLUMB_ERR_SYNTAX;
}

int gate_limit_parse(const char *text, bool below, struct gate_limit *limit,
		     struct plumb_diagnostics *diagnostics)
{
	/* Names of functions may contain colons, numbers do not. */
	const char *colon = strrchr(text, ':');
	char *end, *at;

	*limit = (struct gate_limit){.text = text, .below = below};
	/* strtod() also takes spaces, signs, "nan", "inf" and hexadecimal numbers. */
	if (!colon || colon == text || !colon[1] ||
	    strspn(colon + 1, "0123456789.%") != strlen(colon + 1))
		return malformed(diagnostics, text);
	limit->most = strtod(colon + 1, &end);
	limit->relative = *end == '%';
	if (end == colon + 1 || strcmp(end, limit->relative ? "%" : "") != 0 ||
	    !isfinite(limit->most))
		return malformed(diagnostics, text);
	limit->what = strndup(text, (size_t)(colon - text));
	if (!limit->what)
		return PLUMB_ERR_NO_MEMORY;
	at = strchr(limit->what, '@');
	if (at) {
		*at = '\0';
		limit->function = at + 1;
	}
	if (!*limit->what || (at && !at[1])) {
		gate_limit_free(limit);
		return malformed(diagnostics, text);
	}
	return 0;
}

void gate_limit_free(struct gate_limit *limit)
{
	free(limit->what);
	*limit = (struct gate_limit){0};
}

static bool names(const char *what, const char *name)
{
	if (strcasecmp(what, name) == 0)
		return true;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcasecmp(what, aliases[i].name) == 0 && strcmp(name, aliases[i].event) == 0)
			return true;
	return false;
}

/* Tells whether `name` is that of a function, or of a copy of it that the compiler made. */
static bool is_function(const char *function, const char *name)
{
	const size_t length = strlen(function);

	return strcmp(name, function) == 0 ||
	       (strncmp(name, function, length) == 0 && diff_base_length(name) == length);
}

static bool names_function(const struct gate_limit *limit, const struct diff_change *change)
{
	return strcmp(limit->function, "*") == 0 ||
	       is_function(limit->function, change->key.name) ||
	       (change->was && is_function(limit->function, change->was));
}

static bool applies(const struct gate_limit *limit, const struct diff_change *change)
{
	if (!limit->function)
		return (change->key.view == DIFF_METRICS || change->key.view == DIFF_EVENTS) &&
		       names(limit->what, change->key.name);
	return change->key.view == DIFF_FUNCTIONS && names(limit->what, change->key.of) &&
	       names_function(limit, change);
}

/* Returns by how much a change is beyond the limit; at most 0: it is not. */
static double excess(const struct gate_limit *limit, const struct diff_change *change)
{
	const double by = limit->relative ? 100 * change->relative : change->change;

	return (limit->below ? -by : by) - limit->most;
}

static enum gate_verdict judge(const struct gate_limit *limit, const struct diff_change *change)
{
	if (!(excess(limit, change) > 0))
		return GATE_PASSED;
	return change->real || change->method == DIFF_UNKNOWN ? GATE_FAILED : GATE_NOISE;
}

/* Tells whether a limit is on an event that an exact profile knows, and that happened on no side.
 */
static bool did_not_happen(const struct gate_limit *limit, const struct diff *diff)
{
	const struct diff_recorded_event *event = diff->after->recorded_events;
	bool has_function = !limit->function || strcmp(limit->function, "*") == 0;

	if (!diff_side_has_all_events(diff->before) || !diff_side_has_all_events(diff->after))
		return false;
	while (event && !names(limit->what, event->name))
		event = event->next;
	for (size_t i = 0; event && !has_function && i < diff->change_count; i++)
		has_function = diff->changes[i].key.view == DIFF_FUNCTIONS &&
			       names_function(limit, &diff->changes[i]);
	return event && has_function;
}

struct gate_result gate_apply(const struct gate_limit *limit, const struct diff *diff)
{
	/* From the best to the worst. */
	static const unsigned char worse[] = {
		[GATE_PASSED] = 0, [GATE_NOISE] = 1, [GATE_FAILED] = 2, [GATE_MISSING] = 0};
	struct gate_result result = {.limit = limit, .verdict = GATE_MISSING};

	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];
		enum gate_verdict verdict;

		if (!applies(limit, change))
			continue;
		verdict = judge(limit, change);
		if (!result.change || worse[verdict] > worse[result.verdict] ||
		    (verdict == result.verdict &&
		     excess(limit, change) > excess(limit, result.change))) {
			result.change = change;
			result.verdict = verdict;
		}
	}
	if (!result.change && did_not_happen(limit, diff))
		result.verdict = GATE_PASSED;
	return result;
}

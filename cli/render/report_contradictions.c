/* SPDX-License-Identifier: Apache-2.0 */
/* Says which values cannot be, and why that may be so. */
#include <stdlib.h>

#include "profile/contradictions.h"
#include "render/report.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Returns the likely cause, and what to do about it. */
static const char *cause_text(const struct report *report, enum contradiction_cause cause)
{
	switch (cause) {
	case CONTRADICTION_TURNS:
		return report->counted_by
			       ? "groups of events took turns on the counters, and the program "
				 "changed meanwhile; count fewer events, or for longer"
			       : "groups of events took turns on the counters, and the program "
				 "changed meanwhile; count for longer, or with --no-multiplex";
	case CONTRADICTION_TIMES:
		return "their events were not counted for the same time";
	case CONTRADICTION_APART:
		return "their events were counted in several groups or runs, which differed";
	default:
		return report->counted_by
			       ? "the counts may be of another CPU than --cpu names, or of "
				 "different runs"
			       : "hardware threads may share the core's slots, or a hypervisor "
				 "the counters";
	}
}

static char *roots_text(const struct report *report, const struct contradiction *found)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	struct join names = {0};
	char *text, *all;

	for (size_t i = 0; i < selection->metric_count; i++)
		if (selection->metrics[i].level == 1)
			join_add(&names, report_metric(report, selection->metrics[i].metric));
	all = join_take(&names);
	text = memory_format("%s add up to %.1f %%, %s 100 %%", all, found->value,
			     found->low > 0 ? "not" : "above");
	free(all);
	return text;
}

static char *what_text(const struct report *report, const struct contradiction *found)
{
	if (found->metric == PLUMB_NONE)
		return roots_text(report, found);
	return memory_format("%s is %.1f %%", report_metric(report, found->metric), found->value);
}

size_t report_contradictions(const struct report *report,
			     struct report_contradiction all[CONTRADICTIONS_MAX])
{
	struct contradiction found[CONTRADICTIONS_MAX];
	const size_t count = report->core ? 0 : contradictions_find(report->result, found);

	for (size_t i = 0; i < count; i++) {
		const char *why = cause_text(report, found[i].cause);

		all[i] = (struct report_contradiction){found[i], what_text(report, &found[i]),
						       memory_copy(why, strlen(why))};
	}
	return count;
}

void report_contradiction_free(struct report_contradiction *contradiction)
{
	free(contradiction->what);
	free(contradiction->why);
}

/* Warns about those with the same cause as the i-th, unless an earlier one has done so. */
static void warn_of_cause(struct plumb_diagnostics *diagnostics,
			  const struct report_contradiction *all, size_t count, size_t i)
{
	char *text, *longer;

	for (size_t k = 0; k < i; k++)
		if (all[k].found.cause == all[i].found.cause)
			return;
	text = memory_copy("", 0);
	for (size_t k = i; k < count; k++) {
		if (all[k].found.cause != all[i].found.cause)
			continue;
		longer = memory_format("%s%s. ", text, all[k].what);
		free(text);
		text = longer;
	}
	plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "contradiction", NULL,
			      "the values contradict each other. %sLikely cause: %s", text,
			      all[i].why);
	free(text);
}

/* Warns that the diagnosis follows a node whose value cannot be. */
static void warn_of_diagnosis(struct plumb_diagnostics *diagnostics, const struct report *report,
			      const struct report_contradiction *all, size_t count)
{
	const struct plumb_diagnosis *d = report->diagnosis;

	for (size_t i = 0; d && d->path_length && i < count; i++)
		if (all[i].found.metric == d->path[0].metric)
			plumb_diagnostics_add(
				diagnostics, PLUMB_WARNING, "uncertain-diagnosis", NULL,
				"the diagnosis is uncertain, because it begins with "
				"%s, which cannot be %.1f %%",
				report_metric(report, all[i].found.metric), all[i].found.value);
}

void report_warn_of_contradictions(struct plumb_diagnostics *diagnostics,
				   const struct report *report)
{
	struct report_contradiction all[CONTRADICTIONS_MAX];
	const size_t count = report_contradictions(report, all);

	for (size_t i = 0; i < count; i++)
		warn_of_cause(diagnostics, all, count, i);
	warn_of_diagnosis(diagnostics, report, all, count);
	for (size_t i = 0; i < count; i++)
		report_contradiction_free(&all[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the diagnosis is, what it means, what usually helps, and what comes next. */
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "tool/join.h"
#include "tool/memory.h"

/* A word of heading, and text beside it. */
static void print_beside(struct output *out, const char *heading, const char *text)
{
	output_spaces(out, 2);
	output_text(out, STYLE_NAME, heading);
	output_wrapped(out, STYLE_PLAIN, 2 + strlen(heading), 9, text);
}

static const char *brief_of(const struct report *report, uint16_t metric)
{
	const struct plumb_advice *advice = plumb_advice(report_metric(report, metric));

	return advice ? advice->brief : report->spec->metrics[metric].title;
}

/* What it comes to, in a sentence; to be freed. */
static char *verdict_text(const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	const struct plumb_step *leaf = &d->path[d->path_length ? d->path_length - 1 : 0];
	const char *whole =
		strstr(report->spec->metrics[d->loss.metric].units, "slots") ? "slots" : "cycles";

	switch (d->verdict) {
	case PLUMB_VERDICT_LOSS:
		if (d->path_length == 1)
			return memory_format("%.0f %% of the %s are lost to %s: %s.", d->loss.value,
					     whole, report_metric(report, leaf->metric),
					     brief_of(report, leaf->metric));
		return memory_format("%.0f %% of the %s are lost to %s, mostly to %s: %s.",
				     d->loss.value, whole, report_metric(report, d->loss.metric),
				     report_metric(report, leaf->metric),
				     brief_of(report, leaf->metric));
	case PLUMB_VERDICT_WORK:
		return memory_format("No bottleneck: %.0f %% of the %s %s. Next look at the "
				     "operation mix.",
				     d->work, whole, d->path_length ? "retire" : "are not stalled");
	case PLUMB_VERDICT_SPREAD:
		return memory_format(
			"No single bottleneck: %.0f %% of the %s %s; the greatest loss "
			"is %s with %.0f %%.",
			d->work, whole, d->path_length ? "retire" : "are not stalled",
			report_metric(report, d->loss.metric), d->loss.value);
	default:
		return memory_copy("", 0);
	}
}

static void print_path(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	size_t column = 2;

	output_spaces(out, 2);
	for (unsigned i = 0; i < d->path_length; i++) {
		const char *name = report_metric(report, d->path[i].metric);
		const char *leads = i ? pen_for(out)->leads : "";
		size_t columns = report_columns(leads) + strlen(name) + (i > 0);

		if (i && column + columns > out->width) {
			fputs("\n    ", out->stream);
			column = 4;
		} else if (i) {
			fputc(' ', out->stream);
		}
		output_format(out, STYLE_DIM, "%s", leads);
		output_text(out, STYLE_HEADING, name);
		column += columns;
	}
	fputc('\n', out->stream);
}

/* "backend_mem_cache_bound 48 %"; to be freed. */
static char *step_text(const struct report *report, const struct plumb_step *step)
{
	return memory_format("%s %.0f %%", report_metric(report, step->metric), step->share);
}

/* Why the walk ended though there was more below. */
static void print_below(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	struct join join = {0};
	char *text, *children;

	if (d->partly) {
		text = memory_format(
			"in %.0f %% of the cycles nothing at all went on; the other slots "
			"are lost a few in each cycle, of which the tree says nothing",
			d->stalled);
		print_beside(out, "Below", text);
		free(text);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		if (d->below[i].metric == PLUMB_NONE)
			continue;
		text = step_text(report, &d->below[i]);
		join_add(&join, text);
		free(text);
	}
	children = join_take(&join);
	if (*children) {
		text = memory_format("no single cause: %s", children);
		print_beside(out, "Below", text);
		free(text);
	}
	free(children);
}

/* Where another root is almost as much. */
static void print_rival(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	char *text;

	if (d->path_length != 1 || d->rival.metric == PLUMB_NONE ||
	    d->loss.share - d->rival.share >= PLUMB_DOMINANT_LEAD)
		return;
	text = memory_format("almost as much is lost to %s: %.0f %%",
			     report_metric(report, d->rival.metric), d->rival.share);
	print_beside(out, "Beside", text);
	free(text);
}

static void print_certainty(struct output *out, const struct report *report)
{
	unsigned parts = report->result->parts, agreeing = report->agreeing;
	const char *what = report->intervals ? "intervals" : "runs";
	char *text;

	if (parts < 2)
		return;
	if (agreeing == parts)
		text = memory_format("all %u %s by themselves come to the same", parts, what);
	else
		text = memory_format(
			"%u of %u %s by themselves come to the same%s", agreeing, parts, what,
			2 * agreeing < parts ? ": the program changes, so look at its parts" : "");
	print_beside(out, "Sure", text);
	free(text);
}

/* The names of metric groups or of events; to be freed. */
static char *names(const struct report *report, const uint16_t *at, size_t count, bool groups)
{
	struct join join = {0};

	for (size_t i = 0; i < count; i++)
		join_add(&join, groups ? report->spec->metric_groups[at[i]].name
				       : report->spec->events[at[i]].name);
	return join_take(&join);
}

static void print_next(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	char *text;

	if (d->next_group_count) {
		text = names(report, d->next_groups, d->next_group_count, true);
		print_beside(out, "Next", text);
		free(text);
	}
	if (d->sample_event_count) {
		text = names(report, d->sample_events, d->sample_event_count, false);
		print_beside(out, "Sample", text);
		free(text);
	}
}

void report_diagnosis(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	const struct plumb_advice *advice = NULL;
	char *text;

	if (d->verdict == PLUMB_VERDICT_UNKNOWN)
		return;
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, "Diagnosis");
	fputc('\n', out->stream);
	text = verdict_text(report);
	output_spaces(out, 2);
	output_wrapped(out, d->verdict == PLUMB_VERDICT_LOSS ? STYLE_BAD : STYLE_GOOD, 2, 2, text);
	free(text);
	if (d->path_length > 1)
		print_path(out, report);
	if (d->partly)
		advice = plumb_advice_partly(report_metric(report, d->path[0].metric));
	if (d->path_length && !advice)
		advice = plumb_advice(report_metric(report, d->path[d->path_length - 1].metric));
	if (advice) {
		print_beside(out, "Means", advice->means);
		print_beside(out, "Helps", advice->hint);
	}
	if (d->verdict == PLUMB_VERDICT_LOSS) {
		print_below(out, report);
		print_rival(out, report);
	}
	print_certainty(out, report);
	print_next(out, report);
}

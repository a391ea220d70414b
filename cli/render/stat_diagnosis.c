/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the diagnosis, what it means, what usually helps, and what to look at next. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "render/shell.h"
#include "tool/join.h"
#include "tool/memory.h"

#define SAMPLES_WANTED 5000
#define SAMPLES_FEW    1000 /* fewer say little about where they come from */

/* Prints a heading of one word, and text beside it. */
static void print_beside(struct output *out, const char *heading, const char *text)
{
	output_spaces(out, 2);
	output_text(out, STYLE_NAME, heading);
	output_wrapped(out, STYLE_PLAIN, 2 + strlen(heading), 9, text);
}

/* Returns a brief explanation of a node. */
static const char *brief_of(const struct report *report, const struct plumb_advice *advice,
			    uint16_t metric)
{
	return advice ? advice->brief : report->spec->metrics[metric].title;
}

/* Returns "slots", or "cycles" for trees that count cycles. */
static const char *whole_of(const struct report *report)
{
	const char *units = report->spec->metrics[report->diagnosis->loss.metric].units;

	return strstr(units, "slots") ? "slots" : "cycles";
}

/* Returns text such as "98 % of the slots are lost to backend_bound, mostly to backend_mem_bound:
 * data comes too late." */
static char *loss_text(const struct report *report, const struct plumb_step *root, uint16_t end,
		       const struct plumb_advice *advice)
{
	const char *name = report_metric(report, root->metric);
	const char *brief = brief_of(report, advice, end);

	if (root->metric == end)
		return memory_format("%.0f %% of the %s are lost to %s: %s.", root->value,
				     whole_of(report), name, brief);
	return memory_format("%.0f %% of the %s are lost to %s, mostly to %s: %s.", root->value,
			     whole_of(report), name, report_metric(report, end), brief);
}

/* Returns the verdict in a sentence; free it. */
static char *verdict_text(const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	const char *whole = whole_of(report), *kept = d->path_length ? "retire" : "are not stalled";

	switch (d->verdict) {
	case PLUMB_VERDICT_LOSS:
		return loss_text(report, &d->path[0], d->path[d->path_length - 1].metric,
				 d->advice);
	case PLUMB_VERDICT_WORK:
		return memory_format("No bottleneck: %.0f %% of the %s %s. Next look at the "
				     "operation mix.",
				     d->work, whole, kept);
	case PLUMB_VERDICT_SPREAD:
		return memory_format("No single bottleneck: %.0f %% of the %s %s.", d->work, whole,
				     kept);
	default:
		return memory_copy("", 0);
	}
}

static void print_path(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	size_t column = 2;

	output_spaces(out, 2);
	for (unsigned i = 0; i < d->path_length + d->sharing; i++) {
		const char *name = i == d->path_length ? PLUMB_STEP_SHARING
						       : report_metric(report, d->path[i].metric);
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

/* Returns text such as "backend_mem_cache_bound 48 %"; free it. */
static char *step_text(const struct report *report, const struct plumb_step *step)
{
	return memory_format("%s %.0f %%", report_metric(report, step->metric), step->share);
}

/* Prints why the walk ended although the node has children. */
static void print_below(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	struct join join = {0};
	char *text, *children;

	if (d->partly) {
		text = memory_format(
			"only %.0f %% of the cycles were stalled completely; the other slots "
			"are lost a few per cycle, which the tree does not explain",
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
		text = memory_format(d->below[0].share < PLUMB_NOTABLE_SHARE
					     ? "nothing in the tree explains it: %s"
					     : "no single cause: %s",
				     children);
		print_beside(out, "Below", text);
		free(text);
	}
	free(children);
}

/* Returns what a wait is called: as in the verdict, if failed forwarding is why loads wait. */
static const char *wait_brief(const struct plumb_diagnosis *d, const struct plumb_wait *wait)
{
	const bool failed = d->advice && strcmp(d->advice->metric, "failed_forwarding") == 0;

	return failed && strcmp(wait->advice->metric, "backend_mem_store_bound") == 0
		       ? d->advice->brief
		       : wait->advice->brief;
}

/* Prints what a side of the core waits for, where the core's own tree does not say it. */
static void print_waits(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	struct join join = {0};
	char *text, *waits;

	for (unsigned i = 0; i < d->wait_count; i++) {
		text = memory_format("%s %.0f %%", wait_brief(d, &d->waits[i]), d->waits[i].share);
		join_add(&join, text);
		free(text);
	}
	waits = join_take(&join);
	if (*waits) {
		text = memory_format("this core's tree ends here; the model's %s waits for: %s",
				     !strncmp(d->waits[0].advice->metric, "frontend", 8)
					     ? "frontend"
					     : "backend",
				     waits);
		print_beside(out, "Waits", text);
		free(text);
	}
	free(waits);
}

/* Prints where the data that missed L2 was found. */
static void print_where(struct output *out, const struct report *report)
{
	double hits = report->diagnosis->last_level_hits;
	char *text;

	if (isnan(hits))
		return;
	text = memory_format("%.0f %% of the reads beyond L2 %s the last-level cache",
			     hits >= 50 ? hits : 100 - hits, hits >= 50 ? "hit" : "missed");
	print_beside(out, "Where", text);
	free(text);
}

/* Prints how long lines were on their way from core to core. */
static void print_moving(struct output *out, const struct report *report)
{
	char *text = memory_format("a line was on its way from another core in %.0f %% of the "
				   "threads' cycles",
				   report->diagnosis->moving);

	print_beside(out, "Moves", text);
	free(text);
}

static void print_runners_up(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;

	for (unsigned i = 0; i < d->runner_up_count; i++) {
		const struct plumb_runner_up *r = &d->runners_up[i];
		char *text = loss_text(report, &r->root, r->end.metric, r->advice);

		print_beside(out, "Also", text);
		free(text);
	}
}

/* Prints that lines move between cores where the path tells something else. */
static void print_sharing_beside(struct output *out, const struct report *report)
{
	char *text = memory_format("threads wait for lines that other cores have written: a line "
				   "was on its way from another core in %.0f %% of the threads' "
				   "cycles.",
				   report->diagnosis->moving);

	print_beside(out, "Also", text);
	free(text);
}

static void print_certainty(struct output *out, const struct report *report)
{
	unsigned parts = report->result->parts, agreeing = report->agreeing;
	const char *what = report->intervals ? "intervals" : "runs";
	char *text;

	if (report->sampled && report->sampled->redraws) {
		text = memory_format("%u of %u random draws of the windows give this diagnosis",
				     report->sampled->same, report->sampled->redraws);
		print_beside(out, "Agree", text);
		free(text);
	}
	if (parts < 2)
		return;
	if (agreeing == 2 && parts == 2)
		text = memory_format("both %s give this diagnosis by themselves", what);
	else if (agreeing == parts)
		text = memory_format("all %u %s give this diagnosis by themselves", parts, what);
	else
		text = memory_format(
			"%u of %u %s give this diagnosis by themselves%s", agreeing, parts, what,
			2 * agreeing < parts ? ": the program has phases, so look at each" : "");
	print_beside(out, "Agree", text);
	free(text);
}

static void print_next(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	struct join groups = {0};
	char *text;

	for (size_t i = 0; i < d->next_group_count; i++)
		join_add(&groups, report->spec->metric_groups[d->next_groups[i]].name);
	text = join_take(&groups);
	if (*text)
		print_beside(out, "Next", text);
	free(text);
}

/* ---- what to sample ------------------------------------------------------------------------- */

/* Returns the period that gives about SAMPLES_WANTED samples of `count` events. */
static double period_for(double count)
{
	double period = figure_rounded(count / SAMPLES_WANTED);

	return period >= 1 ? period : 1;
}

/*
 * Returns "-e EVENT -c PERIOD"; free it. If the event was not counted, the period is that for
 * `other` events, or missing if that is infinite. plumb record suggests a better one after it.
 */
static char *sampled_text(const struct report *report, uint16_t event, double other)
{
	const struct plumb_event *e = &report->spec->events[event];
	double count = report_count(report, e->code);

	if (isnan(count))
		count = other;
	if (isinf(count))
		return memory_format("-e %s", e->name);
	return memory_format("-e %s -c %.0f", e->name, period_for(count));
}

/* Prints the command that records the program with these options, and `then` what follows it. */
static void print_command(struct output *out, const struct report *report, const char *label,
			  const char *options, const char *then)
{
	struct shell_line line;

	output_spaces(out, 2);
	output_text(out, STYLE_NAME, label);
	output_spaces(out, 7 - strlen(label));
	line = shell_line(out, 9, 11);
	shell_word(&line, "plumb record");
	for (const char *const *option = report->record_options; *option; option++)
		shell_quoted(&line, *option);
	shell_word(&line, options);
	shell_word(&line, "--");
	for (char *const *word = report->command; *word; word++)
		shell_quoted(&line, *word);
	if (report->counted_by)
		shell_word(&line, "PROGRAM");
	if (then)
		shell_word(&line, then);
	shell_end(&line);
}

/* Returns how often an event of the diagnosis happened; many times if that is unknown. */
static double occurrences(const struct report *report, size_t i)
{
	const uint16_t event = report->diagnosis->sample_events[i];
	const double count = report_count(report, report->spec->events[event].code);

	return isnan(count) ? INFINITY : count;
}

/* Returns the first event that gives enough samples, or else the most frequent one. */
static size_t choose_event(const struct report *report)
{
	const size_t count = report->diagnosis->sample_event_count;
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		if (occurrences(report, i) >= SAMPLES_FEW)
			return i;
		if (occurrences(report, i) > occurrences(report, most))
			most = i;
	}
	return most;
}

/* Prints what else to sample. */
static void print_others(struct output *out, const struct report *report, size_t chosen)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	struct join others = {0};
	char *text, *names;

	for (size_t i = 0; i < d->sample_event_count; i++) {
		if (i == chosen || occurrences(report, i) < SAMPLES_FEW)
			continue;
		text = sampled_text(report, d->sample_events[i], occurrences(report, chosen));
		join_add(&others, text);
		free(text);
	}
	names = join_take(&others);
	if (*names) {
		text = memory_format("or with %s", names);
		output_spaces(out, 9);
		output_wrapped(out, STYLE_DIM, 9, 9, text);
		free(text);
	}
	free(names);
}

static void print_samples(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
	const size_t chosen = choose_event(report);
	double count;
	char *text;

	if (!d->sample_event_count || !(occurrences(report, chosen) > 0))
		return;
	text = sampled_text(report, d->sample_events[chosen], INFINITY);
	print_command(out, report, "Sample", text, NULL);
	free(text);
	count = occurrences(report, chosen);
	if (count < SAMPLES_FEW) {
		text = memory_format(
			"which happened only %.0f time%s, so there will be few samples", count,
			count == 1 ? "" : "s");
		output_spaces(out, 9);
		output_wrapped(out, STYLE_DIM, 9, 9, text);
		free(text);
	}
	print_others(out, report, chosen);
}

/* Prints which limits coincide. */
static void print_tie(struct output *out, const struct report *report)
{
	char *text = report_tie_text(report->limit_cycles);

	if (text)
		print_beside(out, "Tie", text);
	free(text);
}

void report_diagnosis(struct output *out, const struct report *report)
{
	const struct plumb_diagnosis *d = report->diagnosis;
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
	if (d->path_length + d->sharing > 1)
		print_path(out, report);
	if (d->advice) {
		print_beside(out, "Means", d->advice->means);
		print_beside(out, "Helps", d->advice->hint);
	}
	if (d->sharing) {
		print_moving(out, report);
	} else if (d->verdict == PLUMB_VERDICT_LOSS) {
		print_below(out, report);
		print_waits(out, report);
		print_where(out, report);
	}
	print_tie(out, report);
	print_runners_up(out, report);
	if (!isnan(d->moving) && !d->sharing)
		print_sharing_beside(out, report);
	print_certainty(out, report);
	print_next(out, report);
	if (!d->sharing)
		print_samples(out, report);
	if (!isnan(d->moving))
		print_command(out, report, d->sharing ? "Sample" : "Lines", "--exact",
			      "&& plumb report --sharing");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "render/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/callers.h"
#include "render/figures.h"
#include "render/pen.h"
#include "render/shell.h"
#include "render/short_names.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define INDENT 3  /* of a finding's lines */
#define BESIDE 10 /* where their text begins */

#define ENOUGH_SHARE 80 /* percent: places up to this sum are shown */
#define SHOWN_SHARE  5  /* percent: others are shown from here on */
#define SPREAD_SHARE 10 /* percent: code is spread if no function has as much */
#define SHOWN_PLACES 3

/* Prints a text with names from outside, in which a line break would begin a line of its own. */
static void print_paragraph(struct output *out, enum style style, size_t column, size_t indent,
			    const char *text)
{
	char *copy = memory_copy(text, strlen(text));

	for (char *end = strchr(copy, '\n'); end; end = strchr(end, '\n'))
		*end = '?';
	output_wrapped(out, style, column, indent, copy);
	free(copy);
}

static void print_beside(struct output *out, const char *heading, const char *text)
{
	output_spaces(out, INDENT);
	output_text(out, STYLE_NAME, heading);
	output_spaces(out, BESIDE - INDENT - strlen(heading));
	print_paragraph(out, STYLE_PLAIN, BESIDE, BESIDE, text);
}

/* ---- places -----------------------------------------------------------------------------------
 */

static double sum_of(const struct plumb_finding_places *places)
{
	double sum = 0;

	for (unsigned i = 0; i < places->count; i++)
		sum += places->at[i].share;
	return sum;
}

/* Returns how many places hold most of a finding: more say little. */
static unsigned shown(const struct findings_view *view, const struct plumb_finding_places *places)
{
	double sum = 0;
	unsigned i = 0;

	if (view->verbose)
		return places->count;
	while (i < places->count && i < SHOWN_PLACES &&
	       (i == 0 || (sum < ENOUGH_SHARE && places->at[i].share >= SHOWN_SHARE)))
		sum += places->at[i++].share;
	return i;
}

/* Returns "91.4 %", with the interval if it is an estimate; free it. */
static char *share_text(const struct plumb_finding_place *place)
{
	if (isnan(place->low) || isnan(place->high))
		return memory_format("%.1f %%", place->share);
	return memory_format("%.1f %% (%.1f to %.1f)", place->share, place->low, place->high);
}

/* Returns " of the stalled cycles, exactly", for the first place; free it. */
static char *basis_text(const struct plumb_finding_places *places)
{
	if (!places->basis)
		return memory_copy("", 0);
	if (places->exact)
		return memory_format(" of the %s, exactly", places->basis);
	if (!places->samples)
		return memory_format(" of the %s", places->basis);
	return memory_format(" of the %s in %llu sample%s", places->basis,
			     (unsigned long long)places->samples, places->samples == 1 ? "" : "s");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * Returns the name of a function or of data; free it. Long ones lose the arguments of templates,
 * which the command below has.
 */
static char *name_text(const struct output *out, const struct findings_view *view,
		       const struct plumb_finding_place *place)
{
	return view->verbose ? memory_copy(place->name, strlen(place->name))
			     : name_in_prose(place->name, pen_for(out)->omitted);
}

/* Returns where a place is in words; free it. */
static char *place_text(const struct output *out, const struct findings_view *view,
			const struct plumb_finding_place *place)
{
	char *name = name_text(out, view, place), *size, *text;

	if (place->line && place->file) {
		text = memory_format("%s:%u, in %s", base_name(place->file), place->line, name);
		free(name);
		return text;
	}
	if (!place->bytes)
		return name;
	if (place->bytes >= 1 << 20)
		size = memory_format("%.1f MiB", (double)place->bytes / (1 << 20));
	else if (place->bytes >= 1 << 10)
		size = memory_format("%.1f KiB", (double)place->bytes / (1 << 10));
	else
		size = memory_format("%llu bytes", (unsigned long long)place->bytes);
	text = memory_format("%s (%s)", name, size);
	free(size);
	free(name);
	return text;
}

/* Prints a line of source, without the blanks before it, and cut off where there is no room. */
static void print_source(struct output *out, const struct plumb_finding_place *place)
{
	const char *text = place->text, *mark = pen_for(out)->omitted;
	const size_t cut = wrap_columns(mark, strlen(mark));
	size_t length, room, fits;
	char number[16];

	if (!text)
		return;
	text += strspn(text, " \t");
	length = strcspn(text, "\n");
	snprintf(number, sizeof(number), "%u  ", place->line);
	room = out->width > BESIDE + strlen(number) ? out->width - BESIDE - strlen(number) : 1;
	fits = wrap_fit(text, length, room);
	if (fits < length)
		fits = wrap_fit(text, length, room > cut ? room - cut : 0);
	if (!fits)
		return;
	output_spaces(out, BESIDE);
	output_text(out, STYLE_DIM, number);
	output_bytes(out, STYLE_PLAIN, text, fits);
	if (fits < length)
		output_text(out, STYLE_DIM, mark);
	fputc('\n', out->stream);
}

static void print_places(struct output *out, const struct findings_view *view, const char *heading,
			 const struct plumb_finding_places *places)
{
	const unsigned count = shown(view, places);

	for (unsigned i = 0; i < count; i++) {
		const struct plumb_finding_place *place = &places->at[i];
		char *where = place_text(out, view, place), *share = share_text(place);
		char *basis = i ? memory_copy("", 0) : basis_text(places);
		char *text = memory_format("%s: %s%s", where, share, basis);

		print_beside(out, i ? "" : heading, text);
		print_source(out, place);
		free(text);
		free(basis);
		free(share);
		free(where);
	}
}

/* Prints which operations the core waits for. */
static void print_waits(struct output *out, const struct findings_view *view,
			const struct plumb_finding_places *waits)
{
	const unsigned count = shown(view, waits);
	char *text = NULL;

	for (unsigned i = 0; i < count; i++) {
		char *share = share_text(&waits->at[i]), *before = text;
		char *basis = i ? memory_copy("", 0) : basis_text(waits);

		text = memory_format("%s%s: %s%s", i ? "" : "for ", waits->at[i].name, share,
				     basis);
		if (before) {
			char *both = memory_format("%s; %s", before, text);

			free(text);
			text = both;
		}
		free(before);
		free(basis);
		free(share);
	}
	if (text)
		print_beside(out, "Waits", text);
	free(text);
}

/* Says that the code is everywhere. */
static void print_spread(struct output *out, const struct findings_view *view,
			 const struct plumb_finding_places *functions)
{
	const struct plumb_finding_place *most = &functions->at[0];
	char *basis = basis_text(functions), *name = name_text(out, view, most);
	char *text = memory_format("spread over many functions; %s has most, %.1f %%%s", name,
				   most->share, basis);

	print_beside(out, "Where", text);
	free(text);
	free(name);
	free(basis);
}

/* Returns the sum of lines that are not in headers of the toolchain. */
static double sum_of_own(const struct plumb_finding_places *lines)
{
	double sum = 0;

	for (unsigned i = 0; i < lines->count; i++)
		if (lines->at[i].file && callers_is_own(lines->at[i].file))
			sum += lines->at[i].share;
	return sum;
}

/*
 * Prints the lines; or the functions, if the lines of most of it are unknown. What called them is
 * of use where most of it is not in the program's own source.
 */
static void print_code(struct output *out, const struct findings_view *view,
		       const struct plumb_finding_places *functions,
		       const struct plumb_finding_places *lines,
		       const struct plumb_finding_places *callers)
{
	const bool known =
		lines->count && functions->count && 2 * sum_of(lines) >= sum_of(functions);

	if (!functions->count) {
		print_beside(out, "Where",
			     view->findings->interrupted
				     ? "unknown: the run was interrupted before samples showed it"
				     : "unknown: no samples show it");
		return;
	}
	if (functions->at[0].share < SPREAD_SHARE && !view->verbose) {
		print_spread(out, view, functions);
		return;
	}
	if (known)
		print_places(out, view, "Where", lines);
	if (!known || view->verbose)
		print_places(out, view, known ? "In" : "Where", functions);
	if (2 * sum_of_own(lines) < sum_of(functions) || 2 * sum_of(callers) > sum_of(functions) ||
	    view->verbose)
		print_places(out, view, "Called", callers);
}

/* ---- findings -----------------------------------------------------------------------------------
 */

/* Says how long the loss is, as a part of the run. */
static void print_time(struct output *out, const struct plumb_findings *findings,
		       const struct plumb_finding *finding, const struct plumb_finding_when *when)
{
	char *time, *whole, *text;

	if (!(findings->seconds > 0))
		return;
	time = figure_duration(finding->slots / 100 * findings->seconds);
	whole = figure_duration(findings->seconds);
	text = memory_format("%s of %s%s", time, whole,
			     when->known && when->throughout ? ", throughout" : "");
	print_beside(out, "Time", text);
	free(text);
	free(whole);
	free(time);
}

/* Returns a range of time in words, after what comes before it, which is freed; free it. */
static char *add_range(char *before, const struct plumb_findings *findings,
		       const struct plumb_finding_when *when, unsigned i, bool last)
{
	const double begins = when->ranges[i].from, ends = when->ranges[i].to;
	const char *comma = !i ? "" : last ? " and " : ", ";
	char *from = figure_duration(begins), *to = figure_duration(ends), *text;

	if (!(begins > 0))
		text = memory_format("%s%suntil %s", before, comma, to);
	else if (ends >= findings->seconds)
		text = memory_format("%s%sfrom %s on", before, comma, from);
	else
		text = memory_format("%s%sfrom %s to %s", before, comma, from, to);
	free(before);
	free(from);
	free(to);
	return text;
}

/* Says in which part of the run the loss is. */
static void print_when(struct output *out, const struct findings_view *view,
		       const struct plumb_finding_when *when)
{
	const unsigned kept =
		when->range_count < PLUMB_RANGES_MAX ? when->range_count : PLUMB_RANGES_MAX;
	const unsigned count = view->verbose || kept <= SHOWN_PLACES ? kept : SHOWN_PLACES;
	char *text = memory_copy("", 0), *whole;

	if (!when->known || when->throughout) {
		free(text);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		text = add_range(text, view->findings, when, i,
				 i + 1 == count && count == when->range_count);
	whole = memory_format("%s%s: %.0f %% of the %s there, %.0f %% in the rest of the run", text,
			      count < when->range_count ? " and later" : "", when->slots,
			      view->findings->whole, when->elsewhere > 0 ? when->elsewhere : 0);
	print_beside(out, "When", whole);
	free(whole);
	free(text);
}

static void print_more(struct output *out, const struct findings_view *view, unsigned finding)
{
	struct shell_line line;

	if (!findings_has_more(view, finding))
		return;
	output_spaces(out, INDENT);
	output_text(out, STYLE_NAME, "More");
	output_spaces(out, BESIDE - INDENT - strlen("More"));
	line = shell_line(out, BESIDE, BESIDE + 2);
	findings_add_more(&line, view, finding);
	shell_end(&line);
}

static void print_finding(struct output *out, const struct findings_view *view, unsigned i)
{
	const struct plumb_finding *finding = &view->findings->findings[i];
	char *text = memory_format("%.0f %% of the %s: %s: %s", finding->slots,
				   view->findings->whole, finding->node, finding->brief);

	fputc('\n', out->stream);
	output_format(out, STYLE_HEADING, "%u. ", i + 1);
	print_paragraph(out, STYLE_BAD, INDENT, INDENT, text);
	free(text);
	print_time(out, view->findings, finding, &view->findings->when[i]);
	print_when(out, view, &view->findings->when[i]);
	print_code(out, view, &finding->functions, &finding->lines, &view->findings->callers[i]);
	print_waits(out, view, &view->findings->waits[i]);
	print_places(out, view, "Data", &finding->data);
	if (finding->means)
		print_beside(out, "Means", finding->means);
	if (finding->helps)
		print_beside(out, "Helps", finding->helps);
	if (i == 0 && view->findings->tie && *view->findings->tie)
		print_beside(out, "Tie", view->findings->tie);
	print_more(out, view, i);
}

char *findings_verdict(const struct plumb_findings *findings)
{
	if (findings->verdict == PLUMB_VERDICT_UNKNOWN || isnan(findings->work))
		return memory_copy("Nothing is known yet: too little was counted.", 45);
	if (!findings->finding_count)
		return memory_format("Nothing to win here: %.0f %% retiring.", findings->work);
	if (findings->work >= PLUMB_WORK_GOOD)
		return memory_format("Few slots are lost: %.0f %% retiring. What could be won:",
				     findings->work);
	return memory_format("%.0f %% of the %s do useful work; %s:", findings->work,
			     findings->whole,
			     findings->finding_count == 1 ? "the rest has one main cause"
							  : "the rest, by what can be won");
}

/* Returns the program and its arguments in a line; free it. */
static char *command_text(const struct plumb_findings *findings)
{
	char *text = memory_copy("", 0);

	for (const char *const *word = findings->command; word && *word; word++) {
		char *longer = memory_format("%s%s%s", text, *text ? " " : "", *word);

		free(text);
		text = longer;
	}
	return text;
}

/* Prints what was measured, and how. */
static void print_headline(struct output *out, const struct plumb_findings *findings)
{
	char *time = figure_duration(findings->seconds), *command = command_text(findings), *text;

	text = memory_format("%s on %s%s: %s of %s time%s",
			     findings->target ? findings->target : command, findings->cpu,
			     findings->label ? " (model)" : "",
			     isnan(findings->seconds) ? "no" : time, findings->source,
			     findings->interrupted ? ", interrupted" : "");
	print_paragraph(out, STYLE_HEADING, 0, 0, text);
	free(text);
	free(command);
	free(time);
}

static void print_warnings(struct output *out, const struct plumb_findings *findings)
{
	for (const char *const *warning = findings->warnings; warning && *warning; warning++) {
		char *text = memory_format("warning: %s", *warning);

		print_paragraph(out, STYLE_WARNING, 0, 0, text);
		free(text);
	}
}

/* Adds the nodes that were counted, or those that were not, to a line. */
static char *ruled_text(const struct plumb_findings *findings, bool counted)
{
	char *text = memory_copy("", 0);

	for (unsigned i = 0; i < findings->ruled_out_count; i++) {
		const struct plumb_ruled_out *out = &findings->ruled_out[i];
		const char *comma = *text ? ", " : "";
		char *longer;

		if (isnan(out->slots) == counted)
			continue;
		longer = counted ? memory_format("%s%s%s %.1f %%", text, comma, out->node,
						 out->slots > 0 ? out->slots : 0.0)
				 : memory_format("%s%s%s", text, comma, out->node);
		free(text);
		text = longer;
	}
	return text;
}

/* Says what the walk down the tree met and left, with all causes below it. */
static void print_ruled_out(struct output *out, const struct plumb_findings *findings)
{
	for (int counted = 1; counted >= 0; counted--) {
		char *nodes = ruled_text(findings, counted), *text;

		if (*nodes) {
			text = counted ? memory_format(
						 "%s, with less than %.0f %% of the %s: %s",
						 findings->tie
							 ? "Ruled out, unless the tie hides them"
							 : "Ruled out",
						 findings->least, findings->whole, nodes)
				       : memory_format(
						 "Not counted, so neither found nor ruled out: "
						 "%s",
						 nodes);
			fputc('\n', out->stream);
			print_paragraph(out, STYLE_PLAIN, 0, 0, text);
			free(text);
		}
		free(nodes);
	}
}

/* Says what is lost besides the findings: the tree does not tell to what. */
static void print_undivided(struct output *out, const struct plumb_findings *findings)
{
	for (unsigned i = 0; i < findings->undivided_count; i++) {
		const struct plumb_undivided *left = &findings->undivided[i];
		char *text = memory_format("%.0f %%%s of the %s: %s, in cycles that were partly "
					   "used, which the tree does not divide among causes.",
					   left->slots, findings->finding_count ? " more" : "",
					   findings->whole, left->node);

		fputc('\n', out->stream);
		if (left->finding) {
			const double all =
				left->slots + findings->findings[left->finding - 1].slots;
			char *both = memory_format("%s If finding %u is behind them, too, up to "
						   "%.0f %% could be won.",
						   text, left->finding, all);

			free(text);
			text = both;
		}
		print_paragraph(out, STYLE_PLAIN, 0, 0, text);
		free(text);
	}
}

/* Where slots do useful work, only less work helps: says where most of it is. */
static void print_work(struct output *out, const struct findings_view *view)
{
	const struct plumb_findings *findings = view->findings;
	const struct plumb_finding_work *work = findings->work_at;

	if (!work->functions.count || !(findings->work >= PLUMB_WORK_GOOD))
		return;
	fputc('\n', out->stream);
	print_paragraph(
		out, STYLE_PLAIN, 0, 0,
		"The slots are well used: to run faster, do less work. Most of it is here:");
	print_code(out, view, &work->functions, &work->lines, &work->callers);
	print_beside(out, "Helps",
		     "A better algorithm, results kept instead of computed again, and vector "
		     "instructions, which do more per operation.");
}

void findings_text(struct output *out, const struct findings_view *view)
{
	const struct plumb_findings *findings = view->findings;
	char *text = findings_verdict(findings);

	print_headline(out, findings);
	print_warnings(out, findings);
	print_paragraph(out, findings->finding_count ? STYLE_PLAIN : STYLE_GOOD, 0, 0, text);
	free(text);
	for (unsigned i = 0; i < findings->finding_count; i++)
		print_finding(out, view, i);
	print_undivided(out, findings);
	print_work(out, view);
	print_ruled_out(out, findings);
}

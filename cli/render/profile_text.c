/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/fit.h"
#include "render/marks.h"
#include "render/profile_columns.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* ---- Rows -------------------------------------------------------------------------------------
 */

const struct plumb_profile_estimate *profile_main_share(const struct profile_view *view,
							const struct plumb_profile_row *row)
{
	return view->children ? &row->children : &row->share;
}

bool profile_prints(const struct profile_view *view, const struct plumb_profile_event *event)
{
	return event->row_count && (!view->prints || view->prints(view, event));
}

/* Tells whether a row's function has a name, with or without the mark of inlined ones. */
static bool is_named(const char *text, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(text, name, length) == 0 &&
	       (!text[length] || strcmp(text + length, " (inlined)") == 0);
}

bool profile_is_wanted(const struct profile_view *view, size_t event, size_t row)
{
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	for (size_t k = 0; view->function && k < view->key_count; k++) {
		if (view->keys[k] != PLUMB_KEY_INLINE)
			continue;
		text = plumb_profile_text(view->profile, event, row, k, room);
		return text && is_named(text, view->function);
	}
	return true;
}

size_t profile_rows_shown(const struct profile_view *view, size_t event)
{
	struct plumb_profile_event all;
	struct plumb_profile_row row;
	size_t count = 0, wanted = 0;

	if (!view->function && !(view->percent_limit > 0) &&
	    plumb_profile_event(view->profile, event, &all))
		return view->limit && view->limit < all.row_count ? view->limit : all.row_count;
	while ((!view->limit || wanted < view->limit) &&
	       plumb_profile_row(view->profile, event, count, &row)) {
		if (view->percent_limit > 0 &&
		    !(profile_main_share(view, &row)->value * 100 >= view->percent_limit))
			break;
		wanted += profile_is_wanted(view, event, count);
		count++;
	}
	return count;
}

/* The rows that a table shows, by its lines. */
struct lines {
	struct profile_place *place;
	size_t *rows;
};

static void mark_row(void *user, struct output *out, size_t line)
{
	const struct lines *lines = user;
	struct profile_place *place = lines->place;
	const size_t row = lines->rows[line];
	const struct profile_view *view = place->view;
	char rooms[PLUMB_PROFILE_KEYS_MAX][PLUMB_PROFILE_TEXT];
	const char *texts[PLUMB_PROFILE_KEYS_MAX] = {NULL};

	plumb_profile_row(view->profile, place->event_index, row, &place->row);
	for (size_t k = 0; k < view->key_count; k++)
		texts[k] = plumb_profile_text(view->profile, place->event_index, row, k, rooms[k]);
	marks_row(out, (uint32_t)place->event_index, place->row.share.value, view->keys, texts,
		  view->key_count);
}

static void print_table(struct output *out, struct profile_place *place, size_t count)
{
	const struct profile_view *view = place->view;
	struct lines lines = {place, memory_alloc((count + 1) * sizeof(*lines.rows))};
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = {.columns = columns, .user = &lines};
	uint8_t shown[TABLE_COLUMNS_MAX] = {0};

	for (size_t c = 0; c < view->column_count; c++) {
		const size_t at = table.column_count;

		if (!profile_column_has_values(view, place->event, c))
			continue;
		shown[at] = (uint8_t)c;
		table.column_count++;
		columns[at] = profile_column(view, c);
		if (at == 0)
			columns[at].spare = 0;
	}
	profile_add_cells(&table, place, count, shown, lines.rows);
	if (marks_wanted(out))
		table.mark = mark_row;
	table_print(&table, out, 0);
	table_free(&table);
	free(lines.rows);
}

/* ---- Events -----------------------------------------------------------------------------------
 */

/* Returns what of an event was left out, as text. */
static char *left_out_text(const struct pen *pen, const struct profile_view *view,
			   const struct plumb_profile_event *event)
{
	const uint64_t left_out = (event->exact ? event->left_out_period : event->left_out) +
				  (event->spe ? view->filtered_out : 0);
	char *number, *text;

	if (!left_out)
		return memory_format("%s", "");
	number = figure_count(pen, (double)left_out);
	text = memory_format("; %s %s%s left out", number,
			     event->exact    ? "event"
			     : event->spe    ? "record"
			     : event->stacks ? "branch"
					     : "sample",
			     left_out == 1   ? ""
			     : event->stacks ? "es"
					     : "s");
	free(number);
	return text;
}

/* Returns how many of an event's samples the rows are of, if shares are of more, as text. */
static char *matching_text(const struct pen *pen, const struct profile_view *view,
			   const struct plumb_profile_event *event, size_t index)
{
	uint64_t period;
	const uint64_t samples = plumb_profile_not_shown(view->profile, index, &period);
	const uint64_t all = event->exact ? event->period : event->samples;
	const uint64_t matching = all - (event->exact ? period : samples);
	char *number, *text;

	if (!samples)
		return memory_format("%s", "");
	number = figure_count(pen, (double)matching);
	text = memory_format("; %s match%s", number, matching == 1 ? "es" : "");
	free(number);
	return text;
}

/* Returns how much of an event the table is about, as text. */
static char *heading_text(const struct pen *pen, const struct profile_view *view,
			  const struct plumb_profile_event *event, size_t index)
{
	const char *by = view->modelled ? " of the model" : "";
	const char *plural = event->samples == 1 ? "" : "s";
	char *samples = figure_count(pen, (double)event->samples);
	char *period = figure_count(pen, (double)event->period);
	char *stacks = figure_count(pen, (double)event->stacks);
	char *matching = matching_text(pen, view, event, index), *text;
	char *without = left_out_text(pen, view, event);
	char *left_out = memory_format("%s%s", matching, without);

	if (event->windows)
		text = memory_format(
			": about %s events, estimated from %llu windows of the model%s%s", period,
			(unsigned long long)event->windows,
			view->incomplete ? "; the recording is incomplete" : "", left_out);
	else if (event->exact)
		text = memory_format(": %s events, counted exactly by the model%s%s", period,
				     view->incomplete ? "; the recording is incomplete" : "",
				     left_out);
	else if (event->spe)
		/* Long and short operations are as likely to be sampled. */
		text = memory_format(": %s SPE record%s%s%s; shares are of operations, not of time",
				     samples, plural, by, left_out);
	else if (event->stacks)
		text = memory_format(": %s branch%s of %s branch stack%s%s", samples,
				     event->samples == 1 ? "" : "es", stacks,
				     event->stacks == 1 ? "" : "s", left_out);
	else if (event->period == event->samples)
		text = memory_format(": %s sample%s%s%s", samples, plural, by, left_out);
	else
		text = memory_format(": %s sample%s%s, about %s events%s", samples, plural, by,
				     period, left_out);
	free(samples);
	free(period);
	free(stacks);
	free(matching);
	free(without);
	free(left_out);
	return text;
}

void profile_heading(struct output *out, const char *title, const char *text)
{
	output_text(out, STYLE_HEADING, title);
	fit_prose(out, STYLE_PLAIN, wrap_columns(title, strlen(title)), 2, text);
	fputc('\n', out->stream);
}

static void print_heading(struct output *out, const struct profile_view *view,
			  const struct plumb_profile_event *event, size_t index)
{
	char *text = heading_text(pen_for(out), view, event, index);

	profile_heading(out, event->name ? event->name : "unnamed event", text);
	free(text);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_note(struct output *out, enum style style, char *text)
{
	fit_prose(out, style, 0, 0, text);
	free(text);
}

/* This many records of code that did not take effect are worth a note. */
#define NOT_RETIRED_PERCENT 5

/* Prints what the table lacks, and what else to know of its samples. */
static void print_rest(struct output *out, const struct profile_view *view,
		       const struct plumb_profile_event *event, size_t shown)
{
	const size_t more = event->row_count - shown;

	if (more && !view->function)
		print_note(out, STYLE_DIM,
			   memory_format("%zu more row%s", more, more > 1 ? "s" : ""));
	if (percent(event->not_retired, event->samples) > NOT_RETIRED_PERCENT)
		print_note(out, STYLE_DIM,
			   memory_format(
				   "%.0f %% of the records did not retire (speculation); --filter "
				   "retired leaves them out",
				   percent(event->not_retired, event->samples)));
	if (event->filtered &&
	    profile_columns_have(view, PROFILE_OPERATIONS, PROFILE_OPERATIONS_INTERVAL))
		print_note(out, STYLE_DIM,
			   memory_format("the SPE unit recorded with a filter: OPERATIONS counts "
					 "only what passes it"));
	if (event->saturated && profile_columns_have_latencies(view))
		print_note(out, STYLE_DIM,
			   memory_format("%llu record%s took %d cycles or more, the most that the "
					 "counters hold; >= marks latencies that include them",
					 (unsigned long long)event->saturated,
					 event->saturated == 1 ? "" : "s",
					 PLUMB_PROFILE_SATURATED));
	if (event->given_up)
		print_note(out, STYLE_WARNING,
			   memory_format("%.2f%% of the events are in no row, to limit memory; no "
					 "row lacks more than %.2f%%",
					 percent(event->given_up, event->period),
					 percent(event->given_up_most, event->period)));
	if (event->cut_off)
		print_note(out, STYLE_WARNING,
			   memory_format("call trees lack callers of %.2f%% of the events, to "
					 "limit memory",
					 percent(event->cut_off, event->period)));
}

/* Tells whether some of an event's first rows is wanted. */
static bool has_wanted(const struct profile_view *view, size_t event, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (profile_is_wanted(view, event, i))
			return true;
	return false;
}

void profile_text(struct output *out, const struct profile_view *view)
{
	struct plumb_profile_event event;
	bool first = true;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		struct profile_place place = {.view = view, .event = &event, .event_index = e};
		const size_t count = profile_rows_shown(view, e);

		if (!profile_prints(view, &event) ||
		    (view->function && !has_wanted(view, e, count)))
			continue;
		if (!first)
			fputc('\n', out->stream);
		first = false;
		print_heading(out, view, &event, e);
		print_table(out, &place, count);
		print_rest(out, view, &event, count);
		if (view->trees)
			profile_trees(out, view, e, count);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that several threads use: who reads and writes which bytes, and where. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "profile/helpers.h"
#include "render/figures.h"
#include "render/fit.h"
#include "render/json.h"
#include "render/profile.h"
#include "tool/memory.h"

struct sharing {
	const struct profile_view *view;
	struct plumb_profile_sharing *at;
	size_t count, more; /* to print, and those that --limit left out */
	bool exact;         /* with moves and bytes */
};

/* The keys to print for each access, besides the line. Only exact profiles know the bytes. */
static const uint8_t keys[] = {PLUMB_KEY_OFFSET, PLUMB_KEY_BYTES,  PLUMB_KEY_ACCESS, PLUMB_KEY_PID,
			       PLUMB_KEY_TID,    PLUMB_KEY_SYMBOL, PLUMB_KEY_SRCLINE};
#define KEYS        (sizeof(keys) / sizeof(*keys))
#define COLUMNS_MAX (5 + KEYS)

static bool is_shown(const struct sharing *sharing, unsigned key)
{
	return key != PLUMB_KEY_BYTES || sharing->exact;
}

static const char *text_of(const struct sharing *sharing, size_t i, unsigned key,
			   char room[PLUMB_PROFILE_TEXT])
{
	const struct profile_view *view = sharing->view;

	for (size_t k = 0; k < view->key_count; k++)
		if (view->keys[k] == key)
			return plumb_profile_text(view->profile, sharing->at[i].event,
						  sharing->at[i].row, k, room);
	return NULL;
}

static const char *kind_of(const struct plumb_profile_sharing *access)
{
	static const char *const names[] = {[PLUMB_SHARING_TRUE] = "true",
					    [PLUMB_SHARING_FALSE] = "false",
					    [PLUMB_SHARING_MIXED] = "mixed"};

	return names[access->kind];
}

static void add_rows(const struct sharing *sharing, struct table *table)
{
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	for (size_t i = 0; i < sharing->count; i++) {
		text = text_of(sharing, i, PLUMB_KEY_CACHE_LINE, room);
		table_cell(table, text ? text : "");
		table_cell(table, kind_of(&sharing->at[i]));
		table_cell_format(table, "%u", sharing->at[i].threads);
		table_cell_format(table, "%" PRIu64, sharing->at[i].own);
		if (sharing->exact)
			table_cell_format(table, "%" PRIu64, sharing->at[i].own_moves);
		for (size_t k = 0; k < KEYS; k++) {
			if (!is_shown(sharing, keys[k]))
				continue;
			text = text_of(sharing, i, keys[k], room);
			table_cell(table, text ? text : "");
		}
	}
}

/* ---- Text: a table for each line ------------------------------------------------------------- */

static void add_column(struct table *table, struct table_column *columns, unsigned key)
{
	columns[table->column_count++] = (struct table_column){
		.heading = profile_key_heading(key),
		.right = key == PLUMB_KEY_BYTES,
		.spare = key == PLUMB_KEY_BYTES ? 3 : 0,
		.wraps = key == PLUMB_KEY_SYMBOL || key == PLUMB_KEY_SRCLINE,
		.style = key == PLUMB_KEY_SYMBOL ? STYLE_NAME : STYLE_PLAIN,
	};
}

/* Returns whether the i-th access is to the same line of the same process as the one before. */
static bool continues(const struct sharing *sharing, size_t i)
{
	static const uint8_t same[] = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PID};
	char rooms[2][PLUMB_PROFILE_TEXT];

	if (!i)
		return false;
	for (size_t k = 0; k < sizeof(same); k++) {
		const char *a = text_of(sharing, i - 1, same[k], rooms[0]);
		const char *b = text_of(sharing, i, same[k], rooms[1]);

		if (!a != !b || (a && strcmp(a, b) != 0))
			return false;
	}
	return true;
}

/* As text_of(), but NULL for a line of source that stands for the function, for lack of a line. */
static const char *shown_text(const struct sharing *sharing, size_t i, unsigned key,
			      char room[PLUMB_PROFILE_TEXT])
{
	const char *text = text_of(sharing, i, key, room), *function;
	char other[PLUMB_PROFILE_TEXT];

	if (key != PLUMB_KEY_SRCLINE || !text)
		return text;
	function = text_of(sharing, i, PLUMB_KEY_SYMBOL, other);
	return function && strcmp(text, function) == 0 ? NULL : text;
}

static void add_count(struct table *table, struct output *out, uint64_t count)
{
	char *text = figure_count(pen_for(out), (double)count);

	table_cell(table, text);
	free(text);
}

static void print_line(const struct sharing *sharing, struct output *out, size_t begin, size_t end)
{
	const struct plumb_profile_sharing *first = &sharing->at[begin];
	struct table_column columns[COLUMNS_MAX] = {
		{sharing->exact ? "ACCESSES" : "SAMPLES", .right = true, .spare = 1},
		{"MOVES", .right = true, .spare = 2},
	};
	struct table table = {.columns = columns, .column_count = sharing->exact ? 2 : 1};
	char room[PLUMB_PROFILE_TEXT], *title;
	const char *text = text_of(sharing, begin, PLUMB_KEY_CACHE_LINE, room);
	size_t column;

	text = text ? text : "?";
	output_text(out, STYLE_NAME, text);
	column = strlen(text);
	text = text_of(sharing, begin, PLUMB_KEY_PID, room);
	title = memory_format(": %s sharing by %u threads of process %s", kind_of(first),
			      first->threads, text ? text : "?");
	fit_prose(out, STYLE_PLAIN, column, 2, title);
	free(title);
	for (size_t k = 0; k < KEYS; k++)
		if (is_shown(sharing, keys[k]) && keys[k] != PLUMB_KEY_PID)
			add_column(&table, columns, keys[k]);
	for (size_t i = begin; i < end; i++) {
		add_count(&table, out, sharing->at[i].own);
		if (sharing->exact)
			add_count(&table, out, sharing->at[i].own_moves);
		for (size_t k = 0; k < KEYS; k++)
			if (is_shown(sharing, keys[k]) && keys[k] != PLUMB_KEY_PID)
				table_cell(&table, shown_text(sharing, i, keys[k], room));
	}
	table_print(&table, out, 2);
	table_free(&table);
}

/* Of a helper: --callers shows all. */
#define CALLERS_SHOWN 5

/* Prints who called a helper. Returns false if that is unknown. */
static bool print_callers(const struct sharing *sharing, struct output *out, const char *helper)
{
	static const struct table_column columns[] = {{.right = true}, {0}, {0}};
	struct table table = {.columns = columns, .column_count = 3};
	const struct profile_view *view = sharing->view;
	size_t found = 0;
	char *text;

	for (size_t i = 0; i < view->caller_count; i++) {
		const struct profile_helper_caller *caller = &view->callers[i];

		if (strcmp(caller->helper, helper) != 0 || found++ >= CALLERS_SHOWN)
			continue;
		if (found == 1) {
			text = memory_format("%s performs atomic operations for:", helper);
			fit_prose(out, STYLE_DIM, 0, 2, text);
			free(text);
		}
		table_cell_format(&table, "%.2f%%", 100 * caller->share);
		table_cell(&table, caller->function);
		table_cell(&table, caller->line);
	}
	if (found)
		table_print(&table, out, 2);
	if (found > CALLERS_SHOWN) {
		output_format(out, STYLE_DIM, "  and %zu more", found - CALLERS_SHOWN);
		fputc('\n', out->stream);
	}
	table_free(&table);
	return found;
}

/* Returns the i-th row's function if it is a helper and no row before has it; otherwise NULL. */
static const char *new_helper(const struct sharing *sharing, size_t i,
			      char room[PLUMB_PROFILE_TEXT])
{
	const char *name = text_of(sharing, i, PLUMB_KEY_SYMBOL, room), *before;
	char other[PLUMB_PROFILE_TEXT];

	if (!name || !helper_is_named(name))
		return NULL;
	for (size_t k = 0; k < i; k++) {
		before = text_of(sharing, k, PLUMB_KEY_SYMBOL, other);
		if (before && strcmp(before, name) == 0)
			return NULL;
	}
	return name;
}

/* Helpers for atomic operations have no lines of source: tells those of their callers, or how to
 * find them. */
static void print_helpers(const struct sharing *sharing, struct output *out)
{
	char room[PLUMB_PROFILE_TEXT], *text;
	bool any = false;

	for (size_t i = 0; i < sharing->count; i++) {
		const char *name = new_helper(sharing, i, room);

		if (!name)
			continue;
		fputc('\n', out->stream);
		any = true;
		if (print_callers(sharing, out, name))
			continue;
		text = memory_format("%s performs atomic operations for other functions.", name);
		fit_prose(out, STYLE_DIM, 0, 2, text);
		free(text);
	}
	if (any)
		fit_prose(out, STYLE_DIM, 0, 2,
			  "Code compiled with -mno-outline-atomics performs them in its own "
			  "lines.");
}

static void print_text(const struct sharing *sharing, struct output *out)
{
	fit_prose(out, STYLE_PLAIN, 0, 2,
		  sharing->exact ? "Sharing: accesses, and moves between cores, counted exactly by "
				   "the model"
		  : sharing->view->modelled ? "Sharing: accesses in SPE records of the model"
					    : "Sharing: accesses in SPE records");
	for (size_t begin = 0, end; begin < sharing->count; begin = end) {
		for (end = begin + 1; end < sharing->count && continues(sharing, end);)
			end++;
		fputc('\n', out->stream);
		print_line(sharing, out, begin, end);
	}
	if (sharing->more) {
		output_format(out, STYLE_DIM, "%zu more row%s", sharing->more,
			      sharing->more > 1 ? "s" : "");
		fputc('\n', out->stream);
	}
	print_helpers(sharing, out);
}

static void print_separated(const struct sharing *sharing, struct output *out,
			    const char *separator)
{
	struct table table = {0};

	table_cell(&table, "cache_line");
	table_cell(&table, "sharing");
	table_cell(&table, "threads");
	table_cell(&table, sharing->exact ? "accesses" : "samples");
	if (sharing->exact)
		table_cell(&table, "moves");
	for (size_t k = 0; k < KEYS; k++)
		if (is_shown(sharing, keys[k]))
			table_cell(&table, plumb_profile_key_name(keys[k]));
	table.column_count = table.cell_count;
	add_rows(sharing, &table);
	table_print_separated(&table, out, separator);
	table_free(&table);
}

static void put_counts(json_t *access, const struct plumb_profile_sharing *row)
{
	if (row->exact) {
		json_put(access, "line_accesses", json_integer((json_int_t)row->samples));
		json_put(access, "line_moves", json_integer((json_int_t)row->moves));
		json_put(access, "accesses", json_integer((json_int_t)row->own));
		json_put(access, "moves", json_integer((json_int_t)row->own_moves));
	} else {
		json_put(access, "line_samples", json_integer((json_int_t)row->samples));
		json_put(access, "samples", json_integer((json_int_t)row->own));
	}
}

static json_t *callers_of(const struct sharing *sharing)
{
	json_t *callers = json_array();

	for (size_t i = 0; i < sharing->view->caller_count; i++) {
		const struct profile_helper_caller *caller = &sharing->view->callers[i];
		json_t *object = json_object();

		json_put(object, "helper", render_string(caller->helper));
		json_put(object, "symbol", render_string(caller->function));
		json_put(object, "srcline", render_string(caller->line));
		json_put(object, "share", render_number(100 * caller->share));
		json_add(callers, object);
	}
	return callers;
}

static void print_json(const struct sharing *sharing, struct output *out)
{
	json_t *object = render_object();
	struct json_list accesses = {.out = out};
	char room[PLUMB_PROFILE_TEXT];

	json_put(object, "recording", render_string(sharing->view->path));
	json_put(object, "modelled", json_boolean(sharing->view->modelled));
	json_put(object, "incomplete", json_boolean(sharing->view->incomplete));
	json_put(object, "exact", json_boolean(sharing->exact));
	json_put(object, "helper_callers", callers_of(sharing));
	render_json_open(&accesses, object, "accesses");
	for (size_t i = 0; i < sharing->count; i++) {
		json_t *access = json_object();

		json_put(access, "cache_line",
			 render_string(text_of(sharing, i, PLUMB_KEY_CACHE_LINE, room)));
		json_put(access, "sharing", render_string(kind_of(&sharing->at[i])));
		json_put(access, "threads", json_integer(sharing->at[i].threads));
		put_counts(access, &sharing->at[i]);
		for (size_t k = 0; k < KEYS; k++)
			if (is_shown(sharing, keys[k]))
				json_put(access, plumb_profile_key_name(keys[k]),
					 render_string(text_of(sharing, i, keys[k], room)));
		render_json_item(&accesses, access);
	}
	render_json_close(&accesses);
}

/* Returns how much there is of a line, by which lines are sorted. */
static uint64_t weight_of(const struct sharing *sharing, size_t i)
{
	return sharing->exact ? sharing->at[i].moves : sharing->at[i].samples;
}

/* Leaves out lines with less than the limit, as the last ones, and then rows beyond the other. */
static void apply_limits(struct sharing *sharing)
{
	const struct profile_view *view = sharing->view;
	double all = 0;

	for (size_t i = 0; i < sharing->count; i++)
		all += continues(sharing, i) ? 0 : (double)weight_of(sharing, i);
	while (sharing->count &&
	       100 * (double)weight_of(sharing, sharing->count - 1) < view->percent_limit * all)
		sharing->count--;
	if (view->limit && sharing->count > view->limit) {
		sharing->more = sharing->count - view->limit;
		sharing->count = view->limit;
	}
}

/* Says that no line is shared. Other threads may have accesses that the options leave out. */
static const char *no_sharing(const struct profile_view *view, bool exact)
{
	if (view->selected)
		return "Among the selected samples, no cache line is used by several threads and "
		       "written.";
	return exact ? "No cache line is used by several threads and written."
		     : "No sampled cache line is used by several threads and written.";
}

void profile_sharing(struct output *out, const struct profile_view *view, bool json,
		     const char *separator)
{
	struct sharing sharing = {.view = view};
	struct plumb_profile_event event;

	if (plumb_profile_sharing(view->profile, &sharing.at, &sharing.count) < 0)
		memory_given(NULL);
	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++)
		sharing.exact |= event.exact;
	apply_limits(&sharing);
	if (json) {
		print_json(&sharing, out);
	} else if (separator) {
		print_separated(&sharing, out, separator);
	} else if (sharing.count) {
		print_text(&sharing, out);
	} else {
		fit_prose(out, STYLE_PLAIN, 0, 0, no_sharing(view, sharing.exact));
	}
	free(sharing.at);
}

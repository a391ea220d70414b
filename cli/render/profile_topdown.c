/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the slots of each function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "render/figures.h"
#include "render/json.h"
#include "render/marks.h"
#include "render/profile.h"
#include "tool/memory.h"

struct topdown {
	const struct profile_view *view;
	struct plumb_profile_topdown *rows;
	size_t count, shown;
};

static const struct {
	const char *heading, *field;
	size_t offset;
} shares[] = {
	{"SLOTS", "slots_share", offsetof(struct plumb_profile_topdown, share)},
	{"RETIRING", "retiring", offsetof(struct plumb_profile_topdown, retiring)},
	{"BAD SPEC", "bad_speculation", offsetof(struct plumb_profile_topdown, bad_speculation)},
	{"FRONTEND", "frontend_bound", offsetof(struct plumb_profile_topdown, frontend_bound)},
	{"BACKEND", "backend_bound", offsetof(struct plumb_profile_topdown, backend_bound)},
	{"CAUSE", "cause_share", offsetof(struct plumb_profile_topdown, cause_share)},
};
#define SHARES (sizeof(shares) / sizeof(*shares))
/* The share of the largest cause is for programs: a table should fit in 80 columns. */
#define SHARES_SHOWN (SHARES - 1)

/* In percent. The cause's share has no interval. */
static struct plumb_profile_estimate estimate_of(const struct plumb_profile_topdown *row, size_t i)
{
	struct plumb_profile_estimate estimate = {row->cause_share, NAN, NAN};

	if (i < SHARES_SHOWN)
		memcpy(&estimate, (const char *)row + shares[i].offset, sizeof(estimate));
	return (struct plumb_profile_estimate){100 * estimate.value, 100 * estimate.low,
					       100 * estimate.high};
}

static double share_of(const struct plumb_profile_topdown *row, size_t i)
{
	return estimate_of(row, i).value;
}

static bool is_exact(const struct topdown *topdown)
{
	return topdown->count > 0 && topdown->rows[0].exact;
}

/* Writes a cause's name: "backend_mem" of "slots_backend_mem/". */
static const char *short_cause(const char *name, char room[PLUMB_PROFILE_TEXT])
{
	size_t length;

	if (!name)
		return NULL;
	if (strncmp(name, "slots_", 6) == 0)
		name += 6;
	length = strcspn(name, "/");
	if (length >= PLUMB_PROFILE_TEXT)
		length = PLUMB_PROFILE_TEXT - 1;
	memcpy(room, name, length);
	room[length] = '\0';
	return room;
}

static const char *cause_of(const struct plumb_profile_topdown *row, char room[PLUMB_PROFILE_TEXT])
{
	return short_cause(row->cause, room);
}

static const char *key_of(const struct topdown *topdown, size_t i, size_t k,
			  char room[PLUMB_PROFILE_TEXT])
{
	return plumb_profile_text(topdown->view->profile, topdown->rows[i].event,
				  topdown->rows[i].row, k, room);
}

static void print_heading(const struct topdown *topdown, struct output *out)
{
	const uint64_t left_out = plumb_profile_slots_left_out(topdown->view->profile);
	uint64_t slots = 0;
	char *text, *line, *rest;

	for (size_t i = 0; i < topdown->count; i++)
		slots += topdown->rows[i].slots;
	text = figure_count(pen_for(out), (double)slots);
	if (is_exact(topdown))
		line = memory_format(": %s slots, counted exactly by the model%s", text,
				     topdown->view->incomplete ? "; the recording is incomplete"
							       : "");
	else
		line = memory_format(
			": about %s slots, from sampled groups of counters%s; 95 %% intervals",
			text, topdown->view->modelled ? " of the model" : "");
	free(text);
	if (left_out) {
		text = figure_count(pen_for(out), (double)left_out);
		rest = memory_format("%s; %s slots left out", line, text);
		free(text);
		free(line);
		line = rest;
	}
	profile_heading(out, "Top-down", line);
	free(line);
}

static void mark_row(void *user, struct output *out, size_t i)
{
	const struct topdown *topdown = user;
	char rooms[PLUMB_PROFILE_KEYS_MAX][PLUMB_PROFILE_TEXT];
	const char *texts[PLUMB_PROFILE_KEYS_MAX] = {NULL};

	for (size_t k = 0; k < topdown->view->key_count; k++)
		texts[k] = key_of(topdown, i, k, rooms[k]);
	marks_row(out, 0, share_of(&topdown->rows[i], 0) / 100, topdown->view->keys, texts,
		  topdown->view->key_count);
}

/* "64.5%", or "64.5% ±1.2": the half of the interval. Ends at 0 or 100 % are not symmetrical. */
static void add_share(const struct topdown *topdown, struct table *table, size_t i, size_t c)
{
	const struct plumb_profile_estimate estimate = estimate_of(&topdown->rows[i], c);

	if (isnan(estimate.value))
		table_cell(table, NULL);
	else if (topdown->rows[i].exact)
		table_cell_format(table, c ? "%.1f%%" : "%.2f%%", estimate.value);
	else if (isnan(estimate.low))
		table_cell_format(table, "%.1f%% ±?", estimate.value);
	else
		table_cell_format(table, "%.1f%% ±%.1f", estimate.value,
				  (estimate.high - estimate.low) / 2);
}

static void print_text(struct topdown *topdown, struct output *out)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = {.columns = columns, .user = topdown};
	char room[PLUMB_PROFILE_TEXT], other_room[PLUMB_PROFILE_TEXT];
	const char *cause, *other;

	if (marks_wanted(out))
		table.mark = mark_row;
	for (size_t c = 0; c < SHARES_SHOWN; c++)
		columns[table.column_count++] = (struct table_column){
			.heading = shares[c].heading, .right = true, .spare = c ? 2 : 0};
	columns[table.column_count++] =
		(struct table_column){.heading = "LARGEST CAUSE", .wraps = true};
	for (size_t k = 0; k < topdown->view->key_count; k++)
		columns[table.column_count++] = (struct table_column){
			.heading = profile_key_heading(topdown->view->keys[k]),
			.style = STYLE_NAME};
	for (size_t i = 0; i < topdown->shown; i++) {
		for (size_t c = 0; c < SHARES_SHOWN; c++)
			add_share(topdown, &table, i, c);
		cause = cause_of(&topdown->rows[i], room);
		other = short_cause(topdown->rows[i].other_cause, other_room);
		/* Without the "_bound" of a metric: its column says that. */
		if (other)
			table_cell_format(&table, "%s, %s", cause, other);
		else if (cause && topdown->rows[i].exact)
			table_cell(&table, cause);
		else
			table_cell_format(&table, "%.*s", cause ? (int)strcspn(cause, "_") : 0,
					  cause ? cause : "");
		for (size_t k = 0; k < topdown->view->key_count; k++)
			table_cell(&table, key_of(topdown, i, k, room));
	}
	print_heading(topdown, out);
	table_print(&table, out, 0);
	table_free(&table);
	if (topdown->shown < topdown->count)
		output_format(out, STYLE_DIM, "%zu more row%s", topdown->count - topdown->shown,
			      topdown->count - topdown->shown > 1 ? "s" : "");
	if (topdown->shown < topdown->count)
		fputc('\n', out->stream);
}

static void add_number(struct table *table, double number)
{
	if (isnan(number))
		table_cell(table, "");
	else
		table_cell_format(table, "%.10g", number);
}

static void print_separated(const struct topdown *topdown, struct output *out,
			    const char *separator)
{
	struct table table = {0};
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	table_cell(&table, "slots");
	for (size_t c = 0; c < SHARES; c++)
		table_cell(&table, shares[c].field);
	for (size_t c = 0; !is_exact(topdown) && c < SHARES_SHOWN; c++) {
		table_cell_format(&table, "%s_low", shares[c].field);
		table_cell_format(&table, "%s_high", shares[c].field);
	}
	table_cell(&table, "cause");
	for (size_t k = 0; k < topdown->view->key_count; k++)
		table_cell(&table, plumb_profile_key_name(topdown->view->keys[k]));
	table.column_count = table.cell_count;
	for (size_t i = 0; i < topdown->shown; i++) {
		table_cell_format(&table, "%llu", (unsigned long long)topdown->rows[i].slots);
		for (size_t c = 0; c < SHARES; c++)
			add_number(&table, share_of(&topdown->rows[i], c));
		for (size_t c = 0; !is_exact(topdown) && c < SHARES_SHOWN; c++) {
			add_number(&table, estimate_of(&topdown->rows[i], c).low);
			add_number(&table, estimate_of(&topdown->rows[i], c).high);
		}
		text = cause_of(&topdown->rows[i], room);
		table_cell(&table, text ? text : "");
		for (size_t k = 0; k < topdown->view->key_count; k++) {
			text = key_of(topdown, i, k, room);
			table_cell(&table, text ? text : "");
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

static void put_interval(json_t *row, const char *field, struct plumb_profile_estimate estimate)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_interval", field);
	json_put(row, name, render_interval(estimate.low, estimate.high));
}

static void print_json(const struct topdown *topdown, struct output *out)
{
	json_t *object = render_object();
	struct json_list rows = {.out = out};
	char room[PLUMB_PROFILE_TEXT];

	json_put(object, "recording", render_string(topdown->view->path));
	json_put(object, "modelled", json_boolean(topdown->view->modelled));
	json_put(object, "incomplete", json_boolean(topdown->view->incomplete));
	json_put(object, "exact", json_boolean(is_exact(topdown)));
	json_put(object, "slots_left_out",
		 json_integer((json_int_t)plumb_profile_slots_left_out(topdown->view->profile)));
	json_put(object, "row_count", json_integer((json_int_t)topdown->count));
	render_json_open(&rows, object, "rows");
	for (size_t i = 0; i < topdown->shown; i++) {
		json_t *row = json_object();

		for (size_t k = 0; k < topdown->view->key_count; k++)
			json_put(row, plumb_profile_key_name(topdown->view->keys[k]),
				 render_string(key_of(topdown, i, k, room)));
		json_put(row, "slots", json_integer((json_int_t)topdown->rows[i].slots));
		for (size_t c = 0; c < SHARES; c++)
			json_put(row, shares[c].field,
				 render_number(share_of(&topdown->rows[i], c)));
		for (size_t c = 0; !is_exact(topdown) && c < SHARES_SHOWN; c++)
			put_interval(row, shares[c].field, estimate_of(&topdown->rows[i], c));
		json_put(row, "cause", render_string(cause_of(&topdown->rows[i], room)));
		json_put(row, "other_cause",
			 render_string(short_cause(topdown->rows[i].other_cause, room)));
		json_put(row, "other_cause_share",
			 topdown->rows[i].other_cause
				 ? render_number(100 * topdown->rows[i].other_cause_share)
				 : json_null());
		render_json_item(&rows, row);
	}
	render_json_close(&rows);
}

bool profile_topdown(struct output *out, const struct profile_view *view, bool json,
		     const char *separator)
{
	struct topdown topdown = {.view = view};
	int status = plumb_profile_topdown(view->profile, &topdown.rows, &topdown.count);

	if (status == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	if (status < 0)
		return false;
	while (topdown.shown < topdown.count && (!view->limit || topdown.shown < view->limit) &&
	       share_of(&topdown.rows[topdown.shown], 0) >= view->percent_limit)
		topdown.shown++;
	if (json)
		print_json(&topdown, out);
	else if (separator)
		print_separated(&topdown, out, separator);
	else
		print_text(&topdown, out);
	free(topdown.rows);
	return true;
}

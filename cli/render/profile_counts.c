/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, accesses to memory, and the mix of operations, as exact profiles count them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "render/figures.h"
#include "render/json.h"
#include "render/marks.h"
#include "render/profile.h"
#include "render/profile_columns.h"
#include "tool/join.h"
#include "tool/memory.h"

#define NO_COUNT UINT8_MAX

/* A count, or the percentage that it is of another: of the row's, or of all rows'. */
struct counted_column {
	const char *heading, *field;
	uint8_t count, of;
	bool of_all;
};

#define COLUMNS_MAX 8
struct counted_view {
	const char *title;
	const char *events[PLUMB_PROFILE_COUNTS]; /* what the counts are of: rows are sorted by the
						     first; NULL: no more */
	uint8_t own;                              /* rows have at least one of so many counts */
	struct {
		uint8_t count;
		const char *word; /* NULL: no more */
	} sums[3];                /* for the heading */
	struct counted_column columns[COLUMNS_MAX];
};

#define SLOTS_OF_BRANCHES "slots_bad_speculation slots_frontend_flush slots_backend_recovery"
#define ALL_SLOTS         "OP_RETIRED slots_*"
static const char slots_of_memory[] =
	"slots_backend_l1d slots_backend_mem slots_backend_tlb slots_backend_store "
	"slots_backend_load_queue slots_backend_store_queue";

static const struct counted_view views[] = {
	[PROFILE_BRANCHES] =
		{
			.title = "Branches",
			.events = {"BR_MIS_PRED_RETIRED", "BR_RETIRED", SLOTS_OF_BRANCHES,
				   ALL_SLOTS},
			.own = 2,
			.sums = {{1, "executed"}, {0, "mispredicted"}},
			.columns =
				{
					{"SHARE", "misprediction_share", 0, 0, true},
					{"MISPREDICTED", "mispredicted", 0, NO_COUNT, false},
					{"EXECUTED", "executed", 1, NO_COUNT, false},
					{"RATE", "misprediction_rate", 0, 1, false},
					{"SLOTS LOST", "slots_lost_share", 2, 3, true},
				},
		},
	[PROFILE_MEMORY] =
		{
			.title = "Memory",
			.events = {slots_of_memory, "MEM_ACCESS_RD", "MEM_ACCESS_WR",
				   "L1D_CACHE_REFILL", "L2D_CACHE_REFILL_RD", "LL_CACHE_MISS_RD",
				   "DTLB_WALK", ALL_SLOTS},
			.own = 7,
			.sums = {{1, "loads"}, {2, "stores"}, {3, "refills of the L1D cache"}},
			.columns =
				{
					{"SLOTS LOST", "slots_lost_share", 0, 7, true},
					{"LOADS", "loads", 1, NO_COUNT, false},
					{"STORES", "stores", 2, NO_COUNT, false},
					{"L1D REFILLS", "l1d_refills", 3, NO_COUNT, false},
					{"L2 REFILLS", "l2_read_refills", 4, NO_COUNT, false},
					{"LLC MISSES", "llc_read_misses", 5, NO_COUNT, false},
					{"WALKS", "dtlb_walks", 6, NO_COUNT, false},
				},
		},
	[PROFILE_MIX] =
		{
			.title = "Mix",
			.events = {"INST_RETIRED", "OP_RETIRED", "L1D_CACHE_REFILL",
				   "BR_MIS_PRED_RETIRED"},
			.own = 4,
			.sums = {{0, "instructions"}, {1, "operations"}},
			.columns =
				{
					{"SHARE", "share", 0, 0, true},
					{"INSTRUCTIONS", "instructions", 0, NO_COUNT, false},
					{"OPERATIONS", "operations", 1, NO_COUNT, false},
					{"L1D REFILLS", "l1d_refills", 2, NO_COUNT, false},
					{"MISPREDICTED", "mispredicted", 3, NO_COUNT, false},
				},
		},
};

struct counting {
	const struct profile_view *view;
	const struct counted_view *counted;
	struct plumb_profile_counted result;
	size_t count, shown; /* of the rows */
};

/* Tells whether the recording has what the column needs: an older plumb may have made it. */
static bool is_known(const struct counting *counting, const struct counted_column *column)
{
	return counting->result.known[column->count] &&
	       (column->of == NO_COUNT || counting->result.known[column->of]);
}

static double value_of(const struct counting *counting, size_t i,
		       const struct counted_column *column)
{
	const uint64_t *counts = counting->result.rows[i].counts;
	uint64_t whole;

	if (!is_known(counting, column))
		return NAN;
	if (column->of == NO_COUNT)
		return (double)counts[column->count];
	whole = column->of_all ? counting->result.total[column->of] : counts[column->of];
	return whole ? 100 * (double)counts[column->count] / (double)whole : NAN;
}

static double share_of(const struct counting *counting, size_t i)
{
	const uint64_t whole = counting->result.total[0];

	return whole ? (double)counting->result.rows[i].counts[0] / (double)whole : 0;
}

static const char *key_of(const struct counting *counting, size_t i, size_t k,
			  char room[PLUMB_PROFILE_TEXT])
{
	return plumb_profile_text(counting->view->profile, counting->result.rows[i].event,
				  counting->result.rows[i].row, k, room);
}

/* As key_of(), but NULL for what another column has. */
static const char *key_shown(const struct counting *counting, size_t i, size_t k,
			     char room[PLUMB_PROFILE_TEXT])
{
	const struct plumb_profile_counts *row = &counting->result.rows[i];
	const char *text = key_of(counting, i, k, room);

	return profile_repeats_function(counting->view, row->event, row->row, k, text) ? NULL
										       : text;
}

static void mark_row(void *user, struct output *out, size_t i)
{
	const struct counting *counting = user;
	char rooms[PLUMB_PROFILE_KEYS_MAX][PLUMB_PROFILE_TEXT];
	const char *texts[PLUMB_PROFILE_KEYS_MAX] = {NULL};

	for (size_t k = 0; k < counting->view->key_count; k++)
		texts[k] = key_of(counting, i, k, rooms[k]);
	marks_row(out, 0, share_of(counting, i), counting->view->keys, texts,
		  counting->view->key_count);
}

/* "Branches: 1,000 executed, 20 mispredicted, counted exactly by the model" */
static void print_heading(const struct counting *counting, struct output *out)
{
	const struct counted_view *counted = counting->counted;
	const struct plumb_profile_counted *result = &counting->result;
	uint64_t left_out = 0, given_up = 0;
	const uint64_t windows = plumb_profile_windows(counting->view->profile);
	struct join sums = {0};
	char *text, *sum, *how, *line;

	for (size_t i = 0; i < sizeof(counted->sums) / sizeof(*counted->sums); i++) {
		const uint8_t count = counted->sums[i].count;

		if (!counted->sums[i].word)
			continue;
		text = figure_count(pen_for(out),
				    result->known[count] ? (double)result->total[count] : NAN);
		sum = memory_format("%s %s", text, counted->sums[i].word);
		join_add(&sums, sum);
		left_out |= result->left_out[count];
		given_up |= result->given_up[count];
		free(sum);
		free(text);
	}
	text = join_take(&sums);
	how = windows ? memory_format("estimated from %llu windows of the model",
				      (unsigned long long)windows)
		      : memory_format("counted exactly by the model");
	line = memory_format(": %s, %s%s%s%s", text, how,
			     left_out ? "; options leave out others" : "",
			     given_up ? "; the smallest rows are missing, to limit memory" : "",
			     counting->view->incomplete ? "; the recording is incomplete" : "");
	profile_heading(out, counted->title, line);
	free(line);
	free(how);
	free(text);
}

static void add_value(const struct counting *counting, const struct pen *pen, struct table *table,
		      size_t i, const struct counted_column *column)
{
	const double value = value_of(counting, i, column);
	char *text;

	if (isnan(value)) {
		table_cell(table, NULL);
	} else if (column->of != NO_COUNT) {
		table_cell_format(table, column->of_all ? "%.2f%%" : "%.1f%%", value);
	} else {
		text = figure_count(pen, value);
		table_cell(table, text);
		free(text);
	}
}

static const struct counted_column *column_at(const struct counting *counting, size_t c)
{
	const struct counted_column *column = &counting->counted->columns[c];

	return c < COLUMNS_MAX && column->heading ? column : NULL;
}

static void print_text(struct counting *counting, struct output *out)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = {.columns = columns, .user = counting};
	const size_t more = counting->count - counting->shown;
	const struct counted_column *column;
	char room[PLUMB_PROFILE_TEXT];

	if (marks_wanted(out))
		table.mark = mark_row;
	for (size_t c = 0; (column = column_at(counting, c)); c++)
		columns[table.column_count++] = (struct table_column){
			.heading = column->heading, .right = true, .spare = c > 1 ? 2 : 0};
	for (size_t k = 0; k < counting->view->key_count; k++)
		columns[table.column_count++] = (struct table_column){
			.heading = profile_key_heading(counting->view->keys[k]),
			.style = STYLE_NAME};
	for (size_t i = 0; i < counting->shown; i++) {
		for (size_t c = 0; (column = column_at(counting, c)); c++)
			add_value(counting, pen_for(out), &table, i, column);
		for (size_t k = 0; k < counting->view->key_count; k++)
			table_cell(&table, key_shown(counting, i, k, room));
	}
	print_heading(counting, out);
	table_print(&table, out, 0);
	table_free(&table);
	if (more)
		output_format(out, STYLE_DIM, "%zu more row%s", more, more > 1 ? "s" : "");
	if (more)
		fputc('\n', out->stream);
}

static void print_separated(const struct counting *counting, struct output *out,
			    const char *separator)
{
	const struct counted_column *column;
	struct table table = {0};
	char room[PLUMB_PROFILE_TEXT];
	const char *text;
	double value;

	for (size_t c = 0; (column = column_at(counting, c)); c++)
		table_cell(&table, column->field);
	for (size_t k = 0; k < counting->view->key_count; k++)
		table_cell(&table, plumb_profile_key_name(counting->view->keys[k]));
	table.column_count = table.cell_count;
	for (size_t i = 0; i < counting->shown; i++) {
		for (size_t c = 0; (column = column_at(counting, c)); c++) {
			value = value_of(counting, i, column);
			if (isnan(value))
				table_cell(&table, "");
			else
				table_cell_format(&table, "%.*g", column->of == NO_COUNT ? 20 : 10,
						  value);
		}
		for (size_t k = 0; k < counting->view->key_count; k++) {
			text = key_of(counting, i, k, room);
			table_cell(&table, text ? text : "");
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

static json_t *column_json(const struct counting *counting, size_t i,
			   const struct counted_column *column)
{
	if (!is_known(counting, column))
		return json_null();
	if (column->of == NO_COUNT)
		return json_integer((json_int_t)counting->result.rows[i].counts[column->count]);
	return render_number(value_of(counting, i, column));
}

/* Puts a sum over rows; null if the recording lacks the event. */
static void put_count(const struct counting *counting, json_t *object,
		      const struct counted_column *column, const uint64_t *counts)
{
	json_put(object, column->field,
		 is_known(counting, column) ? json_integer((json_int_t)counts[column->count])
					    : json_null());
}

static void print_json(const struct counting *counting, struct output *out)
{
	const struct plumb_profile_counted *result = &counting->result;
	json_t *object = render_object(), *total = json_object(), *left_out = json_object(),
	       *given_up = json_object();
	struct json_list rows = {.out = out};
	const struct counted_column *column;
	char room[PLUMB_PROFILE_TEXT];

	json_put(object, "recording", render_string(counting->view->path));
	json_put(object, "modelled", json_boolean(counting->view->modelled));
	json_put(object, "incomplete", json_boolean(counting->view->incomplete));
	json_put(object, "exact", json_boolean(!plumb_profile_windows(counting->view->profile)));
	if (plumb_profile_windows(counting->view->profile))
		json_put(object, "windows",
			 json_integer((json_int_t)plumb_profile_windows(counting->view->profile)));
	for (size_t c = 0; (column = column_at(counting, c)); c++) {
		if (column->of != NO_COUNT)
			continue;
		put_count(counting, total, column, result->total);
		put_count(counting, left_out, column, result->left_out);
		put_count(counting, given_up, column, result->given_up);
	}
	json_put(object, "total", total);
	json_put(object, "left_out", left_out);
	json_put(object, "given_up", given_up);
	json_put(object, "row_count", json_integer((json_int_t)counting->count));
	render_json_open(&rows, object, "rows");
	for (size_t i = 0; i < counting->shown; i++) {
		json_t *row = json_object();

		for (size_t k = 0; k < counting->view->key_count; k++)
			json_put(row, plumb_profile_key_name(counting->view->keys[k]),
				 render_string(key_of(counting, i, k, room)));
		for (size_t c = 0; (column = column_at(counting, c)); c++)
			json_put(row, column->field, column_json(counting, i, column));
		render_json_item(&rows, row);
	}
	render_json_close(&rows);
}

/* Tells whether a row has counts of the view's own, not only what shares are of. */
static bool is_own(const struct counting *counting, const struct plumb_profile_counts *row)
{
	for (size_t i = 0; i < counting->counted->own; i++)
		if (row->counts[i])
			return true;
	return false;
}

bool profile_counts_has(enum profile_counted what, const char *event)
{
	bool found = false;

	for (size_t i = 0; i < PLUMB_PROFILE_COUNTS && views[what].events[i]; i++)
		found |= plumb_profile_is_named(views[what].events[i], event);
	return found;
}

void profile_counts(struct output *out, const struct profile_view *view, enum profile_counted what,
		    bool json, const char *separator)
{
	struct counting counting = {.view = view, .counted = &views[what]};
	struct plumb_profile_counts *rows;
	size_t names = 0;

	while (names < PLUMB_PROFILE_COUNTS && counting.counted->events[names])
		names++;
	if (plumb_profile_counts(view->profile, counting.counted->events, names, &counting.result) <
	    0)
		memory_given(NULL);
	rows = counting.result.rows;
	for (size_t i = 0; i < counting.result.row_count; i++)
		if (is_own(&counting, &rows[i]))
			rows[counting.count++] = rows[i];
	while (counting.shown < counting.count && (!view->limit || counting.shown < view->limit) &&
	       100 * share_of(&counting, counting.shown) >= view->percent_limit)
		counting.shown++;
	if (json)
		print_json(&counting, out);
	else if (separator)
		print_separated(&counting, out, separator);
	else
		print_text(&counting, out);
	free(rows);
}

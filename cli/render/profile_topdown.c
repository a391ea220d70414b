/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the slots of each function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "render/cause_names.h"
#include "render/figures.h"
#include "render/fit.h"
#include "render/json.h"
#include "render/marks.h"
#include "render/profile.h"
#include "render/profile_columns.h"
#include "tool/memory.h"

/* What is printed of one type of cores. */
struct topdown {
	const struct profile_view *view;
	const char *core; /* its name, if there are several types */
	uint64_t windows; /* of a sampled run, from which exact slots are estimated; 0: none */
	struct plumb_profile_topdown *rows;
	size_t count, shown;
	bool unknown;               /* a line's share has no interval, for lack of data */
	bool uncertain;             /* a line has the mark for that */
	struct topdown_line *lines; /* of the table */
	size_t line_count, line_room;
};

/* A line of the table: a row, or a function of its call tree, which has a name. */
struct topdown_line {
	size_t row;
	char *name;
};

static const struct {
	const char *heading, *brief, *field;
	size_t offset;
} shares[] = {
	{"SLOTS", NULL, "slots_share", offsetof(struct plumb_profile_topdown, share)},
	{"RETIRING", "RETIRE", "retiring", offsetof(struct plumb_profile_topdown, retiring)},
	{"BAD SPEC", "SPEC", "bad_speculation",
	 offsetof(struct plumb_profile_topdown, bad_speculation)},
	{"FRONTEND", "FRONT", "frontend_bound",
	 offsetof(struct plumb_profile_topdown, frontend_bound)},
	{"BACKEND", "BACK", "backend_bound", offsetof(struct plumb_profile_topdown, backend_bound)},
	{"CAUSE", NULL, "cause_share", offsetof(struct plumb_profile_topdown, cause_share)},
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

static bool has_intervals(const struct topdown *topdown)
{
	return topdown->windows || !is_exact(topdown);
}

/*
 * Writes a cause's name, which is that of its node without "_bound": "backend_cache_l2d" of
 * "slots_backend_mem/".
 */
static const char *short_cause(const char *name, char room[PLUMB_PROFILE_TEXT])
{
	size_t length;
	char *bound;

	if (!name)
		return NULL;
	if (strncmp(name, "slots_", 6) == 0)
		name += 6;
	length = strcspn(name, "/");
	if (length >= PLUMB_PROFILE_TEXT)
		length = PLUMB_PROFILE_TEXT - 1;
	memcpy(room, name, length);
	room[length] = '\0';
	bound = strstr(room, "_bound");
	if (bound)
		*bound = '\0';
	return cause_shown(room);
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

/* As key_of(), but NULL for what another column has. */
static const char *key_shown(const struct topdown *topdown, size_t i, size_t k,
			     char room[PLUMB_PROFILE_TEXT])
{
	const char *text = key_of(topdown, i, k, room);

	return profile_repeats_function(topdown->view, topdown->rows[i].event, topdown->rows[i].row,
					k, text)
		       ? NULL
		       : text;
}

static void print_heading(const struct topdown *topdown, struct output *out)
{
	const uint64_t left_out = plumb_profile_slots_left_out(topdown->view->profile);
	const uint64_t given_up = plumb_profile_slots_given_up(topdown->view->profile);
	char *title = topdown->core ? memory_format("Top-down on %s", topdown->core)
				    : memory_format("Top-down");
	const char *incomplete = topdown->view->incomplete ? "; the recording is incomplete" : "";
	double slots = 0;
	char *text, *line, *rest;

	for (size_t i = 0; i < topdown->count; i++)
		slots += (double)topdown->rows[i].slots;
	/* Each caller has these slots, too. */
	if (topdown->view->children && topdown->count)
		slots = (double)topdown->rows[0].slots / topdown->rows[0].share.value;
	text = figure_count(pen_for(out), round(slots));
	if (topdown->windows)
		line = memory_format(": about %s slots, estimated from %llu windows of the "
				     "model%s; 95 %% intervals",
				     text, (unsigned long long)topdown->windows, incomplete);
	else if (is_exact(topdown))
		line = memory_format(": %s slots, counted exactly by the model%s", text,
				     incomplete);
	else
		line = memory_format(
			": about %s slots, from sampled groups of counters%s; 95 %% intervals",
			text, topdown->view->modelled ? " of the model" : "");
	free(text);
	if (topdown->view->children) {
		rest = memory_format("%s; with those of called functions", line);
		free(line);
		line = rest;
	}
	if (left_out) {
		text = figure_count(pen_for(out), (double)left_out);
		rest = memory_format("%s; %s slots left out", line, text);
		free(text);
		free(line);
		line = rest;
	}
	if (given_up) {
		text = figure_count(pen_for(out), (double)given_up);
		rest = memory_format("%s; %s more belong to small rows that were dropped to "
				     "save memory",
				     line, text);
		free(text);
		free(line);
		line = rest;
	}
	profile_heading(out, title, line);
	free(line);
	free(title);
}

static void mark_row(void *user, struct output *out, size_t i)
{
	const struct topdown *topdown = user;
	const struct topdown_line *line = &topdown->lines[i];
	char rooms[PLUMB_PROFILE_KEYS_MAX][PLUMB_PROFILE_TEXT];
	const char *texts[PLUMB_PROFILE_KEYS_MAX] = {NULL};

	for (size_t k = 0; k < topdown->view->key_count; k++)
		texts[k] = !line->name ? key_of(topdown, line->row, k, rooms[k])
			   : topdown->view->keys[k] == PLUMB_KEY_SYMBOL ? line->name
									: NULL;
	(line->name ? marks_below : marks_row)(out, 0, share_of(&topdown->rows[line->row], 0) / 100,
					       topdown->view->keys, texts,
					       topdown->view->key_count);
}

/* Returns whether the interval of a row's share overlaps that of the row above or below. */
static bool is_uncertain(const struct topdown *topdown, size_t i)
{
	const struct plumb_profile_estimate *share = &topdown->rows[i].share;

	for (size_t k = i ? i - 1 : i + 1; k <= i + 1 && k < topdown->count; k += 2) {
		const struct plumb_profile_estimate *other = &topdown->rows[k].share;

		if (share->low <= other->high && other->low <= share->high)
			return true;
	}
	return false;
}

/*
 * "64.5%", or "64.5% ±1.2": see profile_half().
 * `mark` is before an estimate; an exact profile's shares are estimates if they are from windows.
 */
static void add_share(struct table *table, const struct plumb_profile_topdown *row, size_t c,
		      const char *mark, bool windows)
{
	const struct plumb_profile_estimate estimate = estimate_of(row, c);

	if (isnan(estimate.value))
		table_cell(table, NULL);
	else if (row->exact && !windows)
		table_cell_format(table, c ? "%.1f%%" : "%.2f%%", estimate.value);
	else if (isnan(estimate.low))
		table_cell_format(table, "%s%.1f%% ±?", mark, estimate.value);
	else
		table_cell_format(table, "%s%.1f%% ±%.1f", mark, estimate.value,
				  profile_half(&estimate));
}

static void add_cause(struct table *table, const struct plumb_profile_topdown *row)
{
	char room[PLUMB_PROFILE_TEXT], other_room[PLUMB_PROFILE_TEXT];
	const char *cause = cause_of(row, room);
	const char *other = short_cause(row->other_cause, other_room);

	if (other)
		table_cell_format(table, "%s, %s", cause, other);
	else
		table_cell(table, cause ? cause : "");
}

/* Adds a line with these slots. Its keys are added after it. */
static void add_line(struct topdown *topdown, struct table *table, size_t row,
		     const struct plumb_profile_topdown *slots, const char *name, bool uncertain)
{
	if (topdown->line_count == topdown->line_room) {
		topdown->line_room = topdown->line_room ? 2 * topdown->line_room : 64;
		topdown->lines = memory_given(
			reallocarray(topdown->lines, topdown->line_room, sizeof(*topdown->lines)));
	}
	topdown->lines[topdown->line_count++] =
		(struct topdown_line){row, name ? memory_copy(name, strlen(name)) : NULL};
	topdown->uncertain |= uncertain && has_intervals(topdown);
	for (size_t c = 0; c < SHARES_SHOWN; c++) {
		const struct plumb_profile_estimate share = estimate_of(slots, c);

		add_share(table, slots, c, !c && uncertain ? "~" : "", topdown->windows);
		topdown->unknown |=
			has_intervals(topdown) && !isnan(share.value) && isnan(share.low);
	}
	add_cause(table, slots);
}

/* ---- Call trees -------------------------------------------------------------------------------
 */

/* Returns whether a node of a call tree is large enough to print. */
static bool is_shown(const struct topdown *topdown, const struct plumb_profile_topdown *slots)
{
	return share_of(slots, 0) >= topdown->view->tree_limit;
}

/* Returns whether a later node of the same parent is printed. */
static bool goes_on(const struct topdown *topdown, const struct plumb_profile_topdown_node *nodes,
		    size_t count, size_t i)
{
	for (size_t next = i + 1; next < count && nodes[next].depth >= nodes[i].depth; next++)
		if (nodes[next].depth == nodes[i].depth && is_shown(topdown, &nodes[next].slots))
			return true;
	return false;
}

/* Where the branches of a tree are. */
struct branches {
	const struct pen *pen;
	const char *before[PLUMB_PROFILE_DEPTH + 1]; /* of each level, the text before its lines */
	unsigned levels[PLUMB_PROFILE_DEPTH + 1];    /* of the nodes of each depth */
	bool earlier[PLUMB_PROFILE_DEPTH + 1];       /* a sibling at this depth was printed */
};

/*
 * Returns a node's name with the branches before it; `more` siblings follow. An only child is
 * printed below its parent without a branch. The caller frees it.
 */
static char *branched_name(struct branches *branches, const struct plumb_profile_topdown_node *node,
			   bool more)
{
	const unsigned level = branches->levels[node->depth];
	const bool alone = level && !more && !branches->earlier[node->depth];
	char *name = memory_copy("", 0), *longer;

	for (unsigned l = 0; l <= level; l++) {
		longer = memory_format("%s%s", name,
				       l < level ? branches->before[l]
				       : alone   ? ""
				       : more    ? branches->pen->branch
						 : branches->pen->last);
		free(name);
		name = longer;
	}
	longer = memory_format("%s%s", name, node->name);
	free(name);
	if (!alone)
		branches->before[level] = more ? branches->pen->through : branches->pen->none;
	branches->levels[node->depth + 1] = level + !alone;
	branches->earlier[node->depth] = true;
	branches->earlier[node->depth + 1] = false;
	return longer;
}

/* Adds the functions that a row called, or that called it, each with a branch before its name. */
static void add_tree(struct topdown *topdown, struct table *table, struct output *out, size_t row)
{
	struct branches branches = {.pen = pen_for_calls(out)};
	const struct plumb_profile_topdown_node *nodes;
	const size_t keys = topdown->view->key_count;
	size_t count, next, named = 0;

	/* The column of functions, or the last one. */
	while (named + 1 < keys && topdown->view->keys[named] != PLUMB_KEY_SYMBOL)
		named++;
	nodes = is_shown(topdown, &topdown->rows[row])
			? plumb_profile_topdown_tree(topdown->view->profile, &topdown->rows[row],
						     &count)
			: NULL;
	for (size_t i = 0; nodes && i < count; i = next) {
		char *name;

		next = i + 1;
		/* Nothing below is larger. */
		if (!is_shown(topdown, &nodes[i].slots)) {
			while (next < count && nodes[next].depth > nodes[i].depth)
				next++;
			continue;
		}
		name = branched_name(&branches, &nodes[i], goes_on(topdown, nodes, count, i));
		add_line(topdown, table, row, &nodes[i].slots, nodes[i].name, nodes[i].uncertain);
		for (size_t k = 0; k < keys; k++) {
			if (k == named)
				table_cell(table, name);
			else
				table_cell(table, " ");
		}
		free(name);
	}
}

/* Says what call trees lack. */
static void print_cut_off(const struct profile_view *view, struct output *out)
{
	struct plumb_profile_event event;
	double period = 0, cut_off = 0;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		period += (double)event.period;
		cut_off += (double)event.cut_off;
	}
	if (cut_off > 0) {
		char *text = memory_format(
			"call trees lack callers of %.2f%% of the events, to limit memory",
			100 * cut_off / period);

		fit_prose(out, STYLE_WARNING, 0, 0, text);
		free(text);
	}
}

/* ---- Text -------------------------------------------------------------------------------------
 */

/*
 * Returns how many columns names are given before shares are left out. With several keys it is so
 * little that 80 columns have all four shares.
 */
static unsigned name_room(const struct profile_view *view)
{
	return view->trees ? 30 : view->key_count < 2 ? 18 : view->key_count < 3 ? 12 : 8;
}

/* A share of fewer slots than this, in percent of those of the rows shown, is trifling. */
#define TRIFLING_PERCENT 5

/*
 * Decides which of the four shares goes first where they have no room: the one with the fewest
 * slots in the rows shown, those of large rows above all. The largest never goes.
 */
static void rank_shares(const struct topdown *topdown, struct table_column *columns)
{
	double slots[SHARES_SHOWN] = {0}, weights[SHARES_SHOWN] = {0}, all = 0;

	for (size_t i = 0; i < topdown->shown; i++) {
		const double here = (double)topdown->rows[i].slots;

		all += here;
		for (size_t c = 1; c < SHARES_SHOWN; c++) {
			const double share = share_of(&topdown->rows[i], c) / 100;

			slots[c] += isnan(share) ? 0 : share * here;
			weights[c] += isnan(share) ? 0 : share * here * here;
		}
	}
	for (size_t c = 1; c < SHARES_SHOWN; c++) {
		unsigned larger = 0;

		for (size_t other = 1; other < SHARES_SHOWN; other++)
			larger += weights[other] > weights[c] ||
				  (other < c && weights[other] == weights[c]);
		columns[c].spare = (unsigned char)larger;
		columns[c].trifling = slots[c] * 100 < TRIFLING_PERCENT * all;
	}
}

static void print_text(struct topdown *topdown, struct output *out)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = {.columns = columns, .user = topdown};
	char room[PLUMB_PROFILE_TEXT];

	if (marks_wanted(out))
		table.mark = mark_row;
	for (size_t c = 0; c < SHARES_SHOWN; c++)
		columns[table.column_count++] =
			(struct table_column){.heading = shares[c].heading,
					      .brief = shares[c].brief,
					      .right = true,
					      .extra = c ? "INTERVALS" : NULL};
	rank_shares(topdown, columns);
	columns[table.column_count++] =
		(struct table_column){.heading = "LARGEST CAUSE", .wraps = true, .words = true};
	for (size_t k = 0; k < topdown->view->key_count; k++)
		columns[table.column_count++] = (struct table_column){
			.heading = profile_key_heading(topdown->view->keys[k]),
			.style = STYLE_NAME,
			.branches = topdown->view->trees,
			.common = !topdown->view->trees &&
				  !profile_key_is_function(topdown->view->keys[k]),
			.room = name_room(topdown->view)};
	for (size_t i = 0; i < topdown->shown; i++) {
		add_line(topdown, &table, i, &topdown->rows[i], NULL, is_uncertain(topdown, i));
		for (size_t k = 0; k < topdown->view->key_count; k++)
			table_cell(&table, key_shown(topdown, i, k, room));
		if (topdown->view->trees)
			add_tree(topdown, &table, out, i);
	}
	print_heading(topdown, out);
	table_print(&table, out, 0);
	table_free(&table);
	for (size_t i = 0; i < topdown->line_count; i++)
		free(topdown->lines[i].name);
	free(topdown->lines);
	if (topdown->shown < topdown->count)
		output_format(out, STYLE_DIM, "%zu more row%s", topdown->count - topdown->shown,
			      topdown->count - topdown->shown > 1 ? "s" : "");
	if (topdown->shown < topdown->count)
		fputc('\n', out->stream);
	if (topdown->unknown)
		profile_unknown(out, topdown->windows > 0);
	profile_topdown_notes(out, topdown->view, topdown->rows, topdown->shown,
			      topdown->uncertain);
}

static void add_number(struct table *table, double number)
{
	if (isnan(number))
		table_cell(table, "");
	else
		table_cell_format(table, "%.10g", number);
}

/* Adds a row of each function. */
static void add_separated(const struct topdown *topdown, struct table *table)
{
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	for (size_t i = 0; i < topdown->shown; i++) {
		table_cell_format(table, "%llu", (unsigned long long)topdown->rows[i].slots);
		for (size_t c = 0; c < SHARES; c++)
			add_number(table, share_of(&topdown->rows[i], c));
		for (size_t c = 0; has_intervals(topdown) && c < SHARES_SHOWN; c++) {
			add_number(table, estimate_of(&topdown->rows[i], c).low);
			add_number(table, estimate_of(&topdown->rows[i], c).high);
		}
		text = cause_of(&topdown->rows[i], room);
		table_cell(table, text ? text : "");
		for (size_t k = 0; k < topdown->view->key_count; k++) {
			text = key_of(topdown, i, k, room);
			table_cell(table, text ? text : "");
		}
		if (topdown->core)
			table_cell(table, topdown->core);
	}
}

/* Prints the rows of all types of cores below one heading. */
static void print_separated(const struct topdown *types, size_t type_count, struct output *out,
			    const char *separator)
{
	const struct topdown *topdown = types;
	struct table table = {0};

	table_cell(&table, "slots");
	for (size_t c = 0; c < SHARES; c++)
		table_cell(&table, shares[c].field);
	for (size_t c = 0; has_intervals(topdown) && c < SHARES_SHOWN; c++) {
		table_cell_format(&table, "%s_low", shares[c].field);
		table_cell_format(&table, "%s_high", shares[c].field);
	}
	table_cell(&table, "cause");
	for (size_t k = 0; k < topdown->view->key_count; k++)
		table_cell(&table, plumb_profile_key_name(topdown->view->keys[k]));
	if (topdown->core)
		table_cell(&table, "cpu");
	table.column_count = table.cell_count;
	for (size_t i = 0; i < type_count; i++)
		add_separated(&types[i], &table);
	table_print_separated(&table, out, separator);
	table_free(&table);
}

static void put_interval(json_t *row, const char *field, struct plumb_profile_estimate estimate)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_interval", field);
	json_put(row, name, render_interval(estimate.low, estimate.high));
}

/* Adds the slots of a row, or of a function of its call tree. */
static void put_slots(json_t *object, const struct plumb_profile_topdown *slots, bool intervals)
{
	char room[PLUMB_PROFILE_TEXT];

	json_put(object, "slots", json_integer((json_int_t)slots->slots));
	for (size_t c = 0; c < SHARES; c++)
		json_put(object, shares[c].field, render_number(share_of(slots, c)));
	for (size_t c = 0; intervals && c < SHARES_SHOWN; c++)
		put_interval(object, shares[c].field, estimate_of(slots, c));
	json_put(object, "cause", render_string(cause_of(slots, room)));
	json_put(object, "other_cause", render_string(short_cause(slots->other_cause, room)));
	json_put(object, "other_cause_share",
		 slots->other_cause ? render_number(100 * slots->other_cause_share) : json_null());
}

static json_t *tree_of(const struct topdown *topdown, size_t i)
{
	const struct plumb_profile_topdown_node *nodes;
	json_t *tree = json_array();
	size_t count;

	nodes = plumb_profile_topdown_tree(topdown->view->profile, &topdown->rows[i], &count);
	for (size_t n = 0; n < count; n++) {
		json_t *node = json_object();

		json_put(node, "depth", json_integer(nodes[n].depth));
		json_put(node, "symbol", render_string(nodes[n].name));
		put_slots(node, &nodes[n].slots, has_intervals(topdown));
		if (has_intervals(topdown))
			json_put(node, "uncertain", json_boolean(nodes[n].uncertain));
		json_add(tree, node);
	}
	return tree;
}

/* Prints the rows of one type of cores, as the last member of an object. */
static void print_rows(const struct topdown *topdown, struct json_list *rows, json_t *object)
{
	char room[PLUMB_PROFILE_TEXT];

	json_put(object, "row_count", json_integer((json_int_t)topdown->count));
	render_json_open(rows, object, "rows");
	for (size_t i = 0; i < topdown->shown; i++) {
		json_t *row = json_object();

		for (size_t k = 0; k < topdown->view->key_count; k++)
			json_put(row, plumb_profile_key_name(topdown->view->keys[k]),
				 render_string(key_of(topdown, i, k, room)));
		put_slots(row, &topdown->rows[i], has_intervals(topdown));
		if (has_intervals(topdown))
			json_put(row, "uncertain", json_boolean(is_uncertain(topdown, i)));
		if (topdown->view->trees)
			json_put(row, "tree", tree_of(topdown, i));
		render_json_item(rows, row);
	}
	render_json_close(rows);
}

static void print_json(const struct topdown *types, size_t type_count, struct output *out)
{
	const struct topdown *topdown = types;
	json_t *object = render_object();
	struct json_list list = {.out = out};

	json_put(object, "recording", render_string(topdown->view->path));
	json_put(object, "modelled", json_boolean(topdown->view->modelled));
	json_put(object, "incomplete", json_boolean(topdown->view->incomplete));
	json_put(object, "exact", json_boolean(is_exact(topdown) && !topdown->windows));
	if (topdown->windows)
		json_put(object, "windows", json_integer((json_int_t)topdown->windows));
	json_put(object, "children", json_boolean(topdown->view->children));
	json_put(object, "slots_left_out",
		 json_integer((json_int_t)plumb_profile_slots_left_out(topdown->view->profile)));
	json_put(object, "slots_given_up",
		 json_integer((json_int_t)plumb_profile_slots_given_up(topdown->view->profile)));
	if (!topdown->core) {
		print_rows(topdown, &list, object);
		return;
	}
	render_json_open(&list, object, "core_types");
	for (size_t i = 0; i < type_count; i++) {
		struct json_list rows = render_json_nested(&list);
		json_t *type = json_object();

		json_put(type, "cpu", render_string(types[i].core));
		print_rows(&types[i], &rows, type);
	}
	render_json_close(&list);
}

/* Splits the rows by their type of cores, and chooses those to show. Returns the types, to be
 * freed. */
static struct topdown *split(const struct profile_view *view, struct plumb_profile_topdown *rows,
			     size_t count, size_t *type_count)
{
	struct topdown *types = NULL, *last = NULL;

	*type_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!last || rows[i].core != last->core) {
			types = memory_resize(types, *type_count + 1, sizeof(*types));
			last = &types[(*type_count)++];
			*last = (struct topdown){
				.view = view,
				.core = rows[i].core,
				.windows = rows[i].exact ? plumb_profile_windows(view->profile) : 0,
				.rows = &rows[i],
			};
		}
		last->count++;
		last->shown += last->shown + 1 == last->count &&
			       (!view->limit || last->shown < view->limit) &&
			       share_of(&rows[i], 0) >= view->percent_limit;
	}
	return types;
}

bool profile_topdown(struct output *out, const struct profile_view *view, bool json,
		     const char *separator)
{
	struct plumb_profile_topdown *rows;
	struct topdown *types;
	size_t count, type_count;
	const int status = plumb_profile_topdown(view->profile, &rows, &count);

	if (status == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	if (status < 0)
		return false;
	types = split(view, rows, count, &type_count);
	if (json)
		print_json(types, type_count, out);
	else if (separator)
		print_separated(types, type_count, out, separator);
	for (size_t i = 0; !json && !separator && i < type_count; i++) {
		if (i)
			fputc('\n', out->stream);
		print_text(&types[i], out);
	}
	if (!json && !separator)
		print_cut_off(view, out);
	free(types);
	free(rows);
	return true;
}

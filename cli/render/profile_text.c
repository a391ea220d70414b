/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/marks.h"
#include "render/profile.h"
#include "render/profile_sources.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* ---- Columns ----------------------------------------------------------------------------------
 */

static const struct {
	const char *heading, *field; /* `field` is the heading in CSV */
} titles[PROFILE_KEY] = {
	[PROFILE_CHILDREN] = {"CHILDREN", "children"},
	[PROFILE_SHARE] = {"SHARE", "share"},
	[PROFILE_INTERVAL] = {"95 % INTERVAL", "interval"},
	[PROFILE_SAMPLES] = {"SAMPLES", "samples"},
	[PROFILE_PERIOD] = {"EVENTS", "period"},
	[PROFILE_LATENCY] = {"LATENCY", "latency"},
	[PROFILE_LATENCY_INTERVAL] = {"95 % INTERVAL", "latency_interval"},
	[PROFILE_LATENCY_SHARE] = {"OF LATENCY", "latency_share"},
	[PROFILE_LATENCIES] = {"MEAN", "latency_mean"},
	{"P50", "latency_p50"},
	{"P90", "latency_p90"},
	{"P99", "latency_p99"},
	{"ISSUE", "issue"},
	{"P50", "issue_p50"},
	{"P90", "issue_p90"},
	{"P99", "issue_p99"},
	{"TRANSLATION", "translation"},
	{"P50", "translation_p50"},
	{"P90", "translation_p90"},
	{"P99", "translation_p99"},
	[PROFILE_L1D_MISSES] = {"L1D MISSES", "l1d_misses"},
	[PROFILE_L1D_INTERVAL] = {"95 % INTERVAL", "l1d_interval"},
	[PROFILE_MISPREDICTIONS] = {"MISPREDICTED", "mispredictions"},
	[PROFILE_MISPREDICTION_INTERVAL] = {"95 % INTERVAL", "misprediction_interval"},
	[PROFILE_SOURCES] = {"DATA SOURCES", "sources"},
	[PROFILE_OPERATIONS] = {"OPERATIONS", "operations"},
	[PROFILE_OPERATIONS_INTERVAL] = {"95 % INTERVAL", "operations_interval"},
	[PROFILE_RETIRING] = {"RETIRING", "retiring"},
	[PROFILE_BAD_SPECULATION] = {"BAD SPEC", "bad_speculation"},
	[PROFILE_FRONTEND] = {"FRONTEND", "frontend_bound"},
	[PROFILE_BACKEND] = {"BACKEND", "backend_bound"},
};

static const char *const key_headings[PLUMB_PROFILE_KEYS] = {
	[PLUMB_KEY_SYMBOL] = "FUNCTION",
	[PLUMB_KEY_DSO] = "FILE",
	[PLUMB_KEY_COMM] = "COMMAND",
	[PLUMB_KEY_PID] = "PID",
	[PLUMB_KEY_TID] = "TID",
	[PLUMB_KEY_CPU] = "CPU",
	[PLUMB_KEY_SRCLINE] = "SOURCE LINE",
	[PLUMB_KEY_SRCFILE] = "SOURCE FILE",
	[PLUMB_KEY_IP] = "ADDRESS",
	[PLUMB_KEY_OP] = "OPERATION",
	[PLUMB_KEY_SUBCLASS] = "SUBCLASS",
	[PLUMB_KEY_EVENT] = "EVENT",
	[PLUMB_KEY_DATA_SOURCE] = "DATA SOURCE",
	[PLUMB_KEY_CACHE_LINE] = "CACHE LINE",
	[PLUMB_KEY_PAGE] = "PAGE",
	[PLUMB_KEY_OFFSET] = "OFFSET",
	[PLUMB_KEY_INLINE] = "FUNCTION",
	[PLUMB_KEY_GROUP] = "GROUPS",
	[PLUMB_KEY_BRANCH_TARGET] = "TARGET",
	[PLUMB_KEY_SYMBOL_TO] = "TARGET FUNCTION",
	[PLUMB_KEY_LATENCY] = "LATENCY",
	[PLUMB_KEY_TIME] = "TIME",
	[PLUMB_KEY_ACCESS] = "ACCESS",
	[PLUMB_KEY_BYTES] = "BYTES",
	[PLUMB_KEY_LATENCY_RANGE] = "CYCLES",
	[PLUMB_KEY_DATA_SYMBOL] = "DATA",
	[PLUMB_KEY_DATA_DSO] = "DATA FILE",
};

const char *profile_key_heading(unsigned key)
{
	return key_headings[key];
}

/* Returns whether a column has values for this event. */
static bool has_values(const struct profile_view *view, const struct plumb_profile_event *event,
		       enum profile_column column)
{
	if (!view->default_columns)
		return true;
	if (column >= PROFILE_LATENCY && column < PROFILE_L1D_MISSES)
		return event->latencies;
	if (column == PROFILE_L1D_MISSES || column == PROFILE_L1D_INTERVAL)
		return event->l1d_accesses;
	if (column == PROFILE_MISPREDICTIONS || column == PROFILE_MISPREDICTION_INTERVAL)
		return event->branches;
	if (column == PROFILE_OPERATIONS || column == PROFILE_OPERATIONS_INTERVAL)
		return event->spe;
	return column != PROFILE_SAMPLES || !event->exact;
}

/* ---- Rows -------------------------------------------------------------------------------------
 */

const struct plumb_profile_estimate *profile_main_share(const struct profile_view *view,
							const struct plumb_profile_row *row)
{
	return view->children ? &row->children : &row->share;
}

bool profile_prints(const struct profile_view *view, const struct plumb_profile_event *event)
{
	return event->samples && (!view->prints || view->prints(view, event));
}

struct plumb_profile_estimate profile_slots(const struct profile_view *view, size_t event,
					    size_t row, unsigned column)
{
	struct plumb_profile_topdown slots;
	struct plumb_profile_estimate share = {NAN, NAN, NAN};
	const int status = plumb_profile_topdown_of(view->profile, event, row, &slots);

	if (status == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	if (status == 0)
		share = column == PROFILE_RETIRING          ? slots.retiring
			: column == PROFILE_BAD_SPECULATION ? slots.bad_speculation
			: column == PROFILE_FRONTEND        ? slots.frontend_bound
							    : slots.backend_bound;
	return (struct plumb_profile_estimate){100 * share.value, 100 * share.low,
					       100 * share.high};
}

bool profile_is_wanted(const struct profile_view *view, size_t event, size_t row)
{
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	for (size_t k = 0; view->function && k < view->key_count; k++) {
		if (view->keys[k] != PLUMB_KEY_SYMBOL)
			continue;
		text = plumb_profile_text(view->profile, event, row, k, room);
		return text && strcmp(text, view->function) == 0;
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

static void add_interval(struct table *table, const struct plumb_profile_estimate *estimate,
			 double factor, int places, bool exact)
{
	if (exact)
		table_cell(table, "exact");
	else if (isnan(estimate->low))
		table_cell(table, NULL);
	else
		table_cell_format(table, "%.*f..%.*f", places, factor * estimate->low, places,
				  factor * estimate->high);
}

/* As perf rounds. */
static void add_percent(struct table *table, uint64_t part, uint64_t whole)
{
	if (whole)
		table_cell_format(table, "%.2f%%", 100.0 * (double)part / (double)whole);
	else
		table_cell(table, NULL);
}

static void add_rate(struct table *table, const struct plumb_profile_estimate *rate)
{
	if (isnan(rate->value))
		table_cell(table, NULL);
	else
		table_cell_format(table, "%.1f%%", 100 * rate->value);
}

struct row_place {
	const struct profile_view *view;
	const struct plumb_profile_event *event;
	size_t event_index, index;
	struct plumb_profile_row row;
	struct plumb_profile_latency latencies[PLUMB_PROFILE_LATENCIES];
	unsigned has_latencies; /* bits of the kinds that were looked up */
	/* Its order among its neighbours is uncertain, because their intervals overlap. */
	bool uncertain;
	size_t *rows; /* by line of the table */
};

/* Returns a mean or a percentile of a latency, and sets whether it may be more. */
static double latency_value(struct row_place *place, unsigned column, bool *or_more)
{
	const unsigned at = column - PROFILE_LATENCIES, kind = at / 4;
	struct plumb_profile_latency *latency = &place->latencies[kind];
	double value;

	if (!(place->has_latencies >> kind & 1))
		plumb_profile_latency(place->view->profile, place->event_index, place->index, kind,
				      latency);
	place->has_latencies |= 1u << kind;
	switch (at % 4) {
	case 0:
		value = latency->mean;
		break;
	case 1:
		value = latency->p50;
		break;
	case 2:
		value = latency->p90;
		break;
	default:
		value = latency->p99;
		break;
	}
	*or_more = latency->saturated && (at % 4 == 0 || value >= PLUMB_PROFILE_SATURATED);
	return value;
}

/* Adds a latency; `or_more` marks one that counters were too small for. */
static void add_latency(struct table *table, double value, int places, bool or_more)
{
	if (isnan(value))
		table_cell(table, NULL);
	else
		table_cell_format(table, "%s%.*f", or_more ? ">=" : "", places, value);
}

static bool is_latency(unsigned column)
{
	return column >= PROFILE_LATENCIES && column < PROFILE_L1D_MISSES;
}

/* "64.5%", or "64.5% ±1.2": the half of the interval. Ends at 0 or 100 % are not symmetrical. */
static void add_slots(struct table *table, const struct plumb_profile_estimate *slots)
{
	if (isnan(slots->value))
		table_cell(table, NULL);
	else if (isnan(slots->low))
		table_cell_format(table, "%.1f%%", slots->value);
	else
		table_cell_format(table, "%.1f%% ±%.1f", slots->value,
				  (slots->high - slots->low) / 2);
}

static void add_count(struct table *table, uint64_t count)
{
	table_cell_format(table, "%llu", (unsigned long long)count);
}

/* Adds a text that is at most `width` columns wide; 0: any width. */
static void add_text(struct table *table, const char *text, unsigned width)
{
	size_t length = 0, columns = 0;

	if (!text || !width) {
		table_cell(table, text);
		return;
	}
	for (; text[length] && columns < width; columns++)
		length += wrap_character(text + length, strlen(text + length));
	table_cell_format(table, "%.*s%*s", (int)length, text, (int)(width - columns), "");
}

static void add_cell(struct table *table, struct row_place *place, size_t c)
{
	const struct profile_view *view = place->view;
	const struct plumb_profile_row *row = &place->row;
	struct plumb_profile_estimate estimate;
	char room[PLUMB_PROFILE_TEXT];
	bool or_more;
	double value;

	if (is_latency(view->columns[c])) {
		value = latency_value(place, view->columns[c], &or_more);
		add_latency(table, value, (view->columns[c] - PROFILE_LATENCIES) % 4 == 0, or_more);
		return;
	}
	switch (view->columns[c]) {
	case PROFILE_CHILDREN:
		add_percent(table, row->children_period, place->event->period);
		break;
	case PROFILE_SHARE:
		add_percent(table, row->period, place->event->period);
		break;
	case PROFILE_INTERVAL:
		if (place->uncertain)
			table_cell_format(table, "~%.2f..%.2f",
					  100 * profile_main_share(view, row)->low,
					  100 * profile_main_share(view, row)->high);
		else
			add_interval(table, profile_main_share(view, row), 100, 2,
				     place->event->exact);
		break;
	case PROFILE_SAMPLES:
		add_count(table, row->samples);
		break;
	case PROFILE_PERIOD:
		add_count(table, row->period);
		break;
	case PROFILE_LATENCY:
		add_latency(table, row->latency.value, 1, row->saturated);
		break;
	case PROFILE_LATENCY_INTERVAL:
		add_interval(table, &row->latency, 1, 1, false);
		break;
	case PROFILE_LATENCY_SHARE:
		if (isnan(row->latency_share))
			table_cell(table, NULL);
		else
			table_cell_format(table, "%.2f%%", 100 * row->latency_share);
		break;
	case PROFILE_L1D_MISSES:
		add_rate(table, &row->l1d_misses);
		break;
	case PROFILE_L1D_INTERVAL:
		add_interval(table, &row->l1d_misses, 100, 1, false);
		break;
	case PROFILE_MISPREDICTIONS:
		add_rate(table, &row->mispredictions);
		break;
	case PROFILE_MISPREDICTION_INTERVAL:
		add_interval(table, &row->mispredictions, 100, 1, false);
		break;
	case PROFILE_SOURCES:
		sources_add_bar(table, view, place->event_index, place->index);
		break;
	case PROFILE_OPERATIONS:
		estimate =
			plumb_profile_operations(view->profile, place->event_index, place->index);
		add_latency(table, estimate.value, 0, false);
		break;
	case PROFILE_OPERATIONS_INTERVAL:
		estimate =
			plumb_profile_operations(view->profile, place->event_index, place->index);
		add_interval(table, &estimate, 1, 0, false);
		break;
	case PROFILE_RETIRING:
	case PROFILE_BAD_SPECULATION:
	case PROFILE_FRONTEND:
	case PROFILE_BACKEND:
		estimate = profile_slots(view, place->event_index, place->index, view->columns[c]);
		add_slots(table, &estimate);
		break;
	default:
		add_text(table,
			 plumb_profile_text(view->profile, place->event_index, place->index,
					    view->columns[c] - PROFILE_KEY, room),
			 view->widths[c]);
		break;
	}
}

static bool is_number(const struct profile_view *view, size_t c)
{
	const unsigned column = view->columns[c];

	if (column < PROFILE_KEY)
		return column != PROFILE_SOURCES;
	switch (view->keys[column - PROFILE_KEY]) {
	case PLUMB_KEY_PID:
	case PLUMB_KEY_TID:
	case PLUMB_KEY_CPU:
	case PLUMB_KEY_LATENCY:
	case PLUMB_KEY_TIME:
		return true;
	default:
		return false;
	}
}

/* Which columns a narrow terminal does without first: what only refines others, then counts. */
static unsigned char spare_rank(unsigned column)
{
	switch (column) {
	case PROFILE_LATENCY_INTERVAL:
	case PROFILE_L1D_INTERVAL:
	case PROFILE_MISPREDICTION_INTERVAL:
	case PROFILE_OPERATIONS_INTERVAL:
		return 3;
	case PROFILE_SAMPLES:
	case PROFILE_PERIOD:
		return 2;
	default:
		return column >= PROFILE_KEY ? 0 : is_latency(column) ? 3 : 1;
	}
}

static void mark_row(void *user, struct output *out, size_t line)
{
	struct row_place *place = user;
	const size_t row = place->rows[line];
	const struct profile_view *view = place->view;
	char rooms[PLUMB_PROFILE_KEYS_MAX][PLUMB_PROFILE_TEXT];
	const char *texts[PLUMB_PROFILE_KEYS_MAX] = {NULL};

	plumb_profile_row(view->profile, place->event_index, row, &place->row);
	for (size_t k = 0; k < view->key_count; k++)
		texts[k] = plumb_profile_text(view->profile, place->event_index, row, k, rooms[k]);
	marks_row(out, (uint32_t)place->event_index, place->row.share.value, view->keys, texts,
		  view->key_count);
}

/* Returns whether the intervals of two rows overlap, so that either may be the larger. */
static bool overlap(const struct plumb_profile_estimate *a, const struct plumb_profile_estimate *b)
{
	return a->low <= b->high && b->low <= a->high;
}

bool profile_is_uncertain(const struct profile_view *view, size_t event, size_t i)
{
	struct plumb_profile_row row, other;

	plumb_profile_row(view->profile, event, i, &row);
	for (size_t k = i ? i - 1 : i + 1; k <= i + 1; k += 2)
		if (plumb_profile_row(view->profile, event, k, &other) &&
		    overlap(profile_main_share(view, &row), profile_main_share(view, &other)))
			return true;
	return false;
}

/*
 * Adds the cells of the rows. Each row is estimated once, though it is also compared with its
 * neighbours.
 */
static void add_rows(struct table *table, const struct profile_view *view, struct row_place *place,
		     size_t count, const uint8_t *shown)
{
	struct plumb_profile_estimate before = {NAN, NAN, NAN};
	struct plumb_profile_row next;
	bool more = plumb_profile_row(view->profile, place->event_index, 0, &next);
	size_t lines = 0;

	for (size_t i = 0; more && i < count; i++) {
		const struct plumb_profile_estimate *share = profile_main_share(view, &place->row);

		place->row = next;
		more = plumb_profile_row(view->profile, place->event_index, i + 1, &next);
		place->uncertain = overlap(&before, share) ||
				   (more && overlap(share, profile_main_share(view, &next)));
		before = *share;
		if (!profile_is_wanted(view, place->event_index, i))
			continue;
		place->rows[lines++] = place->index = i;
		place->has_latencies = 0;
		for (size_t c = 0; c < table->column_count; c++)
			add_cell(table, place, shown[c]);
	}
}

static void print_table(struct output *out, const struct profile_view *view,
			struct row_place *place, size_t count)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table table = {.columns = columns, .user = place};
	uint8_t shown[TABLE_COLUMNS_MAX] = {0};

	for (size_t c = 0; c < view->column_count; c++) {
		const unsigned column = view->columns[c];
		const size_t at = table.column_count;

		if (!has_values(view, place->event, column))
			continue;
		shown[at] = (uint8_t)c;
		table.column_count++;
		columns[at] = (struct table_column){
			.heading = column < PROFILE_KEY
					   ? titles[column].heading
					   : key_headings[view->keys[column - PROFILE_KEY]],
			.right = is_number(view, c),
			.style = column >= PROFILE_KEY ? STYLE_NAME : STYLE_PLAIN,
			.spare = at > 0 ? spare_rank(column) : 0,
			.least = view->widths[c],
		};
	}
	place->rows = memory_alloc((count + 1) * sizeof(*place->rows));
	add_rows(&table, view, place, count, shown);
	if (marks_wanted(out))
		table.mark = mark_row;
	table_print(&table, out, 0);
	table_free(&table);
	free(place->rows);
	place->rows = NULL;
}

/* ---- Trees ------------------------------------------------------------------------------------
 */

struct tree {
	struct output *out;
	const struct pen *pen;
	double total, least;
	const struct plumb_profile_node *nodes;
	/* For each depth, the text before its lines. */
	const char *before[PLUMB_CALLCHAIN_MAX + 2];
};

static size_t after(const struct plumb_profile_node *nodes, size_t i, size_t end)
{
	size_t next = i + 1;

	while (next < end && nodes[next].depth > nodes[i].depth)
		next++;
	return next;
}

static bool is_shown(const struct tree *tree, size_t i)
{
	return (double)tree->nodes[i].period >= tree->least;
}

/*
 * Prints the siblings from `begin` to `end`, and what is below them. An only child is printed below
 * its parent without a branch. Recurses at most as deep as call chains are long.
 */
static void print_siblings(const struct tree *of, size_t begin, size_t end, unsigned level)
{
	struct tree tree = *of;
	size_t count = 0, left;

	for (size_t i = begin; i < end; i = after(tree.nodes, i, end))
		count += is_shown(&tree, i);
	left = count;
	for (size_t i = begin, next; i < end; i = next) {
		const bool alone = count == 1 && level > 0;
		unsigned below = level;

		next = after(tree.nodes, i, end);
		if (!is_shown(&tree, i))
			continue;
		left--;
		output_spaces(tree.out, 2);
		for (unsigned l = 0; l < level; l++)
			fputs(tree.before[l], tree.out->stream);
		if (!alone) {
			fputs(left ? tree.pen->branch : tree.pen->last, tree.out->stream);
			tree.before[level] = left ? tree.pen->through : tree.pen->none;
			below++;
		}
		if (!alone || tree.nodes[i].period != tree.nodes[i - 1].period)
			output_format(tree.out, STYLE_PLAIN, "%.2f%% ",
				      100 * (double)tree.nodes[i].period / tree.total);
		output_text(tree.out, STYLE_NAME, tree.nodes[i].name);
		fputc('\n', tree.out->stream);
		print_siblings(&tree, i + 1, next, below);
	}
}

static void print_title(struct output *out, const struct row_place *place)
{
	const struct profile_view *view = place->view;
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	fputc('\n', out->stream);
	output_format(out, STYLE_PLAIN, "%.2f%%",
		      100 * profile_main_share(view, &place->row)->value);
	for (size_t k = 0; k < view->key_count; k++) {
		text = plumb_profile_text(view->profile, place->event_index, place->index, k, room);
		fputc(' ', out->stream);
		output_text(out, STYLE_NAME, text ? text : "-");
	}
	fputc('\n', out->stream);
}

static void print_trees(struct output *out, const struct profile_view *view,
			struct row_place *place, size_t count)
{
	struct tree tree = {.out = out,
			    .pen = pen_for(out),
			    .total = (double)place->event->period,
			    .least = view->tree_limit / 100 * (double)place->event->period};

	for (size_t i = 0; i < count; i++) {
		size_t nodes;

		if (!profile_is_wanted(view, place->event_index, i))
			continue;
		if (view->folded_trees) {
			place->index = i;
			plumb_profile_row(view->profile, place->event_index, i, &place->row);
			print_title(out, place);
			profile_folded_tree(out, view, place->event_index, i);
			continue;
		}
		tree.nodes = plumb_profile_tree(view->profile, place->event_index, i, &nodes);
		if (!nodes || !is_shown(&tree, 0))
			continue;
		place->index = i;
		plumb_profile_row(view->profile, place->event_index, i, &place->row);
		print_title(out, place);
		print_siblings(&tree, 0, nodes, 0);
	}
}

/* ---- Events -----------------------------------------------------------------------------------
 */

/* Returns what of an event was left out, as text. */
static char *left_out_text(const struct pen *pen, const struct plumb_profile_event *event)
{
	char *number, *text;

	if (!event->left_out)
		return memory_format("%s", "");
	number = figure_count(pen,
			      (double)(event->exact ? event->left_out_period : event->left_out));
	text = memory_format("; %s %s left out", number,
			     event->exact    ? "events"
			     : event->spe    ? "records"
			     : event->stacks ? "branches"
					     : "samples");
	free(number);
	return text;
}

/* Returns how much of an event the table is about, as text. */
static char *heading_text(const struct pen *pen, const struct profile_view *view,
			  const struct plumb_profile_event *event)
{
	const char *by = view->modelled ? " of the model" : "";
	const char *plural = event->samples == 1 ? "" : "s";
	char *samples = figure_count(pen, (double)event->samples);
	char *period = figure_count(pen, (double)event->period);
	char *stacks = figure_count(pen, (double)event->stacks);
	char *left_out = left_out_text(pen, event), *text;

	if (event->exact)
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
	free(left_out);
	return text;
}

void profile_heading(struct output *out, const char *title, const char *text)
{
	output_text(out, STYLE_HEADING, title);
	if (out->terminal)
		output_flow(out, STYLE_PLAIN, strlen(title), 2, text);
	else
		output_text(out, STYLE_PLAIN, text);
	fputs("\n\n", out->stream);
}

static void print_heading(struct output *out, const struct profile_view *view,
			  const struct plumb_profile_event *event)
{
	char *text = heading_text(pen_for(out), view, event);

	profile_heading(out, event->name ? event->name : "unnamed event", text);
	free(text);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_note(struct output *out, enum style style, char *text)
{
	if (out->terminal) {
		output_wrapped(out, style, 0, 0, text);
	} else {
		output_text(out, style, text);
		fputc('\n', out->stream);
	}
	free(text);
}

/* This many records of code that did not take effect are worth a note. */
#define NOT_RETIRED_PERCENT 5

static bool shows_operations(const struct profile_view *view)
{
	for (size_t c = 0; c < view->column_count; c++)
		if (view->columns[c] == PROFILE_OPERATIONS ||
		    view->columns[c] == PROFILE_OPERATIONS_INTERVAL)
			return true;
	return false;
}

static bool shows_latencies(const struct profile_view *view)
{
	for (size_t c = 0; c < view->column_count; c++)
		if (view->columns[c] == PROFILE_LATENCY || is_latency(view->columns[c]))
			return true;
	return false;
}

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
				   "%.0f%% of the records did not retire (speculation); --filter "
				   "retired leaves them out",
				   percent(event->not_retired, event->samples)));
	if (event->filtered && shows_operations(view))
		print_note(out, STYLE_DIM,
			   memory_format("the SPE unit recorded with a filter: OPERATIONS counts "
					 "only what passes it"));
	if (event->saturated && shows_latencies(view))
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

void profile_text(struct output *out, const struct profile_view *view)
{
	struct plumb_profile_event event;
	bool first = true;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		struct row_place place = {.view = view, .event = &event, .event_index = e};
		const size_t count = profile_rows_shown(view, e);

		if (!profile_prints(view, &event))
			continue;
		if (!first)
			fputc('\n', out->stream);
		first = false;
		print_heading(out, view, &event);
		print_table(out, view, &place, count);
		print_rest(out, view, &event, count);
		if (view->trees)
			print_trees(out, view, &place, count);
	}
}

/* ---- Separated fields -------------------------------------------------------------------------
 */

/* Adds a value and its interval as plain numbers. */
static void add_number(struct table *table, double value)
{
	if (isnan(value))
		table_cell(table, "");
	else
		table_cell_format(table, "%.10g", value);
}

/* A column that takes two fields, or one. */
static void add_fields(struct table *table, struct row_place *place, size_t c)
{
	const struct profile_view *view = place->view;
	const struct plumb_profile_row *row = &place->row;
	const struct plumb_profile_estimate *share = profile_main_share(view, row);
	struct plumb_profile_estimate estimate;
	char room[PLUMB_PROFILE_TEXT];
	const char *text;
	bool or_more;

	if (is_latency(view->columns[c])) {
		add_number(table, latency_value(place, view->columns[c], &or_more));
		return;
	}
	switch (view->columns[c]) {
	case PROFILE_LATENCY_SHARE:
		add_number(table, 100 * row->latency_share);
		break;
	case PROFILE_CHILDREN:
		add_number(table, 100 * row->children.value);
		break;
	case PROFILE_SHARE:
		add_number(table, 100 * row->share.value);
		break;
	case PROFILE_INTERVAL:
		add_number(table, 100 * share->low);
		add_number(table, 100 * share->high);
		break;
	case PROFILE_LATENCY:
		add_number(table, row->latency.value);
		break;
	case PROFILE_LATENCY_INTERVAL:
		add_number(table, row->latency.low);
		add_number(table, row->latency.high);
		break;
	case PROFILE_L1D_MISSES:
		add_number(table, 100 * row->l1d_misses.value);
		break;
	case PROFILE_L1D_INTERVAL:
		add_number(table, 100 * row->l1d_misses.low);
		add_number(table, 100 * row->l1d_misses.high);
		break;
	case PROFILE_MISPREDICTIONS:
		add_number(table, 100 * row->mispredictions.value);
		break;
	case PROFILE_MISPREDICTION_INTERVAL:
		add_number(table, 100 * row->mispredictions.low);
		add_number(table, 100 * row->mispredictions.high);
		break;
	case PROFILE_SOURCES:
		sources_add_list(table, view, place->event_index, place->index);
		break;
	case PROFILE_OPERATIONS:
		estimate =
			plumb_profile_operations(view->profile, place->event_index, place->index);
		add_number(table, estimate.value);
		break;
	case PROFILE_OPERATIONS_INTERVAL:
		estimate =
			plumb_profile_operations(view->profile, place->event_index, place->index);
		add_number(table, estimate.low);
		add_number(table, estimate.high);
		break;
	case PROFILE_RETIRING:
	case PROFILE_BAD_SPECULATION:
	case PROFILE_FRONTEND:
	case PROFILE_BACKEND:
		estimate = profile_slots(view, place->event_index, place->index, view->columns[c]);
		add_number(table, estimate.value);
		add_number(table, estimate.low);
		add_number(table, estimate.high);
		break;
	case PROFILE_SAMPLES:
	case PROFILE_PERIOD:
		add_count(table, view->columns[c] == PROFILE_SAMPLES ? row->samples : row->period);
		break;
	default:
		text = plumb_profile_text(view->profile, place->event_index, place->index,
					  view->columns[c] - PROFILE_KEY, room);
		table_cell(table, text ? text : "");
		break;
	}
}

/* Adds the headings; returns how many. */
static size_t add_headings(struct table *table, const struct profile_view *view)
{
	table_cell(table, "event_name");
	table_cell(table, "exact");
	for (size_t c = 0; c < view->column_count; c++) {
		const unsigned column = view->columns[c];

		if (column >= PROFILE_KEY) {
			table_cell(table, plumb_profile_key_name(view->keys[column - PROFILE_KEY]));
		} else if (column == PROFILE_INTERVAL) {
			table_cell(table, "low");
			table_cell(table, "high");
		} else if (column == PROFILE_LATENCY_INTERVAL) {
			table_cell(table, "latency_low");
			table_cell(table, "latency_high");
		} else if (column == PROFILE_L1D_INTERVAL) {
			table_cell(table, "l1d_low");
			table_cell(table, "l1d_high");
		} else if (column == PROFILE_MISPREDICTION_INTERVAL) {
			table_cell(table, "misprediction_low");
			table_cell(table, "misprediction_high");
		} else if (column == PROFILE_OPERATIONS_INTERVAL) {
			table_cell(table, "operations_low");
			table_cell(table, "operations_high");
		} else if (profile_is_of_slots(column)) {
			table_cell(table, titles[column].field);
			table_cell_format(table, "%s_low", titles[column].field);
			table_cell_format(table, "%s_high", titles[column].field);
		} else {
			table_cell(table, titles[column].field);
		}
	}
	return table->cell_count;
}

void profile_separated(struct output *out, const struct profile_view *view, const char *separator)
{
	struct plumb_profile_event event;
	struct table table = {0};

	table.column_count = add_headings(&table, view);
	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		struct row_place place = {.view = view, .event = &event, .event_index = e};
		const size_t count = profile_rows_shown(view, e);

		if (!profile_prints(view, &event))
			continue;
		for (; place.index < count; place.index++) {
			if (!profile_is_wanted(view, e, place.index))
				continue;
			plumb_profile_row(view->profile, e, place.index, &place.row);
			place.has_latencies = 0;
			table_cell(&table, event.name ? event.name : "");
			table_cell(&table, event.exact ? "1" : "0");
			for (size_t c = 0; c < view->column_count; c++)
				add_fields(&table, &place, c);
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

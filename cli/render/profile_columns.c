/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of profiles. A table tells for each what its value is, and how values are written. */
#include <math.h>
#include <string.h>

#include "base/fixed.h"
#include "render/profile_columns.h"
#include "render/profile_sources.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* ---- Values -----------------------------------------------------------------------------------
 */

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

static struct profile_value of_estimate(const struct plumb_profile_estimate *estimate,
					double factor)
{
	return (struct profile_value){.value = factor * estimate->value,
				      .low = factor * estimate->low,
				      .high = factor * estimate->high,
				      .shown = factor * estimate->value};
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static struct profile_value read_children(struct profile_place *place, unsigned column)
{
	struct profile_value value = of_estimate(&place->row.children, 100);

	(void)column;
	value.shown = percent(place->row.children_period, place->event->period);
	return value;
}

static struct profile_value read_share(struct profile_place *place, unsigned column)
{
	struct profile_value value = of_estimate(&place->row.share, 100);

	(void)column;
	value.shown = percent(place->row.period, place->event->period);
	return value;
}

static struct profile_value read_interval(struct profile_place *place, unsigned column)
{
	struct profile_value value = of_estimate(profile_main_share(place->view, &place->row), 100);

	(void)column;
	value.exact = place->event->exact && !place->event->windows;
	value.uncertain = place->uncertain;
	return value;
}

static struct profile_value read_count(struct profile_place *place, unsigned column)
{
	return (struct profile_value){.count = column == PROFILE_SAMPLES ? place->row.samples
									 : place->row.period};
}

static struct profile_value read_latency(struct profile_place *place, unsigned column)
{
	struct profile_value value = of_estimate(&place->row.latency, 1);

	(void)column;
	value.or_more = place->row.saturated;
	return value;
}

static struct profile_value read_latency_share(struct profile_place *place, unsigned column)
{
	const double share = 100 * place->row.latency_share;

	(void)column;
	return (struct profile_value){.value = share, .shown = share};
}

/* Reads a mean or a percentile of a latency. */
static struct profile_value read_latencies(struct profile_place *place, unsigned column)
{
	const unsigned at = column - PROFILE_LATENCIES, kind = at / 4;
	struct plumb_profile_latency *latency = &place->latencies[kind];
	const double *const values[] = {&latency->mean, &latency->p50, &latency->p90,
					&latency->p99};
	struct profile_value value;

	if (!(place->has_latencies >> kind & 1))
		plumb_profile_latency(place->view->profile, place->event_index, place->index, kind,
				      latency);
	place->has_latencies |= 1u << kind;
	value = (struct profile_value){.value = *values[at % 4]};
	value.or_more =
		latency->saturated && (at % 4 == 0 || value.value >= PLUMB_PROFILE_SATURATED);
	return value;
}

static struct profile_value read_misses(struct profile_place *place, unsigned column)
{
	(void)column;
	return of_estimate(&place->row.l1d_misses, 100);
}

static struct profile_value read_mispredictions(struct profile_place *place, unsigned column)
{
	(void)column;
	return of_estimate(&place->row.mispredictions, 100);
}

static struct profile_value read_operations(struct profile_place *place, unsigned column)
{
	const struct plumb_profile_estimate estimate =
		plumb_profile_operations(place->view->profile, place->event_index, place->index);

	(void)column;
	return of_estimate(&estimate, 1);
}

static struct profile_value read_slots(struct profile_place *place, unsigned column)
{
	const struct plumb_profile_estimate estimate =
		profile_slots(place->view, place->event_index, place->index, column);

	return of_estimate(&estimate, 1);
}

/* ---- How they are written ---------------------------------------------------------------------
 */

/* Adds a number for programs. */
static void add_number(struct table *table, double value)
{
	if (isnan(value))
		table_cell(table, "");
	else
		table_cell_format(table, "%.10g", value);
}

/* Room before and behind the figures of a cell. */
#define MARKS_ROOM 8

/* Writes a text before `at`. Returns where it begins. */
static char *write_before(char *at, const char *text)
{
	for (size_t length = strlen(text); length > 0; length--)
		*--at = text[length - 1];
	return at;
}

/* Adds a value with so many places, between two texts. Large reports spend most of their time on
 * such cells. */
static void write_fixed(struct table *table, const char *before, double value, int places,
			const char *after)
{
	char text[FIXED_ROOM + 2 * MARKS_ROOM], *end = text + sizeof(text), *at;

	at = fixed_write_before(write_before(end, after), value, places);
	at = write_before(at, before);
	table_cell_simple(table, at, (size_t)(end - at));
}

/* Each of these adds a value with so many places, or as fields for programs. */

static void write_percent(struct table *table, const struct profile_value *value, int places,
			  bool fields)
{
	if (fields)
		add_number(table, value->value);
	else if (isnan(value->shown))
		table_cell(table, NULL);
	else
		write_fixed(table, "", value->shown, places, "%");
}

static void write_number(struct table *table, const struct profile_value *value, int places,
			 bool fields)
{
	if (fields)
		add_number(table, value->value);
	else if (isnan(value->value))
		table_cell(table, NULL);
	else
		write_fixed(table, value->or_more ? ">=" : "", value->value, places, "");
}

/* Up to this, each count is a floating-point number. */
#define COUNT_EXACT (UINT64_C(1) << 53)

static void write_count(struct table *table, const struct profile_value *value, int places,
			bool fields)
{
	(void)fields;
	if (value->count <= COUNT_EXACT)
		write_fixed(table, "", (double)value->count, places, "");
	else
		table_cell_format(table, "%llu", (unsigned long long)value->count);
}

static void write_interval(struct table *table, const struct profile_value *value, int places,
			   bool fields)
{
	char text[2 * FIXED_ROOM + MARKS_ROOM], *end = text + sizeof(text), *at;

	if (fields) {
		add_number(table, value->low);
		add_number(table, value->high);
	} else if (value->exact) {
		table_cell(table, "exact");
	} else if (isnan(value->low)) {
		table_cell(table, NULL);
	} else {
		at = write_before(fixed_write_before(end, value->high, places), "..");
		at = fixed_write_before(at, value->low, places);
		at = write_before(at, value->uncertain ? "~" : "");
		table_cell_simple(table, at, (size_t)(end - at));
	}
}

/* "64.5%", or "64.5% ±1.2": see profile_half(). */
static void write_with_half(struct table *table, const struct profile_value *value, int places,
			    bool fields)
{
	if (fields) {
		add_number(table, value->value);
		add_number(table, value->low);
		add_number(table, value->high);
	} else if (isnan(value->value)) {
		table_cell(table, NULL);
	} else if (isnan(value->low)) {
		table_cell_format(table, "%.*f%%", places, value->value);
	} else {
		table_cell_format(table, "%.*f%% ±%.*f", places, value->value, places,
				  fmax(value->high - value->value, value->value - value->low));
	}
}

/* ---- The table --------------------------------------------------------------------------------
 */

/* Which columns a narrow terminal does without first: what only refines others, then counts, then
 * the interval of the share. */
enum { KEPT = 1, ERROR, COUNT, REFINES };

static const struct column {
	const char *heading;
	const char *fields[3]; /* their names for programs */
	struct profile_value (*read)(struct profile_place *place,
				     unsigned column); /* NULL: no value */
	void (*write)(struct table *table, const struct profile_value *value, int places,
		      bool fields);
	uint8_t places, spare;
} columns[PROFILE_KEY] = {
#define INTERVAL "95 % INTERVAL"
#define LATENCY(at, title, name, digits) \
	[PROFILE_LATENCIES + (at)] = {title, {name}, read_latencies, write_number, digits, REFINES}
	[PROFILE_CHILDREN] = {"CHILDREN", {"children"}, read_children, write_percent, 2, KEPT},
	[PROFILE_SHARE] = {"SHARE", {"share"}, read_share, write_percent, 2, KEPT},
	[PROFILE_INTERVAL] = {INTERVAL, {"low", "high"}, read_interval, write_interval, 2, ERROR},
	[PROFILE_SAMPLES] = {"SAMPLES", {"samples"}, read_count, write_count, 0, COUNT},
	[PROFILE_PERIOD] = {"EVENTS", {"period"}, read_count, write_count, 0, COUNT},
	[PROFILE_LATENCY] = {"LATENCY", {"latency"}, read_latency, write_number, 1, KEPT},
	[PROFILE_LATENCY_INTERVAL] = {INTERVAL,
				      {"latency_low", "latency_high"},
				      read_latency,
				      write_interval,
				      1,
				      REFINES},
	[PROFILE_LATENCY_SHARE] =
		{"OF LATENCY", {"latency_share"}, read_latency_share, write_percent, 2, KEPT},
	LATENCY(0, "MEAN", "latency_mean", 1),
	LATENCY(1, "P50", "latency_p50", 0),
	LATENCY(2, "P90", "latency_p90", 0),
	LATENCY(3, "P99", "latency_p99", 0),
	LATENCY(4, "ISSUE", "issue", 1),
	LATENCY(5, "P50", "issue_p50", 0),
	LATENCY(6, "P90", "issue_p90", 0),
	LATENCY(7, "P99", "issue_p99", 0),
	LATENCY(8, "TRANSLATION", "translation", 1),
	LATENCY(9, "P50", "translation_p50", 0),
	LATENCY(10, "P90", "translation_p90", 0),
	LATENCY(11, "P99", "translation_p99", 0),
	[PROFILE_L1D_MISSES] = {"L1D MISSES", {"l1d_misses"}, read_misses, write_percent, 1, KEPT},
	[PROFILE_L1D_INTERVAL] =
		{INTERVAL, {"l1d_low", "l1d_high"}, read_misses, write_interval, 1, REFINES},
	[PROFILE_MISPREDICTIONS] =
		{"MISPREDICTED", {"mispredictions"}, read_mispredictions, write_percent, 1, KEPT},
	[PROFILE_MISPREDICTION_INTERVAL] = {INTERVAL,
					    {"misprediction_low", "misprediction_high"},
					    read_mispredictions,
					    write_interval,
					    1,
					    REFINES},
	[PROFILE_SOURCES] = {"DATA SOURCES", {"sources"}, NULL, NULL, 0, KEPT},
	[PROFILE_OPERATIONS] =
		{"OPERATIONS", {"operations"}, read_operations, write_number, 0, KEPT},
	[PROFILE_OPERATIONS_INTERVAL] = {INTERVAL,
					 {"operations_low", "operations_high"},
					 read_operations,
					 write_interval,
					 0,
					 REFINES},
	[PROFILE_RETIRING] = {"RETIRING",
			      {"retiring", "retiring_low", "retiring_high"},
			      read_slots,
			      write_with_half,
			      1,
			      KEPT},
	[PROFILE_BAD_SPECULATION] = {"BAD SPEC",
				     {"bad_speculation", "bad_speculation_low",
				      "bad_speculation_high"},
				     read_slots,
				     write_with_half,
				     1,
				     KEPT},
	[PROFILE_FRONTEND] = {"FRONTEND",
			      {"frontend_bound", "frontend_bound_low", "frontend_bound_high"},
			      read_slots,
			      write_with_half,
			      1,
			      KEPT},
	[PROFILE_BACKEND] = {"BACKEND",
			     {"backend_bound", "backend_bound_low", "backend_bound_high"},
			     read_slots,
			     write_with_half,
			     1,
			     KEPT},
#undef LATENCY
#undef INTERVAL
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
	[PLUMB_KEY_DSO_TO] = "TARGET FILE",
	[PLUMB_KEY_SRCLINE_TO] = "TARGET LINE",
	[PLUMB_KEY_MISPREDICT] = "MISPREDICT",
	[PLUMB_KEY_CYCLES] = "CYCLES",
	[PLUMB_KEY_SNOOP] = "SNOOP",
	[PLUMB_KEY_TLB] = "TLB",
	[PLUMB_KEY_LOCKED] = "LOCKED",
	[PLUMB_KEY_BLOCKED] = "BLOCKED",
	[PLUMB_KEY_PHYSICAL_ADDRESS] = "PHYSICAL ADDRESS",
	[PLUMB_KEY_DATA_PAGE_SIZE] = "DATA PAGES",
	[PLUMB_KEY_CODE_PAGE_SIZE] = "CODE PAGES",
	[PLUMB_KEY_SOCKET] = "SOCKET",
	[PLUMB_KEY_CGROUP] = "CONTROL GROUP",
	[PLUMB_KEY_CGROUP_ID] = "CGROUP NAMESPACE",
	[PLUMB_KEY_SYMBOL_SIZE] = "SIZE",
	[PLUMB_KEY_DSO_SIZE] = "FILE SIZE",
};

const char *profile_key_heading(unsigned key)
{
	return key_headings[key];
}

bool profile_columns_have(const struct profile_view *view, unsigned first, unsigned last)
{
	for (size_t c = 0; c < view->column_count; c++)
		if (view->columns[c] >= first && view->columns[c] <= last)
			return true;
	return false;
}

bool profile_columns_have_latencies(const struct profile_view *view)
{
	return profile_columns_have(view, PROFILE_LATENCY, PROFILE_LATENCY) ||
	       profile_columns_have(view, PROFILE_LATENCIES, PROFILE_L1D_MISSES - 1);
}

bool profile_column_has_values(const struct profile_view *view,
			       const struct plumb_profile_event *event, size_t c)
{
	const unsigned column = view->columns[c];

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

static bool is_number(const struct profile_view *view, unsigned column)
{
	if (column < PROFILE_KEY)
		return column != PROFILE_SOURCES;
	switch (view->keys[column - PROFILE_KEY]) {
	case PLUMB_KEY_PID:
	case PLUMB_KEY_TID:
	case PLUMB_KEY_CPU:
	case PLUMB_KEY_DATA_PAGE_SIZE:
	case PLUMB_KEY_CODE_PAGE_SIZE:
	case PLUMB_KEY_SOCKET:
	case PLUMB_KEY_SYMBOL_SIZE:
	case PLUMB_KEY_DSO_SIZE:
	case PLUMB_KEY_LATENCY:
	case PLUMB_KEY_CYCLES:
	case PLUMB_KEY_TIME:
		return true;
	default:
		return false;
	}
}

bool profile_key_is_function(unsigned key)
{
	return key == PLUMB_KEY_SYMBOL || key == PLUMB_KEY_INLINE || key == PLUMB_KEY_SYMBOL_TO;
}

struct table_column profile_column(const struct profile_view *view, size_t c)
{
	const unsigned column = view->columns[c];
	const bool is_key = column >= PROFILE_KEY;

	return (struct table_column){
		.heading = is_key ? key_headings[view->keys[column - PROFILE_KEY]]
				  : columns[column].heading,
		.right = is_number(view, column),
		.style = is_key ? STYLE_NAME : STYLE_PLAIN,
		.spare = is_key ? 0 : columns[column].spare,
		.least = view->widths[c],
		.common = is_key && !profile_key_is_function(view->keys[column - PROFILE_KEY]),
		.room = is_key && profile_key_is_function(view->keys[column - PROFILE_KEY]) ? 22
											    : 0,
	};
}

/* ---- Cells ------------------------------------------------------------------------------------
 */

/* Adds a text that is at most `width` columns wide. */
static void add_text(struct table *table, const char *text, unsigned width)
{
	size_t length = 0, used = 0;

	for (; text[length] && used < width; used++)
		length += wrap_character(text + length, strlen(text + length));
	table_cell_format(table, "%.*s%*s", (int)length, text, (int)(width - used), "");
}

static const char *key_text(const struct profile_place *place, unsigned column,
			    char room[PLUMB_PROFILE_TEXT])
{
	return plumb_profile_text(place->view->profile, place->event_index, place->index,
				  column - PROFILE_KEY, room);
}

static void add_value(struct table *table, struct profile_place *place, unsigned column,
		      bool fields)
{
	const struct profile_value value = columns[column].read(place, column);

	columns[column].write(table, &value, columns[column].places, fields);
}

static bool is_same(const struct profile_value *a, const struct profile_value *b)
{
	/* What is unknown is never the same. */
	return a->value == b->value && a->low == b->low && a->high == b->high &&
	       a->shown == b->shown && a->count == b->count && a->or_more == b->or_more &&
	       a->exact == b->exact && a->uncertain == b->uncertain;
}

/* Adds the c-th column's value for people. Rows that follow each other often have the same, and
 * the same text serves them. */
static void add_shown(struct table *table, struct profile_place *place, size_t c)
{
	const unsigned column = place->view->columns[c];
	const struct profile_value value = columns[column].read(place, column);
	struct profile_cell *last = place->last ? &place->last[c] : NULL;

	if (last && last->length && is_same(&last->value, &value)) {
		table_cell_again(table, last->text, last->length);
		return;
	}
	columns[column].write(table, &value, columns[column].places, false);
	if (last)
		*last = (struct profile_cell){value, table->cells[table->cell_count - 1],
					      table_last_simple(table)};
}

bool profile_repeats_function(const struct profile_view *view, size_t event, size_t row, size_t k,
			      const char *text)
{
	char room[PLUMB_PROFILE_TEXT];
	const char *function;

	if (!text || (view->keys[k] != PLUMB_KEY_SRCLINE && view->keys[k] != PLUMB_KEY_SRCFILE))
		return false;
	for (size_t i = 0; i < view->key_count; i++) {
		if (view->keys[i] != PLUMB_KEY_SYMBOL && view->keys[i] != PLUMB_KEY_INLINE)
			continue;
		function = plumb_profile_text(view->profile, event, row, i, room);
		if (function && strcmp(function, text) == 0)
			return true;
	}
	return false;
}

void profile_column_cell(struct table *table, struct profile_place *place, size_t c)
{
	const struct profile_view *view = place->view;
	const unsigned column = view->columns[c];
	char room[PLUMB_PROFILE_TEXT];
	const char *text = NULL;

	if (column >= PROFILE_KEY) {
		text = key_text(place, column, room);
		if (profile_repeats_function(view, place->event_index, place->index,
					     column - PROFILE_KEY, text))
			text = NULL;
		if (text && view->widths[c])
			add_text(table, text, view->widths[c]);
		else if (text != room)
			table_cell_kept(table, text);
		else
			table_cell(table, text);
	} else if (column == PROFILE_SOURCES)
		sources_add_bar(table, view, place->event_index, place->index);
	else
		add_shown(table, place, c);
}

void profile_column_fields(struct table *table, struct profile_place *place, size_t c)
{
	const unsigned column = place->view->columns[c];
	char room[PLUMB_PROFILE_TEXT];
	const char *text;

	if (column >= PROFILE_KEY) {
		text = key_text(place, column, room);
		table_cell(table, text ? text : "");
	} else if (column == PROFILE_SOURCES) {
		sources_add_list(table, place->view, place->event_index, place->index);
	} else {
		add_value(table, place, column, true);
	}
}

void profile_column_names(struct table *table, const struct profile_view *view, size_t c)
{
	const unsigned column = view->columns[c];

	if (column >= PROFILE_KEY)
		table_cell(table, plumb_profile_key_name(view->keys[column - PROFILE_KEY]));
	for (size_t i = 0; column < PROFILE_KEY && i < 3 && columns[column].fields[i]; i++)
		table_cell(table, columns[column].fields[i]);
}

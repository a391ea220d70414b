/* SPDX-License-Identifier: Apache-2.0 */
/* What plumb report shows: its keys, columns and call trees. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Columns that are no keys, with perf's names. */
static const struct {
	const char *name;
	enum profile_column column;
} columns[] = {
	{"share", PROFILE_SHARE},
	{"overhead", PROFILE_SHARE},
	{"children", PROFILE_CHILDREN},
	{"overhead_children", PROFILE_CHILDREN},
	{"interval", PROFILE_INTERVAL},
	{"samples", PROFILE_SAMPLES},
	{"sample", PROFILE_SAMPLES},
	{"period", PROFILE_PERIOD},
	{"latency", PROFILE_LATENCY},
	{"weight", PROFILE_LATENCY},
	{"latency_interval", PROFILE_LATENCY_INTERVAL},
	{"latency_share", PROFILE_LATENCY_SHARE},
	{"latency_p50", PROFILE_LATENCIES + 1},
	{"latency_p90", PROFILE_LATENCIES + 2},
	{"latency_p99", PROFILE_LATENCIES + 3},
	{"issue", PROFILE_LATENCIES + 4},
	{"issue_p50", PROFILE_LATENCIES + 5},
	{"issue_p90", PROFILE_LATENCIES + 6},
	{"issue_p99", PROFILE_LATENCIES + 7},
	{"translation", PROFILE_LATENCIES + 8},
	{"translation_p50", PROFILE_LATENCIES + 9},
	{"translation_p90", PROFILE_LATENCIES + 10},
	{"translation_p99", PROFILE_LATENCIES + 11},
	{"l1d_misses", PROFILE_L1D_MISSES},
	{"l1d_interval", PROFILE_L1D_INTERVAL},
	{"mispredictions", PROFILE_MISPREDICTIONS},
	{"misprediction_interval", PROFILE_MISPREDICTION_INTERVAL},
	{"sources", PROFILE_SOURCES},
	{"operations", PROFILE_OPERATIONS},
	{"operations_interval", PROFILE_OPERATIONS_INTERVAL},
	{"retiring", PROFILE_RETIRING},
	{"bad_speculation", PROFILE_BAD_SPECULATION},
	{"frontend_bound", PROFILE_FRONTEND},
	{"backend_bound", PROFILE_BACKEND},
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* Calls `take` for each of a list's words until it returns another status than EXIT_FINE. */
static int each_word(const char *list, int (*take)(void *user, char *word), void *user)
{
	char *text = memory_copy(list, strlen(list)), *next = text;
	int status = EXIT_FINE;

	while (status == EXIT_FINE && next) {
		char *word = strsep(&next, ",");

		if (*word)
			status = take(user, word);
	}
	free(text);
	return status;
}

/* Keys of perf for what SPE records say otherwise, and what shows that. */
static const struct {
	const char *name, *instead;
} keys_of_perf[] = {
	{"daddr", "-s data_symbol"},   {"iaddr", "-s ip"},      {"ins_lat", "-F issue"},
	{"local_ins_lat", "-F issue"}, {"simd", "-s subclass"},
};

/* Keys of perf for what only other processors record. */
static const struct {
	const char *name, *what;
} keys_of_others[] = {
	{"in_tx", "x86 transactions"},
	{"abort", "x86 transactions"},
	{"transaction", "x86 transactions"},
	{"p_stage_cyc", "the cycles of a pipeline stage, which POWER has"},
	{"local_p_stage_cyc", "the cycles of a pipeline stage, which POWER has"},
};

static int refuse(const char *what, const char *name, bool with_columns)
{
	struct near near = near_to(name);

	for (size_t i = 0; i < sizeof(keys_of_others) / sizeof(*keys_of_others); i++) {
		if (strcmp(keys_of_others[i].name, name) == 0) {
			complain("unsupported %s '%s'", what, name);
			advise("recordings of Arm CPUs lack %s", keys_of_others[i].what);
			return EXIT_USAGE;
		}
	}
	complain("unknown %s '%s'", what, name);
	for (size_t i = 0; i < sizeof(keys_of_perf) / sizeof(*keys_of_perf); i++) {
		if (strcmp(keys_of_perf[i].name, name) == 0) {
			advise("instead of perf's %s, use %s", name, keys_of_perf[i].instead);
			return EXIT_USAGE;
		}
	}
	for (unsigned key = 0; plumb_profile_key_name(key); key++)
		near_offer(&near, plumb_profile_key_name(key), plumb_profile_key_name(key));
	for (size_t i = 0; with_columns && i < COLUMN_COUNT; i++)
		near_offer(&near, columns[i].name, columns[i].name);
	if (!advise_near(&near))
		advise("see plumb report --help");
	return EXIT_USAGE;
}

/* Adds a key, unless it is there. Returns its place, or -1 after an error. */
static int add_key(struct profile_view *view, int key)
{
	for (size_t k = 0; k < view->key_count; k++)
		if (view->keys[k] == key)
			return (int)k;
	if (view->key_count == PLUMB_PROFILE_KEYS_MAX) {
		complain("too many keys: at most %d are supported", PLUMB_PROFILE_KEYS_MAX);
		return -1;
	}
	view->keys[view->key_count] = (uint8_t)key;
	return (int)view->key_count++;
}

/* What -s names: keys in the view, and the columns among them. */
struct sorting {
	struct profile_view *view;
	uint8_t columns[COLUMN_COUNT];
	size_t count;
};

static int take_key(void *user, char *word)
{
	const int key = plumb_profile_key_by_name(word);
	struct sorting *sorting = user;

	if (key >= 0)
		return add_key(sorting->view, key) < 0 ? EXIT_USAGE : EXIT_FINE;
	for (size_t i = 0; i < COLUMN_COUNT && sorting->count < COLUMN_COUNT; i++) {
		if (strcmp(columns[i].name, word) == 0) {
			sorting->columns[sorting->count++] = (uint8_t)columns[i].column;
			return EXIT_FINE;
		}
	}
	return refuse("key", word, false);
}

static int add_column(struct profile_view *view, unsigned column)
{
	for (size_t c = 0; c < view->column_count; c++)
		if (view->columns[c] == column)
			return EXIT_FINE;
	if (view->column_count == TABLE_COLUMNS_MAX) {
		complain("too many columns: at most %d are supported", TABLE_COLUMNS_MAX);
		return EXIT_USAGE;
	}
	view->columns[view->column_count++] = (uint8_t)column;
	return EXIT_FINE;
}

static int take_field(void *user, char *word)
{
	struct profile_view *view = user;
	int key = plumb_profile_key_by_name(word);

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (strcmp(columns[i].name, word) == 0)
			return add_column(view, columns[i].column);
	if (key < 0)
		return refuse("column", word, true);
	key = add_key(view, key);
	return key < 0 ? EXIT_USAGE : add_column(view, PROFILE_KEY + (unsigned)key);
}

static int take_width(void *user, char *word)
{
	struct profile_view *view = user;
	unsigned long width;
	size_t c = 0;
	char *end;

	/* The first that has none yet: UINT_MAX stands for that. */
	while (c < TABLE_COLUMNS_MAX && view->widths[c] != UINT_MAX)
		c++;
	errno = 0;
	width = strtoul(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || width > 10000) {
		complain("invalid value '%s' for --column-widths", word);
		advise("list widths in columns, as in 0,10,30; 0 is as wide as necessary");
		return EXIT_USAGE;
	}
	if (c < TABLE_COLUMNS_MAX)
		view->widths[c] = (unsigned)width;
	return EXIT_FINE;
}

/* Returns when a column's turn is to get a width: 0 is first. */
static unsigned width_turn(const struct profile_view *view, size_t c)
{
	if (!view->default_columns || view->columns[c] == PROFILE_SHARE ||
	    view->columns[c] == PROFILE_CHILDREN)
		return 0;
	return view->columns[c] >= PROFILE_KEY ? 1 : 2;
}

/*
 * Reads the columns' widths, in the order of -F. Without that, perf has only shares and keys: they
 * come first, and what else Plumb shows follows.
 */
static int read_widths(const char *text, struct profile_view *view)
{
	unsigned given[TABLE_COLUMNS_MAX];
	size_t next = 0;
	int status;

	if (!text)
		return EXIT_FINE;
	for (size_t c = 0; c < TABLE_COLUMNS_MAX; c++)
		view->widths[c] = UINT_MAX;
	status = each_word(text, take_width, view);
	for (size_t c = 0; c < TABLE_COLUMNS_MAX; c++)
		given[c] = view->widths[c] == UINT_MAX ? 0 : view->widths[c];
	for (unsigned turn = 0; turn < 3; turn++)
		for (size_t c = 0; c < view->column_count; c++)
			if (width_turn(view, c) == turn)
				view->widths[c] = given[next++];
	return status;
}

/* Reads a percentage, with or without its sign. */
static bool read_percent(const char *text, const char *option, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(*percent >= 0 && *percent <= 100)) {
		complain("invalid value '%s' for --%s: not a percentage", text, option);
		return false;
	}
	return true;
}

/* ---- Call trees -------------------------------------------------------------------------------
 */

struct call_graph {
	double limit;
	enum plumb_profile_paths paths;
	bool ordered, folded, relative, periods;
};

static int take_call_graph(void *user, char *word)
{
	struct call_graph *graph = user;

	if (strcmp(word, "caller") == 0 || strcmp(word, "callee") == 0) {
		graph->ordered = true;
		graph->paths =
			strcmp(word, "caller") == 0 ? PLUMB_PATHS_CALLER : PLUMB_PATHS_CALLEE;
	} else if (strcmp(word, "folded") == 0) {
		graph->folded = true;
	} else if (strcmp(word, "fractal") == 0) {
		graph->relative = true;
	} else if (strcmp(word, "period") == 0) {
		graph->periods = true;
	} else if (strcmp(word, "none") == 0) {
		graph->ordered = true;
		graph->paths = PLUMB_PATHS_NONE;
	} else if ((*word >= '0' && *word <= '9') || *word == '.') {
		if (!read_percent(word, "call-graph", &graph->limit))
			return EXIT_USAGE;
	} else if (strcmp(word, "graph") != 0 && strcmp(word, "function") != 0 &&
		   strcmp(word, "percent") != 0) {
		complain("unsupported value '%s' for --call-graph", word);
		advise("use graph, fractal, folded or none, caller or callee, percent or period, "
		       "and the least percentage: caller,0.5");
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

/* Reads --folded, --callers and --callees, which choose keys and call paths themselves. */
static int read_stacks(const struct report_options *options, bool chains, struct profile_view *view,
		       enum plumb_profile_paths *paths)
{
	if (options->call_graph || options->sort.count || options->children ||
	    options->no_children) {
		complain("--%s cannot be combined with --call-graph, --sort, --children or "
			 "--no-children",
			 options->folded    ? "folded"
			 : options->callers ? "callers"
					    : "callees");
		return EXIT_USAGE;
	}
	/* Without call chains, each function is a stack by itself. */
	if (options->folded) {
		*paths = chains ? PLUMB_PATHS_CALLER : PLUMB_PATHS_NONE;
		view->keys[0] = PLUMB_KEY_COMM;
		view->keys[1] = PLUMB_KEY_SYMBOL;
		view->key_count = 2;
		return EXIT_FINE;
	}
	if (!chains) {
		complain("--%s requires samples with call chains",
			 options->callers ? "callers" : "callees");
		advise("record them with plumb record -g");
		return EXIT_USAGE;
	}
	*paths = options->callers ? PLUMB_PATHS_CALLEE : PLUMB_PATHS_CALLER;
	view->keys[0] = PLUMB_KEY_INLINE;
	view->key_count = 1;
	view->function = options->callers ? options->callers : options->callees;
	view->children = view->trees = true;
	view->tree_limit = 0.5;
	return EXIT_FINE;
}

/* Tells whether the words are to be added to the defaults: "+period". */
static bool is_added(const struct option_words *words)
{
	return words->count > 0 && words->at[0][0] == '+';
}

static int take_words(const struct option_words *words, int (*take)(void *user, char *word),
		      void *user)
{
	int status = EXIT_FINE;

	for (unsigned i = 0; status == EXIT_FINE && i < words->count; i++)
		status = each_word(words->at[i] + (words->at[i][0] == '+'), take, user);
	return status;
}

static int find_children(void *user, char *word)
{
	bool *found = user;

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (strcmp(columns[i].name, word) == 0 && columns[i].column == PROFILE_CHILDREN)
			*found = true;
	return EXIT_FINE;
}

/* Tells whether shares with callees are among the columns. Rows are not sorted by hidden shares. */
static bool may_print_children(const struct report_options *options)
{
	bool found = !options->fields.count || is_added(&options->fields);

	take_words(&options->fields, find_children, &found);
	take_words(&options->sort, find_children, &found);
	return found;
}

static int read_trees(const struct report_options *options, bool chains, struct profile_view *view,
		      enum plumb_profile_paths *paths)
{
	struct call_graph graph = {.limit = 0.5};
	int status = EXIT_FINE;

	*paths = PLUMB_PATHS_NONE;
	if (options->folded || options->callers || options->callees)
		return read_stacks(options, chains, view, paths);
	if (options->sharing && (options->call_graph || options->children)) {
		complain("--sharing cannot be combined with --call-graph or --children");
		return EXIT_USAGE;
	}
	if (options->topdown && !options->exact && (options->call_graph || options->children)) {
		complain("--topdown with --%s requires an exact recording",
			 options->call_graph ? "call-graph" : "children");
		advise("make one with plumb record --exact");
		return EXIT_USAGE;
	}
	if (options->topdown && options->fields.count) {
		complain("--topdown cannot be combined with --fields");
		advise("choose keys with --sort; without --topdown, -F has the columns retiring, "
		       "bad_speculation, frontend_bound and backend_bound");
		return EXIT_USAGE;
	}
	if (options->sharing && (options->sort.count || options->fields.count)) {
		complain("--sharing cannot be combined with --sort or --fields");
		return EXIT_USAGE;
	}
	if (options->exact && (options->mem || options->branch || options->mix) &&
	    (options->call_graph || options->children || options->fields.count)) {
		complain("--%s of an exact profile cannot be combined with --%s",
			 options->mem      ? "mem"
			 : options->branch ? "branch"
					   : "mix",
			 options->call_graph ? "call-graph"
			 : options->children ? "children"
					     : "fields");
		return EXIT_USAGE;
	}
	view->children =
		options->children ||
		(chains && !options->no_children && !report_preset(options) &&
		 (options->topdown ? options->call_graph != NULL : may_print_children(options)));
	if (!options->call_graph)
		return EXIT_FINE;
	status = each_word(options->call_graph, take_call_graph, &graph);
	if (status != EXIT_FINE)
		return status;
	/* perf's defaults. */
	if (!graph.ordered)
		graph.paths = view->children ? PLUMB_PATHS_CALLER : PLUMB_PATHS_CALLEE;
	if (graph.paths != PLUMB_PATHS_NONE && !chains) {
		complain("--call-graph requires samples with call chains");
		advise("record them with plumb record -g");
		return EXIT_USAGE;
	}
	if (options->topdown && (graph.folded || graph.relative || graph.periods)) {
		complain("--topdown cannot be combined with --call-graph %s",
			 graph.folded     ? "folded"
			 : graph.relative ? "fractal"
					  : "period");
		return EXIT_USAGE;
	}
	if (graph.folded && (graph.relative || graph.periods)) {
		complain("--call-graph folded cannot be combined with %s",
			 graph.relative ? "fractal" : "period");
		return EXIT_USAGE;
	}
	*paths = graph.paths;
	view->trees = graph.paths != PLUMB_PATHS_NONE;
	view->folded_trees = graph.folded;
	view->relative_trees = graph.relative;
	view->tree_periods = graph.periods;
	view->callers_first = graph.paths == PLUMB_PATHS_CALLER && !view->children;
	view->tree_limit = graph.limit;
	return EXIT_FINE;
}

/* ---- The view ---------------------------------------------------------------------------------
 */

static const struct report_preset presets[] = {
	{
		.filter = "memory",
		.keys = {PLUMB_KEY_DATA_SOURCE, PLUMB_KEY_SYMBOL, PLUMB_KEY_DSO},
		.key_count = 3,
		.columns = {PROFILE_SHARE, PROFILE_INTERVAL, PROFILE_SAMPLES, PROFILE_LATENCY,
			    PROFILE_LATENCY_INTERVAL, PROFILE_LATENCIES + 1, PROFILE_LATENCIES + 2,
			    PROFILE_LATENCIES + 3},
		.column_count = 8,
	},
	{
		.filter = "branch",
		.keys = {PLUMB_KEY_IP, PLUMB_KEY_SYMBOL, PLUMB_KEY_DSO},
		.key_count = 3,
		.columns = {PROFILE_SHARE, PROFILE_INTERVAL, PROFILE_SAMPLES,
			    PROFILE_MISPREDICTIONS, PROFILE_MISPREDICTION_INTERVAL},
		.column_count = 5,
	},
	{
		/* Every SPE record, and no other sample. */
		.filter = "load,store,branch,other",
		.keys = {PLUMB_KEY_OP, PLUMB_KEY_SUBCLASS},
		.key_count = 2,
		.columns = {PROFILE_SHARE, PROFILE_INTERVAL, PROFILE_SAMPLES, PROFILE_LATENCY,
			    PROFILE_L1D_MISSES, PROFILE_MISPREDICTIONS},
		.column_count = 6,
	},
	{
		.filter = "memory",
		.keys = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PID, PLUMB_KEY_TID, PLUMB_KEY_OFFSET,
			 PLUMB_KEY_ACCESS, PLUMB_KEY_BYTES, PLUMB_KEY_SYMBOL, PLUMB_KEY_SRCLINE},
		.key_count = 8,
	},
};

/* Of branch stacks: from where to where. */
static const struct report_preset stacked_preset = {
	.keys = {PLUMB_KEY_IP, PLUMB_KEY_SYMBOL, PLUMB_KEY_BRANCH_TARGET, PLUMB_KEY_SYMBOL_TO},
	.key_count = 4,
	.columns = {PROFILE_SHARE, PROFILE_INTERVAL, PROFILE_SAMPLES, PROFILE_MISPREDICTIONS,
		    PROFILE_MISPREDICTION_INTERVAL},
	.column_count = 5,
};

/* Of exact profiles, which count by instruction. Their columns are always the same. */
static const struct report_preset exact_presets[] = {
	{.keys = {PLUMB_KEY_SYMBOL, PLUMB_KEY_DSO}, .key_count = 2},
	{.keys = {PLUMB_KEY_IP, PLUMB_KEY_SYMBOL, PLUMB_KEY_SRCLINE}, .key_count = 3},
	{.keys = {PLUMB_KEY_OP, PLUMB_KEY_SUBCLASS}, .key_count = 2},
};

const struct report_preset *report_preset(const struct report_options *options)
{
	const struct report_preset *of = options->exact ? exact_presets : presets;

	if (options->sharing)
		return &presets[3];
	if (options->mem)
		return &of[0];
	if (options->branch)
		return options->stacked ? &stacked_preset : &of[1];
	return options->mix ? &of[2] : NULL;
}

/* Returns what to show without -s and -F: perf's keys, and the columns that people want first. */
static const struct report_preset *default_view(const struct report_options *options)
{
	static const struct report_preset usual = {
		.keys = {PLUMB_KEY_COMM, PLUMB_KEY_DSO, PLUMB_KEY_SYMBOL},
		.key_count = 3,
		.columns = {PROFILE_SHARE, PROFILE_INTERVAL, PROFILE_SAMPLES, PROFILE_LATENCY},
		.column_count = 4,
	};
	static const struct report_preset topdown = {.keys = {PLUMB_KEY_SYMBOL}, .key_count = 1};
	const struct report_preset *preset = report_preset(options);

	if (options->topdown)
		return &topdown;
	return preset ? preset : &usual;
}

static int add_default_keys(const struct report_options *options, struct profile_view *view)
{
	const struct report_preset *preset = default_view(options);
	int place = 0;

	for (size_t k = 0; k < preset->key_count && place >= 0; k++)
		place = add_key(view, preset->keys[k]);
	return place < 0 ? EXIT_USAGE : EXIT_FINE;
}

static int add_default_columns(const struct report_options *options, struct profile_view *view)
{
	const struct report_preset *preset = default_view(options);
	int status = view->children ? add_column(view, PROFILE_CHILDREN) : EXIT_FINE;

	view->default_columns = true;
	for (size_t c = 0; status == EXIT_FINE && c < preset->column_count; c++)
		status = add_column(view, preset->columns[c]);
	return status;
}

/*
 * Reads -s and -F. Keys of -s are columns, too, after those of -F. What -s names that is no key but
 * a column (overhead), as perf allows, is a column before them.
 */
static int read_columns(const struct report_options *options, struct profile_view *view)
{
	struct sorting sorting = {.view = view};
	int status = EXIT_FINE;

	if (is_added(&options->sort))
		status = add_default_keys(options, view);
	if (status == EXIT_FINE)
		status = take_words(&options->sort, take_key, &sorting);
	if (status == EXIT_FINE && (!options->fields.count || is_added(&options->fields))) {
		if (!view->key_count)
			status = add_default_keys(options, view);
		if (status == EXIT_FINE)
			status = add_default_columns(options, view);
	}
	if (status == EXIT_FINE)
		status = take_words(&options->fields, take_field, view);
	for (size_t c = 0; status == EXIT_FINE && c < sorting.count; c++)
		status = add_column(view, sorting.columns[c]);
	if (status != EXIT_FINE)
		return status;
	for (size_t k = 0; status == EXIT_FINE && k < view->key_count; k++)
		status = add_column(view, PROFILE_KEY + (unsigned)k);
	return status;
}

int report_read_view(const struct report_options *options, bool chains, struct profile_view *view,
		     enum plumb_profile_paths *paths)
{
	int status = read_trees(options, chains, view, paths);

	if (status == EXIT_FINE)
		status = read_columns(options, view);
	/* A column of its own asks for the values. */
	for (size_t c = 0; c < view->column_count; c++)
		view->children |= view->columns[c] == PROFILE_CHILDREN;
	if (status == EXIT_FINE)
		status = read_widths(options->widths, view);
	if (status == EXIT_FINE && options->percent_limit &&
	    !read_percent(options->percent_limit, "percent-limit", &view->percent_limit))
		status = EXIT_USAGE;
	view->limit = options->limit;
	return status;
}

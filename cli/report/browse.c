/* SPDX-License-Identifier: Apache-2.0 */
/* plumb report on a terminal: the views of a recording, for the browser. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "browser/browser.h"
#include "commands.h"
#include "render/shell.h"
#include "render/short_names.h"
#include "report/words.h"
#include "tool/complain.h"
#include "tool/memory.h"

struct browse {
	const struct report_options *options;
	int (*report)(struct report_options *options);
};

enum {
	VIEW_ASKED,
	VIEW_LINES,
	VIEW_CODE,
	VIEW_MEMORY,
	VIEW_BRANCHES,
	VIEW_MIX,
	VIEW_THREADS,
	VIEW_TOPDOWN,
	VIEW_SHARING
};

static const struct browser_view views[] = {
	[VIEW_ASKED] = {'1', "Functions"},   [VIEW_LINES] = {'2', "Lines"},
	[VIEW_CODE] = {'3', "Code"},         [VIEW_MEMORY] = {'4', "Data"},
	[VIEW_BRANCHES] = {'5', "Branches"}, [VIEW_MIX] = {'6', "Mix"},
	[VIEW_THREADS] = {'7', "Threads"},   [VIEW_TOPDOWN] = {'8', "Slots"},
	[VIEW_SHARING] = {'9', "Sharing"},
};

/* The keys to add up samples by; NULL: those of the command line. */
static const char *const keys[] = {
	[VIEW_LINES] = "srcline,symbol",
	[VIEW_CODE] = "ip,symbol",
	[VIEW_THREADS] = "comm,tid",
	[sizeof(views) / sizeof(*views)] = NULL,
};

static const struct browser_filter filters[] = {
	{'s', PLUMB_KEY_SYMBOL, "function"},
	{'d', PLUMB_KEY_DSO, "file"},
	{'c', PLUMB_KEY_COMM, "command"},
	{'t', PLUMB_KEY_TID, "thread"},
};

/* The options that print a place as text. */
static struct report_options options_for(const struct browse *browse,
					 const struct browser_place *place)
{
	struct report_options options = *browse->options;

	options.stdio = true;
	options.tui = false;
	options.browsed = true;
	if (place->view != VIEW_ASKED) {
		options.sort.count = options.fields.count = 0;
		options.mem = place->view == VIEW_MEMORY;
		options.branch = place->view == VIEW_BRANCHES;
		options.mix = place->view == VIEW_MIX;
		options.topdown = place->view == VIEW_TOPDOWN;
		options.sharing = place->view == VIEW_SHARING;
		options.histogram = options.folded = false;
		options.callers = options.callees = NULL;
	}
	if (keys[place->view])
		options.sort.at[options.sort.count++] = keys[place->view];
	if (place->trees)
		options.call_graph = options.call_graph ? "none" : "";
	if (place->only[PLUMB_KEY_SYMBOL])
		options.from.chosen.symbols = place->only[PLUMB_KEY_SYMBOL];
	if (place->only[PLUMB_KEY_DSO])
		options.from.chosen.dsos = place->only[PLUMB_KEY_DSO];
	if (place->only[PLUMB_KEY_COMM])
		options.from.chosen.comms = place->only[PLUMB_KEY_COMM];
	if (place->only[PLUMB_KEY_TID])
		options.from.chosen.tids = place->only[PLUMB_KEY_TID];
	return options;
}

/* ---- A function -------------------------------------------------------------------------------
 */

/* The words of the plumb annotate that shows the opened function. */
static struct report_words annotate_words(const struct browse *browse,
					  const struct browser_place *place)
{
	const struct report_options options = options_for(browse, place);
	struct report_words words = {0};

	report_annotate_words(&words, &options);
	report_add_words(&words, "--symbol", place->opened);
	return words;
}

/* ---- Pages ------------------------------------------------------------------------------------
 */

static int print(void *user, const struct browser_place *place)
{
	const struct browse *browse = user;
	struct report_options options;

	if (place->opened) {
		struct report_words words = annotate_words(browse, place);
		/* Parsing moves operands, of which there are none. */
		int status = command_annotate.run(&command_annotate, words.count, words.at);

		report_free_words(&words);
		return status;
	}
	options = options_for(browse, place);
	return browse->report(&options);
}

/* Adds an option and its value to a command line. */
static void add(struct shell_line *line, const char *option, const char *value)
{
	if (!value)
		return;
	shell_word(line, option);
	if (*value)
		shell_quoted(line, value);
}

/* Adds the plumb report that prints a place. */
static void add_report(struct shell_line *line, const struct report_options *options)
{
	shell_word(line, "plumb report --stdio");
	add(line, "-i", strcmp(options->from.input, "perf.data") == 0 ? NULL : options->from.input);
	for (unsigned i = 0; i < options->sort.count; i++)
		add(line, "-s", options->sort.at[i]);
	for (unsigned i = 0; i < options->fields.count; i++)
		add(line, "-F", options->fields.at[i]);
	add(line, "--mem", options->mem ? "" : NULL);
	add(line, "--branch", options->branch ? "" : NULL);
	add(line, "--mix", options->mix ? "" : NULL);
	add(line, "--topdown", options->topdown ? "" : NULL);
	add(line, "--sharing", options->sharing ? "" : NULL);
	add(line, "--latency-histogram", options->histogram ? "" : NULL);
	add(line, "--callers", options->callers);
	add(line, "--callees", options->callees);
	add(line, "-g", options->call_graph);
	add(line, "--children", options->children ? "" : NULL);
	add(line, "--no-children", options->no_children ? "" : NULL);
	add(line, "--symbol", options->from.chosen.symbols);
	add(line, "--dsos", options->from.chosen.dsos);
	add(line, "--comms", options->from.chosen.comms);
	add(line, "--tid", options->from.chosen.tids);
	add(line, "--pid", options->from.chosen.pids);
	add(line, "--cpu", options->from.chosen.cpus);
	add(line, "--time", options->from.chosen.time);
	add(line, "--filter", options->from.filter);
	add(line, "--percentage", options->percentage);
}

static char *command(void *user, const struct browser_place *place)
{
	const struct report_options options = options_for(user, place);
	struct output out = {.width = 100000};
	struct shell_line line;
	char *text;
	size_t length;

	out.stream = memory_stream(&text, &length);
	line = shell_line(&out, 0, 0);
	if (place->opened) {
		struct report_words words = annotate_words(user, place);

		shell_word(&line, "plumb");
		/* The last word is the function. Without its arguments there is room for more. */
		for (int i = 0; i < words.count; i++) {
			char *word = i + 1 < words.count ? NULL : name_in_prose(words.at[i], "..");

			shell_quoted(&line, word ? word : words.at[i]);
			free(word);
		}
		report_free_words(&words);
	} else {
		add_report(&line, &options);
	}
	shell_end(&line);
	memory_stream_close(out.stream, &text);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

int report_browse(const struct report_options *options,
		  int (*report)(struct report_options *options))
{
	struct browse browse = {options, report};
	struct browser_view shown[sizeof(views) / sizeof(*views)];
	const struct browser_client client = {
		.views = shown,
		.view_count = sizeof(views) / sizeof(*views),
		.filters = filters,
		.filter_count = sizeof(filters) / sizeof(*filters),
		.open_key = PLUMB_KEY_SYMBOL,
		.address_key = PLUMB_KEY_IP,
		.print = print,
		.command = command,
		.user = &browse,
	};

	memcpy(shown, views, sizeof(views));
	if (options->sort.count || options->fields.count || options->mem || options->branch ||
	    options->mix || options->topdown || options->sharing || options->histogram ||
	    options->callers || options->callees)
		shown[VIEW_ASKED].name = "Report";
	return browser_run(&client);
}

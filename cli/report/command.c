/* SPDX-License-Identifier: Apache-2.0 */
/* The command plumb report: its options, and whether to open the browser. */
#include <stdlib.h>
#include <string.h>

#include "browser/browser.h"
#include "commands.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/join.h"
#include "tool/like_perf.h"
#include "tool/perf_options.h"

/* The browser reads a recording again for each view, so it takes none from a pipe. */
static bool wants_browser(const struct report_options *options)
{
	const char *why;

	return !options->stdio && !options->html && !options->folded && !options->common.json &&
	       !options->csv && !options->common.separator && !options->common.output &&
	       (!options->from.input || strcmp(options->from.input, "-") != 0) &&
	       browser_is_possible(&why);
}

/* Checks what --tui requires. */
static int check_browser(const struct report_options *options)
{
	const char *why;

	if (!options->tui || wants_browser(options))
		return EXIT_FINE;
	if (!browser_is_possible(&why))
		complain("cannot open the browser: %s", why);
	else
		complain("--tui cannot be combined with --stdio, --html, --json, --csv, "
			 "--field-separator, --output, --folded or -i -");
	return EXIT_USAGE;
}

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct report_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) OPTION_ROW_FLAG(struct report_options, l, n, member, text)

static const char *const key_names[] = {
	"symbol",
	"dso",
	"comm",
	"pid",
	"tid",
	"cpu",
	"srcline",
	"srcfile",
	"ip",
	"op",
	"subclass",
	"event",
	"data_source",
	"cache_line",
	"page",
	"offset",
	"inline",
	"group",
	"branch_target",
	"symbol_to",
	"latency",
	"time",
	"access",
	"latency_range",
	"bytes",
	"data_symbol",
	"data_dso",
	"dso_to",
	"srcline_to",
	"mispredict",
	"cycles",
	"snoop",
	"tlb",
	"locked",
	"blocked",
	"physical_address",
	"data_page_size",
	"code_page_size",
	"socket",
	"cgroup",
	"cgroup_id",
	"symbol_size",
	"dso_size",
	NULL,
};
static const char *const field_names[] = {
	"share",
	"children",
	"interval",
	"samples",
	"period",
	"latency",
	"latency_interval",
	"latency_share",
	"latency_p50",
	"latency_p90",
	"latency_p99",
	"issue",
	"issue_p50",
	"issue_p90",
	"issue_p99",
	"translation",
	"translation_p50",
	"translation_p90",
	"translation_p99",
	"l1d_misses",
	"l1d_interval",
	"mispredictions",
	"misprediction_interval",
	"sources",
	"operations",
	"operations_interval",
	"retiring",
	"bad_speculation",
	"frontend_bound",
	"backend_bound",
	"symbol",
	"dso",
	"comm",
	NULL,
};
static const char *const call_graphs[] = {"caller", "callee",  "graph",  "fractal", "folded",
					  "none",   "percent", "period", NULL};

static const char *const percentages[] = {"absolute", "relative", NULL};

static const struct option options[] = {
	OPTION_ROW_INPUT(struct report_options, from.input),
	FLAG_ROW(0, "stdio", stdio, "print text (default, except on a terminal)"),
	FLAG_ROW(0, "tui", tui, "open the browser (default on a terminal)"),
	TEXT_ROW(0, "html", "FILE", html,
		 "write a page with all views to FILE, for any web browser"),
	TEXT_ROW(0, "intervals", "FILE", intervals,
		 "with --html, show counts by interval in the timeline, from plumb stat -I"),
	{
		.letter = 's',
		.name = "sort",
		.kind = OPTION_WORDS,
		.argument = "KEY,...",
		.offset = offsetof(struct report_options, sort),
		.choices = key_names,
		.help = "add up samples by these keys (default: comm,dso,symbol)",
	},
	{
		.letter = 'F',
		.name = "fields",
		.kind = OPTION_WORDS,
		.argument = "COLUMN,...",
		.offset = offsetof(struct report_options, fields),
		.choices = field_names,
		.help = "print these columns: keys, or share, children, interval, samples, "
			"period, latency, l1d_misses, mispredictions, ...; the manual page lists "
			"all",
	},
	{
		.letter = 'e',
		.name = "event",
		.kind = OPTION_WORDS,
		.argument = "EVENT,...",
		.offset = offsetof(struct report_options, events),
		.help = "use only these events of the recording; * and ? match any text",
	},
	FLAG_ROW('n', "show-nr-samples", show_samples,
		 "accepted for perf compatibility: the default columns have the samples"),
	FLAG_ROW(0, "show-total-period", show_periods,
		 "also print how often the event happened; the same as -F +period"),
	FLAG_ROW(0, "topdown", topdown,
		 "show what became of each function's slots, from plumb record --exact or "
		 "--topdown"),
	FLAG_ROW(
		0, "sharing", sharing,
		"show cache lines that several threads use and write, from SPE records or an exact "
		"recording"),
	FLAG_ROW(0, "mem", mem, "show where loads and stores got their data, by function"),
	FLAG_ROW(0, "branch", branch, "show branches, with the share that was mispredicted"),
	FLAG_ROW(0, "mix", mix, "show the mix of operations"),
	TEXT_ROW('w', "column-widths", "WIDTH,...", widths,
		 "set the widths of the columns; 0 fits the contents"),
	{
		.name = "limit",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct report_options, limit),
		.help = "print at most N rows per event",
	},
	TEXT_ROW(0, "percent-limit", "PERCENT", percent_limit,
		 "leave out rows with a smaller share"),
	{
		.name = "percentage",
		.kind = OPTION_TEXT,
		.argument = "WHICH",
		.offset = offsetof(struct report_options, percentage),
		.choices = percentages,
		.help = "print shares of all samples (absolute, the default) or of the chosen "
			"threads, functions or files (relative)",
	},
	{
		.letter = 'g',
		.name = "call-graph",
		.kind = OPTION_MAYBE,
		.argument = "ORDER,PERCENT",
		.offset = offsetof(struct report_options, call_graph),
		.choices = call_graphs,
		.help = "print call trees: ORDER is caller or callee, which comes first; PERCENT "
			"is the least share of a path (default: 0.5)",
	},
	FLAG_ROW('G', "inverted", inverted, "the same as -g caller"),
	{
		.name = "callers",
		.kind = OPTION_TEXT,
		.argument = "FUNCTION",
		.offset = offsetof(struct report_options, callers),
		.help = "print the call paths that lead to FUNCTION",
		.yields = true, /* to perf's --call-graph */
	},
	{
		.name = "callees",
		.kind = OPTION_TEXT,
		.argument = "FUNCTION",
		.offset = offsetof(struct report_options, callees),
		.help = "print the functions that FUNCTION called",
		.yields = true,
	},
	FLAG_ROW(0, "folded", folded,
		 "print call stacks, one per line, each with its number of events, for flame graph "
		 "tools"),
	FLAG_ROW(0, "latency-histogram", histogram,
		 "show the distribution of the latencies of SPE records"),
	FLAG_ROW(0, "children", children,
		 "count samples for all their callers, too (default for recordings with call "
		 "chains)"),
	FLAG_ROW(0, "no-children", no_children, "count samples only where they were taken"),
	TEXT_ROW(0, "time", "START,STOP", from.chosen.time,
		 "use only these times: seconds, or parts such as 10%-20%"),
	TEXT_ROW('c', "comms", "COMM,...", from.chosen.comms, "show only threads with these names"),
	TEXT_ROW(0, "pid", "PID,...", from.chosen.pids, "show only these processes"),
	TEXT_ROW(0, "tid", "TID,...", from.chosen.tids, "show only these threads"),
	TEXT_ROW('C', "cpu", "CPU,...", from.chosen.cpus, "use only these CPUs: 0,2-3"),
	TEXT_ROW('S', "symbols", "SYMBOL,...", from.chosen.symbols,
		 "show only samples in these functions"),
	TEXT_ROW(0, "symbol", "SYMBOL,...", from.chosen.symbols, "the same as --symbols"),
	TEXT_ROW('d', "dsos", "DSO,...", from.chosen.dsos, "show only samples in these files"),
	TEXT_ROW(0, "filter", "TERM,...", from.filter,
		 "use only SPE records and samples that match: load,latency>=100,source=DRAM"),
	TEXT_ROW(0, "itrace", "OPTIONS", from.itrace,
		 "select which samples are synthesized from SPE records (default: each record is "
		 "one sample)"),
	OPTION_ROW_LIKE_PERF(struct report_options, from.like_perf, "use the samples of"),
	TEXT_ROW(0, "symfs", "DIR", from.symfs, "look for the mapped files below DIR"),
	TEXT_ROW(0, "sysroot", "DIR", from.symfs, "the same as --symfs"),
	TEXT_ROW(0, "kallsyms", "FILE", from.kallsyms,
		 "read the recorded kernel's symbols from FILE"),
	TEXT_ROW('k', "vmlinux", "FILE", from.vmlinux,
		 "read the recorded kernel's symbols from this ELF file"),
	OPTION_ROW_CORE(struct report_options, from.core),
	FLAG_ROW(0, "no-demangle", from.no_demangle,
		 "print C++ and Rust names as the linker knows them"),
	FLAG_ROW('f', "force", force, "accepted for perf compatibility; no effect"),
	FLAG_ROW(0, "raw", from.raw, "read bare SPE data without a perf.data file around it"),
	FLAG_ROW(0, "csv", csv, "print CSV, with a header line"),
	TEXT_ROW('t', "field-separator", "SEP", common.separator,
		 "print one line per row, with fields separated by SEP"),
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("print functions with their parameters"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static void print_keys(struct output *out)
{
	const char *name;
	struct join names = {0};
	char *text;

	for (unsigned i = 0; (name = plumb_profile_key_name(i)); i++)
		join_add(&names, name);
	text = join_take(&names);
	help_section(out, "Keys");
	output_wrapped(out, STYLE_PLAIN, 0, 2, text);
	free(text);
}

/* Sets the options that others of perf's stand for. Returns an exit status. */
static int take_shortcuts(struct report_options *values)
{
	struct option_words *fields = &values->fields;

	if (values->show_periods) {
		if (fields->count == sizeof(fields->at) / sizeof(*fields->at)) {
			complain("too many --fields");
			return EXIT_USAGE;
		}
		fields->at[fields->count] = fields->count ? "period" : "+period";
		fields->count++;
	}
	if (values->inverted && values->call_graph && *values->call_graph) {
		complain("--inverted and --call-graph cannot be combined");
		advise("use -g caller,PERCENT");
		return EXIT_USAGE;
	}
	if (values->inverted)
		values->call_graph = "caller";
	return EXIT_FINE;
}

static int run(const struct command *command, int count, char **arguments)
{
	struct report_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status) ||
	    !options_separator(command, &values.common))
		return status;
	/* perf takes the value of -g as a word of its own, too. */
	if (operands.count && values.call_graph && !*values.call_graph) {
		values.call_graph = operands.at[0];
	} else if (operands.count) {
		complain("unexpected argument '%s'", operands.at[0]);
		advise("use -i to name the recording");
		return EXIT_USAGE;
	}
	status = check_browser(&values);
	if (status == EXIT_FINE)
		status = take_shortcuts(&values);
	if (status != EXIT_FINE)
		return status;
	if (!values.from.input)
		values.from.input = READING_DEFAULT_INPUT;
	values.from.input = inputs_recording(values.from.input);
	if (values.intervals && !values.html) {
		complain("--intervals requires --html");
		return EXIT_USAGE;
	}
	if (values.html && !report_check_percentage(&values))
		return EXIT_USAGE;
	if (values.html)
		return report_page(&values, report_run);
	return wants_browser(&values) ? report_browse(&values, report_run) : report_run(&values);
}

const struct command command_report = {
	.path = "plumb report",
	.name = "report",
	.summary = "show where a recording's samples are",
	.most = 1,
	.text = "Adds up the samples of a recording by function, file, thread, line or any other "
		"key. Each share has its 95 % confidence interval, marked with ~ if it overlaps "
		"that "
		"of the row above or below; exact profiles, made by plumb record --exact, have "
		"exact shares.",
	.options = options,
	.perf_twins = perf_options_report,
	.perf_same = perf_same_report,
	.more = print_keys,
	.examples =
		(const struct example[]){
			{"plumb report", "show the functions with the most samples"},
			{"plumb report -s srcline --limit 10", "show ten lines of source"},
			{"plumb report --mem --filter 'load,latency>=100'",
			 "show where slow loads got their data, by function"},
			{"plumb report --no-children -g caller",
			 "show functions with the call paths that lead to them"},
			{"plumb report --html report.html", "write a page to send to others"},
			{0},
		},
	.run = run,
};

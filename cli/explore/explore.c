/* SPDX-License-Identifier: Apache-2.0 */
/* plumb explore: counts and samples a program, and says where it loses its time, and why. */
#include "explore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"
#include "render/report.h"
#include "render/source_text.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/reading.h"
#include "tool/signals.h"
#include "tool/symbols.h"
#include "tool/window.h"

#define AT(member) offsetof(struct explore_options, member)

#define DEFAULT_TIMEOUT_MS 5000 /* of each step, for what has no end */

static const struct option options[] = {
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "DIR",
		.offset = AT(folder),
		.help = "keep the counts, the recording and the findings in this folder, to be "
			"shown again with plumb explore DIR",
	},
	{
		.name = "html",
		.kind = OPTION_TEXT,
		.argument = "FILE",
		.offset = AT(html),
		.help = "also write a page with all views to FILE, for any web browser",
	},
	{
		.name = "intervals",
		.kind = OPTION_TEXT,
		.argument = "FILE",
		.offset = AT(intervals),
		.help = "with --html, show these counts by interval in the timeline instead, from "
			"plumb stat -I",
	},
	{
		.letter = 'p',
		.name = "pid",
		.kind = OPTION_TEXT,
		.argument = "PID,...",
		.offset = AT(pids),
		.help = "explore running processes",
	},
	{
		.letter = 'a',
		.name = "all-cpus",
		.kind = OPTION_FLAG,
		.offset = AT(all_cpus),
		.help = "explore everything that runs on this machine",
	},
	{
		.name = "timeout",
		.kind = OPTION_TEXT,
		.argument = "MS",
		.offset = AT(timeout),
		.help = "end each step after MS milliseconds (default with -p and -a: 5000)",
	},
	{
		.name = "once",
		.kind = OPTION_FLAG,
		.offset = AT(once),
		.help = "run the program only once, on a real CPU as well: sample it while it is "
			"counted, without knowing for what",
	},
	{
		.name = "sampled",
		.kind = OPTION_FLAG,
		.offset = AT(sampled),
		.help = "let the model sample a second run, as a real CPU does, instead of "
			"charging every slot to an instruction",
	},
	OPTION_ROW_SOURCE(AT(source)),
	OPTION_ROW_CPU_OR_CORE,
	OPTION_ROW_PAGE_SIZE(AT(page_size)),
	OPTION_ROW_HUGE_PAGES(AT(huge_pages)),
	OPTION_ROWS_CONDITIONS(AT(conditions)),
	OPTION_ROW_CORE_FILE(AT(core_file)),
	OPTION_ROW_SEED(AT(seed)),
	OPTION_ROW_SYSROOT(AT(sysroot)),
	OPTION_ROW_QEMU(AT(qemu)),
	OPTION_ROW_JSON,
	{
		.name = "log-fd",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct common_options, log_fd),
		.help = "write to this descriptor instead of standard error",
	},
	OPTION_ROW_VERBOSE("show all places, and what is sampled"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	{
		.name = "no-progress",
		.kind = OPTION_FLAG,
		.offset = AT(no_progress),
		.help = "do not show progress",
	},
	OPTION_ROW_HELP,
	{0},
};

/* ---- findings -----------------------------------------------------------------------------------
 */

/* Returns a line of source, to be freed; NULL: it cannot be read. */
static char *source_line(void *user, const char *file, const char *folder, unsigned line)
{
	char *path = *file == '/' || !folder ? memory_copy(file, strlen(file))
					     : memory_format("%s/%s", folder, file);
	size_t length;
	const char *text = source_text_line(user, path, line, &length);

	free(path);
	return text ? memory_copy(text, length) : NULL;
}

/* Adds the recording's samples to the findings. */
static int add_samples(struct plumb_findings_maker *maker, struct reading *reading)
{
	struct plumb_samples *samples = reading_begin(reading);
	const struct plumb_samples_item *item;
	int status;

	while ((status = plumb_samples_next(samples, &item)) > 0)
		if (plumb_findings_maker_add(maker, item) < 0)
			memory_given(NULL);
	reading_end(reading, samples);
	return status;
}

/* Says that the program failed, in a text to free; NULL: it did not, or by our own signals. */
static char *failure_of(const struct exploration *e)
{
	const char *program = e->argv[0];

	if (!program || e->interrupted || !e->exit_status)
		return NULL;
	if (e->signal)
		return memory_format(
			"signal %d (%s) ended %s: the findings are those of a failed run",
			e->signal, strsignal(e->signal), program);
	return memory_format("%s failed, with exit status %d: the findings are those of a failed "
			     "run",
			     program, e->exit_status);
}

/* Returns all distinct warnings after `first`, ended by NULL; free the list. */
static const char **warnings_of(const struct plumb_diagnostics *diagnostics, const char *first)
{
	const size_t all = plumb_diagnostics_count(diagnostics);
	const char **list = memory_resize(NULL, all + 2, sizeof(*list));
	size_t count = 0;

	if (first)
		list[count++] = first;
	for (size_t i = 0; i < all; i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);
		bool known = d->severity != PLUMB_WARNING;

		for (size_t k = 0; k < count; k++)
			known = known || strcmp(list[k], d->message) == 0;
		if (!known)
			list[count++] = d->message;
	}
	list[count] = NULL;
	return list;
}

/* Makes the findings from the diagnosis, and from the recording if there is one. */
static int find(struct exploration *e, struct plumb_findings **findings)
{
	const struct reading_options from = {.input = e->path};
	struct reading reading = {.options = &from};
	char *failure = failure_of(e);
	const char **warnings = warnings_of(e->diagnostics, failure);
	struct source_text *texts = source_text_new();
	char *tie = report_tie_text(e->limit_cycles);
	struct plumb_finding_interval *intervals = explore_list_intervals(e);
	const struct plumb_findings_options how = {
		.size = sizeof(how),
		.counted = e->counted,
		.diagnosed = e->diagnosis,
		.source = plumb_source_name(e->machine->source),
		.label = e->machine->label,
		.cpu = e->machine->spec->product.name,
		.midr = plumb_source_midr(e->machine->source),
		.command = (const char *const *)e->argv,
		.target = e->target,
		.seconds = e->seconds,
		.runs = e->runs,
		.exit_status = e->exit_status,
		.signal = e->signal,
		.interrupted = e->interrupted,
		.warnings = warnings,
		.recording = e->recorded && e->options->folder ? PLUMB_FOLDER_RECORDING : NULL,
		.source_line = source_line,
		.user = texts,
		.tie = tie,
		.intervals = intervals,
		.interval_count = e->intervals.count};
	struct plumb_findings_maker *maker;
	int status = EXIT_FINE;

	reading.diagnostics = memory_given(plumb_diagnostics_new());
	reading.samples.size = sizeof(reading.samples);
	reading.samples.order = PLUMB_ORDER_TASKS;
	reading.samples.each_record_once = true;
	if (e->recorded)
		status = reading_open(&reading, NULL);
	if (e->recorded && status == EXIT_FINE)
		reading_symbols(&reading, false);
	if (status == EXIT_FINE) {
		if (plumb_findings_maker_new(&how, reading.recording, reading.symbols, &maker) < 0)
			memory_given(NULL);
		/* Half of the samples would show other places, or none. */
		if (e->recorded && add_samples(maker, &reading) == PLUMB_ERR_NO_MEMORY)
			memory_given(NULL);
		if (plumb_findings_maker_finish(maker, findings) < 0)
			memory_given(NULL);
		plumb_findings_maker_free(maker);
	}
	source_text_free(texts);
	status = reading_close(&reading, status);
	free(warnings);
	free(failure);
	free(intervals);
	free(tie);
	return status;
}

/* ---- the recording's file -----------------------------------------------------------------------
 */

const char *explore_scratch_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* Opens a file that nobody sees, for a recording that is not kept. */
static int open_scratch(struct exploration *e)
{
	const char *folder = explore_scratch_folder();

	e->scratch = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (e->scratch < 0) {
		e->path = memory_format("%s/plumb-explore-XXXXXX", folder);
		e->scratch = mkostemp(e->path, O_CLOEXEC);
		if (e->scratch < 0) {
			complain("cannot create a temporary file in %s: %s", folder,
				 strerror(errno));
			advise("set TMPDIR to a folder for temporary files, or use -o DIR");
			return EXIT_OTHER;
		}
		unlink(e->path);
		free(e->path);
	}
	e->path = memory_format("/proc/self/fd/%d", e->scratch);
	return EXIT_FINE;
}

/* Prepares where the recording goes. Earlier results of the folder are replaced. */
static int prepare(struct exploration *e)
{
	static const char *const names[] = {PLUMB_FOLDER_FINDINGS, PLUMB_FOLDER_COUNTS,
					    PLUMB_FOLDER_INTERVALS, PLUMB_FOLDER_RECORDING};
	int status;

	if (!e->options->folder)
		return open_scratch(e);
	status = explore_check_folder(e->options->folder);
	for (size_t i = 0; status == EXIT_FINE && i < sizeof(names) / sizeof(*names); i++) {
		char *path = memory_format("%s/%s", e->options->folder, names[i]);

		if (inputs_refuse(path)) {
			status = EXIT_USAGE;
		} else if (file_remove(path) < 0 && errno != ENOENT) {
			complain("cannot replace %s: %s", path, strerror(errno));
			status = EXIT_USAGE;
		}
		if (strcmp(names[i], PLUMB_FOLDER_RECORDING) == 0)
			e->path = path;
		else
			free(path);
	}
	return status;
}

/* ---- the command
 * --------------------------------------------------------------------------------- */

static void say_which(const struct exploration *e)
{
	const struct machine *machine = e->machine;

	if (!machine->why || e->options->common.json)
		return;
	if (plumb_source_label(machine->source))
		complain("exploring with the %s of a %s: %s", plumb_source_label(machine->source),
			 machine->spec->product.name, machine->why);
	else
		complain("exploring on this machine's %s: %s", machine->spec->product.name,
			 machine->why);
}

static int print(struct exploration *e, const struct plumb_findings *findings,
		 const struct findings_again *again)
{
	struct output out;
	int status = output_open_beside(&out, &e->options->common);

	if (status != EXIT_FINE)
		return status;
	status = explore_print(&out, e->options, findings, e->options->folder, again);
	return output_close(&out, status == EXIT_FINE ? e->exit_status : status);
}

static int explore(struct exploration *e)
{
	struct plumb_findings *findings = NULL;
	struct explore_again again = {0};
	int status = prepare(e), paged = EXIT_FINE;

	if (status == EXIT_FINE) {
		say_which(e);
		status = explore_measure(e);
	}
	if (status == EXIT_FINE)
		status = find(e, &findings);
	if (status == EXIT_FINE && e->options->folder)
		status = explore_keep(e, findings);
	if (status == EXIT_FINE)
		explore_find_again(e, &again);
	if (status == EXIT_FINE && e->options->html)
		paged = explore_write_page(e->options, e, findings, e->options->folder,
					   &again.given);
	/* Without its page, what a long run has found is printed even so. */
	if (status == EXIT_FINE)
		status = print(e, findings, &again.given);
	if (paged != EXIT_FINE)
		status = paged;
	plumb_findings_free(findings);
	explore_free_again(&again);
	/* A recording alone would make the folder a foreign one. */
	if (status != EXIT_FINE && !e->any && e->options->folder && e->recorded)
		file_remove(e->path);
	if (e->early) {
		signals_end_early();
		complain("a signal ended QEMU before the program began");
	} else if (e->any && status == e->exit_status) {
		signals_end(e->signal);
	}
	return status;
}

static bool check(const struct explore_options *values, bool program, bool model)
{
	const bool others = values->pids || values->all_cpus;

	if (!program && !others)
		complain("missing PROGRAM, DIR, --pid or --all-cpus");
	else if (program && others)
		complain("--pid and --all-cpus cannot be combined with a program");
	else if (values->pids && values->all_cpus)
		complain("--pid and --all-cpus cannot be combined");
	else if (values->source == SOURCE_MODEL && others)
		complain("--pid and --all-cpus require perf: the model explores only the program "
			 "that it runs");
	else if (model && values->timeout && !values->sampled)
		complain("--timeout requires --sampled, --pid or --all-cpus: an exact profile "
			 "covers the whole run");
	else if (values->once && values->sampled)
		complain("--once and --sampled cannot be combined");
	else
		return true;
	advise("see plumb explore --help");
	return false;
}

/* Returns whether the only operand is a folder, to be shown. */
static bool is_folder(const struct operands *operands)
{
	struct stat status;

	return operands->count == 1 && stat(operands->at[0], &status) == 0 &&
	       S_ISDIR(status.st_mode);
}

/* Returns whether the operands are no earlier results, or are shown with the right words. */
static bool check_operands(const struct explore_options *values, const struct operands *operands)
{
	const char *path = operands->count == 1 ? operands->at[0] : "";
	const char *slash = strrchr(path, '/');

	if (is_folder(operands)) {
		complain("--output requires a program, but %s is a folder", path);
		advise("show its findings without --output");
		return false;
	}
	if (!values->folder && strcmp(slash ? slash + 1 : path, PLUMB_FOLDER_FINDINGS) == 0 &&
	    access(path, X_OK) != 0) {
		complain("%s: not a program", path);
		advise("name the folder to show its findings");
		return false;
	}
	return true;
}

static bool read_values(struct exploration *e)
{
	const struct explore_options *values = e->options;
	const struct window_options part = {.timeout = values->timeout};
	struct plumb_window window;

	if (!list_read("pid", values->pids, false, &e->pids) || !window_read(&part, false, &window))
		return false;
	e->timeout_ms = window.timeout_ms;
	if (!*e->argv && !e->timeout_ms)
		e->timeout_ms = DEFAULT_TIMEOUT_MS;
	if (values->pids)
		e->target = memory_format("process%s %s", strchr(values->pids, ',') ? "es" : "",
					  values->pids);
	else if (values->all_cpus)
		e->target = memory_format("all CPUs");
	return true;
}

static int run_exploration(struct exploration *e)
{
	const struct explore_options *values = e->options;
	struct machine_wish wish = {
		.source = *e->argv ? values->source : SOURCE_PERF,
		.cpu = values->common.cpu,
		.sysroot = values->sysroot,
		.qemu = values->qemu,
		.page_size = values->page_size,
		.huge_pages = values->huge_pages,
		.conditions = values->conditions,
		.core_file = values->core_file,
	};
	int status;

	if (!machine_read_seed(values->seed, &wish.seed))
		return EXIT_USAGE;
	status = machine_open(e->machine, &wish, e->argv);
	if (status == EXIT_FINE && !e->machine->spec) {
		complain("this machine has no Arm PMU");
		advise("use --source model, which explores programs on any machine");
		status = EXIT_UNABLE;
	}
	if (status == EXIT_FINE && !check(values, *e->argv, e->machine->core))
		status = EXIT_USAGE;
	if (status == EXIT_FINE)
		status = machine_check_program(e->machine, !*e->argv);
	/* Only now the program's file is known. */
	if (status == EXIT_FINE && values->html && inputs_refuse(values->html))
		status = EXIT_USAGE;
	return status == EXIT_FINE ? explore(e) : status;
}

static int run(const struct command *command, int count, char **arguments)
{
	struct explore_options values = {0};
	struct machine machine = {0};
	struct exploration e = {.options = &values, .machine = &machine, .scratch = -1};
	struct operands operands;
	char name[] = "plumb";
	char **all = memory_resize(NULL, (size_t)count + 2, sizeof(*all));
	int status;

	/* Parsing reorders the arguments, so keep a copy for the recording. */
	all[0] = name;
	for (int i = 0; i < count; i++)
		all[i + 1] = arguments[i];
	all[count + 1] = NULL;
	e.words = all;
	if (!options_parse(command, count, arguments, &values, &operands, &status)) {
		free(all);
		return status;
	}
	operands.at[operands.count] = NULL;
	e.argv = operands.at;
	e.diagnostics = memory_given(plumb_diagnostics_new());
	if (is_folder(&operands) && !values.folder)
		status = explore_show_folder(&values, operands.at[0]);
	else if (!check_operands(&values, &operands) ||
		 !check(&values, operands.count > 0, false) || !read_values(&e) ||
		 output_check_descriptor(&values.common) != EXIT_FINE ||
		 explore_check_page(&values) != EXIT_FINE)
		status = EXIT_USAGE;
	else
		status = run_exploration(&e);
	plumb_diagnosis_free(e.diagnosis);
	plumb_result_free(e.counted);
	plumb_plan_free(e.plan);
	plumb_selection_free(e.selection);
	plumb_diagnostics_free(e.diagnostics);
	machine_close(&machine);
	if (e.scratch >= 0)
		close(e.scratch);
	explore_free_intervals(&e.intervals);
	free(e.pids.at);
	free(e.target);
	free(e.path);
	free(e.events);
	free(all);
	return status;
}

const struct command command_explore = {
	.path = "plumb explore",
	.name = "explore",
	.summary = "find out where a program loses its time, and why",
	.operands = "[PROGRAM [ARGUMENT]... | DIR]",
	.most = OPERANDS_ANY,
	.runs = true,
	.text = "Counts, reads the diagnosis, samples what it leads to, and says in words where "
		"the program loses its time, and why: the causes by what can be won, each with "
		"its lines of source, its data, and what usually helps.\n\n"
		"The model does all of that in one run of the program, and charges every slot to "
		"an instruction. A real CPU counts in one run and samples in the next; --once "
		"forbids that.\n\n"
		"Results go to standard error, as with plumb stat, and standard output belongs to "
		"the program. The exit status is the program's. Ctrl-C prints what is known so "
		"far. With a folder that -o made, prints its findings again, on any machine.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb explore ./program", "find what the program waits for, and where"},
			{"plumb explore -o results -- ./program --its-option",
			 "keep counts, recording and findings"},
			{"plumb explore results", "show them again"},
			{"plumb explore --html page.html results",
			 "write a page to send to others"},
			{"plumb explore -p 1234", "explore a running process"},
			{0},
		},
	.run = run,
};

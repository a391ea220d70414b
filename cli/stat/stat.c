/* SPDX-License-Identifier: Apache-2.0 */
/* plumb stat: runs a program, counts events, and diagnoses what limits its performance. */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "render/output.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/other_options.h"
#include "tool/perf_options.h"

#define DIGITS "0123456789"

static const char *const collections[] = {"metric", "group", "none", NULL};

/* Returns the name of the i-th part of --what-if; the last of the model's stands for all of them.
 */
static const char *what_if_name(size_t i)
{
	return plumb_model_what_if(i) && plumb_model_what_if(i + 1) ? plumb_model_what_if(i)->name
								    : NULL;
}

static const struct option options[] = {
	OPTION_ROW_SOURCE(offsetof(struct stat_options, source)),
	OPTION_ROW_CPU_OR_CORE,
	OPTION_ROWS_SELECTING(struct stat_options, selecting, "count"),
	{
		.letter = 'e',
		.name = "event",
		.kind = OPTION_WORDS,
		.argument = "EVENT|METRIC,...",
		.offset = offsetof(struct stat_options, events),
		.help = "count these events, as perf spells them, and metrics: see plumb-events(7)",
	},
	{
		.letter = 'a',
		.name = "all-cpus",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, all_cpus),
		.help = "count everything on all CPUs, until Ctrl-C or for as long as a program "
			"runs",
	},
	{
		.letter = 'C',
		.name = "cpus",
		.kind = OPTION_TEXT,
		.argument = "CPU,...",
		.offset = offsetof(struct stat_options, cpus),
		.help = "count everything on these CPUs, such as 0-3,8; with -p or -t, only there",
	},
	{
		.letter = 'p',
		.name = "pid",
		.kind = OPTION_TEXT,
		.argument = "PID,...",
		.offset = offsetof(struct stat_options, pids),
		.help = "count running processes, until they end",
	},
	{
		.letter = 't',
		.name = "tid",
		.kind = OPTION_TEXT,
		.argument = "TID,...",
		.offset = offsetof(struct stat_options, tids),
		.help = "count running threads, until they end",
	},
	{
		.letter = 'G',
		.name = "for-each-cgroup",
		.kind = OPTION_TEXT,
		.argument = "CGROUP,...",
		.offset = offsetof(struct stat_options, cgroups),
		.help = "count each of these control groups, on all CPUs or those of -C",
	},
	{
		.letter = 'i',
		.name = "no-inherit",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, no_inherit),
		.help = "leave out threads that start while counting",
	},
	{
		.letter = 'A',
		.name = "no-aggr",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, no_aggregation),
		.help = "with -a, -C or -G, also print the counts of each CPU",
	},
	{
		.name = "per-core",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, per_core),
		.help = "also print the counts of each core",
	},
	{
		.name = "per-socket",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, per_socket),
		.help = "also print the counts of each socket",
	},
	{
		.name = "per-node",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, per_node),
		.help = "also print the counts of each NUMA node",
	},
	{
		.name = "per-thread",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, per_thread),
		.help = "with -p or -t, also print the counts of each thread",
	},
	{
		.name = "control",
		.kind = OPTION_TEXT,
		.argument = "CHANNEL",
		.offset = offsetof(struct stat_options, control),
		.help = "obey the commands enable, disable, stop and ping from fd:N or fifo:FILE; "
			"with a second name, after a comma, acknowledge them there",
	},
	{
		.name = "all-user",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, all_user),
		.help = "count the events of -e in user code only, whatever their modifiers say",
	},
	{
		.name = "all-kernel",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, all_kernel),
		.help = "count the events of -e in the kernel only, whatever their modifiers say",
	},
	{
		.name = "collect-by",
		.kind = OPTION_CHOICE,
		.argument = "WHAT",
		.offset = offsetof(struct stat_options, collect_by),
		.choices = collections,
		.help = "count together the events of each metric (metric, the default), of "
			"each group (group), or let each event be on its own (none)",
	},
	{
		.name = "no-multiplex",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, no_multiplex),
		.help = "run the program once per group of events, instead of letting the groups "
			"take turns",
	},
	{
		.letter = 'I',
		.name = "interval-print",
		.kind = OPTION_NUMBER,
		.argument = "MS",
		.offset = offsetof(struct stat_options, interval_ms),
		.help = "print the counts every MS milliseconds (of the model's time, with the "
			"model)",
	},
	{
		.name = "interval-count",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct stat_options, interval_count),
		.help = "with -I, stop after N intervals",
	},
	{
		.name = "summary-only",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, summary_only),
		.help = "with -I, print only the totals, with the range over the intervals",
	},
	OPTION_ROW_DELAY(struct stat_options, window),
	OPTION_ROWS_WINDOW(struct stat_options, window),
	{
		.letter = 'r',
		.name = "repeat",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct stat_options, repeat),
		.help = "run the program N times; print the mean, the lowest and the highest value",
	},
	{
		.name = "what-if",
		.kind = OPTION_LIST,
		.argument = "PART,...",
		.offset = offsetof(struct stat_options, what_if),
		.choice = what_if_name,
		.help = "estimate how much faster the program would be with these parts of the "
			"core perfect (default: each of them); the model only",
	},
	{
		.name = "sampled",
		.kind = OPTION_MAYBE,
		.argument = "ERROR",
		.offset = offsetof(struct stat_options, sampled),
		.help = "model parts of a long program, and estimate its counts from them, with "
			"the cycles within ERROR percent (default: 2); off: never do that; the "
			"model only",
	},
	{
		.name = "sampled-after",
		.kind = OPTION_TEXT,
		.argument = "N",
		.offset = offsetof(struct stat_options, sampled_after),
		.help = "model the first N instructions in full, and sample the rest: 500M "
			"(default: 1G, or 2M with --sampled)",
	},
	OPTION_ROW_JSON,
	{
		.name = "csv",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, csv),
		.help = "print CSV: one row per metric of each group, and per event",
	},
	{
		.letter = 'x',
		.name = "field-separator",
		.kind = OPTION_TEXT,
		.argument = "SEP",
		.offset = offsetof(struct common_options, separator),
		.help = "print lines as perf stat -x does, with fields separated by SEP",
	},
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "FILE",
		.offset = offsetof(struct common_options, output),
		.help = "write to FILE instead of standard error; - is standard output",
	},
	{
		.name = "append",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct common_options, append),
		.help = "with -o, append to FILE instead of replacing it",
	},
	{
		.name = "log-fd",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct common_options, log_fd),
		.help = "write to this descriptor instead of standard error",
	},
	OPTION_ROW_SYSROOT(offsetof(struct stat_options, sysroot)),
	OPTION_ROW_SEED(offsetof(struct stat_options, seed)),
	OPTION_ROW_PAGE_SIZE(offsetof(struct stat_options, page_size)),
	OPTION_ROW_HUGE_PAGES(offsetof(struct stat_options, huge_pages)),
	OPTION_ROWS_CONDITIONS(offsetof(struct stat_options, conditions)),
	OPTION_ROW_CORE_FILE(offsetof(struct stat_options, core_file)),
	OPTION_ROW_REFERENCE(offsetof(struct stat_options, reference)),
	OPTION_ROW_HOST_THREADS(offsetof(struct stat_options, host_threads)),
	OPTION_ROW_QEMU(offsetof(struct stat_options, qemu)),
	{
		.name = "children",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, children),
		.help = "also count the processes that the program forks",
	},
	OPTION_ROW_VERBOSE("show all nodes and groups, and the counts of their events"),
	OPTION_ROW_COLOR,
	{
		.name = "no-progress",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct stat_options, no_progress),
		.help = "do not show progress",
	},
	OPTION_ROW_HELP,
	{0},
};

static bool is_stdout(const struct stat_options *values)
{
	return strcmp(values->common.output, "-") == 0;
}

/* Rejects options that cannot be combined. */
static bool check(const struct command *command, const struct stat_options *values)
{
	int formats = values->common.json + values->csv + (values->common.separator != NULL);

	if (formats > 1)
		complain("--json, --csv and --field-separator cannot be combined");
	else if (values->interval_ms && values->repeat > 1)
		complain("--interval-print and --repeat cannot be combined");
	else if (values->interval_count && !values->interval_ms)
		complain("--interval-count requires --interval-print");
	else if (values->summary_only && !values->interval_ms)
		complain("--summary-only requires --interval-print");
	else if (values->interval_count && values->window.timeout)
		complain("--interval-count and --timeout cannot be combined");
	else if (values->all_user && values->all_kernel)
		complain("--all-user and --all-kernel cannot be combined");
	else if (values->common.output && values->common.log_fd)
		complain("--output and --log-fd cannot be combined");
	else if (values->common.append && (!values->common.output || is_stdout(values)))
		complain("--append requires --output FILE");
	else if (values->interval_ms && values->no_multiplex)
		complain("--interval-print and --no-multiplex cannot be combined");
	else if (machine_check_host_threads(values->host_threads))
		return true;
	advise("see %s --help", command->path);
	return false;
}

/* topdown-tool's --core has a list of CPUs. */
static bool check_core_file(const struct stat_options *values)
{
	if (!values->core_file || !cpus_is_list(values->core_file))
		return true;
	complain("--core: %s is a list of CPUs, not a core file", values->core_file);
	advise("topdown-tool's --core is -C CPU,...");
	return false;
}

static void advise_what_if(void)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; what_if_name(i); i++)
		join_add(&names, what_if_name(i));
	text = join_take(&names);
	advise("use one of %s", text);
	free(text);
}

/* Reads the list of --what-if. Prints an error and returns false if a part is unknown. */
static bool read_what_if(struct stat_options *values)
{
	const char *text = values->what_if, *name;
	size_t length;

	if (!text)
		return true;
	if (!*text) {
		values->what_if_parts = UINT32_MAX;
		return true;
	}
	for (;; text += length + 1) {
		size_t i = 0;

		length = strcspn(text, ",");
		while ((name = what_if_name(i)) &&
		       (strlen(name) != length || strncmp(name, text, length) != 0))
			i++;
		if (!name) {
			complain("invalid value '%.*s' for --what-if", (int)length, text);
			advise_what_if();
			return false;
		}
		values->what_if_parts |= 1u << i;
		if (!text[length])
			return true;
	}
}

/* Turns --interval-count into the time that so many intervals take. */
static bool limit_intervals(struct stat_options *values)
{
	if (!values->interval_count)
		return true;
	if (!__builtin_mul_overflow(values->interval_count, values->interval_ms,
				    &values->counted.timeout_ms) &&
	    values->counted.timeout_ms <= INT_MAX)
		return true;
	complain("%u intervals of %u ms are too long: at most %d ms are supported",
		 values->interval_count, values->interval_ms, INT_MAX);
	return false;
}

int stat_plan(const struct stat_options *values, const struct machine *machine,
	      const struct plumb_selection *selection, struct plumb_plan **plan)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct plumb_plan_options how = {
		.size = sizeof(how),
		.collect_by = (enum plumb_collect_by)values->collect_by,
	};
	int error, status = EXIT_FINE;

	plumb_source_fill_plan_options(machine->source, &how);
	error = plumb_plan_new(selection, &how, plan, diagnostics);
	if (error < 0)
		status = machine_complain(diagnostics, "-e", error);
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* perf's -n takes no value, and wperf's takes a number: what follows it was taken for a node. */
static void advise_null(const struct stat_options *values)
{
	const char *node = values->selecting.node;

	if (node && *node && !node[strspn(node, DIGITS)])
		advise("wperf's -n is --interval-count N");
	/* No node is called like this. */
	if (node && !strchr(node, '_'))
		advise("-n NODE is a node of the tree; perf's -n is unsupported: -e task-clock "
		       "counts next to nothing");
}

/* perf stat has commands of its own, which were taken for programs, as were others' values. */
static void advise_command(const struct stat_options *values, const char *program)
{
	if (values->no_inherit && !program[strspn(program, DIGITS)])
		advise("topdown-tool's and wperf's -i is -I MS");
	else if (values->csv && !values->common.output)
		advise("topdown-tool's --csv FILE is --csv -o FILE");
	if (strcmp(program, "record") == 0)
		advise("perf's stat record is plumb stat --json -o FILE");
	else if (strcmp(program, "report") == 0)
		advise("perf's stat report is plumb import FILE, for what perf stat -j or -x "
		       "printed");
}

static int run(const struct command *command, int count, char **arguments)
{
	struct stat_options values = {0};
	struct machine machine = {0};
	struct stat_selection selected = {0};
	struct stat_types types = {.count = 0};
	struct option_words events; /* as given; a type takes those that it has */
	struct plumb_plan *plan = NULL;
	struct machine_wish wish;
	struct operands operands;
	uint64_t seed = 0;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	/* perf's --cpu is our --cpus. */
	if (values.common.cpu && !values.cpus && cpus_is_list(values.common.cpu)) {
		values.cpus = values.common.cpu;
		values.common.cpu = NULL;
	}
	if (!check(command, &values) || !check_core_file(&values) || !read_what_if(&values) ||
	    !stat_read_sampled(&values) || !window_read(&values.window, true, &values.counted) ||
	    !limit_intervals(&values) || !machine_read_seed(values.seed, &seed) ||
	    !options_separator(command, &values.common) ||
	    output_check_descriptor(&values.common) != EXIT_FINE)
		return EXIT_USAGE;
	if (!stat_read_targets(&values, operands.count > 0)) {
		advise_null(&values);
		stat_targets_free(&values.targets);
		return EXIT_USAGE;
	}
	/* End the program's arguments with NULL, as exec needs. */
	operands.at[operands.count] = NULL;
	wish = (struct machine_wish){
		.source = values.source,
		.cpu = values.common.cpu,
		.sysroot = values.sysroot,
		.qemu = values.qemu,
		.seed = seed,
		.what_if = values.what_if_parts,
		.page_size = values.page_size,
		.huge_pages = values.huge_pages,
		.conditions = values.conditions,
		.reference = values.reference,
		.host_threads = values.host_threads,
		.core_file = values.core_file,
		.software = machine_only_software(&values.events, values.source, false) &&
			    !selecting_is_given(&values.selecting),
	};
	status = machine_open(&machine, &wish, operands.at);
	if (status == EXIT_NO_PROGRAM)
		advise_command(&values, operands.at[0]);
	if (status == EXIT_FINE && values.what_if && !machine.core) {
		complain("--what-if requires the model: this machine's PMU counts a real core");
		advise("add --source model");
		status = EXIT_USAGE;
	}
	if (status == EXIT_FINE && !stat_sampled_suits(&values, machine.core != NULL))
		status = EXIT_USAGE;
	if (status == EXIT_FINE && !stat_open_control(&values, machine.core != NULL))
		status = EXIT_USAGE;
	if (status == EXIT_FINE)
		status = output_check_beside(&values.common);
	events = values.events;
	if (status == EXIT_FINE)
		stat_find_types(&values, &machine, &types);
	if (status == EXIT_FINE)
		status = stat_select(&values, &machine, &selected);
	if (status == EXIT_USAGE && !selected.selection)
		advise_null(&values);
	if (status == EXIT_FINE)
		status = stat_plan(&values, &machine, selected.selection, &plan);
	if (status == EXIT_FINE)
		status = stat_plan_types(&values, &events, &machine, &types);
	if (status == EXIT_FINE)
		status = stat_run(&values, &machine, plan, &types, operands.at, selected.brief);
	stat_free_types(&types);
	plumb_plan_free(plan);
	stat_selection_free(&selected);
	machine_close(&machine);
	stat_targets_free(&values.targets);
	return status;
}

const struct command command_stat = {
	.path = "plumb stat",
	.name = "stat",
	.summary = "run a program and diagnose what limits its performance",
	.operands = "[PROGRAM [ARGUMENT]...]",
	.most = OPERANDS_ANY,
	.runs = true,
	.text = "Runs a program and counts PMU events, on this machine's Arm PMU or with a model "
		"of a core. The model runs any AArch64 Linux program on any machine. Prints the "
		"top-down analysis: where the time goes, what that means, and what to look at "
		"next.\n\n"
		"-p, -t, -a, -C and -G count what is already running; they require perf. A program "
		"then only sets how long to count; without one, stop with Ctrl-C or --timeout.\n\n"
		"Results go to standard error, as with perf stat, or to the file that -o names. "
		"Standard output belongs to the program. The exit status is the program's.\n\n"
		"By default both stages are counted; the text shows only the groups of stage 2 "
		"that the diagnosis leads to. JSON and CSV contain everything.",
	.options = options,
	.perf_twins = perf_options_stat,
	.others = other_options_stat,
	.examples =
		(const struct example[]){
			{"plumb stat ./program", "diagnose what limits the program's performance"},
			{"plumb stat --json -o result.json -- ./program --its-option",
			 "write the results as JSON to a file"},
			{"plumb stat --what-if ./program",
			 "estimate what removing each bottleneck would gain"},
			{"plumb stat --sampled ./program",
			 "estimate the figures of a long program from parts of it"},
			{"plumb stat -p 1234 --timeout 5000",
			 "diagnose a running process for five seconds"},
			{"plumb stat -a -A -e task-clock -- sleep 1",
			 "count on each CPU for a second"},
			{"plumb stat -I 10 ./program", "print the figures every 10 ms"},
			{"plumb stat -m Operation_Mix -e L1D_CACHE,r08 ./program",
			 "count a metric group and two events"},
			{0},
		},
	.run = run,
};

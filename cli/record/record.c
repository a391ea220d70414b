/* SPDX-License-Identifier: Apache-2.0 */
/* plumb record: samples a program, or running processes, into a perf.data file. */
#include "record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "tool/clocks.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/other_options.h"
#include "tool/perf_options.h"

#define AT(member) offsetof(struct record_options, member)

/* Common values of -e, which completions offer in addition to PMU events. */
static const char *const common_events[] = {
	"spe",
	"spe/load/",
	"spe/store/",
	"spe/branch/",
	"spe/llc-miss/",
	"cpu-clock",
	"task-clock",
	"page-faults",
	"context-switches",
	"cycles",
	"instructions",
	"cache-misses",
	"branch-misses",
	NULL,
};
static const char *const call_graphs[] = {"fp", "dwarf", NULL};
static const char *const switches[] = {"signal", NULL};
/* As in units.c; completions offer them. */
static const char *const branch_kinds[] = {"any",     "any_call", "any_ret", "call", "ind_call",
					   "ind_jmp", "cond",     "u",       "k",    NULL};

static const struct option options[] = {
	{
		.letter = 'e',
		.name = "event",
		.kind = OPTION_WORDS,
		.argument = "EVENT,...",
		.offset = AT(events),
		.choices = common_events,
		.help = "sample these events: spe, spe/load,min_latency=100/, a PMU event by name "
			"or code, a software event; {A,B} is a group, A:u samples user code only",
	},
	{
		.letter = 'c',
		.name = "count",
		.kind = OPTION_TEXT,
		.argument = "N",
		.offset = AT(period),
		.help = "take a sample every N operations (SPE) or events; 10k is 10,000",
	},
	{
		.letter = 'F',
		.name = "freq",
		.kind = OPTION_TEXT,
		.argument = "HZ",
		.offset = AT(frequency),
		.help = "take HZ samples per second, or as many as the kernel allows (max); not "
			"supported for SPE",
	},
	{
		.name = "strict-freq",
		.kind = OPTION_FLAG,
		.offset = AT(strict_frequency),
		.help = "accepted for perf compatibility: -F above the kernel's limit is always an "
			"error",
	},
	{
		.name = "exact",
		.kind = OPTION_FLAG,
		.offset = AT(exact),
		.help = "charge every slot, cycle and miss of the model to an instruction and its "
			"callers, instead of sampling",
	},
	{
		.name = "sampled",
		.kind = OPTION_MAYBE,
		.argument = "ERROR",
		.offset = AT(sampled),
		.help = "model only windows of a long program: SPE samples there; --exact "
			"estimates "
			"the rest, to ERROR percent of the cycles (default: 2)",
	},
	{
		.name = "topdown",
		.kind = OPTION_FLAG,
		.offset = AT(topdown),
		.help = "sample cycles with the counts of top-down's first level, for plumb report "
			"--topdown",
	},
	{
		.name = "strobe",
		.kind = OPTION_MAYBE,
		.argument = "CYCLES",
		.offset = AT(strobe),
		.help = "with --topdown, sample in pairs CYCLES apart, and take the metrics of "
			"functions from the windows between (default: 200 with the model; off "
			"with perf, where --strobe alone means 300)",
	},
	{
		.name = "all-user",
		.kind = OPTION_FLAG,
		.offset = AT(all_user),
		.help = "sample user code only, whatever the events' modifiers say",
	},
	{
		.name = "all-kernel",
		.kind = OPTION_FLAG,
		.offset = AT(all_kernel),
		.help = "sample the kernel only, whatever the events' modifiers say",
	},
	{
		.letter = 'g',
		.name = "callchains",
		.kind = OPTION_FLAG,
		.yields = true, /* perf has no such name, and people type --call */
		.offset = AT(callchains),
		.help = "record call chains using frame pointers",
	},
	{
		.name = "call-graph",
		.kind = OPTION_TEXT,
		.argument = "MODE",
		.offset = AT(call_graph),
		.choices = call_graphs,
		.help = "record call chains: fp uses frame pointers, as -g; dwarf[,BYTES] copies "
			"the stack (default: 8192 bytes), to be unwound later; the model takes "
			"only fp",
	},
	{
		.letter = 'b',
		.name = "branch-any",
		.kind = OPTION_FLAG,
		.offset = AT(branches),
		.help = "record the last branches that were taken with each sample of an event",
	},
	{
		.letter = 'j',
		.name = "branch-filter",
		.kind = OPTION_TEXT,
		.argument = "KIND,...",
		.offset = AT(branch_filter),
		.choices = branch_kinds,
		.help = "like -b, but only branches of these kinds: any, any_call, any_ret, call, "
			"ind_call, ind_jmp or cond; u or k: only in user code or in the kernel",
	},
	{
		.letter = 'a',
		.name = "all-cpus",
		.kind = OPTION_FLAG,
		.offset = AT(all_cpus),
		.help = "sample everything that runs on this machine",
	},
	{
		.letter = 'C',
		.name = "cpus",
		.kind = OPTION_TEXT,
		.argument = "LIST",
		.offset = AT(cpus),
		.help = "sample everything that runs on these CPUs: 0-2,4",
	},
	{
		.letter = 'p',
		.name = "pid",
		.kind = OPTION_TEXT,
		.argument = "PID,...",
		.offset = AT(pids),
		.help = "sample running processes",
	},
	{
		.letter = 't',
		.name = "tid",
		.kind = OPTION_TEXT,
		.argument = "TID,...",
		.offset = AT(tids),
		.help = "sample running threads",
	},
	{
		.name = "per-thread",
		.kind = OPTION_FLAG,
		.offset = AT(per_thread),
		.help = "use one buffer per thread instead of per CPU; do not sample forked "
			"processes",
	},
	{
		.letter = 'i',
		.name = "no-inherit",
		.kind = OPTION_FLAG,
		.offset = AT(no_inherit),
		.help = "do not sample new threads and processes of the program",
	},
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "FILE",
		.offset = offsetof(struct common_options, output),
		.help = "write to FILE instead of perf.data; - is standard output, a pipe",
	},
	{
		.letter = 'm',
		.name = "mmap-pages",
		.kind = OPTION_TEXT,
		.argument = "PAGES[,AUXPAGES]",
		.offset = AT(pages),
		.help = "set the sizes of the buffers, in pages or as in 512K or 16M; the second "
			"is for SPE data",
	},
	{
		.letter = 'd',
		.name = "data",
		.kind = OPTION_FLAG,
		.offset = AT(data),
		.help = "record the address of the data with each sample of an event",
	},
	{
		.name = "phys-data",
		.kind = OPTION_FLAG,
		.offset = AT(physical),
		.help = "also record the physical address of the data",
	},
	{
		.name = "sample-cpu",
		.kind = OPTION_FLAG,
		.offset = AT(sample_cpus),
		.help = "record the CPU with each sample, as -a, -C and SPE do anyway",
	},
	{
		.letter = 'S',
		.name = "snapshot",
		.kind = OPTION_FLAG,
		.offset = AT(snapshot),
		.help = "keep only the SPE data from just before each SIGUSR2 and the end",
	},
	{
		.name = "switch-output",
		.kind = OPTION_MAYBE,
		.argument = "WHEN",
		.offset = AT(switch_output),
		.choices = switches,
		.help = "start a new file on SIGUSR2 (signal, the default), at a size (100M) or "
			"after a time (30s)",
	},
	{
		.name = "switch-max-files",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = AT(max_files),
		.help = "with --switch-output, keep only the last N files",
	},
	{
		.letter = 'z',
		.name = "compression-level",
		.kind = OPTION_MAYBE,
		.argument = "N",
		.offset = AT(compression),
		.help = "compress with zstd, from 1 (fastest; the default) to 22; SPE data is not "
			"compressed",
	},
	OPTION_ROW_DELAY(struct record_options, window),
	{
		.name = "control",
		.kind = OPTION_TEXT,
		.argument = "CHANNEL",
		.offset = AT(control),
		.help = "obey the commands enable, disable, snapshot, stop and ping from fd:N or "
			"fifo:FILE; acknowledge them on a second one, after a comma",
	},
	OPTION_ROWS_WINDOW(struct record_options, window),
	{
		.name = "timestamp-filename",
		.kind = OPTION_FLAG,
		.offset = AT(timestamp),
		.help = "add the time to the file's name",
	},
	{
		.letter = 'k',
		.name = "clockid",
		.kind = OPTION_TEXT,
		.argument = "CLOCK",
		.offset = AT(clockid),
		.choices = clock_names,
		.help = "set the clock for the samples' times: monotonic, monotonic_raw, realtime, "
			"boottime, tai",
	},
	{
		.letter = 'B',
		.name = "no-buildid",
		.kind = OPTION_FLAG,
		.offset = AT(no_build_ids),
		.help = "do not record the build-ids of the executed files",
	},
	{
		.letter = 'N',
		.name = "no-buildid-cache",
		.kind = OPTION_FLAG,
		.offset = AT(no_cache),
		.help = "accepted for perf compatibility; no effect",
	},
	{
		.name = "max-size",
		.kind = OPTION_TEXT,
		.argument = "SIZE",
		.offset = AT(max_size),
		.help = "stop before the recording grows beyond SIZE: 100M",
	},
	OPTION_ROW_SOURCE(AT(source)),
	OPTION_ROW_CPU_OR_CORE,
	OPTION_ROW_PAGE_SIZE(AT(page_size)),
	OPTION_ROW_HUGE_PAGES(AT(huge_pages)),
	OPTION_ROWS_CONDITIONS(AT(conditions)),
	OPTION_ROW_CORE_FILE(AT(core_file)),
	OPTION_ROW_REFERENCE(AT(reference)),
	OPTION_ROW_HOST_THREADS(AT(host_threads)),
	OPTION_ROW_SEED(AT(seed)),
	OPTION_ROW_SYSROOT(AT(sysroot)),
	OPTION_ROW_QEMU(AT(qemu)),
	{
		.letter = 'q',
		.name = "quiet",
		.kind = OPTION_FLAG,
		.offset = AT(quiet),
		.help = "print only errors",
	},
	OPTION_ROW_VERBOSE("print which events are sampled, and how often"),
	{
		.name = "no-progress",
		.kind = OPTION_FLAG,
		.offset = AT(no_progress),
		.help = "do not show progress",
	},
	OPTION_ROW_HELP,
	{0},
};

/* Reserves standard output for the recording and redirects the program's output to standard error,
 * as perf does. Returns the recording's descriptor, or prints an error and returns -1. */
static int take_output(void)
{
	int fd;

	if (isatty(STDOUT_FILENO)) {
		complain("refusing to write a recording to a terminal");
		advise("use a pipe: plumb record -o - ... | plumb script -i -");
		return -1;
	}
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		complain("cannot write to standard output");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/*
 * Returns whether the recording would take the place of what is run or read, or the older recording
 * would, which moves to PATH.old; having said so.
 */
static bool replaces_input(const char *path)
{
	char *old = memory_format("%s.old", path);
	bool replaces = inputs_refuse(path) || (access(path, F_OK) == 0 && inputs_refuse(old));

	free(old);
	return replaces;
}

static void say_events(const struct record_request *request)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(request->events, i)); i++) {
		if (!record_samples(request->events, i))
			complain("reading %s with each sample of %s", event->name,
				 plumb_event_list_get(request->events, event->leader)->name);
		else if (event->frequency)
			complain("sampling %s at %u Hz", event->name, event->frequency);
		else if (event->period)
			complain("sampling %s every %llu", event->name,
				 (unsigned long long)event->period);
		else
			complain("sampling %s", event->name);
	}
}

/* Opens what --control names, but only if commands can come: who writes to a pipe waits for a
 * reader. */
static bool open_control(const struct record_options *values, struct record_request *request,
			 const struct machine *machine)
{
	if (!values->control || !machine->core)
		return control_read(values->control, &request->control);
	complain("--control requires --source perf");
	advise("see plumb record --help");
	return false;
}

static int record(const struct record_options *values, struct record_request *request,
		  struct machine *machine)
{
	const bool model = values->exact && values->source == SOURCE_AUTO;
	const struct machine_wish wish = {
		.source = model ? SOURCE_MODEL : values->source,
		.cpu = values->common.cpu,
		.sysroot = values->sysroot,
		.qemu = values->qemu,
		.seed = request->seed,
		.page_size = values->page_size,
		.huge_pages = values->huge_pages,
		.conditions = values->conditions,
		.reference = values->reference,
		.host_threads = values->host_threads,
		.core_file = values->core_file,
		.software = machine_only_software(&values->events, values->source, true),
	};
	int status = machine_open(machine, &wish, request->program), fd = -1;

	if (status == EXIT_FINE && !open_control(values, request, machine))
		status = EXIT_USAGE;
	if (status == EXIT_FINE)
		record_find_types(request, machine);
	if (status == EXIT_FINE)
		status = record_read_events(request, machine);
	if (status == EXIT_FINE)
		record_read_types(request, machine);
	if (status != EXIT_FINE)
		return status;
	if (replaces_input(request->path))
		return EXIT_USAGE;
	if (strcmp(request->path, "-") == 0) {
		fd = take_output();
		if (fd < 0)
			return EXIT_USAGE;
	}
	if (values->common.verbose)
		say_events(request);
	return record_run(request, machine, fd);
}

static int run(const struct command *command, int count, char **arguments)
{
	struct record_options values = {0};
	struct record_request request = {0};
	struct machine machine = {0};
	struct operands operands;
	char name[] = "plumb";
	char **all = memory_resize(NULL, (size_t)count + 2, sizeof(*all));
	int status;

	/* Parsing reorders the arguments, so keep a copy for the recording. */
	all[0] = name;
	for (int i = 0; i < count; i++)
		all[i + 1] = arguments[i];
	all[count + 1] = NULL;
	request.command = all;
	if (options_parse(command, count, arguments, &values, &operands, &status)) {
		/* perf's --cpu is our --cpus. */
		if (values.common.cpu && !values.cpus && cpus_is_list(values.common.cpu)) {
			values.cpus = values.common.cpu;
			values.common.cpu = NULL;
		}
		operands.at[operands.count] = NULL;
		request.program = operands.at;
		status = record_read_options(&values, &request)
				 ? record(&values, &request, &machine)
				 : EXIT_USAGE;
	}
	machine_close(&machine);
	record_request_free(&request);
	free(all);
	return status;
}

const struct command command_record = {
	.path = "plumb record",
	.name = "record",
	.summary = "sample a program into a perf.data file",
	.operands = "PROGRAM [ARGUMENT]...",
	.most = OPERANDS_ANY,
	.runs = true,
	.text = "Samples a program or running processes, and writes a recording that plumb and "
		"perf read. An SPE sample describes one operation: its address, the caches and "
		"TLBs it missed, its latency, and the source of its data.\n\n"
		"Without -e, samples with SPE if there is an SPE unit, otherwise samples cycles. "
		"The exit status is the program's. Ctrl-C stops and keeps the recording.",
	.options = options,
	.perf_twins = perf_options_record,
	.others = other_options_record,
	.examples =
		(const struct example[]){
			{"plumb record ./program", "write SPE samples to perf.data"},
			{"plumb record -e spe/load,min_latency=100/ -c 4096 ./program",
			 "sample loads that took 100 cycles or more"},
			{"plumb record -e L1D_CACHE_REFILL:u -c 1000 -g ./program",
			 "sample every 1000th L1D refill, with call chains"},
			{"plumb record --topdown ./program",
			 "sample what plumb report --topdown shows of each function"},
			{"plumb record -e cpu-clock -F 999 -a -- sleep 10",
			 "sample what this machine's CPUs execute, for ten seconds"},
			{0},
		},
	.run = run,
};

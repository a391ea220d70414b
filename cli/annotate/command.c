/* SPDX-License-Identifier: Apache-2.0 */
/* The command plumb annotate: its options. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "commands.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/perf_options.h"

static int read_address(const char *option, const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	if (isxdigit((unsigned char)*text) && !*end && !errno)
		return EXIT_FINE;
	complain_value(option, text, UINT64_MAX,
		       "use an address as objdump -d prints it: 400668 or 0x400668");
	return EXIT_USAGE;
}

static void name_part(struct annotate_options *options)
{
	snprintf(options->part, sizeof(options->part), "0x%" PRIx64 "-0x%" PRIx64,
		 options->part_start, options->part_end);
	options->symbol = options->part;
}

/* Reads --start-address and --stop-address. */
static int read_part(struct annotate_options *options)
{
	int status;

	if (!options->start && !options->stop)
		return EXIT_FINE;
	if (!options->start || !options->stop) {
		complain("--%s requires --%s", options->start ? "start-address" : "stop-address",
			 options->start ? "stop-address" : "start-address");
		return EXIT_USAGE;
	}
	if (options->symbol) {
		complain("--start-address and --symbol cannot be combined");
		return EXIT_USAGE;
	}
	status = read_address("start-address", options->start, &options->part_start);
	if (status == EXIT_FINE)
		status = read_address("stop-address", options->stop, &options->part_end);
	if (status == EXIT_FINE && options->part_end <= options->part_start) {
		complain("--stop-address %s is not above --start-address %s", options->stop,
			 options->start);
		return EXIT_USAGE;
	}
	/* Instructions take four bytes. */
	options->part_start &= ~UINT64_C(3);
	name_part(options);
	return status;
}

static int run_annotate(struct annotate_options *options)
{
	uint64_t part[2] = {0, 0};
	int status = read_part(options);

	if (options->symbol && !options->part_end &&
	    choice_read_place(options->symbol, &options->place))
		options->place_text = options->symbol;
	if (!options->from.input)
		options->from.input = READING_DEFAULT_INPUT;
	options->from.input = inputs_recording(options->from.input);
	if (status == EXIT_FINE)
		status = annotate_recording(options, part);
	if (status != EXIT_FINE || !part[1])
		return status;
	options->part_start = part[0];
	options->part_end = part[1];
	name_part(options);
	return annotate_recording(options, part);
}

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct annotate_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) OPTION_ROW_FLAG(struct annotate_options, l, n, member, text)

static const struct option options[] = {
	OPTION_ROW_INPUT(struct annotate_options, from.input),
	FLAG_ROW(0, "stdio", stdio, "print text (default)"),
	TEXT_ROW('s', "symbol", "SYMBOL", symbol,
		 "show this function (default: the one with the largest share)"),
	TEXT_ROW(0, "start-address", "ADDRESS", start,
		 "show the code from this address, as objdump -d prints it, whatever function it "
		 "is in"),
	TEXT_ROW(0, "stop-address", "ADDRESS", stop, "show the code up to this address"),
	{
		.name = "limit",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct annotate_options, limit),
		.help = "show the N functions with the largest shares (default: 1)",
	},
	FLAG_ROW('l', "print-line", print_line,
		 "print all lines of source, the largest share first, without instructions"),
	FLAG_ROW(0, "no-source", no_source, "print instructions by address, without source"),
	FLAG_ROW('n', "show-nr-samples", show_samples,
		 "also print the number of samples of each line"),
	TEXT_ROW(0, "percent-limit", "PERCENT", percent_limit,
		 "leave lines with a smaller share out of the list of lines"),
	TEXT_ROW('d', "dsos", "DSO,...", from.chosen.dsos, "use only samples in these files"),
	TEXT_ROW('C', "cpu", "CPU,...", from.chosen.cpus, "use only these CPUs: 0,2-3"),
	TEXT_ROW(0, "time", "START,STOP", from.chosen.time,
		 "use only these times: seconds, or parts such as 10%-20%"),
	TEXT_ROW(0, "pid", "PID,...", from.chosen.pids, "use only these processes"),
	TEXT_ROW(0, "tid", "TID,...", from.chosen.tids, "use only these threads"),
	TEXT_ROW(0, "filter", "TERM,...", from.filter,
		 "use only SPE records and samples that match: load,latency>=100,source=DRAM"),
	TEXT_ROW(0, "itrace", "OPTIONS", from.itrace,
		 "select which samples are synthesized from SPE records (default: each record is "
		 "one sample)"),
	TEXT_ROW(0, "symfs", "DIR", from.symfs, "look for the mapped files below DIR"),
	TEXT_ROW(0, "kallsyms", "FILE", from.kallsyms,
		 "read the recorded kernel's symbols from FILE"),
	TEXT_ROW('k', "vmlinux", "FILE", from.vmlinux,
		 "read the recorded kernel's symbols from this ELF file"),
	OPTION_ROW_CORE(struct annotate_options, from.core),
	FLAG_ROW(0, "no-demangle", from.no_demangle,
		 "print C++ and Rust names as the linker knows them"),
	FLAG_ROW('f', "force", force, "accepted for perf compatibility; no effect"),
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("print functions with their parameters"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct annotate_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (operands.count && values.symbol) {
		complain("--symbol and SYMBOL cannot be combined");
		return EXIT_USAGE;
	}
	if (operands.count)
		values.symbol = operands.at[0];
	return run_annotate(&values);
}

const struct command command_annotate = {
	.path = "plumb annotate",
	.name = "annotate",
	.summary = "show which lines and instructions of a function take the time",
	.operands = "[SYMBOL]",
	.most = 1,
	.text = "Prints the source of a function, with its instructions beneath each line and what "
		"the recording says about each. Exact profiles, made by plumb record --exact, give "
		"slots with their causes; from SPE records, slots are estimated.",
	.options = options,
	.perf_twins = perf_options_annotate,
	.perf_same = perf_same_annotate,
	.examples =
		(const struct example[]){
			{"plumb annotate", "show the function with the largest share"},
			{"plumb annotate main -l", "list the lines of main by their shares"},
			{"plumb annotate --no-source main", "show main's instructions by address"},
			{0},
		},
	.run = run,
};

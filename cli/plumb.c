/* SPDX-License-Identifier: Apache-2.0 */
/* The command plumb itself, which dispatches to all others. */
#include <plumb/version.h>
#include <stdio.h>

#include "commands.h"
#include "render/output.h"
#include "tool/complain.h"
#include "tool/other_options.h"
#include "tool/perf_options.h"

struct plumb_options {
	struct common_options common;
	bool version;
};

static const struct option options[] = {
	{
		.name = "version",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct plumb_options, version),
		.help = "print the version",
	},
	OPTION_ROW_HELP,
	{0},
};

static int print_version(void)
{
	const struct common_options plain = {.no_pager = true};
	struct output out;
	int status = output_open(&out, &plain);

	if (status != EXIT_FINE)
		return status;
	fprintf(out.stream, "plumb %s\n", plumb_version());
	return output_close(&out, EXIT_FINE);
}

static int run(const struct command *command, int count, char **arguments)
{
	struct plumb_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (values.version)
		return print_version();
	if (operands.count == 0) {
		complain("missing COMMAND");
		advise("see plumb --help");
		return EXIT_USAGE;
	}
	return options_dispatch(command, &operands);
}

const struct command command_plumb = {
	.path = "plumb",
	.name = "plumb",
	.summary = "top-down performance analysis for Arm CPUs",
	.operands = "COMMAND",
	.most = OPERANDS_ANY,
	.options = options,
	.perf_commands = perf_options_commands,
	.other_commands = other_commands,
	.commands =
		(const struct command *const[]){
			&command_stat, &command_explore, &command_record, &command_report,
			&command_annotate, &command_diff, &command_script, &command_list,
			&command_doctor, &command_spec, &command_spe, &command_import,
			&command_export, &command_calibrate, &command_help, NULL},
	.run = run,
};

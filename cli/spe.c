/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spe: what is in SPE data itself. */
#include "commands.h"
#include "complain.h"

static const struct option options[] = {OPTION_ROW_HELP, {0}};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	return options_dispatch(command, &operands);
}

const struct command command_spe = {
	.path = "plumb spe",
	.name = "spe",
	.summary = "packets of the Statistical Profiling Extension",
	.operands = "COMMAND",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.options = options,
	.commands = (const struct command *const[]){&command_spe_dump, NULL},
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spe: prints SPE data itself. */
#include "commands.h"

const struct command command_spe = {
	.path = "plumb spe",
	.name = "spe",
	.summary = "print the packets of the Statistical Profiling Extension",
	.operands = "COMMAND",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.options = options_help_only,
	.commands = (const struct command *const[]){&command_spe_dump, NULL},
	.run = options_run_group,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec: the telemetry specifications. Only dispatches; see spec_*.c. */
#include "commands.h"

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

const struct command command_spec = {
	.path = "plumb spec",
	.name = "spec",
	.summary = "what can be counted on a CPU, and what it means",
	.operands = "COMMAND",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "A telemetry specification lists the events, metrics, metric groups and functional "
		"groups of a CPU, and the methodology that leads from one metric to the next.",
	.options = options,
	.commands =
		(const struct command *const[]){
			&command_spec_list,
			&command_spec_show,
			&command_spec_tree,
			&command_spec_validate,
			&command_spec_diff,
			&command_spec_export,
			NULL,
		},
	.run = run,
};

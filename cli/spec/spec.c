/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec: the telemetry specifications. Only dispatches to the other files of this folder. */
#include "commands.h"

const struct command command_spec = {
	.path = "plumb spec",
	.name = "spec",
	.summary = "look up CPUs, their events and metrics, and how to use them",
	.operands = "COMMAND",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "A telemetry specification lists the events, metrics, metric groups and "
		"functional groups of a CPU, and the methodology: which metric to look at first, "
		"and where it leads.",
	.options = options_help_only,
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
	.run = options_run_group,
};

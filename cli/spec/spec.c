/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec: the telemetry specifications. Only dispatches; see spec_*.c. */
#include "commands.h"

const struct command command_spec = {
	.path = "plumb spec",
	.name = "spec",
	.summary = "what can be counted on a CPU, and what it means",
	.operands = "COMMAND",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "A telemetry specification lists the events, metrics, metric groups and functional "
		"groups of a CPU, and the methodology that leads from one metric to the next.",
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the options that `plumb record` needs for the same run. */
#include <stdio.h>

#include "runner.h"

/* Adds the option of the `i`-th cost, if there is one. */
static void add_cost(struct runner *r, size_t *count, const char *name, unsigned cycles, size_t i)
{
	if (!cycles)
		return;
	snprintf(r->costs[i], sizeof(r->costs[i]), "%u", cycles);
	r->record_options[(*count)++] = name;
	r->record_options[(*count)++] = r->costs[i];
}

void runner_find_record_options(struct runner *r)
{
	const struct stat_options *options = r->options;
	const char *const given[][2] = {
		{"--source",
		 options->source != SOURCE_AUTO ? plumb_source_name(r->machine->source) : NULL},
		{"--cpu", options->common.cpu},
		{"-L", options->sysroot},
		{"--qemu", options->qemu},
		{"--page-size", options->page_size ? machine_page_sizes[options->page_size] : NULL},
		{"--delay", options->window.delay},
		{"--timeout", options->window.timeout},
		{"--max-instructions", options->window.instructions},
		{"--from", options->window.from},
		{"--to", options->window.to},
		{"-p", options->pids},
		{"-t", options->tids},
		{"-C", options->cpus},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		if (!given[i][1])
			continue;
		r->record_options[count++] = given[i][0];
		r->record_options[count++] = given[i][1];
	}
	if (options->huge_pages)
		r->record_options[count++] = "--huge-pages";
	if (options->targets.all_cpus)
		r->record_options[count++] = "-a";
	if (options->conditions.wrong_path_loads)
		r->record_options[count++] = "--wrong-path-loads";
	add_cost(r, &count, "--page-fault-cost", options->conditions.page_fault_cost, 0);
	add_cost(r, &count, "--syscall-cost", options->conditions.syscall_cost, 1);
	r->report.record_options = r->record_options;
}

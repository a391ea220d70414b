/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what `plumb stat` counts besides a program that it runs, as perf stat spells it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stat.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

/* ---- control groups ----------------------------------------------------------------------- */

static bool read_cgroups(const char *text, struct stat_targets *targets)
{
	size_t most = 1;
	char *at;

	if (!text)
		return true;
	for (const char *c = text; *c; c++)
		most += *c == ',';
	targets->cgroup_text = memory_copy(text, strlen(text));
	targets->cgroups = memory_resize(NULL, most, sizeof(*targets->cgroups));
	for (at = targets->cgroup_text; at;) {
		char *name = strsep(&at, ",");

		if (!*name) {
			complain("missing name in '%s' for --for-each-cgroup", text);
			return false;
		}
		targets->cgroups[targets->cgroup_count++] = name;
	}
	return true;
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Says in a few words what is counted: "processes 4, 5". */
static char *describe(const struct stat_options *options, const struct stat_targets *targets)
{
	const struct {
		const char *one, *several, *names;
	} parts[] = {
		{"process", "processes", options->pids},
		{"thread", "threads", options->tids},
		{"control group", "control groups", options->cgroups},
		{"CPU", "CPUs", options->cpus},
	};
	struct join all = {0};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *text;

		if (!parts[i].names)
			continue;
		text = memory_format(
			"%s %s", strpbrk(parts[i].names, ",-") ? parts[i].several : parts[i].one,
			parts[i].names);
		join_add(&all, text);
		free(text);
	}
	if (targets->all_cpus)
		join_add(&all, "all CPUs");
	return join_take(&all);
}

/* Returns how many options say what to count separately, and which. */
static unsigned read_by(const struct stat_options *options, enum plumb_count_by *by)
{
	const struct {
		bool given;
		enum plumb_count_by by;
	} all[] = {
		{options->no_aggregation, PLUMB_COUNT_BY_CPU},
		{options->per_core, PLUMB_COUNT_BY_CORE},
		{options->per_socket, PLUMB_COUNT_BY_SOCKET},
		{options->per_node, PLUMB_COUNT_BY_NODE},
		{options->per_thread, PLUMB_COUNT_BY_THREAD},
	};
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!all[i].given)
			continue;
		*by = all[i].by;
		count++;
	}
	return count;
}

/* Prints an error and returns false if options ask the model for what only perf can do. */
static bool suits_model(const struct stat_options *options)
{
	if (!options->control && !options->no_inherit && options->counted.delay_ms >= 0)
		return true;
	complain("--control, --no-inherit and --delay -1 require --source perf");
	return false;
}

static bool agree(const struct stat_options *options, bool program)
{
	const struct stat_targets *targets = &options->targets;
	const struct plumb_window *counted = &options->counted;
	const bool tasks = options->pids || options->tids;
	enum plumb_count_by by = PLUMB_COUNT_BY_NOTHING;
	const unsigned bys = read_by(options, &by);

	if (!program && !targets->any)
		complain("missing PROGRAM, --all-cpus, --cpus, --pid, --tid or --for-each-cgroup");
	else if (options->all_cpus && tasks)
		complain("--all-cpus cannot be combined with --pid or --tid");
	else if (options->cgroups && tasks)
		complain("--for-each-cgroup cannot be combined with --pid or --tid");
	else if (bys > 1)
		complain("--no-aggr, --per-core, --per-socket, --per-node and --per-thread cannot "
			 "be combined");
	else if (by == PLUMB_COUNT_BY_THREAD && (!tasks || options->cpus))
		complain("--per-thread requires --pid or --tid, without --cpus");
	else if (by && by != PLUMB_COUNT_BY_THREAD && tasks)
		complain("--no-aggr, --per-core, --per-socket and --per-node cannot be combined "
			 "with --pid or --tid");
	else if (by && by != PLUMB_COUNT_BY_THREAD && !targets->any)
		complain("--no-aggr, --per-core, --per-socket and --per-node require --all-cpus, "
			 "--cpus or --for-each-cgroup");
	else if ((bys || options->cgroups) && options->no_multiplex)
		complain("--no-multiplex cannot be combined with --for-each-cgroup, --no-aggr, "
			 "--per-core, --per-socket, --per-node or --per-thread");
	else if (!program && (options->no_multiplex || options->repeat > 1))
		complain("--%s requires a program",
			 options->repeat > 1 ? "repeat" : "no-multiplex");
	else if (targets->any &&
		 (options->what_if || counted->from || counted->to || counted->max_instructions))
		complain("--what-if, --max-instructions, --from and --to require the model, which "
			 "counts only the program that it runs");
	else if (options->children && options->no_inherit)
		complain("--children and --no-inherit cannot be combined");
	else if (options->source == SOURCE_MODEL && targets->any)
		complain("--pid, --tid, --all-cpus, --cpus and --for-each-cgroup require perf: the "
			 "model counts only the program that it runs");
	else if (options->source != SOURCE_MODEL || suits_model(options))
		return true;
	advise("see plumb stat --help");
	return false;
}

bool stat_read_targets(struct stat_options *options, bool program)
{
	struct stat_targets *targets = &options->targets;

	targets->any = options->pids || options->tids || options->cpus || options->all_cpus ||
		       options->cgroups;
	targets->all_cpus = options->all_cpus && !options->cpus;
	if (!agree(options, program))
		return false;
	read_by(options, &targets->by);
	if (targets->any)
		targets->text = describe(options, targets);
	return list_read("cpus", options->cpus, true, &targets->cpus) &&
	       list_read("pid", options->pids, false, &targets->pids) &&
	       list_read("tid", options->tids, false, &targets->tids) &&
	       read_cgroups(options->cgroups, targets);
}

bool stat_open_control(struct stat_options *options, bool model)
{
	if (!model)
		return control_read(options->control, &options->targets.control);
	if (suits_model(options))
		return true;
	advise("see plumb stat --help");
	return false;
}

void stat_targets_free(struct stat_targets *targets)
{
	free(targets->pids.at);
	free(targets->tids.at);
	free(targets->cpus.at);
	free(targets->cgroups);
	free(targets->cgroup_text);
	free(targets->text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines with several types of cores: each type has its own PMU, specification, plan and results.
 * All are counted in the same run.
 */
#include "core_types.h"
#include "stat.h"
#include "tool/complain.h"

void stat_find_types(struct stat_options *options, struct machine *machine,
		     struct stat_types *types)
{
	struct core_type found[CPU_PMUS_MAX];

	/* --cpu asks for one type. */
	if (options->common.cpu)
		return;
	types->count = core_types_open(machine, &options->targets.cpus, &options->events, false,
				       "counting", found);
	for (size_t i = 0; i < types->count; i++) {
		types->at[i].machine.source = found[i].source;
		types->at[i].machine.spec = found[i].spec;
	}
	if (!types->count)
		return;
	types->own = core_types_own_words(machine, found, types->count, &options->events, false);
	core_words_complain(&types->own, "counting", plumb_source_pmu(machine->source));
	options->events = types->own.words;
}

int stat_plan_types(const struct stat_options *options, const struct option_words *events,
		    const struct machine *machine, struct stat_types *types)
{
	size_t kept = 0;
	int status = EXIT_FINE;

	for (size_t i = 0; i < types->count; i++) {
		struct stat_type *type = &types->at[i];
		struct core_words chosen = core_types_words(type->machine.source, events, false);
		struct stat_options own = *options;
		bool is_left_out, says;

		own.events = chosen.words;
		is_left_out = events->count && !own.events.count &&
			      !selecting_is_given(&options->selecting);
		/* Without any that it lacks, others' events are named, or of no core. */
		says = !is_left_out || chosen.lacking;
		if (!is_left_out)
			core_words_complain(&chosen, "counting",
					    plumb_source_pmu(type->machine.source));
		type->machine.program = machine->program;
		if (!is_left_out)
			is_left_out =
				stat_select(&own, &type->machine, &type->selected) != EXIT_FINE;
		if (!is_left_out)
			status = stat_plan(options, &type->machine, type->selected.selection,
					   &type->plan);
		core_words_free(&chosen);
		if (is_left_out) {
			if (says)
				complain("not counting on %s: it lacks the requested events",
					 plumb_source_pmu(type->machine.source));
			stat_selection_free(&type->selected);
			plumb_source_close(type->machine.source);
			continue;
		}
		types->at[kept++] = *type;
		if (status != EXIT_FINE) {
			/* Those behind it are freed as well. */
			for (size_t k = i + 1; k < types->count; k++)
				types->at[kept++] = types->at[k];
			break;
		}
	}
	types->count = kept;
	return status;
}

void stat_free_types(struct stat_types *types)
{
	core_words_free(&types->own);
	for (size_t i = 0; i < types->count; i++) {
		plumb_plan_free(types->at[i].plan);
		stat_selection_free(&types->at[i].selected);
		plumb_source_close(types->at[i].machine.source);
	}
	types->count = 0;
}

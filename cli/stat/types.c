/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines with several types of cores: each type has its own PMU, specification, plan and results.
 * All are counted in the same run.
 */
#include <plumb/perf.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/pmu.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Returns whether the type counts all events of an -e. */
static bool has_events(const struct plumb_source *source, const char *word)
{
	struct plumb_event_options how = {.size = sizeof(how)};
	const struct plumb_event_config *event;
	struct plumb_event_list *list;
	bool has;

	plumb_source_fill_event_options(source, &how);
	if (plumb_event_list_new(&how, &list) < 0)
		memory_given(NULL);
	has = plumb_event_list_add(list, word, NULL) == 0;
	for (size_t i = 0; has && (event = plumb_event_list_get(list, i)); i++)
		has = plumb_source_check(source, event, NULL) == 0 &&
		      (event->kind != PLUMB_EVENT_PMU ||
		       plumb_source_counts(source, (uint16_t)event->config));
	plumb_event_list_free(list);
	return has;
}

static unsigned count_had(const struct plumb_source *source, const struct option_words *words)
{
	unsigned had = 0;

	for (unsigned i = 0; i < words->count; i++)
		had += has_events(source, words->at[i]);
	return had;
}

/* Opens the PMU of a type. Returns false if Plumb has no specification for it. */
static bool open_type(const struct cpu_pmu *pmu, struct stat_type *type)
{
	const struct plumb_spec *spec = pmu->midr ? plumb_spec_for_midr(pmu->midr) : NULL;
	const struct plumb_perf_options options = {.size = sizeof(options), .spec = spec};

	if (!spec) {
		complain("not counting on %s: there is no specification for its CPU, MIDR_EL1 "
			 "0x%08x",
			 pmu->name, pmu->midr);
		return false;
	}
	if (plumb_perf_open(&options, &type->machine.source, NULL) < 0)
		return false;
	type->machine.spec = spec;
	return true;
}

/* Whether the type has any of the CPUs to count. */
static bool has_cpus(const struct stat_options *options, const struct cpu_pmu *pmu)
{
	const struct number_list *cpus = &options->targets.cpus;

	for (size_t i = 0; i < cpus->count; i++)
		if (cpu_pmu_covers(pmu, cpus->at[i]))
			return true;
	return cpus->count == 0;
}

/* The machine's own type, which is none of those to count, gives way to another. */
static void replace_own(struct machine *machine, struct stat_types *types)
{
	plumb_source_close(machine->source);
	machine->source = types->at[0].machine.source;
	machine->spec = types->at[0].machine.spec;
	types->count--;
	memmove(types->at, types->at + 1, types->count * sizeof(*types->at));
}

/* The type that has the most of the events goes first. */
static void choose_first(const struct option_words *words, struct machine *machine,
			 struct stat_types *types)
{
	for (size_t i = 0; i < types->count; i++) {
		struct machine *other = &types->at[i].machine;
		struct plumb_source *source = machine->source;
		const struct plumb_spec *spec = machine->spec;

		if (count_had(other->source, words) <= count_had(source, words))
			continue;
		machine->source = other->source;
		machine->spec = other->spec;
		other->source = source;
		other->spec = spec;
	}
}

void stat_find_types(const struct stat_options *options, struct machine *machine,
		     struct stat_types *types)
{
	struct cpu_pmu pmus[CPU_PMUS_MAX];
	const char *own = plumb_source_pmu(machine->source);
	bool own_counts = true;
	size_t count;

	/* --cpu asks for one type. */
	if (machine->core || !own || options->common.cpu)
		return;
	count = cpu_find_pmus("", pmus, CPU_PMUS_MAX);
	if (count > CPU_PMUS_MAX)
		count = CPU_PMUS_MAX;
	for (size_t i = 0; count > 1 && i < count; i++) {
		if (!has_cpus(options, &pmus[i]))
			own_counts = own_counts && strcmp(pmus[i].name, own) != 0;
		else if (strcmp(pmus[i].name, own) != 0 &&
			 open_type(&pmus[i], &types->at[types->count]))
			types->count++;
	}
	if (!own_counts && types->count)
		replace_own(machine, types);
	choose_first(&options->events, machine, types);
}

int stat_plan_types(const struct stat_options *options, const struct machine *machine,
		    struct stat_types *types)
{
	size_t kept = 0;
	int status = EXIT_FINE;

	for (size_t i = 0; i < types->count; i++) {
		struct stat_type *type = &types->at[i];
		struct stat_options own = *options;
		bool is_left_out;

		own.events = (struct option_words){0};
		for (unsigned k = 0; k < options->events.count; k++)
			if (has_events(type->machine.source, options->events.at[k]))
				own.events.at[own.events.count++] = options->events.at[k];
		is_left_out = options->events.count && !own.events.count &&
			      !selecting_is_given(&options->selecting);
		if (!is_left_out && own.events.count < options->events.count)
			complain("%s counts %u of %u -e options: it lacks the events of the others",
				 plumb_source_pmu(type->machine.source), own.events.count,
				 options->events.count);
		type->machine.program = machine->program;
		if (!is_left_out)
			is_left_out =
				stat_select(&own, &type->machine, &type->selected) != EXIT_FINE;
		if (!is_left_out)
			status = stat_plan(options, &type->machine, type->selected.selection,
					   &type->plan);
		if (is_left_out) {
			complain("not counting on %s: it lacks what was asked for",
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
	for (size_t i = 0; i < types->count; i++) {
		plumb_plan_free(types->at[i].plan);
		stat_selection_free(&types->at[i].selected);
		plumb_source_close(types->at[i].machine.source);
	}
	types->count = 0;
}

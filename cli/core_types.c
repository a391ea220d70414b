/* SPDX-License-Identifier: Apache-2.0 */
#include "core_types.h"

#include <plumb/perf.h>
#include <string.h>

#include "tool/complain.h"
#include "tool/memory.h"

/* Returns whether the source has all events of an -e. */
static bool has_events(const struct plumb_source *source, const char *word, bool samples)
{
	struct plumb_event_options how = {.size = sizeof(how), .sampling = samples};
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

struct option_words core_types_words(const struct plumb_source *source,
				     const struct option_words *words, bool samples)
{
	struct option_words had = {0};

	for (unsigned i = 0; i < words->count; i++)
		if (has_events(source, words->at[i], samples))
			had.at[had.count++] = words->at[i];
	return had;
}

/* Opens the PMU of a type. Returns false if Plumb has no specification for it. */
static bool open_type(const struct cpu_pmu *pmu, const char *doing, struct core_type *type)
{
	const struct plumb_spec *spec = pmu->midr ? plumb_spec_for_midr(pmu->midr) : NULL;
	const struct plumb_perf_options options = {.size = sizeof(options), .spec = spec};

	if (!spec) {
		complain("not %s on %s: there is no specification for its CPU, MIDR_EL1 0x%08x",
			 doing, pmu->name, pmu->midr);
		return false;
	}
	type->spec = spec;
	return plumb_perf_open(&options, &type->source, NULL) == 0;
}

/* Whether the type has any of the CPUs asked for. */
static bool has_cpus(const struct number_list *cpus, const struct cpu_pmu *pmu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (cpu_pmu_covers(pmu, cpus->at[i]))
			return true;
	return cpus->count == 0;
}

static void swap(struct machine *machine, struct core_type *type)
{
	const struct core_type own = {machine->source, machine->spec};

	machine->source = type->source;
	machine->spec = type->spec;
	*type = own;
}

size_t core_types_open(struct machine *machine, const struct number_list *cpus,
		       const struct option_words *words, bool samples, const char *doing,
		       struct core_type types[CPU_PMUS_MAX])
{
	struct cpu_pmu pmus[CPU_PMUS_MAX];
	const char *own = plumb_source_pmu(machine->source);
	size_t all, count = 0;
	bool own_counts = true;

	if (machine->core || !own)
		return 0;
	all = cpu_find_pmus("", pmus, CPU_PMUS_MAX);
	if (all > CPU_PMUS_MAX)
		all = CPU_PMUS_MAX;
	for (size_t i = 0; all > 1 && i < all; i++) {
		if (!has_cpus(cpus, &pmus[i]))
			own_counts = own_counts && strcmp(pmus[i].name, own) != 0;
		else if (strcmp(pmus[i].name, own) != 0 &&
			 open_type(&pmus[i], doing, &types[count]))
			count++;
	}
	/* One that has none of the CPUs gives way to another. */
	if (!own_counts && count) {
		swap(machine, &types[--count]);
		plumb_source_close(types[count].source);
	}
	for (size_t i = 0; i < count; i++)
		if (core_types_words(types[i].source, words, samples).count >
		    core_types_words(machine->source, words, samples).count)
			swap(machine, &types[i]);
	return count;
}

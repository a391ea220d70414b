/* SPDX-License-Identifier: Apache-2.0 */
#include "core_types.h"

#include <plumb/perf.h>
#include <stdlib.h>
#include <string.h>

#include "tool/complain.h"
#include "tool/memory.h"

/* How a source fits an event or a group of -e. */
enum fit { LACKS, HAS, OF_NO_CORE };

/* Returns whether the source has all events in a word. */
static enum fit find_fit(const struct plumb_source *source, const char *word, bool samples)
{
	struct plumb_event_options how = {.size = sizeof(how), .sampling = samples};
	const struct plumb_event_config *event;
	struct plumb_event_list *list;
	bool has, of_core = false;

	plumb_source_fill_event_options(source, &how);
	if (plumb_event_list_new(&how, &list) < 0)
		memory_given(NULL);
	has = plumb_event_list_add(list, word, NULL) == 0;
	for (size_t i = 0; has && (event = plumb_event_list_get(list, i)); i++) {
		of_core |= event->kind == PLUMB_EVENT_PMU;
		has = plumb_source_check(source, event, NULL) == 0 &&
		      (event->kind != PLUMB_EVENT_PMU ||
		       plumb_source_counts(source, (uint16_t)event->config));
	}
	plumb_event_list_free(list);
	return !has ? LACKS : of_core ? HAS : OF_NO_CORE;
}

/* Returns the length of the first event or group of a list. */
static size_t first_length(const char *list)
{
	bool in_group = false, in_terms = false;
	size_t i = 0;

	for (; list[i] && (list[i] != ',' || in_group || in_terms); i++) {
		if (list[i] == '/')
			in_terms = !in_terms;
		else if (list[i] == '{' || list[i] == '}')
			in_group = list[i] == '{';
	}
	return i;
}

/* Appends to a list, "A, B". */
static void append(char **list, const char *more, const char *separator)
{
	char *longer = *list ? memory_format("%s%s%s", *list, separator, more)
			     : memory_copy(more, strlen(more));

	free(*list);
	*list = longer;
}

/* Returns whether a type's own words have an event or group that fits it so. */
static bool takes(const struct machine *machine, const struct core_type *types, size_t count,
		  const char *word, enum fit fit, bool samples)
{
	bool elsewhere = false;

	if (!machine || fit == HAS)
		return fit == HAS;
	for (size_t i = 0; fit == LACKS && i < count; i++)
		elsewhere |= find_fit(types[i].source, word, samples) == HAS;
	return !elsewhere;
}

/* `machine`: NULL for types besides its own. */
static struct core_words choose(const struct plumb_source *source, const struct machine *machine,
				const struct core_type *types, size_t count,
				const struct option_words *words, bool samples)
{
	struct core_words chosen = {0};

	for (unsigned i = 0; i < words->count; i++) {
		const char *at = words->at[i];
		char *taken = NULL;

		while (*at) {
			const size_t length = first_length(at);
			char *word = memory_copy(at, length);
			const enum fit fit = find_fit(source, word, samples);

			at += length + (at[length] == ',');
			if (takes(machine, types, count, word, fit, samples)) {
				append(&taken, word, ",");
				chosen.count++;
			} else if (fit == LACKS && !strchr(word, '/')) {
				chosen.lacks_several = chosen.lacking != NULL;
				append(&chosen.lacking, word, ", ");
			}
			chosen.has_others |= fit == OF_NO_CORE;
			free(word);
		}
		if (taken)
			chosen.words.at[chosen.words.count++] = taken;
	}
	return chosen;
}

struct core_words core_types_words(const struct plumb_source *source,
				   const struct option_words *words, bool samples)
{
	return choose(source, NULL, NULL, 0, words, samples);
}

struct core_words core_types_own_words(const struct machine *machine, const struct core_type *types,
				       size_t count, const struct option_words *words, bool samples)
{
	return choose(machine->source, machine, types, count, words, samples);
}

void core_words_free(struct core_words *words)
{
	for (unsigned i = 0; i < words->words.count; i++)
		free((char *)(uintptr_t)words->words.at[i]);
	free(words->lacking);
	*words = (struct core_words){0};
}

void core_words_complain(const struct core_words *words, const char *doing, const char *pmu)
{
	if (words->lacking)
		complain("not %s %s on %s, which lacks %s", doing, words->lacking, pmu,
			 words->lacks_several ? "them" : "it");
}

static unsigned count_words(const struct plumb_source *source, const struct option_words *words,
			    bool samples)
{
	struct core_words chosen = core_types_words(source, words, samples);
	const unsigned count = chosen.count;

	core_words_free(&chosen);
	return count;
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
		if (count_words(types[i].source, words, samples) >
		    count_words(machine->source, words, samples))
			swap(machine, &types[i]);
	return count;
}

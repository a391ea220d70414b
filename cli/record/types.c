/* SPDX-License-Identifier: Apache-2.0 */
/* Samples each type of cores of a machine by its own PMU. */
#include "core_types.h"

#include <stdlib.h>

#include "record.h"
#include "tool/complain.h"
#include "tool/memory.h"

void record_find_types(struct record_request *request, struct machine *machine)
{
	const struct record_options *options = request->options;

	/* --cpu asks for one type. */
	if (!options->common.cpu && !options->exact)
		request->type_count = core_types_open(machine, &request->cpus, &options->events,
						      true, "sampling", request->types);
	if (!request->type_count)
		return;
	request->own = core_types_own_words(machine, request->types, request->type_count,
					    &options->events, true);
	core_words_complain(&request->own, "sampling", plumb_source_pmu(machine->source));
}

/* Reads the events for one type. Returns whether it has any; if not, `*lacks` says whether it
 * should have some. */
static bool read_type(struct record_request *request, const struct machine *machine,
		      const struct core_type *type, struct plumb_event_list **list, bool *lacks)
{
	const struct machine own = {.source = type->source, .spec = type->spec};
	struct core_words words = core_types_words(type->source, &request->options->events, true);
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	char *group = NULL;
	bool has = words.count || !request->options->events.count;

	*lacks = has || words.lacking;
	if (has)
		core_words_complain(&words, "sampling", plumb_source_pmu(type->source));
	if (has && request->options->topdown)
		has = record_topdown_group(request, &own, &group) == EXIT_FINE;
	/* SPE, if that is the default, has its own PMUs for all types. */
	if (has && record_read_list(request, type->source, &words.words,
				    group                                   ? group
				    : plumb_source_has_spe(machine->source) ? "spe"
									    : "cycles",
				    list, diagnostics) < 0)
		has = false;
	free(group);
	core_words_free(&words);
	plumb_diagnostics_free(diagnostics);
	return has;
}

void record_read_types(struct record_request *request, const struct machine *machine)
{
	size_t kept = 0;

	for (size_t i = 0; i < request->type_count; i++) {
		struct core_type *type = &request->types[i];
		struct plumb_event_list *list = NULL;
		bool lacks;

		if (read_type(request, machine, type, &list, &lacks)) {
			request->types[kept] = *type;
			request->besides[kept++] =
				(struct plumb_recording_beside){type->source, list};
			continue;
		}
		if (lacks)
			complain("not sampling on %s: it lacks the requested events",
				 plumb_source_pmu(type->source));
		plumb_event_list_free(list);
		plumb_source_close(type->source);
	}
	request->type_count = kept;
}

void record_free_types(struct record_request *request)
{
	core_words_free(&request->own);
	for (size_t i = 0; i < request->type_count; i++) {
		/* The request made them; the job only reads them. */
		plumb_event_list_free(
			(struct plumb_event_list *)(uintptr_t)request->besides[i].events);
		plumb_source_close(request->types[i].source);
	}
	request->type_count = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which metrics and events of imported counts are shown. */
#include <string.h>

#include "importing.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* The counts were taken in some modes, and in no others. */
static bool check_events(const struct plumb_event_list *events)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(events, i)); i++) {
		if (!strchr(event->name, ':'))
			continue;
		complain("%s: plumb import selects events without modifiers", event->name);
		advise("the counts are those of the modes in which most events were counted");
		return false;
	}
	return true;
}

/* Reads -e. Returns an exit status. */
static int read_events(const struct option_words *words, const struct plumb_spec *spec,
		       struct plumb_event_list **events)
{
	const struct plumb_event_options how = {.size = sizeof(how), .spec = spec};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error = plumb_event_list_new(&how, events), status;

	for (unsigned i = 0; error == 0 && i < words->count; i++)
		error = plumb_event_list_add(*events, words->at[i], diagnostics);
	if (error < 0)
		complain_findings(diagnostics, "-e", error);
	status = complain_status(error);
	if (status == EXIT_FINE && !check_events(*events))
		status = EXIT_USAGE;
	plumb_diagnostics_free(diagnostics);
	return status;
}

int import_select(const struct import_options *options, const struct import_names *names,
		  const struct plumb_spec *spec, struct import_selection *selected)
{
	struct plumb_request request = {.size = sizeof(request)};
	struct selecting_found found;
	int status = EXIT_FINE;

	*selected = (struct import_selection){.selection = NULL};
	if (!selecting_read(&options->selecting, spec, &found, &request))
		status = EXIT_USAGE;
	if (status == EXIT_FINE)
		status = read_events(&options->events, spec, &selected->events);
	if (status == EXIT_FINE) {
		selected->brief =
			!selecting_is_given(&options->selecting) && !options->events.count;
		/* What lacks events is shown as missing. */
		if (selected->brief)
			request.stages = SELECTING_ALL;
		request.events = selected->brief ? names->events : selected->events;
		if (plumb_selection_new(spec, &request, &selected->selection) < 0)
			memory_given(NULL);
	}
	selecting_free(&found);
	return status;
}

void import_selection_free(struct import_selection *selected)
{
	plumb_selection_free(selected->selection);
	plumb_event_list_free(selected->events);
}

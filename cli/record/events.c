/* SPDX-License-Identifier: Apache-2.0 */
/* Which events `plumb record` samples: those of -e, or what is best where nothing is said. */
#include <unistd.h>

#include "record.h"
#include "tool/complain.h"

#define SPE_DEVICE "/sys/bus/event_source/devices/arm_spe_0"

bool record_only_software(const struct record_options *options)
{
	struct event_request request = {0};
	bool software = options->events.count > 0;

	for (unsigned i = 0; software && i < options->events.count; i++)
		software = request_add(&request, options->events.at[i], NULL, NULL) == 0;
	for (size_t i = 0; i < request.count; i++)
		software = software && request.events[i].kind == SAMPLED_SOFTWARE;
	request_free(&request);
	return software;
}

/* Where nothing is said: SPE, if there is one. */
static const char *usual(const struct machine *machine)
{
	if (machine->source == &source_model || access(SPE_DEVICE, F_OK) == 0)
		return "spe";
	return "cycles";
}

/* -c and -F are for all that did not say themselves. */
static bool fill_in(const struct record_request *request, struct sampled_event *event)
{
	if (event->period || event->frequency)
		return true;
	if (event->kind == SAMPLED_SPE && request->frequency) {
		complain("%s: SPE samples every so many operations, not so often a second",
			 event->name);
		advise("--count says how many");
		return false;
	}
	event->period = request->period;
	event->frequency = request->frequency;
	return true;
}

static bool is_counted(const struct machine *machine, const struct sampled_event *event)
{
	if (event->kind != SAMPLED_PMU || !machine->spec || !machine->source->counts ||
	    machine->source->counts(NULL, (uint16_t)event->config))
		return true;
	complain("%s: the %s does not count it", event->name, machine->source->name);
	advise("plumb list events --source %s lists those it does", machine->source->name);
	return false;
}

int record_read_events(struct record_request *request, const struct machine *machine)
{
	struct plumb_diagnostics *found = plumb_diagnostics_new();
	const struct option_words *words = &request->options->events;
	int error = 0, status = EXIT_FINE;

	for (unsigned i = 0; error == 0 && i < words->count; i++)
		error = request_add(&request->events, words->at[i], machine->spec, found);
	if (error == 0 && words->count == 0)
		error = request_add(&request->events, usual(machine), machine->spec, found);
	if (error < 0)
		status = machine_complain(found, "-e", error);
	for (size_t i = 0; status == EXIT_FINE && i < request->events.count; i++)
		if (!fill_in(request, &request->events.events[i]) ||
		    !is_counted(machine, &request->events.events[i]))
			status = EXIT_USAGE;
	plumb_diagnostics_free(found);
	return status;
}

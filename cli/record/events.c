/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the events that `plumb record` samples: those of -e, or the default. */
#include <unistd.h>

#include "record.h"
#include "tool/complain.h"

#define SPE_DEVICE "/sys/bus/event_source/devices/arm_spe_0"

/* Returns the default: SPE if there is an SPE unit. */
static const char *usual(const struct machine *machine)
{
	if (machine->source == &source_model || access(SPE_DEVICE, F_OK) == 0)
		return "spe";
	return "cycles";
}

/* Rejects -F for SPE, unless the event sets its own period. */
static bool has_period(const struct record_request *request, const struct plumb_event_config *event)
{
	if (event->kind != PLUMB_EVENT_SPE || !request->frequency || event->period)
		return true;
	complain("%s: SPE supports a period, not a frequency", event->name);
	advise("use -c instead of -F");
	return false;
}

static bool is_counted(const struct machine *machine, const struct plumb_event_config *event)
{
	if (event->kind != PLUMB_EVENT_PMU || !machine->spec || !machine->source->counts ||
	    machine->source->counts(NULL, (uint16_t)event->config))
		return true;
	complain("%s: the %s does not count it", event->name, machine->source->name);
	advise("plumb list events --source %s lists those it does", machine->source->name);
	return false;
}

static int read_all(struct plumb_event_list *list, const struct option_words *words,
		    const char *otherwise, struct plumb_diagnostics *found)
{
	int error = 0;

	for (unsigned i = 0; error == 0 && i < words->count; i++)
		error = plumb_event_list_add(list, words->at[i], found);
	if (error == 0 && words->count == 0)
		error = plumb_event_list_add(list, otherwise, found);
	return error;
}

static int check(const struct record_request *request, const struct machine *machine)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(request->events, i)); i++)
		if (!has_period(request, event) || !is_counted(machine, event))
			return EXIT_USAGE;
	return EXIT_FINE;
}

int record_read_events(struct record_request *request, const struct machine *machine)
{
	const struct plumb_event_options options = {
		.size = sizeof(options),
		.spec = machine->spec,
		.sampling = true,
		.all_user = request->options->all_user,
		.all_kernel = request->options->all_kernel,
		.period = request->period,
		.frequency = request->frequency,
		.counts = machine->source->counts,
	};
	struct plumb_diagnostics *found = plumb_diagnostics_new();
	int error = plumb_event_list_new(&options, &request->events), status;

	if (error == 0 && !request->options->exact)
		error = read_all(request->events, &request->options->events, usual(machine), found);
	status = error < 0 ? machine_complain(found, "-e", error) : check(request, machine);
	plumb_diagnostics_free(found);
	return status;
}

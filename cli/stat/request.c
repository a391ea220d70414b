/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the names on `plumb stat`'s command line into a selection. */
#include "stat.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Whether the source counts it; if not, this has been said. */
static bool can_count(const struct machine *machine, const struct plumb_event_config *event)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error = plumb_source_check(machine->source, event, diagnostics);

	if (error == 0 && machine->core && event->kind == PLUMB_EVENT_SPE) {
		complain("%s requires perf: the model's SPE unit only records", event->name);
		advise("use plumb record -e spe");
		plumb_diagnostics_free(diagnostics);
		return false;
	}

	if (error < 0)
		machine_complain(diagnostics, event->name, error);
	plumb_diagnostics_free(diagnostics);
	return error == 0;
}

/* Checks that the events can be counted, and the metrics. Unlike a group's, they need a value. */
static int check_counted(const struct machine *machine, const struct selecting_found *found,
			 const struct plumb_event_list *list)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(list, i)); i++)
		if (!can_count(machine, event))
			return EXIT_USAGE;
	for (uint16_t i = 0; i < found->metrics.count; i++) {
		const uint16_t metric = found->metrics.at[i];
		const struct plumb_event_config config = {
			.kind = PLUMB_EVENT_METRIC,
			.name = machine->spec->metrics[metric].name,
			.config = metric};

		if (!can_count(machine, &config))
			return EXIT_USAGE;
	}
	return EXIT_FINE;
}

static int read_events(const struct stat_options *options, const struct machine *machine,
		       struct plumb_event_list **list)
{
	struct plumb_event_options how = {
		.size = sizeof(how),
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
	};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error, status = EXIT_FINE;

	plumb_source_fill_event_options(machine->source, &how);
	error = plumb_event_list_new(&how, list);
	for (unsigned i = 0; error == 0 && i < options->events.count; i++)
		error = plumb_event_list_add(*list, options->events.at[i], diagnostics);
	if (error < 0)
		status = machine_complain(diagnostics, "-e", error);
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* Rejects metrics on a machine without an Arm PMU, which only has software events. */
static bool check_spec(const struct stat_options *options, const struct machine *machine)
{
	if (machine->spec || !selecting_is_given(&options->selecting))
		return true;
	complain("metrics require an Arm PMU, which this machine does not have");
	advise("use --source model, which counts them on any machine");
	return false;
}

/* Metrics' events are counted in all modes; the model's in its only one, user code. */
static int check_modes(const struct stat_options *options, const struct machine *machine,
		       const struct plumb_selection *selection)
{
	if (!selection->metric_count || (machine->core && !options->all_kernel) ||
	    (!options->all_user && !options->all_kernel))
		return EXIT_FINE;
	complain("--%s applies to events, not to metrics",
		 options->all_user ? "all-user" : "all-kernel");
	advise("name the events with -e, and no metrics");
	return EXIT_USAGE;
}

int stat_select(const struct stat_options *options, const struct machine *machine,
		struct stat_selection *selected)
{
	struct selecting_found found = {0};
	struct plumb_request request = {.size = sizeof(request)};
	int error, status;

	if (!check_spec(options, machine))
		return EXIT_UNABLE;
	status = read_events(options, machine, &selected->events);
	if (status == EXIT_FINE)
		status = selecting_read(&options->selecting, machine->spec, &found, &request)
				 ? EXIT_FINE
				 : EXIT_USAGE;
	if (status == EXIT_FINE)
		status = machine_check_program(machine, options->targets.any);
	if (status == EXIT_FINE)
		status = check_counted(machine, &found, selected->events);
	if (status == EXIT_FINE) {
		request.events = selected->events;
		selected->brief = !selecting_is_given(&options->selecting) &&
				  !plumb_event_list_count(request.events);
		if (selected->brief)
			request.stages = SELECTING_ALL;
		error = plumb_selection_new(machine->spec, &request, &selected->selection);
		status = complain_status(error);
		if (error < 0)
			complain("cannot count that: %s", plumb_error_name(error));
		else
			status = check_modes(options, machine, selected->selection);
	}
	selecting_free(&found);
	return status;
}

void stat_selection_free(struct stat_selection *selected)
{
	plumb_selection_free(selected->selection);
	plumb_event_list_free(selected->events);
}

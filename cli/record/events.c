/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the events that `plumb record` samples: those of -e, or the default. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "record.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* Returns the kernel's limit, or 0 if it cannot be read. */
static unsigned kernels_limit(void)
{
	FILE *file = fopen(MAX_RATE, "re");
	char line[32] = "";
	uint64_t most = 0;

	if (file && fgets(line, sizeof(line), file))
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
	return number_read(line, INT_MAX, &most) ? (unsigned)most : 0;
}

/* Sets the frequency of -F max, perf's word for the kernel's limit. Returns an exit status. */
static int find_frequency(struct record_request *request, const struct machine *machine)
{
	if (!request->most_frequent)
		return EXIT_FINE;
	if (machine->core) {
		complain("-F max is the kernel's limit, and the model has none");
		advise("use -F HZ or -c N");
		return EXIT_USAGE;
	}
	request->frequency = kernels_limit();
	if (!request->frequency) {
		complain("cannot read the kernel's limit from %s", MAX_RATE);
		advise("use -F HZ");
		return EXIT_UNABLE;
	}
	if (!request->options->quiet)
		complain("sampling at the kernel's limit of %u Hz", request->frequency);
	return EXIT_FINE;
}

/* Returns the default: SPE if there is an SPE unit. */
static const char *usual(const struct machine *machine)
{
	return plumb_source_has_spe(machine->source) ? "spe" : "cycles";
}

/* Rejects -F for SPE, unless the event sets its own period. */
static bool has_period(const struct record_request *request, const struct machine *machine,
		       const struct plumb_event_config *event)
{
	/* Operations at one per cycle, of which SPE takes a multiple of 256. */
	const uint64_t hertz = machine_frequency(machine);

	if (event->kind != PLUMB_EVENT_SPE || !request->frequency || event->period)
		return true;
	complain("%s: SPE supports a period, not a frequency", event->name);
	if (hertz / request->frequency < 256)
		advise("use -c instead of -F");
	else
		advise("use -c %" PRIu64 ", which is as often at one operation per cycle",
		       hertz / request->frequency & ~UINT64_C(255));
	return false;
}

static int read_all(struct plumb_event_list *list, const struct option_words *words,
		    const char *otherwise, struct plumb_diagnostics *diagnostics)
{
	int error = 0;

	for (unsigned i = 0; error == 0 && i < words->count; i++)
		error = plumb_event_list_add(list, words->at[i], diagnostics);
	if (error == 0 && words->count == 0)
		error = plumb_event_list_add(list, otherwise, diagnostics);
	return error;
}

/* -g is for samples of the program's counter: SPE's are taken within the pipeline. */
static void drop_chains(struct record_request *request)
{
	const struct plumb_event_config *event;

	if (request->options->exact || (!request->callchains && !request->user_stack))
		return;
	for (size_t i = 0; (event = plumb_event_list_get(request->events, i)); i++)
		if (event->kind != PLUMB_EVENT_SPE)
			return;
	request->callchains = false;
	request->user_stack = 0;
	if (request->options->quiet)
		return;
	complain("%s has no effect: SPE samples have no call chains",
		 request->options->callchains ? "-g" : "--call-graph");
	advise("sample an event for them, as in -e cycles -g");
}

/* Rejects -b and -j where nothing has branch stacks. Returns an exit status. */
static int check_branches(const struct record_request *request, const struct machine *machine)
{
	const char *option = request->options->branches ? "branch-any" : "branch-filter";
	const struct plumb_event_config *event;

	if (!request->branches)
		return EXIT_FINE;
	if (machine->core) {
		complain("--%s requires perf: the model keeps no branch stacks", option);
		advise("sample branches with -e spe/branch/, or count them all with --exact");
		return EXIT_USAGE;
	}
	for (size_t i = 0; (event = plumb_event_list_get(request->events, i)); i++)
		if (event->kind != PLUMB_EVENT_SPE)
			return EXIT_FINE;
	complain("--%s: SPE records have no branch stacks", option);
	advise("sample an event for them, as in -e cycles -b; -e spe/branch/ samples branches");
	return EXIT_USAGE;
}

static int check(struct record_request *request, const struct machine *machine,
		 struct plumb_diagnostics *diagnostics)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(request->events, i)); i++) {
		int error;

		if (!has_period(request, machine, event))
			return EXIT_USAGE;
		error = plumb_source_check(machine->source, event, diagnostics);
		if (error < 0)
			return machine_complain(diagnostics, event->name, error);
	}
	drop_chains(request);
	return check_branches(request, machine);
}

int record_read_list(const struct record_request *request, const struct plumb_source *source,
		     const struct option_words *words, const char *otherwise,
		     struct plumb_event_list **list, struct plumb_diagnostics *diagnostics)
{
	struct plumb_event_options options = {
		.size = sizeof(options),
		.sampling = true,
		.all_user = request->options->all_user,
		.all_kernel = request->options->all_kernel,
		.period = request->period,
		.frequency = request->frequency,
	};
	int error;

	plumb_source_fill_event_options(source, &options);
	error = plumb_event_list_new(&options, list);
	if (error == 0 && otherwise)
		error = read_all(*list, words, otherwise, diagnostics);
	return error;
}

int record_read_events(struct record_request *request, const struct machine *machine)
{
	const bool others = request->options->all_cpus || request->cpus.count ||
			    request->pids.count || request->tids.count;
	struct plumb_diagnostics *diagnostics;
	char *group = NULL;
	int error, status = find_frequency(request, machine);

	if (status == EXIT_FINE && request->options->topdown)
		status = record_topdown_group(request, machine, &group);
	if (status != EXIT_FINE)
		return status;
	diagnostics = memory_given(plumb_diagnostics_new());
	error = record_read_list(request, machine->source,
				 request->type_count ? &request->own.words
						     : &request->options->events,
				 request->options->exact ? NULL
				 : group                 ? group
							 : usual(machine),
				 &request->events, diagnostics);
	free(group);
	status = error < 0 ? machine_complain(diagnostics, "-e", error)
			   : machine_check_program(machine, others);
	if (status == EXIT_FINE)
		status = check(request, machine, diagnostics);
	plumb_diagnostics_free(diagnostics);
	return status;
}

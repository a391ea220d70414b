/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for all sources that sample: what callers ask for as jobs. */
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "source/source.h"
#include "source/types_events.h"

/* The events of a list, one behind the other; NULL: no memory. */
static struct source_record_job record_job(const struct plumb_source *source,
					   const struct plumb_recording_job *given)
{
	return (struct source_record_job){
		.program = given->program,
		.argv = given->argv,
		.pids = given->pids,
		.tids = given->tids,
		.cpus = given->cpus,
		.pid_count = given->pid_count,
		.tid_count = given->tid_count,
		.cpu_count = given->cpu_count,
		.all_cpus = given->all_cpus,
		.per_thread = given->per_thread,
		.inherit = given->inherit,
		.callchains = given->callchains,
		.user_stack = given->user_stack,
		.exact = given->exact,
		.sampled_error = given->sampled_error,
		.snapshot = given->snapshot,
		.data_addresses = given->data_addresses,
		.physical_addresses = given->physical_addresses,
		.sample_cpus = given->sample_cpus,
		.branches = given->branches,
		.build_ids = given->build_ids,
		.mmap_pages = given->mmap_pages,
		.aux_pages = given->aux_pages,
		.clockid = given->clock_given ? given->clockid : -1,
		.control = given->control,
		.control_fd = given->control_fd,
		.ack_fd = given->ack_fd,
		.model = &source->model,
		.core_file = source->core_file,
		.pmu = source_pmu(source),
		.cancel = source_cancel_of(source),
		.begin = given->begin,
		.started = given->started,
		.records = given->records,
		.aux = given->aux,
		.round = given->round,
		.progress = given->progress,
		.next = given->next,
		.last_signal = given->last_signal,
		.position = given->position,
		.change = given->change,
		.interval_ms = given->interval_ms,
		.interval = given->interval,
		.user = given->user,
	};
}

static int check_events(const struct plumb_source *source, const struct source_record_job *job,
			struct plumb_diagnostics *diagnostics)
{
	/* Those of other types have been checked. */
	for (size_t i = 0; i < job->event_count; i++) {
		int error = !job->pmus || !job->pmus[i] || job->pmus[i] == source_pmu(source)
				    ? plumb_source_check(source, &job->events[i], diagnostics)
				    : 0;

		if (error < 0)
			return error;
	}
	if (job->sampled_error != 0 && source->kind != &source_model) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-sampled", NULL,
				      "%s cannot record only windows of a program; the model can",
				      source->kind->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->exact && source->kind != &source_model) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-exact", NULL,
				      "%s does not support exact profiles", source->kind->name);
		diagnostics_remedy(diagnostics, "use-model", NULL, "use the model source");
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->plan && source->kind != &source_model) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-counts", NULL,
				      "%s does not count while it samples", source->kind->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	return job->event_count || job->exact ? 0 : PLUMB_ERR_ARGUMENT;
}

/* Checks what is to be sampled on other types of cores. */
static int check_sampled_beside(const struct plumb_source *source,
				const struct plumb_recording_job *job,
				struct plumb_diagnostics *diagnostics)
{
	int error = 0;

	if (job->beside_count && (source->kind != &source_perf || !source_pmu(source)))
		return PLUMB_ERR_ARGUMENT;
	for (size_t i = 0; i < job->beside_count; i++) {
		const struct plumb_recording_beside *beside = &job->beside[i];
		const struct plumb_event_config *event;

		if (beside->source->kind != &source_perf || !source_pmu(beside->source) ||
		    !beside->events)
			return PLUMB_ERR_ARGUMENT;
		error = source_check_here(beside->source, diagnostics);
		for (size_t k = 0; error == 0 && (event = plumb_event_list_get(beside->events, k));
		     k++)
			error = plumb_source_check(beside->source, event, diagnostics);
		if (error < 0)
			return error;
	}
	return 0;
}

int plumb_source_record(struct plumb_source *source, const struct plumb_recording_job *job,
			struct plumb_recording_run *run, struct plumb_diagnostics *diagnostics)
{
	struct plumb_recording_job given;
	struct source_record_run done = {0};
	struct source_run counted = {0};
	struct plumb_recording_run told;
	struct types_events events;
	struct source_record_job what;
	struct plumb_window window;
	int error;

	if (!sized_read(&given, sizeof(given), job) || !given.events || !given.begin ||
	    !given.records || !given.aux || (given.program && !given.argv) ||
	    (given.plan && (!given.counts || !given.counted)) ||
	    !source_read_window(&window, given.window) ||
	    !source_error_is_possible(given.sampled_error) ||
	    (given.sampled_error != 0 && given.plan))
		return PLUMB_ERR_ARGUMENT;
	what = record_job(source, &given);
	what.window = window;
	what.plan = given.plan;
	counted.counts = given.counts;
	what.counted = &counted;
	error = source_check_here(source, diagnostics);
	if (error == 0)
		error = check_sampled_beside(source, &given, diagnostics);
	if (error < 0)
		return error;
	error = types_events_list(&events, source, given.events, given.beside, given.beside_count);
	what.events = events.all;
	what.event_count = events.count;
	what.pmus = given.beside_count ? events.pmus : NULL;
	if (error == 0)
		error = check_events(source, &what, diagnostics);
	if (error == 0 && what.plan)
		error = source_check_plan(source, what.plan, diagnostics);
	if (error == 0)
		error = source->kind->record(&what, &done, diagnostics);
	types_events_free(&events);
	if (what.plan)
		source_tell_count(&counted, given.counted);
	told = (struct plumb_recording_run){
		.seconds = done.seconds,
		.host_seconds = done.host_seconds,
		.exit_status = done.ended ? 0 : done.exit_status,
		.signal = done.ended ? 0 : done.signal,
		.ended = done.ended,
		.by_command = done.by_command,
		.samples = done.samples,
		.collisions = done.collisions,
		.lost = done.lost,
	};
	memcpy(told.event_counts, done.event_counts, sizeof(told.event_counts));
	sized_write(run, &told, sizeof(told));
	return error;
}

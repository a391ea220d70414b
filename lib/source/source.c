/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for all sources: their answers, and what callers ask for as jobs. */
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "cpu/other_pmu.h"

void plumb_source_close(struct plumb_source *source)
{
	if (!source)
		return;
	model_options_free(&source->model);
	free(source->core_file);
	free(source);
}

const char *plumb_source_name(const struct plumb_source *source)
{
	return source->kind->name;
}

const char *plumb_source_label(const struct plumb_source *source)
{
	return source->kind->label;
}

const struct plumb_spec *plumb_source_spec(const struct plumb_source *source)
{
	return source->spec;
}

uint32_t plumb_source_midr(const struct plumb_source *source)
{
	return source->midr;
}

const char *plumb_source_pmu(const struct plumb_source *source)
{
	return source_pmu(source) ? source->pmu.name : NULL;
}

bool plumb_source_has_spe(const struct plumb_source *source)
{
	return source->has_spe;
}

unsigned plumb_source_spe_interval(const struct plumb_source *source)
{
	return source->spe_interval;
}

bool plumb_source_counts(const void *user, uint16_t code)
{
	const struct plumb_source *source = user;
	const struct cpu_pmu *pmu = source_pmu(source);

	return source->spec && (!source->kind->counts || source->kind->counts(code)) &&
	       (!pmu || cpu_pmu_may_count(pmu, code));
}

/* What a PMU's own manual lists is planned: a run says by name what was not there. */
static bool may_be_planned(const void *user, uint16_t code)
{
	const struct plumb_source *source = user;

	return !source->kind->counts || source->kind->counts(code);
}

int plumb_source_other(const void *user, const struct plumb_event_term *terms, size_t count,
		       struct plumb_event_config *config, struct plumb_diagnostics *diagnostics)
{
	struct cpu_unit_term *words = reallocarray(NULL, count + 1, sizeof(*words));
	struct cpu_unit *units;
	uint64_t values[3];
	int found, error;

	(void)user;
	if (!words)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		words[i] = (struct cpu_unit_term){terms[i].key, terms[i].value};
	found = cpu_find_units("", config->pmu, &units);
	/* Units of a kind have the same events. */
	error = found > 0 ? cpu_unit_configure("", &units[0], config->pmu, words, count, values,
					       diagnostics)
			  : found;
	cpu_units_free(units, found);
	free(words);
	if (found == 0)
		return 1;
	if (found == PLUMB_ERR_INVALID)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "bad-unit", NULL,
				      "%s: cannot read from sysfs which CPUs serve it",
				      config->pmu);
	if (error < 0)
		return error;
	config->config = values[0];
	config->config1 = values[1];
	config->config2 = values[2];
	return 0;
}

int plumb_source_check(const struct plumb_source *source, const struct plumb_event_config *event,
		       struct plumb_diagnostics *diagnostics)
{
	return source->kind->check(source_pmu(source), source->spec, event, diagnostics);
}

void plumb_source_fill_event_options(const struct plumb_source *source,
				     struct plumb_event_options *options)
{
	options->spec = source->spec;
	options->counts = plumb_source_counts;
	options->other = source->kind == &source_perf ? plumb_source_other : NULL;
	options->user = source;
}

void plumb_source_fill_plan_options(const struct plumb_source *source,
				    struct plumb_plan_options *options)
{
	options->counters = source->counters;
	options->cycle_counter = source->cycle_counter;
	options->counts = may_be_planned;
	options->user = source;
}

void plumb_source_cancel(struct plumb_source *source)
{
	atomic_fetch_add(&source->canceled, 1);
}

bool source_read_window(struct plumb_window *window, const struct plumb_window *given)
{
	*window = (struct plumb_window){.size = sizeof(*window)};
	return !given || (sized_read(window, sizeof(*window), given) && window->delay_ms >= -1);
}

/* ---- counting ----------------------------------------------------------------------------- */

int source_check_here(const struct plumb_source *source, struct plumb_diagnostics *diagnostics)
{
	if (!source->elsewhere)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "elsewhere", NULL,
			      "the source describes another machine, whose PMU is not here");
	return PLUMB_ERR_MACHINE;
}

int source_check_plan(const struct plumb_source *source, const struct plumb_plan *plan,
		      struct plumb_diagnostics *diagnostics)
{
	for (uint16_t i = 0; i < plan->event_count; i++) {
		int error = plumb_source_check(source, plan->events[i], diagnostics);

		if (error < 0)
			return error;
	}
	return 0;
}

/* Whether all counts from the beginning on, if only until a number of instructions. */
static bool window_is_beginning(const struct plumb_window *window)
{
	return !window->delay_ms && !window->timeout_ms && !window->from && !window->to;
}

/* Checks what is to be counted on other types of cores. */
static int check_beside(const struct plumb_source *source, const struct source_job *job,
			struct plumb_diagnostics *diagnostics)
{
	int error = 0;

	if (job->beside_count && source->kind != &source_perf)
		return PLUMB_ERR_ARGUMENT;
	for (size_t i = 0; error == 0 && i < job->beside_count; i++) {
		const struct plumb_count_beside *beside = &job->beside[i];

		if (beside->source->kind != &source_perf || !beside->source->pmu.type)
			return PLUMB_ERR_ARGUMENT;
		error = source_check_here(beside->source, diagnostics);
		if (error == 0)
			error = source_check_plan(beside->source, beside->plan, diagnostics);
	}
	return error;
}

/* Checks what only perf can count, and what fits together. */
static int check_targets(const struct plumb_source *source, const struct source_job *job,
			 struct plumb_diagnostics *diagnostics)
{
	const bool tasks = job->pid_count || job->tid_count, targets = source_job_has_targets(job);
	const bool by_thread = job->by == PLUMB_COUNT_BY_THREAD;

	if ((source->kind != &source_perf && targets) || (!targets && !job->program)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "targets", NULL,
				      targets ? "%s counts only the program that it runs"
					      : "%s has nothing to count: no program, process, CPU "
						"or control group",
				      source->kind->name);
		return targets ? PLUMB_ERR_UNSUPPORTED : PLUMB_ERR_ARGUMENT;
	}
	if (source->kind != &source_perf && job->window.delay_ms < 0) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "delay", NULL,
				      "the %s does not support a delay of -1", source->kind->name);
		plumb_diagnostics_hint(diagnostics, "give milliseconds");
		return PLUMB_ERR_ARGUMENT;
	}
	if (source->kind != &source_perf && (job->control || job->no_inherit))
		return PLUMB_ERR_ARGUMENT;
	if (job->sampled_error != 0 && source->kind != &source_model) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-sampled", NULL,
				      "%s counts everything: only the model's runs are sampled",
				      source->kind->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->sampled_after && job->sampled_error == 0)
		return PLUMB_ERR_ARGUMENT;
	if (job->sampled_error != 0 &&
	    (!source_error_is_possible(job->sampled_error) || job->children ||
	     job->model->what_if || !window_is_beginning(&job->window)))
		return PLUMB_ERR_ARGUMENT;
	if ((job->one_pass && !job->program) || (tasks && (job->all_cpus || job->cgroup_count)) ||
	    job->by > PLUMB_COUNT_BY_THREAD || (by_thread && (!tasks || job->cpu_count)) ||
	    (job->by && !by_thread && (!targets || tasks)))
		return PLUMB_ERR_ARGUMENT;
	return 0;
}

void source_tell_count(const struct source_run *done, struct plumb_count_run *run)
{
	struct plumb_count_run told = {
		.seconds = done->seconds,
		.host_seconds = done->host_seconds,
		.startup_seconds = done->startup_seconds,
		.startup_end = done->startup_end,
		.exit_status = done->ended ? 0 : done->exit_status,
		.signal = done->ended ? 0 : done->signal,
		.ended = done->ended,
		.by_command = done->by_command,
		.cycles = done->cycles,
		.moving_cycles = done->moving_cycles,
		.unforwarded_cycles = done->unforwarded_cycles,
		.conditions = done->conditions,
		.waits = done->waits,
	};

	memcpy(told.what_if_cycles, done->what_if_cycles, sizeof(told.what_if_cycles));
	memcpy(told.limit_cycles, done->limit_cycles, sizeof(told.limit_cycles));
	sized_write(run, &told, sizeof(told));
}

int plumb_source_count(struct plumb_source *source, const struct plumb_count_job *job,
		       struct plumb_count *counts, struct plumb_count_run *run,
		       struct plumb_diagnostics *diagnostics)
{
	struct plumb_count_job given;
	struct source_run done = {.counts = counts};
	struct plumb_window window;
	struct source_job what;
	int error;

	if (!sized_read(&given, sizeof(given), job) || !given.plan ||
	    (given.program && !given.argv) || !source_read_window(&window, given.window))
		return PLUMB_ERR_ARGUMENT;
	error = source_check_here(source, diagnostics);
	if (error == 0)
		error = source_check_plan(source, given.plan, diagnostics);
	if (error < 0)
		return error;
	what = (struct source_job){
		.window = window,
		.pids = given.pids,
		.tids = given.tids,
		.cpus = given.cpus,
		.pid_count = given.pid_count,
		.tid_count = given.tid_count,
		.cpu_count = given.cpu_count,
		.all_cpus = given.all_cpus,
		.cgroups = given.cgroups,
		.cgroup_count = given.cgroup_count,
		.no_inherit = given.no_inherit,
		.by = given.by,
		.unit = given.unit,
		.control = given.control,
		.control_fd = given.control_fd,
		.ack_fd = given.ack_fd,
		.sampled_error = given.sampled_error,
		.sampled_after = given.sampled_after,
		.windows = given.windows,
		.stretch = given.stretch,
		.phase = given.phase,
		.slice = given.slice,
		.beside = given.beside,
		.beside_count = given.beside_count,
		.plan = given.plan,
		.program = given.program,
		.argv = given.argv,
		.children = given.children,
		.one_pass = given.one_pass,
		.interval_ms = given.interval_ms,
		.model = &source->model,
		.core_file = source->core_file,
		.pmu = source_pmu(source),
		.cancel = source_cancel_of(source),
		.started = given.started,
		.interval = given.interval,
		.progress = given.progress,
		.last_signal = given.last_signal,
		.user = given.user,
	};
	error = check_targets(source, &what, diagnostics);
	if (error == 0)
		error = check_beside(source, &what, diagnostics);
	if (error < 0)
		return error;
	error = source->kind->count(&what, &done, diagnostics);
	source_tell_count(&done, run);
	return error;
}

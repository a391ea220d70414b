/* SPDX-License-Identifier: Apache-2.0 */
/* Counts with the model, which counts all events at once, all the time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/model.h>

#include "base/diagnostics.h"
#include "base/quote.h"
#include "params.h"
#include "required.h"
#include "shared.h"
#include "source/model/counted.h"
#include "source/model/places.h"
#include "source/model/record.h"
#include "source/model/sampled.h"
#include "source/model/timeline.h"

#define NAMES_ROOM 256

static int check(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
		 const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics)
{
	(void)pmu;
	return model_check_event(spec, event, diagnostics);
}

struct counting {
	const struct source_job *job;
	struct model_places places;
	struct timeline_counted timeline; /* of a sampled run with intervals */
};

static void on_started(void *user, pid_t pid)
{
	const struct counting *c = user;

	if (c->job->started)
		c->job->started(c->job->user, pid);
}

static void on_interval(void *user, const struct model_counts *counts, const uint32_t *code)
{
	struct counting *c = user;

	if (c->job->sampled_error != 0)
		timeline_add(&c->timeline, counts, code);
	else if (c->job->interval)
		c->job->interval(c->job->user, model_places_interval(&c->places, counts),
				 counts->seconds);
}

static void on_progress(void *user, const struct model_counts *counts)
{
	const struct counting *c = user;
	const struct plumb_progress progress = {(double)counts->counts[EVENT_INST_RETIRED],
						counts->seconds};

	if (c->job->progress)
		c->job->progress(c->job->user, &progress);
}

/* The threads of a program take turns in the model's time, but the world outside does not. */
static void warn_of_order(unsigned outside, struct plumb_diagnostics *diagnostics)
{
	static const struct {
		unsigned bit;
		const char *what;
	} all[] = {
		{OUTSIDE_CLOCK, "reads a clock"},
		{OUTSIDE_TIMER, "waits for a time"},
		{OUTSIDE_INPUT, "waits for input"},
		{OUTSIDE_RANDOM, "takes random numbers"},
		{OUTSIDE_CHILD, "waits for another process"},
		{OUTSIDE_NUMBER, "asks for the number of a thread or process"},
		{OUTSIDE_PROC, "opens a file in /proc"},
		{OUTSIDE_UNALIGNED, "executes atomics whose addresses are not aligned"},
	};
	const char *what[sizeof(all) / sizeof(*all)] = {NULL};
	char list[256] = "";
	size_t count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (outside & all[i].bit)
			what[count++] = all[i].what;
	for (size_t i = 0; i < count; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s",
			 i == 0 ? "" : (i + 1 < count ? ", " : " and "), what[i]);
	}
	if (count)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "thread-order", NULL,
				      "the counts may differ a little from run to run: the program "
				      "has threads, and %s",
				      list);
	if (outside & OUTSIDE_HOST)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "host-processors", NULL,
				      "the counts may differ where there are more or fewer "
				      "processors: the program has threads, and asks how many "
				      "processors it may use");
	if (outside & OUTSIDE_EVENT)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "event-waits", NULL,
			"the counts may differ from a core's: the program has "
			"threads, and executes wfe, which does not wait in the model, "
			"so that threads execute their loops instead");
}

static void warn_of_outside(const struct model_result *run, struct plumb_diagnostics *diagnostics)
{
	if (!run->threaded && run->outside & OUTSIDE_CLOCK)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "host-clock", NULL,
				      "the counts may differ from run to run: the program reads "
				      "clocks, which show the host's time and not the model's");
	if (run->outside & OUTSIDE_MEMORY)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "process-order", NULL,
			"the counts may differ from run to run: the program has "
			"processes that share memory, which the host runs in any order");
}

/* Tells whether a core before this one is the same, of which this one is a platform. */
static bool is_platform(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (model_cores[i]->midr == model_cores[at]->midr)
			return true;
	return false;
}

/* Names the cores that have a feature. */
static const char *name_cores_with(const char *feature, char names[NAMES_ROOM])
{
	*names = '\0';
	for (size_t i = 0; model_cores[i]; i++) {
		const size_t used = strlen(names);

		if (core_has_feature(model_cores[i], feature) && !is_platform(i))
			snprintf(names + used, NAMES_ROOM - used, "%s%s",
				 used ? ", " : "with it: ", model_cores[i]->name);
	}
	return *names ? names : "nor any other core of the model";
}

/* An instruction of another core ends the program, or would end it there. */
static void warn_of_lacking(const struct model_result *run, struct plumb_diagnostics *diagnostics)
{
	const bool ended = run->lacking_last.word;
	const struct model_lacking_insn *insn = ended ? &run->lacking_last : &run->lacking_ran;
	const char *feature = insn->word ? insn_feature(insn->word) : NULL;
	char names[NAMES_ROOM];

	if (!feature)
		return;
	plumb_diagnostics_add(
		diagnostics, PLUMB_WARNING, "lacking-feature", NULL,
		"instruction 0x%08x at 0x%llx %s: it requires the feature %s, which %s does not "
		"have (%s)",
		insn->word, (unsigned long long)insn->pc,
		ended ? "ended the program"
		      : "would raise SIGILL on the core, but QEMU executes it",
		feature, run->core->name, name_cores_with(feature, names));
}

/* Reports what a reader of the figures should know. */
void model_warn(const struct model_result *run, struct plumb_diagnostics *diagnostics)
{
	uint64_t instructions = run->counts.counts[EVENT_INST_RETIRED];
	char name[QUOTE_ROOM];

	if (run->gave_up == GAVE_UP_THREADS)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "incomplete", NULL,
			"the counts are those until the program had more than %d threads at a "
			"time, for which the model has no room",
			MODEL_SHARED_THREADS);
	else if (run->gave_up)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "incomplete", NULL,
			"the model ran out of memory before the program ended; the counts are "
			"those up to then");
	if (run->uncounted_execs)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "uncounted-exec", NULL,
				      "%u program%s ran uncounted: execve() after a change of user "
				      "or root folder, without memory for the model, or after its "
				      "plugin was replaced",
				      run->uncounted_execs, run->uncounted_execs == 1 ? "" : "s");
	if (*run->refused)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "refused-exec", NULL,
				      "could not run %s: QEMU is not in its root folder",
				      quote(name, run->refused));
	if (run->unknown_instructions)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-instructions", NULL,
				      "%llu of %llu instructions are unknown to the model and were "
				      "treated as integer operations of one cycle",
				      (unsigned long long)run->unknown_instructions,
				      (unsigned long long)instructions);
	if (run->threaded)
		warn_of_order(run->outside, diagnostics);
	warn_of_outside(run, diagnostics);
	warn_of_lacking(run, diagnostics);
	if (run->hidden_accesses)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "hidden-accesses", NULL,
			"QEMU did not report the addresses of %llu memory accesses; they "
			"were treated as hits in the L1 data cache",
			(unsigned long long)run->hidden_accesses);
}

/* Returns whether an earlier selected event uses the same counter. */
static bool is_repeated(const struct plumb_selection *selection, uint16_t event)
{
	size_t index = model_index_of(selection->events[event].event);

	for (uint16_t i = 0; i < event; i++)
		if (model_index_of(selection->events[i].event) == index)
			return true;
	return false;
}

/* Warns of requested events that the engine does not let the model count. */
static void warn_of_uncounted(const struct plumb_plan *plan, const struct model_counts *counts,
			      struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selection *selection = plan->selection;
	char names[256] = "";

	for (uint16_t i = 0; i < selection->event_count; i++) {
		size_t index = model_index_of(selection->events[i].event), used = strlen(names);

		if (index < EVENT_COUNT && counts->counts[index] == MODEL_NOT_COUNTED &&
		    !is_repeated(selection, i))
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 model_event_names[index]);
	}
	if (names[0])
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "engine-event", NULL,
				      "not counted, because this requires QEMU 9.0 or later: %s",
				      names);
}

static int last_signal(void *user)
{
	const struct source_job *job = ((const struct counting *)user)->job;

	return job->last_signal ? job->last_signal(job->user) : 0;
}

static struct plumb_condition_counts conditions_of(const struct model_counts *counts)
{
	const uint64_t *of = counts->counts + MODEL_CONDITIONS;

	return (struct plumb_condition_counts){
		.page_faults = of[CONDITION_PAGE_FAULTS],
		.system_calls = of[CONDITION_SYSTEM_CALLS],
		.kernel_cycles = of[CONDITION_KERNEL_CYCLES],
		.wrong_loads = of[CONDITION_WRONG_LOADS],
		.wrong_refills = of[CONDITION_WRONG_REFILLS],
	};
}

static struct plumb_core_waits waits_of(const struct model_counts *counts)
{
	const uint64_t *of = counts->counts;

	return (struct plumb_core_waits){
		.cycles = of[EVENT_CPU_CYCLES],
		.core = of[EVENT_STALL_BACKEND_CPUBOUND],
		.l1d = of[EVENT_STALL_BACKEND_L1D],
		.beyond_l2 = of[EVENT_STALL_BACKEND_MEM],
		.tlb = of[EVENT_STALL_BACKEND_TLB],
		.store = of[EVENT_STALL_BACKEND_ST],
		.flush = of[EVENT_STALL_FRONTEND_FLUSH],
		.flow = of[EVENT_STALL_FRONTEND_FLOW],
		.code_l1i = of[EVENT_STALL_FRONTEND_L1I],
		.code_beyond_l2 = of[EVENT_STALL_FRONTEND_MEM],
		.code_tlb = of[EVENT_STALL_FRONTEND_TLB],
		.mispredictions = of[EVENT_BR_MIS_PRED_RETIRED],
		.exceptions = of[EVENT_EXC_TAKEN],
		.barriers = of[EVENT_IMP_CT_FLUSH_ISB],
	};
}

/* Tells what a run counted, with the counts laid out by the plan. */
static void tell(const struct model_places *places, struct model_result *model,
		 struct source_run *run, struct plumb_diagnostics *diagnostics)
{
	run->seconds = model->counts.seconds = model->counted_seconds;
	model_places_lay_out(places, NULL, &model->counts, run->counts);
	run->ended = model->ended;
	run->host_seconds = model->host_seconds;
	/* A window has all of the start-up or none, so its time would say nothing. */
	if (!model->windowed)
		run->startup_seconds = model->startup_seconds;
	run->startup_end = model->startup_to_main ? "main()" : "its own code";
	run->cycles = model->counts.counts[EVENT_CPU_CYCLES];
	run->moving_cycles = model->counts.counts[MODEL_MOVING];
	run->unforwarded_cycles = model->counts.counts[MODEL_UNFORWARDED];
	run->conditions = conditions_of(&model->counts);
	run->waits = waits_of(&model->counts);
	memcpy(run->limit_cycles, model->counts.counts + MODEL_LIMITS,
	       LIMIT_SETS * sizeof(*run->limit_cycles));
	run->exit_status = model->exit_status;
	run->signal = model->signal;
	warn_of_uncounted(places->plan, &model->counts, diagnostics);
}

int model_tell_counts(const struct model_places *places, const struct model_result *model,
		      struct source_run *run, struct plumb_diagnostics *diagnostics)
{
	struct model_result *copy = malloc(sizeof(*copy));

	if (!copy)
		return PLUMB_ERR_NO_MEMORY;
	*copy = *model;
	tell(places, copy, run, diagnostics);
	free(copy);
	return 0;
}

/* Who wants a whole, as of a shell's commands, must know that it is not. */
static void warn_of_children(unsigned left_out, struct plumb_diagnostics *diagnostics)
{
	if (!left_out)
		return;
	plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "children-left-out", NULL,
			      "%u %s not counted", left_out,
			      left_out == 1 ? "process that the program forked was"
					    : "processes that the program forked were");
	diagnostics_remedy(diagnostics, "count-children", NULL, "count children as well");
}

static int run_model(struct counting *c, struct source_run *run,
		     struct plumb_diagnostics *diagnostics)
{
	const struct source_job *job = c->job;
	const struct model_job what = {
		.options = job->model,
		.core_file = job->core_file,
		.program = job->program,
		.argv = job->argv,
		.children = job->children,
		.interval_ms = job->interval_ms,
		.window = &job->window,
		.sampled = (uint32_t)(job->sampled_error * SAMPLED_ERROR_PARTS + 0.5),
		.sampled_after = job->sampled_after,
		.what_if = job->model->what_if & IDEAL_ALL,
		.cancel = job->cancel,
		.started = on_started,
		.interval = on_interval,
		.progress = on_progress,
		.last_signal = last_signal,
		.user = c,
	};
	struct model_result *model = calloc(1, sizeof(*model));
	int error;

	if (!model)
		return PLUMB_ERR_NO_MEMORY;
	error = model_run(&what, model, diagnostics);
	if (error == PLUMB_OK || error == PLUMB_ERR_INTERRUPTED) {
		if (job->interval_ms && !what.sampled &&
		    model->counts.seconds > c->places.before.seconds)
			on_interval(c, &model->counts, NULL);
		model_warn(model, diagnostics);
		warn_of_children(model->left_out, diagnostics);
		tell(&c->places, model, run, diagnostics);
		if (what.what_if)
			memcpy(run->what_if_cycles, model->counts.counts + EVENT_COUNT,
			       WHAT_IF_COUNT * sizeof(*run->what_if_cycles));
		if (what.sampled && job->windows &&
		    (model->sampled || !what.sampled_after || job->interval_ms) &&
		    sampled_tell(job, c->places.indexes, model->sampled, &model->sums, diagnostics))
			error = PLUMB_ERR_NO_MEMORY;
		if (what.sampled && job->interval_ms &&
		    timeline_tell(job, c->places.indexes, &c->timeline, model))
			error = PLUMB_ERR_NO_MEMORY;
	}
	units_free(model->units);
	free(c->timeline.at);
	free(model->sampled);
	free(model);
	return error;
}

static int count(const struct source_job *job, struct source_run *run,
		 struct plumb_diagnostics *diagnostics)
{
	struct counting *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return PLUMB_ERR_NO_MEMORY;
	c->job = job;
	error = model_places_make(&c->places, job->plan);
	if (error == 0)
		error = run_model(c, run, diagnostics);
	model_places_clean_up(&c->places);
	free(c);
	return error;
}

const struct source source_model = {
	.name = "model",
	.label = "model",
	.counts = model_counts_event,
	.check = check,
	.count = count,
	.record = model_record,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and samples for plumb explore. The model does both in one run, and charges every slot to
 * an instruction. Elsewhere a run counts, and tells what the next one samples; with --once, one run
 * is sampled while it is counted.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "render/figures.h"
#include "render/report.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/signals.h"

#define STAGES_ALL ((1u << 1) | (1u << 2))
/* What an exact profile does not have: the addresses of data, and latencies. */
#define EXACT_SPE "spe/load,store,period=1024/"

/* ---- the plan ---------------------------------------------------------------------------------
 */

/* Returns whether a real CPU counts the program, and samples it meanwhile. */
static bool samples_meanwhile(const struct exploration *e)
{
	return !plumb_source_label(e->machine->source) && e->options->once && *e->argv;
}

/* Returns whether it samples cycles meanwhile, as there is no SPE unit. */
static bool samples_cycles(const struct exploration *e)
{
	return samples_meanwhile(e) && !plumb_source_has_spe(e->machine->source);
}

static int make_plan(struct exploration *e)
{
	const struct plumb_request request = {.size = sizeof(request), .stages = STAGES_ALL};
	struct plumb_plan_options how = {.size = sizeof(how)};
	int error = plumb_selection_new(e->machine->spec, &request, &e->selection);

	plumb_source_fill_plan_options(e->machine->source, &how);
	/* The counter of cycles samples, so that it need not take turns with what is counted. */
	if (samples_cycles(e))
		how.cycle_counter = false;
	if (error == 0)
		error = plumb_plan_new(e->selection, &how, &e->plan, e->diagnostics);
	if (error == 0)
		error = plumb_result_new(e->plan, &e->counted);
	return error < 0 ? machine_complain(e->diagnostics, "the metrics", error) : EXIT_FINE;
}

/* Adds what a run counted, and makes the diagnosis. */
static void diagnose(struct exploration *e, const struct plumb_count *counts,
		     const struct plumb_count_run *run)
{
	plumb_result_add(e->counted, counts, true);
	plumb_result_add_moving(e->counted, run->moving_cycles, run->cycles);
	plumb_result_add_waits(e->counted, run->unforwarded_cycles, run->cycles, run->limit_cycles);
	plumb_result_add_kernel(e->counted, run->conditions.kernel_cycles, run->cycles);
	plumb_result_add_core_waits(e->counted, &run->waits);
	if (plumb_diagnose(e->counted, &e->diagnosis) < 0)
		memory_given(NULL);
	if (*e->argv && !e->interrupted)
		report_warn_of_short_run(e->diagnostics, run->seconds, run->startup_seconds,
					 run->startup_end);
	for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++)
		e->limit_cycles[set] = (double)run->limit_cycles[set];
	e->any = true;
	e->seconds = run->seconds;
	e->exit_status = run->exit_status;
	e->signal = run->signal;
}

static int read_events(struct exploration *e, const char *text, struct plumb_event_list **list)
{
	struct plumb_event_options how = {.size = sizeof(how), .sampling = true};
	int error;

	plumb_source_fill_event_options(e->machine->source, &how);
	error = plumb_event_list_new(&how, list);
	if (error == 0 && *text)
		error = plumb_event_list_add(*list, text, e->diagnostics);
	return error;
}

/* Tells whether a job that was ended by signals has results, so that this is no error. */
static bool is_ended(const struct exploration *e, int error, double seconds)
{
	return error == PLUMB_ERR_INTERRUPTED &&
	       (seconds > 0 || !plumb_source_label(e->machine->source));
}

static const char *subject(const struct exploration *e)
{
	return e->machine->program ? e->machine->program : e->target;
}

/* Handles an error of a job. */
static int refuse(struct exploration *e, int error)
{
	if (error != PLUMB_ERR_INTERRUPTED)
		return machine_complain(e->diagnostics, subject(e), error);
	e->early = true;
	return EXIT_OTHER;
}

/* ---- one run of the model -----------------------------------------------------------------------
 */

static int measure_exactly(struct exploration *e)
{
	struct plumb_count *counts = memory_resize(NULL, e->plan->place_count + 1, sizeof(*counts));
	struct plumb_count_run counted = {.size = sizeof(counted)};
	struct plumb_recording_run run = {.size = sizeof(run)};
	struct explore_recording how = {.exact = true,
					.counts = counts,
					.counted = &counted,
					.what = "counting and profiling"};
	struct plumb_event_list *list = NULL;
	int error = read_events(e, EXACT_SPE, &list);

	how.events = list;
	if (error == 0)
		error = explore_record(e, &how, &run);
	e->exact = true;
	e->runs = 1;
	if (is_ended(e, error, counted.seconds)) {
		e->interrupted = true;
		error = 0;
	}
	if (error == 0)
		diagnose(e, counts, &counted);
	e->interrupted = e->interrupted || signals_ends() > 0;
	plumb_event_list_free(list);
	free(counts);
	return error < 0 ? refuse(e, error) : EXIT_FINE;
}

/* ---- counting -----------------------------------------------------------------------------------
 */

struct counting {
	struct exploration *e;
	struct progress progress;
	const char *what;
	/* With --once: the thread that samples what is counted. */
	bool samples, sampling;
	pthread_t thread;
	int pid;
	_Atomic bool stop;
	sem_t ready;
	struct plumb_event_list *events;
	int error;
};

static void *sample_it(void *user)
{
	struct counting *c = user;
	const struct explore_recording how = {.events = c->events,
					      .pids = &c->pid,
					      .stop = &c->stop,
					      .ready = &c->ready,
					      .quiet = true};
	struct plumb_recording_run run = {.size = sizeof(run)};

	c->error = explore_record(c->e, &how, &run);
	/* If it failed before. */
	sem_post(&c->ready);
	return NULL;
}

static void on_started(void *user, pid_t pid)
{
	struct counting *c = user;

	if (pid > 0) {
		progress_program(&c->progress, pid);
		signals_started(pid);
	} else {
		signals_begun();
	}
	c->pid = (int)pid;
	if (c->samples && pid > 0)
		c->sampling = pthread_create(&c->thread, NULL, sample_it, c) == 0;
	/* The program waits until then, so that its beginning is sampled, too. */
	while (c->sampling && sem_wait(&c->ready) < 0 && errno == EINTR)
		;
}

static void on_progress(void *user, const struct plumb_progress *progress)
{
	struct counting *c = user;
	char *work;

	if (!progress_is_due(&c->progress))
		return;
	work = figure_work(progress_seconds(&c->progress), progress->instructions);
	progress_show(&c->progress, "%s, %s", c->what, work);
	free(work);
}

static int last_signal(void *user)
{
	(void)user;
	return signals_last();
}

static void on_interval(void *user, const struct plumb_count *counts, double seconds)
{
	const struct counting *c = user;

	explore_add_interval(c->e, counts, seconds);
}

/* Counts a run, which is sampled as well if `c` says so. */
static int count(struct counting *c)
{
	struct exploration *e = c->e;
	struct plumb_count *counts = memory_resize(NULL, e->plan->place_count + 1, sizeof(*counts));
	const struct plumb_window window = {.size = sizeof(window), .timeout_ms = e->timeout_ms};
	const struct plumb_count_job job = {
		.size = sizeof(job),
		.plan = e->plan,
		.program = e->machine->program,
		.argv = e->argv,
		.children = true,
		.window = &window,
		.started = on_started,
		.interval_ms = explore_interval_ms(e),
		.interval = on_interval,
		.progress = on_progress,
		.last_signal = last_signal,
		.user = c,
		.pids = e->pids.at,
		.pid_count = e->pids.count,
		.all_cpus = e->options->all_cpus,
	};
	struct plumb_count_run run = {.size = sizeof(run)};
	int error;

	progress_begin(&c->progress, !e->options->no_progress);
	error = plumb_source_count(e->machine->source, &job, counts, &run, e->diagnostics);
	signals_ended();
	progress_erase(&c->progress);
	atomic_store(&c->stop, true);
	if (c->sampling)
		pthread_join(c->thread, NULL);
	e->runs++;
	e->interrupted = e->interrupted || signals_ends() > 0;
	if (is_ended(e, error, run.seconds))
		error = 0;
	if (error == 0)
		diagnose(e, counts, &run);
	free(counts);
	return error < 0 ? refuse(e, error) : EXIT_FINE;
}

/* ---- sampling what the diagnosis leads to -------------------------------------------------------
 */

static int sample(struct exploration *e)
{
	struct explore_recording how = {.what = "step 2 of 2: sampling"};
	struct plumb_recording_run run = {.size = sizeof(run)};
	struct plumb_event_list *list = NULL;
	char text[PLUMB_FINDINGS_EVENTS];
	unsigned interval = 0;
	int error;

	if (plumb_source_has_spe(e->machine->source)) {
		interval = plumb_source_spe_interval(e->machine->source);
		interval = interval ? interval : 1024;
	}
	if (!plumb_findings_events(e->counted, e->diagnosis, interval, plumb_source_counts,
				   e->machine->source, text))
		return EXIT_FINE;
	e->events = memory_copy(text, strlen(text));
	if (e->options->common.verbose)
		complain("sampling %s", text);
	error = read_events(e, text, &list);
	how.events = list;
	if (error == 0)
		error = explore_record(e, &how, &run);
	e->runs++;
	e->interrupted = e->interrupted || signals_ends() > 0;
	plumb_event_list_free(list);
	if (is_ended(e, error, run.seconds))
		return EXIT_FINE;
	return error < 0 ? refuse(e, error) : EXIT_FINE;
}

static int measure_in_steps(struct exploration *e)
{
	struct counting c = {.e = e, .what = "step 1 of 2: counting"};
	int status = count(&c);

	/* Ctrl-C: what is known so far. */
	if (status != EXIT_FINE || e->interrupted)
		return status;
	return sample(e);
}

static int measure_once(struct exploration *e)
{
	struct counting c = {.e = e, .what = "counting and sampling", .samples = true};
	int status, error;

	sem_init(&c.ready, 0, 0);
	/* D: always on its counter. */
	e->events = memory_format("%s", samples_cycles(e) ? "cycles:D" : "spe");
	if (e->options->common.verbose)
		complain("sampling %s", e->events);
	error = read_events(e, e->events, &c.events);
	status = error < 0 ? machine_complain(e->diagnostics, e->events, error) : count(&c);
	plumb_event_list_free(c.events);
	sem_destroy(&c.ready);
	if (status == EXIT_FINE && c.error < 0 && c.error != PLUMB_ERR_INTERRUPTED)
		return machine_complain(e->diagnostics, subject(e), c.error);
	return status;
}

int explore_measure(struct exploration *e)
{
	const bool model = plumb_source_label(e->machine->source);
	int status = make_plan(e);

	if (status != EXIT_FINE)
		return status;
	signals_catch(0);
	signals_cancel(e->machine->source, *e->argv ? 2 : 1);
	if (model && !e->options->sampled)
		return measure_exactly(e);
	if (samples_meanwhile(e))
		return measure_once(e);
	return measure_in_steps(e);
}

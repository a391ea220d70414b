/* SPDX-License-Identifier: Apache-2.0 */
/* Samples with the model: has the plugin sample, and reads its frames. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "params.h"
#include "source/model/exact.h"
#include "source/model/frames.h"
#include "source/model/record.h"
#include "source/model/run.h"
#include "source/model/sampled.h"
#include "source/model/tasks.h"

#define IDLE_MS 10
#define BUSY_MS 1
/* How often an exact profile is written, which takes this part of the time at most. */
#define SUMS_MS   30
#define SUMS_PART 10
/* Likewise that of a sampled run, which is written anew. */
#define PROFILE_MS   1000
#define PROFILE_PART 20

/* One run. */
struct recorder {
	const struct source_record_job *job;
	struct record_setup setup;
	struct model_sampling *sampling; /* shared: a program that runs wild may write to it */
	struct model_sampling *asked;    /* what it was to begin with */
	size_t size;                     /* of the former */
	struct model_frames frames;
	struct exact_sums sums;
	struct model_tasks *tasks;
	struct model_places places; /* if the job has a plan */
	double summed;              /* when an exact profile was written last, in ms ... */
	double summing;             /* ... and how long that took */
	double polled;              /* when the caller was last asked what to do next, in ms */
	bool unfinished;            /* something was read after the last round */
	bool begun;                 /* begin() was called */
	bool stopping;              /* the caller wants the program to end */
	struct plumb_diagnostics *diagnostics;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- The run ----------------------------------------------------------------------------------
 */

/* Does what the caller wants next. */
static void ask(struct recorder *r, double now)
{
	r->polled = now;
	switch (r->job->next ? r->job->next(r->job->user) : PLUMB_RECORDING_GO_ON) {
	case PLUMB_RECORDING_STOP:
		r->stopping = true;
		break;
	case PLUMB_RECORDING_SNAPSHOT:
		atomic_fetch_add(&r->sampling->snapshots_wanted, 1);
		break;
	case PLUMB_RECORDING_REPEAT_MAPS:
		model_frames_repeat(&r->frames);
		break;
	case PLUMB_RECORDING_GO_ON:
	default:
		break;
	}
}

/* Returns whether nothing is held back that is older than what was written. */
static bool write_sums(struct recorder *r, double now)
{
	if (!r->frames.sums || r->sums.scaled)
		return true;
	if (now - r->summed < SUMS_MS || now - r->summed < SUMS_PART * r->summing)
		return false;
	model_frames_write_sums(&r->frames);
	r->summed = now_ms();
	r->summing = r->summed - now;
	return true;
}

/* No later record is older, as there is one thread. */
static bool ends_round(const struct recorder *r)
{
	return r->job->round && !r->sums.scaled && !r->frames.error && !r->frames.several &&
	       !atomic_load(&r->sampling->several);
}

static int drain(void *user, pid_t pid, bool *end)
{
	struct recorder *r = user;
	bool any = model_frames_drain(&r->frames);
	double now = now_ms();

	r->unfinished |= any;
	if (write_sums(r, now) && r->unfinished && ends_round(r)) {
		r->unfinished = false;
		r->frames.error = r->job->round(r->job->user);
	}
	if (now - r->polled >= IDLE_MS)
		ask(r, now);
	if (r->frames.error)
		kill(pid, SIGKILL);
	*end = r->frames.error || r->stopping;
	return any ? BUSY_MS : IDLE_MS;
}

static int on_begin(void *user, const char *version)
{
	struct recorder *r = user;
	int error;

	r->begun = true;
	record_setup_name_engine(&r->setup, version);
	error = r->job->begin ? r->job->begin(r->job->user, &r->setup.recording) : 0;
	/* Asked for now: before, there is no file. */
	r->sums.in_place =
		!error && r->job->position && r->job->change && r->job->position(r->job->user);
	/* Windows are told when they end. */
	r->summed = now_ms();
	r->sampling->as_it_goes = r->asked->exact && r->job->position && !r->sums.scaled;
	return error;
}

/*
 * Writes the profile of a sampled run as if it ended here, so that a killed recorder leaves one.
 * All samples are changed each time, so it must not happen too often.
 */
static void on_sampled(void *user, const struct model_sampled *sampled,
		       const struct model_counts *sums)
{
	struct recorder *r = user;
	const double now = now_ms();

	if (!r->sums.in_place || now - r->summed < PROFILE_MS ||
	    now - r->summed < PROFILE_PART * r->summing)
		return;
	sampled_describe(sampled_is_partial(sampled) ? sampled : NULL, sums, &r->sums.groups);
	model_frames_write_sums(&r->frames);
	r->sums.groups = (struct sampled_groups){0};
	r->summed = now_ms();
	r->summing = r->summed - now;
}

static void on_started(void *user, pid_t pid)
{
	const struct recorder *r = user;

	if (r->job->started)
		r->job->started(r->job->user, pid);
}

static int last_signal(void *user)
{
	const struct recorder *r = user;

	return r->job->last_signal ? r->job->last_signal(r->job->user) : 0;
}

static void on_progress(void *user, const struct model_counts *counts)
{
	const struct recorder *r = user;
	const struct plumb_progress progress = {(double)counts->counts[EVENT_INST_RETIRED],
						counts->seconds};

	if (r->job->progress)
		r->job->progress(r->job->user, &progress);
}

static void on_interval(void *user, const struct model_counts *counts, const uint32_t *code)
{
	struct recorder *r = user;

	(void)code;
	r->job->interval(r->job->user, model_places_interval(&r->places, counts), counts->seconds);
}

/* The memory shared with the plugin: its descriptor, or an errno as a negative number. */
static int share(struct recorder *r)
{
	int fd, error;

	r->asked = malloc(sizeof(*r->asked));
	r->tasks = model_tasks_new();
	if (!r->asked || !r->tasks)
		return -ENOMEM;
	record_setup_fill(&r->setup, r->job, r->asked);
	r->size = model_sampling_size(r->asked);
	r->asked->key = model_run_key();
	fd = model_run_share("plumb-samples", r->size, r->asked->key);
	if (fd < 0)
		return -errno;
	r->sampling = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->sampling == MAP_FAILED) {
		error = errno;
		r->sampling = NULL;
		close(fd);
		return -error;
	}
	memcpy(r->sampling, r->asked, sizeof(*r->asked));
	r->sums = (struct exact_sums){
		.position = r->job->position,
		.change = r->job->change,
		.user = r->job->user,
		.scaled = r->job->exact && r->job->sampled_error != 0,
	};
	r->frames = (struct model_frames){
		.job = r->job,
		.setup = &r->setup,
		.asked = r->asked,
		.sampling = r->sampling,
		.sums = r->asked->exact ? &r->sums : NULL,
		.tasks = r->tasks,
		.out = {.records = r->job->records, .user = r->job->user},
		.reference = r->job->model->seed + 1,
	};
	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++)
		r->frames.chains[slot] = r->frames.passing[slot] = EXACT_NO_CHAIN;
	return fd;
}

static bool samples_predicates(const struct model_sampling *asked)
{
	for (uint32_t i = 0; i < asked->counter_count; i++)
		if (model_event_of_predicates(asked->counters[i].event))
			return true;
	return false;
}

/* What the plugin wrote, and nobody read. */
static void warn_of_losses(const struct recorder *r)
{
	const struct model_frames *frames = &r->frames;

	if (frames->taken > frames->overflows)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "samples-lost", NULL,
				      "%" PRIu64 " of %" PRIu64 " samples were lost%s",
				      frames->taken - frames->overflows, frames->taken,
				      frames->damaged ? ": the program overwrote them" : "");
	else if (frames->damaged)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "samples-lost", NULL,
				      "the program overwrote a part of the recording before it "
				      "was read");
}

/* Children would be sampled if everything was modelled. */
static void warn_of_children(const struct recorder *r, unsigned left_out)
{
	if (r->job->sampled_error != 0 && r->job->inherit && left_out)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "children-left-out", NULL,
				      "%u %s left out: a sampled run is of one process only",
				      left_out,
				      left_out == 1 ? "process that the program forked was"
						    : "processes that the program forked were");
}

/* How often each event occurred, by its index in the job; SPE's are the operations it chose from.
 */
static void tell_counts(const struct recorder *r, const struct model_counts *counts,
			double event_counts[PLUMB_EVENTS_MAX])
{
	const struct record_setup *setup = &r->setup;

	for (size_t i = 0; i < PLUMB_EVENTS_MAX; i++)
		event_counts[i] = NAN;
	for (unsigned c = 0; c < setup->counter_count; c++) {
		const uint64_t count = counts->counts[setup->asked[c].event];

		if (setup->asked[c].leader == c && count != MODEL_NOT_COUNTED)
			event_counts[setup->counters[c]] = (double)count;
	}
	if (setup->spe != SIZE_MAX)
		event_counts[setup->spe] = (double)counts->counts[EVENT_SAMPLE_POP];
}

static int run_model(struct recorder *r, int fd, struct source_record_run *run)
{
	const struct source_record_job *job = r->job;
	const struct model_sampler sampler = {
		.fd = fd,
		.key = r->asked->key,
		.predicates = samples_predicates(r->asked),
		.drain = drain,
		.as_it_is = r->sums.scaled ? on_sampled : NULL,
		.user = r,
	};
	const struct model_job what = {
		.options = job->model,
		.core_file = job->core_file,
		.program = job->program,
		.argv = job->argv,
		.children = job->inherit && job->sampled_error == 0,
		.sampled = (uint32_t)(job->sampled_error * SAMPLED_ERROR_PARTS + 0.5),
		.interval_ms = job->plan && job->interval ? job->interval_ms : 0,
		.window = &job->window,
		.sampler = &sampler,
		.cancel = job->cancel,
		.begin = on_begin,
		.started = on_started,
		.interval = on_interval,
		.progress = on_progress,
		.last_signal = last_signal,
		.user = r,
	};
	struct model_result *model = calloc(1, sizeof(*model));
	int error;

	if (!model)
		return PLUMB_ERR_NO_MEMORY;
	error = model_run(&what, model, r->diagnostics);
	if (r->begun && r->sums.scaled)
		sampled_describe(model->sampled, &model->sums, &r->sums.groups);
	if (r->begun)
		model_frames_finish(&r->frames);
	if (!error && !r->frames.error && job->round)
		r->frames.error = job->round(job->user);
	if (!error || error == PLUMB_ERR_INTERRUPTED) {
		*run = (struct source_record_run){
			.seconds = model->counted_seconds,
			.ended = model->ended,
			.host_seconds = model->host_seconds,
			.exit_status = model->exit_status,
			.signal = model->signal,
			.samples = r->frames.samples,
			.collisions = (model->sampled ? &model->sums : &model->counts)
					      ->counts[EVENT_SAMPLE_COLLISION],
		};
		if (what.interval_ms && model->counts.seconds > r->places.before.seconds)
			on_interval(r, &model->counts, NULL);
		tell_counts(r, &model->counts, run->event_counts);
		model_warn(model, r->diagnostics);
		if (job->plan &&
		    model_tell_counts(&r->places, model, job->counted, r->diagnostics) < 0)
			error = PLUMB_ERR_NO_MEMORY;
		warn_of_losses(r);
		warn_of_children(r, model->left_out);
		/* Where the profile could not be written, the program was ended because of that. */
		if (job->exact && !r->frames.error)
			exact_warn(r->sampling, r->diagnostics);
	}
	free(model->sampled);
	free(model);
	return error ? error : r->frames.error;
}

static int record(struct recorder *r, struct source_record_run *run)
{
	int fd = share(r), error;

	if (fd < 0)
		return model_run_refuse_share(r->size, -fd, r->diagnostics);
	error = run_model(r, fd, run);
	close(fd);
	return error;
}

int model_record(const struct source_record_job *job, struct source_record_run *run,
		 struct plumb_diagnostics *diagnostics)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int error = PLUMB_ERR_NO_MEMORY;

	if (!r)
		return error;
	r->job = job;
	r->diagnostics = diagnostics;
	error = record_setup_make(&r->setup, job, diagnostics);
	if (!error && job->plan)
		error = model_places_make(&r->places, job->plan);
	if (!error)
		error = record(r, run);
	if (r->sampling)
		munmap(r->sampling, r->size);
	free(r->asked);
	model_tasks_free(r->tasks);
	exact_sums_clean_up(&r->sums);
	record_writer_clean_up(&r->frames.out);
	model_places_clean_up(&r->places);
	free(r);
	return error;
}

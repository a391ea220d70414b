/* SPDX-License-Identifier: Apache-2.0 */
/* Records: writes what the source delivers to the recording, and counts it for the summary. */
#include <inttypes.h>
#include <math.h>
#include <plumb/version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record.h"
#include "render/figures.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/signals.h"

/* How often all that has come is put where a SIGKILL leaves it, in seconds. */
#define SETTLE_EVERY 0.05
/* From which size on an exact profile is called large. */
#define LARGE_BYTES (UINT64_C(1) << 30)
/* An exact profile that is longer is compressed from there on. */
#define PLAIN_BYTES (UINT64_C(256) << 20)

struct session {
	const struct record_request *request;
	const struct machine *machine;
	struct record_files files;
	struct record_rates rates;
	struct plumb_diagnostics *diagnostics;
	struct progress progress;
	bool asked;     /* SIGUSR2 asked for a new file */
	bool full;      /* --max-size is reached */
	bool failed;    /* writing failed */
	bool large;     /* it was said that the recording is large */
	double settled; /* when the file was last settled */
	uint64_t samples, aux_bytes;
	uint64_t lost, throttled, truncated, collisions;
};

/* ---- what the source delivers ------------------------------------------------------------- */

static uint64_t u64(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void tally_record(struct session *s, const char *record, uint32_t type, size_t size)
{
	if (type == PLUMB_RECORD_SAMPLE) {
		s->samples++;
		record_note_sample(&s->rates, record, size);
	} else if (type == PLUMB_RECORD_LOST && size >= 24)
		s->lost += u64(record + 16);
	else if (type == PLUMB_RECORD_LOST_SAMPLES && size >= 16)
		s->lost += u64(record + 8);
	else if (type == PLUMB_RECORD_THROTTLE)
		s->throttled++;
	else if (type == PLUMB_RECORD_AUX && size >= 32) {
		s->truncated += (u64(record + 24) & PLUMB_AUX_TRUNCATED) != 0;
		s->collisions += (u64(record + 24) & PLUMB_AUX_COLLISION) != 0;
	}
}

static void tally(struct session *s, const char *at, size_t left)
{
	while (left >= 8) {
		uint32_t type;
		uint16_t size;

		memcpy(&type, at, sizeof(type));
		memcpy(&size, at + 6, sizeof(size));
		if (size < 8 || size > left)
			return;
		tally_record(s, at, type, size);
		at += size;
		left -= size;
	}
}

/* Handles the result of writing. At --max-size, ends the recording and drops the rest. */
static int written(struct session *s, int error)
{
	if (error == PLUMB_ERR_LIMIT && s->request->limit_bytes) {
		s->full = true;
		return 0;
	}
	s->failed = s->failed || error < 0;
	return error;
}

/*
 * Returns whether a recording is compressed from some length on. In a sampled run all samples
 * change at the end, and so do those of the file before in the next one.
 */
static bool compresses_later(const struct record_request *request)
{
	return request->options->exact && !request->options->compression &&
	       !request->options->sampled && !request->switching.wanted &&
	       strcmp(request->path, "-") != 0;
}

/* Warns once of an exact profile that grows so large that it may not have been expected. */
static void warn_if_large(struct session *s)
{
	const struct record_request *request = s->request;

	if (s->large || !request->options->exact || request->options->quiet ||
	    request->limit_bytes || request->switching.wanted ||
	    plumb_recording_length(s->files.writer) < LARGE_BYTES)
		return;
	s->large = true;
	progress_erase(&s->progress);
	complain("the recording has grown beyond 1 GiB: each path of calls has counts of its own");
	if (!request->compress_level && !compresses_later(request))
		advise("use -z to compress it");
}

static int add_records(struct session *s, const char *records, size_t size)
{
	int error = plumb_recording_write(s->files.writer, records, size);

	if (error == 0) {
		tally(s, records, size);
		record_files_note(&s->files, records, size);
		warn_if_large(s);
	}
	return error;
}

static int on_records(void *user, const void *records, size_t size)
{
	struct session *s = user;
	const char *at = records;
	int error;

	if (s->full)
		return 0;
	error = add_records(s, at, size);
	/* If all records together are too much, write those that fit. */
	while (error == PLUMB_ERR_LIMIT && size >= 8) {
		uint16_t length;

		memcpy(&length, at + 6, sizeof(length));
		if (add_records(s, at, length) < 0)
			break;
		at += length;
		size -= length;
	}
	return written(s, error);
}

static int on_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		  size_t first_size, const void *second, size_t second_size)
{
	struct session *s = user;
	int error;

	if (s->full)
		return 0;
	error = plumb_recording_write_aux(s->files.writer, chunk, first, first_size, second,
					  second_size);
	if (error == 0) {
		s->aux_bytes += first_size + second_size;
		s->files.empty = false;
	}
	return written(s, error);
}

static uint64_t on_position(void *user)
{
	const struct session *s = user;

	return s->files.writer ? plumb_recording_position(s->files.writer) : 0;
}

static int on_change(void *user, const struct plumb_recording_change *changes, size_t count)
{
	struct session *s = user;
	int error = plumb_recording_change(s->files.writer, changes, count);

	/* At --max-size, the record was dropped. */
	return s->full && error == PLUMB_ERR_ARGUMENT ? 0 : written(s, error);
}

static int on_round(void *user)
{
	struct session *s = user;

	return written(s, s->full ? 0 : plumb_recording_finish_round(s->files.writer));
}

/* Begins another file if it is time to. Returns whether. */
static bool switch_file(struct session *s)
{
	int switched = s->failed ? 0 : record_files_switch(&s->files, s->asked);

	if (switched <= 0) {
		written(s, switched);
		return false;
	}
	s->asked = s->full = false;
	return true;
}

static void on_started(void *user, pid_t pid)
{
	struct session *s = user;

	progress_program(&s->progress, pid);
	signals_started(pid);
}

static int last_signal(void *user)
{
	(void)user;
	return signals_last();
}

/* Lets the file have all that came, now and then. */
static void settle(struct session *s)
{
	double now = record_now();

	if (!s->files.writer || s->full || s->failed || now - s->settled < SETTLE_EVERY)
		return;
	s->settled = now;
	written(s, plumb_recording_settle(s->files.writer));
}

static enum plumb_recording_next on_next(void *user)
{
	struct session *s = user;
	/* The first signal lets the program end by itself; the second stops the recording. */
	unsigned patience = *s->request->program ? 1 : 0;

	if (signals_own()) {
		if (s->request->switching.signal)
			s->asked = true;
		if (s->request->options->snapshot)
			return PLUMB_RECORDING_SNAPSHOT;
	}
	settle(s);
	/* Everything so far has been delivered: there is no better moment. */
	if (switch_file(s))
		return PLUMB_RECORDING_REPEAT_MAPS;
	if (s->full || s->failed || signals_ends() > patience)
		return PLUMB_RECORDING_STOP;
	return PLUMB_RECORDING_GO_ON;
}

/* ---- progress ----------------------------------------------------------------------------- */

static void on_progress(void *user, const struct plumb_progress *progress)
{
	struct session *s = user;
	double host = progress_seconds(&s->progress);
	char *work, *time;
	uint64_t bytes;

	if (!progress_is_due(&s->progress) || !s->files.writer)
		return;
	bytes = s->files.bytes + plumb_recording_length(s->files.writer);
	if (isnan(progress->instructions)) {
		progress_show(&s->progress, "%.0f s: %.1f MB", host, (double)bytes / 1e6);
		return;
	}
	work = figure_work(host, progress->instructions);
	time = figure_duration(progress->seconds);
	progress_show(&s->progress, "%s; %.1f MB; %s of %s time", work, (double)bytes / 1e6, time,
		      plumb_source_name(s->machine->source));
	free(work);
	free(time);
}

/* ---- the beginning ------------------------------------------------------------------------ */

static uint64_t memory_kb(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 1024 : 0;
}

static uint32_t cpus(int name)
{
	long count = sysconf(name);

	return count > 0 ? (uint32_t)count : 1;
}

static int on_begin(void *user, const struct plumb_recording_setup *from)
{
	struct session *s = user;
	struct plumb_recording_setup setup = *from;
	struct utsname system;

	setup.size = sizeof(setup);
	if (uname(&system) == 0) {
		setup.hostname = setup.hostname ? setup.hostname : system.nodename;
		setup.osrelease = setup.osrelease ? setup.osrelease : system.release;
		setup.arch = setup.arch ? setup.arch : system.machine;
	}
	/* A program's recording begins with the program. */
	if (!*s->request->program)
		signals_begun();
	record_note_rates(&s->rates, s->machine->source, s->request, from);
	setup.version = "plumb " PLUMB_VERSION;
	if (!setup.cpus_available) {
		setup.cpus_available = cpus(_SC_NPROCESSORS_CONF);
		setup.cpus_online = cpus(_SC_NPROCESSORS_ONLN);
	}
	setup.total_memory_kb = setup.total_memory_kb ? setup.total_memory_kb : memory_kb();
	setup.command = (const char *const *)s->request->command;
	setup.compress_level = s->request->compress_level;
	/* Nobody foresees how many paths of calls a program has. */
	if (compresses_later(s->request)) {
		setup.compress_level = 1;
		setup.compress_after = PLAIN_BYTES;
	}
	setup.limit_bytes = s->request->limit_bytes;
	return written(s, record_files_begin(&s->files, &setup));
}

/* ---- the end ------------------------------------------------------------------------------ */

static void say_warnings(const struct session *s)
{
	if (s->request->options->quiet)
		return;
	for (size_t i = 0; i < plumb_diagnostics_count(s->diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(s->diagnostics, i);

		if (d->severity != PLUMB_WARNING)
			continue;
		complain("%s", d->message);
		advise_on(d);
	}
}

/* Tells whether the source has already warned about this. */
static bool warned(const struct session *s, const char *id)
{
	for (size_t i = 0; i < plumb_diagnostics_count(s->diagnostics); i++)
		if (strcmp(plumb_diagnostics_get(s->diagnostics, i)->id, id) == 0)
			return true;
	return false;
}

static void say_losses(const struct session *s, const struct plumb_recording_run *run)
{
	uint64_t lost = run->lost > s->lost ? run->lost : s->lost;

	if (lost && !warned(s, "lost")) {
		complain("%" PRIu64 " records were lost: the buffer was full", lost);
		advise("use a larger -m, a larger -c or a smaller -F");
	}
	if (s->truncated && !warned(s, "aux-truncated")) {
		complain("AUX data was truncated %" PRIu64 " times: the AUX buffer was full",
			 s->truncated);
		advise("use a larger -m ,AUXPAGES or a larger -c");
	}
	if (run->collisions) {
		complain("%" PRIu64 " operations were not sampled because the previous one was "
			 "still in flight (collisions)",
			 run->collisions);
		advise("use a larger -c");
	} else if (s->collisions) {
		complain("samples collided in %" PRIu64 " pieces of AUX data", s->collisions);
		advise("use a larger -c");
	}
	if (s->throttled && !warned(s, "throttled")) {
		complain("the kernel throttled sampling %" PRIu64 " times", s->throttled);
		advise("use a larger -c or a smaller -F");
	}
}

static const char *file_text(const struct session *s, char *text, size_t size)
{
	const struct record_files *files = &s->files;

	if (strcmp(s->request->path, "-") == 0)
		return "standard output";
	if (files->kept_count == 1)
		return files->kept[0];
	if (files->kept_count == 0)
		return s->request->path;
	snprintf(text, size, "%zu files, the last one %s", files->kept_count,
		 files->kept[files->kept_count - 1]);
	return text;
}

static void say_result(const struct session *s, const struct plumb_recording_run *run)
{
	/* Only the source has counted SPE samples, which are in the AUX data, and the counts of
	 * samples that bring several. */
	const bool told = s->aux_bytes || (s->request->options->exact && !s->full);
	uint64_t samples = told && run->samples > s->samples ? run->samples : s->samples;
	char text[8192];

	if (s->request->options->quiet)
		return;
	if (s->full)
		complain("the recording reached --max-size and stopped there");
	say_losses(s, run);
	/* Whoever sent a command under --control knows that. */
	if (run->ended && !run->by_command)
		window_say_ended(&s->request->window, *s->request->program != NULL);
	complain("%" PRIu64 " sample%s, %.3f MB %s %s%s%s", samples, samples == 1 ? "" : "s",
		 (double)s->files.bytes / 1e6, strcmp(s->request->path, "-") == 0 ? "to" : "in",
		 file_text(s, text, sizeof(text)),
		 plumb_source_label(s->machine->source) ? "; by the " : "",
		 plumb_source_label(s->machine->source) ? plumb_source_label(s->machine->source)
							: "");
	/* Snapshots, and what is ended or begun by hand, have as many as were wanted. */
	if (*s->request->program && !s->full && !s->request->options->snapshot &&
	    !s->request->window.delay_ms)
		record_advise_more(&s->rates, run, samples);
}

static int status_of(const struct session *s, int error)
{
	int status;

	if (error == PLUMB_ERR_INTERRUPTED)
		return EXIT_OTHER;
	status = machine_complain(s->diagnostics, s->request->path, error);

	return s->failed ? EXIT_OTHER : status;
}

static void say_which(const struct session *s)
{
	const struct machine *machine = s->machine;

	if (!machine->why || s->request->options->quiet)
		return;
	if (plumb_source_label(machine->source))
		complain("sampling with the %s of a %s: %s", plumb_source_label(machine->source),
			 machine->spec->product.name, machine->why);
	else
		complain("sampling on this machine's %s: %s", machine->spec->product.name,
			 machine->why);
	for (size_t i = 0; i < s->request->type_count; i++)
		complain("and on its %s: %s", s->request->types[i].spec->product.name,
			 plumb_source_pmu(s->request->types[i].source));
}

static struct plumb_recording_job make_job(struct session *s)
{
	const struct record_request *request = s->request;
	const struct record_options *options = request->options;

	return (struct plumb_recording_job){
		.size = sizeof(struct plumb_recording_job),
		.events = request->events,
		.beside = request->besides,
		.beside_count = request->type_count,
		.program = s->machine->program,
		.argv = request->program,
		.pids = request->pids.at,
		.tids = request->tids.at,
		.cpus = request->cpus.at,
		.pid_count = request->pids.count,
		.tid_count = request->tids.count,
		.cpu_count = request->cpus.count,
		.all_cpus = options->all_cpus,
		.per_thread = options->per_thread,
		.inherit = !options->no_inherit,
		.callchains = request->callchains,
		.user_stack = request->user_stack,
		.snapshot = options->snapshot,
		.exact = options->exact,
		.sampled_error = request->sampled_error,
		.data_addresses = options->data,
		.physical_addresses = options->physical,
		.sample_cpus = options->sample_cpus,
		.branches = request->branches,
		.mmap_pages = request->mmap_pages,
		.aux_pages = request->aux_pages,
		.clock_given = request->clockid >= 0,
		.clockid = request->clockid,
		.window = &request->window,
		.control = request->control.wanted,
		.control_fd = request->control.fd,
		.ack_fd = request->control.ack_fd,
		.begin = on_begin,
		.started = on_started,
		.records = on_records,
		.aux = on_aux,
		.round = on_round,
		.progress = on_progress,
		.next = on_next,
		.last_signal = last_signal,
		.position = on_position,
		.change = on_change,
		.user = s,
	};
}

static void do_nothing(int number)
{
	(void)number;
}

int record_run(const struct record_request *request, struct machine *machine, int pipe)
{
	struct session s = {
		.request = request,
		.machine = machine,
		.diagnostics = memory_given(plumb_diagnostics_new()),
	};
	const struct plumb_recording_job job = make_job(&s);
	struct plumb_recording_run run = {.size = sizeof(run)};
	bool own = request->options->snapshot || request->switching.signal;
	int error, ended, status;

	s.files = (struct record_files){
		.request = request, .diagnostics = s.diagnostics, .pipe = pipe};
	say_which(&s);
	signals_catch(own ? SIGUSR2 : 0);
	/* A handler instead of SIG_IGN, which the program would inherit. */
	signal(SIGPIPE, do_nothing);
	progress_begin(&s.progress, !request->options->no_progress && !request->options->quiet);
	machine->say_engine = request->options->common.verbose && !request->options->quiet;
	error = plumb_source_record(machine->source, &job, &run, s.diagnostics);
	signals_ended();
	progress_erase(&s.progress);
	/* Whatever happened, keep what was recorded. */
	ended = s.files.writer ? record_files_end(&s.files) : 0;
	s.failed = s.failed || ended < 0;
	if (error == 0)
		error = ended;
	say_warnings(&s);
	status = error < 0 ? status_of(&s, error) : run.exit_status;
	if (error == 0)
		say_result(&s, &run);
	record_rates_free(&s.rates);
	record_files_free(&s.files);
	plumb_diagnostics_free(s.diagnostics);
	if (error == PLUMB_ERR_INTERRUPTED) {
		signals_end_early();
		complain("a signal ended QEMU before the program began");
	}
	if (error == 0)
		signals_end(*request->program ? run.signal : 0);
	return status;
}

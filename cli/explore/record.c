/* SPDX-License-Identifier: Apache-2.0 */
/* Records one run of the program for plumb explore. */
#include <math.h>
#include <plumb/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "explore.h"
#include "record/record.h"
#include "render/figures.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/signals.h"

struct session {
	struct exploration *e;
	const struct explore_recording *how;
	struct record_options options;
	struct record_request request;
	struct record_files files;
	struct progress progress;
	bool failed;
	bool posted; /* that it samples */
};

static int noted(struct session *s, int error)
{
	s->failed = s->failed || error < 0;
	return error;
}

static int on_begin(void *user, const struct plumb_recording_setup *from)
{
	struct session *s = user;
	struct plumb_recording_setup setup = *from;
	struct utsname system;
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	setup.size = sizeof(setup);
	if (uname(&system) == 0) {
		setup.hostname = setup.hostname ? setup.hostname : system.nodename;
		setup.osrelease = setup.osrelease ? setup.osrelease : system.release;
		setup.arch = setup.arch ? setup.arch : system.machine;
	}
	if (!*s->e->argv && !s->how->quiet)
		signals_begun();
	setup.version = "plumb " PLUMB_VERSION;
	if (!setup.cpus_available)
		setup.cpus_available = setup.cpus_online = cpus > 0 ? (uint32_t)cpus : 1;
	if (!setup.total_memory_kb && pages > 0 && size > 0)
		setup.total_memory_kb = (uint64_t)pages * (uint64_t)size / 1024;
	setup.command = (const char *const *)s->e->words;
	return noted(s, record_files_begin(&s->files, &setup));
}

static int on_records(void *user, const void *records, size_t size)
{
	struct session *s = user;
	int error = plumb_recording_write(s->files.writer, records, size);

	if (error == 0)
		record_files_note(&s->files, records, size);
	return noted(s, error);
}

static int on_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		  size_t first_size, const void *second, size_t second_size)
{
	struct session *s = user;

	return noted(s, plumb_recording_write_aux(s->files.writer, chunk, first, first_size, second,
						  second_size));
}

static int on_round(void *user)
{
	struct session *s = user;

	return noted(s, plumb_recording_finish_round(s->files.writer));
}

static uint64_t on_position(void *user)
{
	const struct session *s = user;

	return s->files.writer ? plumb_recording_position(s->files.writer) : 0;
}

static int on_change(void *user, const struct plumb_recording_change *changes, size_t count)
{
	struct session *s = user;

	return noted(s, plumb_recording_change(s->files.writer, changes, count));
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

static enum plumb_recording_next on_next(void *user)
{
	struct session *s = user;
	/* The first signal lets the program end by itself. */
	const unsigned patience = *s->e->argv ? 1 : 0;

	if (s->how->ready && !s->posted)
		sem_post(s->how->ready);
	s->posted = true;
	if (s->failed || (s->how->stop && atomic_load(s->how->stop)) || signals_ends() > patience)
		return PLUMB_RECORDING_STOP;
	return PLUMB_RECORDING_GO_ON;
}

static void on_progress(void *user, const struct plumb_progress *progress)
{
	struct session *s = user;
	const double host = progress_seconds(&s->progress);
	char *work;

	if (!progress_is_due(&s->progress) || !s->files.writer)
		return;
	work = figure_work(host, progress->instructions);
	progress_show(&s->progress, "%s, %s; %.1f MB", s->how->what, work,
		      (double)plumb_recording_length(s->files.writer) / 1e6);
	free(work);
}

static void on_interval(void *user, const struct plumb_count *counts, double seconds)
{
	const struct session *s = user;

	explore_add_interval(s->e, counts, seconds);
}

static struct plumb_recording_job make_job(struct session *s, const struct plumb_window *window)
{
	const struct exploration *e = s->e;
	const bool attached = s->how->pids;

	return (struct plumb_recording_job){
		.size = sizeof(struct plumb_recording_job),
		.events = s->how->events,
		.program = attached ? NULL : e->machine->program,
		.argv = attached ? NULL : e->argv,
		.pids = attached ? s->how->pids : e->pids.at,
		.pid_count = attached ? 1 : e->pids.count,
		.all_cpus = e->options->all_cpus,
		.inherit = true,
		.exact = s->how->exact,
		/* An exact profile has its own. */
		.callchains = !s->how->exact,
		.window = window,
		.begin = on_begin,
		.started = s->how->quiet ? NULL : on_started,
		.records = on_records,
		.aux = on_aux,
		.round = on_round,
		.progress = s->how->quiet ? NULL : on_progress,
		.next = on_next,
		.last_signal = last_signal,
		.position = on_position,
		.change = on_change,
		.user = s,
		.plan = s->how->counts ? e->plan : NULL,
		.counts = s->how->counts,
		.counted = s->how->counted,
		.interval_ms = s->how->counts ? explore_interval_ms(e) : 0,
		.interval = on_interval,
	};
}

int explore_record(struct exploration *e, const struct explore_recording *how,
		   struct plumb_recording_run *run)
{
	struct session s = {.e = e, .how = how};
	const struct plumb_window window = {.size = sizeof(window), .timeout_ms = e->timeout_ms};
	struct plumb_recording_job job;
	int error, ended;
	bool begun;

	s.options.quiet = true;
	s.request = (struct record_request){.options = &s.options,
					    .path = e->path,
					    .command = e->words,
					    .program = e->argv,
					    .clockid = -1};
	s.files = (struct record_files){
		.request = &s.request, .diagnostics = e->diagnostics, .pipe = -1};
	job = make_job(&s, &window);
	if (!how->quiet)
		progress_begin(&s.progress, !e->options->no_progress);
	error = plumb_source_record(e->machine->source, &job, run, e->diagnostics);
	if (!how->quiet) {
		signals_ended();
		progress_erase(&s.progress);
	}
	/* Whatever happened, keep what was recorded. */
	begun = s.files.writer;
	ended = begun ? record_files_end(&s.files) : 0;
	e->recorded = begun && ended == 0;
	if (ended < 0 && e->scratch >= 0) {
		complain("%s: the temporary recording could not be completed",
			 explore_scratch_folder());
		if (ended == PLUMB_ERR_IO)
			advise("set TMPDIR to a folder with more room, or use -o DIR");
	} else if (ended < 0) {
		complain("%s: the recording could not be completed", e->path);
	}
	record_files_free(&s.files);
	return error ? error : ended;
}

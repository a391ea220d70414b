/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `plumb record` share. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <plumb/event.h>
#include <plumb/recording.h>

#include "stat/stat.h"
#include "tool/options.h"

struct record_options {
	struct common_options common;
	int source;
	struct option_words events;
	const char *period, *frequency, *call_graph, *cpus, *pids, *tids, *pages, *switch_output;
	const char *compression, *delay, *clockid, *max_size, *seed, *sysroot, *qemu;
	unsigned max_files;
	bool callchains, all_cpus, per_thread, no_inherit, data, physical, snapshot, timestamp;
	bool exact, quiet, no_build_ids, no_cache, no_progress, all_user, all_kernel;
};

/* When a recording goes on in a new file. */
struct record_switch {
	bool wanted, signal;
	uint64_t bytes; /* 0: not by size */
	double seconds; /* 0: not by time */
};

struct record_list {
	int *at;
	size_t count;
};

/* What the options come to. */
struct record_request {
	const struct record_options *options;
	const char *path;
	char *const *command; /* all of the command line, NULL-ended: for the recording */
	char *const *program; /* NULL-ended; empty: what runs already */
	uint64_t period;      /* 0: not said */
	unsigned frequency;
	bool callchains;
	uint32_t user_stack; /* bytes to copy with each sample; 0: none */
	struct record_list cpus, pids, tids;
	size_t mmap_pages, aux_pages;
	struct record_switch switching;
	int compress_level, delay_ms, clockid;
	uint64_t limit_bytes, seed;
	struct plumb_event_list *events;
};

/* ---- values as perf spells them: record_units.c ------------------------------------------------
 */

/* Reads all options but the events. False: one is wrong, which has been said. */
bool record_read_options(const struct record_options *options, struct record_request *request);
void record_request_free(struct record_request *request);

/* ---- which events: record_events.c ------------------------------------------------------------
 */

/* The events, on `machine`. Returns EXIT_FINE, or, having said why, the exit status. */
int record_read_events(struct record_request *request, const struct machine *machine);

/* ---- the files: record_files.c -----------------------------------------------------------------
 */

struct record_files {
	const struct record_request *request;
	struct plumb_recording_writer *writer; /* NULL: not begun */
	struct plumb_diagnostics *found;
	char **kept; /* names of those that are complete, the oldest first */
	size_t kept_count;
	uint64_t bytes; /* of all of them */
	int pipe;       /* descriptor of standard output, if that is where it goes; else -1 */
	double began;   /* the one at hand */
	bool empty;     /* nothing came since it went on in this one */
	struct build_id_list *build_ids;
};

int record_files_begin(struct record_files *files, const struct plumb_recording_setup *setup);
/* Goes on in a new file if it is time to; `asked`: by a signal. Returns 1 if so, 0, or an error. */
int record_files_switch(struct record_files *files, bool asked);
/* What was mapped, for its build-id. */
void record_files_note(struct record_files *files, const void *records, size_t size);
/* Completes the last one. Returns 0 or an error. */
int record_files_end(struct record_files *files);
void record_files_free(struct record_files *files);
double record_now(void); /* seconds */

/* ---- running: record_session.c ------------------------------------------------------------------
 */

/* Records, says what it came to, and returns the exit status. */
int record_run(const struct record_request *request, const struct machine *machine, int pipe);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb record` share. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <plumb/event.h>
#include <plumb/recording.h>
#include <plumb/source.h>

#include "core_types.h"
#include "cpu/pmu.h"
#include "tool/control.h"
#include "tool/lists.h"
#include "tool/machine.h"
#include "tool/options.h"
#include "tool/window.h"

struct record_options {
	struct common_options common;
	int source, page_size;
	bool huge_pages, reference;
	unsigned host_threads;
	struct machine_conditions conditions;
	const char *core_file;
	struct option_words events;
	const char *branch_filter;
	const char *period, *frequency, *call_graph, *cpus, *pids, *tids, *pages, *switch_output;
	struct window_options window;
	const char *sampled, *strobe; /* as given; NULL: not at all */
	const char *compression, *clockid, *max_size, *seed, *sysroot, *qemu, *control;
	unsigned max_files;
	bool callchains, all_cpus, per_thread, no_inherit, data, physical, snapshot, timestamp;
	bool branches;
	bool exact, topdown, quiet, no_build_ids, no_cache, no_progress, all_user, all_kernel;
	bool strict_frequency, sample_cpus;
};

/* When to continue in a new file. */
struct record_switch {
	bool wanted, signal;
	uint64_t bytes; /* 0: not by size */
	double seconds; /* 0: not by time */
};

/* The source's default. */
#define STROBE_DEFAULT UINT64_MAX

/* The options, parsed. */
struct record_request {
	const struct record_options *options;
	const char *path;
	char *const *command; /* the whole command line for the recording, ended by NULL */
	char *const *program; /* ended by NULL; empty: sample running processes */
	uint64_t period;      /* 0: not given */
	unsigned frequency;
	bool most_frequent; /* -F max */
	uint64_t strobe;    /* with --topdown: cycles, or STROBE_DEFAULT */
	bool callchains;
	uint32_t user_stack; /* bytes to copy with each sample; 0: none */
	uint64_t branches;   /* enum plumb_branches and plumb_branch_bit; 0: none */
	struct number_list cpus, pids, tids;
	size_t mmap_pages, aux_pages;
	struct record_switch switching;
	struct plumb_window window;
	int compress_level, clockid;
	uint64_t limit_bytes, seed;
	double sampled_error; /* 0: everything is modelled */
	struct control control;
	struct plumb_event_list *events;
	/* Of the machine's other types of cores. */
	struct core_type types[CPU_PMUS_MAX];
	struct plumb_recording_beside besides[CPU_PMUS_MAX];
	struct core_words own; /* the events of the machine's own type, if there are others */
	size_t type_count;
};

/* ---- values as perf spells them: record_units.c ------------------------------------------------
 */

/* Reads all options except the events. Prints an error and returns false if one is invalid. */
bool record_read_options(const struct record_options *options, struct record_request *request);
void record_request_free(struct record_request *request);

/* ---- which events: record_events.c ------------------------------------------------------------
 */

/* Reads the events for `machine`. Returns EXIT_FINE, or prints an error and returns the exit
 * status. */
int record_read_events(struct record_request *request, const struct machine *machine);

/* Reads the words, or `otherwise` if there are none, for one source. Returns 0 or an error. */
int record_read_list(const struct record_request *request, const struct plumb_source *source,
		     const struct option_words *words, const char *otherwise,
		     struct plumb_event_list **list, struct plumb_diagnostics *diagnostics);

/* ---- several types of cores: types.c ----------------------------------------------------------
 */

/* Finds the other types of cores to sample; the machine's own may become another. */
void record_find_types(struct record_request *request, struct machine *machine);
/*
 * Reads the events for them, after those of the machine's own. Types that lack them are left out,
 * which is said.
 */
void record_read_types(struct record_request *request, const struct machine *machine);
void record_free_types(struct record_request *request);

/* ---- the group of --topdown: topdown.c --------------------------------------------------------
 */

/*
 * Makes the group of events to sample, as -e takes it, to be freed; and sets a period, unless there
 * is one. Returns EXIT_FINE, or prints an error and returns the exit status.
 */
int record_topdown_group(struct record_request *request, const struct machine *machine,
			 char **group);

/* ---- the files: record_files.c -----------------------------------------------------------------
 */

/*
 * Returns whether `path` may be renamed or removed: it is a regular file, or not there yet. A
 * device, a FIFO or a link, which may be the system's, stays where it is.
 */
bool record_files_may_rename(const char *path);

struct record_files {
	const struct record_request *request;
	struct plumb_recording_writer *writer; /* NULL: not begun */
	struct plumb_diagnostics *diagnostics;
	char **kept; /* names of the complete files, the oldest first */
	size_t kept_count;
	uint64_t bytes; /* of all files */
	int pipe;       /* descriptor to write the recording to, or -1 for files */
	double began;   /* when the current file began */
	bool empty;     /* the current file, which is not the first, has no records */
	struct build_id_list *build_ids;
};

int record_files_begin(struct record_files *files, const struct plumb_recording_setup *setup);
/* Continues in a new file if it is time; `asked` tells that a signal asked for it. Returns 1 if so,
 * 0, or an error. */
int record_files_switch(struct record_files *files, bool asked);
/* Notes the files mapped by these records, for their build-ids. */
void record_files_note(struct record_files *files, const void *records, size_t size);
/* Completes the last file. Returns 0 or an error. */
int record_files_end(struct record_files *files);
void record_files_free(struct record_files *files);
double record_now(void); /* seconds */

/* ---- how much was sampled: advice.c ---------------------------------------------------------- */

/* How often an event of a recording was sampled. */
struct record_rate {
	char *name;
	uint64_t *ids; /* in its samples */
	size_t id_count;
	bool known, frequency, spe;
	bool filtered; /* SPE records only some operations */
	double value;  /* Hz, or the period */
	double least;  /* period that is possible */
	uint64_t samples;
};

struct record_rates {
	struct record_rate at[PLUMB_EVENTS_MAX];
	size_t count;
};

/* Tells whether an event samples: in a group with the modifier S, only the leader does. */
bool record_samples(const struct plumb_event_list *events, size_t i);
/* Call record_rates_free() in the end. */
void record_note_rates(struct record_rates *rates, const struct plumb_source *source,
		       const struct record_request *request,
		       const struct plumb_recording_setup *setup);
/* Adds a sample record to its event. */
void record_note_sample(struct record_rates *rates, const char *record, size_t size);
/* Says of each event that has few samples how to get enough. `samples` is their sum, with SPE's. */
void record_advise_more(const struct record_rates *rates, const struct plumb_recording_run *run,
			uint64_t samples);
void record_rates_free(struct record_rates *rates);

/* ---- running: record_session.c ------------------------------------------------------------------
 */

/* Records, prints a summary, and returns the exit status. */
int record_run(const struct record_request *request, struct machine *machine, int pipe);

#endif

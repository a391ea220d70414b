/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources count and sample. plumb/perf.h opens this machine's PMU, plumb/model.h a model of a core.
 * These functions work with both:
 *
 *	plumb_source_count()   runs a program and counts the events of a plan, or counts processes,
 *	                       CPUs or control groups
 *	plumb_source_record()  samples a program or running processes
 *	plumb_region_open()    counts parts of the calling thread
 *
 * Several threads may use a source at once, each with its own jobs. Functions that take
 * `diagnostics` add errors, with the source's name and a hint, and warnings about the results; it
 * may be NULL.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_SOURCE_H
#define PLUMB_SOURCE_H

#include <plumb/count.h>
#include <plumb/recording.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_source;

/* Closes a source, which must not be running anything. Accepts NULL. */
PLUMB_API void plumb_source_close(struct plumb_source *source);

/* Returns the name to print, "perf" or "model". Static storage. */
PLUMB_API const char *plumb_source_name(const struct plumb_source *source);

/* Returns what to print after the CPU's name if it is not the real one ("model"), or NULL. */
PLUMB_API const char *plumb_source_label(const struct plumb_source *source);

/* Returns the CPU's specification, or NULL if there is no Arm PMU, but only software events. */
PLUMB_API const struct plumb_spec *plumb_source_spec(const struct plumb_source *source);

/* Return the CPU's MIDR_EL1, or 0 if unknown; and the PMU's name ("armv8_pmuv3_0"), or NULL. */
PLUMB_API uint32_t plumb_source_midr(const struct plumb_source *source);
PLUMB_API const char *plumb_source_pmu(const struct plumb_source *source);

/* Return whether there is an SPE unit, and its minimum interval in operations; 0: unknown. */
PLUMB_API bool plumb_source_has_spe(const struct plumb_source *source);
PLUMB_API unsigned plumb_source_spe_interval(const struct plumb_source *source);

/*
 * Returns whether the source may count the PMU event with this code; false only if it certainly
 * cannot. `source` is a struct plumb_source; its type fits the callbacks in structs of options.
 */
PLUMB_API bool plumb_source_counts(const void *source, uint16_t code);

/*
 * Finds the event of a PMU of this machine that belongs to no core, such as that of an
 * interconnect, as struct plumb_event_options wants it. Counting it counts the whole machine, with
 * perf.
 */
PLUMB_API int plumb_source_other(const void *source, const struct plumb_event_term *terms,
				 size_t count, struct plumb_event_config *config,
				 struct plumb_diagnostics *diagnostics);

/*
 * Checks whether the source can count the event. Returns 0, or NOT_FOUND, UNSUPPORTED or MACHINE
 * with a finding. Counting and recording check this, too.
 */
PLUMB_API int plumb_source_check(const struct plumb_source *source,
				 const struct plumb_event_config *event,
				 struct plumb_diagnostics *diagnostics);

/* Fill in the options of events and of plans that depend on the source; leave the others as is. */
PLUMB_API void plumb_source_fill_event_options(const struct plumb_source *source,
					       struct plumb_event_options *options);
PLUMB_API void plumb_source_fill_plan_options(const struct plumb_source *source,
					      struct plumb_plan_options *options);

/*
 * Ends everything the source is running, within about a tenth of a second: sends SIGTERM to the
 * program, and two seconds later SIGKILL. Counting and recording then return INTERRUPTED. Later
 * jobs are not affected. May be called from any thread and from a signal handler.
 */
PLUMB_API void plumb_source_cancel(struct plumb_source *source);

/* ---- the part of a run to count -------------------------------------------------------------- */

/*
 * If only `size` is set, the whole run. Times are the source's. A source rejects what it does not
 * support: only the model supports places and numbers of instructions.
 *
 * A place is "SYMBOL", "SYMBOL+0xOFFSET" or a hexadecimal address, in the program's file or in the
 * running program.
 */
struct plumb_window {
	size_t size;         /* sizeof(struct plumb_window) */
	int delay_ms;        /* begin this long after the program; -1 (with perf only): never */
	unsigned timeout_ms; /* end the program this long after that; 0: no limit */
	uint64_t max_instructions; /* end it after this many counted instructions; 0: no limit */
	/*
	 * Begin, for all threads, when any thread reaches `from`; end when one reaches `to`, before
	 * that instruction. Counts every passage. NULL: the program's start and end.
	 */
	const char *from, *to;
};

/* ---- counting -------------------------------------------------------------------------------- */

/* The progress of a run. Made by the library; may grow. */
struct plumb_progress {
	double instructions; /* NaN if they are not counted */
	double seconds;      /* of the source's time since the program began */
};

/*
 * An interval of a sampled run, or all of a phase: of intervals that execute mostly the same code.
 * Made by the library; may grow.
 */
struct plumb_stretch {
	double seconds; /* when the interval ended, of the source's time; of a phase: its length */
	int phase;      /* its number, from 0 on, by first appearance; -1: no other is alike */
	size_t intervals;                 /* how many it is */
	const struct plumb_count *counts; /* estimates, in the plan's layout */
	const struct plumb_windows *own;  /* of it alone, for plumb_result_add_windows() */
};

/* Counts of the same run on the cores of another type. */
struct plumb_count_beside {
	const struct plumb_source *source; /* perf, opened with that type's specification */
	const struct plumb_plan *plan;     /* made with its options */
	struct plumb_count *counts;        /* room for plan->place_count; set as `counts` is */
	void *user;                        /* for the job's interval(), unit() and slice() */
};

struct plumb_count_job {
	size_t size;                   /* sizeof(struct plumb_count_job) */
	const struct plumb_plan *plan; /* made with the source's options */
	/*
	 * Path; it is not looked up in PATH. If anything else is to be counted, the program is not,
	 * but sets how long. NULL: count until all processes have ended, the window's timeout, or
	 * plumb_source_cancel().
	 */
	const char *program;
	char *const *argv;    /* the program's, ended by NULL */
	bool children;        /* also count the processes it forks */
	bool one_pass;        /* run it once per pass, instead of letting groups take turns */
	unsigned interval_ms; /* of the source's time; 0: none */
	const struct plumb_window *window; /* NULL: the whole run */

	/* Callbacks, each of which may be NULL. Called when the program runs as process `pid`. */
	void (*started)(void *user, pid_t pid);
	/*
	 * Called when an interval ends, `seconds` after the program began. `counts` has the counts
	 * of this interval only, in the plan's layout. The last interval may be shorter.
	 */
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	/* Called about four times per second of the host's time. */
	void (*progress)(void *user, const struct plumb_progress *progress);
	void *user;
	/*
	 * With the model only; may be NULL. Called when the program has ended: returns the signal
	 * that ends the processes it left running, or 0 to let them go on. Those that survive the
	 * signal are killed two seconds later. If the window or plumb_source_cancel() ended the
	 * program, 0 stands for SIGTERM.
	 */
	int (*last_signal)(void *user);

	/* What to count instead of the program; with perf only. */
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus; /* all that are online, also those that come online meanwhile */
	/* Folders of control groups, as paths from the mount point of their hierarchy. */
	const char *const *cgroups;
	size_t cgroup_count;
	bool no_inherit; /* leave out threads and processes that start meanwhile */
	/*
	 * CPU, CORE, SOCKET and NODE require CPUs or control groups, THREAD processes or threads.
	 * `unit` is called for each unit when an interval or the run ends, before `interval`, with
	 * counts as `interval` has them. The unit is valid during the call only.
	 */
	enum plumb_count_by by;
	void (*unit)(void *user, size_t index, const struct plumb_count_unit *unit,
		     const struct plumb_count *counts);
	/*
	 * Obeys the lines "enable", "disable", "stop" and "ping" that arrive at `control_fd`, as
	 * perf does, and answers each with "ack\n" at `ack_fd`, unless that is negative.
	 */
	bool control;
	int control_fd, ack_fd;
	/*
	 * With the model only: counts windows at random places of the program, and estimates from
	 * them. Takes as many as it needs to know the cycles up to this relative error, at 95 %
	 * confidence, but runs the program to its end. 0: counts everything. It cannot be combined
	 * with a window other than max_instructions, processes that the program forks, or perfect
	 * parts. With `interval_ms`,
	 * takes at least eight windows for each interval, as far as their number allows, and calls
	 * `stretch` and `phase` instead of `interval`.
	 */
	double sampled_error;
	/*
	 * Called before a sampled run returns; the windows are valid during the call. With
	 * `sampled_after` and without intervals, it is not called for a run in which everything was
	 * counted.
	 */
	void (*windows)(void *user, const struct plumb_windows *windows);
	/*
	 * With perf only: called for slices of the run, in which each group of events was counted
	 * at least twice, with counts as `interval` has them; for plumb_result_add_slice(). Not
	 * called if one_pass is set or all groups fit the counters, so that nothing is estimated.
	 */
	void (*slice)(void *user, const struct plumb_count *counts);
	/*
	 * With sampled_error only: how many instructions to count in full before windows are
	 * chosen. A shorter program has the counts of a run that is not sampled. 0: two million.
	 */
	uint64_t sampled_after;
	/*
	 * With perf only: what else to count in the same run, where the machine has several types
	 * of cores, each with its own PMU. interval(), unit() and slice() are called for each type
	 * with its own `user`, and last for the job's. CPUs are counted by the type they belong to.
	 * A type that cannot be counted has counts of NaN, with a warning. Events of a thread count
	 * while it runs on cores of their type.
	 */
	const struct plumb_count_beside *beside;
	size_t beside_count;
	/*
	 * With sampled_error and interval_ms only: called before the run returns, for each interval
	 * in order, and then for each phase that has several. Times are estimates, too. An interval
	 * ends with a unit of the windows, so it may be a little longer.
	 */
	void (*stretch)(void *user, const struct plumb_stretch *stretch);
	void (*phase)(void *user, const struct plumb_stretch *phase);
};

/* What the model counted of page_fault_cycles and other conditions in plumb_model_options. */
struct plumb_condition_counts {
	uint64_t page_faults, system_calls; /* that cost something */
	uint64_t kernel_cycles;             /* that they cost */
	uint64_t wrong_loads;               /* of wrong paths */
	uint64_t wrong_refills;             /* those that missed L1D */
};

#define PLUMB_WHAT_IF_MAX 16 /* more than plumb_model_what_if() has */

struct plumb_count_run {
	size_t size;             /* sizeof(struct plumb_count_run), set by the caller */
	double seconds;          /* time counted, by the model or the clock */
	double host_seconds;     /* time that the run took */
	double startup_seconds;  /* time before the program's own code began; 0: unknown */
	const char *startup_end; /* where that code began, for messages: "main()"; or NULL */
	int exit_status;         /* the program's; 128 + signal if a signal ended it */
	int signal;              /* the signal that ended it, or 0 */
	bool ended;              /* the window ended the program; status and signal are 0 */
	bool by_command;         /* if so: before its time, by a command that the job obeys */
	uint64_t cycles;         /* of all threads, with the model; 0: another source */
	/*
	 * With plumb_model_options.what_if: what the cycles would be with each part perfect, by the
	 * index of plumb_model_what_if(). 0: not asked for.
	 */
	uint64_t what_if_cycles[PLUMB_WHAT_IF_MAX];
	/*
	 * With the model: the part of the cycles in which a line was on its way from another core
	 * to the thread's; for plumb_result_add_moving().
	 */
	uint64_t moving_cycles;
	/*
	 * With the model: the cycles stalled because a load waited for a store that could not
	 * forward its data; for plumb_result_add_waits().
	 */
	uint64_t unforwarded_cycles;
	/*
	 * The model tells from samples which limits are at work, and adds up the cycles by that:
	 * bits of enum plumb_limit. If two limits coincide, removing one gains nothing.
	 */
	uint64_t limit_cycles[PLUMB_LIMIT_SETS];
	struct plumb_condition_counts conditions;
	/* With the model; for plumb_result_add_core_waits(). */
	struct plumb_core_waits waits;
};

/*
 * Runs the program to its end, with the caller's input and output, or counts what the job says.
 * Counts of CPUs or threads are added up. `counts` has room for plan->place_count elements; events
 * that were not counted are NaN. Returns 0, even if the program failed or a signal ended it; or
 *
 *     NO_PROGRAM              the program does not exist
 *     EXEC                    the program cannot be run; with the model: not an AArch64 program
 *     PERMISSION              this user may not count
 *     BUSY                    someone else is using the PMU
 *     MACHINE                 this machine cannot do it
 *     NOT_FOUND, UNSUPPORTED  the source does not support an event or the window
 *     INTERRUPTED             see plumb_source_cancel(); `counts` and `run` are those up to then
 *     ARGUMENT, IO, NO_MEMORY
 */
PLUMB_API int plumb_source_count(struct plumb_source *source, const struct plumb_count_job *job,
				 struct plumb_count *counts, struct plumb_count_run *run,
				 struct plumb_diagnostics *diagnostics);

/* ---- recording ------------------------------------------------------------------------------- */

/* What to do next while recording. */
enum plumb_recording_next {
	PLUMB_RECORDING_GO_ON,
	PLUMB_RECORDING_STOP,        /* end the recording and the program */
	PLUMB_RECORDING_SNAPSHOT,    /* deliver the AUX data up to now */
	PLUMB_RECORDING_REPEAT_MAPS, /* deliver the mappings again: the next records go to a new
					file */
};

/* What to sample. A source rejects members that it does not support. */
/* What is sampled in the same recording on the cores of another type. */
struct plumb_recording_beside {
	const struct plumb_source *source;     /* perf, opened with that type's specification */
	const struct plumb_event_list *events; /* read with its options */
};

struct plumb_recording_job {
	size_t size;                           /* sizeof(struct plumb_recording_job) */
	const struct plumb_event_list *events; /* read to be sampled */
	const char *program;                   /* path; NULL: sample running processes */
	char *const *argv;
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus;
	bool per_thread;     /* use one ring per thread instead of per CPU */
	bool inherit;        /* also sample new threads and processes */
	bool callchains;     /* record call chains by frame pointers */
	uint32_t user_stack; /* bytes to copy with each sample, for unwinding; 0: none */
	/* Record the model's exact profile: without events, or beside one of SPE. */
	bool exact;
	bool snapshot;                /* deliver AUX data only for PLUMB_RECORDING_SNAPSHOT */
	bool data_addresses;          /* of overflow samples, if the source knows them */
	bool physical_addresses;      /* likewise; for SPE see plumb_event_spe.pa_enable */
	bool sample_cpus;             /* record the CPU with each sample, if it is not anyway */
	bool build_ids;               /* in MMAP2 records, if the source supports it */
	size_t mmap_pages, aux_pages; /* 0: the source's default */
	bool clock_given;             /* use `clockid` instead of the source's default clock */
	int clockid;
	const struct plumb_window *window; /* NULL: the whole run */

	/*
	 * Called once, when everything is open and nothing runs yet. The source has filled in the
	 * members of `setup` that it knows. Returns 0, or an error that ends the recording.
	 */
	int (*begin)(void *user, const struct plumb_recording_setup *setup);
	/* Take records, as the kernel writes them, and AUX data. An error ends the recording. */
	int (*records)(void *user, const void *records, size_t size);
	int (*aux)(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		   size_t first_size, const void *second, size_t second_size);
	/* Callbacks that may be NULL. `round`: no later record will be older than the last. */
	int (*round)(void *user);
	void (*started)(void *user, pid_t pid);
	void (*progress)(void *user, const struct plumb_progress *progress);
	/* Called at least four times per second, and after each signal. */
	enum plumb_recording_next (*next)(void *user);
	void *user;
	int (*last_signal)(void *user); /* as in struct plumb_count_job */
	/*
	 * For exact profiles, as plumb_recording_position() and plumb_recording_change() are. With
	 * `position`, the profile is delivered as the program runs. If there are both, and the
	 * position is not 0 after `begin`, its samples' periods grow. Otherwise there are more and
	 * more samples, whose periods add up. Without `position` it is delivered at the end.
	 */
	uint64_t (*position)(void *user);
	int (*change)(void *user, const struct plumb_recording_change *changes, size_t count);
	/*
	 * With the model only: also counts the events of this plan, in the same run. `counts` and
	 * `counted` are as in plumb_source_count(), and set when this succeeds or was cancelled.
	 * NULL: nothing is counted.
	 */
	const struct plumb_plan *plan;
	struct plumb_count *counts;
	struct plumb_count_run *counted;
	/*
	 * With perf only: record the last branches with each sample of an event, but not of SPE.
	 * Bits of enum plumb_branches, at least one kind, and enum plumb_branch_bit; 0: none.
	 */
	uint64_t branches;
	/*
	 * With `plan` only: also delivers the counts by interval, as in struct plumb_count_job.
	 * Without both, there are no intervals.
	 */
	unsigned interval_ms;
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	/*
	 * With perf only: what else to sample, where the machine has several types of cores, each
	 * with its own PMU. Each event is then recorded with its PMU's name. What is no event of a
	 * core's PMU, such as SPE and clocks, is sampled as `events` has it.
	 */
	const struct plumb_recording_beside *beside;
	size_t beside_count;
	/*
	 * With the model only. With `exact`: models windows of the program, as with the same member
	 * of struct plumb_count_job, and delivers what they say of the whole program, at its end.
	 * With one event of SPE: has the unit sample in windows, such that each operation of the
	 * program is as likely to be sampled as without; the period decides how many windows there
	 * are, and the error nothing. What the program forks is left out. 0: models everything.
	 */
	double sampled_error;
	/*
	 * With perf only: obeys the lines "enable", "disable", "stop" and "ping" that arrive at
	 * `control_fd`, and with `snapshot` also "snapshot", as perf does. Answers each with
	 * "ack\n" at `ack_fd`, unless that is negative.
	 */
	bool control;
	int control_fd, ack_fd;
};

struct plumb_recording_run {
	size_t size; /* sizeof(struct plumb_recording_run), set by the caller */
	double seconds, host_seconds;
	int exit_status;
	int signal;
	bool ended;          /* as in struct plumb_count_run */
	bool by_command;     /* likewise */
	uint64_t samples;    /* overflows; with the model, also records of the SPE unit */
	uint64_t collisions; /* with the model only */
	uint64_t lost;
	/*
	 * By the index in the job's events: how often each occurred while it was sampled; NaN if
	 * that is unknown, as of members of a group that only its leader samples. Of SPE, the
	 * operations to choose from, with the model only. Those of `beside` that are events of a
	 * core's PMU, or in a group with one, follow.
	 */
	double event_counts[PLUMB_EVENTS_MAX];
};

/*
 * Samples until the program or the sampled processes end, or `next` stops it. Returns 0, a
 * callback's error, or an error as plumb_source_count() does.
 */
PLUMB_API int plumb_source_record(struct plumb_source *source,
				  const struct plumb_recording_job *job,
				  struct plumb_recording_run *run,
				  struct plumb_diagnostics *diagnostics);

/* ---- regions --------------------------------------------------------------------------------- */

/* Counters that the calling thread opens for parts of its own work. */
struct plumb_region;

/*
 * Opens the events of a plan for the calling thread, without the threads that it starts. All groups
 * take turns on the counters. Returns 0, UNSUPPORTED (the model only counts programs that it runs
 * itself), or an error as plumb_source_count() does. Free with plumb_region_close(), which accepts
 * NULL.
 */
PLUMB_API int plumb_region_open(struct plumb_source *source, const struct plumb_plan *plan,
				struct plumb_region **region,
				struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_region_close(struct plumb_region *region);

/*
 * Begins counting. Beginning and ending make one system call per group of the plan, which takes a
 * few microseconds; part of that is counted.
 */
PLUMB_API void plumb_region_begin(struct plumb_region *region);

/*
 * Ends counting, and sets plan->place_count elements of `counts`, for plumb_result_add(), to the
 * counts since plumb_region_begin(). The region may be begun again.
 */
PLUMB_API void plumb_region_end(struct plumb_region *region, struct plumb_count *counts);

/*
 * Reads what the event at a place of the plan has counted since plumb_region_begin(), while the
 * region goes on or after its end. Takes no system call, and about 50 instructions, where Linux
 * lets programs read their counters: 5.17 or later, with kernel.perf_user_access set to 1 before
 * the region is opened, in the thread that opened it. If the machine has several types of cores,
 * that thread must have been pinned to those of one type before, and stay on them. While the region
 * is open, kernel.perf_user_access must stay 1: otherwise reading ends the program with SIGILL. A
 * forked process must not read its parent's region. The count is not scaled, so all groups should
 * fit the counters. Returns 0, ARGUMENT (there is no such place), or MACHINE (the event is not
 * counted).
 */
PLUMB_API int plumb_region_read(const struct plumb_region *region, size_t place, uint64_t *count);

/* Tells whether that takes no system call at this moment. */
PLUMB_API bool plumb_region_reads_directly(const struct plumb_region *region, size_t place);

#ifdef __cplusplus
}
#endif

#endif

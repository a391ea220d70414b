/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: who counts and samples. plumb/perf.h opens this machine's PMU, plumb/model.h a model of
 * a core; what is done with either is the same, and is here.
 *
 *	plumb_perf_open() or plumb_model_open()
 *	plumb_source_count()   runs a program and counts the events of a plan
 *	plumb_source_record()  samples a program, or what runs already
 *	plumb_region_open()    counts parts of the calling thread
 *
 * A source may be used by several threads at once, each with jobs of its own. Functions that take
 * `diagnostics` add to it what went wrong, with the source's name and a hint, and warnings about
 * the results; it may be NULL.
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

/* Accepts NULL. Nothing may be running any more. */
PLUMB_API void plumb_source_close(struct plumb_source *source);

/* "perf" or "model": what output names. Static storage. */
PLUMB_API const char *plumb_source_name(const struct plumb_source *source);

/* What output says beside the CPU's name if it is not the real one ("model"); else NULL. */
PLUMB_API const char *plumb_source_label(const struct plumb_source *source);

/* The specification of the CPU; NULL if there is no Arm PMU, and so software events alone. */
PLUMB_API const struct plumb_spec *plumb_source_spec(const struct plumb_source *source);

/* The CPU's MIDR_EL1; 0: unknown. The PMU's name ("armv8_pmuv3_0"), or NULL if there is none. */
PLUMB_API uint32_t plumb_source_midr(const struct plumb_source *source);
PLUMB_API const char *plumb_source_pmu(const struct plumb_source *source);

/* Whether there is an SPE unit to sample with; its least interval, in operations; 0: unknown. */
PLUMB_API bool plumb_source_has_spe(const struct plumb_source *source);
PLUMB_API unsigned plumb_source_spe_interval(const struct plumb_source *source);

/*
 * Whether the source may count the PMU event with this code: false only if it is known not to.
 * `source` is a struct plumb_source, so that this fits where options ask for such a function.
 */
PLUMB_API bool plumb_source_counts(const void *source, uint16_t code);

/*
 * Whether the source can count the event. Returns 0, or NOT_FOUND, UNSUPPORTED or MACHINE with a
 * finding. Counting and recording check, too.
 */
PLUMB_API int plumb_source_check(const struct plumb_source *source,
				 const struct plumb_event_config *event,
				 struct plumb_diagnostics *diagnostics);

/* Fills in what options of events and of plans take from a source: the rest stays as it is. */
PLUMB_API void plumb_source_fill_event_options(const struct plumb_source *source,
					       struct plumb_event_options *options);
PLUMB_API void plumb_source_fill_plan_options(const struct plumb_source *source,
					      struct plumb_plan_options *options);

/*
 * Ends what the source is running, within about a tenth of a second: the program gets SIGTERM, and
 * two seconds later SIGKILL. Counting and recording then return INTERRUPTED. What begins later is
 * not affected. May be called by any thread, and by a signal handler.
 */
PLUMB_API void plumb_source_cancel(struct plumb_source *source);

/* ---- the part of a run that counts ----------------------------------------------------------- */

/*
 * Zero, but for size, is all of a run. Times are the source's. A source refuses what it cannot do:
 * only the model knows places and counts instructions.
 *
 * A place is "SYMBOL", "SYMBOL+0xOFFSET" or a hexadecimal address, as the program's file has it or
 * as it is when the program runs.
 */
struct plumb_window {
	size_t size;         /* sizeof(struct plumb_window) */
	int delay_ms;        /* begin this long after the program; -1, to record: never */
	unsigned timeout_ms; /* end the program this long after the beginning; 0: let it end */
	uint64_t max_instructions; /* end it after so many that were counted; 0: any number */
	/*
	 * Begin when a thread reaches `from`, for all threads; end when one reaches `to`, before
	 * that instruction. Each passage counts. NULL: the program's beginning and its end.
	 */
	const char *from, *to;
};

/* ---- counting -------------------------------------------------------------------------------- */

/* How far a run is. */
struct plumb_progress {
	double instructions; /* NaN if they are not counted */
	double seconds;      /* of the source's time since the program began */
};

struct plumb_count_job {
	size_t size;                   /* sizeof(struct plumb_count_job) */
	const struct plumb_plan *plan; /* made with the source's options */
	const char *program;           /* path; it is not looked up in PATH */
	char *const *argv;             /* the program's, NULL-ended */
	bool children;                 /* also count the processes it forks */
	bool one_pass;        /* run it once for each pass, rather than let groups take turns */
	unsigned interval_ms; /* of the source's time; 0: none */
	const struct plumb_window *window; /* NULL: all of the run */

	/* Callbacks, each of which may be NULL. The program runs: signals for it go to `pid`. */
	void (*started)(void *user, pid_t pid);
	/*
	 * An interval ended, `seconds` after the program began. `counts` are laid out as the plan
	 * says and are those of this interval alone, the last of which may be shorter.
	 */
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	/* About four times a second of the host's time. */
	void (*progress)(void *user, const struct plumb_progress *progress);
	void *user;
};

struct plumb_count_run {
	size_t size;             /* sizeof(struct plumb_count_run), set by the caller */
	double seconds;          /* of the source's time, the model's or the clock's, that counts */
	double host_seconds;     /* that it took */
	double startup_seconds;  /* before the program's own code began; 0: unknown */
	const char *startup_end; /* what that begins with, for messages: "main()"; or NULL */
	int exit_status;         /* the program's; 128 + signal if one ended it */
	int signal;              /* that ended it, or 0 */
	bool ended;              /* the window ended the program: status and signal are 0 */
};

/*
 * Runs the program to its end. Its input and output are the caller's. `counts` has room for
 * plan->place_count elements; an event that was not counted is NaN there. Returns 0, also if the
 * program failed or a signal ended it; or
 *
 *     NO_PROGRAM              it is not there
 *     EXEC                    it cannot be run; for the model also: it is no AArch64 program
 *     PERMISSION              this user may not count
 *     BUSY                    somebody else does
 *     MACHINE                 it cannot be done here
 *     NOT_FOUND, UNSUPPORTED  an event that the source does not count, or a window
 *     INTERRUPTED             see plumb_source_cancel(); `counts` and `run` are those until then
 *     ARGUMENT, IO, NO_MEMORY
 */
PLUMB_API int plumb_source_count(struct plumb_source *source, const struct plumb_count_job *job,
				 struct plumb_count *counts, struct plumb_count_run *run,
				 struct plumb_diagnostics *diagnostics);

/* ---- recording ------------------------------------------------------------------------------- */

/* What the caller of a recording wants next. */
enum plumb_recording_next {
	PLUMB_RECORDING_GO_ON,
	PLUMB_RECORDING_STOP,        /* end it, and the program */
	PLUMB_RECORDING_SNAPSHOT,    /* hand on the AUX data of now */
	PLUMB_RECORDING_REPEAT_MAPS, /* hand on again what is mapped: a new file begins */
};

/* What to sample. A source refuses what it has no use for, rather than ignore it. */
struct plumb_recording_job {
	size_t size;                           /* sizeof(struct plumb_recording_job) */
	const struct plumb_event_list *events; /* read to be sampled */
	const char *program;                   /* path; NULL: sample what runs already */
	char *const *argv;
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus;
	bool per_thread;              /* a ring for each thread rather than each CPU */
	bool inherit;                 /* also sample what it forks */
	bool callchains;              /* by frame pointers */
	uint32_t user_stack;          /* bytes to copy with each sample, for unwinding; 0: none */
	bool exact;                   /* of the model: its exact profile, with no events */
	bool snapshot;                /* AUX data only when asked for */
	bool data_addresses;          /* of overflow samples, as far as the source knows them */
	bool physical_addresses;      /* likewise; for SPE see plumb_event_spe.pa_enable */
	bool build_ids;               /* in MMAP2 records, where the source can */
	size_t mmap_pages, aux_pages; /* 0: the source's default */
	bool clock_given;             /* `clockid` is that of times; else the source's default */
	int clockid;
	const struct plumb_window *window; /* NULL: all of the run */

	/*
	 * Called once, when everything is open and nothing runs yet: the source has filled in what
	 * it knows of `setup`. Returns 0, or an error that ends the recording.
	 */
	int (*begin)(void *user, const struct plumb_recording_setup *setup);
	/* Records as the kernel writes them, and AUX data, as they come. An error ends it. */
	int (*records)(void *user, const void *records, size_t size);
	int (*aux)(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		   size_t first_size, const void *second, size_t second_size);
	/* Callbacks that may be NULL. All that is older than what comes next has come. */
	int (*round)(void *user);
	void (*started)(void *user, pid_t pid);
	void (*progress)(void *user, const struct plumb_progress *progress);
	/* Called at least four times a second, and after each signal. */
	enum plumb_recording_next (*next)(void *user);
	void *user;
};

struct plumb_recording_run {
	size_t size; /* sizeof(struct plumb_recording_run), set by the caller */
	double seconds, host_seconds;
	int exit_status;
	int signal;
	bool ended;          /* as in struct plumb_count_run */
	uint64_t samples;    /* overflows; of the model also records of the SPE unit */
	uint64_t collisions; /* of the model */
	uint64_t lost;
};

/*
 * Samples until the program ends, or what ran already does, or `next` says so. Returns 0, what a
 * callback returned, or an error as plumb_source_count() does.
 */
PLUMB_API int plumb_source_record(struct plumb_source *source,
				  const struct plumb_recording_job *job,
				  struct plumb_recording_run *run,
				  struct plumb_diagnostics *diagnostics);

/* ---- regions --------------------------------------------------------------------------------- */

/* Counters of the thread that opens them, for parts of its own work. */
struct plumb_region;

/*
 * Opens the events of a plan for the calling thread; the threads that it starts are not counted.
 * All groups take turns on the counters. Returns 0, UNSUPPORTED if the source cannot (the model
 * counts programs that it runs itself), or an error as plumb_source_count() does. Free with
 * plumb_region_close(), which accepts NULL.
 */
PLUMB_API int plumb_region_open(struct plumb_source *source, const struct plumb_plan *plan,
				struct plumb_region **region,
				struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_region_close(struct plumb_region *region);

/*
 * Begins to count. Both are system calls for each group of the plan: some microseconds, part of
 * which is counted.
 */
PLUMB_API void plumb_region_begin(struct plumb_region *region);

/*
 * Ends it: `counts`, plan->place_count of them, are those since plumb_region_begin(), for
 * plumb_result_add(). May be begun again.
 */
PLUMB_API void plumb_region_end(struct plumb_region *region, struct plumb_count *counts);

#ifdef __cplusplus
}
#endif

#endif

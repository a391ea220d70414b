/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source of counts: runs a program and counts the events of a plan. Whatever comes after it
 * works the same with any source, and names it.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <plumb/count.h>
#include <plumb/event.h>
#include <plumb/model.h>
#include <plumb/recording.h>
#include <sys/types.h>

struct cpu_pmu;

/* What is to be run and counted, and what the source calls meanwhile. */
struct source_job {
	const struct plumb_plan *plan;
	const char *program;  /* path; it is not looked up in PATH */
	char *const *argv;    /* the program's, NULL-ended */
	bool children;        /* count what it forks, too */
	bool one_pass;        /* a run for each pass of the plan, rather than taking turns in one */
	unsigned interval_ms; /* of the source's time; 0: none */

	/* Of the model alone. */
	const char *core;           /* NULL: its first */
	const char *const *engines; /* as in struct plumb_model_options, and `engine` below */
	const char *plugin_dir;     /* where its plugins are */
	const char *sysroot;        /* NULL: found by itself */
	void (*engine)(void *user, const struct plumb_model_engine *engine);

	/* Of perf alone. */
	const struct cpu_pmu *pmu; /* that counts */

	/* The program has begun; signals for it go to `pid`. */
	void (*started)(void *user, pid_t pid);
	/*
	 * An interval has ended, `seconds` after the program began; `counts` are those of this
	 * interval alone, laid out as the plan says. The last one may be shorter.
	 */
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	/* Some time has passed: so far, instructions (NaN: unknown) and seconds. */
	void (*progress)(void *user, double instructions, double seconds);
	void *user;
};

/* How it went. */
struct source_run {
	struct plumb_count *counts; /* the caller's: plan->place_count, of the whole run */
	double seconds;             /* of the source's time: the model's, or the clock's */
	double host_seconds;        /* that it took */
	double startup_seconds;     /* before the program's own code began; 0: unknown */
	const char *startup_end;    /* what that begins with, for messages: "main()" */
	int exit_status;            /* the program's; 128 + signal if one ended it */
	int signal;                 /* that ended it, or 0 */
};

/* ---- Sampling ---------------------------------------------------------------------------------
 */

/* What the caller wants of a source that samples. */
enum record_next {
	RECORD_GO_ON,
	RECORD_STOP,
	RECORD_SNAPSHOT,    /* the AUX data of now */
	RECORD_REPEAT_MAPS, /* what was mapped, again: a new file begins */
};

/* What is to be sampled. Members that one source has no use for are refused by it, not passed over.
 */
struct source_record_job {
	const struct plumb_event_config *events;
	size_t event_count;
	const char *program; /* path; NULL: what is sampled runs already */
	char *const *argv;
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus;
	bool per_thread;
	bool inherit;                 /* what it forks, too */
	bool callchains;              /* by frame pointers */
	uint32_t user_stack;          /* bytes of it to copy with each sample, so that the
					 reader can unwind it; 0: none */
	bool exact;                   /* the model's exact profile, instead of events */
	bool snapshot;                /* AUX data only when asked for: see take_snapshot */
	bool data_addresses;          /* of overflow samples, as far as the source knows them */
	bool physical_addresses;      /* likewise; of SPE see plumb_event_spe.pa_enable */
	bool build_ids;               /* in MMAP2 records, where the source can */
	size_t mmap_pages, aux_pages; /* 0: the source's own */
	int clockid;                  /* that times are of; -1: the source's own */
	int delay_ms;                 /* nothing is sampled before; 0: none, -1: never */
	uint64_t seed;                /* of chance in the model */

	/* Of the model alone: as in struct source_job. */
	const char *core, *plugin_dir, *sysroot;
	const char *const *engines;
	void (*engine)(void *user, const struct plumb_model_engine *engine);
	/* Of perf alone. */
	const struct cpu_pmu *pmu;

	/*
	 * Called once, when all is open and nothing runs yet: the source has filled in all of
	 * `setup` that it knows (events with their ids, AUXTRACE_INFO, TIME_CONV, PMUs, cpuid,
	 * arch, clock). Returns 0 or an error, which ends the run.
	 */
	int (*begin)(void *user, const struct plumb_recording_setup *setup);
	void (*started)(void *user, pid_t pid); /* the program runs; may be NULL */
	/* Records as the kernel writes them, and AUX data, as they come; an error ends the run. */
	int (*records)(void *user, const void *records, size_t size);
	int (*aux)(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		   size_t first_size, const void *second, size_t second_size);
	int (*round)(void *user);
	void (*progress)(void *user, double instructions, double seconds);
	/*
	 * Asked now and then (four times a second at least, and after each signal): what to do. May
	 * be NULL.
	 */
	enum record_next (*next)(void *user);
	void *user;
};

struct source_record_run {
	double seconds, host_seconds;
	int exit_status;
	int signal;
	uint64_t samples;    /* records of the SPE unit, or overflows; of perf overflows alone */
	uint64_t collisions; /* of the model */
	uint64_t lost;
};

struct source {
	const char *name;  /* "model" */
	const char *label; /* what is said of the CPU's name: "model"; NULL: it is the real one */
	/* Whether it counts a PMU event. `user` is not looked at. */
	bool (*counts)(const void *user, uint16_t code);
	/*
	 * Whether it can count or sample an event: 0, or an error with a finding that names the
	 * source. `machine` is the job's pmu, `spec` the CPU's.
	 */
	int (*check)(const void *machine, const struct plumb_spec *spec,
		     const struct plumb_event_config *event, struct plumb_diagnostics *found);
	bool limited; /* by counters: a plan for it needs their number */
	/*
	 * Runs the program to its end. Returns 0 with `*run` filled, also when the program was
	 * killed; warnings about what was counted go to `found`. Otherwise a negative error with
	 * a finding. No member of `job` may be NULL unless it says so; callbacks may all be.
	 */
	int (*count)(const struct source_job *job, struct source_run *run,
		     struct plumb_diagnostics *found);
	/* The same for sampling; NULL: it cannot. */
	int (*record)(const struct source_record_job *job, struct source_record_run *run,
		      struct plumb_diagnostics *found);
};

extern const struct source source_model, source_perf;

#endif

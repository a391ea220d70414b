/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a source is inside. plumb/source.h checks what callers ask for and hands it on as jobs of
 * one version, which perf and the model do.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <plumb/model.h>
#include <plumb/source.h>

#include "cpu/pmu.h"
#include "source/cancel.h"

struct core_file;

/* What is to be run and counted, and what the source calls meanwhile. */
struct source_job {
	const struct plumb_plan *plan;
	const char *program;  /* path; it is not looked up in PATH; NULL: none, of perf alone */
	char *const *argv;    /* the program's, NULL-ended */
	bool children;        /* count what it forks, too */
	bool one_pass;        /* a run for each pass of the plan, rather than taking turns in one */
	unsigned interval_ms; /* of the source's time; 0: none */
	struct plumb_window window;
	bool region;      /* of perf: no program, but the calling thread, when it says so */
	bool user_access; /* of a region: it may read its counters itself */
	/* As in struct plumb_count_job; of perf alone. */
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus;
	const char *const *cgroups;
	size_t cgroup_count;
	bool no_inherit;
	enum plumb_count_by by;
	void (*unit)(void *user, size_t index, const struct plumb_count_unit *unit,
		     const struct plumb_count *counts);
	bool control;
	int control_fd, ack_fd;
	void (*slice)(void *user, const struct plumb_count *counts);
	const struct plumb_count_beside *beside;
	size_t beside_count;

	/* As in struct plumb_count_job; of the model alone. */
	double sampled_error;
	uint64_t sampled_after;
	void (*windows)(void *user, const struct plumb_windows *windows);
	void (*stretch)(void *user, const struct plumb_stretch *stretch);
	void (*phase)(void *user, const struct plumb_stretch *phase);

	const struct plumb_model_options *model; /* of the model alone */
	const struct core_file *core_file;       /* likewise; NULL: none */
	const struct cpu_pmu *pmu; /* of perf alone: that counts; NULL: there is none */
	struct source_cancel cancel;

	/* The program has begun; signals for it go to `pid`. */
	void (*started)(void *user, pid_t pid);
	/*
	 * An interval has ended, `seconds` after the program began; `counts` are those of this
	 * interval alone, laid out as the plan says. The last one may be shorter.
	 */
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	void (*progress)(void *user, const struct plumb_progress *progress);
	int (*last_signal)(void *user); /* of the model alone; may be NULL */
	void *user;
};

/* Whether something else than the program is counted. */
static inline bool source_job_has_targets(const struct source_job *job)
{
	return job->pid_count || job->tid_count || job->cpu_count || job->all_cpus ||
	       job->cgroup_count;
}

/* How it went. */
struct source_run {
	struct plumb_count *counts; /* the caller's: plan->place_count, of the whole run */
	double seconds;             /* of the source's time: the model's, or the clock's */
	double host_seconds;        /* that it took */
	double startup_seconds;     /* before the program's own code began; 0: unknown */
	const char *startup_end;    /* what that begins with, for messages: "main()" */
	int exit_status;            /* the program's; 128 + signal if one ended it */
	int signal;                 /* that ended it, or 0 */
	bool ended;                 /* the window ended it */
	bool by_command;            /* before its time */
	/* As in struct plumb_count_run. */
	uint64_t cycles;
	uint64_t what_if_cycles[PLUMB_WHAT_IF_MAX];
	uint64_t moving_cycles;
	uint64_t unforwarded_cycles;
	uint64_t limit_cycles[PLUMB_LIMIT_SETS];
	struct plumb_condition_counts conditions;
	struct plumb_core_waits waits;
};

/* ---- Sampling ---------------------------------------------------------------------------------
 */

/* The least error to ask for: a sampled run has a limited number of windows. */
#define SOURCE_ERROR_LEAST 1e-5

/* Whether a run can be sampled to reach this error; 0: it is not. */
static inline bool source_error_is_possible(double error)
{
	return error == 0 || (error >= SOURCE_ERROR_LEAST && error <= 1);
}

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
	double sampled_error;         /* of the model's cycles; 0: nothing is left out */
	bool snapshot;                /* AUX data only when asked for: see take_snapshot */
	bool data_addresses;          /* of overflow samples, as far as the source knows them */
	bool physical_addresses;      /* likewise; of SPE see plumb_event_spe.pa_enable */
	bool sample_cpus;             /* even where the CPU is not needed to read the samples */
	uint64_t branches;            /* bits of enum plumb_branches: of perf alone */
	bool build_ids;               /* in MMAP2 records, where the source can */
	size_t mmap_pages, aux_pages; /* 0: the source's own */
	int clockid;                  /* that times are of; -1: the source's own */
	bool control;                 /* of perf alone: commands come from control_fd ... */
	int control_fd, ack_fd;       /* ... and are acknowledged at ack_fd; -1: not at all */
	struct plumb_window window;

	const struct plumb_model_options *model; /* of the model alone */
	const struct core_file *core_file;       /* likewise; NULL: none */
	const struct cpu_pmu *pmu;               /* of perf alone; NULL: there is none */
	/* Of perf alone: each event's, where there are several; NULL there: no event of a core. */
	const struct cpu_pmu *const *pmus;
	struct source_cancel cancel;

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
	void (*progress)(void *user, const struct plumb_progress *progress);
	/*
	 * Asked now and then (four times a second at least, and after each signal): what to do. May
	 * be NULL.
	 */
	enum plumb_recording_next (*next)(void *user);
	int (*last_signal)(void *user); /* of the model alone; may be NULL */
	/* Likewise: where the next record will be; changes one that was written. */
	uint64_t (*position)(void *user);
	int (*change)(void *user, const struct plumb_recording_change *changes, size_t count);
	/* Likewise: also counts these events, and tells how it went; NULL: nothing is counted. */
	const struct plumb_plan *plan;
	struct source_run *counted;
	/* Likewise, if there is a plan: as in struct source_job. */
	unsigned interval_ms;
	void (*interval)(void *user, const struct plumb_count *counts, double seconds);
	void *user;
};

struct source_record_run {
	double seconds, host_seconds;
	int exit_status;
	int signal;
	bool ended;
	bool by_command;
	uint64_t samples;    /* records of the SPE unit, and overflows */
	uint64_t collisions; /* of the model */
	uint64_t lost;
	double event_counts[PLUMB_EVENTS_MAX]; /* as in struct plumb_recording_run */
};

struct source {
	const char *name;  /* "model" */
	const char *label; /* what is said of the CPU's name: "model"; NULL: it is the real one */
	bool (*counts)(uint16_t code); /* a PMU event; NULL: any */
	/*
	 * Whether it can count or sample an event: 0, or an error with a finding that names the
	 * source. `pmu` is the job's, `spec` the CPU's.
	 */
	int (*check)(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
		     const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics);
	/*
	 * Runs the program to its end. Returns 0 with `*run` filled, also when the program was
	 * killed; warnings about what was counted go to `diagnostics`. Otherwise a negative error
	 * with a finding. No member of `job` may be NULL unless it says so; callbacks may all be.
	 */
	int (*count)(const struct source_job *job, struct source_run *run,
		     struct plumb_diagnostics *diagnostics);
	int (*record)(const struct source_record_job *job, struct source_record_run *run,
		      struct plumb_diagnostics *diagnostics);
};

extern const struct source source_model, source_perf;

/* ---- What is opened --------------------------------------------------------------------------
 */

struct plumb_source {
	const struct source *kind;
	const struct plumb_spec *spec; /* NULL: there is no PMU */
	uint32_t midr;
	unsigned counters;  /* of the PMU, the cycle counter apart; 0: as many as are asked for */
	bool cycle_counter; /* there is one for CPU_CYCLES alone */
	bool has_spe;
	unsigned spe_interval; /* its least one; 0: unknown */
	struct cpu_pmu pmu;    /* of perf, if there is a spec */
	bool elsewhere;        /* of perf: it describes another machine, and cannot count */
	/* Of the model; its strings are the source's own. */
	struct plumb_model_options model;
	struct core_file *core_file; /* its contents, or NULL */
	atomic_uint canceled;
};

/* The PMU that counts, for jobs; NULL: none. */
static inline const struct cpu_pmu *source_pmu(const struct plumb_source *source)
{
	return source->kind == &source_perf && source->spec ? &source->pmu : NULL;
}

static inline struct source_cancel source_cancel_of(const struct plumb_source *source)
{
	return (struct source_cancel){&source->canceled, atomic_load(&source->canceled)};
}

/* Checks all events of a plan, as plumb_source_check() does. */
int source_check_plan(const struct plumb_source *source, const struct plumb_plan *plan,
		      struct plumb_diagnostics *diagnostics);

/* Reads what part of a run is measured. Returns false for one that cannot be. */
bool source_read_window(struct plumb_window *window, const struct plumb_window *given);
/* Tells a caller how counting went. */
void source_tell_count(const struct source_run *done, struct plumb_count_run *run);

/* Returns 0, or MACHINE with a finding if the source describes another machine. */
int source_check_here(const struct plumb_source *source, struct plumb_diagnostics *diagnostics);

/* Frees what open.c of the model copied. */
void model_options_free(struct plumb_model_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model as a source of counts: runs an AArch64 Linux program under qemu-aarch64 with a plugin
 * that models a core, and counts the PMU events which that core would have counted. What comes of
 * it is the model's, never a measurement.
 */
#ifndef PLUMB_MODEL_H
#define PLUMB_MODEL_H

#include <plumb/spec.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A core that the model has. Static storage. */
struct plumb_model_core {
	const char *name;    /* "neoverse-n3" */
	const char *spec_id; /* its telemetry specification, "neoverse-n3-r0p0" */
	uint32_t midr;
	uint32_t frequency_mhz;
	unsigned slots;
};

/* The i-th core, or NULL past the end. The first is the default. */
PLUMB_API const struct plumb_model_core *plumb_model_core(size_t i);

/* Does the model count this event of a core's specification? `code` is the PMU's. */
PLUMB_API bool plumb_model_counts_event(uint16_t code);

/*
 * What one parameter of a core's model is: `name` as in model/cores ("l1d.bytes"), its value as
 * text, and where it comes from ("assumed" if nobody has published it). NULL past the end.
 */
struct plumb_model_parameter {
	const char *name;
	const char *value;
	const char *source;
};
PLUMB_API const struct plumb_model_parameter *plumb_model_parameter(const char *core, size_t i);

/* A set of counts: counts[i] belongs to the PMU event code plumb_model_event(i). */
#define PLUMB_MODEL_EVENTS_MAX 256
PLUMB_API size_t plumb_model_event_count(void);
PLUMB_API uint16_t plumb_model_event(size_t i); /* code */
PLUMB_API const char *plumb_model_event_name(size_t i);

/* The count of an event that the engine of this run does not let the model count. */
#define PLUMB_MODEL_NOT_COUNTED UINT64_MAX

struct plumb_model_counts {
	uint64_t counts[PLUMB_MODEL_EVENTS_MAX];
	double seconds; /* the model's time since the program began */
};

/* An engine, as it answers: a QEMU that was asked whether it can run the model. */
struct plumb_model_engine {
	const char *path;
	const char *version; /* "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)"; "" if it gave none */
	const char *refusal; /* why it cannot run the model; NULL: it can, and will */
};

struct plumb_model_options {
	const char *core;    /* name of a core; NULL: the first */
	const char *program; /* path of the file; it is not looked up in PATH */
	char *const *argv;   /* the program's, NULL-ended, argv[0] included */
	/* Paths of qemu-aarch64, ended by NULL: the first that can run the model is used. */
	const char *const *engines;
	const char *plugin_dir; /* where the plugins are */
	const char *sysroot;    /* what stands for / of dynamic programs; NULL: found by itself */
	bool children;          /* count forked processes too */
	unsigned interval_ms;   /* of the model's time; 0: none */

	/* Called for each engine asked, the last of which runs the model. May be NULL. */
	void (*engine)(void *user, const struct plumb_model_engine *engine);
	/* Called when the program runs; a signal for it goes to `pid`. May be NULL. */
	void (*started)(void *user, pid_t pid);
	/* Called at each interval's end, with the counts since the beginning. May be NULL. */
	void (*interval)(void *user, const struct plumb_model_counts *counts);
	/* Called about four times a second of the host's time. May be NULL. */
	void (*progress)(void *user, const struct plumb_model_counts *counts);
	void *user;
};

struct plumb_model_run {
	const struct plumb_model_core *core;
	struct plumb_model_counts counts;
	double host_seconds;
	/*
	 * How long the loader and the C library ran before main(), or, where no symbol names that,
	 * before the program's own first instruction. 0: none of it was reached.
	 */
	double startup_seconds;
	bool startup_to_main;
	int exit_status;  /* the program's; 128 + signal if a signal ended it */
	int signal;       /* that ended it, or 0 */
	unsigned threads; /* that were counted */
	unsigned processes;
	uint64_t unknown_instructions; /* the decoder did not know; taken as one-cycle integer ones
					*/
	uint64_t hidden_accesses;      /* whose addresses QEMU does not tell; taken as L1 hits */
	bool incomplete;               /* the model gave up before the program ended */
};

/*
 * Runs it to its end. Its input, output and signals are the caller's own. Returns 0 with `*run`
 * filled, also when the program was killed; otherwise, with a finding and its hint in `found`
 * (may be NULL): NO_PROGRAM, EXEC (not an AArch64 Linux program, or not executable), NOT_FOUND (the
 * core), MACHINE (no engine that can run the model, no plugin, no sysroot), NO_MEMORY; INTERRUPTED,
 * without a finding, by a signal before it began. Blocks.
 */
PLUMB_API int plumb_model_run(const struct plumb_model_options *options,
			      struct plumb_model_run *run, struct plumb_diagnostics *found);

/* What plumb_model_run() finds out first: is `program` one that the model can run? */
PLUMB_API int plumb_model_check_program(const char *program, const char *sysroot,
					struct plumb_diagnostics *found);

#ifdef __cplusplus
}
#endif

#endif

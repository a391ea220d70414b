/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a program under QEMU with the model's plugin. */
#ifndef SOURCE_MODEL_RUN_H
#define SOURCE_MODEL_RUN_H

#include <plumb/model.h>

#include "source/cancel.h"
#include "source/model/counts.h"

/* What samples. */
struct model_sampler {
	int fd;          /* the memory for model/sampling.h, from model_run_share() */
	uint64_t key;    /* its first word */
	bool predicates; /* some sampled events are model_event_of_predicates() */
	/*
	 * Called repeatedly while the program runs. Returns when to call it next, in ms at most;
	 * `*end` becomes true when the program is to end.
	 */
	int (*drain)(void *user, pid_t pid, bool *end);
	/* Called several times a second with a sampled run as it is: what sampled.h reads. NULL:
	 * nobody asks. */
	void (*as_it_is)(void *user, const struct model_sampled *sampled,
			 const struct model_counts *sums);
	void *user;
};

struct model_job {
	const struct plumb_model_options *options;
	const struct core_file *core_file; /* how the core differs from the one named; or NULL */
	const char *program;
	char *const *argv;      /* NULL-ended */
	bool children;          /* count forked processes too */
	unsigned interval_ms;   /* the model's time; 0: none */
	uint32_t sampled;       /* the error to reach, in SAMPLED_ERROR_PARTS; 0: all is modelled */
	uint64_t sampled_after; /* instructions; 0: as the model has it */
	uint32_t what_if;       /* a bit for each enum what_if that is asked for */
	unsigned mark_call;     /* the number of a system call; 0: none */
	const struct plumb_window *window;
	const struct model_sampler *sampler; /* NULL: nothing samples */
	struct source_cancel cancel;
	/* Called before the program is started, with the version of QEMU; an error ends the run.
	 * May be NULL, as each of those below; `counts` are those since the beginning. */
	int (*begin)(void *user, const char *version);
	void (*started)(void *user, pid_t pid);
	/* In a sampled run, only while everything is modelled; `code` is as in struct
	 * model_snapshot. */
	void (*interval)(void *user, const struct model_counts *counts, const uint32_t *code);
	void (*progress)(void *user, const struct model_counts *counts);
	/* The program has made the system call `mark_call`, in this cycle of its thread's time. */
	void (*mark)(void *user, uint64_t cycle);
	/* Asked at the end: the signal for processes that the program left running, or 0. */
	int (*last_signal)(void *user);
	void *user;
};

/* An instruction that requires what the core lacks; `word` 0: none. */
struct model_lacking_insn {
	uint64_t pc;
	uint32_t word;
};

struct model_result {
	struct model_counts counts;
	double counted_seconds; /* the model's time in the window */
	double host_seconds;
	/*
	 * How long the loader and the C library ran before main(), or, where no symbol names that,
	 * before the program's own first instruction. 0: none of it was reached.
	 */
	double startup_seconds;
	bool startup_to_main;
	int exit_status;               /* the program's; 128 + signal if a signal ended it */
	int signal;                    /* that ended it, or 0 */
	uint64_t unknown_instructions; /* the decoder did not know them; counted as one-cycle
					  integer operations */
	uint64_t hidden_accesses;      /* QEMU does not tell their addresses; counted as L1 hits */
	unsigned outside;         /* enum model_outside: by which threads may differ in order */
	bool threaded;            /* there were any; if not, of `outside` only what matters then */
	unsigned gave_up;         /* enum model_gave_up */
	unsigned uncounted_execs; /* into programs that were not counted */
	unsigned left_out;        /* forked processes that were not */
	char refused[256];        /* what the program could not become; "": nothing */
	bool windowed;            /* not all of the run counts */
	bool ended;               /* by the window */
	/*
	 * Of a sampled run: a copy, with as much room for windows as there are, to be freed.
	 * `counts` are estimates. NULL: everything was modelled.
	 */
	struct model_sampled *sampled;
	struct model_counts sums; /* then: what was modelled */
	/* Of a sampled run with intervals: a copy, to be freed. NULL: of no such run. */
	struct model_units *units;
	double frequency; /* of the core, in Hz */
	const struct core_params *core;
	/* The first one that QEMU's CPU executed; the one at which the program ended. */
	struct model_lacking_insn lacking_ran, lacking_last;
};

/*
 * Runs it to its end. Returns 0 with `*result` filled, also when the program was killed;
 * NO_PROGRAM, EXEC, NOT_FOUND (the core), MACHINE, BUSY or NO_MEMORY with a finding; INTERRUPTED if
 * it was cancelled, with `*result` filled, or a signal ended it, or QEMU, before it began. Any
 * number of runs may go on at once, in threads of one process, too.
 */
int model_run(const struct model_job *job, struct model_result *result,
	      struct plumb_diagnostics *diagnostics);

/*
 * Memory to share with the plugin, zero but for its first word, which becomes `key`; its
 * descriptor, or -1. The plugin closes it before the program begins, and finds it here again. Its
 * size is sealed: who reads beyond the end is killed.
 */
int model_run_share(const char *name, size_t size, uint64_t key);

/* Adds why `size` bytes cannot be shared, an errno value. Returns NO_MEMORY, BUSY or MACHINE. */
int model_run_refuse_share(size_t size, int error, struct plumb_diagnostics *diagnostics);

/* A word that no other memory begins with. */
uint64_t model_run_key(void);

#endif

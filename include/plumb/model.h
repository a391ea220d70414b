/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source model: runs an AArch64 Linux program under qemu-aarch64 with a plugin that models a
 * core, and counts the PMU events that this core would count. Its results are the model's, never a
 * measurement.
 */
#ifndef PLUMB_MODEL_H
#define PLUMB_MODEL_H

#include <plumb/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A core of the model, or a platform: a core with what is around it. Static storage; may grow. */
struct plumb_model_core {
	const char *name;    /* "neoverse-n3", "graviton4" */
	const char *spec_id; /* its telemetry specification, "neoverse-n3-r0p0" */
	uint32_t midr;
	uint32_t frequency_mhz;
	unsigned slots;
};

/* Returns the i-th core, or NULL past the end. The first is the default. */
PLUMB_API const struct plumb_model_core *plumb_model_core(size_t i);

/*
 * A parameter of a core's model: its name as in model/cores ("l1d.bytes"), its value as text, its
 * source, and its basis: "published", "inferred" from another core, or "assumed". NULL past the
 * end. Static storage; may grow.
 */
struct plumb_model_parameter {
	const char *name;
	const char *value;
	const char *source;
	const char *basis;
};
PLUMB_API const struct plumb_model_parameter *plumb_model_parameter(const char *core, size_t i);

/*
 * A part of the core that the model can make perfect, to see what the program gains. The last one
 * stands for all requested parts at once. NULL past the end. Static storage; may grow.
 */
struct plumb_what_if {
	const char *name; /* "branch"; "together" */
	const char *text; /* "perfect branch prediction" */
};
PLUMB_API const struct plumb_what_if *plumb_model_what_if(size_t i);

/* A QEMU that was asked whether it can run the model, and its answer. Made by the library; may
 * grow. */
struct plumb_model_engine {
	const char *path;
	const char *version; /* "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)"; "" if unknown */
	const char *refusal; /* why it cannot run the model; NULL: it can, and will */
};

/* If only `size` is set, uses the first core, and the installed plugins and engine. */
struct plumb_model_options {
	size_t size;      /* sizeof(struct plumb_model_options) */
	const char *core; /* name of a core; NULL: the first */
	/*
	 * Paths of qemu-aarch64, ended by NULL; the first that can run the model is used. NULL: the
	 * one beside the plugins, then those of the system.
	 */
	const char *const *engines;
	const char *plugin_dir; /* folder of the plugins; NULL: where they are installed */
	const char *sysroot;    /* replaces / for dynamic programs; NULL: look for one */
	uint64_t seed;          /* of random numbers; equal seeds give equal samples */
	/*
	 * Called for each engine that was asked, in order; the last one, without a refusal, runs
	 * the model. Not called for the engine whose refusal is the error's finding. May be NULL.
	 */
	void (*engine)(void *user, const struct plumb_model_engine *engine);
	void *user;
	/*
	 * Which parts to try, with results in struct plumb_count_run: a bit for each index of
	 * plumb_model_what_if(). Two or more are also tried together. Each takes about as long as
	 * the model itself, in the same run of the program.
	 */
	uint32_t what_if;
	uint32_t page_bytes; /* of the translation granule: 4096, 16384 or 65536; 0: the core's */
	/*
	 * Maps anonymous memory in huge pages wherever it fills one: of 2 MiB, or with page_bytes
	 * 16384 and 65536 of 32 and 512 MiB.
	 */
	bool huge_pages;
	/*
	 * What the kernel's work costs, in cycles of the core; 0: nothing. A page fault happens
	 * when the program first accesses a page.
	 */
	uint32_t page_fault_cycles, system_call_cycles;
	bool wrong_path_loads; /* loads behind a mispredicted branch access the caches, too */
	/* Executes each block of code, instead of replaying what it did before from an equal state.
	 * All counts are the same, and take longer: to check that they are. */
	bool reference;
	/*
	 * A core file: figures in which the core differs from the one that it is like. NULL: none.
	 * `core` is NULL then, or the core that it is like. Read once, so it may be a pipe.
	 */
	const char *core_file;
	/*
	 * Threads of this machine in which to run a program of one thread: 2 executes the core
	 * aside from QEMU, 1 both in one; 0: 2 if QEMU may use several processors. All counts are
	 * the same.
	 */
	uint32_t host_threads;
};

/*
 * Opens the model. Copies everything that `options` points to, except `user`. Returns 0, NOT_FOUND
 * (no such core), ARGUMENT (also: no such page), NO_MEMORY, or, for the core file, IO, LIMIT,
 * SYNTAX or INVALID. Engines are asked later, when a program runs.
 */
PLUMB_API int plumb_model_open(const struct plumb_model_options *options,
			       struct plumb_source **source, struct plumb_diagnostics *diagnostics);

/* Returns the core that a source models, or NULL if the source is not the model. */
PLUMB_API const struct plumb_model_core *plumb_model_source_core(const struct plumb_source *source);

/*
 * Checks whether the model can run a program. Returns 0, or, with a finding, NO_PROGRAM, EXEC (not
 * an AArch64 Linux program, or not executable) or MACHINE (its loader is missing in `sysroot`; if
 * that is NULL, in all known ones).
 */
PLUMB_API int plumb_model_check_program(const char *program, const char *sysroot,
					struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif

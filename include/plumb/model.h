/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model as a source: runs an AArch64 Linux program under qemu-aarch64 with a plugin that models
 * a core, and counts the PMU events which that core would have counted. What comes of it is the
 * model's, never a measurement.
 */
#ifndef PLUMB_MODEL_H
#define PLUMB_MODEL_H

#include <plumb/source.h>

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

/* An engine, as it answers: a QEMU that was asked whether it can run the model. */
struct plumb_model_engine {
	const char *path;
	const char *version; /* "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)"; "" if it gave none */
	const char *refusal; /* why it cannot run the model; NULL: it can, and will */
};

/* Zero, but for size, is the first core, and what plumb was installed with. */
struct plumb_model_options {
	size_t size;      /* sizeof(struct plumb_model_options) */
	const char *core; /* name of a core; NULL: the first */
	/*
	 * Paths of qemu-aarch64, ended by NULL: the first that can run the model is used. NULL: the
	 * one beside the plugins, then the system's.
	 */
	const char *const *engines;
	const char *plugin_dir; /* where the plugins are; NULL: where they were installed */
	const char *sysroot;    /* what stands for / of dynamic programs; NULL: found by itself */
	uint64_t seed;          /* of chance in sampling: the same gives the same samples */
	/* Called for each engine asked, the last of which runs the model. May be NULL. */
	void (*engine)(void *user, const struct plumb_model_engine *engine);
	void *user;
};

/*
 * Opens the model as a source. Copies what `options` points to, but for `user`. Returns 0,
 * NOT_FOUND (no such core), ARGUMENT or NO_MEMORY; engines are asked when something is to run.
 */
PLUMB_API int plumb_model_open(const struct plumb_model_options *options,
			       struct plumb_source **source, struct plumb_diagnostics *diagnostics);

/*
 * Whether the model can run a program. Returns 0, or, with a finding, NO_PROGRAM, EXEC (it is no
 * AArch64 Linux program, or cannot be executed) or MACHINE (no `sysroot` has its loader; NULL: one
 * is looked for).
 */
PLUMB_API int plumb_model_check_program(const char *program, const char *sysroot,
					struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif

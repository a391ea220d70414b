/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: the QEMU that runs the model's plugin. */
#ifndef SOURCE_MODEL_QEMU_H
#define SOURCE_MODEL_QEMU_H

#include <limits.h>
#include <plumb/model.h>
#include <stdbool.h>

struct qemu {
	const char *path;
	unsigned major, minor;
	char version[128];     /* as printed: "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)" */
	char plugin[PATH_MAX]; /* the plugin for its interface */
	const char *reserve;   /* the value for its option -R; NULL: do not use it */
};

/* What a hint depends on. */
struct qemu_system {
	const char *packaged;   /* where the distribution's package has its engine */
	const char *os_release; /* the file that describes the distribution: os-release(5) */
};

/* Returns this machine's. Static storage. */
const struct qemu_system *qemu_this_system(void);

/*
 * Takes the first of `options->engines` that can run the model: it asks each for its version and
 * whether it takes plugins, and chooses the plugin in `options->plugin_dir`. Tells
 * `options->engine` of each asked, unless a finding does. If none can: MACHINE, with the first
 * one's finding; BUSY where there is no room for another process, with the finding of the one that
 * could not be asked; INTERRUPTED, without one, if a signal ended one that was asked.
 */
int qemu_choose(const struct qemu_system *system, const struct plumb_model_options *options,
		struct qemu *qemu, struct plumb_diagnostics *diagnostics);

/*
 * Returns whether the sender of the signal in this wait status meant to end this process as well,
 * as Ctrl-C does.
 */
bool qemu_was_interrupted(int status);

/* What the distribution's own engine is good for. */
enum qemu_packaged {
	QEMU_ABSENT,  /* it is not installed */
	QEMU_BROKEN,  /* it does not answer as QEMU */
	QEMU_LIMITED, /* it is QEMU, but cannot run the model */
	QEMU_WORKS,   /* it can */
};

/*
 * Returns how to get an engine on the system that the file `os_release` describes, if its own is
 * absent, broken or limited. Static storage.
 */
const char *qemu_hint(const char *os_release, enum qemu_packaged packaged);
/* Returns how to get QEMU 9.0 or later there; NULL: unknown. Static storage. */
const char *qemu_newer_hint(const char *os_release);

#endif

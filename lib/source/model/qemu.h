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

/*
 * Takes the first of `options->engines` that can run the model: it asks each for its version and
 * whether it takes plugins, and chooses the plugin in `options->plugin_dir`. Tells
 * `options->engine` of each asked, unless a finding does. If none can: MACHINE, with the first
 * one's finding; BUSY where there is no room for another process, with the finding of the one that
 * could not be asked; INTERRUPTED, without one, if a signal ended one that was asked.
 */
int qemu_choose(const struct plumb_model_options *options, struct qemu *qemu,
		struct plumb_diagnostics *diagnostics);

/*
 * Returns whether the sender of the signal in this wait status meant to end this process as well,
 * as Ctrl-C does.
 */
bool qemu_was_interrupted(int status);

/*
 * Returns how to get an engine on the system that the file `os_release` describes. Static storage.
 */
const char *qemu_hint(const char *os_release);
/* Returns how to get QEMU 9.0 or later there; NULL: unknown. Static storage. */
const char *qemu_newer_hint(const char *os_release);
/* Returns this system's file. */
const char *qemu_os_release(void);

#endif

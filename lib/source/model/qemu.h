/* SPDX-License-Identifier: Apache-2.0 */
/* The QEMU that runs the model's plugin. */
#ifndef SOURCE_MODEL_QEMU_H
#define SOURCE_MODEL_QEMU_H

#include <limits.h>
#include <plumb/error.h>

struct qemu {
	unsigned major, minor;
	char plugin[PATH_MAX]; /* the plugin built for its interface */
};

/*
 * Asks the QEMU at `path` for its version and whether it takes plugins, and chooses the plugin
 * in `plugin_dir`. NOT_FOUND, UNSUPPORTED or IO with a finding.
 */
int qemu_probe(const char *path, const char *plugin_dir, struct qemu *qemu,
	       struct plumb_diagnostics *found);

#endif

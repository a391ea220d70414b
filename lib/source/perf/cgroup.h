/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the folders of control groups, which perf_event_open(2) counts: cgroups(7). */
#ifndef SOURCE_PERF_CGROUP_H
#define SOURCE_PERF_CGROUP_H

#include <stddef.h>

#include <plumb/error.h>

/*
 * Finds where the hierarchy that perf uses is mounted, in the text of /proc/self/mounts: version
 * 1's controller perf_event, or else version 2. Returns the length of the path at `*path`, which
 * points into `mounts`; 0: there is none. Blanks in it are written as \040.
 */
size_t perf_cgroup_mount(const char *mounts, const char **path);

/*
 * Opens the folder of a control group. Returns a descriptor, or a negative enum plumb_error with a
 * finding.
 */
int perf_cgroup_open(const char *name, struct plumb_diagnostics *diagnostics);

#endif

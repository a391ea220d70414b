/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets strobed members of groups apart from their leaders.
 *
 * The kernel offers no way to make the first period of an event longer than the others. But two
 * events of a group that count user code alone and have the same period stay as far apart as they
 * are when the second is enabled. So each leader counts a little first, of a thread that waits for
 * everything to be set up.
 */
#ifndef SOURCE_PERF_STROBE_H
#define SOURCE_PERF_STROBE_H

#include "source/perf/program.h"
#include "source/perf/sampling.h"

/*
 * Enables the strobed members, and leaves their leaders disabled. What runs meanwhile is `program`,
 * which has not begun, or, where CPUs are sampled, the calling thread; on each CPU in turn. Returns
 * 0, or a negative error with a finding.
 */
int strobe_set_apart(const struct sampling *sampling, const struct perf_program *program);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EXPORT_STACKS_H
#define CLI_EXPORT_STACKS_H

#include "tool/options.h"
#include "tool/reading.h"

/*
 * Writes the samples of a recording by call stack, as "folded", "speedscope", "pprof" or "firefox",
 * to the output that `common` names. Returns an exit status.
 */
int export_stacks(const struct common_options *common, const struct reading_options *from,
		  const char *format);

#endif

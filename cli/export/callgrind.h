/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EXPORT_CALLGRIND_H
#define CLI_EXPORT_CALLGRIND_H

#include "tool/options.h"

/* Writes the events of the recording at `path` where the options say. Returns the exit status. */
int export_callgrind(const struct common_options *common, const char *path);

#endif

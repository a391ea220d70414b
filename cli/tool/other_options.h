/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options and commands of topdown-tool, in all its versions since 2022, and of wperf (WindowsPerf)
 * that plumb has under another name, or not at all, and what there is instead. doc/other-tools.md
 * has the options that are the same, too.
 */
#ifndef CLI_OTHER_OPTIONS_H
#define CLI_OTHER_OPTIONS_H

#include "tool/options.h"

extern const struct other_tool other_commands[];

/* Each is `others` of the command of that name. */
extern const struct other_tool other_options_stat[];
extern const struct other_tool other_options_record[];
extern const struct other_tool other_options_list[];

#endif

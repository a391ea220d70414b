/* SPDX-License-Identifier: Apache-2.0 */
/* perf's options and commands that plumb has under another name, or not at all, and what there is
 * instead. */
#ifndef CLI_PERF_OPTIONS_H
#define CLI_PERF_OPTIONS_H

#include "tool/options.h"

/* Its commands, of which plumb has no namesakes. */
extern const struct option_twin perf_options_commands[];

/* Each is the `perf_twins` of the command of that name. */
extern const struct option_twin perf_options_stat[];
extern const struct option_twin perf_options_record[];
extern const struct option_twin perf_options_report[];
extern const struct option_twin perf_options_annotate[];
extern const struct option_twin perf_options_diff[];
extern const struct option_twin perf_options_script[];
extern const struct option_twin perf_options_list[];

/* Likewise its `perf_same`. */
extern const struct option_twin perf_same_report[];
extern const struct option_twin perf_same_annotate[];
extern const struct option_twin perf_same_diff[];
extern const struct option_twin perf_same_script[];

#endif

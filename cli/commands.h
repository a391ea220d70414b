/* SPDX-License-Identifier: Apache-2.0 */
/* Every command there is, each in a file of its name. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "tool/options.h"

extern const struct command command_plumb;
extern const struct command command_help;
extern const struct command command_stat;
extern const struct command command_record;
extern const struct command command_explore;
extern const struct command command_report;
extern const struct command command_annotate;
extern const struct command command_diff;
extern const struct command command_script;
extern const struct command command_list;
extern const struct command command_calibrate;
extern const struct command command_doctor;
extern const struct command command_spe;
extern const struct command command_spe_dump;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_spec;
extern const struct command command_spec_list;
extern const struct command command_spec_show;
extern const struct command command_spec_tree;
extern const struct command command_spec_validate;
extern const struct command command_spec_diff;
extern const struct command command_spec_export;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of plumb diff share. */
#ifndef DIFF_COMMAND_H
#define DIFF_COMMAND_H

#include <plumb/profile.h>

#include "diff/inputs.h"
#include "render/diff.h"
#include "tool/options.h"

struct diff_command_options {
	struct common_options common;
	struct reading_options from;
	struct option_words above, below, sort;
	const char *baseline, *write_baseline, *markdown, *junit, *otava, *commit, *percent_limit;
	int compute, order;
	unsigned limit;
	const char *html;
	bool baseline_only, by_name, csv;
};

struct diff_run {
	const struct diff_command_options *options;
	struct diff_reading_options reading;
	uint8_t keys[PLUMB_PROFILE_KEYS_MAX];
	struct gate_limit *limits;
	size_t limit_count;
	double least;
	struct diff_input *inputs; /* a side each; the first is the baseline */
	size_t side_count;
	struct diff_names *names; /* which functions are compared; NULL: those of symbols */
	struct diff_report report;
};

/* ---- options.c ---- */

extern const struct option diff_options[];

/* Reads the values of the options. Returns an exit status, after printing an error. */
int diff_parse_options(struct diff_run *run);
/* Returns whether the output is JSON or CSV. */
bool diff_is_for_programs(const struct diff_command_options *options);

/* ---- print.c: each returns an exit status, after printing an error. ---- */

/* Prints the report, and writes what else the options ask for, but for the baseline. */
int diff_print_all(const struct diff_run *run);
/* Writes the last side as a baseline, if the options ask for it. */
int diff_write_baseline(const struct diff_run *run);

/* Returns whether a path stands for standard output. */
bool diff_is_stdout(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* --like-perf: the version of perf whose samples and text are printed, with its errors. */
#ifndef TOOL_LIKE_PERF_H
#define TOOL_LIKE_PERF_H

#include <stdbool.h>

#include <plumb/spe.h>

/* `does` begins the help. */
#define OPTION_ROW_LIKE_PERF(type, member, does)                                        \
	{                                                                               \
		.name = "like-perf", .kind = OPTION_TEXT, .argument = "VERSION",        \
		.offset = offsetof(type, member), .choices = like_perf_versions,        \
		.help = does " this version of perf, errors included: 6.1, 6.12 or 7.3" \
	}

extern const char *const like_perf_versions[];

/* Reads the option's value; NULL is the newest perf, without its errors. False: said why. */
bool like_perf_read(const char *text, enum plumb_perf_version *version);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* --like-perf: the version of perf whose samples and text are printed, with its errors. */
#ifndef TOOL_LIKE_PERF_H
#define TOOL_LIKE_PERF_H

#include <stdbool.h>

#include <plumb/spe.h>

#define OPTION_ROW_LIKE_PERF(type, member)                                                    \
	{                                                                                     \
		.name = "like-perf", .kind = OPTION_TEXT, .argument = "VERSION",              \
		.offset = offsetof(type, member), .choices = like_perf_versions,              \
		.help = "print what this version of perf prints, errors included: 6.1, 6.12 " \
			"or 7.3"                                                              \
	}

extern const char *const like_perf_versions[];

/* Reads the option's value; NULL is the newest perf, without its errors. False: said why. */
bool like_perf_read(const char *text, enum plumb_perf_version *version);

#endif

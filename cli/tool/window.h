/* SPDX-License-Identifier: Apache-2.0 */
/* The options that select which part of a run to count or sample. */
#ifndef CLI_TOOL_WINDOW_H
#define CLI_TOOL_WINDOW_H

#include <plumb/source.h>

#include "tool/options.h"

struct window_options {
	const char *delay, *timeout, *instructions, *from, *to;
};

#define OPTION_ROW_DELAY(type, member)                                                 \
	{                                                                              \
		.letter = 'D', .name = "delay", .kind = OPTION_TEXT, .argument = "MS", \
		.offset = offsetof(type, member.delay),                                \
		.help = "start MS milliseconds after the program (of the model's "     \
			"time, with the model)",                                       \
	}
#define OPTION_ROWS_WINDOW(type, member)                                                        \
	{                                                                                       \
		.name = "timeout",                                                              \
		.kind = OPTION_TEXT,                                                            \
		.argument = "MS",                                                               \
		.offset = offsetof(type, member.timeout),                                       \
		.help = "end the program MS milliseconds after the start",                      \
	},                                                                                      \
		{                                                                               \
			.name = "max-instructions",                                             \
			.kind = OPTION_TEXT,                                                    \
			.argument = "N",                                                        \
			.offset = offsetof(type, member.instructions),                          \
			.help = "end the program after N instructions: 10M",                    \
		},                                                                              \
		{                                                                               \
			.name = "from",                                                         \
			.kind = OPTION_TEXT,                                                    \
			.argument = "PLACE",                                                    \
			.offset = offsetof(type, member.from),                                  \
			.help = "start when the program reaches a function or address: "        \
				"main, main+0x10, 0x400668",                                    \
		},                                                                              \
	{                                                                                       \
		.name = "to", .kind = OPTION_TEXT, .argument = "PLACE",                         \
		.offset = offsetof(type, member.to), .help = "stop when it reaches this place", \
	}

/*
 * Reads the options into `window`. `never` allows a delay of -1. Prints an error and returns false
 * if a value is invalid.
 */
bool window_read(const struct window_options *options, bool never, struct plumb_window *window);

/* Prints which limit ended the program, or the measuring of what runs already. */
void window_say_ended(const struct plumb_window *window, bool program);

#endif

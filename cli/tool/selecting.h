/* SPDX-License-Identifier: Apache-2.0 */
/* The options that select metrics by name: stages, groups, metrics, and parts of the tree. */
#ifndef CLI_TOOL_SELECTING_H
#define CLI_TOOL_SELECTING_H

#include <plumb/count.h>

#include "tool/options.h"

struct selecting_options {
	struct option_words stages, groups, metrics;
	const char *node;
	unsigned level;
};

extern const char *const selecting_stages[];

/* `verb` is what the command does with them: "count". */
#define OPTION_ROWS_SELECTING(type, member, verb)                                           \
	{                                                                                   \
		.letter = 's',                                                              \
		.name = "stages",                                                           \
		.kind = OPTION_WORDS,                                                       \
		.argument = "N,...",                                                        \
		.offset = offsetof(type, member.stages),                                    \
		.choices = selecting_stages,                                                \
		.help = verb " these stages: 1 (topdown), 2 (uarch) or all",                \
	},                                                                                  \
		{                                                                           \
			.letter = 'm',                                                      \
			.name = "metric-group",                                             \
			.kind = OPTION_WORDS,                                               \
			.argument = "GROUP,...",                                            \
			.offset = offsetof(type, member.groups),                            \
			.help = verb " these metric groups",                                \
		},                                                                          \
		{                                                                           \
			.letter = 'M',                                                      \
			.name = "metric",                                                   \
			.kind = OPTION_WORDS,                                               \
			.argument = "METRIC,...",                                           \
			.offset = offsetof(type, member.metrics),                           \
			.help = verb " these metrics",                                      \
		},                                                                          \
		{                                                                           \
			.letter = 'n',                                                      \
			.name = "node",                                                     \
			.kind = OPTION_TEXT,                                                \
			.argument = "NODE",                                                 \
			.offset = offsetof(type, member.node),                              \
			.help = verb " this node of the tree, the nodes below it, and the " \
				     "groups it leads to",                                  \
		},                                                                          \
	{                                                                                   \
		.letter = 'l', .name = "level", .kind = OPTION_NUMBER, .argument = "LEVEL", \
		.offset = offsetof(type, member.level),                                     \
		.help = "leave out the tree's nodes below this level",                      \
	}

/* plumb_request.stages: all that there are. */
#define SELECTING_ALL (~0u & ~1u)

struct selecting_indexes {
	uint16_t *at;
	uint16_t count, room;
};

/* What the options name; a request refers to it. */
struct selecting_found {
	struct selecting_indexes groups, metrics;
};

/* Tells whether any of the options is given. */
bool selecting_is_given(const struct selecting_options *options);

/*
 * Finds what the options name, and sets all of `request` but its events. Prints an error and
 * returns false if a name is unknown. In both cases call selecting_free().
 */
bool selecting_read(const struct selecting_options *options, const struct plumb_spec *spec,
		    struct selecting_found *found, struct plumb_request *request);
void selecting_free(struct selecting_found *found);

#endif

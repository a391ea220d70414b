/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands and their options, as tables: what is parsed, and what --help prints, come from the
 * same lines.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,   /* a bool, made true */
	OPTION_TEXT,   /* a const char *, pointing into the command line */
	OPTION_MAYBE,  /* the same, "" where nothing is attached to it: --name[=VALUE], -n[VALUE] */
	OPTION_CHOICE, /* an int: which of `choices` */
	OPTION_NUMBER, /* an unsigned, at least 1 */
	OPTION_WORDS,  /* a struct option_words: each time it is given adds to them */
};

/*
 * Tables end with a row without a name. Shells complete by them (completions/generate.py): choices,
 * and names that an argument or an operand is called by. FILE, PATH and PREFIX are files, DIR is a
 * folder, PROGRAM a command, PID a process; CPU, EVENT, METRIC, NODE and GROUP are names in the
 * specifications, and NAME is any of them. ",..." takes several.
 */
struct option {
	const char *name;     /* "json" of --json */
	const char *argument; /* how help calls its argument; NULL for a flag */
	const char *help;
	const char *const *choices; /* NULL at the end. OPTION_CHOICE takes no other value */
	size_t offset;              /* of its value in the command's struct of options */
	enum option_kind kind;
	char letter; /* 'j' of -j, or 0 */
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* What an option that may be given several times was given. */
struct option_words {
	const char *at[32];
	unsigned count;
};

/* The options that commands share. First in each command's own struct, so that offsets agree. */
struct common_options {
	const char *cpu;
	const char *output;
	const char *separator;
	int color;
	bool json;
	bool verbose;
	bool no_pager;
};

/* What help says of them is said once; each command's table lists those it takes. */
#define OPTION_ROW_CPU                                                             \
	{                                                                          \
		.name = "cpu", .kind = OPTION_TEXT, .argument = "CPU",             \
		.offset = offsetof(struct common_options, cpu),                    \
		.help = "the CPU meant: a name, a MIDR or one of Arm's JSON files" \
	}
#define OPTION_ROW_CORE(type, member)                                                 \
	{                                                                             \
		.name = "core", .kind = OPTION_TEXT, .argument = "CPU",               \
		.offset = offsetof(type, member),                                     \
		.help = "the core the data is of, for data sources: a name or a MIDR" \
	}
#define OPTION_ROW_JSON                                                      \
	{                                                                    \
		.letter = 'j', .name = "json", .kind = OPTION_FLAG,          \
		.offset = offsetof(struct common_options, json),             \
		.help = "print JSON, its keys as the manual page lists them" \
	}
#define OPTION_ROW_OUTPUT                                                                 \
	{                                                                                 \
		.letter = 'o', .name = "output", .kind = OPTION_TEXT, .argument = "FILE", \
		.offset = offsetof(struct common_options, output),                        \
		.help = "write there instead of to standard output"                       \
	}
#define OPTION_ROW_SEPARATOR                                                                      \
	{                                                                                         \
		.letter = 'x', .name = "field-separator", .kind = OPTION_TEXT, .argument = "SEP", \
		.offset = offsetof(struct common_options, separator),                             \
		.help = "print one line a row, fields separated by SEP"                           \
	}
#define OPTION_ROW_VERBOSE(what)                                                   \
	{                                                                          \
		.letter = 'v', .name = "verbose", .kind = OPTION_FLAG,             \
		.offset = offsetof(struct common_options, verbose), .help = (what) \
	}
#define OPTION_ROW_COLOR                                                                    \
	{                                                                                   \
		.name = "color", .kind = OPTION_CHOICE, .argument = "WHEN",                 \
		.offset = offsetof(struct common_options, color), .choices = options_color, \
		.help = "auto, always or never; auto is on a terminal only"                 \
	}
#define OPTION_ROW_NO_PAGER                                          \
	{                                                            \
		.name = "no-pager", .kind = OPTION_FLAG,             \
		.offset = offsetof(struct common_options, no_pager), \
		.help = "print straight to the terminal"             \
	}
#define OPTION_ROW_HELP                                             \
	{                                                           \
		.letter = 'h', .name = "help", .help = "print this" \
	}

extern const char *const options_color[];

/* What the parser left over: arguments that are no options, in their order. */
struct operands {
	char **at;
	int count;
};

struct example {
	const char *command;
	const char *text; /* what it does */
};

/* What another program calls an option; "d" is its -d. Tables end with a row without a name. */
struct option_twin {
	const char *name;
	const char *ours; /* what to type instead: "plumb spec list metrics", "--node" */
};

struct output;

struct command {
	const char *path;     /* "plumb spec list" */
	const char *name;     /* "list" */
	const char *summary;  /* a line, lower case, no full stop */
	const char *operands; /* "NAME…", or NULL; for help */
	int fewest, most;     /* how many operands it takes */
	bool runs;        /* what follows its first operand is that one's: a program's arguments */
	const char *text; /* paragraphs for --help, or NULL */
	const struct option *options;
	const char *twins_of;            /* whose options people may try: "topdown-tool"; or NULL */
	const struct option_twin *twins; /* and what ours are */
	void (*more)(struct output *out);      /* prints what else belongs into --help; or NULL */
	const struct example *examples;        /* ends with a row without a command; or NULL */
	const struct command *const *commands; /* NULL at the end; for one that only dispatches */
	/* Does it. `arguments[0]` is its name. Returns the exit status. */
	int (*run)(const struct command *command, int count, char **arguments);
};

/* `most` of a command that takes any number. */
#define OPERANDS_ANY INT_MAX

/*
 * Parses `arguments`, `count` of them, the first being the command's name, into `values`, the
 * command's struct of options, which the caller made zero. Options and operands may be mixed; "--"
 * ends the options. A command that dispatches, or runs a program, stops at its first operand.
 * Returns true if the command is to go on; else `*status` is the exit status: the command line was
 * wrong, which has been said, or asked for help, which has been printed.
 */
bool options_parse(const struct command *command, int count, char **arguments, void *values,
		   struct operands *operands, int *status);

/*
 * Makes a tab of a separator that is spelt "\\t", as perf does. Returns false for an empty one,
 * having said so.
 */
bool options_separator(const struct command *command, struct common_options *options);

/* The subcommand called `name`; NULL if there is none, which has been said. */
const struct command *options_find(const struct command *command, const char *name);

/* The options, and the run, of a command that only dispatches. */
extern const struct option options_help_only[];
int options_run_group(const struct command *command, int count, char **arguments);

/* Runs the subcommand that the first operand names; what follows it are its arguments. */
int options_dispatch(const struct command *command, const struct operands *operands);

/* Begins a section of what --help prints. */
void help_section(struct output *out, const char *title);

/* Prints what --help prints; returns the exit status. */
int help_print(const struct command *command);

#endif

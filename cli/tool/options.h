/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands and their options, as tables. The parser and --help use the same tables.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,   /* a bool, made true */
	OPTION_TEXT,   /* a const char *, pointing into the command line */
	OPTION_MAYBE,  /* the same, "" without an attached value: --name[=VALUE], -n[VALUE] */
	OPTION_LIST,   /* the same, of `choices` and commas; may also be the next argument */
	OPTION_CHOICE, /* an int, the index in `choices` */
	OPTION_NUMBER, /* an unsigned, at least 1 */
	OPTION_WORDS,  /* a struct option_words; each use of the option adds a value */
	OPTION_COLOR,  /* OPTION_CHOICE of options_color; without one of them, COLOR_ALWAYS */
	OPTION_PLAIN,  /* the int of OPTION_COLOR, made COLOR_NEVER */
};

/*
 * Tables end with a row without a name. completions/generate.py makes the shells' completions from
 * them, using `choices` and the names of arguments and operands. FILE, PATH and PREFIX are files,
 * DIR is a folder, PROGRAM a command, PID a process; CPU, EVENT, METRIC, NODE and GROUP are names
 * in the specifications, and NAME is any of them. CORE is one of the model's cores. ",..." takes
 * several.
 */
struct option {
	const char *name;     /* "json" of --json */
	const char *argument; /* name of its argument in --help; NULL for a flag */
	const char *help;
	const char *const *choices;      /* ended by NULL. OPTION_CHOICE takes no other value */
	const char *(*choice)(size_t i); /* instead: returns the i-th, or NULL after the last */
	size_t offset;                   /* of its value in the command's struct of options */
	enum option_kind kind;
	char letter; /* 'j' of -j, or 0 */
	bool yields; /* an abbreviation that also fits another option means that one */
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The values of an option that may be given several times. */
struct option_words {
	const char *at[32];
	unsigned count;
};

/* The options that commands share. Each command's own struct begins with it, so offsets agree. */
struct common_options {
	const char *cpu;
	const char *output;
	const char *separator;
	int color;
	bool json;
	bool csv; /* of lists */
	bool verbose;
	bool no_pager;
	bool append;     /* to the file `output` */
	unsigned log_fd; /* write to this descriptor; 0: not given */
};

/* Rows of texts and of flags: each file names its own struct of options once. */
#define OPTION_ROW_TEXT(type, l, n, arg, member, text)                              \
	{                                                                           \
		.letter = (l), .name = (n), .kind = OPTION_TEXT, .argument = (arg), \
		.offset = offsetof(type, member), .help = (text)                    \
	}
#define OPTION_ROW_FLAG(type, l, n, member, text)                                                  \
	{                                                                                          \
		.letter = (l), .name = (n), .kind = OPTION_FLAG, .offset = offsetof(type, member), \
		.help = (text)                                                                     \
	}

/* Rows of the options that commands share; each command's table lists those it takes. That of
 * colours has two rows. */
#define OPTION_ROW_CPU                                                                  \
	{                                                                               \
		.name = "cpu", .kind = OPTION_TEXT, .argument = "CPU",                  \
		.offset = offsetof(struct common_options, cpu),                         \
		.help = "set the target CPU: a name, a MIDR or one of Arm's JSON files" \
	}
#define OPTION_ROW_CPU_OR_CORE                                                  \
	{                                                                       \
		.name = "cpu", .kind = OPTION_TEXT, .argument = "CORE",         \
		.offset = offsetof(struct common_options, cpu),                 \
		.help = "set the target CPU; with the model, one of its cores", \
	}
#define OPTION_ROW_CORE(type, member)                                           \
	{                                                                       \
		.name = "core", .kind = OPTION_TEXT, .argument = "CPU",         \
		.offset = offsetof(type, member),                               \
		.help = "set the core that produced the data: a name or a MIDR" \
	}
#define OPTION_ROW_JSON                                              \
	{                                                            \
		.letter = 'j', .name = "json", .kind = OPTION_FLAG,  \
		.offset = offsetof(struct common_options, json),     \
		.help = "print JSON; the manual page lists its keys" \
	}
#define OPTION_ROW_INPUT(type, member)                                                            \
	{                                                                                         \
		.letter = 'i', .name = "input", .kind = OPTION_TEXT, .argument = "FILE",          \
		.offset = offsetof(type, member),                                                 \
		.help = "read this recording, or the one in a folder of plumb explore (default: " \
			"perf.data); - is standard input"                                         \
	}
#define OPTION_ROW_OUTPUT                                                                 \
	{                                                                                 \
		.letter = 'o', .name = "output", .kind = OPTION_TEXT, .argument = "FILE", \
		.offset = offsetof(struct common_options, output),                        \
		.help = "write to FILE instead of standard output"                        \
	}
#define OPTION_ROW_CSV                                          \
	{                                                       \
		.name = "csv", .kind = OPTION_FLAG,             \
		.offset = offsetof(struct common_options, csv), \
		.help = "print CSV, with a header line"         \
	}
#define OPTION_ROW_SEPARATOR                                                                      \
	{                                                                                         \
		.letter = 'x', .name = "field-separator", .kind = OPTION_TEXT, .argument = "SEP", \
		.offset = offsetof(struct common_options, separator),                             \
		.help = "print one line per row, with fields separated by SEP"                    \
	}
#define OPTION_ROW_VERBOSE(what)                                                   \
	{                                                                          \
		.letter = 'v', .name = "verbose", .kind = OPTION_FLAG,             \
		.offset = offsetof(struct common_options, verbose), .help = (what) \
	}
#define OPTION_ROW_COLOR                                                              \
	{.name = "color",                                                             \
	 .kind = OPTION_COLOR,                                                        \
	 .argument = "WHEN",                                                          \
	 .offset = offsetof(struct common_options, color),                            \
	 .choices = options_color,                                                    \
	 .help = "use colours: auto (default; on a terminal only), always or never"}, \
	{                                                                             \
		.name = "no-color", .kind = OPTION_PLAIN,                             \
		.offset = offsetof(struct common_options, color),                     \
		.help = "print without colours, as --color=never does"                \
	}
#define OPTION_ROW_NO_PAGER                                          \
	{                                                            \
		.name = "no-pager", .kind = OPTION_FLAG,             \
		.offset = offsetof(struct common_options, no_pager), \
		.help = "print to the terminal without a pager"      \
	}
#define OPTION_ROW_HELP                                                  \
	{                                                                \
		.letter = 'h', .name = "help", .help = "print this help" \
	}

extern const char *const options_color[];

/* Returns whether an option can stand without its value, which is attached to it: --name[=VALUE].
 */
bool options_takes_maybe(const struct option *option);

/* Returns the option's i-th choice, or NULL after the last. */
const char *options_choice(const struct option *option, size_t i);

/* The arguments that are not options, in their order. */
struct operands {
	char **at;
	int count;
};

/*
 * Sets `*input` to the recording that --input or the operand names, or else to "perf.data". Returns
 * false, having said so, if both do.
 */
bool options_input(const struct operands *operands, const char **input);

struct example {
	const char *command;
	const char *text; /* what it does */
};

/* Another program's names for one of our options: "d,detailed" are its -d and --detailed. Tables
 * end with a row without a name. */
struct option_twin {
	const char *name;
	const char *ours; /* what to type instead: "plumb spec list metrics", "--node" */
};

/* Another program and its names; tables end with a row without a program. */
struct other_tool {
	const char *program; /* "topdown-tool" */
	const struct option_twin *twins;
};

struct output;

struct command {
	const char *path;     /* "plumb spec list" */
	const char *name;     /* "list" */
	const char *summary;  /* one line: a verb, lower case, no full stop */
	const char *operands; /* "NAME…" in --help, or NULL */
	int fewest, most;     /* how many operands it takes */
	bool runs;            /* arguments after the first operand belong to that program */
	const char *text;     /* paragraphs for --help, or NULL */
	const struct option *options;
	const struct option_twin *perf_twins;    /* our names for perf's options; or NULL */
	const struct option_twin *perf_commands; /* and for its commands; or NULL */
	/*
	 * perf's options that are accepted, with no effect, as they ask for what happens anyway:
	 * with this value, "" of flags. Other values are refused as `perf_twins` has it. NULL:
	 * there are none.
	 */
	const struct option_twin *perf_same;
	const struct other_tool *others; /* likewise of other programs; or NULL */
	const struct other_tool *other_commands;
	void (*more)(struct output *out); /* prints another section of --help; or NULL */
	const struct example *examples;   /* ends with a row without a command; or NULL */
	const struct command *const
		*commands; /* ended by NULL; of a command that only dispatches */
	/* Runs the command. `arguments[0]` is its name. Returns the exit status. */
	int (*run)(const struct command *command, int count, char **arguments);
};

/* `most` of a command that takes any number of operands. */
#define OPERANDS_ANY INT_MAX

/*
 * Parses `count` arguments, the first of which is the command's name, into `values`, the command's
 * struct of options. The caller sets it to zero. Options and operands may be mixed; "--" ends the
 * options. A command that dispatches, or runs a program, stops at its first operand.
 * Returns true if the command should continue. Otherwise sets `*status` to the exit status, after
 * printing either an error or the help that was asked for.
 */
bool options_parse(const struct command *command, int count, char **arguments, void *values,
		   struct operands *operands, int *status);

/*
 * Replaces the separator "\\t" by a tab, as perf does. Prints an error and returns false if the
 * separator is empty.
 */
bool options_separator(const struct command *command, struct common_options *options);
/* Prints an error and returns false if --csv is combined with another form of output. */
bool options_csv(const struct common_options *options);

/* Returns the subcommand called `name`, or prints an error and returns NULL. */
const struct command *options_find(const struct command *command, const char *name);

/* The options and the function `run` of a command that only dispatches. */
extern const struct option options_help_only[];
int options_run_group(const struct command *command, int count, char **arguments);

/* Runs the subcommand that the first operand names, with the arguments that follow it. */
int options_dispatch(const struct command *command, const struct operands *operands);

/* Begins a section of --help. */
void help_section(struct output *out, const char *title);

/* Prints the command's --help. Returns the exit status. */
int help_print(const struct command *command);

#endif

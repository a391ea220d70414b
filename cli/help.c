/* SPDX-License-Identifier: Apache-2.0 */
/* Prints --help from the tables that the parser uses. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/memory.h"

void help_section(struct output *out, const char *title)
{
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, title);
	fputc('\n', out->stream);
}

static void print_usage(struct output *out, const struct command *command)
{
	char *text = memory_format(
		"%s%s%s%s", command->path, command->options ? " [OPTION]..." : "",
		command->operands ? " " : "", command->operands ? command->operands : "");

	output_text(out, STYLE_HEADING, "Usage: ");
	output_wrapped(out, STYLE_PLAIN, 7, 7, text);
	free(text);
}

static void print_options(struct output *out, const struct option *options)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};

	for (const struct option *o = options; o->name; o++) {
		char letter[] = {'-', o->letter, ',', ' ', '\0'};

		if (options_takes_maybe(o))
			table_cell_format(&table, "%s--%s[=%s]", o->letter ? letter : "    ",
					  o->name, o->argument);
		else
			table_cell_format(&table, "%s--%s%s%s", o->letter ? letter : "    ",
					  o->name, o->argument ? " " : "",
					  o->argument ? o->argument : "");
		table_cell(&table, o->help);
	}
	help_section(out, "Options");
	table_print(&table, out, 2);
	table_free(&table);
}

static void print_commands(struct output *out, const struct command *const *commands)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};

	for (; *commands; commands++) {
		table_cell(&table, (*commands)->name);
		table_cell(&table, (*commands)->summary);
	}
	help_section(out, "Commands");
	table_print(&table, out, 2);
	table_free(&table);
}

static void print_examples(struct output *out, const struct example *examples)
{
	help_section(out, "Examples");
	for (; examples->command; examples++) {
		output_wrapped(out, STYLE_PLAIN, 0, 2, examples->command);
		output_wrapped(out, STYLE_DIM, 0, 6, examples->text);
	}
}

int help_print(const struct command *command)
{
	const struct common_options plain = {.no_pager = true};
	struct output out;
	int status = output_open(&out, &plain);

	if (status != EXIT_FINE)
		return status;
	output_text(&out, STYLE_HEADING, command->path);
	fputs(": ", out.stream);
	output_wrapped(&out, STYLE_PLAIN, strlen(command->path) + 2, 0, command->summary);
	fputc('\n', out.stream);
	print_usage(&out, command);
	if (command->text) {
		fputc('\n', out.stream);
		output_wrapped(&out, STYLE_PLAIN, 0, 0, command->text);
	}
	if (command->commands)
		print_commands(&out, command->commands);
	if (command->options)
		print_options(&out, command->options);
	if (command->more)
		command->more(&out);
	if (command->examples)
		print_examples(&out, command->examples);
	return output_close(&out, EXIT_FINE);
}

static const struct option options[] = {OPTION_ROW_HELP, {0}};

/* plumb help [COMMAND...] prints the same as plumb COMMAND --help. */
static int run(const struct command *command, int count, char **arguments)
{
	const struct command *about = &command_plumb;
	struct common_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	for (int i = 0; i < operands.count; i++) {
		const struct command *next = options_find(about, operands.at[i]);

		if (!next)
			return EXIT_USAGE;
		about = next;
	}
	return help_print(about);
}

const struct command command_help = {
	.path = "plumb help",
	.name = "help",
	.summary = "describe a command and its options",
	.operands = "[COMMAND]...",
	.most = OPERANDS_ANY,
	.options = options,
	.run = run,
};

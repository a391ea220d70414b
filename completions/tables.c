/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of commands and options as JSON, for generate.py. */
#include <stdio.h>

#include <jansson.h>

#include "commands.h"
#include "tool/memory.h"

static json_t *string(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *option_object(const struct option *option)
{
	static const char *const values[] = {
		[OPTION_FLAG] = "none",      [OPTION_TEXT] = "needed",
		[OPTION_MAYBE] = "attached", [OPTION_CHOICE] = "needed",
		[OPTION_NUMBER] = "needed",  [OPTION_WORDS] = "needed",
		[OPTION_LIST] = "attached",  [OPTION_COLOR] = "attached",
		[OPTION_PLAIN] = "none",
	};
	const char letter[] = {option->letter, '\0'};
	json_t *choices = json_array();

	for (size_t i = 0; options_choice(option, i); i++)
		json_array_append_new(choices, json_string(options_choice(option, i)));
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:b, s:o}", "name", string(option->name),
			 "letter", string(*letter ? letter : NULL), "value", values[option->kind],
			 "argument", string(option->argument), "help", string(option->help),
			 "again", option->kind == OPTION_WORDS, "choices", choices);
}

static json_t *command_object(const struct command *command)
{
	json_t *options = json_array(), *commands = json_array();

	for (const struct option *o = command->options; o && o->name; o++)
		json_array_append_new(options, option_object(o));
	for (const struct command *const *c = command->commands; c && *c; c++)
		json_array_append_new(commands, command_object(*c));
	return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o}", "name", command->name, "summary",
			 string(command->summary), "operands", string(command->operands), "runs",
			 command->runs, "options", options, "commands", commands);
}

int main(void)
{
	json_t *tables;
	int error;

	memory_init();
	tables = command_object(&command_plumb);
	error = json_dumpf(tables, stdout, JSON_INDENT(1)) || fflush(stdout);
	json_decref(tables);
	return error ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/join.h"

#define ABBREVIATION_MIN 4 /* letters, besides "no-" */

const char *const options_color[] = {"auto", "always", "never", NULL};

struct parser {
	const struct command *command;
	char **arguments;
	int count, next; /* `next` is the index after the current argument */
	char *values;
	bool help;
};

static void see_help(const struct command *command)
{
	advise("see %s --help", command->path);
}

const char *options_choice(const struct option *option, size_t i)
{
	if (option->choice)
		return option->choice(i);
	return option->choices ? option->choices[i] : NULL;
}

static void advise_choices(const struct option *option)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; option->choices[i]; i++)
		join_add(&names, option->choices[i]);
	text = join_take(&names);
	advise("use one of %s", text);
	free(text);
}

static bool set_choice(const struct parser *parser, const struct option *option, const char *value)
{
	struct near near = near_to(value);

	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], value) == 0) {
			memcpy(parser->values + option->offset, &i, sizeof(i));
			return true;
		}
		near_offer(&near, option->choices[i], option->choices[i]);
	}
	complain("invalid value '%s' for --%s", value, option->name);
	if (!advise_near(&near))
		advise_choices(option);
	return false;
}

static bool set_number(const struct parser *parser, const struct option *option, const char *value)
{
	unsigned long number;
	unsigned result;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || number == 0 || number > INT_MAX)
		return complain_value(option->name, value, INT_MAX,
				      "use a whole number of at least 1");
	result = (unsigned)number;
	memcpy(parser->values + option->offset, &result, sizeof(result));
	return true;
}

/* What its help calls a file or a folder. */
static bool is_name(const char *argument)
{
	static const char *const words[] = {"FILE", "PATH", "DIR", "FOLDER"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(argument, words[i]))
			return true;
	return false;
}

static bool add_word(const struct parser *parser, const struct option *option, const char *value)
{
	struct option_words words;

	memcpy(&words, parser->values + option->offset, sizeof(words));
	if (words.count == sizeof(words.at) / sizeof(*words.at)) {
		complain("--%s is given too many times", option->name);
		return false;
	}
	words.at[words.count++] = value;
	memcpy(parser->values + option->offset, &words, sizeof(words));
	return true;
}

/* Tells whether `text` is made of an option's choices, separated by commas. */
static bool is_list(const struct option *option, const char *text)
{
	size_t length;

	for (;; text += length + 1) {
		const char *choice;
		size_t i = 0;

		length = strcspn(text, ",");
		while ((choice = options_choice(option, i)) &&
		       (strlen(choice) != length || strncmp(choice, text, length) != 0))
			i++;
		if (!choice || !text[length])
			return choice;
	}
}

bool options_takes_maybe(const struct option *option)
{
	return option->kind == OPTION_MAYBE || option->kind == OPTION_LIST ||
	       option->kind == OPTION_COLOR;
}

static bool takes_none(const struct option *option)
{
	return option->kind == OPTION_FLAG || option->kind == OPTION_PLAIN;
}

/* Returns whether the argument is one of the command's options, in full and without a value. */
static bool is_option(const struct command *command, const char *argument)
{
	for (const struct option *o = command->options; o && o->name; o++) {
		if (strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, o->name) == 0)
			return true;
		if (o->letter && argument[0] == '-' && argument[1] == o->letter && !argument[2])
			return true;
	}
	return false;
}

/* Returns whether `name` is in `list`, which commas separate. */
static bool is_among(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (;; list += strcspn(list, ",") + 1) {
		if (strcspn(list, ",") == length && strncmp(list, name, length) == 0)
			return true;
		if (!list[strcspn(list, ",")])
			return false;
	}
}

/* Returns the row with another program's name `name`, or NULL; `twins` may be NULL. */
static const struct option_twin *find_twin(const struct option_twin *twins, const char *name)
{
	while (twins && twins->name && !is_among(twins->name, name))
		twins++;
	return twins && twins->name ? twins : NULL;
}

/* Says what other programs' names stand for here. Returns whether one of them is `name`. */
static bool advise_others(const struct other_tool *others, const char *name, const char *spelling)
{
	const struct option_twin *twin;
	bool any = false;

	for (const struct other_tool *tool = others; tool && tool->program; tool++) {
		twin = find_twin(tool->twins, name);
		if (twin)
			advise("%s's %s is %s", tool->program, spelling, twin->ours);
		any |= twin != NULL;
	}
	return any;
}

/* Says what other programs' option of the same letter is here, if it is another one. */
static void advise_letter(const struct command *command, const char *spelling)
{
	const struct option_twin *perfs;

	if (spelling[0] != '-' || spelling[1] == '-')
		return;
	(void)advise_others(command->others, spelling + 1, spelling);
	perfs = find_twin(command->perf_twins, spelling + 1);
	if (perfs)
		advise("perf's %s is %s", spelling, perfs->ours);
}

/* Takes the next argument as the value of an option; NULL: there is none, which is reported. */
static const char *take_value(struct parser *parser, const struct option *option,
			      const char *spelling)
{
	const char *value = parser->next < parser->count ? parser->arguments[parser->next] : NULL;

	if (!value) {
		complain("%s requires a value: %s", spelling, option->argument);
		see_help(parser->command);
		advise_letter(parser->command, spelling);
		return NULL;
	}
	if (is_option(parser->command, value)) {
		complain("%s requires a value: %s", spelling, option->argument);
		advise("if %s is its value, write %s%s%s", value, spelling,
		       strncmp(spelling, "--", 2) == 0 ? "=" : "", value);
		advise_letter(parser->command, spelling);
		return NULL;
	}
	parser->next++;
	return value;
}

/* Sets an option without a value. */
static void set_flag(struct parser *parser, const struct option *option)
{
	const int never = COLOR_NEVER;
	const bool yes = true;

	if (option->kind == OPTION_PLAIN)
		memcpy(parser->values + option->offset, &never, sizeof(never));
	else if (strcmp(option->name, "help") == 0)
		parser->help = true;
	else
		memcpy(parser->values + option->offset, &yes, sizeof(yes));
}

/* Returns the next argument if it is the value of an option that may have one, or the default. */
static const char *take_maybe(struct parser *parser, const struct option *option)
{
	const bool one = option->kind == OPTION_LIST || option->kind == OPTION_COLOR;

	if (one && parser->next < parser->count && is_list(option, parser->arguments[parser->next]))
		return parser->arguments[parser->next++];
	return option->kind == OPTION_COLOR ? options_color[COLOR_ALWAYS] : "";
}

/* Sets `option`, written as `spelling`. `value` is the value attached to it, or NULL. */
static bool set(struct parser *parser, const struct option *option, const char *spelling,
		const char *value)
{
	if (takes_none(option)) {
		if (!value) {
			set_flag(parser, option);
			return true;
		}
		complain("%s takes no value", spelling);
		see_help(parser->command);
		return false;
	}
	if (!value && options_takes_maybe(option))
		value = take_maybe(parser, option);
	if (!value)
		value = take_value(parser, option, spelling);
	if (!value)
		return false;
	if (!*value && !options_takes_maybe(option) && is_name(option->argument)) {
		complain("invalid value '' for --%s: a name cannot be empty", option->name);
		return false;
	}
	if (option->kind == OPTION_CHOICE || option->kind == OPTION_COLOR)
		return set_choice(parser, option, value);
	if (option->kind == OPTION_NUMBER)
		return set_number(parser, option, value);
	if (option->kind == OPTION_WORDS)
		return add_word(parser, option, value);
	memcpy(parser->values + option->offset, &value, sizeof(value));
	return true;
}

static bool is_twin(const struct command *command, const char *name)
{
	for (const struct other_tool *tool = command->others; tool && tool->program; tool++)
		if (find_twin(tool->twins, name))
			return true;
	return find_twin(command->perf_twins, name) || find_twin(command->perf_same, name);
}

/* Reports the unknown option `spelling`. `near` is a known option with a similar name, or NULL. */
static bool refuse(const struct parser *parser, const char *name, const char *spelling,
		   const char *near)
{
	bool other;
	const struct option_twin *perfs = find_twin(parser->command->perf_twins, name);

	complain("unknown option '%s'", spelling);
	other = advise_others(parser->command->others, name, spelling);
	if (perfs)
		advise("perf's %s is %s", spelling, perfs->ours);
	if (!other && !perfs && near)
		advise("did you mean --%s?", near);
	else if (!other && !perfs)
		see_help(parser->command);
	return false;
}

/*
 * Accepts an option of perf's that changes nothing, and its value, which may be the next argument.
 * Returns false for others.
 */
static bool accept_twin(struct parser *parser, const char *name, const char *value)
{
	const struct option_twin *same = find_twin(parser->command->perf_same, name);
	const bool next = !value && parser->next < parser->count;

	if (!same)
		return false;
	if (!*same->ours)
		return !value;
	if (strcmp(value ? value : next ? parser->arguments[parser->next] : "", same->ours) != 0)
		return false;
	parser->next += next;
	return true;
}

static bool begins_with(const struct option *option, const char *text, size_t length)
{
	return strncmp(option->name, text, length) == 0;
}

/* Prints which options `name` may stand for. Returns false. */
static bool refuse_ambiguous(const struct parser *parser, const char *name)
{
	const size_t length = strlen(name);
	struct join names = {0};
	char *text;

	for (const struct option *o = parser->command->options; o->name; o++) {
		char spelling[NEAR_MAX_LENGTH + 4];

		snprintf(spelling, sizeof(spelling), "--%s", o->name);
		if (begins_with(o, name, length))
			join_add(&names, spelling);
	}
	text = join_take(&names);
	complain("ambiguous option '--%s'", name);
	advise("use one of %s", text);
	free(text);
	return false;
}

/*
 * Returns the option with the name `text` of `length` bytes, or else the only one whose name begins
 * with it, as getopt_long() does; NULL if there is none. `*ambiguous` tells that there are several.
 */
static const struct option *find_long(const struct command *command, const char *text,
				      size_t length, bool *ambiguous)
{
	const struct option *found = NULL;

	*ambiguous = false;
	for (const struct option *o = command->options; o && o->name; o++) {
		if (!begins_with(o, text, length))
			continue;
		if (!o->name[length]) {
			*ambiguous = false;
			return o;
		}
		if (!found || found->yields > o->yields) {
			found = o;
			*ambiguous = false;
		} else if (found->yields == o->yields) {
			*ambiguous = true;
		}
	}
	return found;
}

/*
 * Returns whether `name` may be short for an option of ours: not if it is so short that perf may
 * have it for something else, as --ex for --exclude-perf.
 */
static bool may_abbreviate(const char *name)
{
	const size_t no = strncmp(name, "no-", 3) == 0 ? 3 : 0;

	return strlen(name) >= no + ABBREVIATION_MIN;
}

/* Parses "--name" or "--name=value"; `text` is without its dashes. */
static bool parse_long(struct parser *parser, const char *text)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : NULL;
	char name[NEAR_MAX_LENGTH + 2], spelling[NEAR_MAX_LENGTH + 4];
	const struct option *option;
	struct near near;
	bool ambiguous;

	snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)),
		 text);
	option = find_long(parser->command, text, length, &ambiguous);
	/* Another program's option is not short for one of ours. */
	if (option && (!option->name[length] ||
		       ((ambiguous || may_abbreviate(name)) && !is_twin(parser->command, name)))) {
		if (ambiguous)
			return refuse_ambiguous(parser, name);
		snprintf(spelling, sizeof(spelling), "--%s", option->name);
		return set(parser, option, spelling, value);
	}
	if (accept_twin(parser, name, value))
		return true;
	near = near_to(name);
	for (const struct option *o = parser->command->options; o && o->name; o++)
		near_offer(&near, o->name, o->name);
	snprintf(spelling, sizeof(spelling), "--%s", name);
	return refuse(parser, name, spelling, near.best);
}

/* Parses "-abc": flags, of which the last may be an option whose value is attached or follows. */
static bool parse_letters(struct parser *parser, const char *text)
{
	for (; *text; text++) {
		const struct option *o = parser->command->options;
		char spelling[] = {'-', *text, '\0'};

		while (o && o->name && o->letter != *text)
			o++;
		if ((!o || !o->name) && accept_twin(parser, spelling + 1, NULL))
			continue;
		if (!o || !o->name)
			return refuse(parser, spelling + 1, spelling, NULL);
		if (!takes_none(o))
			return set(parser, o, spelling, text[1] ? text + 1 : NULL);
		if (!set(parser, o, spelling, NULL))
			return false;
	}
	return true;
}

static bool has_empty_name(const struct command *command, const struct operands *operands)
{
	for (int i = 0; command->operands && is_name(command->operands) && i < operands->count; i++)
		if (!*operands->at[i])
			return true;
	return false;
}

/* Returns false. */
static bool refuse_operand(const struct command *command, const char *operand)
{
	const struct option *o = command->options;

	complain("unexpected argument '%s'", operand);
	while (o && o->name && strcmp(o->name, "input") != 0)
		o++;
	if (o && o->name && command->most == 0)
		advise("use -i to name the recording");
	else
		see_help(command);
	return false;
}

static bool enough_operands(const struct command *command, const struct operands *operands)
{
	const int noun = command->operands ? (int)strcspn(command->operands, " .") : 0;

	if (operands->count < command->fewest && command->fewest == 2)
		complain("two %.*ss are required", noun, command->operands);
	else if (operands->count < command->fewest)
		complain("missing %.*s", noun, command->operands);
	else if (operands->count > command->most)
		return refuse_operand(command, operands->at[command->most]);
	else if (has_empty_name(command, operands))
		complain("the name of a file is empty");
	else
		return true;
	see_help(command);
	return false;
}

bool options_parse(const struct command *command, int count, char **arguments, void *values,
		   struct operands *operands, int *status)
{
	struct parser parser = {command, arguments, count, 1, values, false};
	bool ended = false;

	/* Moves operands to the front; there is always room for them before `next`. */
	*operands = (struct operands){.at = arguments + 1};
	*status = EXIT_USAGE;
	while (parser.next < count) {
		char *argument = arguments[parser.next++];

		if (ended || argument[0] != '-' || argument[1] == '\0') {
			operands->at[operands->count++] = argument;
			ended = ended || command->commands || command->runs;
		} else if (strcmp(argument, "--") == 0) {
			ended = true;
		} else if (argument[1] == '-' ? !parse_long(&parser, argument + 2)
					      : !parse_letters(&parser, argument + 1)) {
			return false;
		}
	}
	if (parser.help) {
		*status = help_print(command);
		return false;
	}
	return enough_operands(command, operands);
}

bool options_separator(const struct command *command, struct common_options *options)
{
	if (!options->separator)
		return true;
	if (strcmp(options->separator, "\\t") == 0)
		options->separator = "\t";
	if (*options->separator)
		return true;
	complain("--field-separator is empty");
	see_help(command);
	return false;
}

bool options_csv(const struct common_options *options)
{
	if (!options->csv || (!options->json && !options->separator))
		return true;
	complain("--csv and --%s cannot be combined", options->json ? "json" : "field-separator");
	return false;
}

const struct command *options_find(const struct command *command, const char *name)
{
	struct near near = near_to(name);
	const struct option_twin *perfs;

	for (const struct command *const *c = command->commands; c && *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
		near_offer(&near, (*c)->name, (*c)->name);
	}
	complain("unknown command '%s %s'", command->path, name);
	perfs = find_twin(command->perf_commands, name);
	if (perfs)
		advise("perf's %s is %s", name, perfs->ours);
	else if (advise_others(command->other_commands, name, name))
		return NULL;
	else if (near.best)
		advise("did you mean %s %s?", command->path, near.best);
	else
		see_help(command);
	return NULL;
}

int options_dispatch(const struct command *command, const struct operands *operands)
{
	const struct command *chosen = options_find(command, operands->at[0]);

	return chosen ? chosen->run(chosen, operands->count, operands->at) : EXIT_USAGE;
}

const struct option options_help_only[] = {OPTION_ROW_HELP, {0}};

int options_run_group(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	return options_dispatch(command, &operands);
}

bool options_input(const struct operands *operands, const char **input)
{
	if (operands->count && *input) {
		complain("--input and FILE cannot be combined");
		return false;
	}
	if (operands->count)
		*input = operands->at[0];
	else if (!*input)
		*input = "perf.data";
	*input = inputs_recording(*input);
	return true;
}

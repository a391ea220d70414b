/* SPDX-License-Identifier: Apache-2.0 */
/* plumb doctor: says what this machine can measure, what not and why, and what changes that. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "render/json.h"
#include "render/output.h"
#include "tool/complain.h"
#include "tool/memory.h"

struct doctor_options {
	struct common_options common;
	const char *root, *qemu;
};

static const struct option options[] = {
	OPTION_ROW_JSON,
	OPTION_ROW_TEXT(struct doctor_options, 0, "root", "DIR", root,
			"describe the machine whose /sys and /proc were copied to this folder"),
	OPTION_ROW_TEXT(struct doctor_options, 0, "qemu", "PATH", qemu,
			"ask this qemu-aarch64 whether it can run the model"),
	OPTION_ROW_COLOR,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

struct check *checkup_add(struct checkup *checkup, const char *id, const char *title,
			  enum check_state state, char *text)
{
	struct check *check = &checkup->checks[checkup->count];

	/* The last place takes what is too much; it is never reached. */
	if (checkup->count + 1 < CHECKS_MAX)
		checkup->count++;
	*check = (struct check){.id = id, .title = title, .state = state, .text = text};
	return check;
}

static const char *const states[] = {
	[CHECK_WORKS] = "works",
	[CHECK_LIMITED] = "limited",
	[CHECK_MISSING] = "missing",
	[CHECK_UNKNOWN] = "unknown",
};

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *known(const char *text)
{
	return text && *text ? render_string(text) : json_null();
}

static void print_json(struct output *out, const struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	json_t *object = render_object(), *about = json_object(), *checks = json_array();

	json_object_set_new(about, "vendor", known(machine->vendor));
	json_object_set_new(about, "product", known(machine->product));
	json_object_set_new(about, "kernel", known(machine->kernel));
	json_object_set_new(about, "cpus", known(machine->cpus));
	json_object_set_new(about, "arm", json_boolean(machine->arm));
	json_object_set_new(about, "virtual", json_boolean(machine->virtual_machine));
	json_object_set_new(about, "container", json_boolean(machine->container));
	json_object_set_new(object, "machine", about);
	for (size_t i = 0; i < checkup->count; i++) {
		const struct check *check = &checkup->checks[i];
		json_t *one = json_object();

		json_object_set_new(one, "id", render_string(check->id));
		json_object_set_new(one, "title", render_string(check->title));
		json_object_set_new(one, "state", json_string(states[check->state]));
		json_object_set_new(one, "text", known(check->text));
		json_object_set_new(one, "why", known(check->why));
		json_object_set_new(one, "fix", known(check->fix));
		json_object_set_new(one, "instead", known(check->instead));
		json_array_append_new(checks, one);
	}
	json_object_set_new(object, "checks", checks);
	render_json(out, object);
}

/* ---- text --------------------------------------------------------------------------------- */

#define COLUMN_TITLE 11
#define COLUMN_TEXT  28

static void print_part(struct output *out, enum style style, const char *label, const char *text)
{
	char *line;

	if (!text)
		return;
	line = memory_format("%s%s", label, text);
	output_spaces(out, COLUMN_TEXT);
	output_wrapped(out, style, COLUMN_TEXT, COLUMN_TEXT, line);
	free(line);
}

static void print_check(struct output *out, const struct check *check)
{
	static const enum style styles[] = {
		[CHECK_WORKS] = STYLE_GOOD,
		[CHECK_LIMITED] = STYLE_WARNING,
		[CHECK_MISSING] = STYLE_BAD,
		[CHECK_UNKNOWN] = STYLE_DIM,
	};

	output_spaces(out, 2);
	output_text(out, styles[check->state], states[check->state]);
	output_spaces(out, COLUMN_TITLE - 2 - strlen(states[check->state]));
	output_text(out, STYLE_HEADING, check->title);
	output_spaces(out, COLUMN_TEXT - COLUMN_TITLE - strlen(check->title));
	output_wrapped(out, STYLE_PLAIN, COLUMN_TEXT, COLUMN_TEXT, check->text);
	print_part(out, STYLE_PLAIN, "why: ", check->why);
	print_part(out, STYLE_NAME, "to change it: ", check->fix);
	print_part(out, STYLE_PLAIN, "without it: ", check->instead);
}

static void print_text(struct output *out, const struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	char *line = memory_format(
		"%s%s%s%sLinux %s, CPU%s %s%s%s", machine->vendor, *machine->vendor ? " " : "",
		machine->product, *machine->vendor || *machine->product ? ", " : "",
		*machine->kernel ? machine->kernel : "of unknown version",
		strspn(machine->cpus, "0123456789") == strlen(machine->cpus) ? "" : "s",
		*machine->cpus ? machine->cpus : "unknown",
		machine->virtual_machine ? ", virtual machine" : "",
		machine->container ? ", in a container" : "");

	output_wrapped(out, STYLE_HEADING, 0, 0, line);
	fputc('\n', out->stream);
	free(line);
	for (size_t i = 0; i < checkup->count; i++)
		print_check(out, &checkup->checks[i]);
}

/* ---- the command -------------------------------------------------------------------------- */

static void release(struct checkup *checkup)
{
	for (size_t i = 0; i < checkup->count; i++) {
		free(checkup->checks[i].text);
		free(checkup->checks[i].why);
		free(checkup->checks[i].fix);
		free(checkup->checks[i].instead);
	}
}

static bool check_root(const char *root)
{
	struct stat status;

	if (!root || (stat(root, &status) == 0 && S_ISDIR(status.st_mode)))
		return true;
	complain("--root %s: no such folder", root);
	return false;
}

static int run(const struct command *command, int count, char **arguments)
{
	struct doctor_options values = {0};
	struct checkup checkup = {.here = true};
	struct operands operands;
	struct output out;
	int status, lack;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (!check_root(values.root))
		return EXIT_USAGE;
	checkup.here = !values.root;
	lack = cpu_machine_read(values.root ? values.root : "", &checkup.machine);
	if (lack) {
		complain("cannot read what this machine has: %s", strerror(lack));
		return EXIT_OTHER;
	}
	checkup_hardware(&checkup);
	if (checkup.here)
		checkup_model(&checkup, values.qemu);
	status = output_open(&out, &values.common);
	if (status == EXIT_FINE) {
		if (values.common.json)
			print_json(&out, &checkup);
		else
			print_text(&out, &checkup);
		status = output_close(&out, EXIT_FINE);
	}
	release(&checkup);
	return status;
}

const struct command command_doctor = {
	.path = "plumb doctor",
	.name = "doctor",
	.summary = "say what this machine can measure, and what changes that",
	.text = "Says in plain words what this machine can count and sample, what it cannot, why, "
		"the command that changes it, and what works without it.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb doctor", "check this machine"},
			{"plumb doctor --json -o machine.json", "write the answers for a program"},
			{0},
		},
	.run = run,
};

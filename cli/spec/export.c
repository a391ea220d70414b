/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec export: convert specifications for other tools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <plumb/export.h>

#include "base/near.h"
#include "commands.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/join.h"
#include "tool/memory.h"

struct export_options {
	struct common_options common;
	const char *format;
	const char *part;
};

/* Whether -o names a folder: an existing one, or a path that ends in a slash. */
static bool names_folder(const char *path)
{
	size_t length = path ? strlen(path) : 0;
	struct stat status;

	if (length > 0 && path[length - 1] == '/')
		return true;
	return length > 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Creates the missing parent folders of `path`. */
static bool make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool made;

		*slash = '\0';
		made = mkdir(path, 0777) == 0 || errno == EEXIST;
		if (!made)
			complain("cannot create folder %s: %s", path, strerror(errno));
		*slash = '/';
		if (!made)
			return false;
	}
	return true;
}

/* Reports what the format cannot express: as a count, or one by one with --verbose. */
static void tell_warnings(const struct export_options *options, const struct plumb_spec *spec,
			  const struct plumb_diagnostics *diagnostics)
{
	size_t count = plumb_diagnostics_warnings(diagnostics);

	if (count == 0)
		return;
	if (!options->common.verbose) {
		complain("%s: left out %zu thing%s that %s cannot express", spec->id, count,
			 count == 1 ? "" : "s", options->format);
		advise("use --verbose to list them");
		return;
	}
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		complain("%s: %s%s%s", spec->id, d->path ? d->path : "", d->path ? ": " : "",
			 d->message);
	}
}

/*
 * Exports to a terminal. The formats keep names as they are, which a terminal must not get: a file
 * has them whole.
 */
static int show_part(const struct export_options *options, const struct plumb_spec *spec,
		     const char *part, struct output *out, struct plumb_diagnostics *diagnostics)
{
	char *text = NULL, *at;
	size_t size = 0;
	FILE *memory = memory_stream(&text, &size);
	int error;

	error = plumb_export(spec, options->format, part, memory, diagnostics);
	memory_stream_close(memory, &text);
	at = text;
	while (error == 0 && size) {
		char *end = memchr(at, '\n', size);
		size_t line = end ? (size_t)(end - at) : size;

		output_bytes(out, STYLE_PLAIN, at, line);
		if (end)
			fputc('\n', out->stream);
		line += end != NULL;
		at += line;
		size -= line;
	}
	free(text);
	return error;
}

/*
 * Writes one part, or the main one if `part` is NULL, to the file `path`, or to standard output if
 * it is NULL.
 */
static int write_part(const struct export_options *options, const struct plumb_spec *spec,
		      const char *part, const char *path)
{
	struct common_options common = options->common;
	struct plumb_diagnostics *diagnostics;
	struct output out;
	int status, error;

	common.output = path;
	status = output_open(&out, &common);
	if (status != EXIT_FINE)
		return status;
	diagnostics = memory_given(plumb_diagnostics_new());
	error = out.terminal ? show_part(options, spec, part, &out, diagnostics)
			     : plumb_export(spec, options->format, part, out.stream, diagnostics);
	if (error < 0 && error != PLUMB_ERR_IO) {
		output_discard(&out);
		complain("cannot export %s%s%s: %s", spec->id, part ? " part " : "",
			 part ? part : "", plumb_error_name(error));
		status = complain_status(error);
	} else {
		status = output_close(&out, EXIT_FINE);
		tell_warnings(options, spec, diagnostics);
	}
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* Writes every part into the folder -o names; `below` is put before the parts' names. */
static int write_folder(const struct export_options *options, const struct plumb_spec *spec,
			const char *below)
{
	char part[PLUMB_EXPORT_PART_MAX];
	int status = EXIT_FINE, error;

	for (size_t i = 0; status == EXIT_FINE; i++) {
		char *path;

		error = plumb_export_part(spec, options->format, i, part);
		if (error == PLUMB_ERR_NOT_FOUND)
			break;
		if (error < 0) {
			complain("cannot export %s: %s", spec->id, plumb_error_name(error));
			return complain_status(error);
		}
		path = memory_format("%s/%s%s", options->common.output, below, part);
		status = make_folders(path) ? write_part(options, spec, part, path) : EXIT_OTHER;
		free(path);
	}
	return status;
}

/* Writes all CPUs into one folder; each gets a subfolder if their files would share names. */
static int write_all(const struct export_options *options, const struct cpus *cpus)
{
	char first[PLUMB_EXPORT_PART_MAX] = "", second[PLUMB_EXPORT_PART_MAX] = "-";
	int status = EXIT_FINE;

	if (cpus->count > 1) {
		plumb_export_part(cpus->at[0], options->format, 0, first);
		plumb_export_part(cpus->at[1], options->format, 0, second);
	}
	for (size_t i = 0; i < cpus->count && status == EXIT_FINE; i++) {
		char *below = strcmp(first, second) == 0 ? memory_format("%s/", cpus->at[i]->id)
							 : memory_copy("", 0);

		status = write_folder(options, cpus->at[i], below);
		free(below);
	}
	return status;
}

/* Returns the names of the formats, separated by commas; the caller frees them. */
static char *format_names(void)
{
	struct join names = {0};

	for (size_t i = 0; plumb_export_format(i); i++)
		join_add(&names, plumb_export_format(i)->name);
	return join_take(&names);
}

static bool check_format(const char *format)
{
	struct near near = near_to(format ? format : "");
	char *names;

	for (size_t i = 0; plumb_export_format(i); i++) {
		const char *name = plumb_export_format(i)->name;

		if (format && strcmp(name, format) == 0)
			return true;
		near_offer(&near, name, name);
	}
	if (format)
		complain("unknown format '%s'", format);
	else
		complain("--format is required");
	if (!format || !advise_near(&near)) {
		names = format_names();
		advise("supported formats: %s", names);
		free(names);
	}
	return false;
}

static int export(const struct export_options *options, const struct cpus *cpus)
{
	bool folder = names_folder(options->common.output);

	if (folder && !options->part)
		return write_all(options, cpus);
	if (cpus->count > 1) {
		complain("cannot write %zu CPUs to one file", cpus->count);
		advise("select a CPU with --cpu, or write all of them to a folder with -o FOLDER/");
		return EXIT_USAGE;
	}
	return write_part(options, cpus->at[0], options->part, options->common.output);
}

static void print_formats(struct output *out)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};

	for (size_t i = 0; plumb_export_format(i); i++) {
		table_cell(&table, plumb_export_format(i)->name);
		table_cell(&table, plumb_export_format(i)->title);
	}
	help_section(out, "Formats");
	table_print(&table, out, 2);
	table_free(&table);
}

static const char *const formats[] = {"mrs", "perf-json", "markdown", "csv", NULL};
static const char *const parts[] = {"events", "metrics", NULL};

static const struct option options[] = {
	OPTION_ROW_CPU,
	{
		.name = "format",
		.kind = OPTION_TEXT,
		.argument = "FORMAT",
		.offset = offsetof(struct export_options, format),
		.choices = formats,
		.help = "output format (required)",
	},
	{
		.name = "part",
		.kind = OPTION_TEXT,
		.argument = "PART",
		.offset = offsetof(struct export_options, part),
		.choices = parts,
		.help = "write only this part, for example \"metrics\"",
	},
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "FILE|FOLDER/",
		.offset = offsetof(struct export_options, common.output),
		.help = "write to a file, or write each part to a file in a folder",
	},
	OPTION_ROW_VERBOSE("list what the format cannot express"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct export_options values = {0};
	struct operands operands;
	struct cpus cpus;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (!check_format(values.format))
		return EXIT_USAGE;
	status = cpus_open(&cpus, values.common.cpu, values.common.verbose);
	if (status != EXIT_FINE)
		return status;
	status = export(&values, &cpus);
	cpus_close(&cpus);
	return status;
}

const struct command command_spec_export = {
	.path = "plumb spec export",
	.name = "export",
	.summary = "convert specifications for other tools",
	.text = "Writes the specification of a CPU. Some formats consist of several parts: -o "
		"FOLDER/ writes each part to its own file; otherwise only the main part is "
		"written. Without --cpu, exports this machine's CPU if Plumb supports it, and "
		"all CPUs otherwise; exporting all CPUs requires a folder.",
	.options = options,
	.more = print_formats,
	.examples =
		(const struct example[]){
			{"plumb spec export --cpu neoverse-n3 --format markdown -o n3.md",
			 "write a reference for the Neoverse N3"},
			{"plumb spec export --format perf-json -o pmu-events/",
			 "write all CPUs for the kernel's tools/perf/pmu-events/arch/arm64"},
			{0},
		},
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec validate: check specification files and report all errors. */
#include <string.h>

#include "commands.h"
#include "facts.h"
#include "render/json.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"

/* The result of reading one file. */
struct report {
	const char *file;
	struct plumb_spec *spec; /* NULL if the file has errors */
	struct plumb_diagnostics *diagnostics;
	int error;
};

static void print_place(struct output *out, const struct report *report,
			const struct plumb_diagnostic *finding)
{
	output_text(out, STYLE_PLAIN, finding->file ? finding->file : report->file);
	if (finding->line)
		output_format(out, STYLE_PLAIN, ":%u", finding->line);
	if (finding->line && finding->column)
		output_format(out, STYLE_PLAIN, ":%u", finding->column);
	output_text(out, STYLE_PLAIN, ": ");
	if (finding->severity == PLUMB_ERROR)
		output_text(out, STYLE_BAD, "error: ");
	else
		output_text(out, STYLE_WARNING, "warning: ");
}

/* Prints a finding as compilers do, so that editors can jump to the place. */
static void print_finding(struct output *out, const struct report *report,
			  const struct plumb_diagnostic *finding)
{
	print_place(out, report, finding);
	output_text(out, STYLE_PLAIN, finding->message);
	output_format(out, STYLE_DIM, " [%s]", finding->id);
	fputc('\n', out->stream);
	if (finding->path) {
		output_text(out, STYLE_DIM, "    at ");
		output_wrapped(out, STYLE_DIM, 7, 7, finding->path);
	}
	if (finding->hint)
		output_wrapped(out, STYLE_PLAIN, 0, 4, finding->hint);
}

static void print_count(struct output *out, enum style style, size_t count, const char *what)
{
	output_format(out, count ? style : STYLE_PLAIN, "%zu %s%s", count, what,
		      count == 1 ? "" : "s");
}

static void print_report(struct output *out, const struct report *report)
{
	size_t errors = plumb_diagnostics_errors(report->diagnostics);
	size_t warnings = plumb_diagnostics_warnings(report->diagnostics);
	size_t kept = plumb_diagnostics_count(report->diagnostics);
	char revision[REVISION_SIZE];

	for (size_t i = 0; i < kept; i++)
		print_finding(out, report, plumb_diagnostics_get(report->diagnostics, i));
	if (kept < errors + warnings)
		output_format(out, STYLE_DIM, "%s: and %zu more", report->file,
			      errors + warnings - kept);
	output_text(out, STYLE_PLAIN, report->file);
	fputs(": ", out->stream);
	if (report->spec) {
		output_format(out, STYLE_PLAIN,
			      "%s %s, %u events, %u metrics: ", report->spec->product.name,
			      facts_revision(report->spec, revision), report->spec->event_count,
			      report->spec->metric_count);
	} else if (errors == 0) {
		output_text(out, STYLE_BAD, plumb_error_name(report->error));
		fputs(": ", out->stream);
	}
	if (report->spec && warnings == 0) {
		output_text(out, STYLE_GOOD, "fine");
	} else {
		print_count(out, STYLE_BAD, errors, "error");
		fputs(", ", out->stream);
		print_count(out, STYLE_WARNING, warnings, "warning");
	}
	fputc('\n', out->stream);
}

static json_t *number_or_null(unsigned number)
{
	return render_known(number);
}

static json_t *report_object(const struct report *report)
{
	json_t *object = json_object(), *findings = json_array();

	for (size_t i = 0; i < plumb_diagnostics_count(report->diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(report->diagnostics, i);
		json_t *finding = json_object();

		json_object_set_new(finding, "severity",
				    json_string(d->severity == PLUMB_ERROR ? "error" : "warning"));
		json_object_set_new(finding, "id", render_string(d->id));
		json_object_set_new(finding, "line", number_or_null(d->line));
		json_object_set_new(finding, "column", number_or_null(d->column));
		json_object_set_new(finding, "path", render_string(d->path));
		json_object_set_new(finding, "message", render_string(d->message));
		json_object_set_new(finding, "hint", render_string(d->hint));
		json_array_append_new(findings, finding);
	}
	json_object_set_new(object, "file", render_string(report->file));
	json_object_set_new(object, "usable", json_boolean(report->spec));
	json_object_set_new(object, "cpu", render_string(report->spec ? report->spec->id : NULL));
	json_object_set_new(
		object, "errors",
		json_integer((json_int_t)plumb_diagnostics_errors(report->diagnostics)));
	json_object_set_new(
		object, "warnings",
		json_integer((json_int_t)plumb_diagnostics_warnings(report->diagnostics)));
	json_object_set_new(object, "findings", findings);
	return object;
}

/* Reads the files one by one, keeping only one in memory. Returns how many have errors. */
static size_t report_files(struct output *out, const struct operands *files, json_t *array)
{
	size_t bad = 0, doubtful = 0;

	for (int i = 0; i < files->count; i++) {
		struct report report = {.file = files->at[i],
					.diagnostics = memory_given(plumb_diagnostics_new())};

		report.error = plumb_spec_read_file(report.file, &report.spec, report.diagnostics);
		if (array)
			json_array_append_new(array, report_object(&report));
		else
			print_report(out, &report);
		bad += !report.spec;
		doubtful += report.spec && plumb_diagnostics_warnings(report.diagnostics) > 0;
		plumb_spec_free(report.spec);
		plumb_diagnostics_free(report.diagnostics);
	}
	if (!array && files->count > 1) {
		output_format(out, STYLE_HEADING, "%d files: ", files->count);
		output_format(out, STYLE_PLAIN, "%zu fine, %zu with warnings, %zu with errors",
			      (size_t)files->count - doubtful - bad, doubtful, bad);
		fputc('\n', out->stream);
	}
	return bad;
}

static const struct option options[] = {
	OPTION_ROW_JSON,     OPTION_ROW_OUTPUT, OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER, OPTION_ROW_HELP,   {0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands files;
	struct output out;
	json_t *array;
	size_t bad;
	int status;

	if (!options_parse(command, count, arguments, &values, &files, &status))
		return status;
	for (int i = 0; i < files.count; i++)
		inputs_note(files.at[i], "the input");
	status = output_open(&out, &values);
	if (status != EXIT_FINE)
		return status;
	array = values.json ? json_array() : NULL;
	bad = report_files(&out, &files, array);
	if (array) {
		json_t *object = render_object();

		json_object_set_new(object, "files", array);
		render_json(&out, object);
	}
	return output_close(&out, bad ? EXIT_USAGE : EXIT_FINE);
}

const struct command command_spec_validate = {
	.path = "plumb spec validate",
	.name = "validate",
	.summary = "check specification files and report all errors",
	.operands = "FILE...",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "Reads each FILE, a CPU specification in Arm's machine-readable format, and "
		"prints every error and warning with its line and its place in the JSON. The "
		"exit status is 2 if there are errors; a file with warnings can still be used.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spec validate --json mine.json", "print the findings as JSON"},
			{0},
		},
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of results, and what is printed of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "explore.h"
#include "render/findings.h"
#include "render/report.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"

int explore_check_folder(const char *path)
{
	char *other;
	const int found = plumb_folder_look(path, &other);

	switch (found) {
	case PLUMB_FOLDER_ABSENT:
		if (mkdir(path, 0777) < 0) {
			complain("cannot create folder %s: %s", path, strerror(errno));
			return EXIT_USAGE;
		}
		break;
	case PLUMB_FOLDER_EMPTY:
	case PLUMB_FOLDER_RESULTS:
		break;
	case PLUMB_FOLDER_NO_FOLDER:
		complain("%s: not a folder", path);
		advise("-o names a folder for all results");
		break;
	case PLUMB_FOLDER_OTHER:
		complain("%s: has %s, which is no result of plumb explore", path,
			 other ? other : "other files");
		advise("use a new folder, an empty one, or one with earlier results");
		break;
	default:
		complain("cannot read %s: %s", path, strerror(errno));
		break;
	}
	free(other);
	return found == PLUMB_FOLDER_ABSENT || found == PLUMB_FOLDER_EMPTY ||
			       found == PLUMB_FOLDER_RESULTS
		       ? EXIT_FINE
		       : EXIT_USAGE;
}

/* Opens a file of the folder for output. */
static int open_file(struct output *out, const char *folder, const char *name, char **path)
{
	struct common_options where = {.no_pager = true};

	*path = memory_format("%s/%s", folder, name);
	where.output = *path;
	return output_open(out, &where);
}

static void write_findings(const struct plumb_findings *findings, FILE *out)
{
	/* That there is no room in the file is said when it is closed. */
	if (plumb_findings_write(findings, out) == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
}

static int keep_findings(const char *folder, const struct plumb_findings *findings)
{
	struct output out;
	char *path;
	int status = open_file(&out, folder, PLUMB_FOLDER_FINDINGS, &path);

	if (status == EXIT_FINE) {
		write_findings(findings, out.stream);
		status = output_close(&out, EXIT_FINE);
	}
	free(path);
	return status;
}

struct report explore_report(const struct exploration *e)
{
	static const char *const none[] = {NULL};
	struct report report = {
		.source = plumb_source_name(e->machine->source),
		.label = e->machine->label,
		.core = e->machine->core,
		.core_file = e->machine->core_file,
		.page_bytes = e->machine->page_bytes,
		.huge_pages = e->machine->huge_pages,
		.seed = e->machine->seed,
		.conditions = e->machine->conditions,
		.spec = e->selection->spec,
		.midr = plumb_source_midr(e->machine->source),
		.engine_path = e->machine->engine_path,
		.engine_version = e->machine->engine_version,
		.command = e->argv,
		.target = e->target,
		.result = e->counted,
		.diagnosis = e->diagnosis,
		.seconds = e->seconds,
		.time = NAN,
		.runs = 1,
		.ended = true,
		.exit_status = e->exit_status,
		.signal = e->signal,
		.warnings = none,
		.record_options = none,
	};

	memcpy(report.limit_cycles, e->limit_cycles, sizeof(report.limit_cycles));
	return report;
}

static int print_counts(const struct exploration *e, const struct common_options *where)
{
	const struct report report = explore_report(e);
	struct output out;
	const int status = output_open(&out, where);

	if (status != EXIT_FINE)
		return status;
	report_json(&out, &report);
	return output_close(&out, EXIT_FINE);
}

int explore_print_counts(const struct exploration *e)
{
	const struct common_options where = {.no_pager = true};

	return print_counts(e, &where);
}

/* Keeps the counts as plumb stat --json prints them. */
static int keep_counts(const struct exploration *e)
{
	char *path = memory_format("%s/%s", e->options->folder, PLUMB_FOLDER_COUNTS);
	const struct common_options where = {.output = path, .no_pager = true};
	const int status = print_counts(e, &where);

	free(path);
	return status;
}

/* Keeps the intervals as plumb stat -I --json prints them. */
static int keep_intervals(const struct exploration *e)
{
	char *path = memory_format("%s/%s", e->options->folder, PLUMB_FOLDER_INTERVALS);
	const struct common_options where = {.output = path, .no_pager = true};
	const int status = explore_print_intervals(e, &where);

	free(path);
	return status;
}

int explore_keep(const struct exploration *e, const struct plumb_findings *findings)
{
	int status = keep_counts(e);

	if (status == EXIT_FINE && e->intervals.count)
		status = keep_intervals(e);
	/* Last, because it makes the folder one with results. */
	return status == EXIT_FINE ? keep_findings(e->options->folder, findings) : status;
}

int explore_print(struct output *out, const struct explore_options *options,
		  const struct plumb_findings *findings, const char *folder,
		  const struct findings_again *again)
{
	const struct findings_view view = {.findings = findings,
					   .folder = folder,
					   .again = again,
					   .verbose = options->common.verbose};

	if (options->common.json)
		write_findings(findings, out->stream);
	else
		findings_text(out, &view);
	return EXIT_FINE;
}

/* Says why a folder cannot be shown. */
static int refuse(const char *path, int found, const char *other)
{
	if (found < 0)
		complain("cannot read %s: %s", path, strerror(errno));
	else if (found == PLUMB_FOLDER_EMPTY)
		complain("%s: the folder is empty", path);
	else
		complain("%s: has no %s%s%s", path, PLUMB_FOLDER_FINDINGS, other ? ", but " : "",
			 other ? other : "");
	advise("plumb explore -o DIR ./program makes a folder with results");
	return EXIT_USAGE;
}

#define PLACES_SHOWN 5

/* Prints the first few errors in a file of findings, each with its place. */
static void complain_places(const struct plumb_diagnostics *diagnostics, const char *file,
			    int error)
{
	const size_t count = plumb_diagnostics_count(diagnostics);

	for (size_t i = 0; i < count && i < PLACES_SHOWN; i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		if (d->path)
			complain("%s: %s: %s", file, d->path, d->message);
		else if (d->line)
			complain("%s:%u:%u: %s", file, d->line, d->column, d->message);
		else
			complain("%s: %s", file, d->message);
	}
	if (!count)
		complain("%s: %s", file, plumb_error_name(error));
	else if (count > PLACES_SHOWN)
		advise("%zu more places are wrong", count - PLACES_SHOWN);
}

/* Keeps the files of a folder from being replaced by the page. */
static void note_files(const char *folder)
{
	static const char *const names[] = {PLUMB_FOLDER_FINDINGS, PLUMB_FOLDER_COUNTS,
					    PLUMB_FOLDER_INTERVALS, PLUMB_FOLDER_RECORDING};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = memory_format("%s/%s", folder, names[i]);

		inputs_note(path, "a result that is shown");
		free(path);
	}
	inputs_note_folder(folder);
}

int explore_show_folder(const struct explore_options *options, const char *path)
{
	struct plumb_diagnostics *diagnostics;
	struct plumb_findings *findings;
	struct output out;
	char *file, *other;
	struct stat status_of;
	int error, status, found = plumb_folder_look(path, &other);

	note_files(path);
	if (explore_check_page(options) != EXIT_FINE) {
		free(other);
		return EXIT_USAGE;
	}
	file = memory_format("%s/%s", path, PLUMB_FOLDER_FINDINGS);
	/* Other files may be beside it: the folder may have been sent, or unpacked. */
	if (found < 0 || found == PLUMB_FOLDER_EMPTY ||
	    (found != PLUMB_FOLDER_RESULTS && lstat(file, &status_of) != 0)) {
		status = refuse(path, found, other);
		free(other);
		free(file);
		return status;
	}
	free(other);
	diagnostics = memory_given(plumb_diagnostics_new());
	error = plumb_findings_read(file, &findings, diagnostics);
	if (error < 0) {
		complain_places(diagnostics, file, error);
		status = complain_status(error);
	} else {
		status = output_open(&out, &options->common);
		if (status == EXIT_FINE)
			status = output_close(&out,
					      explore_print(&out, options, findings, path, NULL));
		if (status == EXIT_FINE && options->html)
			status = explore_write_page(options, NULL, findings, path, NULL);
	}
	plumb_findings_free(findings);
	plumb_diagnostics_free(diagnostics);
	free(file);
	return status;
}

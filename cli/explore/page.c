/* SPDX-License-Identifier: Apache-2.0 */
/* plumb explore --html: the page of the recording, with the findings and the counts. */
#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore.h"
#include "render/findings.h"
#include "render/html.h"
#include "render/json.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Files are texts of others: a page takes only what is JSON. */
#define COUNTS_MOST ((size_t)64 << 20)

/* Returns whether a file is in a folder, or would be. */
static bool is_inside(const char *file, const char *folder)
{
	char *copy = memory_copy(file, strlen(file));
	struct stat above, place;
	bool inside = stat(dirname(copy), &above) == 0 && stat(folder, &place) == 0 &&
		      above.st_dev == place.st_dev && above.st_ino == place.st_ino;

	free(copy);
	return inside;
}

int explore_check_page(const struct explore_options *options)
{
	const struct common_options common = {.output = options->html};

	if (options->intervals && !options->html) {
		complain("--intervals requires --html");
		return EXIT_USAGE;
	}
	if (options->intervals && access(options->intervals, R_OK) != 0) {
		complain("cannot read %s: %s", options->intervals, strerror(errno));
		return EXIT_USAGE;
	}
	if (!options->html)
		return EXIT_FINE;
	if (strcmp(options->html, "-") == 0) {
		complain("--html requires a file: standard output has the findings, or what the "
			 "program prints");
		return EXIT_USAGE;
	}
	if (options->folder && is_inside(options->html, options->folder)) {
		complain("%s: the folder of -o has no other files than the results", options->html);
		advise("write the page elsewhere");
		return EXIT_USAGE;
	}
	return html_is_possible() ? output_check_beside(&common) : EXIT_USAGE;
}

static void add_findings(struct html_page *page, const struct plumb_findings *findings)
{
	char *text;
	size_t length;
	FILE *stream = memory_stream(&text, &length);

	plumb_findings_write(findings, stream);
	memory_stream_close(stream, &text);
	html_add(page, "findings", text, length);
}

/* Adds the sentence that plumb explore begins with. */
static void add_verdict(struct html_page *page, const struct plumb_findings *findings)
{
	char *verdict = findings_verdict(findings), *text;
	json_t *string = render_string(verdict);

	text = memory_given(json_dumps(string, JSON_COMPACT | JSON_ENCODE_ANY));
	html_add(page, "verdict", text, strlen(text));
	json_decref(string);
	free(verdict);
}

/* Returns whether a folder has a file: it may have been sent, and a pipe would wait. */
static bool has_file(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode) && access(path, R_OK) == 0)
		return true;
	complain("%s: not a readable file; the page does without it", path);
	return false;
}

/* Adds the command that shows more of each finding, or null. */
static void add_commands(struct html_page *page, const struct findings_view *view)
{
	json_t *commands = json_array();
	char *text;

	for (unsigned i = 0; i < view->findings->finding_count; i++) {
		char *command = findings_more(view, i);

		json_array_append_new(commands, render_string(command));
		free(command);
	}
	text = memory_given(json_dumps(commands, JSON_COMPACT));
	html_add(page, "commands", text, strlen(text));
	json_decref(commands);
}

/* Adds the counts of a run, or those of a folder, if there are any. */
static void add_counts(struct html_page *page, const struct exploration *e, const char *folder)
{
	char *path = memory_format("%s/%s", folder ? folder : "", PLUMB_FOLDER_COUNTS);
	char *text = NULL;
	size_t length = 0;

	if (e) {
		FILE *stream = memory_stream(&text, &length);

		output_collect(stream);
		explore_print_counts(e);
		output_collect(NULL);
		memory_stream_close(stream, &text);
	} else if (has_file(path)) {
		json_t *counts = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);

		text = json_is_object(counts) ? json_dumps(counts, JSON_COMPACT) : NULL;
		length = text ? strlen(text) : 0;
		json_decref(counts);
		if (length > COUNTS_MOST || !text) {
			complain("%s: cannot be used; the page has no counts", path);
			free(text);
			text = NULL;
		}
	}
	if (text)
		html_add(page, "counts", text, length);
	free(path);
}

/* Says which files a folder lacks that plumb explore -o wrote: it may have been sent without. */
static void complain_missing(const struct plumb_findings *findings, const char *folder)
{
	const struct {
		const char *name;
		bool written;
	} files[] = {
		{PLUMB_FOLDER_COUNTS, true},
		{PLUMB_FOLDER_INTERVALS,
		 findings->finding_count && findings->when && findings->when[0].known},
		{PLUMB_FOLDER_RECORDING, findings->recording != NULL},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = memory_format("%s/%s", folder, files[i].name);
		struct stat status;

		if (files[i].written && lstat(path, &status) != 0)
			complain("%s: missing; the page does without it", path);
		free(path);
	}
}

int explore_write_page(const struct explore_options *options, const struct exploration *e,
		       const struct plumb_findings *findings, const char *folder,
		       const struct findings_again *again)
{
	const struct findings_view view = {.findings = findings, .folder = folder, .again = again};
	char *recording = memory_format("%s/%s", folder ? folder : "", PLUMB_FOLDER_RECORDING);
	const struct report_options report = {
		.from.input = e ? e->path : recording,
		.common.verbose = options->common.verbose,
	};
	struct html_page page = {0};
	int status = EXIT_FINE;

	if (!e)
		complain_missing(findings, folder);
	add_findings(&page, findings);
	add_verdict(&page, findings);
	add_commands(&page, &view);
	add_counts(&page, e, folder);
	/* What can be known without samples is of use, too. */
	if (e ? e->recorded : has_file(recording))
		report_collect(&report, report_run, &page);
	if (options->intervals)
		status = report_add_intervals(&page, options->intervals);
	else
		explore_add_intervals(&page, e, folder);
	if (status == EXIT_FINE)
		status = html_write(&page, options->html);
	html_free(&page);
	free(recording);
	return status;
}

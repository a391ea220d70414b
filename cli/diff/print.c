/* SPDX-License-Identifier: Apache-2.0 */
/* What plumb diff writes. */
#include "diff/baseline.h"
#include "diff/command.h"
#include "diff/page.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Writes a file, or standard output for "-". */
static int write_file(const struct diff_run *run, const char *path,
		      void (*print)(struct output *out, const struct diff_report *report))
{
	const struct common_options common = {.output = path, .no_pager = true};
	struct output out;
	int status;

	if (!path)
		return EXIT_FINE;
	status = output_open(&out, &common);
	if (status != EXIT_FINE)
		return status;
	print(&out, &run->report);
	return output_close(&out, EXIT_FINE);
}

int diff_write_baseline(const struct diff_run *run)
{
	const struct common_options common = {.output = run->options->write_baseline,
					      .no_pager = true};
	struct output out;
	int status, error;

	if (!common.output || !run->side_count)
		return EXIT_FINE;
	status = output_open(&out, &common);
	if (status != EXIT_FINE)
		return status;
	error = baseline_write(run->inputs[run->side_count - 1].side, out.stream);
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	return output_close(&out, EXIT_FINE);
}

static int print(const struct diff_run *run)
{
	const struct diff_command_options *options = run->options;
	const char *separator =
		options->csv && !options->common.separator ? "," : options->common.separator;
	struct output out;
	int status;

	/* The others take the place of the text. */
	if (!options->common.output && !diff_is_for_programs(options) &&
	    (diff_is_stdout(options->markdown) || diff_is_stdout(options->junit) ||
	     diff_is_stdout(options->otava) || diff_is_stdout(options->html)))
		return EXIT_FINE;
	status = output_open(&out, &options->common);
	if (status != EXIT_FINE)
		return status;
	if (options->common.json)
		diff_json(&out, &run->report);
	else if (separator)
		diff_separated(&out, &run->report, separator);
	else
		diff_text(&out, &run->report);
	return output_close(&out, EXIT_FINE);
}

static int write_page(const struct diff_run *run)
{
	const struct diff_page page = {
		.report = &run->report,
		.from = &run->options->from,
		.inputs = run->inputs,
		.side_count = run->side_count,
		.common = &run->options->common,
	};

	return run->options->html ? diff_page_write(&page, run->options->html) : EXIT_FINE;
}

int diff_print_all(const struct diff_run *run)
{
	int status = print(run);

	if (status == EXIT_FINE)
		status = write_file(run, run->options->markdown, diff_markdown);
	if (status == EXIT_FINE)
		status = write_file(run, run->options->junit, diff_junit);
	if (status == EXIT_FINE)
		status = write_file(run, run->options->otava, diff_otava);
	if (status == EXIT_FINE)
		status = write_page(run);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* plumb calibrate: measures a core's figures, and writes them as a core file. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "calibrate/calibrate.h"
#include "commands.h"
#include "render/calibration.h"
#include "render/output.h"
#include "tool/complain.h"
#include "tool/machine.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/signals.h"

struct calibrate_options {
	struct common_options common;
	const char *model, *like, *qemu, *core_output;
	bool list, all, no_progress;
};

struct session {
	struct progress progress;
	struct calibration calibration;
};

static void on_progress(void *user, size_t done, size_t count)
{
	struct session *session = user;

	if (progress_is_due(&session->progress))
		progress_show(&session->progress, "%zu of %zu microbenchmarks of this round", done,
			      count);
}

static bool on_stop(void *user)
{
	(void)user;
	return signals_ends() > 0;
}

/* Opens the model, of a core by its name or of a core file. */
static int open_model(const struct calibrate_options *options, struct machine *machine)
{
	struct machine_wish wish = {.source = SOURCE_MODEL, .qemu = options->qemu};
	struct stat status;

	if (stat(options->model, &status) == 0)
		wish.core_file = options->model;
	else
		wish.cpu = options->model;
	return machine_open(machine, &wish, NULL);
}

/* Says what was measured, for the source of the figures. */
static char *origin_of(const struct calibrate_options *options, const struct session *session)
{
	const time_t now = time(NULL);
	struct tm date;
	char day[32] = "";

	if (gmtime_r(&now, &date))
		strftime(day, sizeof(day), "%Y-%m-%d", &date);
	return memory_format("plumb calibrate, %s%s, by %s, %s",
			     options->model ? "model of " : "this machine",
			     options->model ? options->model : "", session->calibration.clock, day);
}

static size_t count_known(const struct calibration *calibration, size_t *asked)
{
	size_t known = 0;

	*asked = 0;
	for (size_t i = 0; i < calibration->count; i++) {
		*asked += calibration->figures[i].asked;
		known += calibration->figures[i].asked && calibration->figures[i].known;
	}
	return known;
}

static int write_core_file(const struct calibrate_options *options, const struct session *session,
			   const char *origin)
{
	const struct common_options where = {.output = options->core_output, .no_pager = true};
	struct output out;
	int status = output_open(&out, &where);

	if (status != EXIT_FINE)
		return status;
	render_core_file(&out, &session->calibration, origin, false);
	return output_close(&out, EXIT_FINE);
}

static int print(const struct calibrate_options *options, const struct session *session)
{
	size_t asked, known = count_known(&session->calibration, &asked);
	char *origin = origin_of(options, session);
	struct output out;
	int status = options->core_output ? write_core_file(options, session, origin) : EXIT_FINE;

	if (status == EXIT_FINE)
		status = output_open(&out, &options->common);
	if (status == EXIT_FINE) {
		if (options->common.json) {
			render_core_file(&out, &session->calibration, origin, true);
		} else {
			render_calibration(&out, &session->calibration);
			fprintf(out.stream, "\n%zu of %zu figures are known, by %s\n", known, asked,
				session->calibration.clock);
		}
		status = output_close(&out, EXIT_FINE);
	}
	free(origin);
	return status;
}

static int print_list(const struct calibrate_options *options, const struct calibrate_job *job)
{
	struct calibration *calibration = memory_alloc(sizeof(*calibration));
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error = calibrate_list(job, calibration, diagnostics), status;
	struct output out;

	if (error < 0) {
		status = machine_complain(diagnostics, "plumb calibrate", error);
	} else {
		status = output_open(&out, &options->common);
		if (status == EXIT_FINE) {
			render_figures_measured(&out, calibration, options->common.json);
			status = output_close(&out, EXIT_FINE);
		}
	}
	plumb_diagnostics_free(diagnostics);
	free(calibration);
	return status;
}

static int measure(const struct calibrate_options *options, struct calibrate_job *job)
{
	struct session *session = memory_alloc(sizeof(*session));
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int status = EXIT_FINE, error;

	job->progress = on_progress;
	job->stop = on_stop;
	job->user = session;
	signals_catch(0);
	signals_begun();
	progress_begin(&session->progress, !options->no_progress);
	error = calibrate(job, &session->calibration, diagnostics);
	progress_erase(&session->progress);
	complain_warnings(diagnostics);
	if (error == PLUMB_ERR_INTERRUPTED)
		complain("interrupted: these are the figures measured until then");
	else if (error < 0)
		status = machine_complain(diagnostics, "plumb calibrate", error);
	if (status == EXIT_FINE)
		status = print(options, session);
	plumb_diagnostics_free(diagnostics);
	free(session);
	signals_release();
	signals_end(error == PLUMB_ERR_INTERRUPTED ? SIGINT : 0);
	return status;
}

static const struct option options[] = {
	{
		.name = "list",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct calibrate_options, list),
		.help = "list the figures that can be measured",
	},
	{
		.name = "all",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct calibrate_options, all),
		.help = "also measure what takes minutes: the size of the system cache",
	},
	OPTION_ROW_TEXT(struct calibrate_options, 0, "model", "CPU", model,
			"calibrate a core of the model, or a core file, to check the method"),
	OPTION_ROW_TEXT(struct calibrate_options, 0, "like", "CPU", like,
			"take what is not measured from this core of the model"),
	OPTION_ROW_TEXT(struct calibrate_options, 'o', "output", "FILE", core_output,
			"write the core file to FILE"),
	OPTION_ROW_JSON,
	OPTION_ROW_QEMU(offsetof(struct calibrate_options, qemu)),
	OPTION_ROW_FLAG(struct calibrate_options, 0, "no-progress", no_progress,
			"do not show the progress"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct calibrate_options values = {0};
	struct calibrate_job job = {0};
	struct machine machine = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (values.model && values.like) {
		complain("--like cannot be combined with --model, which names the core");
		return EXIT_USAGE;
	}
	job.names = (const char *const *)operands.at;
	job.name_count = (size_t)operands.count;
	job.all = values.all;
	job.like = values.like;
	status = values.model ? open_model(&values, &machine) : EXIT_FINE;
	job.model = machine.source;
	if (status == EXIT_FINE)
		status = values.list ? print_list(&values, &job) : measure(&values, &job);
	machine_close(&machine);
	return status;
}

const struct command command_calibrate = {
	.path = "plumb calibrate",
	.name = "calibrate",
	.summary = "measure the sizes and latencies of a core",
	.operands = "[FIGURE]...",
	.most = OPERANDS_ANY,
	.text = "Measures this machine's Arm core with microbenchmarks: latencies, queues, caches, "
		"TLBs, predictors. Prints each figure with its interval. Leaves out figures that "
		"it cannot tell apart, and says why.\n\n"
		"-o writes the figures as a core file; plumb stat --core runs the model of that "
		"core. FIGURE is a name, or the first part of one: l2 is l2.bytes and l2.latency.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb calibrate -o this.json", "measure this machine's core"},
			{"plumb stat --core this.json ./program",
			 "count with the model of what was measured"},
			{"plumb calibrate --model neoverse-n3", "check the method on the model"},
			{0},
		},
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/quote.h"
#include "calibrate/fit.h"
#include "calibrate/hardware.h"
#include "calibrate/modelled.h"
#include "source/source.h"

_Static_assert(FIGURE_COUNT <= CALIBRATION_MAX, "room in struct calibration");

/* The core that is named, that of the model, that of this machine's CPU, or the first. */
static const struct core_params *find_base(const struct calibrate_job *job)
{
	uint32_t midr = job->model ? 0 : hardware_midr();

	if (job->like)
		return model_core_find(job->like);
	if (job->model)
		return model_core_find(job->model->model.core);
	/* Variants and revisions of a core do not differ in its sizes. */
	for (size_t i = 0; midr && model_cores[i]; i++)
		if (((model_cores[i]->midr ^ midr) & 0xff0ffff0) == 0)
			return model_cores[i];
	return model_cores[0];
}

/* Returns whether a figure is one of those named: a whole part of the name has to agree. */
static bool is_named(const char *figure, const char *name)
{
	size_t length = strlen(name);

	return length && strncmp(figure, name, length) == 0 &&
	       (figure[length] == '\0' || figure[length] == '.');
}

static bool takes_minutes(enum figure_id id)
{
	return id == FIGURE_LLC;
}

static int check_names(const struct calibrate_job *job, const struct calibration *calibration,
		       struct plumb_diagnostics *diagnostics)
{
	char quoted[QUOTE_ROOM];

	for (size_t n = 0; n < job->name_count; n++) {
		bool found = false;

		for (size_t i = 0; i < calibration->count; i++)
			found = found || is_named(calibration->figures[i].name, job->names[n]);
		if (found)
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-figure", NULL,
				      "no microbenchmark measures '%s'",
				      quote(quoted, job->names[n]));
		diagnostics_remedy(diagnostics, "list-figures", NULL,
				   "list what is measured first");
		return PLUMB_ERR_NOT_FOUND;
	}
	return 0;
}

int calibrate_list(const struct calibrate_job *job, struct calibration *calibration,
		   struct plumb_diagnostics *diagnostics)
{
	const struct core_params *base = find_base(job);

	memset(calibration, 0, sizeof(*calibration));
	if (!base) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-core", NULL,
				      "the model has no core '%s'", job->like);
		return PLUMB_ERR_NOT_FOUND;
	}
	snprintf(calibration->like, sizeof(calibration->like), "%s", base->name);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		struct calibrated_figure *figure = &calibration->figures[id - 1];

		figure_name(id, base, figure->name, sizeof(figure->name));
		figure->what = figures[id].what;
		figure->asked = !job->name_count && (job->all || !takes_minutes(id));
		for (size_t n = 0; n < job->name_count; n++)
			figure->asked = figure->asked || is_named(figure->name, job->names[n]);
		calibration->count = id;
	}
	return check_names(job, calibration, diagnostics);
}

/* ---- measuring ---------------------------------------------------------------------------- */

/* What a bench tells about its progress. */
struct listener {
	const struct calibrate_job *job;
	bool stopped;
};

static void on_progress(void *user, size_t done, size_t count)
{
	struct listener *listener = user;
	const struct calibrate_job *job = listener->job;

	if (job->progress)
		job->progress(job->user, done, count);
	if (!listener->stopped && job->stop && job->stop(job->user)) {
		listener->stopped = true;
		if (job->model)
			plumb_source_cancel(job->model);
	}
}

static bool is_stopped(void *user)
{
	const struct listener *listener = user;

	return listener->job->stop && listener->job->stop(listener->job->user);
}

static int fit_model(const struct calibrate_job *job, struct listener *listener,
		     struct calibrated *results, struct plumb_diagnostics *diagnostics)
{
	struct modelled_bench bench = {
		.bench = {.progress = on_progress, .user = listener},
		.options = &job->model->model,
		.core_file = job->model->core_file,
		.cancel = source_cancel_of(job->model),
	};

	modelled_bench_set_up(&bench);
	return calibrate_fit(&bench.bench, find_base(job), results, diagnostics);
}

static int fit_machine(const struct calibrate_job *job, struct listener *listener,
		       struct calibration *calibration, struct calibrated *results,
		       struct plumb_diagnostics *diagnostics)
{
	struct hardware_bench bench = {
		.bench = {.progress = on_progress, .user = listener},
		.stopped = is_stopped,
	};
	int error = hardware_bench_open(&bench, diagnostics);

	if (error)
		return error;
	snprintf(calibration->clock, sizeof(calibration->clock), "%s", bench.clock);
	error = calibrate_fit(&bench.bench, find_base(job), results, diagnostics);
	hardware_bench_close(&bench);
	return error;
}

int calibrate(const struct calibrate_job *job, struct calibration *calibration,
	      struct plumb_diagnostics *diagnostics)
{
	struct calibrated *results = calloc(FIGURE_COUNT, sizeof(*results));
	struct listener listener = {.job = job};
	int error = results ? calibrate_list(job, calibration, diagnostics) : PLUMB_ERR_NO_MEMORY;

	for (enum figure_id id = 1; error == 0 && id < FIGURE_COUNT; id++)
		results[id].asked = calibration->figures[id - 1].asked;
	if (error == 0 && job->model) {
		snprintf(calibration->clock, sizeof(calibration->clock), "the model's cycles");
		error = fit_model(job, &listener, results, diagnostics);
	} else if (error == 0) {
		error = fit_machine(job, &listener, calibration, results, diagnostics);
	}
	for (size_t i = 0; results && i < calibration->count; i++) {
		const struct calibrated *result = &results[i + 1];
		struct calibrated_figure *figure = &calibration->figures[i];

		figure->known = result->known;
		figure->value = result->value;
		figure->low = result->low;
		figure->high = result->high;
		memcpy(figure->why, result->why, sizeof(figure->why));
	}
	free(results);
	return error;
}

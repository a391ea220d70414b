/* SPDX-License-Identifier: Apache-2.0 */
/* --sampled: reads it, checks what it goes with, and keeps what the windows say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "render/figures.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/percent.h"
#include "tool/results.h"

#define REDRAWS       200
#define AFTER_DEFAULT 1000000000 /* instructions, without --sampled */

/* Returns the option that asks for what a sampled run does not have, or NULL. */
static const char *find_clash(const struct stat_options *options)
{
	const struct window_options *window = &options->window;
	const bool asked = options->sampled || options->sampled_after;
	const struct {
		bool given;
		const char *name;
	} all[] = {
		/* Only who asks for it gets estimates there. */
		{options->interval_ms && !asked, "--interval-print"},
		{options->csv && !asked, "--csv"},
		{options->interval_count, "--interval-count"},
		{options->repeat > 1, "--repeat"},
		{options->what_if, "--what-if"},
		{options->children, "--children"},
		{options->common.separator, "--field-separator"},
		{window->delay, "--delay"},
		{window->timeout, "--timeout"},
		{window->from, "--from"},
		{window->to, "--to"},
		{options->source == SOURCE_PERF, "--source perf"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

static bool complain_clash(const char *option, const char *other)
{
	complain("%s and %s cannot be combined", option, other);
	advise("see plumb stat --help");
	return false;
}

/* Reads the instructions of --sampled-after. */
static bool read_after(struct stat_options *options)
{
	if (!options->sampled_after)
		return true;
	if (number_read(options->sampled_after, UINT64_MAX, &options->sampled_from) &&
	    options->sampled_from)
		return true;
	complain("invalid value '%s' for --sampled-after", options->sampled_after);
	advise("use a number of instructions: 500000000, 500M");
	return false;
}

bool stat_read_sampled(struct stat_options *options)
{
	const char *clash = find_clash(options), *error = options->sampled;
	double relative;

	if (error && strcmp(error, "off") == 0)
		return !options->sampled_after ||
		       complain_clash("--sampled=off", "--sampled-after");
	if (!percent_read_sampled(error ? error : "", "; or 'off'", &relative) ||
	    !read_after(options))
		return false;
	options->sampled_by_default = !error && !options->sampled_after;
	if (clash)
		return options->sampled_by_default ||
		       complain_clash(error ? "--sampled" : "--sampled-after", clash);
	options->sampled_error = relative;
	if (options->sampled_by_default)
		options->sampled_from = AFTER_DEFAULT;
	return true;
}

bool stat_sampled_suits(struct stat_options *options, bool model)
{
	if (model || options->sampled_error == 0)
		return true;
	if (options->sampled_by_default) {
		options->sampled_error = 0;
		options->sampled_from = 0;
		return true;
	}
	complain("%s requires the model: this machine's PMU counts everything",
		 options->sampled ? "--sampled" : "--sampled-after");
	advise("add --source model");
	return false;
}

void stat_say_sampled(const struct stat_options *options, const struct plumb_windows *windows)
{
	char *from, *all;

	if (!options->sampled_by_default || !windows->rest)
		return;
	from = figure_count(NULL, (double)options->sampled_from);
	all = figure_count(NULL, figure_rounded((double)windows->instructions));
	complain("the program is long: after %s of %s instructions, its counts are estimated from "
		 "samples",
		 from, all);
	advise("--sampled=off counts everything; --sampled-after=N changes where samples begin");
	free(from);
	free(all);
}

/* Counts how many draws of the windows give the diagnosis of the whole run, or one further down. */
static void redraw(struct report_sampled *sampled, const struct plumb_plan *plan,
		   const struct plumb_windows *windows)
{
	uint64_t random = 0;
	struct plumb_count *counts = memory_resize(NULL, plan->place_count + 1, sizeof(*counts));

	sampled->diagnoses = memory_resize(NULL, REDRAWS, sizeof(struct plumb_diagnosis *));
	for (unsigned i = 0; i < REDRAWS; i++) {
		struct plumb_result *result = results_new(plan);

		plumb_windows_redraw(windows, &random, counts);
		plumb_result_add(result, counts, true);
		sampled->diagnoses[i] = results_diagnose(result);
		plumb_result_free(result);
	}
	sampled->redraws = REDRAWS;
	free(counts);
}

/* Keeps what some windows say. Returns whether anything is estimated from them. */
static bool describe(struct report_sampled *sampled, struct plumb_result *result,
		     const struct plumb_windows *windows, uint64_t from)
{
	*sampled = (struct report_sampled){
		.error_asked = windows->error_asked,
		.error = windows->error,
		.windows = windows->count,
		.instructions = (double)windows->instructions,
		.rest = (double)windows->rest,
		.modelled = (double)windows->modelled,
		.bare = (double)windows->bare,
		.unit = (double)windows->unit,
		.left = windows->left,
		.from = (double)from,
	};
	if (!windows->rest)
		return false;
	memory_given(plumb_result_add_windows(result, windows) == 0 ? result : NULL);
	return true;
}

void stat_keep_windows(struct report_sampled *sampled, struct plumb_result *whole,
		       const struct plumb_windows *windows, uint64_t from)
{
	if (!describe(sampled, whole, windows, from))
		return;
	if (!isnan(windows->error) && windows->place_count)
		redraw(sampled, whole->plan, windows);
}

void stat_add_stretch(struct stat_stretches *all, const struct plumb_plan *plan,
		      const struct plumb_stretch *given)
{
	struct stat_stretch *more;

	all->at = memory_resize(all->at, all->count + 1, sizeof(*all->at));
	more = &all->at[all->count++];
	*more = (struct stat_stretch){
		.seconds = given->seconds,
		.phase = given->phase,
		.intervals = given->intervals,
		.result = results_new(plan),
	};
	plumb_result_add(more->result, given->counts, false);
	describe(&more->sampled, more->result, given->own, 0);
	more->diagnosis = results_diagnose(more->result);
}

void stat_free_stretches(struct stat_stretches *all)
{
	for (size_t i = 0; i < all->count; i++) {
		plumb_diagnosis_free(all->at[i].diagnosis);
		plumb_result_free(all->at[i].result);
	}
	free(all->at);
}

void stat_count_same(struct report_sampled *sampled, const struct plumb_diagnosis *whole)
{
	for (unsigned i = 0; i < sampled->redraws; i++)
		sampled->same +=
			sampled->diagnoses[i]->verdict == whole->verdict &&
			plumb_diagnosis_common(sampled->diagnoses[i], whole) == whole->path_length;
}

void stat_free_sampled(struct report_sampled *sampled)
{
	for (unsigned i = 0; i < sampled->redraws; i++)
		plumb_diagnosis_free(sampled->diagnoses[i]);
	free(sampled->diagnoses);
}

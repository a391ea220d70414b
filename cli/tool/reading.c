/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/reading.h"

#include <plumb/profile.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "profile/instructions.h"
#include "recording/access.h"
#include "recording/samples.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/inputs.h"
#include "tool/like_perf.h"
#include "tool/memory.h"
#include "tool/symbols.h"

/* In the description of the CPU, where it is not the default. */
#define SEED ", seed "

int reading_samples(struct reading *reading, const char *itrace)
{
	const struct reading_options *options = reading->options;
	struct plumb_samples_options *samples = &reading->samples;
	int error;

	samples->size = sizeof(*samples);
	if (cpus_midr(options->core, &samples->midr) != EXIT_FINE ||
	    !like_perf_read(options->like_perf, &samples->like_perf))
		return EXIT_USAGE;
	if (options->itrace)
		itrace = options->itrace;
	if (!itrace)
		return EXIT_FINE;
	error = plumb_itrace_parse(itrace, samples->like_perf, &reading->itrace,
				   reading->diagnostics);
	if (error < 0) {
		complain_findings(reading->diagnostics, "--itrace", error);
		return EXIT_USAGE;
	}
	samples->itrace = reading->itrace;
	return EXIT_FINE;
}

int reading_open(struct reading *reading, const struct plumb_recording_options *how)
{
	const struct reading_options *options = reading->options;
	int error;

	inputs_note(options->input, "the input");
	inputs_note(options->kallsyms, "the input");
	inputs_note(options->vmlinux, "the input");
	error = plumb_recording_open(options->input, how, &reading->recording,
				     reading->diagnostics);
	if (error < 0)
		complain_recording(reading->diagnostics, options->input, error,
				   reading->takes_raw && !options->raw);
	return complain_status(error);
}

bool reading_is_modelled(const struct reading *reading)
{
	const char *description = plumb_recording_info(reading->recording)->cpudesc;

	return description && strstr(description, " (model)");
}

uint64_t reading_seed(const struct reading *reading)
{
	const char *description = plumb_recording_info(reading->recording)->cpudesc;
	const char *model = description ? strstr(description, " (model)") : NULL;
	const char *seed = NULL;

	/* The name of a core's file, which may hold anything, stands before it. */
	for (const char *at = model ? strstr(model, SEED) : NULL; at; at = strstr(at + 1, SEED))
		seed = at;
	return seed ? strtoull(seed + strlen(SEED), NULL, 10) : 0;
}

bool reading_is_incomplete(const struct reading *reading)
{
	const struct plumb_recording_losses *losses = plumb_recording_losses(reading->recording);

	return losses->cut_off || losses->unfinished || losses->incomplete;
}

uint32_t reading_midr(const struct reading *reading)
{
	return reading->samples.midr ? reading->samples.midr
				     : plumb_recording_midr(reading->recording, -1);
}

/* Returns whether all samples are those of an exact profile. */
static bool is_all_exact(const struct plumb_recording *recording, uint32_t exact_type)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.type != exact_type && !choice_is_dummy(&event->attr))
			return false;
	return true;
}

/* Checks that the filter can be met by an exact profile, whose instructions tell its operations. */
static int filter_exact(struct reading *reading)
{
	const uint32_t exact = plumb_profile_exact_type(reading->recording);
	const char *lacks = instructions_lack(reading->filter);

	if (!exact)
		return EXIT_FINE;
	if (lacks && is_all_exact(reading->recording, exact)) {
		complain("%s: an exact profile has no %s to filter by", reading->options->input,
			 lacks);
		advise("sample operations with plumb record -e spe");
		return EXIT_USAGE;
	}
	if (instructions_decide(reading->filter))
		choice_add_operations(&reading->choice, reading->filter, exact);
	return EXIT_FINE;
}

int reading_filter(struct reading *reading, const char *filter)
{
	int error;

	if (!filter)
		filter = reading->options->filter;
	if (!filter)
		return EXIT_FINE;
	error = plumb_spe_filter_parse(filter, reading_midr(reading), &reading->filter,
				       reading->diagnostics);
	if (error < 0)
		complain_findings(reading->diagnostics, "--filter", error);
	reading->samples.filter = reading->filter;
	return error < 0 ? complain_status(error) : filter_exact(reading);
}

int reading_choice(struct reading *reading)
{
	const struct reading_options *options = reading->options;
	const struct choice_input input = {options->input, reading->recording, false,
					   reading->diagnostics};
	const struct plumb_recorded_event *event;
	int status;

	if (options->raw && options->chosen.time) {
		complain("--time is not supported for bare SPE data, which has no times");
		return EXIT_USAGE;
	}
	status = choice_read(&reading->choice, &options->chosen, &input);
	for (size_t i = 0; status == EXIT_FINE; i++) {
		event = plumb_recording_event(reading->recording, i);
		if (!event)
			break;
		if (!choice_check_event(&reading->choice, &event->attr))
			status = EXIT_USAGE;
	}
	return status;
}

int reading_open_tasks(struct reading *reading, const struct plumb_recording_options *how)
{
	int status;

	reading->diagnostics = memory_given(plumb_diagnostics_new());
	reading->samples.order = PLUMB_ORDER_TASKS;
	status = reading_samples(reading, NULL);
	if (status == EXIT_FINE)
		status = reading_open(reading, how);
	if (status == EXIT_FINE)
		status = reading_filter(reading, NULL);
	if (status == EXIT_FINE)
		status = reading_choice(reading);
	return status;
}

struct plumb_samples *reading_begin(const struct reading *reading)
{
	struct plumb_samples *samples;

	plumb_samples_begin(reading->recording, &reading->samples, &samples, reading->diagnostics);
	memory_given(samples);
	if (reading->choice.operations)
		samples_leave_operations(samples, reading->choice.exact_type);
	return samples;
}

void reading_note_itrace(const struct reading *reading)
{
	if (reading->itrace && recording_auxtrace_info(reading->recording))
		plumb_itrace_report(reading->itrace, reading->samples.like_perf,
				    reading->diagnostics);
}

void reading_end(const struct reading *reading, struct plumb_samples *samples)
{
	reading_note_itrace(reading);
	plumb_losses_report(plumb_samples_totals(samples)->lost, reading->options->input,
			    reading->diagnostics);
	plumb_samples_end(samples);
}

struct plumb_symbolizer *reading_symbols(struct reading *reading, bool signatures)
{
	const struct reading_options *options = reading->options;
	const struct symbols_options how = {.symfs = options->symfs,
					    .kallsyms = options->kallsyms,
					    .vmlinux = options->vmlinux,
					    .raw_names = options->no_demangle,
					    .signatures = signatures};

	reading->choice.symbolizer = reading->symbols = symbols_open(&how, reading->recording);
	return reading->symbols;
}

int reading_close(struct reading *reading, int status)
{
	status = symbols_close(reading->symbols, status);
	plumb_recording_close(reading->recording);
	plumb_itrace_free(reading->itrace);
	plumb_spe_filter_free(reading->filter);
	plumb_diagnostics_free(reading->diagnostics);
	choice_free(&reading->choice);
	return status;
}

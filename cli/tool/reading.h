/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a recording for a command: which file, which samples of it, and with which symbols. The
 * options of the same names are those of plumb script, report and annotate.
 */
#ifndef TOOL_READING_H
#define TOOL_READING_H

#include <plumb/recording.h>
#include <plumb/samples.h>

#include "tool/choice.h"

#define READING_DEFAULT_INPUT "perf.data"

/* The options' values; NULL and false: not given. */
struct reading_options {
	const char *input, *itrace, *like_perf, *filter, *core;
	const char *symfs, *kallsyms, *vmlinux;
	struct choice_options chosen;
	bool raw; /* bare SPE data */
	bool no_demangle;
};

/* Set `options`, `takes_raw`, `diagnostics` and what `samples` shall say by default; zero the rest.
 */
struct reading {
	const struct reading_options *options;
	bool takes_raw; /* the command has --raw */
	struct plumb_diagnostics *diagnostics;
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbols;
	struct plumb_itrace *itrace;
	struct plumb_spe_filter *filter;
	struct plumb_samples_options samples; /* what plumb_samples_begin() takes */
	struct choice choice;
};

/* Each returns an exit status, after printing an error. */

/* Reads --core, --like-perf and --itrace; `itrace` is used if that is not given, unless NULL. */
int reading_samples(struct reading *reading, const char *itrace);
/* Opens the recording. */
int reading_open(struct reading *reading, const struct plumb_recording_options *how);
/* Reads `filter`, or --filter if NULL: after the recording, whose core has the names. */
int reading_filter(struct reading *reading, const char *filter);
/* Reads the choice of samples, and checks that all events can be chosen so. */
int reading_choice(struct reading *reading);

/*
 * Makes the diagnostics and does all of the above, for samples in the order of tasks. The rest of
 * `reading` is set as for these. Close it, whatever the result is.
 */
int reading_open_tasks(struct reading *reading, const struct plumb_recording_options *how);

/* Begins the samples that `samples` asks for. */
struct plumb_samples *reading_begin(const struct reading *reading);
/* Notes which letters of --itrace do not apply, once all is read: only then is SPE data known. */
void reading_note_itrace(const struct reading *reading);
/* Ends the samples, and notes that and what the recording lost. */
void reading_end(const struct reading *reading, struct plumb_samples *samples);

/* Returns whether the model made the samples, as the recording says. */
bool reading_is_modelled(const struct reading *reading);
/* Returns the seed of the model's random numbers; 0 by default. */
uint64_t reading_seed(const struct reading *reading);
/* Returns whether its end is missing, as far as that is known by now. */
bool reading_is_incomplete(const struct reading *reading);
/* Returns the MIDR of the core that made the samples, or 0. */
uint32_t reading_midr(const struct reading *reading);
/* Makes the symbolizer. `signatures` asks for names with parameters. */
struct plumb_symbolizer *reading_symbols(struct reading *reading, bool signatures);
/* Frees everything but `options`. Returns `status`, or that of an error of the symbols. */
int reading_close(struct reading *reading, int status);

#endif

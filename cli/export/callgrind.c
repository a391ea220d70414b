/* SPDX-License-Identifier: Apache-2.0 */
/* plumb export --format callgrind. */
#include <stdlib.h>

#include "commands.h"
#include "export/callgrind.h"
#include "render/callgrind.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/symbols.h"

/* Adds the samples of events; SPE records are no events that could be summed. */
static int read_samples(struct plumb_recording *recording, struct plumb_symbolizer *symbols,
			struct callgrind *callgrind, const char *path,
			struct plumb_diagnostics *diagnostics)
{
	const struct plumb_samples_options options = {.size = sizeof(options),
						      .order = PLUMB_ORDER_TASKS};
	const struct plumb_samples_item *item;
	struct plumb_samples *samples;
	int status;

	plumb_samples_begin(recording, &options, &samples, diagnostics);
	memory_given(samples);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		if (item->record->type != PLUMB_RECORD_SAMPLE) {
			if (plumb_symbolizer_add(symbols, item->record) < 0)
				memory_given(NULL);
		} else if (!item->spe && item->task && item->record->event) {
			callgrind_add(callgrind, item->record, item->task);
		}
	}
	plumb_losses_report(plumb_samples_totals(samples)->lost, path, diagnostics);
	plumb_samples_end(samples);
	return status;
}

static int write_file(struct callgrind *callgrind, const struct plumb_recording *recording,
		      const struct common_options *common, const char *path)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);
	struct output out;
	int status;

	if (!callgrind_samples(callgrind)) {
		complain("%s: no samples of events in this file", path);
		advise("record some with plumb record --exact");
		return EXIT_USAGE;
	}
	status = output_open(&out, common);
	if (status != EXIT_FINE)
		return status;
	callgrind_write(callgrind, &out, info->command, info->command_count);
	return output_close(&out, EXIT_FINE);
}

int export_callgrind(const struct common_options *common, const char *path)
{
	const struct plumb_recording_options how = {.size = sizeof(how)};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct plumb_symbolizer *symbols = NULL;
	struct plumb_recording *recording = NULL;
	struct callgrind *callgrind = NULL;
	int error = plumb_recording_open(path, &how, &recording, diagnostics), status = EXIT_FINE;

	if (error == 0) {
		symbols = symbols_open(&(const struct symbols_options){0}, recording);
		callgrind = callgrind_new(symbols, plumb_recording_info(recording)->arch);
		error = read_samples(recording, symbols, callgrind, path, diagnostics);
	}
	if (error < 0) {
		complain_recording(diagnostics, path, error, false);
		status = complain_status(error);
	}
	/* What could be read of a damaged recording is of use. */
	if (callgrind && (error == 0 || callgrind_samples(callgrind))) {
		int wrote = write_file(callgrind, recording, common, path);

		status = status == EXIT_FINE ? wrote : status;
	}
	complain_warnings(diagnostics);
	callgrind_free(callgrind);
	status = symbols_close(symbols, status);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* plumb export --format folded, speedscope, pprof, firefox. */
#include "export/stacks.h"

#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "render/stacks.h"
#include "tool/complain.h"
#include "tool/memory.h"

static void write_folded(struct output *out, struct stacks *stacks, const struct reading *reading)
{
	(void)reading;
	stacks_folded(out, stacks);
}

static void write_speedscope(struct output *out, struct stacks *stacks,
			     const struct reading *reading)
{
	stacks_speedscope(out, stacks, reading->options->input);
}

static void write_pprof(struct output *out, struct stacks *stacks, const struct reading *reading)
{
	stacks_pprof(out, stacks, plumb_recording_info(reading->recording));
}

static void write_firefox(struct output *out, struct stacks *stacks, const struct reading *reading)
{
	stacks_firefox(out, stacks, plumb_recording_info(reading->recording));
}

static const struct viewer {
	const char *format;
	unsigned by; /* enum stacks_by */
	bool binary;
	void (*write)(struct output *out, struct stacks *stacks, const struct reading *reading);
} viewers[] = {
	{"folded", 0, false, write_folded},
	{"speedscope", 0, false, write_speedscope},
	{"pprof", STACKS_BY_ADDRESS | STACKS_BY_THREAD | STACKS_BY_LABEL, true, write_pprof},
	{"firefox", STACKS_BY_ADDRESS | STACKS_BY_THREAD | STACKS_TIMES, false, write_firefox},
};

static const struct viewer *find_viewer(const char *format)
{
	const struct viewer *viewer = viewers;

	while (strcmp(viewer->format, format) != 0)
		viewer++;
	return viewer;
}

/* Reads all samples. Returns an error of the recording, or 0. */
static int read_stacks(struct reading *reading, const struct viewer *viewer, struct stacks **stacks)
{
	struct plumb_samples *samples;
	int error;

	if (stacks_new(reading->recording, reading_symbols(reading, false), viewer->by, stacks) < 0)
		memory_given(NULL);
	samples = reading_begin(reading);
	error = stacks_add(*stacks, samples);
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	reading_end(reading, samples);
	return error;
}

static int write_file(const struct reading *reading, const struct viewer *viewer,
		      struct stacks *stacks, const struct common_options *common)
{
	struct output out;
	int status;

	if (!stacks->samples) {
		complain("%s: no samples in this recording", reading->options->input);
		return EXIT_USAGE;
	}
	status = output_open(&out, common);
	if (status != EXIT_FINE)
		return status;
	viewer->write(&out, stacks, reading);
	return output_close(&out, EXIT_FINE);
}

int export_stacks(const struct common_options *common, const struct reading_options *from,
		  const char *format)
{
	const struct plumb_recording_options how = {.size = sizeof(how), .bare_spe = from->raw};
	const struct viewer *viewer = find_viewer(format);
	struct reading reading = {.options = from, .takes_raw = true};
	struct stacks *stacks = NULL;
	int error = 0, status;

	if (viewer->binary && !output_is_file(common) && isatty(STDOUT_FILENO)) {
		complain("refusing to write a compressed profile to a terminal");
		advise("name a file with -o");
		return EXIT_USAGE;
	}
	reading.diagnostics = memory_given(plumb_diagnostics_new());
	/* As in a report, each SPE record is one sample. */
	reading.samples.order = PLUMB_ORDER_TASKS;
	reading.samples.each_record_once = true;
	status = reading_samples(&reading, NULL);
	if (status == EXIT_FINE)
		status = reading_open(&reading, &how);
	if (status == EXIT_FINE) {
		error = read_stacks(&reading, viewer, &stacks);
		if (error < 0)
			complain_findings(reading.diagnostics, from->input, error);
		status = complain_status(error);
	}
	/* What could be read of a damaged recording is of use. */
	if (stacks && (error == 0 || stacks->samples)) {
		const int wrote = write_file(&reading, viewer, stacks, common);

		status = status == EXIT_FINE ? wrote : status;
	}
	if (stacks)
		complain_warnings(reading.diagnostics);
	stacks_free(stacks);
	return reading_close(&reading, status);
}

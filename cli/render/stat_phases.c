/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the phases of a sampled run: what each is of the run, and its tree. */
#include <stdlib.h>

#include "render/figures.h"
#include "render/report.h"
#include "tool/memory.h"

const char *report_phase_name(int phase)
{
	static const char names[][2] = {"A", "B", "C", "D", "E", "F", "G", "H", "I",
					"J", "K", "L", "M", "N", "O", "P", "Q", "R",
					"S", "T", "U", "V", "W", "X", "Y", "Z"};

	return phase >= 0 && phase < (int)(sizeof(names) / sizeof(*names)) ? names[phase] : NULL;
}

struct report report_of_phase(const struct report *report, const struct report_phase *phase)
{
	struct report one = *report;

	one.result = phase->result;
	one.diagnosis = phase->diagnosis;
	one.sampled = phase->sampled;
	one.phase_count = 0;
	one.unit_count = 0;
	return one;
}

/* Prints a phase's heading: how much of the run it is, and where its own path leads. */
static void print_heading(struct output *out, const struct report *report,
			  const struct report_phase *phase)
{
	const struct plumb_diagnosis *d = phase->diagnosis;
	char *name = memory_format("Phase %s", report_phase_name(phase->number));
	char *share = figure_percentage(100 * phase->sampled->instructions /
					report->sampled->instructions);
	char *text = memory_format(
		": %zu intervals, %s %% of the instructions%s%s", phase->intervals, share,
		d->path_length ? "; leads to " : "",
		d->path_length ? report_metric(report, d->path[d->path_length - 1].metric) : "");

	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, name);
	output_wrapped(out, STYLE_PLAIN, report_columns(name), 2, text);
	free(text);
	free(share);
	free(name);
}

void report_phases(struct output *out, const struct report *report)
{
	for (size_t i = 0; i < report->phase_count; i++) {
		const struct report one = report_of_phase(report, &report->phases[i]);

		print_heading(out, report, &report->phases[i]);
		report_tree(out, &one);
	}
}

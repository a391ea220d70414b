/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what a recording lacks, and what to change when recording again. */
#include <plumb/recording.h>
#include <stdio.h>

#include "base/diagnostics.h"

struct loss {
	uint64_t count;
	const char *id;
	const char *one, *many;    /* what follows the count */
	const char *remedy, *hint; /* NULL: nothing helps */
};

/* Reports that the recording has no end; `losses` says why. */
static void report_end(const struct plumb_recording_losses *losses, const struct place *place,
		       struct plumb_diagnostics *diagnostics)
{
	char recovered[64] = "";

	if (losses->samples)
		snprintf(recovered, sizeof(recovered), "; %llu sample%s recovered",
			 (unsigned long long)losses->samples, losses->samples == 1 ? "" : "s");
	if (losses->incomplete) {
		diagnostics_add(diagnostics, PLUMB_WARNING, "incomplete", place,
				"the recorder could not write the rest%s", recovered);
		plumb_diagnostics_hint(diagnostics, "record again, to a disk with more space");
		return;
	}
	diagnostics_add(diagnostics, PLUMB_WARNING, "unfinished", place,
			"the recorder was killed%s", recovered);
	plumb_diagnostics_hint(diagnostics, losses->samples
						    ? "the last part of each thread may be missing"
						    : "there are no samples yet");
}

static void report_skipped(const struct plumb_recording_losses *losses, const struct place *place,
			   struct plumb_diagnostics *diagnostics)
{
	const bool one = losses->aux_skipped == 1;

	diagnostics_add(diagnostics, PLUMB_WARNING, "aux-skipped", place,
			"skipped %llu byte%s of AUX data that %s no SPE packet, the first at "
			"0x%llx",
			(unsigned long long)losses->aux_skipped, one ? "" : "s",
			one ? "begins" : "begin", (unsigned long long)losses->aux_first_skipped);
	diagnostics_remedy(diagnostics, "dump-packets", NULL,
			   "the recording is damaged there, or newer than this program");
}

void plumb_losses_report(const struct plumb_recording_losses *losses, const char *name,
			 struct plumb_diagnostics *diagnostics)
{
	const struct loss all[] = {
		{losses->lost_records, "lost-records", "record was lost: the ring was full",
		 "records were lost: the ring was full", "larger-ring",
		 "record with a larger ring, or sample less often"},
		{losses->lost_samples, "lost-samples",
		 "sample was lost: it could not be written when it was taken",
		 "samples were lost: they could not be written when they were taken", "sample-less",
		 "sample less often"},
		{losses->throttled, "throttled",
		 "time the kernel paused sampling because it took too much time",
		 "times the kernel paused sampling because it took too much time",
		 "sample-less-or-raise",
		 "sample less often, or raise kernel.perf_event_max_sample_rate"},
		{losses->aux_truncated, "aux-truncated",
		 "piece of AUX data was cut short: the AUX buffer was full, so SPE stopped",
		 "pieces of AUX data were cut short: the AUX buffer was full, so SPE stopped",
		 "larger-aux-or-period", "record with a larger AUX buffer or a longer period"},
		{losses->aux_partial, "aux-partial",
		 "piece of AUX data has gaps: SPE lost records within it",
		 "pieces of AUX data have gaps: SPE lost records within them", "longer-period",
		 "record with a longer period"},
		{losses->aux_collisions, "aux-collisions",
		 "piece of AUX data had collisions: samples were skipped because the one before "
		 "was still in flight",
		 "pieces of AUX data had collisions: samples were skipped because the one before "
		 "was still in flight",
		 "longer-period-why",
		 "record with a longer period: what runs shortly after slow operations is "
		 "then missed less"},
		/* A larger buffer does not help a file that has lost its end. */
		{losses->aux_unfinished, "aux-unfinished", "SPE record is cut off and was skipped",
		 "SPE records are cut off and were skipped", losses->cut_off ? NULL : "larger-aux",
		 "record with a larger AUX buffer"},
	};
	const struct place place = {.file = name};

	if (losses->unfinished || losses->incomplete)
		report_end(losses, &place, diagnostics);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct loss *loss = &all[i];

		if (!loss->count)
			continue;
		diagnostics_add(diagnostics, PLUMB_WARNING, loss->id, &place, "%llu %s",
				(unsigned long long)loss->count,
				loss->count == 1 ? loss->one : loss->many);
		if (loss->remedy)
			diagnostics_remedy(diagnostics, loss->remedy, NULL, "%s", loss->hint);
	}
	if (losses->aux_skipped)
		report_skipped(losses, &place, diagnostics);
}

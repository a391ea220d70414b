/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording lacks, in words, with what to change so that the next one lacks less. */
#include <plumb/samples.h>

struct shortfall {
	uint64_t count;
	const char *id;
	const char *one, *many; /* what follows the count */
	const char *hint;
};

void plumb_samples_report(const struct plumb_samples_totals *totals, const char *name,
			  struct plumb_diagnostics *found)
{
	const struct shortfall shortfalls[] = {
		{totals->lost_records, "lost-records",
		 "record was lost: the ring was full when it came",
		 "records were lost: the ring was full when they came",
		 "record with a larger ring (-m), or sample less often (-c, -F)"},
		{totals->lost_samples, "lost-samples",
		 "sample was lost: it could not be written when it was taken",
		 "samples were lost: they could not be written when they were taken",
		 "sample less often (-c, -F)"},
		{totals->throttled, "throttled",
		 "time the kernel stopped sampling for a while, since it took too much time",
		 "times the kernel stopped sampling for a while, since it took too much time",
		 "sample less often (-c, -F), or raise kernel.perf_event_max_sample_rate"},
		{totals->truncated, "aux-truncated",
		 "piece of AUX data was cut short: its buffer was full, and SPE stood still",
		 "pieces of AUX data were cut short: their buffer was full, and SPE stood still",
		 "record with a larger AUX buffer (-m ,SIZE), or with a longer period (-c)"},
		{totals->partial, "aux-partial",
		 "piece of AUX data has gaps: SPE lost records within it",
		 "pieces of AUX data have gaps: SPE lost records within them",
		 "record with a longer period (-c)"},
		{totals->collisions, "aux-collisions",
		 "piece of AUX data had collisions: an operation was due to be sampled while the "
		 "one before was still in flight, and was left out",
		 "pieces of AUX data had collisions: operations were due to be sampled while the "
		 "one before was still in flight, and were left out",
		 "record with a longer period (-c): what runs shortly after slow operations is "
		 "missed less then"},
		{totals->unfinished, "aux-unfinished", "SPE record was cut off, and left out",
		 "SPE records were cut off, and left out",
		 "record with a larger AUX buffer (-m ,SIZE)"},
	};
	const struct plumb_place place = {.file = name};

	for (size_t i = 0; i < sizeof(shortfalls) / sizeof(*shortfalls); i++) {
		const struct shortfall *s = &shortfalls[i];

		if (!s->count)
			continue;
		plumb_diagnostics_add(found, PLUMB_WARNING, s->id, &place, "%llu %s",
				      (unsigned long long)s->count,
				      s->count == 1 ? s->one : s->many);
		plumb_diagnostics_hint(found, "%s", s->hint);
	}
	if (totals->skipped) {
		plumb_diagnostics_add(
			found, PLUMB_WARNING, "aux-skipped", &place,
			"%llu byte%s of AUX data, the first at 0x%llx, begin%s no "
			"SPE packet and %s passed over",
			(unsigned long long)totals->skipped, totals->skipped == 1 ? "" : "s",
			(unsigned long long)totals->first_skipped, totals->skipped == 1 ? "s" : "",
			totals->skipped == 1 ? "was" : "were");
		plumb_diagnostics_hint(found, "the recording is damaged there, or newer than this "
					      "program: `plumb spe dump` shows the packets");
	}
}

void plumb_recording_report(const struct plumb_recording *recording, const char *name,
			    struct plumb_diagnostics *found)
{
	const struct plumb_recording_losses *losses = plumb_recording_losses(recording);
	const struct plumb_samples_totals totals = {
		.lost_records = losses->lost_records,
		.lost_samples = losses->lost_samples,
		.throttled = losses->throttled,
		.truncated = losses->aux_truncated,
		.partial = losses->aux_partial,
		.collisions = losses->aux_collisions,
	};

	plumb_samples_report(&totals, name, found);
}

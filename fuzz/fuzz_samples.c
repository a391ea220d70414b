/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of samples over a whole recording, of which any byte may be anything. The first byte
 * of the input chooses the options; the rest is the file. The totals of the stream must not depend
 * on the order, or on whether it is read in batches.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/samples.h>

#include "open_bytes.h"
#include "spe/filter.h"
#include "spe/itrace.h"

static void check_item(const struct plumb_samples_item *item)
{
	require(item->record != NULL);
	if (!item->spe)
		return;
	require(item->group < PLUMB_SPE_GROUPS);
	require(item->record->type == PLUMB_RECORD_SAMPLE);
	require(item->record->event && item->record->event->name);
}

/* A stream's totals, which outlive it. */
struct copied_totals {
	struct plumb_samples_totals totals;
	struct plumb_recording_losses lost;
};

enum way { ITEMS, BATCHES, RECORDS };

/* Reads everything in one order and one way. Returns the totals, after errors too. */
static struct copied_totals stream(struct plumb_recording *recording,
				   const struct plumb_samples_options *options, enum way way,
				   struct plumb_diagnostics *diagnostics)
{
	const struct plumb_samples_batch *batch;
	const struct plumb_samples_item *item;
	const struct plumb_record *record;
	struct copied_totals copy;
	struct plumb_samples *samples;

	require(plumb_samples_begin(recording, options, &samples, diagnostics) == 0);
	if (way == RECORDS)
		while (plumb_samples_next_record(samples, 2, &record) > 0)
			require(record != NULL);
	else if (way == BATCHES)
		while (plumb_samples_next_batch(samples, &batch) > 0)
			require(batch->record || batch->count > 0);
	else
		while (plumb_samples_next(samples, &item) > 0)
			check_item(item);
	copy.totals = *plumb_samples_totals(samples);
	copy.lost = *copy.totals.lost;
	plumb_samples_end(samples);
	return copy;
}

static bool equal_losses(const struct plumb_recording_losses *a,
			 const struct plumb_recording_losses *b)
{
	return a->lost_records == b->lost_records && a->lost_samples == b->lost_samples &&
	       a->throttled == b->throttled && a->aux_records == b->aux_records &&
	       a->aux_truncated == b->aux_truncated && a->aux_partial == b->aux_partial &&
	       a->aux_collisions == b->aux_collisions && a->unknown_records == b->unknown_records &&
	       a->damaged_records == b->damaged_records && a->out_of_order == b->out_of_order &&
	       a->cut_off == b->cut_off && a->aux_skipped == b->aux_skipped &&
	       a->aux_first_skipped == b->aux_first_skipped &&
	       a->aux_unfinished == b->aux_unfinished;
}

static bool equal_totals(const struct copied_totals *first, const struct copied_totals *second)
{
	const struct plumb_samples_totals *a = &first->totals, *b = &second->totals;

	return a->bytes == b->bytes && a->records == b->records && a->matched == b->matched &&
	       memcmp(a->groups, b->groups, sizeof(a->groups)) == 0 &&
	       equal_losses(&first->lost, &second->lost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_samples_options options = {.size = sizeof(options)};
	struct copied_totals totals, first = {0};
	struct plumb_recording *recording;
	struct plumb_diagnostics *diagnostics;
	struct plumb_spe_filter filter;
	struct plumb_itrace itrace;

	if (!size)
		return 0;
	diagnostics = plumb_diagnostics_new();
	require(diagnostics != NULL);
	require(itrace_parse("i3ifmtbaMl", PLUMB_PERF_NEWEST, &itrace, NULL) == 0);
	require(spe_filter_parse("load,latency>9", 0, &filter, NULL) == 0);
	options.itrace = data[0] & 1 ? &itrace : NULL;
	options.filter = data[0] & 2 ? &filter : NULL;
	options.each_record_once = data[0] & 4;
	options.like_perf = data[0] & 8 ? PLUMB_PERF_6_1 : PLUMB_PERF_NEWEST;

	for (unsigned order = PLUMB_ORDER_TIME; order <= PLUMB_ORDER_FILE; order++) {
		options.order = (enum plumb_samples_order)order;
		recording = open_bytes(data + 1, size - 1, diagnostics);
		if (!recording)
			break;
		totals = stream(recording, &options, data[0] >> (4 + order) & 1 ? BATCHES : ITEMS,
				diagnostics);
		plumb_recording_close(recording);
		if (order == PLUMB_ORDER_TIME)
			first = totals;
		require(equal_totals(&totals, &first));
		plumb_losses_report(&totals.lost, "fuzz", diagnostics);
	}
	recording = open_bytes(data + 1, size - 1, diagnostics);
	if (recording) {
		options.order = PLUMB_ORDER_TASKS;
		totals = stream(recording, &options, RECORDS, diagnostics);
		require(equal_totals(&totals, &first));
		plumb_recording_close(recording);
	}
	plumb_diagnostics_free(diagnostics);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of samples over a whole recording, of which any byte may be anything. The first byte
 * of the input chooses the options; the rest is the file. What the stream comes to, counting in
 * parallel comes to, too, where neither ends in an error.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <plumb/samples.h>

/* Unlike assert(), there in every build. */
static void require(bool promise)
{
	if (!promise)
		abort();
}

static struct plumb_recording *open_bytes(const uint8_t *data, size_t size,
					  struct plumb_diagnostics *found)
{
	struct plumb_recording *recording = NULL;
	int fd = memfd_create("recording", 0);

	require(fd >= 0);
	require(write(fd, data, size) == (ssize_t)size);
	require(lseek(fd, 0, SEEK_SET) == 0);
	return plumb_recording_open_fd(fd, "fuzz", NULL, &recording, found) ? NULL : recording;
}

static void check_item(const struct plumb_samples_item *item)
{
	require(item->record != NULL);
	if (!item->spe)
		return;
	require(item->group < PLUMB_SPE_GROUPS);
	require(item->record->type == PLUMB_RECORD_SAMPLE);
	require(item->record->event && item->record->event->name);
}

/* Returns whether it came to its end without an error. */
static bool stream(struct plumb_recording *recording, const struct plumb_samples_options *options,
		   struct plumb_samples_totals *totals, struct plumb_diagnostics *found)
{
	struct plumb_samples *samples;
	struct plumb_samples_item item;
	int status, errors = 0;

	require(plumb_samples_begin(recording, options, &samples, found) == 0);
	/* After an error the rest may still come. */
	while ((status = plumb_samples_next(samples, &item)) > 0 || (status < 0 && errors++ < 100))
		if (status > 0)
			check_item(&item);
	plumb_samples_totals(samples, totals);
	plumb_samples_end(samples);
	return errors == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_samples_totals streamed, counted;
	struct plumb_samples_options options = {0};
	struct plumb_recording *recording;
	struct plumb_diagnostics *found;
	struct plumb_spe_filter filter;
	struct plumb_itrace itrace;
	bool whole;

	if (!size)
		return 0;
	found = plumb_diagnostics_new();
	require(found != NULL);
	require(plumb_itrace_parse("i3ifmtbaM", &itrace, NULL) == 0);
	require(plumb_spe_filter_parse("load,latency>9", 0, &filter, NULL) == 0);
	options.itrace = data[0] & 1 ? &itrace : NULL;
	options.filter = data[0] & 2 ? &filter : NULL;
	options.each_record_once = data[0] & 4;
	options.like_perf_6_1 = data[0] & 8;

	recording = open_bytes(data + 1, size - 1, found);
	if (recording) {
		whole = stream(recording, &options, &streamed, found);
		plumb_recording_close(recording);
		recording = open_bytes(data + 1, size - 1, found);
		require(recording != NULL);
		if (plumb_samples_count(recording, &options, 1 + (data[0] >> 4) % 3, &counted,
					found) == 0 &&
		    whole) {
			require(counted.records == streamed.records);
			require(counted.matched == streamed.matched);
			require(counted.skipped == streamed.skipped);
			require(counted.unfinished == streamed.unfinished);
			require(memcmp(counted.groups, streamed.groups, sizeof(counted.groups)) ==
				0);
		}
		plumb_recording_close(recording);
		plumb_samples_report(&streamed, "fuzz", found);
	}
	plumb_diagnostics_free(found);
	return 0;
}

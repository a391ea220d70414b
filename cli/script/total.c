/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script --quiet: all is decoded, and only counted. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/json.h"
#include "render/table.h"
#include "script.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* How many samples of each event there are: of PMU events, which are no SPE records. */
struct event_count {
	const struct plumb_recorded_event *event;
	uint64_t count;
};

struct event_counts {
	struct event_count *at;
	size_t count;
};

static void count_event(struct event_counts *counts, const struct plumb_recorded_event *event)
{
	size_t i;

	for (i = 0; i < counts->count && counts->at[i].event != event; i++)
		;
	if (i == counts->count) {
		counts->at = memory_resize(counts->at, i + 1, sizeof(struct event_count));
		counts->at[i] = (struct event_count){.event = event};
		counts->count++;
	}
	counts->at[i].count++;
}

/* One by one: what is counted is what would be printed. */
static int count_stream(struct plumb_recording *recording,
			const struct plumb_samples_options *options, struct event_counts *counts,
			struct plumb_samples_totals *totals, struct plumb_diagnostics *found)
{
	struct plumb_samples *samples;
	struct plumb_samples_item item;
	int worst = 0, status = plumb_samples_begin(recording, options, &samples, found);

	if (status < 0)
		return status;
	for (;;) {
		status = plumb_samples_next(samples, &item);
		if (status < 0)
			worst = status;
		if (status == 0 || (status < 0 && status != PLUMB_ERR_INVALID))
			break;
		if (status > 0 && item.record->type == PLUMB_RECORD_SAMPLE && !item.spe &&
		    item.record->event)
			count_event(counts, item.record->event);
	}
	plumb_samples_totals(samples, totals);
	plumb_samples_end(samples);
	return worst;
}

/* The samples of PMU events beside AUX data, which need not be read for it. */
static int count_records(struct plumb_recording *recording, struct event_counts *counts)
{
	struct plumb_record record;
	int worst = 0, status;

	while ((status = plumb_recording_next(recording, &record)) != 0) {
		if (status < 0)
			worst = status;
		if (status < 0 && status != PLUMB_ERR_INVALID)
			break;
		if (status > 0 && record.type == PLUMB_RECORD_SAMPLE && record.event)
			count_event(counts, record.event);
	}
	return worst;
}

/* Of a sample with counts there are several, which only the stream tells. */
static bool has_counts(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.sample_type & PLUMB_SAMPLE_READ)
			return true;
	return false;
}

static void print_text(struct output *out, const struct event_counts *counts,
		       const struct plumb_samples_totals *totals)
{
	static const struct table_column columns[] = {
		{"SAMPLES", .right = true},
		{"EVENT", .style = STYLE_NAME},
	};
	struct table table = {.columns = columns, .column_count = 2};
	char room[EVENT_NAME_ROOM];

	for (size_t i = 0; i < counts->count; i++) {
		table_cell_format(&table, "%llu", (unsigned long long)counts->at[i].count);
		table_cell(&table, script_event_name(counts->at[i].event, room));
	}
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++) {
		if (!totals->groups[group])
			continue;
		table_cell_format(&table, "%llu", (unsigned long long)totals->groups[group]);
		table_cell(&table, plumb_spe_group_name(group));
	}
	table_print(&table, out, 0);
	table_free(&table);
	if (totals->bytes) {
		output_format(out, STYLE_PLAIN, "%llu SPE records in %llu bytes",
			      (unsigned long long)totals->records,
			      (unsigned long long)totals->bytes);
		if (totals->matched != totals->records)
			output_format(out, STYLE_PLAIN, ", %llu of them match",
				      (unsigned long long)totals->matched);
		fputc('\n', out->stream);
	}
}

static void put_count(json_t *object, const char *name, uint64_t count)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void print_json(struct output *out, const struct event_counts *counts,
		       const struct plumb_samples_totals *totals)
{
	json_t *object = render_object(), *events = json_object(), *groups = json_object();
	json_t *lost = json_object();
	char room[EVENT_NAME_ROOM];

	for (size_t i = 0; i < counts->count; i++) {
		json_t *name = render_string(script_event_name(counts->at[i].event, room));

		put_count(events, json_string_value(name), counts->at[i].count);
		json_decref(name);
	}
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++) {
		if (totals->groups[group])
			put_count(groups, plumb_spe_group_name(group), totals->groups[group]);
	}
	put_count(lost, "records", totals->lost_records);
	put_count(lost, "samples", totals->lost_samples);
	put_count(lost, "throttled", totals->throttled);
	put_count(lost, "collisions", totals->collisions);
	put_count(lost, "truncated", totals->truncated);
	put_count(lost, "partial", totals->partial);
	put_count(lost, "skipped_bytes", totals->skipped);
	put_count(lost, "unfinished_records", totals->unfinished);
	json_object_set_new(object, "events", events);
	json_object_set_new(object, "groups", groups);
	put_count(object, "spe_records", totals->records);
	put_count(object, "spe_matched", totals->matched);
	put_count(object, "spe_bytes", totals->bytes);
	json_object_set_new(object, "lost", lost);
	render_json(out, object);
}

int script_print_totals(const struct script_options *options,
			const struct plumb_samples_options *samples)
{
	struct plumb_diagnostics *found = memory_given(plumb_diagnostics_new());
	struct plumb_recording *recording = NULL, *again = NULL;
	struct plumb_samples_totals totals = {0};
	struct event_counts counts = {0};
	struct output out;
	int error, status;

	if (script_chooses(options)) {
		complain("--quiet counts all: choose by --filter");
		advise("pid=, tid=, cpu= and time= are terms of it");
		plumb_diagnostics_free(found);
		return EXIT_USAGE;
	}
	error = plumb_recording_open(options->input, NULL, &recording, found);
	if (error == 0 && plumb_recording_has_feature(recording, PLUMB_FEATURE_AUXTRACE) &&
	    !has_counts(recording) && strcmp(options->input, "-") != 0 &&
	    !(samples->filter && plumb_spe_filter_needs_origin(samples->filter))) {
		const struct plumb_recording_options file_order = {.in_file_order = true};

		error = plumb_samples_count(recording, samples, 0, &totals, found);
		if (error == 0 &&
		    plumb_recording_open(options->input, &file_order, &again, NULL) == 0 &&
		    !samples->filter)
			count_records(again, &counts);
	} else if (error == 0) {
		error = count_stream(recording, samples, &counts, &totals, found);
	}
	if (error < 0)
		complain_recording(found, options->input, error);
	status = complain_status(error);
	if (recording && output_open(&out, &options->common) == EXIT_FINE) {
		if (options->common.json)
			print_json(&out, &counts, &totals);
		else
			print_text(&out, &counts, &totals);
		status = output_close(&out, status);
		plumb_samples_report(&totals, options->input, found);
		complain_warnings(found);
	}
	free(counts.at);
	plumb_recording_close(again);
	plumb_recording_close(recording);
	plumb_diagnostics_free(found);
	return status;
}

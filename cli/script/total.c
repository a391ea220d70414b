/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script --quiet: counts the samples of each kind, and reports what was lost. */
#include <stdlib.h>

#include "render/json.h"
#include "render/table.h"
#include "script/script.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* The number of samples of each PMU event. */
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

/*
 * Reads everything; the stream itself counts what is synthesized from SPE records. Returns an
 * error.
 */
static int count_samples(struct plumb_samples *samples, struct event_counts *counts)
{
	const struct plumb_record *record;
	int status;

	while ((status = plumb_samples_next_record(samples, 0, &record)) > 0) {
		if (record->type == PLUMB_RECORD_SAMPLE && script_shows_sample(record))
			count_event(counts, record->event);
	}
	return status;
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
			output_format(out, STYLE_PLAIN, ", %llu of which match",
				      (unsigned long long)totals->matched);
		fputc('\n', out->stream);
	}
}

static void put_count(json_t *object, const char *name, uint64_t count)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
}

static json_t *losses_json(const struct plumb_recording_losses *losses)
{
	json_t *lost = json_object();

	put_count(lost, "records", losses->lost_records);
	put_count(lost, "samples", losses->lost_samples);
	put_count(lost, "throttled", losses->throttled);
	put_count(lost, "collisions", losses->aux_collisions);
	put_count(lost, "truncated", losses->aux_truncated);
	put_count(lost, "partial", losses->aux_partial);
	put_count(lost, "skipped_bytes", losses->aux_skipped);
	put_count(lost, "unfinished_records", losses->aux_unfinished);
	json_object_set_new(lost, "recorder_killed", json_boolean(losses->unfinished));
	json_object_set_new(lost, "incomplete", json_boolean(losses->incomplete));
	return lost;
}

static void print_json(struct output *out, const struct event_counts *counts,
		       const struct plumb_samples_totals *totals)
{
	json_t *object = render_object(), *events = json_object(), *groups = json_object();
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
	json_object_set_new(object, "events", events);
	json_object_set_new(object, "groups", groups);
	put_count(object, "spe_records", totals->records);
	put_count(object, "spe_matched", totals->matched);
	put_count(object, "spe_bytes", totals->bytes);
	json_object_set_new(object, "lost", losses_json(totals->lost));
	render_json(out, object);
}

int script_print_totals(struct script *script)
{
	const struct script_options *options = script->options;
	const struct plumb_samples_totals *totals;
	struct event_counts counts = {0};
	struct plumb_samples *samples;
	int error, status = output_open(&script->out, &options->common);

	if (status != EXIT_FINE)
		return status;
	if (options->header) {
		buffer_open(&script->buffer, &script->out);
		script_print_header(&script->buffer, script->reading.recording, options->from.input,
				    options->full_header);
		buffer_close(&script->buffer);
	}
	script->reading.samples.order = PLUMB_ORDER_TASKS;
	samples = reading_begin(&script->reading);
	error = count_samples(samples, &counts);
	if (error < 0)
		complain_findings(script->reading.diagnostics, options->from.input, error);
	totals = plumb_samples_totals(samples);
	if (options->common.json)
		print_json(&script->out, &counts, totals);
	else
		print_text(&script->out, &counts, totals);
	status = output_close(&script->out, complain_status(error));
	reading_note_itrace(&script->reading);
	plumb_losses_report(totals->lost, options->from.input, script->reading.diagnostics);
	complain_warnings(script->reading.diagnostics);
	plumb_samples_end(samples);
	free(counts.at);
	return status;
}

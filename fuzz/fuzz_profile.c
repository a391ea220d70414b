/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile and an annotation of a whole recording, and of the program it names, in which any byte
 * may be anything. The input is a byte that chooses the options, one that chooses the keys, 16 bits
 * with the size of the program, the program, and the recording. Recordings find the program where
 * those of the corpus have it: /tmp/seed/hidden.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/annotate.h>
#include <plumb/profile.h>
#include <plumb/samples.h>
#include <plumb/symbol.h>

#include "open_bytes.h"

#define PROGRAM "/tmp/seed/hidden"

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* ---- The input --------------------------------------------------------------------------------
 */

static char root[] = "/tmp/fuzz-profile-XXXXXX";

static void remove_root(void)
{
	static const char *const names[] = {PROGRAM, "/tmp/seed", "/tmp", ""};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s%s", root, names[i]);
		remove(path);
	}
}

static void write_program(const uint8_t *bytes, size_t size)
{
	static bool made;
	char path[128];
	FILE *file;

	if (!made) {
		require(mkdtemp(root) != NULL);
		atexit(remove_root);
		snprintf(path, sizeof(path), "%s/tmp", root);
		require(mkdir(path, 0700) == 0);
		snprintf(path, sizeof(path), "%s/tmp/seed", root);
		require(mkdir(path, 0700) == 0);
		made = true;
	}
	snprintf(path, sizeof(path), "%s" PROGRAM, root);
	file = fopen(path, "wb");
	require(file != NULL);
	require(fwrite(bytes, 1, size, file) == size);
	require(fclose(file) == 0);
}

/* What reads the same recording, with the same program. */
struct reading {
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_samples *samples;
};

static bool begin(struct reading *reading, const uint8_t *data, size_t size,
		  const struct plumb_samples_options *options,
		  struct plumb_diagnostics *diagnostics)
{
	const struct plumb_symbol_paths paths = {.size = sizeof(paths), .root = root};

	reading->recording = open_bytes(data, size, diagnostics);
	if (!reading->recording)
		return false;
	require(plumb_symbolizer_new(&paths, &reading->symbolizer) == 0);
	require(plumb_samples_begin(reading->recording, options, &reading->samples, diagnostics) ==
		0);
	return true;
}

static void end(struct reading *reading)
{
	plumb_samples_end(reading->samples);
	plumb_symbolizer_free(reading->symbolizer);
	plumb_recording_close(reading->recording);
}

/* ---- Profiles ---------------------------------------------------------------------------------
 */

static void check_row(struct plumb_profile *profile, size_t event, size_t row, size_t keys)
{
	struct plumb_profile_row values;
	struct plumb_profile_estimate operations;
	struct plumb_profile_latency latency;
	char room[PLUMB_PROFILE_TEXT];
	const struct plumb_profile_node *nodes;
	size_t count;

	require(plumb_profile_row(profile, event, row, &values));
	require(!(values.share.value < 0) && !(values.share.value > 1.0000001));
	operations = plumb_profile_operations(profile, event, row);
	require(isnan(operations.low) ||
		(operations.low >= 0 && operations.low <= operations.high));
	for (size_t key = 0; key < keys; key++)
		require(length(plumb_profile_text(profile, event, row, key, room)) < SIZE_MAX);
	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
		if (plumb_profile_latency(profile, event, row, kind, &latency))
			require(latency.samples && latency.p50 <= latency.p99);
	nodes = plumb_profile_tree(profile, event, row, &count);
	for (size_t i = 0; nodes && i < count; i++)
		require(nodes[i].own <= nodes[i].period &&
			(i == 0 || nodes[i].depth <= nodes[i - 1].depth + 1));
}

static void check_slots(struct plumb_profile *profile, const struct plumb_profile_topdown *slots)
{
	const struct plumb_profile_topdown_node *nodes;
	struct plumb_profile_topdown found;
	struct plumb_profile_event event;
	size_t count;

	require(plumb_profile_event(profile, slots->event, &event) && slots->row < event.row_count);
	require(plumb_profile_topdown_of(profile, slots->event, slots->row, &found) == 0 &&
		found.slots == slots->slots);
	nodes = plumb_profile_topdown_tree(profile, slots, &count);
	for (size_t i = 0; nodes && i < count; i++)
		require(length(nodes[i].name) < SIZE_MAX &&
			(i == 0 ? nodes[i].depth == 0 : nodes[i].depth <= nodes[i - 1].depth + 1));
}

static void check_profile(struct plumb_profile *profile, size_t keys)
{
	struct plumb_profile_event event;
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_topdown *slots = NULL;
	struct plumb_profile_sharing *shared = NULL;
	size_t count = 0;

	for (size_t i = 0; plumb_profile_event(profile, i, &event); i++) {
		require(length(event.name) < SIZE_MAX);
		for (size_t row = 0; row < event.row_count; row++)
			check_row(profile, i, row, keys);
		for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
			require(plumb_profile_histogram(profile, i, kind, bins) <=
				PLUMB_PROFILE_BINS);
	}
	if (plumb_profile_topdown(profile, &slots, &count) == 0)
		for (size_t i = 0; i < count; i++)
			check_slots(profile, &slots[i]);
	free(slots);
	if (plumb_profile_sharing(profile, &shared, &count) == 0)
		for (size_t i = 0; i < count; i++)
			require(plumb_profile_event(profile, shared[i].event, &event) &&
				shared[i].row < event.row_count && shared[i].threads > 1);
	free(shared);
}

static void make_profile(struct reading *reading, uint8_t how, uint8_t which)
{
	static const uint8_t sharing[] = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PID, PLUMB_KEY_TID,
					  PLUMB_KEY_OFFSET, PLUMB_KEY_OP};
	const uint8_t keys[] = {which % PLUMB_PROFILE_KEYS, which / 8 % PLUMB_PROFILE_KEYS};
	struct plumb_profile_options options = {
		.size = sizeof(options),
		.keys = how & 8 ? sharing : keys,
		.key_count = how & 8 ? sizeof(sharing) : sizeof(keys),
		.children = how & 2,
		.paths = (enum plumb_profile_paths)((how >> 4 & 3) % 3),
		.rows_max = how & 64 ? 8 : 0,
		.nodes_max = how & 64 ? 8 : 0,
		.latencies = 7,
	};
	struct plumb_profile *profile;

	require(plumb_profile_new(&options, reading->recording, reading->symbolizer, &profile) ==
		0);
	plumb_profile_add(profile, reading->samples);
	require(plumb_profile_finish(profile, plumb_samples_totals(reading->samples)) == 0);
	check_profile(profile, options.key_count);
	plumb_profile_free(profile);
}

/* ---- Annotations ------------------------------------------------------------------------------
 */

static void check_code(const struct plumb_annotated_code *code)
{
	uint32_t next = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct plumb_annotated_instruction *at = &code->instructions[i];

		require(i == 0 || at[-1].address < at->address);
		require(at->cause_count <= PLUMB_ANNOTATED_CAUSES);
		for (unsigned c = 0; c < at->cause_count; c++)
			require(length(at->causes[c].name) > 0);
	}
	for (size_t i = 0; i < code->line_count; i++) {
		require(code->lines[i].first == next);
		next += code->lines[i].count;
		for (uint32_t n = code->lines[i].first; n < next; n++)
			require(code->order[n] < code->count);
	}
	require(next == code->count);
}

static void make_annotation(struct reading *reading)
{
	const struct plumb_annotation_options options = {.size = sizeof(options)};
	struct plumb_annotation_summary summary;
	const struct plumb_samples_item *item;
	struct plumb_annotation *annotation;
	struct plumb_annotated_code code;

	require(plumb_annotation_new(&options, reading->recording, reading->symbolizer,
				     &annotation) == 0);
	while (plumb_samples_next(reading->samples, &item) > 0)
		require(plumb_annotation_add(annotation, item) == 0);
	require(plumb_annotation_finish(annotation) == 0);
	plumb_annotation_summary(annotation, &summary);
	for (size_t i = 0; i < summary.function_count && i < 8; i++) {
		if (plumb_annotation_code(annotation, i, &code) == 0)
			check_code(&code);
		plumb_annotated_code_free(&code);
	}
	plumb_annotation_free(annotation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_samples_options options = {.size = sizeof(options)};
	struct plumb_diagnostics *diagnostics;
	struct reading reading;
	size_t program;

	if (size < 4)
		return 0;
	program = data[2] | (size_t)data[3] << 8;
	if (program > size - 4)
		return 0;
	diagnostics = plumb_diagnostics_new();
	require(diagnostics != NULL);
	write_program(data + 4, program);
	options.order = PLUMB_ORDER_TASKS;
	options.each_record_once = data[0] & 1;
	if (begin(&reading, data + 4 + program, size - 4 - program, &options, diagnostics)) {
		make_profile(&reading, data[0], data[1]);
		end(&reading);
	}
	options.each_record_once = true;
	if (begin(&reading, data + 4 + program, size - 4 - program, &options, diagnostics)) {
		make_annotation(&reading);
		end(&reading);
	}
	plumb_diagnostics_free(diagnostics);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a page, from a recording of which any byte may be anything: whatever the samples and
 * their names are, the page gets JSON whose columns have equal lengths and name what is there.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/samples.h>
#include <plumb/symbol.h>

#include "open_bytes.h"
#include "profile/stacks.h"
#include "render/stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Requires that all numbers of a column are below `count`. */
static void check_column(const json_t *object, const char *name, size_t length, size_t count)
{
	const json_t *column = json_object_get(object, name), *value;
	size_t i;

	require(json_array_size(column) == length);
	json_array_foreach(column, i, value)
	{
		require(json_is_integer(value) && json_integer_value(value) >= 0);
		require((size_t)json_integer_value(value) < count);
	}
}

static size_t length_of(json_t *part)
{
	const json_t *first = json_object_iter_value(json_object_iter(part));

	return json_array_size(first);
}

static void check_details(const json_t *root, const json_t *details)
{
	static const char *const parts[] = {"code", "operation", "data"};
	static const char *const columns[] = {"total", "issue", "translation", "period", "flags"};
	const size_t length = json_array_size(json_object_get(details, "step"));

	require(length && length <= STACKS_DETAILS_MOST);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		json_t *part = json_object_get(json_object_get(details, "parts"), parts[i]);
		const char *key;
		json_t *texts;

		check_column(details, parts[i], length, length_of(part));
		json_object_foreach(part, key, texts)
			require(json_array_size(texts) == length_of(part));
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		require(json_array_size(json_object_get(details, columns[i])) == length);
	check_column(details, "type", length, json_array_size(json_object_get(root, "types")));
	check_column(details, "thread", length, json_array_size(json_object_get(root, "threads")));
}

static void check(const char *text, size_t size)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, 0, &error);
	const json_t *rows, *cells, *details;
	size_t count;

	/* Numbers that jansson cannot hold are right nevertheless. */
	if (!root && json_error_code(&error) == json_error_numeric_overflow)
		return;
	require(root != NULL);
	rows = json_object_get(root, "rows");
	cells = json_object_get(root, "cells");
	details = json_object_get(root, "details");
	count = json_array_size(json_object_get(cells, "value"));
	check_column(cells, "row", count, json_array_size(json_object_get(rows, "thread")));
	check_column(cells, "type", count, json_array_size(json_object_get(root, "types")));
	if (details)
		check_details(root, details);
	json_decref(root);
}

static void make_page(struct plumb_recording *recording, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_TASKS, .each_record_once = true};
	struct plumb_symbolizer *symbolizer;
	struct plumb_samples *samples;
	struct stacks *stacks;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	require(stream != NULL);
	require(plumb_symbolizer_new(NULL, &symbolizer) == 0);
	require(plumb_samples_begin(recording, &options, &samples, diagnostics) == 0);
	require(stacks_new(recording, symbolizer,
			   STACKS_BY_THREAD | STACKS_BY_LABEL | STACKS_TIMES | STACKS_DETAILS,
			   &stacks) == 0);
	stacks_add(stacks, samples);
	stacks_page(stream, stacks);
	require(fclose(stream) == 0);
	check(text, size);
	free(text);
	stacks_free(stacks);
	plumb_samples_end(samples);
	plumb_symbolizer_free(symbolizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording = open_bytes(data, size, diagnostics);

	if (recording)
		make_page(recording, diagnostics);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return 0;
}

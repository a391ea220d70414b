/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as speedscope's own format, https://www.speedscope.app/file-format-schema.json: frames are
 * functions and, as the outermost, the names of threads.
 */
#include <plumb/version.h>
#include <stdlib.h>

#include "render/json_stream.h"
#include "render/stacks.h"
#include "tool/memory.h"

static void write_frames(struct json_stream *json, const struct stacks *stacks)
{
	json_stream_open(json, "shared", '{');
	json_stream_open(json, "frames", '[');
	for (size_t i = 0; i < stacks->function_count; i++) {
		const struct stacks_function *function = &stacks->functions[i];
		char *name = memory_format("%s%s", function->name,
					   function->inlined ? " (inlined)" : "");

		json_stream_open(json, NULL, '{');
		json_stream_text(json, "name", name);
		if (function->source)
			json_stream_text(json, "file", function->source);
		else if (function->file)
			json_stream_text(json, "file", plumb_symbol_file_name(function->file));
		json_stream_close(json, '}');
		free(name);
	}
	for (size_t i = 0; i < stacks->thread_count; i++) {
		json_stream_open(json, NULL, '{');
		json_stream_text(json, "name", stacks->threads[i].comm);
		json_stream_close(json, '}');
	}
	json_stream_close(json, ']');
	json_stream_close(json, '}');
}

static void write_stack(struct json_stream *json, const struct stacks *stacks,
			const struct stacks_row *row)
{
	uint32_t *path = NULL;
	size_t depth = 0;

	for (uint32_t node = row->node; node != STACKS_NONE; node = stacks->nodes[node].parent)
		depth++;
	path = memory_resize(NULL, depth + 1, sizeof(*path));
	depth = 0;
	for (uint32_t node = row->node; node != STACKS_NONE; node = stacks->nodes[node].parent)
		path[depth++] = stacks->nodes[node].item;
	json_stream_open(json, NULL, '[');
	json_stream_number(json, NULL, stacks->function_count + row->thread);
	while (depth > 0)
		json_stream_number(json, NULL, path[--depth]);
	json_stream_close(json, ']');
	free(path);
}

static void write_type(struct json_stream *json, const struct stacks *stacks, size_t type)
{
	json_stream_open(json, NULL, '{');
	json_stream_text(json, "type", "sampled");
	json_stream_text(json, "name", stacks->types[type].name);
	json_stream_text(json, "unit", "none");
	json_stream_number(json, "startValue", 0);
	json_stream_number(json, "endValue", stacks->types[type].total);
	json_stream_open(json, "samples", '[');
	for (size_t i = 0; i < stacks->row_count; i++)
		if (stacks_value(stacks, i, type))
			write_stack(json, stacks, &stacks->rows[i]);
	json_stream_close(json, ']');
	json_stream_open(json, "weights", '[');
	for (size_t i = 0; i < stacks->row_count; i++)
		if (stacks_value(stacks, i, type))
			json_stream_number(json, NULL, stacks_value(stacks, i, type));
	json_stream_close(json, ']');
	json_stream_close(json, '}');
}

void stacks_speedscope(struct output *out, const struct stacks *stacks, const char *title)
{
	struct json_stream json = {.stream = out->stream};

	json_stream_open(&json, NULL, '{');
	json_stream_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_stream_text(&json, "exporter", "plumb " PLUMB_VERSION);
	json_stream_text(&json, "name", title);
	json_stream_number(&json, "activeProfileIndex", 0);
	write_frames(&json, stacks);
	json_stream_open(&json, "profiles", '[');
	for (size_t t = 0; t < stacks->type_count; t++)
		if (stacks_shows(&stacks->types[t]))
			write_type(&json, stacks, t);
	json_stream_close(&json, ']');
	json_stream_close(&json, '}');
	fputc('\n', out->stream);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a processed profile of the Firefox Profiler: an object of columns each. */
#include "render/firefox.h"

#include <string.h>

/* Types of resources. */
enum { RESOURCE_LIBRARY = 1 };

void firefox_column(struct firefox *f, const char *name)
{
	json_stream_open(&f->json, name, '[');
}

void firefox_column_end(struct firefox *f)
{
	json_stream_close(&f->json, ']');
}

void firefox_constant(struct firefox *f, const char *name, uint32_t value, size_t count)
{
	firefox_column(f, name);
	for (size_t i = 0; i < count; i++)
		json_stream_index(&f->json, NULL, value);
	firefox_column_end(f);
}

static void false_column(struct firefox *f, const char *name, size_t count)
{
	firefox_column(f, name);
	for (size_t i = 0; i < count; i++)
		json_stream_bool(&f->json, NULL, false);
	firefox_column_end(f);
}

void firefox_table_end(struct firefox *f, size_t length)
{
	json_stream_number(&f->json, "length", length);
	json_stream_close(&f->json, '}');
}

static void write_stack_table(struct firefox *f)
{
	json_stream_open(&f->json, "stackTable", '{');
	firefox_column(f, "frame");
	for (size_t i = 0; i < f->stack_count; i++)
		json_stream_number(&f->json, NULL, f->stack[i].frame);
	firefox_column_end(f);
	firefox_column(f, "prefix");
	for (size_t i = 0; i < f->stack_count; i++)
		json_stream_index(&f->json, NULL, f->stack[i].prefix);
	firefox_column_end(f);
	firefox_table_end(f, f->stack_count);
}

/* Returns the number of a frame's symbol in the series, or UINT32_MAX. */
static uint32_t symbol_of(const struct firefox *f, const struct firefox_frame *frame)
{
	const uint32_t outer = firefox_outer(f, frame->code);

	return firefox_has_symbol(f, outer) ? f->by_symbol.number[outer] : UINT32_MAX;
}

/* A line or column, as an index: 0 is unknown. */
static uint32_t known(unsigned number)
{
	return number ? number : UINT32_MAX;
}

/* Addresses are relative to the library: kernel addresses are too large for JavaScript. */
static void write_address(struct firefox *f, uint32_t function, uint64_t address)
{
	const struct stacks_function *of = &f->stacks->functions[function];

	if (!of->file || address < of->base)
		json_stream_none(&f->json);
	else
		json_stream_number(&f->json, NULL, address - of->base);
}

static void write_frame_table(struct firefox *f)
{
	const struct stacks *s = f->stacks;
	const size_t count = f->frame_count;

	json_stream_open(&f->json, "frameTable", '{');
	firefox_column(f, "address");
	for (size_t i = 0; i < count; i++)
		write_address(f, firefox_outer(f, f->frames[i].code),
			      s->codes[f->frames[i].code].linked);
	firefox_column_end(f);
	firefox_column(f, "inlineDepth");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, f->frames[i].depth);
	firefox_column_end(f);
	firefox_column(f, "category");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, f->frames[i].category);
	firefox_column_end(f);
	firefox_column(f, "subcategory");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, f->frames[i].subcategory);
	firefox_column_end(f);
	firefox_column(f, "func");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL,
				   f->by_function.number[s->lines[f->frames[i].line].function]);
	firefox_column_end(f);
	firefox_column(f, "nativeSymbol");
	for (size_t i = 0; i < count; i++)
		json_stream_index(&f->json, NULL, symbol_of(f, &f->frames[i]));
	firefox_column_end(f);
	firefox_constant(f, "innerWindowID", 0, count);
	firefox_column(f, "line");
	for (size_t i = 0; i < count; i++)
		json_stream_index(&f->json, NULL, known(s->lines[f->frames[i].line].line));
	firefox_column_end(f);
	firefox_column(f, "column");
	for (size_t i = 0; i < count; i++)
		json_stream_index(&f->json, NULL, known(s->lines[f->frames[i].line].column));
	firefox_column_end(f);
	firefox_table_end(f, count);
}

static void write_func_table(struct firefox *f)
{
	const struct stacks_function *functions = f->stacks->functions;
	const size_t count = f->function_count;

	json_stream_open(&f->json, "funcTable", '{');
	firefox_column(f, "name");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL,
				   firefox_string(f, functions[f->functions[i]].name));
	firefox_column_end(f);
	false_column(f, "isJS", count);
	false_column(f, "relevantForJS", count);
	firefox_column(f, "resource");
	for (size_t i = 0; i < count; i++) {
		const uint32_t lib = firefox_lib(f, f->functions[i]);

		if (lib == UINT32_MAX)
			json_stream_none(&f->json);
		else
			json_stream_number(&f->json, NULL, f->by_lib.number[lib]);
	}
	firefox_column_end(f);
	firefox_column(f, "source");
	for (size_t i = 0; i < count; i++) {
		const char *source = functions[f->functions[i]].source;

		json_stream_index(&f->json, NULL,
				  source ? firefox_number(&f->sources, firefox_string(f, source))
					 : UINT32_MAX);
	}
	firefox_column_end(f);
	firefox_constant(f, "lineNumber", UINT32_MAX, count);
	firefox_constant(f, "columnNumber", UINT32_MAX, count);
	firefox_table_end(f, count);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *lib_name(const struct firefox *f, uint32_t lib)
{
	return plumb_symbol_file_name(
		(const struct plumb_symbol_file *)(uintptr_t)f->libs.values[lib]);
}

static void write_resource_table(struct firefox *f)
{
	const size_t count = f->resource_count;

	json_stream_open(&f->json, "resourceTable", '{');
	firefox_column(f, "lib");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, f->resources[i]);
	firefox_column_end(f);
	firefox_column(f, "name");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL,
				   firefox_string(f, base_name(lib_name(f, f->resources[i]))));
	firefox_column_end(f);
	firefox_constant(f, "host", UINT32_MAX, count);
	firefox_constant(f, "type", RESOURCE_LIBRARY, count);
	firefox_table_end(f, count);
}

static void write_symbol_table(struct firefox *f)
{
	const struct stacks_function *functions = f->stacks->functions;
	const size_t count = f->symbol_count;

	json_stream_open(&f->json, "nativeSymbols", '{');
	firefox_column(f, "libIndex");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, firefox_lib(f, f->symbols[i]));
	firefox_column_end(f);
	firefox_column(f, "address");
	for (size_t i = 0; i < count; i++)
		write_address(f, f->symbols[i], functions[f->symbols[i]].start);
	firefox_column_end(f);
	firefox_column(f, "name");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL,
				   firefox_string(f, functions[f->symbols[i]].name));
	firefox_column_end(f);
	firefox_column(f, "functionSize");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL,
				   functions[f->symbols[i]].end - functions[f->symbols[i]].start);
	firefox_column_end(f);
	firefox_table_end(f, count);
}

static void write_markers(struct firefox *f)
{
	static const char *const columns[] = {"data",    "name",  "startTime",
					      "endTime", "phase", "category"};

	json_stream_open(&f->json, "markers", '{');
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		firefox_constant(f, columns[i], 0, 0);
	firefox_table_end(f, 0);
}

void firefox_write_series(struct firefox *f)
{
	write_markers(f);
	write_stack_table(f);
	write_frame_table(f);
	write_func_table(f);
	write_resource_table(f);
	write_symbol_table(f);
}

void firefox_write_libs(struct firefox *f)
{
	json_stream_open(&f->json, "libs", '[');
	for (uint32_t i = 0; i < f->libs.count; i++) {
		const char *path = lib_name(f, i);

		json_stream_open(&f->json, NULL, '{');
		json_stream_text(&f->json, "arch", f->arch ? f->arch : "");
		json_stream_text(&f->json, "name", base_name(path));
		json_stream_text(&f->json, "path", path);
		json_stream_text(&f->json, "debugName", base_name(path));
		json_stream_text(&f->json, "debugPath", path);
		json_stream_text(&f->json, "breakpadId", "");
		json_stream_text(&f->json, "codeId", NULL);
		json_stream_close(&f->json, '}');
	}
	json_stream_close(&f->json, ']');
}

void firefox_write_shared(struct firefox *f)
{
	json_stream_open(&f->json, "shared", '{');
	json_stream_open(&f->json, "sources", '{');
	firefox_constant(f, "uuid", UINT32_MAX, f->sources.count);
	firefox_column(f, "filename");
	for (size_t i = 0; i < f->sources.count; i++)
		json_stream_number(&f->json, NULL, f->sources.values[i]);
	firefox_column_end(f);
	firefox_table_end(f, f->sources.count);
	json_stream_open(&f->json, "stringArray", '[');
	for (size_t i = 0; i < f->strings.count; i++)
		json_stream_text(&f->json, NULL, (const char *)(uintptr_t)f->strings.values[i]);
	json_stream_close(&f->json, ']');
	json_stream_close(&f->json, '}');
}

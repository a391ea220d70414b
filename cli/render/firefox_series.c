/* SPDX-License-Identifier: Apache-2.0 */
/* The frames and stacks of a series of the Firefox Profiler: numbers that its tables will have. */
#include "render/firefox.h"

#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

uint32_t firefox_number(struct code_table *table, uint64_t word)
{
	uint32_t number;

	if (codes_find(table, &word, &number) < 0)
		memory_given(NULL);
	return number - 1;
}

uint32_t firefox_string(struct firefox *f, const char *text)
{
	const char *kept = text_table_keep(&f->texts, text);

	if (!kept)
		memory_given(NULL);
	return firefox_number(&f->strings, (uintptr_t)kept);
}

void *firefox_grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	if (count >= UINT32_MAX)
		memory_given(NULL);
	*room = *room ? 2 * *room : 64;
	return memory_resize(array, *room, size);
}

static struct firefox_local local_new(size_t count)
{
	struct firefox_local local = {memory_resize(NULL, count + 1, sizeof(uint32_t)),
				      memory_resize(NULL, count + 1, sizeof(uint32_t))};

	memset(local.series, 0, (count + 1) * sizeof(uint32_t));
	return local;
}

static void local_free(struct firefox_local *local)
{
	free(local->number);
	free(local->series);
}

/* Returns whether a thing has a number; otherwise gives it this one. */
static bool local_has(const struct firefox *f, struct firefox_local *local, uint32_t thing,
		      uint32_t number)
{
	if (local->series[thing] == f->series)
		return true;
	local->series[thing] = f->series;
	local->number[thing] = number;
	return false;
}

uint32_t firefox_lib(struct firefox *f, uint32_t function)
{
	const struct plumb_symbol_file *file = f->stacks->functions[function].file;

	return file ? firefox_number(&f->libs, (uintptr_t)file) : UINT32_MAX;
}

static void add_function(struct firefox *f, uint32_t function)
{
	const uint32_t lib = firefox_lib(f, function);

	if (local_has(f, &f->by_function, function, (uint32_t)f->function_count))
		return;
	f->functions = firefox_grow(f->functions, f->function_count, &f->function_room,
				    sizeof(*f->functions));
	f->functions[f->function_count++] = function;
	if (lib == UINT32_MAX || local_has(f, &f->by_lib, lib, (uint32_t)f->resource_count))
		return;
	f->resources = firefox_grow(f->resources, f->resource_count, &f->resource_room,
				    sizeof(*f->resources));
	f->resources[f->resource_count++] = lib;
}

uint32_t firefox_outer(const struct firefox *f, uint32_t code)
{
	const struct stacks_code *of = &f->stacks->codes[code];

	return f->stacks->lines[of->first + of->lines - 1].function;
}

bool firefox_has_symbol(const struct firefox *f, uint32_t function)
{
	return f->stacks->functions[function].end > 0;
}

static void add_symbol(struct firefox *f, uint32_t function)
{
	if (!firefox_has_symbol(f, function) ||
	    local_has(f, &f->by_symbol, function, (uint32_t)f->symbol_count))
		return;
	f->symbols =
		firefox_grow(f->symbols, f->symbol_count, &f->symbol_room, sizeof(*f->symbols));
	f->symbols[f->symbol_count++] = function;
}

static uint32_t push_frame(struct firefox *f, const struct firefox_frame *frame)
{
	f->frames = firefox_grow(f->frames, f->frame_count, &f->frame_room, sizeof(*f->frames));
	f->frames[f->frame_count] = *frame;
	return (uint32_t)f->frame_count++;
}

static uint32_t push_stack(struct firefox *f, uint32_t frame, uint32_t prefix)
{
	f->stack = firefox_grow(f->stack, f->stack_count, &f->stack_room, sizeof(*f->stack));
	f->stack[f->stack_count] = (struct firefox_stack){frame, prefix};
	return (uint32_t)f->stack_count++;
}

static uint32_t frame_of(struct firefox *f, uint32_t code, uint32_t l)
{
	const struct stacks_code *of = &f->stacks->codes[code];
	const struct firefox_frame frame = {.line = of->first + l,
					    .code = code,
					    .depth = of->lines - 1 - l,
					    .category =
						    of->kernel ? CATEGORY_KERNEL : CATEGORY_USER};

	if (!local_has(f, &f->by_line, frame.line, (uint32_t)f->frame_count)) {
		push_frame(f, &frame);
		add_function(f, f->stacks->lines[frame.line].function);
		add_symbol(f, firefox_outer(f, code));
	}
	return f->by_line.number[frame.line];
}

/* Adds the stack that ends with a code's line `last`, below `prefix`: outer functions come first.
 */
static uint32_t add_lines(struct firefox *f, uint32_t code, uint32_t last, uint32_t prefix)
{
	for (uint32_t l = f->stacks->codes[code].lines; l-- > last;)
		prefix = push_stack(f, frame_of(f, code, l), prefix);
	return prefix;
}

/* Finds or makes the stack of a node. Its parents come first: `path` has room for all of them. */
static uint32_t add_stack(struct firefox *f, uint32_t node, uint32_t *path)
{
	const struct stacks_node *nodes = f->stacks->nodes;
	uint32_t prefix = UINT32_MAX;
	size_t depth = 0;

	for (; node != STACKS_NONE && f->by_node.series[node] != f->series;
	     node = nodes[node].parent)
		path[depth++] = node;
	if (node != STACKS_NONE)
		prefix = f->by_node.number[node];
	while (depth > 0) {
		node = path[--depth];
		prefix = add_lines(f, nodes[node].item, 0, prefix);
		local_has(f, &f->by_node, node, prefix);
	}
	return prefix;
}

/* Makes a stack whose innermost frame has the category of a type of slots. */
static uint32_t add_slots(struct firefox *f, uint32_t node, uint32_t type, uint32_t *path)
{
	const struct stacks_node *of = &f->stacks->nodes[node];
	const uint32_t caller =
		of->parent == STACKS_NONE ? UINT32_MAX : add_stack(f, of->parent, path);
	const uint32_t prefix = add_lines(f, of->item, 1, caller);
	const uint32_t alike = frame_of(f, of->item, 0);
	struct firefox_frame frame = f->frames[alike];

	frame.category = CATEGORY_SLOTS + f->stacks->types[type].slots - SLOTS_RETIRING;
	frame.subcategory = f->subcategory[type];
	return push_stack(f, push_frame(f, &frame), prefix);
}

uint32_t firefox_stack_of(struct firefox *f, uint32_t node, uint32_t type, uint32_t *path)
{
	return f->stacks->types[type].slots != SLOTS_NONE ? add_slots(f, node, type, path)
							  : add_stack(f, node, path);
}

/* ---- The tables of a profile ------------------------------------------------------------------
 */

void firefox_series_begin(struct firefox *f)
{
	f->series++;
	f->frame_count = f->stack_count = f->function_count = f->symbol_count = f->resource_count =
		0;
}

void firefox_tables_begin(struct firefox *f)
{
	const struct stacks *s = f->stacks;
	size_t files = 0;

	f->strings.words = f->sources.words = f->libs.words = f->tids.words = 1;
	f->strings.most = f->sources.most = f->libs.most = f->tids.most = UINT32_MAX - 1;
	for (uint32_t i = 0; i < s->function_count; i++) {
		const uint32_t lib = firefox_lib(f, i);

		files = lib != UINT32_MAX && lib >= files ? lib + (size_t)1 : files;
	}
	f->by_node = local_new(s->node_count);
	f->by_line = local_new(s->line_count);
	f->by_function = local_new(s->function_count);
	f->by_symbol = local_new(s->function_count);
	f->by_lib = local_new(files);
}

void firefox_tables_end(struct firefox *f)
{
	local_free(&f->by_node);
	local_free(&f->by_line);
	local_free(&f->by_function);
	local_free(&f->by_symbol);
	local_free(&f->by_lib);
	text_table_free(&f->texts);
	codes_free(&f->strings);
	codes_free(&f->sources);
	codes_free(&f->libs);
	codes_free(&f->tids);
	free(f->frames);
	free(f->stack);
	free(f->functions);
	free(f->symbols);
	free(f->resources);
}

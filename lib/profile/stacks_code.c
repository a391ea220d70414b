/* SPDX-License-Identifier: Apache-2.0 */
/* What stacks are made of: addresses of code, their lines, and the functions these belong to. */
#include "profile/stacks_parts.h"

static int add_function(struct stacks *s, const uint64_t words[3],
			const struct stacks_function *function, uint32_t *number)
{
	bool fresh;

	if (!stacks_reserve(&s->functions, s->function_count, &s->function_room,
			    sizeof(*s->functions)) ||
	    stacks_number(&s->by_function, words, number, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (fresh)
		s->functions[s->function_count++] = *function;
	else if (!s->functions[*number].source)
		s->functions[*number].source = function->source;
	return 0;
}

/* Finds the function that the code belongs to, as profiles know it. */
static int find_outer(const struct stacks_lookup *at, const char *source, uint32_t *number)
{
	struct stacks *s = at->stacks;
	const struct frame_values frame = {
		.item = at->item, .event = at->event, .place = at->place};
	const struct plumb_location *location = &at->place->location;
	const struct plumb_symbol *bounds = location->symbol ? location->symbol : at->place->bounds;
	struct plumb_location edge = *location;
	struct stacks_function function = {
		.source = source, .file = location->file, .known = location->symbol};
	char room[PLUMB_PROFILE_TEXT];
	uint64_t words[3] = {0};

	if (!key_value(s->profile, PLUMB_KEY_SYMBOL, &frame, words))
		return PLUMB_ERR_NO_MEMORY;
	function.name = text_table_keep(&s->profile->texts,
					key_text(s->profile, PLUMB_KEY_SYMBOL, words, room));
	if (!function.name)
		return PLUMB_ERR_NO_MEMORY;
	if (location->file && plumb_symbol_file_is_kernel(location->file))
		function.base = location->map_start;
	if (bounds) {
		edge.address = plumb_symbol_start(bounds);
		if (plumb_symbolizer_link_address(s->profile->symbolizer, &edge, &function.start))
			function.end = function.start + plumb_symbol_end(bounds) -
				       plumb_symbol_start(bounds);
		else
			function.start = 0;
	}
	return add_function(s, words, &function, number);
}

static int find_inlined(const struct stacks_lookup *at, const char *name, const char *source,
			uint32_t *number)
{
	struct stacks *s = at->stacks;
	const struct stacks_function function = {.name = text_table_keep(&s->profile->texts, name),
						 .source = source,
						 .file = at->place->location.file,
						 .inlined = true,
						 .known = true};
	const uint64_t words[3] = {(uintptr_t)function.name, (uintptr_t)source,
				   (uintptr_t)function.file | 1};

	return function.name ? add_function(s, words, &function, number) : PLUMB_ERR_NO_MEMORY;
}

/* Adds the functions of a code: those inlined there, from the innermost on, and the outer one. */
static int add_lines(const struct stacks_lookup *at, struct stacks_code *code)
{
	struct stacks *s = at->stacks;
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX] = {0};
	size_t count = plumb_symbolizer_source(s->profile->symbolizer, &at->place->location, frames,
					       PLUMB_SOURCE_FRAMES_MAX);
	int status = 0;

	code->first = (uint32_t)s->line_count;
	count += count == 0;
	for (size_t i = 0; status == 0 && i < count; i++) {
		const struct plumb_source_frame *frame = &frames[i];
		struct stacks_line line = {.line = frame->line, .column = frame->column};
		const char *source = NULL;

		if (frame->file && !(source = text_table_keep(&s->profile->texts, frame->file)))
			return PLUMB_ERR_NO_MEMORY;
		if (i == count - 1)
			status = find_outer(at, source, &line.function);
		else if (frame->function)
			status = find_inlined(at, frame->function, source, &line.function);
		else
			continue;
		if (status < 0 || s->line_count == STACKS_NONE ||
		    !stacks_reserve(&s->lines, s->line_count, &s->line_room, sizeof(*s->lines)))
			return PLUMB_ERR_NO_MEMORY;
		s->lines[s->line_count++] = line;
		code->lines++;
	}
	return status;
}

int stacks_find_code(const struct stacks_lookup *at, uint32_t *number)
{
	struct stacks *s = at->stacks;
	const struct plumb_location *location = &at->place->location;
	/* As place_look_up() has it. */
	const uint64_t ip = location->ip - (at->place->returns && location->symbol);
	const uint64_t words[3] = {(uintptr_t)location->file,
				   location->file ? location->address : ip,
				   (uintptr_t)location->symbol};
	struct stacks_code code = {.file = location->file,
				   .address = words[1],
				   .linked = words[1],
				   .map_start = location->map_start,
				   .map_end = location->map_end};
	bool fresh;

	if (!stacks_reserve(&s->codes, s->code_count, &s->code_room, sizeof(*s->codes)) ||
	    stacks_number(&s->by_code, words, number, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (!fresh)
		return 0;
	code.kernel = at->place->mode != PLUMB_MODE_USER;
	if (location->file) {
		code.map_offset = location->address - (ip - location->map_start);
		plumb_symbolizer_link_address(s->profile->symbolizer, location, &code.linked);
	}
	s->codes[s->code_count++] = (struct stacks_code){0};
	if (add_lines(at, &code) < 0)
		return PLUMB_ERR_NO_MEMORY;
	s->codes[*number] = code;
	return 0;
}
